//! Values out of a table, with defaults filled in.

use crate::config::document::{Entity, Value};
use crate::config::problems::Problems;
use crate::config::registry;
use crate::config::setting::{Default, Section};
use crate::diagnostic::{Problem, Span};

/// A table of a section, ready to be asked.
pub(super) struct Table<'a> {
    pub(super) section: Option<Section>,
    pub(super) entity: &'a Entity,
}

impl<'a> Table<'a> {
    pub(super) const fn of(section: Section, entity: &'a Entity) -> Self {
        Self { section: Some(section), entity }
    }

    /// What it is called in messages.
    pub(super) fn title(&self) -> String {
        match self.section {
            Some(section) => format!("{} `{}`", section.word(), self.entity.shown),
            None => "`[simulation]`".to_owned(),
        }
    }

    fn node(&self, key: &str) -> Option<&'static registry::Node> {
        let path = match self.section {
            Some(section) => format!("{}.*.{key}", section.word()),
            None => format!("simulation.{key}"),
        };
        registry::root().find(&path)
    }

    /// The value, or its default; [`Value::Absent`] when there is neither. None when it is invalid
    /// or missing, which is then reported.
    pub(super) fn value(&self, key: &str, problems: &mut Problems) -> Option<Value> {
        if let Some(entry) = self.entity.get(key) {
            return (entry.value != Value::Invalid).then(|| entry.value.clone());
        }
        let node = self.node(key)?;
        let setting = node.setting?;
        match (&node.default, &setting.default) {
            (Some(value), _) => Some(value.clone()),
            (None, Default::Required) => {
                let help = format!("add `{key}`: {}", fragment(setting.sentence));
                problems.push(self.missing(&format!("`{key}`")).help(help));
                None
            }
            _ => Some(Value::Absent),
        }
    }

    pub(super) fn missing(&self, keys: &str) -> Problem {
        let title = format!("{} has no {keys}", self.title());
        Problem::error("missing-key", self.entity.at, title)
    }

    pub(super) fn number(&self, key: &str, problems: &mut Problems) -> Option<f64> {
        match self.value(key, problems)? {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn optional_number(
        &self,
        key: &str,
        problems: &mut Problems,
    ) -> Option<Option<f64>> {
        match self.value(key, problems)? {
            Value::Number(number) => Some(Some(number)),
            Value::Absent => Some(None),
            _ => None,
        }
    }

    pub(super) fn count(&self, key: &str, problems: &mut Problems) -> Option<u64> {
        self.optional_count(key, problems)?
    }

    /// A count whose range ends below 2³².
    pub(super) fn small_count(&self, key: &str, problems: &mut Problems) -> Option<u32> {
        u32::try_from(self.count(key, problems)?).ok()
    }

    pub(super) fn optional_count(&self, key: &str, problems: &mut Problems) -> Option<Option<u64>> {
        match self.value(key, problems)? {
            Value::Count(count) => Some(Some(count)),
            Value::Absent => Some(None),
            _ => None,
        }
    }

    pub(super) fn text(&self, key: &str, problems: &mut Problems) -> Option<String> {
        self.optional_text(key, problems)?
    }

    pub(super) fn optional_text(
        &self,
        key: &str,
        problems: &mut Problems,
    ) -> Option<Option<String>> {
        match self.value(key, problems)? {
            Value::Text(text) => Some(Some(text)),
            Value::Absent => Some(None),
            _ => None,
        }
    }

    pub(super) fn switch(&self, key: &str, problems: &mut Problems) -> Option<bool> {
        match self.value(key, problems)? {
            Value::Switch(switch) => Some(switch),
            _ => None,
        }
    }

    /// Is the key given, validly or not?
    pub(super) fn has(&self, key: &str) -> bool {
        self.entity.get(key).is_some()
    }

    /// Where a key's value is; the table's header when it is not given.
    pub(super) fn place(&self, key: &str) -> Span {
        self.entity.place(key)
    }
}

/// A sentence as the end of another.
pub(in crate::config) fn fragment(sentence: &str) -> String {
    let mut chars = sentence.trim_end_matches('.').chars();
    chars.next().map(char::to_lowercase).into_iter().flatten().chain(chars).collect()
}
