//! What a run's chart points out: the fault, the first redirect, the pools lost, the end.

use super::series::Window;
use super::words::{duration, list, percent, rate, zone};
use crate::engine::Happening;
use crate::metric::{RunResult, hit_pools};
use crate::model::{Action, Event, LossAmount, PoolId, Scenario, Surged};

/// One numbered mark.
#[derive(Debug, Clone, PartialEq)]
pub struct EventMark {
    /// Seconds since the trigger.
    pub since_s: f64,
    /// What happened.
    pub text: String,
}

/// What a mark is about; of one instant, causes come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Fault,
    FaultEnd,
    FirstOut,
    Lost,
    Redirect,
    Shed,
    NoneHealthy,
    NothingLeft,
    Recovered,
}

/// A mark before it is put into words. `subjects` grow as neighbours are joined.
struct Draft {
    since_s: f64,
    last_s: f64,
    class: Class,
    subjects: Vec<String>,
    detail: String,
}

/// The events of the file that began or ended, as marks; the same for every policy.
pub fn fault_marks(scenario: &Scenario, result: &RunResult, window: &Window) -> Vec<EventMark> {
    let mut drafts = faults(scenario, result, window);
    crowd(&mut drafts, window, MOST_MARKS);
    drafts.into_iter().map(worded).collect()
}

/// The marks of one run, in order, crowds joined.
pub fn run_marks(scenario: &Scenario, result: &RunResult, window: &Window) -> Vec<EventMark> {
    let mut drafts = faults(scenario, result, window);
    drafts.extend(first_moves(scenario, result, window));
    drafts.extend(losses(scenario, result, window));
    let summary = &result.summary;
    let moments = [
        (summary.time_to_full_outage_s, Class::NoneHealthy, "no healthy pool"),
        (summary.time_to_nothing_in_rotation_s, Class::NothingLeft, "nothing in rotation"),
        (summary.time_to_recover_s, Class::Recovered, "recovered"),
    ];
    for (time_s, class, text) in moments {
        let zero_s = result.trigger_s.unwrap_or(0.0);
        if let Some(since_s) = time_s.and_then(|time_s| window.place(zero_s + time_s)) {
            drafts.push(draft(since_s, class, text.to_owned(), String::new()));
        }
    }
    drafts.sort_by(|a, b| a.since_s.total_cmp(&b.since_s).then(a.class.cmp(&b.class)));
    crowd(&mut drafts, window, MOST_MARKS);
    drafts.into_iter().map(worded).collect()
}

/// More would be a table.
const MOST_MARKS: usize = 10;

fn draft(since_s: f64, class: Class, subject: String, detail: String) -> Draft {
    Draft { since_s, last_s: since_s, class, subjects: vec![subject], detail }
}

fn faults(scenario: &Scenario, result: &RunResult, window: &Window) -> Vec<Draft> {
    // A log entry a pool that an event is about: one mark an event is enough.
    let mut seen = vec![[false; 2]; scenario.events.len()];
    let mut drafts = Vec::new();
    for entry in &result.log {
        let (index, class) = match entry.what {
            Happening::EventBegan { event, .. } => (event as usize, Class::Fault),
            Happening::EventEnded { event, .. } => (event as usize, Class::FaultEnd),
            _ => continue,
        };
        let Some(event) = scenario.events.get(index) else { continue };
        let Some(since_s) = window.place(entry.time_s) else { continue };
        let before = &mut seen[index][usize::from(class == Class::FaultEnd)];
        if !std::mem::replace(before, true) {
            let (subject, detail) = match (class, &event.cause) {
                (Class::Fault, Some(cause)) => (event_words(scenario, event), format!(": {cause}")),
                (Class::Fault, None) => (event_words(scenario, event), String::new()),
                _ => (format!("{} ends", event.name), String::new()),
            };
            drafts.push(draft(since_s, class, subject, detail));
        }
    }
    drafts
}

/// What an event does: "zone a fails over 1 min".
fn event_words(scenario: &Scenario, event: &Event) -> String {
    let pool = |id: &PoolId| scenario.pools[id.index()].name.clone();
    let pools = |ids: &[PoolId]| list(&ids.iter().map(pool).collect::<Vec<_>>());
    let mut text = match &event.action {
        Action::ZoneOutage { zone: id } => {
            format!("{} fails", zone(&scenario.zones[id.index()].name))
        }
        Action::InstanceLoss { pool: id, amount: LossAmount::Count(count) } => {
            format!("{} loses {count} instances", pool(id))
        }
        Action::InstanceLoss { pool: id, amount: LossAmount::Share(share) } => {
            format!("{} loses {} of its instances", pool(id), percent(share.get()))
        }
        Action::Drain { pools: ids, share } => {
            format!("{} of {} drained", percent(share.get()), pools(ids))
        }
        Action::Slow { pools: ids, speed } if speed.get() == 0.0 => {
            format!("{} stalled", pools(ids))
        }
        Action::Slow { pools: ids, speed } => {
            format!("{} slowed to {}", pools(ids), percent(speed.get()))
        }
        Action::Errors { pools: ids, share } => {
            format!("{} of tries at {} fail", percent(share.get()), pools(ids))
        }
        Action::Surge { of, factor } => {
            let whose = match of {
                Surged::Pool(id) => pool(id),
                Surged::Source(id) => scenario.sources[id.index()].name.clone(),
            };
            format!("load of {whose} at {}", percent(factor.get()))
        }
        Action::LaunchesRefused { pools: ids } => {
            format!("no launches in {}", pools(ids))
        }
        Action::AddInstances { pool: id, count } => {
            format!("{count} instances added to {}", pool(id))
        }
        Action::Set { .. } => format!("settings change: {}", event.name),
    };
    if event.over.get() > 0.0 {
        text = format!("{text} over {}", duration(event.over.get()));
    }
    text
}

/// First redirect, first shed, first instance out of a pool that no event hit.
fn first_moves(scenario: &Scenario, result: &RunResult, window: &Window) -> Vec<Draft> {
    let hit = hit_pools(scenario);
    let mut drafts: Vec<Draft> = Vec::new();
    for entry in &result.log {
        let name = |id: PoolId| scenario.pools[id.index()].name.clone();
        let (class, subject, detail) = match entry.what {
            Happening::RedirectStart { pool, rps } => {
                (Class::Redirect, format!("first redirect: {} of {}", rate(rps), name(pool)), "")
            }
            Happening::ShedStart { pool, rps } => {
                (Class::Shed, format!("first shed: {} of {}", rate(rps), name(pool)), "")
            }
            Happening::InstanceUnhealthy { pool, .. } if !hit[pool.index()] => {
                (Class::FirstOut, format!("first instance of {} out of rotation", name(pool)), "")
            }
            _ => continue,
        };
        let known = drafts.iter().any(|draft| draft.class == class);
        if let (false, Some(since_s)) = (known, window.place(entry.time_s)) {
            drafts.push(draft(since_s, class, subject, detail.to_owned()));
        }
    }
    drafts
}

/// The first loss of every pool, and how often it was lost in all.
fn losses(scenario: &Scenario, result: &RunResult, window: &Window) -> Vec<Draft> {
    let mut times = vec![0_u32; scenario.pools.len()];
    let mut drafts = Vec::new();
    let mut firsts = Vec::new();
    for entry in &result.log {
        let Happening::PoolUnhealthy { pool, in_rotation, expected } = entry.what else { continue };
        times[pool.index()] += 1;
        let since_s = window.place(entry.time_s);
        if let (1, Some(since_s)) = (times[pool.index()], since_s) {
            let detail = format!(": {in_rotation} of {expected} in rotation");
            let name = scenario.pools[pool.index()].name.clone();
            drafts.push(draft(since_s, Class::Lost, name, detail));
            firsts.push(pool);
        }
    }
    for (draft, pool) in drafts.iter_mut().zip(firsts) {
        let times = times[pool.index()];
        if times > 1 {
            draft.detail = format!(" for the first of {times} times");
        }
    }
    drafts
}

/// Joins drafts of a class that would crowd, then more until at most `most` are left: ends of
/// events first, which say least, and beginnings last, which say what it is all about.
fn crowd(drafts: &mut Vec<Draft>, window: &Window, most: usize) {
    let near_s = (window.to_s - window.from_s) * 0.004;
    while let Some((gap_s, first, second)) = nearest_pair(drafts, |_| true) {
        if gap_s >= near_s {
            break;
        }
        join(drafts, first, second);
    }
    let turns: [fn(Class) -> bool; 3] =
        [|class| class == Class::FaultEnd, |class| class != Class::Fault, |_| true];
    for may_join in turns {
        while drafts.len() > most {
            let Some((_, first, second)) = nearest_pair(drafts, may_join) else { break };
            join(drafts, first, second);
        }
    }
}

fn join(drafts: &mut Vec<Draft>, first: usize, second: usize) {
    let joined = drafts.remove(second);
    drafts[first].last_s = drafts[first].last_s.max(joined.last_s);
    drafts[first].subjects.extend(joined.subjects);
}

/// The two drafts of one class that are nearest in time: gap, index, later index.
fn nearest_pair(drafts: &[Draft], may_join: impl Fn(Class) -> bool) -> Option<(f64, usize, usize)> {
    let mut best: Option<(f64, usize, usize)> = None;
    for (second, later) in drafts.iter().enumerate().filter(|(_, draft)| may_join(draft.class)) {
        let earlier = drafts[..second].iter().rposition(|draft| draft.class == later.class);
        let Some(first) = earlier else { continue };
        let gap_s = later.since_s - drafts[first].since_s;
        if best.is_none_or(|(least_s, ..)| gap_s < least_s) {
            best = Some((gap_s, first, second));
        }
    }
    best
}

fn worded(draft: Draft) -> EventMark {
    let Draft { since_s, last_s, class, subjects, detail } = draft;
    let within = match last_s - since_s {
        spread_s if spread_s >= 1.0 => format!(" within {}", duration(spread_s)),
        _ => String::new(),
    };
    let text = match (class, subjects.as_slice()) {
        (Class::Lost, [only]) => format!("{only} lost{detail}"),
        (Class::Lost, names) => format!("{} lost{within}", list(names)),
        (_, [only]) => format!("{only}{detail}"),
        (_, [first, second]) => format!("{first}; {second}{within}"),
        (_, [first, rest @ ..]) => format!("{first}; and {} more events{within}", rest.len()),
        (_, []) => detail,
    };
    EventMark { since_s, text }
}
