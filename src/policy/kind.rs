//! What a policy is called, what can be set on it, and how it is made.

use super::{Mitigations, Policy};
use crate::units::Seconds;

/// The unit of a policy's setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingUnit {
    /// A duration with a unit; seconds.
    Duration,
    /// A percentage or a share.
    Ratio,
    /// Requests a second, per second.
    RpsPerSecond,
}

/// A setting that one kind of policy has.
#[derive(Debug)]
pub struct PolicySetting {
    /// The key in the file.
    pub key: &'static str,
    /// What a value is.
    pub unit: SettingUnit,
    /// Least value that makes sense, in the base unit.
    pub least: f64,
    /// Largest value that makes sense, in the base unit.
    pub most: f64,
    /// What holds when the file is silent, in the base unit.
    pub default: Option<f64>,
    /// Another key of the same kind that says the same thing: both together are an error, and
    /// giving one takes the other's default away.
    pub instead_of: Option<&'static str>,
    /// One sentence for help and docs.
    pub sentence: &'static str,
}

/// A kind of policy.
#[derive(Debug)]
pub struct PolicyKind {
    /// The word in the file.
    pub name: &'static str,
    /// One sentence for help and docs.
    pub summary: &'static str,
    /// What can be set on it.
    pub settings: &'static [PolicySetting],
    /// Does it go by the load that pools report? Without, `report_interval` means nothing to it.
    pub reads_load: bool,
    /// Makes one from the values of `settings`, in their order and base units.
    pub build: fn(&[Option<f64>]) -> Box<dyn Policy>,
}

/// A named policy of a file.
#[derive(Debug, Clone)]
pub struct PolicySpec {
    /// Its name in the file.
    pub name: String,
    /// Which kind it is.
    pub kind: &'static PolicyKind,
    /// The values of `kind.settings`, in their order and base units.
    pub values: Vec<Option<f64>>,
    /// How old the load reports that it sees may be.
    pub report_interval: Seconds,
    /// What goes with it.
    pub mitigations: Mitigations,
    /// The named bundles of settings (`[mitigation.*]`) that it is run with.
    pub bundles: Vec<String>,
}

impl PolicySpec {
    /// Its name in the file, without those of its bundles.
    #[must_use]
    pub fn own_name(&self) -> &str {
        self.name.split_once('+').map_or(&self.name, |(own, _)| own)
    }

    /// A fresh policy with its mitigations, with no memory.
    #[must_use]
    pub fn build(&self) -> Box<dyn Policy> {
        let (kind, values) = (self.kind, self.values.clone());
        self.mitigations.around(move || (kind.build)(&values))
    }
}
