//! The memory of the repository: read like all of the user's files, written as a whole under a lock.

mod check;
mod init;
mod reading;
mod writing;

pub use self::check::{MemoryCheck, MemoryCheckRequest};
pub use self::init::{MemoryInit, MemoryInitRequest};
pub use self::writing::WrittenFile;
