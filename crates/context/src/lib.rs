//! Context packs for work in a repository. This crate builds a pack from a goal and a request, and stores, shows,
//! compares, rebuilds and merges packs.
//!
//! [`PackService`] is the entry point, and [`BuildPack`] is the request for a build. The pack itself, its budget and
//! its output formats are in `windlass_packs`, which stores packs under the digest of their contents.
//!
//! Each part of a pack has an origin with a reason. An excerpt consists of redacted lines of a file. Each range of
//! adjacent lines has a hash, so that a shortened excerpt still proves what it shows. Sources that could not be used
//! are listed in `sourceNotes`. A file whose name contains a secret value cannot be named, so it is withheld.
//!
//! Text enters a pack only after redaction, and this crate starts no programs.

mod built_for_step;
mod checked_pack;
mod compose;
mod context_error;
mod line_difference;
mod named_packs;
mod pack_merging;
mod pack_service;
mod rebuild;

pub use checked_pack::{check_pack, check_payload};
pub use compose::BuildPack;
pub use context_error::ContextError;
#[doc(hidden)]
pub use line_difference::{Difference, difference};
pub use pack_merging::{MergePacks, MergedPacks};
pub use pack_service::{BuiltPack, PackService, ShowPack};
pub use rebuild::{PartRebuilt, PartState, RebuiltPack};
