//! Tests the reflection reader on modules assembled word by word: every instruction of the set, and input
//! with any wrong word.

mod common;

use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_compiler::clspv::Clspv;
use caldera_compiler::driver::{Input, compile};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::reflect::{
    self, Binding, CLSPV_SET, DataPlace, Descriptor, LiteralSampler, MapStyle, Op, Place, PushRange,
    Reflection, ReflectionError,
};
use caldera_compiler::target::Target;
use std::collections::BTreeSet;

/// A module under construction. The ids are: 1 void, 2 u32, 3 function type, 4 function, 5 variable, 6 the
/// set.
struct Asm {
    head: Vec<u32>,
    calls: Vec<u32>,
    next: u32,
}

fn text(s: &str) -> Vec<u32> {
    let mut bytes = s.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes(c.try_into().expect("four bytes")))
        .collect()
}

fn inst(code: u32, operands: &[u32]) -> Vec<u32> {
    let mut words = vec![(operands.len() as u32 + 1) << 16 | code];
    words.extend(operands);
    words
}

const FUNCTION: u32 = 4;
const VARIABLE: u32 = 5;
const SET: u32 = 6;

impl Asm {
    fn new(set: &str) -> Self {
        let mut head = Vec::new();
        let mut import = vec![SET];
        import.extend(text(set));
        head.extend(inst(11, &import));
        head.extend(inst(19, &[1]));
        head.extend(inst(21, &[2, 32, 0]));
        head.extend(inst(33, &[3, 1]));
        head.extend(inst(59, &[7, VARIABLE, 4]));
        Asm {
            head,
            calls: Vec::new(),
            next: 20,
        }
    }
    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next
    }
    fn text(&mut self, s: &str) -> u32 {
        let id = self.id();
        let mut operands = vec![id];
        operands.extend(text(s));
        self.head.extend(inst(7, &operands));
        id
    }
    fn number(&mut self, n: u32) -> u32 {
        let id = self.id();
        self.head.extend(inst(43, &[2, id, n]));
        id
    }
    fn numbers(&mut self, list: &[u32]) -> Vec<u32> {
        list.iter().map(|&n| self.number(n)).collect()
    }
    fn call(&mut self, number: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        let mut words = vec![1, id, SET, number];
        words.extend(operands);
        self.calls.extend(inst(12, &words));
        id
    }
    fn op(&mut self, op: Op, ids: &[u32], numbers: &[u32]) -> u32 {
        let mut operands = ids.to_vec();
        operands.extend(self.numbers(numbers));
        self.call(op as u32, &operands)
    }
    fn kernel(&mut self, name: &str) -> u32 {
        let name = self.text(name);
        self.op(Op::Kernel, &[FUNCTION, name], &[])
    }
    fn words(&self) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0300, 0, 10_000, 0];
        let mut entry = vec![5, FUNCTION];
        entry.extend(text("k"));
        words.extend(inst(15, &entry));
        words.extend(inst(16, &[FUNCTION, 17, 4, 4, 1]));
        words.extend(&self.head);
        words.extend(inst(54, &[1, FUNCTION, 0, 3]));
        words.extend(inst(65, &[8, 9, VARIABLE]));
        words.extend(inst(56, &[]));
        words.extend(&self.calls);
        words
    }
    fn read(&self) -> Result<Reflection, ReflectionError> {
        reflect::read(&self.words())
    }
}

fn at(set: u32, binding: u32) -> Descriptor {
    Descriptor { set, binding }
}

/// Returns a module with each of the 42 instructions.
fn everything() -> Asm {
    let mut a = Asm::new(CLSPV_SET);
    let (name, attributes) = (a.text("k"), a.text("vec_type_hint(int)"));
    let (count, flags) = (a.number(14), a.number(1));
    let k = a.call(Op::Kernel as u32, &[FUNCTION, name, count, flags, attributes]);
    let (arg_name, type_name) = (a.text("p"), a.text("int*"));
    let info = a.op(Op::ArgumentInfo, &[arg_name, type_name], &[0x119b, 0x11a3, 4]);
    let with_info = |a: &mut Asm, op: Op, numbers: &[u32]| {
        let mut operands = vec![k];
        operands.extend(a.numbers(numbers));
        operands.push(info);
        a.call(op as u32, &operands);
    };
    with_info(&mut a, Op::ArgumentStorageBuffer, &[0, 0, 1]);
    with_info(&mut a, Op::ArgumentUniform, &[1, 0, 2]);
    with_info(&mut a, Op::ArgumentPodStorageBuffer, &[2, 0, 3, 8, 4]);
    with_info(&mut a, Op::ArgumentPodUniform, &[3, 0, 4, 16, 8]);
    with_info(&mut a, Op::ArgumentPodPushConstant, &[4, 32, 4]);
    with_info(&mut a, Op::ArgumentSampledImage, &[5, 0, 5]);
    with_info(&mut a, Op::ArgumentStorageImage, &[6, 0, 6]);
    with_info(&mut a, Op::ArgumentSampler, &[7, 0, 7]);
    with_info(&mut a, Op::ArgumentWorkgroup, &[8, 3, 16]);
    with_info(&mut a, Op::ArgumentPointerPushConstant, &[9, 40, 8]);
    with_info(&mut a, Op::ArgumentPointerUniform, &[10, 0, 4, 24, 8]);
    with_info(&mut a, Op::ArgumentStorageTexelBuffer, &[11, 0, 8]);
    with_info(&mut a, Op::ArgumentUniformTexelBuffer, &[12, 0, 9]);
    with_info(&mut a, Op::ArgumentWorkgroup, &[13, 3, 4]);
    with_info(&mut a, Op::ArgumentPodPushConstant, &[13, 48, 4]);
    a.op(Op::SpecConstantWorkgroupSize, &[], &[0, 1, 2]);
    a.op(Op::SpecConstantGlobalOffset, &[], &[5, 6, 7]);
    a.op(Op::SpecConstantWorkDim, &[], &[4]);
    for (n, op) in [
        Op::PushConstantGlobalOffset,
        Op::PushConstantEnqueuedLocalSize,
        Op::PushConstantGlobalSize,
        Op::PushConstantRegionOffset,
        Op::PushConstantNumWorkgroups,
        Op::PushConstantRegionGroupOffset,
    ]
    .into_iter()
    .enumerate()
    {
        a.op(op, &[], &[64 + 12 * n as u32, 12]);
    }
    a.op(Op::LiteralSampler, &[], &[0, 10, 0x11]);
    a.op(Op::PropertyRequiredWorkgroupSize, &[k], &[8, 4, 2]);
    a.op(Op::SpecConstantSubgroupMaxSize, &[], &[9]);
    a.op(Op::ProgramScopeVariablePointerRelocation, &[], &[16, 8, 8]);
    a.op(Op::ImageArgumentInfoChannelOrderPushConstant, &[k], &[5, 136, 4]);
    a.op(
        Op::ImageArgumentInfoChannelDataTypePushConstant,
        &[k],
        &[5, 140, 4],
    );
    a.op(Op::ImageArgumentInfoChannelOrderUniform, &[k], &[6, 0, 4, 32, 4]);
    a.op(
        Op::ImageArgumentInfoChannelDataTypeUniform,
        &[k],
        &[6, 0, 4, 36, 4],
    );
    a.op(Op::NormalizedSamplerMaskPushConstant, &[k], &[7, 144, 4]);
    let format = a.text("%d\n");
    let operands = [a.number(3), format, a.number(4), a.number(8)];
    a.call(Op::PrintfInfo as u32, &operands);
    a.op(Op::PrintfBufferPointerPushConstant, &[], &[152, 8, 4096]);
    a.op(Op::WorkgroupVariableSize, &[VARIABLE], &[100]);
    let hex = a.text("00ff10");
    let operands = [a.number(160), a.number(8), hex];
    a.call(Op::ConstantDataPointerPushConstant as u32, &operands);
    a.call(Op::ConstantDataPointerPushConstant as u32, &operands);
    let operands = [a.number(0), a.number(11), hex];
    a.call(Op::ProgramScopeVariablesStorageBuffer as u32, &operands);
    a
}

#[test]
fn every_instruction() {
    let r = everything().read().expect("it is well-formed");
    let k = &r.kernels[0];
    assert_eq!((k.name.as_str(), k.printf, k.args.len()), ("k", true, 14));
    assert_eq!(k.attributes, "vec_type_hint(int)");
    assert_eq!(k.required_size, Some([8, 4, 2]));
    // Only Caldera's own set states that local memory is an arena.
    assert_eq!((k.local_fixed, k.has_arena), (100, false));
    let push = |offset, size| Place::Push(PushRange { offset, size });
    let uniform = |offset, size| Place::Uniform {
        at: at(0, 4),
        offset,
        size,
    };
    let bindings: Vec<Binding> = k.args.iter().map(|a| a.binding.expect("bound")).collect();
    assert_eq!(
        bindings,
        [
            Binding::StorageBuffer(at(0, 1)),
            Binding::UniformBuffer(at(0, 2)),
            Binding::Pod(Place::Storage {
                at: at(0, 3),
                offset: 8,
                size: 4
            }),
            Binding::Pod(uniform(16, 8)),
            Binding::Pod(push(32, 4)),
            Binding::SampledImage(at(0, 5)),
            Binding::StorageImage(at(0, 6)),
            // The mask of this sampler makes it the variant with normalized coordinates.
            Binding::NormalizedSampler(at(0, 7)),
            Binding::Workgroup {
                spec_id: 3,
                elem_size: 16,
                offset: None
            },
            Binding::Pointer(push(40, 8)),
            Binding::Pointer(uniform(24, 8)),
            Binding::StorageTexelBuffer(at(0, 8)),
            Binding::UniformTexelBuffer(at(0, 9)),
            Binding::Workgroup {
                spec_id: 3,
                elem_size: 4,
                offset: Some(push(48, 4))
            },
        ]
    );
    let info = k.args[0].info.as_ref().expect("given");
    assert_eq!(
        (info.name.as_str(), info.type_name.as_deref()),
        ("p", Some("int*"))
    );
    assert_eq!(info.address_qualifier, Some(0x119b));
    assert_eq!(info.type_qualifier, Some(4));
    assert_eq!(k.args[5].channel_order, Some(push(136, 4)));
    assert_eq!(k.args[5].channel_data_type, Some(push(140, 4)));
    assert_eq!(k.args[6].channel_order, Some(uniform(32, 4)));
    assert_eq!(k.args[6].channel_data_type, Some(uniform(36, 4)));
    assert_eq!(k.args[7].sampler_mask, Some(push(144, 4)));
    assert_eq!(k.args_buffer(), Some((at(0, 4), 48)));
    assert_eq!(r.spec.workgroup_size, Some([0, 1, 2]));
    assert_eq!(r.spec.global_offset, Some([5, 6, 7]));
    assert_eq!((r.spec.work_dim, r.spec.subgroup_max_size), (Some(4), Some(9)));
    let slot = |n: u32| {
        Some(PushRange {
            offset: 64 + 12 * n,
            size: 12,
        })
    };
    assert_eq!(r.push.global_offset, slot(0));
    assert_eq!(r.push.enqueued_local_size, slot(1));
    assert_eq!(r.push.global_size, slot(2));
    assert_eq!(r.push.region_offset, slot(3));
    assert_eq!(r.push.num_workgroups, slot(4));
    assert_eq!(r.push.region_group_offset, slot(5));
    assert_eq!(r.literal_samplers[0].mask, 0x11);
    assert_eq!(r.relocations[0].object_offset, 16);
    assert_eq!(r.printf_formats[0].arg_sizes, [4, 8]);
    assert_eq!(r.printf_buffer.map(|b| b.size), Some(4096));
    let data = r.constant_data.as_ref().expect("given");
    assert_eq!(data.bytes, [0, 0xff, 0x10, 0, 0xff, 0x10]);
    assert_eq!(
        data.place,
        DataPlace::PointerPush(PushRange { offset: 160, size: 8 })
    );
    assert!(r.program_variables.is_some());
    assert_eq!(r.push_size(k), 168);
}

/// The other locations of data that [`every_instruction`] has.
#[test]
fn other_locations() {
    let mut a = Asm::new("NonSemantic.ClspvReflection.1");
    let hex = a.text("aB");
    let operands = [a.number(0), a.number(1), hex];
    a.call(Op::ConstantDataStorageBuffer as u32, &operands);
    a.call(Op::ProgramScopeVariablePointerPushConstant as u32, &operands);
    a.op(Op::PrintfBufferStorageBuffer, &[], &[0, 2, 64]);
    let r = a.read().expect("it is well-formed");
    assert_eq!(r.constant_data.map(|d| d.bytes), Some(vec![0xab]));
    let mut a = Asm::new(CLSPV_SET);
    let hex = a.text("01");
    let operands = [a.number(0), a.number(1), hex];
    a.call(Op::ConstantDataUniform as u32, &operands);
    let r = a.read().expect("it is well-formed");
    assert_eq!(
        r.constant_data.map(|d| d.place),
        Some(DataPlace::UniformBuffer(at(0, 1)))
    );
    assert_eq!(Op::ALL.len(), 42);
}

/// Writes the reflection that was read into the same module: it must read the same, also when it is written
/// again.
fn round_trip(words: &[u32]) -> Vec<u32> {
    let first = reflect::read(words).expect("reflection");
    let written = reflect::write(words, &first).expect("the sets can say what was read");
    assert_eq!(reflect::read(&written).expect("reflection"), first);
    assert_eq!(
        reflect::write(&written, &first).expect("once more").len(),
        written.len()
    );
    written
}

/// Returns the numbers of the set's instructions in a module.
fn instructions(words: &[u32]) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut at = 5;
    while at < words.len() {
        let inst = &words[at..at + (words[at] >> 16) as usize];
        if inst[0] & 0xffff == 12 {
            found.insert(inst[4]);
        }
        at += inst.len();
    }
    found
}

#[test]
fn all_instructions_are_written() {
    let mut written = BTreeSet::new();
    let mut modules = vec![everything()];
    // Add instructions that one module cannot combine with those of `everything`.
    let mut a = Asm::new(CLSPV_SET);
    let k = a.kernel("k");
    let hex = a.text("aB01");
    for op in [
        Op::ConstantDataStorageBuffer,
        Op::ProgramScopeVariablePointerPushConstant,
    ] {
        let operands = [a.number(0), a.number(8), hex];
        a.call(op as u32, &operands);
    }
    a.op(Op::PrintfBufferStorageBuffer, &[], &[0, 2, 64]);
    a.op(Op::PropertyRequiredWorkgroupSize, &[k], &[4, 4, 1]);
    a.op(Op::ArgumentSampler, &[k], &[1, 0, 5]);
    modules.push(a);
    let mut a = Asm::new("NonSemantic.ClspvReflection.3");
    let hex = a.text("");
    let operands = [a.number(0), a.number(1), hex];
    a.call(Op::ConstantDataUniform as u32, &operands);
    modules.push(a);
    for module in &modules {
        written.extend(instructions(&round_trip(&module.words())));
    }
    let all: BTreeSet<u32> = Op::ALL.iter().map(|op| *op as u32).collect();
    assert_eq!(written, all);
}

/// Modules of both ABIs with Caldera's own set keep their reflection: the maps are the same, and the modules
/// are valid.
#[test]
fn compiled_modules_keep_their_reflection() {
    let sources = [
        "constant sampler_t s = CLK_FILTER_NEAREST; constant int t[] = {1, 2, 3};
         kernel void k(read_only image2d_t i, sampler_t u, write_only image2d_t o, global float4 *p, char c) {
             local int l[4]; l[get_local_id(0)] = t[c]; barrier(CLK_LOCAL_MEM_FENCE);
             p[get_global_id(0)] = read_imagef(i, s, (int2)(1)) + read_imagef(i, u, (float2)(l[1]));
             write_imagef(o, (int2)(0), (float4)(get_image_channel_order(i)));
             printf(\"%d %s\\n\", c, \"text\");
         }
         __attribute__((reqd_work_group_size(8, 1, 1))) kernel void l(local float *a, global float *b, float16 c) {
             a[get_local_id(0)] = c.s3; b[get_work_dim()] = a[1]; }",
        "kernel void none(void) {}",
    ];
    for source in sources {
        for mut target in [Target::desktop(), Target::clspv()] {
            let mut clspv = Clspv::default();
            for word in [
                "-enable-printf",
                "-module-constants-in-storage-buffer",
                "-global-offset",
            ] {
                assert_eq!(clspv.accept(word, &mut || None), Ok(true));
            }
            clspv.apply(&mut target).expect("they agree");
            let input = Input {
                name: "k.cl",
                source,
                options: &Options::default(),
                resolver: &NoIncludes,
            };
            let compiled = compile(&input, &target).unwrap_or_else(|f| panic!("{}", f.log));
            let written = round_trip(&compiled.words);
            common::validate(&written, target.spirv);
            // The lines are the same; their order may differ.
            let map = |words| {
                let text = reflect::descriptor_map(words, MapStyle::Newer).expect("reflection");
                text.lines().map(String::from).collect::<BTreeSet<_>>()
            };
            assert_eq!(map(&written), map(&compiled.words));
        }
    }
}

/// Each kernel with a long loop reports ended loops, in the way of the ABI, and no other kernel does.
#[test]
fn reports_of_ended_loops_are_kept() {
    for abi in [Abi::Physical, Abi::Descriptor(DescriptorAbi::runtime())] {
        let mut target = Target {
            abi: abi.clone(),
            ..Target::desktop()
        };
        target.quirks.counted_loops = true;
        let input = Input {
            name: "k.cl",
            source: "constant sampler_t s = CLK_FILTER_NEAREST;
                     kernel void k(global int *a) { while (*a < 9) *a += *a ^ 5; }
                     kernel void none(global int *a) { *a = 1; }
                     kernel void alone(void) { volatile float i = 0; while (i < 9) i += i * i + 1; }
                     kernel void l(read_only image2d_t i, global float *a) {
                         for (int k = 0; a[k] != 0; k++) a[k] = read_imagef(i, s, (int2)(k)).x; }",
            options: &Options::default(),
            resolver: &NoIncludes,
        };
        let compiled = compile(&input, &target).unwrap_or_else(|f| panic!("{}", f.log));
        common::validate(&compiled.words, target.spirv);
        let reflection = reflect::read(&round_trip(&compiled.words)).expect("reflection");
        for kernel in &reflection.kernels {
            let expected = match (&*kernel.name, &abi) {
                ("none", _) => kernel.ended_loops.is_none(),
                (_, Abi::Physical) => matches!(kernel.ended_loops, Some(DataPlace::PointerPush(_))),
                (_, Abi::Descriptor(_)) => matches!(kernel.ended_loops, Some(DataPlace::StorageBuffer(_))),
            };
            assert!(expected, "{}: {:?}", kernel.name, kernel.ended_loops);
            if let Some(DataPlace::StorageBuffer(at)) = kernel.ended_loops {
                // The descriptor is the kernel's own, and not one of those that the module has.
                let literals = &reflection.literal_samplers;
                assert!(literals.iter().all(|s| s.at.set != at.set), "{}", kernel.name);
            }
        }
    }
}

/// Only Caldera's own runtime uses flags for buffers that may be NULL.
#[test]
fn flags_of_null_buffers_are_kept() {
    let target = Target {
        abi: Abi::Descriptor(DescriptorAbi::runtime()),
        ..Target::desktop()
    };
    let input = Input {
        name: "k.cl",
        source: "kernel void k(global int *a, global int *b) { if (a) b[0] = 1; }",
        options: &Options::default(),
        resolver: &NoIncludes,
    };
    let compiled = compile(&input, &target).unwrap_or_else(|f| panic!("{}", f.log));
    let reflection = reflect::read(&round_trip(&compiled.words)).expect("reflection");
    assert!(reflection.kernels[0].args[0].not_null.is_some());
}

#[test]
fn what_no_instruction_says_is_not_written() {
    let module = everything();
    let words = module.words();
    let refused = |change: &dyn Fn(&mut Reflection), what: &str| {
        let mut r = module.read().expect("it is well-formed");
        change(&mut r);
        let e = reflect::write(&words, &r).expect_err(what).to_string();
        assert!(e.contains(what), "{e}");
    };
    let place = Place::Storage {
        at: at(0, 0),
        offset: 0,
        size: 8,
    };
    refused(
        &|r| r.kernels[0].args[0].binding = Some(Binding::Pointer(place)),
        "storage buffer",
    );
    refused(
        &|r| r.kernels[0].args[0].channel_order = Some(place),
        "storage buffer",
    );
    refused(&|r| r.kernels[0].args[7].sampler_mask = None, "push constants");
    refused(&|r| r.kernels[0].function = 1, "not a function");
    refused(&|r| r.workgroup_variables[0].0 = 1, "not a variable");
    refused(&|r| r.kernels[0].name = "a\0b".into(), "OpString");
    let info = |r: &mut Reflection| r.kernels[0].args[0].info.as_mut().expect("given").type_name = None;
    refused(&info, "missing");
    let empty = Reflection::default();
    assert_eq!(reflect::write(&[], &empty), Err(ReflectionError::NotSpirv));
}

/// The reflection of images and samplers that the compiler writes is read back.
#[test]
fn images_and_samplers() {
    let source = "constant sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        kernel void k(read_only image3d_t v, float4 p, sampler_t s, write_only image2d_t to, image1d_buffer_t b) {
            float4 x = read_imagef(v, s, p) + read_imagef(b, 1) + get_image_channel_order(b);
            write_imagei(to, (int2)(1), convert_int4(x));
        }
        kernel void l(image2d_t i, long16 fill, long8 more, sampler_t s, image2d_array_t a, global float4 *out) {
            out[0] = read_imagef(i, edge, out[1].xy) + read_imagef(a, s, out[1]) + fill.s0 + more.s0;
        }";
    let input = Input {
        name: "k.cl",
        source,
        options: &Options::default(),
        resolver: &NoIncludes,
    };
    let compiled = compile(&input, &Target::desktop()).unwrap_or_else(|f| panic!("{}", f.log));
    let r = reflect::read(&compiled.words).expect("its own output");
    assert_eq!(
        r.literal_samplers,
        [LiteralSampler {
            at: at(1, 0),
            mask: 0x12
        }]
    );
    let push = |offset| Some(Place::Push(PushRange { offset, size: 4 }));
    let k = r.kernel("k").expect("it is there");
    let bindings: Vec<Binding> = k.args.iter().filter_map(|a| a.binding).collect();
    assert_eq!(bindings[0], Binding::SampledImage(at(0, 1)));
    assert_eq!(bindings[2], Binding::Sampler(at(0, 2)));
    assert_eq!(bindings[3], Binding::StorageImage(at(0, 3)));
    assert_eq!(bindings[4], Binding::UniformTexelBuffer(at(0, 4)));
    let types: Vec<Option<u32>> = k.args.iter().map(|a| a.image_type).collect();
    assert_eq!(types, [Some(0x10f2), None, None, Some(0x10f1), Some(0x10f6)]);
    let access = |n: usize| k.args[n].info.as_ref().and_then(|i| i.access_qualifier);
    assert_eq!(
        (access(0), access(2), access(3)),
        (Some(0x11a0), Some(0x11a3), Some(0x11a1))
    );
    // A 3D image is read with a sampler that may be unnormalized, and it may have a border.
    assert_eq!(k.args[2].normalized_sampler, Some(at(0, 5)));
    assert_eq!(k.args[0].channel_order, push(16));
    assert_eq!(k.args[2].sampler_mask, push(20));
    assert_eq!(k.args[3].channel_data_type, push(24));
    assert_eq!(k.args[4].channel_order, push(28));
    assert_eq!(r.push_size(k), 32);

    // Data that does not fit into push constants is in the argument buffer.
    let l = r.kernel("l").expect("it is there");
    let (buffer, bytes) = l.args_buffer().expect("too many arguments for push constants");
    assert_eq!((buffer, bytes), (at(0, 0), 80));
    assert_eq!(l.args[0].binding, Some(Binding::SampledImage(at(0, 1))));
    assert_eq!(l.args[3].normalized_sampler, Some(at(0, 4)));
}

#[test]
fn rejected() {
    let read = |f: &dyn Fn(&mut Asm)| {
        let mut a = Asm::new(CLSPV_SET);
        f(&mut a);
        a.read().map(|_| ()).map_err(|e| e.to_string())
    };
    let fails = |what: &str, f: &dyn Fn(&mut Asm)| {
        let e = read(f).expect_err(what);
        assert!(e.contains(what), "{what}: {e}");
    };
    fails("too few operands", &|a| {
        a.op(Op::SpecConstantWorkDim, &[], &[]);
    });
    fails("too many operands", &|a| {
        a.op(Op::SpecConstantWorkDim, &[], &[1, 2]);
    });
    fails("not a Kernel", &|a| {
        let n = a.number(0);
        a.op(Op::ArgumentPodPushConstant, &[n], &[0, 0, 4]);
    });
    fails("not an OpString", &|a| {
        let n = a.number(0);
        a.op(Op::Kernel, &[FUNCTION, n], &[]);
    });
    fails("not a function", &|a| {
        let n = a.text("k");
        a.op(Op::Kernel, &[n, n], &[]);
    });
    fails("unknown reflection instruction 43", &|a| {
        a.call(43, &[]);
    });
    fails("bound twice", &|a| {
        let k = a.kernel("k");
        a.op(Op::ArgumentPodPushConstant, &[k], &[0, 0, 4]);
        a.op(Op::ArgumentPodPushConstant, &[k], &[0, 4, 4]);
    });
    fails("out of range", &|a| {
        let k = a.kernel("k");
        a.op(Op::ArgumentPodPushConstant, &[k], &[0, u32::MAX, 4]);
    });
    fails("ordinal is out of range", &|a| {
        let k = a.kernel("k");
        a.op(Op::ArgumentPodPushConstant, &[k], &[u32::MAX, 0, 4]);
    });
    fails("descriptor is out of range", &|a| {
        let k = a.kernel("k");
        a.op(Op::ArgumentStorageBuffer, &[k], &[0, 0, 100_000]);
    });
    fails("kernel 'other': it is no entry point", &|a| {
        a.kernel("other");
    });
    fails("kernel 'k': nothing sets its work-group size", &|a| {
        a.kernel("k");
    });
    fails("kernel 'k': its work-group size is another one", &|a| {
        let k = a.kernel("k");
        a.op(Op::PropertyRequiredWorkgroupSize, &[k], &[4, 4, 2]);
    });
    fails("kernel 'k': its work-group size is out of range", &|a| {
        let k = a.kernel("k");
        a.op(Op::SpecConstantWorkgroupSize, &[], &[0, 1, 2]);
        a.op(Op::PropertyRequiredWorkgroupSize, &[k], &[4, 0, 1]);
    });
    fails("two things have one specialization constant", &|a| {
        let k = a.kernel("k");
        a.op(Op::SpecConstantWorkgroupSize, &[], &[0, 1, 2]);
        a.op(Op::ArgumentWorkgroup, &[k], &[0, 1, 4]);
    });
    for hex in ["0", "0g"] {
        fails("data", &|a| {
            let hex = a.text(hex);
            let operands = [a.number(0), a.number(8), hex];
            a.call(Op::ConstantDataPointerPushConstant as u32, &operands);
        });
    }
    let newer = Asm::new("NonSemantic.ClspvReflection.8").read();
    assert_eq!(newer, Err(ReflectionError::Newer(8)));
    let foreign = Asm::new("NonSemantic.DebugPrintf").read();
    assert_eq!(foreign, Err(ReflectionError::Missing));
    assert_eq!(reflect::read(&[]), Err(ReflectionError::NotSpirv));
    assert_eq!(reflect::read(&[0; 8]), Err(ReflectionError::NotSpirv));
}

/// No input makes the reader panic or take long.
#[test]
fn damaged_modules() {
    let words = everything().words();
    for end in 0..words.len() {
        let _ = reflect::read(&words[..end]);
        let _ = reflect::strip(&words[..end]);
        let _ = reflect::write(&words[..end], &Reflection::default());
    }
    let mut state = 0x1234_5678u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    for _ in 0..4_000 {
        let mut damaged = words.clone();
        for _ in 0..random() % 3 + 1 {
            let at = random() as usize % damaged.len();
            damaged[at] = match random() % 4 {
                0 => random(),
                1 => random() % 64,
                2 => damaged[random() as usize % words.len()],
                _ => damaged[at] ^ 1 << (random() % 32),
            };
        }
        if let Ok(r) = reflect::read(&damaged) {
            let _ = reflect::write(&damaged, &r);
            for k in &r.kernels {
                let _ = (r.push_size(k), k.args_buffer());
            }
        }
        let _ = reflect::strip(&damaged);
    }
}
