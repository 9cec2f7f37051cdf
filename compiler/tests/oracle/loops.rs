//! Loops of thousands of iterations, which the pass `solve_loops` computes at once, against the interpreter.

use crate::generator::{Random, counting_loop};
use caldera_compiler::interp::{self, Arg, Launch, Memory};
use caldera_compiler::ir::{
    Access, AddressSpace, ArgKind, Builder, CastOp, Function, KernelInfo, Module, Op, Scalar, Ty,
};
use caldera_compiler::pass::{PassCx, solve_loops};
use caldera_compiler::target::Target;

/// The most results of a loop.
const RESULTS: u32 = 8;

/// Returns a kernel that stores the results of a loop.
fn kernel(seed: u64, scalar: Scalar, most: u64) -> Module {
    let mut random = Random::new(seed);
    let types = [Ty::ptr(AddressSpace::Global), Ty::I32, Ty::I32];
    let mut func = Function::new("k", &types, None);
    let (params, body) = (func.params.clone(), func.body);
    let mut b = Builder::at_end(&mut func, body);
    let loop_ = counting_loop(&mut b, &mut random, scalar, most, &params[1..]);
    for (n, result) in b.results(loop_).to_vec().into_iter().enumerate() {
        let ty = b.func.ty(result);
        let wide = ty.with_scalar(Scalar::I64);
        let value = match ty.scalar {
            Scalar::I64 => result,
            _ => b.cast(CastOp::ZExt, result, wide),
        };
        let at = b.ptr_offset(params[0], 16 * n as i64);
        let access = Access {
            align: 8,
            volatile: false,
        };
        b.store(at, value, access);
    }
    b.ret(None);
    let mut module = Module::default();
    let func = module.funcs.push(func);
    let pod = || ArgKind::Pod {
        size: 4,
        align: 4,
        by_ref: false,
    };
    let buffer = ArgKind::Buffer {
        space: AddressSpace::Global,
        align: 8,
    };
    let args = [("p", buffer), ("a", pod()), ("b", pod())];
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
    module
}

fn run(module: &Module, seed: u64) -> Option<Vec<u8>> {
    let mut memory = Memory::default();
    let buffer = memory.add(vec![0; 16 * RESULTS as usize]);
    let word = |n: u64| Arg::Bytes((n as u32).to_le_bytes().to_vec());
    let args = [
        Arg::Pointer(buffer),
        word(seed.wrapping_mul(0x9e37_79b9)),
        word(seed % 9),
    ];
    let launch = Launch {
        local: [1, 1, 1],
        steps: 4_000_000,
        ..Launch::default()
    };
    interp::launch(module, 0, &args, launch, &mut memory).ok()?;
    Some(memory.object(buffer).to_vec())
}

/// The interpreter executes every iteration before the pass, and what is left after it.
#[test]
fn results_of_long_loops_are_those_of_the_iterations() {
    let (mut solved, mut ended) = (0, 0);
    // Counters of 8 bits go through every number; of 16 bits, and of others, up to some ten thousands.
    let kinds = [
        (Scalar::I8, 256, 600),
        (Scalar::I16, 1 << 16, 40),
        (Scalar::I32, 20_000, 40),
        (Scalar::I64, 20_000, 40),
    ];
    for (scalar, most, count) in kinds {
        for seed in 0..count {
            let module = kernel(seed, scalar, most);
            let Some(before) = run(&module, seed) else {
                continue;
            };
            ended += 1;
            let mut after = module.clone();
            let target = Target::desktop();
            let mut diags = caldera_compiler::diag::Diags::default();
            let mut cx = PassCx::new(&target, &mut diags);
            let changed = (solve_loops::PASS.run)(&mut after, &mut cx).expect("no error");
            let used = |op: &Op| *op == Op::Loop;
            assert!(
                module
                    .funcs
                    .iter()
                    .any(|(_, f)| f.insts.iter().any(|(_, d)| used(&d.op)))
            );
            solved += u32::from(changed == caldera_compiler::pass::Changed::Yes);
            assert_eq!(
                run(&after, seed),
                Some(before),
                "{scalar:?}, seed {seed}:\n{module}\n{after}"
            );
        }
    }
    assert!(ended > 650, "only {ended} programs end");
    assert!(
        solved * 10 > ended * 8,
        "only {solved} of {ended} loops have a known end"
    );
}
