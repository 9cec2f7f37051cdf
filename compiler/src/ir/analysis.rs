//! Facts about instructions that passes share. Nothing is cached: computing each fact takes linear time.

use super::walk::{Parents, Walk};
use super::{
    AddressSpace, CastOp, EntityRef, Function, Inst, InstData, Op, Region, Scalar, Storage, Ty, Value,
};
use std::ops::Range;

/// How often an instruction is executed, relative to others.
pub type Weight = u64;

/// The number of iterations that a loop is assumed to have.
pub const ITERATIONS: Weight = 8;

/// Returns all regions, with the weight of an instruction in each.
pub fn weights(func: &Function) -> Vec<(Region, Weight)> {
    const MOST: Weight = ITERATIONS.pow(8);
    let mut list = vec![(func.body, 1)];
    let mut next = 0;
    while let Some(&(region, weight)) = list.get(next) {
        next += 1;
        for &inst in &func.regions[region].insts {
            let data = &func.insts[inst];
            let inside = match data.op {
                Op::Loop => (weight * ITERATIONS).min(MOST),
                _ => weight,
            };
            list.extend(data.regions.iter().map(|&r| (r, inside)));
        }
    }
    list
}

/// Returns whether the result of an instruction depends on nothing but its operands. Then equal instructions
/// may be merged, unused ones removed, and an instruction may be executed earlier than written.
pub fn is_pure(data: &InstData) -> bool {
    match &data.op {
        Op::Binary(_)
        | Op::Unary(_)
        | Op::Compare(_)
        | Op::Cast(_)
        | Op::Select
        | Op::Construct
        | Op::Splat
        | Op::Extract(_)
        | Op::ExtractDynamic
        | Op::Insert(_)
        | Op::InsertDynamic
        | Op::Shuffle(_)
        | Op::GlobalAddr(_)
        | Op::CallPure(_)
        | Op::PtrAdd => true,
        Op::Intrinsic(i) => !i.has_side_effects(),
        Op::Alloca { .. }
        | Op::Load(_)
        | Op::Store(_)
        | Op::MemCpy { .. }
        | Op::MemZero { .. }
        | Op::Variable { .. }
        | Op::LoadFrom(..)
        | Op::StoreTo(..)
        | Op::AtomicOn(..)
        | Op::MatrixOn(..)
        | Op::Call(_)
        | Op::Block
        | Op::Loop
        | Op::If
        | Op::Switch(_)
        | Op::Exit(_)
        | Op::Repeat(_)
        | Op::Return
        | Op::Unreachable => false,
    }
}

/// Returns whether an instruction may be removed if its results are unused. For structured instructions this
/// is false; whether they can be removed depends on the instructions inside.
pub fn is_removable(data: &InstData) -> bool {
    match &data.op {
        Op::Load(access) | Op::LoadFrom(_, access) => !access.volatile,
        Op::Alloca { .. } | Op::Variable { .. } => true,
        _ => is_pure(data),
    }
}

/// Returns whether a function's results depend on nothing but its arguments, and the function has no effects:
/// arguments and results are numbers and bools, all memory that it reads is constant, and the number of calls cannot be
/// observed.
pub fn is_pure_function(func: &Function) -> bool {
    let plain = |ty: Ty| ty.scalar == Scalar::Bool || ty.scalar.is_int() || ty.scalar.is_float();
    if func.results.is_empty()
        || !func.results.iter().all(|&ty| plain(ty))
        || !func.params.iter().all(|&p| plain(func.ty(p)))
    {
        return false;
    }
    let jumps = Jumps::new(func);
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        let data = &func.insts[inst];
        let pure = match &data.op {
            Op::Block
            | Op::If
            | Op::Switch(_)
            | Op::Exit(_)
            | Op::Repeat(_)
            | Op::Return
            | Op::Unreachable => true,
            // As in `dce`: a loop without exits, which only a return ends, may be meant to wait forever.
            Op::Loop => !jumps.exits(inst).is_empty(),
            Op::GlobalAddr(_) => func.ty(data.results[0]).space() == Some(AddressSpace::Constant),
            // A function without pointers from elsewhere can load only what `GlobalAddr` leads to.
            Op::Load(access) => {
                let from = func.ty(data.args[0]).space();
                from == Some(AddressSpace::Constant) && !access.volatile && plain(func.ty(data.results[0]))
            }
            Op::LoadFrom(Storage::Physical, access) => !access.volatile,
            Op::Cast(CastOp::IntToPtr | CastOp::PtrToInt | CastOp::PtrCast) => false,
            Op::Intrinsic(i) => !i.is_work_item() && is_pure(data),
            _ => is_pure(data),
        };
        if !pure {
            return false;
        }
    }
    true
}

/// Returns whether work-items perform an operation together inside of a region.
pub fn has_convergent(func: &Function, region: Region) -> bool {
    let mut walk = Walk::region(region);
    while let Some((_, inst)) = walk.next(func) {
        if matches!(func.insts[inst].op, Op::Intrinsic(i) if i.is_convergent()) {
            return true;
        }
    }
    false
}

/// Returns whether a function has values or memory of 64-bit integers.
pub fn has_int64(func: &Function) -> bool {
    let is_int64 = |ty: Ty| ty.scalar == Scalar::I64;
    let signature = func
        .params
        .iter()
        .map(|&p| func.ty(p))
        .chain(func.results.iter().copied());
    if signature.into_iter().any(is_int64) {
        return true;
    }
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        let element = match func.insts[inst].op {
            Op::Variable { elem, .. } => is_int64(elem),
            Op::AtomicOn(_, storage) => storage.element().is_some_and(is_int64),
            _ => false,
        };
        if element || func.types_at(inst).any(is_int64) {
            return true;
        }
    }
    false
}

/// The exits and repeats of each structured instruction, in the order of the text.
#[derive(Clone, Debug)]
pub struct Jumps {
    /// For each instruction, the index of its entry plus one, or 0 if no jump targets it.
    entry: Vec<u32>,
    /// For each entry, the exits and the repeats, as ranges of `list`.
    entries: Vec<[Range<u32>; 2]>,
    list: Vec<Inst>,
}

impl Jumps {
    /// Finds the jumps of a function as it is now.
    pub fn new(func: &Function) -> Self {
        Jumps::inside(func, &[func.body])
    }
    /// Finds the jumps in some regions.
    pub fn inside(func: &Function, regions: &[Region]) -> Self {
        let mut search = JumpSearch::new(func);
        for &region in regions {
            let mut walk = Walk::region(region);
            while let Some((_, inst)) = walk.next(func) {
                search.visit(inst, &func.insts[inst].op);
            }
        }
        search.end()
    }
    /// Returns the index of the entry for a target, and creates the entry if there is none.
    fn entry_of(&mut self, target: Inst) -> usize {
        let entry = &mut self.entry[target.index()];
        if *entry == 0 {
            self.entries.push([0..0, 0..0]);
            *entry = self.entries.len() as u32;
        }
        *entry as usize - 1
    }
    /// Returns the exits (`kind` 0) or repeats (`kind` 1) of an instruction.
    fn get(&self, target: Inst, kind: usize) -> &[Inst] {
        match self.entry.get(target.index()) {
            None | Some(0) => &[],
            Some(&entry) => {
                let range = &self.entries[entry as usize - 1][kind];
                &self.list[range.start as usize..range.end as usize]
            }
        }
    }
    /// Returns the exits of a structured instruction.
    pub fn exits(&self, target: Inst) -> &[Inst] {
        self.get(target, 0)
    }
    /// Replaces the list of exits of a structured instruction.
    pub fn set_exits(&mut self, target: Inst, exits: Vec<Inst>) {
        let entry = self.entry_of(target);
        let start = self.list.len() as u32;
        self.list.extend(exits);
        self.entries[entry][0] = start..self.list.len() as u32;
    }
    /// Returns the repeats of a loop.
    pub fn repeats(&self, target: Inst) -> &[Inst] {
        self.get(target, 1)
    }
}

/// The search for the jumps of a function, which visits its instructions in the order of the text.
struct JumpSearch {
    /// The entries; at first, the end of each range is the number of jumps.
    jumps: Jumps,
    /// The entry of each jump, 0 for an exit or 1 for a repeat, and the jump.
    found: Vec<(usize, usize, Inst)>,
}

impl JumpSearch {
    fn new(func: &Function) -> Self {
        JumpSearch {
            jumps: Jumps {
                entry: vec![0; func.insts.len()],
                entries: Vec::new(),
                list: Vec::new(),
            },
            found: Vec::new(),
        }
    }

    fn visit(&mut self, inst: Inst, op: &Op) {
        let (target, kind) = match *op {
            Op::Exit(target) => (target, 0),
            Op::Repeat(target) => (target, 1),
            _ => return,
        };
        let entry = self.jumps.entry_of(target);
        self.jumps.entries[entry][kind].end += 1;
        self.found.push((entry, kind, inst));
    }

    fn end(self) -> Jumps {
        let JumpSearch { mut jumps, found } = self;
        let mut start = 0;
        for range in jumps.entries.iter_mut().flatten() {
            let count = range.end;
            *range = start..start;
            start += count;
        }
        if let Some(&(.., first)) = found.first() {
            jumps.list.resize(found.len(), first);
        }
        for (entry, kind, inst) in found {
            let end = &mut jumps.entries[entry][kind].end;
            jumps.list[*end as usize] = inst;
            *end += 1;
        }
        jumps
    }
}

/// Several facts about a function that one traversal finds, because a traversal of a large function costs
/// more than what is done at each instruction.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The instructions in the order of the text.
    pub order: Vec<Inst>,
    /// The structured ones of them.
    pub structured: Vec<Inst>,
    /// The position of each instruction and region.
    pub parents: Parents,
    /// The jumps to each structured instruction.
    pub jumps: Jumps,
}

impl Survey {
    /// Finds the facts about a function as it is now.
    pub fn new(func: &Function) -> Self {
        let mut order = Vec::with_capacity(func.insts.len());
        let mut structured = Vec::new();
        let mut parents = Parents::unknown(func);
        let mut search = JumpSearch::new(func);
        let mut walk = Walk::new(func);
        while let Some((region, inst)) = walk.next(func) {
            let data = &func.insts[inst];
            order.push(inst);
            parents.note(region, inst, &data.regions);
            if data.op.is_structured() {
                structured.push(inst);
            } else {
                search.visit(inst, &data.op);
            }
        }
        Survey {
            order,
            structured,
            parents,
            jumps: search.end(),
        }
    }
}

/// Returns the first value of the chain of `ptr_add` that computes a pointer, such as the result of an
/// `alloca`, and the offset from it in bytes if that is constant.
pub fn base_of(func: &Function, pointer: Value) -> (Value, Option<i64>) {
    let mut base = pointer;
    let mut offset = Some(0i64);
    while let Some(inst) = func.def_inst(base) {
        let data = &func.insts[inst];
        if data.op != Op::PtrAdd {
            break;
        }
        let step = constant_offset(func, data.args[1]);
        offset = offset.and_then(|o| o.checked_add(step?));
        base = data.args[0];
    }
    (base, offset)
}

/// Returns a constant offset of `ptr_add`, sign-extended.
pub fn constant_offset(func: &Function, v: Value) -> Option<i64> {
    let bits = func.as_bits(v)?;
    Some(if func.ty(v).bytes() == 4 {
        i64::from(bits as u32 as i32)
    } else {
        bits as i64
    })
}

/// Returns for each instruction of `order` whether a jump inside of it goes to a target outside. `order` has
/// instructions in the order of the text, with each all instructions inside of it.
pub fn leaving(func: &Function, order: &[Inst]) -> Vec<bool> {
    let outermost = outermost_targets(func, order);
    let mut leaving = vec![false; func.insts.len()];
    for (n, &inst) in order.iter().enumerate() {
        leaving[inst.index()] = outermost[inst.index()] < n + 1;
    }
    leaving
}

/// Returns for each instruction of `order` the least position in it, counted from 1, of a target of a jump inside
/// of the instruction; 0 if there is a return, and `usize::MAX` if there is no jump. `order` has instructions in the
/// order of the text, with each all instructions inside of it.
pub fn outermost_targets(func: &Function, order: &[Inst]) -> Vec<usize> {
    let mut position = vec![0; func.insts.len()];
    for (n, &inst) in order.iter().enumerate() {
        position[inst.index()] = n + 1;
    }
    let mut outermost = vec![usize::MAX; func.insts.len()];
    for &inst in order.iter().rev() {
        let data = &func.insts[inst];
        let inner = data.regions.iter().flat_map(|&r| &func.regions[r].insts);
        let inner = inner.map(|i| outermost[i.index()]).min();
        outermost[inst.index()] = match data.op {
            Op::Exit(target) | Op::Repeat(target) => position[target.index()],
            Op::Return => 0,
            _ => inner.unwrap_or(usize::MAX),
        };
    }
    outermost
}
