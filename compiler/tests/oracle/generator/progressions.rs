//! Generates loops of which the number of iterations is known: counters of any width that wrap around, under every
//! comparison, and values that the iterations carry, with and without closed forms.

use super::Random;
use caldera_compiler::intrinsic::Intrinsic;
use caldera_compiler::ir::{BinOp, Builder, CastOp, CmpOp, Inst, Scalar, Ty, Value, eval};

const INTEGERS: [Scalar; 4] = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];

const COMPARISONS: [CmpOp; 10] = [
    CmpOp::INe,
    CmpOp::IEq,
    CmpOp::SLt,
    CmpOp::SLe,
    CmpOp::SGt,
    CmpOp::SGe,
    CmpOp::ULt,
    CmpOp::ULe,
    CmpOp::UGt,
    CmpOp::UGe,
];

/// Start, step and bound of a counter, which goes on while a comparison holds.
struct Counter {
    start: u64,
    step: u64,
    compare: CmpOp,
    bound: u64,
}

impl Counter {
    /// Chooses a counter that ends after at most `most` iterations.
    fn new(random: &mut Random, scalar: Scalar, most: u64) -> Counter {
        let bits = scalar.bits();
        for _ in 0..8 {
            let small = |random: &mut Random| {
                let n = random.below(12) as u64;
                eval::truncate(scalar, if random.one_in(2) { n } else { n.wrapping_neg() })
            };
            let number = |random: &mut Random| match random.one_in(2) {
                true => small(random),
                false => random.bits(bits),
            };
            let counter = Counter {
                start: number(random),
                step: number(random),
                compare: random.of(&COMPARISONS),
                bound: number(random),
            };
            let goes_on = |n: u64| {
                let x = counter.start.wrapping_add(counter.step.wrapping_mul(n));
                eval::compare(counter.compare, scalar, eval::truncate(scalar, x), counter.bound)
            };
            if (1..most).any(|n| !goes_on(n)) && goes_on(0) {
                return counter;
            }
        }
        let (start, step) = (random.bits(bits), random.bits(bits) | 1);
        let iterations = random.below(most as usize) as u64;
        Counter {
            start,
            step,
            compare: CmpOp::INe,
            bound: eval::truncate(scalar, start.wrapping_add(step.wrapping_mul(iterations))),
        }
    }
}

/// Generates the next value of a carried value `arg`. `count` is the counter, and `other` is invariant in the loop; both
/// have the type of `arg`. `args` are the values that the loop carries.
fn next_value(
    b: &mut Builder<'_>,
    random: &mut Random,
    [arg, count, other]: [Value; 3],
    args: &[Value],
) -> Value {
    let ty = b.func.ty(arg);
    let bits = u64::from(ty.scalar.bits());
    let op = |b: &mut Builder<'_>, op, x, y| b.binary(op, x, y);
    match random.below(14) {
        0 => op(b, BinOp::IAdd, other, arg),
        1 => op(b, BinOp::ISub, arg, other),
        2 => op(b, BinOp::IAdd, arg, count),
        3 | 4 => {
            let product = op(b, BinOp::IMul, count, other);
            op(b, BinOp::ISub, arg, product)
        }
        5 => op(b, BinOp::Xor, arg, other),
        6 => {
            let either = random.of(&[BinOp::And, BinOp::Or]);
            op(b, either, arg, other)
        }
        7 => op(b, BinOp::Or, other, count),
        8 => {
            let factor = b.bits(ty, random.next());
            op(b, BinOp::IMul, factor, arg)
        }
        9 => {
            let distance = b.bits(ty, random.below(2 * bits as usize) as u64);
            let shift = random.of(&[BinOp::Shl, BinOp::LShr, BinOp::AShr]);
            op(b, shift, arg, distance)
        }
        10 => random.of(&args[1..]),
        11 => op(b, BinOp::IMul, arg, arg),
        12 => {
            let least = random.of(&[Intrinsic::UMin, Intrinsic::UMax, Intrinsic::SMin, Intrinsic::SMax]);
            b.intrinsic(least, vec![arg, other], Some(ty))
                .expect("has a result")
        }
        _ => op(b, BinOp::ISub, other, arg),
    }
}

/// Generates the test of a loop on `v`, a value of the counter: the loop goes on, or it is left with some values.
fn leave_unless(
    b: &mut Builder<'_>,
    random: &mut Random,
    loop_: Inst,
    counter: &Counter,
    args: &[Value],
    v: Value,
) {
    let ty = b.func.ty(v);
    let bound = b.bits(ty, counter.bound);
    let mut goes_on = b.compare(counter.compare, v, bound);
    if random.one_in(4) {
        let other = random.bits(ty.scalar.bits());
        let other = b.bits(ty, other);
        let compare = random.of(&COMPARISONS);
        let also = b.compare(compare, v, other);
        goes_on = b.binary(BinOp::And, goes_on, also);
    }
    let (inst, then, otherwise) = b.if_(goes_on, &[]);
    b.enter(then);
    b.exit(inst, vec![]);
    b.leave();
    b.enter(otherwise);
    let mut values = args.to_vec();
    if random.one_in(2) {
        values[0] = v;
    }
    let last = values.len() - 1;
    if random.one_in(2) {
        let (ty, bits) = (b.func.ty(values[last]), random.next());
        let number = b.bits(ty, bits);
        let op = random.of(&[BinOp::IMul, BinOp::Xor, BinOp::ISub]);
        values[last] = b.binary(op, number, values[last]);
    }
    b.exit(loop_, values);
    b.leave();
}
/// Generates a loop with a counter of a type that has at most `most` iterations. `inputs` are 32-bit numbers that
/// can be used. Returns the loop; all its results are numbers.
pub(crate) fn counting_loop(
    b: &mut Builder<'_>,
    random: &mut Random,
    scalar: Scalar,
    most: u64,
    inputs: &[Value],
) -> Inst {
    let ty = Ty::of(scalar);
    let counter = Counter::new(random, scalar, most);
    let invariant = |b: &mut Builder<'_>, random: &mut Random, ty: Ty| match random.one_in(2) {
        true => {
            let bits = random.bits(ty.scalar.bits());
            b.bits(ty, bits)
        }
        false => {
            let input = random.of(inputs);
            resized(b, input, ty)
        }
    };
    let mut types = vec![ty];
    types.extend((0..1 + random.below(4)).map(|_| match random.below(6) {
        0 => Ty::vector(Scalar::I32, 2),
        1 => ty,
        _ => Ty::of(random.of(&INTEGERS)),
    }));
    let mut init = vec![b.bits(ty, counter.start)];
    for &ty in &types[1..] {
        init.push(invariant(b, random, ty));
    }
    let (loop_, body) = b.loop_(init, &types);
    let args = b.func.regions[body].args.clone();
    b.enter(body);
    let test_first = random.one_in(2);
    if test_first {
        leave_unless(b, random, loop_, &counter, &args, args[0]);
    }
    let step = b.bits(ty, counter.step);
    let next = match random.below(3) {
        0 => b.binary(BinOp::IAdd, step, args[0]),
        1 => {
            let back = b.bits(ty, counter.step.wrapping_neg());
            b.binary(BinOp::ISub, args[0], back)
        }
        _ => b.binary(BinOp::IAdd, args[0], step),
    };
    let mut values = vec![next];
    for (&arg, &ty) in args.iter().zip(&types).skip(1) {
        let other = invariant(b, random, ty);
        let count = resized(b, args[0], ty);
        let next = next_value(b, random, [arg, count, other], &args);
        values.push(resized(b, next, ty));
    }
    if !test_first {
        leave_unless(b, random, loop_, &counter, &args, next);
    }
    b.repeat(loop_, values);
    b.leave();
    loop_
}

/// Converts an integer, or the first lane of a vector, to an integer or vector type.
fn resized(b: &mut Builder<'_>, v: Value, to: Ty) -> Value {
    let from = b.func.ty(v);
    if from == to {
        return v;
    }
    let v = if from.is_vector() { b.extract(v, 0) } else { v };
    let scalar = Ty::of(to.scalar);
    let (had, has) = (from.scalar.bits(), to.scalar.bits());
    let v = match had.cmp(&has) {
        std::cmp::Ordering::Less => b.cast(CastOp::SExt, v, scalar),
        std::cmp::Ordering::Equal => v,
        std::cmp::Ordering::Greater => b.cast(CastOp::Trunc, v, scalar),
    };
    if to.is_vector() { b.splat(to, v) } else { v }
}
