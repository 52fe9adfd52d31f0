//! Alerts that fired and the breaker's trips, named over a time axis.

use super::font;
use super::frame::{Body, Plot};
use super::scene::Weight;
use super::theme::{MARGIN, TICK_SIZE, WIDTH};
use super::words::{duration, percent};
use crate::engine::Happening;
use crate::metric::RunResult;
use crate::model::{PoolId, Scenario};
use crate::policy::Trip;

/// More lines over one row hide it.
const MOST_LANES: usize = 4;
/// Between a triangle's tip and its name.
const GAP: f64 = 8.0;

/// Room for a name at most.
const MOST_NAME: f64 = 230.0;

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// Seconds since the trigger; what came before is at 0.
    pub since_s: f64,
    /// Its name.
    pub text: String,
    is_alert: bool,
}

impl Signal {
    /// Alerts are solid, the breaker is hollow.
    pub const fn body(&self) -> Body {
        if self.is_alert { Body::Solid } else { Body::Hollow }
    }
}

/// Those of a run, in order.
pub fn of(scenario: &Scenario, result: &RunResult) -> Vec<Signal> {
    let Some(trigger_s) = result.trigger_s else { return vec![] };
    let signal = |time_s: f64, text: &str, is_alert: bool| {
        let since_s = time_s - trigger_s;
        let before = if since_s < 0.0 { " (before the trigger)" } else { "" };
        let text = font::shorten(text, TICK_SIZE, Weight::Regular, MOST_NAME) + before;
        Signal { since_s: since_s.max(0.0), text, is_alert }
    };
    let alerts = result.alerts.iter().filter_map(|fired| {
        let alert = scenario.alerts.get(fired.alert as usize)?;
        Some(signal(fired.time_s, &alert.name, true))
    });
    let trips = result.log.iter().filter_map(|entry| match entry.what {
        Happening::BreakerOpen { trip, .. } => {
            Some(signal(entry.time_s, &trip_words(scenario, trip), false))
        }
        _ => None,
    });
    let mut signals: Vec<Signal> = alerts.chain(trips).collect();
    signals.sort_by(|a, b| a.since_s.total_cmp(&b.since_s));
    signals
}

/// Why the breaker opened.
fn trip_words(scenario: &Scenario, trip: Trip) -> String {
    let name = |pool: PoolId| &scenario.pools[pool.index()].name;
    match trip {
        Trip::Pools { count: 1 } => "breaker opens: 1 pool lost".to_owned(),
        Trip::Pools { count } => format!("breaker opens: {count} pools lost"),
        Trip::InstancesOut { pool, share } => {
            format!("breaker opens: {} of {} out", percent(share), name(pool))
        }
        Trip::Wait { pool, wait_s } => {
            format!("breaker opens: {} waits {}", name(pool), duration(wait_s))
        }
        Trip::ByHand => "breaker opened by hand".to_owned(),
    }
}

/// A name beside its triangle.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The name; empty where there is no room for it.
    pub text: String,
    /// Is it to the left?
    pub is_left: bool,
}

/// How many lines they need over a plot, and each one's line and name. Those that no line has room
/// for share the last one, without a name; of those at the same pixel one is drawn.
pub fn placed(signals: &[Signal], plot: &Plot) -> (usize, Vec<Option<(usize, Placed)>>) {
    let mut ends = [f64::NEG_INFINITY; MOST_LANES];
    let mut lanes = 0;
    let mut places = Vec::new();
    for signal in signals {
        let x = plot.x(signal.since_s);
        let width = font::width(&signal.text, TICK_SIZE, Weight::Regular) + GAP + 6.0;
        let fits_right = x + width <= WIDTH - MARGIN;
        let reach = if fits_right { (x - 6.0, x + width) } else { (x - width, x + 6.0) };
        let free = ends.iter().position(|end| *end <= reach.0);
        let place = match free {
            Some(lane) => {
                ends[lane] = reach.1;
                Some((lane, Placed { text: signal.text.clone(), is_left: !fits_right }))
            }
            None if ends[MOST_LANES - 1] <= x - 6.0 => {
                ends[MOST_LANES - 1] = x + 6.0;
                Some((MOST_LANES - 1, Placed { text: String::new(), is_left: false }))
            }
            None => None,
        };
        if let Some((lane, _)) = &place {
            lanes = lanes.max(lane + 1);
        }
        places.push(place);
    }
    (lanes, places)
}

/// How many of them are left without a name.
pub fn unnamed(signals: &[Signal], plot: &Plot) -> usize {
    let (_, places) = placed(signals, plot);
    places.iter().filter(|place| !matches!(place, Some((_, p)) if !p.text.is_empty())).count()
}
