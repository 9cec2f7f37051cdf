//! The push-constant block of a kernel.
//!
//! It is one array of words, and what is longer is put together from them. With [`Quirks::split_words`]
//! (crate::target::Quirks::split_words) 64-bit numbers, which pointers are, are members of their own instead:
//!
//! ```text
//! uint words[12];              uint words[4]; ulong; ulong; uint words[4];
//! ```

use super::instruction::instruction;
use super::{Emit, Emitter, FnEmitter, Id, bug};
use crate::ir::inst::CastOp;
use crate::ir::{EntityRef, Function, Inst, Op, Scalar, Storage, Ty, Value};
use rspirv::dr::Operand;
use rspirv::spirv as spv;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The words of the 64-bit members of a block, the first of each, in ascending order.
type Wide = Vec<u32>;

/// The module's blocks: by their size in words and their 64-bit members.
#[derive(Default)]
pub(super) struct Blocks(BTreeMap<(u32, Wide), Id>);

/// What a kernel reads of its block.
#[derive(Default)]
pub(super) struct Push {
    id: Option<Id>,
    wide: Wide,
    /// Instructions that are one load of a 64-bit member, by its first word.
    whole: HashMap<Inst, u32>,
    /// Instructions that have become part of those.
    absorbed: HashSet<Inst>,
}

/// What becomes of an instruction.
pub(super) enum Reading {
    /// Nothing in particular.
    Usual,
    /// It is not there any more.
    Absorbed,
    /// The load of a 64-bit member.
    Whole(u32),
}

impl Push {
    /// For a target that wants 64-bit members, where the function has 64-bit numbers that nobody reads in part.
    pub(super) fn of(f: &Function) -> Push {
        let mut push = Push::default();
        let mut read: HashMap<u32, u32> = HashMap::new();
        let order = f.insts_in_order();
        for &inst in &order {
            let data = &f.insts[inst];
            if let Op::LoadFrom(Storage::PushWord, _) = data.op {
                match f.as_bits(data.args[0]) {
                    Some(word) => *read.entry(word as u32).or_default() += 1,
                    // Any word may be meant.
                    None => return push,
                }
            }
        }
        if read.is_empty() {
            return push;
        }
        let uses = f.use_counts();
        for inst in order {
            if let Some((word, parts)) = pair(f, &uses, inst)
                && read[&word] == 1
                && read.get(&(word + 1)) == Some(&1)
            {
                push.wide.push(word);
                push.whole.insert(inst, word);
                push.absorbed.extend(parts);
            }
        }
        push.wide.sort_unstable();
        push
    }

    pub(super) fn reading(&self, inst: Inst) -> Reading {
        match self.whole.get(&inst) {
            Some(&word) => Reading::Whole(word),
            None if self.absorbed.contains(&inst) => Reading::Absorbed,
            None => Reading::Usual,
        }
    }
}

/// For an instruction that makes a 64-bit number of two words: the first word, and the instructions that do nothing else.
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
    /// Words from the first to before the second.
    Words(u32, u32),
    Wide(u32),
}

/// The members of a block of so many words.
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
    /// Words of push constants that a launch of the kernel supplies.
    pub(super) fn push_words(&self, kernel: usize) -> u32 {
        let args = self.module.abi.get(kernel).map_or(0, |a| a.push_end());
        let system = super::reflection::system_end(&self.module.system);
        args.max(system).div_ceil(4)
    }

    fn push_variable(&mut self, words: u32, wide: &[u32]) -> Emit<Id> {
        if wide.is_empty() {
            return self.block_variable(spv::StorageClass::PushConstant, Ty::I32, words, "push");
        }
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
    /// The block of this kernel.
    fn push_block(&mut self) -> Emit<Id> {
        if let Some(id) = self.push.id {
            return Ok(id);
        }
        let words = self.e.push_words(self.kernel()?).max(1);
        let key = (words, self.push.wide.clone());
        let id = match self.e.shared.push.0.get(&key) {
            Some(&id) => id,
            None => {
                let id = self.e.push_variable(words, &key.1)?;
                self.e.shared.push.0.insert(key, id);
                id
            }
        };
        self.use_global(id);
        self.push.id = Some(id);
        Ok(id)
    }

    /// A pointer to a word of the block.
    pub(super) fn push_word(&mut self, index: Value) -> Emit<Id> {
        let block = self.push_block()?;
        let (member, index) = if self.push.wide.is_empty() {
            (0, self.value(index)?)
        } else {
            let word = self
                .f
                .as_bits(index)
                .ok_or_else(|| bug("a word of unknown number"))? as u32;
            let members = members(u32::MAX, &self.push.wide);
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
        let at = members(u32::MAX, &self.push.wide)
            .iter()
            .position(|m| *m == Member::Wide(word))
            .ok_or_else(|| bug("not a 64-bit member"))?;
        let member = self.e.u32_const(at as u32);
        let ty = Ty::of(Scalar::I64);
        let pointer = self.chain(spv::StorageClass::PushConstant, ty, block, &[member])?;
        let ty = self.e.ty(ty)?;
        self.op_ids(spv::Op::Load, ty, &[pointer])
    }
}

impl Emitter<'_> {
    /// A decoration of a struct's member.
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
