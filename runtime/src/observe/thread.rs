//! The numbers and names of the threads that call the library.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

thread_local! {
    /// The number of this thread; 0 before [`number`] is called.
    static NUMBER: Cell<u32> = const { Cell::new(0) };
}

/// Returns the number of this thread. The first call on a thread passes number and name to `introduce`.
pub(super) fn number(introduce: impl FnOnce(u32, String)) -> u32 {
    // While thread-local variables are destroyed, the thread has no number any more, and is not introduced again.
    let known = NUMBER.try_with(Cell::get).unwrap_or(u32::MAX);
    if known != 0 {
        return known;
    }
    let (number, name) = identity();
    NUMBER.set(number);
    introduce(number, name);
    number
}

/// Returns the number and the name that the operating system has for this thread, or else a number and a name of our own.
fn identity() -> (u32, String) {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    // The link leads to PID/task/TID.
    let link = std::fs::read_link("/proc/thread-self").ok();
    let of_system = link
        .as_deref()
        .and_then(|l| l.file_name()?.to_str()?.parse().ok());
    let number = of_system.unwrap_or_else(|| NEXT.fetch_add(1, Ordering::Relaxed));
    let name = std::fs::read_to_string("/proc/thread-self/comm").ok();
    let name = name.map(|n| n.trim_end().to_owned());
    let own = || std::thread::current().name().map(str::to_owned);
    (
        number,
        name.or_else(own).unwrap_or_else(|| format!("thread {number}")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_different_numbers_and_are_introduced_once() {
        let numbers = || {
            let mut introduced = 0;
            let first = number(|_, _| introduced += 1);
            let second = number(|_, _| introduced += 1);
            assert_eq!((first, introduced), (second, 1));
            first
        };
        let of_thread = || std::thread::scope(|s| s.spawn(numbers).join().expect("it ends"));
        assert_ne!(of_thread(), numbers());
    }
}
