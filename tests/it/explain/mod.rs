//! `zonefall explain`.

mod command;
mod figures;
mod planner_agent;
mod probes;
mod shipped;

use std::sync::atomic::AtomicBool;

use zonefall::config::{Purpose, load_for};
use zonefall::experiment::explain::{Effort, Explanation, explain};
use zonefall::experiment::{Jobs, Watch};
use zonefall::policy::Case;

/// The case of a policy, or of the file's first, on the plane that `explain` runs it on.
fn case(text: &str, policy: Option<&str>, sets: &[String]) -> Case {
    let purpose = Purpose { runs: Effort::FULL.runs(), ..Purpose::default() };
    let loaded = load_for("file.toml", text.as_bytes(), sets, &purpose).expect("a valid file");
    let is_it = |case: &Case| policy.is_none_or(|policy| case.policy.name == policy);
    loaded.cases.into_iter().find(is_it).expect("the policy")
}

fn explained(case: &Case, effort: &Effort) -> Explanation {
    let watch = Watch { on_done: &|| {}, cancel: &AtomicBool::new(false) };
    explain(case, 1, effort, Jobs::Auto, watch).expect("not cancelled")
}
