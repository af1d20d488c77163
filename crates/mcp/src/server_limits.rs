//! Limits of a server, so that no client can exhaust it.

use std::time::Duration;

/// Maximum number of calls waiting for a slot.
pub(crate) const MAX_WAITING: usize = 256;

/// Concurrent calls per hardware thread.
pub(crate) const PER_THREAD: usize = 2;

/// Interval of heartbeats while a call makes no progress.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(5);

/// Time for cancelled calls to clean up. Calls still running are killed then, and [`TO_END`] is the
/// time we wait for that.
pub(crate) const TO_CLEAN_UP: Duration = Duration::from_secs(3);
pub(crate) const TO_END: Duration = Duration::from_secs(1);

/// Time a client has to list its roots.
pub(crate) const TO_OFFER: Duration = Duration::from_secs(5);

/// Capacity of the pipes between connection and server, in bytes.
pub(crate) const PIPE: usize = 64 << 10;

/// Maximum size of a message, in bytes. Files have the same limit.
pub(crate) const MAX_BODY: usize = 4 << 20;

/// Maximum number of open connections. [`MAX_SESSIONS`] limits the sessions of 2025-11-25 clients.
pub(crate) const MAX_CONNECTIONS: usize = 512;
pub(crate) const MAX_SESSIONS: usize = 128;

/// Lifetime of an idle session.
pub(crate) const SESSION_LIFETIME: Duration = Duration::from_secs(30 * 60);

/// Maximum size of a request's head, in bytes.
pub(crate) const MAX_HEAD: usize = 32 << 10;

/// Time for the head of a request, including the next request on a connection. [`TO_SEND`] is the
/// time for its body. An idle client takes a connection from others, with a token or without.
pub(crate) const TO_ASK: Duration = Duration::from_secs(10);
pub(crate) const TO_SEND: Duration = Duration::from_secs(30);

/// Time for sending finished answers when the server ends.
pub(crate) const TO_FLUSH: Duration = Duration::from_secs(1);

/// Delay before accepting again after a failed accept.
pub(crate) const TO_TRY_AGAIN: Duration = Duration::from_millis(50);
