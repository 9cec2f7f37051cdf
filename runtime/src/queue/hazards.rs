//! Which memory the commands since the last barrier touch.
//!
//! A queue's commands may overlap on the GPU unless a barrier is between them. One is needed only if a command
//! reads what an earlier one wrote, or writes what an earlier one read or wrote.

/// A byte range of a root buffer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    /// [`crate::mem::Buffer::root_id`].
    pub root: usize,
    pub start: u64,
    pub end: u64,
    pub write: bool,
}

/// Accesses since the last barrier.
#[derive(Debug, Default)]
pub(crate) struct Hazards {
    list: Vec<Access>,
    /// A command since the last barrier may have touched anything.
    unknown: bool,
}

/// More accesses than this are cheaper forgotten, with a barrier.
const MOST: usize = 48;

impl Hazards {
    /// Notes a command's accesses; `unknown`: it may touch anything. Returns whether a barrier must come before it.
    pub(crate) fn note(&mut self, accesses: &[Access], unknown: bool) -> bool {
        let ordered = self.unknown || (unknown && !self.list.is_empty());
        self.note_or(ordered, accesses, unknown)
    }

    /// The same where the application orders what depends on each other ([`Hazards::clear`]): commands that may touch
    /// anything are not presumed to.
    pub(crate) fn note_unordered(&mut self, accesses: &[Access], unknown: bool) -> bool {
        self.note_or(false, accesses, unknown)
    }

    fn note_or(&mut self, ordered: bool, accesses: &[Access], unknown: bool) -> bool {
        let conflict = |a: &Access| {
            self.list
                .iter()
                .any(|b| (a.write || b.write) && a.root == b.root && a.start < b.end && b.start < a.end)
        };
        let barrier = ordered || self.list.len() + accesses.len() > MOST || accesses.iter().any(conflict);
        if barrier {
            self.list.clear();
            self.unknown = false;
        }
        self.unknown |= unknown;
        for a in accesses {
            // Launches in a row mostly touch the same ranges.
            if !self.list.contains(a) {
                self.list.push(*a);
            }
        }
        barrier
    }

    /// Everything before is ordered; returns whether that takes a barrier.
    pub(crate) fn clear(&mut self) -> bool {
        let any = self.unknown || !self.list.is_empty();
        self.list.clear();
        self.unknown = false;
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a(root: usize, start: u64, end: u64, write: bool) -> Access {
        Access {
            root,
            start,
            end,
            write,
        }
    }

    #[test]
    fn only_conflicts_need_barriers() {
        let mut h = Hazards::default();
        assert!(!h.note(&[a(1, 0, 64, false), a(2, 0, 64, true)], false));
        // read after read, other buffer
        assert!(!h.note(&[a(1, 0, 64, false), a(3, 0, 64, true)], false));
        // other range
        assert!(!h.note(&[a(2, 64, 128, true)], false));
        // read after write
        assert!(h.note(&[a(2, 0, 4, false)], false));
        // the barrier has ordered the rest
        assert!(!h.note(&[a(3, 0, 64, false)], false));
        // write after read
        assert!(h.note(&[a(3, 63, 65, true)], false));
        // write after write
        assert!(h.note(&[a(3, 64, 65, true)], false));
    }

    #[test]
    fn only_events_order_what_may_touch_anything() {
        let mut h = Hazards::default();
        assert!(!h.note_unordered(&[a(1, 0, 64, false)], true));
        assert!(!h.note_unordered(&[a(2, 0, 64, true)], true));
        assert!(h.note_unordered(&[a(2, 0, 64, false)], false));
        assert!(!h.note_unordered(&[], true));
        assert!(h.clear());
        assert!(!h.clear());
    }

    #[test]
    fn unknown_accesses_are_ordered_against_everything() {
        let mut h = Hazards::default();
        assert!(!h.note(&[], true));
        assert!(h.note(&[], true));
        assert!(h.note(&[a(1, 0, 1, false)], false));
        assert!(h.note(&[], true));
        assert!(h.clear());
        assert!(!h.clear());
    }
}
