//! Context packs for work in a repository. This crate builds packs from a goal and a request, and
//! stores, shows, compares, rebuilds and merges them.
//!
//! [`PackService`] is the entry point, and [`BuildPack`] is the request for a build. The pack
//! itself, its budget and its output formats are in `windlass_packs`, which stores packs under the
//! digest of their contents.
//!
//! Each part of a pack has an origin with a reason. An excerpt consists of redacted lines of a
//! file. We hash each range of adjacent lines separately, so that even a shortened excerpt proves
//! what it shows. Sources we couldn't use are listed in `sourceNotes`. We withhold a file if its
//! name contains a secret value, because a pack names its files.
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
