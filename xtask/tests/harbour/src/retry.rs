//! Retries what failed.

/// Maximum number of attempts.
pub const MAX_ATTEMPTS: u32 = 3;

/// Calls `work` until it succeeds, at most [`MAX_ATTEMPTS`] times.
pub fn again<T, E>(mut work: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    let mut attempt = 1;
    loop {
        match work() {
            Err(_) if attempt < MAX_ATTEMPTS => attempt += 1,
            done => return done,
        }
    }
}
