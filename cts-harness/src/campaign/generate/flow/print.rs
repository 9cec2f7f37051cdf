//! Writes programs as OpenCL C.

use super::{
    Active, Binary, Collective, Combination, Condition, Expression, Function, Jump, LoopForm, OWN, PRIME,
    Part, Program, Statement, Target, Together, Variable,
};
use std::collections::BTreeSet;

const PRELUDE: &str = "\
#define NEIGHBOUR(value) ({ uint on_ = sub_group_ballot(1).x, y_ = sub_group_shuffle_xor((uint)(value), 1u); \
(on_ >> (lane ^ 1u)) & 1u ? y_ : 0u; })
#define FIRST(value) sub_group_broadcast_first((uint)(value))
#define LAST(value) sub_group_non_uniform_broadcast((uint)(value), sub_group_ballot_find_msb(sub_group_ballot(1)))
#define DOWN(value, k) ({ uint x_ = (value), y_ = sub_group_shuffle_down(x_, k); lane + (k) < size ? y_ : x_; })
#define EXCHANGE(value, first, count, number, k, wait) ({ values[lid] = (value); wait(CLK_LOCAL_MEM_FENCE); \
uint y_ = values[(first) + ((number) + (k)) % (count)]; wait(CLK_LOCAL_MEM_FENCE); y_; })
";

/// A function that is being written.
#[derive(Default)]
struct Writer {
    text: String,
    /// The constructs that `break` or `continue` can leave, innermost last, each with whether it is a loop.
    open: Vec<(Target, bool)>,
    /// The labels that a `goto` names.
    labels: BTreeSet<String>,
    is_kernel: bool,
}

/// Returns the text of a program.
pub(super) fn text(program: &Program) -> String {
    let (kernel, others) = program.functions.split_last().expect("a program has a kernel");
    let mut text = PRELUDE.to_owned();
    for (n, function) in others.iter().enumerate() {
        let mut w = Writer::default();
        w.statements(&function.body);
        let result = function.result.as_ref().map_or("0u".to_owned(), expression);
        text += &format!(
            "uint f{n}(uint v0, uint v1, uint lane, uint size, uint lid, uint group, uint n) {{\n{}{}return {result};\n}}\n",
            declarations(function, 2),
            w.text
        );
    }
    let mut w = Writer {
        is_kernel: true,
        ..Writer::default()
    };
    w.statements(&kernel.body);
    let initial: String = (0..OWN)
        .map(|v| format!("uint v{v} = (id * 0x9e3779b1u + {}u) >> {};\n", v * 77, 3 + 4 * v))
        .collect();
    let mixed: String = (0..OWN).map(|v| format!(" h = h * {PRIME}ul + v{v};")).collect();
    text += &format!(
        "#define MIXED(r) ({{ ulong h = 1;{mixed} h * {PRIME}ul + (r); }})\n\
         kernel void k(global ulong *out, uint argument, local uint *values) {{\n\
         const uint id = get_global_id(0), lid = get_local_id(0), n = get_group_id(0) + argument, items = get_local_size(0);\n\
         const uint lane = get_sub_group_local_id(), group = get_sub_group_id(), size = get_sub_group_size();\n\
         {initial}{}{}out[id] = MIXED(0u);\n}}\n",
        declarations(kernel, OWN),
        w.text
    );
    text
}

fn declarations(function: &Function, from: usize) -> String {
    let all = (from..function.variables).map(|v| format!("uint v{v} = 0;\n"));
    all.collect()
}

fn expression(e: &Expression) -> String {
    match e {
        Expression::Number(n) => format!("{n}u"),
        Expression::Variable(v) => format!("v{v}"),
        Expression::Lane => "lane".into(),
        Expression::Item => "lid".into(),
        Expression::SubGroup => "group".into(),
        Expression::Uniform => "n".into(),
        Expression::Binary(op, operands) => {
            let (a, b) = (expression(&operands.0), expression(&operands.1));
            match op {
                Binary::Add => format!("({a} + {b})"),
                Binary::Subtract => format!("({a} - {b})"),
                Binary::Multiply => format!("({a} * {b})"),
                Binary::And => format!("({a} & {b})"),
                Binary::Or => format!("({a} | {b})"),
                Binary::Xor => format!("({a} ^ {b})"),
                Binary::ShiftRight => format!("({a} >> ({b} & 31u))"),
            }
        }
    }
}

fn condition(c: &Condition) -> String {
    match c {
        Condition::Less(a, b) => format!("{} < {}", expression(a), expression(b)),
        Condition::Equal(a, b) => format!("{} == {}", expression(a), expression(b)),
        Condition::Bit(e, bit) => format!("({} >> {bit} & 1u) != 0u", expression(e)),
    }
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Reduce => "reduce",
        Part::Inclusive => "scan_inclusive",
        Part::Exclusive => "scan_exclusive",
    }
}

/// Returns the name of a combination, and the type of its operands.
fn combination(op: Combination) -> (&'static str, &'static str) {
    match op {
        Combination::Add => ("add", "uint"),
        Combination::Min => ("min", "uint"),
        Combination::Max => ("max", "uint"),
        Combination::SignedMin => ("min", "int"),
        Combination::SignedMax => ("max", "int"),
        Combination::And => ("and", "uint"),
        Combination::Or => ("or", "uint"),
        Combination::Xor => ("xor", "uint"),
        Combination::Multiply => ("mul", "uint"),
    }
}

fn active(op: &Active) -> String {
    match op {
        Active::Combine(p, op, e) => {
            let (name, ty) = combination(*op);
            let e = expression(e);
            format!("(uint)sub_group_non_uniform_{}_{name}(({ty}){e})", part(*p))
        }
        Active::Clustered(op, e) => {
            let (name, ty) = combination(*op);
            format!(
                "(uint)sub_group_clustered_reduce_{name}(({ty}){}, 4u)",
                expression(e)
            )
        }
        Active::Any(c) => format!("(uint)(sub_group_non_uniform_any({}) != 0)", condition(c)),
        Active::All(c) => format!("(uint)(sub_group_non_uniform_all({}) != 0)", condition(c)),
        Active::AllEqual(e) => format!("(uint)(sub_group_non_uniform_all_equal({}) != 0)", expression(e)),
        Active::Elect => "(uint)(sub_group_elect() != 0)".into(),
        Active::Ballot(c) => format!("sub_group_ballot({}).x", condition(c)),
        Active::Count(c) => format!("sub_group_ballot_bit_count(sub_group_ballot({}))", condition(c)),
        Active::First(e) => format!("FIRST({})", expression(e)),
        Active::Last(e) => format!("LAST({})", expression(e)),
        Active::Neighbour(e) => format!("NEIGHBOUR({})", expression(e)),
    }
}

fn collective(op: &Collective) -> String {
    let group = |of: &Together| match of {
        Together::SubGroup => "sub_group",
        Together::WorkGroup => "work_group",
    };
    match op {
        Collective::Combine(of, p, op, e) => {
            let (name, ty) = combination(*op);
            format!("(uint){}_{}_{name}(({ty}){})", group(of), part(*p), expression(e))
        }
        Collective::Any(of, c) => format!("(uint)({}_any({}) != 0)", group(of), condition(c)),
        Collective::All(of, c) => format!("(uint)({}_all({}) != 0)", group(of), condition(c)),
        Collective::Broadcast(of, e, k) => {
            let size = match of {
                Together::SubGroup => "size",
                Together::WorkGroup => "items",
            };
            format!("{}_broadcast({}, {k}u % {size})", group(of), expression(e))
        }
        Collective::Exchange(Together::SubGroup, e, k) => {
            format!(
                "EXCHANGE({}, lid - lane, size, lane, {k}u, sub_group_barrier)",
                expression(e)
            )
        }
        Collective::Exchange(Together::WorkGroup, e, k) => {
            format!("EXCHANGE({}, 0u, items, lid, {k}u, barrier)", expression(e))
        }
        Collective::Shuffle(e, from) => {
            format!(
                "sub_group_shuffle({}, {} % size)",
                expression(e),
                expression(from)
            )
        }
        Collective::Down(e, k) => format!("DOWN({}, {k}u)", expression(e)),
    }
}

impl Writer {
    fn statements(&mut self, body: &[Statement]) {
        body.iter().for_each(|s| self.statement(s));
    }

    fn label(jump: Jump, target: Target) -> String {
        match jump {
            Jump::End => format!("end{target}"),
            Jump::Next => format!("next{target}"),
        }
    }

    /// Writes the label of a target, if a `goto` names it.
    fn place(&mut self, jump: Jump, target: Target) {
        let label = Writer::label(jump, target);
        if self.labels.contains(&label) {
            self.text += &format!("{label}:;\n");
        }
    }

    fn jump(&mut self, jump: Jump, target: Target) {
        let innermost = match jump {
            Jump::End => self.open.last(),
            Jump::Next => self.open.iter().rfind(|(_, is_loop)| *is_loop),
        };
        let is_plain = innermost.is_some_and(|(t, _)| *t == target);
        self.text += &match (is_plain, jump) {
            (true, Jump::End) => "break;\n".to_owned(),
            (true, Jump::Next) => "continue;\n".to_owned(),
            (false, _) => {
                let label = Writer::label(jump, target);
                let text = format!("goto {label};\n");
                self.labels.insert(label);
                text
            }
        };
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign(v, e) => self.text += &format!("v{v} = {};\n", expression(e)),
            Statement::Active(v, op) => self.text += &format!("v{v} = {};\n", active(op)),
            Statement::Collective(v, op) => self.text += &format!("v{v} = {};\n", collective(op)),
            Statement::Choose(v, c, a, b) => {
                self.text += &format!("v{v} = {} ? {} : {};\n", condition(c), active(a), active(b));
            }
            Statement::If(c, then, otherwise) => {
                self.text += &format!("if ({}) {{\n", condition(c));
                self.statements(then);
                if !otherwise.is_empty() {
                    self.text += "} else {\n";
                    self.statements(otherwise);
                }
                self.text += "}\n";
            }
            Statement::IfAny(c, vote, body) => {
                let (c, vote) = (condition(c), condition(vote));
                self.text += &format!("if ({c} && sub_group_non_uniform_any({vote})) {{\n");
                self.statements(body);
                self.text += "}\n";
            }
            Statement::Loop(form, counter, bound, body, target) => {
                self.repetition((*form, *counter, bound), body, *target);
            }
            Statement::Switch(e, arms, target) => {
                self.open.push((*target, false));
                self.text += &format!("switch ({}) {{\n", expression(e));
                for arm in arms {
                    let cases = arm.values.iter().map(|v| format!("case {v}: "));
                    self.text += &cases.collect::<String>();
                    self.text += if arm.default { "default: {\n" } else { "{\n" };
                    self.statements(&arm.body);
                    self.text += if arm.falls_through { "}\n" } else { "break;\n}\n" };
                }
                self.text += "}\n";
                self.open.pop();
                self.place(Jump::End, *target);
            }
            Statement::Block(body, target) => {
                self.text += "{\n";
                self.statements(body);
                self.text += "}\n";
                self.place(Jump::End, *target);
            }
            Statement::Jump(c, before, jump, target) => {
                self.text += &format!("if ({}) {{\n", condition(c));
                self.statements(before);
                self.jump(*jump, *target);
                self.text += "}\n";
            }
            Statement::Return(c, before, e) => {
                self.text += &format!("if ({}) {{\n", condition(c));
                self.statements(before);
                let e = expression(e);
                self.text += &match self.is_kernel {
                    true => format!("out[id] = MIXED({e});\nreturn;\n}}\n"),
                    false => format!("return {e};\n}}\n"),
                };
            }
            Statement::Call(v, function, a, b) => {
                let (a, b) = (expression(a), expression(b));
                self.text += &format!("v{v} = f{function}({a}, {b}, lane, size, lid, group, n);\n");
            }
        }
    }

    fn repetition(
        &mut self,
        (form, counter, bound): (LoopForm, Variable, &Expression),
        body: &[Statement],
        target: Target,
    ) {
        let bound = expression(bound);
        let again = matches!(form, LoopForm::Again);
        self.text += &match form {
            LoopForm::For => format!("for (v{counter} = 0; v{counter} < {bound}; v{counter}++) {{\n"),
            LoopForm::While => format!("v{counter} = -1;\nwhile (++v{counter} < {bound}) {{\n"),
            LoopForm::Do => format!("v{counter} = 0;\ndo {{\n"),
            LoopForm::Endless => {
                format!("v{counter} = -1;\nfor (;;) {{\nif (++v{counter} >= {bound}) break;\n")
            }
            LoopForm::Again => format!("v{counter} = 0;\nagain{target}:;\n{{\n"),
        };
        // In a loop made of `goto`, `break` and `continue` would act on the loop around it. No jump has this target, so all
        // jumps out of the body are written as `goto`.
        match again {
            true => self.open.push((Target::MAX, true)),
            false => self.open.push((target, true)),
        }
        self.statements(body);
        self.open.pop();
        self.place(Jump::Next, target);
        self.text += &match form {
            LoopForm::For | LoopForm::While | LoopForm::Endless => "}\n".to_owned(),
            LoopForm::Do => format!("}} while (++v{counter} < {bound});\n"),
            LoopForm::Again => format!("}}\nif (++v{counter} < {bound}) goto again{target};\n"),
        };
        self.place(Jump::End, target);
    }
}
