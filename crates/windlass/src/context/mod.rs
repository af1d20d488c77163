//! Context packs: kept under the digest of their contents, shown within a budget.

mod check;
mod print;
mod show;
mod store;

pub(crate) use self::check::{check_pack, check_payload};
pub use self::print::{PackView, PrintedPack};
pub use self::show::ShowPack;
