use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex` even if a thread has panicked while holding it. For data that each change leaves
/// complete, e.g. a map that is changed by single calls.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` for all `items` on up to `threads` threads, and returns the results in the order of
/// the items.
///
/// A thread takes `piece` items at a time, so that a slow piece doesn't hold up the others.
/// Starting a thread takes a few tenths of a millisecond, and a piece shouldn't take much less.
///
/// # Panics
/// Panics if `work` does.
pub fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    piece: usize,
    work: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    let pieces: Vec<&[T]> = items.chunks(piece.max(1)).collect();
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = pieces.get(at) else {
                return done;
            };
            done.push((at, work(piece)));
        }
    };
    let threads = threads.min(pieces.len());
    let mut done = std::thread::scope(|scope| {
        // The calling thread works as well, so we need one thread less.
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_parallel_visits_items_in_order() {
        for count in [0, 1, 199, 400, 1_001] {
            let items: Vec<usize> = (0..count).collect();
            for threads in [0, 1, 2, 3, 100] {
                for piece in [0, 1, 7, 2_000] {
                    let runs = in_parallel(&items, threads, piece, <[usize]>::to_vec);
                    assert_eq!(runs.len(), count.div_ceil(piece.max(1)));
                    assert_eq!(runs.concat(), items, "{threads} threads");
                }
            }
        }
    }
}
