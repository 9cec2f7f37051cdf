//! Generates blocks, branches and loops: exits and repeats over any number of levels, counted loops with and
//! without hints, and loops over memory as in kernels.

use super::{Generator, WORD, counting_loop};
use caldera_compiler::ir::{AddressSpace, BinOp, CastOp, CmpOp, Inst, Op, Region, Scalar, Ty, Unroll, Value};

impl Generator<'_> {
    fn result_type(&mut self) -> Ty {
        match self.random.below(8) {
            0 => {
                let pointer = self.random.of(&self.data);
                self.b.func.ty(pointer)
            }
            1..=2 => self.some_type(),
            3 => Ty::BOOL,
            _ => Ty::I32,
        }
    }

    /// Adds new values to the lists of pointers and of other values.
    fn remember(&mut self, values: &[Value]) {
        for &v in values {
            match self.b.func.ty(v).scalar.is_ptr() {
                true => self.data.push(v),
                false => self.pool.push(v),
            }
        }
    }

    /// Generates the contents of a region. The values of the region are removed from the lists afterwards.
    fn within(&mut self, region: Region, body: impl FnOnce(&mut Self)) {
        let (pool, data) = (self.pool.len(), self.data.len());
        let args = self.b.func.regions[region].args.clone();
        self.remember(&args);
        self.b.enter(region);
        body(self);
        self.b.leave();
        self.pool.truncate(pool);
        self.data.truncate(data);
    }

    fn some_unroll(&mut self) -> Unroll {
        match self.random.below(6) {
            0 => Unroll::Full,
            1 => Unroll::By(2),
            2 => Unroll::By(3),
            3 => Unroll::Never,
            _ => Unroll::Unsaid,
        }
    }

    pub(super) fn structured(&mut self) {
        self.budget -= 1;
        let results: Vec<Ty> = (0..self.random.below(3)).map(|_| self.result_type()).collect();
        let inst = match self.random.below(5) {
            0 => self.b.block(&results).0,
            1 => {
                let init = (0..self.random.below(3)).map(|_| {
                    let ty = self.result_type();
                    self.any(ty)
                });
                let init = init.collect();
                self.b.loop_(init, &results).0
            }
            2 => {
                let (v, cases) = self.selector();
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
            self.within(region, |g| {
                if g.b.func.insts[inst].op == Op::Loop {
                    g.spend_fuel(inst);
                }
                g.body();
            });
        }
        self.open.pop();
        let results = self.b.func.insts[inst].results.to_vec();
        self.remember(&results);
    }

    /// Generates a branch whose arms make the same computations from the same numbers, but pass on different results, like
    /// code that moves data by a distance that is known only at run time.
    pub(super) fn similar_arms(&mut self) {
        self.budget -= 1;
        let words: Vec<Value> = (0..2 + self.random.below(4)).map(|_| self.word()).collect();
        let ops = [BinOp::Xor, BinOp::IAdd, BinOp::Shl, BinOp::LShr, BinOp::IMul];
        let ops: Vec<BinOp> = (0..1 + self.random.below(3))
            .map(|_| self.random.of(&ops))
            .collect();
        let results = vec![Ty::I32; 1 + self.random.below(words.len())];
        let inst = match self.random.one_in(3) {
            true => {
                let c = self.condition();
                self.b.if_(c, &results).0
            }
            false => {
                let mask = self.b.i32(7);
                let n = self.word();
                let n = self.b.binary(BinOp::And, n, mask);
                let cases = (0..1 + self.random.below(5) as u64).map(|n| vec![n]).collect();
                self.b.switch(n, cases, &results).0
            }
        };
        let regions = self.b.func.insts[inst].regions.clone();
        self.open.push(inst);
        for (distance, region) in regions.into_iter().enumerate() {
            self.within(region, |g| {
                if g.random.one_in(6) {
                    return g.leave(inst);
                }
                let computed = |g: &mut Self, n: usize| {
                    let next = words[(n + 1) % words.len()];
                    ops.iter().fold(words[n], |v, &op| g.b.binary(op, v, next))
                };
                let passed = (0..results.len()).map(|n| match n.checked_sub(distance) {
                    Some(from) => computed(g, from),
                    None => g.b.i32(n as i32),
                });
                let passed = passed.collect();
                g.b.exit(inst, passed);
            });
        }
        self.open.pop();
        let results = self.b.func.insts[inst].results.to_vec();
        self.remember(&results);
    }

    /// Generates the number on which a switch depends, of any width, and its cases.
    fn selector(&mut self) -> (Value, Vec<Vec<u64>>) {
        let scalar = match self.random.one_in(2) {
            true => Scalar::I32,
            false => self
                .random
                .of(&[Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]),
        };
        let v = self.value(Ty::of(scalar));
        if self.random.one_in(4) {
            // The least and the greatest number, and one of which only the upper half is set.
            let most = u64::MAX >> (65 - scalar.bits());
            let upper = 1u64 << (scalar.bits() / 2);
            return (v, vec![vec![most + 1, upper], vec![most, 1]]);
        }
        let mask = self.b.bits(Ty::of(scalar), 3);
        let v = self.b.binary(BinOp::And, v, mask);
        let cases = match self.random.below(3) {
            0 => vec![],
            1 => vec![vec![0], vec![2, 3]],
            _ => vec![vec![1]],
        };
        (v, cases)
    }

    /// Ends the function, or the loop, when too many iterations were executed.
    fn spend_fuel(&mut self, loop_: Inst) {
        let fuel = self.b.load(self.fuel, Ty::I32, WORD);
        let one = self.b.i32(1);
        let less = self.b.binary(BinOp::ISub, fuel, one);
        self.b.store(self.fuel, less, WORD);
        let zero = self.b.i32(0);
        let empty = self.b.compare(CmpOp::SLe, less, zero);
        let (inst, then, otherwise) = self.b.if_(empty, &[]);
        self.b.enter(then);
        if self.shape.calm() {
            self.leave(loop_);
        } else {
            self.finish();
        }
        self.b.leave();
        self.b.enter(otherwise);
        self.b.exit(inst, vec![]);
        self.b.leave();
    }

    /// Generates an exit with arbitrary results.
    fn leave(&mut self, target: Inst) {
        let types: Vec<Ty> = self.b.func.insts[target]
            .results
            .iter()
            .map(|&r| self.b.func.ty(r))
            .collect();
        let values = types.into_iter().map(|ty| self.any(ty)).collect();
        self.b.exit(target, values);
    }

    pub(super) fn finish(&mut self) {
        let value = self.ret.is_some().then(|| self.word());
        self.b.ret(value);
    }

    pub(super) fn body(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            self.statement();
        }
        // Nearby targets are the most likely. If all work-items must stay together, they may neither return
        // nor leave the outermost block.
        let calm = self.shape.calm() && self.open.len() > 1;
        if !calm && self.random.one_in(14) {
            return self.finish();
        }
        let mut n = self.open.len() - 1;
        while n > usize::from(calm) && self.random.one_in(3) {
            n -= 1;
        }
        let target = self.open[n];
        let data = &self.b.func.insts[target];
        if data.op == Op::Loop && self.random.one_in(2) {
            let args = self.b.func.regions[data.regions[0]].args.to_vec();
            let types: Vec<Ty> = args.iter().map(|&a| self.b.func.ty(a)).collect();
            let values = types.into_iter().map(|ty| self.any(ty)).collect();
            self.b.repeat(target, values);
        } else {
            self.leave(target);
        }
    }

    /// Generates `for (n = first; n < last; n += step)`, or the same with the test at the end.
    pub(super) fn counted(&mut self) {
        self.budget -= 1;
        let first = self.random.below(3) as i32;
        let step = 1 + self.random.below(3) as i32;
        let last = first + self.random.below(7) as i32;
        let test_first = self.random.one_in(2);
        let kind = self.result_type();
        let carried = self.any(kind);
        let first = self.b.i32(first);
        let (loop_, body) = self.b.loop_(vec![first, carried], &[kind]);
        self.b.func.insts[loop_].unroll = self.some_unroll();
        let args = self.b.func.regions[body].args.clone();
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
        self.open.push(loop_);
        self.within(body, |g| {
            if test_first {
                test(g, args[0]);
            }
            for _ in 0..1 + g.random.below(3) {
                g.statement();
            }
            let carried = g.any(kind);
            let step = g.b.i32(step);
            let next = g.b.binary(BinOp::IAdd, args[0], step);
            if !test_first {
                test(g, next);
            }
            g.b.repeat(loop_, vec![next, carried]);
        });
        self.open.pop();
        let results = self.b.func.insts[loop_].results.to_vec();
        self.remember(&results);
    }

    /// Generates a loop with a known number of iterations and nothing but arithmetic.
    pub(super) fn progression(&mut self) {
        let scalar = self
            .random
            .of(&[Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]);
        let most = self.random.of(&[4, 20, 200]);
        let inputs = [self.word(), self.word()];
        let loop_ = counting_loop(&mut self.b, self.random, scalar, most, &inputs);
        let results = self.b.func.insts[loop_].results.to_vec();
        self.remember(&results);
    }

    /// Generates `for (n = 0; n < bound; n += step)` over read-only memory with an unknown bound, as kernels
    /// compute sums: straight-line code, carried values, a second counter, a rare branch, a sum in memory.
    pub(super) fn sweep(&mut self) {
        let Some(source) = self.random_source() else {
            return;
        };
        self.budget -= 1;
        let floats = self.random.one_in(3);
        let ty = if floats { Ty::F32 } else { Ty::I32 };
        let start = self.value(ty);
        let (zero, second) = (self.b.i32(0), self.b.i32(3));
        let step = match self.random.below(4) {
            0 => self.b.i32(2),
            1 => {
                // A step from 1 to 4 that is known only at run time.
                let (v, mask, one) = (self.word(), self.b.i32(3), self.b.i32(1));
                let v = self.b.binary(BinOp::And, v, mask);
                self.b.binary(BinOp::IAdd, v, one)
            }
            _ => self.b.i32(1),
        };
        let bound = self.bound;
        let (loop_, body) = self.b.loop_(vec![zero, start, second], &[ty, Ty::I32]);
        self.b.func.insts[loop_].unroll = self.some_unroll();
        let args = self.b.func.regions[body].args.clone();
        let long = self.random.below(6);
        self.within(body, |g| {
            let op = g.random.of(&[CmpOp::SLt, CmpOp::ULt]);
            let goes_on = g.b.compare(op, args[0], bound);
            let (test, then, otherwise) = g.b.if_(goes_on, &[]);
            g.b.enter(then);
            g.b.exit(test, vec![]);
            g.b.leave();
            g.b.enter(otherwise);
            g.b.exit(loop_, vec![args[1], args[2]]);
            g.b.leave();
            // The carried value is used either first or last; in the latter case an iteration need not wait
            // for the one before it.
            let carried_first = g.random.one_in(2);
            let mut v = match carried_first {
                true => args[1],
                false => g.value(ty),
            };
            for _ in 0..1 + g.random.below(3) {
                let loaded = g.load_at(source, args[0], ty);
                v = g.combine(v, loaded, ty);
            }
            // Divisions make the chain long.
            let mut chain = args[2];
            for _ in 0..long {
                let (one, c) = (g.b.i32(1), g.b.i32(7));
                let divisor = g.b.binary(BinOp::Or, chain, one);
                let quotient = g.b.binary(BinOp::UDiv, args[0], divisor);
                chain = g.b.binary(BinOp::IAdd, quotient, c);
            }
            if long > 0 {
                let word = match floats {
                    true => g.b.cast(CastOp::UToF, chain, ty),
                    false => chain,
                };
                v = match floats && long > 2 {
                    true => g.b.binary(BinOp::FDiv, word, v),
                    false => g.combine(v, word, ty),
                };
            }
            if g.random.one_in(3) {
                let limit = g.value(ty);
                let op = if floats { CmpOp::FOLt } else { CmpOp::SLt };
                let rare = g.b.compare(op, v, limit);
                let (branch, then, otherwise) = g.b.if_(rare, &[ty]);
                g.b.enter(then);
                let other = g.combine(v, limit, ty);
                g.b.exit(branch, vec![other]);
                g.b.leave();
                g.b.enter(otherwise);
                g.b.exit(branch, vec![v]);
                g.b.leave();
                v = g.b.func.insts[branch].results[0];
            }
            if !carried_first {
                v = g.combine(args[1], v, ty);
            }
            if g.random.one_in(4) {
                let at = g.random.of(&g.data.clone());
                if floats {
                    v = g.number(v);
                }
                let old = g.b.load(at, ty, WORD);
                let sum = g.combine(old, v, ty);
                let sum = if floats { g.number(sum) } else { sum };
                g.b.store(at, sum, WORD);
            }
            let next = g.b.binary(BinOp::IAdd, args[0], step);
            let three = g.b.i32(3);
            let second = match g.random.below(3) {
                0 => chain,
                1 => args[2],
                _ => g.b.binary(BinOp::IAdd, args[2], three),
            };
            g.b.repeat(loop_, vec![next, v, second]);
        });
        let results = self.b.func.insts[loop_].results.to_vec();
        self.remember(&results);
    }

    fn random_source(&mut self) -> Option<Value> {
        let local = |&v: &Value| self.b.func.ty(v).space() == Some(AddressSpace::Local);
        let local = self.objects.iter().copied().find(local);
        match self.random.one_in(3) {
            true => self.constant,
            false => local,
        }
    }

    /// Loads a number from a source, at the counter modulo the size of the source.
    fn load_at(&mut self, source: Value, counter: Value, ty: Ty) -> Value {
        let (mask, four) = (self.b.i32(15), self.b.i32(4));
        let at = match self.random.one_in(2) {
            true => self.b.binary(BinOp::And, counter, mask),
            // The bound does not exceed the size of the source.
            false if self.constant == Some(source) => counter,
            false => self.b.binary(BinOp::And, counter, mask),
        };
        // Front ends widen indices before they are multiplied.
        let at = match self.random.one_in(2) {
            true => self.b.binary(BinOp::IMul, at, four),
            false => {
                let (at, four) = (self.b.cast(CastOp::SExt, at, Ty::I64), self.b.i64(4));
                self.b.binary(BinOp::IMul, at, four)
            }
        };
        let place = self.b.ptr_add(source, at);
        let offset = 4 * self.random.below(4) as i64;
        let first = self.b.ptr_offset(place, offset);
        let mut v = self.b.load(first, Ty::I32, WORD);
        if self.random.one_in(2) {
            // Addresses that differ by constants.
            let offset = 4 * self.random.below(4) as i64;
            let second = self.b.ptr_offset(place, offset);
            let other = self.b.load(second, Ty::I32, WORD);
            v = self.combine(v, other, Ty::I32);
        }
        match ty.scalar {
            Scalar::F32 => self.b.cast(CastOp::SToF, v, ty),
            _ => v,
        }
    }

    fn combine(&mut self, a: Value, b: Value, ty: Ty) -> Value {
        let op = match ty.scalar.is_float() {
            true => self.random.of(&[BinOp::FAdd, BinOp::FSub, BinOp::FMul]),
            false => self
                .random
                .of(&[BinOp::IAdd, BinOp::ISub, BinOp::Xor, BinOp::IMul]),
        };
        self.b.binary(op, a, b)
    }
}
