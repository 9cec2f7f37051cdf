//! Arguments that alias: the same buffer given twice, and overlapping sub-buffers (CL 5.2.1, 5.7.2).

use std::ptr::{null, null_mut};

use crate::common::{CL_BUFFER_CREATE_TYPE_REGION, cl_buffer_region, cl_mem};
use crate::lab::Lab;
use crate::{cl, created};

/// Each work-item writes through one argument and then reads the value through another.
const SOURCE: &str = "
    kernel void through(global int *a, global const float *b, global short *c, int offset) {
        for (int k = 0; k < 16; k++) {
            a[offset + k] = as_int((float)k);
            a[offset + k] = as_int(b[k] + 1.0f);
            c[2 * k + 1] ^= 0x8000;
        }
    }";

#[test]
fn arguments_share_memory() {
    let lab = Lab::new();
    let s = &lab.setup;
    let program = lab.build(SOURCE);
    let kernel = s.kernel(program, "through");
    let items = 1usize;
    // In bytes: no supported device reports a larger CL_DEVICE_MEM_BASE_ADDR_ALIGN.
    let origin = 256;
    let whole = s.buffer(&[0; 512]);
    let region = cl_buffer_region { origin, size: 64 };
    let (part, code) = created!(clCreateSubBuffer(
        whole,
        0,
        CL_BUFFER_CREATE_TYPE_REGION,
        (&raw const region).cast()
    ));
    assert_eq!(code, 0, "clCreateSubBuffer");
    for (a, b, c, offset) in [(whole, part, part, 64), (part, part, part, 0)] {
        for (i, mem) in [a, b, c].into_iter().enumerate() {
            let code = cl!(clSetKernelArg(
                kernel,
                i as u32,
                size_of::<cl_mem>(),
                (&raw const mem).cast()
            ));
            assert_eq!(code, 0);
        }
        let offset: i32 = offset;
        assert_eq!(cl!(clSetKernelArg(kernel, 3, 4, (&raw const offset).cast())), 0);
        let code = cl!(clEnqueueNDRangeKernel(
            s.queue,
            kernel,
            1,
            null(),
            &raw const items,
            null(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0, "clEnqueueNDRangeKernel");
        let bytes = s.read(whole, 512);
        for (k, word) in bytes.chunks(4).enumerate() {
            let got = f32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            let inside = (64..80).contains(&k);
            let expected = if inside { -((k - 64) as f32 + 1.0) } else { 0.0 };
            assert_eq!(got, expected, "word {k}, offset {offset}");
        }
    }
    for mem in [part, whole] {
        assert_eq!(cl!(clReleaseMemObject(mem)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
