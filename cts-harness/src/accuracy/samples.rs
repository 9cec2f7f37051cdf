//! Chooses the operands for the tests: edge cases, random words, and random numbers from the intervals in
//! which a function has interesting results. They are the same in every run.

use super::function::{Function, Operands};
use super::number::{Precision, scale};

/// Operands as words of the format. The lists of operands that a function does not take are empty.
#[derive(Default)]
pub(super) struct Samples {
    pub(super) x: Vec<u64>,
    pub(super) y: Vec<u64>,
    pub(super) z: Vec<u64>,
    pub(super) n: Vec<i32>,
}

/// A pseudorandom generator: Splitmix64 (Steele, Lea, Flood, 2014).
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 * scale(1.0, -53)
    }

    fn between(&mut self, (lo, hi): (f64, f64)) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// Returns a number in an interval. Half of the numbers are spread logarithmically towards 0.
    fn within(&mut self, interval: (f64, f64)) -> f64 {
        let x = self.between(interval);
        if self.word() & 1 == 0 {
            return x;
        }
        let near = x * (-40.0 * self.unit()).exp2();
        near.clamp(interval.0, interval.1)
    }
}

/// Returns words at which functions change their behaviour, with both signs.
fn edges(p: Precision) -> Vec<u64> {
    let one = p.to_bits(1.0);
    let normal = p.to_bits(p.least_normal());
    let infinity = p.to_bits(f64::INFINITY);
    let mut words = vec![0, 1, 2, normal - 1, normal, normal + 1];
    words.extend([one - 1, one + 1, infinity - 2, infinity - 1, infinity]);
    let numbers = [
        0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 7.0, 10.0, 33.25, 100.5, 1000.0,
    ];
    let pi = std::f64::consts::PI;
    let angles = [pi / 4.0, pi / 2.0, 0.75 * pi, pi, 2.0 * pi];
    let steps = [
        -p.mantissa() - 1,
        p.mantissa() - 1,
        p.mantissa(),
        p.mantissa() + 1,
    ];
    let powers = steps.map(|e| scale(1.0, e.min(p.bias())));
    let all = numbers.iter().chain(&angles).chain(&powers);
    words.extend(all.map(|x| p.to_bits(*x)));
    let sign = 1 << (8 * p.bytes() - 1);
    let mut both: Vec<u64> = words.iter().flat_map(|w| [*w, *w | sign]).collect();
    both.push(p.to_bits(f64::NAN));
    both
}

const INTS: [i32; 20] = [
    0, 1, -1, 2, -2, 3, -3, 4, 5, 7, -8, 15, 16, 31, -33, 127, 149, -150, 1024, -1075,
];

/// Returns at least `count` operands. A function of one half is tested with all 2^16 words.
pub(super) fn samples(f: Function, p: Precision, count: usize) -> Samples {
    let operands = f.operands();
    if operands == Operands::One && p == Precision::Half {
        return Samples {
            x: (0..1 << 16).collect(),
            ..Samples::default()
        };
    }
    let mut out = Samples::default();
    let mut random = Random(
        f.name()
            .bytes()
            .fold(p as u64, |h, b| h.wrapping_mul(31) + u64::from(b)),
    );
    if !f.is_native() {
        add_edges(&mut out, operands, p);
    }
    let intervals = f.intervals(p);
    while out.x.len() < count {
        let anywhere = !f.is_native() && random.word() & 3 == 0;
        let mut word = |interval| match anywhere {
            true => random.word() >> (64 - 8 * p.bytes()),
            false => p.to_bits(random.within(interval)),
        };
        let (x, y, z) = (word(intervals[0]), word(intervals[1]), word(intervals[0]));
        out.x.push(x);
        match operands {
            Operands::One => {}
            Operands::Two => out.y.push(y),
            Operands::Three => {
                out.y.push(y);
                out.z.push(cancelling(p, x, y, z));
            }
            Operands::WithInt => {
                let n = random.within(intervals[1]).round() as i32;
                out.n.push(if anywhere {
                    random.word() as i32 >> (random.word() & 31)
                } else {
                    n
                });
            }
        }
    }
    out
}

/// Replaces about every second third operand by the negative rounded product. The result of a fused
/// multiply-add is then the rounding error of the product, so a second rounding is visible.
fn cancelling(p: Precision, x: u64, y: u64, z: u64) -> u64 {
    let product = -p.number(x) * p.number(y);
    match z & 1 == 0 && product.is_finite() {
        true => p.to_bits(product),
        false => z,
    }
}

fn add_edges(out: &mut Samples, operands: Operands, p: Precision) {
    let edges = edges(p);
    let few: Vec<u64> = edges.iter().copied().step_by(5).collect();
    for &x in &edges {
        match operands {
            Operands::One => out.x.push(x),
            Operands::Two => {
                for &y in &edges {
                    out.x.push(x);
                    out.y.push(y);
                }
            }
            Operands::Three => {
                for (&y, &z) in edges.iter().flat_map(|y| few.iter().map(move |z| (y, z))) {
                    out.x.push(x);
                    out.y.push(y);
                    out.z.push(z);
                }
            }
            Operands::WithInt => {
                for n in INTS.into_iter().chain([i32::MAX, i32::MIN]) {
                    out.x.push(x);
                    out.n.push(n);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::function::FUNCTIONS;
    use super::*;

    #[test]
    fn operands_go_together_and_repeat() {
        for f in FUNCTIONS {
            for p in Precision::ALL {
                let s = samples(*f, p, 3000);
                assert!(s.x.len() >= 3000);
                let lengths = [s.y.len(), s.z.len(), s.n.len()];
                let all = s.x.len();
                let expected = match f.operands() {
                    Operands::One => [0, 0, 0],
                    Operands::Two => [all, 0, 0],
                    Operands::Three => [all, all, 0],
                    Operands::WithInt => [0, 0, all],
                };
                assert_eq!(lengths, expected, "{}", f.name());
            }
        }
        let again = || samples(Function::Exp, Precision::Single, 500).x;
        assert_eq!(again(), again());
    }

    #[test]
    fn native_functions_are_tried_where_they_mean_something() {
        let s = samples(Function::NativeSin, Precision::Single, 1000);
        assert!(s.x.iter().all(|w| Precision::Single.number(*w).abs() < 3.15));
    }
}
