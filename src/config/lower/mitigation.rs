//! What goes with a policy, to what the engine runs.

use super::get::Table;
use super::instance::{optional_seconds, seconds};
use crate::config::document::Entity;
use crate::config::problems::Problems;
use crate::diagnostic::Problem;
use crate::model::Scenario;
use crate::policy::{Breaker, BreakerAction, Fallback, Mitigations, PolicySpec, Shed};
use crate::units::{Ratio, Rps};

/// Lowers the `shed` and `breaker` of a policy's table.
pub(super) fn mitigations(table: &Table<'_>, problems: &mut Problems) -> Option<Mitigations> {
    let has = |name: &str| table.entity.tables.contains_key(name);
    let shed = match has("shed") {
        true => shed(table, problems).map(Some),
        false => Some(None),
    };
    let breaker = match has("breaker") {
        true => breaker(table, problems).map(Some),
        false => Some(None),
    };
    Some(Mitigations { shed: shed?, breaker: breaker? })
}

fn shed(table: &Table<'_>, problems: &mut Problems) -> Option<Shed> {
    let above = table.optional_number("shed.above", problems);
    let capacity_rps = table.optional_number("shed.fallback_rps", problems);
    let latency_s = table.number("shed.fallback_latency", problems);
    let queue = table.optional_count("shed.fallback_queue", problems);
    let (above, capacity_rps) = (above?, capacity_rps?);
    if capacity_rps.is_none() {
        for key in ["fallback_latency", "fallback_queue"] {
            if let Some(entry) = table.entity.get(&format!("shed.{key}")) {
                let title = format!("{} has `{key}`, and no fallback", table.title());
                let problem = Problem::error("missing-key", entry.key, title);
                problems.push(problem.help("say how much it can take: `fallback_rps`"));
            }
        }
        let says_more = ["shed.fallback_latency", "shed.fallback_queue"].map(|key| table.has(key));
        if above.is_none() && says_more == [false; 2] {
            let title = format!("{} sheds nothing and has no fallback", table.title());
            let problem = Problem::error("missing-key", table.entity.tables["shed"], title);
            problems.push(problem.help(
                "say above which utilization, `above = \"90%\"`, or what answers, `fallback_rps`",
            ));
            return None;
        }
    }
    let fallback = match capacity_rps {
        Some(capacity_rps) => Some(Fallback {
            capacity: Rps::new(capacity_rps).ok()?,
            latency: seconds(latency_s)?,
            queue_limit: queue?.map_or(f64::INFINITY, |queue| queue as f64),
        }),
        None => None,
    };
    Some(Shed { above: above.map(Ratio::new).transpose().ok()?, fallback })
}

fn breaker(table: &Table<'_>, problems: &mut Problems) -> Option<Breaker> {
    let max_pools = table.optional_count("breaker.max_pools", problems);
    let window = table.number("breaker.window", problems);
    let max_instances_out = table.optional_number("breaker.max_instances_out", problems);
    let max_wait = table.optional_number("breaker.max_wait", problems);
    let by_hand_at = table.optional_number("breaker.by_hand_at", problems);
    let action = table.text("breaker.action", problems);
    let retry_after = table.optional_number("breaker.retry_after", problems);
    let action = match action?.as_str() {
        "hold" => BreakerAction::Hold,
        _ => BreakerAction::Retract,
    };
    let breaker = Breaker {
        max_pools: max_pools?.and_then(|most| u32::try_from(most).ok()),
        window: seconds(window)?,
        max_instances_out: max_instances_out?.map(Ratio::new).transpose().ok()?,
        max_wait: optional_seconds(max_wait)?,
        by_hand_at: optional_seconds(by_hand_at)?,
        action,
        by_hand_action: action,
        retry_after: optional_seconds(retry_after)?,
    };
    if breaker.max_pools.is_none()
        && breaker.max_instances_out.is_none()
        && breaker.max_wait.is_none()
        && breaker.by_hand_at.is_none()
    {
        let title = format!("the breaker of {} never trips", table.title());
        let problem = Problem::error("missing-key", table.entity.tables["breaker"], title);
        problems.push(problem.help(
            "say when: `max_pools = 1`, `max_instances_out = \"10%\"`, `max_wait = \"4s\"` or \
             `by_hand_at = \"2m\"`",
        ));
        return None;
    }
    if breaker.max_pools.is_none()
        && breaker.retry_after.is_none()
        && let Some(entry) = table.entity.get("breaker.window")
    {
        let title = "`window` is for `max_pools`, and for a retry's end";
        problems.push(
            Problem::warning("window-unread", entry.key, title)
                .label("so this does nothing")
                .help("leave it out, or say `max_pools` or `retry_after`"),
        );
    }
    Some(breaker)
}

/// A fallback for which clients wait has to answer before they give up.
pub(in crate::config) fn check_fallback(
    entity: &Entity,
    spec: &PolicySpec,
    scenario: &Scenario,
    problems: &mut Problems,
) {
    let Some(fallback) = spec.mitigations.fallback().filter(|it| it.queue_limit == 0.0) else {
        return;
    };
    let users = scenario.origins.iter().filter(|origin| !origin.is_call());
    let clients = users.map(|origin| &scenario.clients[origin.client.index()]);
    let hasty = clients.filter_map(|client| Some((client, client.timeout?)));
    let first = hasty.min_by(|a, b| a.1.get().total_cmp(&b.1.get()));
    if let Some((client, timeout)) = first.filter(|(_, timeout)| *timeout < fallback.latency) {
        let title = format!(
            "the fallback answers after {} s, and client `{}` gives up after {} s",
            fallback.latency.get(),
            client.name,
            timeout.get()
        );
        let at = entity.place("shed.fallback_latency");
        problems.push(
            Problem::error("fallback-over-timeout", at, title).help(
                "let it answer sooner, or defer replies: `fallback_queue` is how many may wait",
            ),
        );
    }
}

/// What goes with a policy and can do nothing there. Bundles go on every policy, so theirs may.
pub(in crate::config) fn check_idle(entity: &Entity, spec: &PolicySpec, problems: &mut Problems) {
    let moves_nothing = spec.kind.name == "none";
    if let Some(at) = entity.tables.get("breaker").filter(|_| moves_nothing) {
        let title = "policies of kind `none` move nothing, so their breaker never trips";
        let problem = Problem::warning("breaker-idle", *at, title);
        problems.push(problem.help("leave it out"));
    }
    let refuses_nothing = moves_nothing || spec.kind.name == "unconditional";
    let shed = spec.mitigations.shed.filter(|shed| shed.above.is_none());
    let takes_back = spec.mitigations.breaker.is_some();
    if let (Some(_), Some(at), false, true) =
        (shed, entity.tables.get("shed"), takes_back, refuses_nothing)
    {
        let title = format!("policies of kind `{}` refuse nothing by themselves", spec.kind.name);
        let problem = Problem::warning("fallback-idle", *at, title)
            .label("so the fallback has nothing to answer");
        problems.push(problem.help("say above which utilization to shed: `above = \"90%\"`"));
    }
}
