//! **Invariant:** overlapping sub-buffers share one memory. In an in-order queue, a command that uses one of them
//! sees what earlier commands have written through the other.

use crate::common::objects::Setup;
use crate::common::*;
use crate::support::{After, Words, argument, buffer, fill, kernel, launch, read_now, release};
use crate::{cl, created};

#[test]
fn overlapping_sub_buffers_are_one_memory() {
    const ROUNDS: usize = 500;
    let s = Setup::new();
    let count = 4096usize;
    let whole = buffer(&s, 0, count, std::ptr::null_mut());
    fill(&s, whole, count, 0);
    let size = count * 3 / 4;
    let part = |origin: usize| {
        let region = cl_buffer_region {
            origin: 4 * origin,
            size: 4 * size,
        };
        let kind = CL_BUFFER_CREATE_TYPE_REGION;
        let (part, code) = created!(clCreateSubBuffer(whole, 0, kind, (&raw const region).cast()));
        assert_eq!(code, 0);
        part
    };
    let parts = [part(0), part(count / 4)];
    let source = "kernel void add(global uint *a) { a[get_global_id(0)]++; }\n\
                  kernel void mul(global uint *a) { a[get_global_id(0)] *= 3; }";
    let kernels = ["add", "mul"].map(|name| kernel(&s, source, name));
    for (kernel, part) in kernels.iter().zip(&parts) {
        argument(*kernel, 0, part);
    }
    let mut expected = 0u32;
    for _ in 0..ROUNDS {
        for kernel in kernels {
            let event = launch(s.queue, kernel, size, After::NOTHING);
            assert_eq!(cl!(clReleaseEvent(event)), 0);
        }
        expected = expected.wrapping_add(1).wrapping_mul(3);
    }
    let words = Words::new(count);
    read_now(s.queue, whole, &words);
    for (i, word) in words.get().iter().enumerate().take(size).skip(count / 4) {
        assert_eq!(*word, expected, "word {i}");
    }
    for kernel in kernels {
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    release(&parts);
    release(&[whole]);
}
