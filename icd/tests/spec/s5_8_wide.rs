//! CL 5.8: NDRanges whose offsets need 64 bits, the size of `size_t` on the device (CL_DEVICE_ADDRESS_BITS). Sizes
//! of more than 32 bits take seconds, so `icd/tests/ways` tests them.

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query};

fn launch(s: &Setup, k: cl_kernel, offset: &[usize], global: &[usize], local: Option<&[usize]>) -> i32 {
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        k,
        global.len() as u32,
        offset.as_ptr(),
        global.as_ptr(),
        local.map_or(null(), <[usize]>::as_ptr),
        0,
        null(),
        null_mut()
    ));
    if code == 0 { cl!(clFinish(s.queue)) } else { code }
}

fn numbers(s: &Setup, buffer: cl_mem, count: usize) -> Vec<u64> {
    let bytes = s.read(buffer, 8 * count);
    let numbers = bytes.as_chunks::<8>().0.iter();
    numbers.map(|b| u64::from_ne_bytes(*b)).collect()
}

fn set(k: cl_kernel, index: u32, b: cl_mem) {
    assert_eq!(cl!(clSetKernelArg(k, index, 8, (&raw const b).cast())), 0);
}

/// A kernel that stores the results of every work-item function for every work-item.
const ASKS: &str = "
    kernel void asks(global ulong *p) {
        size_t at = 0;
        for (uint d = get_work_dim(); d-- > 0;)
            at = at * get_global_size(d) + get_global_id(d) - get_global_offset(d);
        global ulong *o = p + 21 * at;
        for (uint d = 0; d < 3; d++) {
            o[d] = get_global_id(d);
            o[3 + d] = get_global_offset(d);
            o[6 + d] = get_global_size(d);
            o[9 + d] = get_group_id(d);
            o[12 + d] = get_num_groups(d);
            o[15 + d] = get_local_id(d);
            o[18 + d] = get_local_size(d);
        }
    }";

fn check_offsets(
    s: &Setup,
    k: cl_kernel,
    offset: [usize; 3],
    global: [usize; 3],
    local: [usize; 3],
    dims: usize,
) {
    let count: usize = global.iter().product();
    let b = s.buffer(&vec![0xEE; 8 * 21 * count]);
    set(k, 0, b);
    assert_eq!(
        launch(s, k, &offset[..dims], &global[..dims], Some(&local[..dims])),
        0,
        "{offset:?}"
    );
    let found = numbers(s, b, 21 * count);
    for (at, item) in found.chunks_exact(21).enumerate() {
        let place = [
            at % global[0],
            at / global[0] % global[1],
            at / global[0] / global[1],
        ];
        let of = |f: &dyn Fn(usize) -> usize| [0, 1, 2].map(|d| f(d) as u64);
        let expected = [
            of(&|d| offset[d] + place[d]),
            of(&|d| offset[d]),
            of(&|d| global[d]),
            of(&|d| place[d] / local[d]),
            of(&|d| global[d] / local[d]),
            of(&|d| place[d] % local[d]),
            of(&|d| local[d]),
        ];
        assert_eq!(item, expected.concat(), "item {at} of {global:?} from {offset:?}");
    }
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

#[test]
fn offsets_of_64_bits() {
    let s = Setup::new();
    assert_eq!(
        query!(clGetDeviceInfo(s.device; CL_DEVICE_ADDRESS_BITS) as u32),
        64
    );
    let p = s.built(ASKS, "");
    let k = s.kernel(p, "asks");
    let far = 5usize << 30;
    check_offsets(&s, k, [far, 0, 0], [64, 1, 1], [16, 1, 1], 1);
    // Launches with 32-bit offsets in between: both forms of the kernel keep working.
    check_offsets(&s, k, [7, 0, 0], [64, 1, 1], [16, 1, 1], 1);
    check_offsets(&s, k, [far, 1, usize::MAX - 9], [4, 6, 8], [2, 3, 4], 3);
    // Offsets around 2^32, so that work-items are on both sides of the limit.
    for start in [(1usize << 32) - 17, (1 << 32) - 16, (1 << 32) - 8, 1 << 32] {
        check_offsets(&s, k, [start, 0, 0], [16, 2, 1], [8, 1, 1], 2);
    }
    let b = s.buffer(&[0; 8]);
    set(k, 0, b);
    assert_eq!(
        launch(&s, k, &[usize::MAX - 8], &[16], None),
        CL_INVALID_GLOBAL_OFFSET
    );
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

/// The form of a kernel for 64-bit offsets is compiled on demand. This is possible for programs that were compiled and
/// linked. For a program from a binary, a launch with such an offset is an error.
#[test]
fn linked_programs_and_binaries() {
    let s = Setup::new();
    let part = s.program(ASKS);
    assert_eq!(
        cl!(clCompileProgram(
            part,
            0,
            null(),
            null(),
            0,
            null(),
            null_mut(),
            None,
            null_mut()
        )),
        0
    );
    let (linked, code) = created!(clLinkProgram(
        s.context,
        0,
        null(),
        null(),
        1,
        &raw const part,
        None,
        null_mut()
    ));
    assert_eq!(code, 0);
    let k = s.kernel(linked, "asks");
    check_offsets(&s, k, [5 << 30, 0, 0], [8, 1, 1], [4, 1, 1], 1);

    let size = query!(clGetProgramInfo(linked; CL_PROGRAM_BINARY_SIZES) as usize);
    let mut binary = vec![0u8; size];
    let mut place = binary.as_mut_ptr();
    let out = (&raw mut place).cast();
    assert_eq!(
        cl!(clGetProgramInfo(linked, CL_PROGRAM_BINARIES, 8, out, null_mut())),
        0
    );
    let mut start = binary.as_ptr();
    let (again, code) = created!(clCreateProgramWithBinary(
        s.context,
        1,
        &raw const s.device,
        &raw const size,
        &raw mut start,
        null_mut()
    ));
    assert_eq!(code, 0);
    assert_eq!(cl!(clBuildProgram(again, 0, null(), null(), None, null_mut())), 0);
    let other = s.kernel(again, "asks");
    check_offsets(&s, other, [3, 0, 0], [8, 1, 1], [4, 1, 1], 1);
    let b = s.buffer(&[0; 8]);
    set(other, 0, b);
    assert_eq!(launch(&s, other, &[5 << 30], &[8], None), CL_OUT_OF_RESOURCES);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    for kernel in [k, other] {
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    for program in [part, linked, again] {
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}

/// Kernels with private arrays that are in scratch memory, in NDRanges beyond 32 bits that take several dispatches: each dispatch has its own
/// region of the NDRange, and scratch memory for its own work-items.
#[test]
fn scratch_memory() {
    let source = "
        kernel void either(global ulong *out) {
            uint a[3000], b[3000];
            size_t n = get_global_size(0);
            uint at = (uint)((get_global_id(1) - get_global_offset(1)) * n + get_global_id(0) - get_global_offset(0));
            for (uint k = 0; k < 3000; k += 50) {
                a[k + at % 50] = 1000;
                b[k + at % 50] = 77 + at;
            }
            uint *p = at % 2 ? b : a;
            out[at] = p[at % 50 + 50 * (at % 60)] + get_global_id(0) + 3 * get_global_id(1);
        }";
    let s = Setup::new();
    let p = s.built(source, "");
    let k = s.kernel(p, "either");
    let far = 5usize << 30;
    let around = (1usize << 32) - 100;
    let cases: [([usize; 2], [usize; 2], Option<&[usize]>); 5] = [
        ([0, 0], [3000, 1], None),
        ([far, 0], [3000, 1], None),
        ([around, 0], [3001, 1], None),
        ([far, around], [61, 37], None),
        ([around, far], [64, 32], Some(&[8, 4])),
    ];
    for (offset, global, local) in cases {
        let count = global[0] * global[1];
        let b = s.buffer(&vec![0xEE; 8 * count]);
        set(k, 0, b);
        assert_eq!(launch(&s, k, &offset, &global, local), 0, "{offset:?}");
        for (at, found) in numbers(&s, b, count).into_iter().enumerate() {
            let from_array = if at % 2 == 1 { 77 + at } else { 1000 };
            let id = [offset[0] + at % global[0], offset[1] + at / global[0]];
            let expected = (from_array + id[0] + 3 * id[1]) as u64;
            assert_eq!(found, expected, "item {at} of {global:?} from {offset:?}");
        }
        assert_eq!(cl!(clReleaseMemObject(b)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}
