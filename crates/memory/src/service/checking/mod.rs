//! Checks a memory and computes statistics about it.

mod memory_check;
mod memory_stats;

pub use self::memory_check::{MemoryCheck, MemoryCheckRequest, PartsToSay, memory_check_schema};
pub use self::memory_stats::{Learned, MemoryStats};
