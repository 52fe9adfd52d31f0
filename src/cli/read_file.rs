//! Reads a topology file.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::error::CliError;

/// Largest topology file, bytes: a thousand pools take about 100 KB.
const MOST_BYTES: u64 = 16 << 20;

/// The bytes of a topology file.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, CliError> {
    let shown = path.display();
    if path.is_dir() {
        return Err(CliError::Usage(format!("{shown} is a folder, not a topology file")));
    }
    let file = File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => CliError::Usage(format!(
            "{shown}: no such file\nhelp: `zonefall init` writes a file to start from"
        )),
        _ => CliError::Io(format!("cannot read {shown}: {error}")),
    })?;
    let mut bytes = Vec::new();
    // One byte more than is allowed tells a file that is too large from one that just fits.
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CliError::Io(format!("cannot read {shown}: {error}")))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(CliError::Usage(format!("{shown} is larger than 16 MiB: no topology file")));
    }
    if bytes.contains(&0) {
        return Err(CliError::Usage(format!("{shown} is a binary file, not a topology file")));
    }
    Ok(bytes)
}
