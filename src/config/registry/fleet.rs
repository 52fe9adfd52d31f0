//! Settings of the run, of instances, clients and pools.

use crate::config::setting::{Default, InRun, Kind, Range, Section, Setting};
use crate::model::{ClientSetting, InstanceSetting, PoolSetting};

/// Most workers of an instance.
const MOST_WORKERS: u64 = 100_000;
/// Most instances of a pool.
const MOST_INSTANCES: u64 = 1_000_000;
/// Most requests that may wait at an instance.
const MOST_QUEUE: u64 = 1_000_000_000_000;
/// Most probes in a row.
const MOST_PROBES: u64 = 1_000;
/// A year, s.
const YEAR_S: f64 = 31_536_000.0;
/// A time that may be 0.
const TIME: Kind = Kind::Duration(Range::from(0.0, YEAR_S));
/// A time that has a length.
const LENGTH: Kind = Kind::Duration(Range::over(0.0, YEAR_S));

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
    let plane = Kind::Word(&["auto", "fluid"], &["requests"]);
    let later = |path, sentence| Setting::new(path, Kind::Later, Default::Nothing, sentence);
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
            "How instances serve: as queues in continuous numbers, or request by request.",
        ),
        later("simulation.survive_zone_losses", "Zone losses that the sizes have to survive."),
        later("simulation.survive_utilization", "Highest utilization after those losses."),
    ]
}

pub(super) fn instance() -> Vec<Setting> {
    let run = InRun::Instance;
    let mut settings = vec![
        Setting::new(
            "instance.*.workers",
            Kind::Count(1, MOST_WORKERS),
            Default::Required,
            "Requests that one instance works on at a time.",
        )
        .in_run(run(InstanceSetting::Workers)),
        Setting::new(
            "instance.*.service_time",
            LENGTH,
            Default::Required,
            "Mean service time of a request on an unloaded instance.",
        )
        .in_run(run(InstanceSetting::ServiceTime)),
        Setting::new(
            "instance.*.service_distribution",
            Kind::Word(&["exponential"], &["deterministic", "lognormal"]),
            Default::Is("\"exponential\""),
            "How service times vary.",
        ),
        Setting::new(
            "instance.*.queue_limit",
            Kind::Count(0, MOST_QUEUE),
            Default::Nothing,
            "Requests that may wait at one instance; unbounded without it.",
        )
        .absent("none")
        .in_run(run(InstanceSetting::QueueLimit)),
        Setting::new(
            "instance.*.speed_spread",
            Kind::Ratio(Range::from(0.0, 0.99)),
            Default::Is("\"5%\""),
            "Instances' speeds are evenly spaced over 1 ± this.",
        ),
        Setting::new(
            "instance.*.max_wait",
            TIME,
            Default::Nothing,
            "A try whose expected wait in the queue would exceed this is rejected.",
        )
        .absent("none")
        .in_run(run(InstanceSetting::MaxWait)),
    ];
    settings.extend(instance_times());
    let later = |path, sentence| Setting::new(path, Kind::Later, Default::Nothing, sentence);
    settings.extend([
        later("instance.*.service_cv", "Coefficient of variation of lognormal service times."),
        later("instance.*.resource", "Resources that a request consumes or holds."),
        later("instance.*.workers_held_during_calls", "Whether calls keep a worker busy."),
    ]);
    settings.extend(health_check());
    settings
}

fn instance_times() -> Vec<Setting> {
    let run = InRun::Instance;
    vec![
        Setting::new(
            "instance.*.startup_time",
            TIME,
            Default::Is("\"60s\""),
            "From the launch of an instance until its process is up.",
        )
        .in_run(run(InstanceSetting::StartupTime)),
        Setting::new(
            "instance.*.restart_time",
            TIME,
            Default::Is("\"60s\""),
            "From a kill by the health check until the process is up again.",
        )
        .in_run(run(InstanceSetting::RestartTime)),
        Setting::new(
            "instance.*.warm_up",
            TIME,
            Default::Is("\"0s\""),
            "A new or restarted instance's speed ramps up over this time.",
        )
        .in_run(run(InstanceSetting::WarmUp)),
        Setting::new(
            "instance.*.slow_start",
            TIME,
            Default::Is("\"0s\""),
            "The share of traffic of an instance that enters rotation ramps up over this time.",
        )
        .in_run(run(InstanceSetting::SlowStart)),
        Setting::new(
            "instance.*.redirect_cost",
            Kind::Number(Range::from(1.0, 1000.0)),
            Default::Is("1"),
            "A redirected try costs that many times the work of one at home.",
        )
        .in_run(run(InstanceSetting::RedirectCost)),
    ]
}

fn health_check() -> Vec<Setting> {
    let run = InRun::Instance;
    vec![
        Setting::new(
            "instance.*.health_check.kind",
            Kind::Word(&["deep", "shallow"], &[]),
            Default::Is("\"deep\""),
            "A deep probe is one request's work and waits in the queue; a shallow one only asks \
             whether the process is up.",
        ),
        Setting::new(
            "instance.*.health_check.interval",
            LENGTH,
            Default::Is("\"10s\""),
            "The time between two probes of one instance.",
        ),
        Setting::new(
            "instance.*.health_check.timeout",
            LENGTH,
            Default::Derived("5s, or the interval when that is shorter"),
            "A probe that takes longer has failed; at most the interval.",
        )
        .in_run(run(InstanceSetting::ProbeTimeout)),
        Setting::new(
            "instance.*.health_check.unhealthy_threshold",
            Kind::Count(1, MOST_PROBES),
            Default::Is("3"),
            "Failures in a row that take an instance out of rotation.",
        )
        .in_run(run(InstanceSetting::UnhealthyThreshold)),
        Setting::new(
            "instance.*.health_check.healthy_threshold",
            Kind::Count(1, MOST_PROBES),
            Default::Is("2"),
            "Successes in a row that bring it back.",
        )
        .in_run(run(InstanceSetting::HealthyThreshold)),
        Setting::new(
            "instance.*.health_check.on_unhealthy",
            Kind::Word(&["eject", "restart", "remove"], &[]),
            Default::Is("\"eject\""),
            "What becomes of an unhealthy instance: only its traffic stops, it is killed and \
             comes back, or it never comes back.",
        ),
        Setting::new(
            "instance.*.health_check.phase",
            TIME,
            Default::Is("\"random\""),
            "When the first probe is sent, the same for all; drawn from the seed when random.",
        )
        .absent("random"),
        Setting::new(
            "instance.*.health_check.max_out_of_rotation",
            Kind::Later,
            Default::Nothing,
            "The most instances that the health check may take out of rotation.",
        ),
    ]
}

pub(super) fn client() -> Vec<Setting> {
    vec![
        Setting::new(
            "client.*.timeout",
            LENGTH,
            Default::Nothing,
            "After this an answer is late; without it every answer is in time.",
        )
        .absent("none")
        .in_run(InRun::Client(ClientSetting::Timeout)),
        Setting::new(
            "client.*.cancel",
            Kind::Only(false),
            Default::Is("false"),
            "Whether giving up frees the server.",
        ),
        Setting::new(
            "client.*.retry",
            Kind::Later,
            Default::Nothing,
            "How failed tries are tried again.",
        ),
    ]
}

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
            Kind::Word(&["random", "round-robin", "least-request"], &[]),
            Default::Is("\"random\""),
            "How its traffic is spread over its instances in rotation.",
        ),
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
            "Spare capacity at home load, which fixes the demand.",
        )
        .in_run(InRun::Headroom)
        .instead_of(&["demand_rps"]),
        Setting::new(
            "pool.*.headroom_of",
            Kind::Word(&["load", "capacity"], &[]),
            Default::Nothing,
            "What headroom is a share of: load (capacity ÷ load − 1) or capacity \
             (1 − load ÷ capacity).",
        )
        .instead_of(&["demand_rps"]),
        Setting::new(
            "pool.*.demand_rps",
            Kind::Number(Range::from(0.0, 1e12)),
            Default::Nothing,
            "First tries a second at home.",
        )
        .in_run(InRun::Pool(PoolSetting::Demand))
        .instead_of(&["headroom", "headroom_of"]),
    ]
}

fn pool_edges() -> [Setting; 6] {
    let later = |path, sentence| Setting::new(path, Kind::Later, Default::Nothing, sentence);
    [
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
        later("pool.*.autoscaler", "The autoscaler that sizes it."),
        later("pool.*.calls", "The pools that a request here calls."),
        later("pool.*.call_mode", "Whether calls are made one after the other or together."),
        later("pool.*.arrivals", "How first tries are spread in time."),
    ]
}
