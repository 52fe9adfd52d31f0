//! How a request calls other pools.

use super::flow::{Flow, Todo, purpose};
use super::tries::{Stage, TryRef};
use crate::engine::retry::Failure;
use crate::engine::rng::Draws;
use crate::model::{Call, CallMode};

impl Flow {
    /// A request has done its own work and calls other pools.
    pub(super) fn begin_calls(&mut self, one: TryRef) {
        let Some(there) = self.tries.get_mut(one) else { return };
        there.stage = Stage::Calling;
        there.call = 0;
        there.calls_open = 0;
        let (pool, draws) = (there.pool as usize, there.draws);
        match self.call_plans[pool].mode {
            CallMode::Sequence => {
                self.prepare_edge(one, 0);
                self.call(one);
            }
            CallMode::Parallel => {
                let counts: Vec<u32> = (0..self.call_plans[pool].calls.len())
                    .map(|edge| call_count(&self.call_plans[pool].calls[edge], draws, edge))
                    .collect();
                if let Some(there) = self.tries.get_mut(one) {
                    there.calls_open = counts.iter().sum();
                    if there.calls_open == 0 {
                        self.finish(one);
                        return;
                    }
                }
                for (edge, count) in counts.into_iter().enumerate() {
                    for number in 0..count {
                        let call = self.bear_call(one, pool, draws, edge, number);
                        self.todo.push(Todo::Send(call));
                    }
                }
            }
        }
    }

    pub(super) fn prepare_edge(&mut self, one: TryRef, edge: usize) {
        let Some(&there) = self.tries.get(one) else { return };
        let call = self.call_plans[there.pool as usize].calls.get(edge);
        let count = call.map_or(0, |call| call_count(call, there.draws, edge));
        if let Some(there) = self.tries.get_mut(one) {
            there.call = edge as u32;
            there.calls_left = count;
        }
    }

    /// Makes the next call of a sequence, or is done with them.
    pub(super) fn call(&mut self, one: TryRef) {
        loop {
            let Some(there) = self.tries.get_mut(one) else { return };
            let (pool, edge, draws) = (there.pool as usize, there.call as usize, there.draws);
            if there.calls_left > 0 {
                there.calls_left -= 1;
                there.calls_open = 1;
                let number = there.calls_left;
                let call = self.bear_call(one, pool, draws, edge, number);
                self.todo.push(Todo::Send(call));
                return;
            }
            if edge + 1 >= self.call_plans[pool].calls.len() {
                self.finish(one);
                return;
            }
            self.prepare_edge(one, edge + 1);
        }
    }

    pub(super) fn bear_call(
        &mut self,
        of: TryRef,
        pool: usize,
        draws: Draws,
        edge: usize,
        n: u32,
    ) -> TryRef {
        let origin = self.call_plans[pool].origins[edge];
        let own = draws.child(purpose::CALLS + ((edge as u64) << 32 | u64::from(n)));
        self.bear(origin, 0, of, Some(own))
    }

    /// A call of a request has been answered.
    pub(super) fn answered(&mut self, parent: TryRef) {
        let Some(there) = self.tries.get_mut(parent) else { return };
        there.calls_open -= 1;
        if there.calls_open > 0 {
            return;
        }
        match self.call_plans[there.pool as usize].mode {
            CallMode::Sequence => self.todo.push(Todo::Call(parent)),
            CallMode::Parallel => self.todo.push(Todo::Finish(parent)),
        }
    }

    /// A call of a request has failed for good, and so does the request.
    pub(super) fn abandon(&mut self, parent: TryRef) {
        let Some(&there) = self.tries.get(parent) else { return };
        self.release(parent);
        if self.is_given_up(&there) {
            self.leave_late(parent, &there);
            return;
        }
        self.desks[there.pool as usize].now.lost += 1;
        self.fail(parent, Failure::Lost);
    }
}

/// How many calls a request makes along an edge.
fn call_count(call: &Call, draws: Draws, edge: usize) -> u32 {
    let whole = call.per_request.floor();
    let one_more = draws.uniform(purpose::CALLS + edge as u64) < call.per_request - whole;
    whole as u32 + u32::from(one_more)
}
