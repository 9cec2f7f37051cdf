//! Generates float expressions whose values are exact: each value is a multiple of 2^-f with a magnitude
//! below 2^m, and m + f is at most the precision of the type.

use super::choices::Choices;
use super::{Generator, element};
use crate::types::{Base, Type, float, int};

/// An expression with the bounds of its value (see the module's comment).
struct Exact {
    text: String,
    m: u32,
    f: u32,
}

/// Returns the precision of a type in bits.
fn precision(ty: Type) -> u32 {
    match ty.bits() {
        16 => 11,
        32 => 24,
        _ => 53,
    }
}

/// Returns the bounds `(m, f)` of the values that variables hold.
fn stored(ty: Type) -> (u32, u32) {
    match ty.bits() {
        16 => (4, 2),
        32 => (8, 3),
        _ => (12, 6),
    }
}

fn literal(ty: Type, value: &str) -> String {
    ty.splat(&match ty.base {
        Base::Float { bits: 64 } => value.to_owned(),
        _ => format!("{value}f"),
    })
}

impl Generator {
    /// Returns an expression whose value is within the bounds of a variable.
    pub(super) fn stored_float(&mut self, ty: Type, depth: usize) -> String {
        let e = self.float(ty, depth);
        self.fitted(ty, e).text
    }

    fn fitted(&mut self, ty: Type, mut e: Exact) -> Exact {
        let (m, f) = stored(ty);
        if e.f > f {
            let round = self.pick(&["rint", "floor", "ceil", "trunc", "round"]);
            (e.text, e.m, e.f) = (format!("{round}({})", e.text), e.m + 1, 0);
        }
        if e.m > m {
            let most = literal(ty, &format!("{}.0", (1u32 << m) - 1));
            e.text = if self.one_in(2) {
                format!("fmod({}, {most})", e.text)
            } else {
                format!("clamp({}, -{most}, {most})", e.text)
            };
            e.m = m;
        }
        e
    }

    fn float(&mut self, ty: Type, depth: usize) -> Exact {
        self.fuel -= 1;
        if depth == 0 || self.fuel < 0 {
            return self.float_leaf(ty);
        }
        let d = depth - 1;
        let p = precision(ty);
        let a = self.float(ty, d);
        let (text, m, f) = match self.below(12) {
            0..3 => return self.sum(ty, a, d),
            3..5 => return self.product(ty, a, d),
            5 => {
                let by = self.below(3) as u32;
                if a.m + a.f + by > p || ty.bits() == 16 && a.f + by > 12 {
                    return a;
                }
                let text = format!("({} / {})", a.text, literal(ty, &format!("{}.0", 1 << by)));
                (text, a.m, a.f + by)
            }
            6 => {
                let f = self.pick(&["-", "fabs", "-fabs", "sign"]);
                (format!("({f}({}))", a.text), a.m.max(1), a.f)
            }
            7 => {
                let round = self.pick(&["rint", "floor", "ceil", "trunc", "round"]);
                if a.m + 1 + a.f > p {
                    return a;
                }
                (format!("{round}({})", a.text), a.m + 1, 0)
            }
            8 => {
                let b = self.float(ty, d);
                // The specification does not say which of -0 and +0 these functions return. Adding +0 makes
                // both +0.
                let zero = literal(ty, "0.0");
                let f = self.pick(&["fmin", "fmax", "min", "max"]);
                let text = format!("{f}({} + {zero}, {} + {zero})", a.text, b.text);
                (text, a.m.max(b.m), a.f.max(b.f))
            }
            9 => return self.chosen_float(ty, &a, d),
            10 => {
                let b = self.float_leaf(ty);
                (format!("copysign({}, {})", a.text, b.text), a.m, a.f)
            }
            _ => {
                let n = self.pick(&[2, 4, 8]);
                let v = self.float_leaf(ty.of(n));
                let elements: String = (0..ty.n).map(|_| element(self.random.below(n))).collect();
                (format!("({}).s{elements}", v.text), v.m, v.f)
            }
        };
        Exact { text, m, f }
    }

    /// Generates a sum or a difference with `a`, or returns `a` if the result needs too many bits.
    fn sum(&mut self, ty: Type, a: Exact, d: usize) -> Exact {
        let b = self.float(ty, d);
        let (m, f) = (a.m.max(b.m) + 1, a.f.max(b.f));
        if m + f > precision(ty) {
            return a;
        }
        let op = self.pick(&["+", "-"]);
        let text = format!("({} {op} {})", a.text, b.text);
        Exact { text, m, f }
    }

    /// Generates a product with `a`, or a product and a sum in one, or returns `a` if the result needs too many bits.
    fn product(&mut self, ty: Type, a: Exact, d: usize) -> Exact {
        let p = precision(ty);
        let b = self.float(ty, d);
        let (m, f) = (a.m + b.m, a.f + b.f);
        if m + f > p || ty.bits() == 16 && (m > 13 || f > 12) {
            return a;
        }
        if m + f < p && self.one_in(2) {
            let c = self.float_leaf(ty);
            let (m, f) = (m.max(c.m) + 1, f.max(c.f));
            if m + f <= p {
                let fma = self.pick(&["fma", "mad"]);
                let text = format!("{fma}({}, {}, {})", a.text, b.text, c.text);
                return Exact { text, m, f };
            }
        }
        let text = format!("({} * {})", a.text, b.text);
        Exact { text, m, f }
    }

    /// Generates a choice between `a` and another value.
    fn chosen_float(&mut self, ty: Type, a: &Exact, d: usize) -> Exact {
        let b = self.float(ty, d);
        let text = if ty.n > 1 {
            let mask = self.mask(ty.as_int(true), d);
            if self.one_in(2) {
                format!("({mask} ? {} : {})", a.text, b.text)
            } else {
                format!("select({}, {}, {mask})", a.text, b.text)
            }
        } else {
            format!("({} ? {} : {})", self.condition(d), a.text, b.text)
        };
        let (m, f) = (a.m.max(b.m), a.f.max(b.f));
        Exact { text, m, f }
    }

    fn float_leaf(&mut self, ty: Type) -> Exact {
        let (m, f) = stored(ty);
        if self.one_in(2)
            && let Some(p) = self.place(|p| p.ty == ty)
        {
            let text = self.at(&p, 0);
            return Exact { text, m, f };
        }
        // A float from a small integer around 0.
        let signed = self.one_in(2);
        let of = int(self.pick(&[16, 32, 64]), signed, ty.n);
        let a = self.int(of, 1);
        let mask = of.splat(&format!("{}", (1u32 << m) - 1));
        let a = of.cast(&format!("{a} & {mask}"));
        let name = ty.name();
        if signed && self.one_in(2) {
            let half = of.splat(&format!("{}", 1u32 << (m - 1)));
            let text = format!("convert_{name}({})", of.cast(&format!("{a} - {half}")));
            return Exact { text, m, f: 0 };
        }
        let round = self.pick(&["", "", "_rte", "_rtz", "_rtp", "_rtn"]);
        let text = format!("convert_{name}{round}({a})");
        Exact { text, m, f: 0 }
    }

    /// Returns an integer expression from a float: a conversion with a rounding mode, or the float's bits.
    pub(super) fn float_as_int(&mut self, ty: Type, d: usize) -> String {
        let name = ty.name();
        if ty.bits() == 32 && self.one_in(2) {
            // The specification defines how the conversion of any integer rounds, and therefore the bits of
            // its result.
            let round = self.pick(&["", "_rte", "_rtz", "_rtp", "_rtn"]);
            let (bits, signed) = (self.pick(&[32, 64]), self.one_in(2));
            let a = self.int(int(bits, signed, ty.n), d);
            let float = float(32, ty.n).name();
            return format!("as_{name}(convert_{float}{round}({a}))");
        }
        let mut from = self.float_type().of(ty.n);
        if from.bits() == ty.bits() && self.one_in(2) {
            let e = self.stored_float(from, d);
            return format!("as_{name}({e})");
        }
        if self.one_in(3) {
            from = float(32, ty.n);
        }
        let e = self.float(from, d);
        let room = ty.bits() - u32::from(ty.is_signed());
        let round = self.pick(&["", "_rte", "_rtz", "_rtp", "_rtn"]);
        let sat = if e.m + 1 > room || !ty.is_signed() || self.one_in(2) {
            "_sat"
        } else {
            ""
        };
        format!("convert_{name}{sat}{round}({})", e.text)
    }
}
