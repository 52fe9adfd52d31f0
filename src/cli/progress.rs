//! A progress bar on stderr, for work that takes long enough to wonder.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter work shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(100);

/// A bar that appears once work takes over half a second, and goes away in the end.
pub(super) struct Progress {
    done: SyncSender<()>,
    drawer: JoinHandle<()>,
}

impl Progress {
    /// Starts to wait for the first half second. `total` is how many pieces of work there are.
    pub(super) fn start(total: usize) -> Self {
        let (done, receiver) = mpsc::sync_channel(total.max(1));
        let drawer = thread::spawn(move || draw(&receiver, total as u64));
        Self { done, drawer }
    }

    /// A handle with which each piece of work is counted.
    pub(super) fn counter(&self) -> SyncSender<()> {
        self.done.clone()
    }

    /// Removes the bar. Every counter must be gone.
    pub(super) fn finish(self) {
        drop(self.done);
        drop(self.drawer.join());
    }
}

fn draw(receiver: &Receiver<()>, total: u64) {
    let start = Instant::now();
    let mut count = 0;
    loop {
        match receiver.recv_timeout(PATIENCE.saturating_sub(start.elapsed())) {
            Ok(()) => count += 1,
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    if let Ok(style) =
        ProgressStyle::with_template("{spinner} {pos}/{len} runs [{bar:30}] {elapsed}")
    {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_position(count);
    bar.enable_steady_tick(TICK);
    while receiver.recv().is_ok() {
        bar.inc(1);
    }
    bar.finish_and_clear();
}
