//! The version of OpenCL C in which each built-in function first appeared (OpenCL 1.1 and 1.2, appendices
//! "Changes"). With an older `-cl-std`, the function does not exist.

use super::name::{self, Spelled};
use super::signature::{Scalars, Sig, Ty};
use super::table;
use crate::options::ClStd;

/// Returns the first version that has a function of this name.
pub fn since(name: &str) -> ClStd {
    match name {
        "get_image_array_size" | "popcount" | "printf" => ClStd::Cl12,
        "async_work_group_strided_copy"
        | "get_global_offset"
        | "maxmag"
        | "minmag"
        | "shuffle"
        | "shuffle2" => ClStd::Cl11,
        _ if table::is_later(name) => ClStd::Cl20,
        // Before that version, extensions had these functions as `atom_`.
        _ if name.starts_with("atomic_") => ClStd::Cl11,
        _ => match name::parse(name) {
            Some(
                Spelled::Convert { lanes: 3, .. }
                | Spelled::As { lanes: 3, .. }
                | Spelled::Load { lanes: 3 }
                | Spelled::Store { lanes: 3 }
                | Spelled::LoadHalf { lanes: 3, .. }
                | Spelled::StoreHalf { lanes: 3, .. },
            ) => ClStd::Cl11,
            Some(_) | None => ClStd::Cl10,
        },
    }
}

/// Returns whether a function needs shuffles: it belongs to cl_khr_subgroup_shuffle, …_shuffle_relative, …_rotate or
/// …_clustered_reduce, or is Intel's equivalent.
pub fn is_shuffle_of_subgroups(name: &str) -> bool {
    is_of_subgroups(name)
        && ["_shuffle", "_rotate", "_clustered"]
            .iter()
            .any(|part| name.contains(part))
}

/// Returns whether a function belongs to sub-groups (cl_khr_subgroups).
pub fn is_of_subgroups(name: &str) -> bool {
    let name = name.strip_prefix("intel_").unwrap_or(name);
    name.starts_with("sub_group_") || name.starts_with("get_") && name.contains("_sub_group")
}

/// Returns whether a function belongs to cl_khr_work_group_uniform_arithmetic.
pub fn is_uniform_arithmetic(name: &str) -> bool {
    let of_collection = name.starts_with("work_group_reduce_") || name.starts_with("work_group_scan_");
    of_collection && !["_add", "_max", "_min"].iter().any(|part| name.ends_with(part))
}

/// Returns the optional feature of OpenCL C 3.0 to which a function belongs.
pub fn feature_of(name: &str) -> Option<&'static str> {
    if matches!(name, "get_fence" | "to_global" | "to_local" | "to_private") {
        return Some("__opencl_c_generic_address_space");
    }
    if name.contains("_pipe") || name == "is_valid_reserve_id" {
        return Some("__opencl_c_pipes");
    }
    if name.starts_with("clock_read_") {
        return Some(match name.rsplit_once('_') {
            Some((_, "device")) => "__opencl_c_kernel_clock_scope_device",
            _ if name.ends_with("sub_group") => "__opencl_c_kernel_clock_scope_sub_group",
            _ => "__opencl_c_kernel_clock_scope_work_group",
        });
    }
    let collective = name.starts_with("work_group_") && name != "work_group_barrier";
    collective.then_some("__opencl_c_work_group_collective_functions")
}

/// Returns the first version that has one of the signatures of a function.
pub fn signature_since(name: &str, sig: &Sig) -> ClStd {
    let of_integers = sig.domain.scalars == Scalars::INTEGERS;
    match name {
        "clamp" if of_integers => ClStd::Cl11,
        "max" | "min" if of_integers && sig.params.contains(&Ty::Elem) => ClStd::Cl11,
        // The form without a sampler.
        "read_imagef" | "read_imageh" | "read_imagei" | "read_imageui" if sig.params.len() == 2 => {
            ClStd::Cl12
        }
        _ => ClStd::Cl10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |name: &str, expected| assert_eq!(since(name), expected, "{name}");
        check("sin", ClStd::Cl10);
        check("atom_add", ClStd::Cl10);
        check("vload4", ClStd::Cl10);
        check("as_int3", ClStd::Cl11);
        check("convert_uchar3_sat_rte", ClStd::Cl11);
        check("vstorea_half3_rtz", ClStd::Cl11);
        check("atomic_xchg", ClStd::Cl11);
        check("popcount", ClStd::Cl12);
        check("atomic_fetch_add", ClStd::Cl20);
    }

    #[test]
    fn signatures() {
        let newer = |name: &str, std| {
            let sigs = table::lookup(name).expect("a row").sigs;
            sigs.iter().filter(|s| signature_since(name, s) > std).count()
        };
        assert_eq!(newer("clamp", ClStd::Cl10), 2);
        assert_eq!(newer("max", ClStd::Cl10), 1);
        assert_eq!(newer("max", ClStd::Cl11), 0);
        assert!(newer("read_imagei", ClStd::Cl11) > 2);
        assert_eq!(newer("read_imagei", ClStd::Cl12), 0);
    }
}
