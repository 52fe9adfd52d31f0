//! Every request, one by one: `cargo bench --bench requests`. A row at the end only.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use zonefall::config;
use zonefall::metric;
use zonefall::model::Plane;
use zonefall::policy::Case;

fn main() {
    divan::main();
}

/// One station of ten servers at 80 %, 100,000 requests.
const STATION: &str = r#"
schema_version = 1
[simulation]
duration = "1250s"
step = "1s"
[instance.web]
workers = 10
service_time = "100ms"
speed_spread = "0%"
health_check = { kind = "shallow" }
[zone.a]
[pool.web]
zone = "a"
instance = "web"
instances = 1
demand_rps = 80
failover = {}
[policy.none]
kind = "none"
"#;

fn case(name: &str, text: &[u8], policy: &str) -> Case {
    let cases = config::load(name, text, &[]).expect("a valid topology").cases;
    let mut case = cases.into_iter().find(|case| case.policy.name == policy).expect("its policy");
    case.scenario.simulation.plane = Plane::Requests;
    case
}

fn bench(bencher: Bencher<'_, '_>, case: &Case) {
    let scenario = &case.scenario;
    let demand_rps: f64 = scenario.pools.iter().map(|pool| pool.demand.get()).sum();
    let requests = demand_rps * scenario.simulation.duration.get();
    let steps = scenario.simulation.steps();
    bencher
        .counter(ItemsCount::new(requests as u64))
        .bench(|| metric::simulate(black_box(case), steps));
}

#[divan::bench]
fn one_station(bencher: Bencher<'_, '_>) {
    bench(bencher, &case("station.toml", STATION.as_bytes(), "none"));
}

#[divan::bench]
fn lose_one_of_three(bencher: Bencher<'_, '_>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/topologies/lose-one-of-three.toml");
    let text = std::fs::read(path).expect("a shipped topology");
    bench(bencher, &case(path, &text, "unconditional"));
}
