//! Points-to analysis by inclusion (Andersen), for the descriptor ABI, where a pointer is an offset into a
//! memory object that an access must name.
//!
//! Pointers that are stored are not followed through memory: a loaded pointer may point to any object that a
//! stored pointer of the same kind points to. Constant memory is never stored to, so the caller provides the
//! objects of pointers in it. Null pointers point to no object, unless the caller has a number for NULL. A
//! pointer made of a number points to the objects of the pointers from which the number was computed; numbers
//! are followed through registers and private memory.

use crate::ir::inst::CastOp;
use crate::ir::{AddressSpace, EntityRef, Function, Op, Ty, Value};

/// A kind of memory whose pointers do not mix with others.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    Buffers,
    Local,
}

/// Returns the kind of memory into which a pointer points, if the analysis follows it.
fn kind_of(func: &Function, v: Value) -> Option<Kind> {
    match func.ty(v).space()? {
        AddressSpace::Global | AddressSpace::Constant => Some(Kind::Buffers),
        AddressSpace::Local => Some(Kind::Local),
        AddressSpace::Private | AddressSpace::Push | AddressSpace::Args | AddressSpace::Generic => None,
    }
}

/// Returns whether a pointer points into private memory.
fn is_private(func: &Function, pointer: Value) -> bool {
    func.ty(pointer).space() == Some(AddressSpace::Private)
}

/// The sets of objects into which a function's pointers to buffers and local memory may point.
#[derive(Debug)]
pub struct PointsTo {
    /// The number of words of a set.
    width: usize,
    /// The sets of all values, followed by the sets of stored pointers of each kind, and of stored numbers.
    bits: Vec<u64>,
}

impl PointsTo {
    /// Computes the sets. `roots` returns the objects, with numbers below `objects`, into which a value
    /// points by itself.
    pub fn new<R>(func: &Function, objects: usize, roots: impl Fn(Value) -> R) -> PointsTo
    where
        R: IntoIterator<Item = u32>,
    {
        let width = objects.div_ceil(64).max(1);
        let values = func.values.len();
        let mut sets = PointsTo {
            width,
            bits: vec![0; (values + 3) * width],
        };
        for v in func.values.keys() {
            if kind_of(func, v).is_some() {
                for object in roots(v) {
                    sets.bits[v.index() * width + object as usize / 64] |= 1 << (object % 64);
                }
            }
        }
        let flows = flows(func);
        let mut changed = true;
        while changed {
            changed = false;
            for &(from, to) in &flows {
                for word in 0..width {
                    let bits = sets.bits[from * width + word];
                    let target = &mut sets.bits[to * width + word];
                    changed |= bits & !*target != 0;
                    *target |= bits;
                }
            }
        }
        sets
    }

    /// Returns the numbers of the objects into which a pointer may point.
    pub fn of(&self, v: Value) -> impl Iterator<Item = u32> + '_ {
        let start = v.index() * self.width;
        let words = self.bits.get(start..start + self.width).unwrap_or(&[]);
        words.iter().enumerate().flat_map(|(i, &word)| {
            (0..64u32)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| i as u32 * 64 + bit)
        })
    }

    /// Returns whether a pointer may point into more than one object.
    pub fn is_many(&self, v: Value) -> bool {
        self.of(v).nth(1).is_some()
    }
}

/// Returns the pairs of sets of which the second includes the first: the flow of pointers, and of numbers
/// made of them.
fn flows(func: &Function) -> Vec<(usize, usize)> {
    let stored = |kind: Kind| func.values.len() + usize::from(kind == Kind::Local);
    let stored_numbers = func.values.len() + 2;
    let insts = func.insts_in_order();
    let from_numbers = insts.iter().any(|&inst| {
        let data = &func.insts[inst];
        data.op == Op::Cast(CastOp::IntToPtr) && kind_of(func, data.results[0]).is_some()
    });
    let is_number = |v: Value| from_numbers && func.ty(v) == Ty::I64;
    let carries = |v: Value| kind_of(func, v).is_some() || is_number(v);
    let mut list = Vec::new();
    let mut flow = |from: Value, to: Value| {
        if carries(from) && carries(to) {
            list.push((from.index(), to.index()));
        }
    };
    for &inst in &insts {
        let data = &func.insts[inst];
        match &data.op {
            Op::Unary(_) | Op::Binary(_) | Op::Cast(_) => {
                for &arg in &data.args {
                    flow(arg, data.results[0]);
                }
            }
            Op::PtrAdd => flow(data.args[0], data.results[0]),
            Op::Select => {
                flow(data.args[1], data.results[0]);
                flow(data.args[2], data.results[0]);
            }
            Op::Loop => {
                for (&arg, &init) in func.regions[data.regions[0]].args.iter().zip(&data.args) {
                    flow(init, arg);
                }
            }
            Op::Exit(target) => {
                for (&result, &v) in func.insts[*target].results.iter().zip(&data.args) {
                    flow(v, result);
                }
            }
            Op::Repeat(target) => {
                let region = func.insts[*target].regions[0];
                for (&arg, &v) in func.regions[region].args.iter().zip(&data.args) {
                    flow(v, arg);
                }
            }
            _ => {}
        }
    }
    for &inst in &insts {
        let data = &func.insts[inst];
        match &data.op {
            Op::Store(_) => {
                if let Some(kind) = kind_of(func, data.args[1]) {
                    list.push((data.args[1].index(), stored(kind)));
                } else if is_number(data.args[1]) && is_private(func, data.args[0]) {
                    list.push((data.args[1].index(), stored_numbers));
                }
            }
            Op::Load(_) if func.ty(data.args[0]).space() != Some(AddressSpace::Constant) => {
                if let Some(kind) = kind_of(func, data.results[0]) {
                    list.push((stored(kind), data.results[0].index()));
                } else if is_number(data.results[0]) && is_private(func, data.args[0]) {
                    list.push((stored_numbers, data.results[0].index()));
                }
            }
            _ => {}
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    #[test]
    fn selects_join_and_memory_mixes() {
        let text = "\
func @f0 \"k\"(%v0: ptr<global>, %v1: ptr<global>, %v2: bool) {
  %v3: ptr<private> = alloca size 8 align 8
  %v4: ptr<global> = Select %v2, %v0, %v1
  %v5: ptr<global> = ptr_add %v4, i32 4
  %v6: ptr<global> = ptr_add %v0, i32 4
  Store align 8 %v3, %v6
  %v7: ptr<global> = Load align 8 %v3
  Return
}
";
        let module = parse(text).expect("valid");
        let func = &module.funcs[crate::ir::Func::new(0)];
        let sets = PointsTo::new(func, 2, |v| {
            func.params.iter().position(|&p| p == v).map(|n| n as u32)
        });
        let found = |n: usize| {
            let inst = func.insts_in_order()[n];
            sets.of(func.insts[inst].results[0]).collect::<Vec<_>>()
        };
        assert_eq!(found(1), [0, 1]);
        assert_eq!(found(2), [0, 1]);
        assert_eq!(found(3), [0]);
        assert_eq!(found(5), [0]);
    }
}
