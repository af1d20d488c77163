//! Room on the stack for a guest and what it calls.

/// What a guest may take of the stack.
pub(crate) const GUEST_STACK: usize = 512 << 10;
/// What there has to be: the guest's, and below it that of what it calls in the host.
const ROOM: usize = GUEST_STACK + (1 << 20);
/// What a thread that has less is given for the time.
const OWN_STACK: usize = 4 << 20;

/// Does `work` where there is room for a guest, whatever thread asks: past the end of a stack nothing could be told any more.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(ROOM, OWN_STACK, work)
}
