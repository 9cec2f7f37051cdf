//! Checks that passes preserve the meaning of programs: random programs are interpreted before and after the
//! passes, and must give the same results. Also tests assumptions of the interpreter and the passes.
//!
//! Random programs have fixed seeds, so a failure can be reproduced from its seed. The programs of the
//! execution tests (`icd/tests/exec`) must compute the results that are written in them, before and after the passes.
//! The results of operations (`ir/eval`) and the facts known about them (`pass/analysis/facts`) are compared with a
//! second implementation.
//!
//! `CALDERA_ORACLE_SEEDS=N` sets the number of random programs, `CALDERA_ORACLE_FIRST=N` the first seed, and
//! `CALDERA_ORACLE_REDUCE=1` makes a failing program smaller before it is printed. The test binary needs no
//! other files. With these variables and the argument `random_programs`, several processes can share the seeds,
//! on any machine.

mod accesses;
mod arithmetic;
#[path = "../../../icd/tests/exec/exact.rs"]
#[allow(dead_code, reason = "the execution tests need more of it")]
mod exact;
mod exec;
mod exits;
#[path = "../../../icd/tests/exec/expr.rs"]
mod expr;
mod facts;
#[path = "../../../icd/tests/exec/file.rs"]
mod file;
mod generator;
mod loops;
mod private_functions;
mod reduce;
mod reference;
#[path = "../../../icd/tests/exec/scalar.rs"]
mod scalar;
mod targets;
mod words;

/// The module `exact`, which is a file of the execution tests, imports its random numbers from here.
mod lab {
    pub(crate) use crate::generator::Random;
}

use caldera_compiler::interp::{self, Arg, Launch, Memory, Trap, Undefined};
use caldera_compiler::inv;
use caldera_compiler::ir::{BinOp, Module, Op};
use caldera_compiler::pass::{Hooks, Pass, PassCx, PassError, pipeline};
use caldera_compiler::target::Target;
use caldera_compiler::verify;
use generator::{BUFFER, CONSTANT, MAX_BOUND, Random, Shape, program};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use targets::{all_passes, targets};

/// The number of random programs of one run, unless `CALDERA_ORACLE_SEEDS` sets it.
const SEEDS: u64 = 500;

/// The number of failures after which the search stops.
const MAX_FAILURES: usize = 8;

/// The greatest number of steps of a work-item before any pass.
const STEPS: u64 = 20_000;

/// The number of steps after passes that one step before them allows. Passes replace an instruction by several:
/// `lower_memory` and `scratch_memory` access memory in parts, down to single bytes, each with a mask and a shift. The
/// most that was seen in any program is 7, and between 100 and 200 in one program with `check_race`.
/// An endless loop takes more steps than any number, and this one lets it take at most four million.
const GROWTH: u64 = 200;

/// What a program computes before any pass.
struct Expected {
    /// The contents of the buffers.
    bytes: Vec<u8>,
    /// The number of steps that a work-item may take after passes.
    steps: u64,
}

/// Runs a program to which no pass was applied. Returns `None` if it has no defined result, or does not end.
fn expected(module: &Module, seed: u64) -> Option<Expected> {
    let (bytes, steps) = execute(module, seed, Undefined::Trap, STEPS).ok()?;
    let steps = steps * GROWTH;
    Some(Expected { bytes, steps })
}

/// Runs a program in the interpreter, with the arguments that belong to its seed. Returns the contents of its
/// buffers and the largest number of steps of a work-item, or the error that ended the run.
fn execute(module: &Module, seed: u64, undefined: Undefined, steps: u64) -> Result<(Vec<u8>, u64), Trap> {
    let shape = Shape::new(seed);
    let items = shape.items as usize;
    let mut memory = Memory::default();
    let word = |n: u64| Arg::Bytes((n as u32).to_le_bytes().to_vec());
    let buffers = [0, 1].map(|_| memory.add(vec![0; BUFFER * items]));
    let constant = (0..CONSTANT).map(|n| (n * 37 % 251) as u8).collect();
    let constant = memory.add(constant);
    let long = (seed.wrapping_mul(0x1234_5678_9abc_def1)).to_le_bytes();
    // The seed decides whether the first argument is a small number, a number at a boundary or an arbitrary one.
    let first = match seed % 3 {
        0 => seed % 7,
        1 => [0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_8000, 0x1_0000, 0x80][(seed / 3 % 6) as usize],
        _ => seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32,
    };
    let args = [
        word(first),
        word(seed % 5 + 1),
        Arg::Pointer(buffers[0]),
        Arg::Pointer(buffers[1]),
        Arg::Pointer(constant),
        word(seed / 16 % (MAX_BOUND + 1)),
        Arg::Bytes(1.25f32.to_le_bytes().to_vec()),
        Arg::Bytes(vec![1, 0, 0xff, 0xff, 0, 0x80, 0, 0]),
        Arg::Bytes(long.to_vec()),
    ];
    let launch = Launch {
        local: [shape.items, 1, 1],
        steps,
        subgroup: shape.subgroup,
        undefined,
        ..Launch::default()
    };
    let steps = interp::launch(module, 0, &args, launch, &mut memory)?;
    Ok((buffers.map(|b| memory.object(b).to_vec()).concat(), steps))
}

/// Marks the sums, differences and products of a program that do not overflow when it is executed. One that is never
/// executed is marked, too: passes must not execute it either.
fn mark_exact(module: &mut Module, seed: u64) {
    for (_, func) in module.funcs.iter_mut() {
        for inst in func.insts_in_order() {
            let data = &func.insts[inst];
            let sum = matches!(data.op, Op::Binary(BinOp::IAdd | BinOp::ISub | BinOp::IMul));
            func.insts[inst].no_wrap = sum && !func.ty(data.results[0]).is_vector();
        }
    }
    while let Err(trap) = execute(module, seed, Undefined::Trap, STEPS)
        && may_overflow(module, &trap)
    {}
}

/// If a run ended because an operation overflows, states in the module that it may, and returns true.
fn may_overflow(module: &mut Module, trap: &Trap) -> bool {
    let Trap::Overflow { function, inst } = trap else {
        return false;
    };
    let named = module.funcs.iter_mut().find(|(_, func)| func.name == *function);
    let flag = &mut named.expect("the program has the function").1.insts[*inst].no_wrap;
    std::mem::take(flag)
}

/// A way to transform a program.
#[derive(Clone)]
enum Treatment {
    /// The pipeline of a target, or only its first passes.
    Pipeline(&'static str, Box<Target>, Option<usize>),
    /// Passes one after the other.
    Passes(Vec<Pass>),
}

/// The result of a treatment, with the names of the passes that were executed and of those that changed the
/// program.
struct Treated {
    module: Module,
    executed: Vec<&'static str>,
    changed: Vec<&'static str>,
}

impl Treatment {
    /// Applies the treatment; returns `None` if the target cannot express the program.
    fn apply(&self, module: &Module) -> Result<Option<Treated>, String> {
        let desktop = Target::desktop();
        let mut after = module.clone();
        let mut diags = caldera_compiler::diag::Diags::default();
        match self {
            Treatment::Pipeline(_, target, limit) => {
                let mut cx = PassCx::new(target, &mut diags);
                cx.hooks = Hooks {
                    limit: *limit,
                    time: true,
                    ..Hooks::default()
                };
                match pipeline::pipeline(target).run(&mut after, &mut cx) {
                    Ok(()) => {}
                    // The target cannot express the program; its SPIR-V version may be too old for sub-groups.
                    Err(PassError::NotInAbi { .. } | PassError::Unsupported { .. }) => return Ok(None),
                    Err(e) => return Err(e.to_string()),
                }
                if !cx.report.unsettled.is_empty() {
                    let changed = &cx.report.changed;
                    return Err(format!(
                        "fixpoints that reached their bound: {:?}; the last changes are by {:?}",
                        cx.report.unsettled,
                        &changed[changed.len().saturating_sub(12)..]
                    ));
                }
                Ok(Some(Treated {
                    module: after,
                    executed: cx.report.times.iter().map(|t| t.0).collect(),
                    changed: cx.report.changed,
                }))
            }
            Treatment::Passes(list) => {
                let mut cx = PassCx::new(&desktop, &mut diags);
                let (mut held, mut changed) = (inv![Ssa], Vec::new());
                for pass in list {
                    match (pass.run)(&mut after, &mut cx) {
                        Ok(caldera_compiler::pass::Changed::Yes) => changed.push(pass.name),
                        Ok(caldera_compiler::pass::Changed::No) => {}
                        // `lower_int64` has no atomic operations of 64 bits.
                        Err(PassError::Unsupported { .. }) => return Ok(None),
                        Err(e) => return Err(format!("{}: {e}", pass.name)),
                    }
                    held = held.minus(pass.destroys).plus(pass.establishes);
                    verify::module(&after, held, pass.name).map_err(|e| e.to_string())?;
                }
                Ok(Some(Treated {
                    module: after,
                    executed: list.iter().map(|p| p.name).collect(),
                    changed,
                }))
            }
        }
    }

    /// Returns whether the treatment is a pipeline for the descriptor ABI.
    fn has_descriptors(&self) -> bool {
        matches!(self, Treatment::Pipeline(_, target, _) if target.abi.descriptor().is_some())
    }

    /// Returns the treatment without its last passes.
    fn first(&self, count: usize) -> Treatment {
        match self {
            Treatment::Pipeline(name, target, _) => Treatment::Pipeline(name, target.clone(), Some(count)),
            Treatment::Passes(list) => Treatment::Passes(list[..count].to_vec()),
        }
    }

    /// Returns a description of the treatment for messages.
    fn name(&self) -> String {
        match self {
            Treatment::Pipeline(name, ..) => format!("the pipeline of {name}"),
            Treatment::Passes(list) => format!("{:?}", list.iter().map(|p| p.name).collect::<Vec<_>>()),
        }
    }

    /// Compares the program after the treatment with the expected result. Returns the passes that changed the
    /// program, or a description of the failure.
    fn check(&self, module: &Module, seed: u64, expected: &Expected) -> Result<Vec<&'static str>, String> {
        let treated = catch_unwind(AssertUnwindSafe(|| self.apply(module)));
        let Some(treated) = treated.unwrap_or_else(|_| Err("a pass panicked".into()))? else {
            return Ok(Vec::new());
        };
        // Between these passes descriptor numbers stand for pointers, which the interpreter does not support.
        let has = |name: &str| treated.executed.contains(&name);
        if self.has_descriptors() && has("lower_kernel_args") && !has("lower_memory") {
            return Ok(treated.changed);
        }
        match execute(&treated.module, seed, Undefined::Anything, expected.steps) {
            Ok((bytes, _)) if bytes == expected.bytes => Ok(treated.changed),
            Ok(_) => Err(format!(
                "the result differs after {} passes",
                treated.executed.len()
            )),
            Err(e) => Err(format!("{e} after {} passes", treated.executed.len())),
        }
    }

    /// Finds the first pass after which the result differs. Returns a description of it, with its number and, if
    /// known, its name; and the program that it produces.
    fn culprit(&self, module: &Module, seed: u64, expected: &Expected) -> (String, String) {
        for count in 1..200 {
            let part = match self {
                Treatment::Passes(list) if count > list.len() => break,
                _ => self.first(count),
            };
            if let Err(e) = part.check(module, seed, expected) {
                let names = self.first(count - 1).apply(module).ok().flatten();
                let before = names.map_or(Vec::new(), |t| t.executed);
                let whole = match self {
                    Treatment::Passes(list) => list.iter().map(|p| p.name).collect(),
                    Treatment::Pipeline(..) => match catch_unwind(AssertUnwindSafe(|| part.apply(module))) {
                        Ok(Ok(Some(t))) => t.executed,
                        _ => before,
                    },
                };
                let name = whole.get(count - 1).copied().unwrap_or("whose name is not known");
                let after = match catch_unwind(AssertUnwindSafe(|| part.apply(module))) {
                    Ok(Ok(Some(t))) => t.module.to_string(),
                    _ => String::new(),
                };
                return (format!("pass number {count}, {name}: {e}"), after);
            }
        }
        ("no single pass".into(), String::new())
    }
}

/// Returns the treatments that are tested with the program of a seed: the whole pipeline of one target, a part of
/// it from the beginning, a single pass after those that it requires, and several passes in a random order.
fn treatments(seed: u64) -> Vec<Treatment> {
    let mut random = Random::new(seed ^ 0x5eed);
    let targets = targets();
    let (name, target) = targets[(seed % targets.len() as u64) as usize].clone();
    let passes = all_passes();
    let one = passes[(seed / 3 % passes.len() as u64) as usize];
    let mut alone = targets::required(&one);
    alone.push(one);
    let plain: Vec<Pass> = passes
        .iter()
        .copied()
        .filter(|p| p.requires.minus(inv![Ssa, Inlined]).is_empty() && p.establishes.is_empty())
        .collect();
    let mut order = targets::required(&pipeline_pass("hoist_invariants"));
    order.push(pipeline_pass("inline"));
    for _ in 0..2 + random.below(4) {
        order.push(plain[random.below(plain.len())]);
    }
    let part = 1 + random.below(60);
    vec![
        Treatment::Pipeline(name, Box::new(target.clone()), None),
        Treatment::Pipeline(name, Box::new(target), Some(part)),
        Treatment::Passes(alone),
        Treatment::Passes(order),
    ]
}

/// Returns the pass with this name.
fn pipeline_pass(name: &str) -> Pass {
    let all = all_passes();
    *all.iter()
        .find(|p| p.name == name)
        .expect("a pass of the pipeline")
}

/// The result of testing a seed.
#[derive(Default)]
struct Found {
    failure: Option<String>,
    /// Whether the program terminates without an error before any pass.
    ended: bool,
    changed: Vec<&'static str>,
}

/// Tests the program of a seed with its treatments.
fn check(seed: u64) -> Found {
    let mut module = program(seed);
    if !seed.is_multiple_of(4) {
        mark_exact(&mut module, seed);
    }
    let mut found = Found::default();
    if let Err(e) = verify::module(&module, inv![Ssa], "the generator") {
        found.failure = Some(format!("seed {seed}: {e}\n{module}"));
        return found;
    }
    // If the program fails before any pass, there is no result to compare with; the passes must still succeed.
    let Some(before) = expected(&module, seed) else {
        for treatment in treatments(seed) {
            if catch_unwind(AssertUnwindSafe(|| treatment.apply(&module))).map_or(true, |r| r.is_err()) {
                found.failure = Some(format!("seed {seed}: {} fails\n{module}", treatment.name()));
            }
        }
        return found;
    };
    found.ended = true;
    for treatment in treatments(seed) {
        match treatment.check(&module, seed, &before) {
            Ok(changed) => found.changed.extend(changed),
            Err(e) => {
                let (culprit, _) = treatment.culprit(&module, seed, &before);
                let mut text = format!("seed {seed}: {}: {e}; {culprit}\n", treatment.name());
                if std::env::var_os("CALDERA_ORACLE_REDUCE").is_some() {
                    let reduced = reduce::reduce(&module, |m| {
                        let failure = |before| treatment.check(m, seed, &before).err();
                        let failure = expected(m, seed).and_then(failure);
                        failure.is_some_and(|other| without_numbers(&other) == without_numbers(&e))
                    });
                    let before = expected(&reduced, seed).expect("the reduced program terminates");
                    let (culprit, after) = treatment.culprit(&reduced, seed, &before);
                    text += &format!("reduced: {culprit}\n{reduced}== after that pass ==\n{after}");
                }
                found.failure = Some(text);
                return found;
            }
        }
    }
    found
}

/// Returns the description of a failure without its numbers, so that the reduction does not change to a failure of another kind.
fn without_numbers(failure: &str) -> String {
    failure.chars().filter(|c| !c.is_ascii_hexdigit()).collect()
}

/// Returns the number in an environment variable, or `default` if the variable is unset.
fn variable(name: &str, default: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(default, |n| n.parse().expect("a number"))
}

#[test]
fn random_programs_keep_their_meaning() {
    let first = variable("CALDERA_ORACLE_FIRST", 0);
    let count = variable("CALDERA_ORACLE_SEEDS", SEEDS);
    let next = AtomicU64::new(first);
    let failures = Mutex::new(Vec::new());
    let ended = AtomicU64::new(0);
    let changed: Mutex<BTreeMap<&str, u64>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count
                        || failures.lock().expect("nobody panicked").len() >= MAX_FAILURES
                    {
                        break;
                    }
                    let found = check(seed);
                    ended.fetch_add(found.ended.into(), Ordering::Relaxed);
                    let mut changed = changed.lock().expect("nobody panicked");
                    for name in found.changed {
                        *changed.entry(name).or_default() += 1;
                    }
                    failures.lock().expect("nobody panicked").extend(found.failure);
                }
            });
        }
    });
    let failures = failures.into_inner().expect("nobody panicked");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let ended = ended.into_inner();
    assert!(ended * 2 > count, "only {ended} of {count} programs terminate");
    if count < SEEDS {
        return;
    }
    let changed = changed.into_inner().expect("nobody panicked");
    let idle: Vec<&str> = all_passes()
        .iter()
        .map(|p| p.name)
        .filter(|name| !changed.contains_key(name) && !targets::TESTED_ELSEWHERE.contains(name))
        .collect();
    assert!(
        idle.is_empty(),
        "these passes change no program: {idle:?}; the number of programs that each pass changes: {changed:?}"
    );
}

/// Each name in the list of passes that are tested elsewhere is the name of a pass.
#[test]
fn passes_that_are_tested_elsewhere_exist() {
    let all = all_passes();
    for name in targets::TESTED_ELSEWHERE {
        assert!(all.iter().any(|p| p.name == name), "{name}");
    }
}
