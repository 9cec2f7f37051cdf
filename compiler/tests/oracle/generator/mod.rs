//! Generates random programs.
//!
//! They contain constructs that C cannot express: exits and repeats over any number of levels, code after
//! instructions that never complete, unreachable loops. They also contain the patterns that passes look for:
//! counted loops with and without hints, loops over memory, accesses of all widths that may overlap, through
//! pointers that may alias, and every operator on every type with operands at boundaries.

mod control;
mod dots;
mod floats;
mod memory;
mod progressions;
mod random;
mod typed;
mod values;

use caldera_compiler::intrinsic::{FenceFlags, Intrinsic};
use caldera_compiler::ir::{
    Access, AddressSpace, ArgKind, BinOp, Builder, CastOp, CmpOp, Func, Function, Global, GlobalData, Inst,
    KernelArg, KernelInfo, Linkage, Module, PointerUse, Scalar, Ty, Value,
};
pub(crate) use progressions::counting_loop;
pub(crate) use random::Random;

const WORD: Access = Access {
    align: 4,
    volatile: false,
};

/// The number of words of the trace that a program writes to its buffer.
const TRACE: usize = 64;

/// The number of bytes after a base pointer that an access may reach.
const DATA: u32 = 96;

/// The number of bytes of the buffer for each work-item: the trace, then two areas of data that overlap.
pub(crate) const BUFFER: usize = TRACE * 4 + DATA as usize + 32;

/// The number of bytes of the buffer that is only read.
pub(crate) const CONSTANT: usize = 256;

/// The greatest number of iterations of a loop over the read-only buffer.
pub(crate) const MAX_BOUND: u64 = 40;

/// The launch of a program.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// The number of work-items.
    pub(crate) items: u32,
    pub(crate) subgroup: u32,
}

impl Shape {
    pub(crate) fn new(seed: u64) -> Shape {
        let (items, subgroup) = match seed % 16 {
            0..=4 => (1, 1),
            5..=9 => (2, 1),
            10..=12 => (8, 8),
            13 => (16, 8),
            14 => (12, 8),
            _ if seed % 64 == 15 => (32, 32),
            _ => (8, 32),
        };
        Shape { items, subgroup }
    }

    /// Returns whether work-items perform collective operations. Each then has memory of its own, because
    /// otherwise the order of their accesses, which passes may change, would be visible.
    fn calm(self) -> bool {
        self.subgroup > 1
    }
}

struct Generator<'r> {
    random: &'r mut Random,
    shape: Shape,
    b: Builder<'r>,
    /// Values other than pointers that can be used at the cursor.
    pool: Vec<Value>,
    /// Private variables.
    vars: Vec<(Value, Ty)>,
    /// The counter of the words of the trace.
    count: Value,
    /// A limit on the number of iterations.
    fuel: Value,
    /// An array of words with dynamic indices.
    array: Value,
    buffer: Value,
    /// Pointers to `DATA` bytes each, in any address space, some to the same memory.
    data: Vec<Value>,
    /// The pointers among them that are objects of their own; the first two are private.
    objects: Vec<Value>,
    /// Private variables that contain such pointers.
    slots: Vec<(Value, Ty)>,
    /// Arrays that are accessed as one type only, apart from copies.
    typed: Vec<(Value, Ty)>,
    /// Whether there are atomic operations on 64 bits, which not all targets have.
    long_atomics: bool,
    /// Memory that is only read.
    constant: Option<Value>,
    /// The bound of loops over the read-only memory.
    bound: Value,
    open: Vec<Inst>,
    /// Functions (i32, i32, ptr<private>) -> i32 that may be called.
    callees: Vec<Func>,
    ret: Option<Ty>,
    budget: usize,
}

impl Generator<'_> {
    fn statement(&mut self) {
        // Only programs with sub-groups take a random number for this, so that the others are as they were.
        if self.shape.calm() && self.random.one_in(3) {
            self.active_items();
        }
        match self.random.below(34) {
            0..=3 => {
                let v = self.operation();
                let ty = self.b.func.ty(v);
                let vars: Vec<Value> = self.vars.iter().filter(|v| v.1 == ty).map(|v| v.0).collect();
                if !vars.is_empty() && ty != Ty::BOOL {
                    let var = self.random.of(&vars);
                    self.b.store(var, v, WORD);
                }
            }
            4 => {
                let v = self.word();
                let index = self.index();
                self.b.store(index, v, WORD);
            }
            5..=6 => {
                let v = self.random.of(&self.pool);
                self.trace(v);
            }
            7 if !self.callees.is_empty() => {
                let callee = self.random.of(&self.callees);
                let (x, y) = (self.word(), self.word());
                let words: Vec<Value> = self.vars.iter().filter(|v| v.1 == Ty::I32).map(|v| v.0).collect();
                let var = self.random.of(&words);
                let v = self.b.call(callee, vec![x, y, var], Some(Ty::I32));
                self.pool.extend(v);
            }
            8 if self.ret.is_none() => self.work_item(),
            9..=11 => self.access(),
            12..=13 => self.wide(),
            14 => self.pointer(),
            15 => self.block_access(),
            16 => self.constant_load(),
            22 => self.contracted(),
            24..=25 => self.tree(),
            26..=27 => self.float_tree(),
            28..=30 => self.typed_access(),
            31 => self.typed_copy(),
            32 if self.random.one_in(4) => self.number_of_pointer(),
            32 => self.generic_pointer(),
            17 if self.random.one_in(3) => self.progression(),
            17 if self.budget > 0 && self.open.len() < 5 => self.counted(),
            18 | 23 if self.budget > 0 && self.open.len() < 4 => self.sweep(),
            33 if self.budget > 0 && self.open.len() < 6 => self.similar_arms(),
            19..=21 if self.budget > 0 && self.open.len() < 6 => self.structured(),
            _ => {
                self.operation();
            }
        }
    }

    /// Generates the statements of a function, and traces of the variables of a kernel.
    fn code(&mut self, is_kernel: bool) {
        let params = self.pool.len();
        let statements = if is_kernel { 7 } else { 3 };
        for _ in 0..statements {
            self.statement();
            if is_kernel {
                self.between();
            }
        }
        self.body();
        self.b.leave();
        self.pool.truncate(params);
        if is_kernel {
            for (var, ty) in self.vars.clone() {
                let v = self.b.load(var, ty, WORD);
                self.trace(v);
            }
        }
    }

    /// Generates a value that differs between work-items.
    fn work_item(&mut self) {
        let zero = self.b.i32(0);
        let op = self
            .random
            .of(&[Intrinsic::LocalId, Intrinsic::GlobalId, Intrinsic::LocalSize]);
        let id = self.b.intrinsic(op, vec![zero], Some(Ty::I64));
        let id = id.expect("has a result");
        let word = self.b.cast(CastOp::Trunc, id, Ty::I32);
        self.pool.extend([id, word]);
    }

    /// Generates code between two statements that all work-items reach.
    fn between(&mut self) {
        if self.random.one_in(6) {
            let both = FenceFlags {
                local: true,
                global: true,
            };
            self.b.intrinsic(Intrinsic::Barrier(both), vec![], None);
        }
        if self.shape.calm() && self.random.one_in(2) {
            self.subgroup();
        }
    }
}

/// The types of the private variables.
const VARS: [Ty; 9] = [
    Ty::I32,
    Ty::I32,
    Ty::I32,
    Ty::I64,
    Ty::I16,
    Ty::I8,
    Ty::F32,
    Ty::vector(Scalar::I32, 4),
    Ty::vector(Scalar::F32, 2),
];

/// Returns the types of the parameters of a kernel, or of another function.
fn parameters(is_kernel: bool) -> Vec<Ty> {
    let global = Ty::ptr(AddressSpace::Global);
    match is_kernel {
        true => vec![
            Ty::I32,
            Ty::I32,
            global,
            global,
            global,
            Ty::I32,
            Ty::F32,
            Ty::vector(Scalar::I16, 3),
            Ty::I64,
        ],
        false => vec![Ty::I32, Ty::I32, Ty::ptr(AddressSpace::Private)],
    }
}

/// Makes generic pointers from some of the objects, or all.
fn add_generic_pointers(random: &mut Random, b: &mut Builder<'_>, data: &mut Vec<Value>) {
    let generic = Ty::ptr(AddressSpace::Generic);
    for pointer in data.clone() {
        if random.one_in(2) {
            data.push(b.cast(CastOp::PtrCast, pointer, generic));
        }
    }
}

/// Stores a pointer of each address space in a variable. Returns the variables and the types of the pointers.
fn pointer_slots(b: &mut Builder<'_>, data: &[Value]) -> Vec<(Value, Ty)> {
    let mut slots = Vec::new();
    for space in [
        AddressSpace::Private,
        AddressSpace::Global,
        AddressSpace::Local,
        AddressSpace::Generic,
    ] {
        let ty = Ty::ptr(space);
        if let Some(&pointer) = data.iter().find(|&&v| b.func.ty(v) == ty) {
            let slot = b.alloca(8, 8);
            let access = Access {
                align: 8,
                volatile: false,
            };
            b.store(slot, pointer, access);
            slots.push((slot, ty));
        }
    }
    slots
}

/// Returns a variable of each type with a first value.
fn variables(b: &mut Builder<'_>) -> Vec<(Value, Ty)> {
    let mut vars = Vec::new();
    for (n, ty) in VARS.into_iter().enumerate() {
        let var = b.alloca(16, 16);
        let init = b.bits(ty, n as u64);
        b.store(var, init, WORD);
        vars.push((var, ty));
    }
    vars
}

/// Returns the place of work-item `id` in memory that has `bytes` for each.
fn own_part(b: &mut Builder<'_>, id: Value, pointer: Value, bytes: u64) -> Value {
    let bytes = b.bits(Ty::I64, bytes);
    let offset = b.binary(BinOp::IMul, id, bytes);
    b.ptr_add(pointer, offset)
}

/// Generates a function (i32, i32, pointer) with the given return type; a kernel has more parameters, see
/// [`program`].
fn function(
    random: &mut Random,
    shape: Shape,
    name: &str,
    ret: Option<Ty>,
    callees: &[Func],
    locals: &[Global],
) -> Function {
    let is_kernel = ret.is_none();
    let types = parameters(is_kernel);
    let mut func = Function::new(name, &types, ret);
    let params = func.params.clone();
    let body = func.body;
    let mut b = Builder::at_end(&mut func, body);
    let (count, fuel) = (b.alloca(4, 4), b.alloca(4, 4));
    for (var, n) in [(count, 0), (fuel, 8)] {
        let n = b.i32(n);
        b.store(var, n, WORD);
    }
    let mut vars = variables(&mut b);
    let array = b.alloca(16, 4);
    b.mem_zero(array, WORD, 16);
    let own = b.alloca(4 * TRACE as u32, 4);
    let mut objects: Vec<Value> = (0..2).map(|_| b.alloca(DATA, 16)).collect();
    for &object in &objects {
        b.mem_zero(object, WORD, DATA);
    }
    let mut data = objects.clone();
    let mut typed = typed::private(random, &mut b);
    let long_atomics = random.one_in(12);
    let (mut buffer, mut constant) = (own, None);
    let mut bound = b.i32(5);
    let mut pool = vec![params[0], params[1]];
    if is_kernel {
        let mut other = params[3];
        let mut shared = b.global_addr(locals[0], AddressSpace::Local);
        let mut arrays = [1, 2].map(|n| b.global_addr(locals[n], AddressSpace::Local));
        buffer = params[2];
        if shape.calm() {
            let zero = b.i32(0);
            let id = b.intrinsic(Intrinsic::LocalId, vec![zero], Some(Ty::I64));
            let id = id.expect("has a result");
            // Work-items should take different ways.
            let word = b.cast(CastOp::Trunc, id, Ty::I32);
            let one = b.i32(1);
            let odd = b.binary(BinOp::And, word, one);
            let odd = b.compare(CmpOp::IEq, odd, one);
            pool.extend([word, word, odd]);
            let mut at = |pointer, bytes| own_part(&mut b, id, pointer, bytes);
            buffer = at(buffer, BUFFER as u64);
            other = at(other, BUFFER as u64);
            shared = at(shared, DATA.into());
            arrays = arrays.map(|a| at(a, typed::SIZE.into()));
        }
        typed.extend(arrays.map(|a| (a, typed::some_type(random))));
        let first = b.ptr_offset(buffer, 4 * TRACE as i64);
        let second = b.ptr_offset(buffer, 4 * TRACE as i64 + 32);
        let zero = b.i32(0);
        let which = b.compare(CmpOp::SGt, params[0], zero);
        let either = b.select(which, first, second);
        objects.extend([shared, other]);
        data.extend([first, second, either, shared, other]);
        constant = Some(params[4]);
        bound = params[5];
        pool.extend(&params[5..]);
    } else {
        // A callee's pointer points to one word, so it cannot hold a trace.
        vars.push((params[2], Ty::I32));
    }
    if random.one_in(4) {
        add_generic_pointers(random, &mut b, &mut data);
    }
    let slots = pointer_slots(&mut b, &data);
    let (block, region) = b.block(&[]);
    b.enter(region);
    let budget = if is_kernel { 6 } else { 3 };
    let mut g = Generator {
        random,
        shape,
        b,
        pool,
        vars,
        count,
        fuel,
        array,
        buffer,
        data,
        objects,
        slots,
        typed,
        long_atomics,
        constant,
        bound,
        open: vec![block],
        callees: callees.to_vec(),
        ret,
        budget,
    };
    g.code(is_kernel);
    g.finish();
    func
}

pub(crate) fn program(seed: u64) -> Module {
    let mut random = Random::new(seed);
    let shape = Shape::new(seed);
    let mut module = Module::default();
    let sizes = [("shared", DATA), ("first", typed::SIZE), ("second", typed::SIZE)];
    let locals = sizes.map(|(name, size)| {
        module.globals.push(GlobalData {
            name: format!("k.{name}"),
            space: AddressSpace::Local,
            size: size * shape.items,
            align: 16,
            init: None,
            linkage: Linkage::External,
        })
    });
    let mut callees = Vec::new();
    for n in 0..random.below(3) {
        let f = function(
            &mut random,
            shape,
            &format!("f{n}"),
            Some(Ty::I32),
            &callees,
            &locals,
        );
        callees.push(module.funcs.push(f));
    }
    let k = function(&mut random, shape, "k", None, &callees, &locals);
    let func = module.funcs.push(k);
    let pod = |bytes: u32| ArgKind::Pod {
        size: bytes,
        align: bytes,
        by_ref: false,
    };
    let buffer = ArgKind::Buffer {
        space: AddressSpace::Global,
        align: 4,
    };
    let args = [
        ("a", pod(4)),
        ("b", pod(4)),
        ("p", buffer.clone()),
        ("q", buffer.clone()),
        ("r", buffer),
        ("n", pod(4)),
        ("f", pod(4)),
        ("v", pod(8)),
        ("l", pod(8)),
    ];
    let mut args = args.map(|(name, kind)| argument(name, kind)).to_vec();
    // No other argument points to the memory of these buffers.
    args[3].restrict = true;
    args[4].restrict = true;
    module.kernels.push(KernelInfo {
        func,
        name: "k".into(),
        args,
        required_size: None,
        uneven: false,
        any_memory: false,
        size_hint: None,
        subgroups: Default::default(),
        attributes: String::new(),
    });
    module
}

pub(crate) fn argument(name: &str, kind: ArgKind) -> KernelArg {
    KernelArg {
        name: name.into(),
        type_name: "int".into(),
        kind,
        address_qualifier: 0,
        access_qualifier: 0,
        type_qualifier: 0,
        restrict: false,
        uses: PointerUse::default(),
    }
}
