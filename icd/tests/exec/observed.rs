//! `CALDERA_PROFILE` and `CALDERA_TRACE`: the times are those of the events, and the results of the program do not change. The program runs in processes
//! of its own, because the variables are read once and the files are written at the exit.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::ptr::{null, null_mut};

use crate::common::json::Json;
use crate::common::objects::Setup;
use crate::common::{
    CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_START, CL_QUEUE_PROFILING_ENABLE, cl_command_queue,
    cl_event, cl_kernel, cl_mem,
};
use crate::{cl, created};

/// The variable that marks the process with the program.
const ROLE: &str = "CALDERA_TEST_ROLE";

const SOURCE: &str = "
kernel void work(global uint *x) {
    uint v = x[get_global_id(0)];
    for (uint i = 0; i < 2000; i++) v = v * 1664525u + 1013904223u;
    x[get_global_id(0)] = v;
}
kernel void single(global uint *x) { x[get_global_id(0)] += 1; }
";

/// The numbers of launches of `work`: with events on a queue with profiling, and on a queue without.
const TIMED: usize = 20;
const UNTIMED: usize = 5;
/// The number of launches of `single`, and of reads without a launch in between.
const SINGLE: usize = 12;
const ITEMS: usize = 4096;

fn launch(
    queue: cl_command_queue,
    kernel: cl_kernel,
    buffer: cl_mem,
    (global, local): (usize, usize),
    event: *mut cl_event,
) {
    let at: *const cl_mem = &raw const buffer;
    assert_eq!(cl!(clSetKernelArg(kernel, 0, size_of::<cl_mem>(), at.cast())), 0);
    let (global, local) = (&raw const global, &raw const local);
    let code = cl!(clEnqueueNDRangeKernel(
        queue,
        kernel,
        1,
        null(),
        global,
        local,
        0,
        null(),
        event
    ));
    assert_eq!(code, 0);
}

/// Returns the time of a complete command in nanoseconds.
fn time_of(event: cl_event) -> u64 {
    let time = |what| crate::query!(clGetEventProfilingInfo(event; what) as u64);
    time(CL_PROFILING_COMMAND_END) - time(CL_PROFILING_COMMAND_START)
}

/// What `work` makes of a number.
fn worked(mut v: u32, launches: usize) -> u32 {
    for _ in 0..2000 * launches {
        v = v.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    v
}

/// Runs the program and prints the sum of its events' times.
fn run_program() {
    let s = Setup::with(CL_QUEUE_PROFILING_ENABLE);
    let program = s.built(SOURCE, "");
    let (work, single) = (s.kernel(program, "work"), s.kernel(program, "single"));
    let buffer = s.buffer(&[0; 4 * ITEMS]);
    let mut total = 0;
    for _ in 0..TIMED {
        let mut event = null_mut();
        launch(s.queue, work, buffer, (ITEMS, 64), &raw mut event);
        assert_eq!(cl!(clWaitForEvents(1, &raw const event)), 0);
        total += time_of(event);
        assert_eq!(cl!(clReleaseEvent(event)), 0);
    }
    let (plain, code) = created!(clCreateCommandQueue(s.context, s.device, 0));
    assert_eq!(code, 0);
    for _ in 0..UNTIMED {
        launch(plain, work, buffer, (ITEMS, 64), null_mut());
    }
    assert_eq!(cl!(clFinish(plain)), 0);
    for _ in 0..SINGLE {
        launch(plain, single, buffer, (8, 1), null_mut());
        assert_eq!(cl!(clFinish(plain)), 0);
    }
    let value = worked(0, TIMED + UNTIMED);
    for _ in 0..SINGLE {
        let words = s.read(buffer, 64);
        let words: Vec<u32> = words
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| u32::from_ne_bytes(*b))
            .collect();
        assert_eq!(words[..8], [value.wrapping_add(SINGLE as u32); 8]);
        assert_eq!(words[8..], [value; 8]);
    }
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    assert_eq!(cl!(clReleaseCommandQueue(plain)), 0);
    for kernel in [work, single] {
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
    writeln!(std::io::stdout(), "device time: {total}").expect("an open output");
}

/// Runs a test in a process of its own with these variables.
fn start(test: &str, variables: &[(&str, &str)]) -> Output {
    let this = std::env::current_exe().expect("a running test has a path");
    Command::new(this)
        .args(["--exact", "--nocapture", &format!("observed::{test}")])
        .env(ROLE, "observed")
        .envs(variables.iter().copied())
        .output()
        .expect("the test runs again")
}

/// Runs the program in a process of its own with these variables. Returns its output and the sum of its events' times.
fn again(test: &str, variables: &[(&str, &str)]) -> (Output, f64) {
    let out = start(test, variables);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(
        out.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let total = text
        .lines()
        .find_map(|l| l.split_once("device time: "))
        .expect("the sum of the times")
        .1;
    let total = total.trim().parse().expect("a number");
    (out, total)
}

fn is_child() -> bool {
    std::env::var_os(ROLE).is_some()
}

/// Returns the path of a file that does not exist yet, with `%p` for the process that writes it.
fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("caldera-{name}-{}-%p.json", std::process::id()))
}

/// Returns the contents of the only file that a process wrote for such a path, and removes it.
fn written(path: &std::path::Path) -> String {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let start = name.split_once("%p").expect("a placeholder").0;
    let all = std::fs::read_dir(std::env::temp_dir()).expect("a readable folder");
    let mut found = all.map(|entry| entry.expect("an entry").path()).filter(|p| {
        p.file_name()
            .is_some_and(|n| n.to_string_lossy().starts_with(start))
    });
    let file = found.next().expect("a file");
    assert_eq!(found.next(), None);
    let text = std::fs::read_to_string(&file).expect("a readable file");
    std::fs::remove_file(&file).expect("a file that can be removed");
    text
}

/// Returns the element of an array whose field `name` has the value.
fn named<'j>(list: &'j Json, name: &str) -> &'j Json {
    let mut found = list.list().iter().filter(|j| j.get("name").text() == name);
    let first = found.next().unwrap_or_else(|| panic!("no {name} in {list:?}"));
    assert_eq!(found.next(), None, "{name}");
    first
}

#[test]
fn a_profile_has_the_times_of_the_events() {
    if is_child() {
        return run_program();
    }
    let path = file("profile");
    let (out, total) = again(
        "a_profile_has_the_times_of_the_events",
        &[("CALDERA_PROFILE", path.to_str().expect("a text"))],
    );
    assert!(!String::from_utf8_lossy(&out.stderr).contains("caldera: profile"));
    let profile = Json::parse(&written(&path));
    let devices = profile.get("devices").list();
    assert_eq!(devices.len(), 1);
    let kernels = devices[0].get("kernels");
    assert_eq!(kernels.list().len(), 2, "{kernels:?}");
    let work = named(kernels, "work");
    assert_eq!(work.get("calls").number(), (TIMED + UNTIMED) as f64);
    assert_eq!(named(kernels, "single").get("calls").number(), SINGLE as f64);
    // Launches without an event have times, too.
    assert_eq!(work.get("timed"), work.get("calls"));
    let (sum, longest) = (work.get("total_ns").number(), work.get("longest_ns").number());
    assert!(
        sum > total && sum <= total + longest * UNTIMED as f64,
        "{sum}, {total}"
    );
    let reads: f64 = devices[0].get("commands").list().iter().fold(0.0, |sum, c| {
        let is_read = c.get("name").text() == "read buffer";
        sum + if is_read { c.get("calls").number() } else { 0.0 }
    });
    assert_eq!(reads, SINGLE as f64);
    // Where the machine has processors to spare, a pipeline may be made in advance that no launch uses.
    for (name, counts) in [("builds", 1..=1), ("pipelines", 2..=3)] {
        let calls = profile.get(name).get("calls").number() as u32;
        assert!(counts.contains(&calls), "{calls} {name}");
    }
    for nothing in ["missing", "failed"] {
        assert_eq!(profile.get(nothing).number(), 0.0, "{nothing}");
    }
    let hints: Vec<&str> = profile.get("hints").list().iter().map(Json::text).collect();
    for hint in [
        "single: 12 of 12 launches had work-groups of one work-item",
        "Queue 2: 13 of 17 launches were followed by clFinish",
        "64 bytes at offset 0 of a buffer were read 11 times",
    ] {
        assert!(hints.iter().any(|h| h.starts_with(hint)), "{hint}: {hints:#?}");
    }
    assert_eq!(hints.len(), 3, "{hints:#?}");
}

#[test]
fn a_profile_is_a_table_on_standard_error() {
    if is_child() {
        return run_program();
    }
    let (out, _) = again(
        "a_profile_is_a_table_on_standard_error",
        &[("CALDERA_PROFILE", "1")],
    );
    let errors = String::from_utf8_lossy(&out.stderr);
    let table = errors
        .split_once("caldera: profile of process ")
        .expect("a table")
        .1;
    let row = |name: &str| {
        let mut rows = table.lines().filter(|l| l.ends_with(name));
        let row = rows.next().unwrap_or_else(|| panic!("no {name} in {table}"));
        row.split_whitespace().next().expect("a first column").to_owned()
    };
    assert_eq!(row("  work"), (TIMED + UNTIMED).to_string());
    assert_eq!(row("  single"), SINGLE.to_string());
    row("  read buffer");
    assert!(table.contains("builds: 1 in "), "{table}");
}

/// The events of a trace with this phase.
fn phase<'j>(events: &'j [Json], phase: &str) -> Vec<&'j Json> {
    events.iter().filter(|e| e.get("ph").text() == phase).collect()
}

/// Returns a time of an event in nanoseconds. Whole numbers, unlike the microseconds of the text, have exact sums.
fn time(event: &Json, name: &str) -> f64 {
    (1000.0 * event.get(name).number()).round()
}

/// Returns start and end of a span in nanoseconds.
fn span(event: &Json) -> (f64, f64) {
    let start = time(event, "ts");
    (start, start + time(event, "dur"))
}

#[test]
fn a_trace_has_calls_commands_and_arrows() {
    if is_child() {
        return run_program();
    }
    let path = file("trace");
    let (_, total) = again(
        "a_trace_has_calls_commands_and_arrows",
        &[("CALDERA_TRACE", path.to_str().expect("a text"))],
    );
    let trace = Json::parse(&written(&path));
    let events = trace.list();
    let spans = phase(events, "X");
    let of_category = |category: &str| -> Vec<&Json> {
        let is_it = |e: &&&Json| e.get("cat").text() == category;
        spans.iter().filter(is_it).copied().collect()
    };
    // Spans of a thread, or of a queue, contain each other or are apart.
    for a in &spans {
        for b in spans.iter().filter(|b| b.get("tid") == a.get("tid")) {
            let ((a0, a1), (b0, b1)) = (span(a), span(b));
            assert!(
                a1 <= b0 || b1 <= a0 || a0 <= b0 && b1 <= a1 || b0 <= a0 && a1 <= b1,
                "{a:?} {b:?}"
            );
        }
    }
    let calls = of_category("api");
    let count = |name: &str| calls.iter().filter(|c| c.get("name").text() == name).count();
    assert_eq!(count("clEnqueueNDRangeKernel"), TIMED + UNTIMED + SINGLE);
    assert_eq!(count("clFinish"), 1 + SINGLE);
    assert_eq!(of_category("build").len(), 1);
    let pipelines = of_category("pipeline").len();
    assert!((2..=3).contains(&pipelines), "{pipelines}");
    // The commands of the queue with profiling take as long as its events say.
    let work: Vec<&Json> = of_category("command")
        .into_iter()
        .filter(|c| c.get("name").text() == "work")
        .collect();
    assert_eq!(work.len(), TIMED + UNTIMED);
    let queue = work[0].get("tid");
    let timed: Vec<_> = work
        .iter()
        .filter(|c| c.get("tid") == queue)
        .map(|c| span(c))
        .collect();
    assert_eq!(timed.len(), TIMED);
    let sum: f64 = timed.iter().map(|(start, end)| end - start).sum();
    assert!((sum - total).abs() <= 0.02 * total, "{sum} is not {total}");
    let single = of_category("command")
        .into_iter()
        .find(|c| c.get("name").text() == "single");
    let arguments = single.expect("a launch").get("args");
    let numbers = |name: &str| {
        arguments
            .get(name)
            .list()
            .iter()
            .map(Json::number)
            .collect::<Vec<f64>>()
    };
    assert_eq!(numbers("work_groups"), [8.0, 1.0, 1.0]);
    assert_eq!(numbers("work_group_size"), [1.0, 1.0, 1.0]);
    // An arrow leads from the call that has enqueued it to each command, and begins before the command does.
    let (from, to) = (phase(events, "s"), phase(events, "f"));
    for command in &work {
        let number = command.get("args").get("command");
        let end = |list: &[&Json]| {
            let found = list.iter().find(|a| a.get("id") == number).expect("an arrow");
            (time(found, "ts"), found.get("tid").number())
        };
        let ((begins, thread), (ends, _)) = (end(&from), end(&to));
        assert_eq!(ends, span(command).0);
        assert!(begins < ends, "{command:?}");
        let contains =
            |c: &&&Json| c.get("tid").number() == thread && span(c).0 <= begins && begins <= span(c).1;
        let call = calls.iter().find(contains).expect("a call");
        assert_eq!(call.get("name").text(), "clEnqueueNDRangeKernel");
    }
    // The buffer is in the memory in use.
    let memory = phase(events, "C")
        .into_iter()
        .map(|c| c.get("args").get("bytes").number());
    assert!(memory.fold(0.0, f64::max) >= (4 * ITEMS) as f64);
    let labels = events.last().expect("an event").get("args").get("labels");
    assert_eq!(labels.text(), "complete");
}

/// A process that is killed leaves an array without its end, which Perfetto reads.
#[test]
fn a_trace_of_an_aborted_process_has_whole_lines() {
    if is_child() {
        run_program();
        // Longer than the writing thread sleeps.
        std::thread::sleep(std::time::Duration::from_millis(500));
        std::process::abort();
    }
    let path = file("aborted");
    let out = start(
        "a_trace_of_an_aborted_process_has_whole_lines",
        &[("CALDERA_TRACE", path.to_str().expect("a text"))],
    );
    assert!(!out.status.success());
    let text = written(&path);
    let whole = text.strip_suffix(",\n").expect("the last line is complete");
    let trace = Json::parse(&format!("{whole}]"));
    let kernels = trace.list().iter().filter(|e| e.get("name").text() == "work");
    assert_eq!(kernels.count(), TIMED + UNTIMED);
}
