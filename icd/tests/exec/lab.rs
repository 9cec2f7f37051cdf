//! Runs kernels that a test has generated as text. Their inputs and outputs are bytes.

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::{self, cl_kernel, cl_mem, cl_program};
use crate::scalar::Scalar;
use crate::{cl, query, query_text};

/// An argument of a kernel.
pub(crate) enum Arg<'a> {
    /// A buffer that the kernel must not change.
    In(&'a [u8]),
    /// A buffer of this many bytes, filled with [`POISON`].
    Out(usize),
    /// A buffer with contents that the kernel may change.
    InOut(&'a [u8]),
    /// A plain value.
    Value(&'a [u8]),
    /// Bytes of local memory.
    Local(usize),
}

/// Every byte of an [`Arg::Out`] before the run.
pub(crate) const POISON: u8 = 0xCD;

/// A context, a queue, and the capabilities of the device.
pub(crate) struct Lab {
    pub(crate) setup: Setup,
    extensions: String,
    /// Whether the device keeps subnormal numbers of `float` and of `double` (CL_FP_DENORM).
    subnormals: [bool; 2],
}

impl Lab {
    pub(crate) fn new() -> Lab {
        let setup = Setup::new();
        let extensions = query_text!(clGetDeviceInfo(setup.device; common::CL_DEVICE_EXTENSIONS));
        let float = query!(clGetDeviceInfo(setup.device; common::CL_DEVICE_SINGLE_FP_CONFIG) as u64);
        let double = query!(clGetDeviceInfo(setup.device; common::CL_DEVICE_DOUBLE_FP_CONFIG) as u64);
        Lab {
            setup,
            extensions,
            subnormals: [float, double].map(|config| config & common::CL_FP_DENORM != 0),
        }
    }

    /// Returns whether the device keeps subnormal numbers of a type.
    pub(crate) fn keeps_subnormals(&self, scalar: Scalar) -> bool {
        match scalar {
            Scalar::Float => self.subnormals[0],
            Scalar::Double => self.subnormals[1],
            Scalar::Half | Scalar::Int { .. } => true,
        }
    }

    pub(crate) fn has(&self, extension: &str) -> bool {
        self.extensions.split(' ').any(|e| e == extension)
    }

    pub(crate) fn build(&self, source: &str) -> cl_program {
        self.setup.built(source, "")
    }

    /// Runs a kernel of a program. Returns the new contents of the `Out` and `InOut` buffers, in order.
    pub(crate) fn run(
        &self,
        program: cl_program,
        name: &str,
        global: usize,
        local: Option<usize>,
        args: &[Arg<'_>],
    ) -> Vec<Vec<u8>> {
        let kernel = self.setup.kernel(program, name);
        let buffers: Vec<Option<cl_mem>> = (0..).zip(args).map(|(i, a)| self.place(kernel, i, a)).collect();
        let local = local.as_ref().map_or_else(null, std::ptr::from_ref);
        let code = cl!(clEnqueueNDRangeKernel(
            self.setup.queue,
            kernel,
            1,
            null(),
            &raw const global,
            local,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0, "clEnqueueNDRangeKernel {name}");
        let mut results = Vec::new();
        for (arg, buffer) in args.iter().zip(buffers) {
            let Some(buffer) = buffer else { continue };
            match arg {
                Arg::In(bytes) => {
                    let now = self.setup.read(buffer, bytes.len());
                    assert_eq!(&now, bytes, "{name} changed its input");
                }
                Arg::Out(size) => results.push(self.setup.read(buffer, *size)),
                Arg::InOut(bytes) => results.push(self.setup.read(buffer, bytes.len())),
                Arg::Value(_) | Arg::Local(_) => {}
            }
            assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
        }
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
        results
    }

    fn place(&self, kernel: cl_kernel, index: u32, arg: &Arg<'_>) -> Option<cl_mem> {
        let set = |size: usize, value: *const std::ffi::c_void| {
            assert_eq!(
                cl!(clSetKernelArg(kernel, index, size, value)),
                0,
                "argument {index}"
            );
        };
        let buffer = match arg {
            Arg::In(bytes) | Arg::InOut(bytes) => self.setup.buffer(bytes),
            Arg::Out(size) => self.setup.buffer(&vec![POISON; *size]),
            Arg::Value(bytes) => {
                set(bytes.len(), bytes.as_ptr().cast());
                return None;
            }
            Arg::Local(size) => {
                set(*size, null());
                return None;
            }
        };
        set(size_of::<cl_mem>(), (&raw const buffer).cast());
        Some(buffer)
    }
}

/// A generator of pseudo-random numbers, which are the same in every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 16) as usize % n
    }
}

/// Returns the bits of element `i`. Elements have `size` bytes, at most 8.
pub(crate) fn element(bytes: &[u8], size: usize, i: usize) -> u64 {
    let mut wide = [0u8; 8];
    wide[..size].copy_from_slice(&bytes[i * size..(i + 1) * size]);
    u64::from_le_bytes(wide)
}

/// Returns the bytes of elements of `size` bytes with these bits.
pub(crate) fn bytes_of(values: &[u64], size: usize) -> Vec<u8> {
    values
        .iter()
        .flat_map(|v| v.to_le_bytes()[..size].to_vec())
        .collect()
}
