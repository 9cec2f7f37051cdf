//! Tests arithmetic on zeros, infinities and NaNs, with constants and with equal operands, for which drivers
//! take shortcuts. The expected results are those of the host (IEEE 754), and what OpenCL C allows besides: on devices
//! without CL_FP_DENORM, subnormal numbers may be flushed (7.5.3); quotients and square roots of floats may be inexact
//! (7.4), but not with -cl-fp32-correctly-rounded-divide-sqrt, which devices with CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT have.

use crate::common::{self, CL_SUCCESS};
use crate::expr::Num;
use crate::lab::{Arg, Lab};
use crate::scalar::Scalar;
use crate::{cl, query};
use std::fmt::Write as _;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The values, which are used as constants and as operands that a kernel reads from memory. There are no
/// subnormal numbers, since devices may flush them.
const VALUES: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    0.5,
    -3.75,
    1.0e30,
    -1.0e-30,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MAX,
    f64::MIN_POSITIVE,
];

trait Float:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    const NAME: &'static str;
    const SIZE: usize;
    fn of(value: f64) -> Self;
    fn from_bits(bits: u64) -> Self;
    fn bits(self) -> u64;
    fn wide(self) -> f64;
    fn is_nan(self) -> bool;
    /// Returns whether this is a subnormal number of a type for which they are optional.
    fn may_be_flushed(self) -> bool;
    fn literal(self) -> String;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    fn mul_add(self, y: Self, z: Self) -> Self;
}

/// What a device may do besides IEEE 754.
#[derive(Copy, Clone)]
struct Arithmetic {
    /// It may flush subnormal floats.
    flushes: bool,
    /// Its quotients and square roots of floats have errors.
    is_inexact: bool,
}

/// The results that an expression may have on a device.
#[derive(Clone)]
struct Possible<T> {
    values: Vec<T>,
    arithmetic: Arithmetic,
}

impl<T: Float> Possible<T> {
    fn new(value: T, arithmetic: Arithmetic) -> Possible<T> {
        let mut possible = Possible {
            values: Vec::new(),
            arithmetic,
        };
        possible.insert(value);
        possible
    }

    fn insert(&mut self, value: T) {
        // The sign of a flushed number is not specified.
        let zeros = [T::of(0.0), T::of(-0.0)];
        let flushes = self.arithmetic.flushes && value.may_be_flushed();
        for v in [value].into_iter().chain(zeros.into_iter().filter(|_| flushes)) {
            if !self.values.iter().any(|other| other.bits() == v.bits()) {
                self.values.push(v);
            }
        }
    }

    /// Adds the numbers near a quotient or square root whose error is within `ulp`.
    fn insert_near(&mut self, result: T, exact: f64, ulp: f64) {
        self.insert(result);
        if !self.arithmetic.is_inexact || T::SIZE != 4 {
            return;
        }
        for bits in result.bits().saturating_sub(6)..=result.bits() + 6 {
            let near = T::from_bits(bits);
            if !result.is_nan() && Scalar::Float.close(Num::Float(near.wide()), Num::Float(exact), ulp) {
                self.insert(near);
            }
        }
    }

    fn map(&self, f: impl Fn(T) -> T) -> Possible<T> {
        let mut all = Possible {
            values: Vec::new(),
            ..*self
        };
        self.values.iter().for_each(|&x| all.insert(f(x)));
        all
    }

    fn with(&self, other: &Possible<T>, f: impl Fn(T, T) -> T) -> Possible<T> {
        let mut all = Possible {
            values: Vec::new(),
            ..*self
        };
        for &x in &self.values {
            other.values.iter().for_each(|&y| all.insert(f(x, y)));
        }
        all
    }

    fn mul_add(&self, y: &Possible<T>, z: &Possible<T>) -> Possible<T> {
        let mut all = Possible {
            values: Vec::new(),
            ..*self
        };
        for &x in &self.values {
            for &y in &y.values {
                z.values.iter().for_each(|&z| all.insert(x.mul_add(y, z)));
            }
        }
        all
    }

    fn abs(&self) -> Possible<T> {
        self.map(T::abs)
    }

    fn copysign(&self, sign: &Possible<T>) -> Possible<T> {
        self.with(sign, T::copysign)
    }

    fn sqrt(&self) -> Possible<T> {
        let mut all = Possible {
            values: Vec::new(),
            ..*self
        };
        for &x in &self.values {
            all.insert_near(x.sqrt(), x.wide().sqrt(), 3.0);
        }
        all
    }

    fn contains(&self, bits: u64) -> bool {
        let same = |v: &T| {
            if v.is_nan() {
                T::from_bits(bits).is_nan()
            } else {
                v.bits() == bits
            }
        };
        self.values.iter().any(same)
    }
}

impl<T: Float> Add for &Possible<T> {
    type Output = Possible<T>;
    fn add(self, other: &Possible<T>) -> Possible<T> {
        self.with(other, |x, y| x + y)
    }
}

impl<T: Float> Sub for &Possible<T> {
    type Output = Possible<T>;
    fn sub(self, other: &Possible<T>) -> Possible<T> {
        self.with(other, |x, y| x - y)
    }
}

impl<T: Float> Mul for &Possible<T> {
    type Output = Possible<T>;
    fn mul(self, other: &Possible<T>) -> Possible<T> {
        self.with(other, |x, y| x * y)
    }
}

impl<T: Float> Div for &Possible<T> {
    type Output = Possible<T>;
    fn div(self, other: &Possible<T>) -> Possible<T> {
        let mut all = Possible {
            values: Vec::new(),
            ..*self
        };
        for &x in &self.values {
            for &y in &other.values {
                all.insert_near(x / y, x.wide() / y.wide(), 2.5);
            }
        }
        all
    }
}

impl<T: Float> Neg for &Possible<T> {
    type Output = Possible<T>;
    fn neg(self) -> Possible<T> {
        self.map(|x| -x)
    }
}

/// Returns the possible results of one of [`OPS`]. The operands are no subnormal numbers.
#[expect(clippy::eq_op, reason = "the operations are those of the kernels")]
fn compute<T: Float>(op: &str, x: T, y: T, z: T, arithmetic: Arithmetic) -> Possible<T> {
    let (a, b) = (x, y);
    let [x, y, z] = &[x, y, z].map(|v| Possible::new(v, arithmetic));
    match op {
        "x + y" => x + y,
        "x - y" => x - y,
        "y - x" => y - x,
        "-x + y" => &-x + y,
        "-x - y" => &-x - y,
        "x * y" => x * y,
        "y * x" => y * x,
        "-x * y" => &-x * y,
        "x / y" => x / y,
        "y / x" => y / x,
        "fma(x, y, z)" => x.mul_add(y, z),
        "fma(y, z, x)" => y.mul_add(z, x),
        "fma(y, x, z)" => y.mul_add(x, z),
        "fma(x, z, y)" => x.mul_add(z, y),
        "x * y + z" => &(x * y) + z,
        "x * z - y" => &(x * z) - y,
        "x - x" => x - x,
        "x + -x" => x + &-x,
        "x / x" => x / x,
        "x * y - x * y" => &(x * y) - &(x * y),
        "(x + y) - x" => &(x + y) - x,
        "x * y * z" => &(x * y) * z,
        "x + y + z" => &(x + y) + z,
        "fabs(x) * y" => &x.abs() * y,
        "fabs(x + y)" => (x + y).abs(),
        "fabs(x * y)" => (x * y).abs(),
        "-(x * y)" => -&(x * y),
        "-(x + y)" => -&(x + y),
        "-(y - x)" => -&(y - x),
        "copysign(z, x * y)" => z.copysign(&(x * y)),
        "sqrt(x * x) * y" => &(x * x).sqrt() * y,
        "x == x ? x : y" => if a.is_nan() { y } else { x }.clone(),
        "x > y ? x + y : x * y" => {
            if a > b {
                x + y
            } else {
                x * y
            }
        }
        "!(x < y) ? y : x" => if a < b { x } else { y }.clone(),
        _ => unreachable!("{op}"),
    }
}

/// Converts to another type, with rounding to nearest.
trait Rounded<T> {
    fn rounded(self) -> T;
}

impl Rounded<f32> for f64 {
    fn rounded(self) -> f32 {
        self as f32
    }
}

impl Rounded<f64> for f64 {
    fn rounded(self) -> f64 {
        self
    }
}

macro_rules! float {
    ($ty:ident, $bits:expr, $name:literal, $as:literal) => {
        impl Float for $ty {
            const NAME: &'static str = $name;
            const SIZE: usize = size_of::<$ty>();
            fn of(value: f64) -> Self {
                match value {
                    f64::MAX => $ty::MAX,
                    f64::MIN_POSITIVE => $ty::MIN_POSITIVE,
                    _ => value.rounded(),
                }
            }
            fn from_bits(bits: u64) -> Self {
                <$ty>::from_bits(($bits)(bits))
            }
            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn wide(self) -> f64 {
                self.into()
            }
            fn is_nan(self) -> bool {
                self != self
            }
            fn may_be_flushed(self) -> bool {
                self.is_subnormal()
            }
            fn literal(self) -> String {
                format!(
                    "{}({:#x}u{})",
                    $as,
                    self.to_bits(),
                    if Self::SIZE == 8 { "l" } else { "" }
                )
            }
            fn abs(self) -> Self {
                <$ty>::abs(self)
            }
            fn sqrt(self) -> Self {
                <$ty>::sqrt(self)
            }
            fn copysign(self, sign: Self) -> Self {
                <$ty>::copysign(self, sign)
            }
            fn mul_add(self, y: Self, z: Self) -> Self {
                <$ty>::mul_add(self, y, z)
            }
        }
    };
}
float!(f32, |bits: u64| bits as u32, "float", "as_float");
float!(f64, |bits: u64| bits, "double", "as_double");

const OPS: [&str; 34] = [
    "x + y",
    "x - y",
    "y - x",
    "-x + y",
    "-x - y",
    "x * y",
    "y * x",
    "-x * y",
    "x / y",
    "y / x",
    "fma(x, y, z)",
    "fma(y, z, x)",
    "fma(y, x, z)",
    "fma(x, z, y)",
    "x * y + z",
    "x * z - y",
    "x - x",
    "x + -x",
    "x / x",
    "x * y - x * y",
    "(x + y) - x",
    "x * y * z",
    "x + y + z",
    "fabs(x) * y",
    "fabs(x + y)",
    "fabs(x * y)",
    "-(x * y)",
    "-(x + y)",
    "-(y - x)",
    "copysign(z, x * y)",
    "sqrt(x * x) * y",
    "x == x ? x : y",
    "x > y ? x + y : x * y",
    "!(x < y) ? y : x",
];

/// Tests operations whose operands `x` and `z` come from memory, while `y` is each of the constants.
fn with_constants<T: Float>(z: f64) {
    let lab = Lab::new();
    check::<T>(&lab, z, "");
    let config = query!(clGetDeviceInfo(lab.setup.device; common::CL_DEVICE_SINGLE_FP_CONFIG) as u64);
    if config & common::CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0 {
        check::<T>(&lab, z, EXACT);
    }
}

/// The option with which quotients and square roots of floats are correctly rounded.
const EXACT: &str = "-cl-fp32-correctly-rounded-divide-sqrt";

/// Tests the operations in a program that is built with these options.
fn check<T: Float>(lab: &Lab, z: f64, options: &str) {
    let arithmetic = Arithmetic {
        flushes: !lab.keeps_subnormals(Scalar::named(T::NAME)),
        is_inexact: options != EXACT,
    };
    let ty = T::NAME;
    let values = VALUES.map(T::of);
    let count = values.len();
    let mut source = String::from("#pragma OPENCL FP_CONTRACT OFF\n");
    for (n, op) in OPS.iter().enumerate() {
        write!(
            source,
            "kernel void k{n}(global const {ty} *in, global {ty} *out, {ty} z) {{
               size_t i = get_global_id(0); {ty} x = in[i]; out += i * {count};\n"
        )
        .expect("a string");
        for (at, value) in values.iter().enumerate() {
            writeln!(source, "{{ {ty} y = {}; out[{at}] = {op}; }}", value.literal()).expect("a string");
        }
        source += "}\n";
        // The constants are also used as lanes of a vector with other constants.
        if !op.contains('?') {
            write!(
                source,
                "kernel void v{n}(global const {ty} *in, global {ty} *out, {ty} z0) {{
                   size_t i = get_global_id(0); {ty}2 x = in[i], z = z0; out += i * {count};\n"
            )
            .expect("a string");
            for (at, pair) in values.chunks(2).enumerate() {
                let (a, b) = (pair[0].literal(), pair[1].literal());
                writeln!(
                    source,
                    "{{ {ty}2 y = ({ty}2)({a}, {b}); vstore2({op}, {at}, out); }}"
                )
                .expect("a string");
            }
            source += "}\n";
        }
    }
    let program = lab.setup.built(&source, options);
    let bytes = |v: T| v.bits().to_le_bytes()[..T::SIZE].to_vec();
    let input: Vec<u8> = values.iter().flat_map(|&v| bytes(v)).collect();
    let mut wrong = String::new();
    for (n, op) in OPS.iter().enumerate() {
        for kind in ["k", "v"] {
            if kind == "v" && op.contains('?') {
                continue;
            }
            let args = [
                Arg::In(&input),
                Arg::Out(count * count * T::SIZE),
                Arg::Value(&bytes(T::of(z))),
            ];
            let results = lab.run(program, &format!("{kind}{n}"), count, None, &args);
            for (i, &x) in values.iter().enumerate() {
                for (j, &y) in values.iter().enumerate() {
                    let found = crate::lab::element(&results[0], T::SIZE, i * count + j);
                    let expected = compute(op, x, y, T::of(z), arithmetic);
                    // The sign of a NaN is not specified.
                    if op.starts_with("copysign") && (x * y).is_nan() {
                        continue;
                    }
                    if !expected.contains(found) {
                        writeln!(
                            wrong,
                            "{kind} {op}: x {} y {} z {z}: {found:#x}, expected {:#x?}",
                            VALUES[i],
                            VALUES[j],
                            expected.values.iter().map(|v| v.bits()).collect::<Vec<_>>()
                        )
                        .expect("a string");
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{wrong}", wrong.lines().count());
    assert_eq!(cl!(clReleaseProgram(program)), CL_SUCCESS);
}

#[test]
fn of_float() {
    for z in [-0.0, 1.5] {
        with_constants::<f32>(z);
    }
}

#[test]
fn of_double() {
    if Lab::new().has("cl_khr_fp64") {
        for z in [-0.0, 1.5] {
            with_constants::<f64>(z);
        }
    }
}

/// Checks that the reference allows what the device may do, and no more.
#[test]
fn possible_results() {
    let strict = Arithmetic {
        flushes: false,
        is_inexact: false,
    };
    let flushing = Arithmetic {
        flushes: true,
        ..strict
    };
    let inexact = Arithmetic {
        is_inexact: true,
        ..strict
    };
    let results = |op: &str, x: f32, y: f32, arithmetic| {
        let possible = compute(op, x, y, 1.5, arithmetic);
        let mut all: Vec<u64> = possible.values.iter().map(|v| v.bits()).collect();
        all.sort_unstable();
        all
    };
    let least = f32::MIN_POSITIVE;
    let minus = 1 << 31;
    let half = u64::from((least / 2.0).to_bits());
    assert_eq!(results("x * y", least, 0.5, strict), [half]);
    assert_eq!(results("x * y", least, 0.5, inexact), [half]);
    assert_eq!(results("x * y", least, 0.5, flushing), [0, half, minus]);
    assert_eq!(
        results("x * y", least, -1.0, flushing),
        [minus | least.to_bits() as u64]
    );
    assert_eq!(results("x - y", 1.0, 1.0, flushing), [0]);
    assert_eq!(results("x * y", -0.0, 1.0, flushing), [minus]);
    let sum = u64::from((least * 0.75).to_bits());
    assert_eq!(results("x * y * z", least, 0.5, flushing), [0, sum, minus]);
    let one = u64::from(1f32.to_bits());
    assert_eq!(results("x / x", f32::MAX, 1.0, strict), [one]);
    assert_eq!(results("x / x", f32::MAX, 1.0, flushing), [one]);
    // The numbers below 1 are half as far apart as those above.
    let near: Vec<u64> = (one - 5..=one + 2).collect();
    assert_eq!(results("x / x", f32::MAX, 1.0, inexact), near);
    assert_eq!(
        results("x / y", f32::INFINITY, 1.0, inexact),
        [f32::INFINITY.to_bits() as u64]
    );
    assert_eq!(results("x / y", 0.0, -1.0, inexact), [minus]);
    let double = compute("x / y", 1.0f64, -3.75, 0.0, inexact);
    assert_eq!(double.values.len(), 1);
}
