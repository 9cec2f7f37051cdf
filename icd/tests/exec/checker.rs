//! `CALDERA_CHECK`: each fault of wrong kernels is found in its line, and nothing is found in right ones. The tests run in
//! processes of their own, because the variable is read once.

use std::collections::BTreeMap;
use std::process::{Command, Output};
use std::ptr::{null, null_mut};

use crate::common::again::UNOPTIMIZED;
use crate::common::objects::Setup;
use crate::common::{CL_EVENT_COMMAND_EXECUTION_STATUS, cl_kernel, cl_mem};
use crate::{cl, common, created, query};

/// The variable that only the processes of their own have.
const FILE: &str = "CALDERA_CHECK_FILE";

/// Runs a test of this module again, with checks. Returns its output and the lines with its findings.
fn again(test: &str, checks: &str, variables: &[(&str, &str)]) -> (Output, Vec<String>) {
    checked(&[&format!("checker::{test}")], checks, variables)
}

/// Runs tests again, with checks. Returns their output and the lines with their findings.
fn checked(tests: &[&str], checks: &str, variables: &[(&str, &str)]) -> (Output, Vec<String>) {
    let name = format!(
        "caldera-findings-{}-{}",
        std::process::id(),
        tests[0].replace(':', "-")
    );
    let file = std::env::temp_dir().join(name);
    let this = std::env::current_exe().expect("a running test has a path");
    let out = Command::new(this)
        .args(["--exact", "--nocapture"])
        .args(tests)
        .env("CALDERA_CHECK", checks)
        .env(FILE, &file)
        .envs(variables.iter().copied())
        .output()
        .expect("the test runs again");
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let _ = std::fs::remove_file(&file);
    (out, text.lines().map(String::from).collect())
}

/// Runs a test again, with checks. Returns its output and the lines with its findings.
pub(crate) fn again_in(test: &str, checks: &str) -> (Output, Vec<String>) {
    checked(&[test], checks, &[])
}

pub(crate) fn is_child() -> bool {
    std::env::var_os(FILE).is_some()
}

/// Returns the text of a field of a finding, without quotation marks.
pub(crate) fn field<'l>(line: &'l str, name: &str) -> &'l str {
    let key = format!("\"{name}\":");
    let rest = line.split_once(&key).expect("the field exists").1;
    match rest.strip_prefix('"') {
        Some(text) => text.split('"').next().expect("a string ends"),
        None => rest.split([',', '}']).next().expect("a number ends"),
    }
}

pub(crate) fn launch(s: &Setup, kernel: cl_kernel, items: usize) {
    let size = &raw const items;
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        1,
        null(),
        size,
        size,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

pub(crate) fn set_buffer(kernel: cl_kernel, index: u32, buffer: &cl_mem) {
    let at: *const cl_mem = buffer;
    assert_eq!(
        cl!(clSetKernelArg(kernel, index, size_of::<cl_mem>(), at.cast())),
        0
    );
}

/// Returns the names of the kernels of a source, each with the line of its fault.
fn faults(source: &str) -> BTreeMap<String, u32> {
    let mut all = BTreeMap::new();
    let mut kernel = String::new();
    for (line, n) in source.lines().zip(1..) {
        if let Some(rest) = line.strip_prefix("kernel void ") {
            kernel = rest.split('(').next().expect("a name").to_owned();
            all.entry(kernel.clone()).or_insert(0);
        }
        match line.split_once("// fault") {
            Some((_, "")) => drop(all.insert(kernel.clone(), n)),
            Some((_, rest)) => drop(all.insert(rest.trim_start_matches(" of ").to_owned(), n)),
            None => {}
        }
    }
    all
}

/// Returns the source of the wrong kernels for a check that the ABI can express.
fn wrong_kernels(check: &str) -> String {
    let by_address = match (common::again::with_descriptors(), check) {
        (false, "memory") => include_str!("checks/by_address.cl"),
        (false, "uninitialized") => include_str!("checks/uninitialized_by_address.cl"),
        (false, "race") => include_str!("checks/race_by_address.cl"),
        _ => "",
    };
    match check {
        "memory" => include_str!("checks/memory.cl").to_owned() + by_address,
        "uninitialized" => include_str!("checks/uninitialized.cl").to_owned() + by_address,
        "race" => include_str!("checks/race.cl").to_owned() + by_address,
        "barrier" => include_str!("checks/barrier.cl").to_owned(),
        _ => include_str!("checks/arithmetic.cl").to_owned(),
    }
}

fn run_wrong(check: &str) {
    let s = Setup::new();
    let source = wrong_kernels(check);
    let program = s.built(&source, "");
    let ints = |n: i32| (0..n).flat_map(i32::to_ne_bytes).collect::<Vec<u8>>();
    for name in faults(&source).keys() {
        let kernel = s.kernel(program, name);
        let buffers = [s.buffer(&ints(16)), s.buffer(&ints(16)), s.buffer(&ints(8))];
        for (index, buffer) in (0..).zip(&buffers) {
            set_buffer(kernel, index, buffer);
        }
        let n = 16i32;
        assert_eq!(cl!(clSetKernelArg(kernel, 3, 32, null())), 0);
        assert_eq!(cl!(clSetKernelArg(kernel, 4, 4, (&raw const n).cast())), 0);
        launch(&s, kernel, 4);
        // The other buffers are as they were.
        assert_eq!(s.read(buffers[1], 64), ints(16), "{name}");
        assert_eq!(s.read(buffers[2], 32), ints(8), "{name}");
        for buffer in buffers {
            assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
        }
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Each of at least `count` kernels has one fault, which is found in its line, and nothing else is found, by the check
/// alone and by all checks.
fn faults_are_found(test: &str, check: &str, count: usize) {
    if is_child() {
        return run_wrong(check);
    }
    for (checks, variables) in [(check, &[][..]), ("all", &[UNOPTIMIZED])] {
        let (out, lines) = again(test, checks, variables);
        let errors = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{errors}");
        let mut wrong = Vec::new();
        let expected = faults(&wrong_kernels(check));
        for (name, fault) in &expected {
            let found: Vec<&String> = lines.iter().filter(|l| field(l, "kernel") == name).collect();
            let is_right =
                |l: &&&String| field(l, "line").parse() == Ok(*fault) && field(l, "check") == check;
            if name == "pointer_in_record" && common::again::with_descriptors() {
                assert!(found.is_empty(), "{name}: {found:?}");
            } else if found.is_empty() || !found.iter().all(|l| is_right(&l)) {
                wrong.push(format!("{name}, line {fault}: {found:#?}"));
            }
        }
        assert!(wrong.is_empty(), "{checks}: {}\n{errors}", wrong.join("\n"));
        assert!(expected.len() >= count);
    }
}

#[test]
fn faults_in_memory_are_found() {
    let by_address = usize::from(!common::again::with_descriptors());
    faults_are_found("faults_in_memory_are_found", "memory", 54 + 2 * by_address);
}

#[test]
fn uses_of_uninitialized_memory_are_found() {
    let by_address = if common::again::with_descriptors() { 0 } else { 3 };
    faults_are_found(
        "uses_of_uninitialized_memory_are_found",
        "uninitialized",
        22 + by_address,
    );
}

#[test]
fn races_are_found() {
    let by_address = if common::again::with_descriptors() { 0 } else { 12 };
    faults_are_found("races_are_found", "race", 10 + by_address);
}

#[test]
fn barriers_that_not_all_reach_are_found() {
    faults_are_found("barriers_that_not_all_reach_are_found", "barrier", 16);
}

#[test]
fn faults_in_arithmetic_are_found() {
    faults_are_found("faults_in_arithmetic_are_found", "arithmetic", 23);
}

fn run_right() {
    let s = Setup::new();
    let source = include_str!("checks/right.cl");
    let program = s.built(source, "");
    let ints: Vec<u8> = (0..256i32).flat_map(i32::to_ne_bytes).collect();
    for name in faults(source).keys() {
        let kernel = s.kernel(program, name);
        let buffers = [s.buffer(&[0; 1024]), s.buffer(&ints)];
        for (index, buffer) in (0..).zip(&buffers) {
            set_buffer(kernel, index, buffer);
        }
        assert_eq!(cl!(clSetKernelArg(kernel, 2, 256, null())), 0);
        let (items, group) = (64usize, 16usize);
        let sizes = (&raw const items, &raw const group);
        let (queue, none) = (s.queue, null_mut());
        let code = cl!(clEnqueueNDRangeKernel(
            queue,
            kernel,
            1,
            null(),
            sizes.0,
            sizes.1,
            0,
            null(),
            none
        ));
        assert_eq!(code, 0, "{name}");
        assert_eq!(cl!(clFinish(s.queue)), 0, "{name}");
        for buffer in buffers {
            assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
        }
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Kernels that synchronise in all ways that OpenCL C has.
#[test]
fn synchronisation_is_not_accused() {
    if is_child() {
        return run_right();
    }
    let (out, lines) = again("synchronisation_is_not_accused", "all", &[]);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{errors}");
    assert!(lines.is_empty(), "{lines:#?}");
    let is_followed = !errors.contains("'copies_of_group'") || common::again::with_descriptors();
    assert!(is_followed, "copies leave something out: {errors}");
}

const RACE: &str = "kernel void two_lines(local int *l, global int *out) {
  l[get_local_id(0)] = get_local_id(0);
  out[get_local_id(0)] = l[get_local_id(0) ^ 1];
}";

fn run_race() {
    let s = Setup::new();
    let program = s.built(RACE, "");
    let kernel = s.kernel(program, "two_lines");
    let buffer = s.buffer(&[0; 64]);
    assert_eq!(cl!(clSetKernelArg(kernel, 0, 64, null())), 0);
    set_buffer(kernel, 1, &buffer);
    launch(&s, kernel, 16);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Which of the two accesses comes first may differ from device to device.
#[test]
fn races_name_both_accesses() {
    if is_child() {
        return run_race();
    }
    let (out, lines) = again("races_name_both_accesses", "race", &[]);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{errors}");
    if common::again::with_descriptors() {
        return assert!(lines.is_empty(), "{errors}");
    }
    assert!(!lines.is_empty(), "{errors}");
    for line in &lines {
        let found = (field(line, "line"), field(line, "other_line"));
        assert!(matches!(found, ("2", "3") | ("3", "2")), "{errors}");
        let [own, other] = ["local_id", "other"].map(|name| field(line, name));
        assert!(
            other.starts_with("the work-item with the local linear id "),
            "{other}"
        );
        assert!(!own.is_empty());
    }
    assert!(errors.contains("    other access: in <source>:"), "{errors}");
}

const LEFT_OUT: &str = "
kernel void walks(global int *out) {
  local int own[64];
  for (local int *p = own; p < own + 64; p++) *p = 1;
  out[0] = own[3];
}
kernel void fences(global int *out) {
  local int own[64];
  own[get_local_id(0)] = 1;
  mem_fence(CLK_LOCAL_MEM_FENCE);
  atomic_inc(out);
  out[get_local_id(0) + 1] = own[get_local_id(0)];
}
kernel void moves(global int *out, int n) {
  for (global int *p = out; p < out + n; p++) *p = 1;
}
kernel void right(global int *out) { out[get_global_id(0)] = 1; }
";

fn run_left_out() {
    let s = Setup::new();
    let program = s.built(LEFT_OUT, "");
    let buffer = s.buffer(&[0; 1024]);
    for name in ["walks", "fences", "moves", "right"] {
        let kernel = s.kernel(program, name);
        set_buffer(kernel, 0, &buffer);
        let n = 4i32;
        if name == "moves" {
            assert_eq!(cl!(clSetKernelArg(kernel, 1, 4, (&raw const n).cast())), 0);
        }
        for _ in 0..2 {
            launch(&s, kernel, 1);
        }
        assert_eq!(cl!(clFinish(s.queue)), 0);
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// What a check leaves out is said once for each kernel, with the reason.
#[test]
fn what_is_not_checked_is_said() {
    if is_child() {
        return run_left_out();
    }
    let (out, lines) = again("what_is_not_checked_is_said", "race", &[]);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && lines.is_empty(), "{errors}");
    let mut expected = vec![
        "race: not checked in kernel 'walks': local variable 'walks.own' of 256 bytes (its address ",
        "race: not checked in kernel 'fences': the whole kernel (its work-items may synchronise by fences and atomic operations)",
    ];
    if !common::again::with_descriptors() {
        expected.push("race: not checked in kernel 'moves': argument 0 'out' (accesses through pointers ");
    }
    for text in &expected {
        assert_eq!(errors.matches(text).count(), 1, "{text}: {errors}");
    }
    assert!(
        !errors.contains("'right'") || common::again::with_descriptors(),
        "{errors}"
    );
}

const SOME: &str = "
kernel void put(global int *out, int at) { out[at] = 7; }
kernel void next(global const int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0) + 1]; }
";

fn run_objects() {
    let s = Setup::new();
    let program = s.built(SOME, "");
    let put = s.kernel(program, "put");
    let buffer = s.buffer(&[1; 4096]);
    let put_at = |buffer: *const cl_mem, at: i32| {
        assert_eq!(cl!(clSetKernelArg(put, 0, size_of::<cl_mem>(), buffer.cast())), 0);
        assert_eq!(cl!(clSetKernelArg(put, 1, 4, (&raw const at).cast())), 0);
        launch(&s, put, 1);
        assert_eq!(cl!(clFinish(s.queue)), 0);
    };
    put_at(&raw const buffer, 1023);
    put_at(&raw const buffer, 1024);
    let region = [1024usize, 1024];
    let (sub, code) = created!(clCreateSubBuffer(
        buffer,
        0,
        common::CL_BUFFER_CREATE_TYPE_REGION,
        region.as_ptr().cast()
    ));
    assert_eq!(code, 0);
    // Inside of the buffer, but not of the sub-buffer.
    put_at(&raw const sub, 256);
    put_at(null(), 0);
    let bytes = s.read(buffer, 4096);
    let sevens = bytes.chunks(4).filter(|w| **w == 7i32.to_ne_bytes()).count();
    assert_eq!(sevens, 1, "the stores outside were left out");
    for object in [sub, buffer] {
        assert_eq!(cl!(clReleaseMemObject(object)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(put)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Sub-buffers and null pointers; the report names the objects, and launches after the first are counted.
#[test]
fn objects_are_named() {
    if is_child() {
        return run_objects();
    }
    let (out, lines) = again("objects_are_named", "memory", &[]);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{errors}");
    // The three faults have one site.
    assert_eq!(lines.len(), 1, "{lines:#?}");
    for text in [
        "caldera: memory: <source>:2:44: store of 4 bytes outside of its object in global memory\n",
        "    kernel void put(global int *out, int at) { out[at] = 7; }\n",
        "    object: argument 0 'out' (buffer 1 of 4096 bytes)\n",
        "    access: at offset 4096, 0 bytes after its end\n",
        "    kernel 'put', global id (0, 0, 0), local id (0, 0, 0)\n",
    ] {
        assert!(errors.contains(text), "{text}{errors}");
    }
}

fn run_flags() {
    let s = Setup::new();
    let program = s.built(SOME, "");
    let next = s.kernel(program, "next");
    let with = |flags: u64| {
        let (buffer, code) = created!(clCreateBuffer(s.context, flags, 64, null_mut()));
        assert_eq!(code, 0);
        buffer
    };
    // The first pair of flags is right, and each of the others is wrong in one of them.
    let (both, writes, reads) = (1, 2, 4);
    for (from, to) in [(reads, writes), (writes, both), (both, reads)] {
        let (from, to) = (with(from), with(to));
        set_buffer(next, 0, &from);
        set_buffer(next, 1, &to);
        launch(&s, next, 15);
        assert_eq!(cl!(clFinish(s.queue)), 0);
        for buffer in [from, to] {
            assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
        }
    }
    assert_eq!(cl!(clReleaseKernel(next)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// CL_MEM_READ_ONLY and CL_MEM_WRITE_ONLY.
#[test]
fn flags_of_buffers_are_checked() {
    if is_child() {
        return run_flags();
    }
    let (out, lines) = again("flags_of_buffers_are_checked", "memory", &[]);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{errors}");
    let found: Vec<(&str, &str)> = lines
        .iter()
        .map(|l| (field(l, "action"), field(l, "count")))
        .collect();
    assert_eq!(found, [("load", "15"), ("store", "15")], "{errors}");
    for text in [
        ": load of 4 bytes that the flags of its buffer do not allow in global memory\n",
        "    object: argument 0 'in' (buffer 3 of 64 bytes, CL_MEM_WRITE_ONLY)\n",
        ": store of 4 bytes that the flags of its buffer do not allow in global memory\n",
        "    object: argument 1 'out' (buffer 6 of 64 bytes, CL_MEM_READ_ONLY)\n",
    ] {
        assert!(errors.contains(text), "{text}{errors}");
    }
}

fn run_failing() {
    let s = Setup::new();
    let program = s.built(SOME, "");
    let next = s.kernel(program, "next");
    let [from, to] = [s.buffer(&[1; 64]), s.buffer(&[0; 64])];
    set_buffer(next, 0, &from);
    set_buffer(next, 1, &to);
    launch(&s, next, 15);
    assert_eq!(cl!(clFinish(s.queue)), 0, "no fault");
    launch(&s, next, 16);
    assert_eq!(cl!(clFlush(s.queue)), 0);
    // A later launch fails, too: if the device has it before the fault is known, by its event.
    let (items, mut event) = (15usize, null_mut());
    let size = &raw const items;
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        next,
        1,
        null(),
        size,
        size,
        0,
        null(),
        &raw mut event
    ));
    assert_ne!(cl!(clFinish(s.queue)), 0, "a fault");
    if code == 0 {
        assert!(query!(clGetEventInfo(event; CL_EVENT_COMMAND_EXECUTION_STATUS) as i32) < 0);
        assert_eq!(cl!(clReleaseEvent(event)), 0);
    }
    for buffer in [from, to] {
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(next)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// `CALDERA_CHECK_ERROR`.
#[test]
fn findings_are_errors_on_demand() {
    if is_child() {
        return run_failing();
    }
    let (out, lines) = again(
        "findings_are_errors_on_demand",
        "memory",
        &[("CALDERA_CHECK_ERROR", "fail")],
    );
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{errors}");
    assert_eq!(lines.len(), 1);
    assert!(!errors.contains("loops"), "{errors}");
    let (out, lines) = again(
        "findings_are_errors_on_demand",
        "memory",
        &[("CALDERA_CHECK_ERROR", "abort")],
    );
    assert!(!out.status.success());
    assert_eq!(lines.len(), 1);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(!errors.contains("a fault"), "{errors}");
}

/// The kernels of the other tests: the results are the same with checks, and what is found is true: one kernel divides by
/// zero, and another one has `int A = A+0*0;`.
#[test]
fn right_kernels_are_not_accused() {
    if is_child() || std::env::var_os("CALDERA_TEST_AGAIN").is_some() {
        return;
    }
    let others = "memory,uninitialized,barrier,arithmetic";
    for (tests, checks, faults) in [
        (
            &["files", "printf_formats::every_conversion"][..],
            others,
            // A division by zero, and the two kernels of constant_conversions.cl whose numbers are out of range.
            &[
                "arithmetic constants",
                "arithmetic constants",
                "arithmetic in_loops",
                "uninitialized scopes",
            ][..],
        ),
        (&["files"], "race", &[]),
    ] {
        let (out, lines) = checked(tests, checks, &[UNOPTIMIZED]);
        let (text, errors) = (
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr),
        );
        assert!(out.status.success(), "{text}{errors}");
        let found = |l: &String| format!("{} {}", field(l, "check"), field(l, "kernel"));
        let mut found: Vec<String> = lines.iter().map(found).collect();
        found.sort_unstable();
        assert_eq!(found, faults, "{lines:#?}");
    }
}
