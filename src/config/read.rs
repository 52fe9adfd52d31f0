//! A document's values against the registry: unknown keys, types, ranges.

use std::sync::Arc;

use super::document::{Document, Entity, Entry, Value};
use super::problems::{Problems, list};
use super::raw::{Item, Raw};
use super::registry::{self, Node};
use super::setting::Section;
use super::value;
use crate::diagnostic::{Problem, Span};

/// Longest name, bytes.
const LONGEST_NAME: usize = 100;

/// Reads every table of a document.
pub(super) fn read(items: &[Item], start: Span, problems: &mut Problems) -> Document {
    let mut document = Document::new(start);
    let tree = registry::root();
    let mut root = Entity::new("", start, 0);
    for item in items {
        let word = item.key.as_str();
        match (Section::from_word(word), tree.children.get(word)) {
            (Some(section), Some(node)) => {
                read_section(section, node, item, &mut document, problems);
            }
            (None, Some(node)) if word == "simulation" => {
                if let Some(below) = table_items(item, word, problems) {
                    let mut entity = Entity::new("", item.at, 0);
                    read_table(node, below, "", &mut entity, problems);
                    document.simulation = Arc::new(entity);
                }
            }
            _ => read_item(tree, item, "", &mut root, problems),
        }
    }
    document.root = Arc::new(root);
    document
}

fn read_section(
    section: Section,
    node: &Node,
    item: &Item,
    document: &mut Document,
    problems: &mut Problems,
) {
    let word = section.word();
    let Some(below) = table_items(item, &format!("{word}.NAME"), problems) else { return };
    let Some(node) = &node.names else { return };
    for (order, item) in below.iter().enumerate() {
        let name = &item.key;
        if !is_name(name) {
            problems.push(invalid_name(name, item.key_span));
        }
        // Read under the name that it should have, so that others still find it.
        let name = &if is_name(name) { name.clone() } else { mended_name(name) };
        if let Raw::Table(values) = &item.raw {
            let mut entity = Entity::new(name, item.key_span, order);
            read_table(node, values, "", &mut entity, problems);
            document.table_mut(section).insert(name.clone(), Arc::new(entity));
        } else {
            let title = format!("`{word}.{name}` must be a table, not {}", item.raw.what());
            let problem = Problem::error("wrong-type", item.at, title);
            let problem = match node.children.contains_key(name.as_str()) {
                true => problem.help(format!(
                    "`{name}` belongs to one {word}: give it a name, `[{word}.NAME]`"
                )),
                false => problem.help(format!("write `[{word}.{name}]` and its keys below")),
            };
            problems.push(problem);
        }
    }
}

/// What is below a key that must be a table.
fn table_items<'a>(item: &'a Item, header: &str, problems: &mut Problems) -> Option<&'a [Item]> {
    match &item.raw {
        Raw::Table(items) => Some(items),
        raw => {
            let title = format!("`{}` must be a table, not {}", item.key, raw.what());
            let problem = Problem::error("wrong-type", item.key_span, title);
            problems.push(problem.help(format!("write `[{header}]` and its keys below")));
            None
        }
    }
}

/// Reads the keys of a table, and of the tables in it, into an entity.
pub(super) fn read_table(
    node: &Node,
    items: &[Item],
    prefix: &str,
    entity: &mut Entity,
    problems: &mut Problems,
) {
    for item in items {
        read_item(node, item, prefix, entity, problems);
    }
}

fn read_item(node: &Node, item: &Item, prefix: &str, entity: &mut Entity, problems: &mut Problems) {
    if let Some((pool, key)) = item.key.split_once('.').filter(|_| node.has_leaf_names()) {
        // A quoted key such as `"service.cpu"` says what nested tables say.
        let inner = Item { key: key.to_owned(), ..item.clone() };
        let raw = Raw::Table(vec![inner]);
        let item = Item { key: pool.to_owned(), raw, ..item.clone() };
        return read_item(node, &item, prefix, entity, problems);
    }
    let Some(child) = node.child(&item.key) else {
        let close = problems.suggest(&item.key, node.children.keys().copied());
        problems.push(unknown_key(node, &item.key, item.key_span, problems));
        if let Some(close) = close {
            // What is misspelt is not missing.
            let entry = Entry { value: Value::Invalid, key: item.key_span, at: item.at };
            entity.values.entry(format!("{prefix}{close}")).or_insert(entry);
        }
        return;
    };
    if !node.children.contains_key(item.key.as_str()) && !is_name(&item.key) {
        problems.push(invalid_name(&item.key, item.key_span));
        return;
    }
    let path = format!("{prefix}{}", item.key);
    let is_table = child.names.is_some() && matches!(item.raw, Raw::Table(_));
    if let Some(setting) = child.setting.filter(|_| !is_table) {
        let value = value::check(setting, &item.raw, item.at, problems);
        entity.values.insert(path, Entry { value, key: item.key_span, at: item.at });
    } else if let Raw::Table(below) = &item.raw {
        entity.tables.entry(path.clone()).or_insert(item.key_span);
        read_table(child, below, &format!("{path}."), entity, problems);
    } else {
        let title = format!("`{}` must be a table, not {}", item.key, item.raw.what());
        let keys = list(child.keys());
        let problem = Problem::error("wrong-type", item.at, title);
        problems.push(match keys.is_empty() {
            true => problem.help(format!("write `{} = {{ NAME = {{}} }}`", item.key)),
            false => problem.help(format!("its keys are {keys}")),
        });
    }
}

/// A key that no setting has, with the one that was probably meant.
pub(super) fn unknown_key(node: &Node, key: &str, at: Span, problems: &Problems) -> Problem {
    let shown = key.chars().take(80).collect::<String>();
    let problem = Problem::error("unknown-key", at, format!("unknown key `{shown}`"));
    if let Some(close) = problems.suggest(key, node.children.keys().copied()) {
        return problem.help(format!("did you mean `{close}`?")).patch(at, close);
    }
    let elsewhere = registry::settings().filter(|setting| setting.key() == key);
    let places: Vec<_> = elsewhere.map(|setting| setting.path.replace('*', "NAME")).collect();
    if !places.is_empty() {
        let places = list(places.iter().map(String::as_str));
        return problem.help(format!("it belongs elsewhere: {places}"));
    }
    let keys = list(node.keys());
    match keys.is_empty() {
        true => problem.help("this table has no keys"),
        false => problem.help(format!("the keys here are {keys}")),
    }
}

pub(super) fn is_name(name: &str) -> bool {
    let is_letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_letter)
}

pub(super) fn invalid_name(name: &str, at: Span) -> Problem {
    let shown = name.chars().take(80).collect::<String>();
    let problem = Problem::error("invalid-name", at, format!("`{shown}` cannot be a name"));
    let problem = problem
        .help("names are 1 to 100 lowercase letters, digits, `-` and `_`, such as `planner-a`");
    let mended = mended_name(name);
    if is_name(&mended) { problem.patch(at, mended) } else { problem }
}

/// As [`invalid_name`], of a value in quotes.
pub(super) fn invalid_name_text(name: &str, at: Span) -> Problem {
    let mut problem = invalid_name(name, at);
    if let Some(patch) = &mut problem.patch {
        patch.replacement = format!("\"{}\"", patch.replacement);
    }
    problem
}

/// The nearest name that may be one.
pub(super) fn mended_name(name: &str) -> String {
    let mend = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String =
        name.chars().take(LONGEST_NAME).flat_map(char::to_lowercase).map(mend).collect();
    name.trim_matches('-').to_owned()
}
