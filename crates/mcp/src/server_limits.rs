//! Limits that keep a client from exhausting the server.

use std::time::Duration;

/// Number of calls that may wait for a slot. We refuse further ones as busy.
pub(crate) const MAX_WAITING: usize = 256;

/// Number of calls that run at once, per hardware thread.
pub(crate) const PER_THREAD: usize = 2;

/// Interval of heartbeats while a call makes no progress.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(5);

/// Time that cancelled calls have for cleaning up. After that, we kill them, and wait [`TO_END`]
/// for that to take effect.
pub(crate) const TO_CLEAN_UP: Duration = Duration::from_secs(3);
pub(crate) const TO_END: Duration = Duration::from_secs(1);

/// Time that a client has for listing its roots. If it doesn't answer, we go on without them.
pub(crate) const TO_OFFER: Duration = Duration::from_secs(5);

/// Capacity of the pipes between a connection and the server, in bytes.
pub(crate) const PIPE: usize = 64 << 10;

/// Maximum size of a message, in bytes. A larger one is answered with an error.
pub(crate) const MAX_BODY: usize = 4 << 20;

/// Maximum number of open sessions. Only clients of version 2025-11-25 have them.
pub(crate) const MAX_SESSIONS: usize = 128;

/// Time after which we close an idle session. It keeps clients that just disappear from using up
/// the sessions.
pub(crate) const SESSION_LIFETIME: Duration = Duration::from_secs(30 * 60);

/// Time that we take for sending finished answers when the server ends.
pub(crate) const TO_FLUSH: Duration = Duration::from_secs(1);
