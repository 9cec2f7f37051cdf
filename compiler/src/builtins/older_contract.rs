//! The types and functions that the older form of the contract with clspv's hosts forbids
//! (`--behaviour=older`) and the newer form allows. The check looks only at names, except for
//! [`takes_no_integers`].

use super::name::{self, Spelled};

/// The forbidden functions, by name. [`refuses_function`] handles functions whose names contain types.
const FUNCTIONS: &[&str] = &[
    "abs_diff",
    "add_sat",
    "async_work_group_copy",
    "async_work_group_strided_copy",
    "cbrt",
    "copysign",
    "cospi",
    "erf",
    "erfc",
    "expm1",
    "fdim",
    "get_image_channel_data_type",
    "get_image_channel_order",
    "hadd",
    "hypot",
    "ilogb",
    "isfinite",
    "islessgreater",
    "isnormal",
    "isordered",
    "isunordered",
    "lgamma",
    "lgamma_r",
    "log1p",
    "logb",
    "mad_hi",
    "mad_sat",
    "maxmag",
    "minmag",
    "mul_hi",
    "nan",
    "nextafter",
    "pown",
    "prefetch",
    "printf",
    "read_imagei",
    "read_imageui",
    "remainder",
    "remquo",
    "rhadd",
    "rint",
    "rootn",
    "shuffle",
    "shuffle2",
    "sincos",
    "sinpi",
    "sub_sat",
    "tanpi",
    "tgamma",
    "wait_group_events",
    "write_imagei",
    "write_imageui",
];

/// Returns whether a built-in function is forbidden.
pub fn refuses_function(function: &str) -> bool {
    if FUNCTIONS.binary_search(&function).is_ok() {
        return true;
    }
    let directed = || function.ends_with("_rtp") || function.ends_with("_rtn");
    match name::parse(function) {
        // Conversions with a rounding mode and saturated conversions are forbidden.
        Some(Spelled::Convert { .. }) => function.matches('_').count() > 1,
        Some(Spelled::Load { .. } | Spelled::Store { .. }) => true,
        Some(Spelled::StoreHalf { .. }) => directed(),
        Some(Spelled::As { .. } | Spelled::LoadHalf { .. }) | None => false,
    }
}

/// Returns whether the coordinates, a function's last argument, must not be integers.
pub fn takes_no_integers(function: &str) -> bool {
    function == "read_imagef"
}

/// Returns whether a type is forbidden.
pub fn refuses_type(name: &str) -> bool {
    match name {
        "image1d_t" | "image1d_array_t" | "image1d_buffer_t" | "image2d_array_t" => true,
        _ => {
            let digits = name.trim_start_matches(|c: char| c.is_ascii_lowercase());
            matches!(digits, "8" | "16")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins::table;

    #[test]
    fn they_exist_and_are_sorted() {
        assert!(FUNCTIONS.is_sorted());
        for name in FUNCTIONS {
            assert!(table::lookup(name).is_some(), "{name}");
        }
    }

    #[test]
    fn names_with_types() {
        for name in [
            "convert_int_rte",
            "convert_uchar4_sat",
            "convert_char2_sat_rtz",
            "vload4",
            "vstore3",
            "vstore_half_rtp",
            "vstore_half2_rtn",
            "vstorea_half4_rtn",
        ] {
            assert!(refuses_function(name), "{name}");
        }
        for name in [
            "convert_int4",
            "as_int",
            "vload_half",
            "vstore_half_rte",
            "vstorea_half4",
            "sin",
        ] {
            assert!(!refuses_function(name), "{name}");
        }
        assert!(refuses_type("float8") && refuses_type("uint16") && refuses_type("image1d_t"));
        assert!(!refuses_type("float4") && !refuses_type("int") && !refuses_type("image2d_t"));
    }
}
