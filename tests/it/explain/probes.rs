//! Why probes failed, in both planes.

use zonefall::cli::EXAMPLES;
use zonefall::engine::{self, LogEntry, Observer, ProbeFailure, Snapshot};
use zonefall::experiment::explain::streaks;
use zonefall::metric::simulate;
use zonefall::model::Plane;

use super::case;

#[derive(Default)]
struct Heard {
    failures: Vec<ProbeFailure>,
    log: Vec<LogEntry>,
}

impl Observer for Heard {
    fn start(&mut self, _snapshot: &Snapshot<'_>) {}
    fn happened(&mut self, entry: &LogEntry) {
        self.log.push(*entry);
    }
    fn step(&mut self, _snapshot: &Snapshot<'_>) {}
    fn wants_probes(&self) -> bool {
        true
    }
    fn probe_failed(&mut self, failure: &ProbeFailure) {
        self.failures.push(*failure);
    }
}

/// The last probe of a streak at a pool that drowns waited longer than it was given; listening
/// changes nothing; and an instance that is dead is not among them.
#[test]
fn probes_fail_by_their_wait_in_both_planes() {
    let example = EXAMPLES.iter().find(|one| one.name == "planner-agent").expect("shipped");
    for plane in [Plane::Fluid, Plane::Requests] {
        let mut case =
            case(example.text, Some("unconditional"), &["simulation.duration=4m".into()]);
        case.scenario.simulation.plane = plane;
        let mut heard = Heard::default();
        engine::run(&case, u32::MAX, &mut heard);
        assert_eq!(heard.log, simulate(&case, u32::MAX).log, "{plane:?}");
        let threshold = vec![3; case.scenario.pools.len()];
        let streaks = streaks(&heard.log, &heard.failures, &threshold);
        let name = |pool: zonefall::model::PoolId| &case.scenario.pools[pool.index()].name;
        assert!(streaks.len() >= 8, "{plane:?}: {}", streaks.len());
        for streak in &streaks {
            assert_ne!(name(streak.first.pool), "planner-a", "those instances were dead");
            assert!((streak.last.sent_s - streak.first.sent_s - 40.0).abs() < 1e-6, "{streak:?}");
            assert!(streak.last.wait_s.is_some_and(|wait_s| wait_s > 10.0), "{streak:?}");
            assert_eq!(streak.last.timeout_s, 12.0);
        }
        let mut waits: Vec<f64> = streaks.iter().filter_map(|one| one.first.wait_s).collect();
        waits.sort_by(f64::total_cmp);
        let median_s = waits[waits.len() / 2];
        println!("{plane:?}: {} streaks, first waits {median_s} s", streaks.len());
        assert!((5.0..=20.0).contains(&median_s), "{plane:?}: {median_s} s");
    }
}
