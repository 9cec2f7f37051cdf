//! `__constant` variables: loads at constant offsets become constants; the bytes of other variables are
//! collected in one blob, together with the variables in global memory.

use crate::ir::analysis::base_of;
use crate::ir::module::BUFFER_ALIGN;
use crate::ir::{
    AddressSpace, CastOp, Const, ConstantData, EntityRef, Func, Function, Global, GlobalData, Inst, Map,
    Module, Op, Ty, Value,
};
use std::collections::{BTreeMap, BTreeSet};

/// The blob that is being built.
#[derive(Debug, Default)]
pub(super) struct Blob {
    data: ConstantData,
    offsets: BTreeMap<Global, u32>,
    /// The variables in the blob whose relocations are still to be done.
    pending: Vec<Global>,
}

/// The blob does not fit into 32-bit offsets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct TooLarge;

impl Blob {
    /// Returns the offset of a variable in the blob, and places it there if it is not yet.
    pub(super) fn offset(&mut self, g: Global, globals: &Map<Global, GlobalData>) -> Result<u32, TooLarge> {
        if let Some(&offset) = self.offsets.get(&g) {
            return Ok(offset);
        }
        let global = &globals[g];
        let align = u64::from(global.align.max(1));
        let start = (self.data.bytes.len() as u64).next_multiple_of(align);
        let end = start + u64::from(global.size.max(1));
        // The limit leaves room below 2^32 for the runtime to round sizes up.
        if end > u64::from(u32::MAX >> 4) {
            return Err(TooLarge);
        }
        self.data.bytes.resize(start as usize, 0);
        if let Some(init) = &global.init {
            self.data.bytes.extend(&init.bytes);
        }
        self.data.bytes.resize(end as usize, 0);
        if global.align > BUFFER_ALIGN {
            self.data.align = self.data.align.max(global.align);
        }
        self.offsets.insert(g, start as u32);
        self.pending.push(g);
        Ok(start as u32)
    }

    /// Places everything that the functions of a module with variables in global memory need. Variables that begin as
    /// zeros come last, so that the module need not contain their bytes.
    pub(super) fn place(&mut self, module: &Module) -> Result<(), TooLarge> {
        let mut found = BTreeSet::new();
        let mut list = Vec::new();
        for (_, func) in module.funcs.iter() {
            let needed = needed(func, &module.globals);
            for inst in func.insts_in_order() {
                if let Op::GlobalAddr(g) = func.insts[inst].op {
                    let space = module.globals[g].space;
                    let wanted = space == AddressSpace::Global || needed.contains(&inst);
                    if wanted && found.insert(g) {
                        list.push(g);
                    }
                }
            }
        }
        let mut next = 0;
        while let Some(&g) = list.get(next) {
            next += 1;
            for (_, target, _) in module.globals[g].init.iter().flat_map(|i| &i.relocations) {
                if found.insert(*target) {
                    list.push(*target);
                }
            }
        }
        let is_zero = |g: &Global| {
            let init = module.globals[*g].init.as_ref();
            init.is_none_or(|i| i.relocations.is_empty() && i.bytes.iter().all(|b| *b == 0))
        };
        let (last, first): (Vec<Global>, Vec<Global>) = list.into_iter().partition(is_zero);
        for g in first.into_iter().chain(last) {
            self.offset(g, &module.globals)?;
            let global = &module.globals[g];
            if global.space == AddressSpace::Global {
                self.data.variables = self.data.variables.checked_add(global.size).ok_or(TooLarge)?;
            }
        }
        Ok(())
    }

    /// Returns the blob, including all variables that its pointers point to. `own`: the pointer to the start
    /// of the blob if it is known; otherwise the launch applies the relocations.
    pub(super) fn finish(
        mut self,
        globals: &Map<Global, GlobalData>,
        own: Option<u64>,
    ) -> Result<ConstantData, TooLarge> {
        while let Some(g) = self.pending.pop() {
            let at = self.offset(g, globals)?;
            let Some(init) = &globals[g].init else {
                continue;
            };
            for &(offset, target, delta) in &init.relocations {
                let to = self.offset(target, globals)?;
                let to = u32::try_from(u64::from(to).wrapping_add(delta)).map_err(|_| TooLarge)?;
                let at = at + offset;
                match own {
                    None => self.data.relocations.push((at, to)),
                    Some(own) => {
                        let pointer = own + u64::from(to);
                        self.data.bytes[at as usize..][..8].copy_from_slice(&pointer.to_le_bytes());
                    }
                }
            }
        }
        self.data.relocations.sort_unstable();
        // Devices without narrow accesses read whole words.
        let words = self.data.bytes.len().next_multiple_of(4);
        self.data.bytes.resize(words, 0);
        if self.data.variables > 0 {
            self.data.size = words as u32;
            let used = self
                .data
                .bytes
                .iter()
                .rposition(|b| *b != 0)
                .map_or(0, |last| last + 1);
            let pointers = self.data.relocations.last().map_or(0, |&(at, _)| at as usize + 8);
            self.data.bytes.truncate(used.max(pointers).next_multiple_of(4));
        }
        Ok(self.data)
    }
}

/// The largest copy in bytes that is folded to stores of constants.
const MAX_COPY: u32 = 256;

/// Returns the `size` bytes at a pointer into a `__constant` variable, if they are known.
fn known_bytes<'g>(
    func: &Function,
    globals: &'g Map<Global, GlobalData>,
    pointer: Value,
    size: u32,
) -> Option<&'g [u8]> {
    if func.ty(pointer).space() != Some(AddressSpace::Constant) {
        return None;
    }
    let (base, offset) = base_of(func, pointer);
    let start = usize::try_from(offset?).ok()?;
    let Op::GlobalAddr(g) = func.insts[func.def_inst(base)?].op else {
        return None;
    };
    let init = globals[g].init.as_ref()?;
    let end = start.checked_add(size as usize)?;
    let bytes = init.bytes.get(start..end)?;
    let relocated = init
        .relocations
        .iter()
        .any(|&(at, ..)| (at as usize) < end && start < at as usize + 8);
    if relocated { None } else { Some(bytes) }
}

/// Returns the value that a load of a `__constant` variable yields, if it is known.
pub(super) fn fold(
    func: &Function,
    globals: &Map<Global, GlobalData>,
    pointer: Value,
    ty: Ty,
) -> Option<Const> {
    if ty.scalar.is_ptr() {
        return None;
    }
    let bytes = known_bytes(func, globals, pointer, ty.bytes())?;
    Some(lanes(bytes, ty))
}

/// Converts the bytes of a value in memory to a constant.
pub(super) fn lanes(bytes: &[u8], ty: Ty) -> Const {
    let lanes = bytes
        .chunks_exact(ty.scalar.bytes() as usize)
        .map(|lane| lane.iter().rev().fold(0u64, |bits, &b| bits << 8 | u64::from(b)));
    Const::Bits(lanes.collect())
}

/// Returns the bytes that a copy from a `__constant` variable copies, if they are known and few.
pub(super) fn fold_copy<'g>(
    func: &Function,
    globals: &'g Map<Global, GlobalData>,
    source: Value,
    size: u32,
) -> Option<&'g [u8]> {
    if size > MAX_COPY {
        return None;
    }
    known_bytes(func, globals, source, size)
}

/// Returns whether a kernel of a module with variables in global memory may access them: by name, by a pointer in
/// constant memory, or by one that comes from elsewhere.
pub(super) fn may_access_variables(func: &Function, globals: &Map<Global, GlobalData>) -> bool {
    func.insts_in_order().into_iter().any(|inst| {
        let data = &func.insts[inst];
        match data.op {
            Op::GlobalAddr(g) => {
                let pointers = globals[g]
                    .init
                    .as_ref()
                    .is_some_and(|i| !i.relocations.is_empty());
                globals[g].space == AddressSpace::Global || pointers
            }
            Op::Load(_) | Op::Cast(CastOp::IntToPtr) => {
                let from = func.ty(data.args[0]).space();
                let is_argument = matches!(from, Some(AddressSpace::Push | AddressSpace::Args));
                let to = data.results.first().and_then(|&v| func.ty(v).space());
                !is_argument && matches!(to, Some(AddressSpace::Global | AddressSpace::Generic))
            }
            _ => false,
        }
    })
}

/// Returns for each function whether it is no kernel and needs the address of constant data, itself or for its calls.
pub(super) fn readers(module: &Module) -> Vec<bool> {
    let is_kernel = |f: Func| module.kernels.iter().any(|k| k.func == f);
    let functions = module.funcs.iter();
    let mut readers: Vec<bool> = functions
        .map(|(f, func)| !is_kernel(f) && !needed(func, &module.globals).is_empty())
        .collect();
    loop {
        let before = readers.clone();
        for (f, func) in module.funcs.iter().filter(|(f, _)| !is_kernel(*f)) {
            let calls_reader =
                |i: &Inst| matches!(func.insts[*i].op, Op::CallPure(callee) if before[callee.index()]);
            readers[f.index()] = before[f.index()] || func.insts_in_order().iter().any(calls_reader);
        }
        if readers == before {
            return readers;
        }
    }
}

/// Returns the `global_addr` instructions of constant variables that have uses which are not folded.
pub(super) fn needed(func: &Function, globals: &Map<Global, GlobalData>) -> BTreeSet<Inst> {
    let mut needed = BTreeSet::new();
    for inst in func.insts_in_order() {
        let data = &func.insts[inst];
        for (n, &v) in data.args.iter().enumerate() {
            if func.ty(v).space() != Some(AddressSpace::Constant) {
                continue;
            }
            let folded = match &data.op {
                // The uses of its result are examined.
                Op::PtrAdd => true,
                Op::Load(_) => fold(func, globals, v, func.ty(data.results[0])).is_some(),
                Op::MemCpy { size, .. } => n == 1 && fold_copy(func, globals, v, *size).is_some(),
                _ => false,
            };
            if !folded && let Some(base) = func.def_inst(base_of(func, v).0) {
                needed.insert(base);
            }
        }
    }
    needed
}
