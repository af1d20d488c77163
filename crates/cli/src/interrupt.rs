//! What an interrupt does: the first lets running steps end and clean-up run, the second ends the run, and any
//! later one, or one after the run, ends the process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal;
use windlass::engine::{Stop, StopLevel};

#[cfg(unix)]
use crate::exit::Exit;

/// Listens for interrupts. Once anybody does, they no longer end the process by themselves; so this goes on to the
/// end of the process.
pub(crate) struct Interrupts {
    /// Whether the next one ends the process.
    insisted: Arc<AtomicBool>,
}

impl Interrupts {
    /// Raises `stop` when the user interrupts. The runtime that it is called in has to go on while a run does: whatever
    /// blocks is done elsewhere.
    pub(crate) fn listen(stop: Stop) -> io::Result<Self> {
        let insisted = Arc::new(AtomicBool::new(false));
        end_process_if(&insisted)?;
        let mut signals = Signals::new()?;
        let twice = Arc::clone(&insisted);
        tokio::spawn(async move {
            signals.heard().await;
            stop.request(StopLevel::Cancel);
            signals.heard().await;
            twice.store(true, Ordering::SeqCst);
            stop.request(StopLevel::Kill);
        });
        Ok(Self { insisted })
    }

    /// From now on an interrupt ends the process: what is left to do is to print, and a pipe that nobody reads
    /// would keep that waiting.
    pub(crate) fn run_is_over(&self) {
        self.insisted.store(true, Ordering::SeqCst);
    }
}

/// From the moment on when `flag` is raised, an interrupt ends the process, whatever the process is waiting for.
#[cfg(unix)]
fn end_process_if(flag: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let code = i32::from(Exit::Interrupted.code());
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(flag))?;
    }
    Ok(())
}

/// Elsewhere the last interrupts are not heard: the process ends when what it prints has been read.
#[cfg(not(unix))]
fn end_process_if(_: &Arc<AtomicBool>) -> io::Result<()> {
    Ok(())
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
