//! Evidence: pointers at lines, their captured context, and judgements.

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
