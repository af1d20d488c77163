//! Interrupt handling.
//!
//! The first interrupt stops running steps and lets clean-up run. The second ends the run. Any
//! later one ends the process, and so does any interrupt after the run. A worker has one more level
//! in front of these, which lets running steps end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal;
use windlass::engine::{Stop, StopLevel};

#[cfg(unix)]
use crate::exit::Exit;

/// Interrupt listener. It stays installed until the process ends, because a handled interrupt no
/// longer ends the process by itself.
pub(crate) struct Interrupts {
    /// True if the next interrupt ends the process.
    insisted: Arc<AtomicBool>,
}

impl Interrupts {
    /// Raises `stop` to the next of `levels` with each interrupt. The listener runs on the current
    /// runtime, so blocking work belongs on other threads.
    pub(crate) fn listen(stop: Stop, levels: &'static [StopLevel]) -> io::Result<Self> {
        let insisted = Arc::new(AtomicBool::new(false));
        end_process_if(&insisted)?;
        let mut signals = Signals::new()?;
        let twice = Arc::clone(&insisted);
        tokio::spawn(async move {
            for level in levels {
                signals.heard().await;
                twice.store(*level == StopLevel::Kill, Ordering::SeqCst);
                stop.request(*level);
            }
        });
        Ok(Self { insisted })
    }

    /// Makes the next interrupt end the process. After a run, there's only printing left to do,
    /// which an unread pipe could block forever.
    pub(crate) fn run_is_over(&self) {
        self.insisted.store(true, Ordering::SeqCst);
    }
}

/// Registers a handler that ends the process on an interrupt once `flag` is raised. This works even
/// while the process is blocked.
#[cfg(unix)]
fn end_process_if(flag: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let code = i32::from(Exit::Interrupted.code());
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(flag))?;
    }
    Ok(())
}

/// Does nothing on other systems. Late interrupts are ignored there, and the process ends once its
/// output has been read.
#[cfg(not(unix))]
fn end_process_if(_: &Arc<AtomicBool>) -> io::Result<()> {
    Ok(())
}

/// Signals that stop the process: interrupt, termination, and a closed terminal.
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
