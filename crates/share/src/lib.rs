//! Backends for the ledger's shared log: a folder, a ref of a git remote, and PostgreSQL.
//!
//! A backend stores batches of bytes in order, without any knowledge of the events inside. Each
//! backend implements [`SharedLog`](windlass_ledger::SharedLog), and has to pass the same tests
//! (`tests/conformance.rs`).

mod backends;
mod file_log;
mod git_log;
mod git_program;
mod location;
#[cfg(feature = "postgres")]
mod postgres;

use std::time::Duration;

use windlass_ledger::SharedError;

pub use backends::{Backends, default_name};
pub use location::{GivenLocation, Location};

/// Calls `check` every `tick`, until it returns a value or `limit` is over.
fn paused<T>(
    limit: Duration,
    tick: Duration,
    mut check: impl FnMut() -> Result<Option<T>, SharedError>,
) -> Result<Option<T>, SharedError> {
    // A clock would be more precise than adding up the pauses, but this is good enough for limits
    // of seconds.
    let mut waited = Duration::ZERO;
    loop {
        if let Some(found) = check()? {
            return Ok(Some(found));
        }
        if waited >= limit {
            return Ok(None);
        }
        let pause = tick.min(limit.saturating_sub(waited));
        std::thread::sleep(pause);
        waited += pause;
    }
}
