//! Settings of clients, sources and arrivals.

use super::LENGTH;
use crate::config::setting::{Default, InRun, Kind, Range, Section, Setting};
use crate::model::{ClientSetting, MOST_ATTEMPTS};

/// Most tries that arrive at once.
const MOST_AT_ONCE: u64 = 1_000_000_000;

pub(super) fn client() -> Vec<Setting> {
    let mut settings = vec![
        Setting::new(
            "client.*.timeout",
            LENGTH,
            Default::Nothing,
            "After this an answer is late; without it every answer is in time.",
        )
        .absent("none")
        .in_run(InRun::Client(ClientSetting::Timeout)),
        Setting::new(
            "client.*.cancel",
            Kind::Switch,
            Default::Is("false"),
            "Whether giving up frees the server.",
        ),
        Setting::new(
            "client.*.retry.max_attempts",
            Kind::Count(1, MOST_ATTEMPTS as u64),
            Default::Is("3"),
            "Tries in all, the first included; a client without `retry` never retries.",
        )
        .in_run(InRun::Client(ClientSetting::MaxAttempts)),
    ];
    settings.extend(backoff());
    settings.extend(budget());
    settings
}

fn backoff() -> [Setting; 4] {
    [
        Setting::new(
            "client.*.retry.backoff",
            Kind::Word(&["none", "fixed", "exponential"]),
            Default::Is("\"exponential\""),
            "How the wait before a retry grows: there is none, it is always as long, or twice as \
             long each time.",
        )
        .silences("none", &["base", "max_backoff", "jitter"])
        .silences("fixed", &["max_backoff"]),
        Setting::new(
            "client.*.retry.base",
            LENGTH,
            Default::Is("\"100ms\""),
            "The wait before the first retry.",
        ),
        Setting::new(
            "client.*.retry.max_backoff",
            LENGTH,
            Default::Nothing,
            "No exponential wait is longer than this.",
        )
        .absent("none"),
        Setting::new(
            "client.*.retry.jitter",
            Kind::Word(&["none", "full"]),
            Default::Is("\"full\""),
            "Whether waits are drawn evenly between 0 and their full length.",
        ),
    ]
}

fn budget() -> [Setting; 4] {
    [
        Setting::new(
            "client.*.retry.budget",
            Kind::Ratio(Range::from(0.0, 1_000.0)),
            Default::Nothing,
            "Retries for each first try, at most; any number without a budget.",
        )
        .absent("none")
        .instead_of(&["budget_rps", "budget_size"])
        .in_run(InRun::Client(ClientSetting::BudgetRatio)),
        Setting::new(
            "client.*.retry.budget_rps",
            Kind::Number(Range::from(0.0, 1e12)),
            Default::Nothing,
            "Retries a second, at most, once the bucket of `budget_size` is empty.",
        )
        .instead_of(&["budget"]),
        Setting::new(
            "client.*.retry.budget_size",
            Kind::Number(Range::from(1.0, 1e12)),
            Default::Nothing,
            "Retries that a full bucket allows at once; it starts full.",
        )
        .instead_of(&["budget"]),
        Setting::new(
            "client.*.retry.on_shed",
            Kind::Switch,
            Default::Is("true"),
            "Whether tries that were shed are tried again.",
        ),
    ]
}

pub(super) fn source() -> Vec<Setting> {
    let mut settings = vec![
        Setting::new(
            "source.*.demand_rps",
            Kind::Number(Range::from(0.0, 1e12)),
            Default::Nothing,
            "First tries a second.",
        )
        .in_run(InRun::SourceDemand),
        Setting::new(
            "source.*.to",
            Kind::Name(Section::Pool),
            Default::Required,
            "The pool that they are for.",
        ),
        Setting::new(
            "source.*.client",
            Kind::Name(Section::Client),
            Default::Is("\"default\""),
            "How those who send them behave.",
        ),
    ];
    settings.extend(arrivals("source"));
    settings
}

/// How first tries are spread in time, of a pool's own demand or of a source.
pub(super) fn arrivals(section: &str) -> [Setting; 3] {
    let path = |key| format!("{section}.*.arrivals.{key}");
    [
        Setting::new(
            path("kind"),
            Kind::Word(&["poisson", "uniform", "batch"]),
            Default::Is("\"poisson\""),
            "How first tries are spread in time: independent of each other, equally far apart, or \
             many at once.",
        )
        .silences("poisson", &["every", "size"])
        .silences("uniform", &["every", "size"]),
        Setting::new(
            path("every"),
            LENGTH,
            Default::Nothing,
            "The time between two batches; follows from `size` and the demand.",
        ),
        Setting::new(
            path("size"),
            Kind::Count(1, MOST_AT_ONCE),
            Default::Nothing,
            "First tries in a batch; follows from `every` and the demand.",
        ),
    ]
}
