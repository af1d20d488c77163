//! Version 1 of the plugin interface, with its linker and the store that enforces the limits.

mod bindings;
mod cost;
mod guest_imports;
mod guest_state;
pub(crate) mod limiter;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use wasmtime::component::{HasSelf, Linker};
use wasmtime::{Engine, Store, UpdateDeadline};
use windlass_plan::Capability;

pub(crate) use self::bindings::PluginPre;
pub(crate) use self::bindings::exports::windlass::step::handler::{
    Description, Failure as GuestFailure, Purity as GuestPurity, StepError as GuestError,
};
use self::bindings::windlass::step::{
    anchors, clock, evidence, files, log, progress, random, search,
};
pub(crate) use self::guest_state::{Attempt, HostFault, LogLine, State};
use crate::host::engine::Meter;
use crate::plugin_limits::Limits;
use crate::v1::limiter::Limiter;

/// Links the basic interfaces and those in `granted`, but never WASI.
pub(crate) fn linker(
    engine: &Engine,
    granted: &BTreeSet<Capability>,
) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    let own: fn(&mut State) -> &mut State = |state| state;
    log::add_to_linker::<State, HasSelf<State>>(&mut linker, own)?;
    progress::add_to_linker::<State, HasSelf<State>>(&mut linker, own)?;
    for capability in granted {
        match capability {
            Capability::Read => {
                evidence::add_to_linker::<State, HasSelf<State>>(&mut linker, own)?;
            }
            Capability::Search => {
                search::add_to_linker::<State, HasSelf<State>>(&mut linker, own)?;
            }
            Capability::List => files::add_to_linker::<State, HasSelf<State>>(&mut linker, own)?,
            Capability::Anchors => {
                anchors::add_to_linker::<State, HasSelf<State>>(&mut linker, own)?;
            }
            Capability::Time => clock::add_to_linker::<State, HasSelf<State>>(&mut linker, own)?,
            Capability::Random => {
                random::add_to_linker::<State, HasSelf<State>>(&mut linker, own)?;
            }
        }
    }
    Ok(linker)
}

pub(crate) fn store(
    engine: &Engine,
    meter: Meter,
    limits: &Limits,
    attempt: Attempt,
) -> wasmtime::Result<Store<State>> {
    /// What we allow beyond the bytes of a text, for its overhead and for small values next to it.
    const ROOM: usize = 64 << 10;
    let (stop, limit) = (attempt.cancel.clone(), attempt.most_time.map(from_now));
    let limiter = Limiter::new(limits.memory, limits.table_elements);
    let mut store = Store::new(engine, State::new(limiter, attempt, limits.fuel));
    store.limiter(|state| &mut state.limiter);
    store.set_hostcall_fuel(limits.output.saturating_add(ROOM));
    if meter == Meter::Fuel {
        store.set_fuel(limits.fuel)?;
    }
    // An interrupt acts like a trap, so the error names the functions that the guest was in.
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |_| {
        let is_over = limit.is_some_and(|(began, most)| began.elapsed() >= most);
        Ok(match is_over || stop.is_cancelled() {
            true => UpdateDeadline::Interrupt,
            false => UpdateDeadline::Continue(1),
        })
    });
    Ok(store)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time only decides when it ends"
)]
fn from_now(most: Duration) -> (Instant, Duration) {
    (Instant::now(), most)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use wasmtime::{Config, Instance, Module, Trap};
    use windlass_base::Cancel;

    use super::*;

    #[test]
    fn expired_time_ends_the_guest() {
        let mut config = Config::new();
        config.epoch_interruption(true);
        let engine = Engine::new(&config).unwrap();
        let endless = "(module (func $run (loop $on (br $on))) (start $run))";
        let module = Module::new(&engine, wat::parse_str(endless).unwrap()).unwrap();
        let attempt = Attempt {
            most_time: Some(Duration::ZERO),
            ..Attempt::alone(Cancel::default())
        };
        let mut store = store(&engine, Meter::Epochs, &Limits::default(), attempt).unwrap();
        let is_over = AtomicBool::new(false);
        let ended = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    engine.increment_epoch();
                    std::thread::yield_now();
                }
            });
            let ended = Instance::new(&mut store, &module, &[]);
            is_over.store(true, Ordering::Relaxed);
            ended
        });
        let trap = ended.unwrap_err().downcast::<Trap>().unwrap();
        assert_eq!(trap, Trap::Interrupt);
    }
}
