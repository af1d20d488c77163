//! The memory on disk: its folder, lock, journal and atomic changes.

mod listed_files;
mod memory_changes;
mod memory_folder;

pub use self::memory_changes::WrittenFile;
pub(super) use self::memory_changes::all_is_seen;
pub(super) use self::memory_folder::MemoryFolder;
