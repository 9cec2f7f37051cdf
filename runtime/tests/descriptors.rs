//! Modules whose buffers are descriptors, as clspv generates them. Layouts, pipelines and push constants follow
//! from the reflection alone, for every placement that clspv's options select.

mod support;

use std::sync::Arc;

use caldera_compiler::clspv::Clspv;
use caldera_compiler::driver::{Input, compile};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::reflect;
use caldera_compiler::target::Target;
use caldera_runtime::context::Context;
use caldera_runtime::error::ClCode;
use caldera_runtime::kernel::launch::{ArgValue, PodBytes};
use caldera_runtime::kernel::{Kernel, Range};
use caldera_runtime::mem::Buffer;
use support::*;

fn words(source: &str, options: &[&str]) -> Vec<u32> {
    let mut clspv = Clspv::default();
    for option in options {
        assert!(clspv.accept(option, &mut || None).expect("valid"), "{option}");
    }
    let mut target = Target::clspv();
    clspv.apply(&mut target).expect("valid");
    let input = Input {
        name: "test.cl",
        source,
        options: &Options::default(),
        resolver: &NoIncludes,
    };
    let compiled = compile(&input, &target);
    compiled
        .unwrap_or_else(|f| panic!("{options:?}: {}", f.log))
        .words
}

fn kernel(context: &Arc<Context>, source: &str, options: &[&str]) -> Arc<Kernel> {
    let program = program_of(context, &words(source, options)).expect("module");
    Kernel::create(&program, "k").expect("kernel")
}

fn pod<const N: usize>(bytes: [u8; N]) -> ArgValue {
    ArgValue::Pod(PodBytes::new(&bytes))
}

fn buffer_arg(buffer: &Arc<Buffer>) -> ArgValue {
    ArgValue::Buffer(Some(Arc::clone(buffer)))
}

fn clean() {
    assert_eq!(caldera_runtime::validation_messages(), 0, "see the log");
}

const SOURCE: &str = "
    constant float table[4] = {1.0f, 2.0f, 4.0f, 8.0f};
    kernel void k(global float *y, char a, constant float *x, float4 b, local float *l, global float *none, short c) {
        size_t i = get_global_id(0);
        l[get_local_id(0)] = x[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        y[i] = a * l[get_local_id(0) ^ 1] + b.z + c + table[i % 4];
        if (a == 0) none[i] = 1;
    }";

/// Tests every place in which plain values and constants can be.
#[test]
fn places() {
    let context = context();
    let queue = queue(&context, false);
    let x: Vec<f32> = (0..64).map(|i| i as f32).collect();
    for options in [
        &[][..],
        &["-cluster-pod-kernel-args=0"],
        &["-pod-ubo"],
        &["-pod-ubo", "-cluster-pod-kernel-args=0"],
        &["-pod-pushconstant"],
        &["-constant-args-ubo", "-scalar-block-layout"],
        &["-module-constants-in-storage-buffer"],
        &["-distinct-kernel-descriptor-sets", "-spv-version=1.6"],
        &[
            "-cl-arm-non-uniform-work-group-size",
            "-global-offset",
            "-pod-ubo",
        ],
        &[
            "-no-8bit-storage=ssbo,ubo,pushconstant",
            "-no-16bit-storage=ssbo,ubo,pushconstant",
        ],
    ] {
        let kernel = kernel(&context, SOURCE, options);
        let (from, to) = (buffer_of(&context, &x), buffer_of(&context, &[0.0; 64]));
        // Descriptor sets are reused within a batch and by later batches.
        for round in 0..3i8 {
            let mut b = [0u8; 16];
            b[8..12].copy_from_slice(&100f32.to_ne_bytes());
            let args = [
                buffer_arg(&to),
                pod([(round + 1).to_ne_bytes()[0]]),
                buffer_arg(&from),
                pod(b),
                ArgValue::Local(4 * 16),
                ArgValue::Buffer(None),
                pod(1000i16.to_ne_bytes()),
            ];
            launch(&queue, &kernel, &args, items(64, Some(16)), NOTHING).expect("launch");
            let out = read(&queue, &to);
            for (i, v) in out.iter().enumerate() {
                let table = [1.0, 2.0, 4.0, 8.0][i % 4];
                let expected = f32::from(round + 1) * (i ^ 1) as f32 + 1100.0 + table;
                assert_eq!(*v, expected, "{options:?}, element {i}");
            }
        }
    }
    clean();
}

#[test]
fn offsets_and_regions() {
    let context = context();
    let queue = queue(&context, false);
    let source = "kernel void k(global float *y) {
        y[get_global_id(0) - get_global_offset(0)] = get_global_id(0) + get_work_dim() * get_global_size(0);
    }";
    let n = 70_000;
    let to = buffer_of(&context, &vec![0.0; n]);
    let args = [buffer_arg(&to)];
    let launch = |kernel: &Kernel, offset: usize, local: usize| {
        let range = Range {
            offset: [offset, 0, 0],
            ..items(n, Some(local))
        };
        launch(&queue, kernel, &args, range, NOTHING).map(drop)
    };
    let right = |offset: usize| {
        let out = read(&queue, &to);
        let wrong = out
            .iter()
            .enumerate()
            .find(|(i, v)| **v != (offset + i + n) as f32);
        assert_eq!(wrong, None);
    };
    for option in ["-global-offset", "-global-offset-push-constant"] {
        let kernel = kernel(&context, source, &[option]);
        launch(&kernel, 7, 10).expect("launch");
        right(7);
    }
    // The launch has more work-groups than one dispatch can have on most devices.
    let options = ["-cl-arm-non-uniform-work-group-size", "-global-offset"];
    let regions = kernel(&context, source, &options);
    launch(&regions, 5, 1).expect("launch");
    right(5);
    let plain = kernel(&context, source, &[]);
    launch(&plain, 0, 10).expect("launch");
    right(0);
    // The module was compiled without global offsets, so a launch with one is an error and not a wrong result.
    assert_eq!(
        launch(&plain, 1, 10).expect_err("no offsets").code,
        ClCode::OutOfResources
    );
    clean();
}

#[test]
fn kernels_share_constants_and_sets() {
    let source = "constant int table[] = {3, 1, 4, 1, 5};
        kernel void other(global float *y, global float *z) { y[get_global_id(0)] = z[0]; }
        kernel void k(global float *y, int i) { y[get_global_id(0)] = table[i]; }";
    let context = context();
    let queue = queue(&context, false);
    let module = words(source, &["-module-constants-in-storage-buffer"]);
    let program = program_of(&context, &module).expect("module");
    let named = |name: &str| Kernel::create(&program, name).expect("kernel");
    let (k, other) = (named("k"), named("other"));
    let (a, b) = (buffer_of(&context, &[0.0; 8]), buffer_of(&context, &[0.0; 8]));
    for (i, expected) in [(4i32, 5.0), (2, 4.0)] {
        let args = [buffer_arg(&a), pod(i.to_ne_bytes())];
        launch(&queue, &k, &args, items(8, None), NOTHING).expect("launch");
        let args = [buffer_arg(&b), buffer_arg(&a)];
        launch(&queue, &other, &args, items(8, None), NOTHING).expect("launch");
        assert_eq!(read(&queue, &b), [expected; 8]);
    }
    clean();
}

/// llvmpipe executes a memory fence as a control barrier. Fences are therefore removed from modules that other
/// compilers have made; otherwise a fence that only some work-items reach would join the wrong barrier.
#[test]
fn fences_where_only_some_work_items_come_by() {
    let source = "kernel void k(volatile global float *y, global float *sums) {
        local float cells[64];
        int i = get_local_id(0);
        float sum = 0;
        cells[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < 20)
            for (int k = 0; k < y[i]; k++) {
                sum += 2;
                mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            }
        cells[i] = sum + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[i] = cells[63 - i];
    }";
    let context = context();
    let queue = queue(&context, false);
    let counts: Vec<f32> = (0..64).map(|i| (i % 5) as f32).collect();
    let (y, sums) = (buffer_of(&context, &counts), buffer_of(&context, &[0.0; 64]));
    let kernel = kernel(&context, source, &[]);
    let args = [buffer_arg(&y), buffer_arg(&sums)];
    launch(&queue, &kernel, &args, items(64, Some(64)), NOTHING).expect("launch");
    let expected: Vec<f32> = (0..64)
        .map(|i| 63 - i)
        .map(|i| if i < 20 { 2.0 * (i % 5) as f32 + 1.0 } else { 1.0 })
        .collect();
    assert_eq!(read(&queue, &sums), expected);
    clean();
}

#[test]
fn wrong_modules_are_refused() {
    let good = words(SOURCE, &[]);
    // The module imports a newer revision of the reflection.
    let name = b"NonSemantic.ClspvReflection.7";
    let bytes: Vec<u8> = good.iter().flat_map(|w| w.to_le_bytes()).collect();
    let at = bytes
        .windows(name.len())
        .position(|w| w == name)
        .expect("it is imported");
    let mut newer = bytes;
    newer[at + name.len() - 1] = b'9';
    let newer: Vec<u32> = newer
        .chunks_exact(4)
        .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
        .collect();
    let context = context();
    let refused = |words: &[u32]| {
        let error = program_of(&context, words).expect_err("refused");
        assert_eq!(error.code, ClCode::InvalidBinary);
        error.to_string()
    };
    assert!(refused(&newer).contains("revision 9 is newer than 7"));
    assert!(refused(&good[..good.len() - 1]).contains("truncated"));
    // Two arguments have the same descriptor.
    let mut reflection = reflect::read(&good).expect("reflection");
    let first = reflection.kernels[0].args[0].binding;
    reflection.kernels[0].args[2].binding = first;
    let twice = refused(&reflect::write(&good, &reflection).expect("it can be expressed"));
    assert!(
        twice.contains("kernel 'k': one descriptor is two things"),
        "{twice}"
    );
}
