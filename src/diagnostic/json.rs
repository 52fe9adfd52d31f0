//! Problems for programs.

use serde::Serialize;

use super::problem::Problem;
use super::sources::Sources;

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    severity: &'a str,
    file: &'a str,
    line: usize,
    column: usize,
    message: &'a str,
    help: &'a [String],
}

/// Problems as a JSON array of objects with `id`, `severity`, `file`, `line`, `column` (both from
/// 1, columns in characters), `message` and `help`.
#[must_use]
pub fn render_json(problems: &[Problem], sources: &Sources) -> serde_json::Value {
    let entry = |problem: &Problem| {
        let place = sources.location(problem.primary.span);
        serde_json::json!(Entry {
            id: problem.id,
            severity: problem.severity.word(),
            file: sources.get(problem.primary.span.source).name(),
            line: place.line,
            column: place.column,
            message: &problem.title,
            help: &problem.help,
        })
    };
    problems.iter().map(entry).collect()
}
