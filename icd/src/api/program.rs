//! CL 5.6: programs.

use std::ffi::{c_char, c_uchar, c_void};
use std::sync::Arc;

use caldera_runtime::context::Context;
use caldera_runtime::device::Device;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::object;
use caldera_runtime::platform::Platform;
use caldera_runtime::program::{Header, Program};

use crate::abi::*;
use crate::args::Array;
use crate::out::{self, Info};
use crate::{callback, entry, handle};

fn invalid(what: &'static str, section: &'static str) -> Error {
    Error::new(ClCode::InvalidValue, what).at(section)
}

entry! {
    /// CL 5.6.1 — clCreateProgramWithSource
    fn clCreateProgramWithSource(
        context: cl_context,
        count: cl_uint,
        strings: *mut *const c_char [count, lengths],
        lengths: *const size_t [count];
        errcode_ret
    ) -> cl_program {
        let context = handle::borrow::<Context>(context)?;
        // CL 5.6.1: INVALID_VALUE if count is zero or if strings or any entry in strings is NULL
        if strings.len() == 0 {
            return Err(invalid("no strings", "5.6.1"));
        }
        let mut source = Vec::new();
        for i in 0..strings.len() {
            source.extend(strings.text(i).ok_or_else(|| invalid("a string is NULL", "5.6.1"))?);
        }
        Ok(object::give(Program::with_source(&context, source)))
    }
}

/// Returns the handles of a `(num_devices, device_list)` pair that may be absent. INVALID_DEVICE comes after other
/// errors and is checked later, by [`handle::list`].
fn device_list(list: &Array<cl_device_id>) -> Result<&[cl_device_id]> {
    // CL 5.6: INVALID_VALUE if device_list is NULL and num_devices is greater than zero, or if device_list is not NULL
    // and num_devices is zero
    Ok(list.optional("device_list")?.unwrap_or(&[]))
}

entry! {
    /// CL 5.6.1 — clCreateProgramWithBinary
    fn clCreateProgramWithBinary(
        context: cl_context,
        num_devices: cl_uint,
        device_list: *const cl_device_id [num_devices],
        lengths: *const size_t [num_devices],
        binaries: *mut *const c_uchar [num_devices, lengths],
        binary_status: *mut cl_int [num_devices];
        errcode_ret
    ) -> cl_program {
        let context = handle::borrow::<Context>(context)?;
        // CL 5.6.1: INVALID_VALUE if device_list is NULL or num_devices is zero, or if lengths or binaries are NULL
        let n = num_devices as usize;
        let devices = device_list
            .slice()
            .filter(|d| !d.is_empty())
            .ok_or_else(|| invalid("no devices", "5.6.1"))?;
        if binaries.is_null() {
            return Err(invalid("lengths or binaries is NULL", "5.6.1"));
        }
        // CL 5.6.1: INVALID_DEVICE if devices are not in the list of devices associated with context
        let devices = handle::list::<Device>(devices)?;
        if devices.iter().any(|d| !context.has_device(d)) {
            return Err(Error::new(ClCode::InvalidDevice, "the context has no such device").at("5.6.1"));
        }
        let mut given = Vec::with_capacity(n);
        for (i, device) in devices.into_iter().enumerate() {
            // CL 5.6.1: INVALID_VALUE if an entry in lengths is zero or an entry in binaries is NULL
            let bytes = binaries.bytes(i).filter(|b| !b.is_empty());
            let Some(bytes) = bytes else {
                binary_status.write(i, out::number(ClCode::InvalidValue));
                return Err(invalid("a binary is empty", "5.6.1"));
            };
            given.push((device, bytes));
        }
        let program = Program::with_binaries(&context, &given).map_err(|status| {
            let mut first = None;
            for (i, result) in status.into_iter().enumerate() {
                binary_status.write(i, result.as_ref().map_or_else(|e| out::number(e.code), |()| out::SUCCESS));
                first = first.or(result.err());
            }
            first.unwrap_or_else(|| Error::new(ClCode::InvalidBinary, "no binary"))
        })?;
        for i in 0..n {
            binary_status.write(i, out::SUCCESS);
        }
        Ok(object::give(program))
    }
}

/// Creates a program from a SPIR-V module.
fn from_il(context: &Arc<Context>, il: Option<&[u8]>) -> Result<cl_program> {
    // cl_khr_il_program: INVALID_VALUE if il is NULL or if length is zero
    let il = il.filter(|il| !il.is_empty());
    let il = il.ok_or_else(|| invalid("no module", "cl_khr_il_program"))?;
    Ok(object::give(Program::with_il(context, il)?))
}

entry! {
    /// CL 2.1, 5.8.1 — clCreateProgramWithIL
    fn clCreateProgramWithIL(context: cl_context, il: *const c_void [length], length: size_t; errcode_ret) -> cl_program {
        let context = handle::borrow::<Context>(context)?;
        from_il(&context, il.bytes())
    }
}

entry! {
    /// cl_khr_il_program — clCreateProgramWithILKHR
    fn clCreateProgramWithILKHR(context: cl_context, il: *const c_void [length], length: size_t; errcode_ret) -> cl_program {
        let context = handle::borrow::<Context>(context)?;
        from_il(&context, il.bytes())
    }
}

entry! {
    /// CL 2.2, 5.8.3 — clSetProgramSpecializationConstant
    fn clSetProgramSpecializationConstant(
        program: cl_program,
        spec_id: cl_uint,
        spec_size: size_t,
        spec_value: *const c_void [spec_size],
    ) {
        let program = handle::borrow::<Program>(program)?;
        // CL 2.2 5.8.3: INVALID_VALUE if spec_value is NULL. No constant has a size of 0, so an empty value causes this error,
        // after those of the program and of spec_id.
        program.set_specialization_constant(spec_id, spec_value.bytes().unwrap_or(&[]))
    }
}

entry! {
    /// CL 5.6.1 — clCreateProgramWithBuiltInKernels
    fn clCreateProgramWithBuiltInKernels(
        context: cl_context,
        num_devices: cl_uint,
        device_list: *const cl_device_id [num_devices],
        kernel_names: *const c_char;
        errcode_ret
    ) -> cl_program {
        let context = handle::borrow::<Context>(context)?;
        // CL 5.6.1: INVALID_VALUE if device_list is NULL or num_devices is zero, or if kernel_names is NULL
        let devices = device_list
            .slice()
            .filter(|d| !d.is_empty())
            .ok_or_else(|| invalid("no devices", "5.6.1"))?;
        if kernel_names.is_null() {
            return Err(invalid("kernel_names is NULL", "5.6.1"));
        }
        if handle::list::<Device>(devices)?.iter().any(|d| !context.has_device(d)) {
            return Err(Error::new(ClCode::InvalidDevice, "the context has no such device").at("5.6.1"));
        }
        // CL 5.6.1: INVALID_VALUE if kernel_names contains a kernel name that is not supported by any of the devices
        Err(invalid("no device has built-in kernels", "5.6.1"))
    }
}

entry! {
    /// CL 5.6.1 — clRetainProgram
    fn clRetainProgram(program: cl_program) {
        handle::retain::<Program>(program)
    }
}

entry! {
    /// CL 5.6.1 — clReleaseProgram
    fn clReleaseProgram(program: cl_program) {
        handle::release::<Program>(program)
    }
}

entry! {
    /// CL 5.6.2 — clBuildProgram
    fn clBuildProgram(
        program: cl_program,
        num_devices: cl_uint,
        device_list: *const cl_device_id [num_devices],
        options: *const c_char,
        pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        user_data: *mut c_void,
    ) {
        let program = handle::borrow::<Program>(program)?;
        let devices = self::device_list(&device_list)?;
        let notify = callback::program(pfn_notify, user_data)?;
        let devices = handle::list(devices)?;
        program.build(&devices, &options.text().unwrap_or_default(), notify)
    }
}

entry! {
    /// CL 5.6.3 — clCompileProgram
    fn clCompileProgram(
        program: cl_program,
        num_devices: cl_uint,
        device_list: *const cl_device_id [num_devices],
        options: *const c_char,
        num_input_headers: cl_uint,
        input_headers: *const cl_program [num_input_headers],
        header_include_names: *mut *const c_char [num_input_headers],
        pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        user_data: *mut c_void,
    ) {
        let program = handle::borrow::<Program>(program)?;
        let devices = self::device_list(&device_list)?;
        // CL 5.6.3: INVALID_VALUE if num_input_headers is zero and header_include_names or input_headers are not
        // NULL or if num_input_headers is not zero and header_include_names or input_headers are NULL
        let programs = input_headers.optional("input_headers")?.unwrap_or(&[]);
        let names = header_include_names.optional("header_include_names")?.unwrap_or(&[]);
        let notify = callback::program(pfn_notify, user_data)?;
        let devices = handle::list(devices)?;
        let mut headers = Vec::with_capacity(programs.len());
        for (program, name) in handle::list::<Program>(programs)?.into_iter().zip(0..names.len()).map(|(program, i)| (program, header_include_names.text(i))) {
            let name = name.ok_or_else(|| invalid("a header has no name", "5.6.3"))?;
            headers.push(Header { name, program });
        }
        program.compile(&devices, &options.text().unwrap_or_default(), headers, notify)
    }
}

entry! {
    /// CL 5.6.3 — clLinkProgram. Once linking has begun, the call returns the program even if linking fails,
    /// because the program holds the log.
    fn clLinkProgram(
        context: cl_context,
        num_devices: cl_uint,
        device_list: *const cl_device_id [num_devices],
        options: *const c_char,
        num_input_programs: cl_uint,
        input_programs: *const cl_program [num_input_programs],
        pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        user_data: *mut c_void;
        errcode_ret
    ) -> (cl_program, Result<()>) {
        let context = handle::borrow::<Context>(context)?;
        let devices = self::device_list(&device_list)?;
        // CL 5.6.3: INVALID_VALUE if num_input_programs is zero or input_programs is NULL
        let inputs = input_programs
            .slice()
            .filter(|p| !p.is_empty())
            .ok_or_else(|| invalid("no programs", "5.6.3"))?;
        let inputs = handle::list::<Program>(inputs)?;
        let notify = callback::program(pfn_notify, user_data)?;
        let devices = handle::list(devices)?;
        let options = options.text().unwrap_or_default();
        let (program, linked) = Program::link(&context, &devices, &options, &inputs, notify)?;
        Ok((object::give(program), linked))
    }
}

entry! {
    /// CL 5.6.6 — clUnloadPlatformCompiler
    fn clUnloadPlatformCompiler(platform: cl_platform_id) {
        // The compiler holds no resources that could be released.
        handle::borrow::<Platform>(platform).map(drop)
    }
}

entry! {
    /// CL 1.1, 5.6.4 — clUnloadCompiler
    fn clUnloadCompiler() {
        Ok(())
    }
}

entry! {
    /// CL 5.6.7 — clGetProgramInfo
    fn clGetProgramInfo(
        program: cl_program,
        param_name: cl_program_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let program = handle::borrow::<Program>(program)?;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_PROGRAM_REFERENCE_COUNT => info.value(object::reference_count(&*program)),
            CL_PROGRAM_CONTEXT => info.value(object::handle(program.context())),
            CL_PROGRAM_NUM_DEVICES => info.value(program.devices().len() as u32),
            CL_PROGRAM_DEVICES => {
                let devices: Vec<_> = program.devices().iter().map(object::handle).collect();
                info.slice(&devices)
            }
            CL_PROGRAM_SOURCE => {
                let mut text = program.source().to_vec();
                text.push(0);
                info.bytes(&text)
            }
            CL_PROGRAM_BINARY_SIZES => {
                program.wait_for_builds();
                let sizes: Vec<usize> = program.binaries().iter().map(Vec::len).collect();
                info.slice(&sizes)
            }
            CL_PROGRAM_BINARIES => {
                program.wait_for_builds();
                // SAFETY: this is the query CL_PROGRAM_BINARIES. By CL 5.6.7 the application has allocated, for each
                // pointer that is not NULL, the size that CL_PROGRAM_BINARY_SIZES reports for the binary.
                unsafe { info.binaries(&program.binaries()) }
            }
            CL_PROGRAM_NUM_KERNELS => info.value(program.kernel_names()?.len()),
            CL_PROGRAM_KERNEL_NAMES => info.text(&program.kernel_names()?.join(";")),
            CL_PROGRAM_IL => info.bytes(program.il()),
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => info.bool(false),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}

entry! {
    /// CL 5.6.7 — clGetProgramBuildInfo
    fn clGetProgramBuildInfo(
        program: cl_program,
        device: cl_device_id,
        param_name: cl_program_build_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let program = handle::borrow::<Program>(program)?;
        let device = handle::borrow::<Device>(device)?;
        let build = program.build_info(&device)?;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_PROGRAM_BUILD_STATUS => info.value(build.status as i32),
            CL_PROGRAM_BUILD_OPTIONS => info.text(&build.options),
            CL_PROGRAM_BUILD_LOG => info.text(&build.log),
            CL_PROGRAM_BINARY_TYPE => info.value(build.binary_type as u32),
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => info.value(build.variables),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}
