//! Instructions whose operands are constants.

use crate::half;
use crate::intrinsic::Intrinsic;
use crate::ir::analysis::base_of;
use crate::ir::{
    AddressSpace, CastOp, Const, Function, Global, GlobalData, Inst, Map, Op, Scalar, Ty, Value, eval,
};

/// Returns the constant that an instruction computes.
pub(super) fn compute(
    func: &mut Function,
    globals: &Map<Global, GlobalData>,
    inst: Inst,
    ty: Ty,
) -> Option<Value> {
    let data = &func.insts[inst];
    if let Op::Load(access) = data.op {
        if access.volatile {
            return None;
        }
        let lanes = load(func, globals, data.args[0], ty)?;
        return Some(func.constant(ty, Const::Bits(lanes)));
    }
    if data.args.is_empty() {
        return None;
    }
    let args: Option<Vec<&Const>> = data.args.iter().map(|&a| func.as_const(a)).collect();
    let args = args?;
    if args.iter().all(|c| **c == Const::Undef) && keeps_undef(&data.op) {
        return Some(func.constant(ty, Const::Undef));
    }
    let types: Vec<Ty> = data.args.iter().map(|&a| func.ty(a)).collect();
    let lanes = match (&data.op, &types[..]) {
        // An undefined part may be any value.
        (Op::Construct, _) => {
            let part = |(c, t): (&&Const, &Ty)| match c {
                Const::Bits(b) => b.clone(),
                Const::Undef => vec![0; t.lanes as usize],
            };
            args.iter().zip(&types).flat_map(part).collect()
        }
        (Op::Shuffle(mask), [of, _]) => shuffle(&args, mask, *of),
        _ => {
            let bits: Option<Vec<&Vec<u64>>> = args
                .iter()
                .map(|c| match c {
                    Const::Bits(b) => Some(b),
                    Const::Undef => None,
                })
                .collect();
            on_bits(&data.op, &bits?, &types, ty)?
        }
    };
    Some(func.constant(ty, Const::Bits(lanes)))
}

/// Returns whether an operation only moves bits, so that its result is undefined if its operands are.
fn keeps_undef(op: &Op) -> bool {
    matches!(
        op,
        Op::Construct
            | Op::Splat
            | Op::Extract(_)
            | Op::Shuffle(_)
            | Op::Select
            | Op::Cast(
                CastOp::Bitcast | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrCast | CastOp::Trunc
            )
    )
}

/// Returns the lanes of a shuffle.
fn shuffle(args: &[&Const], mask: &[u8], of: Ty) -> Vec<u64> {
    let lane = |l: u8| {
        let (from, lane) = if l < of.lanes { (0, l) } else { (1, l - of.lanes) };
        match args[from] {
            Const::Bits(b) => b[lane as usize],
            Const::Undef => 0,
        }
    };
    mask.iter()
        .map(|&l| if l == 0xff { 0 } else { lane(l) })
        .collect()
}

/// Returns the lanes of the result of an operation on constants.
fn on_bits(op: &Op, args: &[&Vec<u64>], types: &[Ty], ty: Ty) -> Option<Vec<u64>> {
    let scalar = types[0].scalar;
    let lanes = ty.lanes as usize;
    match op {
        // A division by zero or a quotient that overflows has any value (OpenCL C 6.3, a). Left to the driver, it may do
        // harm: NIR of Mesa computes it with an instruction that ends the process.
        Op::Binary(op) => Some(
            (0..lanes)
                .map(|i| eval::binary(*op, scalar, args[0][i], args[1][i]).unwrap_or(0))
                .collect(),
        ),
        Op::Unary(op) => Some(args[0].iter().map(|&a| eval::unary(*op, scalar, a)).collect()),
        Op::Compare(op) => {
            let lane = |i| u64::from(eval::compare(*op, scalar, args[0][i], args[1][i]));
            Some((0..lanes).map(lane).collect())
        }
        // Pointers are not only bits: only a null pointer can be converted.
        Op::Cast(CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrCast) if args[0][0] != 0 => None,
        Op::Cast(CastOp::Bitcast) => Some(eval::bitcast(args[0], types[0], ty)),
        Op::Cast(op) => args[0]
            .iter()
            .map(|&a| eval::cast(*op, scalar, ty.scalar, a).or_else(|| nearest(*op, scalar, ty.scalar, a)))
            .collect(),
        Op::Select => {
            let chosen = |i: usize| {
                if args[0][i.min(args[0].len() - 1)] != 0 {
                    args[1][i]
                } else {
                    args[2][i]
                }
            };
            Some((0..lanes).map(chosen).collect())
        }
        Op::Splat => Some(vec![args[0][0]; lanes]),
        Op::Extract(lane) => Some(vec![args[0][*lane as usize]]),
        Op::ExtractDynamic => Some(vec![*args[0].get(args[1][0] as usize)?]),
        Op::Insert(lane) => {
            let mut all = args[0].clone();
            all[*lane as usize] = args[1][0];
            Some(all)
        }
        Op::InsertDynamic => {
            let mut all = args[0].clone();
            *all.get_mut(args[2][0] as usize)? = args[1][0];
            Some(all)
        }
        Op::Intrinsic(i) => intrinsic(*i, args, types, lanes),
        _ => None,
    }
}

/// Returns the integer for a constant float that is out of the range of the integer's type: the nearest one, and 0 for NaN. Which
/// integer it is does not matter (OpenCL C 3.1, 6.4.3.3: implementation-defined), but NVIDIA's driver (version 580) must not see the
/// conversion. It removed all code behind a branch on the integer.
fn nearest(op: CastOp, from: Scalar, to: Scalar, bits: u64) -> Option<u64> {
    let number = eval::to_f64(from, bits);
    let unused = 64 - to.bits();
    match op {
        CastOp::FToS => {
            let most = i64::MAX >> unused;
            Some((number as i64).clamp(-most - 1, most) as u64 & u64::MAX >> unused)
        }
        CastOp::FToU => Some((number as u64).min(u64::MAX >> unused)),
        _ => None,
    }
}

/// Returns the lanes of the result of an intrinsic on constants.
fn intrinsic(op: Intrinsic, args: &[&Vec<u64>], types: &[Ty], lanes: usize) -> Option<Vec<u64>> {
    let scalar = types[0].scalar;
    let is_float = |test: fn(f64) -> bool| {
        let lane = |&a: &u64| u64::from(test(eval::to_f64(scalar, a)));
        Some(args[0].iter().map(lane).collect())
    };
    match op {
        Intrinsic::IsNan => is_float(f64::is_nan),
        Intrinsic::IsInf => is_float(f64::is_infinite),
        Intrinsic::Any => Some(vec![u64::from(args[0].iter().any(|&a| a != 0))]),
        Intrinsic::All => Some(vec![u64::from(args[0].iter().all(|&a| a != 0))]),
        Intrinsic::UnpackHalf2x16 => {
            let half = |bits: u64| u64::from((half::to_f64(bits as u16) as f32).to_bits());
            Some(vec![half(args[0][0]), half(args[0][0] >> 16)])
        }
        Intrinsic::PackHalf2x16 => {
            let half = |bits: u64| u64::from(half::from_f64(f64::from(f32::from_bits(bits as u32))));
            Some(vec![half(args[0][0]) | half(args[0][1]) << 16])
        }
        _ => (0..lanes)
            .map(|i| {
                let lane: Vec<u64> = args.iter().map(|a| a[i.min(a.len() - 1)]).collect();
                eval::intrinsic(op, scalar, &lane)
            })
            .collect(),
    }
}

/// Returns the lanes of a load from an initialized constant at a constant offset.
fn load(func: &Function, globals: &Map<Global, GlobalData>, pointer: Value, ty: Ty) -> Option<Vec<u64>> {
    let (base, offset) = base_of(func, pointer);
    let def = func.def_inst(base)?;
    let Op::GlobalAddr(global) = func.insts[def].op else {
        return None;
    };
    // The contents of variables in global memory change.
    if globals[global].space != AddressSpace::Constant {
        return None;
    }
    let init = globals[global].init.as_ref()?;
    let start = usize::try_from(offset?).ok()?;
    let end = start.checked_add(ty.bytes() as usize)?;
    let bytes = init.bytes.get(start..end)?;
    let overlaps = |&(at, _, _): &(u32, Global, u64)| (at as usize) < end && at as usize + 8 > start;
    if init.relocations.iter().any(overlaps) || ty.bytes() == 0 || ty.scalar.is_ptr() {
        return None;
    }
    let lane = |c: &[u8]| c.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
    Some(bytes.chunks(ty.scalar.bytes() as usize).map(lane).collect())
}
