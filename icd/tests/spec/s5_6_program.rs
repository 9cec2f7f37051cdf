//! CL 5.6

use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query, query_bytes, query_text};

const TWO: &str = "kernel void first(global int *a) { a[get_global_id(0)] = 1; }\n\
                   kernel void second(global int *a, int b) { a[get_global_id(0)] = b; }\n";

fn build(program: cl_program, options: &str) -> i32 {
    let options = CString::new(options).expect("no zero byte");
    cl!(clBuildProgram(
        program,
        0,
        null(),
        options.as_ptr(),
        None,
        null_mut()
    ))
}

#[test]
fn create_with_source() {
    let s = Setup::new();
    let pieces = [c"kernel void ".as_ptr(), c"f() {}garbage".as_ptr()];
    let lengths = [0usize, 6];
    let (p, code) = created!(clCreateProgramWithSource(
        s.context,
        2,
        pieces.as_ptr().cast_mut(),
        lengths.as_ptr()
    ));
    assert_eq!(code, 0);
    assert_eq!(
        query_text!(clGetProgramInfo(p; CL_PROGRAM_SOURCE)),
        "kernel void f() {}"
    );
    assert_eq!(query!(clGetProgramInfo(p; CL_PROGRAM_REFERENCE_COUNT) as u32), 1);
    assert_eq!(
        query!(clGetProgramInfo(p; CL_PROGRAM_CONTEXT) as usize),
        s.context.addr()
    );
    assert_eq!(query!(clGetProgramInfo(p; CL_PROGRAM_NUM_DEVICES) as u32), 1);
    assert_eq!(
        query!(clGetProgramInfo(p; CL_PROGRAM_DEVICES) as usize),
        s.device.addr()
    );
    assert_eq!(
        query!(clGetProgramBuildInfo(p, s.device; CL_PROGRAM_BUILD_STATUS) as i32),
        CL_BUILD_NONE
    );
    assert_eq!(
        query_text!(clGetProgramBuildInfo(p, s.device; CL_PROGRAM_BUILD_LOG)),
        ""
    );
    assert_eq!(
        query!(clGetProgramBuildInfo(p, s.device; CL_PROGRAM_BINARY_TYPE) as u32),
        CL_PROGRAM_BINARY_TYPE_NONE
    );
    // INVALID_PROGRAM_EXECUTABLE if param_name is CL_PROGRAM_NUM_KERNELS or _KERNEL_NAMES and nothing is built
    let code = cl!(clGetProgramInfo(
        p,
        CL_PROGRAM_NUM_KERNELS,
        0,
        null_mut(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_PROGRAM_EXECUTABLE);
    assert_eq!(
        cl!(clGetProgramInfo(p, 0x9999, 0, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(
        cl!(clGetProgramBuildInfo(
            p,
            s.device,
            0x9999,
            0,
            null_mut(),
            null_mut()
        )),
        CL_INVALID_VALUE
    );
    let code = cl!(clGetProgramBuildInfo(
        p,
        null_mut(),
        CL_PROGRAM_BUILD_LOG,
        0,
        null_mut(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_DEVICE);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
    // INVALID_VALUE if count is zero or if strings or any entry in strings is NULL
    let (_, code) = created!(clCreateProgramWithSource(
        s.context,
        0,
        pieces.as_ptr().cast_mut(),
        null()
    ));
    assert_eq!(code, CL_INVALID_VALUE);
    let (_, code) = created!(clCreateProgramWithSource(s.context, 1, null_mut(), null()));
    assert_eq!(code, CL_INVALID_VALUE);
    let holes = [pieces[0], null()];
    let (_, code) = created!(clCreateProgramWithSource(
        s.context,
        2,
        holes.as_ptr().cast_mut(),
        null()
    ));
    assert_eq!(code, CL_INVALID_VALUE);
}

#[test]
fn build_and_ask() {
    let s = Setup::new();
    let p = s.built(TWO, "-D X=1");
    assert_eq!(
        query!(clGetProgramBuildInfo(p, s.device; CL_PROGRAM_BUILD_STATUS) as i32),
        CL_BUILD_SUCCESS
    );
    assert_eq!(
        query_text!(clGetProgramBuildInfo(p, s.device; CL_PROGRAM_BUILD_OPTIONS)),
        "-D X=1"
    );
    assert_eq!(
        query!(clGetProgramBuildInfo(p, s.device; CL_PROGRAM_BINARY_TYPE) as u32),
        CL_PROGRAM_BINARY_TYPE_EXECUTABLE
    );
    assert_eq!(query!(clGetProgramInfo(p; CL_PROGRAM_NUM_KERNELS) as usize), 2);
    let names = query_text!(clGetProgramInfo(p; CL_PROGRAM_KERNEL_NAMES));
    let mut names: Vec<&str> = names.split(';').collect();
    names.sort_unstable();
    assert_eq!(names, ["first", "second"]);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

#[test]
fn build_errors() {
    let s = Setup::new();
    let p = s.program(TWO);
    // INVALID_BUILD_OPTIONS if the build options are invalid
    assert_eq!(build(p, "-no-such-option"), CL_INVALID_BUILD_OPTIONS);
    // INVALID_VALUE if device_list and num_devices contradict each other, or user_data comes without pfn_notify
    let d = s.device;
    assert_eq!(
        cl!(clBuildProgram(p, 0, &raw const d, null(), None, null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(
        cl!(clBuildProgram(p, 1, null(), null(), None, null_mut())),
        CL_INVALID_VALUE
    );
    let data = std::ptr::without_provenance_mut(1);
    assert_eq!(
        cl!(clBuildProgram(p, 0, null(), null(), None, data)),
        CL_INVALID_VALUE
    );
    // INVALID_DEVICE if devices are not in the list of devices associated with program
    let nothing: cl_device_id = null_mut();
    assert_eq!(
        cl!(clBuildProgram(p, 1, &raw const nothing, null(), None, null_mut())),
        CL_INVALID_DEVICE
    );
    // The program is still usable.
    assert_eq!(build(p, ""), 0);
    // INVALID_OPERATION if there are kernel objects attached to program
    let k = s.kernel(p, "first");
    assert_eq!(build(p, ""), CL_INVALID_OPERATION);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(build(p, ""), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

#[test]
fn bad_programs_have_a_log() {
    let s = Setup::new();
    for (source, line, column, words) in [
        (
            "kernel void f(global int *a) {\n  a[0] = 1\n}\n",
            2,
            0,
            "expected",
        ),
        (
            "kernel void f(global int *a) {\n  a[0] = nope;\n}\n",
            2,
            10,
            "nope",
        ),
        (
            "kernel void f(global int *a) {\n  a[0] = a;\n  int *p = 1.5f;\n}\n",
            3,
            0,
            "",
        ),
        ("#include \"missing.h\"\nkernel void f() {}\n", 1, 0, "missing.h"),
        // Reading this device file would never end.
        (
            "#include \"/dev/zero\"\nkernel void f() {}\n",
            1,
            0,
            "it is not a regular file",
        ),
        (
            "int g(int x) { return g(x); }\nkernel void f(global int *a) { a[0] = g(1); }\n",
            1,
            0,
            "recurs",
        ),
    ] {
        let p = s.program(source);
        assert_eq!(build(p, ""), CL_BUILD_PROGRAM_FAILURE, "{source}");
        assert_eq!(
            query!(clGetProgramBuildInfo(p, s.device; CL_PROGRAM_BUILD_STATUS) as i32),
            CL_BUILD_ERROR
        );
        let log = s.log(p);
        assert!(log.contains("error: "), "{log}");
        assert!(log.contains(&format!(":{line}:")), "line {line} in {log}");
        assert!(
            column == 0 || log.contains(&format!(":{line}:{column}:")),
            "{line}:{column} in {log}"
        );
        assert!(log.contains('^'), "{log}");
        assert!(log.to_lowercase().contains(words), "{words} in {log}");
        assert_eq!(
            created!(clCreateKernel(p, c"f".as_ptr())).1,
            CL_INVALID_PROGRAM_EXECUTABLE
        );
        assert_eq!(cl!(clReleaseProgram(p)), 0);
    }
}

#[test]
fn macros_of_the_command_line() {
    let s = Setup::new();
    let p =
        s.program("#ifndef GOOD\n#error no GOOD\n#endif\nkernel void f(global int *a) { a[0] = GOOD; }\n");
    assert_eq!(build(p, ""), CL_BUILD_PROGRAM_FAILURE);
    assert!(s.log(p).contains("no GOOD"));
    assert_eq!(build(p, "-DGOOD=7"), 0, "{}", s.log(p));
    assert_eq!(build(p, "-D \"GOOD=7\nnothing of this\""), 0, "{}", s.log(p));
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

/// CL 5.6.4.1: `-I` with and without a space, with quotes, and with spaces in the name. Directories are searched in
/// order.
#[test]
fn include_directories() {
    let root = std::env::temp_dir().join(format!("caldera includes {}", std::process::id()));
    for (dir, value) in [("first one", 1), ("second", 2)] {
        std::fs::create_dir_all(root.join(dir)).expect("a directory");
        let text = format!("#define VALUE {value}\n#include \"beside.h\"\n");
        std::fs::write(root.join(dir).join("value.h"), text).expect("a file");
        std::fs::write(
            root.join(dir).join("beside.h"),
            format!("#define BESIDE {value}\n"),
        )
        .expect("a file");
    }
    let s = Setup::new();
    let p =
        s.program("#include <value.h>\n_Static_assert(VALUE == WANTED && BESIDE == WANTED, \"which\");\n");
    assert_eq!(build(p, "-DWANTED=1"), CL_BUILD_PROGRAM_FAILURE);
    assert!(s.log(p).contains("value.h"), "{}", s.log(p));
    let (first, second) = (root.join("first one"), root.join("second"));
    let (first, second) = (first.display(), second.display());
    let escaped = first.to_string().replace(' ', "\\ ");
    for (options, wanted) in [
        (format!("-I \"{first}\""), 1),
        (format!("-I\"{first}\""), 1),
        (format!("\"-I{first}\""), 1),
        (format!("-I '{first}' -I \"{second}\""), 1),
        (format!("-I {escaped}"), 1),
        (format!("-I \"{second}\" -I \"{first}\""), 2),
        (format!("-I \"{}/second/\"", root.display()), 2),
        (format!("-I \"{first}/../second\""), 2),
    ] {
        let options = format!("{options} -D WANTED={wanted}");
        assert_eq!(build(p, &options), 0, "{options}: {}", s.log(p));
    }
    assert_eq!(cl!(clReleaseProgram(p)), 0);
    std::fs::remove_dir_all(&root).expect("the directory goes");
}

/// CL 5.6.4.5, 5.6.4.6: the options for warnings and for the language version.
#[test]
fn warnings_and_versions() {
    let s = Setup::new();
    let p = s.program(
        "#if __OPENCL_C_VERSION__ < 120\nint popcount(int x) { return 0; }\n#endif\n\
         kernel void f(global int *a) { a[0] = popcount(a[1] / 0); }\n",
    );
    let single = query!(clGetDeviceInfo(s.device; CL_DEVICE_SINGLE_FP_CONFIG) as u64);
    let rounds = single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0;
    for (options, code, text) in [
        ("", 0, "warning: division by zero"),
        ("-w", 0, ""),
        ("-Werror", CL_BUILD_PROGRAM_FAILURE, "-Werror"),
        ("-w -Werror", 0, ""),
        ("-cl-std=CL1.0 -w", 0, ""),
        ("-cl-std=CL1.1 -w", 0, ""),
        ("-cl-std=CL1.2 -w", 0, ""),
        (
            "-cl-std=CL2.0",
            CL_BUILD_PROGRAM_FAILURE,
            "'-cl-std=CL2.0' is not supported",
        ),
        (
            "-cl-std=CL3.0",
            CL_BUILD_PROGRAM_FAILURE,
            "'-cl-std=CL3.0' is not supported",
        ),
        ("-cl-std=CL7", CL_INVALID_BUILD_OPTIONS, ""),
        ("-cl-std=", CL_INVALID_BUILD_OPTIONS, ""),
        (
            "-w -cl-opt-disable -cl-strict-aliasing -cl-denorms-are-zero -cl-mad-enable -cl-no-signed-zeros \
             -cl-unsafe-math-optimizations -cl-finite-math-only -cl-fast-relaxed-math -cl-kernel-arg-info \
             -cl-single-precision-constant",
            0,
            "",
        ),
        match rounds {
            true => ("-w -cl-fp32-correctly-rounded-divide-sqrt", 0, ""),
            false => (
                "-cl-fp32-correctly-rounded-divide-sqrt",
                CL_BUILD_PROGRAM_FAILURE,
                "CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT",
            ),
        },
    ] {
        assert_eq!(build(p, options), code, "{options}: {}", s.log(p));
        if code == CL_INVALID_BUILD_OPTIONS {
            continue;
        }
        let log = s.log(p);
        let fits = if text.is_empty() {
            log.trim().is_empty()
        } else {
            log.contains(text)
        };
        assert!(fits, "{options}: {log}");
    }
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

static CALLED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn called(program: cl_program, data: *mut c_void) {
    assert!(!program.is_null());
    assert_eq!(data.addr(), 0x77);
    CALLED.store(true, Ordering::SeqCst);
}

#[test]
fn build_with_callback() {
    let s = Setup::new();
    let p = s.program(TWO);
    let data = std::ptr::without_provenance_mut(0x77);
    assert_eq!(cl!(clBuildProgram(p, 0, null(), null(), Some(called), data)), 0);
    for _ in 0..1000 {
        if CALLED.load(Ordering::SeqCst) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(CALLED.load(Ordering::SeqCst));
    assert_eq!(
        query!(clGetProgramBuildInfo(p, s.device; CL_PROGRAM_BUILD_STATUS) as i32),
        CL_BUILD_SUCCESS
    );
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

unsafe extern "C" fn ignored(_: cl_program, _: *mut c_void) {}

/// A build with a notify function may return before it ends; what needs its result waits for it.
#[test]
fn a_program_that_is_being_built_is_waited_for() {
    let s = Setup::new();
    let source: String = (0..300)
        .map(|i| format!("kernel void k{i}(global int *p) {{ for (int j = 0; j < {i}; j++) p[j] ^= p[j + 1] * {i}; }}\n"))
        .collect();
    let notify = Some(ignored as unsafe extern "C" fn(cl_program, *mut c_void));
    let start = |options: &std::ffi::CStr| {
        let p = s.program(&source);
        let code = cl!(clBuildProgram(p, 0, null(), options.as_ptr(), notify, null_mut()));
        assert_eq!(code, 0);
        p
    };
    // Other options make another program, so that no cache shortens the build.
    let p = start(c"-DA=1");
    let (k, code) = created!(clCreateKernel(p, c"k299".as_ptr()));
    assert_eq!(code, 0);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
    let p = start(c"-DA=2");
    assert_eq!(query!(clGetProgramInfo(p; CL_PROGRAM_NUM_KERNELS) as usize), 300);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
    let p = start(c"-DA=3");
    assert!(!binary(p).is_empty());
    assert_eq!(cl!(clReleaseProgram(p)), 0);
    let p = start(c"-DA=4");
    let mut count = 0;
    assert_eq!(cl!(clCreateKernelsInProgram(p, 0, null_mut(), &raw mut count)), 0);
    assert_eq!(count, 300);
    assert_eq!(cl!(clReleaseProgram(p)), 0);

    let p = s.program(&source);
    let code = cl!(clCompileProgram(
        p,
        0,
        null(),
        c"-DA=5".as_ptr(),
        0,
        null(),
        null_mut(),
        notify,
        null_mut()
    ));
    assert_eq!(code, 0);
    let (q, code) = created!(clLinkProgram(
        s.context,
        0,
        null(),
        null(),
        1,
        &raw const p,
        notify,
        null_mut()
    ));
    assert_eq!(code, 0);
    let k = s.kernel(q, "k7");
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(q)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

/// Returns the binary of a program for one device.
fn binary(p: cl_program) -> Vec<u8> {
    let size = query!(clGetProgramInfo(p; CL_PROGRAM_BINARY_SIZES) as usize);
    let mut bytes = vec![0u8; size];
    let mut place = bytes.as_mut_ptr();
    let code = cl!(clGetProgramInfo(
        p,
        CL_PROGRAM_BINARIES,
        size_of::<usize>(),
        (&raw mut place).cast(),
        null_mut()
    ));
    assert_eq!(code, 0);
    bytes
}

fn with_binary(s: &Setup, bytes: &[u8]) -> (cl_program, i32, i32) {
    let (mut place, length, mut status) = (bytes.as_ptr(), bytes.len(), 1);
    let (p, code) = created!(clCreateProgramWithBinary(
        s.context,
        1,
        &raw const s.device,
        &raw const length,
        &raw mut place,
        &raw mut status
    ));
    (p, code, status)
}

#[test]
fn binaries() {
    let s = Setup::new();
    let p = s.built(TWO, "");
    let bytes = binary(p);
    assert_eq!(bytes[..4], 0x0723_0203u32.to_ne_bytes(), "a SPIR-V module");
    let (q, code, status) = with_binary(&s, &bytes);
    assert_eq!((code, status), (0, 0));
    assert_eq!(query_text!(clGetProgramInfo(q; CL_PROGRAM_SOURCE)), "");
    // A program from a binary must also be built.
    assert_eq!(
        created!(clCreateKernel(q, c"first".as_ptr())).1,
        CL_INVALID_PROGRAM_EXECUTABLE
    );
    assert_eq!(build(q, ""), 0);
    let k = s.kernel(q, "second");
    assert_eq!(query!(clGetKernelInfo(k; CL_KERNEL_NUM_ARGS) as u32), 2);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(binary(q), bytes);
    assert_eq!(cl!(clReleaseProgram(q)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

/// A module without the seal: it comes from the offline compiler, or another tool has changed it.
#[test]
fn binaries_from_elsewhere() {
    let s = Setup::new();
    let p = s.built(TWO, "");
    let words: Vec<u32> = binary(p)
        .chunks_exact(4)
        .map(|w| u32::from_ne_bytes(w.try_into().expect("four bytes")))
        .collect();
    assert_eq!(cl!(clReleaseProgram(p)), 0);
    const MODULE_PROCESSED: u32 = 330;
    let mut bytes: Vec<u8> = words[..5].iter().flat_map(|w| w.to_ne_bytes()).collect();
    let mut rest = &words[5..];
    while let Some(&first) = rest.first() {
        let (inst, after) = rest.split_at((first >> 16) as usize);
        if first & 0xffff != MODULE_PROCESSED {
            bytes.extend(inst.iter().flat_map(|w| w.to_ne_bytes()));
        }
        rest = after;
    }
    assert!(bytes.len() < 4 * words.len(), "there was a seal");
    let (q, code, status) = with_binary(&s, &bytes);
    assert_eq!((code, status), (0, 0));
    assert_eq!(build(q, ""), 0);
    let k = s.kernel(q, "second");
    assert_eq!(query!(clGetKernelInfo(k; CL_KERNEL_NUM_ARGS) as u32), 2);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(q)), 0);
}

#[test]
fn bad_binaries() {
    let s = Setup::new();
    for bytes in [
        &b"garbage"[..],
        &[3, 2, 0x23, 7],
        &[3, 2, 0x23, 7, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0],
    ] {
        let (_, code, status) = with_binary(&s, bytes);
        assert_eq!((code, status), (CL_INVALID_BINARY, CL_INVALID_BINARY));
    }
    let (_, code, status) = with_binary(&s, &[]);
    assert_eq!((code, status), (CL_INVALID_VALUE, CL_INVALID_VALUE));
    let (_, code) = created!(clCreateProgramWithBinary(
        s.context,
        0,
        &raw const s.device,
        null(),
        null_mut(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_VALUE);
    let (_, code) = created!(clCreateProgramWithBuiltInKernels(
        s.context,
        1,
        &raw const s.device,
        c"x".as_ptr()
    ));
    assert_eq!(code, CL_INVALID_VALUE);
}

/// Returns a binary of each of the three forms.
fn each_form(s: &Setup) -> Vec<(&'static str, Vec<u8>)> {
    let executable = s.built(TWO, "-cl-kernel-arg-info");
    let object = s.program("int twice(int); kernel void k(global int *p) { *p = twice(*p); }");
    let other = s.program("int twice(int x) { return 2 * x; }");
    for p in [object, other] {
        let code = cl!(clCompileProgram(
            p,
            0,
            null(),
            null(),
            0,
            null(),
            null_mut(),
            None,
            null_mut()
        ));
        assert_eq!(code, 0);
    }
    let (library, code) = created!(clLinkProgram(
        s.context,
        0,
        null(),
        c"-create-library".as_ptr(),
        2,
        [object, other].as_ptr(),
        None,
        null_mut()
    ));
    assert_eq!(code, 0);
    let forms = [
        ("executable", executable),
        ("object", object),
        ("library", library),
    ];
    let binaries = forms.map(|(form, p)| (form, binary(p)));
    for p in [executable, object, other, library] {
        assert_eq!(cl!(clReleaseProgram(p)), 0);
    }
    binaries.into()
}

/// A binary from which any number of bytes is cut off is invalid.
#[test]
fn truncated_binaries_are_invalid() {
    let s = Setup::new();
    for (form, bytes) in each_form(&s) {
        for end in 1..bytes.len() {
            let (_, code, status) = with_binary(&s, &bytes[..end]);
            assert_eq!(
                (code, status),
                (CL_INVALID_BINARY, CL_INVALID_BINARY),
                "{form}: {end}"
            );
        }
    }
}

/// Damages binaries at random, in the same way in each run: bits, bytes, words and ranges are changed, removed,
/// doubled or swapped.
#[test]
fn damaged_binaries_are_invalid() {
    let s = Setup::new();
    let mut state = 0x2545_F491u32;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as usize % below
    };
    for (form, bytes) in each_form(&s) {
        let seal = bytes.windows(12).position(|w| w == b"caldera-seal");
        for round in 0..600 {
            let mut damaged = bytes.clone();
            let at = random(bytes.len());
            let length = 1 + random(40.min(bytes.len() - at));
            match random(7) {
                0 => damaged[at] ^= 1 << random(8),
                1 => damaged[at] = random(256) as u8,
                2 => damaged[at..at + length].fill(random(256) as u8),
                3 => drop(damaged.drain(at..at + length)),
                4 => drop(damaged.splice(at..at, bytes[at..at + length].iter().copied())),
                5 => damaged.extend_from_slice(&bytes[at..at + length]),
                _ => damaged.swap(at, random(bytes.len())),
            }
            if damaged == bytes {
                continue;
            }
            let (q, code, _) = with_binary(&s, &damaged);
            if code != 0 {
                assert_eq!(code, CL_INVALID_BINARY, "{form}, round {round}");
                continue;
            }
            // If the damage has hit the mark of the seal, the module counts as a module without a seal.
            let unmarked = seal.is_some_and(|seal| damaged[seal..seal + 12] != bytes[seal..seal + 12]);
            assert!(unmarked, "{form}, round {round}: accepted");
            assert_eq!(cl!(clReleaseProgram(q)), 0);
        }
    }
}

#[test]
fn compile_and_link() {
    let s = Setup::new();
    let compile = |p, options: &std::ffi::CStr, headers: &[cl_program], names: &[&std::ffi::CStr]| {
        let names: Vec<_> = names.iter().map(|n| n.as_ptr()).collect();
        let (h, n) = if headers.is_empty() {
            (null(), null_mut())
        } else {
            (headers.as_ptr(), names.as_ptr().cast_mut())
        };
        cl!(clCompileProgram(
            p,
            0,
            null(),
            options.as_ptr(),
            headers.len() as u32,
            h,
            n,
            None,
            null_mut()
        ))
    };
    let header = s.program("int twice(int x);\n");
    let library = s.program("int twice(int x) { return 2 * x; }\n");
    let main = s.program(
        "#include \"lib/twice.h\"\nkernel void f(global int *a) { a[get_global_id(0)] = twice(a[get_global_id(0)]); }\n",
    );
    // A missing header is a compile failure with a log.
    assert_eq!(compile(main, c"", &[], &[]), CL_COMPILE_PROGRAM_FAILURE);
    assert!(s.log(main).contains("lib/twice.h"), "{}", s.log(main));
    assert_eq!(
        compile(main, c"", &[header], &[c"lib/twice.h"]),
        0,
        "{}",
        s.log(main)
    );
    assert_eq!(compile(library, c"", &[], &[]), 0, "{}", s.log(library));
    assert_eq!(
        query!(clGetProgramBuildInfo(main, s.device; CL_PROGRAM_BINARY_TYPE) as u32),
        CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
    );
    // INVALID_COMPILER_OPTIONS, and INVALID_VALUE for headers without names
    assert_eq!(compile(main, c"-nope", &[], &[]), CL_INVALID_COMPILER_OPTIONS);
    let code = cl!(clCompileProgram(
        main,
        0,
        null(),
        null(),
        1,
        &raw const header,
        null_mut(),
        None,
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_VALUE);

    let link = |options: &std::ffi::CStr, inputs: &[cl_program]| {
        let mut code = 1;
        let p = cl!(clLinkProgram(
            s.context,
            0,
            null(),
            options.as_ptr(),
            inputs.len() as u32,
            inputs.as_ptr(),
            None,
            null_mut(),
            &raw mut code
        ));
        (p, code)
    };
    // INVALID_VALUE without programs; INVALID_LINKER_OPTIONS; INVALID_OPERATION for programs that are not compiled
    assert_eq!(link(c"", &[]).1, CL_INVALID_VALUE);
    assert_eq!(link(c"-nope", &[main]).1, CL_INVALID_LINKER_OPTIONS);
    assert_eq!(link(c"", &[main, header]).1, CL_INVALID_OPERATION);
    // An undefined function is a link failure, and the returned program has the log.
    let (failed, code) = link(c"", &[main]);
    assert_eq!(code, CL_LINK_PROGRAM_FAILURE);
    assert!(s.log(failed).contains("twice"), "{}", s.log(failed));
    assert_eq!(cl!(clReleaseProgram(failed)), 0);

    let (linked, code) = link(c"", &[main, library]);
    assert_eq!(code, 0, "{}", s.log(linked));
    run_twice(&s, linked);
    assert_eq!(cl!(clReleaseProgram(linked)), 0);

    // Linking also works through a library, and through binaries of the object and the library.
    let (archive, code) = link(c"-create-library", &[library]);
    assert_eq!(code, 0);
    assert_eq!(
        query!(clGetProgramBuildInfo(archive, s.device; CL_PROGRAM_BINARY_TYPE) as u32),
        CL_PROGRAM_BINARY_TYPE_LIBRARY
    );
    let (object2, code, _) = with_binary(&s, &binary(main));
    assert_eq!(code, 0);
    let (archive2, code, _) = with_binary(&s, &binary(archive));
    assert_eq!(code, 0);
    let (linked, code) = link(c"", &[object2, archive2]);
    assert_eq!(code, 0, "{}", s.log(linked));
    run_twice(&s, linked);
    for p in [linked, archive2, object2, archive, main, library, header] {
        assert_eq!(cl!(clReleaseProgram(p)), 0);
    }
}

fn run_twice(s: &Setup, p: cl_program) {
    let k = s.kernel(p, "f");
    let bytes: Vec<u8> = [1i32, 2, 3, 4].iter().flat_map(|x| x.to_ne_bytes()).collect();
    let b = s.buffer(&bytes);
    assert_eq!(cl!(clSetKernelArg(k, 0, 8, (&raw const b).cast())), 0);
    let n = 4usize;
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        k,
        1,
        null(),
        &raw const n,
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let doubled: Vec<u8> = [2i32, 4, 6, 8].iter().flat_map(|x| x.to_ne_bytes()).collect();
    assert_eq!(s.read(b, 16), doubled);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
}

#[test]
fn sizes_of_answers() {
    let s = Setup::new();
    let p = s.built(TWO, "");
    assert_eq!(
        query_bytes!(clGetProgramInfo(p; CL_PROGRAM_BINARY_SIZES)).len(),
        8
    );
    assert_eq!(query_bytes!(clGetProgramInfo(p; CL_PROGRAM_DEVICES)).len(), 8);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}
