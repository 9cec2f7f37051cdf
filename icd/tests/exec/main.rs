//! Runs kernels from test files through the C API, as README.md describes.

#[path = "../common/mod.rs"]
mod common;

mod aliases;
mod atomics;
mod byte_orders;
mod checked_buffers;
mod checker;
mod command_buffers;
mod command_updates;
mod conversions;
mod descriptors;
mod devices;
mod driver_faults;
mod ended_loops;
mod every_shift;
mod exact;
mod exchanged_bits;
mod expr;
mod file;
mod float_functions;
mod geometry;
mod half_memory;
mod il;
mod images;
mod initialized_memory;
mod integer_functions;
mod lab;
mod lanes;
mod large_functions;
mod layouts;
mod link;
mod math_functions;
mod matrices;
mod moves;
mod narrow_integers;
mod nesting;
mod observed;
mod order;
mod picture;
mod pipes;
mod printf;
mod printf_formats;
mod private_arguments;
mod read_write_images;
mod samplers;
mod scalar;
mod special_values;
mod subgroups;
mod times;
mod unified_memory;
mod variables;

use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

use common::objects::Setup;
use common::{cl_kernel, cl_mem, cl_program};
use expr::{Num, Scope, eval};
use file::{Arg, Run, parse};
use scalar::Scalar;

/// An argument on the device.
struct Placed {
    buffer: Option<cl_mem>,
    /// The contents before the run.
    values: Vec<Num>,
}

/// Sets an argument of a kernel, and creates its buffer. `earlier` has the values of the arguments before it.
fn place(s: &Setup, kernel: cl_kernel, index: u32, arg: &Arg, earlier: &[Vec<Num>]) -> Placed {
    let set = |size: usize, value: *const std::ffi::c_void| {
        let code = cl!(clSetKernelArg(kernel, index, size, value));
        assert_eq!(code, 0, "clSetKernelArg {index}: {arg:?}");
    };
    let compute = |scalar: &Scalar, n: usize, expression: &str, i: usize| {
        let value = eval(expression, &Scope { i, n, args: earlier });
        // The value as the device reads it, rounded to the type.
        scalar.decode(&scalar.encode(value))
    };
    match arg {
        Arg::Buffer {
            scalar,
            count,
            before,
            ..
        } => {
            let (bytes, values) = match before {
                Some(e) => {
                    let values: Vec<Num> = (0..*count).map(|i| compute(scalar, *count, e, i)).collect();
                    (values.iter().flat_map(|v| scalar.encode(*v)).collect(), values)
                }
                None => (vec![0xCD; count * scalar.size()], Vec::new()),
            };
            let buffer = s.buffer(&bytes);
            set(size_of::<cl_mem>(), (&raw const buffer).cast());
            Placed {
                buffer: Some(buffer),
                values,
            }
        }
        Arg::Value { scalar, values } => {
            let values: Vec<Num> = values.iter().map(|e| compute(scalar, 1, e, 0)).collect();
            let mut bytes: Vec<u8> = values.iter().flat_map(|v| scalar.encode(*v)).collect();
            if values.len() == 3 {
                // A vector of 3 has the size of one of 4.
                bytes.resize(4 * scalar.size(), 0);
            }
            set(bytes.len(), bytes.as_ptr().cast());
            Placed { buffer: None, values }
        }
        Arg::Local(bytes) => {
            set(*bytes, null());
            Placed {
                buffer: None,
                values: Vec::new(),
            }
        }
        Arg::Null => {
            set(size_of::<cl_mem>(), null());
            Placed {
                buffer: None,
                values: Vec::new(),
            }
        }
    }
}

/// Returns whether the device keeps subnormal numbers of `double`, or else of `float` (CL_FP_DENORM).
fn keeps_subnormals(s: &Setup, scalar: Scalar) -> bool {
    let config = match scalar {
        Scalar::Double => query!(clGetDeviceInfo(s.device; common::CL_DEVICE_DOUBLE_FP_CONFIG) as u64),
        _ => query!(clGetDeviceInfo(s.device; common::CL_DEVICE_SINGLE_FP_CONFIG) as u64),
    };
    config & common::CL_FP_DENORM != 0
}

/// Launches a kernel, and checks every element of its buffers.
fn execute(s: &Setup, kernel: cl_kernel, run: &Run) {
    let mut buffers = Vec::new();
    let mut values: Vec<Vec<Num>> = Vec::new();
    for (i, arg) in run.args.iter().enumerate() {
        let placed = place(s, kernel, i as u32, arg, &values);
        buffers.push(placed.buffer);
        values.push(placed.values);
    }
    let or_null = |list: &[usize]| if list.is_empty() { null() } else { list.as_ptr() };
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        run.global.len() as u32,
        or_null(&run.offset),
        run.global.as_ptr(),
        or_null(&run.local),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0, "clEnqueueNDRangeKernel");
    for (k, (arg, buffer)) in run.args.iter().zip(buffers).enumerate() {
        let (
            Arg::Buffer {
                scalar,
                count,
                after,
                flushed,
                ..
            },
            Some(buffer),
        ) = (arg, buffer)
        else {
            continue;
        };
        let bytes = s.read(buffer, count * scalar.size());
        let subnormals = keeps_subnormals(s, *scalar);
        for (i, element) in bytes.chunks(scalar.size()).enumerate() {
            let got = scalar.decode(element);
            let result = |e: &String| {
                let scope = Scope {
                    i,
                    n: *count,
                    args: &values,
                };
                scalar.decode(&scalar.encode(eval(e, &scope)))
            };
            let expected = match after {
                Some(e) => result(e),
                // The kernel must not change an input.
                None => values[k][i],
            };
            let is_flushed = || !subnormals && flushed.iter().any(|e| result(e) == got);
            assert!(
                scalar.close(got, expected, run.ulp) || is_flushed(),
                "kernel {}, argument {k}, element {i}: {got:?}, expected {expected:?}",
                run.kernel
            );
        }
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    }
}

/// Runs a file. An error describes the failure.
fn check(path: &Path) -> Result<(), String> {
    let source = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let result = std::panic::catch_unwind(|| {
        let s = Setup::new();
        let file = parse(&source);
        let extensions = query_text!(clGetDeviceInfo(s.device; common::CL_DEVICE_EXTENSIONS));
        let features = query_bytes!(clGetDeviceInfo(s.device; common::CL_DEVICE_OPENCL_C_FEATURES));
        let features = String::from_utf8_lossy(&features);
        let has = |name: &str| {
            extensions.split(' ').any(|e| e == name) || features.split('\0').any(|f| f.ends_with(name))
        };
        if file.modules_only || !file.needs.iter().all(|n| has(n)) {
            return;
        }
        if descriptors::is_inexpressible(path) {
            let program = s.program(&source);
            let code = cl!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
            let log = s.log(program);
            assert_eq!(code, common::CL_BUILD_PROGRAM_FAILURE, "{log}");
            assert!(log.contains("the descriptor ABI cannot express it"), "{log}");
            assert_eq!(cl!(clReleaseProgram(program)), 0);
            return;
        }
        let program = s.built(&source, &file.options);
        run_all(&s, program, &file.runs);
    });
    result.map_err(|panic| message(&*panic))
}

/// Executes all runs of a program, and releases it.
fn run_all(s: &Setup, program: cl_program, runs: &[Run]) {
    for run in runs {
        let kernel = s.kernel(program, &run.kernel);
        execute(s, kernel, run);
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Returns the message of a panic.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
        .unwrap_or_default()
}

/// The folders of the files, and of the sources of SPIR-V modules.
const EXEC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exec");
const IL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../compiler/tests/il");

/// Runs every file, or those whose name contains `CALDERA_TEST_FILE`.
#[test]
fn files() {
    let exec = Path::new(EXEC);
    check_files(exec);
    // A name in which nothing is found is misspelt.
    let all = [exec, &exec.join("opencl_3"), Path::new(IL)];
    assert!(
        all.iter().any(|dir| !wanted(dir).is_empty()),
        "no file has such a name"
    );
}

/// Runs the files for later versions of OpenCL C, and the sources of SPIR-V modules, in a process that reports OpenCL 3.1.
#[test]
fn opencl_3_files() {
    if std::env::var("CALDERA_CL_VERSION").is_ok_and(|v| v == "3.1") {
        check_files(&Path::new(EXEC).join("opencl_3"));
        check_files(Path::new(IL));
    } else {
        common::again::run_tests("opencl_3_", "CALDERA_CL_VERSION", "3.1");
    }
}

/// Returns the files of a folder whose path contains `CALDERA_TEST_FILE`; all, if there is no such variable.
fn wanted(dir: &Path) -> Vec<PathBuf> {
    let wanted = std::env::var("CALDERA_TEST_FILE").unwrap_or_default();
    let mut paths: Vec<_> = std::fs::read_dir(dir)
        .expect("directory of tests")
        .map(|entry| entry.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "cl") && p.display().to_string().contains(&wanted))
        .collect();
    paths.sort();
    paths
}

/// Runs the files of a folder.
fn check_files(dir: &Path) {
    let paths = wanted(dir);
    let mut failures = Vec::new();
    for path in &paths {
        if let Err(why) = check(path) {
            let name = path.file_name().unwrap_or_default().display();
            failures.push(format!("--- {name}\n{why}"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} files:\n{}",
        failures.len(),
        paths.len(),
        failures.join("\n")
    );
}

/// Loops with more iterations than any device executes, whose results the compiler knows. (The interpreter, which
/// runs `files`, executes every iteration.)
#[test]
fn known_loops() {
    check_files(Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/exec/known_loops"
    )));
}

/// Loops with more iterations than some drivers execute.
#[test]
fn long_loops() {
    let path = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/exec/long_loops/many_iterations.cl"
    ));
    check(path).unwrap_or_else(|why| panic!("{why}"));
}

/// The flags of `CALDERA_DEBUG` of one run of the tests. None of them depends on the others: where memory is, in which order commands
/// between two barriers are recorded (reversed, which shows barriers that are missing), and whether small work-groups run
/// together also where there are few of them.
const INDEPENDENT_FLAGS: &str = "discrete,reorder,pack-always";

/// Runs the tests with memory of the device's own, in reverse order, and with packed work-groups.
#[test]
fn with_memory_of_the_devices_own_in_reverse_order_and_packed() {
    common::again::run_all_tests_but("CALDERA_DEBUG", INDEPENDENT_FLAGS, &["observed::"]);
}

/// Runs the tests of profiles and traces in the same way, but with the work-groups of the application, which hints count.
#[test]
fn observed_with_memory_of_the_devices_own_in_reverse_order() {
    common::again::run_tests("observed::", "CALDERA_DEBUG", "discrete,reorder");
}
