//! Lowers kernel parameters to reads of the push constants and the argument buffer.
//!
//! Why: a Vulkan entry point has no parameters.
//! In:  `Inlined`, `SystemValues` (the system's push constants come before the arguments), `Images`.
//! Out: `KernelArgs`: kernels have no parameters. `Module::abi` says where the launch writes each argument;
//!      `SystemPush::size` is the end of the push constants of the kernel that has most.
//!
//! Layout: arguments are in order, each naturally aligned, after the system's push constants. An argument
//! that does not fit into the target's push constants goes into the argument buffer (space `Args`), which is
//! laid out in the same way; smaller arguments after it may still fit into the push constants.
//!
//! | argument | read as |
//! |---|---|
//! | value | a load of its type |
//! | struct | loads straight from the block if all uses are loads at constant offsets; else a private copy |
//! | pointer to global or constant memory | a 64-bit address |
//! | pointer to local memory | a u32, the byte offset of its memory in the arena |
//! | image, sampler | a constant that names the argument; a queried property is a u32 after the arguments |
//!
//! The table describes the physical ABI; `lower_kernel_args/descriptor.rs` has the layout of the descriptor
//! ABI, where pointers are constants that name a memory object of the kernel (`ir::module::object_pointer`).
//!
//! Descriptors of set 0: binding 0 is the argument buffer, followed by the images and samplers in their
//! order, and by the samplers with normalized coordinates. Literal samplers are in set 1.

mod descriptor;
mod handles;

use super::{Changed, Pass, PassCx, PassError};
use crate::diag::InternalError;
use crate::hash::HashMap;
use crate::inv;
use crate::ir::ty::LOCAL_POINTER_BIAS;
use crate::ir::walk::{Replacements, Walk};
use crate::ir::{
    Access, AddressSpace, ArgKind, ArgLocation, Builder, CmpOp, FactLocation, Function, Handle, HandleFact,
    Inst, KernelAbi, KernelInfo, Module, Op, Ty, Value,
};
use crate::target::{Limits, Target};
use std::collections::BTreeMap;

pub const PASS: Pass = Pass {
    name: "lower_kernel_args",
    about: "Lowers kernel parameters to reads of the push constants and the argument buffer.",
    run,
    requires: inv![Inlined, SystemValues, Images],
    establishes: inv![KernelArgs],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut shared = match cx.target.abi.descriptor() {
        Some(d) => Some(descriptor::Shared::new(module, cx.target, d)?),
        None => None,
    };
    let mut end = module.system.size;
    for kernel in &module.kernels {
        let func = &mut module.funcs[kernel.func];
        let asked = handles::asked(func);
        let (abi, push_end) = match &mut shared {
            Some(shared) => shared.layout(kernel, func, &asked)?,
            None => layout(kernel, func, &asked, module.system.size, cx.target)?,
        };
        lower(func, kernel, &abi)?;
        if shared.is_none() {
            handles::collect_literals(func, &mut module.literal_samplers);
        }
        end = end.max(push_end);
        module.abi.push(abi);
    }
    module.system.size = end;
    if let Some(shared) = shared {
        shared.finish(module);
    }
    Ok(Changed::Yes)
}

/// The current ends of the two blocks, in bytes.
struct Cursor<'t> {
    limits: &'t Limits,
    push: u32,
    args: u32,
}

/// The location of an argument: an offset in one of the blocks.
enum Spot {
    Push(u32),
    Args(u32),
}

impl Cursor<'_> {
    /// Allocates an argument in the push constants if it fits, else in the argument buffer.
    fn take(&mut self, size: u32, align: u32) -> Spot {
        let at = self.push.next_multiple_of(align);
        if at.saturating_add(size) <= self.limits.push_constants {
            self.push = at + size;
            return Spot::Push(at);
        }
        let at = self.args.next_multiple_of(align);
        self.args = at.saturating_add(size);
        Spot::Args(at)
    }
}

/// Returns the location of each argument of a kernel, and the end of the push constants.
fn layout(
    kernel: &KernelInfo,
    func: &Function,
    asked: &handles::Asked,
    start: u32,
    target: &Target,
) -> Result<(KernelAbi, u32), PassError> {
    let mut cursor = Cursor {
        limits: &target.limits,
        push: start,
        args: 0,
    };
    let mut abi = KernelAbi::default();
    // Binding 0 is the argument buffer.
    let mut binding = 0;
    let mut next_binding = || {
        binding += 1;
        binding
    };
    for arg in &kernel.args {
        abi.args.push(match arg.kind {
            ArgKind::Pod { size, align, .. } => match cursor.take(size, align.max(1)) {
                Spot::Push(offset) => ArgLocation::Push { offset, size },
                Spot::Args(offset) => ArgLocation::Args { offset, size },
            },
            ArgKind::Buffer { .. } => match cursor.take(8, 8) {
                Spot::Push(offset) => ArgLocation::PointerPush { offset },
                Spot::Args(offset) => ArgLocation::PointerArgs { offset },
            },
            ArgKind::Local { align, .. } => match cursor.take(4, 4) {
                Spot::Push(offset) => ArgLocation::LocalPush { offset, align },
                Spot::Args(offset) => ArgLocation::LocalArgs { offset, align },
            },
            ArgKind::Image { .. } | ArgKind::Sampler if !target.features.images => {
                return Err(PassError::Unsupported {
                    feature: format!("argument '{}' of kernel '{}'", arg.name, kernel.name),
                    span: func.span,
                    needs: "image support".into(),
                });
            }
            ArgKind::Image { shape, write } => ArgLocation::Image {
                binding: next_binding(),
                shape,
                write,
            },
            ArgKind::Sampler => ArgLocation::Sampler {
                binding: next_binding(),
            },
        });
    }
    for &arg in &asked.normalized {
        abi.normalized.push((arg, next_binding()));
    }
    for &(arg, fact) in &asked.facts {
        let (in_args, offset) = match cursor.take(4, 4) {
            Spot::Push(offset) => (false, offset),
            Spot::Args(offset) => (true, offset),
        };
        abi.facts.push(FactLocation {
            arg,
            fact,
            in_args,
            offset,
        });
    }
    abi.args_size = cursor.args.next_multiple_of(16);
    if abi.args_size > target.limits.uniform_buffer {
        return Err(PassError::TooLarge {
            what: format!("size of the arguments of kernel '{}'", kernel.name),
            limit: u64::from(target.limits.uniform_buffer),
            span: func.span,
        });
    }
    // The block is an array of 32-bit words.
    Ok((abi, cursor.push.next_multiple_of(4)))
}

/// Replaces the parameters of a kernel.
fn lower(func: &mut Function, kernel: &KernelInfo, abi: &KernelAbi) -> Result<(), PassError> {
    let params = std::mem::take(&mut func.params);
    if params.len() != kernel.args.len() {
        let message = format!("kernel '{}' has not as many parameters as arguments", kernel.name);
        return Err(InternalError::new("lower_kernel_args", message).into());
    }
    let by_ref: Vec<bool> = kernel
        .args
        .iter()
        .map(|arg| matches!(arg.kind, ArgKind::Pod { by_ref: true, .. }))
        .collect();
    let uses = if by_ref.contains(&true) {
        private_uses(func, &params)
    } else {
        HashMap::default()
    };
    let mut replacements = Replacements::default();
    handles::lower(func, &params, abi, &mut replacements);
    let body = func.body;
    let mut b = Builder::before(func, body, 0);
    b.span = b.func.span;
    for (i, (&param, location)) in params.iter().zip(&abi.args).enumerate() {
        let ty = b.func.ty(param);
        let named = descriptor::pointer_bits(abi, location);
        if let (Some(bits), ArgLocation::Buffer { .. } | ArgLocation::LocalArray { .. }) = (named, location) {
            let mut pointer = b.bits(ty, bits);
            let asked = |f: &&FactLocation| f.arg == i as u32 && f.fact == HandleFact::NotNull;
            if let Some(fact) = abi.facts.iter().find(asked) {
                let flag = b.bits(Ty::ptr(AddressSpace::Push), u64::from(fact.offset));
                let flag = b.load(flag, Ty::I32, access(4));
                let zero = b.i32(0);
                let is_there = b.compare(CmpOp::INe, flag, zero);
                let null = b.bits(ty, 0);
                pointer = b.select(is_there, pointer, null);
            }
            replacements.set(param, pointer);
            continue;
        }
        let pod = match (named, location) {
            (Some(bits), ArgLocation::PodSlot { size, .. }) => {
                Some((b.bits(Ty::ptr(AddressSpace::Constant), bits), *size))
            }
            _ => pointer_to(&mut b, location),
        };
        let Some((ptr, size)) = pod else {
            let handle = Handle::Arg(i as u32).to_bits();
            let handle = b.bits(ty, handle);
            replacements.set(param, handle);
            continue;
        };
        let new = match location {
            // `lower_memory` represents local pointers by offsets; the pointer whose bits are the bias has
            // offset 0.
            ArgLocation::LocalPush { .. } | ArgLocation::LocalArgs { .. } => {
                let offset = b.load(ptr, Ty::I32, access(4));
                let base = b.bits(ty, u64::from(LOCAL_POINTER_BIAS));
                b.ptr_add(base, offset)
            }
            _ if by_ref[i] => {
                let found = uses.get(&param);
                let align = match kernel.args[i].kind {
                    ArgKind::Pod { align, .. } => align.max(1),
                    _ => 1,
                };
                match found {
                    None => continue,
                    Some(uses) if uses.only_reads => {
                        let space = b.func.ty(ptr);
                        for &(value, _) in &uses.pointers {
                            b.func.values[value].ty = space;
                        }
                        ptr
                    }
                    Some(uses) => private_copy(&mut b, ptr, size, align, uses),
                }
            }
            _ => {
                let align = ty.scalar.bytes().max(1);
                b.load(ptr, ty, access(align))
            }
        };
        replacements.set(param, new);
    }
    replacements.apply(func);
    Ok(())
}

/// Returns an access that is not volatile.
fn access(align: u32) -> Access {
    Access {
        align,
        volatile: false,
    }
}

/// Returns the address of an argument's value, and its size in bytes; `None` if the argument is a descriptor.
fn pointer_to(b: &mut Builder<'_>, location: &ArgLocation) -> Option<(Value, u32)> {
    let (space, offset, size) = match *location {
        ArgLocation::Push { offset, size } => (AddressSpace::Push, offset, size),
        ArgLocation::Args { offset, size } => (AddressSpace::Args, offset, size),
        ArgLocation::PointerPush { offset } => (AddressSpace::Push, offset, 8),
        ArgLocation::PointerArgs { offset } => (AddressSpace::Args, offset, 8),
        ArgLocation::LocalPush { offset, .. } => (AddressSpace::Push, offset, 4),
        ArgLocation::LocalArgs { offset, .. } => (AddressSpace::Args, offset, 4),
        ArgLocation::Image { .. }
        | ArgLocation::Sampler { .. }
        | ArgLocation::Buffer { .. }
        | ArgLocation::PodSlot { .. }
        | ArgLocation::LocalArray { .. } => return None,
    };
    Some((b.bits(Ty::ptr(space), u64::from(offset)), size))
}

/// The uses of a struct argument by pointer.
#[derive(Debug, Default)]
struct Uses {
    /// Pointers at constant offsets into the struct; results of `PtrAdd`.
    pointers: Vec<(Value, i64)>,
    /// The types of accesses at constant offsets.
    accesses: BTreeMap<u32, Ty>,
    only_reads: bool,
}

/// Finds all uses of parameters, through pointers at constant offsets.
fn private_uses(func: &Function, params: &[Value]) -> HashMap<Value, Uses> {
    let mut origin: HashMap<Value, (Value, i64)> = params.iter().map(|&p| (p, (p, 0))).collect();
    let mut uses: HashMap<Value, Uses> = HashMap::default();
    // In the order of the text, definitions come before uses.
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        let data = &func.insts[inst];
        for (n, arg) in data.args.iter().enumerate() {
            let Some(&(param, offset)) = origin.get(arg) else {
                continue;
            };
            let u = uses.entry(param).or_insert_with(|| Uses {
                only_reads: true,
                ..Uses::default()
            });
            match use_of(func, inst, n) {
                Use::Offset(bytes) => {
                    let result = data.results[0];
                    let sum = offset.wrapping_add(bytes);
                    origin.insert(result, (param, sum));
                    u.pointers.push((result, sum));
                }
                Use::Read(ty) => u.record(offset, ty),
                Use::Written(ty) => {
                    u.record(offset, ty);
                    u.only_reads = false;
                }
                Use::Copied => {}
                Use::Other => u.only_reads = false,
            }
        }
    }
    uses
}

impl Uses {
    /// Records the type of an access, unless another one at the same offset is known.
    fn record(&mut self, offset: i64, ty: Ty) {
        if let Ok(offset) = u32::try_from(offset) {
            self.accesses.entry(offset).or_insert(ty);
        }
    }
}

/// The use of a pointer by an instruction.
enum Use {
    Offset(i64),
    Read(Ty),
    Written(Ty),
    /// The pointer is the source of a copy.
    Copied,
    Other,
}

/// Returns the use of an operand that is a pointer.
fn use_of(func: &Function, inst: Inst, operand: usize) -> Use {
    let data = &func.insts[inst];
    match (&data.op, operand) {
        (Op::PtrAdd, 0) => match func.as_bits(data.args[1]) {
            Some(bits) if func.ty(data.args[1]) == Ty::I32 => Use::Offset(i64::from(bits as u32 as i32)),
            Some(bits) => Use::Offset(bits as i64),
            None => Use::Other,
        },
        (Op::Load(a), _) if !a.volatile => Use::Read(func.ty(data.results[0])),
        (Op::Store(a), 0) if !a.volatile => Use::Written(func.ty(data.args[1])),
        (Op::MemCpy { src, .. }, 1) if !src.volatile => Use::Copied,
        _ => Use::Other,
    }
}

/// Creates a private copy of a struct. It is copied in the units that the kernel accesses.
fn private_copy(b: &mut Builder<'_>, from: Value, size: u32, align: u32, uses: &Uses) -> Value {
    let copy = b.alloca(size, align);
    let mut at = 0;
    let mut pieces: Vec<(u32, Ty)> = Vec::new();
    let fill = |pieces: &mut Vec<(u32, Ty)>, mut at: u32, to: u32| {
        while at < to {
            let ty = match (at % 4, at % 2, to - at) {
                (0, _, 4..) => Ty::I32,
                (_, 0, 2..) => Ty::I16,
                _ => Ty::I8,
            };
            pieces.push((at, ty));
            at += ty.bytes();
        }
    };
    for (&offset, &ty) in &uses.accesses {
        let ty = if ty == Ty::BOOL { Ty::I8 } else { ty };
        let end = offset.saturating_add(ty.bytes());
        if offset >= at && end <= size {
            fill(&mut pieces, at, offset);
            pieces.push((offset, ty));
            at = end;
        }
    }
    fill(&mut pieces, at, size);
    for (offset, ty) in pieces {
        // The largest power of two that divides the offset, at most the alignment of the argument and 16.
        let aligned = access(align.min(1 << offset.trailing_zeros().min(4)));
        let source = b.ptr_offset(from, i64::from(offset));
        let value = b.load(source, ty, aligned);
        let target = b.ptr_offset(copy, i64::from(offset));
        b.store(target, value, aligned);
    }
    copy
}
