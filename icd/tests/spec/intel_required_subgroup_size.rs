//! cl_intel_required_subgroup_size, revision 3.

use std::ffi::CString;
use std::ptr::null_mut;

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query, query_bytes, query_text};

const SIZES: u32 = 0x4108;
const SPILL_MEM_SIZE: u32 = 0x4109;
const COMPILE_SIZE: u32 = 0x410A;

/// Runs the tests of this file with a version whose devices may have sub-groups without progress of their own.
#[test]
fn of_later_versions() {
    again::run_tests("intel_required_subgroup_size::", "CALDERA_CL_VERSION", "3.0");
}

/// The source of a kernel that requires sub-groups of SIZE work-items.
const SOURCE: &str = "
    __attribute__((intel_reqd_sub_group_size(SIZE))) kernel void k(global uint *out) {
        out[get_global_id(0)] = get_max_sub_group_size();
    }
    kernel void any(global uint *out) { out[get_global_id(0)] = get_max_sub_group_size(); }";

/// Returns the sizes that kernels may require; none if the extension is not offered.
fn sizes(s: &Setup) -> Vec<usize> {
    let extensions = query_text!(clGetDeviceInfo(s.device; CL_DEVICE_EXTENSIONS));
    if !extensions
        .split(' ')
        .any(|e| e == "cl_intel_required_subgroup_size")
    {
        // lavapipe has it with later versions.
        assert_ne!(std::env::var("CALDERA_CL_VERSION").as_deref(), Ok("3.0"));
        return Vec::new();
    }
    let bytes = query_bytes!(clGetDeviceInfo(s.device; SIZES));
    let sizes = bytes.chunks(size_of::<usize>());
    sizes
        .map(|b| usize::from_ne_bytes(b.try_into().expect("whole numbers")))
        .collect()
}

/// Builds for a size. Returns the program and the code of clBuildProgram.
fn build(s: &Setup, size: usize) -> (cl_program, cl_int) {
    let program = s.program(SOURCE);
    let options = CString::new(format!("-cl-std=CL3.0 -DSIZE={size}")).expect("no zero byte");
    let code = cl!(clBuildProgram(
        program,
        0,
        std::ptr::null(),
        options.as_ptr(),
        None,
        null_mut()
    ));
    (program, code)
}

#[test]
fn queries() {
    let s = Setup::new();
    let all = sizes(&s);
    assert!(all.is_sorted());
    for size in all {
        let (program, code) = build(&s, size);
        assert_eq!(code, 0, "{}", s.log(program));
        for (name, required) in [(c"k", size), (c"any", 0)] {
            let (kernel, _) = created!(clCreateKernel(program, name.as_ptr()));
            let ask = |param, input: &[usize]| {
                let mut answer = usize::MAX;
                let code = cl!(clGetKernelSubGroupInfo(
                    kernel,
                    s.device,
                    param,
                    size_of_val(input),
                    input.as_ptr().cast(),
                    size_of::<usize>(),
                    (&raw mut answer).cast(),
                    null_mut()
                ));
                assert_eq!(code, 0);
                answer
            };
            assert_eq!(ask(COMPILE_SIZE, &[]), required);
            if required != 0 {
                assert_eq!(ask(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &[64]), size);
                assert_eq!(ask(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &[size + 1]), 2);
                let most = query!(clGetDeviceInfo(s.device; CL_DEVICE_MAX_NUM_SUB_GROUPS) as u32);
                assert!(ask(CL_KERNEL_MAX_NUM_SUB_GROUPS, &[]) <= most as usize);
            }
            let mut spilled = 0u64;
            let code = cl!(clGetKernelWorkGroupInfo(
                kernel,
                s.device,
                SPILL_MEM_SIZE,
                size_of::<u64>(),
                (&raw mut spilled).cast(),
                null_mut()
            ));
            // Vulkan does not report it.
            assert_eq!(code, CL_INVALID_VALUE);
            assert_eq!(cl!(clReleaseKernel(kernel)), 0);
        }
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}

/// A size that the device does not have is an error of the build.
#[test]
fn other_sizes_are_refused() {
    let s = Setup::new();
    let all = sizes(&s);
    let Some(largest) = all.last() else {
        return;
    };
    let (program, code) = build(&s, 2 * largest);
    assert_ne!(code, 0);
    let log = s.log(program);
    assert!(log.contains("CL_DEVICE_SUB_GROUP_SIZES_INTEL"), "{log}");
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
