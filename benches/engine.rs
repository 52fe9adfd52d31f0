//! Whole runs and their parts: `cargo bench --bench engine`.

use divan::{Bencher, black_box};
use zonefall::config;
use zonefall::metric;
use zonefall::policy::Case;
use zonefall::queueing::{Inflow, Load, Table, advance};

fn main() {
    divan::main();
}

fn cases(name: &str) -> Vec<Case> {
    let path = format!("{}/topologies/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(&path).expect("a shipped topology");
    config::load(&path, &text, &["simulation.plane=fluid".to_owned()])
        .expect("a valid topology")
        .cases
}

#[divan::bench(args = ["none", "unconditional", "rate-limited", "capacity-aware"])]
fn lose_one_of_three(bencher: Bencher<'_, '_>, policy: &str) {
    let case = cases("lose-one-of-three").into_iter().find(|case| case.policy.name == policy);
    let case = case.expect("a policy of the file");
    bencher.bench(|| metric::simulate(black_box(&case), 1));
}

#[divan::bench]
fn planner_agent_all_policies(bencher: Bencher<'_, '_>) {
    let cases = cases("planner-agent");
    bencher.bench(|| cases.iter().map(|case| metric::simulate(case, 1)).collect::<Vec<_>>());
}

#[divan::bench(args = [(10, Some(1_010)), (32, Some(1_632)), (500, None)])]
fn tabulate(bencher: Bencher<'_, '_>, (servers, limit): (u32, Option<u64>)) {
    bencher.bench(|| Table::new(black_box(servers), black_box(limit)));
}

#[divan::bench]
fn step_of_a_filling_station(bencher: Bencher<'_, '_>) {
    let table = Table::new(32, Some(1_632));
    let inflow = Inflow {
        tries_rps: 20.0,
        probes_rps: 0.05,
        probes_bypass_limit: false,
        rate: 0.5,
        dispersion: 1.0,
        choice: 0.0,
        in_common: 0.0,
    };
    let mut load = Load { mean: 28.0, variance: 28.0 };
    bencher.bench_local(|| {
        advance(&table, &mut load, black_box(&inflow), 0.5);
        if load.mean > 1_000.0 {
            load = Load { mean: 28.0, variance: 28.0 };
        }
    });
}
