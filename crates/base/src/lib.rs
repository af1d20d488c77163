//! The vocabulary that all Windlass crates share.
//!
//! These are small types without side effects: repository paths, pointers to evidence with their
//! captures and statuses, items and observations, limits, next actions, diagnostics, canonical JSON
//! and digests.
//!
//! This crate must never touch the file system, the clock, the environment or the network.
//! Everything depends on it, so it also has to stay small: a type only belongs here if two
//! unrelated crates need it.

// `word_enum!` refers to this crate by the name that it has in the others.
extern crate self as windlass_base;

mod cancel;
mod canonical;
mod compare_numbers;
mod counted;
mod diagnostic;
mod did_you_mean;
mod digest;
mod evidence;
mod first_names;
mod harmful_char;
mod heuristic;
mod hex;
mod ident;
mod is_default;
mod json_size;
mod leb128;
mod lexical_path;
mod limit;
mod next_action;
mod parallel;
mod printed_schema;
mod redacted;
mod repo_path;
mod short_text;
mod word_enum;
mod written_as_text;

#[doc(hidden)]
pub use schemars;

pub use cancel::Cancel;
pub use canonical::{CanonicalError, canonical_json};
pub use compare_numbers::compare_numbers;
pub use counted::counted;
pub use diagnostic::{Diagnostic, Diagnostics, Place, Position, Severity, Source};
pub use did_you_mean::{did_you_mean, similar_hint};
pub use digest::{Digest, PluginDigest};
pub use evidence::{
    Capture, Entry, Evidence, Freshness, Item, Judgement, LineEnding, LineHashes, LineSpan,
    LineSpanError, Observation, Pointer, Provenance, Repair, RepairMethod, RepairOutcome,
    SourceHash, SourceHashError, Spot,
};
pub use first_names::first_names;
pub use harmful_char::is_harmful;
pub use heuristic::{is_on, turn_off};
pub use hex::{decode_hex, encode_hex};
pub use ident::{Ident, IdentError};
pub use is_default::is_default;
pub use json_size::{json_size_within, memory_of};
pub use leb128::{put_leb128, take_leb128};
pub use lexical_path::lexical;
pub use limit::{Limit, ResponseMode};
pub use next_action::{Caller, NextAction, Tools, name_root, names_a_file, shell_word};
pub use parallel::{in_parallel, lock};
pub use printed_schema::printed_schema;
pub use redacted::Redacted;
pub use repo_path::{PathError, RepoPath};
pub use short_text::{cut_after, one_line, short_id, slug};
