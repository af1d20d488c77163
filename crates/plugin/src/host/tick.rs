//! A timer for checking guests for cancellation. Its thread sleeps while no guest is running.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use wasmtime::{Engine, EngineWeak};

use crate::host::slots::{InstanceSlot, InstanceSlots};

const TICK: Duration = Duration::from_millis(1);
/// Number of ticks without a guest before the thread goes to sleep.
///
/// A server may be idle for days, but a short pause between two guests is no reason to sleep.
const IDLE: u32 = 64;

/// Timer thread for all engines of a host. It only ticks while guests are running.
#[derive(Debug)]
pub(crate) struct Ticker {
    shared: Arc<Shared>,
    thread: OnceLock<Result<Thread, String>>,
}

#[derive(Debug)]
struct Shared {
    slots: InstanceSlots,
    engines: Mutex<Vec<Counted>>,
    /// True while the thread sleeps until [`Ticker::wake`].
    asleep: AtomicBool,
    over: AtomicBool,
}

struct Counted(EngineWeak);

impl std::fmt::Debug for Counted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Counted")
    }
}

impl Ticker {
    pub(crate) fn new(slots: InstanceSlots) -> Self {
        let shared = Shared {
            slots,
            engines: Mutex::default(),
            asleep: AtomicBool::new(false),
            over: AtomicBool::new(false),
        };
        Self {
            shared: Arc::new(shared),
            thread: OnceLock::new(),
        }
    }

    /// Sends ticks to `engine` from now on. This starts the thread if necessary.
    pub(crate) fn count_for(&self, engine: &Engine) -> Result<(), String> {
        self.shared.engines().push(Counted(engine.weak()));
        let start = || {
            let shared = Arc::clone(&self.shared);
            // Without this thread, we couldn't stop a running guest, so it's an error if we can't
            // start it.
            let thread = thread::Builder::new().name("plugin time".to_owned());
            let spawned = thread.spawn(move || shared.count());
            let spawned = spawned.map(|handle| handle.thread().clone());
            spawned.map_err(|error| format!("cannot start the timer thread of plugins: {error}"))
        };
        let thread = self.thread.get_or_init(start);
        // The thread may have gone to sleep before we added this engine.
        thread.as_ref().map(Thread::unpark).map_err(Clone::clone)
    }

    /// Waits for a slot for a guest, and makes sure that the timer is running.
    ///
    /// Returns `None` once `stopped` returns true.
    pub(crate) fn enter(&self, stopped: impl Fn() -> bool) -> Option<InstanceSlot<'_>> {
        let slot = self.shared.slots.take(stopped)?;
        // Either the thread sees that a slot is taken, or we see that it's asleep and wake it.
        // Either way, it can't stay asleep while a guest is running.
        if self.shared.asleep.load(Ordering::SeqCst) {
            self.wake();
        }
        Some(slot)
    }

    fn wake(&self) {
        if let Some(Ok(thread)) = self.thread.get() {
            thread.unpark();
        }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        self.wake();
    }
}

impl Shared {
    fn engines(&self) -> MutexGuard<'_, Vec<Counted>> {
        self.engines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) {
        let mut idle = 0;
        while !self.over.load(Ordering::SeqCst) {
            idle = match self.slots.are_all_free() {
                true => idle + 1,
                false => 0,
            };
            if idle > IDLE {
                self.sleep();
                idle = 0;
            }
            // The engines of a host that's gone drop out here.
            self.engines().retain(|Counted(engine)| {
                let engine = engine.upgrade();
                engine.inspect(Engine::increment_epoch).is_some()
            });
            thread::sleep(TICK);
        }
    }

    fn sleep(&self) {
        self.asleep.store(true, Ordering::SeqCst);
        while self.slots.are_all_free() && !self.over.load(Ordering::SeqCst) {
            // `park` may return for no reason, hence the loop.
            thread::park();
        }
        self.asleep.store(false, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticker_counts_again_after_sleep() {
        let ticker = Ticker::new(InstanceSlots::new(2));
        let engine = Engine::default();
        ticker.count_for(&engine).unwrap();
        for _ in 0..3 {
            while !ticker.shared.asleep.load(Ordering::SeqCst) {
                thread::yield_now();
            }
            let _slot = ticker.enter(|| false).unwrap();
            while ticker.shared.asleep.load(Ordering::SeqCst) {
                thread::yield_now();
            }
        }
    }

    #[test]
    fn ticker_thread_ends_with_host() {
        let ticker = Ticker::new(InstanceSlots::new(1));
        ticker.count_for(&Engine::default()).unwrap();
        let shared = Arc::downgrade(&ticker.shared);
        drop(ticker);
        while shared.strong_count() > 0 {
            thread::yield_now();
        }
    }
}
