//! Accesses of memory: a 64-bit integer in memory is a vector of two words.

use super::{Lower, Pair, bug, in_words, is_int64};
use crate::ir::{Access, BinOp, Inst, Op, Scalar, Storage, Ty, Value};
use crate::pass::PassError;

/// For elements that are 64-bit integers, returns the type of the elements that take their place, and how many of them
/// take the place of one.
pub(super) fn words_of(elem: Ty) -> Option<(Ty, u32)> {
    if !is_int64(elem) {
        return None;
    }
    Some(match elem.lanes {
        1 => (Ty::vector(Scalar::I32, 2), 1),
        lanes if lanes % 2 == 0 => (Ty::vector(Scalar::I32, 4), u32::from(lanes / 2)),
        lanes => (Ty::vector(Scalar::I32, 2), u32::from(lanes)),
    })
}

impl Lower<'_> {
    /// Returns the location operands of an access, in words if the first is a device address.
    fn location(&mut self, storage: Storage, args: &[Value]) -> Vec<Value> {
        match storage {
            Storage::Physical if is_int64(self.ty(args[0])) => {
                let address = self.pair(args[0]);
                vec![self.joined(address)]
            }
            _ => args.to_vec(),
        }
    }

    /// Returns the words of a scalar as a vector.
    pub(super) fn joined(&mut self, pair: Pair) -> Value {
        let ty = Ty::vector(Scalar::I32, 2);
        self.b.construct(ty, vec![pair.low, pair.high])
    }

    /// Returns the operands that locate a part of the accessed memory. `part`: its number among the elements that
    /// have taken the place of one, and `parts` their number; `bytes`: its distance.
    fn part(&mut self, storage: Storage, args: &[Value], part: u32, parts: u32, bytes: u32) -> Vec<Value> {
        if storage == Storage::Physical {
            let address = self.pair(args[0]);
            if bytes == 0 {
                return vec![self.joined(address)];
            }
            let distance = self.constant(Ty::I32, u64::from(bytes));
            let moved = self.add(address, distance);
            return vec![self.joined(moved)];
        }
        let mut args = args.to_vec();
        if parts > 1
            && let Some(index) = args.last_mut()
        {
            let parts = self.b.i32(parts as i32);
            let scaled = self.b.binary(BinOp::IMul, *index, parts);
            let part = self.b.i32(part as i32);
            *index = self.b.binary(BinOp::IAdd, scaled, part);
        }
        args
    }

    /// Returns the lanes of each part of an access of 64-bit integers: the number of the first lane, and how many.
    fn lanes_of_parts(ty: Ty) -> Vec<(u8, u8)> {
        let elements = match ty.lanes {
            // A vector of three lanes occurs in memory that has addresses, where parts may differ in size.
            3 => return vec![(0, 2), (2, 1)],
            lanes => lanes,
        };
        let step = elements.min(2);
        (0..elements)
            .step_by(usize::from(step))
            .map(|first| (first, step))
            .collect()
    }

    pub(super) fn load(
        &mut self,
        inst: Inst,
        storage: Storage,
        access: Access,
        result: Value,
    ) -> Result<(), PassError> {
        let args = self.b.func.insts[inst].args.to_vec();
        let ty = self.ty(result);
        if !is_int64(ty) {
            self.b.func.insts[inst].args = self.location(storage, &args).into_iter().collect();
            self.b.push(inst);
            return Ok(());
        }
        let parts = Lower::lanes_of_parts(ty);
        let count = self.parts(storage, ty, parts.len())?;
        let (new, _) = in_words(storage);
        let mut lanes = Vec::new();
        for (n, (first, width)) in parts.into_iter().enumerate() {
            let bytes = u32::from(first) * 8;
            let location = self.part(storage, &args, n as u32, count, bytes);
            let words = Ty::vector(Scalar::I32, 2 * width);
            let op = Op::LoadFrom(new, access.at_offset(bytes));
            let loaded = self.b.value(op, location, words);
            lanes.push(self.divided(loaded, width));
        }
        let pair = match lanes[..] {
            [one] => one,
            _ => {
                let words = ty.with_scalar(Scalar::I32);
                let low = lanes.iter().map(|p| p.low).collect();
                let high = lanes.iter().map(|p| p.high).collect();
                Pair {
                    low: self.b.construct(words, low),
                    high: self.b.construct(words, high),
                }
            }
        };
        self.pairs.set(result, pair);
        Ok(())
    }

    pub(super) fn store(&mut self, inst: Inst, storage: Storage, access: Access) -> Result<(), PassError> {
        let args = self.b.func.insts[inst].args.to_vec();
        let (value, args) = args.split_last().ok_or_else(|| bug("a store without a value"))?;
        let ty = self.ty(*value);
        if !is_int64(ty) {
            let mut args = self.location(storage, args);
            args.push(*value);
            self.b.func.insts[inst].args = args.into_iter().collect();
            self.b.push(inst);
            return Ok(());
        }
        let pair = self.pair(*value);
        let parts = Lower::lanes_of_parts(ty);
        let count = self.parts(storage, ty, parts.len())?;
        let (new, _) = in_words(storage);
        for (n, (first, width)) in parts.into_iter().enumerate() {
            let bytes = u32::from(first) * 8;
            let mut location = self.part(storage, args, n as u32, count, bytes);
            let part = match (ty.lanes, width) {
                (1, _) => pair,
                (_, 1) => Pair {
                    low: self.b.extract(pair.low, first),
                    high: self.b.extract(pair.high, first),
                },
                (2, _) => pair,
                _ => Pair {
                    low: self.b.shuffle(pair.low, pair.low, vec![first, first + 1]),
                    high: self.b.shuffle(pair.high, pair.high, vec![first, first + 1]),
                },
            };
            location.push(self.interleaved(part, width));
            let op = Op::StoreTo(new, access.at_offset(bytes));
            self.b.insert(op, location, &[]);
        }
        Ok(())
    }

    /// Returns the number of elements that have taken the place of one that is accessed.
    fn parts(&self, storage: Storage, ty: Ty, parts: usize) -> Result<u32, PassError> {
        if storage == Storage::Physical {
            return Ok(1);
        }
        match words_of(ty) {
            Some((_, count)) if count as usize == parts => Ok(count),
            _ => Err(bug("an array of vectors of three lanes").into()),
        }
    }

    /// Rewrites an atomic operation, which must be one of 32 bits.
    pub(super) fn atomic(&mut self, inst: Inst, storage: Storage) -> Result<(), PassError> {
        let data = &self.b.func.insts[inst];
        let args = data.args.to_vec();
        let (location, operands) = args.split_at(storage.operands());
        let values = operands.iter().chain(&data.results);
        let wide = values.map(|&v| self.ty(v)).any(is_int64);
        if wide || storage.element().is_some_and(is_int64) {
            return Err(PassError::Unsupported {
                feature: "64-bit atomics".into(),
                span: self.b.span,
                needs: "shaderInt64".into(),
            });
        }
        let mut args = self.location(storage, location);
        args.extend(operands);
        self.b.func.insts[inst].args = args.into_iter().collect();
        self.b.push(inst);
        Ok(())
    }

    /// Returns the words of `lanes` 64-bit integers from a vector in which they alternate.
    pub(super) fn divided(&mut self, words: Value, lanes: u8) -> Pair {
        match lanes {
            1 => Pair {
                low: self.b.extract(words, 0),
                high: self.b.extract(words, 1),
            },
            _ => Pair {
                low: self.b.shuffle(words, words, vec![0, 2]),
                high: self.b.shuffle(words, words, vec![1, 3]),
            },
        }
    }

    /// Returns the words of one or two 64-bit integers as a vector in which they alternate.
    pub(super) fn interleaved(&mut self, pair: Pair, lanes: u8) -> Value {
        match lanes {
            1 => self.joined(pair),
            _ => self.b.shuffle(pair.low, pair.high, vec![0, 2, 1, 3]),
        }
    }
}
