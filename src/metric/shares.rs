//! Shares of the window's requests by how they ended.

use crate::engine::Snapshot;

use super::account::Account;
use super::{Metric, Summary};

/// Goodput, late, shed, rejected, lost, unfinished.
pub struct Shares {
    account: Account,
}

impl Shares {
    /// Of the requests that arrive from the trigger on.
    pub fn new(trigger_s: f64) -> Self {
        Self { account: Account::new(trigger_s) }
    }
}

impl Metric for Shares {
    fn start(&mut self, snapshot: &Snapshot<'_>) {
        self.account.start(snapshot);
    }

    fn step(&mut self, snapshot: &Snapshot<'_>) {
        self.account.step(snapshot);
    }

    fn finish(&mut self, summary: &mut Summary) {
        let account = &self.account;
        summary.goodput_ratio = account.share(account.completed);
        summary.late_ratio = account.share(account.late);
        summary.shed_ratio = account.share(account.shed);
        summary.rejected_ratio = account.share(account.rejected);
        summary.lost_ratio = account.share(account.lost);
        summary.unfinished_ratio = account.share(account.unfinished);
    }
}
