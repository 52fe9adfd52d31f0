//! Times in a file that do not fit each other.

use super::document::Document;
use super::lint::to_thousandths;
use super::problems::Problems;
use super::setting::Section;
use crate::diagnostic::Problem;
use crate::model::{Scenario, unloaded_calls_s};

/// A client that gives up before anybody could have answered makes every request late.
pub(super) fn gives_up_too_soon(document: &Document, scenario: &Scenario, problems: &mut Problems) {
    let calls_s = unloaded_calls_s(&scenario.kinds, &scenario.pools, &scenario.call_order);
    for origin in &scenario.origins {
        let client = &scenario.clients[origin.client.index()];
        let Some(timeout) = client.timeout else { continue };
        let pool = &scenario.pools[origin.to.index()];
        let own_s = scenario.kinds[pool.kind.index()].service_time.get();
        let latency_s = own_s + calls_s[origin.to.index()].unwrap_or(0.0);
        let table = document.table(Section::Client);
        let Some(entity) = table.get(&client.name).filter(|_| timeout.get() < latency_s) else {
            continue;
        };
        let title = format!(
            "client `{}` gives up before pool `{}` has answered on average, however idle",
            client.name, pool.name
        );
        problems.push(
            Problem::warning("timeout-below-latency", entity.place("timeout"), title)
                .help(format!("an answer takes {} s, unloaded", to_thousandths(latency_s)))
                .help("lengthen `timeout`, or name a more patient client"),
        );
    }
}

/// A decision waits for the next step boundary.
pub(super) fn sync_between_steps(
    document: &Document,
    scenario: &Scenario,
    problems: &mut Problems,
) {
    let step_s = scenario.simulation.step.get();
    for autoscaler in &scenario.autoscalers {
        let steps = autoscaler.sync_period.get() / step_s;
        let is_whole = steps >= 0.5 && (steps - steps.round()).abs() <= 1e-6 * steps;
        let entity = document.table(Section::Autoscaler).get(&autoscaler.name);
        let Some(entity) = entity.filter(|_| !is_whole) else { continue };
        let title =
            format!("the `sync_period` of `{}` is no whole number of steps", autoscaler.name);
        problems.push(
            Problem::warning("sync-between-steps", entity.place("sync_period"), title)
                .label("decisions wait for the next step")
                .help(format!("let it be a multiple of {step_s} s, or change `step`")),
        );
    }
}
