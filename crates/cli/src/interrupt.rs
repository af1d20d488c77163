use tokio::signal;
use windlass::engine::{Stop, StopLevel};

/// Raises `stop` when the user interrupts: the first time running steps end and clean-up runs, the second
/// time everything ends.
pub(crate) async fn watch(stop: Stop) {
    let mut terminate = terminations();
    for level in [StopLevel::Cancel, StopLevel::Kill] {
        tokio::select! {
            heard = signal::ctrl_c() => if heard.is_err() { return },
            () = terminate.heard() => {}
        }
        stop.request(level);
    }
}

/// Somebody ends the process, or closes its terminal.
#[cfg(unix)]
struct Terminations {
    terminate: Option<signal::unix::Signal>,
    hang_up: Option<signal::unix::Signal>,
}

#[cfg(unix)]
fn terminations() -> Terminations {
    use signal::unix::SignalKind;
    let listen = |kind| signal::unix::signal(kind).ok();
    Terminations {
        terminate: listen(SignalKind::terminate()),
        hang_up: listen(SignalKind::hangup()),
    }
}

#[cfg(unix)]
impl Terminations {
    async fn heard(&mut self) {
        tokio::select! {
            () = next(&mut self.terminate) => {}
            () = next(&mut self.hang_up) => {}
        }
    }
}

#[cfg(unix)]
async fn next(signal: &mut Option<signal::unix::Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

#[cfg(not(unix))]
struct Terminations;

#[cfg(not(unix))]
fn terminations() -> Terminations {
    Terminations
}

#[cfg(not(unix))]
impl Terminations {
    async fn heard(&mut self) {
        std::future::pending().await
    }
}
