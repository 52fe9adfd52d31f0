//! Which of a file's mitigations are put on its policies.

use super::error::CliError;
use super::policies::nearest;
use crate::config::Matrix;

/// Names as they were typed, without blanks around them.
pub(super) fn trimmed(names: &[String]) -> Vec<String> {
    let names = names.iter().map(|name| name.trim());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Checks what was asked for against what the file has.
pub(super) fn check(matrix: &Matrix, known: &[String]) -> Result<(), CliError> {
    match matrix {
        Matrix::Without => Ok(()),
        Matrix::Each | Matrix::Subsets if known.is_empty() => Err(CliError::NothingToRun(
            "nothing to run: the file has no mitigation\nhelp: name a bundle of settings: \
             [mitigation.admission] set = { \"instance.*.max_wait\" = \"1s\" }"
                .to_owned(),
        )),
        Matrix::Each | Matrix::Subsets => Ok(()),
        Matrix::With(names) if names.is_empty() => {
            Err(CliError::Usage("--mitigations names none".to_owned()))
        }
        Matrix::With(names) => match names.iter().find(|name| !known.contains(name)) {
            Some(name) => {
                let help = nearest(name, known.iter().map(String::as_str));
                Err(CliError::Usage(format!("unknown mitigation `{name}`\nhelp: {help}")))
            }
            None => Ok(()),
        },
    }
}
