//! Every chart, and how all of them are made.

use rayon::prelude::*;

use super::context::{ChartContext, ChartError};
use super::scene::Scene;
use super::{bitmap, healthy_capacity, phases, svg, utilization};
use crate::metric::RunResult;
use crate::report::Artifact;

type Layout = fn(&ChartContext<'_>, &[RunResult]) -> Scene;
type Question = fn(&ChartContext<'_>, &[RunResult]) -> bool;

/// A chart.
#[derive(Debug)]
pub struct Chart {
    /// Name of its files, without an ending.
    pub name: &'static str,
    /// Has it anything to show of these results?
    applies: Question,
    /// Lays it out for a comparison.
    compare: Layout,
    /// Lays it out for one run, the only one in the slice.
    run: Layout,
}

/// Every chart, in the order of their files.
pub const CHARTS: &[Chart] = &[
    Chart {
        name: "healthy_capacity",
        applies: |_, _| true,
        compare: healthy_capacity::compare,
        run: healthy_capacity::run,
    },
    Chart {
        name: "utilization",
        applies: |_, _| true,
        compare: utilization::compare,
        run: utilization::run,
    },
    Chart { name: "phases", applies: phases::applies, compare: phases::chart, run: phases::chart },
];

/// Charts that set the runs of several policies side by side, each as SVG and PNG.
///
/// # Errors
/// When a picture cannot be drawn or packed.
pub fn compare_charts(
    context: &ChartContext<'_>,
    results: &[RunResult],
) -> Result<Vec<Artifact>, ChartError> {
    drawn(context, results, |chart| chart.compare)
}

/// Charts of one run, each as SVG and PNG.
///
/// # Errors
/// When a picture cannot be drawn or packed.
pub fn run_charts(
    context: &ChartContext<'_>,
    result: &RunResult,
) -> Result<Vec<Artifact>, ChartError> {
    drawn(context, std::slice::from_ref(result), |chart| chart.run)
}

fn drawn(
    context: &ChartContext<'_>,
    results: &[RunResult],
    layout: impl Fn(&Chart) -> Layout + Sync,
) -> Result<Vec<Artifact>, ChartError> {
    let pairs: Result<Vec<_>, ChartError> = CHARTS
        .par_iter()
        .filter(|chart| (chart.applies)(context, results))
        .map(|chart| {
            let scene = layout(chart)(context, results);
            let (svg, png) = rayon::join(|| svg::encode(&scene), || bitmap::encode(&scene));
            let file = |ending: &str, bytes: Vec<u8>| Artifact {
                file_name: format!("{}.{ending}", chart.name),
                bytes,
            };
            Ok([file("svg", svg?), file("png", png?)])
        })
        .collect();
    Ok(pairs?.into_iter().flatten().collect())
}
