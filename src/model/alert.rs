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

/// What an alert warns of: its lead is the time that is left until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertOutage {
    /// The first pool, hit by no event, turns unhealthy.
    FurtherPoolLost,
    /// No pool is healthy any more.
    NoPoolHealthy,
}

impl AlertOutage {
    /// The word in output files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::FurtherPoolLost => "further_pool_lost",
            Self::NoPoolHealthy => "no_pool_healthy",
        }
    }
}

/// The numbers of an alert.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlertThreshold {
    /// It fires when the signal is above this; see [`Alert::above`].
    pub above: f64,
    /// See [`Alert::within`], s.
    pub within_s: f64,
    /// How long the condition has to hold, s.
    pub sustained_s: f64,
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

    /// The signal of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|signal| signal.word() == word)
    }

    /// The name of the alert that watches it where a file describes none.
    #[must_use]
    pub const fn usual_name(self) -> &'static str {
        match self {
            Self::ReceivingPoolCapacityUtilization => "receiving-pool-overloaded",
            Self::CascadePropagationCount => "overflow-cascade",
            Self::FleetWideCapacityTrend => "capacity-falling",
        }
    }

    /// What an alert on it warns of.
    #[must_use]
    pub const fn outage(self) -> AlertOutage {
        match self {
            Self::ReceivingPoolCapacityUtilization => AlertOutage::FurtherPoolLost,
            Self::CascadePropagationCount | Self::FleetWideCapacityTrend => {
                AlertOutage::NoPoolHealthy
            }
        }
    }

    /// The numbers of an alert that gives none: chosen by lead times and false alarms over the
    /// shipped topologies (`docs/alerts.md`).
    #[must_use]
    pub const fn default_threshold(self) -> AlertThreshold {
        let (above, within_s, sustained_s) = match self {
            Self::ReceivingPoolCapacityUtilization => (1.0, 300.0, 0.0),
            Self::CascadePropagationCount => (0.0, 300.0, 0.0),
            Self::FleetWideCapacityTrend => (0.05, 60.0, 0.0),
        };
        AlertThreshold { above, within_s, sustained_s }
    }

    /// The numbers that the published pattern gives: over 85 % within a minute of a redirect, more
    /// than one further pool within five minutes, any fall beyond the trigger's own share that
    /// lasts for half a minute.
    #[must_use]
    pub const fn published_threshold(self) -> AlertThreshold {
        let (above, within_s, sustained_s) = match self {
            Self::ReceivingPoolCapacityUtilization => (0.85, 60.0, 0.0),
            Self::CascadePropagationCount => (1.0, 300.0, 0.0),
            Self::FleetWideCapacityTrend => (0.0, 60.0, 30.0),
        };
        AlertThreshold { above, within_s, sustained_s }
    }

    /// What is to be done where an alert does not say.
    #[must_use]
    pub const fn response(self) -> &'static str {
        match self {
            Self::ReceivingPoolCapacityUtilization => {
                "pause or slow down the redirect; see whether capacity can be added at once"
            }
            Self::CascadePropagationCount => {
                "stop all automatic redirects, shed load, call somebody to add capacity by hand"
            }
            Self::FleetWideCapacityTrend => {
                "find out what the trigger does not explain; stop redirects, shed load while \
                 capacity goes on falling"
            }
        }
    }
}

/// Which alerts there are where a file describes none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AlertSet {
    /// One a signal, with [`AlertSignal::default_threshold`].
    #[default]
    Default,
    /// One a signal, with [`AlertSignal::published_threshold`].
    Published,
    /// None, whatever the file describes.
    None,
}

impl AlertSet {
    /// Every set.
    pub const ALL: [Self; 3] = [Self::Default, Self::Published, Self::None];

    /// The word in the file.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Published => "published",
            Self::None => "none",
        }
    }

    /// The set of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.word() == word)
    }

    /// Its alerts.
    #[must_use]
    pub fn alerts(self) -> Vec<Alert> {
        let with = |threshold: fn(AlertSignal) -> AlertThreshold| {
            AlertSignal::ALL.map(|signal| Alert::usual(signal, threshold(signal))).into()
        };
        match self {
            Self::Default => with(AlertSignal::default_threshold),
            Self::Published => with(AlertSignal::published_threshold),
            Self::None => Vec::new(),
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
    /// Every severity.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// The word in the file.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// The severity of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.word() == word)
    }
}

/// An alert.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// Its name in the file.
    pub name: String,
    /// What it watches.
    pub signal: AlertSignal,
    /// It fires when the signal is above this: a ratio of capacity for the receiving pool, pools
    /// for the count; for the trend when the fall beyond the trigger's own share is larger than
    /// this share of the fleet's capacity at time 0.
    pub above: f64,
    /// For the receiving pool: how long after the latest redirect began it watches. For the count:
    /// how long ago a pool may have been lost to count. For the trend: over how long capacity
    /// falls.
    pub within: Seconds,
    /// How long the condition has to hold without a break.
    pub sustained: Seconds,
    /// How much it matters.
    pub severity: AlertSeverity,
    /// What is to be done.
    pub response: String,
}

impl Alert {
    /// The alert on a signal as files without alerts have it, with these numbers.
    #[must_use]
    pub fn usual(signal: AlertSignal, threshold: AlertThreshold) -> Self {
        // The thresholds above are neither negative nor infinite.
        let seconds = |value_s| Seconds::new(value_s).unwrap_or(Seconds::ZERO);
        Self {
            name: signal.usual_name().to_owned(),
            signal,
            above: threshold.above,
            within: seconds(threshold.within_s),
            sustained: seconds(threshold.sustained_s),
            severity: AlertSeverity::High,
            response: signal.response().to_owned(),
        }
    }
}
