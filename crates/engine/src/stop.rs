use std::sync::Arc;

use tokio::sync::watch;
use windlass_base::Cancel;

/// Urgency of a stop request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLevel {
    /// Nobody has asked the run to stop.
    #[default]
    None,
    /// Starts nothing but clean-up steps, while running steps continue. After a failure, a run
    /// under `fail_fast` sends this to its nested runs. Other steps never see it.
    Drain,
    /// Stops running steps, and starts nothing but clean-up steps.
    Cancel,
    /// Stops everything immediately.
    Kill,
}

/// Stop signal for both async code and computing code. Clones share the signal.
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
    /// Requests a stop. The level never goes down.
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

    /// Returns the current level.
    #[must_use]
    pub fn level(&self) -> StopLevel {
        *self.level.borrow()
    }

    /// Waits until the level rises above `known` and returns the new level.
    pub async fn beyond(&self, known: StopLevel) -> StopLevel {
        let mut receiver = self.level.subscribe();
        let level = receiver
            .wait_for(|level| *level > known)
            .await
            .map(|level| *level);
        // This can't fail, because `self` owns the sender.
        level.unwrap_or(StopLevel::Kill)
    }

    /// Returns a flag for computing code, which can't await the signal.
    #[must_use]
    pub fn flag(&self) -> &Cancel {
        &self.flag
    }
}
