//! An interpreter of the IR: the oracle against which tests compare passes.
//!
//! It executes any verified module, regardless of which passes have run: kernels with parameters, or kernels
//! with arguments in push constants and lowered memory. The work-items of a work-group run one after the
//! other between barriers and sub-group operations. Addresses are numbers as on a device (with an object's
//! number in the upper half), so pointers may be stored, compared and cast. If the IR leaves a result undefined, it is an
//! error here where that is cheap to detect (division by zero, accesses outside an object, overflow in spite of
//! `no_wrap`), and zero otherwise. With [`Undefined::Anything`], results such as that of a division by zero are arbitrary
//! numbers instead of errors.

mod functions;
mod image;
mod machine;
mod matrix;
mod memory;
mod objects;
mod subgroup;

pub use image::{Handles, Image};
pub use memory::Memory;

use crate::abi::scratch_size;
use crate::intrinsic::Intrinsic;
use crate::ir::{
    AddressSpace, ArgKind, ArgLocation, EntityRef, Func, Handle, HandleFact, Inst, Module, Scalar, Ty,
};
use machine::{Machine, Stop};

/// The reason why execution ended early.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Trap {
    /// An access outside of all objects.
    #[error("access of {size} bytes at {address:#x} is outside of all objects")]
    Memory { address: u64, size: u32 },
    /// A work-item has executed more steps than [`Launch::steps`] allows.
    #[error("more steps than allowed")]
    Steps,
    /// Control reached an `unreachable` instruction.
    #[error("Unreachable was reached")]
    Unreachable,
    /// An operation has an undefined result.
    #[error("{0} has no defined result")]
    Undefined(String),
    /// An operation that is [`crate::ir::InstData::no_wrap`] overflows.
    #[error("{inst:?} in {function}, which is no_wrap, overflows")]
    Overflow { function: String, inst: Inst },
    /// The interpreter does not implement the operation.
    #[error("{0} cannot be interpreted")]
    NotSupported(String),
    /// Some work-items of a group wait at a barrier, and others have ended.
    #[error("some work-items wait at a barrier and others have ended")]
    Divergence,
}

/// An argument of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    /// The address of an object, from [`Memory::add`].
    Pointer(u64),
    /// The bytes of a value.
    Bytes(Vec<u8>),
    /// The size of local memory in bytes.
    Local(u32),
    /// An image or sampler, which is in [`Memory::handles`].
    Handle,
}

/// The parameters of an NDRange.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The number of work-groups in each dimension.
    pub groups: [u32; 3],
    /// The number of work-items of a group in each dimension.
    pub local: [u32; 3],
    /// The largest number of steps that one work-item may take.
    pub steps: u64,
    /// The number of work-items in a sub-group; these are neighbours in the order of their linear ids.
    pub subgroup: u32,
    /// The treatment of undefined results.
    pub undefined: Undefined,
}

impl Default for Launch {
    /// Returns an NDRange with one work-item.
    fn default() -> Self {
        Launch {
            groups: [1; 3],
            local: [1; 3],
            steps: 10_000,
            subgroup: 1,
            undefined: Undefined::Trap,
        }
    }
}

/// The treatment of results that an operation leaves undefined.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Undefined {
    /// An undefined result is an error.
    Trap,
    /// An undefined result is an arbitrary number. Passes may execute an operation speculatively, without
    /// using its result.
    Anything,
}

/// Calls a function with the lanes of its arguments. Returns the lanes of all its results.
pub fn call(
    module: &Module,
    func: Func,
    args: &[Vec<u64>],
    memory: &mut Memory,
    steps: u64,
) -> Result<Vec<u64>, Trap> {
    let launch = Launch {
        steps,
        ..Launch::default()
    };
    let globals = place_globals(module, memory)?;
    let mut machine = Machine::new(module, func, args.to_vec(), &globals, launch, [0; 3], [0; 3]);
    loop {
        let mut stop = [machine.run(memory)?];
        if stop[0] == Stop::Ended {
            return Ok(machine.result);
        }
        subgroup::resolve(std::slice::from_mut(&mut machine), &mut stop, launch.undefined)?;
    }
}

/// The addresses of the memory that all work-items of a group share.
#[derive(Clone, Default)]
struct Shared {
    globals: Vec<u64>,
    push: u64,
    args: u64,
    arena: u64,
    /// The addresses of `KernelAbi::objects`.
    objects: Vec<u64>,
}

/// Runs a kernel. Returns the largest number of steps that a work-item took.
pub fn launch(
    module: &Module,
    kernel: usize,
    args: &[Arg],
    launch: Launch,
    memory: &mut Memory,
) -> Result<u64, Trap> {
    let mut steps = 0;
    let info = &module.kernels[kernel];
    // All groups share one scratch buffer, because they belong to one dispatch.
    let items = launch.groups.iter().chain(&launch.local).product::<u32>();
    let scratch = module.abi.get(kernel).map_or(0, |a| a.scratch);
    let scratch = (scratch > 0).then(|| memory.add(vec![0; scratch_size(items.into(), scratch) as usize]));
    // All groups share the variables in global memory. Each has its own local ones.
    let all = place_globals(module, memory)?;
    let data = place_data(module, memory)?;
    for group in positions(launch.groups) {
        let mut shared = all.clone();
        for (g, global) in module
            .globals
            .iter()
            .filter(|(_, g)| g.space == AddressSpace::Local)
        {
            shared.globals[g.index()] = memory.add(vec![0; global.size as usize]);
        }
        let mut values = Vec::new();
        if let Some(abi) = module.abi.get(kernel) {
            // The 64 additional bytes are more than any group offset needs. The arena has the size that the
            // arguments require.
            let mut push = vec![0; module.system.size as usize + 64];
            let mut buffer = vec![0; abi.args_size as usize + 64];
            system_values(module, launch, data, &mut push, memory)?;
            if let (Some(at), Some(address)) = (module.system.scratch, scratch) {
                put(&mut push, at, &address.to_le_bytes())?;
            }
            let mut arena = abi.local_fixed;
            for (location, arg) in abi.args.iter().zip(args) {
                if !objects::is_named(*location) {
                    place_arg(*location, arg, &mut push, &mut buffer, &mut arena)?;
                }
            }
            shared.objects = objects::place(module, abi, args, &shared.globals, memory)?;
            for fact in &abi.facts {
                let op = match fact.fact {
                    HandleFact::ChannelOrder => Some(Intrinsic::ChannelOrder),
                    HandleFact::ChannelDataType => Some(Intrinsic::ChannelDataType),
                    HandleFact::SamplerMask => Some(Intrinsic::SamplerProperties),
                    HandleFact::NotNull => None,
                };
                let value = match op {
                    Some(op) => {
                        let handle = vec![Handle::Arg(fact.arg).to_bits()];
                        image::execute(memory, op, &[handle], false)?[0]
                    }
                    None => u64::from(!matches!(args.get(fact.arg as usize), Some(Arg::Pointer(0)))),
                };
                let bytes = (value as u32).to_le_bytes();
                let block = if fact.in_args { &mut buffer } else { &mut push };
                put(block, fact.offset, &bytes)?;
            }
            shared.push = memory.add(push);
            shared.args = memory.add(buffer);
            shared.arena = memory.add(vec![0; arena as usize + 64]);
        } else {
            let mut push = vec![0; module.system.size as usize];
            system_values(module, launch, data, &mut push, memory)?;
            shared.push = memory.add(push);
            for (i, (arg, kind)) in args.iter().zip(info.args.iter().map(|a| &a.kind)).enumerate() {
                let ty = module.funcs[info.func].ty(module.funcs[info.func].params[i]);
                values.push(match arg {
                    Arg::Handle => vec![Handle::Arg(i as u32).to_bits()],
                    _ => parameter(arg, kind, ty, memory)?,
                });
            }
        }
        let mut items: Vec<Machine<'_>> = positions(launch.local)
            .map(|local| Machine::new(module, info.func, values.clone(), &shared, launch, group, local))
            .collect();
        let mut stops = vec![Stop::Running; items.len()];
        while stops.iter().any(|&s| s != Stop::Ended) {
            for (item, stop) in items.iter_mut().zip(&mut stops) {
                if *stop == Stop::Running {
                    *stop = item.run(memory)?;
                }
            }
            let size = launch.subgroup as usize;
            let mut together = false;
            for (items, stops) in items.chunks_mut(size).zip(stops.chunks_mut(size)) {
                together |= subgroup::resolve(items, stops, launch.undefined)?;
            }
            if together || stops.iter().all(|&s| s == Stop::Ended) {
                continue;
            }
            if stops.iter().any(|&s| s != Stop::Barrier) {
                return Err(Trap::Divergence);
            }
            // All work-items must wait at the same instance of the same barrier.
            let point = items[0].point();
            if items.iter().any(|i| i.point() != point) {
                return Err(Trap::Divergence);
            }
            stops.fill(Stop::Running);
        }
        let left = items.iter().map(Machine::steps_left).min();
        steps = steps.max(launch.steps - left.unwrap_or(launch.steps));
    }
    Ok(steps)
}

fn positions(size: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let [x, y, z] = size;
    (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])))
}

fn place_globals(module: &Module, memory: &mut Memory) -> Result<Shared, Trap> {
    let mut shared = Shared::default();
    for (_, global) in module.globals.iter() {
        let mut bytes = global.init.as_ref().map_or_else(Vec::new, |i| i.bytes.clone());
        bytes.resize(global.size as usize, 0);
        let address = memory.add(bytes);
        shared.globals.push(address);
    }
    for (g, global) in module.globals.iter() {
        let relocations = global.init.iter().flat_map(|i| &i.relocations);
        for &(at, target, offset) in relocations {
            let address = shared.globals[target.index()].wrapping_add(offset);
            memory.write(shared.globals[g.index()] + u64::from(at), &address.to_le_bytes())?;
        }
    }
    Ok(shared)
}

fn put(block: &mut [u8], at: u32, bytes: &[u8]) -> Result<(), Trap> {
    let start = at as usize;
    match block.get_mut(start..start + bytes.len()) {
        Some(place) => {
            place.copy_from_slice(bytes);
            Ok(())
        }
        None => Err(Trap::NotSupported("an argument outside of its block".into())),
    }
}

/// Returns the address of the data of the module's constants and variables.
fn place_data(module: &Module, memory: &mut Memory) -> Result<u64, Trap> {
    let mut bytes = module.constant_data.bytes.clone();
    bytes.resize(bytes.len().max(module.constant_data.size as usize), 0);
    let data = memory.add(bytes);
    for &(from, to) in &module.constant_data.relocations {
        memory.write(data + u64::from(from), &(data + u64::from(to)).to_le_bytes())?;
    }
    Ok(data)
}

/// Fills in the push constants that the runtime supplies. `data` is the address of the constant data.
fn system_values(
    module: &Module,
    launch: Launch,
    data: u64,
    push: &mut [u8],
    memory: &mut Memory,
) -> Result<(), Trap> {
    let system = &module.system;
    let step = system.component();
    if let Some(at) = system.num_workgroups {
        for (i, n) in launch.groups.iter().enumerate() {
            put(push, at + step * i as u32, &n.to_le_bytes())?;
        }
    }
    if let Some(at) = system.global_size {
        for i in 0..3 {
            let n = launch.groups[i] * launch.local[i];
            put(push, at + step * i as u32, &n.to_le_bytes())?;
        }
    }
    if let Some(at) = system.enqueued_local_size {
        for (i, n) in launch.local.iter().enumerate() {
            put(push, at + step * i as u32, &n.to_le_bytes())?;
        }
    }
    if let Some(at) = system.constant_data {
        put(push, at, &data.to_le_bytes())?;
    }
    if let Some(at) = system.printf_buffer {
        let buffer = memory.add(vec![0; crate::printf::PRINTF_BUFFER_SIZE as usize]);
        put(push, at, &buffer.to_le_bytes())?;
    }
    Ok(())
}

fn place_arg(
    location: ArgLocation,
    arg: &Arg,
    push: &mut [u8],
    buffer: &mut [u8],
    arena: &mut u32,
) -> Result<(), Trap> {
    let bytes = match arg {
        Arg::Pointer(address) => address.to_le_bytes().to_vec(),
        Arg::Bytes(bytes) => bytes.clone(),
        Arg::Local(size) => {
            let align = match location {
                ArgLocation::LocalPush { align, .. } | ArgLocation::LocalArgs { align, .. } => align,
                _ => 1,
            };
            let start = arena.next_multiple_of(align.max(16));
            *arena = start + size;
            start.to_le_bytes().to_vec()
        }
        Arg::Handle => return Ok(()),
    };
    match location {
        ArgLocation::Push { offset, .. }
        | ArgLocation::PointerPush { offset }
        | ArgLocation::LocalPush { offset, .. } => put(push, offset, &bytes),
        ArgLocation::Args { offset, .. }
        | ArgLocation::PointerArgs { offset }
        | ArgLocation::LocalArgs { offset, .. } => put(buffer, offset, &bytes),
        ArgLocation::Image { .. }
        | ArgLocation::Sampler { .. }
        | ArgLocation::Buffer { .. }
        | ArgLocation::PodSlot { .. }
        | ArgLocation::LocalArray { .. } => Err(Trap::NotSupported("another argument than its own".into())),
    }
}

/// Returns the lanes of a kernel's parameter.
fn parameter(arg: &Arg, kind: &ArgKind, ty: Ty, memory: &mut Memory) -> Result<Vec<u64>, Trap> {
    Ok(match (arg, kind) {
        (Arg::Pointer(address), _) => vec![*address],
        (Arg::Handle, _) => Vec::new(),
        (Arg::Local(size), _) => vec![memory.add(vec![0; *size as usize])],
        (Arg::Bytes(bytes), ArgKind::Pod { by_ref: true, .. }) => vec![memory.add(bytes.clone())],
        (Arg::Bytes(bytes), _) => lanes_of(bytes, ty.scalar, ty.lanes as usize),
    })
}

/// Reads lanes from little-endian memory.
fn lanes_of(bytes: &[u8], scalar: Scalar, count: usize) -> Vec<u64> {
    bytes
        .chunks(scalar.bytes().max(1) as usize)
        .take(count)
        .map(|c| c.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)))
        .collect()
}
