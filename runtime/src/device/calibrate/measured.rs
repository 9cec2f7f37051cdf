//! What is measured, how it is kept, and what it means to the compiler.

use caldera_compiler::target::{Calibration, Target};

/// 16, 32 and 64 bits; `false` also where the device does not have the width.
pub(crate) type Widths = [bool; 3];

/// Largest errors found of a device's operations on 32 bits, in units in the last place unless said otherwise.
/// Infinite where nothing was measured, or an infinity or NaN came out wrong.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct Errors {
    pub divide: f32,
    pub sqrt: f32,
    pub rsqrt: f32,
    /// Of arguments from -26 to 3.
    pub exp2: f32,
    /// Outside [½, 2].
    pub log2: f32,
    /// Absolute, within [½, 2].
    pub log2_near_one: f32,
    /// Absolute, within [-π, π].
    pub sin: f32,
    pub cos: f32,
    /// Of bases from 0.1 to 10 and exponents from -8 to 8.
    pub pow: f32,
}

/// What a device's arithmetic was found to do.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct Measured {
    /// A multiply-add rounds once.
    pub fused_fma: Widths,
    /// A product and a sum that are not to be contracted round twice.
    pub separate: Widths,
    /// Arithmetic, comparisons and absolute values keep subnormal numbers.
    pub subnormal_arithmetic: Widths,
    /// Loads and stores do.
    pub subnormal_loads: Widths,
    /// Conversions from and to the other formats do.
    pub subnormal_conversions: Widths,
    /// Quotients are correctly rounded.
    pub divide: Widths,
    /// Square roots are.
    pub sqrt: Widths,
    /// Conversions from integers, and to the next narrower format, are.
    pub conversions: Widths,
    /// A multiply-add takes subnormal operands and results for zeros.
    pub flushing_fma: Widths,
    /// `mul_hi` of 64 bits.
    pub mul_hi: bool,
    pub errors: Errors,
}

impl Default for Errors {
    fn default() -> Errors {
        Errors::from_array([f32::INFINITY; Errors::COUNT])
    }
}

impl Errors {
    const COUNT: usize = 9;

    fn from_array(values: [f32; Errors::COUNT]) -> Errors {
        let [divide, sqrt, rsqrt, exp2, log2, log2_near_one, sin, cos, pow] = values;
        Errors {
            divide,
            sqrt,
            rsqrt,
            exp2,
            log2,
            log2_near_one,
            sin,
            cos,
            pow,
        }
    }

    fn to_array(self) -> [f32; Errors::COUNT] {
        [
            self.divide,
            self.sqrt,
            self.rsqrt,
            self.exp2,
            self.log2,
            self.log2_near_one,
            self.sin,
            self.cos,
            self.pow,
        ]
    }
}

impl Default for Measured {
    /// Presumes nothing.
    fn default() -> Measured {
        Measured::from_flags([[false; 3]; Measured::FLAGS], false, Errors::default())
    }
}

impl Measured {
    const FLAGS: usize = 9;

    fn from_flags(flags: [Widths; Measured::FLAGS], mul_hi: bool, errors: Errors) -> Measured {
        let [
            fused_fma,
            separate,
            arithmetic,
            loads,
            conversions,
            divide,
            sqrt,
            rounded,
            flushing_fma,
        ] = flags;
        Measured {
            fused_fma,
            separate,
            subnormal_arithmetic: arithmetic,
            subnormal_loads: loads,
            subnormal_conversions: conversions,
            divide,
            sqrt,
            conversions: rounded,
            flushing_fma,
            mul_hi,
            errors,
        }
    }

    fn flags(self) -> [Widths; Measured::FLAGS] {
        [
            self.fused_fma,
            self.separate,
            self.subnormal_arithmetic,
            self.subnormal_loads,
            self.subnormal_conversions,
            self.divide,
            self.sqrt,
            self.conversions,
            self.flushing_fma,
        ]
    }

    /// CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT of 32 bits: the driver's own, or the root in 64 bits, rounded again, which is
    /// as good as once (Figueroa, When is double rounding innocuous?, 1995).
    pub(crate) fn rounded_divide_sqrt(&self) -> bool {
        self.divide[1] && (self.sqrt[1] || self.sqrt[2] && self.conversions[2])
    }

    /// Whether a width keeps subnormal numbers in everything that was tried.
    pub(crate) fn subnormals(&self) -> Widths {
        let all = |i: usize| {
            self.subnormal_arithmetic[i] && self.subnormal_loads[i] && self.subnormal_conversions[i]
        };
        [all(0), all(1), all(2)]
    }

    /// What the compiler wants to know. The library's functions on the device's 2^x allow it 2 units, those on its
    /// 1 / sqrt one and a half.
    fn for_compiler(&self) -> Calibration {
        const EXP2: f32 = 2.0;
        const RSQRT: f32 = 1.5;
        Calibration {
            fused_fma: self.fused_fma,
            exp2: self.errors.exp2 <= EXP2,
            rsqrt: self.errors.rsqrt <= RSQRT,
            flushing_fma: self.flushing_fma[1],
            rounded_divide_sqrt: self.rounded_divide_sqrt(),
            rounded_sqrt: self.sqrt[1],
        }
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let flags = self.flags().concat();
        let mut bytes: Vec<u8> = flags.into_iter().chain([self.mul_hi]).map(u8::from).collect();
        bytes.extend(self.errors.to_array().iter().flat_map(|e| e.to_le_bytes()));
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Measured> {
        const BOOLS: usize = 3 * Measured::FLAGS;
        if bytes.len() != BOOLS + 1 + 4 * Errors::COUNT {
            return None;
        }
        let mut flags = [[false; 3]; Measured::FLAGS];
        for (flag, byte) in flags.iter_mut().flatten().zip(bytes) {
            *flag = *byte != 0;
        }
        let mut errors = [0.0; Errors::COUNT];
        for (error, chunk) in errors.iter_mut().zip(bytes[BOOLS + 1..].chunks_exact(4)) {
            *error = f32::from_le_bytes(chunk.try_into().ok()?);
        }
        Some(Measured::from_flags(
            flags,
            bytes[BOOLS] != 0,
            Errors::from_array(errors),
        ))
    }
}

/// What `CALDERA_CALIBRATION` says instead of a measurement.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Presumption {
    /// A multiply-add rounds once.
    FusedFma,
    /// It is one operation.
    FastFma,
    /// It takes subnormal numbers for zeros.
    FlushingFma,
    /// Subnormal numbers are kept.
    Subnormals,
    /// 2^x of 32 bits is within 2 units.
    Exp2,
    /// 1 / sqrt of 32 bits is within 1.5 units.
    Rsqrt,
}

impl Presumption {
    /// Of one of the variable's words.
    pub(crate) fn named(name: &str) -> Option<Presumption> {
        Some(match name {
            "fused-fma" => Presumption::FusedFma,
            "fast-fma" => Presumption::FastFma,
            "flushing-fma" => Presumption::FlushingFma,
            "subnormals" => Presumption::Subnormals,
            "exp2" => Presumption::Exp2,
            "rsqrt" => Presumption::Rsqrt,
            _ => return None,
        })
    }
}

/// The measurement as `CALDERA_CALIBRATION` changes it, and the target that follows.
pub(crate) fn presume(
    mut measured: Measured,
    mut target: Target,
    presumed: &[(Presumption, bool)],
) -> (Measured, Target) {
    for &(what, yes) in presumed {
        match what {
            Presumption::FusedFma => measured.fused_fma = [yes; 3],
            Presumption::FastFma => target.features.fast_fma = yes,
            Presumption::FlushingFma => measured.flushing_fma = [yes; 3],
            Presumption::Subnormals => {
                measured.subnormal_arithmetic = [yes; 3];
                measured.subnormal_loads = [yes; 3];
                measured.subnormal_conversions = [yes; 3];
            }
            Presumption::Exp2 => measured.errors.exp2 = if yes { 0.0 } else { f32::INFINITY },
            Presumption::Rsqrt => measured.errors.rsqrt = if yes { 0.0 } else { f32::INFINITY },
        }
    }
    target.calibration = measured.for_compiler();
    (measured, target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_back_from_the_cache() {
        let mut m = Measured {
            fused_fma: [false, true, true],
            divide: [true, false, true],
            mul_hi: true,
            ..Measured::default()
        };
        m.errors.exp2 = 1.5;
        m.errors.pow = 7.0;
        assert_eq!(Measured::from_bytes(&m.to_bytes()), Some(m));
        assert_eq!(Measured::from_bytes(&[1, 0]), None);
    }

    #[test]
    fn presumptions_replace_measurements() {
        let all = [
            (Presumption::FusedFma, true),
            (Presumption::FastFma, true),
            (Presumption::Exp2, true),
            (Presumption::Subnormals, false),
        ];
        let mut target = Target::desktop();
        target.features.fast_fma = false;
        let (measured, target) = presume(Measured::default(), target, &all);
        assert!(target.features.fast_fma && target.calibration.exp2);
        assert_eq!(target.calibration.fused_fma, [true; 3]);
        assert_eq!(measured.subnormals(), [false; 3]);
        let (_, target) = presume(measured, target, &[(Presumption::Exp2, false)]);
        assert!(!target.calibration.exp2);
    }
}
