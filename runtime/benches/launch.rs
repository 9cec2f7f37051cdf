//! Measures the cost of a launch with plain timing. `cargo bench -p caldera-runtime` prints one line per figure.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::time::Instant;

use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_runtime::command::CommandType;
use caldera_runtime::context::Context;
use caldera_runtime::kernel::Kernel;
use caldera_runtime::kernel::launch::ArgValue;
use caldera_runtime::mem::Buffer;
use caldera_runtime::queue::CommandQueue;
use support::*;

const N: u32 = 10_000;

/// Enqueues a launch with the arguments that are set.
fn again(queue: &Arc<CommandQueue>, kernel: &Kernel) {
    kernel
        .launch(queue, &items(64, Some(64)))
        .expect("launch")
        .enqueue(CommandType::NdRangeKernel, NOTHING)
        .expect("launch");
}

/// Sets the arguments, and enqueues a launch.
fn launch(queue: &Arc<CommandQueue>, kernel: &Kernel, args: &[ArgValue]) {
    set_args(kernel, args);
    again(queue, kernel);
}

/// Returns the processor time of this thread in seconds, which does not depend on the load of the machine.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let first = text.split(' ').next().expect("numbers");
    first.parse::<f64>().expect("nanoseconds") / 1e9
}

fn report(name: &str, start: Instant, n: u32) {
    println!(
        "{name:46} {:9.3} µs",
        start.elapsed().as_secs_f64() * 1e6 / f64::from(n)
    );
}

fn main() {
    let device = device();
    println!("{}", device.info().name);
    let context = context();
    let queue = queue(&context, false);
    let buffers: Vec<_> = (0..8).map(|_| buffer_of(&context, &[1.0; 64])).collect();
    let all: Vec<_> = (1..8)
        .map(|i| saxpy_args(1.0, &buffers[0], &buffers[i]))
        .collect();
    let kernel = saxpy(&context);
    for _ in 0..3 {
        launches(&queue, &kernel, &all);
        round_trips(&queue, &kernel, &all[0], &buffers[1]);
    }
    for (name, abi) in [
        ("addresses", Abi::Physical),
        ("descriptors", Abi::Descriptor(DescriptorAbi::runtime())),
    ] {
        enqueues(&context, &queue, name, abi, &all);
    }
    for size in [4usize << 10, 1 << 20, 64 << 20, 256 << 20] {
        transfers(&context, &queue, size);
    }
}

/// Measures launches that depend on each other, and launches with several sets of arguments.
fn launches(queue: &Arc<CommandQueue>, kernel: &Kernel, all: &[Vec<ArgValue>]) {
    set_args(kernel, &all[0]);
    for _ in 0..1000 {
        again(queue, kernel);
    }
    queue.finish().expect("finish");
    let start = Instant::now();
    for _ in 0..N {
        again(queue, kernel);
    }
    report("dependent launch, enqueue only", start, N);
    queue.finish().expect("finish");
    report("dependent launch, to the end", start, N);

    let start = Instant::now();
    for i in 0..N as usize {
        launch(queue, kernel, &all[i % all.len()]);
    }
    report("mostly independent, enqueue only", start, N);
    queue.finish().expect("finish");
    report("mostly independent, to the end", start, N);
}

/// Measures launches that the host waits for.
fn round_trips(queue: &Arc<CommandQueue>, kernel: &Kernel, args: &[ArgValue], result: &Arc<Buffer>) {
    set_args(kernel, args);
    let n = 2000;
    let mut each: Vec<f64> = (0..n)
        .map(|_| {
            let start = Instant::now();
            again(queue, kernel);
            queue.finish().expect("finish");
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    each.sort_unstable_by(f64::total_cmp);
    println!(
        "{:34} {:9.3} µs (99%: {:.1})",
        "launch and finish, median",
        each[n / 2],
        each[n * 99 / 100]
    );

    let out = [0u8; 4];
    let start = Instant::now();
    for _ in 0..n {
        again(queue, kernel);
        queue
            .enqueue_read(linear(result, 0, 4, host(&out)), true, NOTHING)
            .expect("read");
    }
    report("launch and read 4 bytes", start, n as u32);
}

/// Measures the processor time of launches with an ABI, with the same arguments and with changing ones.
fn enqueues(context: &Arc<Context>, queue: &Arc<CommandQueue>, name: &str, abi: Abi, all: &[Vec<ArgValue>]) {
    let source = "kernel void k(float a, global const float *x, global float *y) {
        y[get_global_id(0)] += a * x[get_global_id(0)];
    }";
    let kernel = compiled(context, source, abi);
    for round in 0..3 {
        for (what, changing) in [("same", false), ("changing", true)] {
            set_args(&kernel, &all[0]);
            let start = cpu_time();
            for i in 0..N as usize {
                if changing {
                    set_args(&kernel, &all[i % all.len()]);
                }
                again(queue, &kernel);
            }
            let each = (cpu_time() - start) / f64::from(N) * 1e6;
            queue.finish().expect("finish");
            if round == 2 {
                let text = format!("{name}, {what} arguments, CPU to enqueue");
                println!("{text:46} {each:9.3} µs");
            }
        }
    }
}

/// Measures blocking writes and reads of a size.
fn transfers(context: &Arc<Context>, queue: &Arc<CommandQueue>, size: usize) {
    let b = buffer(context, size);
    let data = vec![1u8; size];
    let n = ((256 << 20) / size).clamp(2, 1000) as u32;
    for round in 0..2 {
        let start = Instant::now();
        for _ in 0..n {
            queue
                .enqueue_write(linear(&b, 0, size, host(&data)), true, NOTHING)
                .expect("write");
        }
        queue.finish().expect("finish");
        let write = start.elapsed().as_secs_f64();
        let start = Instant::now();
        for _ in 0..n {
            queue
                .enqueue_read(linear(&b, 0, size, host(&data)), true, NOTHING)
                .expect("read");
        }
        let read = start.elapsed().as_secs_f64();
        if round == 1 {
            let rate = |t: f64| size as f64 * f64::from(n) / t / 1e9;
            println!(
                "{size:10} bytes: write {:7.2} GB/s, read {:7.2} GB/s",
                rate(write),
                rate(read)
            );
        }
    }
}
