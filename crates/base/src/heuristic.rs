//! Switches for heuristics. `cargo xtask ablate` turns heuristics off one by one to measure what
//! each is worth.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

/// Heuristics currently turned off.
static OFF: RwLock<BTreeSet<String>> = RwLock::new(BTreeSet::new());

/// Returns true if the heuristic `name` is in use. Without the feature `ablate`, this is a
/// constant.
#[inline]
#[must_use]
pub fn is_on(name: &str) -> bool {
    !cfg!(feature = "ablate") || !is_off(name)
}

fn is_off(name: &str) -> bool {
    let off = OFF.read().unwrap_or_else(PoisonError::into_inner);
    off.contains(name)
}

/// Turns the heuristics `names` off and all others on. Returns false if the build has no switches.
pub fn turn_off<'a>(names: impl IntoIterator<Item = &'a str>) -> bool {
    let names = names.into_iter().map(str::to_owned).collect();
    *OFF.write().unwrap_or_else(PoisonError::into_inner) = names;
    cfg!(feature = "ablate")
}
