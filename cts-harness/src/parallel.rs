//! Work on several threads.

use crate::Failure;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Calls `work` for each item, on at most `jobs` threads, and returns the results in the order of the items.
/// `work` also gets the number of its thread. After a failure, no further item is begun.
pub(crate) fn parallel<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    work: impl Fn(usize, &T) -> Result<R, Failure> + Sync,
) -> Result<Vec<R>, Failure> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let worker = |slot: usize| {
        let mut done = Vec::new();
        while !failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            let result = work(slot, item);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            done.push((at, result?));
        }
        Ok(done)
    };
    let worker = &worker;
    let parts = std::thread::scope(|scope| {
        let slots = 0..jobs.clamp(1, items.len().max(1));
        let threads: Vec<_> = slots.map(|slot| scope.spawn(move || worker(slot))).collect();
        let panicked = |_| fail!("a thread panicked");
        let parts = threads.into_iter().map(|t| t.join().unwrap_or_else(panicked));
        parts.collect::<Result<Vec<_>, Failure>>()
    })?;
    let mut all: Vec<(usize, R)> = parts.into_iter().flatten().collect();
    all.sort_by_key(|(at, _)| *at);
    Ok(all.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_a_failure_ends_the_work() {
        let items: Vec<usize> = (0..100).collect();
        assert_eq!(parallel(7, &items, |_, n| Ok(*n)).unwrap(), items);
        let begun = AtomicUsize::new(0);
        let failed = parallel(1, &items, |slot, n| {
            begun.fetch_add(1, Ordering::Relaxed);
            if *n == 3 { fail!("thread {slot}") } else { Ok(()) }
        });
        assert_eq!(
            (failed.unwrap_err().0.as_str(), begun.into_inner()),
            ("thread 0", 4)
        );
        assert_eq!(parallel(4, &[], |_, (): &()| Ok(())).unwrap(), []);
    }
}
