//! Generates integer expressions. Each has exactly the type that the caller asks for.

use super::choices::Choices;
use super::{Generator, Parameter, WIDTHS, element};
use crate::types::{INT, Type, UINT, int};

impl Generator {
    /// Returns a random integer expression.
    pub(super) fn int(&mut self, ty: Type, depth: usize) -> String {
        self.fuel -= 1;
        if depth == 0 || self.fuel < 0 {
            return self.int_leaf(ty, depth);
        }
        let d = depth - 1;
        if let Some(text) = self.extended(ty, d) {
            return text;
        }
        match self.below(26) {
            0..3 => {
                let op = self.pick(&["+", "-", "*"]);
                let (a, b) = (self.int(ty, d), self.int(ty, d));
                wrapping(ty, op, &a, &b)
            }
            3 => {
                let op = self.pick(&["&", "|", "^"]);
                let (a, b) = (self.int(ty, d), self.int(ty, d));
                ty.cast(&format!("{a} {op} {b}"))
            }
            4 => {
                let a = self.int(ty, d);
                if self.one_in(2) {
                    ty.cast(&format!("~{a}"))
                } else {
                    wrapping(ty, "-", &ty.splat("0"), &a)
                }
            }
            5..7 => self.shift(ty, d),
            7..9 => self.division(ty, d),
            9..12 => self.condition_value(ty, d),
            12..16 => self.builtin(ty, d),
            16..18 => self.conversion(ty, d),
            18 => self.reinterpretation(ty, d),
            19 => self.float_as_int(ty, d),
            20..22 => self.assembled(ty, d),
            22..24 => self.fields(ty, d),
            _ => self.call(ty, d).unwrap_or_else(|| self.int_leaf(ty, d)),
        }
    }

    fn int_leaf(&mut self, ty: Type, depth: usize) -> String {
        let d = depth.min(1);
        match self.below(8) {
            0 => self.constant(ty),
            1..5 => match self.place(|p| p.ty == ty) {
                Some(p) => self.at(&p, d),
                None => self.converted_place(ty, d),
            },
            _ => self.converted_place(ty, d),
        }
    }

    /// Returns an integer place converted to the type: one with the same number of elements, an element of a
    /// vector, or one value for all elements.
    fn converted_place(&mut self, ty: Type, d: usize) -> String {
        let name = ty.name();
        if let Some(p) = self.place(|p| p.ty.is_int() && p.ty.n == ty.n) {
            let text = self.at(&p, d);
            return if p.ty == ty {
                text
            } else {
                format!("convert_{name}({text})")
            };
        }
        match self.place(|p| p.ty.is_int() && (p.ty.n == 1 || ty.n == 1)) {
            Some(p) if p.ty.n == 1 => {
                let text = self.at(&p, d);
                ty.splat(&format!("convert_{}({text})", ty.of(1).name()))
            }
            Some(p) => {
                let (text, i) = (self.at(&p, d), self.below(p.ty.n));
                format!("convert_{name}(({text}).s{})", element(i))
            }
            None => self.constant(ty),
        }
    }

    /// Returns a constant, often one at a boundary of its type.
    pub(super) fn constant(&mut self, ty: Type) -> String {
        if ty.n > 1 && self.one_in(3) {
            let all: Vec<String> = (0..ty.n).map(|_| self.constant(ty.of(1))).collect();
            return ty.splat(&all.join(", "));
        }
        let bits = ty.bits();
        let random = u64::from(self.random.word()) << 32 | u64::from(self.random.word());
        let value = match self.below(12) {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            3 => 1 << (bits - 1),
            4 => (1 << (bits - 1)) - 1,
            5 => u64::from(bits) - 1,
            6 => u64::from(bits),
            7 => u64::from(bits) * 2,
            8 => 1 << self.below(bits as usize),
            9 => random & 0xff,
            _ => random,
        };
        let value = value & (u64::MAX >> (64 - bits));
        let text = if ty.is_signed() {
            // The constant is written as unsigned and reinterpreted, since not every negative number has a
            // literal.
            format!(
                "as_{}(({}){value:#x}UL)",
                ty.of(1).name(),
                ty.of(1).as_int(false).name()
            )
        } else {
            format!("({}){value:#x}UL", ty.of(1).name())
        };
        if ty.n == 1 {
            format!("({text})")
        } else {
            ty.splat(&text)
        }
    }

    fn shift(&mut self, ty: Type, d: usize) -> String {
        let op = self.pick(&["<<", ">>"]);
        let a = self.int(ty, d);
        // Every shift count is defined: only its lowest bits are used (section 6.3).
        let count = match ty.n {
            1 => {
                let (bits, signed) = (self.pick(&[8, 16, 32, 64]), self.one_in(2));
                self.int(int(bits, signed, 1), d)
            }
            _ => self.int(ty, d),
        };
        if op == "<<" && ty.is_signed() {
            let u = ty.as_int(false);
            let count = if ty.n == 1 {
                count
            } else {
                format!("as_{}({count})", u.name())
            };
            let shifted = u.cast(&format!("as_{}({a}) << {count}", u.name()));
            return format!("as_{}({shifted})", ty.name());
        }
        ty.cast(&format!("{a} {op} {count}"))
    }

    fn division(&mut self, ty: Type, d: usize) -> String {
        let op = self.pick(&["/", "%"]);
        let a = self.int(ty, d);
        if self.one_in(2) {
            let by = self.pick(&[1, 2, 3, 5, 7, 8, 10, 16, 31, 64, 100, 127]);
            let by = if ty.is_signed() && by > 1 && self.one_in(3) {
                -by
            } else {
                by
            };
            return ty.cast(&format!("{a} {op} {}", ty.splat(&format!("{by}"))));
        }
        let b = self.int(ty, d);
        // The most negative number divided by -1 has no quotient in the type, so the dividend is halved.
        let a = if ty.is_signed() {
            ty.cast(&format!("{a} >> {}", ty.splat("1")))
        } else {
            a
        };
        let one = ty.splat("1");
        ty.cast(&format!("{a} {op} ({b} | {one})"))
    }

    /// Returns a scalar expression of type int whose value is 0 or 1.
    pub(super) fn condition(&mut self, d: usize) -> String {
        let d = d.saturating_sub(1);
        match self.below(9) {
            0 => {
                let op = self.pick(&["&&", "||"]);
                let (a, b) = (self.condition(d), self.condition(d));
                format!("({a} {op} {b})")
            }
            1 => format!("(!{})", self.condition(d)),
            2 => {
                let bits = self.pick(&[8, 16, 32, 64]);
                let n = self.pick(&WIDTHS[1..]);
                let v = self.int(int(bits, true, n), d);
                format!("{}({v})", self.pick(&["any", "all"]))
            }
            3 => {
                let ty = self.float_type().of(1);
                let (a, b) = (self.stored_float(ty, d), self.stored_float(ty, d));
                let test = self.pick(&[
                    "isless",
                    "isgreaterequal",
                    "isequal",
                    "isnotequal",
                    "islessgreater",
                    "isunordered",
                ]);
                format!("({test}({a}, {b}) != 0)")
            }
            _ => {
                let ty = self.int_type().of(1);
                let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (a, b) = (self.int(ty, d), self.int(ty, d));
                format!("({a} {op} {b})")
            }
        }
    }

    /// Returns a vector expression of a signed type, each of whose elements is 0 or -1.
    pub(super) fn mask(&mut self, ty: Type, d: usize) -> String {
        let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let floats = ty.bits() == 32
            || ty.bits() == 16 && self.features.half
            || ty.bits() == 64 && self.features.double;
        let of = if floats && self.one_in(3) {
            crate::types::float(ty.bits(), ty.n)
        } else {
            let signed = self.one_in(2);
            ty.as_int(signed)
        };
        let (a, b) = (self.value(of, d), self.value(of, d));
        match self.below(4) {
            0 => format!("(!({a} {op} {b}))"),
            1 if of.is_int() => format!("({a} && {b})"),
            _ => format!("({a} {op} {b})"),
        }
    }

    fn condition_value(&mut self, ty: Type, d: usize) -> String {
        match self.below(4) {
            0 if ty == INT => self.condition(d),
            0 if ty.n > 1 && ty.is_signed() => self.mask(ty, d),
            1 => {
                let (a, b) = (self.int(ty, d), self.int(ty, d));
                let signed = self.one_in(2);
                let c = self.int(ty.as_int(signed), d);
                format!("select({a}, {b}, {c})")
            }
            2 if ty.n > 1 => {
                let (a, b) = (self.int(ty, d), self.int(ty, d));
                format!("({} ? {a} : {b})", self.mask(ty.as_int(true), d))
            }
            _ => {
                let c = self.condition(d);
                let (a, b) = (self.int(ty, d), self.int(ty, d));
                let branches = format!("{c} ? {a} : {b}");
                if ty.n == 1 {
                    ty.cast(&branches)
                } else {
                    format!("({branches})")
                }
            }
        }
    }

    fn builtin(&mut self, ty: Type, d: usize) -> String {
        let name = ty.name();
        match self.below(9) {
            0 => {
                let a = self.int(ty, d);
                format!("{}({a})", self.pick(&["popcount", "clz"]))
            }
            1 if !ty.is_signed() => {
                let signed = self.one_in(2);
                let of = ty.as_int(signed);
                let a = self.int(of, d);
                if self.one_in(2) {
                    format!("abs({a})")
                } else {
                    format!("abs_diff({a}, {})", self.int(of, d))
                }
            }
            2 => {
                let (a, b, c) = (self.int(ty, d), self.int(ty, d), self.int(ty, d));
                match self.below(4) {
                    0 => format!("mad_sat({a}, {b}, {c})"),
                    1 => format!("bitselect({a}, {b}, {c})"),
                    2 if !ty.is_signed() => format!("mad_hi({a}, {b}, {c})"),
                    _ => format!("clamp({a}, min({b}, {c}), max({b}, {c}))"),
                }
            }
            3 if ty.bits() == 32 => {
                let half = int(16, ty.is_signed(), ty.n);
                let (a, b) = (self.int(half, d), self.int(half, d));
                let (a, b) = (format!("convert_{name}({a})"), format!("convert_{name}({b})"));
                if self.one_in(2) {
                    return format!("mul24({a}, {b})");
                }
                let c = self.int(int(8, ty.is_signed(), ty.n), d);
                format!("mad24({a} / {}, {b}, convert_{name}({c}))", ty.splat("2"))
            }
            4 if ty.bits() > 8 => {
                let part = int(ty.bits() / 2, ty.is_signed(), ty.n);
                let (hi, lo) = (self.int(part, d), self.int(part.as_int(false), d));
                format!("upsample({hi}, {lo})")
            }
            _ => {
                let (a, b) = (self.int(ty, d), self.int(ty, d));
                let f = self.pick(&[
                    "add_sat", "sub_sat", "hadd", "rhadd", "max", "min", "mul_hi", "rotate",
                ]);
                format!("{f}({a}, {b})")
            }
        }
    }

    fn conversion(&mut self, ty: Type, d: usize) -> String {
        let (bits, signed) = (self.pick(&[8, 16, 32, 64]), self.one_in(2));
        let from = int(bits, signed, ty.n);
        let a = self.int(from, d);
        let sat = self.pick(&["", "_sat"]);
        let round = self.pick(&["", "", "_rte", "_rtz", "_rtp", "_rtn"]);
        format!("convert_{}{sat}{round}({a})", ty.name())
    }

    /// Returns an `as_TYPE` of another type of the same size. Vectors of three elements are left out.
    fn reinterpretation(&mut self, ty: Type, d: usize) -> String {
        let size = ty.bits() as usize * ty.n;
        let fits: Vec<(u32, usize)> = [8, 16, 32, 64]
            .into_iter()
            .flat_map(|bits| WIDTHS.map(|n| (bits, n)))
            .filter(|(bits, n)| *bits as usize * n == size && (*n == ty.n || *n != 3 && ty.n != 3))
            .collect();
        let ((bits, n), signed) = (self.pick(&fits), self.one_in(2));
        let a = self.int(int(bits, signed, n), d);
        format!("as_{}({a})", ty.name())
    }

    /// Returns an expression made from parts of vectors, from elements of other vectors, or by a shuffle.
    fn assembled(&mut self, ty: Type, d: usize) -> String {
        if ty.n == 1 {
            let n = self.pick(&WIDTHS[1..]);
            let (v, i) = (self.int(ty.of(n), d), self.below(n));
            return format!("({v}).s{}", element(i));
        }
        match self.below(4) {
            0 if ty.n != 3 => {
                let m = self.pick(&[2, 4, 8, 16]);
                let mask = self.int(ty.as_int(false), d);
                let a = self.int(ty.of(m), d);
                if self.one_in(2) {
                    return format!("shuffle({a}, {mask})");
                }
                let b = self.int(ty.of(m), d);
                format!("shuffle2({a}, {b}, {mask})")
            }
            1 if ty.n <= 8 && ty.n != 3 => {
                let v = self.int(ty.of(ty.n * 2), d);
                format!("({v}).{}", self.pick(&["lo", "hi", "odd", "even"]))
            }
            2 => {
                let n = self.pick(&WIDTHS[1..]);
                let v = self.int(ty.of(n), d);
                let elements: String = (0..ty.n).map(|_| element(self.random.below(n))).collect();
                format!("({v}).s{elements}")
            }
            _ => {
                let (mut left, mut parts) = (ty.n, Vec::new());
                while left > 0 {
                    let fit: Vec<usize> = WIDTHS.into_iter().filter(|n| *n <= left && *n < ty.n).collect();
                    let n = self.pick(&fit);
                    parts.push(self.int(ty.of(n), d));
                    left -= n;
                }
                ty.splat(&parts.join(", "))
            }
        }
    }

    /// Returns a call of a helper function whose parameters are all values, if there is one.
    fn call(&mut self, ty: Type, d: usize) -> Option<String> {
        let plain = |p: &Parameter| matches!(p, Parameter::Value(_));
        let fits: Vec<usize> = (0..self.functions.len())
            .filter(|f| self.functions[*f].result.n == ty.n && self.functions[*f].result.is_int())
            .filter(|f| self.functions[*f].parameters.iter().all(plain))
            .collect();
        if fits.is_empty() || self.loops > 1 {
            return None;
        }
        let n = self.pick(&fits);
        let f = self.functions[n].clone();
        let mut arguments = Vec::new();
        for p in &f.parameters {
            if let Parameter::Value(ty) = p {
                arguments.push(self.value(*ty, d.min(1)));
            }
        }
        let call = format!("{}({}{})", f.name, self.passed_variables(), arguments.join(", "));
        Some(if f.result == ty {
            call
        } else {
            format!("convert_{}({call})", ty.name())
        })
    }

    /// Returns a uint expression whose value is less than `below`.
    pub(super) fn index(&mut self, below: usize, d: usize) -> String {
        format!("{} % {below}u", self.int(UINT, d))
    }
}

/// Returns an operation modulo 2^bits, for signed and unsigned types alike.
fn wrapping(ty: Type, op: &str, a: &str, b: &str) -> String {
    if ty.n == 1 && ty.bits() < 32 {
        return ty.cast(&format!("(uint)({a}) {op} (uint)({b})"));
    }
    if !ty.is_signed() {
        return format!("({a} {op} {b})");
    }
    let u = ty.as_int(false).name();
    format!("as_{}(as_{u}({a}) {op} as_{u}({b}))", ty.name())
}
