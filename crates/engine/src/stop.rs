use std::sync::Arc;

use tokio::sync::watch;
use windlass_base::Cancel;

/// The urgency with which somebody wants to stop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLevel {
    /// Nobody asked.
    #[default]
    None,
    /// Start nothing but clean-up; what runs goes on to its end. A run under `fail_fast` asks this of the
    /// runs nested in it when something failed; steps that are no runs never hear of it.
    Drain,
    /// Stop what runs, start nothing but clean-up.
    Cancel,
    /// Stop everything now.
    Kill,
}

/// A request to stop that both waiting and computing code can notice. Cloning shares it.
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
    /// Asks to stop; the level never goes down.
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

    /// The level now.
    #[must_use]
    pub fn level(&self) -> StopLevel {
        *self.level.borrow()
    }

    /// Waits until somebody asks for more than `known`, and says for what.
    pub async fn beyond(&self, known: StopLevel) -> StopLevel {
        let mut receiver = self.level.subscribe();
        let level = receiver
            .wait_for(|level| *level > known)
            .await
            .map(|level| *level);
        // The sender lives in `self`, so waiting cannot fail.
        level.unwrap_or(StopLevel::Kill)
    }

    /// The flag for code that computes and cannot wait.
    #[must_use]
    pub fn flag(&self) -> &Cancel {
        &self.flag
    }
}
