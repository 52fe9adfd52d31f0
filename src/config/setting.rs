//! What one setting of a topology file is.

use crate::model::{AutoscalerSetting, ClientSetting, InstanceSetting, PoolSetting};

/// The least value of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Least {
    /// This one.
    At(f64),
    /// Anything above this.
    Over(f64),
}

/// The values that a number may take, in the base unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// From here.
    pub least: Least,
    /// To here, included.
    pub most: f64,
}

impl Range {
    /// From `least` to `most`, both included.
    #[must_use]
    pub const fn from(least: f64, most: f64) -> Self {
        Self { least: Least::At(least), most }
    }

    /// Above `least`, up to `most` included.
    #[must_use]
    pub const fn over(least: f64, most: f64) -> Self {
        Self { least: Least::Over(least), most }
    }
}

/// The things that a setting can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// `[instance.NAME]`
    Instance,
    /// `[client.NAME]`
    Client,
    /// `[zone.NAME]`
    Zone,
    /// `[pool.NAME]`
    Pool,
    /// `[source.NAME]`
    Source,
    /// `[autoscaler.NAME]`
    Autoscaler,
    /// `[policy.NAME]`
    Policy,
    /// `[event.NAME]`
    Event,
    /// `[phase.NAME]`
    Phase,
    /// `[mitigation.NAME]`
    Mitigation,
    /// `[alert.NAME]`
    Alert,
}

impl Section {
    /// Every section, in the order in which they are described.
    pub const ALL: [Self; 11] = [
        Self::Instance,
        Self::Client,
        Self::Zone,
        Self::Pool,
        Self::Source,
        Self::Autoscaler,
        Self::Policy,
        Self::Event,
        Self::Phase,
        Self::Mitigation,
        Self::Alert,
    ];

    /// The word in the file.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Instance => "instance",
            Self::Client => "client",
            Self::Zone => "zone",
            Self::Pool => "pool",
            Self::Source => "source",
            Self::Autoscaler => "autoscaler",
            Self::Policy => "policy",
            Self::Event => "event",
            Self::Phase => "phase",
            Self::Mitigation => "mitigation",
            Self::Alert => "alert",
        }
    }

    /// The section of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.word() == word)
    }
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A string with units, such as `"1m30s"`; seconds.
    Duration(Range),
    /// `"15%"` or 0.15.
    Ratio(Range),
    /// A plain number, in the unit that the key says.
    Number(Range),
    /// A whole number, from and to.
    Count(u64, u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Work: a string with units, in seconds, or a plain number of units.
    Work(Range),
    /// `true` or `false`.
    Switch,
    /// The name of a table of that section.
    Name(Section),
    /// A list of names of tables of that section.
    Names(Section),
    /// Any text.
    Text,
    /// Settings by path, and their values.
    Assignments,
}

/// What holds when the file is silent.
#[derive(Debug, Clone, PartialEq)]
pub enum Default {
    /// The file has to say.
    Required,
    /// Nothing: no limit, or the other of two keys says it.
    Nothing,
    /// This value, as it would be written.
    Is(&'static str),
    /// What this sentence says.
    Derived(&'static str),
}

/// Whether and how a setting changes in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InRun {
    /// It is fixed at the start.
    Fixed,
    /// As a setting of an instance kind.
    Instance(InstanceSetting),
    /// As a setting of a pool.
    Pool(PoolSetting),
    /// As a pool's demand, from its capacity.
    Headroom,
    /// As a setting of a client.
    Client(ClientSetting),
    /// As what an instance kind has of a resource.
    ResourceLimit,
    /// As a source's demand.
    SourceDemand,
    /// As a setting of an autoscaler.
    Autoscaler(AutoscalerSetting),
    /// As the value of one of an autoscaler's targets.
    ScaleTarget,
}

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Its dotted path; `*` stands for a name.
    pub path: String,
    /// What a value is.
    pub kind: Kind,
    /// What holds when the file is silent.
    pub default: Default,
    /// The word that means "no value", where there is one.
    pub absent: Option<&'static str>,
    /// Whether it may change in a run.
    pub in_run: InRun,
    /// Keys beside it that say the same thing: an override of one replaces the others.
    pub instead_of: Vec<&'static str>,
    /// Words of its own beside which other keys mean nothing: an override that says one drops them.
    pub silences: Vec<(&'static str, &'static [&'static str])>,
    /// One sentence for help and docs.
    pub sentence: &'static str,
}

impl Setting {
    pub(super) fn new(
        path: impl Into<String>,
        kind: Kind,
        default: Default,
        sentence: &'static str,
    ) -> Self {
        let (absent, in_run, instead_of) = (None, InRun::Fixed, vec![]);
        let (path, silences) = (path.into(), vec![]);
        Self { path, kind, default, absent, in_run, instead_of, silences, sentence }
    }

    pub(super) fn absent(mut self, word: &'static str) -> Self {
        self.absent = Some(word);
        self
    }

    pub(super) fn in_run(mut self, in_run: InRun) -> Self {
        self.in_run = in_run;
        self
    }

    pub(super) fn instead_of(mut self, keys: &[&'static str]) -> Self {
        self.instead_of = keys.to_vec();
        self
    }

    pub(super) fn silences(mut self, word: &'static str, keys: &'static [&'static str]) -> Self {
        self.silences.push((word, keys));
        self
    }

    /// The last part of the path that is no name: the key in its table.
    #[must_use]
    pub fn key(&self) -> &str {
        self.path.rsplit('.').find(|part| *part != "*").unwrap_or(&self.path)
    }
}
