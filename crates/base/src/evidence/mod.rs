//! Evidence: pointers to lines, their captured context, and judgements on them.
//!
//! A pointer such as `src/main.rs:7-12` carries the hash of these lines at capture. If they still
//! have that hash, the evidence is fresh. Otherwise, the captured context helps to find the text
//! again, and a repair records the outcome.

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
