//! Typed indices and the maps that they index.

use std::hash::Hasher;
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
        impl $crate::ir::entity::EntityRef for $name {
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

/// A fast hash for small keys that no adversary chooses.
#[derive(Clone, Default, Debug)]
pub struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        // The upper bits depend on all of the input, but hash tables use the lower bits.
        self.0.rotate_left(26)
    }
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let word = rest.iter().rev().fold(0, |word, &b| word << 8 | u64::from(b));
            self.write_u64(word);
        }
    }
    fn write_u8(&mut self, n: u8) {
        self.write_u64(u64::from(n));
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }
    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
}
