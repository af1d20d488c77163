//! Provides stack space for guests and for the host functions that they call.

pub(crate) const GUEST_STACK: usize = 512 << 10;
/// The free stack that a call requires.
///
/// It is the guest's stack, and the rest is for host functions.
const ROOM: usize = GUEST_STACK + (1 << 20);
/// The size of the temporary stack for a thread that has not enough free stack.
const OWN_STACK: usize = 4 << 20;

/// Runs `work` with enough stack for a guest, on any thread.
///
/// Without this, a stack overflow could end our process without any report.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(ROOM, OWN_STACK, work)
}
