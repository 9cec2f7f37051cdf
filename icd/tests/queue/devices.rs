//! **Invariant:** if two devices of a context use parts of one buffer at the same time, no write of either
//! device is lost: contents do not move while a command that may write them is in flight.
//!
//! Each test runs in a child process whose Vulkan loader lists the CPU driver twice.

use std::ptr::{null, null_mut};

use crate::common::drivers::two_drivers;
use crate::common::objects::{Setup, platform};
use crate::common::*;
use crate::support::{
    After, Words, argument, buffer, child_with, kernel, launch, read_now, release, role, text, wait,
};
use crate::{cl, created};

/// Stores `value` into the words from `first` on, after `work` times 300 steps of arithmetic. There are two
/// nested loops because Mesa's llvmpipe limits an invocation to 65,535 iterations of a loop.
const PART: &str = "kernel void part(global uint *a, uint first, uint value, uint work) {\n\
      uint s = value;\n\
      for (uint j = 0; j < work; j++)\n\
        for (uint i = 0; i < 300u; i++) s = s * 1664525u + 1013904223u;\n\
      a[first + get_global_id(0)] = s == 1u && work > 0 ? 0u : value;\n\
    }\n";

const COUNT: usize = 1 << 16;
const HALF: usize = COUNT / 2;

/// A context with two devices, and a queue for each device.
struct Pair {
    /// The context, and the first device with its queue.
    s: Setup,
    second: cl_command_queue,
}

impl Pair {
    fn new() -> Pair {
        let mut devices = [null_mut(); 2];
        let mut count = 0;
        let (kind, at) = (CL_DEVICE_TYPE_ALL, devices.as_mut_ptr());
        let code = cl!(clGetDeviceIDs(platform(), kind, 2, at, &raw mut count));
        assert_eq!(
            (code, count),
            (0, 2),
            "the driver's name stands in the list twice"
        );
        let (context, code) = created!(clCreateContext(null(), 2, devices.as_ptr(), None, null_mut()));
        assert_eq!(code, 0, "clCreateContext");
        let [first, second] = devices.map(|device| {
            let (queue, code) = created!(clCreateCommandQueue(context, device, 0));
            assert_eq!(code, 0, "clCreateCommandQueue");
            queue
        });
        let s = Setup {
            device: devices[0],
            context,
            queue: first,
        };
        Pair { s, second }
    }

    fn queues(&self) -> [cl_command_queue; 2] {
        [self.s.queue, self.second]
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        assert_eq!(cl!(clReleaseCommandQueue(self.second)), 0);
    }
}

/// Launches [`PART`] for `count` words from `first` on, and flushes the queue. Returns the event.
fn store(
    q: cl_command_queue,
    part: cl_kernel,
    at: cl_mem,
    (first, count, value): (usize, usize, u32),
    work: u32,
    after: After<'_>,
) -> cl_event {
    argument(part, 0, &at);
    argument(part, 1, &(first as u32));
    argument(part, 2, &value);
    argument(part, 3, &work);
    let event = launch(q, part, count, after);
    assert_eq!(cl!(clFlush(q)), 0);
    event
}

/// Runs a test again in a child process with two devices, with the value of CALDERA_DEBUG that this process
/// has. Returns whether this is the child process.
fn is_child(test: &str) -> bool {
    if role().is_some() {
        return true;
    }
    let drivers = two_drivers();
    let debug = std::env::var("CALDERA_DEBUG").unwrap_or_default();
    let out = child_with(
        test,
        "two",
        &[("VK_DRIVER_FILES", &drivers), ("CALDERA_DEBUG", &debug)],
    );
    assert!(
        out.status.success() && text(&out).contains("1 passed"),
        "{}",
        text(&out)
    );
    false
}

/// Checks each word of a buffer against `expected`, through the queue of each device.
fn check(pair: &Pair, at: cl_mem, expected: impl Fn(usize) -> u32) {
    for q in pair.queues() {
        let words = Words::new(COUNT);
        read_now(q, at, &words);
        for (i, word) in words.get().iter().enumerate() {
            assert_eq!(*word, expected(i), "word {i}");
        }
    }
}

/// A kernel on the second device writes one half of a buffer while a kernel on the first device becomes
/// ready to write the other half. Both kernels have the whole buffer as their argument, so both need all of
/// its contents.
#[test]
fn kernels_of_two_devices_write_halves_of_a_buffer() {
    if !is_child("devices::kernels_of_two_devices_write_halves_of_a_buffer") {
        return;
    }
    let pair = Pair::new();
    let all = buffer(&pair.s, 0, COUNT, null_mut());
    let kernels = [(); 2].map(|()| kernel(&pair.s, PART, "part"));
    // The first launch on a device creates a pipeline, which would delay the launches below.
    wait(store(
        pair.s.queue,
        kernels[0],
        all,
        (0, COUNT, 1),
        0,
        After::NOTHING,
    ));
    for round in 0..4 {
        let (gate, code) = created!(clCreateUserEvent(pair.s.context));
        assert_eq!(code, 0, "clCreateUserEvent");
        let values = [10 + 2 * round, 11 + 2 * round];
        let first = store(
            pair.s.queue,
            kernels[0],
            all,
            (0, HALF, values[0]),
            0,
            After(&[gate]),
        );
        let part = (HALF, HALF, values[1]);
        // The kernel runs so long that the contents could move in the meantime.
        let second = store(pair.second, kernels[1], all, part, 100, After::NOTHING);
        assert_eq!(cl!(clSetUserEventStatus(gate, 0)), 0);
        wait(first);
        wait(second);
        assert_eq!(cl!(clReleaseEvent(gate)), 0);
        check(&pair, all, |i| values[i / HALF]);
    }
    for kernel in kernels {
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    release(&[all]);
}

/// CL 5.2.1: sub-buffers that do not overlap may be used at the same time.
#[test]
fn two_devices_use_sub_buffers_at_once() {
    if !is_child("devices::two_devices_use_sub_buffers_at_once") {
        return;
    }
    let pair = Pair::new();
    let all = buffer(&pair.s, 0, COUNT, null_mut());
    let kernels = [(); 2].map(|()| kernel(&pair.s, PART, "part"));
    let halves = [0, HALF].map(|origin| {
        let region = cl_buffer_region {
            origin: 4 * origin,
            size: 4 * HALF,
        };
        let kind = CL_BUFFER_CREATE_TYPE_REGION;
        let (half, code) = created!(clCreateSubBuffer(all, 0, kind, (&raw const region).cast()));
        assert_eq!(code, 0, "clCreateSubBuffer");
        half
    });
    for round in 0..50u32 {
        // In each round, the devices swap the halves.
        let mut events = Vec::new();
        for step in 0..3 {
            for (i, q) in pair.queues().into_iter().enumerate() {
                let half = halves[(i + round as usize) % 2];
                let value = (HALF / 3 * step, HALF / 3, 3 * round + step as u32);
                events.push(store(q, kernels[i], half, value, 1, After::NOTHING));
            }
        }
        events.into_iter().for_each(wait);
        let words = Words::new(COUNT);
        read_now(pair.queues()[round as usize / 2 % 2], all, &words);
        for (i, word) in words.get().iter().enumerate() {
            let step = i % HALF / (HALF / 3);
            if step < 3 {
                assert_eq!(*word, 3 * round + step as u32, "word {i} in round {round}");
            }
        }
    }
    for kernel in kernels {
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    release(&halves);
    release(&[all]);
}

/// The stores of the application into a mapping are kept while kernels on both devices write the other half
/// of the buffer.
#[test]
fn a_mapping_keeps_what_is_stored_there() {
    if !is_child("devices::a_mapping_keeps_what_is_stored_there") {
        return;
    }
    let pair = Pair::new();
    let [first, second] = pair.queues();
    for flags in [0, CL_MEM_ALLOC_HOST_PTR] {
        let all = buffer(&pair.s, flags, COUNT, null_mut());
        let part = kernel(&pair.s, PART, "part");
        wait(store(second, part, all, (0, COUNT, 1), 0, After::NOTHING));
        let map = CL_MAP_READ | CL_MAP_WRITE;
        let (size, none) = (4 * HALF, null_mut());
        let (at, code) = created!(clEnqueueMapBuffer(first, all, 1, map, 0, size, 0, null(), none));
        assert_eq!(code, 0, "clEnqueueMapBuffer");
        // SAFETY: the range was mapped above for this number of words; the slice is not used after the unmap
        // command below.
        let mapped = unsafe { std::slice::from_raw_parts_mut(at.cast::<u32>(), HALF) };
        assert!(mapped.iter().all(|w| *w == 1));
        mapped.fill(5);
        for (q, value) in [(second, 6), (first, 7)] {
            wait(store(q, part, all, (HALF, HALF, value), 0, After::NOTHING));
        }
        assert!(mapped.iter().all(|w| *w == 5), "the stores are gone");
        mapped[HALF / 2..].fill(8);
        let code = cl!(clEnqueueUnmapMemObject(first, all, at, 0, null(), none));
        assert_eq!(code, 0, "clEnqueueUnmapMemObject");
        assert_eq!(cl!(clFinish(first)), 0);
        check(&pair, all, |i| [5, 8, 7, 7][4 * i / COUNT]);
        // After the mapping has ended, the range has no special state.
        wait(store(second, part, all, (0, HALF, 9), 0, After::NOTHING));
        check(&pair, all, |i| [9, 7][2 * i / COUNT]);
        assert_eq!(cl!(clReleaseKernel(part)), 0);
        release(&[all]);
    }
}
