//! The compiler's hash tables, and the construction of ordered ones.

use std::collections;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash table whose iteration order is the same in every run.
pub(crate) type HashMap<K, V> = collections::HashMap<K, V, BuildHasherDefault<Mix>>;

/// A set whose iteration order is the same in every run.
pub(crate) type HashSet<T> = collections::HashSet<T, BuildHasherDefault<Mix>>;

/// Collects items into an ordered set or map, one by one. `collect` would sort them first, with 5 kB of code for each type.
pub(crate) fn ordered<C: Default + Extend<T>, T>(items: impl IntoIterator<Item = T>) -> C {
    let mut all = C::default();
    all.extend(items);
    all
}

/// A fast hash function for small keys: each word is combined by a rotation, an exclusive or and a
/// multiplication. It offers no protection against keys that are chosen to collide.
#[derive(Clone, Default, Debug)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        // Only the upper bits of a product depend on all bits of its factors. Hash tables use the lower bits, so
        // the upper ones are rotated to that end.
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
