//! A list of objects that it does not keep alive.

use std::sync::{Arc, Weak};

/// A list of weak references. Adding one takes constant time on average: references to dropped objects are
/// removed whenever the list has doubled.
#[derive(Debug)]
pub(crate) struct WeakList<T> {
    list: Vec<Weak<T>>,
    limit: usize,
}

/// Below this length, no references are removed.
const SHORT: usize = 64;

impl<T> WeakList<T> {
    /// Makes an empty list.
    pub(crate) const fn new() -> Self {
        WeakList {
            list: Vec::new(),
            limit: SHORT,
        }
    }

    /// Adds a reference.
    pub(crate) fn push(&mut self, object: &Arc<T>) {
        if self.list.len() >= self.limit {
            self.list.retain(|o| o.strong_count() > 0);
            self.limit = (2 * self.list.len()).max(SHORT);
        }
        self.list.push(Arc::downgrade(object));
    }

    /// Returns the objects that still exist.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Arc<T>> {
        self.list.iter().filter_map(Weak::upgrade)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_takes_no_room() {
        let mut list = WeakList::new();
        let kept: Vec<_> = (0..10).map(Arc::new).collect();
        for object in &kept {
            list.push(object);
        }
        for n in 0..10_000 {
            list.push(&Arc::new(n));
            assert!(list.list.len() <= SHORT);
        }
        let there: Vec<_> = list.iter().map(|o| *o).collect();
        assert_eq!(there, (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn lists_are_searched_seldom() {
        let mut list = WeakList::new();
        let kept: Vec<_> = (0..100_000).map(Arc::new).collect();
        let mut searches = 0;
        for object in &kept {
            searches += usize::from(list.list.len() >= list.limit);
            list.push(object);
        }
        assert_eq!(list.iter().count(), kept.len());
        assert!(searches < 16, "{searches}");
    }
}
