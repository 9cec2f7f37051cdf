//! Generates programs of any length, and computes the results of their kernels.
//!
//! Each line is a statement on four integers and a float. About a dozen lines form a function, and the kernel
//! calls all functions. The operations on the float give the same result whether or not a multiplication and
//! an addition are contracted, so the host computes the exact result.

use crate::random::Random;
use std::fmt::Write as _;

/// The number of statements in a function.
const STATEMENTS: usize = 9;
/// The number of other lines for each function, including the call in the kernel.
const FRAME: usize = 5;

/// The variables of the generated kernel.
#[derive(Copy, Clone, PartialEq, Debug)]
struct State {
    v: [u32; 4],
    f: f32,
}

#[derive(Copy, Clone, Debug)]
enum Statement {
    /// a = a * constant + b
    Multiply(usize, u32, usize),
    /// a ^= b >> bits
    Shift(usize, usize, u32),
    /// a = rotate(a, bits) + b
    Rotate(usize, usize, u32),
    /// if (a & bit) b += a; else b ^= constant;
    Branch(usize, u32, usize, u32),
    /// for (uint i = 0; i < times; i++) a += b ^ i;
    Loop(usize, usize, u32),
    /// f = f * 0.5f + (float)(a & 255)
    Float(usize),
    /// a += (uint)f
    Back(usize),
    /// a = max(a, b) - min(a, c)
    Order(usize, usize, usize),
}

const NAMES: [char; 4] = ['a', 'b', 'c', 'd'];

impl Statement {
    fn random(random: &mut Random) -> Statement {
        let (a, step, further) = (random.below(4), random.below(3), random.below(3));
        let (b, c) = ((a + 1 + step) % 4, (a + 1 + further) % 4);
        let bits = 1 + random.word() % 31;
        let constant = random.word();
        match random.below(8) {
            0 => Statement::Multiply(a, constant | 1, b),
            1 => Statement::Shift(a, b, bits),
            2 => Statement::Rotate(a, b, bits),
            3 => Statement::Branch(a, 1 << (bits & 31), b, constant),
            4 => Statement::Loop(a, b, 2 + bits % 7),
            5 => Statement::Float(a),
            6 => Statement::Back(a),
            _ => Statement::Order(a, b, c),
        }
    }

    fn text(self) -> String {
        let n = |i: usize| format!("s->{}", NAMES[i]);
        match self {
            Statement::Multiply(a, by, b) => format!("{} = {} * {by}u + {};", n(a), n(a), n(b)),
            Statement::Shift(a, b, bits) => format!("{} ^= {} >> {bits};", n(a), n(b)),
            Statement::Rotate(a, b, bits) => format!("{} = rotate({}, {bits}u) + {};", n(a), n(a), n(b)),
            Statement::Branch(a, bit, b, or) => {
                format!(
                    "if ({} & {bit}u) {} += {}; else {} ^= {or}u;",
                    n(a),
                    n(b),
                    n(a),
                    n(b)
                )
            }
            Statement::Loop(a, b, times) => {
                format!("for (uint i = 0; i < {times}; i++) {} += {} ^ i;", n(a), n(b))
            }
            Statement::Float(a) => format!("s->f = s->f * 0.5f + (float)({} & 255);", n(a)),
            Statement::Back(a) => format!("{} += (uint)s->f;", n(a)),
            Statement::Order(a, b, c) => {
                format!("{} = max({}, {}) - min({}, {});", n(a), n(a), n(b), n(a), n(c))
            }
        }
    }

    fn run(self, s: &mut State) {
        let v = &mut s.v;
        match self {
            Statement::Multiply(a, by, b) => v[a] = v[a].wrapping_mul(by).wrapping_add(v[b]),
            Statement::Shift(a, b, bits) => v[a] ^= v[b] >> bits,
            Statement::Rotate(a, b, bits) => v[a] = v[a].rotate_left(bits).wrapping_add(v[b]),
            Statement::Branch(a, bit, b, _) if v[a] & bit != 0 => v[b] = v[b].wrapping_add(v[a]),
            Statement::Branch(_, _, b, or) => v[b] ^= or,
            Statement::Loop(a, b, times) => {
                (0..times).for_each(|i| v[a] = v[a].wrapping_add(v[b] ^ i));
            }
            Statement::Float(a) => s.f = s.f * 0.5 + (v[a] & 255) as f32,
            Statement::Back(a) => v[a] = v[a].wrapping_add(s.f as u32),
            Statement::Order(a, b, c) => v[a] = v[a].max(v[b]).wrapping_sub(v[a].min(v[c])),
        }
    }
}

/// Appends a kernel that calls the functions with these numbers.
fn kernel_text(text: &mut String, name: &str, functions: impl IntoIterator<Item = usize>) {
    let mut calls = String::new();
    for i in functions {
        // Writing to a String cannot fail.
        let _ = writeln!(calls, "    part{i}(&s);");
    }
    let _ = write!(
        text,
        "\nkernel void {name}(global uint *out)\n{{\n    uint i = get_global_id(0);\n    \
         struct state s = {{ i, i + 1, i * 3, ~i, 0.0f }};\n{calls}    out[i] = s.a ^ s.b ^ s.c ^ s.d;\n}}\n"
    );
}

/// A program whose kernel `generated` writes one word per work-item.
pub(super) struct Program {
    functions: Vec<[Statement; STATEMENTS]>,
}

impl Program {
    pub(super) fn new(lines: usize) -> Program {
        let mut random = Random::new(lines as u64);
        let function = |_| std::array::from_fn(|_| Statement::random(&mut random));
        Program {
            functions: (0..lines / (STATEMENTS + FRAME)).map(function).collect(),
        }
    }

    pub(super) fn of_functions(count: usize) -> Program {
        Program::new(count * (STATEMENTS + FRAME))
    }

    pub(super) fn source(&self) -> String {
        let (mut text, calls) = (self.functions_text(), 0..self.functions.len());
        kernel_text(&mut text, "generated", calls);
        text
    }

    /// Returns a program with as many kernels as functions: `generated0` and so on. Each calls two functions.
    pub(super) fn source_of_kernels(&self) -> String {
        let mut text = self.functions_text();
        for kernel in 0..self.functions.len() {
            kernel_text(&mut text, &format!("generated{kernel}"), self.called_by(kernel));
        }
        text
    }

    fn called_by(&self, kernel: usize) -> [usize; 2] {
        [kernel, (kernel + 1) % self.functions.len()]
    }

    fn functions_text(&self) -> String {
        let mut text = String::from("struct state { uint a, b, c, d; float f; };\n");
        for (i, statements) in self.functions.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\nvoid part{i}(struct state *s)\n{{\n");
            for statement in statements {
                let _ = writeln!(text, "    {}", statement.text());
            }
            text += "}\n";
        }
        text
    }

    /// Returns the word that work-item `i` writes.
    pub(super) fn result(&self, i: u32) -> u32 {
        Program::result_of(self.functions.iter(), i)
    }

    /// Returns the word that work-item `i` of a kernel of [`Program::source_of_kernels`] writes.
    pub(super) fn result_of_kernel(&self, kernel: usize, i: u32) -> u32 {
        Program::result_of(self.called_by(kernel).map(|f| &self.functions[f]).into_iter(), i)
    }

    fn result_of<'a>(functions: impl Iterator<Item = &'a [Statement; STATEMENTS]>, i: u32) -> u32 {
        let mut state = State {
            v: [i, i.wrapping_add(1), i.wrapping_mul(3), !i],
            f: 0.0,
        };
        for statement in functions.flatten() {
            statement.run(&mut state);
        }
        state.v.into_iter().fold(0, |all, word| all ^ word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_about_their_lines() {
        for lines in [300, 3000] {
            let text = Program::new(lines).source();
            let found = text.lines().count();
            assert!(found.abs_diff(lines) < lines / 10, "{found} lines, not {lines}");
        }
    }

    #[test]
    fn results_depend_on_the_work_item() {
        let program = Program::new(300);
        assert_ne!(program.result(1), program.result(2));
    }
}
