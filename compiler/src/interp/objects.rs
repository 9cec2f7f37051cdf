//! The memory objects that kernels of the descriptor ABI access by name.

use super::{Arg, Memory, Trap, put};
use crate::abi::Slot;
use crate::ir::{ArgLocation, EntityRef, KernelAbi, MemoryObject, Module};

/// Returns whether an argument is, or is in, a memory object of its own.
pub(super) fn is_named(location: ArgLocation) -> bool {
    match location {
        ArgLocation::Buffer { .. } | ArgLocation::PodSlot { .. } | ArgLocation::LocalArray { .. } => true,
        ArgLocation::Push { .. }
        | ArgLocation::Args { .. }
        | ArgLocation::PointerPush { .. }
        | ArgLocation::PointerArgs { .. }
        | ArgLocation::LocalPush { .. }
        | ArgLocation::LocalArgs { .. }
        | ArgLocation::Image { .. }
        | ArgLocation::Sampler { .. } => false,
    }
}

/// Returns the plain values at a descriptor, as one block.
fn block(abi: &KernelAbi, args: &[Arg], at: Slot) -> Result<Vec<u8>, Trap> {
    let mut bytes = vec![0; 4096];
    for (location, arg) in abi.args.iter().zip(args) {
        if let (ArgLocation::PodSlot { slot, offset, .. }, Arg::Bytes(value)) = (location, arg)
            && *slot == at
        {
            put(&mut bytes, *offset, value)?;
        }
    }
    Ok(bytes)
}

/// Creates the memory objects and returns their addresses.
pub(super) fn place(
    module: &Module,
    abi: &KernelAbi,
    args: &[Arg],
    globals: &[u64],
    memory: &mut Memory,
) -> Result<Vec<u64>, Trap> {
    let mut list = Vec::new();
    for object in &abi.objects {
        let address = match *object {
            MemoryObject::Printf => memory.add(vec![0; crate::printf::PRINTF_BUFFER_SIZE as usize]),
            MemoryObject::Storage { slot } | MemoryObject::Uniform { slot, .. } => {
                let mut found = None;
                for (location, arg) in abi.args.iter().zip(args) {
                    if let (ArgLocation::Buffer { slot: at, .. }, Arg::Pointer(address)) = (location, arg)
                        && *at == slot
                    {
                        found = Some(*address);
                    }
                }
                match found {
                    Some(address) => address,
                    None => memory.add(block(abi, args, slot)?),
                }
            }
            MemoryObject::LocalArray { spec_id, .. } => {
                let size = abi
                    .args
                    .iter()
                    .zip(args)
                    .find_map(|(location, arg)| match (location, arg) {
                        (ArgLocation::LocalArray { spec_id: id, .. }, Arg::Local(size)) if *id == spec_id => {
                            Some(*size)
                        }
                        _ => None,
                    });
                memory.add(vec![0; size.unwrap_or(0) as usize + 16])
            }
            MemoryObject::Local(g) => memory.add(vec![0; module.globals[g].size as usize + 16]),
            MemoryObject::Constants => memory.add(module.constant_data.bytes.clone()),
            MemoryObject::Constant(g) => globals[g.index()],
            MemoryObject::EndedLoops { .. } => memory.add(vec![0; 4]),
        };
        list.push(address);
    }
    Ok(list)
}
