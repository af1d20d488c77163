//! Evidence: pointers to lines in files, and verdicts on their current state and location.
//!
//! [`capture()`] turns a location in a file into a [`windlass_base::Pointer`] with the hash of its lines, and records
//! the context that a later proof needs. [`judge`] determines the current state and location of the lines.
//!
//! This crate must never call lines fresh that it has not hashed, mistake a copy for the original, or prefer one of
//! several equal candidates because it is nearer. It must never read a file except through [`windlass_repo::Snapshot`].

mod agreement;
mod alignment;
mod capture;
mod captured_text;
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
mod other_names;
mod place;
mod reanchor;
mod reciprocal;
mod records;
mod replay;
mod reshaped;
mod shared;
mod sliders;
mod sought;
mod state;
mod symbols;
mod text;
mod verdicts;
mod vestige;
mod windows;

pub use capture::{CaptureError, Captured, capture, capture_at};
pub use captured_text::captured_text;
pub use claim::Claim;
pub use evidence_store::EvidenceStore;
pub use explain::Step;
pub use judge::{explain, judge, stood_at};
pub use keep_evidence::{keep_evidence, keep_evidence_in};
pub use state::claim_here;
pub use symbols::lookup::{
    NamedSymbol, SymbolError, outline_of, span_of, symbol_named, symbols_named,
};
