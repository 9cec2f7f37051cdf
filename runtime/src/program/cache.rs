//! The cache of this process: the same source with the same options for the same target is compiled once. If it
//! has no entry, the cache on disk (`crate::cache`) is searched, which other processes fill too.
//!
//! Only successful builds that read no file are stored, so an entry never becomes outdated. The key is the
//! input itself, not a hash of it.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

/// The most entries of a [`Cache`]. Programs are tens of kilobytes.
const MOST: usize = 128;

/// A bounded map that drops the oldest entry first.
pub(super) struct Cache<K, V> {
    entries: Option<HashMap<Arc<K>, Arc<V>>>,
    order: VecDeque<Arc<K>>,
}

impl<K: Eq + Hash, V> Cache<K, V> {
    pub(super) const fn new() -> Self {
        Cache {
            entries: None,
            order: VecDeque::new(),
        }
    }

    pub(super) fn get(&self, key: &K) -> Option<Arc<V>> {
        self.entries.as_ref()?.get(key).cloned()
    }

    pub(super) fn insert(&mut self, key: K, value: Arc<V>) {
        let entries = self.entries.get_or_insert_default();
        let key = Arc::new(key);
        if entries.insert(Arc::clone(&key), value).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > MOST {
            if let Some(oldest) = self.order.pop_front() {
                entries.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_the_oldest() {
        let mut cache = Cache::new();
        for i in 0..=MOST {
            cache.insert(i, Arc::new(i * 2));
        }
        assert!(cache.get(&0).is_none());
        assert_eq!(cache.get(&1).as_deref(), Some(&2));
        assert_eq!(cache.get(&MOST).as_deref(), Some(&(MOST * 2)));
    }
}
