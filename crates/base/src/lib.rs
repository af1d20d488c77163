//! The words all Windlass crates share.
//!
//! This crate is for small, pure vocabulary: repository paths, evidence pointers, their captures and statuses, items
//! and observations, limits, next actions, diagnostics, canonical JSON and digests.
//!
//! It must never touch the file system, the clock, the environment or the network, and it must stay small:
//! a word belongs here only when two crates that do not know each other need it.

pub mod ablation;
mod caller;
mod cancel;
mod canonical;
mod capture;
mod counted;
mod diagnostic;
mod digest;
mod harmful;
mod hex;
mod ident;
mod item;
mod limit;
mod lines;
mod next_action;
mod number;
mod parallel;
mod path;
mod plugin_digest;
mod pointer;
mod redacted;
mod size;
mod status;
mod suggest;

pub use caller::{Caller, Tools, name_root};
pub use cancel::Cancel;
pub use canonical::{CanonicalError, canonical_json};
pub use capture::{Capture, LineEnding, LineHashes};
pub use counted::counted;
pub use diagnostic::{Diagnostic, Diagnostics, Place, Position, Severity, Source};
pub use digest::Digest;
pub use harmful::is_harmful;
pub use hex::{decode_hex, encode_hex};
pub use ident::{Ident, IdentError};
pub use item::{Entry, Evidence, Item, Observation, Provenance, Spot};
pub use limit::{Limit, ResponseMode};
pub use lines::{LineSpan, LineSpanError};
pub use next_action::{NextAction, names_a_file};
pub use number::compare_numbers;
pub use parallel::in_parallel;
pub use path::{PathError, RepoPath};
pub use plugin_digest::PluginDigest;
pub use pointer::{Pointer, SourceHash, SourceHashError};
pub use redacted::Redacted;
pub use size::{json_size_within, memory_of};
pub use status::{Freshness, Judgement, Repair, RepairMethod, RepairOutcome};
pub use suggest::did_you_mean;
