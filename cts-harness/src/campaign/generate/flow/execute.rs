//! The execution of programs, on all work-items of a work-group in step. A mask has a bit for each work-item.

use super::{
    Active, Binary, Collective, Combination, Condition, Expression, Function, ITEMS, Jump, LoopForm, OWN,
    PRIME, Part, Program, Statement, Target, Together, Variable,
};
use std::cell::Cell;

type Values = [u32; ITEMS];

/// A work-group.
struct Group<'p> {
    program: &'p Program,
    /// The number of the group.
    number: usize,
    /// Whether every function so far that all work-items must encounter was reached by all.
    is_defined: Cell<bool>,
}

/// The execution of a function by some work-items.
struct Frame {
    variables: Vec<Values>,
    /// For each target, the work-items that have jumped to its end, and those that have jumped to its next iteration.
    jumps: Vec<[u64; 2]>,
    returned: u64,
    result: Values,
    /// The results of work-items that have left the kernel.
    out: [u64; ITEMS],
    is_kernel: bool,
}

/// Returns the results of all work-items.
///
/// Returns `None` if work-items do not reach a function that all of their group must encounter, so that nothing is defined.
pub(super) fn execute(program: &Program) -> Option<Vec<u64>> {
    let mut words = Vec::new();
    for number in 0..program.groups {
        let group = Group {
            program,
            number,
            is_defined: Cell::new(true),
        };
        words.extend(group.results());
        if !group.is_defined.get() {
            return None;
        }
    }
    Some(words)
}

/// Returns the value of an initial variable of the kernel.
pub(super) fn initial(variable: Variable, id: u32) -> u32 {
    let k = variable as u32;
    id.wrapping_mul(0x9e37_79b1).wrapping_add(k * 77) >> (3 + 4 * k)
}

fn combine(op: Combination, a: u32, b: u32) -> u32 {
    match op {
        Combination::Add => a.wrapping_add(b),
        Combination::Min => a.min(b),
        Combination::Max => a.max(b),
        Combination::SignedMin => (a as i32).min(b as i32) as u32,
        Combination::SignedMax => (a as i32).max(b as i32) as u32,
        Combination::And => a & b,
        Combination::Or => a | b,
        Combination::Xor => a ^ b,
        Combination::Multiply => a.wrapping_mul(b),
    }
}

fn identity(op: Combination) -> u32 {
    match op {
        Combination::Add | Combination::Max | Combination::Or | Combination::Xor => 0,
        Combination::Min | Combination::And => u32::MAX,
        Combination::SignedMin => i32::MAX as u32,
        Combination::SignedMax => i32::MIN as u32,
        Combination::Multiply => 1,
    }
}

/// Combines the values of those work-items for which `takes_part` holds, in a way that depends on `item`.
fn combined(
    part: Part,
    op: Combination,
    values: &Values,
    item: usize,
    takes_part: impl Fn(usize) -> bool,
) -> u32 {
    let in_part = |k: usize| match part {
        Part::Reduce => true,
        Part::Inclusive => k <= item,
        Part::Exclusive => k < item,
    };
    let all = (0..ITEMS).filter(|&k| in_part(k) && takes_part(k));
    all.fold(identity(op), |r, k| combine(op, r, values[k]))
}

impl Group<'_> {
    fn results(&self) -> Vec<u64> {
        let kernel = &self.program.functions[self.program.functions.len() - 1];
        let mut frame = Frame::new(kernel, true);
        for v in 0..OWN {
            for item in 0..self.program.items {
                frame.variables[v][item] = initial(v, (self.number * self.program.items + item) as u32);
            }
        }
        let left = self.run(&mut frame, &kernel.body, self.everyone());
        frame.finish(left);
        frame.out[..self.program.items].to_vec()
    }

    fn everyone(&self) -> u64 {
        u64::MAX >> (64 - self.program.items)
    }

    /// Returns the first work-item of a work-item's sub-group, and the number of work-items of the sub-group.
    fn sub_group(&self, item: usize) -> (usize, usize) {
        let size = self.program.sub_group;
        let first = item / size * size;
        (first, size.min(self.program.items - first))
    }

    fn value(&self, frame: &Frame, e: &Expression, item: usize) -> u32 {
        match e {
            Expression::Number(n) => *n,
            Expression::Variable(v) => frame.variables[*v][item],
            Expression::Lane => (item % self.program.sub_group) as u32,
            Expression::Item => item as u32,
            Expression::SubGroup => (item / self.program.sub_group) as u32,
            Expression::Uniform => self.number as u32 + self.program.argument,
            Expression::Binary(op, operands) => {
                let [a, b] = [&operands.0, &operands.1].map(|e| self.value(frame, e, item));
                match op {
                    Binary::Add => a.wrapping_add(b),
                    Binary::Subtract => a.wrapping_sub(b),
                    Binary::Multiply => a.wrapping_mul(b),
                    Binary::And => a & b,
                    Binary::Or => a | b,
                    Binary::Xor => a ^ b,
                    Binary::ShiftRight => a >> (b & 31),
                }
            }
        }
    }

    fn values(&self, frame: &Frame, e: &Expression) -> Values {
        std::array::from_fn(|item| self.value(frame, e, item))
    }

    /// Returns the work-items for which a condition holds.
    fn holds(&self, frame: &Frame, c: &Condition) -> u64 {
        let value = |e, item| self.value(frame, e, item);
        let holds = |item: usize| match c {
            Condition::Less(a, b) => value(a, item) < value(b, item),
            Condition::Equal(a, b) => value(a, item) == value(b, item),
            Condition::Bit(e, bit) => value(e, item) >> bit & 1 != 0,
        };
        (0..ITEMS).fold(0, |mask, item| mask | u64::from(holds(item)) << item)
    }

    fn active(&self, frame: &Frame, op: &Active, mask: u64) -> Values {
        let condition = match op {
            Active::Any(c) | Active::All(c) | Active::Ballot(c) | Active::Count(c) => self.holds(frame, c),
            _ => 0,
        };
        let values = match op {
            Active::Combine(_, _, e)
            | Active::Clustered(_, e)
            | Active::AllEqual(e)
            | Active::First(e)
            | Active::Last(e)
            | Active::Neighbour(e) => self.values(frame, e),
            _ => [0; ITEMS],
        };
        std::array::from_fn(|item| {
            let (first, size) = self.sub_group(item.min(self.program.items - 1));
            let here = mask >> first << first & (u64::MAX >> (64 - first - size));
            let is_here = |k: usize| here >> k & 1 != 0;
            if !is_here(item) {
                return 0;
            }
            let (lowest, highest) = (here.trailing_zeros() as usize, 63 - here.leading_zeros() as usize);
            match op {
                Active::Combine(part, op, _) => combined(*part, *op, &values, item, is_here),
                Active::Clustered(op, _) => combined(Part::Reduce, *op, &values, item, |k| {
                    is_here(k) && k / 4 == item / 4
                }),
                Active::Any(_) => u32::from(here & condition != 0),
                Active::All(_) => u32::from(here & !condition == 0),
                Active::AllEqual(_) => {
                    let all = (0..ITEMS).filter(|&k| is_here(k));
                    u32::from(all.into_iter().all(|k| values[k] == values[item]))
                }
                Active::Elect => u32::from(item == lowest),
                Active::Ballot(_) => ((here & condition) >> first) as u32,
                Active::Count(_) => (here & condition).count_ones(),
                Active::First(_) => values[lowest],
                Active::Last(_) => values[highest],
                Active::Neighbour(_) if is_here(item ^ 1) => values[item ^ 1],
                Active::Neighbour(_) => 0,
            }
        })
    }

    fn collective(&self, frame: &Frame, op: &Collective, mask: u64) -> Values {
        let (condition, e) = match op {
            Collective::Any(_, c) | Collective::All(_, c) => (self.holds(frame, c), None),
            Collective::Combine(_, _, _, e)
            | Collective::Broadcast(_, e, _)
            | Collective::Exchange(_, e, _)
            | Collective::Shuffle(e, _)
            | Collective::Down(e, _) => (0, Some(e)),
        };
        let values = e.map_or([0; ITEMS], |e| self.values(frame, e));
        std::array::from_fn(|item| {
            if mask >> item & 1 == 0 {
                return 0;
            }
            let of = match op {
                Collective::Combine(of, ..)
                | Collective::Any(of, _)
                | Collective::All(of, _)
                | Collective::Broadcast(of, ..)
                | Collective::Exchange(of, ..) => *of,
                Collective::Shuffle(..) | Collective::Down(..) => Together::SubGroup,
            };
            let (first, size) = match of {
                Together::SubGroup => self.sub_group(item),
                Together::WorkGroup => (0, self.program.items),
            };
            let all = u64::MAX >> (64 - size) << first;
            if mask & all != all {
                self.is_defined.set(false);
            }
            let in_group = |k: usize| all >> k & 1 != 0;
            match op {
                Collective::Combine(_, part, op, _) => combined(*part, *op, &values, item, in_group),
                Collective::Any(..) => u32::from(condition & all != 0),
                Collective::All(..) => u32::from(condition & all == all),
                Collective::Broadcast(_, _, k) => values[first + *k as usize % size],
                Collective::Exchange(_, _, k) => values[first + (item - first + *k as usize) % size],
                Collective::Shuffle(_, from) => values[first + self.value(frame, from, item) as usize % size],
                Collective::Down(_, k) if item - first + (*k as usize) < size => values[item + *k as usize],
                Collective::Down(..) => values[item],
            }
        })
    }

    /// Executes statements for the work-items of a mask. Returns those that reach the end.
    fn run(&self, frame: &mut Frame, body: &[Statement], mut mask: u64) -> u64 {
        for statement in body {
            if mask == 0 {
                break;
            }
            mask = self.step(frame, statement, mask);
        }
        mask
    }

    fn step(&self, frame: &mut Frame, statement: &Statement, mask: u64) -> u64 {
        match statement {
            Statement::Assign(v, e) => {
                let values = self.values(frame, e);
                frame.set(*v, &values, mask);
            }
            Statement::Active(v, op) => {
                let values = self.active(frame, op, mask);
                frame.set(*v, &values, mask);
            }
            Statement::Collective(v, op) => {
                let values = self.collective(frame, op, mask);
                frame.set(*v, &values, mask);
            }
            Statement::Choose(v, c, a, b) => {
                let yes = self.holds(frame, c);
                let [a, b] = [(a, mask & yes), (b, mask & !yes)].map(|(op, m)| self.active(frame, op, m));
                frame.set(*v, &a, mask & yes);
                frame.set(*v, &b, mask & !yes);
            }
            Statement::If(c, then, otherwise) => {
                let yes = self.holds(frame, c);
                return self.run(frame, then, mask & yes) | self.run(frame, otherwise, mask & !yes);
            }
            Statement::IfAny(c, vote, body) => {
                let asked = mask & self.holds(frame, c);
                let any = self.active(frame, &Active::Any(vote.clone()), asked);
                let yes = (0..ITEMS).fold(0, |m, item| m | u64::from(any[item]) << item);
                return self.run(frame, body, asked & yes) | mask & !(asked & yes);
            }
            Statement::Loop(form, counter, bound, body, target) => {
                return self.repeat(frame, (*form, *counter, bound), body, *target, mask);
            }
            Statement::Switch(e, arms, target) => {
                let values = self.values(frame, e);
                let is_named = |item: usize| arms.iter().any(|a| a.values.contains(&values[item]));
                let (mut at, mut end) = (0, 0);
                let mut left = mask;
                for arm in arms {
                    let takes =
                        |item: usize| arm.values.contains(&values[item]) || arm.default && !is_named(item);
                    let enter = (0..ITEMS).fold(0, |m, item| m | u64::from(takes(item)) << item) & mask;
                    left &= !enter;
                    at = self.run(frame, &arm.body, at | enter);
                    if !arm.falls_through {
                        end |= std::mem::take(&mut at);
                    }
                }
                return left | at | end | frame.arrived(*target, Jump::End);
            }
            Statement::Block(body, target) => {
                return self.run(frame, body, mask) | frame.arrived(*target, Jump::End);
            }
            Statement::Jump(c, before, jump, target) => {
                let yes = mask & self.holds(frame, c);
                let going = self.run(frame, before, yes);
                frame.jumps[*target][usize::from(*jump == Jump::Next)] |= going;
                return mask & !yes;
            }
            Statement::Return(c, before, e) => {
                let yes = mask & self.holds(frame, c);
                let going = self.run(frame, before, yes);
                let values = self.values(frame, e);
                frame.leave(&values, going);
                return mask & !yes;
            }
            Statement::Call(v, function, a, b) => {
                let callee = &self.program.functions[*function];
                let mut inner = Frame::new(callee, false);
                inner.variables[0] = self.values(frame, a);
                inner.variables[1] = self.values(frame, b);
                let left = self.run(&mut inner, &callee.body, mask);
                if let Some(e) = &callee.result {
                    let values = self.values(&inner, e);
                    inner.leave(&values, left);
                }
                frame.set(*v, &inner.result, mask);
            }
        }
        mask
    }

    fn repeat(
        &self,
        frame: &mut Frame,
        (form, counter, bound): (LoopForm, Variable, &Expression),
        body: &[Statement],
        target: Target,
        mut mask: u64,
    ) -> u64 {
        let goes_on = |frame: &Frame| {
            let values = self.values(frame, bound);
            let less = |item: usize| frame.variables[counter][item] < values[item];
            (0..ITEMS).fold(0, |m, item| m | u64::from(less(item)) << item)
        };
        frame.set(counter, &[0; ITEMS], mask);
        let mut done = 0;
        let tests_first = !matches!(form, LoopForm::Do | LoopForm::Again);
        while mask != 0 {
            if tests_first {
                let on = goes_on(frame);
                done |= mask & !on;
                mask &= on;
            }
            mask = self.run(frame, body, mask) | frame.arrived(target, Jump::Next);
            let next = frame.variables[counter].map(|n| n.wrapping_add(1));
            frame.set(counter, &next, mask);
            if !tests_first {
                let on = goes_on(frame);
                done |= mask & !on;
                mask &= on;
            }
        }
        done | frame.arrived(target, Jump::End)
    }
}

impl Frame {
    fn new(function: &Function, is_kernel: bool) -> Frame {
        Frame {
            variables: vec![[0; ITEMS]; function.variables],
            jumps: vec![[0; 2]; function.targets],
            returned: 0,
            result: [0; ITEMS],
            out: [0; ITEMS],
            is_kernel,
        }
    }

    fn set(&mut self, variable: Variable, values: &Values, mask: u64) {
        for (item, value) in values.iter().enumerate() {
            if mask >> item & 1 != 0 {
                self.variables[variable][item] = *value;
            }
        }
    }

    /// Takes the work-items that have jumped to a target.
    fn arrived(&mut self, target: Target, jump: Jump) -> u64 {
        std::mem::take(&mut self.jumps[target][usize::from(jump == Jump::Next)])
    }

    /// Returns from the function.
    fn leave(&mut self, values: &Values, mask: u64) {
        self.returned |= mask;
        for (item, value) in values.iter().enumerate() {
            if mask >> item & 1 != 0 {
                self.result[item] = *value;
            }
        }
        if self.is_kernel {
            self.finish(mask);
        }
    }

    /// Stores the results of work-items that end.
    fn finish(&mut self, mask: u64) {
        for item in (0..ITEMS).filter(|item| mask >> item & 1 != 0) {
            let values = self.variables[..OWN].iter().map(|v| u64::from(v[item]));
            let all = values.chain([u64::from(self.result[item])]);
            self.out[item] = all.fold(1, |h: u64, v| h.wrapping_mul(PRIME).wrapping_add(v));
        }
    }
}
