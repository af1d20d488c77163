//! Compiles and runs components. A guest is the running instance of a component.
//!
//! Each attempt gets its own store and instance, which are dropped afterwards. No attempt can
//! therefore see another one's memory. Plugins run on fuel, because they then end at the same point
//! on every machine. With imports of time or random numbers, results differ anyway, so these
//! plugins run on time. We check both for cancellation at every tick, about once a millisecond.
//!
//! - The host's work for a guest also costs fuel. A cached result costs the same (`v1/cost.rs`).
//!   Otherwise, a full cache would let the guest get further.
//! - We compile components before a step's time limits begin ([`windlass_engine::Step::prepare`]),
//!   and only once for all attempts that wait for it. Code is refused if compiling it would take
//!   minutes or gigabytes (`component/weight.rs`).
//! - Descriptions, compiled code and results of pure plugins are cached in a folder that only the
//!   user can write to. Results with a secret aren't stored.
//! - The cache key of compiled code consists of the component, the engine, its settings and the
//!   CPU. We check and map the same open file, and never load precompiled code from elsewhere.

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

/// Size of the cache for the descriptions of plugins.
const CARDS: BlobLimits = BlobLimits {
    max_count: 256,
    max_bytes: 16 << 20,
};

/// Compiles and runs components.
///
/// All clones share the same state, and the first use of a plugin starts an engine.
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
    /// Components compiled in this process, by digest, use of fuel, and lane.
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
    /// Opens the cache folder, but does not start an engine yet. The number of slots is limited to
    /// the range from 1 to 64.
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

    /// The resource limits of each attempt.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    pub(crate) fn enter(&self, stopped: impl Fn() -> bool) -> Option<InstanceSlot<'_>> {
        self.0.ticker.enter(stopped)
    }

    pub(crate) fn lanes(&self) -> &Lanes {
        &self.0.lanes
    }

    pub(crate) fn results(&self) -> Option<&Results> {
        self.0.results.as_ref()
    }

    pub(crate) fn cards(&self) -> Option<&Blobs> {
        self.0.cards.as_ref()
    }

    pub(crate) fn engine(&self, meter: Meter, lane: usize) -> Result<&Engine, PluginError> {
        let inner = &self.0;
        inner
            .engines
            .get(meter, lane, &inner.limits, inner.slot_count, &inner.ticker)
    }

    /// Compiles `component` for a lane's engine, at most once in this process.
    ///
    /// If another thread is already compiling it, we wait for that until `stopped` returns true.
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
            // The engines of other lanes have the same settings, so they can load the code of the
            // first one.
            let first = self.compiled(component, meter, 0, stopped)?;
            let again = compiled_again(engine, component, &first, kept);
            again.map_err(|error| PluginError::Engine(format!("{error:#}")))
        };
        let compiled = self.0.compiled.get(key, stopped, make);
        compiled.unwrap_or(Err(PluginError::Stopped))
    }
}
