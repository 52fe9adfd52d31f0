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
    match cases.iter().position(|case| case.policy.name == name) {
        Some(index) => Ok(vec![cases.swap_remove(index)]),
        None => Err(unknown(name, &cases)),
    }
}

/// The cases of those policies, in the order of the file. A pattern with `*` may match any number.
pub(super) fn those(cases: Vec<Case>, wanted: Option<&[String]>) -> Result<Vec<Case>, CliError> {
    let Some(wanted) = wanted else { return Ok(cases) };
    let wanted: Vec<&str> =
        wanted.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
    let is_known = |name: &str| name.contains('*') || cases.iter().any(|c| c.policy.name == name);
    if let Some(name) = wanted.iter().find(|name| !is_known(name)) {
        return Err(unknown(name, &cases));
    }
    let is_wanted = |case: &Case| wanted.iter().any(|name| matches(name, &case.policy.name));
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

fn names(cases: &[Case]) -> String {
    cases.iter().map(|case| case.policy.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn unknown(name: &str, cases: &[Case]) -> CliError {
    let likeness = |case: &&Case| strsim::jaro_winkler(name, &case.policy.name);
    let nearest = cases.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let help = match nearest.filter(|case| likeness(case) >= ALIKE) {
        Some(case) => format!("did you mean `{}`?", case.policy.name),
        None => format!("the file has: {}", names(cases)),
    };
    CliError::Usage(format!("unknown policy `{name}`\nhelp: {help}"))
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
