//! tmp
use std::sync::atomic::AtomicBool;
use zonefall::cli::EXAMPLES;
use zonefall::config;
use zonefall::experiment::explain::{Effort, explain};
use zonefall::experiment::{Jobs, Watch};

#[test]
fn tmp_dump() {
    let effort = Effort { return_seeds: 3, return_enough: 2, lever_seeds: 4 };
    for example in EXAMPLES {
        let want = std::env::var("WANT").unwrap_or_default();
        if !want.is_empty() && !want.split(',').any(|w| w == example.name) {
            continue;
        }
        let loaded = config::load("x.toml", example.text.as_bytes(), &[]).expect("loads");
        let policy = std::env::var("POLICY").ok();
        let case = match policy {
            Some(p) => loaded.cases.iter().find(|c| c.policy.name == p).unwrap(),
            None => &loaded.cases[0],
        };
        let cancel = AtomicBool::new(false);
        let runs = std::sync::atomic::AtomicUsize::new(0);
        let on_done = || {
            runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        };
        let mut case = case.clone();
        if std::env::var("FLUID").is_ok() {
            case.scenario.simulation.plane = zonefall::model::Plane::Fluid;
        }
        let began = std::time::Instant::now();
        let effort = if std::env::var("FULL").is_ok() { Effort::FULL } else { effort };
        let e =
            explain(&case, 1, &effort, Jobs::Auto, Watch { on_done: &on_done, cancel: &cancel })
                .unwrap();
        println!(
            "=== {} {} {:?} {} runs {:.2} s",
            example.name,
            case.policy.name,
            case.scenario.simulation.plane,
            runs.into_inner(),
            began.elapsed().as_secs_f64()
        );
        if std::env::var("JSON").is_ok() {
            println!("{}", serde_json::to_string_pretty(&e.facts).unwrap());
            println!("{}", serde_json::to_string_pretty(&e.return_point).unwrap());
            println!("{}", serde_json::to_string(&e.levers).unwrap());
        }
    }
}
