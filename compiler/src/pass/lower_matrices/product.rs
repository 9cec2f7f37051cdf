//! Products of emulated matrices.

use super::{Lower, bug};
use crate::intrinsic::{Intrinsic, MatrixSigns};
use crate::ir::{BinOp, CastOp, Matrix, Op, Scalar, Ty, Value};
use crate::pass::PassError;

/// The number of a matrix's component for each work-item of the sub-group.
struct Wanted {
    numbers: Vec<u32>,
    /// The number in the code is `of` × `scale` + `offset`.
    of: Value,
    scale: u32,
    offset: u32,
}

impl Lower<'_> {
    /// Emits A × B + C. Sums are computed in 32 bits at least. Only the addition of C saturates; if the sum of the products
    /// overflows, SPV_KHR_cooperative_matrix leaves the result undefined.
    pub(super) fn product(
        &mut self,
        signs: MatrixSigns,
        args: &[Value],
        to: Matrix,
    ) -> Result<Vec<Value>, PassError> {
        let of = |l: &Self, n: usize| l.matrix(args[n]).ok_or_else(|| bug("an operand is no matrix"));
        let [a, b, c] = [of(self, 0)?, of(self, 1)?, of(self, 2)?];
        let sum = match to.scalar() {
            Scalar::F64 | Scalar::I64 => Ty::of(to.scalar()),
            scalar if scalar.is_float() => Ty::F32,
            _ => Ty::I32,
        };
        let saturates = signs.has(MatrixSigns::SATURATE) && to.scalar().is_int();
        if saturates && to.scalar() == Scalar::I64 {
            let what = "a saturating product of 64-bit integers, where cooperative matrices are emulated";
            return Err(self.unsupported(what.into(), "results of at most 32 bits"));
        }
        let left = self.converted(args[0], a, signs.has(MatrixSigns::A), sum)?;
        let right = self.converted(args[1], b, signs.has(MatrixSigns::B), sum)?;
        // The sum of C is wider if it saturates.
        let whole = if saturates { Ty::I64 } else { sum };
        let addends = self.converted(args[2], c, signs.has(MatrixSigns::C), whole)?;
        let (depth, columns) = (u32::from(a.columns), u32::from(to.columns));
        let [times, plus] = match sum.scalar.is_float() {
            true => [BinOp::FMul, BinOp::FAdd],
            false => [BinOp::IMul, BinOp::IAdd],
        };
        let mut known = [Vec::new(), Vec::new()];
        let mut results = Vec::new();
        for (n, &addend) in addends.iter().enumerate() {
            let [row, column] = self.position(n as u32, columns);
            let mine = n as u32 * self.size..(n as u32 + 1) * self.size;
            let numbers = |f: &dyn Fn(u32) -> u32| mine.clone().map(f).collect();
            let mut total = if saturates { self.b.zero(sum) } else { addend };
            for k in 0..depth {
                let of_left = Wanted {
                    numbers: numbers(&|n| n / columns * depth + k),
                    of: row,
                    scale: depth,
                    offset: k,
                };
                let of_right = Wanted {
                    numbers: numbers(&|n| k * columns + n % columns),
                    of: column,
                    scale: 1,
                    offset: k * columns,
                };
                let x = self.fetched(&left, of_left, &mut known[0]);
                let y = self.fetched(&right, of_right, &mut known[1]);
                let product = self.b.binary(times, x, y);
                total = self.b.binary(plus, total, product);
            }
            if saturates {
                total = self.b.cast(CastOp::SExt, total, Ty::I64);
                total = self.b.binary(BinOp::IAdd, total, addend);
                total = self.clamped(total, to.scalar().bits(), signs.has(MatrixSigns::RESULT));
            }
            let result = Ty::of(to.scalar());
            results.push(match self.b.func.ty(total) {
                ty if ty == result => total,
                ty if ty.scalar.is_float() => self.b.cast(CastOp::FConvert, total, result),
                _ => self.b.cast(CastOp::Trunc, total, result),
            });
        }
        Ok(results)
    }

    /// Returns the components of a matrix as numbers of another type.
    fn converted(
        &mut self,
        value: Value,
        from: Matrix,
        signed: bool,
        to: Ty,
    ) -> Result<Vec<Value>, PassError> {
        let from = from.scalar();
        let cast = match (from.is_float(), to.scalar.is_float()) {
            _ if from == to.scalar => CastOp::Bitcast,
            (true, true) => CastOp::FConvert,
            (false, true) if signed => CastOp::SToF,
            (false, true) => CastOp::UToF,
            (false, false) if from.bits() > to.scalar.bits() => CastOp::Trunc,
            (false, false) if signed => CastOp::SExt,
            (false, false) => CastOp::ZExt,
            (true, false) => {
                return Err(
                    self.unsupported("a product of floats that is an integer".into(), "a float result")
                );
            }
        };
        let parts = self.parts(value)?;
        Ok(parts
            .into_iter()
            .map(|part| self.b.cast(cast, part, to))
            .collect())
    }

    /// Returns a component from the work-item that has it. `known` has those that the product has fetched before.
    fn fetched(&mut self, parts: &[Value], wanted: Wanted, known: &mut Vec<(Vec<u32>, Value)>) -> Value {
        let Wanted {
            numbers,
            of,
            scale,
            offset,
        } = wanted;
        if let Some((_, value)) = known
            .iter()
            .find(|(numbers_before, _)| *numbers_before == numbers)
        {
            return *value;
        }
        let size = self.size;
        let mut places: Vec<u32> = numbers.iter().map(|n| n / size).collect();
        places.dedup();
        let own = numbers.iter().zip(0..).all(|(n, lane)| n % size == lane);
        let ty = self.b.func.ty(parts[0]);
        let value = match places[..] {
            [place] if own => parts[place as usize],
            [place] if numbers.iter().all(|n| *n == numbers[0]) => {
                let lane = self.b.i32((numbers[0] % size) as i32);
                let op = Op::Intrinsic(Intrinsic::SubgroupBroadcast);
                self.b.value(op, [parts[place as usize], lane], ty)
            }
            _ => {
                let number = self.with(BinOp::IMul, of, scale);
                let number = self.with(BinOp::IAdd, number, offset);
                let lane = self.with(BinOp::URem, number, size);
                let at = self.with(BinOp::UDiv, number, size);
                places.sort_unstable();
                places.dedup();
                let mut found = None;
                for place in places {
                    let op = Op::Intrinsic(Intrinsic::SubgroupShuffle);
                    let this = self.b.value(op, [parts[place as usize], lane], ty);
                    found = Some(match found {
                        None => this,
                        Some(before) => {
                            let here = self.is(at, place as usize);
                            self.b.select(here, this, before)
                        }
                    });
                }
                found.unwrap_or(parts[0])
            }
        };
        known.push((numbers, value));
        value
    }

    /// Limits a 64-bit integer to the range of the result.
    fn clamped(&mut self, value: Value, bits: u32, signed: bool) -> Value {
        let (low, high) = match signed {
            true => (-1i64 << (bits - 1), (1i64 << (bits - 1)) - 1),
            false => (0, (1i64 << bits) - 1),
        };
        let [low, high] = [low, high].map(|n| self.b.i64(n));
        let value = self
            .b
            .value(Op::Intrinsic(Intrinsic::SMax), [value, low], Ty::I64);
        self.b
            .value(Op::Intrinsic(Intrinsic::SMin), [value, high], Ty::I64)
    }
}
