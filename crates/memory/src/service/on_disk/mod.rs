//! The folder of the memory: its lock, its journal, and changes of it as a whole.

mod listed_files;
mod memory_changes;
mod memory_folder;

pub use self::memory_changes::WrittenFile;
pub(super) use self::memory_changes::all_is_seen;
pub(super) use self::memory_folder::MemoryFolder;
