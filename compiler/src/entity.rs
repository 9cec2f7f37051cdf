//! Typed indices and the maps that they index.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A `u32` index type.
pub trait EntityRef: Copy + Eq + std::hash::Hash {
    /// Creates the entity from an index.
    fn new(index: usize) -> Self;
    /// Returns the index.
    fn index(self) -> usize;
}

/// Defines an entity: a `u32` newtype that prints as its prefix and number.
#[macro_export]
macro_rules! entity {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $crate::entity::EntityRef for $name {
            fn new(index: usize) -> Self {
                $name(index as u32)
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// A growing table of `V`, which creates the keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map<K, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Map {
            items: Vec::new(),
            key: PhantomData,
        }
    }
}

impl<K: EntityRef, V> Map<K, V> {
    /// Appends an entry and returns its key.
    pub fn push(&mut self, value: V) -> K {
        self.items.push(value);
        K::new(self.items.len() - 1)
    }
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// Iterates over the keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + use<K, V> {
        (0..self.items.len()).map(K::new)
    }
    /// Iterates over the entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.items.iter().enumerate().map(|(i, v)| (K::new(i), v))
    }
    /// Iterates over the entries in order, with mutable access.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut V)> {
        self.items.iter_mut().enumerate().map(|(i, v)| (K::new(i), v))
    }
    /// Iterates over the entries without their keys, in order.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.items.into_iter()
    }
    /// Returns the entry if the key is in range.
    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }
}

impl<K: EntityRef, V> Index<K> for Map<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: EntityRef, V> IndexMut<K> for Map<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}
