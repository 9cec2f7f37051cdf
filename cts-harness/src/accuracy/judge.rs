//! Compares results with references on several threads, and finds the largest error.

use super::device::Answers;
use super::function::{Function, Operands};
use super::limits::Limit;
use super::mpfr::Mpfr;
use super::number::{Exact, Precision, ulps};
use super::reference::{self, Second};
use super::samples::Samples;
use crate::Failure;
use crate::parallel::parallel;

/// The requirements on a function's results.
#[derive(Copy, Clone)]
pub(super) struct Question {
    pub(super) function: Function,
    pub(super) precision: Precision,
    pub(super) limit: Limit,
    /// Whether the device may flush subnormal numbers to zero (CL 7.5.3).
    pub(super) may_flush: bool,
    /// Whether the function was compiled with `-cl-fast-relaxed-math`. Then infinities, NaN and subnormal
    /// numbers are not tested.
    pub(super) relaxed: bool,
}

/// The largest error of a set of results, and the number of results beyond the limit.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Verdict {
    pub(super) tried: usize,
    pub(super) wrong: usize,
    /// The largest error in units in the last place. It is infinite if a result is wrong in a way that units
    /// cannot measure.
    pub(super) ulps: f64,
    /// The largest absolute error, for limits that are absolute.
    pub(super) absolute: f64,
    pub(super) worst: Option<Example>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Example {
    pub(super) operands: Vec<f64>,
    pub(super) got: f64,
    pub(super) expected: f64,
    wrong: bool,
}

impl Verdict {
    pub(super) fn join(mut self, other: Verdict) -> Verdict {
        self.tried += other.tried;
        self.wrong += other.wrong;
        self.absolute = self.absolute.max(other.absolute);
        self.see(other.ulps, other.worst);
        self
    }

    /// Keeps the worst example. A result beyond the limit is worse than any result within it, even if the
    /// latter has the larger error in units.
    fn see(&mut self, ulps: f64, example: Option<Example>) {
        let Some(example) = example else { return };
        let wrong = |e: &Option<Example>| e.as_ref().is_some_and(|e| e.wrong);
        let (old, new) = (wrong(&self.worst), example.wrong);
        if self.worst.is_none() || (new && !old) || (new == old && ulps > self.ulps) {
            self.worst = Some(example);
        }
        self.ulps = self.ulps.max(ulps);
    }
}

struct Errors {
    ulps: f64,
    absolute: f64,
    /// The expected value of the result with the larger error. This may be the first or the second result.
    expected: f64,
    got: f64,
}

/// Compares all results with their references. The elements are divided among `threads` threads.
pub(super) fn judge(
    q: Question,
    samples: &Samples,
    answers: &Answers,
    threads: usize,
) -> Result<Verdict, Failure> {
    let count = samples.x.len();
    let share = count.div_ceil(threads.max(1)).max(1);
    let starts: Vec<usize> = (0..count).step_by(share).collect();
    let parts = parallel(threads, &starts, |_, from| {
        let mut mpfr = match q.precision {
            Precision::Double => Some(Mpfr::load()?),
            Precision::Half | Precision::Single => None,
        };
        let to = (from + share).min(count);
        Ok((*from..to).fold(Verdict::default(), |mut verdict, i| {
            one(q, samples, answers, i, mpfr.as_mut(), &mut verdict);
            verdict
        }))
    })?;
    Ok(parts.into_iter().fold(Verdict::default(), Verdict::join))
}

fn one(q: Question, s: &Samples, a: &Answers, i: usize, mut mpfr: Option<&mut Mpfr>, verdict: &mut Verdict) {
    let p = q.precision;
    let number = |words: &[u64]| words.get(i).map_or(0.0, |w| p.number(*w));
    let operands = [number(&s.x), number(&s.y), number(&s.z)];
    let n = s.n.get(i).copied().unwrap_or(0);
    let used = match q.function.operands() {
        Operands::One | Operands::WithInt => 1,
        Operands::Two => 2,
        Operands::Three => 3,
    };
    if q.relaxed
        && operands[..used]
            .iter()
            .any(|x| !x.is_finite() || p.is_subnormal(*x))
    {
        return;
    }
    let mut errors = compare(q, operands, n, a, i, mpfr.as_deref_mut());
    let (mut absolute, mut wrong) = match &errors {
        Some(e) => (e.absolute, exceeds(q, operands, e)),
        None => return,
    };
    if wrong && q.may_flush {
        // The device may have flushed any of the subnormal operands to a zero of either sign.
        let subnormal: Vec<usize> = (0..used).filter(|k| p.is_subnormal(operands[*k])).collect();
        for choice in 1..3usize.pow(subnormal.len() as u32) {
            let mut flushed = operands;
            for (digit, k) in subnormal.iter().enumerate() {
                match choice / 3usize.pow(digit as u32) % 3 {
                    1 => flushed[*k] = 0.0,
                    2 => flushed[*k] = -0.0,
                    _ => {}
                }
            }
            let again = compare(q, flushed, n, a, i, mpfr.as_deref_mut());
            let fine = again.as_ref().is_none_or(|e| !exceeds(q, flushed, e));
            if fine {
                (absolute, wrong, errors) = (0.0, false, again);
                break;
            }
        }
    }
    verdict.tried += 1;
    verdict.wrong += usize::from(wrong);
    verdict.absolute = verdict.absolute.max(absolute);
    let Some(errors) = errors else { return };
    // Most results are within the limit and no worse than the worst so far.
    if !wrong && errors.ulps <= verdict.ulps && verdict.worst.is_some() {
        return;
    }
    let mut shown = operands[..used].to_vec();
    if q.function.operands() == Operands::WithInt {
        shown.push(f64::from(n));
    }
    let example = Example {
        operands: shown,
        got: errors.got,
        expected: errors.expected,
        wrong,
    };
    verdict.see(errors.ulps, Some(example));
}

/// Compares the results of one element. Returns `None` if nothing is required of them.
fn compare(
    q: Question,
    operands: [f64; 3],
    n: i32,
    a: &Answers,
    i: usize,
    mpfr: Option<&mut Mpfr>,
) -> Option<Errors> {
    let p = q.precision;
    let results = reference::results(q.function, p, operands, n, mpfr);
    let mut worst: Option<Errors> = None;
    let mut see = |e: Errors| {
        if worst.as_ref().is_none_or(|w| e.ulps > w.ulps) {
            worst = Some(e);
        }
    };
    let mut number = |exact: Exact, words: &[u64]| {
        let unasked = matches!(exact, Exact::Nan | Exact::Infinite { .. })
            || (exact.is_tiny(p) && exact != Exact::Zero);
        let overflows = !p.round(exact.approximately()).is_finite();
        if q.relaxed && (unasked || overflows) {
            return;
        }
        let got = words.get(i).map_or(f64::NAN, |w| p.number(*w));
        // A result that is subnormal before rounding may be flushed to zero, even if rounding makes it
        // normal.
        let expected = exact.approximately();
        let tiny = exact.is_tiny(p) || expected.abs() == p.least_normal();
        let flushed = q.may_flush && got == 0.0 && tiny;
        see(Errors {
            ulps: if flushed { 0.0 } else { ulps(p, got, exact) },
            absolute: match (got - expected).abs() {
                _ if flushed || got == expected => 0.0,
                apart if apart.is_nan() => f64::INFINITY,
                apart => apart,
            },
            expected,
            got,
        });
    };
    if let Some(exact) = results.value {
        number(exact, &a.values);
    }
    match results.second {
        Second::None => {}
        Second::Number(exact) => number(exact, &a.seconds),
        Second::Int(expected) => {
            let got = a.ints.get(i).map_or(i64::MIN, |n| i64::from(*n));
            // `remquo` must return the low seven bits of the quotient. It may return more.
            let low = |n: i64| {
                if q.function == Function::Remquo {
                    n.signum() * (n.abs() & 127)
                } else {
                    n
                }
            };
            see(Errors {
                ulps: if low(got) == expected { 0.0 } else { f64::INFINITY },
                absolute: 0.0,
                expected: expected as f64,
                got: got as f64,
            });
        }
    }
    worst
}

/// Returns whether the errors exceed the limit.
fn exceeds(q: Question, operands: [f64; 3], e: &Errors) -> bool {
    let x = operands[0];
    match q.limit {
        Limit::Ulps(most) => e.ulps > most,
        Limit::Rounded => e.ulps != 0.0,
        Limit::GrowingWithX => e.ulps > 3.0 + (2.0 * x).abs().floor(),
        Limit::Absolute { error, within } => x.abs() <= within && e.absolute > error,
        Limit::Logarithm => match (0.5..=2.0).contains(&x) {
            true => e.absolute > 2.0f64.powi(-21),
            false => e.ulps > 3.0,
        },
        Limit::Within { ulps, exponent } => {
            let (lo, hi) = (2.0f64.powi(-exponent), 2.0f64.powi(exponent));
            let inside = |x: f64| (lo..=hi).contains(&x.abs());
            let both = inside(x) && (q.function.operands() == Operands::One || inside(operands[1]));
            both && e.ulps > ulps
        }
        Limit::Open => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(function: Function, limit: Limit, may_flush: bool, cases: &[(f32, f32)]) -> Verdict {
        let words = |values: Vec<f32>| values.iter().map(|v| u64::from(v.to_bits())).collect();
        let samples = Samples {
            x: words(cases.iter().map(|c| c.0).collect()),
            ..Samples::default()
        };
        let answers = Answers {
            values: words(cases.iter().map(|c| c.1).collect()),
            seconds: Vec::new(),
            ints: Vec::new(),
        };
        let q = Question {
            function,
            precision: Precision::Single,
            limit,
            may_flush,
            relaxed: false,
        };
        judge(q, &samples, &answers, 2).unwrap()
    }

    #[test]
    fn the_worst_is_found_and_what_is_wrong_counted() {
        let two_up = f32::from_bits(2.0f32.to_bits() + 6);
        let cases = [(1.0, 1.0), (4.0, two_up), (9.0, 3.0), (-1.0, f32::NAN)];
        let v = verdict(Function::Sqrt, Limit::Ulps(3.0), false, &cases);
        assert_eq!((v.tried, v.wrong), (4, 1));
        assert_eq!(v.worst.as_ref().unwrap().operands, [4.0]);
        // At the power of two 2, the unit is the smaller one, the unit of the numbers below 2.
        assert_eq!(v.ulps, 12.0);
        let v = verdict(Function::Sqrt, Limit::Ulps(12.0), false, &cases);
        assert_eq!(v.wrong, 0);
    }

    #[test]
    fn subnormals_may_be_zeros_where_the_device_says_so() {
        let tiny = f32::from_bits(5);
        for (may, wrong) in [(true, 0), (false, 1)] {
            assert_eq!(
                verdict(Function::Fabs, Limit::Rounded, may, &[(tiny, 0.0)]).wrong,
                wrong
            );
            // The argument of log was flushed to 0.
            let cases = [(tiny, f32::NEG_INFINITY)];
            assert_eq!(verdict(Function::Log, Limit::Ulps(3.0), may, &cases).wrong, wrong);
        }
    }

    #[test]
    fn absolute_limits_hold_in_their_interval() {
        let limit = Limit::Absolute {
            error: 2.0f64.powi(-11),
            within: 3.2,
        };
        let cases = [(0.001, 0.0012), (3.0, 0.1415), (10.0, 0.3)];
        assert_eq!(verdict(Function::Sin, limit, false, &cases).wrong, 0);
        assert_eq!(verdict(Function::Sin, limit, false, &[(3.0, 0.142)]).wrong, 1);
    }
}
