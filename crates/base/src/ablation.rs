//! Switches of heuristics, by which `cargo xtask ablate` measures what each of them brings.

#[cfg(feature = "ablate")]
static LEFT_OUT: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();

/// Leaves heuristics out for the rest of the process; of several calls the first counts.
///
/// A heuristic `x` is also left out by `x=…`: the text behind the sign is the value that [`tuned`] gives.
#[cfg(feature = "ablate")]
pub fn leave_out(names: Vec<String>) {
    let _ = LEFT_OUT.set(names);
}

/// Tells that a heuristic is in force. Without the feature `ablate` that is known when compiling.
///
/// Names are `area/heuristic`, as `xtask/src/ablate/` lists them.
#[cfg(feature = "ablate")]
pub fn in_force(heuristic: &str) -> bool {
    !LEFT_OUT
        .get()
        .is_some_and(|left_out| left_out.iter().any(|name| name == heuristic))
}

/// Tells that a heuristic is in force, which all are in what is shipped.
#[cfg(not(feature = "ablate"))]
#[inline(always)]
pub const fn in_force(_heuristic: &str) -> bool {
    true
}

/// A tuned number: `value`, unless `cargo xtask ablate` was told `name=…`.
#[cfg(feature = "ablate")]
pub fn tuned(name: &str, value: f64) -> f64 {
    LEFT_OUT
        .get()
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.split_once('='))
        .find(|(entry, _)| *entry == name)
        .and_then(|(_, told)| told.parse().ok())
        .unwrap_or(value)
}

/// A tuned number, as it is shipped.
#[cfg(not(feature = "ablate"))]
#[inline(always)]
pub const fn tuned(_name: &str, value: f64) -> f64 {
    value
}
