//! Caches the recall index. Otherwise, each query would read the whole memory.

mod file_stamps;
mod index_cache;

pub(super) use self::file_stamps::Stamps;
pub(super) use self::index_cache::{CachedIndex, IndexCache};
