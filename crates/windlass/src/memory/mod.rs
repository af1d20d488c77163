//! The memory of the repository: read like all of the user's files, written as a whole under a lock.

mod also;
mod answer;
mod cache;
mod check;
mod fields;
mod fit;
mod init;
mod pieces;
mod reading;
mod recall;
mod recaller;
mod remember;
mod stamps;
mod stats;
mod text;
mod tracked;
mod writing;

pub use self::also::AlsoSource;
pub use self::answer::{Explained, Loaded, LoadedField, RecallBudget, Recalled, Recollection};
pub(crate) use self::check::memory_check_schema;
pub use self::check::{MemoryCheck, MemoryCheckRequest, PartsToSay};
pub use self::init::{MemoryInit, MemoryInitRequest};
pub use self::recall::{RecallFormat, RecallReport, RecallRequest};
pub use self::recaller::Recaller;
pub use self::remember::{FeedbackNoted, Indexed, MemoryChange, RememberRequest, RememberWork};
pub use self::stats::{Learned, MemoryStats};
pub use self::writing::WrittenFile;
