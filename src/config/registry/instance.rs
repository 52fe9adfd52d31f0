//! Settings of instances.

use super::{LENGTH, TIME};
use crate::config::setting::{Default, InRun, Kind, Range, Setting};
use crate::model::InstanceSetting;

/// Most workers of an instance.
const MOST_WORKERS: u64 = 100_000;
/// Most requests that may wait at an instance.
const MOST_QUEUE: u64 = 1_000_000_000_000;
/// Most probes in a row.
const MOST_PROBES: u64 = 1_000;
/// Most units of a resource.
const MOST_UNITS: f64 = 1e12;

pub(super) fn instance() -> Vec<Setting> {
    let run = InRun::Instance;
    let mut settings = vec![
        Setting::new(
            "instance.*.workers",
            Kind::Count(1, MOST_WORKERS),
            Default::Nothing,
            "Requests that one instance works on at a time; any number without it.",
        )
        .absent("none")
        .in_run(run(InstanceSetting::Workers)),
        Setting::new(
            "instance.*.service_time",
            TIME,
            Default::Required,
            "Mean service time of a request on an unloaded instance; 0s only where it has no \
             workers, or all its pools make calls.",
        )
        .in_run(run(InstanceSetting::ServiceTime)),
        Setting::new(
            "instance.*.service_distribution",
            Kind::Word(&["exponential", "deterministic", "lognormal"]),
            Default::Is("\"exponential\""),
            "How service times vary.",
        )
        .silences("exponential", &["service_cv"])
        .silences("deterministic", &["service_cv"]),
        Setting::new(
            "instance.*.service_cv",
            Kind::Number(Range::over(0.0, 100.0)),
            Default::Nothing,
            "Coefficient of variation of lognormal service times, and only of those.",
        ),
        Setting::new(
            "instance.*.workers_held_during_calls",
            Kind::Switch,
            Default::Is("false"),
            "Whether a request keeps its worker while it waits for the pools that it calls.",
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
    settings.extend(resource());
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
            "From a kill by the health check, or a crash, until the process is up again.",
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
            Kind::Word(&["deep", "shallow"]),
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
            Kind::Word(&["eject", "restart", "remove"]),
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
            Kind::Ratio(Range::from(0.0, 1.0)),
            Default::Is("\"100%\""),
            "The health check takes no instance out of rotation, nor restarts or removes it, while \
             that would leave a larger share of its pool than this out; what has to stay goes at \
             its next failed probe once there is room.",
        ),
    ]
}

fn resource() -> [Setting; 5] {
    let units = Kind::Number(Range::over(0.0, MOST_UNITS));
    [
        Setting::new(
            "instance.*.resource.*.limit",
            units.clone(),
            Default::Required,
            "What one instance has of it.",
        )
        .in_run(InRun::ResourceLimit),
        Setting::new(
            "instance.*.resource.*.per_request",
            Kind::Work(Range::over(0.0, MOST_UNITS)),
            Default::Derived("1 for `rate`"),
            "What a request uses up, against the limit in units a second; of cores, a time.",
        )
        .instead_of(&["held", "base", "when_full"]),
        Setting::new(
            "instance.*.resource.*.held",
            units,
            Default::Derived("1 for `slots` and `connections`"),
            "What a request holds while it is in flight, calls included.",
        )
        .instead_of(&["per_request"]),
        Setting::new(
            "instance.*.resource.*.base",
            Kind::Number(Range::from(0.0, MOST_UNITS)),
            Default::Is("0"),
            "What is always taken; below the limit.",
        )
        .instead_of(&["per_request"]),
        Setting::new(
            "instance.*.resource.*.when_full",
            Kind::Word(&["reject", "queue", "crash"]),
            Default::Is("\"queue\""),
            "What becomes of a request that finds no room: it is rejected, it waits, or it kills \
             the instance, which is back after `restart_time`.",
        )
        .instead_of(&["per_request"]),
    ]
}
