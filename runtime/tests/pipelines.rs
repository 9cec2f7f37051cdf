//! When pipelines are created, and how often. This is one test, because the whole process has one log, whose file comes
//! from the environment.

mod support;

use std::path::Path;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use caldera_runtime::command::CommandType;
use caldera_runtime::context::Context;
use caldera_runtime::kernel::launch::ArgValue;
use caldera_runtime::kernel::{Kernel, Range};
use caldera_runtime::mem::Buffer;
use caldera_runtime::program::Program;
use caldera_runtime::queue::{CommandQueue, Waits};
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
    }
    kernel void first(global float *p) { p[get_global_id(0)] += 1; }
    kernel void second(global float *p) { p[get_global_id(0)] += 2; }
    kernel void third(global float *p) { p[get_global_id(0)] += 3; }
    kernel void unset(global float *p) { p[get_global_id(0)] += 4; }
    kernel __attribute__((work_group_size_hint(8, 1, 1))) void hinted(global float *p) {
        p[get_global_id(0)] += 5;
    }";

/// Returns the number of pipelines of a kernel that have been created so far.
fn made(log: &Path, kernel: &str) -> usize {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.matches(&format!("pipeline {kernel} Variant")).count()
}

/// Waits until a kernel has a pipeline, and checks that it has one.
fn check_early(log: &Path, kernel: &str) {
    let end = Instant::now() + Duration::from_secs(20);
    while made(log, kernel) == 0 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(made(log, kernel), 1, "before any launch of {kernel}");
}

/// Sets the first argument of a kernel to a buffer, which the result keeps alive.
fn set_buffer(context: &Arc<Context>, kernel: &Kernel) -> Arc<Buffer> {
    let buffer = buffer_of(context, &[0.5; 64]);
    kernel
        .set_arg(0, ArgValue::Buffer(Some(Arc::clone(&buffer))))
        .expect("an argument");
    buffer
}

fn launch(context: &Arc<Context>, kernel: &Kernel, queue: &Arc<CommandQueue>, local: usize) {
    let _buffer = set_buffer(context, kernel);
    let range = Range {
        work_dim: 1,
        offset: [0; 3],
        global: [64, 1, 1],
        local: Some([local, 1, 1]),
    };
    let launch = kernel.launch(queue, &range).expect("a launch");
    let done = launch.enqueue(CommandType::NdRangeKernel, Waits::default());
    done.expect("enqueued");
}

/// Kernels of clCreateKernelsInProgram that are not used get no pipeline, and the launch of one kernel tells the
/// work-group size of those whose arguments are set.
fn kernels_that_are_used(context: &Arc<Context>, log: &Path) {
    let program = Program::with_source(context, SOURCE.as_bytes().to_vec());
    program.build(&[], "", None).expect("it builds");
    let all = Kernel::create_all(&program).expect("kernels");
    let kernel = |name: &str| all.iter().find(|k| k.name() == name).expect("it is there");
    let queue = queue(context, false);
    for name in ["second", "third"] {
        set_buffer(context, kernel(name));
    }
    set_buffer(context, kernel("hinted"));
    check_early(log, "hinted");
    assert_eq!(made(log, "second"), 0);
    launch(context, kernel("first"), &queue, 32);
    check_early(log, "second");
    check_early(log, "third");
    launch(context, kernel("second"), &queue, 32);
    launch(context, kernel("third"), &queue, 32);
    queue.finish().expect("done");
    assert_eq!(
        (made(log, "second"), made(log, "third")),
        (1, 1),
        "the launches took them"
    );
    for name in ["required", "unknown", "unset", "many"] {
        assert_eq!(made(log, name), 0, "{name}");
    }
    set_buffer(context, kernel("required"));
    check_early(log, "required");
    let unknown = kernel("unknown");
    set_buffer(context, unknown);
    assert_eq!(made(log, "unknown"), 0);
    unknown.set_arg(1, ArgValue::Local(64)).expect("an argument");
    check_early(log, "unknown");
}

/// A later process makes the pipelines that launches used as soon as other kernel objects exist.
fn sizes_are_remembered(context: &Arc<Context>, log: &Path) {
    let source = "kernel void known(global float *p) { p[get_global_id(0)] += get_local_size(0); }
                  kernel void other(global float *p, local float *q) { p[get_global_id(0)] += q[0]; }";
    for round in 0..2 {
        let program = Program::with_source(context, source.into());
        program.build(&[], "", None).expect("it builds");
        let known = Kernel::create(&program, "known").expect("a kernel");
        let _other = Kernel::create(&program, "other").expect("a kernel");
        if round == 0 {
            assert_eq!(made(log, "known"), 0);
            let queue = queue(context, false);
            launch(context, &known, &queue, 4);
            queue.finish().expect("done");
        } else {
            let end = Instant::now() + Duration::from_secs(20);
            while made(log, "known") < 2 && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(2));
            }
            assert_eq!(made(log, "known"), 2, "before any launch");
        }
    }
    assert_eq!(made(log, "other"), 0);
}

/// Waits until a kernel has as many pipelines as expected, and checks that it has no more.
fn check_made(log: &Path, kernel: &str, count: usize) {
    let end = Instant::now() + Duration::from_secs(20);
    while made(log, kernel) < count && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(made(log, kernel), count, "of {kernel}");
}

/// Returns whether a kernel has a pipeline for a work-group size of one dimension.
fn has_size(log: &Path, kernel: &str, size: usize) -> bool {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.contains(&format!("pipeline {kernel} Variant {{ local: [{size}, 1, 1],"))
}

/// The first launch of a program tells the work-group size of the kernels that clCreateKernel has created, before their
/// arguments are set.
fn created_kernels_are_probably_launched(context: &Arc<Context>, log: &Path) {
    // The first 16 kernels count, one of which is launched.
    let mut source = "
        kernel void with_local(global float *p, local float *q) { p[get_global_id(0)] += q[0]; }
        kernel void absent(global float *p) { p[get_global_id(0)] += 1; }
        kernel void released(global float *p) { p[get_global_id(0)] += 2; }"
        .to_owned();
    for n in 0..20 {
        source += &format!("kernel void created{n}(global float *p) {{ p[get_global_id(0)] += {n}; }}\n");
    }
    let program = Program::with_source(context, source.into_bytes());
    program.build(&[], "", None).expect("it builds");
    let _with_local = Kernel::create(&program, "with_local").expect("a kernel");
    drop(Kernel::create(&program, "released").expect("a kernel"));
    let kernel = |n: usize| Kernel::create(&program, &format!("created{n}")).expect("a kernel");
    let kernels: Vec<_> = (0..20).map(kernel).collect();
    let queue = queue(context, false);
    launch(context, &kernels[0], &queue, 4);
    for n in 1..16 {
        check_early(log, &format!("created{n}"));
    }
    // This guess comes after all others.
    set_buffer(context, &kernels[19]);
    check_early(log, "created19");
    launch(context, &kernels[1], &queue, 4);
    queue.finish().expect("done");
    for n in [0, 1, 15] {
        assert_eq!(made(log, &format!("created{n}")), 1, "the launches took it");
        assert!(has_size(log, &format!("created{n}"), 4));
    }
    for name in ["with_local", "absent", "released", "created16", "created18"] {
        assert_eq!(made(log, name), 0, "{name}");
    }
}

/// After two sizes of a series, the next ones are made in advance: two, and one more after each launch of the series.
fn series_of_sizes_are_continued(context: &Arc<Context>, log: &Path) {
    // Each kernel is a program, so that no kernel gets a size of another one.
    let kernel = |name: &str| {
        let source =
            format!("kernel void {name}(global float *p) {{ p[get_global_id(0)] += get_local_size(0); }}");
        let program = Program::with_source(context, source.into_bytes());
        program.build(&[], "", None).expect("it builds");
        Kernel::create(&program, name).expect("a kernel")
    };
    let (steps, down, up) = (kernel("steps"), kernel("down"), kernel("up"));
    let queue = queue(context, false);
    let info = context.devices()[0].info();
    let (most, least) = (
        info.max_work_item_sizes[0],
        info.preferred_work_group_size_multiple,
    );

    // No size is twice another one.
    for size in [64, 16, 1] {
        launch(context, &steps, &queue, size);
    }
    launch(context, &down, &queue, 64);
    launch(context, &down, &queue, 32);
    let ahead: Vec<usize> = [16, 8, 4, 2, 1].into_iter().filter(|n| *n >= least).collect();
    check_made(log, "down", 2 + ahead.len().min(2));
    for (n, size) in ahead.iter().enumerate() {
        assert!(has_size(log, "down", *size), "{size}");
        launch(context, &down, &queue, *size);
        check_made(log, "down", 2 + ahead.len().min(n + 3));
    }

    launch(context, &up, &queue, 1);
    launch(context, &up, &queue, 2);
    check_made(log, "up", 4);
    let mut size = 4;
    while size <= 64 {
        assert!(has_size(log, "up", size), "{size}");
        launch(context, &up, &queue, size);
        size *= 2;
        let ahead = [size, 2 * size].iter().filter(|n| **n <= most).count();
        check_made(log, "up", size.ilog2() as usize + ahead);
    }
    queue.finish().expect("done");
    assert_eq!(made(log, "steps"), 3);
}

/// When a kernel gets a new work-group size, the kernels that had an earlier size together with it get the new one, too, and no
/// others.
fn kernels_change_their_size_together(context: &Arc<Context>, log: &Path) {
    let names = ["leader", "follower", "stranger", "onlooker"];
    let source = names.map(|name| {
        format!("kernel void {name}(global float *p) {{ p[get_global_id(0)] += get_local_size(0); }}\n")
    });
    let program = Program::with_source(context, source.concat().into_bytes());
    program.build(&[], "", None).expect("it builds");
    let all = Kernel::create_all(&program).expect("kernels");
    let kernel = |name: &str| all.iter().find(|k| k.name() == name).expect("it is there");
    let queue = queue(context, false);
    launch(context, kernel("leader"), &queue, 1);
    launch(context, kernel("follower"), &queue, 1);
    launch(context, kernel("stranger"), &queue, 4);
    // The first size of a kernel says nothing about the kernels that have been launched.
    assert!(!has_size(log, "leader", 4) && !has_size(log, "follower", 4));
    launch(context, kernel("leader"), &queue, 16);
    check_made(log, "follower", 2);
    assert!(has_size(log, "follower", 16));
    launch(context, kernel("follower"), &queue, 16);
    // Back to the size of before: nothing is new.
    launch(context, kernel("leader"), &queue, 1);
    queue.finish().expect("done");
    assert_eq!((made(log, "leader"), made(log, "follower")), (2, 2));
    assert!(!has_size(log, "stranger", 16) && !has_size(log, "onlooker", 16));
}

/// A kernel that follows another one to a new size is launched with its old one while the new pipeline is made, and then with
/// the new one. A kernel that sees its work-group waits instead. Returns how many of two launches did not wait: if this thread
/// pauses, the pipeline may be complete before.
fn launches_with_another_size(context: &Arc<Context>, log: &Path, round: u32) -> usize {
    let [leader, free, grouped] = ["leading", "free", "grouped"].map(|name| format!("{name}{round}"));
    // The driver takes a while for the followers.
    let work = "s = sin(s) * exp(s) + pow(s, 0.3f);\n".repeat(6);
    let source = format!(
        "kernel void {leader}(global float *p) {{ p[get_global_id(0)] += get_local_size(0); }}
         kernel void {free}(global float *p) {{ float s = p[get_global_id(0)]; {work} p[get_global_id(0)] = s; }}
         kernel void {grouped}(global float *p) {{
             float s = p[get_global_id(0)] + get_local_id(0); {work} p[get_global_id(0)] = s; }}"
    );
    let program = Program::with_source(context, source.into_bytes());
    program.build(&[], "", None).expect("it builds");
    let all = Kernel::create_all(&program).expect("kernels");
    let queue = queue(context, false);
    let launch = |name: &str, size| {
        let kernel = all.iter().find(|k| k.name() == name).expect("it is there");
        launch(context, kernel, &queue, size);
    };
    [&leader, &free, &grouped]
        .iter()
        .for_each(|name| launch(name, 64));
    let mut did_not_wait = 0;
    // These are no series.
    for size in [16, 2] {
        launch(&leader, size);
        launch(&free, size);
        did_not_wait += usize::from(!has_size(log, &free, size));
        launch(&grouped, size);
        assert!(has_size(log, &grouped, size), "{size}");
        let end = Instant::now() + Duration::from_secs(20);
        while !has_size(log, &free, size) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(has_size(log, &free, size), "{size}");
        launch(&free, size);
        queue.finish().expect("done");
    }
    did_not_wait
}

#[test]
fn pipelines_are_made_once_and_early() {
    let log = std::env::temp_dir().join(format!("caldera-pipelines-{}", std::process::id()));
    let _ = std::fs::remove_file(&log);
    let cache = log.with_extension("cache");
    let _ = std::fs::remove_dir_all(&cache);
    std::fs::create_dir_all(&cache).expect("a directory");
    for (name, value) in [
        ("CALDERA_CACHE", cache.clone()),
        ("CALDERA_DEBUG", "guess-pipelines".into()),
        ("CALDERA_LOG_FILE", log.clone()),
        ("CALDERA_LOG", "kernel=debug".into()),
    ] {
        // SAFETY: this is the only test of the process, no other thread of which uses the environment meanwhile.
        unsafe { std::env::set_var(name, value) };
    }
    caldera_runtime::trace::install();
    let context = context();
    let program = Program::with_source(&context, SOURCE.as_bytes().to_vec());
    program.build(&[], "", None).expect("it builds");

    kernels_that_are_used(&context, &log);
    sizes_are_remembered(&context, &log);
    created_kernels_are_probably_launched(&context, &log);
    series_of_sizes_are_continued(&context, &log);
    kernels_change_their_size_together(&context, &log);
    let without_waiting = (0..3).map(|round| launches_with_another_size(&context, &log, round));
    let without_waiting: usize = without_waiting.sum();
    assert!(without_waiting > 0, "each launch has waited");

    // A required work-group size is known before the first launch, so the pipeline is created then.
    let before = made(&log, "required");
    let kernel = |name: &str| Kernel::create(&program, name).expect("a kernel");
    let (first, second) = (kernel("required"), kernel("required"));
    let end = Instant::now() + Duration::from_secs(20);
    while made(&log, "required") == before && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(made(&log, "required"), before + 1, "before any launch");

    let shared = queue(&context, false);
    launch(&context, &first, &shared, 16);
    launch(&context, &second, &shared, 16);
    shared.finish().expect("done");
    assert_eq!(made(&log, "required"), before + 1, "the launches took it");

    // Threads that need the same pipeline variant at the same time create it once.
    const SIZES: [usize; 4] = [1, 4, 16, 64];
    let meeting = Arc::new(Barrier::new(8));
    std::thread::scope(|s| {
        for _ in 0..8 {
            s.spawn(|| {
                let (kernel, queue) = (kernel("many"), queue(&context, false));
                for local in SIZES {
                    meeting.wait();
                    launch(&context, &kernel, &queue, local);
                }
                queue.finish().expect("done");
            });
        }
    });
    assert_eq!(made(&log, "many"), SIZES.len());
    std::fs::remove_file(&log).expect("the log");
    std::fs::remove_dir_all(&cache).expect("the cache");
}
