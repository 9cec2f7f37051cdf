//! The functions of OpenCL 1.2 section 6.12.2 and the operators: their names, operands, and intervals for
//! tests and timing.

use super::number::Precision;

macro_rules! functions {
    ($($variant:ident $name:literal)*) => {
        /// A math function or operator.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub(super) enum Function {
            $($variant,)*
        }

        /// All functions and operators; the math functions are in the specification's order.
        pub(super) const FUNCTIONS: &[Function] = &[$(Function::$variant,)*];

        impl Function {
            /// Returns the name in OpenCL C. For an operator this is an expression.
            pub(super) fn name(self) -> &'static str {
                match self {
                    $(Function::$variant => $name,)*
                }
            }
        }
    };
}

functions! {
    Add "x + y" Subtract "x - y" Multiply "x * y" Divide "x / y" Reciprocal "1 / x" Acos "acos"
    Acosh "acosh" Acospi "acospi" Asin "asin" Asinh "asinh" Asinpi "asinpi" Atan "atan" Atan2 "atan2"
    Atanh "atanh" Atanpi "atanpi" Atan2pi "atan2pi" Cbrt "cbrt" Ceil "ceil" Copysign "copysign"
    Cos "cos" Cosh "cosh" Cospi "cospi" Erfc "erfc" Erf "erf" Exp "exp" Exp2 "exp2" Exp10 "exp10"
    Expm1 "expm1" Fabs "fabs" Fdim "fdim" Floor "floor" Fma "fma" Fmax "fmax" Fmin "fmin" Fmod "fmod"
    Fract "fract" Frexp "frexp" Hypot "hypot" Ilogb "ilogb" Ldexp "ldexp" Lgamma "lgamma"
    LgammaR "lgamma_r" Log "log" Log2 "log2" Log10 "log10" Log1p "log1p" Logb "logb" Mad "mad"
    Maxmag "maxmag" Minmag "minmag" Modf "modf" Nextafter "nextafter" Pow "pow" Pown "pown" Powr "powr"
    Remainder "remainder" Remquo "remquo" Rint "rint" Rootn "rootn" Round "round" Rsqrt "rsqrt"
    Sin "sin" Sincos "sincos" Sinh "sinh" Sinpi "sinpi" Sqrt "sqrt" Tan "tan" Tanh "tanh" Tanpi "tanpi"
    Tgamma "tgamma" Trunc "trunc" HalfCos "half_cos" HalfDivide "half_divide" HalfExp "half_exp"
    HalfExp2 "half_exp2" HalfExp10 "half_exp10" HalfLog "half_log" HalfLog2 "half_log2"
    HalfLog10 "half_log10" HalfPowr "half_powr" HalfRecip "half_recip" HalfRsqrt "half_rsqrt"
    HalfSin "half_sin" HalfSqrt "half_sqrt" HalfTan "half_tan" NativeCos "native_cos"
    NativeDivide "native_divide" NativeExp "native_exp" NativeExp2 "native_exp2"
    NativeExp10 "native_exp10" NativeLog "native_log" NativeLog2 "native_log2"
    NativeLog10 "native_log10" NativePowr "native_powr" NativeRecip "native_recip"
    NativeRsqrt "native_rsqrt" NativeSin "native_sin" NativeSqrt "native_sqrt" NativeTan "native_tan"
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Operands {
    One,
    Two,
    Three,
    /// A number and an `int`.
    WithInt,
}

/// The results of a function: its value, and a value that it stores through a pointer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Results {
    Number,
    Int,
    NumberAndNumber,
    NumberAndInt,
}

impl Function {
    pub(super) fn operands(self) -> Operands {
        use Function as F;
        match self {
            F::Fma | F::Mad => Operands::Three,
            F::Pown | F::Rootn | F::Ldexp => Operands::WithInt,
            F::Add | F::Subtract | F::Multiply | F::Divide | F::Atan2 | F::Atan2pi => Operands::Two,
            F::Copysign | F::Fdim | F::Fmax | F::Fmin | F::Fmod | F::Hypot | F::Maxmag => Operands::Two,
            F::Minmag | F::Nextafter | F::Pow | F::Powr | F::Remainder | F::Remquo => Operands::Two,
            F::HalfDivide | F::HalfPowr | F::NativeDivide | F::NativePowr => Operands::Two,
            _ => Operands::One,
        }
    }

    pub(super) fn results(self) -> Results {
        use Function as F;
        match self {
            F::Ilogb => Results::Int,
            F::Fract | F::Modf | F::Sincos => Results::NumberAndNumber,
            F::Frexp | F::LgammaR | F::Remquo => Results::NumberAndInt,
            _ => Results::Number,
        }
    }

    /// Returns the call of the function in OpenCL C, with operands named `x`, `y`, `z` and a pointer `p` for
    /// the stored result.
    pub(super) fn call(self) -> String {
        let name = self.name();
        if name.contains(' ') {
            return name.replace("1 / x", "(T)1 / x");
        }
        let stored = match self.results() {
            Results::Number | Results::Int => "",
            Results::NumberAndNumber | Results::NumberAndInt => ", p",
        };
        match self.operands() {
            Operands::One => format!("{name}(x{stored})"),
            Operands::Two | Operands::WithInt => format!("{name}(x, y{stored})"),
            Operands::Three => format!("{name}(x, y, z{stored})"),
        }
    }

    /// Returns whether the function exists in this format.
    pub(super) fn exists_for(self, p: Precision) -> bool {
        p == Precision::Single || !self.is_half_or_native()
    }

    pub(super) fn is_half_or_native(self) -> bool {
        self.is_native() || self.name().starts_with("half_")
    }

    /// Returns whether the allowed operands and errors are implementation-defined.
    pub(super) fn is_native(self) -> bool {
        self.name().starts_with("native_")
    }

    /// Returns the function that a `half_` or `native_` function approximates, or the function itself.
    pub(super) fn plain(self) -> Function {
        let name = self.name();
        let plain = name
            .strip_prefix("half_")
            .or_else(|| name.strip_prefix("native_"));
        match plain {
            None => self,
            Some("divide") => Function::Divide,
            Some("recip") => Function::Reciprocal,
            Some(plain) => FUNCTIONS
                .iter()
                .copied()
                .find(|f| f.name() == plain)
                .unwrap_or(self),
        }
    }

    /// Returns intervals of the operands x and y in which the function has interesting results.
    pub(super) fn intervals(self, p: Precision) -> [(f64, f64); 2] {
        use Function as F;
        let pick = |half: f64, single: f64, double: f64| match p {
            Precision::Half => half,
            Precision::Single => single,
            Precision::Double => double,
        };
        // e^most overflows in the format.
        let most = pick(12.0, 91.0, 715.0);
        let about = |r: f64| [(-r, r), (-r, r)];
        match self.plain() {
            F::Exp | F::Expm1 => about(1.2 * most),
            F::Exp2 => about(1.7 * most),
            F::Exp10 => about(0.53 * most),
            F::Sinh | F::Cosh => about(most),
            F::Tanh | F::Asinh => about(pick(8.0, 12.0, 24.0)),
            F::Erf => about(pick(4.0, 5.0, 7.0)),
            F::Erfc => [(-4.0, pick(5.0, 11.0, 28.0)), (0.0, 1.0)],
            F::Sin | F::Cos | F::Tan | F::Sincos if self.is_native() => about(std::f64::consts::PI),
            F::Sin | F::Cos | F::Tan | F::Sincos => about(pick(100.0, 5000.0, 1e6)),
            F::Sinpi | F::Cospi | F::Tanpi => about(4.0),
            F::Acos | F::Asin | F::Acospi | F::Asinpi | F::Atanh => about(1.0),
            F::Acosh => [(1.0, 20.0), (0.0, 1.0)],
            F::Atan | F::Atanpi | F::Atan2 | F::Atan2pi | F::Hypot => about(8.0),
            F::Log | F::Log2 | F::Log10 | F::Sqrt | F::Rsqrt => [(0.0, 4.0), (0.0, 1.0)],
            F::Log1p => [(-1.0, 4.0), (0.0, 1.0)],
            F::Tgamma => about(pick(10.0, 40.0, 175.0)),
            F::Lgamma | F::LgammaR => about(30.0),
            F::Pow | F::Powr => [(0.0, 4.0), (-1.5 * most, 1.5 * most)],
            F::Pown => [(-4.0, 4.0), (-64.0, 64.0)],
            F::Rootn => [(-100.0, 100.0), (-20.0, 20.0)],
            F::Ldexp => [(-4.0, 4.0), (-2.0 * most, 2.0 * most)],
            F::Cbrt => about(64.0),
            _ => about(16.0),
        }
    }

    /// Returns the intervals of x and y for timing. They are typical for the calls in programs.
    pub(super) fn usual(self) -> [(f64, f64); 2] {
        use Function as F;
        match self.plain() {
            F::Log | F::Log2 | F::Log10 | F::Log1p | F::Sqrt | F::Rsqrt => [(0.01, 100.0), (0.0, 1.0)],
            F::Acos | F::Asin | F::Acospi | F::Asinpi | F::Atanh => [(-0.99, 0.99), (0.0, 1.0)],
            F::Acosh | F::Tgamma | F::Lgamma | F::LgammaR => [(1.5, 9.0), (0.0, 1.0)],
            F::Pow | F::Powr => [(0.1, 10.0), (-3.0, 3.0)],
            F::Pown | F::Rootn | F::Ldexp => [(0.1, 10.0), (1.0, 9.0)],
            F::Divide | F::Reciprocal | F::Fmod | F::Remainder | F::Remquo => [(0.5, 100.0), (0.5, 5.0)],
            F::Sin | F::Cos | F::Tan | F::Sincos => [(-10.0, 10.0), (0.0, 1.0)],
            F::Exp | F::Exp2 | F::Exp10 | F::Expm1 => [(-8.0, 8.0), (0.0, 1.0)],
            _ => [(-3.0, 3.0), (-2.0, 2.0)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_opencl_c() {
        assert_eq!(Function::Divide.call(), "x / y");
        assert_eq!(Function::Reciprocal.call(), "(T)1 / x");
        assert_eq!(Function::Sin.call(), "sin(x)");
        assert_eq!(Function::Remquo.call(), "remquo(x, y, p)");
        assert_eq!(Function::Fma.call(), "fma(x, y, z)");
        assert_eq!(Function::Sincos.call(), "sincos(x, p)");
    }

    #[test]
    fn relaxed_functions_name_the_plain_ones() {
        assert_eq!(Function::HalfExp10.plain(), Function::Exp10);
        assert_eq!(Function::NativeDivide.plain(), Function::Divide);
        assert_eq!(Function::Sin.plain(), Function::Sin);
        for f in FUNCTIONS.iter().filter(|f| f.is_half_or_native()) {
            assert_ne!(f.plain(), *f);
            assert_eq!(f.plain().operands(), f.operands());
        }
    }
}
