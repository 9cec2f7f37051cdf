//! Loads that the work-items of a sub-group share, for `share_loads`.
//!
//! In each iteration of the batch all work-items would load from one address. Instead, work-item 0 of the
//! sub-group loads the value for iteration 0, work-item 1 that for iteration 1, and so on, and the others get
//! the values by shuffles.

use super::{Batch, Candidate, Growth, times};
use crate::hash::ordered;
use crate::intrinsic::Intrinsic;
use crate::ir::build::Builder;
use crate::ir::clone::Copier;
use crate::ir::{BinOp, CastOp, Function, Inst, Op, Region, Scalar, Storage, Ty, Value, ValueDef};
use crate::pass::analysis::uniformity::Uniformity;
use std::collections::{BTreeMap, BTreeSet};

/// The values in an iteration from which the address of a load is computed.
#[derive(Default)]
struct Sources {
    insts: BTreeSet<Inst>,
    /// The numbers of the loop's arguments.
    args: BTreeSet<usize>,
}

impl Candidate {
    /// Returns the instructions and arguments of the loop from which the address of a load is computed.
    fn sources(&self, func: &Function, load: Inst) -> Sources {
        let body = func.insts[self.loop_].regions[0];
        let mut sources = Sources::default();
        let mut todo: Vec<Value> = func.insts[load].args.to_vec();
        while let Some(value) = todo.pop() {
            match func.values[value].def {
                ValueDef::Arg(region, n) if region == body => {
                    sources.args.insert(n as usize);
                }
                ValueDef::Inst(inst, _) if self.first.contains(&inst) && sources.insts.insert(inst) => {
                    todo.extend(func.insts[inst].args.iter());
                }
                ValueDef::Const(_) | ValueDef::Param(_) | ValueDef::Arg(..) | ValueDef::Inst(..) => {}
            }
        }
        sources
    }

    /// Returns the indices in `first` of the loads whose address is the same for all work-items of a
    /// sub-group, changes from iteration to iteration, and can be computed in advance. Values of fewer than
    /// `least_bytes` bytes in a lane are left out.
    pub(in crate::pass) fn shared_loads(
        &self,
        func: &Function,
        uniformity: &Uniformity,
        least_bytes: u32,
    ) -> Vec<usize> {
        let is_shared = |load: Inst| {
            let data = &func.insts[load];
            let slow = matches!(
                data.op,
                Op::LoadFrom(Storage::Physical | Storage::Arena(_) | Storage::Shared(..), _)
            );
            let is_narrow = |&v: &Value| func.ty(v).scalar.bytes() < least_bytes;
            if !slow || data.results.iter().any(is_narrow) || data.args.iter().any(|&a| uniformity.varies(a))
            {
                return false;
            }
            let args = self.sources(func, load).args;
            let growths = args.iter().map(|&n| self.arg_growth(func, n));
            let known: Option<Vec<Growth>> = growths.collect();
            known.is_some_and(|list| list.iter().any(|g| matches!(g, Growth::By(_))))
        };
        (0..self.first.len())
            .filter(|&n| is_shared(self.first[n]))
            .collect()
    }

    /// Computes, before the loop, the offset of each argument of the loop from its value in the first
    /// iteration of the batch to its value in the iteration for which the work-item loads. The keys are the
    /// numbers of the arguments.
    pub(super) fn lane_offsets(
        &self,
        func: &mut Function,
        place: Region,
        batch: &Batch,
    ) -> BTreeMap<usize, Value> {
        let mut offsets = BTreeMap::new();
        if batch.shared.is_empty() {
            return offsets;
        }
        let loads = batch.shared.iter().map(|&n| self.first[n]);
        let mut args: Vec<usize> = loads.flat_map(|load| self.sources(func, load).args).collect();
        args.sort_unstable();
        args.dedup();
        let at = func.index_in(place, self.loop_);
        let mut b = Builder::before(func, place, at);
        b.span = b.func.insts[self.loop_].span;
        let lane = b.value(Op::Intrinsic(Intrinsic::SubgroupLocalId), vec![], Ty::I32);
        for n in args {
            if let Some(Growth::By(growth)) = self.arg_growth(b.func, n) {
                let ty = b.func.ty(growth);
                let lane = match ty.scalar {
                    Scalar::I32 => lane,
                    Scalar::I64 => b.cast(CastOp::ZExt, lane, ty),
                    _ => b.cast(CastOp::Trunc, lane, ty),
                };
                offsets.insert(n, times(&mut b, growth, lane));
            }
        }
        offsets
    }

    /// Emits the shared loads and shuffles, and maps their results in each iteration. Returns the loads.
    pub(super) fn share(
        &self,
        func: &mut Function,
        inside: Region,
        offsets: &BTreeMap<usize, Value>,
        batch: &Batch,
        copies: &mut [Copier],
    ) -> BTreeSet<Inst> {
        let shared: BTreeSet<Inst> = ordered(batch.shared.iter().map(|&n| self.first[n]));
        if shared.is_empty() {
            return shared;
        }
        let mut needed = shared.clone();
        for &load in &shared {
            needed.extend(self.sources(func, load).insts);
        }
        let body = func.insts[self.loop_].regions[0];
        let mut own = Copier::default();
        for (n, arg) in func.regions[body].args.clone().into_iter().enumerate() {
            let mine = func.regions[inside].args[n];
            let value = match offsets.get(&n) {
                Some(&offset) => Builder::at_end(func, inside).binary(BinOp::IAdd, mine, offset),
                None => mine,
            };
            own.map_value(arg, value);
        }
        let list: Vec<Inst> = self
            .first
            .iter()
            .copied()
            .filter(|i| needed.contains(i))
            .collect();
        own.insts(func, &list, inside, |_, _, _| {});
        for load in &shared {
            let result = func.insts[*load].results[0];
            let loaded = own.value(result);
            let ty = func.ty(result);
            let mut b = Builder::at_end(func, inside);
            b.span = b.func.insts[*load].span;
            let lanes: Vec<Value> = match ty.lanes {
                1 => vec![loaded],
                lanes => (0..lanes).map(|n| b.extract(loaded, n)).collect(),
            };
            for (iteration, copy) in copies.iter_mut().enumerate() {
                let from = b.i32(iteration as i32);
                let mut parts = Vec::new();
                for &lane in &lanes {
                    let shuffle = Op::Intrinsic(Intrinsic::SubgroupShuffle);
                    parts.push(b.value(shuffle, vec![lane, from], Ty::of(ty.scalar)));
                }
                let value = match parts[..] {
                    [one] => one,
                    _ => b.construct(ty, parts),
                };
                copy.map_value(result, value);
            }
        }
        shared
    }
}
