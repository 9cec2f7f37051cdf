//! The steady state: launches whose buffers are descriptors reuse the memory and the descriptor sets of earlier
//! launches.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_runtime::command::CommandType;
use caldera_runtime::kernel::launch::{ArgValue, PodBytes};
use support::*;

/// The system's allocator, with a counter of its calls.
struct Counted;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is forwarded to the system's allocator.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) };
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTED: Counted = Counted;

/// Two kernels with the number of allocations that a launch may need. The plain values of the first are push constants.
/// Those of the second do not fit there, so that they are in a buffer, which needs host memory for each launch.
const SOURCES: [(f64, &str); 2] = [
    (0.0, "kernel void k(global float *y, global float *x, float8 a, constant float *c) {
        y[get_global_id(0)] += x[get_global_id(0)] * a.s1 + c[0];
    }"),
    (1.0, "kernel void k(global float *y, global float *x, float16 a, constant float *c, float16 b, float16 d, float16 e) {
        y[get_global_id(0)] += x[get_global_id(0)] * a.s1 * b.s2 * d.s3 * e.s4 + c[0];
    }"),
];

#[test]
fn launches_allocate_nothing() {
    const LAUNCHES: usize = 200;
    const ROUNDS: usize = 10;
    let context = context();
    let queue = queue(&context, false);
    let buffers: Vec<_> = (0..32).map(|_| buffer_of(&context, &[0.0; 64])).collect();
    for (most, source) in SOURCES {
        let pools = caldera_runtime::descriptor_pools();
        for abi in [Abi::Descriptor(DescriptorAbi::runtime()), Abi::Physical] {
            let kernel = compiled(&context, source, abi.clone());
            let pods = kernel.arg_count() - 3;
            let size = if pods == 1 { 32 } else { 64 };
            for i in [2].into_iter().chain(4..3 + pods) {
                let pod = ArgValue::Pod(PodBytes::new(&vec![0; size]));
                kernel.set_arg(i, pod).expect("argument");
            }
            let batch = || {
                for i in 0..LAUNCHES {
                    for (argument, k) in [(0, 0), (1, 1), (3, 2)] {
                        let buffer = &buffers[(i * 7 + k) % buffers.len()];
                        let value = ArgValue::Buffer(Some(Arc::clone(buffer)));
                        kernel.set_arg(argument, value).expect("argument");
                    }
                    let range = items(64, Some(64));
                    kernel
                        .launch(&queue, &range)
                        .expect("launch")
                        .enqueue(CommandType::NdRangeKernel, NOTHING)
                        .expect("launch");
                }
                queue.finish().expect("finish");
            };
            for _ in 0..ROUNDS {
                batch();
            }
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            for _ in 0..ROUNDS {
                batch();
            }
            let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
            let each = allocations as f64 / (ROUNDS * LAUNCHES) as f64;
            assert!(each < most + 0.05, "{each} allocations a launch, {abi:?}");
        }
        // There are no more descriptor sets than launches in flight: seven pools for the first 64, and one pool for
        // every further 64.
        let pools = caldera_runtime::descriptor_pools() - pools;
        assert!(pools <= 7 + LAUNCHES as u64 / 64 + 1, "{pools} descriptor pools");
    }
}
