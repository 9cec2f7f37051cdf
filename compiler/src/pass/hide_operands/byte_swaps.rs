//! Finds the operations that complete a number whose two lowest bytes are those of another number, exchanged.

use crate::ir::{BinOp, CastOp, Function, Inst, InstData, Op, Value};
use std::collections::{HashMap, HashSet};

/// Where a byte of a number, or of each lane of a vector, comes from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Byte {
    Zero,
    /// A byte of a value; the lowest one is byte 0.
    Of(Value, u8),
}

/// The bytes of a number, the lowest first. The bytes beyond the size of the number are zero.
type Bytes = [Byte; 8];

/// Returns the instructions of a function whose result has two bytes of another number in reverse order: `or`, `xor` and `add`
/// that put the two lowest bytes there, and what takes a half of a longer reversal. Numbers in which more than two bytes are
/// reversed do not count. (Sums were right on the driver with the fault, but compilers make an `or` of them where no bits
/// overlap.)
pub(super) fn byte_swaps(func: &Function) -> HashSet<Inst> {
    let insts = func.insts_in_order();
    let (mut narrowed, mut joined) = (HashSet::new(), HashSet::new());
    for &inst in &insts {
        let data = &func.insts[inst];
        if takes_low_half(func, data) {
            narrowed.extend(data.args.iter().copied());
        }
        if is_join(&data.op) {
            joined.extend(data.args.iter().copied());
        }
    }
    let mut known = HashMap::new();
    let mut found = HashSet::new();
    for inst in insts {
        let data = &func.insts[inst];
        let [result] = data.results[..] else {
            continue;
        };
        let Some(bytes) = bytes(func, data, &known) else {
            continue;
        };
        let is_swap = if is_join(&data.op) {
            pair(&bytes, 0).is_some_and(|low| {
                let upper = &bytes[2..];
                // The driver also narrows a number of which only the low half is used.
                let is_low = upper == [Byte::Zero; 6] || low == 0 && narrowed.contains(&result);
                // Two bytes from the upper half of a number are mostly a part of a longer reversal.
                is_low && (low == 0 || !joined.contains(&result))
            })
        } else {
            takes_half(&bytes, result)
        };
        if is_swap {
            found.insert(inst);
        } else {
            // Of a result whose operand is hidden, the driver knows no byte.
            known.insert(result, bytes);
        }
    }
    found
}

/// If two bytes, from `at` on, are neighbours in another number, in reverse order, returns the index of the lower one there.
fn pair(bytes: &Bytes, at: usize) -> Option<u8> {
    match (bytes[at], bytes[at + 1]) {
        (Byte::Of(root, high), Byte::Of(other, low)) => (root == other && high == low + 1).then_some(low),
        _ => None,
    }
}

/// Whether a result consists of one half of a longer reversal: the driver then exchanges the two bytes of that half.
fn takes_half(bytes: &Bytes, result: Value) -> bool {
    (0..8).step_by(2).any(|at| {
        let is_other = |n: usize| n != at && n != at + 1;
        let is_empty = |n: usize| bytes[n] == Byte::Zero || matches!(bytes[n], Byte::Of(v, _) if v == result);
        pair(bytes, at).is_some() && (0..8).filter(|&n| is_other(n)).all(is_empty)
    })
}

/// Whether an operation can put a number together from parts with different bits.
fn is_join(op: &Op) -> bool {
    matches!(op, Op::Binary(BinOp::Or | BinOp::Xor | BinOp::IAdd))
}

/// Whether an instruction uses only the lowest 16 bits of its operand.
fn takes_low_half(func: &Function, data: &InstData) -> bool {
    match data.op {
        Op::Cast(CastOp::Trunc) => func.ty(data.results[0]).scalar.bits() <= 16,
        Op::Binary(BinOp::And) => data
            .args
            .iter()
            .any(|&a| func.as_splat(a).is_some_and(|mask| mask <= 0xffff)),
        _ => false,
    }
}

/// Returns the bytes of an instruction's result; `None` if it is no integer. A byte that is put together from several ones
/// counts as one of the result itself.
fn bytes(func: &Function, data: &InstData, known: &HashMap<Value, Bytes>) -> Option<Bytes> {
    let result = data.results[0];
    let size = size_of(func, result)?;
    let of = |n: usize| bytes_of(func, data.args[n], known);
    let fresh = own_bytes(result, size);
    let constant = |n: usize| func.as_splat(data.args[n]);
    let sign = |from: &Bytes, size: usize| from[size - 1] != Byte::Zero;
    // Byte n of the result is the one that `from` names, if the result has it.
    let moved = |from: &dyn Fn(usize) -> Byte| -> Bytes {
        std::array::from_fn(|n| if n < size { from(n) } else { Byte::Zero })
    };
    Some(match data.op {
        Op::Binary(op @ (BinOp::Shl | BinOp::LShr | BinOp::AShr | BinOp::IMul | BinOp::UDiv)) => {
            let (Some(by), from) = (constant(1).and_then(|c| bytes_moved(op, c)), of(0)?) else {
                return Some(fresh);
            };
            match op {
                BinOp::Shl | BinOp::IMul => moved(&|n| n.checked_sub(by).map_or(Byte::Zero, |n| from[n])),
                BinOp::AShr if sign(&from, size) => moved(&|n| match (n + by).checked_sub(size) {
                    None => from[n + by],
                    Some(beyond) => sign_byte(from[size - 1], beyond, fresh[n]),
                }),
                _ => moved(&|n| from.get(n + by).copied().unwrap_or(Byte::Zero)),
            }
        }
        Op::Binary(BinOp::And) => {
            let (a, b) = (of(0)?, of(1)?);
            let masks = [0, 1].map(|i| constant(i).unwrap_or(0x0101_0101_0101_0101));
            moved(&|n| match masks.map(|m| m >> (8 * n) & 0xff) {
                [0xff, _] => b[n],
                [_, 0xff] => a[n],
                _ if a[n] == Byte::Zero || b[n] == Byte::Zero => Byte::Zero,
                _ => fresh[n],
            })
        }
        Op::Binary(op @ (BinOp::Or | BinOp::Xor | BinOp::IAdd)) => {
            let (a, b) = (of(0)?, of(1)?);
            let overlaps = |n: usize| a[n] != Byte::Zero && b[n] != Byte::Zero;
            // A sum may carry into the bytes above.
            if op == BinOp::IAdd && (0..size).any(overlaps) {
                return Some(fresh);
            }
            moved(&|n| match (a[n], b[n]) {
                (Byte::Zero, one) | (one, Byte::Zero) => one,
                _ => fresh[n],
            })
        }
        Op::Cast(op @ (CastOp::ZExt | CastOp::SExt | CastOp::Trunc)) => {
            let (Some(from_size), Some(from)) = (size_of(func, data.args[0]), of(0)) else {
                return Some(fresh);
            };
            let signed = op == CastOp::SExt && sign(&from, from_size);
            moved(&|n| match n.checked_sub(from_size) {
                Some(beyond) if signed => sign_byte(from[from_size - 1], beyond, fresh[n]),
                _ => from[n],
            })
        }
        _ => fresh,
    })
}

/// Returns a byte of the sign, `beyond` bytes after the first one, of a number whose highest byte is given. The first counts as
/// the byte that follows the highest one in the number from which that came, because to exchange these two is the same fault.
fn sign_byte(highest: Byte, beyond: usize, own: Byte) -> Byte {
    match highest {
        Byte::Of(root, index) if beyond == 0 => Byte::Of(root, index + 1),
        _ => own,
    }
}

/// Returns the number of bytes by which an operation with a constant moves those of its first operand, if it does
/// nothing else.
fn bytes_moved(op: BinOp, constant: u64) -> Option<usize> {
    let bits = match op {
        BinOp::IMul | BinOp::UDiv => constant.is_power_of_two().then(|| u64::from(constant.ilog2()))?,
        _ => constant,
    };
    (bits % 8 == 0 && bits < 64).then_some(bits as usize / 8)
}

/// Returns the bytes of an operand; `None` if it is no integer.
fn bytes_of(func: &Function, value: Value, known: &HashMap<Value, Bytes>) -> Option<Bytes> {
    if let Some(bytes) = known.get(&value) {
        return Some(*bytes);
    }
    let mut bytes = own_bytes(value, size_of(func, value)?);
    if let Some(constant) = func.as_splat(value) {
        for (n, byte) in bytes.iter_mut().enumerate() {
            if constant >> (8 * n) & 0xff == 0 {
                *byte = Byte::Zero;
            }
        }
    }
    Some(bytes)
}

/// Returns the bytes of a value as its own.
fn own_bytes(value: Value, size: usize) -> Bytes {
    std::array::from_fn(|n| match n < size {
        true => Byte::Of(value, n as u8),
        false => Byte::Zero,
    })
}

/// Returns the size in bytes of an integer, or of a lane of a vector of integers; `None` for other types.
fn size_of(func: &Function, value: Value) -> Option<usize> {
    let scalar = func.ty(value).scalar;
    scalar.is_int().then(|| scalar.bits() as usize / 8)
}
