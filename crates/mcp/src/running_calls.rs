//! Running calls, and a way to end them all.

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

/// Registration of a running call. Dropping it removes the call.
pub(crate) struct Begun {
    of: Running,
    number: u64,
}

impl Running {
    /// Registers a call that can be stopped with `stop`.
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

    /// Stops all calls, because nobody will read their results. Calls get some time to end child
    /// processes and release locks. After that, they are killed.
    pub(crate) async fn end(&self) {
        for (level, patience) in [(StopLevel::Cancel, TO_CLEAN_UP), (StopLevel::Kill, TO_END)] {
            for stop in self.calls().stops.values() {
                stop.request(level);
            }
            let all_ended = async {
                loop {
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
