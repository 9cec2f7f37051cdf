//! Random numbers with a fixed sequence for each seed.

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 20) as usize % n
    }
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    pub(crate) fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
    /// Returns a number of `width` bits; often one with few ones or few zeros.
    pub(crate) fn bits(&mut self, width: u32) -> u64 {
        let n = match self.below(4) {
            0 => self.next() & self.next() & self.next(),
            1 => self.next() | self.next() | self.next(),
            _ => self.next(),
        };
        n & u64::MAX >> (64 - width)
    }
}
