//! Launches with images and samplers allocate no descriptor sets and no host memory, once the queue has run similar
//! launches. This is one test, because it counts the descriptor pools of the whole process.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use caldera_runtime::kernel::launch::{ArgValue, PodBytes};
use caldera_runtime::kernel::{Kernel, Range};
use caldera_runtime::mem::MemFlags;
use caldera_runtime::mem::image::{Image, ImageDesc, ImageFormat};
use caldera_runtime::sampler::{AddressingMode, FilterMode, Sampler};
use support::*;

/// The system's allocator, with a counter of the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is forwarded to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // The counter of a thread that is ending may already be destroyed.
        let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const SOURCE: &str = "
    kernel void k(read_only image2d_t from, write_only image2d_t to, sampler_t s, int i) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imagef(to, at, read_imagef(from, s, at) + i);
    }";

#[test]
fn nothing_is_allocated() {
    if !device().info().image_support {
        return;
    }
    let context = context();
    let queue = queue(&context, false);
    let kernel = Kernel::create(&built(&context, SOURCE), "k").expect("kernel");
    let image = || {
        // CL_MEM_OBJECT_IMAGE2D
        let desc = ImageDesc {
            image_type: 0x10F1,
            size: [16, 16, 1],
            ..ImageDesc::default()
        };
        // CL_RGBA, CL_FLOAT
        let format = ImageFormat::new(0x10B5, 0x10DE).expect("a format");
        Image::create(&context, MemFlags::default(), format, &desc, None).expect("image")
    };
    let images: Vec<_> = (0..4).map(|_| image()).collect();
    let (edge, nearest) = (AddressingMode::ClampToEdge, FilterMode::Nearest);
    let sampler = Sampler::create(&context, false, edge, nearest, Vec::new()).expect("sampler");
    let arguments = |i: usize| {
        let image = |i: usize, write| ArgValue::Image {
            image: Arc::clone(&images[i % 4]),
            write,
        };
        [
            image(i, false),
            image(i + 1, true),
            ArgValue::Sampler(Arc::clone(&sampler)),
            ArgValue::Pod(PodBytes::new(&1i32.to_ne_bytes())),
        ]
    };
    // These are so few launches that the queue submits them together: on a CPU device in any case, on a GPU because the
    // waits are short.
    let batch = || {
        for i in 0..12 {
            let range = Range {
                work_dim: 2,
                global: [16, 16, 1],
                ..items(16, None)
            };
            launch(&queue, &kernel, &arguments(i), range, NOTHING).expect("launch");
        }
        queue.finish().expect("finish");
    };
    for _ in 0..3 {
        batch();
    }
    let (sets, memory) = (caldera_runtime::descriptor_pools(), ALLOCATIONS.get());
    for _ in 0..100 {
        batch();
    }
    assert_eq!(caldera_runtime::descriptor_pools(), sets);
    // Each submission may allocate a few times.
    let memory = ALLOCATIONS.get() - memory;
    assert!(memory < 500, "{memory} allocations in 100 batches of 12 launches");
    assert_eq!(caldera_runtime::validation_messages(), 0, "see the log");
}
