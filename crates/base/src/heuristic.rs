//! Switches of heuristics, with which `cargo xtask ablate` measures what each one is worth.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

/// Heuristics that are off.
static OFF: RwLock<BTreeSet<String>> = RwLock::new(BTreeSet::new());

/// True if the heuristic `name` is in use. A constant in builds without the feature `ablate`.
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
