//! Which of a file's policies are run.

use super::error::CliError;
use crate::policy::Case;

/// How alike a name must be to be suggested, 0 to 1.
const ALIKE: f64 = 0.75;

/// The case of that policy, or the file's first.
pub(super) fn one(mut cases: Vec<Case>, name: Option<&str>) -> Result<Vec<Case>, CliError> {
    let Some(name) = name else {
        cases.truncate(1);
        return if cases.is_empty() { Err(nothing("the file has no policy")) } else { Ok(cases) };
    };
    match cases.iter().position(|case| is_named(case, name)) {
        Some(index) => Ok(vec![cases.swap_remove(index)]),
        None => Err(unknown(name, &cases)),
    }
}

/// The cases of those policies, in the order of the file. A pattern with `*` may match any number.
pub(super) fn those(cases: Vec<Case>, wanted: Option<&[String]>) -> Result<Vec<Case>, CliError> {
    let Some(wanted) = wanted else { return Ok(cases) };
    let wanted: Vec<&str> =
        wanted.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
    let is_known = |name: &str| name.contains('*') || cases.iter().any(|c| is_named(c, name));
    if let Some(name) = wanted.iter().find(|name| !is_known(name)) {
        return Err(unknown(name, &cases));
    }
    let is_wanted = |case: &Case| {
        let fits = |name: &&str| is_named(case, name) || matches(name, &case.policy.name);
        wanted.iter().any(fits)
    };
    let known = names(&cases);
    let chosen: Vec<Case> = cases.into_iter().filter(is_wanted).collect();
    if chosen.is_empty() {
        let filter = wanted.join(",");
        return Err(nothing(&format!("--policies '{filter}' matches none of: {known}")));
    }
    Ok(chosen)
}

fn nothing(why: &str) -> CliError {
    CliError::NothingToRun(format!("nothing to run: {why}"))
}

/// A case goes by the policy's name in the file, and by that with its mitigations.
fn is_named(case: &Case, name: &str) -> bool {
    case.policy.name == name || case.policy.own_name() == name
}

fn names(cases: &[Case]) -> String {
    let mut names: Vec<&str> = cases.iter().map(|case| case.policy.own_name()).collect();
    names.dedup();
    names.join(", ")
}

fn unknown(name: &str, cases: &[Case]) -> CliError {
    let help = nearest(name, cases.iter().map(|case| case.policy.own_name()));
    CliError::Usage(format!("unknown policy `{name}`\nhelp: {help}"))
}

/// The name that was probably meant, else all there are.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let mut known: Vec<&str> = known.collect();
    known.dedup();
    let likeness = |other: &&&str| strsim::jaro_winkler(name, other);
    let nearest = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|other| likeness(other) >= ALIKE) {
        Some(other) => format!("did you mean `{other}`?"),
        None if known.is_empty() => "the file has none".to_owned(),
        None => format!("the file has: {}", known.join(", ")),
    }
}

/// Whether a name fits a pattern, in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        // The leftmost place is as good as any: what follows is only longer.
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_any_text() {
        for pattern in ["rate-limited", "*", "rate-*", "*limited", "r*l*d", "rate-limited*"] {
            assert!(matches(pattern, "rate-limited"), "{pattern}");
        }
        for pattern in ["rate", "rate-", "*rate", "x*", "rate-limited*d", "r*x*d"] {
            assert!(!matches(pattern, "rate-limited"), "{pattern}");
        }
    }
}
