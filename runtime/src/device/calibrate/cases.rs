//! Cases with known results: the operands, and the words that must come out.

use caldera_compiler::half;

/// A property of a device's arithmetic, as the fields of [`super::measured::Measured`] describe them. The device has it if all
/// cases of the property have the expected results.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Property {
    FusedFma,
    FlushingFma,
    Separate,
    SubnormalArithmetic,
    SubnormalLoads,
    SubnormalConversions,
    Divide,
    Sqrt,
    Conversions,
    MulHi,
}

/// The number of words of a case's results; `probes.cl` writes them.
pub(super) const WORDS: usize = 32;

/// The indices of the result words. Some words have one meaning for 32 bits and another one for the other formats.
pub(super) mod word {
    pub(in super::super) const FMA: usize = 0;
    pub(in super::super) const ARITHMETIC: usize = 1;
    pub(in super::super) const LOADED: usize = 14;
    pub(in super::super) const SEPARATE: usize = 15;
    pub(in super::super) const QUOTIENT: usize = 16;
    pub(in super::super) const ROOT: usize = 17;
    /// The first operand, converted from a signed integer; the next word has it from an unsigned one.
    pub(in super::super) const FROM_SIGNED: usize = 18;
    pub(in super::super) const EXP2: usize = 20;
    /// In the formats of 16 and 64 bits only: a conversion to the next narrower format, of the product of two operands in 32
    /// bits, or of the first operand.
    pub(in super::super) const NARROWED: usize = 20;
    pub(in super::super) const LOG2: usize = 21;
    pub(in super::super) const SIN: usize = 22;
    pub(in super::super) const COS: usize = 23;
    pub(in super::super) const POW: usize = 24;
    pub(in super::super) const RSQRT: usize = 25;
    /// The high half of a product of 64 bits, low word first.
    pub(in super::super) const MUL_HI: usize = 26;
    /// The first operand in the next wider format, low half first.
    pub(in super::super) const WIDENED: usize = 28;
}

/// Operands, and the words that must come out from index `first` on.
pub(super) struct Case {
    pub(super) property: Property,
    pub(super) operands: [u64; 3],
    pub(super) first: usize,
    pub(super) expected: Vec<u64>,
}

/// Returns all cases of a format. `widens` tells whether the device has the format of twice the width.
pub(super) fn cases(bits: u32, widens: bool) -> Vec<Case> {
    let mut all = fused(bits);
    all.extend(separate(bits));
    all.extend(subnormals(bits));
    all.extend(flushed(bits));
    all.extend(moved(bits, widens));
    all.extend(quotients(bits));
    all.extend(roots(bits));
    all.extend(converted(bits));
    if bits == 32 {
        all.extend(products());
    }
    all
}

/// Returns the number of mantissa bits, and the exponent bias.
fn format(bits: u32) -> (u32, u64) {
    match bits {
        16 => (10, 15),
        32 => (23, 127),
        _ => (52, 1023),
    }
}

/// Returns cases in which rounding once and rounding twice differ.
fn fused(bits: u32) -> Vec<Case> {
    let mut cases = unrounded_products(bits);
    cases.push(just_below_a_tie(bits));
    cases
}

/// Returns the case (1 + ulp) + (1 + 2⁻ᵏ) · (1 - 2⁻ᵏ) · ulp/2 = 1 + 3/2·ulp - 2⁻²ᵏ·ulp/2, which must be rounded
/// down. If the sum is first rounded to a wider format, the last term is lost; the rest is a tie, which is
/// rounded up.
fn just_below_a_tie(bits: u32) -> Case {
    let (mantissa, bias) = format(bits);
    let k = mantissa * 2 / 3 + 1;
    let one = bias << mantissa;
    let half_ulp_below_one = (bias - 2 - u64::from(mantissa)) << mantissa;
    // 1 - 2⁻ᵏ is 2⁻¹ · (2 - 2¹⁻ᵏ).
    let fraction = (1u64 << mantissa) - (1 << (mantissa + 1 - k));
    Case {
        property: Property::FusedFma,
        operands: [
            one + (1 << (mantissa - k)),
            half_ulp_below_one + fraction,
            one + 1,
        ],
        first: word::FMA,
        expected: vec![one + 1],
    }
}

/// Returns cases of (1 + k·ulp)² · 2ˢ - (1 + 2k·ulp) · 2ˢ: the result is k²·ulp² · 2ˢ if the product is not
/// rounded, otherwise 0.
fn unrounded_products(bits: u32) -> Vec<Case> {
    let (mantissa, bias) = format(bits);
    let sign = 1u64 << (bits - 1);
    // This scale keeps the result normal.
    let scale = if bits == 16 { 8 } else { 4 };
    (1..=20u64)
        .map(|k| {
            let one = bias << mantissa;
            let scaled = (bias + scale) << mantissa;
            let square = k * k;
            let top = u64::from(63 - square.leading_zeros());
            let exponent = bias + scale + top - 2 * u64::from(mantissa);
            let fraction = (square << mantissa >> top) & ((1 << mantissa) - 1);
            Case {
                property: Property::FusedFma,
                operands: [scaled + k, one + k, sign | (scaled + 2 * k)],
                first: word::FMA,
                expected: vec![exponent << mantissa | fraction],
            }
        })
        .collect()
}

/// Returns cases of the same products and sums where they may not be contracted: with two roundings, the result
/// is 0.
fn separate(bits: u32) -> Vec<Case> {
    let mut cases = unrounded_products(bits);
    // The product is inexact, and rounds to the negated third operand.
    cases.retain(|c| c.expected[0] != 0);
    for case in &mut cases {
        case.property = Property::Separate;
        case.first = word::SEPARATE;
        case.expected = vec![0];
    }
    cases.truncate(3);
    cases
}

/// Returns sums, differences, products by one and comparisons of multiples of the smallest number. They are
/// exact in any format, because the word of a subnormal number is the multiple itself.
fn subnormals(bits: u32) -> Vec<Case> {
    let (mantissa, bias) = format(bits);
    let one = bias << mantissa;
    let sign = 1u64 << (bits - 1);
    let most = (1u64 << mantissa) - 1;
    [(1, 2), (2, 1), (3, 3), (most, 1), (most / 2, most / 3), (5, most)]
        .into_iter()
        .map(|(x, y): (u64, u64)| {
            let difference = if x >= y { x - y } else { sign | (y - x) };
            let less = u64::from(x < y);
            let equal = u64::from(x == y);
            Case {
                property: Property::SubnormalArithmetic,
                operands: [x, y, one],
                first: word::ARITHMETIC,
                expected: vec![x + y, difference, x, x, less, equal, 1, x, x, 1, 0, 1, 1],
            }
        })
        .collect()
}

/// Returns multiply-adds whose result is 0 if subnormal numbers are flushed: of a subnormal factor, multiplied
/// by 2 and by a number that makes the product normal; with a subnormal product; and with a subnormal addend.
fn flushed(bits: u32) -> Vec<Case> {
    let (mantissa, bias) = format(bits);
    let most = (1u64 << mantissa) - 1;
    let power = |n: u64| n << mantissa;
    let (two, many, half, least) = (power(bias + 1), power(2 * bias), power(bias - 1), power(1));
    [
        [most, two, 0],
        [most / 3, many, 0],
        [least, half, 0],
        [0, two, most],
    ]
    .into_iter()
    .map(|operands| Case {
        property: Property::FlushingFma,
        operands,
        first: word::FMA,
        expected: vec![0],
    })
    .collect()
}

/// Returns cases in which subnormal numbers are loaded and stored, widened and narrowed.
fn moved(bits: u32, widens: bool) -> Vec<Case> {
    let (mantissa, bias) = format(bits);
    let one = bias << mantissa;
    let most = (1u64 << mantissa) - 1;
    let case = |property, operands, first, expected| Case {
        property,
        operands,
        first,
        expected,
    };
    let mut all = Vec::new();
    for x in [1, 2, most / 3, most] {
        all.push(case(
            Property::SubnormalLoads,
            [x, one, one],
            word::LOADED,
            vec![x],
        ));
        // The two halves of the word in the wider format: x times the smallest subnormal number.
        let (low, high) = match bits {
            16 => {
                let wide = (x as f32 * 2f32.powi(-24)).to_bits();
                (u64::from(wide & 0xffff), u64::from(wide >> 16))
            }
            _ => {
                let wide = (x as f64 * 2f64.powi(-149)).to_bits();
                (wide & 0xffff_ffff, wide >> 32)
            }
        };
        if widens && bits != 64 {
            let expected = vec![low, high];
            all.push(case(
                Property::SubnormalConversions,
                [x, one, one],
                word::WIDENED,
                expected,
            ));
        }
        // Narrows a 64-bit number to a subnormal number of 32 bits.
        if bits == 64 {
            let y = x & 0x7f_ffff;
            let wide = (y as f64 * 2f64.powi(-149)).to_bits();
            all.push(case(
                Property::SubnormalConversions,
                [wide, one, one],
                word::NARROWED,
                vec![y],
            ));
        }
        // Multiplies two 16-bit numbers in 32 bits, and narrows the product to a subnormal number.
        if bits == 16 {
            let small = one - (14 << mantissa);
            let (y, scale) = (x & 0x3ff, one - (10 << mantissa));
            let product = [(y << 4 & 0x3ff) | small, scale, one];
            let exact = value(16, product[0]) * value(16, scale);
            let expected = vec![rounded(16, exact)];
            all.push(case(
                Property::SubnormalConversions,
                product,
                word::NARROWED,
                expected,
            ));
        }
    }
    all
}

/// Returns pseudo-random words (xorshift).
fn noise(seed: u64, count: usize) -> impl Iterator<Item = u64> {
    let mut state = seed | 1;
    (0..count).map(move |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    })
}

/// Returns a number in [1, 2) whose fraction is the upper bits of `word`.
fn fraction(bits: u32, word: u64) -> u64 {
    let (mantissa, bias) = format(bits);
    (bias << mantissa) | (word >> (64 - mantissa))
}

/// Returns quotients near the middle between two adjacent numbers, where rounding errors show: x is the product
/// of y and such a middle.
fn quotients(bits: u32) -> Vec<Case> {
    let (mantissa, _) = format(bits);
    noise(u64::from(bits), 200)
        .map(|w| {
            let y = fraction(bits, w);
            let middle = value(bits, fraction(bits, w.rotate_left(29))) + 2f64.powi(-(mantissa as i32) - 1);
            let x = rounded(bits, middle * value(bits, y));
            let expected = match bits {
                32 => u64::from((f32::from_bits(x as u32) / f32::from_bits(y as u32)).to_bits()),
                _ => rounded(bits, value(bits, x) / value(bits, y)),
            };
            Case {
                property: Property::Divide,
                operands: [x, y, y],
                first: word::QUOTIENT,
                expected: vec![expected],
            }
        })
        .collect()
}

/// Returns square roots near the middle between two adjacent numbers.
fn roots(bits: u32) -> Vec<Case> {
    let (mantissa, bias) = format(bits);
    noise(u64::from(bits) + 7, 200)
        .map(|w| {
            let middle = value(bits, fraction(bits, w)) + 2f64.powi(-(mantissa as i32) - 1);
            let x = rounded(bits, middle * middle);
            let expected = match bits {
                32 => u64::from(f32::from_bits(x as u32).sqrt().to_bits()),
                _ => rounded(bits, value(bits, x).sqrt()),
            };
            Case {
                property: Property::Sqrt,
                operands: [x, bias << mantissa, bias << mantissa],
                first: word::ROOT,
                expected: vec![expected],
            }
        })
        .collect()
}

/// Returns conversions from integers and to narrower formats, of ties, numbers next to ties, and pseudo-random
/// numbers.
fn converted(bits: u32) -> Vec<Case> {
    let (mantissa, bias) = format(bits);
    let one = bias << mantissa;
    let mask = u64::MAX >> (64 - bits);
    let whole = 1u64 << mantissa;
    let ties = (1..8u64).flat_map(|k| [4 * whole + 2 * k, 8 * whole + 4 * k + 1, 8 * whole + 4 * k - 1]);
    let mut all = Vec::new();
    for w in ties.chain(noise(99, 30)).map(|w| w & mask) {
        let signed = (w << (64 - bits)) as i64 >> (64 - bits);
        let (from_signed, from_unsigned) = match bits {
            64 => ((signed as f64).to_bits(), (w as f64).to_bits()),
            32 => (
                u64::from((signed as f32).to_bits()),
                u64::from((w as f32).to_bits()),
            ),
            _ => (rounded(16, signed as f64), rounded(16, w as f64)),
        };
        all.push(Case {
            property: Property::Conversions,
            operands: [w, one, one],
            first: word::FROM_SIGNED,
            expected: vec![from_signed, from_unsigned],
        });
    }
    for w in noise(5, 30) {
        let (x, y) = (fraction(bits, w), fraction(bits, w.rotate_left(31)));
        let expected = match bits {
            64 => u64::from((f64::from_bits(x) as f32).to_bits()),
            16 => rounded(16, value(16, x) * value(16, y)),
            _ => continue,
        };
        all.push(Case {
            property: Property::Conversions,
            operands: [x, y, one],
            first: word::NARROWED,
            expected: vec![expected],
        });
    }
    all
}

/// Returns the high halves of 128-bit products; each factor consists of two operands.
fn products() -> Vec<Case> {
    noise(3, 20)
        .map(|w| {
            let operands = [w & 0xffff_ffff, w >> 32, w.rotate_left(20) & 0xffff_ffff];
            let factor = |high: u64, low: u64| u128::from(high << 32 | low);
            let product = factor(operands[0], operands[1]) * factor(operands[1], operands[2]);
            let high = (product >> 64) as u64;
            Case {
                property: Property::MulHi,
                operands,
                first: word::MUL_HI,
                expected: vec![high & 0xffff_ffff, high >> 32],
            }
        })
        .collect()
}

/// Returns the value of a word in a format.
pub(super) fn value(bits: u32, word: u64) -> f64 {
    match bits {
        16 => half::to_f64(word as u16),
        32 => f64::from(f32::from_bits(word as u32)),
        _ => f64::from_bits(word),
    }
}

/// Returns the word of the number nearest to x, ties to even; x is not NaN.
pub(super) fn rounded(bits: u32, x: f64) -> u64 {
    match bits {
        16 => half::from_f64(x).into(),
        32 => u64::from((x as f32).to_bits()),
        _ => x.to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected words agree with the host's arithmetic.
    #[test]
    fn expectations_are_ieee() {
        for case in fused(32) {
            let [a, b, c] = case.operands.map(|w| f32::from_bits(w as u32));
            assert_eq!(a.mul_add(b, c).to_bits(), case.expected[0] as u32);
            assert_ne!((a * b + c).to_bits(), case.expected[0] as u32);
        }
        for case in fused(64) {
            let [a, b, c] = case.operands.map(f64::from_bits);
            assert_eq!(a.mul_add(b, c).to_bits(), case.expected[0]);
            assert_ne!((a * b + c).to_bits(), case.expected[0]);
        }
        // A sum that is rounded to a wider format first gives another word, too.
        let case = just_below_a_tie(32);
        let [a, b, c] = case.operands.map(|w| f64::from(f32::from_bits(w as u32)));
        assert_ne!(((a * b + c) as f32).to_bits(), case.expected[0] as u32);
        for case in separate(32) {
            let [a, b, c] = case.operands.map(|w| f32::from_bits(w as u32));
            assert_eq!((a * b + c).to_bits(), case.expected[0] as u32);
        }
        for case in separate(64) {
            let [a, b, c] = case.operands.map(f64::from_bits);
            assert_eq!((a * b + c).to_bits(), case.expected[0]);
        }
        for case in subnormals(32) {
            let [x, y, one] = case.operands.map(|w| f32::from_bits(w as u32));
            let e: Vec<u32> = case.expected.iter().map(|w| *w as u32).collect();
            assert_eq!((x + y).to_bits(), e[0]);
            assert_eq!((x - y).to_bits(), e[1]);
            assert_eq!([(x * one).to_bits(), (x / one).to_bits()], [e[2], e[3]]);
            assert_eq!([u32::from(x < y), u32::from(x == y)], [e[4], e[5]]);
        }
    }

    #[test]
    fn halves_stay_normal_and_exact() {
        for case in unrounded_products(16).into_iter().chain([just_below_a_tie(16)]) {
            let [a, b, c] = case.operands.map(|w| value(16, w));
            let expected = value(16, case.expected[0]);
            let error = (a * b + c - expected).abs();
            assert!(error == 0.0 || error < expected / 2048.0);
            let twice = f64::from((a * b + c) as f32);
            assert!(
                error == 0.0 || twice == 1.0 + 1.5 / 1024.0,
                "a tie in single precision"
            );
        }
        for case in separate(16) {
            let [a, b, c] = case.operands.map(|w| value(16, w));
            assert_eq!(value(16, rounded(16, a * b)) + c, 0.0);
        }
        for word in (0..0x7c00).chain(0x8000..0xfc00) {
            assert_eq!(rounded(16, value(16, word)), word);
        }
        assert_eq!(rounded(16, 65519.0), 0x7bff);
        assert_eq!(rounded(16, 2f64.powi(-25)), 0);
        assert_eq!(rounded(16, 3.0 * 2f64.powi(-25)), 2);
    }

    /// Quotients and roots are so near to middles that truncation and an error of half a unit show.
    #[test]
    fn quotients_and_roots_are_hard() {
        let near = |exact: f64| {
            let units = exact * 2f64.powi(23);
            (units - units.floor() - 0.5).abs()
        };
        let hard = quotients(32)
            .iter()
            .filter(|c| near(value(32, c.operands[0]) / value(32, c.operands[1])) < 0.3)
            .count();
        assert!(hard > 50, "{hard}");
        let hard = roots(32)
            .iter()
            .filter(|c| near(value(32, c.operands[0]).sqrt()) < 0.3)
            .count();
        assert!(hard > 50, "{hard}");
    }

    #[test]
    fn words_stay_within_a_case() {
        for bits in [16, 32, 64] {
            for case in cases(bits, bits != 64) {
                assert!(case.first + case.expected.len() <= WORDS);
            }
        }
    }
}
