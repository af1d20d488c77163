//! The parts of the work around a run: where they block, and how they are stopped.

use std::panic::resume_unwind;
use std::sync::Arc;

use windlass_base::Cancel;
use windlass_engine::{Observer, Phase, RunEvent, Stop, StopLevel};

use windlass_site::Error;

/// Leads from phase to phase. Who listens hears of each; a stop is heard in each.
pub(crate) struct Phases {
    observer: Arc<dyn Observer>,
    stop: Stop,
}

impl Phases {
    pub(crate) fn new(observer: Arc<dyn Observer>, stop: Stop) -> Self {
        Self { observer, stop }
    }

    /// Tells `observer` what happens from now on, instead of who was told until now.
    pub(crate) fn listen(&mut self, observer: Arc<dyn Observer>) {
        self.observer = observer;
    }

    /// Begins `phase`.
    ///
    /// # Errors
    /// [`windlass_site::SiteError::Interrupted`] when somebody insists on stopping.
    pub(crate) fn enter(&self, phase: Phase) -> Result<(), Error> {
        self.observer.event(&RunEvent::PhaseStarted { phase });
        if self.stop.level() >= StopLevel::Kill {
            return Err(Error::interrupted());
        }
        Ok(())
    }

    /// Does the blocking `work` of `phase` on a thread of its own, so that signals and progress are looked
    /// after meanwhile. It is given a flag that is raised when somebody asks to stop while it works: it then
    /// leaves undone what may be, and its result still counts. Nobody waits for it when somebody insists.
    ///
    /// A stop that came before is the matter of the phase it came in: what was found until then is still to
    /// be shown.
    ///
    /// # Errors
    /// [`windlass_site::SiteError::Interrupted`], and whatever `work` fails with.
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

    /// Does the blocking `work` that is no phase of its own, on a thread of its own; `None` when somebody
    /// insists on stopping first.
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
                    // The runtime is shut down.
                    Err(_) => None,
                },
            },
        }
    }

    /// Whether somebody asked to stop, in this phase or before.
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
    fn nobody_waits_for_work_that_does_not_end_once_somebody_insists() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        let stop = Stop::default();
        let phases = Phases::new(Arc::new(NoObserver), stop.clone());
        let (let_go, receiver) = channel::<()>();
        let done = runtime.block_on(async {
            // Heard on the very thread that would be blocked if the work were done on it.
            tokio::spawn(async move { stop.request(StopLevel::Kill) });
            let work = move |_: &Cancel| Ok(receiver.recv().is_ok());
            phases.blocking(Phase::Load, work).await
        });
        assert!(done.is_err_and(|error| error.is_interrupted()));
        drop(let_go);
    }
}
