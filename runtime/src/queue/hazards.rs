//! Tracks the memory that the commands since the last barrier access.
//!
//! A queue's commands may overlap on the GPU unless there is a barrier between them. A barrier is needed only
//! if a command reads memory that an earlier one wrote, or writes memory that an earlier one read or wrote.

/// An access to a byte range of a root buffer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    /// The number of the root ([`crate::mem::Buffer::root_id`]), or of an image ([`crate::mem::Image::root_id`]).
    pub root: usize,
    pub start: u64,
    pub end: u64,
    pub write: bool,
}

/// Which commands of a queue must not overlap on the GPU.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Overlap {
    /// None overlap, because there is a barrier before each command (profiling).
    Never,
    /// In order: those that do not access the same memory may overlap.
    Unrelated,
    /// Out of order: as above, but the application orders by events what may access any memory
    /// ([`Hazards::clear`]).
    Known,
}

/// The accesses since the last barrier.
#[derive(Debug)]
pub(crate) struct Hazards {
    overlap: Overlap,
    /// The accesses, numbered from 1. Those whose root numbers are equal modulo [`CHAINS`] form a linked list,
    /// a chain.
    list: Vec<Noted>,
    /// The number of the first access of each chain; 0 if it is empty.
    chains: [u16; CHAINS],
    /// Whether a command since the last barrier may have accessed any memory.
    unknown: bool,
}

#[derive(Debug)]
struct Noted {
    access: Access,
    /// The number of the next access in the chain; 0 if there is none.
    next: u16,
}

/// The number of chains. The roots of buffers are numbered consecutively, so those of an application are mostly in
/// different chains.
const CHAINS: usize = 128;
/// The most accesses that are tracked; with more, a barrier costs less than the searches.
const MOST: usize = 128;

impl Access {
    /// Returns whether the later of the two must be ordered after the earlier one.
    fn conflicts(&self, other: &Access) -> bool {
        (self.write || other.write)
            && self.root == other.root
            && self.start < other.end
            && other.start < self.end
    }

    /// Returns whether every access that conflicts with `other` also conflicts with this one.
    fn covers(&self, other: &Access) -> bool {
        self.root == other.root
            && self.start <= other.start
            && other.end <= self.end
            && (self.write || !other.write)
    }
}

impl Hazards {
    pub(super) fn new(overlap: Overlap) -> Hazards {
        Hazards {
            overlap,
            list: Vec::with_capacity(MOST),
            chains: [0; CHAINS],
            unknown: false,
        }
    }

    /// Notes a command's accesses. If `unknown` is set, it may access any memory. Returns whether a barrier must come
    /// before it.
    pub(crate) fn note(&mut self, accesses: &[Access], unknown: bool) -> bool {
        let ordered = match self.overlap {
            Overlap::Never => return false,
            Overlap::Unrelated => self.unknown || (unknown && !self.list.is_empty()),
            Overlap::Known => false,
        };
        let barrier = ordered
            || self.list.len() + accesses.len() > MOST
            || accesses.iter().any(|a| self.chain(a).any(|b| a.conflicts(b)));
        if barrier {
            self.forget();
        }
        self.unknown |= unknown;
        for a in accesses {
            // Consecutive launches mostly access the same ranges.
            if !self.chain(a).any(|b| b.covers(a)) {
                self.add(a);
            }
        }
        barrier
    }

    /// Returns the accesses in the chain of an access's root, which may include those of other roots.
    fn chain(&self, access: &Access) -> impl Iterator<Item = &Access> {
        let noted = |at: u16| self.list.get(usize::from(at).wrapping_sub(1));
        let first = noted(self.chains[access.root % CHAINS]);
        std::iter::successors(first, move |n| noted(n.next)).map(|n| &n.access)
    }

    fn add(&mut self, access: &Access) {
        // The number does not fit into 16 bits. No single command has that many accesses.
        let Ok(number) = u16::try_from(self.list.len() + 1) else {
            self.unknown = true;
            return;
        };
        let next = std::mem::replace(&mut self.chains[access.root % CHAINS], number);
        self.list.push(Noted {
            access: *access,
            next,
        });
    }

    fn forget(&mut self) {
        self.list.clear();
        self.chains.fill(0);
        self.unknown = false;
    }

    /// Forgets all accesses, because everything before is ordered. Returns whether that requires a barrier.
    pub(crate) fn clear(&mut self) -> bool {
        let any = self.unknown || !self.list.is_empty();
        if any {
            self.forget();
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_order() -> Hazards {
        Hazards::new(Overlap::Unrelated)
    }

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
        let mut h = in_order();
        assert!(!h.note(&[a(1, 0, 64, false), a(2, 0, 64, true)], false));
        // A read after a read, and an access to another buffer.
        assert!(!h.note(&[a(1, 0, 64, false), a(3, 0, 64, true)], false));
        // An access to another range.
        assert!(!h.note(&[a(2, 64, 128, true)], false));
        // A read after a write.
        assert!(h.note(&[a(2, 0, 4, false)], false));
        // The barrier has ordered the other accesses.
        assert!(!h.note(&[a(3, 0, 64, false)], false));
        // A write after a read.
        assert!(h.note(&[a(3, 63, 65, true)], false));
        // A write after a write.
        assert!(h.note(&[a(3, 64, 65, true)], false));
    }

    #[test]
    fn a_wider_access_stands_for_a_narrower_one() {
        let mut h = in_order();
        assert!(!h.note(&[a(1, 0, 64, true), a(1, 16, 32, false)], false));
        assert_eq!(h.list.len(), 1);
        // A read does not cover a write to the same range: the write must be noted too.
        assert!(!h.note(&[a(2, 0, 64, false)], false));
        assert!(!h.note(&[a(3, 0, 64, false)], false));
        assert!(h.note(&[a(2, 0, 4, true)], false));
        assert!(h.note(&[a(2, 0, 4, false)], false));
    }

    #[test]
    fn roots_of_one_chain_are_told_apart() {
        let mut h = in_order();
        for i in 0..3 {
            assert!(!h.note(&[a(5 + i * CHAINS, 0, 64, true)], false));
        }
        for i in 0..3 {
            assert!(!h.note(&[a(5 + i * CHAINS, 64, 128, true)], false));
        }
        assert!(h.note(&[a(5 + CHAINS, 0, 64, true)], false));
        assert!(!h.note(&[a(5, 0, 64, true)], false));
    }

    #[test]
    fn many_accesses() {
        let mut h = in_order();
        let one = |i: usize| a(i, 0, 64, true);
        for i in 0..MOST {
            assert!(!h.note(&[one(i)], false), "{i}");
        }
        assert!(h.note(&[one(MOST)], false));
        // A command may have any number of accesses.
        let many: Vec<Access> = (0..1000).map(one).collect();
        assert!(h.note(&many, false));
        for i in [0, 300, 2000] {
            assert!(h.note(&[one(i)], false), "{i}");
            assert!(h.note(&many, false));
        }
    }

    #[test]
    fn only_events_order_what_may_touch_anything() {
        let mut h = Hazards::new(Overlap::Known);
        assert!(!h.note(&[a(1, 0, 64, false)], true));
        assert!(!h.note(&[a(2, 0, 64, true)], true));
        assert!(h.note(&[a(2, 0, 64, false)], false));
        assert!(!h.note(&[], true));
        assert!(h.clear());
        assert!(!h.clear());
    }

    #[test]
    fn unknown_accesses_are_ordered_against_everything() {
        let mut h = in_order();
        assert!(!h.note(&[], true));
        assert!(h.note(&[], true));
        assert!(h.note(&[a(1, 0, 1, false)], false));
        assert!(h.note(&[], true));
        assert!(h.clear());
        assert!(!h.clear());
    }

    #[test]
    fn commands_that_never_overlap_need_no_more_barriers() {
        let mut h = Hazards::new(Overlap::Never);
        assert!(!h.note(&[a(1, 0, 64, true)], true));
        assert!(!h.note(&[a(1, 0, 64, true)], true));
        assert!(!h.clear());
    }
}
