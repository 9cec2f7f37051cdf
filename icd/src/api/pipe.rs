//! CL 2.0, 5.4: pipes.

use std::ffi::c_void;

use caldera_runtime::context::Context;
use caldera_runtime::error::{ClCode, Error};
use caldera_runtime::mem::Pipe;
use caldera_runtime::object;

use crate::abi::*;
use crate::out::Info;
use crate::{entry, handle};

entry! {
    /// CL 2.0, 5.4.1 — clCreatePipe
    fn clCreatePipe(
        context: cl_context,
        flags: cl_mem_flags,
        pipe_packet_size: cl_uint,
        pipe_max_packets: cl_uint,
        properties: *const cl_pipe_properties [until 0];
        errcode_ret
    ) -> cl_mem {
        let context = handle::borrow::<Context>(context)?;
        let pipe = Pipe::create(&context, flags, pipe_packet_size, pipe_max_packets)?;
        // CL 2.0, 5.4.1: INVALID_VALUE if properties is not NULL
        if !properties.is_null() {
            return Err(Error::new(ClCode::InvalidValue, "a pipe has no properties").at("2.0 5.4.1"));
        }
        Ok(object::give(pipe))
    }
}

entry! {
    /// CL 2.0, 5.4.2 — clGetPipeInfo
    fn clGetPipeInfo(
        pipe: cl_mem,
        param_name: cl_pipe_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let pipe = handle::borrow::<Pipe>(pipe)?;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_PIPE_PACKET_SIZE => info.value(pipe.packet_size()),
            CL_PIPE_MAX_PACKETS => info.value(pipe.max_packets()),
            CL_PIPE_PROPERTIES => info.slice::<cl_pipe_properties>(&[]),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}
