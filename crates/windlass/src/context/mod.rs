//! Context packs: kept under the digest of their contents, shown within a budget.

mod build;
mod check;
mod error;
mod merging;
mod print;
mod rebuild;
mod show;
mod step;
mod store;

pub use self::build::{BuildPack, BuiltPack};
pub(crate) use self::check::{check_pack, check_payload};
pub use self::merging::{MergePacks, MergedPacks};
pub use self::print::{PackView, PrintedPack};
pub use self::rebuild::{PartRebuilt, PartState, RebuiltPack};
pub use self::show::ShowPack;
pub(crate) use self::step::WorkspacePacks;
pub use error::ContextError;
