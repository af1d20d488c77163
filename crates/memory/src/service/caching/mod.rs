//! Caches that save us from reading the whole memory. They may be deleted at any time.

mod file_stamps;
mod index_cache;

pub(super) use self::file_stamps::Stamps;
pub(super) use self::index_cache::{CachedIndex, IndexCache, Keep, known_memory};
