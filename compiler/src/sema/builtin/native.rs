//! The replacements of built-in functions of float under `-cl-native-math`: operations of the driver, of any
//! precision.

use crate::intrinsic::Intrinsic;

/// Another way to compute a function.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Instead {
    /// An intrinsic with the same arguments.
    Intrinsic(Intrinsic),
    /// Another function of the table with the same parameters.
    Row(&'static str),
}

/// Returns the native form of a function, in addition to the replacements of `-cl-fast-relaxed-math`.
pub(super) fn instead(name: &str) -> Option<Instead> {
    let intrinsic = |i| Some(Instead::Intrinsic(i));
    match name {
        "acos" => intrinsic(Intrinsic::Acos),
        "acosh" => intrinsic(Intrinsic::Acosh),
        "asin" => intrinsic(Intrinsic::Asin),
        "asinh" => intrinsic(Intrinsic::Asinh),
        "atan" => intrinsic(Intrinsic::Atan),
        "atan2" => intrinsic(Intrinsic::Atan2),
        "atanh" => intrinsic(Intrinsic::Atanh),
        "cosh" => intrinsic(Intrinsic::Cosh),
        "log" => intrinsic(Intrinsic::Log),
        "pow" => intrinsic(Intrinsic::Pow),
        "rsqrt" => intrinsic(Intrinsic::InverseSqrt),
        "sinh" => intrinsic(Intrinsic::Sinh),
        "sqrt" => intrinsic(Intrinsic::Sqrt),
        "tan" => intrinsic(Intrinsic::Tan),
        "tanh" => intrinsic(Intrinsic::Tanh),
        // `fma` is emulated with integers if the device has no fused multiply-add.
        "fma" => Some(Instead::Row("mad")),
        "distance" => Some(Instead::Row("fast_distance")),
        "length" => Some(Instead::Row("fast_length")),
        "normalize" => Some(Instead::Row("fast_normalize")),
        _ => None,
    }
}
