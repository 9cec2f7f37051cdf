//! Operations of integers, together with their values.

use super::Numbers;
use super::terms::{Term, as_integer, call, range, truncated, truth_type, truth_value};
use crate::types::{Base, INT, Type};

/// The operators of two integers of an unsigned type.
pub(super) const OPERATORS: [&str; 6] = ["+", "-", "*", "&", "|", "^"];

/// The functions of two integers whose result has the same type.
pub(super) const FUNCTIONS: [&str; 6] = ["min", "max", "add_sat", "sub_sat", "hadd", "rotate"];

/// The functions of one integer whose result has the same type.
pub(super) const UNARY: [&str; 3] = ["popcount", "clz", "~"];

impl Numbers {
    /// Returns an operation of integers of the same type. Sums, differences and products wrap around, so that their type must be
    /// unsigned.
    pub(super) fn integers(self, name: &str, a: &Term, b: &Term) -> Term {
        let ty = a.ty;
        let is_function = FUNCTIONS.contains(&name);
        let text = match is_function {
            true => call(name, &[a, b]),
            // The operators promote scalars that are narrower than int. A product of two ushorts may overflow an int.
            false if ty.n == 1 && name == "*" => ty.cast(&format!("(ulong){} * {}", a.text, b.text)),
            false => ty.cast(&format!("{} {name} {}", a.text, b.text)),
        };
        let (least, greatest) = range(ty);
        self.map((text, ty), &[a, b], |v| {
            let (x, y) = (as_integer(ty, v[0]), as_integer(ty, v[1]));
            Some(truncated(
                ty,
                match name {
                    "+" => x + y,
                    "-" => x - y,
                    "*" => x.wrapping_mul(y),
                    "&" => x & y,
                    "|" => x | y,
                    "^" => x ^ y,
                    "min" => x.min(y),
                    "max" => x.max(y),
                    "add_sat" => (x + y).clamp(least, greatest),
                    "sub_sat" => (x - y).clamp(least, greatest),
                    "hadd" => (x + y) >> 1,
                    "rotate" => {
                        let (bits, by) = (ty.bits(), (v[1] % u64::from(ty.bits())) as u32);
                        i128::from(v[0]) << by | i128::from(v[0]) >> (bits - by)
                    }
                    _ => return None,
                },
            ))
        })
    }

    /// Returns an operation of one integer whose result has the same type.
    pub(super) fn integer_unary(self, name: &str, a: &Term) -> Term {
        let ty = a.ty;
        let text = match name {
            "~" => ty.cast(&format!("~{}", a.text)),
            _ => call(name, &[a]),
        };
        self.map((text, ty), &[a], |v| {
            Some(match name {
                "popcount" => u64::from(v[0].count_ones()),
                "clz" => u64::from(v[0].leading_zeros() + ty.bits() - 64),
                _ => truncated(ty, !i128::from(v[0])),
            })
        })
    }

    /// Returns a shift of integers by a constant distance. Signed ones are only shifted to the right.
    pub(super) fn shift(self, name: &str, a: &Term, by: u32) -> Term {
        let ty = a.ty;
        let distance = ty.splat(&by.to_string());
        let text = ty.cast(&format!("{} {name} {distance}", a.text));
        self.map((text, ty), &[a], |v| {
            let x = as_integer(ty, v[0]);
            let x = if name == "<<" { x << by } else { x >> by };
            Some(truncated(ty, x))
        })
    }

    /// Returns a comparison of two integers of the same type: `int` for scalars.
    pub(super) fn integer_comparison(self, name: &str, a: &Term, b: &Term) -> Term {
        let ty = truth_type(a.ty);
        self.map((call(name, &[a, b]), ty), &[a, b], |v| {
            let (x, y) = (as_integer(a.ty, v[0]), as_integer(a.ty, v[1]));
            let truth = match name {
                "<" => x < y,
                "<=" => x <= y,
                ">" => x > y,
                ">=" => x >= y,
                "==" => x == y,
                _ => x != y,
            };
            Some(truth_value(ty, truth))
        })
    }

    /// Returns a number that is made of truth values of type int: each is multiplied by a number.
    pub(super) fn truth_sum(self, truths: &[(Term, i32)]) -> Term {
        let texts: Vec<String> = truths
            .iter()
            .map(|(truth, factor)| match factor {
                1 => truth.text.clone(),
                _ => format!("{} * {factor}", truth.text),
            })
            .collect();
        let operands: Vec<&Term> = truths.iter().map(|(truth, _)| truth).collect();
        self.map((format!("({})", texts.join(" + ")), INT), &operands, |v| {
            let sum: i128 = v
                .iter()
                .zip(truths)
                .map(|(x, (_, factor))| as_integer(INT, *x) * i128::from(*factor))
                .sum();
            Some(truncated(INT, sum))
        })
    }
}

/// Returns the mask of the lowest bits of a type.
pub(super) fn low_bits(ty: Type, bits: u32) -> u64 {
    debug_assert!(matches!(ty.base, Base::Int { .. }) && bits > 0);
    u64::MAX >> (64 - bits.min(ty.bits()))
}
