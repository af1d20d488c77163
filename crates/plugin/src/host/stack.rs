//! Stack space for guests and for the host functions they call.

/// Maximum stack size of a guest.
pub(crate) const GUEST_STACK: usize = 512 << 10;
/// Free stack required for a call: the guest's own, and that of the host functions it calls.
const ROOM: usize = GUEST_STACK + (1 << 20);
/// Size of the temporary stack for a thread without enough free stack.
const OWN_STACK: usize = 4 << 20;

/// Runs `work` with enough stack for a guest, on any thread. A stack overflow would end our process
/// without a report.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(ROOM, OWN_STACK, work)
}
