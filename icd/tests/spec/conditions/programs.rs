//! 5.6: programs.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use super::objects::UNKNOWN;
use super::world::{World, host, room};
use super::{Row, rows};
use crate::common::*;
use crate::{cl, created};

fn build(program: cl_program, options: &CStr) -> cl_int {
    cl!(clBuildProgram(
        program,
        0,
        null(),
        options.as_ptr(),
        None,
        null_mut()
    ))
}

fn compile(program: cl_program, options: &CStr) -> cl_int {
    let options = options.as_ptr();
    cl!(clCompileProgram(
        program,
        0,
        null(),
        options,
        0,
        null(),
        null_mut(),
        None,
        null_mut()
    ))
}

fn compile_with(w: &World, count: u32, headers: *const cl_program, names: *mut *const c_char) -> cl_int {
    let none = null();
    cl!(clCompileProgram(
        w.unbuilt,
        0,
        null(),
        none,
        count,
        headers,
        names,
        None,
        null_mut()
    ))
}

fn link(context: cl_context, options: &CStr, count: u32, programs: *const cl_program) -> cl_int {
    let mut code = 1;
    let options = options.as_ptr();
    cl!(clLinkProgram(
        context,
        0,
        null(),
        options,
        count,
        programs,
        None,
        null_mut(),
        &raw mut code
    ));
    code
}

/// Returns a compiled program that calls an undefined function.
fn lacking(w: &World) -> cl_program {
    let program =
        w.s.program("int missing(int); kernel void k(global int *a) { a[0] = missing(1); }");
    assert_eq!(compile(program, c""), 0);
    program
}

fn source(w: &World, count: u32, strings: &[*const c_char]) -> cl_int {
    created!(clCreateProgramWithSource(
        w.s.context,
        count,
        strings.as_ptr().cast_mut(),
        null()
    ))
    .1
}

fn binary(
    w: &World,
    count: u32,
    devices: *const cl_device_id,
    lengths: *const usize,
    at: *mut *const u8,
) -> cl_int {
    created!(clCreateProgramWithBinary(
        w.s.context,
        count,
        devices,
        lengths,
        at,
        null_mut()
    ))
    .1
}

fn specialize(program: cl_program, id: u32, size: usize, value: *const c_void) -> cl_int {
    cl!(clSetProgramSpecializationConstant(program, id, size, value))
}

const GARBAGE: &[u8] = b"no binary at all";

#[allow(clippy::too_many_lines, reason = "a table with one row for each condition")]
pub(super) fn rows() -> Vec<Row> {
    let mut all = rows!("5.6.1", clCreateProgramWithSource,
        CL_INVALID_CONTEXT "context is not valid" => |w| w.none(|h| {
            let mut text = c"".as_ptr();
            created!(clCreateProgramWithSource(h, 1, &raw mut text, null())).1
        }),
        CL_INVALID_VALUE "count is 0" => |w| source(w, 0, &[c"".as_ptr()]),
        CL_INVALID_VALUE "strings is NULL" =>
            |w| created!(clCreateProgramWithSource(w.s.context, 1, null_mut(), null())).1,
        CL_INVALID_VALUE "a string is NULL" => |w| source(w, 2, &[c"".as_ptr(), null()]),
    );
    all.extend(rows!("5.6.1", clCreateProgramWithBinary,
        CL_INVALID_CONTEXT "context is not valid" => |w| w.none(|h| {
            let (length, mut at) = (GARBAGE.len(), GARBAGE.as_ptr());
            created!(clCreateProgramWithBinary(h, 1, &w.s.device, &length, &raw mut at, null_mut())).1
        }),
        CL_INVALID_VALUE "device_list is NULL" => |w| binary(w, 1, null(), &GARBAGE.len(), &mut GARBAGE.as_ptr()),
        CL_INVALID_VALUE "num_devices is 0" => |w| binary(w, 0, &w.s.device, &GARBAGE.len(), &mut GARBAGE.as_ptr()),
        CL_INVALID_VALUE "lengths is NULL" => |w| binary(w, 1, &w.s.device, null(), &mut GARBAGE.as_ptr()),
        CL_INVALID_VALUE "binaries is NULL" => |w| binary(w, 1, &w.s.device, &GARBAGE.len(), null_mut()),
        CL_INVALID_VALUE "a length is 0" => |w| binary(w, 1, &w.s.device, &0, &mut GARBAGE.as_ptr()),
        CL_INVALID_VALUE "a binary is NULL" => |w| binary(w, 1, &w.s.device, &GARBAGE.len(), &mut null()),
        CL_INVALID_DEVICE "a device is not valid" =>
            |w| w.none(|h| binary(w, 1, &h, &GARBAGE.len(), &mut GARBAGE.as_ptr())),
        CL_INVALID_BINARY "a binary is none" => |w| binary(w, 1, &w.s.device, &GARBAGE.len(), &mut GARBAGE.as_ptr()),
    ));
    // cl_khr_il_program extends 5.6.1; specialization constants are from OpenCL 2.2, 5.8.3.
    all.extend(rows!("5.6.1", clCreateProgramWithIL,
        CL_INVALID_CONTEXT "context is not valid" =>
            |w| w.none(|h| created!(clCreateProgramWithIL(h, GARBAGE.as_ptr().cast(), GARBAGE.len())).1),
        CL_INVALID_VALUE "il is NULL" => |w| created!(clCreateProgramWithIL(w.s.context, null(), 16)).1,
        CL_INVALID_VALUE "length is 0" =>
            |w| created!(clCreateProgramWithIL(w.s.context, GARBAGE.as_ptr().cast(), 0)).1,
        CL_INVALID_VALUE "il is not well-formed" =>
            |w| created!(clCreateProgramWithIL(w.s.context, GARBAGE.as_ptr().cast(), GARBAGE.len())).1,
    ));
    all.extend(rows!("5.6.1", clCreateProgramWithILKHR,
        CL_INVALID_CONTEXT "context is not valid" =>
            |w| w.none(|h| created!(clCreateProgramWithILKHR(h, GARBAGE.as_ptr().cast(), GARBAGE.len())).1),
        CL_INVALID_VALUE "il is NULL" => |w| created!(clCreateProgramWithILKHR(w.s.context, null(), 16)).1,
        CL_INVALID_VALUE "length is 0" =>
            |w| created!(clCreateProgramWithILKHR(w.s.context, GARBAGE.as_ptr().cast(), 0)).1,
        CL_INVALID_VALUE "il is not well-formed" =>
            |w| created!(clCreateProgramWithILKHR(w.s.context, GARBAGE.as_ptr().cast(), GARBAGE.len())).1,
    ));
    all.extend(rows!("5.6.1", clSetProgramSpecializationConstant,
        CL_INVALID_PROGRAM "program is not valid" => |w| w.none(|h| specialize(h, 42, 4, host())),
        CL_INVALID_PROGRAM "program is not from IL" => |w| specialize(w.unbuilt, 42, 4, host()),
        CL_INVALID_SPEC_ID "spec_id is not valid" => |w| specialize(w.specialized, 7, 4, host()),
        CL_INVALID_VALUE "spec_size is not the constant's" => |w| specialize(w.specialized, 42, 8, host()),
        CL_INVALID_VALUE "spec_value is NULL" => |w| specialize(w.specialized, 42, 4, null_mut()),
    ));
    all.extend(rows!("5.6.1", clCreateProgramWithBuiltInKernels,
        CL_INVALID_CONTEXT "context is not valid" =>
            |w| w.none(|h| created!(clCreateProgramWithBuiltInKernels(h, 1, &w.s.device, c"k".as_ptr())).1),
        CL_INVALID_VALUE "device_list is NULL" =>
            |w| created!(clCreateProgramWithBuiltInKernels(w.s.context, 1, null(), c"k".as_ptr())).1,
        CL_INVALID_VALUE "num_devices is 0" =>
            |w| created!(clCreateProgramWithBuiltInKernels(w.s.context, 0, &w.s.device, c"k".as_ptr())).1,
        CL_INVALID_VALUE "kernel_names is NULL" =>
            |w| created!(clCreateProgramWithBuiltInKernels(w.s.context, 1, &w.s.device, null())).1,
        CL_INVALID_VALUE "a name that no device has" =>
            |w| created!(clCreateProgramWithBuiltInKernels(w.s.context, 1, &w.s.device, c"k".as_ptr())).1,
        CL_INVALID_DEVICE "a device is not valid" =>
            |w| w.none(|h| created!(clCreateProgramWithBuiltInKernels(w.s.context, 1, &h, c"k".as_ptr())).1),
    ));
    all.extend(rows!("5.6.1", clRetainProgram,
        CL_INVALID_PROGRAM "program is not valid" => |w| w.none(|h| cl!(clRetainProgram(h))),
    ));
    all.extend(rows!("5.6.1", clReleaseProgram,
        CL_INVALID_PROGRAM "program is not valid" => |w| w.none(|h| cl!(clReleaseProgram(h))),
    ));
    all.extend(rows!("5.6.2", clBuildProgram,
        CL_INVALID_PROGRAM "program is not valid" => |w| w.none(|h| build(h, c"")),
        CL_INVALID_VALUE "device_list is NULL and num_devices is not 0" =>
            |w| cl!(clBuildProgram(w.unbuilt, 1, null(), null(), None, null_mut())),
        CL_INVALID_VALUE "device_list is not NULL and num_devices is 0" =>
            |w| cl!(clBuildProgram(w.unbuilt, 0, &w.s.device, null(), None, null_mut())),
        CL_INVALID_VALUE "pfn_notify is NULL and user_data is not" =>
            |w| cl!(clBuildProgram(w.unbuilt, 0, null(), null(), None, room())),
        CL_INVALID_DEVICE "a device is not valid" =>
            |w| w.none(|h| cl!(clBuildProgram(w.unbuilt, 1, &h, null(), None, null_mut()))),
        CL_INVALID_BUILD_OPTIONS "an option that is none" => |w| build(w.s.program("kernel void k() {}"), c"-no-such-option"),
        CL_INVALID_BUILD_OPTIONS "an option without its value" => |w| build(w.s.program("kernel void k() {}"), c"-D"),
        CL_INVALID_OPERATION "there are kernels of the program" => |w| build(w.program, c""),
        CL_BUILD_PROGRAM_FAILURE "the source is wrong" => |w| build(w.s.program("kernel void k() { x = 1; }"), c""),
    ));
    all.extend(rows!("5.6.3", clCompileProgram,
        CL_INVALID_PROGRAM "program is not valid" => |w| w.none(|h| compile(h, c"")),
        CL_INVALID_VALUE "device_list is NULL and num_devices is not 0" =>
            |w| cl!(clCompileProgram(w.unbuilt, 1, null(), null(), 0, null(), null_mut(), None, null_mut())),
        CL_INVALID_VALUE "device_list is not NULL and num_devices is 0" =>
            |w| cl!(clCompileProgram(w.unbuilt, 0, &w.s.device, null(), 0, null(), null_mut(), None, null_mut())),
        CL_INVALID_VALUE "num_input_headers is 0 and input_headers is not NULL" =>
            |w| compile_with(w, 0, &w.program, null_mut()),
        CL_INVALID_VALUE "num_input_headers is 0 and header_include_names is not NULL" =>
            |w| compile_with(w, 0, null(), &mut c"a.h".as_ptr()),
        CL_INVALID_VALUE "num_input_headers is not 0 and input_headers is NULL" =>
            |w| compile_with(w, 1, null(), &mut c"a.h".as_ptr()),
        CL_INVALID_VALUE "num_input_headers is not 0 and header_include_names is NULL" =>
            |w| compile_with(w, 1, &w.program, null_mut()),
        CL_INVALID_VALUE "pfn_notify is NULL and user_data is not" =>
            |w| cl!(clCompileProgram(w.unbuilt, 0, null(), null(), 0, null(), null_mut(), None, room())),
        CL_INVALID_PROGRAM "a header is not valid" => |w| w.none(|h| compile_with(w, 1, &h, &mut c"a.h".as_ptr())),
        CL_INVALID_DEVICE "a device is not valid" =>
            |w| w.none(|h| cl!(clCompileProgram(w.unbuilt, 1, &h, null(), 0, null(), null_mut(), None, null_mut()))),
        CL_INVALID_COMPILER_OPTIONS "an option that is none" =>
            |w| compile(w.s.program("kernel void k() {}"), c"-no-such-option"),
        CL_INVALID_OPERATION "there are kernels of the program" => |w| compile(w.program, c""),
        CL_COMPILE_PROGRAM_FAILURE "the source is wrong" => |w| compile(w.s.program("kernel void k() { x = 1; }"), c""),
    ));
    all.extend(rows!("5.6.3", clLinkProgram,
        CL_INVALID_CONTEXT "context is not valid" => |w| w.none(|h| link(h, c"", 1, &w.program)),
        CL_INVALID_VALUE "num_input_programs is 0" => |w| link(w.s.context, c"", 0, &w.program),
        CL_INVALID_VALUE "input_programs is NULL" => |w| link(w.s.context, c"", 1, null()),
        CL_INVALID_VALUE "device_list is NULL and num_devices is not 0" => |w| {
            let (mut code, program) = (1, lacking(w));
            cl!(clLinkProgram(w.s.context, 1, null(), null(), 1, &program, None, null_mut(), &raw mut code));
            code
        },
        CL_INVALID_VALUE "pfn_notify is NULL and user_data is not" => |w| {
            let (mut code, program) = (1, lacking(w));
            cl!(clLinkProgram(w.s.context, 0, null(), null(), 1, &program, None, room(), &raw mut code));
            code
        },
        CL_INVALID_PROGRAM "a program is not valid" => |w| w.none(|h| link(w.s.context, c"", 1, &h)),
        CL_INVALID_DEVICE "a device is not valid" => |w| {
            let program = lacking(w);
            w.none(|h| {
                let mut code = 1;
                cl!(clLinkProgram(w.s.context, 1, &h, null(), 1, &program, None, null_mut(), &raw mut code));
                code
            })
        },
        CL_INVALID_LINKER_OPTIONS "an option that is none" => |w| link(w.s.context, c"-no-such-option", 1, &lacking(w)),
        CL_INVALID_OPERATION "a program is neither compiled nor a library" => |w| link(w.s.context, c"", 1, &w.s.program("kernel void k() {}")),
        CL_LINK_PROGRAM_FAILURE "a function is missing" => |w| link(w.s.context, c"", 1, &lacking(w)),
    ));
    all.extend(rows!("5.6.6", clUnloadPlatformCompiler,
        CL_INVALID_PLATFORM "platform is not valid" => |w| w.garbage(|h| cl!(clUnloadPlatformCompiler(h))),
    ));
    all.extend(rows!("5.6.7", clGetProgramInfo,
        CL_INVALID_PROGRAM "program is not valid" =>
            |w| w.none(|h| cl!(clGetProgramInfo(h, CL_PROGRAM_CONTEXT, 512, room(), null_mut()))),
        CL_INVALID_VALUE "param_name is not supported" =>
            |w| cl!(clGetProgramInfo(w.program, UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| cl!(clGetProgramInfo(w.program, CL_PROGRAM_CONTEXT, 4, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small for the binaries" =>
            |w| cl!(clGetProgramInfo(w.program, CL_PROGRAM_BINARIES, 4, room(), null_mut())),
        CL_INVALID_PROGRAM_EXECUTABLE "CL_PROGRAM_NUM_KERNELS before a build" =>
            |w| cl!(clGetProgramInfo(w.unbuilt, CL_PROGRAM_NUM_KERNELS, 512, room(), null_mut())),
        CL_INVALID_PROGRAM_EXECUTABLE "CL_PROGRAM_KERNEL_NAMES before a build" =>
            |w| cl!(clGetProgramInfo(w.unbuilt, CL_PROGRAM_KERNEL_NAMES, 512, room(), null_mut())),
    ));
    all.extend(rows!("5.6.7", clGetProgramBuildInfo,
        CL_INVALID_PROGRAM "program is not valid" =>
            |w| w.none(|h| cl!(clGetProgramBuildInfo(h, w.s.device, CL_PROGRAM_BUILD_STATUS, 512, room(), null_mut()))),
        CL_INVALID_DEVICE "device is not valid" =>
            |w| w.none(|h| cl!(clGetProgramBuildInfo(w.program, h, CL_PROGRAM_BUILD_STATUS, 512, room(), null_mut()))),
        CL_INVALID_VALUE "param_name is not supported" =>
            |w| cl!(clGetProgramBuildInfo(w.program, w.s.device, UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| cl!(clGetProgramBuildInfo(w.program, w.s.device, CL_PROGRAM_BUILD_STATUS, 2, room(), null_mut())),
    ));
    all
}
