//! The names that are known before the source is read: keywords and predefined macros.
//!
//! Each distinct identifier is looked up once, so a compilation pays only for the names that it uses.

use super::features::Question;
use super::names::Special;
use super::token::Keyword;
use crate::options::{ClStd, Options};
use crate::target::Target;

/// The settings that decide which macros exist.
pub(super) struct Settings {
    std: ClStd,
    fast_relaxed_math: bool,
    images: bool,
    newest: ClStd,
    extensions: Vec<String>,
    c_features: Vec<String>,
}

impl Settings {
    pub(super) fn new(options: &Options, target: &Target) -> Self {
        Settings {
            std: options.std,
            fast_relaxed_math: options.fast_relaxed_math,
            images: target.features.images,
            newest: target.newest,
            extensions: target.extensions.clone(),
            c_features: target.c_features.clone(),
        }
    }
}

/// The meaning of a name before the source is read.
pub(super) enum Known {
    Nothing,
    Keyword(Keyword),
    /// A macro, with the text that follows `#define`.
    Macro(&'static str),
    Special(Special),
}

/// Looks up a name.
pub(super) fn lookup(name: &str, settings: &Settings) -> Known {
    match Keyword::from_text(name) {
        // `vec_step` exists since OpenCL C 1.1.
        Some(Keyword::VecStep) if settings.std == ClStd::Cl10 => return Known::Nothing,
        // The generic address space and pipes came with OpenCL C 2.0.
        Some(Keyword::GenericSpace | Keyword::Pipe) if settings.std < ClStd::Cl20 => return Known::Nothing,
        Some(k) => return Known::Keyword(k),
        None => {}
    }
    if let Ok(i) = MACROS.binary_search_by_key(&name, |(n, _)| n) {
        return Known::Macro(MACROS[i].1);
    }
    if settings.std >= ClStd::Cl20
        && let Ok(i) = LATER_MACROS.binary_search_by_key(&name, |(n, _)| n)
    {
        return Known::Macro(LATER_MACROS[i].1);
    }
    if name.starts_with("CLK_COOPERATIVE_MATRIX_")
        && settings
            .extensions
            .iter()
            .any(|e| e == "cl_khr_cooperative_matrix")
        && let Ok(i) = MATRIX_MACROS.binary_search_by_key(&name, |(n, _)| n)
    {
        return Known::Macro(MATRIX_MACROS[i].1);
    }
    match name {
        "__FILE__" => Known::Special(Special::File),
        "__BASE_FILE__" => Known::Special(Special::BaseFile),
        "__LINE__" => Known::Special(Special::Line),
        "__COUNTER__" => Known::Special(Special::Counter),
        "__INCLUDE_LEVEL__" => Known::Special(Special::IncludeLevel),
        "_Pragma" => Known::Special(Special::Pragma),
        "__has_builtin" => Known::Special(Special::Has(Question::Builtin)),
        "__has_attribute" => Known::Special(Special::Has(Question::Attribute)),
        "__has_feature" | "__has_extension" => Known::Special(Special::Has(Question::Feature)),
        "__OPENCL_C_VERSION__" => Known::Macro(match settings.std {
            ClStd::Cl10 => "__OPENCL_C_VERSION__ 100",
            ClStd::Cl11 => "__OPENCL_C_VERSION__ 110",
            ClStd::Cl12 => "__OPENCL_C_VERSION__ 120",
            ClStd::Cl20 => "__OPENCL_C_VERSION__ 200",
            ClStd::Cl30 => "__OPENCL_C_VERSION__ 300",
            ClStd::Cl31 => "__OPENCL_C_VERSION__ 310",
        }),
        "__OPENCL_VERSION__" => Known::Macro(match settings.newest {
            ClStd::Cl10 => "__OPENCL_VERSION__ 100",
            ClStd::Cl11 => "__OPENCL_VERSION__ 110",
            ClStd::Cl12 => "__OPENCL_VERSION__ 120",
            ClStd::Cl20 => "__OPENCL_VERSION__ 200",
            ClStd::Cl30 => "__OPENCL_VERSION__ 300",
            ClStd::Cl31 => "__OPENCL_VERSION__ 310",
        }),
        "__IMAGE_SUPPORT__" if settings.images => Known::Macro("__IMAGE_SUPPORT__ 1"),
        "__FAST_RELAXED_MATH__" if settings.fast_relaxed_math => Known::Macro("__FAST_RELAXED_MATH__ 1"),
        // OpenCL C 3.0, 6.2.1: the macros of optional features are defined with -cl-std=CL3.0 or newer.
        _ if name.starts_with("__opencl_c_") && settings.std >= ClStd::Cl30 => {
            match settings.c_features.iter().any(|f| f == name) {
                true => Known::Macro(EXTENSION),
                false => Known::Nothing,
            }
        }
        _ if name.starts_with("cl") && settings.extensions.iter().any(|e| e == name) => {
            Known::Macro(EXTENSION)
        }
        _ => Known::Nothing,
    }
}

/// The definition of the macro of every extension and optional feature. The name in this text is ignored.
const EXTENSION: &str = "cl_khr_extension 1";

/// The predefined macros, sorted by name. They come from OpenCL 1.2: 6.10 (version and platform macros),
/// 6.12.2 (math constants and limits), 6.12.3 (integer limits), 6.12.8 (fence flags), 6.12.14 (samplers,
/// image channels); and from C99 6.10.8. `0.inff` and `0.nanf` are spellings of our own, which
/// `literal` reads.
static MACROS: &[(&str, &str)] = &[
    ("CHAR_BIT", "CHAR_BIT 8"),
    ("CHAR_MAX", "CHAR_MAX 127"),
    ("CHAR_MIN", "CHAR_MIN (-127 - 1)"),
    ("CLK_A", "CLK_A 0x10b1"),
    ("CLK_ADDRESS_CLAMP", "CLK_ADDRESS_CLAMP 0x04"),
    ("CLK_ADDRESS_CLAMP_TO_EDGE", "CLK_ADDRESS_CLAMP_TO_EDGE 0x02"),
    ("CLK_ADDRESS_MIRRORED_REPEAT", "CLK_ADDRESS_MIRRORED_REPEAT 0x08"),
    ("CLK_ADDRESS_NONE", "CLK_ADDRESS_NONE 0x00"),
    ("CLK_ADDRESS_REPEAT", "CLK_ADDRESS_REPEAT 0x06"),
    ("CLK_ARGB", "CLK_ARGB 0x10b7"),
    ("CLK_BGRA", "CLK_BGRA 0x10b6"),
    ("CLK_DEPTH", "CLK_DEPTH 0x10bd"),
    ("CLK_DEPTH_STENCIL", "CLK_DEPTH_STENCIL 0x10be"),
    ("CLK_FILTER_LINEAR", "CLK_FILTER_LINEAR 0x20"),
    ("CLK_FILTER_NEAREST", "CLK_FILTER_NEAREST 0x10"),
    ("CLK_FLOAT", "CLK_FLOAT 0x10de"),
    ("CLK_GLOBAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE 0x02"),
    ("CLK_HALF_FLOAT", "CLK_HALF_FLOAT 0x10dd"),
    ("CLK_INTENSITY", "CLK_INTENSITY 0x10b8"),
    ("CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE 0x01"),
    ("CLK_LUMINANCE", "CLK_LUMINANCE 0x10b9"),
    ("CLK_NORMALIZED_COORDS_FALSE", "CLK_NORMALIZED_COORDS_FALSE 0x00"),
    ("CLK_NORMALIZED_COORDS_TRUE", "CLK_NORMALIZED_COORDS_TRUE 0x01"),
    ("CLK_R", "CLK_R 0x10b0"),
    ("CLK_RA", "CLK_RA 0x10b3"),
    ("CLK_RG", "CLK_RG 0x10b2"),
    ("CLK_RGB", "CLK_RGB 0x10b4"),
    ("CLK_RGBA", "CLK_RGBA 0x10b5"),
    ("CLK_RGBx", "CLK_RGBx 0x10bc"),
    ("CLK_RGx", "CLK_RGx 0x10bb"),
    ("CLK_Rx", "CLK_Rx 0x10ba"),
    ("CLK_SIGNED_INT16", "CLK_SIGNED_INT16 0x10d8"),
    ("CLK_SIGNED_INT32", "CLK_SIGNED_INT32 0x10d9"),
    ("CLK_SIGNED_INT8", "CLK_SIGNED_INT8 0x10d7"),
    ("CLK_SNORM_INT16", "CLK_SNORM_INT16 0x10d1"),
    ("CLK_SNORM_INT8", "CLK_SNORM_INT8 0x10d0"),
    ("CLK_UNORM_INT16", "CLK_UNORM_INT16 0x10d3"),
    ("CLK_UNORM_INT24", "CLK_UNORM_INT24 0x10df"),
    ("CLK_UNORM_INT8", "CLK_UNORM_INT8 0x10d2"),
    ("CLK_UNORM_INT_101010", "CLK_UNORM_INT_101010 0x10d6"),
    ("CLK_UNORM_SHORT_555", "CLK_UNORM_SHORT_555 0x10d5"),
    ("CLK_UNORM_SHORT_565", "CLK_UNORM_SHORT_565 0x10d4"),
    ("CLK_UNSIGNED_INT16", "CLK_UNSIGNED_INT16 0x10db"),
    ("CLK_UNSIGNED_INT32", "CLK_UNSIGNED_INT32 0x10dc"),
    ("CLK_UNSIGNED_INT8", "CLK_UNSIGNED_INT8 0x10da"),
    ("CL_VERSION_1_0", "CL_VERSION_1_0 100"),
    ("CL_VERSION_1_1", "CL_VERSION_1_1 110"),
    ("CL_VERSION_1_2", "CL_VERSION_1_2 120"),
    // As in clang: programs compare `__OPENCL_C_VERSION__` with these macros, and an undefined name would be
    // 0.
    ("CL_VERSION_2_0", "CL_VERSION_2_0 200"),
    ("CL_VERSION_3_0", "CL_VERSION_3_0 300"),
    ("CL_VERSION_3_1", "CL_VERSION_3_1 310"),
    ("DBL_DIG", "DBL_DIG 15"),
    ("DBL_EPSILON", "DBL_EPSILON 0x1.0p-52"),
    ("DBL_MANT_DIG", "DBL_MANT_DIG 53"),
    ("DBL_MAX", "DBL_MAX 0x1.fffffffffffffp1023"),
    ("DBL_MAX_10_EXP", "DBL_MAX_10_EXP +308"),
    ("DBL_MAX_EXP", "DBL_MAX_EXP +1024"),
    ("DBL_MIN", "DBL_MIN 0x1.0p-1022"),
    ("DBL_MIN_10_EXP", "DBL_MIN_10_EXP -307"),
    ("DBL_MIN_EXP", "DBL_MIN_EXP -1021"),
    ("DBL_RADIX", "DBL_RADIX 2"),
    ("FLT_DIG", "FLT_DIG 6"),
    ("FLT_EPSILON", "FLT_EPSILON 0x1.0p-23f"),
    ("FLT_MANT_DIG", "FLT_MANT_DIG 24"),
    ("FLT_MAX", "FLT_MAX 0x1.fffffep127f"),
    ("FLT_MAX_10_EXP", "FLT_MAX_10_EXP +38"),
    ("FLT_MAX_EXP", "FLT_MAX_EXP +128"),
    ("FLT_MIN", "FLT_MIN 0x1.0p-126f"),
    ("FLT_MIN_10_EXP", "FLT_MIN_10_EXP -37"),
    ("FLT_MIN_EXP", "FLT_MIN_EXP -125"),
    ("FLT_RADIX", "FLT_RADIX 2"),
    ("FP_ILOGB0", "FP_ILOGB0 (-2147483647 - 1)"),
    ("FP_ILOGBNAN", "FP_ILOGBNAN 2147483647"),
    ("HALF_DIG", "HALF_DIG 3"),
    ("HALF_EPSILON", "HALF_EPSILON 0x1.0p-10h"),
    ("HALF_MANT_DIG", "HALF_MANT_DIG 11"),
    ("HALF_MAX", "HALF_MAX 0x1.ffcp15h"),
    ("HALF_MAX_10_EXP", "HALF_MAX_10_EXP +4"),
    ("HALF_MAX_EXP", "HALF_MAX_EXP +16"),
    ("HALF_MIN", "HALF_MIN 0x1.0p-14h"),
    ("HALF_MIN_10_EXP", "HALF_MIN_10_EXP -4"),
    ("HALF_MIN_EXP", "HALF_MIN_EXP -13"),
    ("HALF_RADIX", "HALF_RADIX 2"),
    ("HUGE_VAL", "HUGE_VAL 0.inf"),
    ("HUGE_VALF", "HUGE_VALF 0.inff"),
    ("INFINITY", "INFINITY 0.inff"),
    ("INT_MAX", "INT_MAX 2147483647"),
    ("INT_MIN", "INT_MIN (-2147483647 - 1)"),
    ("LONG_MAX", "LONG_MAX 0x7fffffffffffffffL"),
    ("LONG_MIN", "LONG_MIN (-0x7fffffffffffffffL - 1)"),
    ("MAXFLOAT", "MAXFLOAT 0x1.fffffep127f"),
    ("M_1_PI", "M_1_PI 0.318309886183790671537767526745028724"),
    ("M_1_PI_F", "M_1_PI_F 0.318309886183790671537767526745028724f"),
    ("M_1_PI_H", "M_1_PI_H 0.318309886183790671537767526745028724h"),
    ("M_2_PI", "M_2_PI 0.636619772367581343075535053490057448"),
    ("M_2_PI_F", "M_2_PI_F 0.636619772367581343075535053490057448f"),
    ("M_2_PI_H", "M_2_PI_H 0.636619772367581343075535053490057448h"),
    ("M_2_SQRTPI", "M_2_SQRTPI 1.12837916709551257389615890312154517"),
    (
        "M_2_SQRTPI_F",
        "M_2_SQRTPI_F 1.12837916709551257389615890312154517f",
    ),
    (
        "M_2_SQRTPI_H",
        "M_2_SQRTPI_H 1.12837916709551257389615890312154517h",
    ),
    ("M_E", "M_E 2.71828182845904523536028747135266250"),
    ("M_E_F", "M_E_F 2.71828182845904523536028747135266250f"),
    ("M_E_H", "M_E_H 2.71828182845904523536028747135266250h"),
    ("M_LN10", "M_LN10 2.30258509299404568401799145468436421"),
    ("M_LN10_F", "M_LN10_F 2.30258509299404568401799145468436421f"),
    ("M_LN10_H", "M_LN10_H 2.30258509299404568401799145468436421h"),
    ("M_LN2", "M_LN2 0.693147180559945309417232121458176568"),
    ("M_LN2_F", "M_LN2_F 0.693147180559945309417232121458176568f"),
    ("M_LN2_H", "M_LN2_H 0.693147180559945309417232121458176568h"),
    ("M_LOG10E", "M_LOG10E 0.434294481903251827651128918916605082"),
    ("M_LOG10E_F", "M_LOG10E_F 0.434294481903251827651128918916605082f"),
    ("M_LOG10E_H", "M_LOG10E_H 0.434294481903251827651128918916605082h"),
    ("M_LOG2E", "M_LOG2E 1.44269504088896340735992468100189214"),
    ("M_LOG2E_F", "M_LOG2E_F 1.44269504088896340735992468100189214f"),
    ("M_LOG2E_H", "M_LOG2E_H 1.44269504088896340735992468100189214h"),
    ("M_PI", "M_PI 3.14159265358979323846264338327950288"),
    ("M_PI_2", "M_PI_2 1.57079632679489661923132169163975144"),
    ("M_PI_2_F", "M_PI_2_F 1.57079632679489661923132169163975144f"),
    ("M_PI_2_H", "M_PI_2_H 1.57079632679489661923132169163975144h"),
    ("M_PI_4", "M_PI_4 0.785398163397448309615660845819875721"),
    ("M_PI_4_F", "M_PI_4_F 0.785398163397448309615660845819875721f"),
    ("M_PI_4_H", "M_PI_4_H 0.785398163397448309615660845819875721h"),
    ("M_PI_F", "M_PI_F 3.14159265358979323846264338327950288f"),
    ("M_PI_H", "M_PI_H 3.14159265358979323846264338327950288h"),
    ("M_SQRT1_2", "M_SQRT1_2 0.707106781186547524400844362104849039"),
    (
        "M_SQRT1_2_F",
        "M_SQRT1_2_F 0.707106781186547524400844362104849039f",
    ),
    (
        "M_SQRT1_2_H",
        "M_SQRT1_2_H 0.707106781186547524400844362104849039h",
    ),
    ("M_SQRT2", "M_SQRT2 1.41421356237309504880168872420969808"),
    ("M_SQRT2_F", "M_SQRT2_F 1.41421356237309504880168872420969808f"),
    ("M_SQRT2_H", "M_SQRT2_H 1.41421356237309504880168872420969808h"),
    ("NAN", "NAN 0.nanf"),
    ("NULL", "NULL ((void *)0)"),
    ("SCHAR_MAX", "SCHAR_MAX 127"),
    ("SCHAR_MIN", "SCHAR_MIN (-127 - 1)"),
    ("SHRT_MAX", "SHRT_MAX 32767"),
    ("SHRT_MIN", "SHRT_MIN (-32767 - 1)"),
    ("UCHAR_MAX", "UCHAR_MAX 255"),
    ("UINT_MAX", "UINT_MAX 0xffffffffU"),
    ("ULONG_MAX", "ULONG_MAX 0xffffffffffffffffUL"),
    ("USHRT_MAX", "USHRT_MAX 65535"),
    // clspv defines this macro, to tell programs that they are compiled for Vulkan.
    ("VULKAN", "VULKAN 100"),
    ("__DATE__", "__DATE__ \"??? ?? ????\""),
    ("__ENDIAN_LITTLE__", "__ENDIAN_LITTLE__ 1"),
    ("__INTPTR_TYPE__", "__INTPTR_TYPE__ long"),
    ("__PTRDIFF_TYPE__", "__PTRDIFF_TYPE__ long"),
    ("__SIZE_TYPE__", "__SIZE_TYPE__ ulong"),
    ("__STDC_HOSTED__", "__STDC_HOSTED__ 1"),
    ("__STDC_VERSION__", "__STDC_VERSION__ 199901L"),
    ("__STDC__", "__STDC__ 1"),
    ("__TIME__", "__TIME__ \"??:??:??\""),
    ("__UINTPTR_TYPE__", "__UINTPTR_TYPE__ ulong"),
    // Clang provides these names, and programs use them without a test for clang.
    ("__builtin_assume", "__builtin_assume(x) ((void)0)"),
    ("__builtin_expect", "__builtin_expect(x, c) (x)"),
    ("__builtin_unreachable", "__builtin_unreachable() ((void)0)"),
    (
        "__kernel_exec",
        "__kernel_exec(X, T) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(T)))",
    ),
    ("as_intptr_t", "as_intptr_t(x) as_long(x)"),
    ("as_ptrdiff_t", "as_ptrdiff_t(x) as_long(x)"),
    ("as_size_t", "as_size_t(x) as_ulong(x)"),
    ("as_uintptr_t", "as_uintptr_t(x) as_ulong(x)"),
    ("false", "false 0"),
    (
        "kernel_exec",
        "kernel_exec(X, T) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(T)))",
    ),
    ("true", "true 1"),
];

/// The macros that came with OpenCL C 2.0, sorted by name. The memory orders and scopes are enumerators in the
/// specification (6.15.12.2, 6.15.12.3).
static LATER_MACROS: &[(&str, &str)] = &[
    ("ATOMIC_FLAG_INIT", "ATOMIC_FLAG_INIT 0"),
    ("ATOMIC_VAR_INIT", "ATOMIC_VAR_INIT(value) (value)"),
    ("CLK_IMAGE_MEM_FENCE", "CLK_IMAGE_MEM_FENCE 0x04"),
    ("CLK_NULL_RESERVE_ID", "CLK_NULL_RESERVE_ID ((reserve_id_t)0)"),
    ("CLK_sBGRA", "CLK_sBGRA 0x10c2"),
    ("CLK_sRGB", "CLK_sRGB 0x10bf"),
    ("CLK_sRGBA", "CLK_sRGBA 0x10c1"),
    ("CLK_sRGBx", "CLK_sRGBx 0x10c0"),
    ("memory_order_acq_rel", "memory_order_acq_rel 4"),
    ("memory_order_acquire", "memory_order_acquire 2"),
    ("memory_order_relaxed", "memory_order_relaxed 0"),
    ("memory_order_release", "memory_order_release 3"),
    ("memory_order_seq_cst", "memory_order_seq_cst 5"),
    ("memory_scope_all_devices", "memory_scope_all_devices 3"),
    ("memory_scope_all_svm_devices", "memory_scope_all_svm_devices 3"),
    ("memory_scope_device", "memory_scope_device 2"),
    ("memory_scope_sub_group", "memory_scope_sub_group 4"),
    ("memory_scope_work_group", "memory_scope_work_group 1"),
    ("memory_scope_work_item", "memory_scope_work_item 0"),
];

/// The macros for cooperative matrices, sorted by name, on devices that have them. They are provisional (`sema/builtin/matrix`).
static MATRIX_MACROS: &[(&str, &str)] = &[
    ("CLK_COOPERATIVE_MATRIX_A", "CLK_COOPERATIVE_MATRIX_A 0"),
    (
        "CLK_COOPERATIVE_MATRIX_ACCUMULATOR",
        "CLK_COOPERATIVE_MATRIX_ACCUMULATOR 2",
    ),
    ("CLK_COOPERATIVE_MATRIX_B", "CLK_COOPERATIVE_MATRIX_B 1"),
    (
        "CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR",
        "CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR 1",
    ),
    (
        "CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR",
        "CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR 0",
    ),
    (
        "CLK_COOPERATIVE_MATRIX_OPERAND_NONE",
        "CLK_COOPERATIVE_MATRIX_OPERAND_NONE 0",
    ),
    (
        "CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION",
        "CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION 16",
    ),
    (
        "CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP",
        "CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP 3",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_names_agree() {
        assert!(MACROS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(LATER_MACROS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(MATRIX_MACROS.is_sorted_by(|a, b| a.0 < b.0));
        for (name, line) in MACROS.iter().chain(LATER_MACROS).chain(MATRIX_MACROS) {
            let head = line.split([' ', '(']).next().unwrap();
            assert_eq!(*name, head);
            assert!(Keyword::from_text(name).is_none());
        }
    }
}
