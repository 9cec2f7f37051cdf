//! Sums of invariant values and of binomial coefficients of the number of the iteration: the values that a loop
//! carries if each iteration adds such a value to them.

use crate::ir::Value;
use crate::pass::analysis::progression::Progression;

/// The most different invariant values in a sum.
const MAX_TERMS: usize = 4;

/// Returns a mask of the lowest bits.
pub(super) fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// A sum of multiples of invariant values and a constant, modulo a power of two. If a value is wider than
/// that, its lower bits count.
#[derive(Clone, Default, Debug)]
pub(super) struct Sum {
    pub(super) terms: Vec<(Value, u64)>,
    pub(super) constant: u64,
}

impl Sum {
    /// Adds a multiple of another sum, modulo `mask + 1`.
    pub(super) fn add(&mut self, other: &Sum, factor: u64, mask: u64) {
        for &(value, n) in &other.terms {
            let n = n.wrapping_mul(factor);
            match self.terms.iter_mut().find(|(v, _)| *v == value) {
                Some((_, sum)) => *sum = sum.wrapping_add(n) & mask,
                None => self.terms.push((value, n & mask)),
            }
        }
        self.terms.retain(|&(_, n)| n != 0);
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor)) & mask;
    }

    pub(super) fn is_zero(&self) -> bool {
        self.terms.is_empty() && self.constant == 0
    }

    pub(super) fn as_constant(&self) -> Option<u64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// A value in iteration n: the sum of `parts[k]` times the binomial coefficient of n over k, plus `own` times
/// the loop's argument that is just being examined.
#[derive(Clone, Default, Debug)]
pub(super) struct Form {
    pub(super) own: u64,
    pub(super) parts: [Sum; 3],
}

impl Form {
    pub(super) fn invariant(sum: Sum) -> Form {
        Form {
            own: 0,
            parts: [sum, Sum::default(), Sum::default()],
        }
    }

    pub(super) fn constant(bits: u64) -> Form {
        Form::invariant(Sum {
            terms: Vec::new(),
            constant: bits,
        })
    }

    pub(super) fn plus(mut self, other: &Form, factor: u64, mask: u64) -> Option<Form> {
        self.own = self.own.wrapping_add(other.own.wrapping_mul(factor)) & mask;
        for (part, other) in self.parts.iter_mut().zip(&other.parts) {
            part.add(other, factor, mask);
        }
        self.parts
            .iter()
            .all(|p| p.terms.len() <= MAX_TERMS)
            .then_some(self)
    }

    /// Returns the number if it is the same constant in each iteration.
    pub(super) fn as_constant(&self) -> Option<u64> {
        let [first, rest @ ..] = &self.parts;
        let is_constant = self.own == 0 && rest.iter().all(Sum::is_zero);
        first.as_constant().filter(|_| is_constant)
    }

    /// Returns the numbers as a progression if start and step are constants.
    pub(super) fn as_progression(&self, width: u32) -> Option<Progression> {
        let [start, step, second] = &self.parts;
        (self.own == 0 && second.is_zero()).then_some(())?;
        Some(Progression {
            width,
            start: start.as_constant()?,
            step: step.as_constant()?,
        })
    }
}
