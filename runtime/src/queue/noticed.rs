//! What a queue has noticed of the other queues of its device.
//!
//! The device counts the batches that its queues retire ([`crate::device::Opened::retired_batches`]). A queue compares
//! this count with what it was when it last looked. What it has retired itself does not count.

/// A queue's view of the count.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Noticed(u64);

impl Noticed {
    /// This queue retires a batch; the count was `before`. If another queue has retired one since the last look, that stays to be seen.
    pub(super) fn own(&mut self, before: u64) {
        if self.0 == before {
            self.0 = before + 1;
        }
    }

    /// Looks at the count: whether another queue has retired a batch since the last look.
    pub(super) fn others(&mut self, count: u64) -> bool {
        std::mem::replace(&mut self.0, count) != count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_other_queues_are_noticed_and_once() {
        let mut noticed = Noticed::default();
        assert!(!noticed.others(0));
        noticed.own(0);
        noticed.own(1);
        assert!(!noticed.others(2));
        // Another queue, before and after batches of its own.
        noticed.own(3);
        noticed.own(4);
        assert!(noticed.others(6));
        assert!(!noticed.others(6));
        noticed.own(6);
        assert!(noticed.others(8));
    }
}
