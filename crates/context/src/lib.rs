//! Context packs of a repository: built from a goal and what was given, kept, shown, compared, rebuilt and joined.
//!
//! [`PackService`] is the front door; `windlass_packs` keeps packs under the digest of their contents, [`BuildPack`] says what one is
//! made of. What a pack is, and how it is cut and printed, is `windlass_packs`. The same files, history and request make the same pack.
//!
//! This crate must never put text into a pack that was not looked through for secret values, nor start a program.

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
pub use pack_merging::{MergePacks, MergedPacks};
pub use pack_service::{BuiltPack, PackService, ShowPack};
pub use rebuild::{PartRebuilt, PartState, RebuiltPack};
