//! What will happen, in exact order.
//!
//! Within an instant: first tries and retries that fall due, in an order drawn from the seed;
//! probes; completions, in the order in which they were planned; clients' time-outs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::clock::Nanos;
use super::tries::TryRef;

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A retry falls due.
    Due(TryRef),
    /// A probe is sent to an instance.
    Probe(u32),
    /// A piece of work is done.
    Done(TryRef),
    /// Time-outs of an origin's tries end.
    Alarm(u32),
}

/// Where a kind's number lies within an event's order.
const KIND_BITS: u32 = 62;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: Nanos,
    /// Kind, then place among its kind.
    order: u64,
    subject: u32,
    serial: u32,
}

/// Events to come.
#[derive(Debug, Default)]
pub struct Events {
    heap: BinaryHeap<Reverse<Event>>,
    planned: u64,
}

impl Events {
    /// Plans a retry; `place` decides among those of one instant.
    pub fn due(&mut self, at: Nanos, place: u64, one: TryRef) {
        self.push(at, 0, place >> 2, one.index, one.serial);
    }

    /// Plans a probe.
    pub fn probe(&mut self, at: Nanos, instance: u32) {
        self.push(at, 1, u64::from(instance), instance, 0);
    }

    /// Plans the end of a piece of work.
    pub fn done(&mut self, at: Nanos, one: TryRef) {
        self.planned += 1;
        self.push(at, 2, self.planned, one.index, one.serial);
    }

    /// Plans the next time-outs of an origin.
    pub fn alarm(&mut self, at: Nanos, origin: u32) {
        self.push(at, 3, u64::from(origin), origin, 0);
    }

    fn push(&mut self, at: Nanos, kind: u64, place: u64, subject: u32, serial: u32) {
        let order = kind << KIND_BITS | place & ((1 << KIND_BITS) - 1);
        self.heap.push(Reverse(Event { at, order, subject, serial }));
    }

    /// When the next event is; far away without any.
    #[must_use]
    pub fn next_at(&self) -> Nanos {
        self.heap.peek().map_or(Nanos::MAX, |event| event.0.at)
    }

    /// Is the next event a retry of this instant?
    #[must_use]
    pub fn has_due_at(&self, at: Nanos) -> bool {
        self.heap.peek().is_some_and(|event| event.0.at == at && event.0.order >> KIND_BITS == 0)
    }

    /// Takes the next event.
    pub fn pop(&mut self) -> Option<What> {
        let Reverse(event) = self.heap.pop()?;
        let one = TryRef { index: event.subject, serial: event.serial };
        Some(match event.order >> KIND_BITS {
            0 => What::Due(one),
            1 => What::Probe(event.subject),
            2 => What::Done(one),
            _ => What::Alarm(event.subject),
        })
    }

    /// Moves the ends of work as `moved` tells; it returns none to leave one where it is.
    pub fn reschedule(&mut self, mut moved: impl FnMut(Nanos, TryRef) -> Option<Nanos>) {
        let mut events = std::mem::take(&mut self.heap).into_vec();
        for Reverse(event) in &mut events {
            let one = TryRef { index: event.subject, serial: event.serial };
            if event.order >> KIND_BITS == 2
                && let Some(at) = moved(event.at, one)
            {
                event.at = at;
            }
        }
        self.heap = events.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_has_an_order() {
        let one = |index| TryRef { index, serial: 0 };
        let mut events = Events::default();
        events.alarm(5, 9);
        events.done(5, one(1));
        events.done(5, one(0));
        events.due(5, 1 << 40, one(3));
        events.due(5, 1 << 30, one(4));
        events.probe(5, 7);
        events.done(4, one(2));
        let all: Vec<What> = std::iter::from_fn(|| events.pop()).collect();
        assert_eq!(
            all,
            [
                What::Done(one(2)),
                What::Due(one(4)),
                What::Due(one(3)),
                What::Probe(7),
                What::Done(one(1)),
                What::Done(one(0)),
                What::Alarm(9)
            ]
        );
    }
}
