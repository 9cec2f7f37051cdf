//! Random programs in OpenCL C with functions that get pointers to private memory: to members of structures, to elements
//! of arrays, to the same object twice. All functions that can stay functions do so (`Hooks::keep_functions`), so the
//! private memory of most calls is passed by value.

use crate::generator::Random;
use crate::variable;
use caldera_compiler::diag::Diags;
use caldera_compiler::driver::{Input, compile_object};
use caldera_compiler::interp::{Arg, Launch, Memory, Trap, Undefined, launch};
use caldera_compiler::ir::{Module, Op};
use caldera_compiler::options::Options;
use caldera_compiler::pass::{Hooks, PassCx, PassError, pipeline};
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::target::Target;
use std::fmt::Write;

/// The number of programs of one run.
const PROGRAMS: u64 = 60;

/// The number of work-items, and the words that each of them writes.
const ITEMS: u32 = 4;
const WORDS: usize = 24;

/// The greatest number of steps of a work-item before any pass.
const STEPS: u64 = 50_000;

/// The elements of the arrays that functions get.
const ELEMENTS: usize = 8;

struct Program<'r> {
    random: &'r mut Random,
    text: String,
    /// The functions so far: the greatest index that each of them uses of its second parameter.
    functions: Vec<usize>,
    /// The greatest index of the second parameter in this function.
    reach: usize,
    depth: usize,
    in_kernel: bool,
}

impl Program<'_> {
    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    /// Returns an index of the array `q`.
    fn index(&mut self) -> String {
        let most = if self.random.one_in(4) { ELEMENTS } else { 4 };
        let n = self.random.below(most);
        self.reach = self.reach.max(n);
        match self.random.below(30) {
            0 => {
                self.reach = self.reach.max(3);
                "x & 3".into()
            }
            _ => n.to_string(),
        }
    }

    /// Returns an lvalue, and whether it is a vector.
    fn place(&mut self) -> String {
        let n = self.random.below(4);
        let s = if self.in_kernel { "s." } else { "p->" };
        match self.random.below(13) {
            0..=1 => format!("{s}a[{n}]"),
            2 => format!("{s}b[{}]", n % 3),
            3 => format!("{s}c[{n}]"),
            4 => format!("{s}v.{}", ["x", "y", "z", "w"][n]),
            5 => format!("{s}u.{}", ["word", "half[0]", "half[1]", "word"][n]),
            6 if self.random.one_in(3) => format!("{s}a[x & 3]"),
            6..=8 => format!("q[{}]", self.index()),
            9 => ["x", "t", "l.a[1]", "l.b[2]"][n].into(),
            _ => ["x", "t", "t", "x"][n].into(),
        }
    }

    fn value(&mut self) -> String {
        match self.random.below(8) {
            0 => format!(
                "{}u",
                self.random.of(&[0u32, 1, 7, 255, 0x8000_0000, 0x1234_5678])
            ),
            1 => "table[x & 15]".into(),
            2 => "table[5]".into(),
            3 if self.depth < 3 => {
                self.depth += 1;
                let (a, b) = (self.value(), self.value());
                self.depth -= 1;
                let op = self.random.of(&["+", "-", "*", "^", "&", "|"]);
                format!("({a} {op} {b})")
            }
            4 => format!("rotate((uint){}, {}u)", self.place(), 1 + self.random.below(31)),
            _ => format!("(uint){}", self.place()),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        let mask = self.random.of(&[1, 3, 7]);
        format!("(({a} ^ {b}) & {mask}) == 0")
    }

    /// Returns a call of one of the functions.
    fn call(&mut self) -> Option<String> {
        let f = self.random.below(self.functions.len().max(1));
        let needed = *self.functions.get(f)?;
        let at = self.random.below(ELEMENTS - needed);
        let own = if self.in_kernel { "&s" } else { "p" };
        let first = self.random.of(&[own, own, "&l"]);
        let (array, at) = match self.random.below(8) {
            0 | 1 if needed < 4 => (if own == "p" { "p->a" } else { "s.a" }, 0),
            2 if needed < 4 => ("l.a", 0),
            3 => ("m", at),
            4 if self.random.one_in(3) => ("(x & 1 ? m : q)", at),
            5 if self.random.one_in(3) && needed < 4 => ("(uint *)&l.b[1]", 0),
            _ => {
                self.reach = self.reach.max(at + needed);
                ("q", at)
            }
        };
        let x = self.value();
        Some(format!("f{f}({first}, {array} + {at}, {x})"))
    }

    fn statement(&mut self) {
        match self.random.below(12) {
            0..=4 => {
                let (to, value) = (self.place(), self.value());
                let op = self.random.of(&["=", "=", "+=", "^="]);
                self.line(&format!("{to} {op} {value};"));
            }
            5..=6 => {
                if let Some(call) = self.call() {
                    let op = self.random.of(&["=", "+=", "^="]);
                    self.line(&format!("t {op} {call};"));
                }
            }
            7..=8 if self.depth < 3 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.block();
                self.line("} else {");
                self.block();
                self.line("}");
            }
            9 if self.depth < 2 => {
                let n = 1 + self.random.below(4);
                self.line(&format!("for (int i{0} = 0; i{0} < {n}; i{0}++) {{", self.depth));
                self.block();
                self.line("}");
            }
            10 => {
                let s = if self.in_kernel { "s" } else { "*p" };
                let text = match self.random.below(4) {
                    0 => format!("l = {s};"),
                    1 => format!("{s} = l;"),
                    2 => format!("l.v = ({s}).v.yzwx;"),
                    _ => format!("({s}).b[1] += ((ulong)t << 32) | x;"),
                };
                self.line(&text);
            }
            11 if !self.in_kernel && self.random.one_in(3) => {
                let (condition, value) = (self.condition(), self.value());
                self.line(&format!("if ({condition}) return {value};"));
            }
            _ => {
                let value = self.value();
                self.line(&format!("x = {value};"));
            }
        }
    }

    fn block(&mut self) {
        self.depth += 1;
        for _ in 0..1 + self.random.below(3) {
            self.statement();
        }
        self.depth -= 1;
    }

    fn function(&mut self) {
        self.reach = 0;
        let n = self.functions.len();
        let word = self.random.of(&["uint", "static uint", "uint"]);
        self.line(&format!("{word} f{n}(S *p, uint *q, uint x) {{"));
        self.line("uint t = x, m[8] = {1, 2}; S l = {{0}};");
        for _ in 0..2 + self.random.below(6) {
            self.statement();
        }
        self.line("return t + x + m[0] + l.a[1]; }");
        self.functions.push(self.reach.min(ELEMENTS - 1));
    }
}

/// Returns the program of a seed.
fn source(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0xca11);
    let mut p = Program {
        random: &mut random,
        text: String::new(),
        functions: Vec::new(),
        reach: 0,
        depth: 0,
        in_kernel: false,
    };
    let table: Vec<String> = (0..16u32)
        .map(|n| format!("{}u", n.wrapping_mul(0x9e37_79b9)))
        .collect();
    p.line(&format!("constant uint table[16] = {{{}}};", table.join(", ")));
    p.line("typedef struct { uint a[4]; ulong b[3]; uchar c[4]; union { uint word; ushort half[2]; } u; uint4 v; } S;");
    for _ in 0..1 + p.random.below(4) {
        p.function();
    }
    p.in_kernel = true;
    p.line("kernel void k(global uint *out, uint x) {");
    p.line("S s = {{1, 2, 3, 4}, {5, 6, 7}, {8, 9}, {10}, (uint4)(11)}, l = {{12}}; uint t = 0, q[8], m[8] = {3};");
    // All elements are initialized, since a program that reads others has no defined result.
    p.line(&format!("for (int i = 0; i < {ELEMENTS}; i++) q[i] = i * x;"));
    p.line("x += get_global_id(0);");
    for _ in 0..4 + p.random.below(6) {
        p.statement();
    }
    p.line(&format!("global uint *o = out + get_global_id(0) * {WORDS};"));
    p.line("for (int i = 0; i < 4; i++) { o[i] = s.a[i]; o[4 + i] = s.c[i]; o[8 + i] = q[i]; }");
    p.line("for (int i = 0; i < 3; i++) o[12 + i] = s.b[i] ^ (s.b[i] >> 32);");
    p.line("o[15] = s.u.word; vstore4(s.v, 4, o); o[20] = l.a[0] ^ l.a[3] ^ (uint)l.b[1]; o[21] = t; o[22] = x; o[23] = m[0] + m[5]; }");
    p.text
}

fn execute(module: &Module, seed: u64, undefined: Undefined, steps: u64) -> Result<(Vec<u8>, u64), Trap> {
    let mut memory = Memory::default();
    let out = memory.add(vec![0; WORDS * 4 * ITEMS as usize]);
    let args = [
        Arg::Pointer(out),
        Arg::Bytes(((seed * 7) as u32).to_le_bytes().to_vec()),
    ];
    let how = Launch {
        local: [ITEMS, 1, 1],
        steps,
        undefined,
        ..Launch::default()
    };
    let steps = launch(module, 0, &args, how, &mut memory)?;
    Ok((memory.object(out).to_vec(), steps))
}

/// Runs the first passes; returns `None` if the target's ABI cannot express the program.
fn passed(module: &Module, target: &Target, limit: Option<usize>) -> Option<(Module, usize)> {
    let (mut after, mut diags) = (module.clone(), Diags::default());
    let mut cx = PassCx::new(target, &mut diags);
    cx.hooks = Hooks {
        limit,
        keep_functions: true,
        ..Hooks::default()
    };
    match pipeline::pipeline(target).run(&mut after, &mut cx) {
        Ok(()) => Some((after, cx.report.executed)),
        Err(PassError::NotInAbi { .. }) => None,
        Err(e) => panic!("{e}"),
    }
}

/// What the programs showed.
#[derive(Default)]
struct Seen {
    failures: String,
    ended: u64,
    /// The number of programs in which functions with several results are called.
    by_value: u64,
}

fn check(seed: u64, targets: &[(&str, Target)], seen: &mut Seen) {
    let source = source(seed);
    let options = Options::parse("").expect("options");
    let input = Input {
        name: "test.cl",
        source: &source,
        options: &options,
        resolver: &NoIncludes,
    };
    let module = match compile_object(&input, &targets[0].1) {
        Ok(object) => object.module,
        Err(e) => panic!("seed {seed}: {}\n{source}", e.log),
    };
    let Ok((expected, steps)) = execute(&module, seed, Undefined::Trap, STEPS) else {
        return;
    };
    seen.ended += 1;
    for (name, target) in targets {
        let Some((after, passes)) = passed(&module, target, None) else {
            continue;
        };
        let several = |(_, f): (_, &caldera_compiler::ir::Function)| {
            f.insts_in_order()
                .iter()
                .any(|&i| matches!(f.insts[i].op, Op::CallPure(_)) && f.insts[i].results.len() > 1)
        };
        seen.by_value += u64::from(after.funcs.iter().any(several) && *name == targets[0].0);
        let good = |module: &Module| {
            execute(module, seed, Undefined::Anything, steps * 100).is_ok_and(|(bytes, _)| bytes == expected)
        };
        if !good(&after) {
            let wrong = |&n: &usize| passed(&module, target, Some(n)).is_some_and(|(m, _)| !good(&m));
            let culprit = (1..=passes).find(wrong);
            let _ = write!(
                seen.failures,
                "seed {seed}, {name}: wrong after pass {culprit:?}\n{source}\n"
            );
        }
    }
}

#[test]
fn functions_with_private_memory_keep_their_meaning() {
    let first = variable("CALDERA_ORACLE_FIRST", 0);
    let count = variable("CALDERA_ORACLE_SEEDS", PROGRAMS);
    let mut least = Target::desktop();
    least.features.int64 = false;
    let targets = [
        ("a GPU", Target::desktop()),
        ("a device with faults", Target::faulty()),
        ("clspv", Target::clspv()),
        ("a GPU without 64-bit integers", least),
    ];
    let mut seen = Seen::default();
    for seed in first..first + count {
        check(seed, &targets, &mut seen);
        if seen.failures.len() > 20_000 {
            break;
        }
    }
    assert!(seen.failures.is_empty(), "{}", seen.failures);
    assert!(
        seen.ended * 2 > count,
        "only {} of {count} programs have results",
        seen.ended
    );
    assert!(
        seen.by_value * 3 > seen.ended,
        "memory is passed by value in only {} of {} programs",
        seen.by_value,
        seen.ended
    );
}
