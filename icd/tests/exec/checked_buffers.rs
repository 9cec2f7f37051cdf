//! `CALDERA_CHECK=uninitialized` for buffers: what the host and kernels write counts as written, and nothing else does.

use std::ptr::{null, null_mut};

use crate::checker::{again_in, field, is_child, launch, set_buffer};
use crate::common::objects::Setup;
use crate::common::{self, CL_MAP_READ, CL_MAP_WRITE, cl_mem};
use crate::{cl, created};

/// The size of the buffers in bytes.
const SIZE: usize = 1024;
/// Where the sub-buffers begin.
const HALF: usize = 512;
/// The bytes that the kernels look at.
const SEEN: usize = 64;

/// The kernels that find something, each with the number of work-items; 0 stands for at least one.
const FAULTS: [(&str, u32); 8] = [
    ("changed", 0),
    ("half_stored", 8),
    ("half_written", 8),
    ("in_constant_memory", 16),
    ("in_sub_buffer", 16),
    ("lanes_stored", 8),
    ("mapped_for_reading", 16),
    ("unwritten", 16),
];

fn write(s: &Setup, buffer: cl_mem, size: usize) {
    let bytes = vec![1u8; size];
    let from = bytes.as_ptr().cast();
    let code = cl!(clEnqueueWriteBuffer(
        s.queue,
        buffer,
        1,
        0,
        size,
        from,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

fn write_rows(s: &Setup, buffer: cl_mem) {
    let (bytes, origin, region) = ([1u8; SEEN], [0usize; 3], [16usize, 4, 1]);
    let code = cl!(clEnqueueWriteBufferRect(
        s.queue,
        buffer,
        1,
        origin.as_ptr(),
        origin.as_ptr(),
        region.as_ptr(),
        16,
        0,
        16,
        0,
        bytes.as_ptr().cast(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

fn fill(s: &Setup, buffer: cl_mem) {
    let (pattern, queue) = ([1u8; 4], s.queue);
    let pattern = pattern.as_ptr().cast();
    let code = cl!(clEnqueueFillBuffer(
        queue,
        buffer,
        pattern,
        4,
        0,
        SEEN,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

fn copy(s: &Setup, from: cl_mem, to: cl_mem) {
    let code = cl!(clEnqueueCopyBuffer(
        s.queue,
        from,
        to,
        0,
        0,
        SEEN,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

fn map(s: &Setup, buffer: cl_mem, flags: u64) {
    let (at, code) = created!(clEnqueueMapBuffer(
        s.queue,
        buffer,
        1,
        flags,
        0,
        SEEN,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let code = cl!(clEnqueueUnmapMemObject(
        s.queue,
        buffer,
        at,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

fn sub_buffer(buffer: cl_mem) -> cl_mem {
    let region = [HALF, SEEN];
    let (sub, code) = created!(clCreateSubBuffer(
        buffer,
        0,
        common::CL_BUFFER_CREATE_TYPE_REGION,
        region.as_ptr().cast()
    ));
    assert_eq!(code, 0);
    sub
}

fn run() {
    let s = Setup::new();
    let source = include_str!("checks/buffers.cl");
    let program = s.built(source, "");
    let kernel = |name: &str| s.kernel(program, name);
    let release = |kernel| assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    let store = |name: &str, buffer: &cl_mem, n: i32| {
        let kernel = kernel(name);
        set_buffer(kernel, 0, buffer);
        assert_eq!(cl!(clSetKernelArg(kernel, 1, 4, (&raw const n).cast())), 0);
        launch(&s, kernel, 16);
        release(kernel);
    };
    let names = source.lines().filter_map(|l| l.strip_prefix("kernel void "));
    let names = names.map(|l| l.split('(').next().expect("a name"));
    for name in names
        .filter(|name| !name.starts_with("store"))
        .chain(["stored", "stored_by_loop"])
    {
        let (buffer, code) = created!(clCreateBuffer(s.context, 1, SIZE, null_mut()));
        assert_eq!(code, 0);
        let (out, written) = (s.buffer(&[0; SEEN]), s.buffer(&[1; SEEN]));
        let sub = name.contains("sub_buffer").then(|| sub_buffer(buffer));
        match name {
            "written" => write(&s, buffer, SIZE),
            "half_written" => write(&s, buffer, SEEN / 2),
            "filled" => fill(&s, buffer),
            "copied" => copy(&s, written, buffer),
            "rows_written" => write_rows(&s, buffer),
            "mapped" => map(&s, buffer, CL_MAP_WRITE),
            "mapped_for_reading" => map(&s, buffer, CL_MAP_READ),
            "stored" => store("store", &buffer, 16),
            "half_stored" => store("store", &buffer, 8),
            "stored_by_loop" => store("store_by_loop", &buffer, 16),
            "lanes_stored" => store("store_lanes", &buffer, 16),
            "in_sub_buffer" => write(&s, buffer, HALF),
            "written_sub_buffer" => write(&s, sub.expect("there is one"), SEEN),
            _ => {}
        }
        let kernel = kernel(name);
        set_buffer(kernel, 0, &sub.unwrap_or(buffer));
        set_buffer(kernel, 1, &out);
        // The first launch makes the memory in which the check keeps what it knows.
        launch(&s, kernel, 16);
        if name == "unwritten" {
            assert_eq!(cl!(clFinish(s.queue)), 0);
            write(&s, buffer, SEEN);
            launch(&s, kernel, 16);
        }
        assert_eq!(cl!(clFinish(s.queue)), 0, "{name}");
        release(kernel);
        for object in sub.into_iter().chain([buffer, out, written]) {
            assert_eq!(cl!(clReleaseMemObject(object)), 0);
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

#[test]
fn buffers_that_nobody_has_written_are_found() {
    if is_child() {
        return run();
    }
    let test = "checked_buffers::buffers_that_nobody_has_written_are_found";
    for checks in ["uninitialized", "all"] {
        let (out, lines) = again_in(test, checks);
        let errors = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{errors}");
        if common::again::with_descriptors() {
            return assert!(lines.is_empty() && errors.contains("not checked"), "{errors}");
        }
        let mut found: Vec<(&str, u32)> = lines
            .iter()
            .map(|l| (field(l, "kernel"), field(l, "count").parse().expect("a number")))
            .map(|(kernel, count)| (kernel, if kernel == "changed" { 0 } else { count }))
            .collect();
        found.sort_unstable();
        assert_eq!(found, FAULTS, "{errors}");
        for text in [
            "caldera: uninitialized: <source>:6:",
            ": use of 4 bytes that nobody has written in global memory\n",
            "    object: argument 0 'in' (buffer 1 of 1024 bytes)\n",
        ] {
            assert!(errors.contains(text), "{text}{errors}");
        }
    }
}
