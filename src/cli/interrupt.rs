//! Ctrl-C: no half file, no litter, exit code 130.

use std::sync::atomic::{AtomicBool, Ordering};

use super::exit::Exit;
use super::terminal;
use crate::report::Abandon;

static CANCELLED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C removes what has been staged and ends the program. Files that are being
/// renamed into place are all renamed first. Returns the flag that is set then.
pub(super) fn on_interrupt(abandon: Abandon) -> &'static AtomicBool {
    let handler = move || {
        CANCELLED.store(true, Ordering::Relaxed);
        abandon.abandon();
        terminal::message("\ninterrupted; what is on disk is whole\n");
        std::process::exit(i32::from(Exit::Interrupted.code()));
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        terminal::message(&format!("warning: Ctrl-C will leave a staging folder: {error}\n"));
    }
    &CANCELLED
}
