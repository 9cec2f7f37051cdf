//! Sub-groups (cl_khr_subgroups): every work-item is in exactly one sub-group, their sizes match the answers to the
//! host's queries, and their collective functions give the results that the host computes from the same values.

use std::collections::BTreeMap;
use std::ptr::{null, null_mut};

use crate::cl;
use crate::common;
use crate::common::{cl_int, cl_kernel, cl_program};
use crate::lab::{Arg, Lab, bytes_of, element};

/// Work-group sizes: smaller than a sub-group, not divisible by its size, and several sub-groups.
const SIZES: [usize; 6] = [1, 5, 16, 40, 64, 100];
const GROUPS: usize = 2;

/// A type, its least and greatest value (the identities of `max` and `min`), whether it has negative numbers, and the
/// extension that it needs.
const TYPES: &[(&str, &str, &str, bool, Option<&str>)] = &[
    ("int", "INT_MIN", "INT_MAX", true, None),
    ("uint", "0", "UINT_MAX", false, None),
    ("long", "LONG_MIN", "LONG_MAX", true, None),
    ("ulong", "0", "ULONG_MAX", false, None),
    ("float", "-INFINITY", "INFINITY", true, None),
    ("double", "-INFINITY", "INFINITY", true, Some("cl_khr_fp64")),
    ("half", "-INFINITY", "INFINITY", true, Some("cl_khr_fp16")),
];

/// The value that a kernel writes instead of the identity, which a scan gives to the first work-item.
const IDENTITY: i64 = 99_999;

const PLACES: &str = "kernel void places(global uint *out) {
  global uint *o = out + 6 * get_global_id(0);
  o[0] = get_max_sub_group_size();
  // Not where all of them come.
  if (get_local_id(0) % 3 == 1) o[1] = get_sub_group_size();
  else o[1] = get_sub_group_size();
  o[2] = get_num_sub_groups();
  o[3] = get_sub_group_id();
  o[4] = get_sub_group_local_id();
  o[5] = get_enqueued_num_sub_groups();
}
kernel void votes(global int *out) {
  int i = get_sub_group_local_id();
  global int *o = out + 5 * get_global_id(0);
  o[0] = sub_group_all(i < 1000);
  o[1] = sub_group_all(i != 0);
  o[2] = sub_group_any(i == 0);
  o[3] = sub_group_any(i > 1000);
  o[4] = sub_group_all((i + 1) << 8);
}
kernel void neighbours(global int *out, local int *shared) {
  int i = get_local_id(0), size = get_sub_group_size(), lane = get_sub_group_local_id();
  shared[i] = get_global_id(0);
  for (int k = 0; k < 3; k++) {
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    int next = shared[i - lane + (lane + 1) % size];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    shared[i] = next;
  }
  out[get_global_id(0)] = shared[i];
}
";

/// Asks a sub-group query by the extension's name of the call, and asserts that OpenCL 2.1's name gives the same
/// answer.
fn ask(lab: &Lab, kernel: cl_kernel, what: u32, sizes: Option<&[u8]>, value_size: usize) -> (cl_int, usize) {
    let (input_size, input) = sizes.map_or((size_of::<usize>(), null()), |s| (s.len(), s.as_ptr().cast()));
    let (mut of_extension, mut of_core) = (usize::MAX, usize::MAX);
    let code = cl!(clGetKernelSubGroupInfoKHR(
        kernel,
        lab.setup.device,
        what,
        input_size,
        input,
        value_size,
        (&raw mut of_extension).cast(),
        null_mut(),
    ));
    let core_code = cl!(clGetKernelSubGroupInfo(
        kernel,
        lab.setup.device,
        what,
        input_size,
        input,
        value_size,
        (&raw mut of_core).cast(),
        null_mut(),
    ));
    assert_eq!((code, of_extension), (core_code, of_core), "{what:#x}");
    (code, of_extension)
}

/// Returns whether the device answers the queries. A device without sub-groups returns CL_INVALID_OPERATION.
fn is_offered(lab: &Lab, kernel: cl_kernel) -> bool {
    let what = common::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR;
    let (code, _) = ask(lab, kernel, what, Some(&1usize.to_ne_bytes()), size_of::<usize>());
    assert!(code == 0 || code == common::CL_INVALID_OPERATION, "{code}");
    code == 0
}

/// Returns whether the device has sub-groups, even if it does not report the extension.
fn has_them(lab: &Lab) -> bool {
    let probe = lab.build("kernel void probe(global int *p) { *p = 1; }");
    let kernel = lab.setup.kernel(probe, "probe");
    let offered = is_offered(lab, kernel);
    assert!(offered || !lab.has("cl_khr_subgroups"));
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(probe)), 0);
    offered
}

fn told(lab: &Lab, kernel: cl_kernel, what: u32, local: usize) -> usize {
    let sizes = [local, 1].map(usize::to_ne_bytes).concat();
    let (code, value) = ask(lab, kernel, what, Some(&sizes), size_of::<usize>());
    assert_eq!(code, 0);
    value
}

/// A sub-group: the global ids of its work-items in the order of their ids in the sub-group.
type Members = Vec<usize>;

/// Runs the kernel `places` with a work-group size and checks its results. Returns the sub-groups.
fn sub_groups(lab: &Lab, program: cl_program, local: usize) -> Vec<Members> {
    let kernel = lab.setup.kernel(program, "places");
    let max = told(
        lab,
        kernel,
        common::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR,
        local,
    );
    let count = told(
        lab,
        kernel,
        common::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR,
        local,
    );
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(count, local.div_ceil(max));
    let global = GROUPS * local;
    let out = lab.run(program, "places", global, Some(local), &[Arg::Out(24 * global)]);
    let mut found: BTreeMap<(usize, usize), BTreeMap<usize, usize>> = BTreeMap::new();
    for i in 0..global {
        let said: Vec<usize> = (0..6).map(|k| element(&out[0], 4, 6 * i + k) as usize).collect();
        assert_eq!(
            (said[0], said[2], said[5]),
            (max, count, count),
            "work-item {i} of {local}"
        );
        let last = said[3] + 1 == count;
        let size = if last { local - max * (count - 1) } else { max };
        assert_eq!(said[1], size, "size of sub-group {} of {local}", said[3]);
        let group = found.entry((i / local, said[3])).or_default();
        assert_eq!(
            group.insert(said[4], i),
            None,
            "two work-items {} of {local}",
            said[4]
        );
    }
    for ((_, id), members) in &found {
        let size = if id + 1 == count {
            local - max * (count - 1)
        } else {
            max
        };
        assert!(members.keys().copied().eq(0..size), "sub-group {id} of {local}");
    }
    assert_eq!(found.len(), GROUPS * count);
    found.into_values().map(|m| m.into_values().collect()).collect()
}

fn arithmetic(ty: &str, least: &str, most: &str) -> String {
    format!(
        "kernel void together_{ty}(global const int *in, global long *out) {{
  {ty} x = in[get_global_id(0)];
  global long *o = out + 11 * get_global_id(0);
  o[0] = sub_group_reduce_add(x);
  o[1] = sub_group_reduce_min(x);
  o[2] = sub_group_reduce_max(x);
  o[3] = sub_group_scan_inclusive_add(x);
  o[4] = sub_group_scan_inclusive_min(x);
  o[5] = sub_group_scan_inclusive_max(x);
  o[6] = sub_group_scan_exclusive_add(x);
  {ty} low = sub_group_scan_exclusive_min(x);
  o[7] = low == ({ty}){most} ? {IDENTITY} : (long)low;
  {ty} high = sub_group_scan_exclusive_max(x);
  o[8] = get_sub_group_local_id() == 0 && high == ({ty}){least} ? {IDENTITY} : (long)high;
  o[9] = sub_group_broadcast(x, 0);
  o[10] = sub_group_broadcast(x, get_sub_group_size() - 1);
}}
"
    )
}

#[test]
fn what_they_compute() {
    let lab = Lab::new();
    let types = || TYPES.iter().filter(|t| t.4.is_none_or(|e| lab.has(e)));
    if !has_them(&lab) {
        return;
    }
    let mut source = String::from(
        "#if defined(cl_khr_fp64)\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n\
         #if defined(cl_khr_fp16)\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#endif\n",
    );
    source.push_str(PLACES);
    for (ty, least, most, ..) in types() {
        source.push_str(&arithmetic(ty, least, most));
    }
    let program = lab.build(&source);
    for local in SIZES {
        let groups = sub_groups(&lab, program, local);
        let global = GROUPS * local;
        let out = lab.run(program, "votes", global, Some(local), &[Arg::Out(20 * global)]);
        for i in 0..global {
            let said: Vec<u64> = (0..5).map(|k| element(&out[0], 4, 5 * i + k)).collect();
            assert_eq!(said, [1, 0, 1, 0, 1], "votes of work-item {i} of {local}");
        }
        let args = [Arg::Out(4 * global), Arg::Local(4 * local)];
        let out = lab.run(program, "neighbours", global, Some(local), &args);
        for members in &groups {
            for (lane, &i) in members.iter().enumerate() {
                let from = members[(lane + 3) % members.len()];
                assert_eq!(element(&out[0], 4, i), from as u64, "neighbour of {i} of {local}");
            }
        }
        for (ty, _, _, signed, _) in types() {
            let value = |i: usize| (i as i64 * 7 + 5) % 16 - if *signed { 8 } else { 0 };
            let input: Vec<u64> = (0..global).map(|i| value(i) as u64).collect();
            let args = [Arg::In(&bytes_of(&input, 4)), Arg::Out(88 * global)];
            let out = lab.run(program, &format!("together_{ty}"), global, Some(local), &args);
            for members in &groups {
                let all: Vec<i64> = members.iter().map(|&i| value(i)).collect();
                let results = |part: &[i64]| match part {
                    [] => [0, IDENTITY, IDENTITY],
                    [first, ..] => {
                        let (mut low, mut high) = (*first, *first);
                        part.iter().for_each(|&v| (low, high) = (low.min(v), high.max(v)));
                        [part.iter().sum(), low, high]
                    }
                };
                for (lane, &i) in members.iter().enumerate() {
                    let said: Vec<i64> = (0..11).map(|k| element(&out[0], 8, 11 * i + k) as i64).collect();
                    let ends = [all[0], all[all.len() - 1]];
                    let parts = [results(&all), results(&all[..=lane]), results(&all[..lane])];
                    let expected = [&parts.concat()[..], &ends].concat();
                    assert_eq!(said, expected, "{ty}, work-item {i} of {local}");
                }
            }
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// A query with an invalid work-group size is CL_INVALID_VALUE. Invalid handles are CL_INVALID_KERNEL and
/// CL_INVALID_DEVICE.
#[test]
fn wrong_questions() {
    let lab = Lab::new();
    let program = lab.build("kernel void probe(global int *p) { *p = 1; }");
    let kernel = lab.setup.kernel(program, "probe");
    if is_offered(&lab, kernel) {
        let sizes = [4usize, 0, 4, 4].map(usize::to_ne_bytes).concat();
        let what = common::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR;
        assert_eq!(ask(&lab, kernel, what, Some(&sizes[..8]), 8).0, 0);
        for (what, bytes, size) in [
            (what, 0, 8),
            (what, 7, 8),
            (what, 16, 8),
            (what, 32, 8),
            (what, 8, 4),
            (0x1234, 8, 8),
        ] {
            let (code, _) = ask(&lab, kernel, what, Some(&sizes[..bytes]), size);
            assert_eq!(code, common::CL_INVALID_VALUE, "{what:#x} {bytes} {size}");
        }
        let (code, _) = ask(&lab, kernel, what, None, 8);
        assert_eq!(code, common::CL_INVALID_VALUE);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Types, and the extension that a type needs.
const SHUFFLED: &[(&str, Option<&str>)] = &[
    ("char", None),
    ("ushort", None),
    ("int", None),
    ("ulong", None),
    ("float", None),
    ("double", Some("cl_khr_fp64")),
    ("half", Some("cl_khr_fp16")),
];

#[test]
fn shuffles() {
    let lab = Lab::new();
    if !has_them(&lab) {
        return;
    }
    let types = || SHUFFLED.iter().filter(|t| t.1.is_none_or(|e| lab.has(e)));
    let mut source = String::from(PLACES);
    for (ty, _) in types() {
        source.push_str(&format!(
            "kernel void of_{ty}(global int *out) {{
  int x = get_global_id(0) % 101, lane = get_sub_group_local_id(), size = get_sub_group_size();
  {ty} v = x;
  global int *o = out + 2 * get_global_id(0);
  o[0] = sub_group_shuffle(v, (lane * 3 + 1) % size);
  // The last has no partner where there is an odd number.
  int pairs = lane / 2 * 2 + 1 < size;
  {ty} other = sub_group_shuffle_xor(v, 1);
  o[1] = pairs ? (int)other : -1;
}}
"
        ));
    }
    source.push_str(
        "kernel void of_float8(global int *out) {
  int x = get_global_id(0) % 101, lane = get_sub_group_local_id(), size = get_sub_group_size();
  float8 v = (float8)(0, 1, 2, 3, 4, 5, 6, 7) * 1000.0f + x;
  int8 got = convert_int8(intel_sub_group_shuffle(v, (lane * 3 + 1) % size));
  global int *o = out + 2 * get_global_id(0);
  int8 same = got == got.s0 + (int8)(0, 1, 2, 3, 4, 5, 6, 7) * 1000;
  o[0] = all(same) ? got.s0 : -7;
  int pairs = lane / 2 * 2 + 1 < size;
  int other = intel_sub_group_shuffle_xor(v, 1).s7 - 7000;
  o[1] = pairs ? other : -1;
}
",
    );
    let program = lab.build(&source);
    for local in SIZES {
        let groups = sub_groups(&lab, program, local);
        let global = GROUPS * local;
        for ty in types().map(|t| t.0).chain(["float8"]) {
            let out = lab.run(
                program,
                &format!("of_{ty}"),
                global,
                Some(local),
                &[Arg::Out(8 * global)],
            );
            for members in &groups {
                for (lane, &i) in members.iter().enumerate() {
                    let said: Vec<i32> = (0..2).map(|k| element(&out[0], 4, 2 * i + k) as i32).collect();
                    let from = members[(lane * 3 + 1) % members.len()] % 101;
                    let pair = members.get(lane ^ 1).map_or(-1, |&m| (m % 101) as i32);
                    assert_eq!(said, [from as i32, pair], "{ty}, work-item {i} of {local}");
                }
            }
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// A kernel that requires a sub-group size which CL_DEVICE_SUB_GROUP_SIZES_INTEL does not list fails to build if its
/// results depend on the size. Without such a dependency it builds.
#[test]
fn required_size() {
    let lab = Lab::new();
    if !has_them(&lab) {
        return;
    }
    let build = |size: usize, value: &str| {
        let program = lab.setup.program(&format!(
            "__attribute__((intel_reqd_sub_group_size({size}))) kernel void k(global int *p) {{ p[0] = {value}; }}"
        ));
        let code = cl!(clBuildProgram(program, 0, null(), c"".as_ptr(), None, null_mut()));
        let log = lab.setup.log(program);
        assert_eq!(cl!(clReleaseProgram(program)), 0);
        (code, log)
    };
    let sizes = [1, 2, 4, 8, 16, 32, 64, 128];
    let good: Vec<usize> = sizes
        .into_iter()
        .filter(|&size| {
            let (code, log) = build(size, "intel_sub_group_shuffle(p[1], 0)");
            if code != 0 {
                assert_eq!(code, common::CL_BUILD_PROGRAM_FAILURE);
                assert!(
                    log.contains(&format!("requires sub-groups of {size} work-items")),
                    "{log}"
                );
            }
            code == 0
        })
        .collect();
    let bytes = crate::query_bytes!(clGetDeviceInfo(lab.setup.device; 0x4108));
    let listed = bytes.chunks(size_of::<usize>());
    let listed = listed.map(|b| usize::from_ne_bytes(b.try_into().expect("whole numbers")));
    assert_eq!(good, listed.collect::<Vec<_>>());
    for size in sizes {
        assert_eq!(build(size, "1").0, 0);
    }
}

/// Shapes of work-groups: rows that are shorter than a sub-group or no multiple of its size, columns, and whole sub-groups.
const SHAPES: [[usize; 3]; 12] = [
    [3, 3, 1],
    [5, 3, 2],
    [7, 9, 1],
    [8, 3, 1],
    [1, 16, 1],
    [16, 1, 1],
    [3, 1, 5],
    [1, 1, 11],
    [9, 2, 1],
    [17, 2, 3],
    [32, 3, 1],
    [33, 3, 1],
];

/// The numbers that each work-item of the kernel `shape` writes.
const SHAPE_NUMBERS: usize = 11;

/// Kernels that write where each work-item is, and what it gets from others of its sub-group.
fn shape_source(attribute: &str) -> String {
    format!(
        "{attribute} kernel void shape(global uint *out) {{
  uint n = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
  uint lane = get_sub_group_local_id(), size = get_sub_group_size();
  global uint *o = out + {SHAPE_NUMBERS} * (get_global_id(0) + get_global_size(0) *
    (get_global_id(1) + get_global_size(1) * get_global_id(2)));
  o[0] = get_sub_group_id();
  o[1] = lane;
  o[2] = size;
  o[3] = get_max_sub_group_size();
  o[4] = get_num_sub_groups();
  o[5] = get_enqueued_num_sub_groups();
  o[6] = sub_group_broadcast(n, 0);
  o[7] = sub_group_reduce_add(n + 1);
  o[8] = sub_group_scan_exclusive_add(n + 1);
  o[9] = sub_group_shuffle(n, size - 1 - lane);
  // Loops that the work-items leave one after the other.
  uint sum = 0;
  for (uint k = 0; k <= n; k++) sum += k ^ (out == 0);
  o[10] = sum;
}}
"
    )
}

/// Checks that the sub-groups of a work-group with a shape are what OpenCL promises: each work-item is in one, their ids are
/// those below their number, all but the last have the same size, and each exchanges the values of its own work-items.
fn check_shape(lab: &Lab, program: cl_program, local: [usize; 3]) {
    let kernel = lab.setup.kernel(program, "shape");
    let sizes = local.map(usize::to_ne_bytes).concat();
    let told = |what| {
        let (code, value) = ask(lab, kernel, what, Some(&sizes), size_of::<usize>());
        assert_eq!(code, 0);
        value as u64
    };
    let max = told(common::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR);
    let count = told(common::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR);
    let global = [GROUPS * local[0], GROUPS * local[1], local[2]];
    let all: usize = global.iter().product();
    let bytes = 4 * SHAPE_NUMBERS * all;
    let buffer = lab.setup.buffer(&vec![0xCD; bytes]);
    let code = cl!(clSetKernelArg(
        kernel,
        0,
        size_of::<common::cl_mem>(),
        (&raw const buffer).cast()
    ));
    assert_eq!(code, 0);
    let code = cl!(clEnqueueNDRangeKernel(
        lab.setup.queue,
        kernel,
        3,
        null(),
        global.as_ptr(),
        local.as_ptr(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0, "{local:?}");
    let out = lab.setup.read(buffer, bytes);
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    // For each sub-group: by number in it, the local linear id of the work-item and what it wrote.
    let mut found: BTreeMap<([usize; 3], u64), BTreeMap<u64, (u64, Vec<u64>)>> = BTreeMap::new();
    for i in 0..all {
        let place = [
            i % global[0],
            i / global[0] % global[1],
            i / global[0] / global[1],
        ];
        let group = [0, 1, 2].map(|d| place[d] / local[d]);
        let [x, y, z] = [0, 1, 2].map(|d| place[d] % local[d]);
        let n = (x + local[0] * (y + local[1] * z)) as u64;
        let said: Vec<u64> = (0..SHAPE_NUMBERS)
            .map(|k| element(&out, 4, SHAPE_NUMBERS * i + k))
            .collect();
        assert_eq!(said[3..6], [max, count, count], "work-item {n} of {local:?}");
        assert!(
            said[0] < count,
            "work-item {n} of {local:?} is in sub-group {}",
            said[0]
        );
        assert_eq!(
            said[10],
            n * (n + 1) / 2,
            "the loop of work-item {n} of {local:?}"
        );
        let members = found.entry((group, said[0])).or_default();
        let (id, lane) = (said[0], said[1]);
        let other = members.insert(lane, (n, said));
        assert!(
            other.is_none(),
            "two work-items {lane} in sub-group {id} of {local:?}"
        );
    }
    let groups = GROUPS * GROUPS;
    assert_eq!(found.len(), groups * count as usize, "sub-groups of {local:?}");
    for ((_, id), members) in &found {
        let at = format!("sub-group {id} of {local:?}");
        let size = members.len() as u64;
        let whole = (all / groups) as u64;
        let expected = if id + 1 == count {
            whole - max * (count - 1)
        } else {
            max
        };
        assert_eq!(size, expected, "{at}");
        assert!(members.keys().copied().eq(0..size), "{at}");
        let numbers: Vec<u64> = members.values().map(|(n, _)| *n).collect();
        let sum = |part: &[u64]| part.iter().map(|n| n + 1).sum::<u64>();
        for (lane, (n, said)) in members.values().enumerate() {
            let other = numbers[numbers.len() - 1 - lane];
            let expected = [numbers[0], sum(&numbers), sum(&numbers[..lane]), other];
            assert_eq!(
                (said[2], &said[6..10]),
                (size, &expected[..]),
                "work-item {n}, {at}"
            );
        }
    }
}

#[test]
fn of_several_dimensions() {
    let lab = Lab::new();
    if !has_them(&lab) {
        return;
    }
    for attribute in ["", "__attribute__((intel_reqd_sub_group_size(4)))"] {
        let program = lab.build(&shape_source(attribute));
        for shape in SHAPES {
            check_shape(&lab, program, shape);
        }
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}

/// Kernels whose work-groups have a size that the compiler knows.
#[test]
fn of_known_sizes() {
    let lab = Lab::new();
    if !has_them(&lab) {
        return;
    }
    for [x, y, z] in [[3, 3, 1], [5, 3, 2], [8, 3, 1]] {
        let attribute = format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))");
        let alone = lab.build(&shape_source(&attribute));
        check_shape(&lab, alone, [x, y, z]);
        assert_eq!(cl!(clReleaseProgram(alone)), 0);
        let others = "kernel void other(global uint *out) { out[get_local_id(1)] = get_local_size(0); }";
        let program = lab.build(&(shape_source(&attribute) + others));
        check_shape(&lab, program, [x, y, z]);
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}
