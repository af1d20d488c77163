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

#[cfg(unix)]
struct Terminations(Option<signal::unix::Signal>);

#[cfg(unix)]
fn terminations() -> Terminations {
    Terminations(signal::unix::signal(signal::unix::SignalKind::terminate()).ok())
}

#[cfg(unix)]
impl Terminations {
    async fn heard(&mut self) {
        match &mut self.0 {
            Some(signal) => {
                signal.recv().await;
            }
            None => std::future::pending().await,
        }
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
