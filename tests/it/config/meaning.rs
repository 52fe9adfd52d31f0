//! What an accepted file means.

use std::fmt::Write;
use std::fs;

use zonefall::config::{Loaded, settings};
use zonefall::model::{Action, Balancing, Change, PoolSetting, Scenario};

use super::{accepted, cases, file_name, files, load_file};

const SMALL: &str = r#"
schema_version = 1
[instance.web]
workers = 10
service_time = "100ms"
queue_limit = 1000
[zone.b]
[zone.a]
[pool.web]
zones = ["b", "a"]
instance = "web"
instances = 4
headroom = "40%"
headroom_of = "load"
"#;

fn scenario(loaded: &Loaded) -> &Scenario {
    &loaded.cases[0].scenario
}

fn names(loaded: &Loaded) -> Vec<&str> {
    scenario(loaded).pools.iter().map(|pool| pool.name.as_str()).collect()
}

#[test]
fn a_file_without_policies_has_the_four_kinds() {
    let loaded = accepted("dir/Small File.toml", SMALL, &[]);
    let policies: Vec<_> =
        loaded.cases.iter().map(|case| (case.policy.name.as_str(), &case.policy.values)).collect();
    assert_eq!(
        policies,
        [
            ("none", &vec![]),
            ("unconditional", &vec![]),
            ("rate-limited", &vec![Some(300.0), None]),
            ("capacity-aware", &vec![Some(0.85)]),
        ]
    );
    assert_eq!(loaded.name, "small-file");
}

#[test]
fn a_pool_in_several_zones_is_one_in_each_and_rows_keep_the_order() {
    let loaded = accepted("x.toml", SMALL, &[]);
    assert_eq!(names(&loaded), ["web-a", "web-b"]);
    let scenario = scenario(&loaded);
    assert_eq!(scenario.pool_rows.iter().map(|id| id.index()).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(scenario.zone_rows.iter().map(|id| id.index()).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(scenario.services, ["web"]);
    assert_eq!(scenario.clients.len(), 1);
    assert_eq!(scenario.clients[0].timeout, None);
    assert_eq!(scenario.kinds[0].health_check.timeout.get(), 5.0);
    assert_eq!(scenario.simulation.steps(), 1200);
}

#[test]
fn headroom_of_load_and_of_capacity_fix_different_demands() {
    let of_load = accepted("x.toml", SMALL, &[]);
    assert!((scenario(&of_load).pools[0].demand.get() - 400.0 / 1.4).abs() < 1e-9);
    let of_capacity = accepted("x.toml", SMALL, &["pool.web.headroom_of=capacity"]);
    assert!((scenario(&of_capacity).pools[0].demand.get() - 400.0 * 0.6).abs() < 1e-9);
}

#[test]
fn a_file_with_all_that_can_be_said() {
    let path = super::folder("valid").join("everything.toml");
    let loaded = load_file(&path).expect("a valid file");
    let world = scenario(&loaded);
    let pool = |name: &str| {
        world.pools.iter().position(|pool| pool.name == name).expect("a pool of that name")
    };
    assert_eq!(world.pools[pool("a")].balancing, Balancing::LeastRequest { choices: None });
    assert_eq!(world.pools[pool("d")].balancing, Balancing::LeastRequest { choices: Some(2) });
    let id = zonefall::model::PoolId::from_index;
    let targets: Vec<_> = world.graph.targets(id(pool("a"))).collect();
    assert_eq!(targets.len(), 2);
    assert_eq!((targets[0].pool, targets[0].weight, targets[0].priority), (id(1), 2.5, 1));
    assert_eq!(world.graph.targets(id(pool("b"))).count(), 0);
    let times: Vec<_> = world.events.iter().map(|event| event.at.get()).collect();
    assert!(times.is_sorted());
    let knobs = world.events.iter().find(|event| event.name == "knobs").expect("the event");
    let Action::Set { changes } = &knobs.action else { panic!("not a set event") };
    assert_eq!(changes.len(), 2 + 4 + 2 + 4 + 1);
    let headroom = changes.iter().find_map(|change| match change {
        Change::Pool { pool, setting: PoolSetting::Demand, value } if *pool == id(0) => Some(value),
        _ => None,
    });
    assert_eq!(headroom, Some(&3.0), "half of 3 × 2 ÷ 1 s");
}

/// The file with its tables in the opposite order.
fn reversed(text: &str) -> String {
    let (root, tables) = text.split_at(text.find("\n[").unwrap_or(text.len()));
    let mut out = root.to_owned();
    for table in tables.split("\n[").skip(1).collect::<Vec<_>>().into_iter().rev() {
        let _ = write!(out, "\n[{table}");
    }
    out
}

fn without_rows(mut loaded: Loaded) -> String {
    loaded.cases.sort_by(|a, b| a.policy.name.cmp(&b.policy.name));
    for case in &mut loaded.cases {
        case.scenario.pool_rows.clear();
        case.scenario.zone_rows.clear();
    }
    cases(&loaded)
}

#[test]
fn the_order_of_tables_means_nothing_but_rows() {
    for path in files("valid") {
        let text = fs::read_to_string(&path).expect("a readable file");
        let name = file_name(&path);
        let (one, other) = (accepted(&name, &text, &[]), accepted(&name, &reversed(&text), &[]));
        assert_eq!(one.fingerprint_text, other.fingerprint_text, "{name}");
        assert_eq!(without_rows(one), without_rows(other), "{name}");
    }
}

#[test]
fn paths_of_settings_are_unique() {
    let mut paths: Vec<_> = settings().map(|setting| &setting.path).collect();
    let count = paths.len();
    assert!(count > 60);
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), count);
}
