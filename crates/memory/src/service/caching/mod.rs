//! What is kept of a memory so that it need not be read as a whole. It may vanish at any time.

mod file_stamps;
mod index_cache;

pub(super) use self::file_stamps::Stamps;
pub(super) use self::index_cache::{IndexCache, Keep, KeptIndex, known_memory};
