//! Every chart, and how all of them are made.

use rayon::prelude::*;

use super::context::{ChartContext, ChartError};
use super::scene::Scene;
use super::{
    bitmap, healthy_capacity, moments, phases, policies, requests, resources, states, svg,
    utilization,
};
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
    /// Lays it out for a comparison; none where it belongs to single runs.
    compare: Option<Layout>,
    /// Lays it out for one run, the only one in the slice; none where it belongs to comparisons.
    run: Option<Layout>,
}

/// Every chart, in the order of their files.
pub const CHARTS: &[Chart] = &[
    Chart {
        name: "healthy_capacity",
        applies: |_, _| true,
        compare: Some(healthy_capacity::compare),
        run: Some(healthy_capacity::run),
    },
    Chart { name: "policies", applies: |_, _| true, compare: Some(policies::chart), run: None },
    Chart { name: "states", applies: |_, _| true, compare: None, run: Some(states::chart) },
    Chart {
        name: "requests",
        applies: |_, _| true,
        compare: Some(requests::chart),
        run: Some(requests::chart),
    },
    Chart {
        name: "moments",
        applies: moments::applies,
        compare: Some(moments::chart),
        run: Some(moments::chart),
    },
    Chart {
        name: "utilization",
        applies: |_, _| true,
        compare: Some(utilization::compare),
        run: Some(utilization::run),
    },
    Chart {
        name: "resources",
        applies: resources::applies,
        compare: None,
        run: Some(resources::chart),
    },
    Chart {
        name: "phases",
        applies: phases::applies,
        compare: Some(phases::chart),
        run: Some(phases::chart),
    },
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
    layout: impl Fn(&Chart) -> Option<Layout> + Sync,
) -> Result<Vec<Artifact>, ChartError> {
    let pairs: Result<Vec<_>, ChartError> = CHARTS
        .par_iter()
        .filter(|chart| (chart.applies)(context, results))
        .filter_map(|chart| Some((chart, layout(chart)?)))
        .map(|(chart, layout)| {
            let scene = layout(context, results);
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
