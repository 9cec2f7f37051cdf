//! When pipelines are created, and how often. This is one test, because the whole process has one log, whose file comes
//! from the environment.

mod support;

use std::path::Path;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use caldera_runtime::command::CommandType;
use caldera_runtime::kernel::launch::ArgValue;
use caldera_runtime::kernel::{Kernel, Range};
use caldera_runtime::program::Program;
use caldera_runtime::queue::Waits;
use support::*;

const SOURCE: &str = "
    kernel void many(global float *p) {
        float s = p[get_global_id(0)];
        for (int i = 0; i < 8; i++) s = sin(s) * exp(s) + pow(s, 0.3f) + get_local_size(0);
        p[get_global_id(0)] = s;
    }
    kernel __attribute__((reqd_work_group_size(16, 1, 1))) void required(global float *p) {
        p[get_global_id(0)] += get_local_id(0);
    }
    kernel __attribute__((reqd_work_group_size(16, 1, 1))) void unknown(global float *p, local float *q) {
        q[get_local_id(0)] = p[get_global_id(0)];
        p[get_global_id(0)] = q[15 - get_local_id(0)];
    }";

/// Returns the number of pipelines of a kernel that have been created so far.
fn made(log: &Path, kernel: &str) -> usize {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.matches(&format!("pipeline {kernel} Variant")).count()
}

#[test]
fn pipelines_are_made_once_and_early() {
    let log = std::env::temp_dir().join(format!("caldera-pipelines-{}", std::process::id()));
    let _ = std::fs::remove_file(&log);
    for (name, value) in [
        ("CALDERA_CACHE", "off".into()),
        ("CALDERA_LOG_FILE", log.clone()),
        ("CALDERA_LOG", "kernel=debug".into()),
    ] {
        // SAFETY: no other thread of this process runs yet; it has one test.
        unsafe { std::env::set_var(name, value) };
    }
    caldera_runtime::trace::install();
    let context = context();
    let program = Program::with_source(&context, SOURCE.as_bytes().to_vec());
    program.build(&[], "", None).expect("it builds");

    // A required work-group size is known before the first launch, so the pipeline is created then, unless the
    // kernel has local arguments.
    let kernel = |name: &str| Kernel::create(&program, name).expect("a kernel");
    let (first, second, unknown) = (kernel("required"), kernel("required"), kernel("unknown"));
    let end = Instant::now() + Duration::from_secs(20);
    while made(&log, "required") == 0 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(made(&log, "required"), 1, "before any launch");

    let launch = |kernel: &Kernel, queue: &_, local: usize| {
        let buffer = buffer_of(&context, &[0.5; 64]);
        kernel
            .set_arg(0, ArgValue::Buffer(Some(Arc::clone(&buffer))))
            .expect("an argument");
        let range = Range {
            work_dim: 1,
            offset: [0; 3],
            global: [64, 1, 1],
            local: Some([local, 1, 1]),
        };
        let launch = kernel.launch(queue, &range).expect("a launch");
        let done = launch.enqueue(CommandType::NdRangeKernel, Waits::default());
        done.expect("enqueued");
    };
    let shared = queue(&context, false);
    launch(&first, &shared, 16);
    launch(&second, &shared, 16);
    unknown.set_arg(1, ArgValue::Local(64)).expect("an argument");
    launch(&unknown, &shared, 16);
    shared.finish().expect("done");
    assert_eq!(made(&log, "required"), 1, "the launches took it");
    assert_eq!(made(&log, "unknown"), 1);

    // Threads that need the same pipeline variant at the same time create it once.
    const SIZES: [usize; 4] = [1, 4, 16, 64];
    let meeting = Arc::new(Barrier::new(8));
    std::thread::scope(|s| {
        for _ in 0..8 {
            s.spawn(|| {
                let (kernel, queue) = (kernel("many"), queue(&context, false));
                for local in SIZES {
                    meeting.wait();
                    launch(&kernel, &queue, local);
                }
                queue.finish().expect("done");
            });
        }
    });
    assert_eq!(made(&log, "many"), SIZES.len());
    std::fs::remove_file(&log).expect("the log");
}
