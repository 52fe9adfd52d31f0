//! Settings of policies and events.

use super::{MOST_INSTANCES, TIME, mitigation};
use crate::config::setting::{Default, Kind, Range, Section, Setting};
use crate::policy::{self, SettingUnit};

/// What an event of a kind must and may say.
#[derive(Debug)]
pub struct EventKind {
    /// The word in the file.
    pub word: &'static str,
    /// What it must say: exactly one key of each group.
    pub needs: &'static [&'static [&'static str]],
    /// What it may say besides, apart from what every event has.
    pub may: &'static [&'static str],
}

/// Every kind of event that is supported.
pub const EVENT_KINDS: &[EventKind] = &[
    EventKind { word: "zone-outage", needs: &[&["zone"]], may: &[] },
    EventKind { word: "instance-loss", needs: &[&["pool"], &["count", "share"]], may: &[] },
    EventKind { word: "drain", needs: &[&["pool", "zone"]], may: &["share"] },
    EventKind { word: "slow", needs: &[&["pool", "zone"], &["speed"]], may: &[] },
    EventKind { word: "errors", needs: &[&["pool", "zone"], &["share"]], may: &[] },
    EventKind { word: "surge", needs: &[&["pool", "source"], &["factor"]], may: &[] },
    EventKind { word: "add-instances", needs: &[&["pool"], &["count"]], may: &[] },
    EventKind { word: "launches-refused", needs: &[&["pool", "zone"]], may: &[] },
    EventKind { word: "set", needs: &[&["set"]], may: &[] },
];

/// The keys that every event has.
pub const EVENT_COMMON: &[&str] = &["kind", "at", "over", "until", "cause"];

const EVENT_WORDS: &[&str] = &[
    "zone-outage",
    "instance-loss",
    "drain",
    "slow",
    "errors",
    "surge",
    "add-instances",
    "launches-refused",
    "set",
];

pub(super) fn event() -> Vec<Setting> {
    let mut settings = vec![
        Setting::new("event.*.kind", Kind::Word(EVENT_WORDS), Default::Required, "What happens."),
        Setting::new("event.*.at", TIME, Default::Required, "When it begins."),
        Setting::new(
            "event.*.over",
            TIME,
            Default::Is("\"0s\""),
            "Spread evenly, or ramped linearly, over this time.",
        ),
        Setting::new(
            "event.*.until",
            TIME,
            Default::Nothing,
            "When it is undone; never without it.",
        )
        .absent("none"),
        Setting::new(
            "event.*.cause",
            Kind::Text,
            Default::Nothing,
            "Free text for charts and logs.",
        ),
    ];
    settings.extend(event_details());
    settings
}

fn event_details() -> [Setting; 8] {
    [
        Setting::new(
            "event.*.zone",
            Kind::Name(Section::Zone),
            Default::Nothing,
            "The zone that it is about.",
        )
        .instead_of(&["pool"]),
        Setting::new(
            "event.*.pool",
            Kind::Name(Section::Pool),
            Default::Nothing,
            "The pool that it is about.",
        )
        .instead_of(&["zone", "source"]),
        Setting::new(
            "event.*.source",
            Kind::Name(Section::Source),
            Default::Nothing,
            "The source that it is about.",
        )
        .instead_of(&["pool"]),
        Setting::new(
            "event.*.count",
            Kind::Count(1, MOST_INSTANCES),
            Default::Nothing,
            "How many instances.",
        )
        .instead_of(&["share"]),
        Setting::new(
            "event.*.share",
            Kind::Ratio(Range::over(0.0, 1.0)),
            Default::Derived("all of the demand, for a drain"),
            "The share of instances, demand or tries.",
        )
        .instead_of(&["count"]),
        Setting::new(
            "event.*.speed",
            Kind::Ratio(Range::from(0.0, 1000.0)),
            Default::Nothing,
            "Instances run at this multiple of their speed; 0 is a stall that keeps the queue.",
        ),
        Setting::new(
            "event.*.factor",
            Kind::Ratio(Range::from(0.0, 1_000_000.0)),
            Default::Nothing,
            "First tries are multiplied by this.",
        ),
        Setting::new(
            "event.*.set",
            Kind::Assignments,
            Default::Nothing,
            "Settings, by path, that take other values.",
        ),
    ]
}

pub(super) fn policy() -> Vec<Setting> {
    let mut settings = vec![
        Setting::new(
            "policy.*.kind",
            Kind::Text,
            Default::Required,
            "The rule by which traffic is moved.",
        ),
        Setting::new(
            "policy.*.report_interval",
            TIME,
            Default::Is("\"0s\""),
            "How old the load reports that the policy sees may be.",
        ),
        Setting::new(
            "policy.*.set",
            Kind::Assignments,
            Default::Nothing,
            "Settings of instances, pools, clients, sources and autoscalers, by path, that hold \
             under this policy.",
        ),
    ];
    settings.extend(mitigation::shed());
    settings.extend(mitigation::breaker());
    for own in policy::KINDS.iter().flat_map(|kind| kind.settings) {
        let range = Range::from(own.least, own.most);
        let kind = match own.unit {
            SettingUnit::Duration => Kind::Duration(range),
            SettingUnit::Ratio => Kind::Ratio(range),
            SettingUnit::RpsPerSecond => Kind::Number(range),
        };
        let path = format!("policy.*.{}", own.key);
        if settings.iter().all(|known| known.path != path) {
            let instead_of: Vec<_> = own.instead_of.into_iter().collect();
            let default = Default::Derived("depends on the kind");
            let setting = Setting::new(path, kind, default, own.sentence).instead_of(&instead_of);
            settings.push(setting);
        }
    }
    for index in 0..settings.len() {
        // Two keys exclude each other, whichever of them says so.
        let key = static_key(&settings[index]);
        let others: Vec<_> = settings
            .iter()
            .filter(|other| key.is_some_and(|key| other.instead_of.contains(&key)))
            .filter_map(static_key)
            .collect();
        for other in others {
            if !settings[index].instead_of.contains(&other) {
                settings[index].instead_of.push(other);
            }
        }
    }
    settings
}

fn static_key(setting: &Setting) -> Option<&'static str> {
    let own = policy::KINDS.iter().flat_map(|kind| kind.settings);
    own.map(|own| own.key).find(|key| *key == setting.key())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_event_is_a_word_and_has_its_keys() {
        let words: Vec<_> = EVENT_KINDS.iter().map(|kind| kind.word).collect();
        assert_eq!(words, EVENT_WORDS);
        let settings = event();
        let keys: Vec<_> = settings.iter().map(Setting::key).collect();
        for kind in EVENT_KINDS {
            for key in kind.needs.iter().copied().flatten().chain(kind.may) {
                assert!(keys.contains(key), "{} has {key}", kind.word);
            }
        }
    }
}
