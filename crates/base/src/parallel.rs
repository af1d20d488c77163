/// Fewer items are worked through sooner than a thread is started.
const WORTH_A_THREAD: usize = 200;

/// Gives runs of `items` to `work`, on at most `threads` threads and no more than are worth it, and gives
/// back its answers in the order of the items. Where the runs end depends on the number of threads: what is
/// made of the answers must not.
///
/// # Panics
/// When `work` does.
pub fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    let threads = threads.min(items.len() / WORTH_A_THREAD).max(1);
    let share = items.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let work = &work;
        let mut runs = items.chunks(share);
        let first = runs.next().unwrap_or(&[]);
        let others: Vec<_> = runs.map(|run| scope.spawn(move || work(run))).collect();
        let mut answers = vec![work(first)];
        for other in others {
            match other.join() {
                Ok(answer) => answers.push(answer),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        answers
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_seen_once_and_in_order() {
        for count in [0, 1, 199, 400, 1_001] {
            let items: Vec<usize> = (0..count).collect();
            for threads in [0, 1, 2, 3, 100] {
                let runs = in_parallel(&items, threads, <[usize]>::to_vec);
                assert!(runs.len() <= threads.max(1), "{threads} threads");
                assert_eq!(runs.concat(), items, "{threads} threads");
            }
        }
    }
}
