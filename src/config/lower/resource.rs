//! `[instance.*.resource.*]` to model values.

use super::get::Table;
use crate::config::problems::Problems;
use crate::diagnostic::{Problem, Span};
use crate::model::{Resource, ResourceUse, WhenFull};

/// What is watched under these names is no resource that a file can add.
const RESERVED: [&str; 3] = ["workers", "rps", "in_flight"];
/// Resources of which a request holds one unless the file says.
const HELD: [&str; 2] = ["slots", "connections"];
/// The resource of which a request uses one up unless the file says.
const RATE: &str = "rate";

/// Does a request use the resource up, rather than hold it, by its name and the keys it is given?
pub(in crate::config) fn is_consumed(name: &str, has: impl Fn(&str) -> bool) -> bool {
    has("per_request") || name == RATE && !has("held")
}

/// Lowers an instance kind's resources, by name; none when one of them is wrong.
pub(super) fn resources(table: &Table<'_>, problems: &mut Problems) -> Option<Vec<Resource>> {
    let names = table.entity.names_below("resource");
    let all: Vec<_> = names.iter().map(|(name, at)| resource(table, name, *at, problems)).collect();
    all.into_iter().collect()
}

fn resource(table: &Table<'_>, name: &str, at: Span, problems: &mut Problems) -> Option<Resource> {
    if RESERVED.contains(&name) {
        let title = format!("a resource cannot be named `{name}`");
        let problem = Problem::error("reserved-name", at, title);
        problems.push(problem.help("that name is taken: give it another"));
        return None;
    }
    let path = |key: &str| format!("resource.{name}.{key}");
    let limit = table.number(&path("limit"), problems);
    let usage = usage(table, name, at, problems);
    let resource = Resource { name: name.to_owned(), limit: limit?, usage: usage? };
    if resource.room() == Some(0) {
        problems.push(no_room(&resource, table.place(&path("limit"))));
        return None;
    }
    Some(resource)
}

/// What to say of a held resource that has no room for a single request.
pub(super) fn no_room(resource: &Resource, at: Span) -> Problem {
    let title = format!("`{}` has no room for a single request", resource.name);
    let problem = Problem::error("no-room", at, title);
    match resource.usage {
        ResourceUse::Held { held, base, .. } => {
            problem.help(format!("`limit` must be at least `base` + `held`: {}", base + held))
        }
        ResourceUse::Consumed { .. } => problem,
    }
}

fn usage(table: &Table<'_>, name: &str, at: Span, problems: &mut Problems) -> Option<ResourceUse> {
    let path = |key: &str| format!("resource.{name}.{key}");
    let per_request = table.optional_number(&path("per_request"), problems);
    let held = table.optional_number(&path("held"), problems);
    let base = table.number(&path("base"), problems);
    let when_full = table.text(&path("when_full"), problems);
    let has = |key: &str| table.has(&path(key));
    if is_consumed(name, has) {
        let of_held = ["held", "base", "when_full"].into_iter().find(|key| has(key));
        if let Some(entry) = of_held.and_then(|key| table.entity.get(&path(key))) {
            problems.push(both_uses(table, name, entry.key));
            return None;
        }
        return Some(ResourceUse::Consumed { per_request: per_request?.unwrap_or(1.0) });
    }
    let by_name = HELD.contains(&name).then_some(1.0);
    let Some(held) = held?.or(by_name) else {
        let title = format!("resource `{name}` does not say how requests use it");
        problems.push(
            Problem::error("missing-key", at, title)
                .help("add `per_request = \"120ms\"`, or a number, if each uses so much up")
                .help("or `held = 1`, if each holds so much while it is in flight"),
        );
        return None;
    };
    Some(ResourceUse::Held {
        held,
        base: base?,
        when_full: match when_full?.as_str() {
            "reject" => WhenFull::Reject,
            "crash" => WhenFull::Crash,
            _ => WhenFull::Queue,
        },
    })
}

fn both_uses(table: &Table<'_>, name: &str, at: Span) -> Problem {
    let title = format!("resource `{name}` is both used up and held");
    let problem = Problem::error("conflicting-keys", at, title)
        .help("keep `per_request`, or else `held`, `base` and `when_full`");
    match table.entity.get(&format!("resource.{name}.per_request")) {
        Some(entry) => problem.secondary(entry.key, "used up"),
        None => problem.help("`rate` is used up, 1 by each request, unless it says `held`"),
    }
}
