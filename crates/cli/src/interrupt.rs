//! Handles interrupts.
//!
//! A user who presses Ctrl-C repeatedly wants the command to end sooner. The first interrupt stops
//! running steps but lets clean-up run, the second ends the run, and a third ends the process. (A
//! worker has one more level in front of these, on which it lets running steps end.) After a run,
//! we are only printing, so any interrupt ends the process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal;
use windlass::engine::{Stop, StopLevel};

#[cfg(unix)]
use crate::exit::Exit;

/// Listens for interrupts until the process ends. Once we handle interrupts, they no longer end the
/// process by themselves, so this cannot be undone.
pub(crate) struct Interrupts {
    /// True if the next interrupt ends the process.
    insisted: Arc<AtomicBool>,
}

impl Interrupts {
    /// Raises `stop` to the next of `levels` with each interrupt.
    ///
    /// The listener is a task of the current runtime. It does not notice anything while that
    /// runtime is blocked, so move blocking work to other threads.
    pub(crate) fn listen(stop: Stop, levels: &'static [StopLevel]) -> io::Result<Self> {
        let insisted = Arc::new(AtomicBool::new(false));
        end_process_if(&insisted)?;
        let mut signals = Signals::new()?;
        let twice = Arc::clone(&insisted);
        tokio::spawn(async move {
            for level in levels {
                signals.heard().await;
                // `Kill` is the last level. If even that doesn't help, the next interrupt ends the
                // process.
                twice.store(*level == StopLevel::Kill, Ordering::SeqCst);
                stop.request(*level);
            }
        });
        Ok(Self { insisted })
    }

    /// Makes the next interrupt end the process.
    ///
    /// All that is left to do after a run is printing, and that can block forever if no one reads
    /// from the pipe.
    pub(crate) fn run_is_over(&self) {
        self.insisted.store(true, Ordering::SeqCst);
    }
}

/// Ends the process on an interrupt if `flag` is set. The signal handler itself does this, so it
/// works even while the process is blocked.
#[cfg(unix)]
fn end_process_if(flag: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let code = i32::from(Exit::Interrupted.code());
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(flag))?;
    }
    Ok(())
}

/// This does nothing on other systems, where late interrupts are ignored, and the process ends once
/// its output has been read.
#[cfg(not(unix))]
fn end_process_if(_: &Arc<AtomicBool>) -> io::Result<()> {
    Ok(())
}

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
