//! Evidence: pointers to lines in files, and verdicts on what has become of these lines.
//!
//! [`capture()`] turns a location in a file into a [`windlass_base::Pointer`] with the hash of its
//! lines, and records the context that a later proof needs. [`judge`] compares the pointer with the
//! current files. If the lines are no longer at their location, it looks for them and reports where
//! they are now, that they were deleted, or that neither can be proven.
//!
//! The modules share a few words. The *text* of a pointer is its captured lines. A line is
//! *carried* if comparing two states of a file pairs it with an equal line (`line_map`), and
//! *followed* if this is done commit by commit (`replay`). Lines count by *weight*: long and rare
//! lines have the most, and *trivial* lines such as `}` have none. The *information* in a text is
//! the number of its letters and digits.
//!
//! This crate must never call lines fresh that it has not hashed, mistake a copy for the original,
//! or prefer one of several equal candidates because it is nearer. It must never read a file except
//! through [`windlass_repo::Snapshot`].

mod agreement;
mod alignment;
mod capture;
mod claim;
mod elsewhere;
mod evidence_store;
mod explain;
mod in_file;
mod information;
mod judge;
mod keep_evidence;
mod line_map;
mod numbers;
mod old_text;
mod other_forms;
mod params;
mod place;
mod reanchor;
mod reciprocal;
mod records;
mod replay;
mod shared;
mod sought;
mod state;
mod symbols;
mod text;
mod verdicts;
mod vestige;
mod windows;

pub use capture::{CaptureError, Captured, capture, capture_at};
pub use claim::Claim;
pub use evidence_store::EvidenceStore;
pub use explain::Step;
pub use judge::{explain, judge, stood_at};
pub use keep_evidence::{keep_evidence, keep_evidence_in};
pub use old_text::captured_text;
pub use state::claim_here;
pub use symbols::lookup::{
    NamedSymbol, SymbolError, outline_of, span_of, symbol_named, symbols_named,
};
