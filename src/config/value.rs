//! One value against its setting: type, unit, range.

use super::document::{Assignment, Value};
use super::lower::fragment;
use super::problems::{Problems, or_list, refuse};
use super::quantity::{
    NotADuration, format_duration, format_ratio, parse_duration_s, parse_percent,
};
use super::raw::{Item, Raw};
use super::registry::{self, Node};
use super::setting::{Kind, Least, Range, Setting};
use crate::diagnostic::{Problem, Span};

/// Longest text that a setting may be, bytes.
const LONGEST_TEXT: usize = 1_000;

/// Checks a value; what is wrong with it is reported, and it becomes [`Value::Invalid`].
pub(super) fn check(setting: &Setting, raw: &Raw, at: Span, problems: &mut Problems) -> Value {
    if let (Some(word), Raw::Text(text)) = (setting.absent, raw)
        && word == text
    {
        return Value::Absent;
    }
    let checked = match &setting.kind {
        Kind::Duration(range) => duration(setting, *range, raw, at),
        Kind::Ratio(range) => ratio(setting, *range, raw, at),
        Kind::Number(range) => number(setting, *range, raw, at),
        Kind::Count(least, most) => count(setting, *least, *most, raw, at),
        Kind::Word(words) => word(setting, words, raw, at, problems),
        Kind::Work(range) => work(setting, *range, raw, at),
        Kind::Switch => switch(setting, raw, at),
        Kind::Text | Kind::Name(_) => text(setting, raw, at),
        Kind::Names(_) => names(setting, raw, at),
        Kind::Assignments => assignments(setting, raw, at),
    };
    checked.unwrap_or_else(|problem| {
        problems.push(*problem);
        Value::Invalid
    })
}

fn wrong_type(setting: &Setting, raw: &Raw, at: Span, expected: &str, example: &str) -> Problem {
    let title = format!("`{}` must be {expected}, not {}", setting.key(), raw.what());
    let problem = Problem::error("wrong-type", at, title);
    if example.is_empty() {
        return problem;
    }
    let or = setting.absent.map_or_else(String::new, |word| format!(" or `\"{word}\"`"));
    problem.help(format!("write, for example, `{} = {example}`{or}", setting.key()))
}

fn duration(setting: &Setting, range: Range, raw: &Raw, at: Span) -> Result<Value, Box<Problem>> {
    let text = match raw {
        Raw::Text(text) => text,
        Raw::Integer(_) | Raw::Float(_) => return refuse(missing_unit(setting, raw, at)),
        _ => return refuse(wrong_type(setting, raw, at, "a duration", "\"30s\"")),
    };
    let key = setting.key();
    let invalid = |title| Problem::error("invalid-duration", at, title);
    let value = parse_duration_s(text).map_err(|why| {
        Box::new(match why {
            NotADuration::NoUnit => {
                Problem::error("missing-unit", at, format!("`{key}` needs a unit: s, ms, m or h"))
                    .help(format!("write `\"{}s\"` for seconds", text.trim()))
            }
            NotADuration::Calendar => {
                invalid(format!("`{key}` cannot be counted in weeks, months or years"))
                    .help("write it in `d`, `h`, `m`, `s` or `ms`")
            }
            NotADuration::Negative => out_of_range(setting, at, "must not be negative"),
            NotADuration::Other => invalid(format!("`{key}` is not a duration"))
                .help("write numbers with units, such as `\"250ms\"`, `\"1m30s\"` or `\"2h\"`"),
        })
    })?;
    in_range(setting, range, value, at, |v| format!("\"{}\"", format_duration(v)))
}

fn missing_unit(setting: &Setting, raw: &Raw, at: Span) -> Problem {
    let number = match raw {
        Raw::Integer(Some(number)) => number.to_string(),
        Raw::Float(number) if number.is_finite() && *number >= 0.0 => number.to_string(),
        _ => "12".to_owned(),
    };
    let title = format!("`{}` needs a unit: s, ms, m or h", setting.key());
    Problem::error("missing-unit", at, title)
        .label("a number alone")
        .help(format!("write `\"{number}s\"` for seconds"))
        .patch(at, format!("\"{number}s\""))
}

fn ratio(setting: &Setting, range: Range, raw: &Raw, at: Span) -> Result<Value, Box<Problem>> {
    let value = match raw {
        Raw::Text(text) => parse_percent(text).ok_or_else(|| {
            let title = format!("`{}` is not a percentage", setting.key());
            Box::new(Problem::error("invalid-ratio", at, title).help("write `\"15%\"` or `0.15`"))
        })?,
        _ => plain_number(raw)
            .ok_or_else(|| Box::new(wrong_type(setting, raw, at, "a ratio", "\"15%\"")))?,
    };
    let checked = in_range(setting, range, value, at, format_ratio);
    checked.map_err(|problem| {
        Box::new(match raw {
            Raw::Integer(Some(_)) if value > 1.0 && value <= 100.0 => (*problem)
                .help(format!("a plain number is a multiple: write `\"{value}%\"` for per cent"))
                .patch(at, format!("\"{value}%\"")),
            _ => *problem,
        })
    })
}

/// What a value may be, and what it is for.
fn allowed(setting: &Setting) -> String {
    let of = |range: Range, show: &dyn Fn(f64) -> String| match range.least {
        Least::At(least) => format!("{} to {}", show(least), show(range.most)),
        Least::Over(least) => format!("over {}, up to {}", show(least), show(range.most)),
    };
    let range = match &setting.kind {
        Kind::Duration(range) => of(*range, &|v| format!("\"{}\"", format_duration(v))),
        Kind::Ratio(range) => of(*range, &format_ratio),
        Kind::Number(range) | Kind::Work(range) => of(*range, &|v| v.to_string()),
        Kind::Count(least, most) => format!("{least} to {most}"),
        _ => return fragment(setting.sentence),
    };
    format!("{range}: {}", fragment(setting.sentence))
}

fn out_of_range(setting: &Setting, at: Span, why: &str) -> Problem {
    let title = format!("`{}` {why}", setting.key());
    let help = format!("`{}` is {}", setting.key(), allowed(setting));
    Problem::error("out-of-range", at, title).help(help)
}

fn number(setting: &Setting, range: Range, raw: &Raw, at: Span) -> Result<Value, Box<Problem>> {
    let value = plain_number(raw)
        .ok_or_else(|| Box::new(wrong_type(setting, raw, at, "a number", "1.5")))?;
    in_range(setting, range, value, at, |v| v.to_string())
}

fn plain_number(raw: &Raw) -> Option<f64> {
    match raw {
        Raw::Integer(Some(number)) => Some(*number as f64),
        Raw::Integer(None) => Some(f64::MAX),
        Raw::Float(number) => Some(*number),
        _ => None,
    }
}

fn in_range(
    setting: &Setting,
    range: Range,
    value: f64,
    at: Span,
    show: impl Fn(f64) -> String,
) -> Result<Value, Box<Problem>> {
    let out = |why: String| refuse(out_of_range(setting, at, &why));
    if !value.is_finite() {
        let title = format!("`{}` must be a finite number", setting.key());
        let problem = Problem::error("not-finite", at, title);
        return refuse(problem.help(format!("`{}` is {}", setting.key(), allowed(setting))));
    }
    match range.least {
        Least::At(least) if value < least && least == 0.0 => out("must not be negative".to_owned()),
        Least::At(least) if value < least => out(format!("must be at least {}", show(least))),
        Least::Over(least) if value <= least => out(format!("must be over {}", show(least))),
        _ if value > range.most => out(format!("must be at most {}", show(range.most))),
        _ => Ok(Value::Number(value + 0.0)), // turns -0.0 into 0.0
    }
}

fn count(
    setting: &Setting,
    least: u64,
    most: u64,
    raw: &Raw,
    at: Span,
) -> Result<Value, Box<Problem>> {
    let key = setting.key();
    let number = match raw {
        Raw::Integer(number) => *number,
        Raw::Float(number) if number.is_finite() => {
            let title = format!("`{key}` must be a whole number");
            let problem = Problem::error("wrong-type", at, title);
            return refuse(problem.help(format!("`{key}` is {}", allowed(setting))));
        }
        _ => {
            let example = least.max(2).min(most).to_string();
            return refuse(wrong_type(setting, raw, at, "a whole number", &example));
        }
    };
    let value = number.and_then(|number| u64::try_from(number).ok());
    match value {
        Some(value) if (least..=most).contains(&value) => Ok(Value::Count(value)),
        _ if key == "schema_version" => refuse(
            Problem::error("unsupported-schema-version", at, "only `schema_version = 1` is known")
                .help("write `schema_version = 1`, or use a newer zonefall")
                .patch(at, "1"),
        ),
        _ if number.is_some_and(|number| number < i128::from(least)) => {
            refuse(out_of_range(setting, at, &format!("must be at least {least}")))
        }
        _ => refuse(out_of_range(setting, at, &format!("must be at most {most}"))),
    }
}

fn word(
    setting: &Setting,
    words: &[&'static str],
    raw: &Raw,
    at: Span,
    problems: &Problems,
) -> Result<Value, Box<Problem>> {
    let Raw::Text(text) = raw else {
        let example = format!("\"{}\"", words.first().unwrap_or(&""));
        return refuse(wrong_type(setting, raw, at, "a word", &example));
    };
    if words.contains(&text.as_str()) {
        return Ok(Value::Text(text.clone()));
    }
    let key = setting.key();
    let problem = Problem::error("unknown-word", at, format!("`{key}` cannot be `{text}`"))
        .help(format!("it is {}", or_list(words.iter().copied())));
    refuse(match problems.suggest(text, words.iter().copied()) {
        Some(close) => {
            problem.help(format!("did you mean `{close}`?")).patch(at, format!("\"{close}\""))
        }
        None => problem,
    })
}

fn switch(setting: &Setting, raw: &Raw, at: Span) -> Result<Value, Box<Problem>> {
    match raw {
        Raw::Switch(value) => Ok(Value::Switch(*value)),
        _ => refuse(wrong_type(setting, raw, at, "true or false", "true")),
    }
}

/// Seconds where there is a unit, else a plain number of whatever the resource is counted in.
fn work(setting: &Setting, range: Range, raw: &Raw, at: Span) -> Result<Value, Box<Problem>> {
    match raw {
        Raw::Text(_) => duration(setting, range, raw, at),
        Raw::Integer(_) | Raw::Float(_) => number(setting, range, raw, at),
        _ => refuse(wrong_type(setting, raw, at, "a duration or a number", "\"120ms\"")),
    }
}

fn text(setting: &Setting, raw: &Raw, at: Span) -> Result<Value, Box<Problem>> {
    match raw {
        Raw::Text(text) if text.len() > LONGEST_TEXT => {
            let title = format!("`{}` must be at most {LONGEST_TEXT} bytes long", setting.key());
            refuse(Problem::error("out-of-range", at, title))
        }
        Raw::Text(text) => Ok(Value::Text(text.clone())),
        _ => refuse(wrong_type(setting, raw, at, "text", "\"a\"")),
    }
}

fn names(setting: &Setting, raw: &Raw, at: Span) -> Result<Value, Box<Problem>> {
    let Raw::List(list) = raw else {
        return refuse(wrong_type(setting, raw, at, "a list of names", "[\"a\", \"b\"]"));
    };
    if list.is_empty() {
        let title = format!("`{}` must name at least one", setting.key());
        return refuse(Problem::error("out-of-range", at, title));
    }
    let mut names = vec![];
    for (item, place) in list {
        match item {
            Raw::Text(name) if names.iter().any(|(known, _)| known == name) => {
                let title = format!("`{}` names `{name}` twice", setting.key());
                return refuse(Problem::error("name-clash", *place, title));
            }
            Raw::Text(name) => names.push((name.clone(), *place)),
            _ => return refuse(wrong_type(setting, item, *place, "a list of names", "[\"a\"]")),
        }
    }
    Ok(Value::Names(names))
}

fn assignments(setting: &Setting, raw: &Raw, at: Span) -> Result<Value, Box<Problem>> {
    let Raw::Table(items) = raw else {
        let example = "{ \"pool.a.instances\" = 30 }";
        return refuse(wrong_type(setting, raw, at, "a table of paths and values", example));
    };
    let mut out = vec![];
    flatten("", registry::root(), items, &mut out);
    Ok(Value::Assignments(out))
}

/// Keys may be quoted paths or nested tables: both say the same. A table of names, such as
/// `failover`, is one value: it replaces what was there.
fn flatten(prefix: &str, node: &Node, items: &[Item], out: &mut Vec<Assignment>) {
    for item in items {
        let path = format!("{prefix}{}", item.key);
        let below_node = node.find(&item.key);
        let is_section = path.find('.').is_none();
        let is_value = below_node.is_some_and(|node| node.names.is_some()) && !is_section;
        match (&item.raw, below_node) {
            (Raw::Table(below), Some(node)) if !below.is_empty() && !is_value => {
                flatten(&format!("{path}."), node, below, out);
            }
            (raw, _) => out.push(Assignment {
                path,
                path_span: item.key_span,
                raw: raw.clone(),
                at: item.at,
            }),
        }
    }
}
