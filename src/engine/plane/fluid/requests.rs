//! What became of users' requests in one step.

/// Users' requests that ended in a step, each by how its last try ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestFlows {
    /// Arrived.
    pub arrived: f64,
    /// Answered in time.
    pub completed: f64,
    /// Late.
    pub late: f64,
    /// Answered by a fallback.
    pub degraded: f64,
    /// Shed, rejected or lost.
    pub failed: Ends,
    /// Of those, by their first try and at once: they arrived in this step.
    pub failed_at_once: Ends,
    /// Neither ended before this step nor in it.
    pub open: f64,
    /// Of those, whose client has given up; counted in the last step.
    pub given_up: f64,
}

/// Requests by the failure that ended them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ends {
    /// Refused on purpose.
    pub shed: f64,
    /// Refused by a full queue or limit, or a deadline.
    pub rejected: f64,
    /// Lost.
    pub lost: f64,
}

impl Ends {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.shed + self.rejected + self.lost
    }
}

impl RequestFlows {
    /// Requests end by a failure: shed, rejected, lost at once, lost inside, or timed out. The last
    /// end when the try leaves.
    pub fn end(&mut self, kind: usize, is_first: bool, requests: f64) {
        let at_once = if is_first { requests } else { 0.0 };
        match kind {
            0 => {
                self.failed.shed += requests;
                self.failed_at_once.shed += at_once;
            }
            1 => {
                self.failed.rejected += requests;
                self.failed_at_once.rejected += at_once;
            }
            2 => {
                self.failed.lost += requests;
                self.failed_at_once.lost += at_once;
            }
            3 => self.failed.lost += requests,
            _ => {}
        }
    }

    /// Closes a step: what arrived and has not ended is open.
    pub fn close(&mut self) {
        let ended = self.completed + self.late + self.degraded + self.failed.total();
        self.open = (self.open + self.arrived - ended).max(0.0);
    }

    /// Begins another step.
    pub fn begin(&mut self) {
        *self = Self { open: self.open, ..Self::default() };
    }
}
