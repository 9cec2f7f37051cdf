//! The allowed errors of each function. They come from the tables of OpenCL 1.2 section 7.4 (single and
//! double precision, full profile) and of cl_khr_fp16 (half). For `-cl-fast-relaxed-math` in single precision
//! they come from OpenCL C 2.0, table «unsafe math optimizations», except those of the quotients
//! ([`relaxed_single`]), since 1.2 gives no numbers for this option.

use super::function::Function;
use super::number::Precision;

/// The limit for the error of a result.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Limit {
    /// The result may differ by this many units in the last place.
    Ulps(f64),
    /// The result must be correctly rounded, or exact («0 ulp»).
    Rounded,
    /// The result may differ by 3 + ⌊|2x|⌋ units.
    GrowingWithX,
    /// The absolute error is limited for operands with |x| ≤ `within`. Outside there is no limit.
    Absolute { error: f64, within: f64 },
    /// The absolute error may be 2⁻²¹ for x in [½, 2], and the result may differ by 3 units elsewhere.
    Logarithm,
    /// The result may differ by this many units if the magnitudes of the operands are in [2⁻ⁿ, 2ⁿ], with n =
    /// `exponent`.
    Within { ulps: f64, exponent: i32 },
    /// There is no number: the error is implementation-defined, undefined, or follows from a derivation.
    Open,
}

impl Limit {
    /// Returns the limit as it is shown in the table of results.
    pub(super) fn text(self) -> String {
        match self {
            Limit::Ulps(n) => format!("{n}"),
            Limit::Rounded => "rounded".into(),
            Limit::GrowingWithX => "3 + ⌊2·abs(x)⌋".into(),
            Limit::Absolute { error, .. } => format!("2^{} absolute", error.log2()),
            Limit::Logarithm => "3, 2^-21 absolute in [½, 2]".into(),
            Limit::Within { ulps, .. } => format!("{ulps}"),
            Limit::Open => "–".into(),
        }
    }
}

/// Returns the limit of a function for a format.
pub(super) fn limit(function: Function, precision: Precision, relaxed: bool) -> Limit {
    if relaxed && precision == Precision::Single {
        return relaxed_single(function);
    }
    match precision {
        Precision::Single => single(function),
        Precision::Double => match function {
            // The table for double is stricter for these. The `half_` and `native_` functions do not exist
            // for double.
            Function::Divide | Function::Reciprocal | Function::Sqrt => Limit::Rounded,
            other => single(other),
        },
        Precision::Half => half(function),
    }
}

fn single(function: Function) -> Limit {
    use Function as F;
    match function {
        F::Add | F::Subtract | F::Multiply => Limit::Rounded,
        F::Divide | F::Reciprocal => Limit::Ulps(2.5),
        F::Cbrt | F::Log1p | F::Rsqrt => Limit::Ulps(2.0),
        F::Exp | F::Exp2 | F::Exp10 | F::Expm1 | F::Log | F::Log2 | F::Log10 | F::Sqrt => Limit::Ulps(3.0),
        F::Acos | F::Asin | F::Acosh | F::Asinh | F::Hypot => Limit::Ulps(4.0),
        F::Cos | F::Cosh | F::Cospi | F::Sin | F::Sincos | F::Sinh | F::Sinpi => Limit::Ulps(4.0),
        F::Acospi | F::Asinpi | F::Atan | F::Atanpi | F::Atanh | F::Tan | F::Tanh => Limit::Ulps(5.0),
        F::Atan2 | F::Atan2pi | F::Tanpi => Limit::Ulps(6.0),
        F::Erf | F::Erfc | F::Tgamma | F::Pow | F::Pown | F::Powr | F::Rootn => Limit::Ulps(16.0),
        F::Ceil | F::Fdim | F::Floor | F::Fma | F::Fract | F::Ldexp => Limit::Rounded,
        F::Rint | F::Round | F::Trunc => Limit::Rounded,
        F::Copysign | F::Fabs | F::Fmax | F::Fmin | F::Fmod | F::Frexp | F::Ilogb => Limit::Rounded,
        F::Logb | F::Maxmag | F::Minmag | F::Modf | F::Nextafter => Limit::Rounded,
        F::Remainder | F::Remquo => Limit::Rounded,
        F::Lgamma | F::LgammaR | F::Mad => Limit::Open,
        F::HalfCos | F::HalfDivide | F::HalfExp | F::HalfExp2 | F::HalfExp10 => Limit::Ulps(8192.0),
        F::HalfLog | F::HalfLog2 | F::HalfLog10 | F::HalfPowr | F::HalfRecip => Limit::Ulps(8192.0),
        F::HalfRsqrt | F::HalfSin | F::HalfSqrt | F::HalfTan => Limit::Ulps(8192.0),
        F::NativeCos | F::NativeDivide | F::NativeExp | F::NativeExp2 | F::NativeExp10 => Limit::Open,
        F::NativeLog | F::NativeLog2 | F::NativeLog10 | F::NativePowr | F::NativeRecip => Limit::Open,
        F::NativeRsqrt | F::NativeSin | F::NativeSqrt | F::NativeTan => Limit::Open,
    }
}

fn half(function: Function) -> Limit {
    use Function as F;
    match (function, single(function)) {
        (F::Divide | F::Reciprocal | F::Rsqrt, _) => Limit::Ulps(1.0),
        (F::Sqrt, _) => Limit::Ulps(1.5),
        (F::Tan, _) => Limit::Ulps(2.5),
        (F::Erf | F::Erfc | F::Tgamma | F::Pow | F::Pown | F::Powr | F::Rootn, _) => Limit::Ulps(4.0),
        (_, Limit::Ulps(_)) => Limit::Ulps(2.0),
        (_, other) => other,
    }
}

fn relaxed_single(function: Function) -> Limit {
    use Function as F;
    let derived_or_8192 = Limit::Open;
    match function {
        // OpenCL C 2.0 allows 2.5 ulp. The quotients of our library may have larger errors, which 1.2 allows
        // with this option (compiler ADR 15).
        F::Reciprocal => Limit::Within {
            ulps: 5.0,
            exponent: 126,
        },
        F::Divide => Limit::Within {
            ulps: 5.0,
            exponent: 62,
        },
        F::Acos | F::Asin | F::Atan => Limit::Ulps(4096.0),
        F::Acosh | F::Acospi | F::Asinh | F::Asinpi | F::Atanh | F::Atanpi => derived_or_8192,
        F::Atan2 | F::Atan2pi | F::Cbrt | F::Cosh | F::Exp10 | F::Expm1 | F::Log1p => derived_or_8192,
        F::Pow | F::Pown | F::Powr | F::Rootn | F::Sinh | F::Tan | F::Tanh | F::Tanpi => derived_or_8192,
        F::Cos | F::Sin | F::Sincos => Limit::Absolute {
            error: 2.0f64.powi(-11),
            within: std::f64::consts::PI,
        },
        F::Cospi | F::Sinpi => Limit::Absolute {
            error: 2.0f64.powi(-11),
            within: 1.0,
        },
        F::Exp | F::Exp2 => Limit::GrowingWithX,
        F::Log | F::Log2 | F::Log10 => Limit::Logarithm,
        // All other functions have the same limits as without the option.
        other => single(other),
    }
}

#[cfg(test)]
mod tests {
    use super::super::function::FUNCTIONS;
    use super::*;

    /// The column «min accuracy» of the specification's tables, for single, double and half.
    const SPECIFICATION: &str = "\
        x + y: rounded rounded rounded; x - y: rounded rounded rounded; x * y: rounded rounded rounded
        1 / x: 2.5 rounded 1; x / y: 2.5 rounded 1; acos: 4 4 2; acospi: 5 5 2; asin: 4 4 2
        asinpi: 5 5 2; atan: 5 5 2; atan2: 6 6 2; atanpi: 5 5 2; atan2pi: 6 6 2; acosh: 4 4 2
        asinh: 4 4 2; atanh: 5 5 2; cbrt: 2 2 2; ceil: rounded rounded rounded; copysign: 0 0 0
        cos: 4 4 2; cosh: 4 4 2; cospi: 4 4 2; erfc: 16 16 4; erf: 16 16 4; exp: 3 3 2; exp2: 3 3 2
        exp10: 3 3 2; expm1: 3 3 2; fabs: 0 0 0; fdim: rounded rounded rounded
        floor: rounded rounded rounded; fma: rounded rounded rounded; fmax: 0 0 0; fmin: 0 0 0
        fmod: 0 0 0; fract: rounded rounded rounded; frexp: 0 0 0; hypot: 4 4 2; ilogb: 0 0 0
        ldexp: rounded rounded rounded; log: 3 3 2; log2: 3 3 2; log10: 3 3 2; log1p: 2 2 2; logb: 0 0 0
        maxmag: 0 0 0; minmag: 0 0 0; modf: 0 0 0; nextafter: 0 0 0; pow: 16 16 4; pown: 16 16 4
        powr: 16 16 4; remainder: 0 0 0; remquo: 0 0 0; rint: rounded rounded rounded; rootn: 16 16 4
        round: rounded rounded rounded; rsqrt: 2 2 1; sin: 4 4 2; sincos: 4 4 2; sinh: 4 4 2
        sinpi: 4 4 2; sqrt: 3 rounded 1.5; tan: 5 5 2.5; tanh: 5 5 2; tanpi: 6 6 2; tgamma: 16 16 4
        trunc: rounded rounded rounded";

    #[test]
    fn the_tables_are_the_specifications() {
        let mut listed = 0;
        for entry in SPECIFICATION.lines().flat_map(|line| line.split(';')) {
            let (name, figures) = entry.trim().split_once(": ").unwrap();
            let function = FUNCTIONS.iter().find(|f| f.name() == name).unwrap();
            let figures: Vec<&str> = figures.split(' ').collect();
            let order = [Precision::Single, Precision::Double, Precision::Half];
            for (p, figure) in order.into_iter().zip(figures) {
                let expected = match figure {
                    "rounded" | "0" => Limit::Rounded,
                    n => Limit::Ulps(n.parse().unwrap()),
                };
                assert_eq!(limit(*function, p, false), expected, "{name} {}", p.name());
            }
            listed += 1;
        }
        // `SPECIFICATION` omits some functions: lgamma, lgamma_r, mad and native_* have no number, and half_* are
        // checked by the next test.
        let without = FUNCTIONS
            .iter()
            .filter(|f| f.name().starts_with("half_") || f.name().starts_with("native_"));
        assert_eq!(listed + 3 + without.count(), FUNCTIONS.len());
    }

    #[test]
    fn half_functions_allow_8192_ulp() {
        for f in FUNCTIONS.iter().filter(|f| f.name().starts_with("half_")) {
            assert_eq!(limit(*f, Precision::Single, false), Limit::Ulps(8192.0));
            assert_eq!(limit(*f, Precision::Single, true), Limit::Ulps(8192.0));
        }
    }
}
