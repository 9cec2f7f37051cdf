//! Cooperative matrices. Each work-item has a copy of the whole matrix, row by row, of which only its own components
//! count: those whose number, modulo the size of the sub-group, is the work-item's number. Operations that a sub-group
//! performs together take each component from its owner.

use super::memory::Memory;
use super::{Trap, Undefined};
use crate::intrinsic::{MatrixEach, MatrixLayout, MatrixOp, MatrixSigns};
use crate::ir::{BinOp, CastOp, Matrix, MatrixUse, Op, Scalar, Ty, eval};

/// The work-item of a sub-group that executes an operation, and the size of sub-groups.
#[derive(Copy, Clone, Debug)]
pub(super) struct Place {
    pub(super) item: u32,
    pub(super) size: u32,
}

impl Place {
    /// Returns which number of the whole matrix a component of the work-item is.
    fn element(self, component: u64) -> usize {
        component as usize * self.size as usize + self.item as usize
    }
}

fn count(matrix: Matrix) -> usize {
    usize::from(matrix.rows) * usize::from(matrix.columns)
}

/// Returns all components. A constant has the same one everywhere.
fn whole(lanes: &[u64], matrix: Matrix) -> Vec<u64> {
    match lanes {
        [one] => vec![*one; count(matrix)],
        _ => lanes.to_vec(),
    }
}

/// Returns the offset in bytes of a component in memory.
fn offset(matrix: Matrix, layout: MatrixLayout, stride: u64, element: usize) -> u64 {
    let (row, column) = (
        element / usize::from(matrix.columns),
        element % usize::from(matrix.columns),
    );
    let (line, within) = match layout {
        MatrixLayout::Rows => (row, column),
        MatrixLayout::Columns => (column, row),
    };
    line as u64 * stride + within as u64 * u64::from(matrix.scalar().bytes())
}

/// Loads a matrix whose rows or columns are `stride` bytes apart.
pub(super) fn load(
    memory: &Memory,
    address: u64,
    (matrix, layout, stride): (Matrix, MatrixLayout, u64),
) -> Result<Vec<u64>, Trap> {
    let scalar = matrix.scalar();
    (0..count(matrix))
        .map(|n| {
            let bytes = memory.read(address + offset(matrix, layout, stride, n), scalar.bytes())?;
            Ok(super::lanes_of(bytes, scalar, 1)[0])
        })
        .collect()
}

/// Stores the components of one work-item.
pub(super) fn store(
    memory: &mut Memory,
    address: u64,
    (matrix, layout, stride): (Matrix, MatrixLayout, u64),
    place: Place,
    lanes: &[u64],
) -> Result<(), Trap> {
    let all = whole(lanes, matrix);
    let width = matrix.scalar().bytes() as usize;
    for n in (place.item as usize..all.len()).step_by(place.size as usize) {
        let bytes = all[n].to_le_bytes();
        memory.write(address + offset(matrix, layout, stride, n), &bytes[..width])?;
    }
    Ok(())
}

/// Puts a matrix into private memory: the address of an object that has its components.
pub(super) fn put(memory: &mut Memory, address: u64, matrix: Matrix, lanes: &[u64]) -> Result<(), Trap> {
    let bytes = whole(lanes, matrix)
        .iter()
        .flat_map(|l| l.to_le_bytes())
        .collect();
    let object = memory.add(bytes);
    memory.write(address, &object.to_le_bytes())
}

/// Takes a matrix from private memory.
pub(super) fn take(memory: &Memory, address: u64, matrix: Matrix) -> Result<Vec<u64>, Trap> {
    let object = super::lanes_of(memory.read(address, 8)?, Scalar::I64, 1)[0];
    match object {
        // The memory has not been written.
        0 => Ok(vec![0; count(matrix)]),
        _ => Ok(super::lanes_of(memory.object(object), Scalar::I64, count(matrix))),
    }
}

/// Executes an operation that a work-item performs on its own.
pub(super) fn local(
    op: MatrixOp,
    args: &[Vec<u64>],
    matrix: Matrix,
    place: Place,
    undefined: Undefined,
) -> Result<Vec<u64>, Trap> {
    let mut all = whole(&args[0], matrix);
    let index = |n: usize| place.element(args[n][0]);
    let outside = || Trap::Undefined("a component that the work-item does not have".into());
    match op {
        MatrixOp::Length => {
            let others = count(matrix).saturating_sub(place.item as usize);
            Ok(vec![others.div_ceil(place.size as usize) as u64])
        }
        MatrixOp::Extract => match all.get(index(1)) {
            Some(component) => Ok(vec![*component]),
            None if undefined == Undefined::Anything => Ok(vec![0]),
            None => Err(outside()),
        },
        MatrixOp::Insert => {
            match all.get_mut(index(2)) {
                Some(component) => *component = args[1][0],
                None if undefined == Undefined::Anything => {}
                None => return Err(outside()),
            }
            Ok(all)
        }
        _ => Err(Trap::NotSupported("an operation of a whole sub-group".into())),
    }
}

/// Returns an operand that each work-item of a sub-group has: if it is a matrix, each component from its owner.
pub(super) fn joined(
    operand: usize,
    ty: Ty,
    args: &[Option<Vec<Vec<u64>>>],
    undefined: Undefined,
) -> Result<Vec<u64>, Trap> {
    let copies = args.iter().flatten().map(|a| &a[operand]);
    let Some(matrix) = ty.scalar.matrix() else {
        return Ok(copies.into_iter().next().cloned().unwrap_or_default());
    };
    let copies: Vec<Vec<u64>> = copies.map(|lanes| whole(lanes, matrix)).collect();
    if copies.len() != args.len() && undefined == Undefined::Trap {
        return Err(Trap::Divergence);
    }
    Ok((0..count(matrix)).map(|n| copies[n % copies.len()][n]).collect())
}

/// Executes an operation that the work-items of a sub-group perform together.
pub(super) fn together(
    op: MatrixOp,
    args: &[Vec<u64>],
    types: &[Ty],
    result: Matrix,
) -> Result<Vec<u64>, Trap> {
    let scalar = result.scalar();
    let of = |n: usize| types.get(n).and_then(|t| t.scalar.matrix());
    let each = |f: &dyn Fn(usize) -> Option<u64>| -> Result<Vec<u64>, Trap> {
        let all: Option<Vec<u64>> = (0..count(result)).map(f).collect();
        all.ok_or_else(|| Trap::Undefined(format!("{op:?}")))
    };
    match op {
        MatrixOp::Fill => Ok(whole(&args[0], result)),
        MatrixOp::Scale => {
            let times = if scalar.is_float() {
                BinOp::FMul
            } else {
                BinOp::IMul
            };
            each(&|n| eval::binary(times, scalar, args[0][n], args[1][0]))
        }
        MatrixOp::Each(each_op) => {
            let from = of(0).map_or(scalar, Matrix::scalar);
            each(&|n| {
                let second = args.get(1).map_or(0, |b| b[n]);
                component(each_op, from, scalar, args[0][n], second)
            })
        }
        MatrixOp::MultiplyAdd(signs) => match (of(0), of(1), of(2)) {
            (Some(a), Some(b), Some(c)) => each(&|n| product(signs, [a, b, c], result, args, n)),
            _ => Err(Trap::NotSupported(
                "a product of other things than matrices".into(),
            )),
        },
        MatrixOp::Load(_) | MatrixOp::Store(_) | MatrixOp::Length | MatrixOp::Extract | MatrixOp::Insert => {
            Err(Trap::NotSupported("an operation of one work-item".into()))
        }
    }
}

fn component(op: MatrixEach, from: Scalar, to: Scalar, a: u64, b: u64) -> Option<u64> {
    match op.into() {
        Op::Binary(op) => eval::binary(op, from, a, b),
        Op::Unary(op) => Some(eval::unary(op, from, a)),
        Op::Cast(CastOp::Bitcast) => Some(a),
        Op::Cast(op) => eval::cast(op, from, to, a),
        _ => None,
    }
}

/// Returns component `n` of A × B + C. Floats are summed up in f64 and rounded once.
fn product(
    signs: MatrixSigns,
    [a, b, c]: [Matrix; 3],
    result: Matrix,
    args: &[Vec<u64>],
    n: usize,
) -> Option<u64> {
    debug_assert_eq!(a.role, MatrixUse::A);
    let (row, column) = (n / usize::from(result.columns), n % usize::from(result.columns));
    let pairs = (0..usize::from(a.columns)).map(|k| {
        let left = args[0][row * usize::from(a.columns) + k];
        let right = args[1][k * usize::from(b.columns) + column];
        (left, right)
    });
    let scalar = result.scalar();
    if scalar.is_float() {
        let value = |m: Matrix, v: u64| match m.scalar() {
            s if s.is_float() => eval::to_f64(s, v),
            s => eval::signed(s, v) as f64,
        };
        let sum = pairs.fold(value(c, args[2][n]), |sum, (l, r)| {
            sum + value(a, l) * value(b, r)
        });
        return Some(eval::from_f64(scalar, sum));
    }
    let value = |m: Matrix, bit: u8, v: u64| match signs.has(bit) {
        true => i128::from(eval::signed(m.scalar(), v)),
        false => i128::from(v),
    };
    let sum: i128 = pairs
        .map(|(l, r)| value(a, MatrixSigns::A, l) * value(b, MatrixSigns::B, r))
        .sum();
    let mut exact = sum + value(c, MatrixSigns::C, args[2][n]);
    if signs.has(MatrixSigns::SATURATE) {
        let bits = scalar.bits();
        let (low, high) = match signs.has(MatrixSigns::RESULT) {
            true => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
            false => (0, (1 << bits) - 1),
        };
        exact = exact.clamp(low, high);
    }
    Some(eval::truncate(scalar, exact as u64))
}
