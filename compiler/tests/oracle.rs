//! Passes preserve meaning: random programs, interpreted before and after.
//!
//! The generator makes what C cannot say either: exits and repeats of any distance, code behind instructions that
//! never complete, unreachable loops. Seeds are fixed, so a failure names its seed for good.

use caldera_compiler::diag::Diags;
use caldera_compiler::interp::{self, Arg, Launch, Memory};
use caldera_compiler::intrinsic::Intrinsic;
use caldera_compiler::inv;
use caldera_compiler::ir::{
    Access, AddressSpace, ArgKind, BinOp, Builder, CmpOp, Func, Function, Inst, KernelArg, KernelInfo,
    Module, Op, PointerUse, Ty, Value,
};
use caldera_compiler::pass::{Pass, PassCx, pipeline};
use caldera_compiler::target::Target;
use caldera_compiler::verify;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 20) as usize % n
    }
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

const WORD: Access = Access {
    align: 4,
    volatile: false,
};

/// Words of the buffer that a program writes its trace to.
const TRACE: usize = 64;

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

    fn statement(&mut self) {
        match self.random.below(12) {
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

/// A function (i32, i32, pointer) with the given return type.
fn function(
    random: &mut Random,
    name: &str,
    space: AddressSpace,
    ret: Option<Ty>,
    callees: &[Func],
) -> Function {
    let mut func = Function::new(name, &[Ty::I32, Ty::I32, Ty::ptr(space)], ret);
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
    let (block, region) = b.block(&[]);
    b.enter(region);
    let mut g = Generator {
        random,
        b,
        pool: vec![params[0], params[1]],
        vars,
        array,
        buffer: params[2],
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

fn program(seed: u64) -> Module {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut module = Module::default();
    let mut callees = Vec::new();
    for n in 0..random.below(3) {
        let f = function(
            &mut random,
            &format!("f{n}"),
            AddressSpace::Private,
            Some(Ty::I32),
            &callees,
        );
        callees.push(module.funcs.push(f));
    }
    let k = function(&mut random, "k", AddressSpace::Global, None, &callees);
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
    let args = [("a", pod.clone()), ("b", pod), ("p", buffer)];
    module.kernels.push(KernelInfo {
        func,
        name: "k".into(),
        args: args.map(|(name, kind)| argument(name, kind)).to_vec(),
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

/// The trace that a program leaves.
fn execute(module: &Module, seed: u64) -> Result<Vec<u8>, String> {
    let mut memory = Memory::default();
    let buffer = memory.add(vec![0; TRACE * 4]);
    let word = |n: u64| Arg::Bytes((n as u32).to_le_bytes().to_vec());
    let args = [word(seed % 7), word(seed % 5 + 1), Arg::Pointer(buffer)];
    let launch = Launch {
        groups: [1; 3],
        local: [2, 1, 1],
        steps: 20_000,
    };
    match interp::launch(module, 0, &args, launch, &mut memory) {
        Ok(()) => Ok(memory.object(buffer).to_vec()),
        Err(e) => Err(e.to_string()),
    }
}

fn named(name: &str) -> Pass {
    let all = pipeline::pipeline(&Target::faulty()).passes();
    *all.iter()
        .find(|p| p.name == name)
        .expect("a pass of the pipeline")
}

fn apply(module: &mut Module, names: &[&str], seed: u64) {
    let target = Target::desktop();
    let mut diags = Diags::default();
    let mut cx = PassCx::new(&target, &mut diags);
    let mut held = inv![Ssa];
    for name in names {
        let pass = named(name);
        let before = module.to_string();
        if let Err(e) = (pass.run)(module, &mut cx) {
            panic!("seed {seed}: {name}: {e}\n{before}");
        }
        held = held.plus(pass.establishes);
        if let Err(e) = verify::module(module, held, pass.name) {
            panic!("seed {seed}: {e}\n== before ==\n{before}\n== after ==\n{module}");
        }
    }
}

fn check(seeds: std::ops::Range<u64>, lists: &[&[&str]]) {
    let mut ended = 0;
    for seed in seeds.clone() {
        let module = program(seed);
        verify::module(&module, inv![Ssa], "the generator").unwrap_or_else(|e| panic!("{e}\n{module}"));
        let expected = execute(&module, seed);
        ended += usize::from(expected.is_ok());
        for names in lists {
            let mut after = module.clone();
            apply(&mut after, names, seed);
            let actual = execute(&after, seed);
            // Where the program itself goes wrong, anything may happen.
            assert!(
                expected.is_err() || actual == expected,
                "seed {seed}: {names:?} changes the result\nexpected {expected:?}\nactual {actual:?}\n{module}\n{after}"
            );
        }
    }
    assert!(
        ended * 2 > seeds.count(),
        "only {ended} programs came to their end"
    );
}

#[test]
fn passes_preserve_meaning() {
    check(
        0..16,
        &[
            &["inline"],
            &["inline", "dce"],
            &["inline", "simplify_regions"],
            &["inline", "mem2reg"],
            &["inline", "sroa", "mem2reg", "dce"],
            &["inline", "const_fold", "dce"],
            &["inline", "cse"],
            &["inline", "lower_exits"],
            &["inline", "simplify_regions", "lower_exits"],
            &["inline", "unroll_loops"],
            &["inline", "mem2reg", "unroll_counted"],
            &[
                "inline",
                "mem2reg",
                "unroll_loops",
                "simplify_regions",
                "lower_exits",
                "carry_exit_values",
            ],
            &[
                "inline",
                "sroa",
                "mem2reg",
                "const_fold",
                "cse",
                "simplify_regions",
                "dce",
                "lower_exits",
                "carry_exit_values",
            ],
        ],
    );
}

#[test]
fn the_pipeline_preserves_meaning() {
    let target = Target::faulty();
    let pipeline = pipeline::pipeline(&target);
    for seed in 1000..1030 {
        let module = program(seed);
        let expected = execute(&module, seed);
        let mut after = module.clone();
        let mut diags = Diags::default();
        let mut cx = PassCx::new(&target, &mut diags);
        pipeline
            .run(&mut after, &mut cx)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{module}"));
        assert_eq!(cx.report.unsettled, [""; 0], "seed {seed}");
        let actual = execute(&after, seed);
        assert!(
            expected.is_err() || actual == expected,
            "seed {seed}\nexpected {expected:?}\nactual {actual:?}\n{module}\n{after}"
        );
    }
}
