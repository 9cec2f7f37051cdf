//! A generator of random numbers for one thread.

/// The generator xorshift64*. It gives the same numbers for the same seed.
pub(crate) struct Random(u64);

impl Random {
    /// Makes a generator. Different seeds give different numbers.
    pub(crate) fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        // Nearby seeds give similar first numbers, which are skipped.
        for _ in 0..4 {
            random.word();
        }
        random
    }

    /// Returns 32 random bits.
    pub(crate) fn word(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32
    }

    /// Returns a number below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.word() as usize % end
    }

    /// Returns true once in `n` times on average.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns a non-empty range within `0..size`.
    pub(crate) fn range(&mut self, size: usize) -> std::ops::Range<usize> {
        let (a, b) = (self.below(size), self.below(size));
        a.min(b)..a.max(b) + 1
    }

    /// Returns `count` random bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        // Only the first 4096 bytes are random; the rest repeats them.
        let mut bytes: Vec<u8> = (0..count.min(4096).div_ceil(4))
            .flat_map(|_| self.word().to_le_bytes())
            .collect();
        while bytes.len() < count {
            bytes.extend_from_within(..bytes.len().min(count - bytes.len()));
        }
        bytes.truncate(count);
        bytes
    }
}
