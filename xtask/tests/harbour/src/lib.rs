//! Berths, ships and tides.

pub mod berth;
pub mod retry;
pub mod tide;

/// What callers get when something goes wrong.
#[derive(Debug)]
pub enum HarbourError {
    /// No berth is long enough.
    NoBerth,
    /// The tide is too low.
    LowTide,
}
