//! The registry by path.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{alert, autoscaler, client, instance, mitigation, plan, pool, run};
use crate::config::document::Value;
use crate::config::problems::Problems;
use crate::config::raw::read_value;
use crate::config::setting::{Default as Fallback, Section, Setting};
use crate::config::value;
use crate::diagnostic::SourceId;

static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    [
        run::root(),
        run::simulation(),
        instance::instance(),
        client::client(),
        pool::pool(),
        client::source(),
        autoscaler::autoscaler(),
        plan::policy(),
        plan::event(),
        run::phase(),
        vec![mitigation::bundle()],
        alert::alert(),
    ]
    .concat()
});

static ROOT: LazyLock<Node> = LazyLock::new(|| {
    let mut root = Node::default();
    for setting in SETTINGS.iter() {
        root.insert(&setting.path, setting);
    }
    for section in Section::ALL {
        // A zone has no settings, and yet a table.
        let node = root.children.entry(section.word()).or_default();
        node.names.get_or_insert_default();
    }
    root
});

/// A place in the tree of paths: a setting, or a table of further keys.
#[derive(Debug, Default)]
pub struct Node {
    /// The setting that ends here.
    pub setting: Option<&'static Setting>,
    /// What it is when the file is silent; absent without a default that can be written.
    pub(in crate::config) default: Option<Value>,
    /// Keys below.
    pub children: BTreeMap<&'static str, Node>,
    /// What is below a name, where names stand.
    pub names: Option<Box<Node>>,
}

impl Node {
    fn insert(&mut self, path: &'static str, setting: &'static Setting) {
        let mut node = self;
        for part in path.split('.') {
            node = match part {
                "*" => node.names.get_or_insert_default(),
                key => node.children.entry(key).or_default(),
            };
        }
        node.setting = Some(setting);
        if let Fallback::Is(text) = setting.default {
            node.default = read_value(text, SourceId(0), 0)
                .map(|(raw, at)| value::check(setting, &raw, at, &mut Problems::default()));
        }
    }

    /// What is below a key or a name.
    #[must_use]
    pub fn child(&self, key: &str) -> Option<&Self> {
        self.children.get(key).or(self.names.as_deref())
    }

    /// Are there values right under the names here, and not only tables?
    #[must_use]
    pub fn has_leaf_names(&self) -> bool {
        self.names.as_ref().is_some_and(|below| below.setting.is_some() && below.names.is_some())
    }

    /// The keys here.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.children.keys().copied()
    }

    /// The place at a path below, whose parts are keys and names.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, Self::child)
    }
}

/// The whole tree.
#[must_use]
pub fn root() -> &'static Node {
    &ROOT
}

/// Every setting there is, known but unsupported ones included, in the order of the docs.
pub fn settings() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_found_and_its_default_is_valid() {
        for setting in settings() {
            let node = root().find(&setting.path).expect("a place of its own");
            assert_eq!(node.setting, Some(setting), "{}", setting.path);
            assert_ne!(node.default, Some(Value::Invalid), "{}", setting.path);
            let has_default = matches!(setting.default, Fallback::Is(_));
            assert_eq!(node.default.is_some(), has_default, "{}", setting.path);
            assert!(setting.sentence.len() > 10, "{}", setting.path);
        }
    }
}
