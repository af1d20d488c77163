//! Limits of one server.

use std::time::Duration;

/// Maximum number of waiting calls.
pub(crate) const MAX_WAITING: usize = 256;

/// Concurrent calls per thread of the machine.
pub(crate) const PER_THREAD: usize = 2;

/// Interval of progress notifications during silence.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(5);

/// Time for abandoned calls to clean up. [`TO_END`] is the time to end at once after that.
pub(crate) const TO_CLEAN_UP: Duration = Duration::from_secs(3);
pub(crate) const TO_END: Duration = Duration::from_secs(1);

/// Time for a client to list its roots.
pub(crate) const TO_OFFER: Duration = Duration::from_secs(5);

/// Capacity of the pipes between connection and server, in bytes.
pub(crate) const PIPE: usize = 64 << 10;

/// Maximum size of a message, in bytes: the same as of a file.
pub(crate) const MAX_BODY: usize = 4 << 20;

/// Maximum number of open connections. [`MAX_SESSIONS`] is that of sessions of clients of 2025-11-25.
pub(crate) const MAX_CONNECTIONS: usize = 512;
pub(crate) const MAX_SESSIONS: usize = 128;

/// Lifetime of an idle session.
pub(crate) const SESSION_LIFETIME: Duration = Duration::from_secs(30 * 60);

/// Maximum size of a request head, in bytes.
pub(crate) const MAX_HEAD: usize = 32 << 10;

/// Time to send the head of a request, including the next one on the connection. [`TO_SEND`] is the time for its body.
/// An idle client blocks others, with or without a token.
pub(crate) const TO_ASK: Duration = Duration::from_secs(10);
pub(crate) const TO_SEND: Duration = Duration::from_secs(30);

/// Time to send finished answers when the server ends.
pub(crate) const TO_FLUSH: Duration = Duration::from_secs(1);

/// Delay before accepting again after a failed accept.
pub(crate) const TO_TRY_AGAIN: Duration = Duration::from_millis(50);
