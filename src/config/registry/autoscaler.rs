//! Settings of autoscalers.

use super::{LENGTH, TIME};
use crate::config::setting::{Default, InRun, Kind, Range, Setting};
use crate::model::AutoscalerSetting;

/// Most instances that an autoscaler may want.
const MOST: u64 = 100_000;

pub(super) fn autoscaler() -> Vec<Setting> {
    let mut settings = vec![
        Setting::new(
            "autoscaler.*.min",
            Kind::Count(1, MOST),
            Default::Is("1"),
            "Fewest instances.",
        )
        .in_run(InRun::Autoscaler(AutoscalerSetting::Min)),
        Setting::new(
            "autoscaler.*.max",
            Kind::Count(1, MOST),
            Default::Required,
            "Most instances.",
        )
        .in_run(InRun::Autoscaler(AutoscalerSetting::Max)),
        Setting::new(
            "autoscaler.*.sync_period",
            LENGTH,
            Default::Is("\"15s\""),
            "The time between two decisions.",
        ),
        Setting::new(
            "autoscaler.*.tolerance",
            Kind::Ratio(Range::from(0.0, 10.0)),
            Default::Is("\"10%\""),
            "A ratio of metric to target within 1 ± this changes nothing.",
        ),
        Setting::new(
            "autoscaler.*.ideal",
            Kind::Switch,
            Default::Is("false"),
            "Whether instances serve at once, without stabilization, tolerance or limits of speed.",
        ),
    ];
    settings.extend(targets());
    settings.extend(rules("scale_up", "4", "\"0s\""));
    settings.extend(rules("scale_down", "\"none\"", "\"5m\""));
    settings
}

/// A target is of the pool's own or, below a pool's name, of that pool's.
fn targets() -> Vec<Setting> {
    let plain = Kind::Number(Range::over(0.0, 1e12));
    let ratio = Kind::Ratio(Range::over(0.0, 1_000.0));
    let mut settings = vec![];
    for of in ["", "*."] {
        for (key, kind, sentence) in [
            ("rps", &plain, "Tries a second that an instance is to get."),
            ("in_flight", &plain, "Tries in flight that an instance is to have."),
            ("*", &ratio, "The utilization that a resource, `workers` included, is kept at."),
        ] {
            let path = format!("autoscaler.*.target.{of}{key}");
            let setting = Setting::new(path, kind.clone(), Default::Nothing, sentence);
            settings.push(setting.in_run(InRun::ScaleTarget));
        }
    }
    settings
}

fn rules(direction: &str, pods: &'static str, wait: &'static str) -> [Setting; 6] {
    let path = |key| format!("autoscaler.*.{direction}.{key}");
    [
        Setting::new(
            path("pods"),
            Kind::Count(1, MOST),
            Default::Is(pods),
            "Instances by which it may change within `pods_period`.",
        )
        .absent("none"),
        Setting::new(
            path("pods_period"),
            LENGTH,
            Default::Is("\"15s\""),
            "The time within which `pods` is the most.",
        ),
        Setting::new(
            path("percent"),
            Kind::Ratio(Range::over(0.0, 1_000.0)),
            Default::Is("\"100%\""),
            "The share of its instances by which it may change within `percent_period`.",
        )
        .absent("none"),
        Setting::new(
            path("percent_period"),
            LENGTH,
            Default::Is("\"15s\""),
            "The time within which `percent` is the most.",
        ),
        Setting::new(
            path("select"),
            Kind::Word(&["max", "min", "disabled"]),
            Default::Is("\"max\""),
            "Which of the two limits holds, or that it never changes.",
        ),
        Setting::new(
            path("stabilization"),
            TIME,
            Default::Is(wait),
            "The most cautious recommendation of this time is followed.",
        ),
    ]
}
