//! Enumerates what `lower_memory` joins and splits: an object is stored to in one type, and the same object, or
//! another to which it is copied, is loaded in another type. The pass chooses the elements of each array from the
//! accesses to it, so here every element type meets every type of access, in every kind of memory.

use crate::pipeline_pass;
use crate::targets::required;
use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_compiler::diag::Diags;
use caldera_compiler::interp::{self, Arg, Launch, Memory};
use caldera_compiler::intrinsic::{AtomicOp, Intrinsic};
use caldera_compiler::inv;
use caldera_compiler::ir::{
    Access, AddressSpace, ArgKind, Builder, CmpOp, Function, Global, GlobalData, KernelInfo, Linkage, Module,
    Scalar, Ty, Value,
};
use caldera_compiler::pass::PassCx;
use caldera_compiler::target::Target;
use caldera_compiler::verify;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of bytes of an object.
const SIZE: u32 = 32;

/// The scalars, and vectors that exist after `lower_long_vectors`.
const TYPES: [Ty; 19] = [
    Ty::I8,
    Ty::vector(Scalar::I8, 3),
    Ty::vector(Scalar::I8, 4),
    Ty::I16,
    Ty::vector(Scalar::I16, 2),
    Ty::vector(Scalar::I16, 4),
    Ty::I32,
    Ty::vector(Scalar::I32, 2),
    Ty::vector(Scalar::I32, 4),
    Ty::I64,
    Ty::vector(Scalar::I64, 2),
    Ty::F16,
    Ty::vector(Scalar::F16, 2),
    Ty::vector(Scalar::F16, 3),
    Ty::F32,
    Ty::vector(Scalar::F32, 2),
    Ty::vector(Scalar::F32, 4),
    Ty::F64,
    Ty::vector(Scalar::F64, 2),
];

/// Where an object is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Place {
    /// A private array that becomes a variable of its own.
    Variable,
    /// One of two private arrays, so that they are on the stack.
    Stack,
    Local,
    /// One of two arrays in local memory, the other of which holds bytes.
    EitherLocal,
    Global,
}

const PLACES: [Place; 5] = [
    Place::Variable,
    Place::Stack,
    Place::Local,
    Place::EitherLocal,
    Place::Global,
];

/// The copy from one object to the other.
#[derive(Copy, Clone, Debug)]
struct Copied {
    align: u32,
    size: u32,
    /// The offset in the source.
    from: u32,
    /// The offset in the destination.
    to: u32,
}

const fn copied(align: u32, size: u32, from: u32, to: u32) -> Option<Copied> {
    Some(Copied {
        align,
        size,
        from,
        to,
    })
}

/// How the objects are accessed.
#[derive(Copy, Clone, Debug)]
struct Way {
    /// The greatest alignment of loads and stores.
    align: u32,
    copy: Option<Copied>,
    /// The type of an atomic operation on the destination, if it is in memory that allows it.
    atomic: Option<Ty>,
}

const fn way(align: u32, copy: Option<Copied>, atomic: Option<Ty>) -> Way {
    Way { align, copy, atomic }
}

const WAYS: [Way; 11] = [
    way(16, copied(16, 32, 0, 0), None),
    way(16, copied(8, 24, 8, 0), None),
    way(16, copied(4, 28, 4, 0), None),
    way(16, copied(4, 20, 0, 12), None),
    way(16, copied(2, 10, 2, 4), None),
    way(4, copied(1, 13, 3, 5), None),
    way(1, copied(1, 32, 0, 0), None),
    way(16, None, None),
    way(2, None, None),
    way(16, copied(4, 32, 0, 0), Some(Ty::I32)),
    way(16, copied(8, 32, 0, 0), Some(Ty::I64)),
];

/// An object is stored to in one type, perhaps copied to another object, and loaded in another type.
#[derive(Copy, Clone, Debug)]
struct Case {
    stored: Ty,
    loaded: Ty,
    /// The places of the object and of the one to which it is copied.
    places: [Place; 2],
    way: Way,
}

fn access(align: u32) -> Access {
    Access {
        align,
        volatile: false,
    }
}

/// Returns the offsets at which an object has values of a type, with their alignments.
fn offsets(ty: Ty, most: u32) -> impl Iterator<Item = (i64, Access)> {
    (0..SIZE / ty.bytes()).map(move |n| {
        let at = n * ty.bytes();
        let align = (1 << (at | 16).trailing_zeros()).min(most);
        (i64::from(at), access(align))
    })
}

/// Generates the address of an object, of which there are two.
fn object(b: &mut Builder<'_>, place: Place, number: usize, locals: &[Global], args: [Value; 2]) -> Value {
    let [buffer, which] = args;
    let local = |b: &mut Builder<'_>, n: usize| b.global_addr(locals[n], AddressSpace::Local);
    match place {
        Place::Variable => b.alloca(SIZE, 16),
        Place::Stack => {
            let [first, second] = [0, 1].map(|_| b.alloca(SIZE, 16));
            b.select(which, second, first)
        }
        Place::Local => local(b, number),
        Place::EitherLocal => {
            let [first, second] = [number, 2].map(|n| local(b, n));
            let byte = b.bits(Ty::I8, 7);
            b.store(second, byte, access(1));
            b.select(which, second, first)
        }
        Place::Global => b.ptr_offset(buffer, i64::from(SIZE) * number as i64),
    }
}

/// Generates the kernel (buffer, results, flag) of a case.
fn kernel(case: &Case, locals: &[Global]) -> Function {
    let global = Ty::ptr(AddressSpace::Global);
    let mut func = Function::new("k", &[global, global, Ty::I32], None);
    let (params, body) = (func.params.clone(), func.body);
    let mut b = Builder::at_end(&mut func, body);
    let zero = b.i32(0);
    let which = b.compare(CmpOp::INe, params[2], zero);
    let Way { align, copy, atomic } = case.way;
    let from = object(&mut b, case.places[0], 0, locals, [params[0], which]);
    let to = match copy {
        Some(_) => object(&mut b, case.places[1], 1, locals, [params[0], which]),
        None => from,
    };
    for (at, access) in offsets(case.stored, align) {
        let lanes = (0..case.stored.lanes).map(|lane| {
            let n = (at as u64 + u64::from(lane) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            n.rotate_left(20) & (u64::MAX >> (64 - case.stored.scalar.bits()))
        });
        let v = b.lanes(case.stored, lanes.collect());
        let place = b.ptr_offset(from, at);
        b.store(place, v, access);
    }
    if let Some(copy) = copy {
        let source = b.ptr_offset(from, copy.from.into());
        let destination = b.ptr_offset(to, copy.to.into());
        let access = access(copy.align);
        b.mem_cpy(destination, access, source, access, copy.size);
    }
    let shared = !matches!(case.places[1], Place::Variable | Place::Stack);
    if let Some(ty) = atomic.filter(|_| shared) {
        let place = b.ptr_offset(to, 8);
        let ones = b.bits(ty, 0x0102_0304);
        b.intrinsic(Intrinsic::Atomic(AtomicOp::Add), vec![place, ones], Some(ty));
    }
    for (at, access) in offsets(case.loaded, align) {
        let place = b.ptr_offset(to, at);
        let v = b.load(place, case.loaded, access);
        let place = b.ptr_offset(params[1], at);
        b.store(place, v, self::access(access.align.min(4)));
    }
    b.ret(None);
    func
}

/// Returns a module with one kernel for each case.
fn module(cases: &[Case]) -> Module {
    let mut module = Module::default();
    let locals: Vec<Global> = ["a", "b", "c"]
        .map(|name| {
            module.globals.push(GlobalData {
                name: name.into(),
                space: AddressSpace::Local,
                size: SIZE,
                align: 16,
                init: None,
                linkage: Linkage::External,
            })
        })
        .into();
    for case in cases {
        let func = module.funcs.push(kernel(case, &locals));
        let buffer = ArgKind::Buffer {
            space: AddressSpace::Global,
            align: 16,
        };
        let flag = ArgKind::Pod {
            size: 4,
            align: 4,
            by_ref: false,
        };
        let args = [("p", buffer.clone()), ("q", buffer), ("n", flag)];
        module.kernels.push(KernelInfo {
            func,
            name: "k".into(),
            args: args
                .map(|(name, kind)| crate::generator::argument(name, kind))
                .to_vec(),
            required_size: None,
            uneven: false,
            any_memory: false,
            size_hint: None,
            subgroups: Default::default(),
            attributes: String::new(),
        });
    }
    module
}

/// Returns the contents of the buffers after a kernel.
fn run(module: &Module, kernel: usize) -> Result<Vec<u8>, String> {
    let mut memory = Memory::default();
    let buffers = [0, 1].map(|_| memory.add(vec![0; 2 * SIZE as usize]));
    let args = [
        Arg::Pointer(buffers[0]),
        Arg::Pointer(buffers[1]),
        Arg::Bytes(vec![0; 4]),
    ];
    let done = interp::launch(module, kernel, &args, Launch::default(), &mut memory);
    done.map_err(|e| e.to_string())?;
    Ok(buffers.map(|b| memory.object(b).to_vec()).concat())
}

/// Applies `lower_memory` and the passes that it requires, and for devices without 64-bit integers `lower_int64`.
fn lowered(module: &Module, target: &Target) -> Result<Module, String> {
    let mut after = module.clone();
    let mut diags = Diags::default();
    let mut cx = PassCx::new(target, &mut diags);
    let pass = pipeline_pass("lower_memory");
    let mut held = inv![Ssa];
    let words = (!target.features.int64).then(|| pipeline_pass("lower_int64"));
    for pass in required(&pass).into_iter().chain([pass]).chain(words) {
        let _ = (pass.run)(&mut after, &mut cx).map_err(|e| e.to_string())?;
        held = held.minus(pass.destroys).plus(pass.establishes);
        verify::module(&after, held, pass.name).map_err(|e| e.to_string())?;
    }
    Ok(after)
}

/// Compares the cases before and after the pass.
fn compare(cases: &[Case], target: &Target) -> Result<(), String> {
    // Devices without 64-bit integers have no atomic operations on them.
    let offered = |case: &&Case| target.features.int64 || case.way.atomic != Some(Ty::I64);
    let cases = &cases.iter().filter(offered).copied().collect::<Vec<Case>>();
    let before = module(cases);
    let one = |n: usize| lowered(&module(&cases[n..=n]), target);
    let after = match lowered(&before, target) {
        Ok(after) => after,
        Err(e) => {
            let first = (0..cases.len()).find(|&n| one(n).is_err()).unwrap_or(0);
            return Err(format!("{:?}: {e}", cases[first]));
        }
    };
    for (n, case) in cases.iter().enumerate() {
        let expected = run(&before, n).map_err(|e| format!("{case:?} before the pass: {e}"))?;
        match run(&after, n) {
            Ok(bytes) if bytes == expected => {}
            Ok(_) => return Err(format!("{case:?}: the result differs")),
            Err(e) => return Err(format!("{case:?}: {e}")),
        }
    }
    Ok(())
}

/// Returns targets for which the pass chooses elements by different rules.
fn targets() -> [Target; 6] {
    let descriptors = |abi| Target {
        abi: Abi::Descriptor(abi),
        ..Target::desktop()
    };
    let mut narrow = descriptors(DescriptorAbi::runtime());
    narrow.features.storage8 = false;
    narrow.features.storage16 = false;
    let mut views = Target::desktop();
    views.features.workgroup_layout = true;
    let mut pairs = Target::desktop();
    pairs.features.int64 = false;
    let mut narrow_pairs = narrow.clone();
    narrow_pairs.features.int64 = false;
    [
        Target::desktop(),
        descriptors(DescriptorAbi::default()),
        narrow,
        views,
        pairs,
        narrow_pairs,
    ]
}

/// Returns cases that store the type with number `n`: for every `step`-th type that is loaded, `ways` ways of access, or every
/// second one of them in a build without optimization. Which types and ways these are depends on `turn`, so that several
/// calls together have all of them.
fn cases(n: usize, places: [Place; 2], step: usize, turn: usize, ways: usize) -> Vec<Case> {
    let loaded = TYPES.into_iter().enumerate();
    let loaded = loaded.filter(|(m, _)| (n + m + turn).is_multiple_of(step));
    let cases = loaded.flat_map(|(m, loaded)| {
        (0..ways).step_by(1 + usize::from(SAMPLE)).map(move |way| Case {
            stored: TYPES[n],
            loaded,
            places,
            way: WAYS[(n + m * 3 + turn * 7 + way) % WAYS.len()],
        })
    });
    cases.collect()
}

/// Whether only a part of the cases is tested: a build without optimization would take too long for all.
const SAMPLE: bool = cfg!(debug_assertions);

/// Every pair of types is tested with ways of access in private variables, which have all element types; and with pairs of
/// places, targets and ways that take turns. A build with optimization compares all ways in private variables, and all
/// pairs of places on all targets.
#[test]
fn objects_keep_their_bytes() {
    let targets = targets();
    let mut modules = Vec::new();
    for n in 0..TYPES.len() {
        modules.push((0, cases(n, [Place::Variable; 2], 1, 0, WAYS.len())));
        for (p, from) in PLACES.into_iter().enumerate() {
            for (q, to) in PLACES.into_iter().enumerate() {
                for target in 0..targets.len() {
                    let step = if SAMPLE { 4 * targets.len() } else { 1 };
                    modules.push((target, cases(n, [from, to], step, p + q + target, 1)));
                }
            }
        }
    }
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some((target, cases)) = modules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(e) = compare(cases, &targets[*target]) {
                        let text = format!("target {target}: {e}");
                        failures.lock().expect("nobody panicked").push(text);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("nobody panicked");
    assert!(
        failures.is_empty(),
        "{} modules differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
