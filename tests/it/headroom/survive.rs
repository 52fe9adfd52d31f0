//! `survive_zone_losses`: instances are raised until losses are survived.

use rayon::prelude::*;

use zonefall::config::load;
use zonefall::engine::Happening;
use zonefall::metric::simulate;
use zonefall::model::{PoolId, ProbeKind, Scenario};

use super::{loaded, scenario, shipped};

const ONE: &str = "simulation.survive_zone_losses=1";

/// The share of its capacity that the slowest instance of a pool works at, by pool, after the loss
/// of zones: pools without failover edges of their own only.
fn slowest_loads(scenario: &Scenario, lost: &[usize]) -> Vec<f64> {
    let is_lost = |pool: usize| lost.contains(&scenario.pools[pool].zone.index());
    let pools = 0..scenario.pools.len();
    let left: Vec<usize> = pools.clone().filter(|pool| !is_lost(*pool)).collect();
    let mut load: Vec<f64> = scenario.pools.iter().map(|pool| pool.demand.get()).collect();
    for home in pools.filter(|pool| is_lost(*pool)) {
        for target in &left {
            load[*target] += load[home] / left.len() as f64;
        }
        load[home] = 0.0;
    }
    let slowest = left.iter().map(|pool| {
        let of_file = &scenario.pools[*pool];
        let kind = &scenario.kinds[of_file.kind.index()];
        let probes = match kind.health_check.kind {
            ProbeKind::Deep => 1.0 / kind.health_check.interval.get(),
            ProbeKind::Shallow => 0.0,
        };
        let capacity = scenario.instance_capacity_rps(PoolId::from_index(*pool));
        let speed = 1.0 - kind.speed_spread.get();
        (load[*pool] / f64::from(of_file.instances) + probes) / (capacity * speed)
    });
    slowest.collect()
}

fn highest(scenario: &Scenario, losses: usize) -> f64 {
    let zones = scenario.zones.len();
    let sets = (1..1_usize << zones).filter(|set| set.count_ones() as usize <= losses);
    let members = |set: usize| (0..zones).filter(|zone| set & (1 << zone) != 0).collect::<Vec<_>>();
    sets.flat_map(|set| slowest_loads(scenario, &members(set))).fold(0.0, f64::max)
}

#[test]
fn no_instance_is_over_the_ceiling_after_any_loss() {
    let text = shipped("planner-agent");
    let before = scenario(&text, &[]);
    for (losses, ceiling) in [(1, 0.85), (1, 1.0), (2, 0.85), (2, 0.6)] {
        let sets = [
            format!("simulation.survive_zone_losses={losses}"),
            format!("simulation.survive_utilization={ceiling}"),
        ];
        let after = scenario(&text, &sets.each_ref().map(String::as_str));
        let full = highest(&after, losses);
        assert!(full <= ceiling + 1e-9, "{losses} {ceiling}: {full}");
        for (pool, (before, after_pool)) in before.pools.iter().zip(&after.pools).enumerate() {
            assert_eq!(before.demand, after_pool.demand);
            assert!(after_pool.instances > before.instances);
            // One less is not enough.
            let mut less = after.clone();
            less.pools[pool].instances -= 1;
            assert!(highest(&less, losses) > ceiling, "{losses} {ceiling} {pool}");
        }
    }
}

#[test]
fn what_is_there_is_never_lowered() {
    let text = shipped("planner-agent");
    let sets = ["pool.planner-a.demand_rps=1", "pool.planner-b.demand_rps=1"];
    let sets = [&sets[..], &["pool.planner-c.demand_rps=1", ONE]].concat();
    assert!(scenario(&text, &sets).pools.iter().all(|pool| pool.instances == 12));
}

#[test]
fn planner_agent_sized_to_survive_loses_no_further_pool() {
    let text = shipped("planner-agent");
    let lost: Vec<usize> = (1..=20_u64)
        .into_par_iter()
        .map(|seed| {
            let seed = format!("simulation.seed={seed}");
            let loaded = loaded(&text, &[ONE, "simulation.plane=fluid", &seed]);
            let case = loaded.cases.into_iter().find(|case| case.policy.name == "unconditional");
            let log = simulate(&case.expect("the policy"), 20).log;
            log.iter().filter(|e| matches!(e.what, Happening::PoolUnhealthy { .. })).count()
        })
        .collect();
    assert_eq!(lost, [1; 20], "pools lost by seed: a's only");
}

#[test]
fn a_resolved_file_survives_the_same() {
    let text = shipped("planner-agent");
    for sets in [&[][..], &[ONE], &[ONE, "simulation.survive_utilization=90%"]] {
        let first = loaded(&text, sets);
        let again = loaded(&first.resolved, &[]);
        assert_eq!(first.fingerprint_text, again.fingerprint_text);
        assert_eq!(first.resolved, again.resolved);
        let sizes = |scenario: &Scenario| {
            let pools = scenario.pools.iter();
            pools.map(|pool| (pool.instances, pool.demand)).collect::<Vec<_>>()
        };
        assert_eq!(sizes(&first.scenario), sizes(&again.scenario));
        assert_eq!(first.resolved.contains("survive_utilization"), !sets.is_empty());
    }
    let sized = loaded(&text, &[ONE]);
    assert_ne!(sized.fingerprint_text, loaded(&text, &[]).fingerprint_text);
    assert!(sized.resolved.contains("survive_zone_losses = 1\nsurvive_utilization = \"85%\"\n"));
}

/// What is said of a file under overrides, as `id: title; help`.
#[track_caller]
fn problem(text: &str, sets: &[&str]) -> String {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    match load("test.toml", text.as_bytes(), &sets) {
        Ok(_) => panic!("accepted: {sets:?}"),
        Err(rejected) => {
            let problems = rejected.problems.iter();
            let said = problems.map(|p| format!("{}: {}; {}", p.id, p.title, p.help.join("; ")));
            said.collect::<Vec<_>>().join("\n")
        }
    }
}

#[test]
fn what_cannot_be_is_an_error_that_says_why() {
    let text = shipped("planner-agent");
    let said = problem(&text, &["simulation.survive_zone_losses=3"]);
    assert_eq!(
        said,
        "loses-every-zone: no fleet survives the loss of all its 3 zones; `survive_zone_losses` \
         can be 2 at most"
    );
    let probes = ["instance.planner.health_check.interval=50ms"];
    let probes = [&probes[..], &["instance.planner.health_check.timeout=50ms", ONE]].concat();
    assert!(problem(&text, &probes).starts_with("probes-take-all: no number of instances of pool"));
    let autoscaled = shipped("planner-agent-autoscaled");
    let said = problem(&autoscaled, &[ONE, "autoscaler.planner.max=13"]);
    assert!(said.contains("max-below-instances: pool `planner-a` takes 20 instances"), "{said}");
    assert!(said.contains("`max` is 13: make it 20 or more"), "{said}");
    assert!(problem(&text, &[ONE, "pool.*.demand_rps=1e9"]).starts_with("too-many-instances: "));
    let zones: String = (0..60).map(|zone| format!("[zone.z{zone}]\n")).collect();
    let said = problem(&(text + &zones), &["simulation.survive_zone_losses=5"]);
    assert!(said.starts_with("too-many-losses: 5 of 63 zones can be lost in 7"), "{said}");
}

#[test]
fn a_policy_sets_routing_not_sizes() {
    let set = "set = { \"simulation.survive_zone_losses\" = 1 }\n";
    let text =
        shipped("planner-agent").replace("kind = \"none\"\n", &format!("kind = \"none\"\n{set}"));
    assert!(problem(&text, &[]).starts_with("not-in-policy: "));
}

#[test]
fn a_ceiling_without_losses_is_odd() {
    let loaded = loaded(&shipped("planner-agent"), &["simulation.survive_utilization=70%"]);
    assert!(loaded.warnings.iter().any(|warning| warning.id == "means-nothing"));
    assert_eq!(loaded.scenario.pools[0].instances, 12);
}
