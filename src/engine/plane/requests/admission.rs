//! Does an instance let a try in?

use super::desk::Desk;
use super::flow::purpose;
use super::station::Station;
use crate::engine::rng::Draws;

/// What becomes of a try that is sent to an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It enters.
    Enters,
    /// The queue is full.
    Rejected,
    /// The instance is dead, or an event makes the try fail.
    Lost,
    /// It is lost, and the instance dies of it.
    Crashes,
}

/// What becomes of a try that is sent to an instance of a pool.
#[inline]
pub fn admission(desk: &Desk, there: &Station, draws: Draws) -> Admission {
    let share = desk.error_share;
    if !there.is_up || share > 0.0 && draws.uniform(purpose::ERROR) < share {
        Admission::Lost
    } else if there.inside >= there.crash_room {
        Admission::Crashes
    } else if there.inside >= there.limit {
        Admission::Rejected
    } else {
        Admission::Enters
    }
}
