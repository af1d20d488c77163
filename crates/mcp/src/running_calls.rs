//! The calls that are running, so that we can end them all.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use windlass::engine::{Stop, StopLevel};

use crate::server_limits::{TO_CLEAN_UP, TO_END};

#[derive(Debug, Clone, Default)]
pub(crate) struct Running(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    calls: Mutex<Calls>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct Calls {
    next: u64,
    stops: BTreeMap<u64, Stop>,
}

/// Shows that a call is running. Drop this when it ends.
pub(crate) struct Begun {
    of: Running,
    number: u64,
}

impl Running {
    /// Registers a call, which `stop` can end, until the result is dropped.
    pub(crate) fn begun(&self, stop: &Stop) -> Begun {
        let mut calls = self.calls();
        let number = calls.next;
        calls.next += 1;
        calls.stops.insert(number, stop.clone());
        Begun {
            of: self.clone(),
            number,
        }
    }

    fn calls(&self) -> std::sync::MutexGuard<'_, Calls> {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops all calls, since no one is left to read their results.
    ///
    /// They get [`TO_CLEAN_UP`] for ending child processes and releasing locks. Those that are
    /// still running after that are killed.
    pub(crate) async fn end(&self) {
        for (level, patience) in [(StopLevel::Cancel, TO_CLEAN_UP), (StopLevel::Kill, TO_END)] {
            for stop in self.calls().stops.values() {
                stop.request(level);
            }
            let all_ended = async {
                loop {
                    // Create this before looking at the calls. Otherwise, we'd miss the
                    // notification if the last call ended in between.
                    let ended = self.0.ended.notified();
                    if self.calls().stops.is_empty() {
                        return;
                    }
                    ended.await;
                }
            };
            if tokio::time::timeout(patience, all_ended).await.is_ok() {
                return;
            }
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.of.calls().stops.remove(&self.number);
        self.of.0.ended.notify_waiters();
    }
}
