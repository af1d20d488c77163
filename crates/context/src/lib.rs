//! Context packs for work in a repository. This crate builds packs from a goal and a request, and
//! stores, shows, compares, rebuilds and merges them.
//!
//! The entry point is [`PackService`], and a [`BuildPack`] is a request for a pack. The pack
//! itself, its budget and its output formats are in `windlass_packs`, which stores packs under the
//! digest of their contents.
//!
//! Each part of a pack has an origin with a reason. An excerpt has redacted lines of a file, and
//! each range of adjacent lines has a hash of its own, so that even a shortened excerpt can be
//! verified. Sources that we could not use are listed in `sourceNotes`. If there is a secret in the
//! name of a file, we withhold the file, because a pack names its files.
//!
//! Make sure that text is redacted before it gets into a pack. This crate does not start any
//! programs.

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
