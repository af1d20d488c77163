//! Switches for heuristics. `cargo xtask ablate` turns them off one by one and measures the effect.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

static OFF: RwLock<BTreeSet<String>> = RwLock::new(BTreeSet::new());

/// Returns true if the heuristic `name` is in use. Without the feature `ablate`, this is a
/// compile-time constant, so the switches cost nothing then.
#[inline]
#[must_use]
pub fn is_on(name: &str) -> bool {
    !cfg!(feature = "ablate") || !is_off(name)
}

fn is_off(name: &str) -> bool {
    let off = OFF.read().unwrap_or_else(PoisonError::into_inner);
    off.contains(name)
}

/// Turns off the heuristics in `names`, and all others on. If this build has no switches, this has
/// no effect and returns false.
pub fn turn_off<'a>(names: impl IntoIterator<Item = &'a str>) -> bool {
    let names = names.into_iter().map(str::to_owned).collect();
    *OFF.write().unwrap_or_else(PoisonError::into_inner) = names;
    cfg!(feature = "ablate")
}
