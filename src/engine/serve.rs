//! Phase 4: each pool spreads its traffic over its instances, which admit, queue, complete, reject.

use crate::model::Plane;

use super::plane::{fluid, requests};
use super::world::World;

/// Serves one step at every pool.
pub fn serve(world: &mut World<'_>, is_row: bool, shares: &mut Vec<f64>) {
    match world.scenario.simulation.plane {
        Plane::Fluid => fluid::serve(world, is_row, shares),
        Plane::Requests => requests::serve(world, is_row),
    }
}

/// Fills every instance with the steady state of the demand (MODEL §4.3, *Start*).
pub fn start(world: &mut World<'_>) {
    match world.scenario.simulation.plane {
        Plane::Fluid => fluid::start(world),
        Plane::Requests => requests::start(world),
    }
}
