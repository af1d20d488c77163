//! How much one server takes on.

use std::time::Duration;

/// How many calls may wait for others to end.
pub(crate) const MAX_WAITING: usize = 256;

/// How many calls are worked on at once, for each thread of the machine.
pub(crate) const PER_THREAD: usize = 2;

/// How long a call may be at work until it is told that it still is, to who asks how far it is.
pub(crate) const TO_BE_HEARD_OF: Duration = Duration::from_secs(5);

/// How long calls that nobody waits for any more have to clean up, and then to end at once.
pub(crate) const TO_CLEAN_UP: Duration = Duration::from_secs(3);
pub(crate) const TO_END: Duration = Duration::from_secs(1);

/// How much of messages is on its way between two pipes and who serves them, in bytes.
pub(crate) const PIPE: usize = 64 << 10;

/// The largest message, in bytes: as much as the largest file that is read.
pub(crate) const MAX_BODY: usize = 4 << 20;

/// How many connections are open at once, and how many sessions of clients of 2025-11-25.
pub(crate) const MAX_CONNECTIONS: usize = 512;
pub(crate) const MAX_SESSIONS: usize = 128;

/// How long a session in which nothing happens is kept.
pub(crate) const SESSION_STAYS: Duration = Duration::from_secs(30 * 60);

/// The largest head of a request, in bytes.
pub(crate) const MAX_HEAD: usize = 32 << 10;

/// How long a client may take to send the head of a request, also the next one, and then its body. Who has nothing to say
/// takes a place from others, whether they have the token or not.
pub(crate) const TO_ASK: Duration = Duration::from_secs(10);
pub(crate) const TO_SEND: Duration = Duration::from_secs(30);

/// How long is waited for what was answered to be sent, when the server ends.
pub(crate) const TO_ANSWER_THE_REST: Duration = Duration::from_secs(1);

/// How long is waited before the next client is let in, when one could not be.
pub(crate) const TO_TRY_AGAIN: Duration = Duration::from_millis(50);
