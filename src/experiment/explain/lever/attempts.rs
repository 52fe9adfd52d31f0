//! Tries of a request: retries are load.

use super::search::Dial;
use super::{Asked, Grid, LeverKind};
use crate::model::MOST_ATTEMPTS;

/// The lever: every client that retries makes at most so many tries, or, to find where a fleet
/// breaks, at least. None where nobody retries.
pub fn dial<'a>(asked: &Asked<'a>) -> Option<Dial<'a>> {
    let (case, is_less) = (asked.case, asked.is_missed);
    let scenario = &case.scenario;
    let mut is_used = vec![false; scenario.clients.len()];
    for origin in &scenario.origins {
        is_used[origin.client.index()] = true;
    }
    let clients = scenario.clients.iter().zip(&is_used).filter(|(_, is_used)| **is_used);
    let attempts: Vec<u32> = clients
        .filter_map(|(client, _)| client.retry.as_ref())
        .map(|retry| retry.max_attempts)
        .filter(|attempts| *attempts > 1)
        .collect();
    let (from, until) = match is_less {
        true => (*attempts.iter().max()?, 1),
        false => (*attempts.iter().min()?, MOST_ATTEMPTS),
    };
    Some(Dial {
        kind: LeverKind::MaxAttempts,
        value: Some(f64::from(from)),
        grid: Grid { from: f64::from(from), until: f64::from(until), resolution: 1.0 },
        turn: Box::new(move |most| {
            let most = most as u32;
            let mut changed = case.clone();
            let mut sets = Vec::new();
            for (client, _) in
                changed.scenario.clients.iter_mut().zip(&is_used).filter(|(_, is_used)| **is_used)
            {
                let Some(retry) = client.retry.as_mut().filter(|retry| retry.max_attempts > 1)
                else {
                    continue;
                };
                let own = retry.max_attempts;
                let new = if is_less { own.min(most) } else { own.max(most) };
                if new != own {
                    retry.max_attempts = new;
                    sets.push(format!("client.{}.retry.max_attempts={new}", client.name));
                }
            }
            (changed, sets)
        }),
    })
}
