use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Polls a guest's `work` on this thread to its end; `None` as soon as `stopped` says so, and the guest is dropped where
/// it stands.
///
/// A guest that is stopped while it runs ends by itself (see [`crate::v1::store`]), and it waits for nothing: what it calls in
/// the host answers at once, so there is nobody to be woken by.
pub(crate) fn drive<T>(work: impl Future<Output = T>, stopped: impl Fn() -> bool) -> Option<T> {
    let mut work = pin!(work);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(answer) = work.as_mut().poll(&mut context) {
            return Some(answer);
        }
        if stopped() {
            return None;
        }
    }
}
