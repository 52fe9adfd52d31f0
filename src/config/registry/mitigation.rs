//! Settings of what goes with any policy: load shedding with a fallback, and the breaker.

use super::{LENGTH, TIME};
use crate::config::setting::{Default, Kind, Range, Setting};

/// Most tries that may wait for a fallback.
const MOST_DEFERRED: u64 = 1_000_000_000_000;
/// Most pools.
const MOST_POOLS: u64 = 100_000;

pub(super) fn shed() -> [Setting; 4] {
    [
        Setting::new(
            "policy.*.shed.above",
            Kind::Ratio(Range::from(0.0, 10.0)),
            Default::Nothing,
            "What would take a pool above this utilization is refused, the same share of all that \
             is sent there.",
        )
        .absent("none"),
        Setting::new(
            "policy.*.shed.fallback_rps",
            Kind::Number(Range::over(0.0, 1e12)),
            Default::Nothing,
            "What is refused is answered by a fallback of this capacity, which all pools share.",
        ),
        Setting::new(
            "policy.*.shed.fallback_latency",
            TIME,
            Default::Is("\"0s\""),
            "How long the fallback takes for an answer.",
        ),
        Setting::new(
            "policy.*.shed.fallback_queue",
            Kind::Count(0, MOST_DEFERRED),
            Default::Is("0"),
            "Tries that may wait for the fallback: their replies are deferred, and worked off at \
             `fallback_rps`.",
        )
        .absent("none"),
    ]
}

pub(super) fn breaker() -> [Setting; 7] {
    let action = Kind::Word(&["hold", "retract"]);
    [
        Setting::new(
            "policy.*.breaker.max_pools",
            Kind::Count(0, MOST_POOLS),
            Default::Nothing,
            "The breaker trips when more receivers than this turn unhealthy within `window` of a \
             shift.",
        )
        .absent("none"),
        Setting::new(
            "policy.*.breaker.window",
            LENGTH,
            Default::Is("\"5m\""),
            "How long after a shift a receiver's loss is put down to it.",
        ),
        Setting::new(
            "policy.*.breaker.max_instances_out",
            Kind::Ratio(Range::from(0.0, 1.0)),
            Default::Nothing,
            "The breaker trips when a larger share of a receiver's instances is out of rotation.",
        )
        .absent("none"),
        Setting::new(
            "policy.*.breaker.max_wait",
            TIME,
            Default::Nothing,
            "The breaker trips when a receiver's mean queue wait is longer.",
        )
        .absent("none"),
        Setting::new(
            "policy.*.breaker.by_hand_at",
            TIME,
            Default::Nothing,
            "A person trips the breaker at this time, if anything is redirected then.",
        )
        .absent("none"),
        Setting::new(
            "policy.*.breaker.action",
            action,
            Default::Is("\"retract\""),
            "What was moved stays where it is, or is taken back and shed.",
        ),
        Setting::new(
            "policy.*.breaker.retry_after",
            LENGTH,
            Default::Nothing,
            "After this time redirecting is tried again; without it, only once the shift is over.",
        )
        .absent("none"),
    ]
}

/// Named bundles of settings.
pub(super) fn bundle() -> Setting {
    Setting::new(
        "mitigation.*.set",
        Kind::Assignments,
        Default::Required,
        "Settings, by path, that hold with this mitigation: `compare --matrix` puts it on every \
         policy.",
    )
}
