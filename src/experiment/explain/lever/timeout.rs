//! The health check's time-out: patience with slow instances.

use super::search::Dial;
use super::{Asked, Grid, LeverKind};
use crate::model::{InstanceKind, ProbeKind};
use crate::units::Seconds;

/// Values a range, about.
const VALUES: f64 = 100.0;

/// The lever: every deep probe waits at least so long, up to its interval; or, to find where a
/// fleet breaks, at most. None without deep probes, or where they wait as long as they may.
pub fn dial<'a>(asked: &Asked<'a>) -> Option<Dial<'a>> {
    let (case, is_more) = (asked.case, asked.is_missed);
    let deep = || case.scenario.kinds.iter().filter(|kind| is_deep(kind));
    let timeouts = deep().map(|kind| kind.health_check.timeout.get());
    let (from, until) = if is_more {
        let intervals = deep().map(|kind| kind.health_check.interval.get());
        (timeouts.reduce(f64::min)?, intervals.reduce(f64::max)?)
    } else {
        let longest_s = timeouts.reduce(f64::max)?;
        (longest_s, longest_s / VALUES)
    };
    let resolution = resolution((until - from).abs());
    let grid = Grid { from, until: until.max(resolution), resolution };
    if grid.last() == 0 {
        return None;
    }
    Some(Dial {
        kind: LeverKind::ProbeTimeout,
        value: Some(from),
        grid,
        turn: Box::new(move |timeout_s| {
            let mut changed = case.clone();
            let mut sets = Vec::new();
            for kind in changed.scenario.kinds.iter_mut().filter(|kind| is_deep(kind)) {
                let check = &mut kind.health_check;
                let own_s = check.timeout.get();
                let new_s = match is_more {
                    true => own_s.max(timeout_s.min(check.interval.get())),
                    false => own_s.min(timeout_s),
                };
                if new_s != own_s
                    && let Ok(timeout) = Seconds::new(new_s)
                {
                    check.timeout = timeout;
                    let text = in_words(new_s);
                    sets.push(format!("instance.{}.health_check.timeout={text}", kind.name));
                }
            }
            (changed, sets)
        }),
    })
}

fn is_deep(kind: &InstanceKind) -> bool {
    kind.health_check.kind == ProbeKind::Deep
}

/// A round number of about a hundredth of a range.
fn resolution(range_s: f64) -> f64 {
    let fine = [1.0, 0.1, 0.01, 0.001];
    fine.into_iter().find(|unit| range_s >= VALUES * unit * 0.5).unwrap_or(0.001)
}

/// A duration as a file says it.
fn in_words(seconds: f64) -> String {
    if seconds == seconds.trunc() {
        format!("{seconds}s")
    } else {
        let microseconds = (1e6 * seconds).round();
        match microseconds % 1000.0 == 0.0 {
            true => format!("{}ms", microseconds / 1000.0),
            false => format!("{microseconds}us"),
        }
    }
}
