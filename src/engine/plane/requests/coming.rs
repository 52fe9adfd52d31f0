//! Whose first tries come next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::clock::Nanos;
use super::sender::Sender;

/// Origins by when their next first tries come; of one instant, in the origins' order.
#[derive(Debug, Default)]
pub struct Coming {
    heap: BinaryHeap<Reverse<(Nanos, u32)>>,
}

impl Coming {
    /// Looks at every origin's process: their rates change between steps.
    pub fn look(&mut self, senders: &[Sender]) {
        let mut all = std::mem::take(&mut self.heap).into_vec();
        all.clear();
        let processes = senders.iter().zip(0..).filter_map(|(sender, index)| {
            sender.process.as_ref().map(|process| Reverse((process.next_at, index)))
        });
        all.extend(processes);
        self.heap = all.into();
    }

    /// When the next come, and of which origin; never without any.
    #[must_use]
    pub fn next(&self) -> (Nanos, usize) {
        self.heap.peek().map_or((Nanos::MAX, 0), |Reverse((at, sender))| (*at, *sender as usize))
    }

    /// Do those of other origins come in the same instant?
    #[must_use]
    pub fn is_tied(&self) -> bool {
        // A heap's second is one of its first's two children.
        let mut all = self.heap.as_slice().iter().take(3).map(|Reverse((at, _))| *at);
        let next = all.next();
        all.any(|at| Some(at) == next)
    }

    /// The next ones have come; that origin's next come at another time.
    #[inline]
    pub fn advance(&mut self, next_at: Nanos) {
        if let Some(mut next) = self.heap.peek_mut() {
            next.0.0 = next_at;
        }
    }
}
