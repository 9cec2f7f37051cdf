//! Rules for the operations on cooperative matrices (SPV_KHR_cooperative_matrix).

use super::types::{Check, location, pointer, require};
use crate::intrinsic::{MatrixEach, MatrixOp, MatrixSigns};
use crate::ir::{AddressSpace, Matrix, MatrixAccess, MatrixUse, Scalar, Storage, Ty};

/// Checks an access that `lower_memory` has made.
pub(super) fn access(access: &MatrixAccess, storage: Storage, args: &[Ty], results: &[Ty]) -> Check {
    let at = storage.operands();
    let value = results.first().or(args.get(at + 1));
    let is_matrix = value.is_some_and(|ty| ty.scalar.matrix().is_some());
    require(
        is_matrix && args.get(at) == Some(&Ty::I32),
        "needs an i32 and a matrix",
    )?;
    let reachable = matches!(
        storage,
        Storage::Physical | Storage::Arena(_) | Storage::Buffer(..) | Storage::Shared(..)
    );
    require(reachable, "no matrices in this storage")?;
    location(storage, args, access.element, access.stores)
}

/// Checks the operands and the result of an operation.
pub(super) fn check(op: MatrixOp, args: &[Ty], results: &[Ty]) -> Check {
    let matrices: Vec<Option<Matrix>> = args.iter().map(|a| a.scalar.matrix()).collect();
    let result = results.first().and_then(|r| r.scalar.matrix());
    let of = |n: usize| matrices.get(n).copied().flatten();
    let component = |m: Option<Matrix>| m.map(|m| Ty::of(m.scalar()));
    let same = |n: usize| result.is_some() && args.get(n) == results.first();
    let fits = match op {
        MatrixOp::Load(_) | MatrixOp::Store(_) => {
            let stores = matches!(op, MatrixOp::Store(_));
            require(!args.is_empty(), "needs a pointer")?;
            pointer(args[0], stores)?;
            let space = args[0].space();
            require(
                !matches!(space, Some(AddressSpace::Private | AddressSpace::Generic)),
                "matrices are in global, constant or local memory",
            )?;
            let (count, matrix) = if stores { (3, of(2)) } else { (2, result) };
            args.len() == count
                && args[1] == Ty::I32
                && matrix.is_some()
                && results.len() == usize::from(!stores)
        }
        MatrixOp::MultiplyAdd(signs) => product(signs, [of(0), of(1), of(2), result]) && args.len() == 3,
        MatrixOp::Fill => args.len() == 1 && result.is_some() && component(result) == Some(args[0]),
        MatrixOp::Length => args.len() == 1 && of(0).is_some() && results == [Ty::I32],
        MatrixOp::Extract => {
            args.len() == 2
                && args[1] == Ty::I32
                && of(0).is_some()
                && component(of(0)) == results.first().copied()
        }
        MatrixOp::Insert => {
            args.len() == 3 && same(0) && component(result) == Some(args[1]) && args[2] == Ty::I32
        }
        MatrixOp::Scale => args.len() == 2 && same(0) && component(result) == Some(args[1]),
        MatrixOp::Each(op) => {
            let (Some(from), Some(to)) = (of(0), result) else {
                return Err("the operand or the result is no matrix".into());
            };
            args.len() == op.operands()
                && (op.operands() == 1 || args[0] == args[1])
                && from.has_shape_of(to)
                && each(op, from.scalar(), to.scalar())
        }
    };
    require(
        fits,
        "the operands or the result do not fit the operation on matrices",
    )
}

/// Returns whether the matrices of a product fit together. A sign is only for integers.
fn product(signs: MatrixSigns, matrices: [Option<Matrix>; 4]) -> bool {
    let [Some(a), Some(b), Some(c), Some(result)] = matrices else {
        return false;
    };
    let bits = [
        MatrixSigns::A,
        MatrixSigns::B,
        MatrixSigns::C,
        MatrixSigns::RESULT,
    ];
    let signed_integers = bits
        .into_iter()
        .zip([a, b, c, result])
        .all(|(bit, m)| !signs.has(bit) || m.scalar().is_int());
    signed_integers
        && (a.role, b.role, c.role) == (MatrixUse::A, MatrixUse::B, MatrixUse::Accumulator)
        && result.has_shape_of(c)
        && (a.rows, b.columns, a.columns) == (c.rows, c.columns, b.rows)
}

/// Returns whether an operation on components of one type has results of another.
fn each(op: MatrixEach, from: Scalar, to: Scalar) -> bool {
    match op {
        MatrixEach::IAdd
        | MatrixEach::ISub
        | MatrixEach::IMul
        | MatrixEach::SDiv
        | MatrixEach::UDiv
        | MatrixEach::INeg => from.is_int() && from == to,
        MatrixEach::FAdd | MatrixEach::FSub | MatrixEach::FMul | MatrixEach::FDiv | MatrixEach::FNeg => {
            from.is_float() && from == to
        }
        MatrixEach::Trunc => from.is_int() && to.is_int() && to.bits() < from.bits(),
        MatrixEach::ZExt | MatrixEach::SExt => from.is_int() && to.is_int() && to.bits() > from.bits(),
        MatrixEach::FConvert => from.is_float() && to.is_float() && from != to,
        MatrixEach::FToS | MatrixEach::FToU => from.is_float() && to.is_int(),
        MatrixEach::SToF | MatrixEach::UToF => from.is_int() && to.is_float(),
        MatrixEach::Bitcast => from.bits() == to.bits(),
    }
}
