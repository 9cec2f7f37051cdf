//! The random choices that all generators make.

use crate::random::Random;

/// A generator: it has random numbers, and names that it has not given yet.
pub(super) trait Choices {
    fn random(&mut self) -> &mut Random;

    /// Returns the number in the name that was given last.
    fn last_name(&mut self) -> &mut usize;

    /// Returns a number below `n`, which must not be 0.
    fn below(&mut self, n: usize) -> usize {
        self.random().below(n)
    }

    /// Returns true once in `n` times on average.
    fn one_in(&mut self, n: usize) -> bool {
        self.random().one_in(n)
    }

    /// Returns one of the values.
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Returns a new name that begins with `stem`.
    fn name(&mut self, stem: &str) -> String {
        let next = self.last_name();
        *next += 1;
        format!("{stem}{next}")
    }

    /// Returns the number of elements of a type: 1 for half of the types, and otherwise one of `widths`.
    fn width_of(&mut self, widths: &[usize]) -> usize {
        if self.one_in(2) { 1 } else { self.pick(widths) }
    }
}
