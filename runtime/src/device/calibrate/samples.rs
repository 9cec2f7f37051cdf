//! The errors of a device's 32-bit operations over sampled intervals. The references are computed by the host
//! in 64 bits.

use super::cases::{WORDS, word};
use super::measured::Errors;

/// Returns the operands x and y, and a third one on which no measured result depends.
pub(super) fn operands() -> Vec<[u64; 3]> {
    let word = |x: f64| u64::from((x as f32).to_bits());
    let triple = |x: f64, y: f64| [word(x), word(y), word(1.0)];
    let steps = |n: u32| (0..n).map(move |k| (f64::from(k) + 0.37) / f64::from(n));
    let mut all = Vec::new();
    // For 2^x; some of them also for sin and cos.
    all.extend(steps(384).map(|t| triple(-26.0 + 29.0 * t, 1.0)));
    all.extend(steps(96).map(|t| triple(std::f64::consts::PI * (2.0 * t - 1.0), 1.0)));
    // For logarithm, roots, quotients and powers.
    all.extend(steps(192).map(|t| triple(0.1 + 9.9 * t, 16.0 * ((61.0 * t).fract() - 0.5))));
    all.extend(steps(64).map(|t| triple(0.5 + 1.5 * t, 1.0)));
    all.extend(steps(64).map(|t| triple((160.0 * (t - 0.5)).exp2(), 1.0 + t)));
    all.extend(SPECIAL.map(|x| triple(x, 1.0)));
    all
}

/// Special operands: 2^x must be exact where it overflows, underflows, or is NaN, and 1 / sqrt for 0 and infinity.
const SPECIAL: [f64; 10] = [
    0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    200.0,
    -400.0,
    1e5,
    -1e5,
    3e38,
    -3e38,
];

/// Returns the largest errors in the words that a device returned for [`operands`].
pub(super) fn errors(results: &[u64]) -> Errors {
    let mut worst = Worst::default();
    for (operands, results) in operands().iter().zip(results.chunks_exact(WORDS)) {
        let [x, y, _] = operands.map(|w| f64::from(f32::from_bits(w as u32)));
        let got = |word: usize| f64::from(f32::from_bits(results[word] as u32));
        if (-26.0..=3.0).contains(&x) {
            worst.exp2.units(got(word::EXP2), x.exp2());
        } else if SPECIAL.iter().any(|s| f64::from(*s as f32) == x) || x.is_nan() {
            worst.exp2.special(got(word::EXP2), x.exp2());
        }
        if x == 0.0 || x == f64::INFINITY {
            worst.rsqrt.special(got(word::RSQRT), 1.0 / x.sqrt());
        }
        if x.abs() <= std::f64::consts::PI {
            worst.sin.absolute(got(word::SIN), x.sin());
            worst.cos.absolute(got(word::COS), x.cos());
        }
        if x.is_finite() && x > f64::from(f32::MIN_POSITIVE) {
            match (0.5..=2.0).contains(&x) {
                true => worst.log2_near_one.absolute(got(word::LOG2), x.log2()),
                false => worst.log2.units(got(word::LOG2), x.log2()),
            }
            worst.sqrt.units(got(word::ROOT), x.sqrt());
            worst.rsqrt.units(got(word::RSQRT), 1.0 / x.sqrt());
            worst.divide.units(got(word::QUOTIENT), x / y);
        }
        if (0.1..=10.0).contains(&x) && y.abs() <= 8.0 {
            worst.pow.units(got(word::POW), x.powf(y));
        }
    }
    Errors {
        divide: worst.divide.0,
        sqrt: worst.sqrt.0,
        rsqrt: worst.rsqrt.0,
        exp2: worst.exp2.0,
        log2: worst.log2.0,
        log2_near_one: worst.log2_near_one.0,
        sin: worst.sin.0,
        cos: worst.cos.0,
        pow: worst.pow.0,
    }
}

/// The largest error so far.
#[derive(Copy, Clone, Default)]
struct Largest(f32);

/// The largest error of each operation so far.
#[derive(Default)]
struct Worst {
    divide: Largest,
    sqrt: Largest,
    rsqrt: Largest,
    exp2: Largest,
    log2: Largest,
    log2_near_one: Largest,
    sin: Largest,
    cos: Largest,
    pow: Largest,
}

impl Largest {
    fn see(&mut self, error: f64) {
        // A NaN counts as an infinite error.
        let error = if error.is_nan() {
            f32::INFINITY
        } else {
            error as f32
        };
        self.0 = self.0.max(error);
    }

    /// Takes the error of a result into account, in units in the last place.
    fn units(&mut self, got: f64, exact: f64) {
        let least = f64::from(f32::MIN_POSITIVE);
        if exact != 0.0 {
            let unit = exact.abs().max(least).log2().floor().exp2() * 2f64.powi(-23);
            self.see((got - exact).abs() / unit);
        }
    }

    /// Takes the absolute error of a result into account.
    fn absolute(&mut self, got: f64, exact: f64) {
        self.see((got - exact).abs());
    }

    /// Compares a result that must be exact: overflow, underflow, infinities and NaN.
    fn special(&mut self, got: f64, exact: f64) {
        let exact = f64::from(exact as f32);
        if got != exact && !(got.is_nan() && exact.is_nan()) {
            self.see(f64::INFINITY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the results of an exact device.
    fn exact() -> Vec<u64> {
        let mut all = Vec::new();
        for operands in operands() {
            let [x, y, _] = operands.map(|w| f64::from(f32::from_bits(w as u32)));
            let mut words = vec![0; WORDS];
            for (at, value) in [
                (word::EXP2, x.exp2()),
                (word::LOG2, x.log2()),
                (word::SIN, x.sin()),
                (word::COS, x.cos()),
                (word::POW, x.powf(y)),
                (word::RSQRT, 1.0 / x.sqrt()),
                (word::ROOT, x.sqrt()),
                (word::QUOTIENT, x / y),
            ] {
                words[at] = u64::from((value as f32).to_bits());
            }
            all.extend(words);
        }
        all
    }

    #[test]
    fn an_exact_device_errs_by_half_a_unit() {
        let e = errors(&exact());
        for units in [e.divide, e.sqrt, e.rsqrt, e.exp2, e.log2, e.pow] {
            assert!(units > 0.4 && units <= 0.5, "{e:?}");
        }
        for absolute in [e.sin, e.cos, e.log2_near_one] {
            assert!(absolute > 1e-9 && absolute < 1e-7, "{e:?}");
        }
    }

    #[test]
    fn wrong_specials_are_seen() {
        let mut results = exact();
        let last = results.len() - WORDS;
        results[last + word::EXP2] = u64::from(1.0f32.to_bits());
        assert_eq!(errors(&results).exp2, f32::INFINITY);
    }
}
