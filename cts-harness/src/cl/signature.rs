//! Queries the kernels of a built program and their parameters.

use super::{Argument, Handle, answer, text};
use crate::Failure;
use crate::types::little_endian;
use opencl_sys::*;
use serde::{Deserialize, Serialize};
use std::ptr::null_mut;

/// The size in bytes of the largest value that a parameter may have. Larger sizes are not tried.
const LARGEST_VALUE: usize = 512;

/// A description of a kernel, from clGetKernelInfo, clGetKernelWorkGroupInfo and clGetKernelArgInfo.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Signature {
    pub(crate) kernel: String,
    /// The work-group size that the attribute `reqd_work_group_size` demands, or zeros if the kernel has none.
    pub(crate) required: [usize; 3],
    pub(crate) parameters: Vec<Parameter>,
}

/// A parameter of a kernel.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Parameter {
    /// The answer of CL_KERNEL_ARG_ADDRESS_QUALIFIER.
    pub(crate) address: u32,
    /// The answer of CL_KERNEL_ARG_TYPE_NAME.
    pub(crate) type_name: String,
    /// The size of a value in bytes, or 0 for a pointer, an image or a sampler. No query returns this size, so it
    /// is the smallest size that clSetKernelArg accepts.
    pub(crate) bytes: usize,
}

impl Handle {
    /// Returns the signatures of all kernels of a program, which must have been built with
    /// `-cl-kernel-arg-info`.
    pub(crate) fn signatures(&self) -> Result<Vec<Signature>, Failure> {
        let names = text(&answer!(
            self.clGetProgramInfo(self.raw(), CL_PROGRAM_KERNEL_NAMES)
        )?);
        let names = names.split(';').filter(|n| !n.is_empty());
        names.map(|name| self.kernel(name)?.signature(name)).collect()
    }

    fn signature(&self, name: &str) -> Result<Signature, Failure> {
        let (k, what) = (self.raw(), CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
        let count = little_endian(&answer!(self.clGetKernelInfo(k, CL_KERNEL_NUM_ARGS))?) as u32;
        let group = answer!(self.clGetKernelWorkGroupInfo(k, null_mut(), what))?;
        let mut required = [0; 3];
        for (to, from) in required.iter_mut().zip(group.chunks_exact(size_of::<usize>())) {
            *to = little_endian(from) as usize;
        }
        let parameters = (0..count).map(|index| {
            let ask = |what| answer!(self.clGetKernelArgInfo(k, index, what));
            let address = little_endian(&ask(CL_KERNEL_ARG_ADDRESS_QUALIFIER)?) as u32;
            let type_name = text(&ask(CL_KERNEL_ARG_TYPE_NAME)?);
            let is_value = address == CL_KERNEL_ARG_ADDRESS_PRIVATE && type_name != "sampler_t";
            let value = [0u8; LARGEST_VALUE];
            let fits = |&size: &usize| self.set(index as usize, Argument::Bytes(&value[..size])).is_ok();
            let bytes = (1..=LARGEST_VALUE).find(fits).filter(|_| is_value).unwrap_or(0);
            Ok(Parameter {
                address,
                type_name,
                bytes,
            })
        });
        Ok(Signature {
            kernel: name.to_owned(),
            required,
            parameters: parameters.collect::<Result<_, Failure>>()?,
        })
    }
}
