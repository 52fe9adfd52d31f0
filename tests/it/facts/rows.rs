//! The reference table: what an independent simulation, request by request, says of each policy.

use super::fleet::{Run, over_seeds, shipped};

/// What becomes of the pools that no event hits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    /// None of their instances ever leaves rotation.
    Untouched,
    /// None is lost.
    Kept,
    /// All are lost, and at last nothing is in rotation anywhere, after so long (0: not known).
    Gone { nothing_left_s: f64 },
    /// All are lost, come back and are lost again: so many losses in all.
    Flapping { losses: f64 },
}

/// One row.
pub struct Row {
    pub label: &'static str,
    pub policy: &'static str,
    pub sets: &'static [&'static str],
    /// Mean over its seeds, points.
    pub goodput: f64,
    /// Standard deviation over its seeds, points; 0 where it was not noted.
    pub deviation: f64,
    pub fate: Fate,
}

const fn row(
    label: &'static str,
    policy: &'static str,
    sets: &'static [&'static str],
    goodput: f64,
    deviation: f64,
    fate: Fate,
) -> Row {
    Row { label, policy, sets, goodput, deviation, fate }
}

/// Seeds of the reference rows of `planner-agent`.
pub const PLANNER_SEEDS: f64 = 15.0;
/// Seeds of the reference rows of `lose-one-of-three`.
pub const WEB_SEEDS: f64 = 12.0;
/// Pools of `planner-agent` that no event hits.
pub const PLANNER_SURVIVORS: [&str; 2] = ["planner-b", "planner-c"];
/// Pools of `lose-one-of-three` that no event hits.
pub const WEB_SURVIVORS: [&str; 2] = ["web-b", "web-c"];

const ROUND_ROBIN: &[&str] = &["pool.*.balancing=round-robin"];
const RESTART_60: &[&str] =
    &["instance.planner.health_check.on_unhealthy=restart", "instance.planner.restart_time=60s"];
const RESTART_120: &[&str] =
    &["instance.planner.health_check.on_unhealthy=restart", "instance.planner.restart_time=120s"];
const RESTART_180: &[&str] =
    &["instance.planner.health_check.on_unhealthy=restart", "instance.planner.restart_time=180s"];
const EJECT: &[&str] = &["instance.planner.health_check.on_unhealthy=eject"];
const IDENTICAL_40: &[&str] = &["pool.*.headroom=40%", "instance.planner.speed_spread=0%"];
const GONE: Fate = Fate::Gone { nothing_left_s: 0.0 };

/// `topologies/planner-agent.toml`, ten minutes from the trigger.
pub const PLANNER: &[Row] = &[
    row("none", "none", &[], 68.0, 0.1, Fate::Untouched),
    row("unconditional", "unconditional", &[], 23.7, 0.4, Fate::Gone { nothing_left_s: 197.0 }),
    row("unconditional, round-robin", "unconditional", ROUND_ROBIN, 24.1, 0.6, GONE),
    row(
        "rate-limited, ramp 120 s",
        "rate-limited",
        &["policy.rate-limited.ramp=120s"],
        32.2,
        0.7,
        Fate::Gone { nothing_left_s: 279.0 },
    ),
    row(
        "rate-limited, ramp 300 s",
        "rate-limited",
        &[],
        41.9,
        1.2,
        Fate::Gone { nothing_left_s: 379.0 },
    ),
    row(
        "rate-limited, ramp 600 s",
        "rate-limited",
        &["policy.rate-limited.ramp=600s"],
        55.1,
        1.5,
        Fate::Gone { nothing_left_s: 503.0 },
    ),
    row(
        "capacity-aware 0.80",
        "capacity-aware",
        &["policy.capacity-aware.max_utilization=80%"],
        63.1,
        0.1,
        Fate::Untouched,
    ),
    row(
        "capacity-aware 0.85",
        "capacity-aware",
        &["policy.capacity-aware.max_utilization=85%"],
        66.6,
        0.1,
        Fate::Untouched,
    ),
    row("capacity-aware 0.90", "capacity-aware", &[], 70.0, 0.1, Fate::Untouched),
    row("admission, max_wait 1 s", "with-admission", &[], 76.4, 0.2, Fate::Untouched),
    row(
        "admission, max_wait 6 s",
        "unconditional",
        &["instance.planner.max_wait=6s"],
        76.5,
        0.2,
        Fate::Untouched,
    ),
    row("headroom 40 %", "unconditional", &["pool.*.headroom=40%"], 39.0, 1.6, GONE),
    row("headroom 65 %", "unconditional", &["pool.*.headroom=65%"], 96.9, 0.0, Fate::Kept),
    row("headroom 80 %", "unconditional", &["pool.*.headroom=80%"], 97.0, 0.0, Fate::Kept),
    row("headroom 40 %, identical", "unconditional", IDENTICAL_40, 40.0, 1.4, GONE),
    row("restart after 60 s", "unconditional", RESTART_60, 37.9, 0.6, FLAPPING[0]),
    row("restart after 120 s", "unconditional", RESTART_120, 33.7, 0.6, FLAPPING[1]),
    row("restart after 180 s", "unconditional", RESTART_180, 29.9, 0.6, FLAPPING[2]),
    row("eject", "unconditional", EJECT, 36.1, 0.8, FLAPPING[3]),
    // The reference gives one range for these four, 23.5 to 24.0.
    row("breaker, over 0 pools, retract", "unconditional", OVER_0_RETRACT, 23.75, 0.4, GONE),
    row("breaker, over 1 pool, retract", "unconditional", OVER_1_RETRACT, 23.75, 0.4, GONE),
    row("breaker, over 0 pools, hold", "unconditional", OVER_0_HOLD, 23.75, 0.4, GONE),
    row("breaker, over 1 pool, hold", "unconditional", OVER_1_HOLD, 23.75, 0.4, GONE),
    row("breaker, first instance, retract", "unconditional", FIRST_OUT, 24.4, 0.4, GONE),
    row("breaker, wait over 2 s, retract", "unconditional", WAIT_2, 68.3, 0.1, Fate::Kept),
    row("breaker, wait over 4 s, retract", "unconditional", WAIT_4, 68.6, 0.1, Fate::Kept),
    row("breaker, wait over 4 s, hold", "unconditional", WAIT_4_HOLD, 23.8, 0.4, GONE),
];

const OVER_0_RETRACT: &[&str] = &["policy.unconditional.breaker.max_pools=0"];
const OVER_1_RETRACT: &[&str] = &["policy.unconditional.breaker.max_pools=1"];
const OVER_0_HOLD: &[&str] =
    &["policy.unconditional.breaker.max_pools=0", "policy.unconditional.breaker.action=hold"];
const OVER_1_HOLD: &[&str] =
    &["policy.unconditional.breaker.max_pools=1", "policy.unconditional.breaker.action=hold"];
const FIRST_OUT: &[&str] = &["policy.unconditional.breaker.max_instances_out=0"];
const WAIT_2: &[&str] = &["policy.unconditional.breaker.max_wait=2s"];
const WAIT_4: &[&str] = &["policy.unconditional.breaker.max_wait=4s"];
const WAIT_4_HOLD: &[&str] =
    &["policy.unconditional.breaker.max_wait=4s", "policy.unconditional.breaker.action=hold"];

const FLAPPING: [Fate; 4] = [
    Fate::Flapping { losses: 6.0 },
    Fate::Flapping { losses: 5.0 },
    Fate::Flapping { losses: 4.0 },
    Fate::Flapping { losses: 7.0 },
];

/// `topologies/lose-one-of-three.toml`.
pub const WEB: &[Row] = &[
    row("840 rps, none", "none", &[], 66.7, 0.1, Fate::Untouched),
    row("840 rps, unconditional", "unconditional", &[], 82.2, 0.6, FLAPPING_30),
    row("840 rps, rate-limited 60 s", "rate-limited", &[], 83.2, 0.9, FLAPPING_UNCOUNTED),
    row("840 rps, capacity-aware 0.90", "capacity-aware", &[], 85.1, 0.1, Fate::Kept),
    row(
        "720 rps, unconditional",
        "unconditional",
        &["pool.*.demand_rps=240"],
        99.1,
        0.1,
        Fate::Kept,
    ),
    row(
        "720 rps, capacity-aware 0.90",
        "capacity-aware",
        &["pool.*.demand_rps=240"],
        99.1,
        0.1,
        Fate::Kept,
    ),
];

/// About fifteen losses each.
const FLAPPING_30: Fate = Fate::Flapping { losses: 30.0 };
const FLAPPING_UNCOUNTED: Fate = Fate::Flapping { losses: 0.0 };

/// Runs of a row of [`PLANNER`], under the override that names a plane.
pub fn planner_runs(row: &Row, plane: &str, seeds: u64) -> Vec<Run> {
    let sets = [&[plane], row.sets].concat();
    over_seeds(&shipped("planner-agent"), row.policy, &sets, seeds, 20)
}

/// Runs of a row of [`WEB`], under the override that names a plane.
pub fn web_runs(row: &Row, plane: &str, seeds: u64) -> Vec<Run> {
    let sets = [&[plane], row.sets].concat();
    over_seeds(&shipped("lose-one-of-three"), row.policy, &sets, seeds, 20)
}

/// Did a run end as the fate says? Counts and times are not compared.
pub fn shares_fate(run: &Run, fate: Fate, survivors: &[&str]) -> bool {
    let losses = |name: &&str| run.lost_at(name).len();
    let is_gone = run.result.summary.time_to_nothing_in_rotation_s.is_some();
    match fate {
        Fate::Untouched => survivors.iter().all(|name| run.out_at(name).is_empty()),
        Fate::Kept => survivors.iter().all(|name| losses(name) == 0),
        Fate::Gone { .. } => survivors.iter().all(|name| losses(name) > 0) && is_gone,
        Fate::Flapping { .. } => {
            let lost: Vec<usize> = survivors.iter().map(losses).collect();
            lost.iter().all(|times| *times > 0) && lost.iter().sum::<usize>() > survivors.len()
        }
    }
}

/// How often the survivors were lost, in all.
pub fn survivor_losses(run: &Run, survivors: &[&str]) -> f64 {
    survivors.iter().map(|name| run.lost_at(name).len()).sum::<usize>() as f64
}
