//! Compiles and runs components. A guest is the running instance of a component.
//!
//! Each attempt gets its own store and instance, which are dropped afterwards, so that no attempt
//! can see what another one has left in memory. A plugin whose output depends only on its input
//! runs on fuel, since it then ends at the same point on every machine. One that imports time or
//! random numbers couldn't give the same result anyway, so it runs on time. Both are checked for
//! cancellation at every tick, about once a millisecond.
//!
//! - The host's work for a guest also costs fuel. We charge for the required work even if a cache
//!   has the result (`v1/cost.rs`), or else the end would depend on the cache.
//! - Components are compiled before a step's time limits begin
//!   ([`windlass_engine::Step::prepare`]), once for all waiting attempts. Code that would take
//!   minutes or gigabytes to compile is refused (`component/weight.rs`).
//! - We cache descriptions, compiled code and results of pure plugins in a folder writable only by
//!   the user. Results with a secret aren't stored.
//! - The key of compiled code consists of the component, the engine, its settings and the CPU. We
//!   check and map the same open file, and never load precompiled code from elsewhere.

mod compiled;
pub(crate) mod engine;
pub(crate) mod kept_outputs;
pub(crate) mod lanes;
mod once;
mod private;
mod slots;
pub(crate) mod stack;
mod tick;

use std::fmt;
use std::sync::Arc;

use wasmtime::Engine;
use wasmtime::component::Component as Compiled;
use windlass_store::{BlobLimits, Blobs};

use self::compiled::{CompiledCode, compile, compiled_again};
use self::engine::{Engines, Meter};
use self::kept_outputs::Results;
use self::lanes::Lanes;
use self::once::OnceEach;
use self::private::PrivateCache;
use self::slots::{InstanceSlot, InstanceSlots};
use self::tick::Ticker;
use windlass_base::PluginDigest;

use crate::{Component, HostOptions, Limits, PluginError};

/// Limits for stored self-descriptions of plugins.
const CARDS: BlobLimits = BlobLimits {
    max_count: 256,
    max_bytes: 16 << 20,
};

/// A host that compiles and runs components. Clones share it. No engine starts until a plugin is
/// first used.
#[derive(Clone)]
pub struct Host(Arc<Inner>);

struct Inner {
    engines: Engines,
    ticker: Ticker,
    lanes: Lanes,
    slot_count: usize,
    limits: Limits,
    code: Option<CompiledCode>,
    results: Option<Results>,
    cards: Option<Blobs>,
    /// Components compiled in this process.
    compiled: OnceEach<(PluginDigest, bool, usize), Result<Compiled, PluginError>>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("limits", &self.0.limits)
            .finish_non_exhaustive()
    }
}

impl Host {
    /// Creates a host without starting an engine.
    #[must_use]
    pub fn new(options: HostOptions) -> Self {
        let cache = options.cache.and_then(|folder| PrivateCache::open(&folder));
        let slots = options.slots.clamp(1, 64);
        Self(Arc::new(Inner {
            engines: Engines::default(),
            ticker: Ticker::new(InstanceSlots::new(slots)),
            lanes: Lanes::new(slots),
            slot_count: slots,
            limits: options.limits,
            code: cache.as_ref().and_then(CompiledCode::open),
            results: cache.as_ref().and_then(Results::open),
            cards: cache.and_then(|cache| cache.blobs("cards", CARDS)),
            compiled: OnceEach::default(),
        }))
    }

    /// Returns the resource limits of one attempt.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Waits for a slot for a guest that runs on time. Returns `None` once `stopped` returns true.
    pub(crate) fn enter(&self, stopped: impl Fn() -> bool) -> Option<InstanceSlot<'_>> {
        self.0.ticker.enter(stopped)
    }

    pub(crate) fn lanes(&self) -> &Lanes {
        &self.0.lanes
    }

    pub(crate) fn results(&self) -> Option<&Results> {
        self.0.results.as_ref()
    }

    /// Returns the stored self-descriptions of plugins.
    pub(crate) fn cards(&self) -> Option<&Blobs> {
        self.0.cards.as_ref()
    }

    pub(crate) fn engine(&self, meter: Meter, lane: usize) -> Result<&Engine, PluginError> {
        let inner = &self.0;
        inner
            .engines
            .get(meter, lane, &inner.limits, inner.slot_count, &inner.ticker)
    }

    /// Returns `component` compiled for a lane's engine. Each component is compiled once. If
    /// another thread is already compiling it, we wait until `stopped` returns true.
    pub(crate) fn compiled(
        &self,
        component: &Component,
        meter: Meter,
        lane: usize,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Compiled, PluginError> {
        let key = (component.digest(), meter == Meter::Fuel, lane);
        let kept = self.0.code.as_ref();
        let make = || {
            let engine = self.engine(meter, lane)?;
            if lane == 0 {
                return compile(engine, component, kept, stopped);
            }
            let first = self.compiled(component, meter, 0, stopped)?;
            let again = compiled_again(engine, component, &first, kept);
            again.map_err(|error| PluginError::Engine(format!("{error:#}")))
        };
        let compiled = self.0.compiled.get(key, stopped, make);
        compiled.unwrap_or(Err(PluginError::Stopped))
    }
}
