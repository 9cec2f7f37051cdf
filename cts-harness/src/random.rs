//! Random numbers for operations and inputs. The same seed gives the same numbers.

/// A generator for one thread.
pub(crate) struct Random(fastrand::Rng);

impl Random {
    /// Makes a generator. Different seeds give different numbers.
    pub(crate) fn new(seed: u64) -> Random {
        Random(fastrand::Rng::with_seed(seed))
    }

    /// Returns 32 random bits.
    pub(crate) fn word(&mut self) -> u32 {
        self.0.u32(..)
    }

    /// Returns a number below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    /// Returns true once in `n` times on average.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns multiples of 2^-10 in [-1, 1).
    pub(crate) fn numbers(&mut self, count: usize) -> Vec<f32> {
        (0..count)
            .map(|_| self.0.i32(-1024..1024) as f32 / 1024.0)
            .collect()
    }

    /// Returns words of 32 random bits.
    pub(crate) fn words(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.word()).collect()
    }

    /// Returns a non-empty range within `0..size`.
    pub(crate) fn range(&mut self, size: usize) -> std::ops::Range<usize> {
        let (a, b) = (self.below(size), self.below(size));
        a.min(b)..a.max(b) + 1
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        // Only the first 4096 bytes are random; the rest repeats them.
        let mut bytes = vec![0; count.min(4096)];
        self.0.fill(&mut bytes);
        while bytes.len() < count {
            bytes.extend_from_within(..bytes.len().min(count - bytes.len()));
        }
        bytes
    }
}
