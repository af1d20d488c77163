//! The phases of a run, and how a stop request interrupts them.

use std::panic::resume_unwind;
use std::sync::Arc;

use windlass_base::Cancel;
use windlass_engine::{Observer, Phase, RunEvent, Stop, StopLevel};

use windlass_site::Error;

/// Runs phases one after the other. The observer is told about the start of each phase and about
/// stop requests.
pub(crate) struct Phases {
    observer: Arc<dyn Observer>,
    stop: Stop,
}

impl Phases {
    pub(crate) fn new(observer: Arc<dyn Observer>, stop: Stop) -> Self {
        Self { observer, stop }
    }

    /// Sends all further events to `observer`.
    pub(crate) fn listen(&mut self, observer: Arc<dyn Observer>) {
        self.observer = observer;
    }

    /// Begins `phase`.
    ///
    /// # Errors
    /// Returns [`windlass_site::SiteError::Interrupted`] if an immediate stop was requested.
    pub(crate) fn enter(&self, phase: Phase) -> Result<(), Error> {
        self.observer.event(&RunEvent::PhaseStarted { phase });
        if self.stop.level() >= StopLevel::Kill {
            return Err(Error::interrupted());
        }
        Ok(())
    }

    /// Runs the blocking `work` of `phase` on a separate thread, so that we can handle signals and
    /// progress meanwhile.
    ///
    /// `work` receives a flag, raised by a stop request during this phase. It then skips optional
    /// parts, and we still use its result. After a second request, we no longer wait for the
    /// result.
    ///
    /// A stop request from an earlier phase doesn't raise the flag: the user still wants to see the
    /// results found until then.
    ///
    /// # Errors
    /// Returns [`windlass_site::SiteError::Interrupted`] if an immediate stop was requested, and
    /// any error of `work`.
    pub(crate) async fn blocking<T, F>(&self, phase: Phase, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Cancel) -> Result<T, Error> + Send + 'static,
    {
        let stopped_before = self.is_cancelled();
        self.enter(phase)?;
        let cancel = if stopped_before {
            Cancel::default()
        } else {
            self.stop.flag().clone()
        };
        let done = self.aside(move || work(&cancel)).await;
        done.unwrap_or_else(|| Err(Error::interrupted()))
    }

    /// Runs blocking `work` outside of any phase on a separate thread. Returns `None` if an
    /// immediate stop is requested before it ends.
    pub(crate) async fn aside<T, F>(&self, work: F) -> Option<T>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        tokio::select! {
            biased;
            _ = self.stop.beyond(StopLevel::Cancel) => None,
            done = tokio::task::spawn_blocking(work) => match done {
                Ok(done) => Some(done),
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => resume_unwind(panic),
                    // The runtime is shutting down, so there won't be a result.
                    Err(_) => None,
                },
            },
        }
    }

    /// Returns true if a stop was requested in this phase or an earlier one.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.stop.level() >= StopLevel::Cancel
    }

    pub(crate) fn observer(&self) -> Arc<dyn Observer> {
        Arc::clone(&self.observer)
    }

    pub(crate) fn stop(&self) -> Stop {
        self.stop.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use windlass_engine::NoObserver;

    use super::*;

    #[test]
    fn kill_skips_blocking_work() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        let stop = Stop::default();
        let phases = Phases::new(Arc::new(NoObserver), stop.clone());
        let (let_go, receiver) = channel::<()>();
        let done = runtime.block_on(async {
            // This runs on the thread that `work` would otherwise block.
            tokio::spawn(async move { stop.request(StopLevel::Kill) });
            let work = move |_: &Cancel| Ok(receiver.recv().is_ok());
            phases.blocking(Phase::Load, work).await
        });
        assert!(done.is_err_and(|error| error.is_interrupted()));
        drop(let_go);
    }
}
