//! Random programs.
//!
//! They make what C cannot say either: exits and repeats of any distance, code behind instructions that never complete,
//! unreachable loops; and what passes look for: counted loops with and without hints, accesses of all widths that overlap
//! or do not, through pointers that may or may not be the same, and integers that are widened and narrowed.

use caldera_compiler::intrinsic::{FenceFlags, Intrinsic};
use caldera_compiler::ir::{
    Access, AddressSpace, ArgKind, BinOp, Builder, CastOp, CmpOp, Func, Function, Global, GlobalData, Inst,
    KernelArg, KernelInfo, Module, Op, PointerUse, Scalar, Ty, Unroll, Value,
};

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    /// A number of so many bits; often one with few ones or few zeros.
    pub(crate) fn bits(&mut self, width: u32) -> u64 {
        let n = match self.below(4) {
            0 => self.next() & self.next() & self.next(),
            1 => self.next() | self.next() | self.next(),
            _ => self.next(),
        };
        n & u64::MAX >> (64 - width)
    }
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 20) as usize % n
    }
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

const WORD: Access = Access {
    align: 4,
    volatile: false,
};

/// Words of the buffer that a program writes its trace to.
const TRACE: usize = 64;

/// Bytes that [`Generator::access`] may reach behind a base.
const DATA: u32 = 96;

/// Bytes of the buffer: the trace, then two areas of data that overlap.
pub(crate) const BUFFER: usize = TRACE * 4 + DATA as usize + 32;

struct Generator<'r> {
    random: &'r mut Random,
    b: Builder<'r>,
    /// i32 values that can be used where the cursor is.
    pool: Vec<Value>,
    /// Private i32 variables; the first counts trace words, the second limits iterations.
    vars: Vec<Value>,
    /// An array with dynamic indices.
    array: Value,
    buffer: Value,
    /// Pointers to `DATA` bytes each, of any space, some to the same memory.
    data: Vec<Value>,
    open: Vec<Inst>,
    /// Functions (i32, i32, ptr<private>) -> i32 that may be called.
    callees: Vec<Func>,
    ret: Option<Ty>,
    budget: usize,
}

impl Generator<'_> {
    fn value(&mut self) -> Value {
        match self.random.below(8) {
            0 => {
                let n = self.random.below(9) as i32 - 3;
                self.b.i32(n)
            }
            1..=3 => {
                let var = self.vars[2 + self.random.below(self.vars.len() - 2)];
                self.b.load(var, Ty::I32, WORD)
            }
            4 => {
                let index = self.index();
                self.b.load(index, Ty::I32, WORD)
            }
            _ => self.pool[self.random.below(self.pool.len())],
        }
    }

    fn index(&mut self) -> Value {
        let n = self.pool[self.random.below(self.pool.len())];
        let (mask, four) = (self.b.i32(3), self.b.i32(4));
        let n = self.b.binary(BinOp::And, n, mask);
        let n = self.b.binary(BinOp::IMul, n, four);
        self.b.ptr_add(self.array, n)
    }

    fn expression(&mut self) -> Value {
        let (x, y) = (self.value(), self.value());
        let ops = [
            BinOp::IAdd,
            BinOp::ISub,
            BinOp::IMul,
            BinOp::Xor,
            BinOp::And,
            BinOp::Or,
            BinOp::Shl,
            BinOp::AShr,
        ];
        let v = if self.random.one_in(5) {
            let c = self.condition();
            self.b.select(c, x, y)
        } else {
            self.b.binary(ops[self.random.below(ops.len())], x, y)
        };
        self.pool.push(v);
        v
    }

    fn condition(&mut self) -> Value {
        if self.random.one_in(12) {
            let v = self.random.one_in(2);
            return self.b.bool(v);
        }
        let (x, y) = (self.value(), self.value());
        let ops = [CmpOp::IEq, CmpOp::SLt, CmpOp::UGe, CmpOp::INe, CmpOp::SGt];
        self.b.compare(ops[self.random.below(ops.len())], x, y)
    }

    /// A place in memory, and what can be accessed there.
    fn place(&mut self) -> (Value, Ty, Access) {
        let types = [
            Ty::I32,
            Ty::I32,
            Ty::I32,
            Ty::I64,
            Ty::I8,
            Ty::I16,
            Ty::vector(Scalar::I32, 2),
            Ty::vector(Scalar::I32, 3),
            Ty::vector(Scalar::I32, 4),
            Ty::vector(Scalar::I16, 8),
            Ty::vector(Scalar::I32, 8),
        ];
        let ty = types[self.random.below(types.len())];
        let base = self.data[self.random.below(self.data.len())];
        let step = ty.scalar.bytes();
        let at = step * self.random.below(32 / step as usize - 3) as u32;
        let mut align = 1 << (at | 16).trailing_zeros();
        let mut pointer = base;
        if self.random.one_in(3) {
            let n = self.pool[self.random.below(self.pool.len())];
            let (mask, scale) = (self.b.i32(3), self.b.i32(step as i32));
            let n = self.b.binary(BinOp::And, n, mask);
            let n = self.b.binary(BinOp::IMul, n, scale);
            let n = if self.random.one_in(2) {
                self.b.cast(CastOp::SExt, n, Ty::I64)
            } else {
                n
            };
            pointer = self.b.ptr_add(pointer, n);
            align = align.min(step);
        }
        let access = Access {
            align,
            volatile: self.random.one_in(20),
        };
        (self.b.ptr_offset(pointer, i64::from(at)), ty, access)
    }

    /// A load or a store of any width.
    fn access(&mut self) {
        let (pointer, ty, access) = self.place();
        if self.random.one_in(2) {
            let mut v = self.value();
            v = match ty.scalar.bits() {
                32 => v,
                64 => self.b.cast(CastOp::SExt, v, Ty::I64),
                _ => self.b.cast(CastOp::Trunc, v, Ty::of(ty.scalar)),
            };
            if ty.is_vector() {
                let splat = self.b.splat(ty, v);
                let lane = self.random.below(ty.lanes as usize) as u8;
                let zero = self.b.bits(Ty::of(ty.scalar), 7);
                v = self.b.insert_lane(splat, zero, lane);
            }
            self.b.store(pointer, v, access);
        } else {
            let mut v = self.b.load(pointer, ty, access);
            if ty.is_vector() {
                let lane = self.random.below(ty.lanes as usize) as u8;
                v = self.b.extract(v, lane);
            }
            let v = match ty.scalar.bits() {
                32 => v,
                64 => self.b.cast(CastOp::Trunc, v, Ty::I32),
                _ if self.random.one_in(2) => self.b.cast(CastOp::ZExt, v, Ty::I32),
                _ => self.b.cast(CastOp::SExt, v, Ty::I32),
            };
            self.pool.push(v);
        }
    }

    /// Arithmetic in 64 bits, or comparisons there, that end in 32.
    fn wide(&mut self) {
        let ops = [
            BinOp::IAdd,
            BinOp::ISub,
            BinOp::IMul,
            BinOp::Xor,
            BinOp::And,
            BinOp::Shl,
            BinOp::LShr,
        ];
        let mut sides = [0, 1].map(|_| {
            let v = self.value();
            let v = if self.random.one_in(3) {
                let mask = self.b.i32(255);
                self.b.binary(BinOp::And, v, mask)
            } else {
                v
            };
            let op = if self.random.one_in(2) {
                CastOp::SExt
            } else {
                CastOp::ZExt
            };
            self.b.cast(op, v, Ty::I64)
        });
        for _ in 0..self.random.below(3) {
            if self.random.one_in(3) {
                let n = self.random.below(200) as i64 - 20;
                sides[1] = self.b.i64(n);
            }
            let op = ops[self.random.below(ops.len())];
            sides[0] = self.b.binary(op, sides[0], sides[1]);
        }
        let [x, y] = sides;
        let v = if self.random.one_in(3) {
            let compare = [CmpOp::IEq, CmpOp::SLt, CmpOp::UGe, CmpOp::ULt, CmpOp::SGt];
            let c = self.b.compare(compare[self.random.below(compare.len())], x, y);
            self.b.cast(CastOp::ZExt, c, Ty::I32)
        } else {
            self.b.cast(CastOp::Trunc, x, Ty::I32)
        };
        let v = if self.random.one_in(4) {
            let divisor = self.b.i32(1 << self.random.below(5));
            let op = if self.random.one_in(2) {
                BinOp::SDiv
            } else {
                BinOp::SRem
            };
            self.b.binary(op, v, divisor)
        } else {
            v
        };
        self.pool.push(v);
    }

    /// `for (n = first; n < last; n += step)`, or the same with the test at the end.
    fn counted(&mut self) {
        self.budget -= 1;
        let first = self.random.below(3) as i32;
        let step = 1 + self.random.below(3) as i32;
        let last = first + self.random.below(7) as i32;
        let test_first = self.random.one_in(2);
        let carried = self.value();
        let first = self.b.i32(first);
        let (loop_, body) = self.b.loop_(vec![first, carried], &[Ty::I32]);
        self.b.func.insts[loop_].unroll = match self.random.below(6) {
            0 => Unroll::Full,
            1 => Unroll::By(2),
            2 => Unroll::By(3),
            3 => Unroll::Never,
            _ => Unroll::Unsaid,
        };
        let args = self.b.func.regions[body].args.clone();
        let depth = self.pool.len();
        self.pool.extend(&args);
        self.b.enter(body);
        self.open.push(loop_);
        let test = |g: &mut Self, v: Value| {
            let last = g.b.i32(last);
            let goes_on = g.b.compare(CmpOp::SLt, v, last);
            let (inst, then, otherwise) = g.b.if_(goes_on, &[]);
            g.b.enter(then);
            g.b.exit(inst, vec![]);
            g.b.leave();
            g.b.enter(otherwise);
            g.b.exit(loop_, vec![args[1]]);
            g.b.leave();
        };
        if test_first {
            test(self, args[0]);
        }
        for _ in 0..1 + self.random.below(3) {
            self.statement();
        }
        let carried = self.value();
        let step = self.b.i32(step);
        let next = self.b.binary(BinOp::IAdd, args[0], step);
        if !test_first {
            test(self, next);
        }
        self.b.repeat(loop_, vec![next, carried]);
        self.open.pop();
        self.b.leave();
        self.pool.truncate(depth);
        self.pool.extend(self.b.func.insts[loop_].results.clone());
    }

    fn statement(&mut self) {
        match self.random.below(19) {
            12..=14 => self.access(),
            15..=16 => self.wide(),
            17 if self.budget > 0 && self.open.len() < 6 => self.counted(),
            0..=2 => {
                let v = self.expression();
                let var = self.vars[2 + self.random.below(self.vars.len() - 2)];
                self.b.store(var, v, WORD);
            }
            3 => {
                let v = self.value();
                let index = self.index();
                self.b.store(index, v, WORD);
            }
            4..=5 => self.trace(),
            6 if !self.callees.is_empty() => {
                let callee = self.callees[self.random.below(self.callees.len())];
                let (x, y) = (self.value(), self.value());
                let var = self.vars[2 + self.random.below(self.vars.len() - 2)];
                if let Some(v) = self.b.call(callee, vec![x, y, var], Some(Ty::I32)) {
                    self.pool.push(v);
                }
            }
            7 if self.ret.is_none() => {
                let zero = self.b.i32(0);
                let id = self.b.intrinsic(Intrinsic::LocalId, vec![zero], Some(Ty::I64));
                let id = self.b.cast(
                    caldera_compiler::ir::CastOp::Trunc,
                    id.expect("has a result"),
                    Ty::I32,
                );
                self.pool.push(id);
            }
            _ if self.budget > 0 && self.open.len() < 7 => self.structured(),
            _ => {
                self.expression();
            }
        }
    }

    /// buffer[count++ % TRACE] ^= value
    fn trace(&mut self) {
        let v = self.value();
        let count = self.b.load(self.vars[0], Ty::I32, WORD);
        let one = self.b.i32(1);
        let next = self.b.binary(BinOp::IAdd, count, one);
        self.b.store(self.vars[0], next, WORD);
        let (mask, four) = (self.b.i32(TRACE as i32 - 1), self.b.i32(4));
        let at = self.b.binary(BinOp::And, count, mask);
        let at = self.b.binary(BinOp::IMul, at, four);
        let place = self.b.ptr_add(self.buffer, at);
        let old = self.b.load(place, Ty::I32, WORD);
        let new = self.b.binary(BinOp::Xor, old, v);
        self.b.store(place, new, WORD);
    }

    fn structured(&mut self) {
        self.budget -= 1;
        let results = vec![Ty::I32; self.random.below(3)];
        let inst = match self.random.below(5) {
            0 => self.b.block(&results).0,
            1 => {
                let init = (0..self.random.below(3)).map(|_| self.value()).collect();
                self.b.loop_(init, &results).0
            }
            2 => {
                let v = self.value();
                let mask = self.b.i32(3);
                let v = self.b.binary(BinOp::And, v, mask);
                let cases = match self.random.below(3) {
                    0 => vec![],
                    1 => vec![vec![0], vec![2, 3]],
                    _ => vec![vec![1]],
                };
                self.b.switch(v, cases, &results).0
            }
            _ => {
                let c = self.condition();
                self.b.if_(c, &results).0
            }
        };
        let regions = self.b.func.insts[inst].regions.clone();
        self.open.push(inst);
        for region in regions {
            let depth = self.pool.len();
            self.pool.extend(self.b.func.regions[region].args.clone());
            self.b.enter(region);
            if self.b.func.insts[inst].op == Op::Loop {
                self.spend_fuel();
            }
            self.body();
            self.b.leave();
            self.pool.truncate(depth);
        }
        self.open.pop();
        self.pool.extend(self.b.func.insts[inst].results.clone());
    }

    /// Ends the function when too many iterations were executed.
    fn spend_fuel(&mut self) {
        let fuel = self.b.load(self.vars[1], Ty::I32, WORD);
        let one = self.b.i32(1);
        let less = self.b.binary(BinOp::ISub, fuel, one);
        self.b.store(self.vars[1], less, WORD);
        let zero = self.b.i32(0);
        let empty = self.b.compare(CmpOp::SLe, less, zero);
        let (inst, then, otherwise) = self.b.if_(empty, &[]);
        self.b.enter(then);
        self.finish();
        self.b.leave();
        self.b.enter(otherwise);
        self.b.exit(inst, vec![]);
        self.b.leave();
    }

    fn finish(&mut self) {
        let value = self.ret.is_some().then(|| self.value());
        self.b.ret(value);
    }

    fn body(&mut self) {
        for _ in 0..1 + self.random.below(4) {
            self.statement();
        }
        // The nearest targets are the likeliest.
        if self.random.one_in(14) {
            return self.finish();
        }
        let mut n = self.open.len() - 1;
        while n > 0 && self.random.one_in(3) {
            n -= 1;
        }
        let target = self.open[n];
        let data = &self.b.func.insts[target];
        let repeats = data.op == Op::Loop && self.random.one_in(2);
        let count = if repeats {
            self.b.func.regions[data.regions[0]].args.len()
        } else {
            data.results.len()
        };
        let values = (0..count).map(|_| self.value()).collect();
        if repeats {
            self.b.repeat(target, values);
        } else {
            self.b.exit(target, values);
        }
    }
}

/// A function (i32, i32, pointer) with the given return type; a kernel has a second pointer, to other memory.
fn function(
    random: &mut Random,
    name: &str,
    space: AddressSpace,
    ret: Option<Ty>,
    callees: &[Func],
    local: Global,
) -> Function {
    let mut types = vec![Ty::I32, Ty::I32, Ty::ptr(space)];
    if space == AddressSpace::Global {
        types.push(Ty::ptr(space));
    }
    let mut func = Function::new(name, &types, ret);
    let params = func.params.clone();
    let body = func.body;
    let mut b = Builder::at_end(&mut func, body);
    let vars: Vec<Value> = (0..6).map(|_| b.alloca(4, 4)).collect();
    for (n, &var) in vars.iter().enumerate() {
        let init = b.i32(if n == 1 { 12 } else { n as i32 });
        b.store(var, init, WORD);
    }
    let array = b.alloca(16, 4);
    b.mem_zero(array, WORD, 16);
    let own = b.alloca(4 * TRACE as u32, 4);
    let mut data: Vec<Value> = (0..2).map(|_| b.alloca(DATA, 16)).collect();
    for &object in &data {
        b.mem_zero(object, WORD, DATA);
    }
    if space == AddressSpace::Global {
        let first = b.ptr_offset(params[2], 4 * TRACE as i64);
        let second = b.ptr_offset(params[2], 4 * TRACE as i64 + 32);
        let zero = b.i32(0);
        let which = b.compare(CmpOp::SGt, params[0], zero);
        let either = b.select(which, first, second);
        let local = b.global_addr(local, AddressSpace::Local);
        data.extend([first, second, either, local, params[3]]);
    }
    let (block, region) = b.block(&[]);
    b.enter(region);
    let mut g = Generator {
        random,
        b,
        pool: vec![params[0], params[1]],
        vars,
        array,
        buffer: params[2],
        data,
        open: vec![block],
        callees: callees.to_vec(),
        ret,
        budget: 14,
    };
    if space == AddressSpace::Private {
        // A callee's pointer is to one word: it is no place for a trace.
        g.buffer = own;
        g.vars.push(params[2]);
    }
    for _ in 0..6 {
        g.statement();
        if space == AddressSpace::Global && g.random.one_in(6) {
            let both = FenceFlags {
                local: true,
                global: true,
            };
            g.b.intrinsic(Intrinsic::Barrier(both), vec![], None);
        }
    }
    g.body();
    g.b.leave();
    g.pool.truncate(2);
    if space == AddressSpace::Global {
        for var in g.vars.clone() {
            g.pool.push(g.b.load(var, Ty::I32, WORD));
            g.trace();
        }
    }
    g.finish();
    func
}

pub(crate) fn program(seed: u64) -> Module {
    let mut random = Random::new(seed);
    let mut module = Module::default();
    let local = module.globals.push(GlobalData {
        name: "k.shared".into(),
        space: AddressSpace::Local,
        size: DATA,
        align: 16,
        init: None,
    });
    let mut callees = Vec::new();
    for n in 0..random.below(3) {
        let f = function(
            &mut random,
            &format!("f{n}"),
            AddressSpace::Private,
            Some(Ty::I32),
            &callees,
            local,
        );
        callees.push(module.funcs.push(f));
    }
    let k = function(&mut random, "k", AddressSpace::Global, None, &callees, local);
    let func = module.funcs.push(k);
    let pod = ArgKind::Pod {
        size: 4,
        align: 4,
        by_ref: false,
    };
    let buffer = ArgKind::Buffer {
        space: AddressSpace::Global,
        align: 4,
    };
    let args = [
        ("a", pod.clone()),
        ("b", pod),
        ("p", buffer.clone()),
        ("q", buffer),
    ];
    let mut args = args.map(|(name, kind)| argument(name, kind)).to_vec();
    // Nothing else points to its memory.
    args[3].restrict = true;
    module.kernels.push(KernelInfo {
        func,
        name: "k".into(),
        args,
        required_size: None,
        size_hint: None,
        attributes: String::new(),
    });
    module
}

fn argument(name: &str, kind: ArgKind) -> KernelArg {
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
