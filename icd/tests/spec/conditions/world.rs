//! The objects that the calls of the rows use.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::common::objects::{Setup, platform};
use crate::common::*;
use crate::{cl, created};

const SOURCE: &str = "\
kernel void k(global int *a, int b, local int *l, constant int *c) { a[get_global_id(0)] = b + l[0] + c[0]; }
kernel void plain(global int *a) { a[get_global_id(0)] = 1; }
kernel void sized(global int *a) __attribute__((reqd_work_group_size(4, 2, 1)));
__attribute__((reqd_work_group_size(4, 2, 1))) kernel void sized(global int *a) { a[0] = 1; }
kernel void sampled(read_only image2d_t i, sampler_t s, global float4 *o) { *o = read_imagef(i, s, (float2)(0)); }
kernel void drawn(write_only image2d_t i) { write_imagef(i, (int2)(0), (float4)(0)); }
";

pub(super) const SIZE: usize = 4096;

/// The objects. Buffers have 4096 bytes and images 16 × 16 texels of RGBA8, unless stated otherwise.
pub(super) struct World {
    pub(super) s: Setup,
    /// Another context. The next three objects belong to it.
    pub(super) other: Setup,
    pub(super) other_buffer: cl_mem,
    pub(super) other_image: cl_mem,
    pub(super) other_event: cl_event,
    pub(super) buffer: cl_mem,
    pub(super) second: cl_mem,
    /// A sub-buffer: 2048 bytes from byte 1024 of `buffer`.
    pub(super) sub: cl_mem,
    pub(super) read_only: cl_mem,
    pub(super) write_only: cl_mem,
    pub(super) host_reads: cl_mem,
    pub(super) host_writes: cl_mem,
    pub(super) host_nothing: cl_mem,
    pub(super) image: cl_mem,
    pub(super) image_second: cl_mem,
    /// An image of format R32F.
    pub(super) image_float: cl_mem,
    /// A 3D image of 8 × 8 × 8 texels.
    pub(super) image3: cl_mem,
    pub(super) image_host_reads: cl_mem,
    pub(super) image_host_writes: cl_mem,
    pub(super) image_read_only: cl_mem,
    pub(super) image_write_only: cl_mem,
    pub(super) sampler: cl_sampler,
    pub(super) program: cl_program,
    pub(super) unbuilt: cl_program,
    /// A program from SPIR-V with specialization constants, of which 42 has 4 bytes.
    pub(super) specialized: cl_program,
    /// A kernel whose arguments are set, like those of `sized`. The arguments of the other kernels are not set.
    pub(super) kernel: cl_kernel,
    pub(super) sized: cl_kernel,
    pub(super) sampled: cl_kernel,
    pub(super) drawn: cl_kernel,
    /// A second object of the same kernel, without arguments.
    pub(super) unset: cl_kernel,
    pub(super) done: cl_event,
    pub(super) failed: cl_event,
    /// A user event whose status is never set.
    pub(super) waiting: cl_event,
}

pub(super) const RGBA8: cl_image_format = cl_image_format {
    image_channel_order: CL_RGBA,
    image_channel_data_type: CL_UNORM_INT8,
};

fn from_il(s: &Setup) -> cl_program {
    let il = crate::khr_il_program::specialized();
    let (program, code) = created!(clCreateProgramWithIL(s.context, il.as_ptr().cast(), il.len()));
    assert_eq!(code, 0);
    program
}

pub(super) fn desc(ty: cl_mem_object_type, [width, height, depth]: [usize; 3]) -> cl_image_desc {
    // SAFETY: the struct has numbers and a handle, for which zero bytes are valid values.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    desc.image_type = ty;
    (desc.image_width, desc.image_height, desc.image_depth) = (width, height, depth);
    desc
}

pub(super) fn image_with(
    context: cl_context,
    flags: cl_mem_flags,
    format: cl_image_format,
    desc: &cl_image_desc,
    host: *mut c_void,
) -> (cl_mem, cl_int) {
    created!(clCreateImage(context, flags, &raw const format, desc, host))
}

impl World {
    pub(super) fn new() -> World {
        let (s, other) = (Setup::new(), Setup::new());
        let of = |s: &Setup, flags| {
            let (buffer, code) = created!(clCreateBuffer(s.context, flags, SIZE, null_mut()));
            assert_eq!(code, 0);
            buffer
        };
        let image = |s: &Setup, flags, format| {
            let flat = desc(CL_MEM_OBJECT_IMAGE2D, [16, 16, 0]);
            let (image, code) = image_with(s.context, flags, format, &flat, null_mut());
            assert_eq!(code, 0);
            image
        };
        let user = |s: &Setup, status: Option<cl_int>| {
            let (event, code) = created!(clCreateUserEvent(s.context));
            assert_eq!(code, 0);
            if let Some(status) = status {
                assert_eq!(cl!(clSetUserEventStatus(event, status)), 0);
            }
            event
        };
        let buffer = of(&s, 0);
        let float = cl_image_format {
            image_channel_order: CL_R,
            image_channel_data_type: CL_FLOAT,
        };
        let solid = desc(CL_MEM_OBJECT_IMAGE3D, [8, 8, 8]);
        let (image3, code) = image_with(s.context, 0, RGBA8, &solid, null_mut());
        assert_eq!(code, 0);
        let (sampler, code) = created!(clCreateSampler(s.context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST));
        assert_eq!(code, 0);
        let region = cl_buffer_region {
            origin: 1024,
            size: 2048,
        };
        let kind = CL_BUFFER_CREATE_TYPE_REGION;
        let (sub, code) = created!(clCreateSubBuffer(buffer, 0, kind, (&raw const region).cast()));
        assert_eq!(code, 0);
        let program = s.built(SOURCE, "-cl-kernel-arg-info");
        let (kernel, sized) = (s.kernel(program, "k"), s.kernel(program, "sized"));
        let argument = |kernel, index, size, value: *const c_void| {
            assert_eq!(
                cl!(clSetKernelArg(kernel, index, size, value)),
                0,
                "argument {index}"
            );
        };
        let at = (&raw const buffer).cast();
        argument(kernel, 0, 8, at);
        argument(kernel, 1, 4, (&raw const region).cast());
        argument(kernel, 2, 64, null());
        argument(kernel, 3, 8, at);
        argument(sized, 0, 8, at);
        World {
            other_buffer: of(&other, 0),
            other_image: image(&other, 0, RGBA8),
            other_event: user(&other, Some(0)),
            buffer,
            second: of(&s, 0),
            sub,
            read_only: of(&s, CL_MEM_READ_ONLY),
            write_only: of(&s, CL_MEM_WRITE_ONLY),
            host_reads: of(&s, CL_MEM_HOST_READ_ONLY),
            host_writes: of(&s, CL_MEM_HOST_WRITE_ONLY),
            host_nothing: of(&s, CL_MEM_HOST_NO_ACCESS),
            image: image(&s, 0, RGBA8),
            image_second: image(&s, 0, RGBA8),
            image_float: image(&s, 0, float),
            image3,
            image_host_reads: image(&s, CL_MEM_HOST_READ_ONLY, RGBA8),
            image_host_writes: image(&s, CL_MEM_HOST_WRITE_ONLY, RGBA8),
            image_read_only: image(&s, CL_MEM_READ_ONLY, RGBA8),
            image_write_only: image(&s, CL_MEM_WRITE_ONLY, RGBA8),
            sampler,
            program,
            unbuilt: s.program(SOURCE),
            specialized: from_il(&s),
            kernel,
            sized,
            sampled: s.kernel(program, "sampled"),
            drawn: s.kernel(program, "drawn"),
            unset: s.kernel(program, "k"),
            done: user(&s, Some(0)),
            failed: user(&s, Some(-5)),
            waiting: user(&s, None),
            s,
            other,
        }
    }

    /// Calls with several invalid handles. Returns the error code that all calls return, or 1 if they differ.
    pub(super) fn none(&self, call: impl Fn(*mut c_void) -> cl_int) -> cl_int {
        same(
            [null_mut(), platform()].into_iter().chain(self.garbage_handles()),
            call,
        )
    }

    /// Like [`World::none`], but without NULL and the platform, for calls to which these are valid.
    pub(super) fn garbage(&self, call: impl Fn(*mut c_void) -> cl_int) -> cl_int {
        same(self.garbage_handles(), call)
    }

    fn garbage_handles(&self) -> impl Iterator<Item = *mut c_void> {
        [
            std::ptr::without_provenance_mut(0xDEAD_BEE8),
            std::ptr::without_provenance_mut(usize::MAX - 7),
            self.s.context.wrapping_byte_add(8),
        ]
        .into_iter()
    }
}

/// Calls with each handle. Returns the error code that all calls return, or 1 if they differ.
fn same(handles: impl Iterator<Item = *mut c_void>, call: impl Fn(*mut c_void) -> cl_int) -> cl_int {
    let codes: Vec<cl_int> = handles.map(call).collect();
    if codes.iter().all(|c| *c == codes[0]) {
        codes[0]
    } else {
        1
    }
}

/// Returns memory for the answer of a query.
pub(super) fn room() -> *mut c_void {
    Box::leak(Box::new([0u64; 64])).as_mut_ptr().cast()
}

/// Returns host memory of the size of the buffers.
pub(super) fn host() -> *mut c_void {
    Box::leak(vec![0u8; SIZE].into_boxed_slice()).as_mut_ptr().cast()
}
