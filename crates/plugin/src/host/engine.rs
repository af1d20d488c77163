//! WebAssembly engines and their settings.

use std::num::NonZeroUsize;
use std::sync::OnceLock;

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::host::lanes::MAX_LANES;
use crate::host::stack::GUEST_STACK;
use crate::host::tick::Ticker;
use crate::{Limits, PluginError};

/// Mechanisms for ending a guest that would otherwise run forever. Each of them needs different
/// compiled code, and therefore an engine of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meter {
    /// Fuel, which each instruction consumes.
    ///
    /// We use it for all guests without imports of time or random numbers, because they then end at
    /// the same point on every machine.
    Fuel,
    /// Epochs, advanced by a clock. They only limit the time.
    Epochs,
}

/// Number of bytes of a slot's memory that stay mapped for the next instance.
///
/// The kernel only has to clear the pages that were used, which is faster than mapping new ones.
const KEEP_RESIDENT: usize = 2 << 20;

/// The engines of all lanes. Each is started on first use.
#[derive(Debug, Default)]
pub(crate) struct Engines {
    fuel: [OnceLock<Result<Engine, String>>; MAX_LANES],
    epochs: [OnceLock<Result<Engine, String>>; MAX_LANES],
}

impl Engines {
    pub(crate) fn get(
        &self,
        meter: Meter,
        lane: usize,
        limits: &Limits,
        slots: usize,
        ticker: &Ticker,
    ) -> Result<&Engine, PluginError> {
        let engines = match meter {
            Meter::Fuel => &self.fuel,
            Meter::Epochs => &self.epochs,
        };
        let engine = &engines[lane];
        let start = || {
            let engine = start(meter, limits, slots)?;
            ticker.count_for(&engine)?;
            Ok(engine)
        };
        let engine = engine.get_or_init(start);
        engine
            .as_ref()
            .map_err(|why| PluginError::Engine(why.clone()))
    }
}

/// Layouts of plugin memories in the address space, in the order in which we try them.
#[derive(Debug, Clone, Copy)]
enum Space {
    /// Four gigabytes of addresses for each memory, so that no access needs a check.
    Wide,
    /// Only as many addresses as a memory may need.
    ///
    /// That is for processes with a limited address space (`ulimit -v`, containers).
    Narrow,
    /// No reserved addresses at all. Each instance allocates its own memories, which is slower.
    OnDemand,
}

fn start(meter: Meter, limits: &Limits, slots: usize) -> Result<Engine, String> {
    let mut first = None;
    for space in [Space::Wide, Space::Narrow, Space::OnDemand] {
        match Engine::new(&config(meter, space, limits, slots)) {
            Ok(engine) => {
                tracing::debug!(?meter, ?space, slots, "plugin engine started");
                return Ok(engine);
            }
            Err(error) => {
                tracing::info!(?space, %error, "plugin engine needs another layout of memory");
                first.get_or_insert(format!("{error:#}"));
            }
        }
    }
    // The first error is about the layout we actually want. The others are only consequences.
    Err(first.unwrap_or_default())
}

fn config(meter: Meter, space: Space, limits: &Limits, slots: usize) -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .consume_fuel(meter == Meter::Fuel)
        .epoch_interruption(true)
        // Turn off all features that may differ between machines, since results would then differ
        // too.
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        .wasm_simd(false)
        .wasm_memory64(false)
        .wasm_backtrace_max_frames(NonZeroUsize::new(20))
        .native_unwind_info(false)
        // Backtraces only show function names. With offsets, the code would be a tenth larger.
        .generate_address_map(false)
        .max_wasm_stack(GUEST_STACK);
    if !matches!(space, Space::Wide) {
        config
            .memory_reservation(limits.memory as u64)
            .memory_guard_size(64 << 10);
    }
    if !matches!(space, Space::OnDemand) {
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(limits, slots)));
    }
    config
}

fn pool(limits: &Limits, slots: usize) -> PoolingAllocationConfig {
    /// Maximum number of core instances in one component. A Python runtime has 38.
    const MAX_PARTS: u32 = 64;
    /// Maximum number of memories in one component.
    ///
    /// Most have just one, but some compilers add a second.
    const MAX_MEMORIES: u32 = 8;
    let slots = u32::try_from(slots).unwrap_or(u32::MAX);
    let parts = slots.saturating_mul(MAX_PARTS);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(slots)
        .total_core_instances(parts)
        // This reserves the maximum for each slot. It only costs addresses, no memory.
        .total_memories(slots.saturating_mul(MAX_MEMORIES))
        .total_tables(parts)
        .max_memory_size(limits.memory)
        .table_elements(limits.table_elements)
        .max_core_instances_per_component(MAX_PARTS)
        .max_memories_per_component(MAX_MEMORIES)
        .max_tables_per_component(MAX_PARTS)
        .max_component_instance_size(4 << 20)
        .max_core_instance_size(4 << 20)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        .table_keep_resident(64 << 10)
        .max_unused_warm_slots(slots.min(16))
        .pagemap_scan(Enabled::Auto);
    pool
}

#[cfg(test)]
mod tests {
    use wasmtime::Store;
    use wasmtime::component::{Component, Linker};

    use super::*;

    #[test]
    // Two instances with the maximum number of memories must fit into two slots.
    fn slot_has_room_for_all_memories() {
        let memories = "(core instance (instantiate $m))".repeat(8);
        let text = format!("(component (core module $m (memory 1)) {memories})");
        let limits = Limits {
            memory: 1 << 20,
            ..Limits::default()
        };
        let engine = start(Meter::Fuel, &limits, 2).unwrap();
        let component = Component::new(&engine, wat::parse_str(text).unwrap()).unwrap();
        let linker = Linker::<()>::new(&engine);
        let mut stores = [(); 2].map(|()| Store::new(&engine, ()));
        for store in &mut stores {
            store.set_fuel(1_000_000).unwrap();
            linker.instantiate(store, &component).unwrap();
        }
    }
}
