//! A queue's record of whether the other queues of its device have retired batches.
//!
//! The device counts the batches that its queues retire ([`crate::device::Opened::retired_batches`]). A queue
//! compares this count with the count at its last query; batches that the queue itself has retired are ignored.

/// The count that a queue has seen last.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct SeenRetirements(u64);

impl SeenRetirements {
    /// Notes that this queue retires a batch, before which the count was `before`. If another queue has retired
    /// one since the last query, the next query still reports it.
    pub(super) fn note_own(&mut self, before: u64) {
        if self.0 == before {
            self.0 = before + 1;
        }
    }

    /// Returns whether another queue has retired a batch since the last query; `count` is the current count.
    pub(super) fn take_others(&mut self, count: u64) -> bool {
        std::mem::replace(&mut self.0, count) != count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_other_queues_are_noticed_and_once() {
        let mut seen = SeenRetirements::default();
        assert!(!seen.take_others(0));
        seen.note_own(0);
        seen.note_own(1);
        assert!(!seen.take_others(2));
        // Another queue retires a batch before and after this queue does.
        seen.note_own(3);
        seen.note_own(4);
        assert!(seen.take_others(6));
        assert!(!seen.take_others(6));
        seen.note_own(6);
        assert!(seen.take_others(8));
    }
}
