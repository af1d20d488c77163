//! Stop signals.

use std::sync::Arc;

use tokio::sync::watch;
use windlass_base::Cancel;

/// The urgency of a stop. Each level includes the previous ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLevel {
    /// No stop was requested.
    #[default]
    None,
    /// Starts no more steps, but lets running ones finish. This is only for nested runs, once the
    /// enclosing run has failed under `fail_fast`.
    Drain,
    /// Stops running steps. From here on, only clean-up starts.
    Cancel,
    /// Ends everything immediately.
    Kill,
}

/// A stop signal that async code can await and threads can poll. Clones share the signal.
#[derive(Debug, Clone)]
pub struct Stop {
    level: Arc<watch::Sender<StopLevel>>,
    flag: Cancel,
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            level: Arc::new(watch::Sender::new(StopLevel::None)),
            flag: Cancel::default(),
        }
    }
}

impl Stop {
    /// Requests a stop. If a higher level was requested before, that one remains.
    pub fn request(&self, level: StopLevel) {
        self.level.send_if_modified(|now| {
            let raise = level > *now;
            *now = level.max(*now);
            raise
        });
        if level >= StopLevel::Cancel {
            self.flag.cancel();
        }
    }

    /// The highest level requested so far.
    #[must_use]
    pub fn level(&self) -> StopLevel {
        *self.level.borrow()
    }

    /// Waits for a level above `known`, and returns that level.
    pub async fn beyond(&self, known: StopLevel) -> StopLevel {
        let mut receiver = self.level.subscribe();
        let level = receiver
            .wait_for(|level| *level > known)
            .await
            .map(|level| *level);
        // `self` owns the sender, so this can't fail.
        level.unwrap_or(StopLevel::Kill)
    }

    /// Returns the flag for threads, which can't await the signal. It's raised at
    /// [`StopLevel::Cancel`].
    #[must_use]
    pub fn flag(&self) -> &Cancel {
        &self.flag
    }
}
