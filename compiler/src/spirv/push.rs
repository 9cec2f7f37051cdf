//! The push-constant block of kernels.
//!
//! The block is an array of words, and larger values are assembled from words. With
//! [`Costs::split_words`](crate::target::Costs::split_words), 64-bit integers (pointers, for example) are
//! separate members instead:
//!
//! ```text
//! uint words[12];              uint words[4]; ulong; ulong; uint words[4];
//! ```
//!
//! In that case, all kernels of a module share one block type, because Khronos's validation layer (1.3.239)
//! looks up the members of one kernel's block in another's. A kernel that reads a word where another kernel
//! has a 64-bit member extracts the word from that member.

use super::instruction::instruction;
use super::{Emit, Emitter, FnEmitter, Id, bug};
use crate::hash::{HashMap, HashSet};
use crate::ir::inst::CastOp;
use crate::ir::{EntityRef, Function, Inst, Op, Scalar, Storage, Ty, Value};
use rspirv::dr::Operand;
use rspirv::spirv as spv;
use std::collections::BTreeMap;

/// The push-constant blocks of a module.
#[derive(Default)]
pub(super) struct Blocks {
    /// The blocks that are arrays, by their size in words.
    arrays: BTreeMap<u32, Id>,
    /// The first words of the 64-bit members of the shared block, in ascending order; empty if it has none.
    wide: Vec<u32>,
    common: Option<Id>,
}

/// The parts of the block that a kernel reads.
#[derive(Default)]
pub(super) struct Push {
    id: Option<Id>,
    /// Instructions that become the load of a 64-bit member, with the member's first word.
    whole: HashMap<Inst, u32>,
    /// Instructions that become part of those loads.
    absorbed: HashSet<Inst>,
    /// Loads of a word that is in another kernel's 64-bit member.
    halves: HashMap<Inst, u32>,
}

/// How an instruction is translated.
pub(super) enum Reading {
    /// It is translated as usual.
    Usual,
    /// It is part of another instruction.
    Absorbed,
    /// It is the load of a 64-bit member.
    Whole(u32),
    /// It is the load of one word of a 64-bit member.
    Half(u32),
}

/// Returns the loads of push-constant words, each with its word, or `None` if the number of a word is not a
/// constant.
fn loads(f: &Function) -> Option<Vec<(Inst, u32)>> {
    let all = f.insts_in_order().into_iter();
    let loads = all.filter(|&i| matches!(f.insts[i].op, Op::LoadFrom(Storage::PushWord, _)));
    loads
        .map(|i| f.as_bits(f.insts[i].args[0]).map(|word| (i, word as u32)))
        .collect()
}

impl Push {
    /// Finds the 64-bit integers that a function reads only as a whole. Returns `None` if a load's word is
    /// not a constant.
    fn of(f: &Function) -> Option<Push> {
        let mut push = Push::default();
        let loads = loads(f)?;
        if loads.is_empty() {
            return Some(push);
        }
        let times = |word: u32| loads.iter().filter(|(_, w)| *w == word).count();
        let uses = f.use_counts();
        for inst in f.insts_in_order() {
            if let Some((word, parts)) = pair(f, &uses, inst)
                && times(word) == 1
                && times(word + 1) == 1
            {
                push.whole.insert(inst, word);
                push.absorbed.extend(parts);
            }
        }
        Some(push)
    }

    pub(super) fn reading(&self, inst: Inst) -> Reading {
        if let Some(&word) = self.whole.get(&inst) {
            Reading::Whole(word)
        } else if let Some(&word) = self.halves.get(&inst) {
            Reading::Half(word)
        } else if self.absorbed.contains(&inst) {
            Reading::Absorbed
        } else {
            Reading::Usual
        }
    }
}

/// If an instruction combines two words into a 64-bit integer, returns the first word and the instructions
/// that serve only this purpose.
fn pair(f: &Function, uses: &[u32], inst: Inst) -> Option<(u32, [Inst; 3])> {
    let sole = |v: Value| f.def_inst(v).filter(|_| uses[v.index()] == 1);
    let data = &f.insts[inst];
    if data.op != Op::Cast(CastOp::Bitcast) || f.ty(*data.results.first()?) != Ty::of(Scalar::I64) {
        return None;
    }
    let both = sole(data.args[0])?;
    let [low, high] = f.insts[both].args[..] else {
        return None;
    };
    if f.insts[both].op != Op::Construct {
        return None;
    }
    let word = |i: Inst| match &f.insts[i] {
        d if matches!(d.op, Op::LoadFrom(Storage::PushWord, _)) => f.as_bits(d.args[0]),
        _ => None,
    };
    let (low, high) = (sole(low)?, sole(high)?);
    let first = word(low)?;
    (first.is_multiple_of(2) && word(high)? == first + 1).then_some((first as u32, [both, low, high]))
}

/// A member of a block.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Member {
    /// The words from the first number to before the second.
    Words(u32, u32),
    Wide(u32),
}

/// Returns the members of a block of `words` words.
fn members(words: u32, wide: &[u32]) -> Vec<Member> {
    let mut list = Vec::new();
    let mut next = 0;
    for &at in wide {
        if at > next {
            list.push(Member::Words(next, at));
        }
        list.push(Member::Wide(at));
        next = at + 2;
    }
    if next < words || list.is_empty() {
        list.push(Member::Words(next, words));
    }
    list
}

impl Emitter<'_> {
    /// Returns the number of words of push constants that a launch of the kernel supplies.
    pub(super) fn push_words(&self, kernel: usize) -> u32 {
        let args = self.module.abi.get(kernel).map_or(0, |a| a.push_end());
        let system = super::reflection::system_end(&self.module.system);
        args.max(system).div_ceil(4)
    }

    /// Determines the 64-bit members of the module's shared block.
    pub(super) fn find_wide_push_constants(&mut self) {
        if !self.target.costs.split_words {
            return;
        }
        let kernels = self.module.kernels.iter();
        let found: Option<Vec<Push>> = kernels.map(|k| Push::of(&self.module.funcs[k.func])).collect();
        let words = found.iter().flatten().flat_map(|p| p.whole.values().copied());
        let mut wide: Vec<u32> = words.collect();
        wide.sort_unstable();
        wide.dedup();
        self.shared.push.wide = wide;
    }

    /// Returns the parts of the block that a kernel reads. The block's members are already determined.
    pub(super) fn push_of(&self, f: &Function) -> Push {
        let wide = &self.shared.push.wide;
        if wide.is_empty() {
            return Push::default();
        }
        let mut push = Push::of(f).unwrap_or_default();
        for (inst, word) in loads(f).unwrap_or_default() {
            if wide.contains(&(word & !1)) && !push.absorbed.contains(&inst) {
                push.halves.insert(inst, word);
            }
        }
        push
    }

    fn push_variable(&mut self, words: u32, wide: &[u32]) -> Emit<Id> {
        let members = members(words, wide);
        let mut types = Vec::with_capacity(members.len());
        for member in &members {
            types.push(Operand::IdRef(match *member {
                Member::Wide(_) => self.ty(Ty::of(Scalar::I64))?,
                Member::Words(from, to) => {
                    let elem = self.ty(Ty::I32)?;
                    let length = self.u32_const(to - from);
                    let operands = vec![Operand::IdRef(elem), Operand::IdRef(length)];
                    let array = self.global(spv::Op::TypeArray, None, operands);
                    self.decorate(array, spv::Decoration::ArrayStride, &[4]);
                    array
                }
            }));
        }
        let block = self.global(spv::Op::TypeStruct, None, types);
        self.decorate(block, spv::Decoration::Block, &[]);
        for (n, member) in members.iter().enumerate() {
            let (Member::Words(word, _) | Member::Wide(word)) = *member;
            self.decorate_member(block, n as u32, spv::Decoration::Offset, word * 4);
        }
        let class = spv::StorageClass::PushConstant;
        let pointer = self.pointer(class, block);
        let operands = vec![Operand::StorageClass(class)];
        let variable = self.global(spv::Op::Variable, Some(pointer), operands);
        self.name(variable, "push");
        Ok(variable)
    }
}

impl FnEmitter<'_, '_> {
    /// Returns the block variable of this kernel.
    fn push_block(&mut self) -> Emit<Id> {
        if let Some(id) = self.push.id {
            return Ok(id);
        }
        let kernel = self.kernel()?;
        let wide = self.e.shared.push.wide.clone();
        let known = &self.e.shared.push;
        let id = if wide.is_empty() {
            let words = self.e.push_words(kernel).max(1);
            match known.arrays.get(&words) {
                Some(&id) => id,
                None => {
                    let class = spv::StorageClass::PushConstant;
                    let id = self.e.block_variable(class, Ty::I32, words, "push")?;
                    self.e.shared.push.arrays.insert(words, id);
                    id
                }
            }
        } else {
            match known.common {
                Some(id) => id,
                None => {
                    let kernels = 0..self.e.module.kernels.len();
                    let words = kernels.map(|k| self.e.push_words(k)).max().unwrap_or(0);
                    let id = self.e.push_variable(words, &wide)?;
                    self.e.shared.push.common = Some(id);
                    id
                }
            }
        };
        self.use_global(id);
        self.push.id = Some(id);
        Ok(id)
    }

    /// Returns a pointer to a word of the block.
    pub(super) fn push_word(&mut self, index: Value) -> Emit<Id> {
        let block = self.push_block()?;
        let wide = &self.e.shared.push.wide;
        let (member, index) = if wide.is_empty() {
            (0, self.value(index)?)
        } else {
            let word = self
                .f
                .as_bits(index)
                .ok_or_else(|| bug("a word of unknown number"))? as u32;
            let members = members(u32::MAX, wide);
            let holds = |m: &Member| matches!(*m, Member::Words(from, to) if (from..to).contains(&word));
            let at = members.iter().position(holds);
            let at = at.ok_or_else(|| bug("a word of a 64-bit member"))?;
            let (Member::Words(from, _) | Member::Wide(from)) = members[at];
            (at as u32, self.e.u32_const(word - from))
        };
        let member = self.e.u32_const(member);
        self.chain(spv::StorageClass::PushConstant, Ty::I32, block, &[member, index])
    }

    /// Reads a 64-bit member.
    pub(super) fn push_whole(&mut self, word: u32) -> Emit<Id> {
        let block = self.push_block()?;
        let at = members(u32::MAX, &self.e.shared.push.wide)
            .iter()
            .position(|m| *m == Member::Wide(word))
            .ok_or_else(|| bug("not a 64-bit member"))?;
        let member = self.e.u32_const(at as u32);
        let ty = Ty::of(Scalar::I64);
        let pointer = self.chain(spv::StorageClass::PushConstant, ty, block, &[member])?;
        let ty = self.e.ty(ty)?;
        self.op_ids(spv::Op::Load, ty, &[pointer])
    }

    /// Reads one word of a 64-bit member.
    pub(super) fn push_half(&mut self, word: u32) -> Emit<Id> {
        let mut whole = self.push_whole(word & !1)?;
        if word & 1 != 0 {
            let ty = self.e.ty(Ty::of(Scalar::I64))?;
            let bits = self.e.u32_const(32);
            whole = self.op_ids(spv::Op::ShiftRightLogical, ty, &[whole, bits])?;
        }
        let ty = self.e.ty(Ty::I32)?;
        self.op_ids(spv::Op::UConvert, ty, &[whole])
    }
}

impl Emitter<'_> {
    /// Decorates a member of a struct.
    pub(super) fn decorate_member(&mut self, id: Id, member: u32, decoration: spv::Decoration, value: u32) {
        self.annotations.push(instruction(
            spv::Op::MemberDecorate,
            None,
            None,
            vec![
                Operand::IdRef(id),
                Operand::LiteralBit32(member),
                Operand::Decoration(decoration),
                Operand::LiteralBit32(value),
            ],
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_cover_the_block() {
        use Member::{Wide, Words};
        assert_eq!(members(3, &[]), [Words(0, 3)]);
        assert_eq!(members(0, &[]), [Words(0, 0)]);
        assert_eq!(members(4, &[0, 2]), [Wide(0), Wide(2)]);
        assert_eq!(
            members(9, &[2, 6]),
            [Words(0, 2), Wide(2), Words(4, 6), Wide(6), Words(8, 9)]
        );
    }
}
