//! Settings of pools.

use super::MOST_INSTANCES;
use super::client::arrivals;
use crate::config::setting::{Default, InRun, Kind, Range, Section, Setting};
use crate::model::PoolSetting;

pub(super) fn pool() -> Vec<Setting> {
    let threshold = InRun::Pool(PoolSetting::FailoverThreshold);
    let panic = InRun::Pool(PoolSetting::PanicThreshold);
    let name = |path, section, default, sentence| {
        Setting::new(path, Kind::Name(section), default, sentence)
    };
    let mut settings = vec![
        name("pool.*.zone", Section::Zone, Default::Nothing, "The zone it is in.")
            .instead_of(&["zones"]),
        Setting::new(
            "pool.*.zones",
            Kind::Names(Section::Zone),
            Default::Nothing,
            "A pool in each of these zones, named and set as NAME-ZONE.",
        )
        .instead_of(&["zone"]),
        name("pool.*.instance", Section::Instance, Default::Required, "What its instances are."),
        Setting::new(
            "pool.*.service",
            Kind::Text,
            Default::Derived("the instance kind's name"),
            "The service it serves: pools of one service in other zones can stand in for it.",
        ),
        name(
            "pool.*.client",
            Section::Client,
            Default::Is("\"default\""),
            "How those who call it behave.",
        ),
        Setting::new(
            "pool.*.instances",
            Kind::Count(1, MOST_INSTANCES),
            Default::Required,
            "Instances at the start.",
        ),
        Setting::new(
            "pool.*.failover_threshold",
            Kind::Ratio(Range::over(0.0, 1.0)),
            Default::Is("\"50%\""),
            "Below this share of its instances in rotation the pool is unhealthy.",
        )
        .in_run(threshold),
        Setting::new(
            "pool.*.panic_threshold",
            Kind::Ratio(Range::from(0.0, 1.0)),
            Default::Is("\"0%\""),
            "Below this share in rotation its traffic goes to all its instances, up or not.",
        )
        .in_run(panic),
        Setting::new(
            "pool.*.balancing",
            Kind::Word(&["random", "round-robin", "least-request"]),
            Default::Is("\"random\""),
            "How its traffic is spread over its instances in rotation.",
        )
        .silences("random", &["choices"])
        .silences("round-robin", &["choices"]),
        Setting::new(
            "pool.*.choices",
            Kind::Count(2, MOST_INSTANCES),
            Default::Is("2"),
            "Instances that least-request balancing compares, drawn at random; or all.",
        )
        .absent("all"),
    ];
    settings.extend(pool_demand());
    settings.extend(pool_edges());
    settings
}

fn pool_demand() -> [Setting; 3] {
    [
        Setting::new(
            "pool.*.headroom",
            Kind::Ratio(Range::from(0.0, 10.0)),
            Default::Nothing,
            "Spare capacity at home load, which fixes the demand; of a pool that makes calls, at \
             unloaded latencies.",
        )
        .in_run(InRun::Headroom)
        .instead_of(&["demand_rps"]),
        Setting::new(
            "pool.*.headroom_of",
            Kind::Word(&["load", "capacity"]),
            Default::Nothing,
            "What headroom is a share of: load (capacity ÷ load − 1) or capacity \
             (1 − load ÷ capacity).",
        )
        .instead_of(&["demand_rps"]),
        Setting::new(
            "pool.*.demand_rps",
            Kind::Number(Range::from(0.0, 1e12)),
            Default::Nothing,
            "First tries a second at home, beside what sources and pools that call it send.",
        )
        .in_run(InRun::Pool(PoolSetting::Demand))
        .instead_of(&["headroom", "headroom_of"]),
    ]
}

fn pool_edges() -> Vec<Setting> {
    let mut settings = vec![
        Setting::new(
            "pool.*.failover.*.weight",
            Kind::Number(Range::over(0.0, 1e9)),
            Default::Is("1"),
            "Its share of the redirected traffic among targets of one priority.",
        ),
        Setting::new(
            "pool.*.failover.*.priority",
            Kind::Count(0, 1_000_000),
            Default::Is("0"),
            "Lower is tried first.",
        ),
        Setting::new(
            "pool.*.calls.*.per_request",
            Kind::Number(Range::over(0.0, 1_000.0)),
            Default::Is("1"),
            "Calls that a request here makes to that pool, or, of a pool in several zones, to \
             the one in the caller's own.",
        ),
        Setting::new(
            "pool.*.calls.*.client",
            Kind::Name(Section::Client),
            Default::Is("\"default\""),
            "How it behaves as their caller.",
        ),
        Setting::new(
            "pool.*.call_mode",
            Kind::Word(&["sequence", "parallel"]),
            Default::Is("\"sequence\""),
            "Whether a request makes its calls one after the other or all at once.",
        ),
        Setting::new(
            "pool.*.autoscaler",
            Kind::Name(Section::Autoscaler),
            Default::Nothing,
            "The autoscaler that sizes it in a run.",
        )
        .absent("none"),
    ];
    settings.extend(arrivals("pool"));
    settings
}
