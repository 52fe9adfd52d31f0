//! A scenario and the policy that it is run under.

use super::PolicySpec;
use crate::model::Scenario;

/// What one run needs. A policy's `set` may change the scenario, so each policy has its own.
#[derive(Debug, Clone)]
pub struct Case {
    /// The policy.
    pub policy: PolicySpec,
    /// The world under it.
    pub scenario: Scenario,
}
