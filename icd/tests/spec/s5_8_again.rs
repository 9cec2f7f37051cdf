//! CL 5.7.2, 5.8: a launch uses the values that the kernel's arguments have when it is enqueued, regardless of the
//! state that earlier launches have left in the cached launch.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created};

const SOURCE: &str = "kernel void step(uint a, global uint *out, local uint *t) {\n\
      size_t l = get_local_id(0);\n\
      t[l] = a + l;\n\
      barrier(CLK_LOCAL_MEM_FENCE);\n\
      size_t i = get_global_id(0);\n\
      out[i] = out[i] * 3 + t[get_local_size(0) - 1 - l] + get_global_size(0) + 7 * get_global_offset(0);\n\
    }\n\
    kernel void wide(global uint *out, uint16 x, uint16 y, uint16 z) {\n\
      out[get_global_id(0)] += x.s0 + 2 * y.sf + 3 * z.s7;\n\
    }\n\
    kernel void set(global uint *out, uint a, uint b) { out[0] = a; out[1] = b; }\n";

/// The number of words in each buffer.
const WORDS: usize = 128;

/// A sequence of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

/// The arguments of a `step` kernel.
#[derive(Copy, Clone)]
struct Step {
    kernel: cl_kernel,
    a: u32,
    buffer: usize,
    /// The maximum number of work-items in a work-group.
    room: usize,
}

fn set<T>(kernel: cl_kernel, index: u32, value: &T) {
    let code = cl!(clSetKernelArg(
        kernel,
        index,
        size_of::<T>(),
        std::ptr::from_ref(value).cast()
    ));
    assert_eq!(code, 0, "argument {index}");
}

fn launch(s: &Setup, kernel: cl_kernel, offset: usize, global: usize, local: usize) {
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        1,
        &raw const offset,
        &raw const global,
        &raw const local,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

impl Step {
    /// Applies the effect of a launch to `words`.
    fn apply(self, words: &mut [u32], offset: usize, global: usize, local: usize) {
        for i in 0..global {
            let value = self.a as usize + (local - 1 - i % local) + global + 7 * offset;
            let word = &mut words[offset + i];
            *word = word.wrapping_mul(3).wrapping_add(value as u32);
        }
    }
}

#[test]
fn values_and_sizes_change_between_launches() {
    let s = Setup::new();
    let p = s.built(SOURCE, "");
    let mut random = Random(1);
    let buffers: Vec<cl_mem> = (0..3).map(|_| s.buffer(&[0; 4 * WORDS])).collect();
    let mut expected = vec![vec![0u32; WORDS]; buffers.len()];
    // There are two kernel objects of one function.
    let mut steps: Vec<Step> = (0..2u32)
        .map(|i| Step {
            kernel: s.kernel(p, "step"),
            a: i,
            buffer: i as usize,
            room: 32,
        })
        .collect();
    for step in &steps {
        set(step.kernel, 0, &step.a);
        set(step.kernel, 1, &buffers[step.buffer]);
        assert_eq!(cl!(clSetKernelArg(step.kernel, 2, 4 * step.room, null())), 0);
    }
    let wide = s.kernel(p, "wide");
    let mut wide_at = 0;
    let mut plain = [[0u32; 16]; 3];
    set(wide, 0, &buffers[wide_at]);
    (0..3).for_each(|i| set(wide, i + 1, &plain[i as usize]));
    for _ in 0..400 {
        let which = random.below(steps.len());
        let step = &mut steps[which];
        match random.below(8) {
            0 | 1 => {
                step.a = random.below(1000) as u32;
                set(step.kernel, 0, &step.a);
            }
            2 => {
                step.buffer = random.below(buffers.len());
                set(step.kernel, 1, &buffers[step.buffer]);
            }
            3 => {
                step.room = [8, 16, 32][random.below(3)];
                assert_eq!(cl!(clSetKernelArg(step.kernel, 2, 4 * step.room, null())), 0);
            }
            4 => {
                let i = random.below(3);
                plain[i][random.below(16)] = random.below(1000) as u32;
                set(wide, i as u32 + 1, &plain[i]);
            }
            5 => {
                wide_at = random.below(buffers.len());
                set(wide, 0, &buffers[wide_at]);
            }
            _ => {}
        }
        if random.below(4) == 0 {
            launch(&s, wide, 0, 64, 32);
            let by = plain[0][0] + 2 * plain[1][15] + 3 * plain[2][7];
            for word in &mut expected[wide_at][..64] {
                *word = word.wrapping_add(by);
            }
        } else {
            let local = [4, 8, step.room][random.below(3)];
            let (offset, global) = (random.below(2) * 32, [32, 64, 96][random.below(3)]);
            launch(&s, step.kernel, offset, global, local);
            step.apply(&mut expected[step.buffer], offset, global, local);
        }
    }
    for (buffer, expected) in buffers.iter().zip(&expected) {
        let bytes = s.read(*buffer, 4 * WORDS);
        let words: Vec<u32> = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|w| u32::from_ne_bytes(*w))
            .collect();
        assert_eq!(words, *expected);
        assert_eq!(cl!(clReleaseMemObject(*buffer)), 0);
    }
    for kernel in steps.iter().map(|s| s.kernel).chain([wide]) {
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

#[test]
fn buffers_sub_buffers_and_null_take_turns() {
    let s = Setup::new();
    let source = "kernel void put(global uint *out, uint a) { if (out) out[get_global_id(0)] += a; }";
    let p = s.built(source, "");
    let k = s.kernel(p, "put");
    let b = s.buffer(&[0; 8192]);
    let region = cl_buffer_region {
        origin: 4096,
        size: 4096,
    };
    let (sub, code) = created!(clCreateSubBuffer(
        b,
        0,
        CL_BUFFER_CREATE_TYPE_REGION,
        (&raw const region).cast()
    ));
    assert_eq!(code, 0);
    let mut expected = [0u32, 0];
    for i in 0..50u32 {
        match i * i % 7 {
            0 | 1 => {
                set(k, 0, &null_mut::<u8>());
            }
            2 => {
                set(k, 0, &b);
                expected[0] += i;
            }
            _ => {
                set(k, 0, &sub);
                expected[1] += i;
            }
        }
        set(k, 1, &i);
        launch(&s, k, 0, 64, 32);
    }
    let bytes = s.read(b, 8192);
    for (at, expected) in [(0, expected[0]), (4096, expected[1])] {
        for word in bytes[at..at + 256].as_chunks::<4>().0 {
            assert_eq!(u32::from_ne_bytes(*word), expected);
        }
    }
    for buffer in [sub, b] {
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

/// Another thread sets arguments during launches. Appendix A.2 does not allow that, but programs do it: nothing may
/// break, and no launch may use a half-written value.
#[test]
fn another_thread_sets_values_meanwhile() {
    let s = Setup::new();
    let p = s.built(SOURCE, "");
    let k = s.kernel(p, "set");
    let buffers = [s.buffer(&[0; 64]), s.buffer(&[0; 64])];
    set(k, 0, &buffers[0]);
    set(k, 1, &0u32);
    set(k, 2, &0u32);
    let done = AtomicBool::new(false);
    let (kernel, addresses) = (k.addr(), buffers.map(|b| b.addr()));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let kernel = std::ptr::with_exposed_provenance_mut(kernel);
            for i in 0u32.. {
                let value = if i % 2 == 0 { 0u32 } else { u32::MAX };
                set(kernel, 1, &value);
                set(kernel, 0, &addresses[i as usize / 2 % 2]);
                set(kernel, 2, &!value);
                if done.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        for _ in 0..3000 {
            launch(&s, k, 0, 1, 1);
        }
        done.store(true, Ordering::Relaxed);
    });
    set(k, 0, &buffers[0]);
    set(k, 1, &5u32);
    launch(&s, k, 0, 1, 1);
    for (i, buffer) in buffers.into_iter().enumerate() {
        let bytes = s.read(buffer, 8);
        for (j, word) in bytes.as_chunks::<4>().0.iter().enumerate() {
            let word = u32::from_ne_bytes(*word);
            assert!(
                [0, u32::MAX].contains(&word) || (i, j, word) == (0, 0, 5),
                "{word:#x}"
            );
        }
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}
