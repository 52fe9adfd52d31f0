//! Settings by path: `--set`, a policy's `set`, an event's `set`.

use std::sync::Arc;

use super::document::{Assignment, Document, Entity, Entry, Table, Value};
use super::problems::{Problems, list, or_list, refuse};
use super::raw::{Raw, read_value};
use super::registry::{self, Node};
use super::setting::{Section, Setting};
use super::{expand, read, value};
use crate::diagnostic::{Problem, SourceId, Span};

/// The table that a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    Root,
    Simulation,
    Named(Section, String),
}

impl Owner {
    fn is_pool(&self) -> bool {
        matches!(self, Self::Named(Section::Pool, _))
    }
}

/// What a path means in a document: a setting or a table of one entity.
pub(super) struct Found {
    pub(super) owner: Owner,
    /// The path below the owner's table.
    pub(super) key: String,
    pub(super) node: &'static Node,
}

/// Splits a `--set` argument into path and value. A value that is no TOML is taken as text.
pub(super) fn parse_argument(argument: &str, source: SourceId) -> Result<Assignment, Box<Problem>> {
    let whole = Span::new(source, 0..argument.len());
    let Some(equals) = argument.find('=') else {
        let problem = Problem::error("set-syntax", whole, "an override is PATH=VALUE");
        return refuse(problem.help("write, for example, `--set pool.b.instances=30`"));
    };
    let path = argument[..equals].trim();
    let text = argument[equals + 1..].trim();
    let offset = argument.len() - argument[equals + 1..].trim_start().len();
    let value_span = Span::new(source, offset..offset + text.len());
    if path.is_empty() || text.is_empty() {
        let problem = Problem::error("set-syntax", whole, "an override is PATH=VALUE");
        return refuse(problem.help("a path and a value, neither of them empty"));
    }
    let (raw, at) = match read_value(text, source, offset) {
        Some(read) => read,
        None if text.starts_with(['"', '\'', '[', '{']) => {
            let problem = Problem::error("set-syntax", value_span, "not a valid TOML value");
            return refuse(
                problem.help("quote the whole argument for the shell: 'PATH=\"VALUE\"'"),
            );
        }
        None => (Raw::Text(text.to_owned()), value_span),
    };
    let start = argument.len() - argument.trim_start().len();
    let path_span = Span::new(source, start..start + path.len());
    Ok(Assignment { path: path.to_owned(), path_span, raw, at })
}

/// Does a path say where pools are, so that it must be followed before they are expanded?
pub(super) fn decides_pools(assignment: &Assignment) -> bool {
    let mut parts = assignment.path.split('.');
    let is_pool = parts.next() == Some("pool");
    is_pool && matches!(parts.nth(1), Some("zone" | "zones")) && parts.next().is_none()
}

/// Gives a setting another value, wherever the path matches. A table's keys are set one by one; a
/// table of names replaces what was there.
pub(super) fn apply(document: &mut Document, assignment: &Assignment, problems: &mut Problems) {
    match resolve(document, assignment, problems) {
        Ok(found) => {
            for place in found {
                apply_to(document, &place, assignment, problems);
            }
        }
        Err(problem) => problems.push(*problem),
    }
}

fn apply_to(
    document: &mut Document,
    found: &Found,
    assignment: &Assignment,
    problems: &mut Problems,
) {
    let entity = match &found.owner {
        Owner::Root => Arc::make_mut(&mut document.root),
        Owner::Simulation => Arc::make_mut(&mut document.simulation),
        Owner::Named(section, name) => match document.tables[*section as usize].get_mut(name) {
            Some(entity) => Arc::make_mut(entity),
            None => return,
        },
    };
    let Assignment { raw, at, path_span, .. } = assignment;
    let is_table = found.node.names.is_some() && matches!(raw, Raw::Table(_));
    if let Some(setting) = found.node.setting.filter(|_| !is_table) {
        let value = value::check(setting, raw, *at, problems);
        set(entity, setting, &found.key, Entry { value, key: *path_span, at: *at });
        return;
    }
    let Raw::Table(items) = raw else {
        let title = format!("`{}` is a table, not a setting", assignment.path);
        let problem = Problem::error("unknown-path", *path_span, title);
        problems.push(with_keys(problem, found.node, "set one of its keys"));
        return;
    };
    if found.node.names.is_some() {
        entity.remove_table(&found.key);
    }
    note_tables(entity, &found.key, *path_span);
    entity.tables.insert(found.key.clone(), *path_span);
    read::read_table(found.node, items, &format!("{}.", found.key), entity, problems);
    if found.owner.is_pool() {
        expand::settle_calls(entity, &document.templates);
    }
}

fn set(entity: &mut Entity, setting: &Setting, key: &str, entry: Entry) {
    let prefix = key.rsplit_once('.').map_or("", |(before, _)| before);
    let silenced = setting.silences.iter().filter(|(word, _)| match &entry.value {
        Value::Text(text) => text == word,
        _ => false,
    });
    for other in silenced.flat_map(|(_, keys)| *keys).chain(&setting.instead_of) {
        let other =
            if prefix.is_empty() { (*other).to_owned() } else { format!("{prefix}.{other}") };
        entity.values.remove(&other);
    }
    note_tables(entity, key, entry.key);
    entity.values.insert(key.to_owned(), entry);
}

/// A key in a table says that there is the table.
fn note_tables(entity: &mut Entity, key: &str, at: Span) {
    for (dot, _) in key.match_indices('.') {
        entity.tables.entry(key[..dot].to_owned()).or_insert(at);
    }
}

/// Everything that a path matches; `*` stands for every name.
pub(super) fn resolve(
    document: &Document,
    assignment: &Assignment,
    problems: &Problems,
) -> Result<Vec<Found>, Box<Problem>> {
    let Assignment { path, path_span: at, .. } = assignment;
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let tree = registry::root();
    let Some(node) = tree.children.get(first) else {
        let words = tree.children.keys().copied();
        let problem = unknown_path(path, *at);
        return refuse(match problems.suggest(first, words.clone()) {
            Some(close) => {
                let mended = if rest.is_empty() { close.into() } else { format!("{close}.{rest}") };
                problem.help(format!("did you mean `{mended}`?"))
            }
            None => problem.help(format!("paths begin with {}", or_list(tree.keys()))),
        });
    };
    if node.setting.is_some() {
        let found = Found { owner: Owner::Root, key: first.to_owned(), node };
        return match rest.is_empty() {
            true => Ok(vec![found]),
            false => refuse(unknown_path(path, *at).help(format!("`{first}` has no keys"))),
        };
    }
    let Some(section) = Section::from_word(first) else {
        let (key, node) = descend(node, rest, path, *at, problems)?;
        return Ok(vec![Found { owner: Owner::Simulation, key, node }]);
    };
    let (name, rest) = rest.split_once('.').unwrap_or((rest, ""));
    let below = node.names.as_deref().unwrap_or(node);
    let names = names_of(document, section, name, *at, problems)?;
    let (key, node) = descend(below, rest, path, *at, problems)?;
    let mut found = vec![];
    for name in names {
        let entity = &document.table(section)[&name];
        for key in star_keys(entity, &key, node) {
            let key = match section {
                Section::Pool => expand::settled_key(entity, &key, &document.templates),
                _ => key,
            };
            found.push(Found { owner: Owner::Named(section, name.clone()), key, node });
        }
    }
    if found.is_empty() {
        let title = format!("`{path}` matches nothing");
        let problem = Problem::error("unknown-path", *at, title);
        return refuse(problem.help("nothing in the file has such a name"));
    }
    Ok(found)
}

/// The key below an entity with each `*` replaced by each name that stands there.
fn star_keys(entity: &Entity, key: &str, node: &Node) -> Vec<String> {
    let Some((before, after)) = key.split_once('*') else { return vec![key.to_owned()] };
    let table = before.trim_end_matches('.');
    let names: Vec<String> = if after.is_empty() && node.setting.is_some() {
        let below = entity.values.keys().filter_map(|key| key.strip_prefix(before));
        below.filter(|name| !name.contains('.')).map(str::to_owned).collect()
    } else {
        entity.names_below(table).into_iter().map(|(name, _)| name).collect()
    };
    names
        .iter()
        .flat_map(|name| star_keys(entity, &format!("{before}{name}{after}"), node))
        .collect()
}

fn names_of(
    document: &Document,
    section: Section,
    name: &str,
    at: Span,
    problems: &Problems,
) -> Result<Vec<String>, Box<Problem>> {
    let table = document.table(section);
    if name == "*" {
        return Ok(table.keys().cloned().collect());
    }
    if table.contains_key(name) {
        return Ok(vec![name.to_owned()]);
    }
    match document.templates.get(name).filter(|_| section == Section::Pool) {
        Some(names) => Ok(names.clone()),
        None => refuse(unknown_name(section, name, table, at, problems)),
    }
}

/// A name that no table has, with the one that was probably meant.
pub(super) fn unknown_name(
    section: Section,
    name: &str,
    table: &Table,
    at: Span,
    problems: &Problems,
) -> Problem {
    let id = match section {
        Section::Instance => "unknown-instance",
        Section::Client => "unknown-client",
        Section::Zone => "unknown-zone",
        Section::Pool => "unknown-pool",
        Section::Source => "unknown-source",
        Section::Autoscaler => "unknown-autoscaler",
        Section::Policy => "unknown-policy",
        Section::Event => "unknown-event",
        Section::Phase => "unknown-phase",
        Section::Mitigation => "unknown-mitigation",
        Section::Alert => "unknown-alert",
    };
    let word = section.word();
    let problem = Problem::error(id, at, format!("there is no {word} `{name}`"));
    let names = table.keys().map(String::as_str);
    match problems.suggest(name, names.clone()) {
        Some(close) => problem.help(format!("did you mean `{close}`?")),
        None if table.is_empty() => problem.help(format!("add `[{word}.{name}]`")),
        None => problem.help(format!("there is {}", or_list(names))),
    }
}

fn unknown_path(path: &str, at: Span) -> Problem {
    Problem::error("unknown-path", at, format!("there is no setting `{path}`"))
}

/// Names the keys that there are, or says that there are none.
fn with_keys(problem: Problem, node: &Node, before: &str) -> Problem {
    match (node.keys().next(), &node.names) {
        (Some(_), _) => problem.help(format!("{before}: {}", list(node.keys()))),
        (None, Some(_)) => problem.help("write a table of names, such as `{ b = {} }`"),
        (None, None) => problem.help("it has no keys"),
    }
}

/// Follows a path below a table to its end.
fn descend(
    mut node: &'static Node,
    rest: &str,
    path: &str,
    at: Span,
    problems: &Problems,
) -> Result<(String, &'static Node), Box<Problem>> {
    if rest.is_empty() {
        let problem = Problem::error("unknown-path", at, format!("`{path}` names no setting"));
        return refuse(with_keys(problem, node, "add one of its keys"));
    }
    for part in rest.split('.') {
        let Some(child) = node.child(part) else {
            let problem = unknown_path(path, at);
            return refuse(match problems.suggest(part, node.children.keys().copied()) {
                Some(close) => problem.help(format!("did you mean `{close}` for `{part}`?")),
                None => with_keys(problem, node, "the keys here are"),
            });
        };
        node = child;
    }
    Ok((rest.to_owned(), node))
}

/// The setting of an assignment of a policy or event, with what is checked; none of a table.
pub(super) fn checked(
    found: &Found,
    assignment: &Assignment,
    problems: &mut Problems,
) -> Option<(&'static Setting, Value)> {
    let setting = found.node.setting?;
    Some((setting, value::check(setting, &assignment.raw, assignment.at, problems)))
}
