//! Compares each operation on 64-bit integers that `lower_int64` has replaced by operations on words with the second
//! implementation of the operation (`reference.rs`), at the numbers where an operation on either word changes its
//! behaviour, and at random numbers.

use crate::arithmetic::{INTEGER_COMPARISONS, INTEGER_INTRINSICS, INTEGER_OPS, boundaries, float_boundaries};
use crate::exact::{self, Expected};
use crate::generator::Random;
use crate::pipeline_pass;
use crate::reference;
use caldera_compiler::diag::Diags;
use caldera_compiler::interp::{self, Memory};
use caldera_compiler::intrinsic::Intrinsic;
use caldera_compiler::inv;
use caldera_compiler::ir::{
    BinOp, Builder, CastOp, CmpOp, EntityRef, Func, Function, Module, Op, Scalar, Ty, UnOp, Value,
};
use caldera_compiler::pass::PassCx;
use caldera_compiler::target::Target;
use caldera_compiler::verify;

/// A function of one expression, after the pass.
struct Lowered {
    module: Module,
    params: Vec<Ty>,
    result: Ty,
}

impl Lowered {
    /// Generates the function and applies the pass.
    fn new(params: &[Ty], result: Ty, expression: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value) -> Self {
        let mut func = Function::new("f", params, Some(result));
        let (values, body) = (func.params.clone(), func.body);
        let mut b = Builder::at_end(&mut func, body);
        let value = expression(&mut b, &values);
        b.ret(Some(value));
        let mut module = Module::default();
        module.funcs.push(func);
        let target = Target::desktop();
        let mut diags = Diags::default();
        let pass = pipeline_pass("lower_int64");
        let changed =
            (pass.run)(&mut module, &mut PassCx::new(&target, &mut diags)).expect("the pass has all of it");
        assert_eq!(changed, caldera_compiler::pass::Changed::Yes);
        verify::module(&module, inv![Ssa, NoInt64], pass.name).expect("a correct module");
        Lowered {
            module,
            params: params.to_vec(),
            result,
        }
    }

    /// Calls the function. Arguments and result are lanes, as before the pass.
    fn call(&self, args: &[Vec<u64>]) -> Vec<u64> {
        let is_wide = |ty: &Ty| ty.scalar == Scalar::I64;
        let mut words = Vec::new();
        for (ty, lanes) in self.params.iter().zip(args) {
            if is_wide(ty) {
                words.push(lanes.iter().map(|l| l & 0xffff_ffff).collect());
                words.push(lanes.iter().map(|l| l >> 32).collect());
            } else {
                words.push(lanes.clone());
            }
        }
        let func = Func::new(0);
        let result = interp::call(&self.module, func, &words, &mut Memory::default(), 1000);
        let result = result.expect("no operation is undefined");
        if !is_wide(&self.result) {
            return result;
        }
        let (low, high) = result.split_at(usize::from(self.result.lanes));
        low.iter().zip(high).map(|(l, h)| l | h << 32).collect()
    }
}

/// Returns the numbers at which operations on words change their behaviour.
fn numbers() -> Vec<u64> {
    let mut list = boundaries(Scalar::I64);
    for word in boundaries(Scalar::I32) {
        list.extend([word, word << 32, word << 32 | 1, word << 32 | 0xffff_ffff]);
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// Calls a function with pairs of numbers.
fn each_pair(mut check: impl FnMut(u64, u64)) {
    let special = numbers();
    for (n, &a) in special.iter().enumerate() {
        // A test without optimization takes every third of the pairs.
        let step = if cfg!(debug_assertions) { 3 } else { 1 };
        for &b in special.iter().skip(n % step).step_by(step) {
            check(a, b);
        }
    }
    let mut random = Random::new(3);
    for _ in 0..300 {
        // Numbers of any length.
        let mut number = || random.bits(64) >> random.below(64);
        check(number(), number());
    }
}

/// Checks an operation on two scalars, on vectors, and with a constant as its second operand.
fn check(
    name: &str,
    emit: impl Fn(&mut Builder<'_>, Value, Value) -> Value,
    expected: impl Fn(u64, u64) -> Option<u64>,
    result: impl Fn(u8) -> Ty,
) {
    let of = |lanes: u8| Ty::vector(Scalar::I64, lanes);
    let [scalar, vector] =
        [1, 2].map(|lanes| Lowered::new(&[of(lanes); 2], result(lanes), |b, v| emit(b, v[0], v[1])));
    let mut before: Option<(u64, u64, u64)> = None;
    each_pair(|a, c| {
        let Some(wanted) = expected(a, c) else {
            return;
        };
        let got = scalar.call(&[vec![a], vec![c]]);
        assert_eq!(got, [wanted], "{name} {a:#x} {c:#x}");
        if let Some((a2, c2, wanted2)) = before.take() {
            let got = vector.call(&[vec![a, a2], vec![c, c2]]);
            assert_eq!(got, [wanted, wanted2], "{name} {a:#x} {c:#x}, {a2:#x} {c2:#x}");
        } else {
            before = Some((a, c, wanted));
        }
    });
    for c in boundaries(Scalar::I64).into_iter().chain(0..64) {
        let constant = Lowered::new(&[Ty::I64], result(1), |b, v| {
            let c = b.bits(Ty::I64, c);
            emit(b, v[0], c)
        });
        for a in boundaries(Scalar::I64) {
            if let Some(wanted) = expected(a, c) {
                assert_eq!(
                    constant.call(&[vec![a]]),
                    [wanted],
                    "{name} {a:#x}, constant {c:#x}"
                );
            }
        }
    }
}

fn int64(lanes: u8) -> Ty {
    Ty::vector(Scalar::I64, lanes)
}

#[test]
fn arithmetic_of_words() {
    for op in INTEGER_OPS {
        let expected = |a, b| reference::integer(op, 64, a, b);
        check(&format!("{op:?}"), |b, x, y| b.binary(op, x, y), expected, int64);
    }
    for op in [UnOp::INeg, UnOp::Not] {
        let expected = |a, _| reference::integer_unary(op, 64, a);
        check(&format!("{op:?}"), |b, x, _| b.unary(op, x), expected, int64);
    }
}

#[test]
fn products_of_extended_words() {
    for op in [CastOp::SExt, CastOp::ZExt] {
        let product = Lowered::new(&[Ty::I32; 2], Ty::I64, |b, v| {
            let [x, y] = [0, 1].map(|n| b.cast(op, v[n], Ty::I64));
            b.binary(BinOp::IMul, x, y)
        });
        let mixed = Lowered::new(&[Ty::I32, Ty::I64], Ty::I64, |b, v| {
            let x = b.cast(op, v[0], Ty::I64);
            b.binary(BinOp::IMul, x, v[1])
        });
        let extended = |v: u64| match op {
            CastOp::SExt => v as u32 as i32 as i64 as u64,
            _ => v,
        };
        for a in boundaries(Scalar::I32) {
            for b in boundaries(Scalar::I32) {
                let wanted = extended(a).wrapping_mul(extended(b));
                assert_eq!(
                    product.call(&[vec![a], vec![b]]),
                    [wanted],
                    "{op:?} {a:#x} {b:#x}"
                );
            }
            for b in boundaries(Scalar::I64) {
                let wanted = extended(a).wrapping_mul(b);
                assert_eq!(mixed.call(&[vec![a], vec![b]]), [wanted], "{op:?} {a:#x} {b:#x}");
            }
        }
    }
}

#[test]
fn comparisons_of_words() {
    for op in INTEGER_COMPARISONS {
        let expected = |a, b| reference::integer_compare(op, 64, a, b).map(u64::from);
        let bools = |lanes| Ty::vector(Scalar::Bool, lanes);
        check(&format!("{op:?}"), |b, x, y| b.compare(op, x, y), expected, bools);
    }
}

#[test]
fn integer_functions_of_words() {
    for op in INTEGER_INTRINSICS {
        if matches!(op, Intrinsic::UMulHigh | Intrinsic::SMulHigh) {
            // The library implements 64 bits.
            continue;
        }
        let two = matches!(
            op,
            Intrinsic::SMin | Intrinsic::SMax | Intrinsic::UMin | Intrinsic::UMax
        );
        let expected = |a, b| reference::integer_intrinsic(op, 64, a, b);
        let emit = |b: &mut Builder<'_>, x: Value, y: Value| {
            let args = if two { vec![x, y] } else { vec![x] };
            let ty = b.func.ty(x);
            b.value(Op::Intrinsic(op), args, ty)
        };
        check(&format!("{op:?}"), emit, expected, int64);
    }
}

#[test]
fn conversions_of_words() {
    let mut random = Random::new(4);
    let mut integers = numbers();
    // Halfway between two floats, and next to that, at each length.
    for shift in 0..64 {
        for pattern in [
            0x00ff_ffffu64,
            0x0100_0000,
            0x0100_0001,
            0x0180_0001,
            0x01ff_ffff,
            0x01ff_fffe,
        ] {
            let n = pattern << (shift % 40);
            integers.extend([n, n + 1, n.wrapping_sub(1), n.wrapping_neg()]);
        }
        integers.push(random.bits(64) >> shift);
    }
    for to in [Scalar::F16, Scalar::F32, Scalar::F64] {
        for (op, signed) in [(CastOp::SToF, true), (CastOp::UToF, false)] {
            let [scalar, vector] = [1, 2].map(|lanes| {
                Lowered::new(&[int64(lanes)], Ty::vector(to, lanes), |b, v| {
                    b.cast(op, v[0], Ty::vector(to, lanes))
                })
            });
            let kinds = (reference::kind(Scalar::I64, signed), reference::kind(to, true));
            for &a in &integers {
                let expected = exact::convert(a, kinds.0, kinds.1, false, None);
                let got = scalar.call(&[vec![a]]);
                assert!(
                    expected.met_by(kinds.1, got[0], true),
                    "{op:?} {a:#x} to {to:?}: {got:x?}, expected {expected:x?}"
                );
                assert_eq!(vector.call(&[vec![a, a]]), [got[0], got[0]]);
            }
        }
    }
    for from in [Scalar::F16, Scalar::F32, Scalar::F64] {
        let mut floats = float_boundaries(from);
        let kind = reference::kind(from, true);
        for &n in &integers {
            let int = reference::kind(Scalar::I64, true);
            if let Expected::Bits(bits) = exact::convert(n, int, kind, false, None) {
                floats.push(bits);
            }
        }
        floats.extend((0..500).map(|_| random.bits(from.bits())));
        for (op, signed) in [(CastOp::FToS, true), (CastOp::FToU, false)] {
            let scalar = Lowered::new(&[Ty::of(from)], Ty::I64, |b, v| b.cast(op, v[0], Ty::I64));
            let to = reference::kind(Scalar::I64, signed);
            for &a in &floats {
                let expected = exact::convert(a, kind, to, false, None);
                if matches!(expected, Expected::Any) {
                    continue;
                }
                let got = scalar.call(&[vec![a]])[0];
                assert!(
                    expected.met_by(to, got, true),
                    "{op:?} {from:?} {a:#x}: {got:#x}, expected {expected:x?}"
                );
            }
        }
    }
}

#[test]
fn extensions_and_truncations_of_words() {
    for narrow in [Scalar::Bool, Scalar::I8, Scalar::I16, Scalar::I32] {
        let values = match narrow {
            Scalar::Bool => vec![0, 1],
            _ => boundaries(narrow),
        };
        for lanes in [1, 2, 4] {
            let (ty, wide) = (Ty::vector(narrow, lanes), int64(lanes));
            for op in [CastOp::ZExt, CastOp::SExt] {
                // A vector of four lanes is more than a function returns.
                let result = if lanes > 2 { Ty::I64 } else { wide };
                let extend = Lowered::new(&[ty], result, |b, v| {
                    let all = b.cast(op, v[0], wide);
                    if lanes > 2 { b.extract(all, 3) } else { all }
                });
                for &v in &values {
                    let wanted = match (op, narrow.bits()) {
                        (CastOp::SExt, bits) => reference::signed(bits, v) as u64,
                        _ => v,
                    };
                    let got = extend.call(&[vec![v; lanes.into()]]);
                    assert!(got.iter().all(|&g| g == wanted), "{op:?} {ty} {v:#x}: {got:x?}");
                }
            }
            if narrow == Scalar::Bool {
                continue;
            }
            let truncate = Lowered::new(&[wide], ty, |b, v| b.cast(CastOp::Trunc, v[0], ty));
            for v in numbers() {
                let wanted = v & (u64::MAX >> (64 - narrow.bits()));
                let got = truncate.call(&[vec![v; lanes.into()]]);
                assert!(got.iter().all(|&g| g == wanted), "{ty} {v:#x}: {got:x?}");
            }
        }
    }
}

/// Returns the lanes of a type that hold these bytes.
fn lanes_of(ty: Ty, bytes: &[u8]) -> Vec<u64> {
    let lane = |chunk: &[u8]| chunk.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
    bytes.chunks(ty.scalar.bytes() as usize).map(lane).collect()
}

#[test]
fn reinterpreted_words() {
    let types = [
        (1, Ty::F64),
        (1, Ty::vector(Scalar::I32, 2)),
        (1, Ty::vector(Scalar::F32, 2)),
        (1, Ty::vector(Scalar::I16, 4)),
        (1, Ty::vector(Scalar::F16, 4)),
        (1, Ty::I64),
        (2, Ty::vector(Scalar::F64, 2)),
        (2, Ty::vector(Scalar::I32, 4)),
        (2, Ty::vector(Scalar::F32, 4)),
    ];
    let bytes: Vec<u8> = (1..=16).collect();
    for (lanes, other) in types {
        let wide = int64(lanes);
        let bytes = &bytes[..usize::from(lanes) * 8];
        for (from, to) in [(wide, other), (other, wide)] {
            let cast = Lowered::new(&[from], to, |b, v| b.cast(CastOp::Bitcast, v[0], to));
            let got = cast.call(&[lanes_of(from, bytes)]);
            assert_eq!(got, lanes_of(to, bytes), "{from} to {to}");
        }
    }
}

#[test]
fn switches_on_words() {
    let tables: [&[&[u64]]; 4] = [
        &[&[0, 1], &[2], &[u32::MAX as u64]],
        &[&[0x1_0000_0005], &[0x1_0000_0000, 0x1_ffff_ffff]],
        &[&[5], &[0x1_0000_0005], &[u64::MAX, 1 << 63]],
        &[],
    ];
    for table in tables {
        let cases: Vec<Vec<u64>> = table.iter().map(|c| c.to_vec()).collect();
        let switch = Lowered::new(&[Ty::I64], Ty::I64, |b, v| {
            let (inst, regions) = b.switch(v[0], cases.clone(), &[Ty::I64]);
            for (n, region) in regions.into_iter().enumerate() {
                b.enter(region);
                let number = b.i64(n as i64 | 7 << 40);
                b.exit(inst, vec![number]);
                b.leave();
            }
            b.results(inst)[0]
        });
        let values = cases.iter().flatten().copied();
        for v in values.chain(numbers()) {
            let region = cases.iter().position(|c| c.contains(&v)).unwrap_or(cases.len());
            assert_eq!(
                switch.call(&[vec![v]]),
                [region as u64 | 7 << 40],
                "{table:x?} {v:#x}"
            );
        }
    }
}

#[test]
fn moved_lanes_of_words() {
    let (two, four) = (int64(2), int64(4));
    let moves = Lowered::new(&[two, two, Ty::I32], two, |b, v| {
        let all = b.shuffle(v[0], v[1], vec![3, 0, 2, 1]);
        let first = b.extract_dynamic(all, v[2]);
        let all = b.insert_lane(all, first, 1);
        let splat = b.splat(four, first);
        let both = b.construct(four, vec![v[0], v[1]]);
        let last = b.extract(both, 3);
        let splat = b.insert_dynamic(splat, last, v[2]);
        let sum = b.binary(BinOp::IAdd, all, splat);
        b.shuffle(sum, sum, vec![1, 3])
    });
    let (a, c) = ([5u64 << 40, 6 << 33], [u64::MAX - 9, 1 << 63]);
    for n in 0..4usize {
        let mut all = [c[1], a[0], c[0], a[1]];
        let first = all[n];
        all[1] = first;
        let mut splat = [first; 4];
        splat[n] = c[1];
        let wanted = [1, 3].map(|n| all[n].wrapping_add(splat[n]));
        let got = moves.call(&[a.to_vec(), c.to_vec(), vec![n as u64]]);
        assert_eq!(got, wanted, "lane {n}");
    }
}

#[test]
fn selected_words() {
    let select = Lowered::new(&[Ty::BOOL, Ty::I64, Ty::I64], Ty::I64, |b, v| {
        b.select(v[0], v[1], v[2])
    });
    let lanes = [Ty::vector(Scalar::Bool, 2), int64(2), int64(2)];
    let each = Lowered::new(&lanes, int64(2), |b, v| b.select(v[0], v[1], v[2]));
    let (a, c) = (1 << 40 | 1, 2 << 40 | 2);
    for condition in [0, 1] {
        let wanted = if condition == 1 { a } else { c };
        assert_eq!(select.call(&[vec![condition], vec![a], vec![c]]), [wanted]);
        let got = each.call(&[vec![condition, 1], vec![a, a], vec![c, c]]);
        assert_eq!(got, [wanted, a]);
    }
}

#[test]
fn loops_carry_words() {
    // The sum of the numbers below the argument, which needs both words.
    let sum = Lowered::new(&[Ty::I64, Ty::I64], Ty::I64, |b, v| {
        let zero = b.i64(0);
        let (l, body) = b.loop_(vec![v[0], zero], &[Ty::I64]);
        let args = b.func.regions[body].args.clone();
        b.enter(body);
        let more = b.compare(CmpOp::SLt, args[0], v[1]);
        let (_, again, out) = b.if_(more, &[]);
        b.enter(again);
        let sum = b.binary(BinOp::IAdd, args[1], args[0]);
        let one = b.i64(1);
        let next = b.binary(BinOp::IAdd, args[0], one);
        b.repeat(l, vec![next, sum]);
        b.leave();
        b.enter(out);
        b.exit(l, vec![args[1]]);
        b.leave();
        b.unreachable();
        b.leave();
        b.results(l)[0]
    });
    let from = 0xffff_fffau64;
    let wanted = (from..from + 10).sum();
    assert_eq!(sum.call(&[vec![from], vec![from + 10]]), [wanted]);
}
