//! `[client.*]` to model values.

use super::get::Table;
use super::instance::{optional_seconds, seconds};
use crate::config::document::Entity;
use crate::config::problems::Problems;
use crate::config::setting::Section;
use crate::diagnostic::Problem;
use crate::model::{Backoff, Budget, Client, Jitter, Retry};
use crate::units::{Ratio, Rps};

/// Lowers one client.
pub(super) fn client(entity: &Entity, problems: &mut Problems) -> Option<Client> {
    let table = Table::of(Section::Client, entity);
    let timeout = table.optional_number("timeout", problems);
    let cancel = table.switch("cancel", problems);
    let retry = match entity.tables.contains_key("retry") {
        true => retry(&table, problems).map(Some),
        false => Some(None),
    };
    Some(Client {
        name: entity.name.clone(),
        timeout: optional_seconds(timeout)?,
        cancel: cancel?,
        retry: retry?,
    })
}

fn retry(table: &Table<'_>, problems: &mut Problems) -> Option<Retry> {
    let max_attempts = table.small_count("retry.max_attempts", problems);
    let backoff = backoff(table, problems);
    let jitter = table.text("retry.jitter", problems);
    let budget = budget(table, problems);
    let on_shed = table.switch("retry.on_shed", problems);
    Some(Retry {
        max_attempts: max_attempts?,
        backoff: backoff?,
        jitter: match jitter?.as_str() {
            "none" => Jitter::None,
            _ => Jitter::Full,
        },
        budget: budget?,
        on_shed: on_shed?,
    })
}

fn backoff(table: &Table<'_>, problems: &mut Problems) -> Option<Backoff> {
    let word = table.text("retry.backoff", problems);
    let base = table.number("retry.base", problems);
    let most = table.optional_number("retry.max_backoff", problems);
    let word = word?;
    let unread: &[&str] = match word.as_str() {
        "none" => &["base", "max_backoff", "jitter"],
        "fixed" => &["max_backoff"],
        _ => &[],
    };
    for key in unread {
        if let Some(entry) = table.entity.get(&format!("retry.{key}")) {
            let title = format!("`{key}` means nothing to the back-off `{word}`");
            let problem = Problem::error("field-of-other-kind", entry.key, title);
            problems.push(problem.help("leave it out, or write `backoff = \"exponential\"`"));
        }
    }
    Some(match word.as_str() {
        "none" => Backoff::None,
        "fixed" => Backoff::Fixed { base: seconds(base)? },
        _ => Backoff::Exponential { base: seconds(base)?, most: optional_seconds(most)? },
    })
}

fn budget(table: &Table<'_>, problems: &mut Problems) -> Option<Option<Budget>> {
    let ratio = table.optional_number("retry.budget", problems);
    let rate = table.optional_number("retry.budget_rps", problems);
    let size = table.optional_number("retry.budget_size", problems);
    let key = |key: &str| table.entity.get(&format!("retry.{key}")).map(|entry| entry.key);
    let (ratio_at, rate_at, size_at) = (key("budget"), key("budget_rps"), key("budget_size"));
    if let (Some(at), Some(other)) = (ratio_at, rate_at.or(size_at)) {
        let title = format!("{} has two retry budgets", table.title());
        problems.push(
            Problem::error("conflicting-keys", other, title)
                .secondary(at, "and here")
                .help("keep `budget`, or `budget_rps` and `budget_size`"),
        );
        return None;
    }
    let (has, lacks) = match (rate_at, size_at) {
        (Some(at), None) => (at, "budget_size"),
        (None, Some(at)) => (at, "budget_rps"),
        (None, None) => {
            let ratio = ratio?.map(Ratio::new).transpose().ok()?;
            return Some(ratio.map(Budget::Ratio));
        }
        (Some(_), Some(_)) => {
            return Some(Some(Budget::Bucket { rate: Rps::new(rate??).ok()?, size: size?? }));
        }
    };
    let title = format!("{} has half a token bucket: no `{lacks}`", table.title());
    let problem = Problem::error("missing-key", has, title);
    problems.push(problem.help("a bucket has a rate, `budget_rps`, and a `budget_size`"));
    None
}
