//! Pipes (OpenCL C 3.0, 6.15.18; CL 2.0, 5.4): the order of the packets, full and empty pipes, and reservations by
//! work-items, sub-groups and work-groups. The tests run in a process that reports OpenCL 3.1 ([`crate::opencl_3_files`]).

use std::ptr::{null, null_mut};

use crate::common::{cl_kernel, cl_mem, cl_program};
use crate::lab::{Lab, Random};
use crate::{cl, created};

/// Returns whether this process reports OpenCL 3.1, on a device that has pipes.
fn has_pipes(lab: &Lab) -> bool {
    let later = std::env::var("CALDERA_CL_VERSION").is_ok_and(|v| v == "3.1");
    let yes =
        crate::query!(clGetDeviceInfo(lab.setup.device; crate::common::CL_DEVICE_PIPE_SUPPORT) as u32) != 0;
    // A device that reports OpenCL 3.1 with the ABI of device addresses has pipes.
    let descriptor = std::env::var("CALDERA_ABI").is_ok_and(|v| v == "descriptor");
    assert_eq!(yes, later && !descriptor);
    yes
}

fn pipe(lab: &Lab, packet_size: u32, packets: u32) -> cl_mem {
    let (pipe, code) = created!(clCreatePipe(lab.setup.context, 0, packet_size, packets, null()));
    assert_eq!(code, 0);
    pipe
}

fn set<T>(kernel: cl_kernel, index: u32, value: &T) {
    let code = cl!(clSetKernelArg(
        kernel,
        index,
        size_of::<T>(),
        std::ptr::from_ref(value).cast()
    ));
    assert_eq!(code, 0);
}

/// Runs a kernel whose arguments are a pipe, a buffer and a number. Returns the contents of the buffer.
fn run(
    lab: &Lab,
    program: cl_program,
    name: &str,
    of: (cl_mem, &[u8], u32),
    global: usize,
    local: usize,
) -> Vec<u8> {
    let (pipe, bytes, n) = of;
    let kernel = lab.setup.kernel(program, name);
    let buffer = lab.setup.buffer(bytes);
    set(kernel, 0, &pipe);
    set(kernel, 1, &buffer);
    set(kernel, 2, &n);
    let code = cl!(clEnqueueNDRangeKernel(
        lab.setup.queue,
        kernel,
        1,
        null(),
        &raw const global,
        &raw const local,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let result = lab.setup.read(buffer, bytes.len());
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    result
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |b: &[u8]| u32::from_ne_bytes(b.try_into().expect("four bytes"));
    bytes.chunks(4).map(word).collect()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_ne_bytes()).collect()
}

const FIFO: &str = "
    kernel void put(write_only pipe uint p, global uint *io, uint n) {
        uint k = 0;
        while (k < n && write_pipe(p, &io[k]) == 0) k++;
        io[0] = k;
        io[1] = get_pipe_num_packets(p);
        io[2] = get_pipe_max_packets(p);
    }
    kernel void take(read_only pipe uint p, global uint *io, uint n) {
        uint k = 0;
        while (k < n && read_pipe(p, &io[k + 3]) == 0) k++;
        io[0] = k;
        io[1] = get_pipe_num_packets(p);
        io[2] = get_pipe_max_packets(p);
    }";

/// Packets come in the order in which they were written, through many rounds of a small pipe.
#[test]
fn opencl_3_packets_keep_their_order() {
    let lab = Lab::new();
    if !has_pipes(&lab) {
        return;
    }
    let program = lab.setup.built(FIFO, "-cl-std=CL3.0");
    for capacity in [1, 5, 8] {
        let pipe = pipe(&lab, 4, capacity);
        let mut random = Random::new(u64::from(capacity));
        let mut model = std::collections::VecDeque::new();
        let mut next = 1000;
        for _ in 0..60 {
            let n = random.below(capacity as usize + 2) as u32;
            let values: Vec<u32> = (0..12).map(|k| next + k).collect();
            let now = words(&run(&lab, program, "put", (pipe, &bytes(&values), n), 1, 1));
            let fits = n.min(capacity - model.len() as u32);
            model.extend(next..next + fits);
            next += fits;
            assert_eq!(now[..3], [fits, model.len() as u32, capacity]);
            let n = random.below(capacity as usize + 2);
            let now = words(&run(&lab, program, "take", (pipe, &[0; 52], n as u32), 1, 1));
            let expected: Vec<u32> = model.drain(..n.min(model.len())).collect();
            assert_eq!(now[..3], [expected.len() as u32, model.len() as u32, capacity]);
            assert_eq!(now[3..3 + expected.len()], expected);
        }
        assert_eq!(cl!(clReleaseMemObject(pipe)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

const MANY: &str = "
    kernel void put(write_only pipe uint p, global int *o, uint n) {
        uint i = get_global_id(0);
        o[i] = write_pipe(p, &i);
    }
    kernel void take(read_only pipe uint p, global int *o, uint n) {
        uint x = 0;
        int code = read_pipe(p, &x);
        o[get_global_id(0)] = code == 0 ? (int)x : code;
    }
    kernel void put_two(write_only pipe uint p, global int *o, uint n) {
        uint i = get_global_id(0);
        reserve_id_t id = reserve_write_pipe(p, 2);
        o[i] = -1;
        if (!is_valid_reserve_id(id)) return;
        uint j = i + n;
        o[i] = write_pipe(p, id, 1, &j) + write_pipe(p, id, 0u, &i);
        commit_write_pipe(p, id);
    }
    kernel void take_two(read_only pipe uint p, global int *o, uint n) {
        reserve_id_t id = reserve_read_pipe(p, 2);
        o[get_global_id(0)] = -1;
        if (!is_valid_reserve_id(id)) return;
        uint pair[2];
        int code = 0;
        for (int k = 0; k < 2; k++) code += read_pipe(p, id, k, &pair[k]);
        o[get_global_id(0)] = code == 0 && pair[1] == pair[0] + n ? (int)pair[0] : -2;
        commit_read_pipe(p, id);
    }
    kernel void put_group(write_only pipe uint p, global int *o, uint n) {
        uint i = get_global_id(0);
        local reserve_id_t id;
        id = work_group_reserve_write_pipe(p, get_local_size(0));
        o[i] = is_valid_reserve_id(id) ? write_pipe(p, id, get_local_id(0), &i) : -1;
        if (is_valid_reserve_id(id)) work_group_commit_write_pipe(p, id);
    }
    kernel void take_group(read_only pipe uint p, global int *o, uint n) {
        reserve_id_t id = work_group_reserve_read_pipe(p, get_local_size(0));
        uint x = 0;
        int code = is_valid_reserve_id(id) ? read_pipe(p, id, get_local_id(0), &x) : -1;
        o[get_global_id(0)] = code == 0 ? (int)x : code;
        if (is_valid_reserve_id(id)) work_group_commit_read_pipe(p, id);
    }
    #ifdef __opencl_c_subgroups
    kernel void put_sub_group(write_only pipe uint p, global int *o, uint n) {
        uint i = get_global_id(0);
        reserve_id_t id = sub_group_reserve_write_pipe(p, get_sub_group_size());
        o[i] = is_valid_reserve_id(id) ? write_pipe(p, id, get_sub_group_local_id(), &i) : -1;
        if (is_valid_reserve_id(id)) sub_group_commit_write_pipe(p, id);
    }
    kernel void take_sub_group(read_only pipe uint p, global int *o, uint n) {
        reserve_id_t id = sub_group_reserve_read_pipe(p, get_sub_group_size());
        uint x = 0;
        int code = is_valid_reserve_id(id) ? read_pipe(p, id, get_sub_group_local_id(), &x) : -1;
        o[get_global_id(0)] = code == 0 ? (int)x : code;
        if (is_valid_reserve_id(id)) sub_group_commit_read_pipe(p, id);
    }
    #endif";

/// Sorts the results of a kernel and splits off the failures.
fn sorted(results: &[u8]) -> (usize, Vec<u32>) {
    let mut words = words(results);
    words.sort_unstable();
    let good = words.partition_point(|w| w.cast_signed() >= 0);
    (words.len() - good, words[..good].to_vec())
}

/// Many work-items write a pipe at once, and as many read it: each packet arrives exactly once.
#[test]
fn opencl_3_no_packet_is_lost_or_doubled() {
    let lab = Lab::new();
    if !has_pipes(&lab) {
        return;
    }
    let program = lab.setup.built(MANY, "-cl-std=CL3.0");
    let items = 512usize;
    let empty = vec![0u8; items * 4];
    let launch = |pipe, name: &str| run(&lab, program, name, (pipe, &empty, items as u32), items, 64);
    let subgroups = lab.has("cl_khr_subgroups");
    for (kind, packets, each) in [
        ("", items, 1),
        ("", items - 100, 1),
        ("_two", 2 * items, 2),
        ("_two", 2 * items - 99, 2),
        ("_group", items, 1),
        // Not a multiple of the size of a work-group: the last reservation fails.
        ("_group", items - 50, 64),
        ("_sub_group", items, 1),
    ] {
        if kind == "_sub_group" && !subgroups {
            continue;
        }
        let pipe = pipe(&lab, 4, packets as u32);
        for _ in 0..3 {
            let (failed, good) = sorted(&launch(pipe, &format!("put{kind}")));
            let fit = match each {
                64 => packets / 64 * 64,
                _ => packets / each,
            };
            assert_eq!((failed, good), (items - fit, vec![0; fit]), "put{kind} {packets}");
            let (failed, good) = sorted(&launch(pipe, &format!("take{kind}")));
            assert_eq!((failed, good.len()), (items - fit, fit), "take{kind} {packets}");
            assert!(
                good.windows(2).all(|w| w[0] < w[1]),
                "take{kind} {packets}: a packet twice"
            );
            let (failed, _) = sorted(&launch(pipe, &format!("take{kind}")));
            assert_eq!(failed, items, "the pipe is empty");
        }
        assert_eq!(cl!(clReleaseMemObject(pipe)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Packets of many types, through functions of the program.
#[test]
fn opencl_3_packets_of_every_kind() {
    let lab = Lab::new();
    if !has_pipes(&lab) {
        return;
    }
    for (declaration, ty, size) in [
        ("", "char", 1),
        ("", "short3", 8),
        ("", "ulong16", 128),
        ("typedef struct { char a; int b; uchar c[7]; } t;", "t", 16),
        ("union u { uint4 a; uchar b[40]; };", "union u", 48),
    ] {
        let source = format!(
            "{declaration}
            int one(write_only pipe {ty} p, global {ty} *from) {{ return write_pipe(p, from); }}
            int other(read_only pipe {ty} p, global {ty} *to) {{
                private {ty} x;
                int code = read_pipe(p, &x);
                *to = x;
                return code;
            }}
            kernel void put(write_only pipe {ty} p, global {ty} *io, uint n) {{
                for (uint k = 0; k < n; k++) one(p, io + k);
            }}
            kernel void take(pipe {ty} p, global {ty} *io, uint n) {{
                for (uint k = 0; k < n; k++) other(p, io + k);
            }}"
        );
        let program = lab.setup.built(&source, "-cl-std=CL2.0");
        let pipe = pipe(&lab, size, 7);
        let data: Vec<u8> = (0..size * 7).map(|k| (k * 37 + k / 11) as u8).collect();
        run(&lab, program, "put", (pipe, &data, 7), 1, 1);
        let now = run(&lab, program, "take", (pipe, &vec![0; data.len()], 7), 1, 1);
        let padding: &[usize] = match ty {
            "short3" => &[6, 7],
            "t" => &[1, 2, 3, 15],
            "union u" => &[40, 41, 42, 43, 44, 45, 46, 47],
            _ => &[],
        };
        for (i, (a, b)) in data.iter().zip(&now).enumerate() {
            assert!(a == b || padding.contains(&(i % size as usize)), "{ty}, byte {i}");
        }
        assert_eq!(cl!(clReleaseMemObject(pipe)), 0);
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}

/// A pipe that was made for smaller packets than those of the kernel has no place for them.
#[test]
fn opencl_3_packets_that_are_too_large() {
    let lab = Lab::new();
    if !has_pipes(&lab) {
        return;
    }
    let program = lab.setup.built(MANY, "-cl-std=CL3.0");
    let pipe = pipe(&lab, 2, 100);
    let codes = words(&run(&lab, program, "put", (pipe, &[0; 40], 0), 10, 1));
    assert!(codes.iter().all(|c| c.cast_signed() == -1), "{codes:?}");
    assert_eq!(cl!(clReleaseMemObject(pipe)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// The same functions in SPIR-V.
#[test]
fn opencl_3_pipes_in_spirv() {
    let lab = Lab::new();
    if !has_pipes(&lab) {
        return;
    }
    let module = include_bytes!("opencl_3/pipes.spv");
    let at = module.as_ptr().cast();
    let (program, code) = created!(clCreateProgramWithIL(lab.setup.context, at, module.len()));
    assert_eq!(code, 0);
    let code = cl!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
    assert_eq!(code, 0, "{}", lab.setup.log(program));
    let items = 256;
    let empty = vec![0u8; items * 4];
    let pipe = pipe(&lab, 4, 300);
    let launch = |name: &str| run(&lab, program, name, (pipe, &empty, 0), items, 64);
    let count = || words(&run(&lab, program, "count", (pipe, &[0; 8], 0), 1, 1));
    for take in ["take", "take_group"] {
        let (failed, good) = sorted(&launch("put"));
        assert_eq!((failed, good), (0, vec![0; items]));
        assert_eq!(count(), [256, 300]);
        let (failed, good) = sorted(&launch(take));
        assert_eq!((failed, good), (0, (0..items as u32).collect()), "{take}");
        assert_eq!(count(), [0, 300]);
        assert_eq!(sorted(&launch(take)).0, items);
    }
    // The pipe is full after 300 packets.
    assert_eq!([sorted(&launch("put")).0, sorted(&launch("put")).0], [0, 212]);
    assert_eq!(cl!(clReleaseMemObject(pipe)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
