//! Evidence: pointers to lines, the context of their capture, and judgements on them.
//!
//! A pointer such as `src/main.rs:7-12` contains the hash of these lines at their capture. While
//! the lines have the same hash, the evidence is fresh. Otherwise, the captured context helps to
//! find the text again, and a repair records the result.

mod capture;
mod item;
mod judgement;
mod line_span;
mod pointer;

pub use capture::{Capture, LineEnding, LineHashes};
pub use item::{Entry, Evidence, Item, Observation, Provenance, Spot};
pub use judgement::{Freshness, Judgement, Repair, RepairMethod, RepairOutcome};
pub use line_span::{LineSpan, LineSpanError};
pub use pointer::{Pointer, SourceHash, SourceHashError};
