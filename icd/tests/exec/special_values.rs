//! Tests arithmetic on zeros, infinities and NaNs, with constants and with equal operands, for which drivers
//! take shortcuts. The expected results are those of the host (IEEE 754).

use crate::cl;
use crate::common::CL_SUCCESS;
use crate::lab::{Arg, Lab};
use std::fmt::Write as _;

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

trait Float: Copy {
    const NAME: &'static str;
    const SIZE: usize;
    fn of(value: f64) -> Self;
    fn bits(self) -> u64;
    fn is_nan(self) -> bool;
    fn literal(self) -> String;
    fn compute(self, op: &str, y: Self, z: Self) -> Self;
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
    ($ty:ident, $name:literal, $as:literal) => {
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
            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn is_nan(self) -> bool {
                self != self
            }
            fn literal(self) -> String {
                format!(
                    "{}({:#x}u{})",
                    $as,
                    self.to_bits(),
                    if Self::SIZE == 8 { "l" } else { "" }
                )
            }
            fn compute(self, op: &str, y: Self, z: Self) -> Self {
                let x = self;
                match op {
                    "x + y" => x + y,
                    "x - y" => x - y,
                    "y - x" => y - x,
                    "-x + y" => -x + y,
                    "-x - y" => -x - y,
                    "x * y" => x * y,
                    "y * x" => y * x,
                    "-x * y" => -x * y,
                    "x / y" => x / y,
                    "y / x" => y / x,
                    "fma(x, y, z)" => x.mul_add(y, z),
                    "fma(y, z, x)" => y.mul_add(z, x),
                    "fma(y, x, z)" => y.mul_add(x, z),
                    "fma(x, z, y)" => x.mul_add(z, y),
                    "x * y + z" => x * y + z,
                    "x * z - y" => x * z - y,
                    "x - x" => x - x,
                    "x + -x" => x + -x,
                    "x / x" => x / x,
                    "x * y - x * y" => x * y - x * y,
                    "(x + y) - x" => (x + y) - x,
                    "x * y * z" => x * y * z,
                    "x + y + z" => x + y + z,
                    "fabs(x) * y" => x.abs() * y,
                    "fabs(x + y)" => (x + y).abs(),
                    "fabs(x * y)" => (x * y).abs(),
                    "-(x * y)" => -(x * y),
                    "-(x + y)" => -(x + y),
                    "-(y - x)" => -(y - x),
                    "copysign(z, x * y)" => z.copysign(x * y),
                    "sqrt(x * x) * y" => (x * x).sqrt() * y,
                    "x == x ? x : y" => {
                        if x == x {
                            x
                        } else {
                            y
                        }
                    }
                    "x > y ? x + y : x * y" => {
                        if x > y {
                            x + y
                        } else {
                            x * y
                        }
                    }
                    "!(x < y) ? y : x" => {
                        if x < y {
                            x
                        } else {
                            y
                        }
                    }
                    _ => unreachable!("{op}"),
                }
            }
        }
    };
}
float!(f32, "float", "as_float");
float!(f64, "double", "as_double");

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
    let program = lab.build(&source);
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
                    let expected = x.compute(op, y, T::of(z));
                    // The sign of a NaN is not specified.
                    if op.starts_with("copysign") && x.compute("x * y", y, y).is_nan() {
                        continue;
                    }
                    let found_nan = {
                        let (exponent, fraction) = if T::SIZE == 4 {
                            (0x7f80_0000, 0x7f_ffff)
                        } else {
                            (0x7ff << 52, (1 << 52) - 1)
                        };
                        found & exponent == exponent && found & fraction != 0
                    };
                    if if expected.is_nan() {
                        !found_nan
                    } else {
                        found != expected.bits()
                    } {
                        writeln!(
                            wrong,
                            "{kind} {op}: x {} y {} z {z}: {found:#x}, expected {:#x}",
                            VALUES[i],
                            VALUES[j],
                            expected.bits()
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
