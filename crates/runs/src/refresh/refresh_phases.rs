//! Runs the phases of a run, and decides how a stop request interrupts them.
//!
//! The user can ask us to stop twice. After the first request, the present phase is cut short, but
//! the later ones still run in full, so that the user gets to see the results so far. The second
//! request ends the run immediately.

use std::panic::resume_unwind;
use std::sync::Arc;

use windlass_base::Cancel;
use windlass_engine::{Observer, Phase, RunEvent, Stop, StopLevel};

use windlass_site::Error;

/// Runs one phase after the other, and tells an observer when each of them starts.
pub(crate) struct Phases {
    observer: Arc<dyn Observer>,
    stop: Stop,
}

impl Phases {
    pub(crate) fn new(observer: Arc<dyn Observer>, stop: Stop) -> Self {
        Self { observer, stop }
    }

    pub(crate) fn listen(&mut self, observer: Arc<dyn Observer>) {
        self.observer = observer;
    }

    /// Announces the start of `phase` to the observer.
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

    /// Runs `work` on a separate thread, since it may block while this thread has to deal with
    /// signals and progress.
    ///
    /// A stop request during this phase raises the flag of `work`, which should then skip optional
    /// parts; we still use its result. A second request ends the wait for the result.
    ///
    /// If the stop was requested in an earlier phase, the flag isn't raised, because the results so
    /// far should be complete.
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

    /// Runs `work` on a separate thread, but outside of any phase.
    ///
    /// Returns `None` if the user asks for an immediate stop first. The thread goes on in that
    /// case, since there's no way to end it.
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
                    // The runtime is shutting down, so no result will come.
                    Err(_) => None,
                },
            },
        }
    }

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
            // This needs the thread that `work` would block otherwise.
            tokio::spawn(async move { stop.request(StopLevel::Kill) });
            let work = move |_: &Cancel| Ok(receiver.recv().is_ok());
            phases.blocking(Phase::Load, work).await
        });
        assert!(done.is_err_and(|error| error.is_interrupted()));
        drop(let_go);
    }
}
