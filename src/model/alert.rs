//! What is to be noticed while a run goes on (MODEL §10).

use crate::units::Seconds;

/// A signal that an alert watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertSignal {
    /// Utilization of a pool that receives redirected traffic.
    ReceivingPoolCapacityUtilization,
    /// Distinct further pools, hit by no event, that turned unhealthy after the first shift.
    CascadePropagationCount,
    /// Change of the fleet's healthy capacity over the alert's window, as a share of time 0.
    FleetWideCapacityTrend,
}

impl AlertSignal {
    /// Every signal.
    pub const ALL: [Self; 3] = [
        Self::ReceivingPoolCapacityUtilization,
        Self::CascadePropagationCount,
        Self::FleetWideCapacityTrend,
    ];

    /// The word in the file, in columns, and in exported rules.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::ReceivingPoolCapacityUtilization => "receiving_pool_capacity_utilization",
            Self::CascadePropagationCount => "cascade_propagation_count",
            Self::FleetWideCapacityTrend => "fleet_wide_capacity_trend",
        }
    }
}

/// How much an alert matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertSeverity {
    /// To be looked at in working hours.
    Low,
    /// To be looked at soon.
    Medium,
    /// Somebody is woken up.
    High,
}

impl AlertSeverity {
    /// The word in the file.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// An alert.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// Its name in the file.
    pub name: String,
    /// What it watches.
    pub signal: AlertSignal,
    /// It fires when the signal is above this (for the trend: when the fall is larger).
    pub above: f64,
    /// How long after a redirect it watches, or the window of the count or the trend.
    pub within: Seconds,
    /// How long the condition has to hold.
    pub sustained: Seconds,
    /// How much it matters.
    pub severity: AlertSeverity,
    /// What is to be done.
    pub response: String,
}
