//! Emulated matrices in variables: arrays of them whose indices are computed.
//!
//! In private memory, a matrix counts for [`Matrix::NOMINAL_BYTES`], whatever it needs. Here the components of the work-item
//! follow one another instead, so variables become larger, and all offsets into them too.

use super::Lower;
use crate::ir::walk::Walk;
use crate::ir::{Access, BinOp, Function, Inst, InstData, Matrix, Op, Ty, Value};
use crate::pass::PassError;
use std::collections::BTreeMap;

/// The variables with matrices, and the pointers into them.
pub(super) struct Variables {
    /// For each such pointer, how many times the nominal bytes a matrix occupies there.
    scales: BTreeMap<Value, u32>,
}

/// What is known of a variable.
#[derive(Default)]
struct Uses {
    /// The most bytes that a work-item has of any matrix in it.
    bytes: u32,
    /// Whether it is accessed in no other way than by loads and stores of matrices.
    plain: bool,
}

impl Variables {
    /// Finds the variables of a function, for sub-groups of `size` work-items.
    pub(super) fn new(func: &Function, size: u32) -> Variables {
        // The variable of each pointer into one. Definitions come before uses.
        let mut variables: BTreeMap<Value, Value> = BTreeMap::new();
        let mut uses: BTreeMap<Value, Uses> = BTreeMap::new();
        let mut walk = Walk::new(func);
        while let Some((_, inst)) = walk.next(func) {
            let data = &func.insts[inst];
            if let (Op::Alloca { .. }, Some(&result)) = (&data.op, data.results.first()) {
                variables.insert(result, result);
                let new = Uses {
                    bytes: 0,
                    plain: true,
                };
                uses.insert(result, new);
            }
            for (n, arg) in data.args.iter().enumerate() {
                let Some(&variable) = variables.get(arg) else {
                    continue;
                };
                let found = uses.entry(variable).or_default();
                match (&data.op, n, in_memory(func, data)) {
                    (Op::PtrAdd, 0, _) => {
                        variables.insert(data.results[0], variable);
                    }
                    (Op::Load(_) | Op::Store(_), 0, Some(matrix)) => {
                        let all = u32::from(matrix.rows) * u32::from(matrix.columns);
                        found.bytes = found.bytes.max(all.div_ceil(size) * matrix.scalar().bytes());
                    }
                    _ => found.plain = false,
                }
            }
        }
        let scale = |(pointer, variable): (Value, Value)| {
            let uses = uses.get(&variable)?;
            let scale = uses.bytes.div_ceil(Matrix::NOMINAL_BYTES);
            (uses.plain && uses.bytes > 0).then_some((pointer, scale))
        };
        Variables {
            scales: variables.into_iter().filter_map(scale).collect(),
        }
    }
}

/// Returns the matrix that an instruction loads or stores whole.
fn in_memory(func: &Function, data: &InstData) -> Option<Matrix> {
    let value = match data.op {
        Op::Load(_) => data.results.first(),
        Op::Store(_) => data.args.get(1),
        _ => None,
    };
    func.ty(*value?).scalar.matrix()
}

impl Lower<'_> {
    /// Rewrites an instruction that has to do with a variable. Returns whether it was one.
    pub(super) fn variable(&mut self, inst: Inst, data: &InstData) -> Result<bool, PassError> {
        let of = |v: Option<&Value>| v.and_then(|v| self.variables.scales.get(v)).copied();
        match data.op {
            Op::Alloca { size, align } => {
                let Some(scale) = of(data.results.first()) else {
                    return Ok(false);
                };
                let size = size.saturating_mul(scale);
                self.b.func.insts[inst].op = Op::Alloca { size, align };
                self.b.push(inst);
            }
            Op::PtrAdd => {
                let Some(scale) = of(data.args.first()) else {
                    return Ok(false);
                };
                let offset = self.others.get(data.args[1]);
                let offset = match self.b.func.ty(offset) {
                    Ty::I64 => {
                        let scale = self.b.i64(scale.into());
                        self.b.binary(BinOp::IMul, offset, scale)
                    }
                    _ => self.with(BinOp::IMul, offset, scale),
                };
                self.b.func.insts[inst].args[1] = offset;
                self.b.push(inst);
            }
            Op::Load(access) | Op::Store(access) => {
                let Some(matrix) = in_memory(self.b.func, data).filter(|_| of(data.args.first()).is_some())
                else {
                    return Ok(false);
                };
                let component = Ty::of(matrix.scalar());
                let access = Access {
                    align: component.bytes(),
                    ..access
                };
                let count = self.count(matrix)?;
                let places: Vec<Value> = (0..count)
                    .map(|n| {
                        let offset = self.b.i64(i64::from(n * component.bytes()));
                        self.b.ptr_add(data.args[0], offset)
                    })
                    .collect();
                match data.results.first() {
                    Some(&result) => {
                        let load = |place| self.b.load(place, component, access);
                        let parts = places.into_iter().map(load).collect();
                        self.parts.set(result, parts);
                    }
                    None => {
                        let parts = self.parts(data.args[1])?;
                        for (place, part) in places.into_iter().zip(parts) {
                            self.b.store(place, part, access);
                        }
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
