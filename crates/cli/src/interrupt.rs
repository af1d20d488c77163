//! What an interrupt does: the first lets running steps end and clean-up run, the second ends the run, and any
//! later one, or one after the run, ends the process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal;
use windlass::engine::{Stop, StopLevel};

use crate::exit::Exit;

/// Listens for interrupts on a thread of its own, where nothing that blocks keeps it from hearing them.
///
/// Once anybody listens for a signal, it no longer ends the process by itself; so this goes on to the end of
/// the process.
pub(crate) struct Interrupts {
    run_is_over: Arc<AtomicBool>,
}

impl Interrupts {
    /// Raises `stop` when the user interrupts.
    pub(crate) fn listen(stop: Stop) -> io::Result<Self> {
        let run_is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&run_is_over);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()?;
        std::thread::Builder::new()
            .name("interrupts".to_owned())
            .spawn(move || runtime.block_on(watch(&stop, &over)))?;
        Ok(Self { run_is_over })
    }

    /// From now on an interrupt ends the process: what is left to do is to print, and a pipe that nobody reads
    /// would keep that waiting.
    pub(crate) fn run_is_over(&self) {
        self.run_is_over.store(true, Ordering::SeqCst);
    }
}

async fn watch(stop: &Stop, run_is_over: &AtomicBool) {
    let Ok(mut signals) = Signals::new() else {
        return;
    };
    for level in [StopLevel::Cancel, StopLevel::Kill] {
        signals.heard().await;
        if run_is_over.load(Ordering::SeqCst) {
            break;
        }
        stop.request(level);
        if level == StopLevel::Kill {
            signals.heard().await;
        }
    }
    #[expect(
        clippy::exit,
        reason = "the user insists, and nothing else may hear it any more"
    )]
    std::process::exit(i32::from(Exit::Interrupted.code()));
}

/// Somebody interrupts the process, ends it, or closes its terminal.
#[cfg(unix)]
struct Signals {
    interrupt: signal::unix::Signal,
    terminate: signal::unix::Signal,
    hang_up: signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn heard(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Signals {
    interrupt: signal::windows::CtrlC,
}

#[cfg(windows)]
impl Signals {
    fn new() -> io::Result<Self> {
        let interrupt = signal::windows::ctrl_c()?;
        Ok(Self { interrupt })
    }

    async fn heard(&mut self) {
        self.interrupt.recv().await;
    }
}
