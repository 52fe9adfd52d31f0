//! Where a try goes: to which pool, and to which of its instances.

use super::desk::{Desk, Way};
use super::flow::purpose;
use super::station::Station;
use crate::engine::rng::Draws;
use crate::model::Balancing;

/// The pool that a try is sent to; none when it is shed.
#[inline]
pub fn way(desk: &Desk, home: usize, draws: Draws) -> Option<usize> {
    if desk.ways.is_empty() {
        return Some(home);
    }
    let draw = draws.uniform(purpose::WAY);
    let place = desk.ways.partition_point(|(share, _)| *share <= draw);
    match desk.ways[place.min(desk.ways.len() - 1)].1 {
        Way::To(pool) => Some(pool as usize),
        Way::Shed => None,
    }
}

/// The instance that a try is sent to; none while nothing is in rotation.
#[inline]
pub fn instance(desk: &mut Desk, stations: &[Station], draws: Draws) -> Option<u32> {
    match desk.receivers.as_slice() {
        [] => None,
        [only] => Some(*only),
        _ => Some(of_many(desk, stations, draws)),
    }
}

fn of_many(desk: &mut Desk, stations: &[Station], draws: Draws) -> u32 {
    let count = desk.receivers.len();
    let draw = draws.uniform(purpose::INSTANCE);
    let even = (draw * count as f64) as usize;
    let place = match desk.balancing {
        Balancing::Random => weighted(desk, draw, even),
        Balancing::RoundRobin => {
            desk.turn += 1;
            let turn = (desk.turn % count as u64) as usize;
            if desk.weights.is_empty() { turn } else { weighted(desk, draw, even) }
        }
        // Nobody knows the load of the dead: they get an average share.
        Balancing::LeastRequest { .. } if even >= desk.living => even,
        Balancing::LeastRequest { choices } => least_loaded(desk, stations, draws, choices),
    };
    desk.receivers[place]
}

fn weighted(desk: &Desk, draw: f64, even: usize) -> usize {
    if desk.weights.is_empty() {
        return even;
    }
    let place = desk.weights.partition_point(|share| *share <= draw);
    place.min(desk.weights.len() - 1)
}

/// The least loaded of so many living ones drawn at random, or of all; the first of equals.
fn least_loaded(desk: &Desk, stations: &[Station], draws: Draws, choices: Option<u32>) -> usize {
    let inside = |place: usize| stations[desk.receivers[place] as usize].inside;
    let living = desk.living.max(1);
    match choices {
        Some(choices) if (choices as usize) < living => {
            let drawn = |number: u64| {
                let draw = draws.uniform(purpose::CHOICES + number);
                let even = (draw * living as f64) as usize;
                if desk.weights.is_empty() {
                    even
                } else {
                    weighted(desk, draw * desk.weights[living - 1], even).min(living - 1)
                }
            };
            (0..u64::from(choices)).map(drawn).min_by_key(|place| inside(*place)).unwrap_or(0)
        }
        _ => {
            // All: begin anywhere, so that equals share evenly.
            let first = (draws.uniform(purpose::CHOICES) * living as f64) as usize;
            let order = (first..living).chain(0..first);
            order.min_by_key(|place| inside(*place)).unwrap_or(0)
        }
    }
}
