//! What a policy decides for one step.

use super::{BreakerAction, Trip};
use crate::model::PoolId;

/// A flow from a pool's home to another pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Redirect {
    /// Whose demand it is.
    pub from: PoolId,
    /// Who takes it.
    pub to: PoolId,
    /// Tries a second.
    pub rps: f64,
}

/// Where the demand of every pool goes. Per pool: kept + shed + redirects from it = its demand.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// What stays at home, by pool, rps. With nothing in rotation there it is lost.
    pub kept_rps: Vec<f64>,
    /// What is refused on purpose, by pool, rps.
    pub shed_rps: Vec<f64>,
    /// Flows between pools; at most one from a pool to another.
    pub redirects: Vec<Redirect>,
    /// What there is to tell.
    pub notices: Vec<Notice>,
}

/// What a policy tells of itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Notice {
    /// Its breaker tripped.
    BreakerOpen {
        /// Why.
        trip: Trip,
        /// What becomes of what was moved.
        action: BreakerAction,
    },
    /// Redirecting is tried again.
    BreakerHalfOpen,
    /// Its breaker is closed again.
    BreakerClosed,
}

impl Plan {
    /// Starts a step: everything stays at home.
    pub fn reset(&mut self, demand_rps: impl Iterator<Item = f64>) {
        self.kept_rps.clear();
        self.kept_rps.extend(demand_rps);
        self.shed_rps.clear();
        self.shed_rps.resize(self.kept_rps.len(), 0.0);
        self.redirects.clear();
        self.notices.clear();
    }

    /// Moves a flow away from its home; never more than the home has left.
    pub fn redirect(&mut self, from: PoolId, to: PoolId, rps: f64) {
        let kept_rps = &mut self.kept_rps[from.index()];
        let rps = all_or_part(*kept_rps, rps);
        if rps > 0.0 {
            *kept_rps -= rps;
            self.redirects.push(Redirect { from, to, rps });
        }
    }

    /// Refuses a flow on purpose; never more than the home has left.
    pub fn shed(&mut self, home: PoolId, rps: f64) {
        let kept_rps = &mut self.kept_rps[home.index()];
        let rps = all_or_part(*kept_rps, rps).max(0.0);
        *kept_rps -= rps;
        self.shed_rps[home.index()] += rps;
    }
}

/// A remainder below this share of what is taken is rounding.
const ROUNDING: f64 = 1e-12;

/// What is taken of what there is: all of it rather than all but rounding.
fn all_or_part(there_rps: f64, wanted_rps: f64) -> f64 {
    if there_rps - wanted_rps <= ROUNDING * wanted_rps { there_rps } else { wanted_rps }
}
