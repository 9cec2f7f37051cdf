//! Modules whose reflection is modified at random. Each must be refused with an error, or run; its results do not
//! matter. Nothing may crash, and the validation layer must not report a message. In particular, no descriptor may
//! be used that was not written.

mod support;

use std::sync::Arc;

use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_compiler::clspv::Clspv;
use caldera_compiler::driver::{Input, compile};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::reflect::{self, Binding, Place};
use caldera_compiler::target::Target;
use caldera_runtime::context::Context;
use caldera_runtime::error::{ClCode, Error};
use caldera_runtime::kernel::launch::{ArgValue, PodBytes};
use caldera_runtime::kernel::{Kernel, Range};
use caldera_runtime::mem::image::{ImageDesc, ImageFormat};
use caldera_runtime::mem::{Buffer, Image, MemFlags};
use caldera_runtime::queue::CommandQueue;
use caldera_runtime::sampler::{AddressingMode, FilterMode, Sampler};
use support::*;

/// A program with every kind of argument and constant that reflection describes.
const SOURCE: &str = "
    constant int table[4] = {1, 2, 4, 8};
    constant sampler_t nearest = CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP_TO_EDGE;
    kernel void numbers(global int *y, char a, constant int *x, int4 b, local int *l, local char *m, global int *none) {
        size_t i = get_global_id(0);
        l[get_local_id(0)] = x[i];
        m[get_local_id(0)] = a;
        barrier(CLK_LOCAL_MEM_FENCE);
        y[i] = m[0] * l[get_local_id(0) ^ 1] + b.z + table[i % 4] + get_work_dim() + get_global_size(0);
        if (a == 77) PRINT(a);
        if (OTHER) y[i] += get_global_offset(0) + get_group_id(0);
    }
    kernel __attribute__((reqd_work_group_size(8, 1, 1))) void
    pictures(read_only image2d_t from, write_only image2d_t to, sampler_t s, global float4 *out, float2 at) {
        int x = get_global_id(0);
        out[x] = read_imagef(from, s, at) + read_imagef(from, nearest, (int2)(x, 0));
        write_imagef(to, (int2)(x, 1), out[x]);
    }";

fn words(options: &[&str], target: Option<Target>) -> Vec<u32> {
    let target = target.unwrap_or_else(|| {
        let mut clspv = Clspv::default();
        for option in options {
            assert!(clspv.accept(option, &mut || None).expect("valid"), "{option}");
        }
        let mut target = Target::clspv();
        clspv.apply(&mut target).expect("valid");
        target
    });
    // Comparisons with NULL and printf need options that clspv's mapping does not have by default.
    let (other, print) = match &target.abi {
        Abi::Descriptor(d) if d.null_flags => ("none != 0", "printf(\"%d\\n\", a)"),
        Abi::Descriptor(_) | Abi::Physical => ("x[0] == 0", ""),
    };
    let input = Input {
        name: "test.cl",
        source: &SOURCE.replace("OTHER", other).replace("PRINT(a)", print),
        options: &Options::default(),
        resolver: &NoIncludes,
    };
    compile(&input, &target)
        .unwrap_or_else(|f| panic!("{}", f.log))
        .words
}

/// The objects that arguments can be.
struct Objects {
    context: Arc<Context>,
    queue: Arc<CommandQueue>,
    buffers: [Arc<Buffer>; 3],
    images: [Arc<Image>; 2],
    sampler: Arc<Sampler>,
}

impl Objects {
    fn new() -> Objects {
        let context = context();
        let image = |flags| {
            let format = ImageFormat::new(0x10b5, 0x10de).expect("RGBA, float");
            let desc = ImageDesc {
                image_type: 0x10f1,
                size: [64, 4, 1],
                ..ImageDesc::default()
            };
            let flags = MemFlags::from_bits(flags).expect("flags");
            Image::create(&context, flags, format, &desc, None).expect("image")
        };
        Objects {
            queue: queue(&context, false),
            buffers: [0, 1, 2].map(|_| buffer_of(&context, &[0.0; 256])),
            images: [image(1 << 2), image(1 << 1)],
            sampler: Sampler::create(
                &context,
                true,
                AddressingMode::Repeat,
                FilterMode::Nearest,
                Vec::new(),
            )
            .expect("sampler"),
            context,
        }
    }

    /// Returns argument values that clSetKernelArg would accept.
    fn values(&self, kernel: &Kernel) -> Vec<ArgValue> {
        let size = |place| match place {
            Place::Push(range) => range.size,
            Place::Uniform { size, .. } | Place::Storage { size, .. } => size,
        };
        let (_, on_device) = kernel.on_device(None).expect("the only device");
        let args = &on_device.reflection().args;
        let value = |(i, arg): (usize, &reflect::Arg)| match arg.binding {
            Some(Binding::Pod(place)) => ArgValue::Pod(PodBytes::new(&vec![1; size(place) as usize])),
            Some(Binding::Pointer(_) | Binding::StorageBuffer(_) | Binding::UniformBuffer(_)) => match i {
                6 => ArgValue::Buffer(None),
                _ => ArgValue::Buffer(Some(Arc::clone(&self.buffers[i % 3]))),
            },
            Some(Binding::Workgroup { .. }) => ArgValue::Local(64),
            Some(Binding::Sampler(_) | Binding::NormalizedSampler(_)) => {
                ArgValue::Sampler(Arc::clone(&self.sampler))
            }
            Some(Binding::SampledImage(_) | Binding::UniformTexelBuffer(_)) => ArgValue::Image {
                image: Arc::clone(&self.images[0]),
                write: false,
            },
            Some(Binding::StorageImage(_) | Binding::StorageTexelBuffer(_)) => ArgValue::Image {
                image: Arc::clone(&self.images[1]),
                write: true,
            },
            None => ArgValue::Local(1),
        };
        args.iter().enumerate().map(value).collect()
    }

    /// Loads a module and launches all its kernels.
    fn run(&self, words: &[u32]) -> Result<(), Error> {
        let program = program_of(&self.context, words)?;
        for kernel in Kernel::create_all(&program)? {
            let range = Range {
                offset: [8, 0, 0],
                ..items(16, Some(8))
            };
            launch(&self.queue, &kernel, &self.values(&kernel), range, NOTHING)?;
        }
        self.queue.finish()
    }
}

/// Returns the reflection instructions of a module, as ranges of words.
fn reflection_of(words: &[u32]) -> Vec<std::ops::Range<usize>> {
    let (mut at, mut sets, mut found) = (5, Vec::new(), Vec::new());
    while at < words.len() {
        let (len, code) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        match code {
            // OpExtInstImport, OpExtInst
            11 if words[at + 2..at + 4] == [u32::from_le_bytes(*b"NonS"), u32::from_le_bytes(*b"eman")] => {
                sets.push(words[at + 1]);
            }
            12 if sets.contains(&words[at + 3]) => found.push(at..at + len),
            _ => {}
        }
        at += len;
    }
    found
}

/// The number of mutants of each module.
const ROUNDS: usize = 250;

/// Constants that mutants use.
const NUMBERS: &[u32] = &[
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    12,
    16,
    24,
    31,
    64,
    120,
    128,
    252,
    255,
    256,
    4092,
    4096,
    65_535,
    1 << 20,
    1 << 28,
    1 << 31,
    u32::MAX,
];

/// Inserts constants with the values of [`NUMBERS`] before the module's first function. Returns the module and the
/// ids of the constants.
fn with_numbers(words: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut at, mut uint) = (5, 0);
    // OpFunction
    while words[at] & 0xffff != 54 {
        // OpTypeInt 32 0
        if words[at] & 0xffff == 21 && words[at + 2..at + 4] == [32, 0] {
            uint = words[at + 1];
        }
        at += (words[at] >> 16) as usize;
    }
    let bound = words[3];
    let ids: Vec<u32> = (bound..).take(NUMBERS.len()).collect();
    let constants = ids
        .iter()
        .zip(NUMBERS)
        .flat_map(|(&id, &n)| [4 << 16 | 43, uint, id, n]);
    let mut out = [&words[..at], &constants.collect::<Vec<u32>>(), &words[at..]].concat();
    out[3] = bound + NUMBERS.len() as u32;
    (out, ids)
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(0x5851_F42D_4C95_7F2D)
            .wrapping_add(0x1405_7B7E_F767_814F);
        (self.0 >> 33) as usize % n
    }
}

/// Changes some words of the reflection in one of several ways.
fn mutate(words: &[u32], numbers: &[u32], random: &mut Random) -> Vec<u32> {
    let mut out = words.to_vec();
    let list = reflection_of(&out);
    let one = list[random.below(list.len())].clone();
    let other = list[random.below(list.len())].clone();
    match random.below(16) {
        0 => drop(out.drain(one)),
        1 => drop(out.splice(other.start..other.start, words[one].to_vec())),
        // Changes the number of the instruction in its set.
        2 => out[one.start + 4] = 1 + random.below(43) as u32,
        // Replaces an operand by an operand of another instruction, or by any id.
        3 if one.len() > 5 && other.len() > 5 => {
            out[one.start + 5 + random.below(one.len() - 5)] =
                words[other.start + 5 + random.below(other.len() - 5)];
        }
        4 if one.len() > 5 => {
            out[one.start + 5 + random.below(one.len() - 5)] = random.below(words[3] as usize) as u32
        }
        _ if one.len() > 5 => {
            out[one.start + 5 + random.below(one.len() - 5)] = numbers[random.below(numbers.len())];
        }
        _ => {}
    }
    out
}

#[test]
fn mutants_are_refused_or_run() {
    // SAFETY: nothing has read the environment yet; this is the program's only test.
    unsafe { std::env::set_var("CALDERA_VALIDATION", "1") };
    let objects = Objects::new();
    let mut own = Target::clone(device().target());
    own.abi = Abi::Descriptor(DescriptorAbi::runtime());
    let modules = [
        words(&[], Some(own)),
        words(
            &[
                "-module-constants-in-storage-buffer",
                "-work-dim",
                "-global-offset",
            ],
            None,
        ),
        words(
            &[
                "-pod-ubo",
                "-cluster-pod-kernel-args=0",
                "-constant-args-ubo",
                "-scalar-block-layout",
                "-global-offset-push-constant",
            ],
            None,
        ),
    ];
    let mut random = Random(5);
    // In the physical ABI a wrong launch could access any address, so these mutants are only loaded.
    let (good, numbers) = with_numbers(&words(&[], Some(Target::clone(device().target()))));
    for _ in 0..ROUNDS {
        if let Ok(program) = program_of(&objects.context, &mutate(&good, &numbers, &mut random)) {
            let _ = Kernel::create_all(&program);
        }
    }
    let (mut refused, mut ran) = (0, 0);
    for (m, good) in modules.iter().enumerate() {
        objects.run(good).unwrap_or_else(|e| panic!("module {m}: {e}"));
        let (good, numbers) = with_numbers(good);
        for round in 0..ROUNDS {
            let mutant = mutate(&good, &numbers, &mut random);
            match objects.run(&mutant) {
                Ok(()) => ran += 1,
                Err(e) => {
                    assert!(
                        matches!(
                            e.code,
                            ClCode::InvalidBinary
                                | ClCode::OutOfResources
                                | ClCode::InvalidWorkGroupSize
                                | ClCode::InvalidMemObject
                                | ClCode::InvalidKernelArgs
                        ),
                        "module {m}, mutant {round}: {e}"
                    );
                    refused += 1;
                }
            }
            assert_eq!(
                caldera_runtime::validation_messages(),
                0,
                "module {m}, mutant {round}: see the log"
            );
        }
    }
    assert!(refused > ROUNDS && ran > ROUNDS, "{refused} refused, {ran} ran");
}
