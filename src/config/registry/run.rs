//! Settings of the file as a whole, of the run, and of measuring windows.

use super::{LENGTH, TIME};
use crate::config::setting::{Default, Kind, Range, Setting};

/// Most zones that can be lost: one less than a file can have.
const MOST_ZONE_LOSSES: u64 = 9_999;

/// What the file as a whole says.
pub(super) fn root() -> Vec<Setting> {
    vec![
        Setting::new(
            "schema_version",
            Kind::Count(1, 1),
            Default::Required,
            "The version of the file format; 1.",
        ),
        Setting::new(
            "name",
            Kind::Text,
            Default::Derived("the file's name"),
            "What the scenario is called, in titles and as the name of the output folder.",
        ),
    ]
}

pub(super) fn simulation() -> Vec<Setting> {
    let plane = Kind::Word(&["auto", "fluid", "requests"]);
    vec![
        Setting::new(
            "simulation.duration",
            LENGTH,
            Default::Is("\"10m\""),
            "How long the run lasts; rounded up to a whole number of steps.",
        ),
        Setting::new(
            "simulation.step",
            LENGTH,
            Default::Is("\"500ms\""),
            "The length of one step: control acts at its boundaries.",
        ),
        Setting::new(
            "simulation.seed",
            Kind::Count(0, i64::MAX as u64),
            Default::Is("1"),
            "The seed that every random stream derives from.",
        ),
        Setting::new(
            "simulation.plane",
            plane,
            Default::Is("\"auto\""),
            "How instances serve: as queues in continuous numbers, or request by request; auto is \
             the latter for up to 20 million first tries in all.",
        ),
        Setting::new(
            "simulation.survive_zone_losses",
            Kind::Count(0, MOST_ZONE_LOSSES),
            Default::Is("0"),
            "Zone losses to survive: instances are raised, with demand as the file gives it, until \
             none is above survive_utilization after any so many.",
        ),
        Setting::new(
            "simulation.survive_utilization",
            Kind::Ratio(Range::over(0.0, 1.0)),
            Default::Is("\"85%\""),
            "Highest utilization of the slowest instance after those losses, as unconditional \
             splits the traffic, its own probes included.",
        ),
        Setting::new(
            "simulation.alerts",
            Kind::Word(&["default", "published", "none"]),
            Default::Is("\"default\""),
            "The alerts of a file that describes none: with thresholds that suit the examples, or \
             those that were published; none switches off all.",
        ),
    ]
}

pub(super) fn phase() -> Vec<Setting> {
    vec![
        Setting::new("phase.*.from", TIME, Default::Required, "Where the measuring window begins."),
        Setting::new(
            "phase.*.until",
            LENGTH,
            Default::Required,
            "Where it ends: after its beginning, within the run.",
        ),
    ]
}
