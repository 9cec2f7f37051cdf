//! GNU MPFR, the reference for functions of double. The system's `libmpfr.so.6` is loaded at run time
//! (`docs/adr/0001-mpfr-at-run-time.md`).
#![allow(unsafe_code, reason = "MPFR is a C library, loaded at run time")]

use super::function::Function;
use super::number::Exact;
use super::reference::quarter_turns;
use crate::Failure;
use libloading::Library;
use std::ffi::{c_int, c_long, c_ulong};
use std::mem::MaybeUninit;

/// The file name of the library.
pub(crate) const LIBRARY: &str = "libmpfr.so.6";

/// The precision of every intermediate value in bits. It is more than twice the precision of a double.
const BITS: c_long = 160;
/// `MPFR_RNDN`: rounding to nearest.
const NEAREST: c_int = 0;

/// The structure `__mpfr_struct` of mpfr.h.
#[repr(C)]
struct Raw {
    precision: c_long,
    sign: c_int,
    exponent: c_long,
    limbs: *mut u64,
}

type Init = unsafe extern "C" fn(*mut Raw, c_long);
type Clear = unsafe extern "C" fn(*mut Raw);
type SetDouble = unsafe extern "C" fn(*mut Raw, f64, c_int) -> c_int;
type GetScaled = unsafe extern "C" fn(*mut c_long, *const Raw, c_int) -> f64;
type One = unsafe extern "C" fn(*mut Raw, *const Raw, c_int) -> c_int;
type Two = unsafe extern "C" fn(*mut Raw, *const Raw, *const Raw, c_int) -> c_int;
type Constant = unsafe extern "C" fn(*mut Raw, c_int) -> c_int;
type Root = unsafe extern "C" fn(*mut Raw, *const Raw, c_ulong, c_int) -> c_int;
type LogGamma = unsafe extern "C" fn(*mut Raw, *mut c_int, *const Raw, c_int) -> c_int;

macro_rules! functions {
    ($($ty:ident: $($name:ident)*;)*) => {
        /// The functions of the library that are called.
        #[derive(Copy, Clone)]
        struct Functions {
            $($($name: $ty,)*)*
        }

        impl Functions {
            fn load() -> Result<Functions, Failure> {
                // SAFETY: MPFR's initialisers have no preconditions and no effects on this program.
                let library = unsafe { Library::new(LIBRARY) }.map_err(|e| {
                    failure!("{}: doubles are compared with GNU MPFR (Debian: libmpfr6)", crate::cl::reason(&e))
                })?;
                // The function pointers are copied out of the library, so it must never be unloaded.
                let library: &'static Library = Box::leak(Box::new(library));
                Ok(Functions {
                    $($($name: {
                        let name = concat!("mpfr_", stringify!($name), "\0");
                        // SAFETY: mpfr.h declares the function of this name with this type.
                        let found = unsafe { library.get::<$ty>(name.as_bytes()) };
                        *found.map_err(|e| Failure(crate::cl::reason(&e)))?
                    },)*)*
                })
            }
        }
    };
}

functions! {
    Init: init2; Clear: clear; SetDouble: set_d; GetScaled: get_d_2exp; Constant: const_pi; Root: rootn_ui;
    LogGamma: lgamma;
    One: neg abs acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 exp10 expm1 gamma log log2 log10
        log1p rec_sqrt sin sinh sqrt tan tanh;
    Two: add mul div atan2 hypot pow;
}

/// A number of [`BITS`] bits.
struct Number {
    functions: Functions,
    raw: Box<Raw>,
}

impl Number {
    fn new(functions: Functions) -> Number {
        let mut raw = Box::new(MaybeUninit::<Raw>::uninit());
        // SAFETY: mpfr_init2 initialises the whole structure. `Raw` has the layout that mpfr.h gives.
        unsafe { (functions.init2)(raw.as_mut_ptr(), BITS) };
        // SAFETY: the structure was initialised by the call above, and `Raw` has the layout of its
        // allocation.
        let raw = unsafe { Box::from_raw(Box::into_raw(raw).cast::<Raw>()) };
        Number { functions, raw }
    }

    fn set(&mut self, x: f64) {
        // SAFETY: the number is initialised.
        unsafe { (self.functions.set_d)(&mut *self.raw, x, NEAREST) };
    }

    fn one(&mut self, f: One, a: &Number) {
        // SAFETY: both numbers are initialised.
        unsafe { f(&mut *self.raw, &*a.raw, NEAREST) };
    }

    /// Computes self = f(a, b).
    fn two(&mut self, f: Two, a: &Number, b: &Number) {
        // SAFETY: all three numbers are initialised.
        unsafe { f(&mut *self.raw, &*a.raw, &*b.raw, NEAREST) };
    }

    fn pi(&mut self) {
        // SAFETY: the number is initialised.
        unsafe { (self.functions.const_pi)(&mut *self.raw, NEAREST) };
    }

    fn root(&mut self, a: &Number, n: u32) {
        // SAFETY: both numbers are initialised.
        unsafe { (self.functions.rootn_ui)(&mut *self.raw, &*a.raw, c_ulong::from(n), NEAREST) };
    }

    fn lgamma(&mut self, a: &Number) {
        let mut sign = 0;
        // SAFETY: both numbers are initialised; the sign is one int.
        unsafe { (self.functions.lgamma)(&mut *self.raw, &mut sign, &*a.raw, NEAREST) };
    }

    /// Returns the number rounded to double, as a significand in [½, 1) and an exponent.
    fn leading(&self) -> (f64, i32) {
        let mut exponent = 0;
        // SAFETY: the number is initialised; the exponent is one long.
        let high = unsafe { (self.functions.get_d_2exp)(&mut exponent, &*self.raw, NEAREST) };
        let most = 1 << 24;
        (high, exponent.clamp(-most, most) as i32)
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        // SAFETY: the number is initialised and not used afterwards.
        unsafe { (self.functions.clear)(&mut *self.raw) };
    }
}

/// MPFR with numbers for intermediate values. Each thread has its own.
pub(super) struct Mpfr {
    functions: Functions,
    x: Number,
    y: Number,
    t: Number,
    r: Number,
}

impl Mpfr {
    pub(super) fn load() -> Result<Mpfr, Failure> {
        let functions = Functions::load()?;
        let number = || Number::new(functions);
        Ok(Mpfr {
            functions,
            x: number(),
            y: number(),
            t: number(),
            r: number(),
        })
    }

    /// Returns the value of a function whose results are not exact. `n` is the operand of functions that take
    /// an `int`.
    pub(super) fn value(&mut self, f: Function, x: f64, y: f64, n: i32) -> Exact {
        self.x.set(x);
        self.y.set(y);
        self.compute(f, x, n);
        self.take()
    }

    fn take(&mut self) -> Exact {
        let (high, exponent) = self.r.leading();
        if high.is_nan() {
            return Exact::Nan;
        }
        if high.is_infinite() {
            return Exact::Infinite { negative: high < 0.0 };
        }
        if high == 0.0 {
            return Exact::Zero;
        }
        // The low part is the rest after subtracting the double. Both are first scaled by 2^-exponent, so
        // that nothing underflows. The new exponent is 0, or -1 if the double was rounded up to the next
        // power of two.
        self.r.raw.exponent -= c_long::from(exponent);
        self.t.set(-high);
        self.y.two(self.functions.add, &self.r, &self.t);
        let (low, shift) = self.y.leading();
        let low = super::number::scale(low, shift);
        Exact::Finite { high, low, exponent }
    }

    fn compute(&mut self, function: Function, x: f64, n: i32) {
        use Function as F;
        let f = self.functions;
        let unary = match function.plain() {
            F::Acos | F::Acospi => f.acos,
            F::Acosh => f.acosh,
            F::Asin | F::Asinpi => f.asin,
            F::Asinh => f.asinh,
            F::Atan | F::Atanpi => f.atan,
            F::Atanh => f.atanh,
            F::Cbrt => f.cbrt,
            F::Cos => f.cos,
            F::Cosh => f.cosh,
            F::Erf => f.erf,
            F::Erfc => f.erfc,
            F::Exp => f.exp,
            F::Exp2 => f.exp2,
            F::Exp10 => f.exp10,
            F::Expm1 => f.expm1,
            F::Log => f.log,
            F::Log2 => f.log2,
            F::Log10 => f.log10,
            F::Log1p => f.log1p,
            F::Rsqrt => f.rec_sqrt,
            F::Sin | F::Sincos => f.sin,
            F::Sinh => f.sinh,
            F::Sqrt => f.sqrt,
            F::Tan => f.tan,
            F::Tanh => f.tanh,
            F::Tgamma => f.gamma,
            other => return self.compute_other(other, x, n),
        };
        if function.plain() == F::Rsqrt && x == 0.0 {
            // MPFR's result for -0 is positive.
            return self.r.set(1.0 / x);
        }
        self.r.one(unary, &self.x);
        if matches!(function, F::Acospi | F::Asinpi | F::Atanpi) {
            self.over_pi();
        }
    }

    /// Computes functions for which MPFR has no function of one operand.
    fn compute_other(&mut self, function: Function, x: f64, n: i32) {
        use Function as F;
        let f = self.functions;
        match function {
            F::Atan2 | F::Atan2pi => self.r.two(f.atan2, &self.x, &self.y),
            F::Hypot => self.r.two(f.hypot, &self.x, &self.y),
            F::Pow => self.r.two(f.pow, &self.x, &self.y),
            F::Powr => {
                self.t.one(f.abs, &self.x);
                self.r.two(f.pow, &self.t, &self.y);
            }
            F::Pown => {
                self.y.set(f64::from(n));
                self.r.two(f.pow, &self.x, &self.y);
            }
            F::Rootn => self.root(x, n),
            F::Lgamma | F::LgammaR => self.r.lgamma(&self.x),
            F::Sinpi => self.of_pi(x, 3),
            F::Cospi => self.of_pi(x, 0),
            F::Tanpi => {
                self.of_pi(x, 0);
                std::mem::swap(&mut self.r, &mut self.y);
                self.of_pi(x, 3);
                std::mem::swap(&mut self.r, &mut self.x);
                self.r.two(f.div, &self.x, &self.y);
            }
            _ => self.r.set(f64::NAN),
        }
        if function == F::Atan2pi {
            self.over_pi();
        }
    }

    fn over_pi(&mut self) {
        self.t.pi();
        std::mem::swap(&mut self.r, &mut self.x);
        self.r.two(self.functions.div, &self.x, &self.t);
    }

    /// Sets r to cos(pi x) for `shift` 0, or to sin(pi x) for `shift` 3, after an exact argument reduction.
    /// Changes x and t.
    fn of_pi(&mut self, x: f64, shift: i32) {
        if !x.is_finite() {
            return self.r.set(f64::NAN);
        }
        let (n, rest) = quarter_turns(x);
        let quadrant = (n + shift) & 3;
        self.x.set(rest);
        self.r.pi();
        self.t.two(self.functions.mul, &self.x, &self.r);
        let f = self.functions;
        self.r.one(if quadrant % 2 == 0 { f.cos } else { f.sin }, &self.t);
        if quadrant == 1 || quadrant == 2 {
            std::mem::swap(&mut self.r, &mut self.t);
            self.r.one(f.neg, &self.t);
        }
    }

    fn root(&mut self, x: f64, n: i32) {
        let odd = n & 1 == 1;
        if x < 0.0 && !odd {
            return self.r.set(f64::NAN);
        }
        self.x.set(x.abs());
        self.r.root(&self.x, n.unsigned_abs());
        if n < 0 {
            self.y.set(1.0);
            std::mem::swap(&mut self.r, &mut self.t);
            self.r.two(self.functions.div, &self.y, &self.t);
        }
        if x.is_sign_negative() && odd {
            std::mem::swap(&mut self.r, &mut self.t);
            self.r.one(self.functions.neg, &self.t);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::{Precision, ulps};
    use super::*;

    /// The test needs libmpfr, which is installed with GCC.
    #[test]
    fn values_are_those_of_the_c_library_and_better() {
        let mut mpfr = Mpfr::load().unwrap_or_else(|Failure(why)| panic!("{why}"));
        let cases = [
            (Function::Exp, 700.5, 0.0, 0, 700.5f64.exp()),
            (Function::Sin, 1e22, 0.0, 0, 1e22f64.sin()),
            (Function::Pow, 1.5, -1000.25, 0, 1.5f64.powf(-1000.25)),
            (Function::Atan2, -1.0, -3.0, 0, (-1.0f64).atan2(-3.0)),
            (Function::Rootn, -27.0, 0.0, -3, -1.0 / 3.0),
            (Function::Pown, -3.0, 0.0, 5, -243.0),
            (Function::Cos, 1e-9, 0.0, 0, 1.0),
            (Function::Rsqrt, -0.0, 0.0, 0, f64::NEG_INFINITY),
            (Function::Sinpi, 1.25, 0.0, 0, -std::f64::consts::FRAC_1_SQRT_2),
            (Function::Cospi, 1e300, 0.0, 0, 1.0),
            (Function::Tanpi, 0.25, 0.0, 0, 1.0),
            (Function::Acospi, -1.0, 0.0, 0, 1.0),
        ];
        for (f, x, y, n, expected) in cases {
            let exact = mpfr.value(f, x, y, n);
            let apart = ulps(Precision::Double, expected, exact);
            assert!(apart <= 1.0, "{}: {apart}", f.name());
        }
        // ln 2 = 0.69314718055994530941723…: the rest after subtracting the double is known.
        let Exact::Finite { high, low, exponent } = mpfr.value(Function::Log, 2.0, 0.0, 0) else {
            panic!("log 2 is a number");
        };
        assert_eq!((high, exponent), (std::f64::consts::LN_2, 0));
        assert!((low - 2.319_046_813_846_299_6e-17).abs() < 1e-32);
        // This value is far below the least double.
        let tiny = mpfr.value(Function::Exp, -5000.0, 0.0, 0);
        assert!(
            matches!(
                tiny,
                Exact::Finite {
                    exponent: -7213..=-7212,
                    ..
                }
            ),
            "{tiny:?}"
        );
        assert_eq!(
            mpfr.value(Function::Log, 0.0, 0.0, 0),
            Exact::Infinite { negative: true }
        );
    }
}
