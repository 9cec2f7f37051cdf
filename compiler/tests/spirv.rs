//! Validates modules built by hand with spirv-val, and reads their reflection back.

mod common;

use caldera_compiler::driver::{Input, compile};
use caldera_compiler::intrinsic::{AtomicOp, DotSigns, FenceFlags, Intrinsic};
use caldera_compiler::ir::build::Builder;
use caldera_compiler::ir::inst::{BinOp, CastOp, CmpOp, UnOp};
use caldera_compiler::ir::{
    Access, AddressSpace, ArgKind, ArgLocation, ConstantData, Func, Function, KernelAbi, KernelArg,
    KernelInfo, Module, Op, PointerUse, Scalar, Storage, SystemPush, Ty, Value,
};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::reflect::{self, Binding, Place, PushRange};
use caldera_compiler::source::Span;
use caldera_compiler::spirv::{check as check_module, emit};
use caldera_compiler::target::{SubgroupLayout, Target};
use common::validate;

const ALIGN4: Access = Access {
    align: 4,
    volatile: false,
};

fn arg(name: &str, kind: ArgKind) -> KernelArg {
    KernelArg {
        name: name.into(),
        type_name: "T".into(),
        kind,
        address_qualifier: 0x119e,
        access_qualifier: 0x11a3,
        type_qualifier: 0,
        restrict: false,
        uses: PointerUse::default(),
    }
}

fn module(name: &str, args: Vec<(KernelArg, ArgLocation)>, body: impl FnOnce(&mut Builder<'_>)) -> Module {
    let mut f = Function::new(name, &[], None);
    let region = f.body;
    let mut b = Builder::at_end(&mut f, region);
    body(&mut b);
    let mut m = Module::default();
    let func = m.funcs.push(f);
    assert_eq!(func, Func(0));
    let (args, locations) = args.into_iter().unzip();
    m.kernels.push(KernelInfo {
        func,
        name: name.into(),
        args,
        required_size: None,
        uneven: false,
        any_memory: false,
        size_hint: None,
        subgroups: Default::default(),
        attributes: String::new(),
    });
    m.abi.push(KernelAbi {
        args: locations,
        ..KernelAbi::default()
    });
    m
}

/// Emits for several targets, validates each module, and returns the reflection of the last.
fn check(m: &Module) -> reflect::Reflection {
    let mut reflection = None;
    for minor in [3, 4, 5, 6] {
        for vulkan_model in [true, false] {
            let mut target = Target::desktop();
            target.spirv.minor = minor;
            target.features.vulkan_memory_model = vulkan_model;
            target.features.signed_zero_inf_nan_preserve = [true; 3];
            target.features.denorm_preserve = [true; 3];
            let words = emit(m, &target).expect("emits");
            assert_eq!(
                words,
                emit(m, &target).expect("emits"),
                "emission is deterministic"
            );
            validate(&words, target.spirv);
            reflection = Some(reflect::read(&words).expect("own reflection is readable"));
        }
    }
    reflection.expect("there are targets")
}

fn push_u64(b: &mut Builder<'_>, offset: u32) -> Value {
    let words: Vec<Value> = [0, 4]
        .map(|o| {
            let index = b.i32(((offset + o) / 4) as i32);
            b.value(Op::LoadFrom(Storage::PushWord, ALIGN4), vec![index], Ty::I32)
        })
        .to_vec();
    let pair = b.construct(Ty::vector(Scalar::I32, 2), words);
    b.cast(CastOp::Bitcast, pair, Ty::I64)
}

fn group_and_local_id(b: &mut Builder<'_>) -> Value {
    let [group, size, local] = [
        Intrinsic::WorkgroupId,
        Intrinsic::WorkgroupSize,
        Intrinsic::LocalInvocationId,
    ]
    .map(|op| {
        let all = b.intrinsic(op, vec![], Some(Ty::vector(Scalar::I32, 3)));
        let x = b.extract(all.expect("has a result"), 0);
        b.cast(CastOp::ZExt, x, Ty::I64)
    });
    let base = b.binary(BinOp::IMul, group, size);
    b.binary(BinOp::IAdd, base, local)
}

fn buffer() -> ArgKind {
    ArgKind::Buffer {
        space: AddressSpace::Global,
        align: 4,
    }
}

#[test]
fn loop_over_global_memory() {
    let m = module(
        "sum",
        vec![
            (arg("out", buffer()), ArgLocation::PointerPush { offset: 0 }),
            (
                arg(
                    "n",
                    ArgKind::Pod {
                        size: 4,
                        align: 4,
                        by_ref: false,
                    },
                ),
                ArgLocation::Push { offset: 8, size: 4 },
            ),
        ],
        |b| {
            let base = push_u64(b, 0);
            let two = b.i32(2);
            let n = b.value(Op::LoadFrom(Storage::PushWord, ALIGN4), vec![two], Ty::I32);
            let (zero, fzero) = (b.i32(0), b.f32(0.0));
            let (l, body) = b.loop_(vec![zero, fzero], &[Ty::F32]);
            let args = b.func.regions[body].args.clone();
            b.enter(body);
            let done = b.compare(CmpOp::SGe, args[0], n);
            let (_, then, otherwise) = b.if_(done, &[]);
            b.enter(then);
            b.exit(l, vec![args[1]]);
            b.leave();
            b.enter(otherwise);
            let wide = b.cast(CastOp::SExt, args[0], Ty::I64);
            let four = b.i64(16);
            let offset = b.binary(BinOp::IMul, wide, four);
            let address = b.binary(BinOp::IAdd, base, offset);
            let v4 = Ty::vector(Scalar::F32, 4);
            let access = Access {
                align: 16,
                volatile: true,
            };
            let v = b.value(Op::LoadFrom(Storage::Physical, access), vec![address], v4);
            let x = b.extract(v, 2);
            let sum = b.binary(BinOp::FAdd, args[1], x);
            let one = b.i32(1);
            let next = b.binary(BinOp::IAdd, args[0], one);
            b.repeat(l, vec![next, sum]);
            b.leave();
            b.unreachable();
            b.leave();
            let result = b.results(l)[0];
            b.insert(Op::StoreTo(Storage::Physical, ALIGN4), vec![base, result], &[]);
            b.ret(None);
        },
    );
    let r = check(&m);
    let k = r.kernel("sum").expect("the kernel is there");
    assert_eq!(
        k.args[0].binding,
        Some(Binding::Pointer(Place::Push(PushRange { offset: 0, size: 8 })))
    );
    assert_eq!(
        k.args[1].binding,
        Some(Binding::Pod(Place::Push(PushRange { offset: 8, size: 4 })))
    );
    assert_eq!(k.args[1].info.as_ref().map(|i| i.name.as_str()), Some("n"));
    assert_eq!(r.push_size(k), 12);
    assert_eq!(r.spec.workgroup_size, Some([0, 1, 2]));
}

/// Builds the body of a kernel that uses the arena, barriers, fences, atomics, a variable and a switch.
fn use_every_memory(b: &mut Builder<'_>) {
    let words: Vec<Value> = [0, 1]
        .map(|i| {
            let index = b.i32(i);
            b.value(Op::LoadFrom(Storage::ArgsWord, ALIGN4), vec![index], Ty::I32)
        })
        .to_vec();
    let pair = b.construct(Ty::vector(Scalar::I32, 2), words);
    let out = b.cast(CastOp::Bitcast, pair, Ty::I64);
    let id = group_and_local_id(b);
    let id32 = b.cast(CastOp::Trunc, id, Ty::I32);
    let arena = Storage::Arena(Ty::I32);
    b.insert(Op::StoreTo(arena, ALIGN4), vec![id32, id32], &[]);
    b.intrinsic(
        Intrinsic::Barrier(FenceFlags {
            local: true,
            global: true,
        }),
        vec![],
        None,
    );
    b.intrinsic(
        Intrinsic::Fence(FenceFlags {
            local: false,
            global: true,
        }),
        vec![],
        None,
    );
    let zero = b.i32(0);
    let old = b.value(Op::AtomicOn(AtomicOp::Add, arena), vec![zero, id32], Ty::I32);
    b.value(
        Op::AtomicOn(AtomicOp::CmpXchg, Storage::Physical),
        vec![out, old, id32],
        Ty::I32,
    );
    b.value(
        Op::AtomicOn(AtomicOp::UMax, Storage::Physical),
        vec![out, id],
        Ty::I64,
    );
    let elem = Ty::vector(Scalar::F32, 4);
    let var = b.value(
        Op::Variable { elem, count: 8 },
        vec![],
        Ty::ptr(AddressSpace::Private),
    );
    let v = b.value(Op::LoadFrom(Storage::Variable, ALIGN4), vec![var, id32], elem);
    b.insert(Op::StoreTo(Storage::Variable, ALIGN4), vec![var, zero, v], &[]);
    let dim = b
        .intrinsic(Intrinsic::WorkDim, vec![], Some(Ty::I32))
        .expect("has a result");
    let (s, regions) = b.switch(dim, vec![vec![1, 2], vec![3]], &[Ty::I32]);
    for (n, &r) in regions.iter().enumerate() {
        b.enter(r);
        let v = b.i32(n as i32);
        b.exit(s, vec![v]);
        b.leave();
    }
    let chosen = b.results(s)[0];
    b.insert(Op::StoreTo(Storage::Physical, ALIGN4), vec![out, chosen], &[]);
    b.ret(None);
}
#[test]
fn arena_barriers_atomics_and_variables() {
    let local = ArgKind::Local {
        elem_size: 4,
        align: 4,
    };
    let mut m = module(
        "k",
        vec![
            (arg("out", buffer()), ArgLocation::PointerArgs { offset: 0 }),
            (arg("tmp", local), ArgLocation::LocalArgs { offset: 8, align: 4 }),
        ],
        use_every_memory,
    );
    m.abi[0].args_size = 12;
    m.abi[0].local_fixed = 48;
    m.system = SystemPush {
        num_workgroups: Some(0),
        constant_data: Some(16),
        size: 24,
        ..SystemPush::default()
    };
    m.constant_data = ConstantData {
        bytes: (0..200_000).map(|i| i as u8).collect(),
        relocations: vec![(8, 16)],
        ..ConstantData::default()
    };
    m.kernels[0].args[0].uses = PointerUse {
        read: false,
        written: true,
        escapes: false,
    };
    let r = check(&m);
    let k = r.kernel("k").expect("the kernel is there");
    assert!(k.has_arena);
    assert_eq!(k.local_fixed, 48);
    assert_eq!(k.args_buffer().map(|(_, size)| size), Some(16));
    assert!(matches!(
        k.args[1].binding,
        Some(Binding::Workgroup {
            spec_id: 3,
            elem_size: 4,
            offset: Some(_)
        })
    ));
    assert!(!k.args[0].uses.read && k.args[0].uses.written && !k.args[0].uses.escapes);
    assert_eq!(
        r.constant_data.as_ref().map(|d| &d.bytes),
        Some(&m.constant_data.bytes)
    );
    assert_eq!(r.relocations.len(), 1);
    assert_eq!(r.push_size(k), 24);
    assert_eq!(r.spec.work_dim, Some(4));
}

/// Emits every dot product of packed bytes.
fn packed_dots(b: &mut Builder<'_>, x: Value, y: Value) {
    for signs in DotSigns::ALL {
        b.intrinsic(Intrinsic::PackedDot(signs), vec![x, y], Some(Ty::I32));
        b.intrinsic(Intrinsic::PackedDotAccSat(signs), vec![x, y, x], Some(Ty::I32));
    }
}

/// Emits each arithmetic instruction and intrinsic on each type that supports it.
#[test]
fn all_arithmetic() {
    let m = module("k", vec![], |b| {
        for lanes in [1, 2, 3, 4] {
            for scalar in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64] {
                let ty = Ty::vector(scalar, lanes);
                let (x, y) = (b.bits(ty, 5), b.bits(ty, 200));
                for op in [
                    BinOp::IAdd,
                    BinOp::ISub,
                    BinOp::IMul,
                    BinOp::SDiv,
                    BinOp::UDiv,
                    BinOp::SRem,
                    BinOp::URem,
                    BinOp::Shl,
                    BinOp::AShr,
                    BinOp::LShr,
                    BinOp::And,
                    BinOp::Or,
                    BinOp::Xor,
                ] {
                    b.binary(op, x, y);
                }
                b.unary(UnOp::INeg, x);
                b.unary(UnOp::Not, x);
                let less = b.compare(CmpOp::SLt, x, y);
                b.select(less, x, y);
                b.cast(CastOp::SExt, less, ty);
                b.cast(CastOp::ZExt, less, ty);
                b.intrinsic(Intrinsic::Any, vec![less], Some(Ty::BOOL));
                for op in [
                    Intrinsic::PopCount,
                    Intrinsic::Clz,
                    Intrinsic::Ctz,
                    Intrinsic::BitReverse,
                    Intrinsic::SAbs,
                ] {
                    b.intrinsic(op, vec![x], Some(ty));
                }
                for op in [Intrinsic::SMin, Intrinsic::SMax, Intrinsic::UMin, Intrinsic::UMax] {
                    b.intrinsic(op, vec![x, y], Some(ty));
                }
                if scalar != Scalar::I64 {
                    b.intrinsic(Intrinsic::UMulHigh, vec![x, y], Some(ty));
                    b.intrinsic(Intrinsic::SMulHigh, vec![x, y], Some(ty));
                }
                if ty == Ty::I32 {
                    packed_dots(b, x, y);
                }
                for to in [Scalar::F16, Scalar::F32, Scalar::F64] {
                    let v = b.cast(CastOp::SToF, x, ty.with_scalar(to));
                    b.cast(CastOp::FToU, v, ty);
                }
                if lanes > 1 {
                    let zero = b.i32(0);
                    let lane = b.extract_dynamic(x, zero);
                    b.insert_dynamic(x, lane, zero);
                    b.insert_lane(x, lane, 1);
                    b.splat(ty, lane);
                    b.shuffle(x, y, vec![0, lanes, 0xff, 1]);
                    b.shuffle(x, y, vec![lanes]);
                }
            }
            for scalar in [Scalar::F16, Scalar::F32, Scalar::F64] {
                let ty = Ty::vector(scalar, lanes);
                let (x, y) = (b.bits(ty, 0x3c00), b.bits(ty, 0x3800));
                for op in [BinOp::FAdd, BinOp::FSub, BinOp::FMul, BinOp::FDiv, BinOp::FRem] {
                    b.binary(op, x, y);
                }
                b.unary(UnOp::FNeg, x);
                b.compare(CmpOp::FUNe, x, y);
                for op in [
                    Intrinsic::FAbs,
                    Intrinsic::Floor,
                    Intrinsic::Ceil,
                    Intrinsic::Trunc,
                    Intrinsic::RoundEven,
                    Intrinsic::Sqrt,
                    Intrinsic::InverseSqrt,
                ] {
                    b.intrinsic(op, vec![x], Some(ty));
                }
                b.intrinsic(Intrinsic::Fma, vec![x, y, x], Some(ty));
                b.intrinsic(Intrinsic::FMin, vec![x, y], Some(ty));
                b.intrinsic(Intrinsic::IsNan, vec![x], Some(ty.with_scalar(Scalar::Bool)));
                let exponent = b.bits(ty.with_scalar(Scalar::I32), 3);
                b.intrinsic(Intrinsic::Ldexp, vec![x, exponent], Some(ty));
                if lanes > 1 {
                    b.intrinsic(Intrinsic::Dot, vec![x, y], Some(Ty::of(scalar)));
                }
                if scalar != Scalar::F64 {
                    b.intrinsic(Intrinsic::Pow, vec![x, y], Some(ty));
                    b.intrinsic(Intrinsic::Tanh, vec![x], Some(ty));
                }
            }
        }
        b.ret(None);
    });
    check(&m);
}

#[test]
fn required_size_is_constant() {
    let mut m = module("k", vec![], |b| {
        group_and_local_id(b);
        b.ret(None);
    });
    m.kernels[0].required_size = Some([8, 4, 1]);
    m.kernels[0].func = Func(0);
    m.funcs[Func(0)].span = Span::NONE;
    let r = check(&m);
    assert_eq!(r.spec.workgroup_size, None);
    assert_eq!(r.kernels[0].required_size, Some([8, 4, 1]));
}

/// Flat work-groups have the size of the application in specialization constants, also where the kernel requires it.
#[test]
fn flat_work_groups() {
    let mut m = module("k", vec![], |b| {
        group_and_local_id(b);
        b.intrinsic(
            Intrinsic::GlobalInvocationId,
            vec![],
            Some(Ty::vector(Scalar::I32, 3)),
        );
        b.ret(None);
    });
    m.flat = true;
    assert_eq!(check(&m).spec.workgroup_size, Some([0, 1, 2]));
    for size in [[3, 3, 1], [8, 4, 1]] {
        m.kernels[0].required_size = Some(size);
        let r = check(&m);
        assert_eq!(r.spec.workgroup_size, Some([0, 1, 2]));
        assert_eq!(r.kernels[0].required_size, Some(size));
    }
}

/// Work-groups are flat where the driver's sub-groups may be wrong, if kernels use sub-groups, or if the driver lets lanes
/// without a work-item go on and it is not known which these are.
#[test]
fn only_work_groups_with_sub_groups_are_flat() {
    let words = |layout: SubgroupLayout, idle_lanes: bool, value: &str| {
        let mut target = Target::desktop();
        target.subgroup_layout = layout;
        target.quirks.idle_lanes = idle_lanes;
        let source = format!("kernel void k(global uint *p) {{ p[get_local_id(0)] = {value}; }}");
        let input = Input {
            name: "k.cl",
            source: &source,
            options: &Options::default(),
            resolver: &NoIncludes,
        };
        let compiled = compile(&input, &target).expect("it compiles");
        validate(&compiled.words, target.spirv);
        check_module(&compiled.words, Some(&target)).expect("it is accepted");
        compiled.words
    };
    for value in [
        "get_sub_group_id()",
        "sub_group_reduce_add(p[0])",
        "get_local_id(1)",
    ] {
        let full = words(SubgroupLayout::Full, false, value);
        for layout in [SubgroupLayout::Rows, SubgroupLayout::Unknown] {
            let changes = words(layout, false, value) != full;
            assert_eq!(changes, value.contains("sub_group"), "{layout:?}, {value}");
            let changes = words(layout, true, value) != words(SubgroupLayout::Full, true, value);
            let expected = value.contains("sub_group") || layout == SubgroupLayout::Unknown;
            assert_eq!(changes, expected, "{layout:?} with idle lanes, {value}");
        }
    }
}

/// A kernel with operations of sub-groups declares the execution mode that suffices and that the device has; one without them
/// declares none.
#[test]
fn kernels_with_sub_groups_say_where_work_items_reconverge() {
    const MAXIMAL: u32 = 6023;
    const UNIFORM: u32 = 4421;
    let modes = |maximal: bool, uniform: bool, value: &str| {
        let mut target = Target::desktop();
        target.features.maximal_reconvergence = maximal;
        target.features.subgroup_uniform_control_flow = uniform;
        let source = format!(
            "kernel void k(global uint *p) {{ if (p[get_local_id(0)]) p[get_local_id(0)] = {value}; }}
             kernel void other(global uint *p) {{ p[0] = get_sub_group_local_id(); barrier(CLK_LOCAL_MEM_FENCE); }}"
        );
        let input = Input {
            name: "k.cl",
            source: &source,
            options: &Options::default(),
            resolver: &NoIncludes,
        };
        let words = compile(&input, &target).expect("it compiles").words;
        check_module(&words, Some(&target)).expect("it is accepted");
        let (mut at, mut found) = (5, Vec::new());
        while let Some(word) = words.get(at) {
            let length = (word >> 16) as usize;
            // OpExecutionMode with one of the modes.
            if word & 0xffff == 16 && [MAXIMAL, UNIFORM].contains(&words[at + 2]) {
                found.push(words[at + 2]);
            }
            at += length;
        }
        if !found.contains(&MAXIMAL) {
            // The spirv-val of the tests may be older than the other mode.
            validate(&words, target.spirv);
        }
        // A device without the extension refuses the module.
        let refuses = check_module(&words, Some(&Target::desktop())).is_err();
        assert_eq!(refuses, !found.is_empty(), "{value}");
        found
    };
    let value = "sub_group_any(p[1])";
    assert_eq!(modes(false, false, value), []);
    assert_eq!(modes(false, true, value), [UNIFORM]);
    assert_eq!(modes(true, false, value), [MAXIMAL]);
    assert_eq!(modes(true, true, value), [MAXIMAL]);
    assert_eq!(modes(true, true, "get_sub_group_id()"), []);
}

/// A driver that rounds unsigned conversions twice gets signed ones of the halves, whose sum is rounded once.
#[test]
fn unsigned_conversions_by_halves() {
    const CONVERT_S_TO_F: u32 = 111;
    const CONVERT_U_TO_F: u32 = 112;
    let m = module(
        "k",
        vec![(arg("out", buffer()), ArgLocation::PointerPush { offset: 0 })],
        |b| {
            let out = push_u64(b, 0);
            let op = Op::LoadFrom(Storage::Physical, ALIGN4);
            let n = b.value(op, vec![out], Ty::I32);
            let float = b.cast(CastOp::UToF, n, Ty::F32);
            b.insert(Op::StoreTo(Storage::Physical, ALIGN4), vec![out, float], &[]);
            b.ret(None);
        },
    );
    for rounded_unsigned in [false, true] {
        let mut target = Target::desktop();
        target.quirks.rounded_unsigned = rounded_unsigned;
        let words = emit(&m, &target).expect("emits");
        validate(&words, target.spirv);
        let count = |op: u32| words.iter().filter(|&&w| w == 4 << 16 | op).count();
        let expected = if rounded_unsigned { (2, 0) } else { (0, 1) };
        assert_eq!((count(CONVERT_S_TO_F), count(CONVERT_U_TO_F)), expected);
    }
    for n in [
        0u32,
        0xffff,
        0x0100_0001,
        0x0180_0001,
        0xdd6c_3565,
        0xffff_ff7f,
        0xffff_ff80,
        u32::MAX,
    ] {
        let [high, low] = [n >> 16, n & 0xffff].map(|half| half as i32 as f32);
        assert_eq!(high * 65536.0 + low, n as f32, "{n:#x}");
    }
}

#[test]
fn volatile_accesses_keep_their_order() {
    // Four accesses, the last of which may follow each of the others: three fences, and none for a single access.
    let fences = |source: &str, waiting: bool| {
        let mut target = Target::desktop();
        target.quirks.waiting_fences = waiting;
        let input = Input {
            name: "k.cl",
            source,
            options: &Options::default(),
            resolver: &NoIncludes,
        };
        let compiled = compile(&input, &target).expect("it compiles");
        validate(&compiled.words, target.spirv);
        // The first word of an OpMemoryBarrier.
        compiled.words.iter().filter(|&&w| w == 3 << 16 | 225).count()
    };
    let several = "kernel void k(global uint *r) { local uint l[64]; volatile local uint *v = l; uint i = get_local_id(0);
        v[i] = i; uint x = v[i ^ 1]; v[i] = x + 1; r[get_global_id(0)] = v[i ^ 2]; }";
    let single = "kernel void k(volatile global uint *r) { r[get_global_id(0)] = 1; }";
    let plain = "kernel void k(global uint *r) { local uint l[64]; uint i = get_local_id(0);
        l[i] = i; uint x = l[i ^ 1]; l[i] = x + 1; r[get_global_id(0)] = l[i ^ 2]; }";
    assert_eq!(fences(several, false), 3);
    assert_eq!(fences(several, true), 0);
    assert_eq!(fences(single, false), 0);
    assert_eq!(fences(plain, false), 0);
}

/// Returns the module of a source for desktop devices, which is valid.
fn valid_words(source: &str) -> Vec<u32> {
    let input = Input {
        name: "k.cl",
        source,
        options: &Options::default(),
        resolver: &NoIncludes,
    };
    let target = Target::desktop();
    let words = compile(&input, &target).expect("it compiles").words;
    validate(&words, target.spirv);
    words
}

#[test]
fn volatile_structures_are_read_whose_values_are_not_used() {
    let loads = |body: &str| {
        let source = format!(
            "typedef struct {{ uint a, b; }} S; kernel void k(volatile global S *s, global S *t) {{ {body} }}"
        );
        let words = valid_words(&source);
        // Loads with the operand Volatile.
        let code = rspirv::dr::load_words(reflect::strip(&words).expect("a module")).expect("a module");
        let insts = code
            .all_inst_iter()
            .filter(|i| i.class.opcode == rspirv::spirv::Op::Load);
        let volatile = |i: &&rspirv::dr::Instruction| format!("{:?}", i.operands).contains("VOLATILE");
        insts.filter(volatile).count()
    };
    assert!(loads("*s;") > 0);
    assert_eq!(loads("*t;"), 0);
    assert_eq!(loads("*s = *t;"), 0);
}

#[test]
fn fences_have_the_scope_of_those_that_may_observe_them() {
    const MEMORY_BARRIER: u32 = 3 << 16 | 225;
    const CONSTANT: u32 = 4 << 16 | 43;
    // The scopes of all fences, as numbers.
    let scopes = |body: &str| {
        let source = format!(
            "kernel void k(global uint *a, global uint *b, volatile global uint *v, local uint *l) {{ uint i = get_local_id(0); {body} }}"
        );
        let words = valid_words(&source);
        let number = |id: u32| {
            let constant = words.windows(4).find(|w| w[0] == CONSTANT && w[2] == id);
            constant.map(|w| w[3])
        };
        let fences = words.windows(3).filter(|w| w[0] == MEMORY_BARRIER);
        fences.map(|w| number(w[1])).collect::<Vec<_>>()
    };
    let (device, group) = (Some(1), Some(2));
    let scan = "uint sum = 0; for (uint n = 0; n < 16; n++) { uint x = a[n]; mem_fence(CLK_GLOBAL_MEM_FENCE); a[n] = sum; sum += x; }";
    assert_eq!(scopes(scan), [group]);
    assert_eq!(
        scopes("a[i] = 1; mem_fence(CLK_GLOBAL_MEM_FENCE); b[i] = 2;"),
        [group]
    );
    assert_eq!(
        scopes("l[i] = 1; mem_fence(CLK_LOCAL_MEM_FENCE); a[i] = l[i ^ 1];"),
        [group]
    );
    // The last work-group to come adds up what all have stored.
    let last = "a[i] = 1; mem_fence(CLK_GLOBAL_MEM_FENCE); if (atomic_inc(b) == 7) a[1] = a[i + 9];";
    assert_eq!(scopes(last), [device]);
    assert_eq!(
        scopes("a[i] = 1; write_mem_fence(CLK_GLOBAL_MEM_FENCE); v[0] = 1;"),
        [device]
    );
    // Loops that wait for a flag, one of them with a counter beside it.
    let wait = "while (a[0] == 0) mem_fence(CLK_GLOBAL_MEM_FENCE); b[i] = a[1];";
    assert_eq!(scopes(wait), [device]);
    let retry = "uint f = 0; for (uint n = 0; n < 1000 && f != 1; n++) { f = i ? a[n] : 0; mem_fence(CLK_GLOBAL_MEM_FENCE); } b[i] = f;";
    assert_eq!(scopes(retry), [device]);
    // An atomic operation in local memory says nothing to other groups.
    assert_eq!(
        scopes("atomic_inc(l); mem_fence(CLK_GLOBAL_MEM_FENCE); a[i] = *l;"),
        [group]
    );
}
