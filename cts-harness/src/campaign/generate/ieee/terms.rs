//! Expressions together with their values in every work-item, and the operations that make them.
//!
//! A value that OpenCL C does not define is `None`. The section of the OpenCL C specification is named where it is not obvious
//! that a value is defined.

use super::{ITEMS, Numbers};
use crate::float_format::{Format, Rounding};
use crate::types::{Base, Type, float, int};
use std::cmp::Ordering;

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) text: String,
    pub(super) ty: Type,
    /// The bits of each element: those of the first work-item, then those of the second one.
    pub(super) values: Vec<Option<u64>>,
}

/// The functions and operators of one operand whose result has the operand's type.
pub(super) const UNARY: [&str; 10] = [
    "-", "fabs", "rint", "round", "floor", "ceil", "trunc", "sign", "logb", "sqrt",
];

/// The functions and operators of two operands whose result has the operands' type.
pub(super) const BINARY: [&str; 16] = [
    "+",
    "-",
    "*",
    "/",
    "fmin",
    "fmax",
    "min",
    "max",
    "fdim",
    "fmod",
    "remainder",
    "nextafter",
    "maxmag",
    "minmag",
    "copysign",
    "step",
];

/// The functions of three operands whose result has the operands' type.
pub(super) const TERNARY: [&str; 3] = ["fma", "clamp", "bitselect"];

/// The comparisons, whose result is an integer.
pub(super) const COMPARISONS: [&str; 15] = [
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "isequal",
    "isnotequal",
    "isless",
    "islessequal",
    "isgreater",
    "isgreaterequal",
    "islessgreater",
    "isordered",
    "isunordered",
];

/// The tests of one number.
pub(super) const TESTS: [&str; 5] = ["isnan", "isinf", "isfinite", "isnormal", "signbit"];

/// The modifiers of conversions.
pub(super) const MODES: [&str; 5] = ["", "_rte", "_rtz", "_rtp", "_rtn"];

impl Term {
    pub(super) fn new(text: String, ty: Type, values: Vec<Option<u64>>) -> Term {
        Term { text, ty, values }
    }

    /// Returns an expression with the same value in all work-items.
    pub(super) fn constant(text: String, ty: Type, lanes: &[u64]) -> Term {
        let values = (0..ITEMS).flat_map(|_| lanes.iter().copied().map(Some)).collect();
        Term { text, ty, values }
    }

    /// Returns the same values under another name.
    pub(super) fn named(&self, text: &str) -> Term {
        Term {
            text: text.to_owned(),
            ..self.clone()
        }
    }

    /// Returns whether enough values are defined: all of them, or with `gaps` most of them.
    pub(super) fn is_good(&self, gaps: bool) -> bool {
        let defined = self.values.iter().filter(|v| v.is_some()).count();
        match gaps {
            true => 3 * defined >= 2 * self.values.len(),
            false => defined == self.values.len(),
        }
    }

    pub(super) fn is_float(&self) -> bool {
        !self.ty.is_int()
    }

    /// Returns the format of the elements.
    pub(super) fn format(&self) -> Format {
        Format::of(self.ty.bits())
    }

    /// Returns the value of an element in a work-item. A scalar has the same value in all elements.
    pub(super) fn at(&self, item: usize, element: usize) -> Option<u64> {
        let n = self.ty.n;
        self.values[item * n + if n == 1 { 0 } else { element }]
    }

    /// Returns the element of an integer term as a number.
    pub(super) fn integer_at(&self, item: usize, element: usize) -> Option<i128> {
        self.at(item, element).map(|x| as_integer(self.ty, x))
    }
}

/// Returns the number that the bits are in an integer type.
pub(super) fn as_integer(ty: Type, x: u64) -> i128 {
    let unused = 64 - ty.bits();
    match ty.is_signed() {
        true => i128::from((x << unused) as i64 >> unused),
        false => i128::from(x),
    }
}

/// Returns the lowest bits of a number, as many as the type has.
pub(super) fn truncated(ty: Type, x: i128) -> u64 {
    x as u64 & (u64::MAX >> (64 - ty.bits()))
}

/// Returns the least and the greatest number of an integer type.
pub(super) fn range(ty: Type) -> (i128, i128) {
    match ty.is_signed() {
        true => (-(1 << (ty.bits() - 1)), (1 << (ty.bits() - 1)) - 1),
        false => (0, (1 << ty.bits()) - 1),
    }
}

pub(super) fn rounding(mode: &str) -> Rounding {
    match mode {
        "_rtz" => Rounding::Zero,
        "_rtp" => Rounding::Up,
        "_rtn" => Rounding::Down,
        _ => Rounding::NearestEven,
    }
}

/// Returns the text of an operation with one operand.
pub(super) fn call(name: &str, operands: &[&Term]) -> String {
    let texts: Vec<&str> = operands.iter().map(|o| o.text.as_str()).collect();
    match (name.starts_with(char::is_alphabetic), &texts[..]) {
        (false, [a]) => format!("({name}({a}))"),
        (false, [a, b]) => format!("({a} {name} {b})"),
        _ => format!("{name}({})", texts.join(", ")),
    }
}

impl Numbers {
    /// Returns the number, unless it may be flushed to zero (section 7.5.3): a subnormal number, or one that is as small after
    /// rounding; and unless the program must not have infinities and NaN.
    pub(super) fn kept(self, f: Format, x: u64) -> Option<u64> {
        if !self.infinities && !f.is_finite(x) {
            return None;
        }
        let is_small = !f.is_zero(x) && f.magnitude(x) <= f.least_normal();
        let flushes = !match f.bits {
            16 => self.subnormal_half,
            32 => self.subnormal_float,
            _ => self.subnormal_double,
        };
        (!(flushes && is_small)).then_some(x)
    }

    /// Applies a function to the elements of operands. Where an operand or a result may be flushed to zero, or the function gives
    /// `None`, the value is not defined.
    pub(super) fn map(
        self,
        (text, ty): (String, Type),
        operands: &[&Term],
        function: impl Fn(&[u64]) -> Option<u64>,
    ) -> Term {
        let operand = |o: &Term, item, element| {
            let x = o.at(item, element)?;
            match o.is_float() {
                true => self.kept(o.format(), x),
                false => Some(x),
            }
        };
        let value = |item: usize, element: usize| {
            let all: Option<Vec<u64>> = operands.iter().map(|o| operand(o, item, element)).collect();
            let result = function(&all?)?;
            match ty.is_int() {
                true => Some(result),
                false => self.kept(Format::of(ty.bits()), Format::of(ty.bits()).canonical(result)),
            }
        };
        let values = (0..ITEMS).flat_map(|item| (0..ty.n).map(move |e| (item, e)));
        Term::new(text, ty, values.map(|(item, e)| value(item, e)).collect())
    }

    /// Returns the number, unless its sign is open because it is a zero.
    fn with_sign(self, f: Format, x: u64) -> Option<u64> {
        (self.signed_zeros || !f.is_zero(x)).then_some(x)
    }

    /// Returns the result of arithmetic, unless another order of operations, or one with other roundings, may give another result.
    fn calculated(self, f: Format, operands: &[u64], result: u64) -> Option<u64> {
        // Products of three such numbers are exact in every format.
        let (limit, unit) = if f.bits == 16 { (8, -1) } else { (32, -2) };
        let limit = f.rounded_integer(limit, Rounding::Zero);
        let few_bits = |x: u64| {
            let scaled = f.scale(x, -unit);
            f.magnitude(x) <= limit && f.whole(scaled, f64::trunc) == scaled
        };
        let all = || operands.iter().copied().chain([result]);
        (self.arithmetic || all().all(few_bits)).then_some(result)
    }

    /// Returns the type of an operation with these operands of the same element type: a vector if one is.
    fn widest(operands: &[&Term]) -> Type {
        let n = operands.iter().map(|o| o.ty.n).max().unwrap_or(1);
        operands[0].ty.of(n)
    }

    pub(super) fn unary(self, name: &str, a: &Term) -> Term {
        let f = a.format();
        self.map((call(name, &[a]), a.ty), &[a], |v| {
            let x = v[0];
            Some(match name {
                "-" => x ^ f.sign(),
                "fabs" => f.magnitude(x),
                "rint" => f.whole(x, f64::round_ties_even),
                "round" => f.whole(x, f64::round),
                "floor" => f.whole(x, f64::floor),
                "ceil" => f.whole(x, f64::ceil),
                "trunc" => f.whole(x, f64::trunc),
                // Section 6.15.3: 0.0 for NaN.
                "sign" if f.is_nan(x) => 0,
                "sign" if f.is_zero(x) => x,
                "sign" => x & f.sign() | f.one(),
                "sqrt" if self.arithmetic && self.divides_correctly(f) => f.square_root(x),
                "logb" if f.is_nan(x) => x,
                "logb" if f.is_infinite(x) => f.infinity(),
                "logb" if f.is_zero(x) => f.infinity() | f.sign(),
                "logb" => f.rounded_integer(i128::from(f.exponent(x)?), Rounding::NearestEven),
                _ => return None,
            })
        })
    }

    /// Returns whether division and square root are correctly rounded (section 7.4). The options of the program ask for it for
    /// float. For half, OpenCL C allows an error of 1 ulp.
    pub(super) fn divides_correctly(self, f: Format) -> bool {
        match f.bits {
            16 => false,
            32 => self.correct_division,
            _ => true,
        }
    }

    pub(super) fn binary(self, name: &str, a: &Term, b: &Term) -> Term {
        let f = a.format();
        self.map((call(name, &[a, b]), Self::widest(&[a, b])), &[a, b], |v| {
            let (x, y) = (v[0], v[1]);
            let order = f.compare(x, y);
            let zeros_differ = f.is_zero(x) && f.is_zero(y) && x != y;
            // Which zero these return is open.
            let of = |wanted: Ordering| match order {
                _ if f.is_nan(x) => Some(y),
                _ if f.is_nan(y) => Some(x),
                _ if zeros_differ => None,
                order => Some(if order == Some(wanted) { x } else { y }),
            };
            match name {
                "+" => self.calculated(f, v, f.add(x, y)),
                "-" => self.calculated(f, v, f.subtract(x, y)),
                "*" => self.calculated(f, v, f.multiply(x, y)),
                "/" if !self.arithmetic || !self.divides_correctly(f) => None,
                // The sign of the infinity.
                "/" if f.is_zero(y) && !self.signed_zeros => None,
                "/" => Some(f.divide(x, y)),
                "fmin" => of(Ordering::Less),
                "fmax" => of(Ordering::Greater),
                // Section 6.15.3: undefined for infinities and NaN.
                "min" | "max" if !f.is_finite(x) || !f.is_finite(y) => None,
                "min" => of(Ordering::Less),
                "max" => of(Ordering::Greater),
                "fdim" => Some(match order {
                    None => f.nan(),
                    Some(Ordering::Greater) => self.calculated(f, v, f.subtract(x, y))?,
                    Some(_) => 0,
                }),
                "fmod" | "remainder" if !self.arithmetic => None,
                "fmod" => Some(f.remainder(x, y, true).map_or(f.nan(), |r| r.0)),
                "remainder" => Some(f.remainder(x, y, false).map_or(f.nan(), |r| r.0)),
                "nextafter" => match order {
                    None => Some(f.nan()),
                    Some(Ordering::Equal) => (!zeros_differ).then_some(y),
                    Some(_) => Some(f.next(x, y)),
                },
                "maxmag" | "minmag" => {
                    let wanted = if name == "maxmag" {
                        Ordering::Greater
                    } else {
                        Ordering::Less
                    };
                    match f.compare(f.magnitude(x), f.magnitude(y)) {
                        Some(Ordering::Equal) | None => of(wanted),
                        Some(order) => Some(if order == wanted { x } else { y }),
                    }
                }
                "copysign" => {
                    // The sign of NaN is open.
                    let y = self.with_sign(f, y).filter(|y| !f.is_nan(*y))?;
                    Some(f.magnitude(x) | y & f.sign())
                }
                // step(edge, x), section 6.15.3.
                "step" => Some(if f.compare(y, x) == Some(Ordering::Less) {
                    0
                } else {
                    f.one()
                }),
                _ => None,
            }
        })
    }

    pub(super) fn ternary(self, name: &str, a: &Term, b: &Term, c: &Term) -> Term {
        let f = a.format();
        let ty = Self::widest(&[a, b, c]);
        self.map((call(name, &[a, b, c]), ty), &[a, b, c], |v| {
            let (x, y, z) = (v[0], v[1], v[2]);
            match name {
                "fma" => self.calculated(f, v, f.fused(x, y, z)),
                "clamp" => {
                    // Section 6.15.3: fmin(fmax(x, y), z), undefined if y > z. Whether NaN is clamped is left out, and so are
                    // zeros of different signs.
                    let open = |a: u64, b: u64| f.is_zero(a) && f.is_zero(b) && a != b;
                    if v.iter().any(|x| f.is_nan(*x))
                        || f.compare(y, z) == Some(Ordering::Greater)
                        || open(x, y)
                        || open(x, z)
                        || open(y, z)
                    {
                        return None;
                    }
                    let low = if f.compare(x, y) == Some(Ordering::Less) {
                        y
                    } else {
                        x
                    };
                    Some(if f.compare(low, z) == Some(Ordering::Greater) {
                        z
                    } else {
                        low
                    })
                }
                "bitselect" => {
                    let result = x & !z | y & z;
                    let is_open = |x: u64| f.is_nan(x) || self.with_sign(f, x).is_none();
                    let open = v.iter().any(|x| is_open(*x)) || is_open(result);
                    (!open).then_some(result)
                }
                _ => None,
            }
        })
    }

    /// Returns a comparison: `int` for scalars, and for vectors the signed integers of the same size, in which true is -1.
    pub(super) fn comparison(self, name: &str, a: &Term, b: &Term) -> Term {
        let f = a.format();
        let ty = truth_type(Self::widest(&[a, b]));
        self.map((call(name, &[a, b]), ty), &[a, b], |v| {
            let order = f.compare(v[0], v[1]);
            let is = |all: &[Ordering]| order.is_some_and(|o| all.contains(&o));
            let truth = match name {
                "<" | "isless" => is(&[Ordering::Less]),
                "<=" | "islessequal" => is(&[Ordering::Less, Ordering::Equal]),
                ">" | "isgreater" => is(&[Ordering::Greater]),
                ">=" | "isgreaterequal" => is(&[Ordering::Greater, Ordering::Equal]),
                "==" | "isequal" => is(&[Ordering::Equal]),
                "!=" | "isnotequal" => !is(&[Ordering::Equal]),
                "islessgreater" => is(&[Ordering::Less, Ordering::Greater]),
                "isordered" => order.is_some(),
                _ => order.is_none(),
            };
            Some(truth_value(ty, truth))
        })
    }

    pub(super) fn test(self, name: &str, a: &Term) -> Term {
        let f = a.format();
        let ty = truth_type(a.ty);
        self.map((call(name, &[a]), ty), &[a], |v| {
            let x = v[0];
            let truth = match name {
                "isnan" => f.is_nan(x),
                "isinf" => f.is_infinite(x),
                "isfinite" => f.is_finite(x),
                "isnormal" => f.is_finite(x) && !f.is_zero(x) && !f.is_subnormal(x),
                // The sign of NaN is open.
                _ if f.is_nan(x) => return None,
                _ => f.is_negative(self.with_sign(f, x)?),
            };
            Some(truth_value(ty, truth))
        })
    }

    /// Returns one of two values: `condition ? a : b`, or `select(b, a, condition)`. Only the value that is chosen needs to be
    /// defined. The condition is a scalar integer, or a vector of integers whose signs choose.
    pub(super) fn choice(condition: &Term, a: &Term, b: &Term, as_function: bool) -> Term {
        let text = match as_function {
            // The condition of scalars has the same size.
            true if a.ty.n == 1 && a.ty.bits() != 32 => {
                let condition = a.ty.as_int(true).cast(&condition.text);
                format!("select({}, {}, {condition})", b.text, a.text)
            }
            true => format!("select({}, {}, {})", b.text, a.text, condition.text),
            // The operator promotes scalars that are narrower than int.
            false if a.ty.is_int() => {
                a.ty.cast(&format!("{} ? {} : {}", condition.text, a.text, b.text))
            }
            false => format!("({} ? {} : {})", condition.text, a.text, b.text),
        };
        let is_vector = condition.ty.n > 1;
        let values = (0..ITEMS).flat_map(|item| (0..a.ty.n).map(move |e| (item, e)));
        let value = |(item, e)| {
            let c = condition.integer_at(item, e)?;
            let truth = if is_vector { c < 0 } else { c != 0 };
            if truth { a.at(item, e) } else { b.at(item, e) }
        };
        Term::new(text, a.ty, values.map(value).collect())
    }

    /// Returns the conversion of numbers to the type (section 6.2.3.3): of a float to an integer outside of the type's range only
    /// with `saturated`.
    pub(super) fn conversion(self, to: Type, a: &Term, mode: &str, saturated: bool) -> Term {
        let sat = if saturated { "_sat" } else { "" };
        let text = format!("convert_{}{sat}{mode}({})", to.name(), a.text);
        let converted = |v: &[u64]| -> Option<u64> {
            match (a.ty.base, to.base) {
                (Base::Float { bits }, Base::Float { bits: other }) => {
                    let (from, to) = (Format::of(bits), Format::of(other));
                    let result = to.converted(from, v[0], rounding(mode));
                    let exact = from.converted(to, result, Rounding::NearestEven) == v[0];
                    (exact || self.arithmetic).then_some(result)
                }
                (Base::Int { .. }, Base::Float { bits }) => {
                    let (f, x) = (Format::of(bits), as_integer(a.ty, v[0]));
                    let result = f.rounded_integer(x, rounding(mode));
                    let exact = f.to_integer(result, Rounding::Zero) == Some(x);
                    (exact || self.arithmetic).then_some(result)
                }
                (from, Base::Int { .. }) => {
                    let whole = match from {
                        // Without a mode, floats are rounded towards zero.
                        Base::Float { bits } if mode.is_empty() => {
                            Format::of(bits).to_integer(v[0], Rounding::Zero)
                        }
                        Base::Float { bits } => Format::of(bits).to_integer(v[0], rounding(mode)),
                        Base::Int { .. } => Some(as_integer(a.ty, v[0])),
                    };
                    let (least, greatest) = range(to);
                    match whole {
                        // Section 6.2.3.3: NaN should become 0.
                        None => saturated.then_some(0),
                        Some(x) if saturated => Some(truncated(to, x.clamp(least, greatest))),
                        Some(x) if !a.is_float() => Some(truncated(to, x)),
                        Some(x) => (least..=greatest).contains(&x).then(|| truncated(to, x)),
                    }
                }
            }
        };
        self.map((text, to), &[a], converted)
    }

    /// Returns the bits as another type of the same size. Those of NaN are open, and so are those that are NaN with another
    /// payload afterwards.
    pub(super) fn reinterpretation(self, to: Type, a: &Term) -> Term {
        let text = format!("as_{}({})", to.name(), a.text);
        self.map((text, to), &[a], |v| {
            let open = |ty: Type| !ty.is_int() && Format::of(ty.bits()).is_nan(v[0]);
            let signals = open(to) && v[0] != Format::of(to.bits()).nan();
            let has_sign = |ty: Type| ty.is_int() || self.with_sign(Format::of(ty.bits()), v[0]).is_some();
            let is_open = signals || a.is_float() && open(a.ty) || !has_sign(a.ty);
            (!is_open).then_some(v[0])
        })
    }

    /// Returns ldexp, whose second operand is a vector or scalar of int.
    pub(super) fn scaled(self, a: &Term, by: &Term) -> Term {
        let f = a.format();
        self.map((call("ldexp", &[a, by]), a.ty), &[a, by], |v| {
            Some(f.scale(v[0], v[1] as u32 as i32))
        })
    }

    /// Returns ilogb. FP_ILOGB0 and FP_ILOGBNAN are implementation-defined.
    pub(super) fn integer_logarithm(self, a: &Term) -> Term {
        let f = a.format();
        let ty = int(32, true, a.ty.n);
        self.map((call("ilogb", &[a]), ty), &[a], |v| match f.is_infinite(v[0]) {
            true => Some(i32::MAX as u64),
            false => f.exponent(v[0]).map(|e| truncated(ty, i128::from(e))),
        })
    }

    /// Returns the results of a function that stores a second one: the returned value, and the stored one. Both texts are empty.
    pub(super) fn pair(self, name: &str, a: &Term, b: &Term) -> (Term, Term) {
        let f = a.format();
        let second = match name {
            "frexp" | "remquo" => int(32, true, a.ty.n),
            _ => a.ty,
        };
        let both = |v: &[u64]| -> (u64, u64) {
            let (x, y) = (v[0], v[1]);
            match name {
                // Section 7.5.1: 0 is stored for zero, infinities and NaN.
                "frexp" => match f.exponent(x) {
                    None => (x, 0),
                    Some(e) => (f.scale(x, -e - 1), truncated(second, i128::from(e) + 1)),
                },
                // Section 7.5.2.
                "modf" => {
                    let whole = f.whole(x, f64::trunc);
                    let rest = if f.is_infinite(x) { 0 } else { f.subtract(x, whole) };
                    let signed = f.magnitude(rest) | x & f.sign();
                    (if f.is_nan(x) { x } else { signed }, whole)
                }
                "fract" => {
                    let whole = f.whole(x, f64::floor);
                    let fraction = match f.is_infinite(x) || f.is_zero(x) {
                        true => x & f.sign(),
                        false => f.subtract(x, whole),
                    };
                    let less_than_one = if fraction == f.one() {
                        f.one() - 1
                    } else {
                        fraction
                    };
                    (less_than_one, whole)
                }
                _ => match f.remainder(x, y, false) {
                    None => (f.nan(), 0),
                    // Section 6.15.2: the lowest seven bits of the quotient, with its sign. A program takes no others.
                    Some((rest, quotient)) => {
                        let low = i128::from(quotient & 127);
                        let negative = f.is_negative(x) != f.is_negative(y);
                        (rest, truncated(second, if negative { -low } else { low }))
                    }
                },
            }
        };
        let first = self.map((String::new(), a.ty), &[a, b], |v| Some(both(v).0));
        // The second result is only defined where the first one is not flushed to zero.
        let second = self.map((String::new(), second), &[a, b, &first], |v| Some(both(v).1));
        (first, second)
    }

    /// Returns the number that is stored as a half and loaded again (section 6.15.8). A subnormal half is not flushed to zero.
    pub(super) fn through_half(self, a: &Term, mode: &str) -> Term {
        let f = a.format();
        let half = Format::of(16);
        self.map((String::new(), float(32, a.ty.n)), &[a], |v| {
            let stored = half.converted(f, v[0], rounding(mode));
            Some(Format::of(32).converted(half, stored, Rounding::NearestEven))
        })
    }

    /// Returns a combination of two truth values of the same type.
    pub(super) fn logical(self, name: &str, a: &Term, b: &Term) -> Term {
        let ty = a.ty;
        self.map((call(name, &[a, b]), ty), &[a, b], |v| {
            let (x, y) = (v[0] != 0, v[1] != 0);
            let truth = match name {
                "&&" | "&" => x && y,
                "||" | "|" => x || y,
                _ => x != y,
            };
            Some(truth_value(ty, truth))
        })
    }

    /// Returns the opposite of a truth value.
    pub(super) fn not(self, a: &Term) -> Term {
        let ty = a.ty;
        self.map((call("!", &[a]), ty), &[a], |v| Some(truth_value(ty, v[0] == 0)))
    }
}

/// Returns the type of comparisons of a type.
pub(super) fn truth_type(ty: Type) -> Type {
    if ty.n == 1 {
        int(32, true, 1)
    } else {
        ty.as_int(true)
    }
}

pub(super) fn truth_value(ty: Type, truth: bool) -> u64 {
    match (truth, ty.n) {
        (false, _) => 0,
        (true, 1) => 1,
        (true, _) => truncated(ty, -1),
    }
}
