//! Makes random programs.

use super::super::written::{Form, Written};
use super::{
    Active, Arm, Binary, Collective, Combination, Condition, Expression, Function, Jump, LoopForm, OWN, Part,
    Program, Statement, Target, Together, Variable, execute, print, shrink,
};
use crate::Failure;
use crate::campaign::launch::{Argument, Fill, Launch, Memory, Plan};
use crate::random::Random;

impl Program {
    /// Returns the program with its result, or `None` if that is not defined.
    fn written(self) -> Result<Option<Written>, Failure> {
        let Some(words) = execute::execute(&self) else {
            return Ok(None);
        };
        let size = self.items * self.groups;
        let plan = Plan {
            memory: vec![Memory::result(size * 8, Fill::Zero)],
            launches: vec![Launch::new(
                "k",
                [vec![0], vec![size], vec![self.items]],
                vec![
                    Argument::Memory(0),
                    Argument::U32(self.argument),
                    Argument::Local(self.items * 4),
                ],
            )],
            std: Some("CL3.0".into()),
            ..Plan::default()
        };
        let text = print::text(&self);
        Written::new(&plan, &text, words, text.len(), self).map(Some)
    }
}

impl Form for Program {
    fn smaller(&self) -> Result<Vec<Written>, Failure> {
        let all = shrink::smaller(self).into_iter();
        all.filter_map(|p| p.written().transpose()).collect()
    }
}

/// Returns the program of a seed. Sub-groups have `sub_group` work-items.
///
/// `by_graph`: which work-items are active together follows from the graph of the control flow alone. Then a program does
/// nothing together between the decision to leave a loop and leaving it, because in the graph these statements are not part
/// of the loop.
pub(in crate::campaign) fn program(seed: u64, sub_group: usize, by_graph: bool) -> Result<Written, Failure> {
    let program = random_program(seed, sub_group, by_graph).written()?;
    program.ok_or_else(|| Failure("the program of this seed is not defined".into()))
}

pub(super) fn random_program(seed: u64, sub_group: usize, by_graph: bool) -> Program {
    let mut random = Random::new(seed.wrapping_mul(2).wrapping_add(1));
    let items = [1, 7, 8, 16, 20, 32, 33, 48, 64, 64][random.below(10)];
    let groups = 1 + random.below(3);
    let argument = random.below(8) as u32;
    let mut functions = Vec::new();
    for _ in 0..random.below(3) {
        let mut m = Maker::new(&mut random, functions.len(), by_graph, 2);
        let body = m.divergent(4, 2);
        let result = Some(m.expression(2));
        functions.push(m.function(body, result));
    }
    let callees = functions.len();
    let mut m = Maker::new(&mut random, callees, by_graph, OWN);
    m.is_kernel = true;
    let mut body = m.converged(6, 2, Together::WorkGroup);
    // From the first early return on, not all work-items are there.
    m.may_return = true;
    body.extend(m.divergent(4, 2));
    functions.push(m.function(body, None));
    Program {
        functions,
        items,
        groups,
        sub_group,
        argument,
    }
}

/// An instruction around the current statement that may be jumped out of.
#[derive(Copy, Clone)]
struct Open {
    target: Target,
    is_loop: bool,
}

/// Makes a function.
struct Maker<'r> {
    random: &'r mut Random,
    callees: usize,
    by_graph: bool,
    is_kernel: bool,
    may_return: bool,
    /// The variables that statements may assign to.
    own: usize,
    variables: usize,
    targets: usize,
    open: Vec<Open>,
    /// The number of loops around the current statement.
    loops: usize,
    /// Whether a jump out of a loop follows the current statements.
    leaving: bool,
}

impl Maker<'_> {
    fn new(random: &mut Random, callees: usize, by_graph: bool, own: usize) -> Maker<'_> {
        // Functions have some variables beside their parameters.
        let own = own.max(4);
        Maker {
            random,
            callees,
            by_graph,
            is_kernel: false,
            may_return: false,
            own,
            variables: own,
            targets: 0,
            open: Vec::new(),
            loops: 0,
            leaving: false,
        }
    }

    fn function(self, body: Vec<Statement>, result: Option<Expression>) -> Function {
        Function {
            variables: self.variables,
            targets: self.targets,
            body,
            result,
        }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.random.one_in(n)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len())]
    }

    fn small(&mut self, end: usize) -> Expression {
        Expression::Number(self.random.below(end) as u32)
    }

    fn binary(op: Binary, a: Expression, b: Expression) -> Expression {
        Expression::Binary(op, Box::new((a, b)))
    }

    fn any_variable(&mut self) -> Variable {
        // Counters are read as well.
        let n = self.variables;
        self.below(n)
    }

    fn assigned(&mut self) -> Variable {
        let n = self.own;
        self.below(n)
    }

    fn expression(&mut self, depth: usize) -> Expression {
        if depth == 0 || self.one_in(4) {
            return match self.below(9) {
                0 => Expression::Lane,
                1 => Expression::Item,
                2 => Expression::Uniform,
                3 => Expression::SubGroup,
                4 => self.small(40),
                5 => Expression::Number(self.random.word()),
                _ => Expression::Variable(self.any_variable()),
            };
        }
        let op = self.pick(&[
            Binary::Add,
            Binary::Subtract,
            Binary::Multiply,
            Binary::And,
            Binary::Or,
            Binary::Xor,
            Binary::ShiftRight,
        ]);
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        Self::binary(op, a, b)
    }

    /// Returns a number below a power of two, which mostly differs between neighbours.
    fn number_below(&mut self, end: u32) -> Expression {
        let v = Expression::Variable(self.any_variable());
        let e = match self.below(4) {
            0 => Expression::Lane,
            1 => Self::binary(Binary::Add, v, Expression::Lane),
            2 => self.expression(2),
            _ => {
                let by = self.small(28);
                Self::binary(Binary::ShiftRight, v, by)
            }
        };
        Self::binary(Binary::And, e, Expression::Number(end - 1))
    }

    fn condition(&mut self) -> Condition {
        match self.below(4) {
            0 => {
                let (a, b) = (self.number_below(8), self.small(8));
                Condition::Less(a, b)
            }
            1 => {
                let (a, b) = (self.number_below(4), self.small(4));
                Condition::Equal(a, b)
            }
            2 => {
                let (a, b) = (self.expression(2), self.expression(2));
                Condition::Less(a, b)
            }
            _ => {
                let (e, bit) = (self.expression(1), self.below(8) as u32);
                Condition::Bit(e, bit)
            }
        }
    }

    /// Returns a condition that all work-items of a group decide alike.
    fn uniform(&mut self, together: Together) -> Condition {
        let n = match (together, self.one_in(2)) {
            (Together::SubGroup, true) => {
                Self::binary(Binary::Add, Expression::Uniform, Expression::SubGroup)
            }
            _ => Expression::Uniform,
        };
        match self.one_in(2) {
            true => Condition::Bit(n, self.below(2) as u32),
            false => {
                let end = self.small(9);
                Condition::Less(n, end)
            }
        }
    }

    fn active(&mut self) -> Active {
        let depth = 2;
        let op = self.pick(&[
            Combination::Add,
            Combination::Add,
            Combination::Min,
            Combination::Max,
            Combination::SignedMin,
            Combination::SignedMax,
            Combination::And,
            Combination::Or,
            Combination::Xor,
            Combination::Multiply,
        ]);
        match self.below(16) {
            0..5 => {
                let part = self.pick(&[Part::Reduce, Part::Inclusive, Part::Exclusive]);
                Active::Combine(part, op, self.expression(depth))
            }
            // The number of active work-items.
            5 => Active::Combine(Part::Inclusive, Combination::Add, Expression::Number(1)),
            6 => Active::Clustered(op, self.expression(depth)),
            7 => Active::Any(self.condition()),
            8 => Active::All(self.condition()),
            9 => Active::AllEqual(self.number_below(2)),
            10 => Active::Elect,
            11 => Active::Ballot(self.condition()),
            12 => Active::Count(self.condition()),
            13 => Active::First(self.expression(depth)),
            14 => Active::Last(self.expression(depth)),
            _ => Active::Neighbour(self.expression(depth)),
        }
    }

    fn collective(&mut self, together: Together) -> Collective {
        let of = match together {
            Together::WorkGroup if self.one_in(2) => Together::WorkGroup,
            _ => Together::SubGroup,
        };
        let e = self.expression(2);
        let k = self.below(64) as u32;
        match self.below(9) {
            0..3 => {
                let part = self.pick(&[Part::Reduce, Part::Inclusive, Part::Exclusive]);
                let op = self.pick(&[
                    Combination::Add,
                    Combination::Min,
                    Combination::Max,
                    Combination::SignedMin,
                    Combination::SignedMax,
                ]);
                Collective::Combine(of, part, op, e)
            }
            3 => Collective::Any(of, self.condition()),
            4 => Collective::All(of, self.condition()),
            5 => Collective::Broadcast(of, e, k),
            6 => Collective::Exchange(of, e, k),
            7 => Collective::Shuffle(e, self.expression(1)),
            _ => Collective::Down(e, k % 8),
        }
    }

    /// Returns statements that all work-items of a group execute together.
    fn converged(&mut self, count: usize, depth: usize, together: Together) -> Vec<Statement> {
        let count = 1 + self.below(count);
        let mut body = Vec::new();
        for _ in 0..count {
            let v = self.assigned();
            match self.below(10) {
                0..3 => body.push(Statement::Collective(v, self.collective(together))),
                3 => body.push(Statement::Assign(v, self.expression(3))),
                4 if depth > 0 => {
                    let c = self.uniform(together);
                    let then = self.converged(3, depth - 1, together);
                    let otherwise = match self.one_in(2) {
                        true => self.converged(3, depth - 1, together),
                        false => Vec::new(),
                    };
                    body.push(Statement::If(c, then, otherwise));
                }
                5 if depth > 0 && together == Together::WorkGroup => {
                    // Each sub-group by itself.
                    let c = self.uniform(Together::SubGroup);
                    let then = self.converged(4, depth - 1, Together::SubGroup);
                    body.push(Statement::If(c, then, Vec::new()));
                }
                6 if depth > 0 && self.loops < 2 => {
                    let end = self.small(4);
                    let bound = match self.one_in(2) {
                        true => Self::binary(Binary::And, Expression::Uniform, Expression::Number(3)),
                        false => end,
                    };
                    let form = self.pick(&[LoopForm::For, LoopForm::While, LoopForm::Do]);
                    let (counter, target) = self.begin_loop(false);
                    let mut inner = self.converged(3, depth - 1, together);
                    if self.one_in(3) {
                        let c = self.uniform(together);
                        let jump = self.pick(&[Jump::End, Jump::Next]);
                        inner.push(Statement::Jump(c, Vec::new(), jump, target));
                        inner.extend(self.converged(2, depth - 1, together));
                    }
                    self.loops -= 1;
                    body.push(Statement::Loop(form, counter, bound, inner, target));
                }
                _ => {
                    let outer = std::mem::take(&mut self.open);
                    let (loops, leaving) = (std::mem::take(&mut self.leaving), self.loops);
                    body.extend(self.divergent(3, 2));
                    (self.leaving, self.loops) = (loops, leaving);
                    self.open = outer;
                    body.push(Statement::Collective(v, self.collective(together)));
                }
            }
        }
        body
    }

    /// Returns the counter and the target of a new loop.
    fn begin_loop(&mut self, may_be_left: bool) -> (Variable, Target) {
        let (counter, target) = (self.variables, self.targets);
        self.variables += 1;
        self.targets += 1;
        self.loops += 1;
        if may_be_left {
            self.open.push(Open {
                target,
                is_loop: true,
            });
        }
        (counter, target)
    }

    /// Returns statements that any work-items may execute.
    fn divergent(&mut self, count: usize, depth: usize) -> Vec<Statement> {
        let count = 1 + self.below(count);
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let v = self.assigned();
        let asks = !(self.by_graph && self.leaving);
        match self.below(if depth == 0 { 9 } else { 22 }) {
            0..2 => Statement::Assign(v, self.expression(3)),
            2..6 if asks => Statement::Active(v, self.active()),
            6 if asks => {
                let (c, a, b) = (self.condition(), self.active(), self.active());
                Statement::Choose(v, c, a, b)
            }
            7 if self.callees > 0 && asks => {
                let n = self.callees;
                let (function, a, b) = (self.below(n), self.expression(2), self.expression(2));
                Statement::Call(v, function, a, b)
            }
            8 | 9 if !self.open.is_empty() => self.jump(depth),
            10 if !self.is_kernel || self.may_return => {
                let (c, before) = (self.condition(), self.before_leaving(depth, self.loops > 0));
                Statement::Return(c, before, self.expression(2))
            }
            11..15 if depth > 0 => {
                let c = self.condition();
                let then = self.divergent(3, depth - 1);
                let otherwise = match self.one_in(2) {
                    true => self.divergent(3, depth - 1),
                    false => Vec::new(),
                };
                Statement::If(c, then, otherwise)
            }
            15 if depth > 0 && asks => {
                let (c, vote) = (self.condition(), self.condition());
                Statement::IfAny(c, vote, self.divergent(3, depth - 1))
            }
            16..19 if depth > 0 && self.loops < 3 => self.repetition(depth),
            19 | 20 if depth > 0 => self.switch(depth),
            21 if depth > 0 => {
                let target = self.targets;
                self.targets += 1;
                self.open.push(Open {
                    target,
                    is_loop: false,
                });
                let body = self.divergent(4, depth - 1);
                self.open.pop();
                Statement::Block(body, target)
            }
            _ => Statement::Assign(v, self.expression(2)),
        }
    }

    /// Returns the statements before a jump or return.
    fn before_leaving(&mut self, depth: usize, leaves_loop: bool) -> Vec<Statement> {
        if self.one_in(3) {
            return Vec::new();
        }
        let outer = self.leaving;
        self.leaving |= leaves_loop;
        let body = self.divergent(2, depth.saturating_sub(1));
        self.leaving = outer;
        body
    }

    fn jump(&mut self, depth: usize) -> Statement {
        let n = self.open.len();
        // Inner targets are likelier.
        let at = self.below(n).max(self.below(n));
        let Open { target, is_loop } = self.open[at];
        let jump = match is_loop && self.one_in(2) {
            true => Jump::Next,
            false => Jump::End,
        };
        let crosses = self.open[at + 1..].iter().any(|o| o.is_loop) || is_loop && jump == Jump::End;
        let (c, before) = (self.condition(), self.before_leaving(depth, crosses));
        Statement::Jump(c, before, jump, target)
    }

    fn repetition(&mut self, depth: usize) -> Statement {
        let bound = self.number_below(if self.loops == 0 { 8 } else { 4 });
        let form = self.pick(&[
            LoopForm::For,
            LoopForm::For,
            LoopForm::While,
            LoopForm::Do,
            LoopForm::Endless,
            LoopForm::Again,
        ]);
        let (counter, target) = self.begin_loop(true);
        let outer = std::mem::take(&mut self.leaving);
        let body = self.divergent(4, depth - 1);
        self.leaving = outer;
        self.open.pop();
        self.loops -= 1;
        Statement::Loop(form, counter, bound, body, target)
    }

    fn switch(&mut self, depth: usize) -> Statement {
        let e = self.number_below(8);
        let target = self.targets;
        self.targets += 1;
        self.open.push(Open {
            target,
            is_loop: false,
        });
        let mut values: Vec<u32> = (0..8).collect();
        let count = 1 + self.below(4);
        let default = self.below(count + 1);
        let mut arms = Vec::new();
        for n in 0..count {
            let mut own = Vec::new();
            for _ in 0..1 + self.below(2) {
                let at = self.below(values.len());
                own.push(values.remove(at));
            }
            arms.push(Arm {
                values: own,
                default: n == default,
                body: self.divergent(2, depth - 1),
                falls_through: n + 1 < count && self.one_in(3),
            });
        }
        self.open.pop();
        Statement::Switch(e, arms, target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_all_kinds_of_statements_and_a_bounded_size() {
        let mut all = String::new();
        for seed in 0..300 {
            let Written { text, words, .. } = program(seed, 8, seed % 2 == 0).unwrap();
            let again = program(seed, 8, seed % 2 == 0).unwrap();
            assert_eq!((&text, words), (&again.text, again.words));
            assert!(text.len() < 200_000, "seed {seed} has {} bytes", text.len());
            all += &text;
        }
        for part in [
            "sub_group_non_uniform_scan_inclusive_",
            "sub_group_clustered_reduce_",
            "sub_group_elect()",
            "= NEIGHBOUR(",
            "&& sub_group_non_uniform_any(",
            "work_group_reduce_add(",
            "EXCHANGE(v",
            "goto end",
            "goto next",
            "goto again",
            "continue;",
            "while (++v",
            "default: {",
            "return v",
            "= f1(",
        ] {
            assert!(all.contains(part), "{part}");
        }
    }
}
