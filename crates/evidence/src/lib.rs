//! Evidence: pointers to lines, and verdicts on them.
//!
//! [`capture()`] turns a location in a file into a [`windlass_base::Pointer`] with the hash of its lines, and records
//! the context that later proof needs. [`judge`] determines their current state and location.
//!
//! This crate must never call something fresh that it has not hashed, take a copy for the original, break a tie by
//! nearness, or read a file other than through [`windlass_repo::Snapshot`].

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
