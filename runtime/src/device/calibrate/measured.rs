//! The results of calibration: how they are stored, and what the compiler concludes from them.

use caldera_compiler::target::{Calibration, SubgroupLayout, Target};

/// A property of the 16-, 32- and 64-bit formats; `false` also where the device lacks the format.
pub(crate) type Widths = [bool; 3];

/// The largest errors found of a device's 32-bit operations, in units in the last place unless stated
/// otherwise. An error is infinite if nothing was measured, or if an infinity or a NaN came out wrong.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct Errors {
    pub divide: f32,
    pub sqrt: f32,
    pub rsqrt: f32,
    /// For arguments from -26 to 3.
    pub exp2: f32,
    /// For arguments outside [½, 2].
    pub log2: f32,
    /// The absolute error, for arguments in [½, 2].
    pub log2_near_one: f32,
    /// The absolute error, for arguments in [-π, π], as for `cos`.
    pub sin: f32,
    pub cos: f32,
    /// For bases from 0.1 to 10 and exponents from -8 to 8.
    pub pow: f32,
}

/// The properties that a device's arithmetic was found to have.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct Measured {
    /// A multiply-add rounds once.
    pub fused_fma: Widths,
    /// A product and a sum that may not be contracted round twice.
    pub separate: Widths,
    /// Arithmetic, comparisons and absolute values keep subnormal numbers.
    pub subnormal_arithmetic: Widths,
    /// Loads and stores keep subnormal numbers.
    pub subnormal_loads: Widths,
    /// Conversions from and to the other formats keep subnormal numbers.
    pub subnormal_conversions: Widths,
    /// Quotients are correctly rounded.
    pub divide: Widths,
    /// Square roots are correctly rounded.
    pub sqrt: Widths,
    /// Conversions from integers and to the next narrower format are correctly rounded.
    pub conversions: Widths,
    /// A multiply-add treats subnormal operands and results as zeros.
    pub flushing_fma: Widths,
    /// `mul_hi` of 64 bits is correct.
    pub mul_hi: bool,
    pub errors: Errors,
    /// Which work-items form sub-groups.
    pub subgroups: SubgroupLayout,
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
    /// Returns the result of no measurement, which claims no property.
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
            subgroups: SubgroupLayout::Unknown,
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

    /// Returns CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT for 32 bits. The square root is either the driver's, or
    /// computed in 64 bits and rounded to 32: rounding twice gives the correctly rounded result here (Figueroa,
    /// When is double rounding innocuous?, 1995).
    pub(crate) fn rounded_divide_sqrt(&self) -> bool {
        self.divide[1] && (self.sqrt[1] || self.sqrt[2] && self.conversions[2])
    }

    /// Returns for each format whether everything that was tried keeps subnormal numbers.
    pub(crate) fn subnormals(&self) -> Widths {
        let all = |i: usize| {
            self.subnormal_arithmetic[i] && self.subnormal_loads[i] && self.subnormal_conversions[i]
        };
        [all(0), all(1), all(2)]
    }

    /// Returns the results in the form that the compiler takes. The library's functions that use the device's
    /// 2^x allow it an error of 2 units in the last place, those that use its 1 / sqrt 1.5 units.
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
        bytes.push(match self.subgroups {
            SubgroupLayout::Unknown => 0,
            SubgroupLayout::Full => 1,
            SubgroupLayout::Rows => 2,
        });
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Measured> {
        const BOOLS: usize = 3 * Measured::FLAGS;
        let (layout, bytes) = bytes.split_last()?;
        if bytes.len() != BOOLS + 1 + 4 * Errors::COUNT {
            return None;
        }
        let subgroups = match layout {
            0 => SubgroupLayout::Unknown,
            1 => SubgroupLayout::Full,
            2 => SubgroupLayout::Rows,
            _ => return None,
        };
        let mut flags = [[false; 3]; Measured::FLAGS];
        for (flag, byte) in flags.iter_mut().flatten().zip(bytes) {
            *flag = *byte != 0;
        }
        let mut errors = [0.0; Errors::COUNT];
        for (error, chunk) in errors.iter_mut().zip(bytes[BOOLS + 1..].chunks_exact(4)) {
            *error = f32::from_le_bytes(chunk.try_into().ok()?);
        }
        Some(Measured {
            subgroups,
            ..Measured::from_flags(flags, bytes[BOOLS] != 0, Errors::from_array(errors))
        })
    }
}

/// A property that `CALDERA_CALIBRATION` sets instead of the measurement.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Assumption {
    /// A multiply-add rounds once.
    FusedFma,
    /// A multiply-add is one fast operation.
    FastFma,
    /// A multiply-add treats subnormal numbers as zeros.
    FlushingFma,
    /// Subnormal numbers are kept.
    Subnormals,
    /// 2^x of 32 bits is within 2 units in the last place.
    Exp2,
    /// 1 / sqrt of 32 bits is within 1.5 units in the last place.
    Rsqrt,
}

impl Assumption {
    /// Returns the property with a name in the variable.
    pub(crate) fn named(name: &str) -> Option<Assumption> {
        Some(match name {
            "fused-fma" => Assumption::FusedFma,
            "fast-fma" => Assumption::FastFma,
            "flushing-fma" => Assumption::FlushingFma,
            "subnormals" => Assumption::Subnormals,
            "exp2" => Assumption::Exp2,
            "rsqrt" => Assumption::Rsqrt,
            _ => return None,
        })
    }
}

/// Returns the measurement as `CALDERA_CALIBRATION` changes it, and the target that results from it.
pub(crate) fn assume(
    mut measured: Measured,
    mut target: Target,
    assumed: &[(Assumption, bool)],
) -> (Measured, Target) {
    for &(what, yes) in assumed {
        match what {
            Assumption::FusedFma => measured.fused_fma = [yes; 3],
            Assumption::FastFma => target.features.fast_fma = yes,
            Assumption::FlushingFma => measured.flushing_fma = [yes; 3],
            Assumption::Subnormals => {
                measured.subnormal_arithmetic = [yes; 3];
                measured.subnormal_loads = [yes; 3];
                measured.subnormal_conversions = [yes; 3];
            }
            Assumption::Exp2 => measured.errors.exp2 = if yes { 0.0 } else { f32::INFINITY },
            Assumption::Rsqrt => measured.errors.rsqrt = if yes { 0.0 } else { f32::INFINITY },
        }
    }
    target.calibration = measured.for_compiler();
    if target.subgroup_layout == SubgroupLayout::Unknown {
        target.subgroup_layout = measured.subgroups;
    }
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
            subgroups: SubgroupLayout::Rows,
            ..Measured::default()
        };
        m.errors.exp2 = 1.5;
        m.errors.pow = 7.0;
        assert_eq!(Measured::from_bytes(&m.to_bytes()), Some(m));
        assert_eq!(Measured::from_bytes(&[1, 0]), None);
    }

    #[test]
    fn assumptions_replace_measurements() {
        let all = [
            (Assumption::FusedFma, true),
            (Assumption::FastFma, true),
            (Assumption::Exp2, true),
            (Assumption::Subnormals, false),
        ];
        let mut target = Target::desktop();
        target.features.fast_fma = false;
        let (measured, target) = assume(Measured::default(), target, &all);
        assert!(target.features.fast_fma && target.calibration.exp2);
        assert_eq!(target.calibration.fused_fma, [true; 3]);
        assert_eq!(measured.subnormals(), [false; 3]);
        let (_, target) = assume(measured, target, &[(Assumption::Exp2, false)]);
        assert!(!target.calibration.exp2);
    }
}
