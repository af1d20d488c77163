//! Formulas: workflow templates that many agents work through, read and cooked to a final graph of steps.

mod cooked;

pub use cooked::*;
