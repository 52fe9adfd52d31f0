//! A chart's title: what it shows, as one sentence.

use super::merit::by_merit;
use super::words::{duration, load, percent, zone};
use crate::metric::{Outcome, PoolRow, RunResult, hit_pools};
use crate::model::{Action, PoolId, Scenario};
use crate::report::phase_table::Watched;
use crate::report::words::HELD;

/// The finding of one run.
pub fn run_finding(scenario: &Scenario, result: &RunResult) -> String {
    let after = after_trigger(scenario, result);
    let summary = &result.summary;
    let kept = percent(summary.goodput_ratio);
    match (summary.outcome, summary.time_to_full_outage_s) {
        (Outcome::FullOutage, Some(time_s)) if time_s < 0.0 => {
            let before = after.replacen(" after ", " even before ", 1);
            format!("No healthy pool{before}; {kept} of requests completed")
        }
        (Outcome::FullOutage, Some(time_s)) => {
            let time = match result.trigger_s {
                Some(_) => duration(time_s),
                None => format!("after {}", duration(time_s)),
            };
            if summary.final_healthy_capacity_ratio > 0.0 {
                format!("No healthy pool {time}{after}; {kept} of requests completed")
            } else {
                format!("No healthy pool {time}{after}, and nothing is left at the end")
            }
        }
        (Outcome::FullOutage, None) => {
            format!("No pool stays healthy{after}; {kept} of requests completed")
        }
        (Outcome::PartialOutage, _) => {
            let further = match summary.cascade_propagation_count {
                0 => "A pool that no event hit is lost".to_owned(),
                1 => "1 further pool is lost".to_owned(),
                count => format!("{count} further pools are lost"),
            };
            format!("{further}{after}; {kept} of requests completed")
        }
        (Outcome::Degraded, _) => {
            format!("No further pool is lost{after}; {kept} of requests completed")
        }
        (Outcome::Stable, _) if result.trigger_s.is_none() => {
            format!("A quiet run: {kept} of requests completed")
        }
        (Outcome::Stable, _) if !summary.is_judged => {
            format!("The run ends before the fault is detected; {kept} of requests completed")
        }
        (Outcome::Stable, _) if summary.goodput_ratio >= HELD => {
            format!("The fleet holds{after}; {kept} of requests completed")
        }
        (Outcome::Stable, _) => {
            format!("The fleet holds in the end{after}; {kept} of requests completed")
        }
    }
}

/// " after zone a failed"; empty when nothing happens.
pub fn after_trigger(scenario: &Scenario, result: &RunResult) -> String {
    match result.trigger_s {
        Some(_) => format!(" after {}", trigger_words(scenario)),
        None => String::new(),
    }
}

/// What the trigger was, as a clause in the past or a noun: "zone a failed", "the surge".
pub fn trigger_words(scenario: &Scenario) -> String {
    let pool = |id: &PoolId| scenario.pools[id.index()].name.as_str();
    let first = scenario.events.iter().min_by(|a, b| a.at.get().total_cmp(&b.at.get()));
    match first.map(|event| &event.action) {
        Some(Action::ZoneOutage { zone: id }) => {
            format!("{} failed", zone(&scenario.zones[id.index()].name))
        }
        Some(Action::InstanceLoss { pool: id, .. }) => format!("{} lost instances", pool(id)),
        Some(Action::Drain { .. }) => "the drain began".to_owned(),
        Some(Action::Slow { .. }) => "the slowdown began".to_owned(),
        Some(Action::Errors { .. }) => "the errors began".to_owned(),
        Some(Action::Surge { factor, .. }) => match factor.get() {
            0.0 => "the demand paused".to_owned(),
            factor if factor < 1.0 => "the demand fell".to_owned(),
            _ => "the surge began".to_owned(),
        },
        Some(Action::AddInstances { .. }) => "instances were added".to_owned(),
        Some(Action::LaunchesRefused { .. }) => "launches were refused".to_owned(),
        Some(Action::Set { .. }) => "the settings changed".to_owned(),
        None => "the trigger".to_owned(),
    }
}

/// The finding of a comparison: what the worst policy does, and what the best one keeps.
pub fn compare_finding(results: &[RunResult]) -> String {
    let goodput = |result: &RunResult| result.summary.goodput_ratio;
    // The first of equals, in the order of the file.
    let best = results.iter().rev().max_by(|a, b| by_merit(a, b));
    let worst = results.iter().min_by(|a, b| by_merit(a, b));
    let (Some(best), Some(worst)) = (best, worst) else {
        return "No policy was run".to_owned();
    };
    let least = results.iter().map(goodput).fold(f64::INFINITY, f64::min);
    let most = results.iter().map(goodput).fold(0.0, f64::max);
    if results.len() > 1 && most - least < 0.002 && !is_outage(worst) {
        let all = match results.len() {
            2 => "Both policies keep".to_owned(),
            count => format!("All {count} policies keep"),
        };
        return format!("{all} {} of requests", percent(goodput(best)));
    }
    let harm = harm(worst);
    if std::ptr::eq(best, worst) {
        if !is_outage(worst) {
            return heading(&format!("{harm} of requests"));
        }
        return heading(&format!("{harm} and keeps {} of requests", percent(goodput(best))));
    }
    heading(&format!("{harm}; {} keeps {} of requests", name(best), percent(goodput(best))))
}

/// Was a pool lost that no event hit?
pub fn is_outage(result: &RunResult) -> bool {
    matches!(result.summary.outcome, Outcome::FullOutage | Outcome::PartialOutage)
}

fn harm(result: &RunResult) -> String {
    let (name, summary) = (name(result), &result.summary);
    match (summary.outcome, summary.time_to_full_outage_s) {
        (Outcome::FullOutage, Some(time_s)) if time_s < 0.0 => {
            format!("{name} leaves no healthy pool even before the first event")
        }
        (Outcome::FullOutage, Some(time_s)) => {
            let verb = if summary.final_healthy_capacity_ratio > 0.0 {
                "leaves no healthy pool"
            } else {
                "finishes the fleet"
            };
            let when = if summary.final_healthy_capacity_ratio > 0.0 { "after" } else { "in" };
            format!("{name} {verb} {when} {}", duration(time_s))
        }
        (Outcome::FullOutage, None) => format!("{name} leaves no healthy pool"),
        (Outcome::PartialOutage, _) => match summary.cascade_propagation_count {
            0 | 1 => format!("{name} loses 1 further pool"),
            count => format!("{name} loses {count} further pools"),
        },
        _ => format!("{name} keeps {}", percent(summary.goodput_ratio)),
    }
}

/// The policy's name in a sentence.
pub fn name(result: &RunResult) -> &str {
    match (result.policy_kind, result.policy.as_str()) {
        ("none", "none") => "no failover",
        (_, name) => name,
    }
}

/// Policies' names stay as they are in the file, at a sentence's start, too.
pub fn heading(sentence: &str) -> String {
    match sentence.strip_prefix("no failover ") {
        Some(rest) => format!("No failover {rest}"),
        None => sentence.to_owned(),
    }
}

/// The finding about utilization: the most and the least loaded receivers, or the peak of a run.
pub fn utilization_finding(scenario: &Scenario, results: &[RunResult]) -> String {
    if let [only] = results {
        return peak_words(scenario, only);
    }
    let peak = |result: &RunResult| result.summary.peak_receiver_utilization;
    let with_peak = || results.iter().filter_map(|result| Some((peak(result)?, result)));
    let most = with_peak().min_by(|a, b| b.0.total_cmp(&a.0));
    let least = with_peak().min_by(|a, b| a.0.total_cmp(&b.0));
    match (most, least) {
        (Some((high, worst)), Some((low, best))) if high - low > 0.01 => format!(
            "Receivers peak at {} under {}, at {} under {}",
            load(high),
            name(worst),
            load(low),
            name(best)
        ),
        (Some((high, _)), _) => {
            format!("Receivers peak at {} under every policy that redirects", load(high))
        }
        _ => peaks_compared(scenario, results),
    }
}

/// Where nothing is redirected: the highest peak of any pool, and what it is under other policies.
fn peaks_compared(scenario: &Scenario, results: &[RunResult]) -> String {
    let zero_s = results.iter().find_map(|result| result.trigger_s).unwrap_or(0.0);
    let counts = |row: &&PoolRow| row.time_s >= zero_s;
    let rows = results.iter().flat_map(|result| &result.timeline).filter(counts);
    let used = rows.filter_map(|row| Some((row.utilization?, row.pool)));
    let Some((_, pool)) = used.reduce(|most, next| if next.0 > most.0 { next } else { most })
    else {
        return "Nothing was in rotation".to_owned();
    };
    let peak = |result: &RunResult| {
        let of_pool = result.timeline.iter().filter(counts).filter(|row| row.pool == pool);
        of_pool.filter_map(|row| row.utilization).fold(0.0, f64::max)
    };
    let peaks = || results.iter().map(|result| (peak(result), result));
    let most = peaks().reduce(|a, b| if b.0 > a.0 { b } else { a });
    let least = peaks().reduce(|a, b| if b.0 < a.0 { b } else { a });
    let pool = &scenario.pools[pool.index()].name;
    match (most, least) {
        (Some((high, worst)), Some((low, best))) if high - low > 0.01 => format!(
            "{pool} peaks at {} under {}, at {} under {}",
            load(high),
            name(worst),
            load(low),
            name(best)
        ),
        (Some((high, _)), _) => format!("{pool} peaks at {} under every policy", load(high)),
        _ => "Nothing was in rotation".to_owned(),
    }
}

fn peak_words(scenario: &Scenario, result: &RunResult) -> String {
    let after = after_trigger(scenario, result);
    let zero_s = result.trigger_s.unwrap_or(0.0);
    let hit = hit_pools(scenario);
    let peak_of = |is_asked: &dyn Fn(PoolId) -> bool| {
        let rows = result.timeline.iter().filter(|row| row.time_s >= zero_s && is_asked(row.pool));
        rows.filter_map(|row| Some((row.utilization?, row)))
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
    };
    // What is left of a pool that dies is overloaded for a moment: that is no finding.
    let others = peak_of(&|pool| !hit[pool.index()]);
    match others.or_else(|| peak_of(&|_| true)) {
        Some((utilization, _)) if others.is_some() && utilization < 1.0 => {
            let who = if hit.contains(&true) { "Pools that no event hit" } else { "All pools" };
            format!("{who} stay at {} or below", load(utilization))
        }
        Some((utilization, row)) => {
            let pool = &scenario.pools[row.pool.index()].name;
            let when = duration(row.time_s - zero_s);
            let at = if after.is_empty() { "after " } else { "" };
            format!("{pool} peaks at {}, {at}{when}{after}", load(utilization))
        }
        None => "Nothing was in rotation".to_owned(),
    }
}

/// The finding about phases: the policy that rejects most at its worst, and the one least.
pub fn phases_finding(scenario: &Scenario, results: &[RunResult]) -> String {
    let Some(watched) = Watched::of(scenario) else { return "No phases".to_owned() };
    let pool = &scenario.pools[watched.entry.index()].name;
    let worst_of = |result: &RunResult| {
        let rows = watched.rows(&result.phases);
        let rejected = rows.filter_map(|(entry, _)| Some((entry.rejected_ratio?, entry.phase)));
        rejected.reduce(|most, next| if next.0 > most.0 { next } else { most })
    };
    let all = || results.iter().filter_map(|result| Some((result, worst_of(result)?)));
    // Of equals the first in the file is named.
    let worst = all().reduce(|most, next| if next.1.0 > most.1.0 { next } else { most });
    let best = all().reduce(|least, next| if next.1.0 < least.1.0 { next } else { least });
    let (Some((worst, (most, phase))), Some((best, (least, _)))) = (worst, best) else {
        return format!("No tries arrive at {pool} in any phase");
    };
    let phase = scenario.phases.get(phase as usize).map_or("", |phase| &phase.name);
    let share = |ratio: f64| if ratio > 0.0 { percent(ratio) } else { "none".to_owned() };
    if most <= 0.0 {
        return match results {
            [only] => format!("Under {}, {pool} rejects nothing in any phase", only.policy),
            _ => format!("Under no policy does {pool} reject anything in any phase"),
        };
    }
    let worst = format!(
        "Under {}, {pool} rejects {} of its tries in phase {phase}",
        worst.policy,
        percent(most)
    );
    match most - least > 0.001 {
        true if least <= 0.0 => format!("{worst}; under {}, {}", best.policy, share(least)),
        true => format!("{worst}; under {}, at most {}", best.policy, share(least)),
        false => worst,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{SourceId, Surged};
    use crate::units::Ratio;

    #[test]
    fn titles_of_pauses_pairs_and_runs_without_events() {
        let mut quiet = crate::metric::fixture::proxied();
        let results = crate::report::fixture::proxied_results();
        for (factor, said) in
            [(0.0, "the demand paused"), (0.5, "the demand fell"), (2.0, "the surge began")]
        {
            let mut surged = quiet.clone();
            for event in &mut surged.events {
                let of = Surged::Source(SourceId::from_index(0));
                let factor = Ratio::new(factor).unwrap();
                event.action = Action::Surge { of, factor };
            }
            assert_eq!(trigger_words(&surged), said);
        }
        let share = |ratio: f64| {
            let mut one = results[0].clone();
            one.trigger_s = None;
            one.summary.outcome = Outcome::Degraded;
            one.summary.goodput_ratio = ratio;
            one
        };
        let one = compare_finding(&[share(0.26)]);
        assert_eq!(one, "watch-cpu keeps 26\u{a0}% of requests");
        let two = compare_finding(&[share(0.75), share(0.75)]);
        assert_eq!(two, "Both policies keep 75\u{a0}% of requests");
        quiet.events.clear();
        let mut busy = share(0.26);
        let row = &mut busy.timeline[0];
        (row.utilization, row.time_s) = (Some(4.0), 47.0);
        let pool = quiet.pools[row.pool.index()].name.clone();
        let peak = utilization_finding(&quiet, &[busy]);
        assert_eq!(peak, format!("{pool} peaks at 400\u{a0}%, after 47\u{a0}s"));
    }
}
