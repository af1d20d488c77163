//! Checks a memory, and counts its contents.

mod memory_check;
mod memory_stats;

pub use self::memory_check::{MemoryCheck, MemoryCheckRequest, PartsToSay, memory_check_schema};
pub use self::memory_stats::{Learned, MemoryStats};
