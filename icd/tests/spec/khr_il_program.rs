//! cl_khr_il_program, and specialization constants (OpenCL 2.2 5.8.3)

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query, query_bytes, query_text};

const ADD: &[u8] = include_bytes!("../../../compiler/tests/il/vector_add.2.spv");

/// Specialization constants of DPC++: `{ int, float }` with the SpecIds 42 and 43.
const SCALARS: &[u8] = include_bytes!("../../../compiler/tests/spirv_text/003_scalar.spv");

/// `{ { int x; float y; } a[2]; int2 b; }`, whose scalars have the SpecIds 10 to 15.
const POD: &[u8] = include_bytes!("../../../compiler/tests/spirv_text/003_pod.spv");

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Returns a module with the kernel `k(global int *out)`, which stores the constants with the SpecIds 42 (an int,
/// 7) and 43 (a bool, false) to `out[0]`: the int if the bool is false, otherwise 1000.
pub(crate) fn specialized() -> Vec<u8> {
    let op = |opcode: u32, operands: &[u32]| {
        let mut words = vec![(operands.len() as u32 + 1) << 16 | opcode];
        words.extend(operands);
        words
    };
    let parts = [
        vec![0x0723_0203, 0x0001_0000, 0, 100, 0],
        op(17, &[4]),
        op(17, &[6]),
        op(14, &[2, 2]),
        op(15, &[6, 10, u32::from(b'k')]),
        op(71, &[5, 1, 42]),
        op(71, &[6, 1, 43]),
        op(19, &[1]),
        op(21, &[2, 32, 0]),
        op(20, &[3]),
        op(43, &[2, 8, 1000]),
        op(50, &[2, 5, 7]),
        op(49, &[3, 6]),
        op(32, &[4, 5, 2]),
        op(33, &[7, 1, 4]),
        op(54, &[1, 10, 0, 7]),
        op(55, &[4, 11]),
        op(248, &[12]),
        op(169, &[2, 13, 6, 8, 5]),
        op(62, &[11, 13]),
        op(253, &[]),
        op(56, &[]),
    ];
    bytes(&parts.concat())
}

fn create(s: &Setup, il: &[u8]) -> (cl_program, i32) {
    created!(clCreateProgramWithIL(s.context, il.as_ptr().cast(), il.len()))
}

fn build(program: cl_program) -> i32 {
    cl!(clBuildProgram(program, 0, null(), null(), None, null_mut()))
}

fn set(program: cl_program, id: u32, value: &[u8]) -> i32 {
    cl!(clSetProgramSpecializationConstant(
        program,
        id,
        value.len(),
        value.as_ptr().cast()
    ))
}

/// Returns the int that the kernel `k` stores.
fn result(s: &Setup, kernel: cl_kernel) -> i32 {
    let bytes = stored(s, kernel, 4);
    i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Returns the bytes that a kernel with one buffer stores.
fn stored(s: &Setup, kernel: cl_kernel, size_of_buffer: usize) -> Vec<u8> {
    let buffer = s.buffer(&vec![0xee; size_of_buffer]);
    let size = size_of::<cl_mem>();
    assert_eq!(
        cl!(clSetKernelArg(kernel, 0, size, (&raw const buffer).cast())),
        0
    );
    let one = 1;
    let (wait, event) = (null(), null_mut());
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        1,
        null(),
        &raw const one,
        null(),
        0,
        wait,
        event
    ));
    assert_eq!(code, 0);
    let bytes = s.read(buffer, size_of_buffer);
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    bytes
}

/// Builds a program and returns the bytes that its kernel `k` stores.
fn built_and_stored(s: &Setup, program: cl_program, size: usize) -> Vec<u8> {
    assert_eq!(build(program), 0, "{}", s.log(program));
    let kernel = s.kernel(program, "k");
    let bytes = stored(s, kernel, size);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    bytes
}

#[test]
fn devices_tell_the_versions() {
    let s = Setup::new();
    let extensions = query_text!(clGetDeviceInfo(s.device; CL_DEVICE_EXTENSIONS));
    assert!(
        extensions.split(' ').any(|e| e == "cl_khr_il_program"),
        "{extensions}"
    );
    let versions = query_text!(clGetDeviceInfo(s.device; CL_DEVICE_IL_VERSION));
    assert!(
        versions.starts_with("SPIR-V_1.0 ") && versions.ends_with(" SPIR-V_1.6"),
        "{versions}"
    );
    let all = query_bytes!(clGetDeviceInfo(s.device; CL_DEVICE_ILS_WITH_VERSION));
    assert_eq!(all.len(), 7 * size_of::<cl_name_version>());
}

#[test]
fn functions_have_addresses() {
    let s = Setup::new();
    for name in [c"clCreateProgramWithILKHR", c"clSetProgramSpecializationConstant"] {
        let platform = query!(clGetDeviceInfo(s.device; CL_DEVICE_PLATFORM) as usize) as cl_platform_id;
        let found = cl!(clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr()));
        assert!(!found.is_null(), "{name:?}");
        assert_eq!(found, symbol(name.to_str().expect("ASCII")));
    }
    let (program, code) = created!(clCreateProgramWithILKHR(
        s.context,
        ADD.as_ptr().cast(),
        ADD.len()
    ));
    assert_eq!(code, 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

#[test]
fn create_build_and_query() {
    let s = Setup::new();
    let (program, code) = create(&s, ADD);
    assert_eq!(code, 0);
    assert_eq!(query_bytes!(clGetProgramInfo(program; CL_PROGRAM_IL)), ADD);
    assert_eq!(query_text!(clGetProgramInfo(program; CL_PROGRAM_SOURCE)), "");
    assert_eq!(
        query!(clGetProgramInfo(program; CL_PROGRAM_NUM_DEVICES) as u32),
        1
    );
    assert_eq!(build(program), 0, "{}", s.log(program));
    let kind = query!(clGetProgramBuildInfo(program, s.device; CL_PROGRAM_BINARY_TYPE) as u32);
    assert_eq!(kind, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_eq!(
        query_text!(clGetProgramInfo(program; CL_PROGRAM_KERNEL_NAMES)),
        "add;saxpy"
    );
    // OpenCL 5.9.3: a kernel that is not from source has no attributes.
    let kernel = s.kernel(program, "add");
    assert_eq!(query_text!(clGetKernelInfo(kernel; CL_KERNEL_ATTRIBUTES)), "");
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
    // A program from source has no IL.
    let source = s.program("kernel void f() {}");
    assert!(query_bytes!(clGetProgramInfo(source; CL_PROGRAM_IL)).is_empty());
    assert_eq!(cl!(clReleaseProgram(source)), 0);
}

#[test]
fn creation_errors() {
    let s = Setup::new();
    // INVALID_CONTEXT if context is not a valid context
    let (_, code) = created!(clCreateProgramWithIL(null_mut(), ADD.as_ptr().cast(), ADD.len()));
    assert_eq!(code, CL_INVALID_CONTEXT);
    // INVALID_VALUE if il is NULL or if length is zero
    let (_, code) = created!(clCreateProgramWithIL(s.context, null(), 4));
    assert_eq!(code, CL_INVALID_VALUE);
    assert_eq!(create(&s, &[]).1, CL_INVALID_VALUE);
    // INVALID_VALUE if il is not well-formed
    assert_eq!(create(&s, b"kernel void f() {}").1, CL_INVALID_VALUE);
    assert_eq!(create(&s, &ADD[..ADD.len() - 12]).1, CL_INVALID_VALUE);
    assert_eq!(create(&s, &ADD[..ADD.len() - 1]).1, CL_INVALID_VALUE);
}

/// A module that is well-formed but cannot be built has a log that names the instruction.
#[test]
fn build_errors() {
    let s = Setup::new();
    // OpCapability Shader
    let il = bytes(&[0x0723_0203, 0x0001_0000, 0, 10, 0, 2 << 16 | 17, 1]);
    let (program, code) = create(&s, &il);
    assert_eq!(code, 0);
    assert_eq!(build(program), CL_BUILD_PROGRAM_FAILURE);
    let log = s.log(program);
    assert!(
        log.contains("instruction 0, OpCapability: the capability Shader"),
        "{log}"
    );
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

#[test]
fn specialization_constants() {
    let s = Setup::new();
    let (program, code) = create(&s, &specialized());
    assert_eq!(code, 0);
    // A constant that is not set has its default.
    assert_eq!(build(program), 0, "{}", s.log(program));
    let kernel = s.kernel(program, "k");
    assert_eq!(result(&s, kernel), 7);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    // The last value counts, from the next build on. The bytes are copied.
    let mut value = 5i32.to_le_bytes();
    assert_eq!(set(program, 42, &value), 0);
    value = (-9i32).to_le_bytes();
    assert_eq!(set(program, 42, &value), 0);
    value.fill(1);
    assert_eq!(build(program), 0, "{value:?}");
    let kernel = s.kernel(program, "k");
    assert_eq!(result(&s, kernel), -9);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    // A bool is one byte; all values except 0 are true.
    assert_eq!(set(program, 43, &[2]), 0);
    assert_eq!(build(program), 0);
    let kernel = s.kernel(program, "k");
    assert_eq!(result(&s, kernel), 1000);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// The scalars of DPC++'s document: ids 42 and 43 with the defaults 0 and 0.0.
#[test]
fn scalars_of_dpcxx() {
    let s = Setup::new();
    let (program, code) = create(&s, SCALARS);
    assert_eq!(code, 0);
    assert_eq!(built_and_stored(&s, program, 8), [0; 8]);
    assert_eq!(set(program, 42, &77i32.to_le_bytes()), 0);
    assert_eq!(set(program, 43, &1.5f32.to_le_bytes()), 0);
    let expected = [77i32.to_le_bytes(), 1.5f32.to_le_bytes()].concat();
    assert_eq!(built_and_stored(&s, program, 8), expected);
    // Eight bytes for an int.
    assert_eq!(set(program, 42, &[0; 8]), CL_INVALID_VALUE);
    assert_eq!(built_and_stored(&s, program, 8), expected, "it had no effect");
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// The structure of DPC++'s document: the host sets each scalar from the bytes of `gold`, with the descriptors
/// `[10,0,4],[11,4,4],…` that `calderac --emit=spec-constants` prints.
#[test]
fn structures_of_dpcxx() {
    let s = Setup::new();
    let (program, code) = create(&s, POD);
    assert_eq!(code, 0);
    assert_eq!(
        built_and_stored(&s, program, 24),
        [0; 24],
        "the defaults of the scalars"
    );
    assert_eq!(set(program, 12, &5i32.to_le_bytes()), 0);
    let mut only = [0; 24];
    only[8] = 5;
    assert_eq!(built_and_stored(&s, program, 24), only, "one scalar is set");
    // gold = { { { 7, 1.5 }, { 8, 2.5 } }, { 7, 7 } }
    let gold = bytes(&[7, 0x3fc0_0000, 8, 0x4020_0000, 7, 7]);
    for (n, leaf) in gold.chunks(4).enumerate() {
        assert_eq!(set(program, 10 + n as u32, leaf), 0);
    }
    assert_eq!(built_and_stored(&s, program, 24), gold);
    // The structure itself has no id.
    assert_eq!(set(program, 16, &gold), CL_INVALID_SPEC_ID);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Two builds of one program have different values: the kernels of the first build keep its values. A binary contains the values,
/// and in a program from a binary none can be set.
#[test]
fn values_belong_to_a_build() {
    let s = Setup::new();
    let (program, _) = create(&s, SCALARS);
    let (other, _) = create(&s, SCALARS);
    assert_eq!(set(program, 42, &1i32.to_le_bytes()), 0);
    assert_eq!(set(other, 42, &2i32.to_le_bytes()), 0);
    let first = built_and_stored(&s, program, 8);
    let second = built_and_stored(&s, other, 8);
    assert_eq!((first[0], second[0]), (1, 2));
    assert_eq!(
        built_and_stored(&s, program, 8),
        first,
        "the same value again, after another's build"
    );
    let size = query!(clGetProgramInfo(program; CL_PROGRAM_BINARY_SIZES) as usize);
    let mut binary = vec![0u8; size];
    let mut pointer = binary.as_mut_ptr();
    let code = cl!(clGetProgramInfo(
        program,
        CL_PROGRAM_BINARIES,
        size_of::<usize>(),
        (&raw mut pointer).cast(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let mut data = binary.as_ptr();
    let (loaded, code) = created!(clCreateProgramWithBinary(
        s.context,
        1,
        &raw const s.device,
        &raw const size,
        &raw mut data,
        null_mut()
    ));
    assert_eq!(code, 0);
    assert_eq!(built_and_stored(&s, loaded, 8), first);
    assert_eq!(set(loaded, 42, &3i32.to_le_bytes()), CL_INVALID_PROGRAM);
    assert!(query_bytes!(clGetProgramInfo(loaded; CL_PROGRAM_IL)).is_empty());
    for p in [program, other, loaded] {
        assert_eq!(cl!(clReleaseProgram(p)), 0);
    }
}

#[test]
fn specialization_errors() {
    let s = Setup::new();
    let (program, _) = create(&s, &specialized());
    let value = 1u64.to_le_bytes();
    // INVALID_PROGRAM if program is not a valid program object created from an intermediate language
    assert_eq!(set(null_mut(), 42, &value[..4]), CL_INVALID_PROGRAM);
    let source = s.program("kernel void f() {}");
    assert_eq!(set(source, 42, &value[..4]), CL_INVALID_PROGRAM);
    assert_eq!(cl!(clReleaseProgram(source)), 0);
    // INVALID_SPEC_ID if spec_id is not a valid specialization constant identifier
    assert_eq!(set(program, 41, &value[..4]), CL_INVALID_SPEC_ID);
    // INVALID_VALUE if spec_size does not match the size of the constant, or if spec_value is NULL
    assert_eq!(set(program, 42, &value), CL_INVALID_VALUE);
    assert_eq!(set(program, 43, &value[..4]), CL_INVALID_VALUE);
    let nothing: *const c_void = null();
    assert_eq!(
        cl!(clSetProgramSpecializationConstant(program, 42, 4, nothing)),
        CL_INVALID_VALUE
    );
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

fn compile(program: cl_program, s: &Setup) {
    let none = (null(), null_mut());
    let code = cl!(clCompileProgram(
        program,
        0,
        null(),
        null(),
        0,
        none.0,
        none.1,
        None,
        null_mut()
    ));
    assert_eq!(code, 0, "{}", s.log(program));
}

/// Objects from IL and from source are linked, and their binaries can be loaded.
#[test]
fn compile_and_link_with_source() {
    let s = Setup::new();
    let (il, _) = create(&s, ADD);
    let source = s.program("kernel void other(global int *a) { *a = 5; }");
    compile(il, &s);
    compile(source, &s);
    let kind = query!(clGetProgramBuildInfo(il, s.device; CL_PROGRAM_BINARY_TYPE) as u32);
    assert_eq!(kind, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    let parts = [il, source];
    let mut code = 1;
    let options: &CStr = c"";
    let linked = cl!(clLinkProgram(
        s.context,
        0,
        null(),
        options.as_ptr(),
        2,
        parts.as_ptr(),
        None,
        null_mut(),
        &raw mut code
    ));
    assert_eq!(code, 0);
    let names = query_text!(clGetProgramInfo(linked; CL_PROGRAM_KERNEL_NAMES));
    assert_eq!(names, "add;saxpy;other");
    for program in [il, source, linked] {
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}

/// Returns a module with the kernel `k(global int *out)`, which stores 1 to `out[0]`, and an execution mode. Constant 8 is 3.
fn with_mode(mode: &[u32]) -> Vec<u8> {
    let op = |opcode: u32, operands: &[u32]| {
        let mut words = vec![(operands.len() as u32 + 1) << 16 | opcode];
        words.extend(operands);
        words
    };
    let parts = [
        vec![0x0723_0203, 0x0001_0200, 0, 100, 0],
        op(17, &[4]),
        op(17, &[6]),
        op(17, &[58]),
        op(14, &[2, 2]),
        op(15, &[6, 10, u32::from(b'k')]),
        mode.to_vec(),
        op(19, &[1]),
        op(21, &[2, 32, 0]),
        op(43, &[2, 8, 3]),
        op(43, &[2, 9, 1]),
        op(32, &[4, 5, 2]),
        op(33, &[7, 1, 4]),
        op(54, &[1, 10, 0, 7]),
        op(55, &[4, 11]),
        op(248, &[12]),
        op(62, &[11, 9]),
        op(253, &[]),
        op(56, &[]),
    ];
    bytes(&parts.concat())
}

/// OpenCL's SPIR-V environment, SubgroupDispatch: SubgroupsPerWorkgroup and SubgroupsPerWorkgroupId fix the number of
/// sub-groups of a work-group, and SubgroupSize the size of a sub-group.
#[test]
fn demanded_sub_groups_with_opencl_3_1() {
    crate::common::again::run_tests("khr_il_program::demanded_sub_groups", "CALDERA_CL_VERSION", "3.1");
}

#[test]
fn demanded_sub_groups() {
    let s = Setup::new();
    let extensions = query_text!(clGetDeviceInfo(s.device; CL_DEVICE_EXTENSIONS));
    let has = |name: &str| extensions.split(' ').any(|e| e == name);
    if !has("cl_khr_subgroups") && !has("cl_khr_subgroup_ballot") {
        let (program, code) = create(&s, &with_mode(&[4 << 16 | 16, 10, 36, 3]));
        let built = || cl!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
        assert!(code != 0 || built() != 0, "the device has no sub-groups");
        return;
    }
    let device = s.device;
    let number = |kernel, param| {
        let mut value = 0usize;
        let (input, one) = ([64usize], &raw mut value);
        let code = cl!(clGetKernelSubGroupInfo(
            kernel,
            device,
            param,
            8,
            input.as_ptr().cast(),
            8,
            one.cast(),
            null_mut()
        ));
        assert_eq!(code, 0);
        value
    };
    for mode in [
        [4 << 16 | 16, 10, 36, 3],
        [4 << 16 | 331, 10, 37, 8],
        [4 << 16 | 16, 10, 35, 64],
    ] {
        let (program, code) = create(&s, &with_mode(&mode));
        assert_eq!(code, 0);
        let options = c"-cl-uniform-work-group-size".as_ptr();
        let built = cl!(clBuildProgram(program, 0, null(), options, None, null_mut()));
        assert_eq!(built, 0, "{}", s.log(program));
        let kernel = s.kernel(program, "k");
        let count = number(kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS);
        let size = number(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE);
        let buffer = s.buffer(&[0; 4]);
        let at = (&raw const buffer).cast();
        assert_eq!(cl!(clSetKernelArg(kernel, 0, size_of::<cl_mem>(), at)), 0);
        let launch = |global: usize, local: Option<usize>| {
            let local = local.as_ref().map_or(null(), |n| &raw const *n);
            let (none, no_event) = (null(), null_mut());
            let one = &raw const global;
            cl!(clEnqueueNDRangeKernel(
                s.queue,
                kernel,
                1,
                null(),
                one,
                local,
                0,
                none,
                no_event
            ))
        };
        if mode[2] == 35 {
            // The kernel does not depend on the size.
            assert_eq!((count, launch(size, Some(size))), (0, 0));
        } else {
            assert_eq!(count, 3);
            assert_eq!(launch(3 * size, Some(size)), CL_INVALID_WORK_GROUP_SIZE);
            assert_eq!(launch(size, None), CL_INVALID_WORK_GROUP_SIZE);
            assert_eq!(launch(6 * size, Some(3 * size)), 0);
            assert_eq!(launch(6 * size, None), 0);
        }
        assert_eq!(s.read(buffer, 4), 1i32.to_ne_bytes());
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}
