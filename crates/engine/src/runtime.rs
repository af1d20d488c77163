//! Builds the runtimes that we need.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// Number of socket pairs to open as a test. Together, they take two file descriptors more than a
/// runtime.
#[cfg(unix)]
const PAIRS: usize = 4;

/// Builds a runtime on the current thread, with timers, files and signals.
///
/// # Errors
/// Returns an error if the system lacks resources, e.g. file descriptors.
pub fn current_thread_runtime() -> io::Result<Runtime> {
    // Tokio panics if it can't open its sockets for signals. So see first if there are enough file
    // descriptors, and report an error if there aren't.
    #[cfg(unix)]
    {
        let pairs = (0..PAIRS).map(|_| std::os::unix::net::UnixStream::pair());
        pairs.collect::<io::Result<Vec<_>>>()?;
    }
    Builder::new_current_thread().enable_all().build()
}
