//! Interprets reads with every sampler before and after the passes. Reads that are lowered to fetches or to
//! Vulkan's samplers must give exactly the same texels; filtered texels may differ by the error of a
//! division. The interpreter implements the formulas of CL 8.2, accepts only operations that Vulkan's
//! samplers support, and traps on fetches outside an image.

use caldera_compiler::driver::{Dump, Input, Observer, Stage, compile_observed};
use caldera_compiler::interp::{self, Arg, Image, Launch, Memory};
use caldera_compiler::intrinsic::{ImageShape, SamplerMask, Texel};
use caldera_compiler::ir::{self, Module};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::target::Target;
use std::time::Duration;

/// Keeps the module before and after the passes.
#[derive(Default)]
struct Both {
    before: String,
    after: String,
}

impl Observer for Both {
    fn wants(&self, stage: Stage) -> bool {
        matches!(stage, Stage::LowerHir | Stage::Passes)
    }
    fn dump(&mut self, stage: Stage, name: &str, dump: Dump) {
        let Dump::Text(text) = dump else { return };
        match (stage, name) {
            (Stage::LowerHir, _) => self.before = text,
            (Stage::Passes, "final") => self.after = text,
            _ => {}
        }
    }
    fn time(&mut self, _: Stage, _: Option<&'static str>, _: Duration) {}
}

/// Returns the module before and after the passes.
fn modules(source: &str, target: &Target) -> (Module, Module) {
    let input = Input {
        name: "images.cl",
        source,
        options: &Options::default(),
        resolver: &NoIncludes,
    };
    let mut both = Both::default();
    compile_observed(&input, target, &mut both).unwrap_or_else(|f| panic!("{}\n{source}", f.log));
    let parse = |text: &str| ir::parse::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (parse(&both.before), parse(&both.after))
}

/// The generator xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }
    fn unit(&mut self) -> f32 {
        (self.next() % (1 << 20)) as f32 / (1 << 20) as f32
    }
}

/// The number of reads of each kernel per sampler.
const COUNT: usize = 16;
const SIZE: [u32; 3] = [5, 3, 4];

struct Case {
    shape: ImageShape,
    texel: Texel,
    float_coordinates: bool,
}

impl Case {
    fn image_type(&self) -> &'static str {
        match self.shape {
            ImageShape::D1 => "image1d_t",
            ImageShape::Buffer => "image1d_buffer_t",
            ImageShape::D1Array => "image1d_array_t",
            ImageShape::D2 => "image2d_t",
            ImageShape::D2Array => "image2d_array_t",
            ImageShape::D3 => "image3d_t",
        }
    }

    /// Returns the number of components of a coordinate in OpenCL C.
    fn lanes(&self) -> usize {
        [1, 1, 2, 4][usize::from(self.shape.lanes())]
    }

    fn image(&self, random: &mut Random, channel_order: u32) -> Image {
        let mut size = [1; 3];
        let lanes = usize::from(self.shape.lanes());
        size[..lanes].copy_from_slice(&SIZE[..lanes]);
        // The layers of a 1D array are the second component of its size.
        let count: u32 = size.iter().product();
        let mut texel = || {
            [(); 4].map(|()| match self.texel {
                Texel::Float => random.unit().to_bits(),
                Texel::Int | Texel::UInt => random.next() as u32,
            })
        };
        Image {
            shape: self.shape,
            size,
            channel_order,
            channel_data_type: match self.texel {
                Texel::Float => 0x10de,
                Texel::Int => 0x10d9,
                Texel::UInt => 0x10dc,
            },
            texels: (0..count).map(|_| texel()).collect(),
        }
    }

    /// Returns coordinates inside, outside, on and between texels, for normalized and unnormalized samplers.
    fn coordinates(&self, random: &mut Random) -> Vec<u8> {
        let mut bytes = Vec::new();
        for n in 0..COUNT * self.lanes() {
            let special = [
                0.0,
                -0.0,
                1.0,
                0.5,
                2.0,
                -1.0,
                2.5,
                5.0,
                -0.5,
                1e9,
                -1e9,
                0.999_999_94,
                1.5,
            ];
            let x = match random.next() % 4 {
                0 => special[n % special.len()],
                1 => random.unit() * 4.0 - 1.5,
                _ => random.unit() * 12.0 - 3.0,
            };
            let word = if self.float_coordinates {
                x.to_bits()
            } else {
                (x.clamp(-1e6, 1e6).floor() as i32) as u32
            };
            bytes.extend(word.to_le_bytes());
        }
        bytes
    }

    /// Returns a kernel that reads with a sampler argument, or with literal samplers.
    fn source(&self, literals: &[SamplerMask]) -> String {
        let (coordinate, suffix, texel) = match (self.float_coordinates, self.texel) {
            (true, Texel::Float) => ("float", "f", "float4"),
            (true, Texel::Int) => ("float", "i", "int4"),
            (true, Texel::UInt) => ("float", "ui", "uint4"),
            (false, Texel::Float) => ("int", "f", "float4"),
            (false, Texel::Int) => ("int", "i", "int4"),
            (false, Texel::UInt) => ("int", "ui", "uint4"),
        };
        let lanes = match self.lanes() {
            1 => String::new(),
            n => n.to_string(),
        };
        let mut reads = String::new();
        for (n, mask) in literals.iter().enumerate() {
            reads += &format!("*out++ = read_image{suffix}(image, literal_{n}, at[i]);\n");
            reads = format!("const sampler_t literal_{n} = {};\n{reads}", mask.0);
        }
        if literals.is_empty() {
            reads = format!("*out++ = read_image{suffix}(image, s, at[i]);\n");
        }
        format!(
            "kernel void k({} image, sampler_t s, global {coordinate}{lanes} *at, global {texel} *out)\n\
             {{ for (int i = 0; i < {COUNT}; i++) {{\n{reads} }} }}",
            self.image_type()
        )
    }
}

/// Returns the words that a kernel writes.
fn run(
    module: &Module,
    image: &Image,
    sampler: SamplerMask,
    coordinates: &[u8],
    results: usize,
) -> Result<Vec<u32>, interp::Trap> {
    let mut memory = Memory::default();
    memory.handles.images.insert(0, image.clone());
    memory.handles.samplers.insert(1, sampler);
    let at = memory.add(coordinates.to_vec());
    let out = memory.add(vec![0; results * 16]);
    let args = [Arg::Handle, Arg::Handle, Arg::Pointer(at), Arg::Pointer(out)];
    let launch = Launch {
        steps: 4_000_000,
        ..Launch::default()
    };
    interp::launch(module, 0, &args, launch, &mut memory)?;
    let words = memory.object(out).chunks_exact(4);
    Ok(words
        .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
        .collect())
}

/// Returns every sampler for which the specification defines the result of a read.
fn samplers(float_coordinates: bool) -> Vec<SamplerMask> {
    let mut list = Vec::new();
    for normalized in [0, SamplerMask::NORMALIZED] {
        for address in [
            SamplerMask::ADDRESS_EDGE,
            SamplerMask::ADDRESS_CLAMP,
            SamplerMask::ADDRESS_REPEAT,
            SamplerMask::ADDRESS_MIRRORED,
        ] {
            for filter in [SamplerMask::NEAREST, SamplerMask::LINEAR] {
                let repeats = address > SamplerMask::ADDRESS_CLAMP;
                let by_texel = normalized == 0 && filter == SamplerMask::NEAREST;
                if repeats && normalized == 0 || !float_coordinates && !by_texel {
                    continue;
                }
                list.push(SamplerMask(normalized | address | filter));
            }
        }
    }
    list
}

fn compare(case: &Case, target: &Target, random: &mut Random, literals: bool) {
    let masks = samplers(case.float_coordinates);
    let list = if literals { &masks[..] } else { &[] };
    let source = case.source(list);
    let (before, after) = modules(&source, target);
    let results = COUNT * list.len().max(1);
    for &mask in if literals { &masks[..1] } else { &masks[..] } {
        let has_border = literals || mask.address() == SamplerMask::ADDRESS_CLAMP;
        for order in if has_border {
            &[0x10b5, 0x10b0][..]
        } else {
            &[0x10b9]
        } {
            let image = case.image(random, *order);
            let at = case.coordinates(random);
            let run = |module: &Module| {
                run(module, &image, mask, &at, results)
                    .unwrap_or_else(|e| panic!("{e}: sampler {:#x}\n{source}\n{after}", mask.0))
            };
            let (expected, got) = (run(&before), run(&after));
            for (n, (e, g)) in expected.iter().zip(&got).enumerate() {
                let mask = if literals {
                    masks[n / 4 % masks.len()]
                } else {
                    mask
                };
                let filtered = mask.linear() && case.texel == Texel::Float && case.float_coordinates;
                let (x, y) = (f32::from_bits(*e), f32::from_bits(*g));
                assert!(
                    e == g || filtered && (x - y).abs() <= 1e-5,
                    "sampler {:#x}, result {n}: {e:#x} became {g:#x} ({x}, {y})\n{source}",
                    mask.0
                );
            }
        }
    }
}

#[test]
fn reads_with_samplers() {
    let mut random = Random(8);
    for shape in ImageShape::ALL.into_iter().filter(|s| *s != ImageShape::Buffer) {
        for texel in Texel::ALL {
            for float_coordinates in [true, false] {
                let case = Case {
                    shape,
                    texel,
                    float_coordinates,
                };
                for target in [Target::desktop(), Target::faulty()] {
                    for literals in [true, false] {
                        compare(&case, &target, &mut random, literals);
                    }
                }
            }
        }
    }
}

/// `Features::reordered_writes`: A is stored in R, RA in RG, ARGB in RGBA.
#[test]
fn written_components_are_reordered() {
    let source = "kernel void k(write_only image1d_t i, int4 x) { write_imagei(i, 0, x); }";
    let mut target = Target::desktop();
    target.features.reordered_writes = true;
    let (_, after) = modules(source, &target);
    for (channel_order, stored) in [
        (0x10b1, vec![4]),
        (0x10b3, vec![1, 4]),
        (0x10b7, vec![4, 1, 2, 3]),
        (0x10b5, vec![1, 2, 3, 4]),
        (0x10b6, vec![1, 2, 3, 4]),
        (0x10b0, vec![1]),
    ] {
        let mut memory = Memory::default();
        let image = Image {
            shape: ImageShape::D1,
            size: [1; 3],
            channel_order,
            channel_data_type: 0x10d9,
            texels: vec![[0; 4]],
        };
        memory.handles.images.insert(0, image);
        let bytes = [1i32, 2, 3, 4].iter().flat_map(|v| v.to_le_bytes()).collect();
        let launch = Launch {
            steps: 1000,
            ..Launch::default()
        };
        let args = [Arg::Handle, Arg::Bytes(bytes)];
        interp::launch(&after, 0, &args, launch, &mut memory).expect("it runs");
        assert_eq!(
            memory.handles.images[&0].texels[0][..stored.len()],
            stored,
            "{channel_order:#x}"
        );
    }
}

/// CL 8.3.3, 8.3.4: integers are saturated to the type of the channels.
#[test]
fn written_integers_are_saturated() {
    let source = "kernel void k(write_only image1d_t i, write_only image1d_t u, global int4 *p) {
        for (int n = 0; n < 3; n++) { write_imagei(i, n, p[n]); write_imageui(u, n, as_uint4(p[n])); }
    }";
    let (_, after) = modules(source, &Target::desktop());
    let values: [i32; 12] = [
        0,
        127,
        128,
        -128,
        -129,
        255,
        256,
        32767,
        32768,
        -32769,
        i32::MAX,
        i32::MIN,
    ];
    for (signed, unsigned, low, high, most) in [
        (0x10d7, 0x10da, -128, 127, 0xff),
        (0x10d8, 0x10db, -32768, 32767, 0xffff),
        (0x10d9, 0x10dc, i32::MIN, i32::MAX, u32::MAX),
    ] {
        let mut memory = Memory::default();
        for (n, channel_data_type) in [signed, unsigned].into_iter().enumerate() {
            let image = Image {
                shape: ImageShape::D1,
                size: [3, 1, 1],
                channel_order: 0x10b5,
                channel_data_type,
                texels: vec![[0; 4]; 3],
            };
            memory.handles.images.insert(n as u32, image);
        }
        let p = memory.add(values.iter().flat_map(|v| v.to_le_bytes()).collect());
        let launch = Launch {
            steps: 10_000,
            ..Launch::default()
        };
        let args = [Arg::Handle, Arg::Handle, Arg::Pointer(p)];
        interp::launch(&after, 0, &args, launch, &mut memory).expect("it runs");
        let written = |n: u32| memory.handles.images[&n].texels.concat();
        let clamped = values.map(|v| v.clamp(low, high) as u32);
        assert_eq!(written(0), clamped, "{signed:#x}");
        assert_eq!(written(1), values.map(|v| (v as u32).min(most)), "{unsigned:#x}");
    }
}
