//! Creates a memory, and writes records to it.

mod begun_memory;
mod remembered_records;

pub use self::begun_memory::{MemoryInit, MemoryInitRequest};
pub use self::remembered_records::{
    FeedbackNoted, Indexed, MemoryChange, RememberRequest, RememberWork,
};

use windlass_site::{Error, Site};

use crate::{MemoryError, is_date};

/// The current day in UTC, e.g. `2026-03-01`.
///
/// # Errors
/// Returns an error if the clock returns something that isn't a date.
fn today(site: &Site) -> Result<String, Error> {
    let now = site.environment().timestamp().unwrap_or_default();
    let day: String = now.chars().take(10).collect();
    match is_date(&day) {
        true => Ok(day),
        false => Err(MemoryError::NoDay(now).into()),
    }
}
