//! The locations of arguments in the descriptor ABI: clspv's mapping.
//!
//! Literal samplers take set 0 if there are any, or if there is a sampler map. The kernels' arguments take
//! the next set, or one set for each kernel. The program's constant data and the printf buffer follow, with
//! one set each. In a kernel's set the bindings follow the order of the arguments; with clustering, plain
//! values (structs and scalars) come last, in one block. A kernel that may report ended loops has one more binding.

use super::handles::{self, Asked};
use crate::abi::{DescriptorAbi, FIRST_SPEC_ID, GlobalOffset, PodPlace, Slot};
use crate::hash::ordered;
use crate::ir::inst::CastOp;
use crate::ir::module::object_pointer;
use crate::ir::walk::Walk;
use crate::ir::{
    AddressSpace, ArgKind, ArgLocation, FactLocation, Func, Function, HandleFact, KernelAbi, KernelArg,
    KernelInfo, MemoryObject, Module, Op, Scalar,
};
use crate::pass::analysis::points_to::PointsTo;
use crate::pass::{PassError, report_ended_loops};
use crate::target::Target;
use std::collections::BTreeSet;

/// The layout that the kernels of a module share.
pub(super) struct Shared<'t> {
    target: &'t Target,
    abi: &'t DescriptorAbi,
    /// The end of the system's push constants, in bytes.
    push_start: u32,
    next_set: u32,
    /// The set of the arguments, if the kernels share one and a kernel has taken it.
    kernel_set: Option<u32>,
    /// The element size of each specialization constant for a local array, from `FIRST_SPEC_ID` on.
    local_sizes: Vec<u32>,
}

/// Returns the error for a program that the descriptor ABI cannot express.
fn not_in_abi(what: String, why: &'static str, func: &Function) -> PassError {
    PassError::NotInAbi {
        what,
        why,
        span: func.span,
    }
}

impl<'t> Shared<'t> {
    /// Chooses the literal samplers of the module. Returns an error if the ABI's sampler map or its older
    /// rules exclude the module.
    pub(super) fn new(
        module: &mut Module,
        target: &'t Target,
        abi: &'t DescriptorAbi,
    ) -> Result<Shared<'t>, PassError> {
        let kernels: Vec<Func> = module.kernels.iter().map(|k| k.func).collect();
        let mut used = Vec::new();
        for &f in &kernels {
            let func = &module.funcs[f];
            handles::collect_literals(func, &mut used);
            if let Some(map) = &abi.sampler_map
                && let Some(other) = used.iter().find(|m| !map.contains(m))
            {
                let what = format!("a sampler with the properties {:#x}", other.0);
                return Err(not_in_abi(what, "it is not in the sampler map", func));
            }
        }
        if abi.older_rules {
            if abi.sampler_map.is_none() && !used.is_empty() {
                let why = "there is no sampler map (-samplermap)";
                return Err(not_in_abi(
                    "a sampler of the program".into(),
                    why,
                    &module.funcs[kernels[0]],
                ));
            }
            let with = module
                .kernels
                .iter()
                .filter(|k| k.required_size.is_some())
                .count();
            if with != 0 && with != module.kernels.len() {
                let func = &module.funcs[kernels[0]];
                let what = "reqd_work_group_size of some kernels only".into();
                return Err(not_in_abi(
                    what,
                    "either all kernels of a module have it, or none",
                    func,
                ));
            }
        }
        module.slots.literal_samplers = 0;
        module.literal_samplers = abi.sampler_map.clone().unwrap_or(used);
        let samplers = abi.sampler_map.is_some() || !module.literal_samplers.is_empty();
        Ok(Shared {
            target,
            abi,
            push_start: module.system.size,
            next_set: u32::from(samplers),
            kernel_set: None,
            local_sizes: Vec::new(),
        })
    }

    /// Returns the next free descriptor set.
    fn take_set(&mut self) -> u32 {
        self.next_set += 1;
        self.next_set - 1
    }

    /// Returns the locations of one kernel's arguments, and the end of its push constants.
    pub(super) fn layout(
        &mut self,
        kernel: &KernelInfo,
        func: &Function,
        asked: &Asked,
    ) -> Result<(KernelAbi, u32), PassError> {
        let asked_nulls = nulls_asked(kernel, func, self.abi.null_flags)?;
        if !self.target.features.int8 && !self.target.lacks_narrow_integers() {
            check_bytes(func)?;
        }
        let reports =
            self.abi.ended_loops && self.target.quirks.counted_loops && report_ended_loops::may_be_long(func);
        let set = self.set_of(kernel, reports);
        let mut objects = vec![MemoryObject::Printf];
        if self.abi.constants_in_buffer {
            objects.push(MemoryObject::Constants);
        }
        let mut layout = Layout {
            set,
            binding: 0,
            push: self.push_start,
            abi: KernelAbi {
                set,
                objects,
                ..KernelAbi::default()
            },
        };
        // These flags come before the plain values, which can go elsewhere if there is not enough room.
        for arg in asked_nulls {
            layout.fact(arg, HandleFact::NotNull);
        }
        let pods = self.pod_block(kernel, func, layout.push)?;
        let mut locations: Vec<Option<ArgLocation>> = vec![None; kernel.args.len()];
        let mut local_ids = Vec::new();
        for (arg, place) in kernel.args.iter().zip(&mut locations) {
            *place = self.place(arg, &mut layout, &mut local_ids, kernel, func)?;
        }
        if let Some(block) = &pods
            && self.abi.cluster_pods
        {
            layout.cluster(block, &mut locations);
        }
        let mut facts = asked.facts.clone();
        for &arg in &asked.normalized {
            let binding = match &locations[arg as usize] {
                Some(ArgLocation::Sampler { binding }) if !self.abi.sampler_pairs => *binding,
                _ => layout.slot().binding,
            };
            layout.abi.normalized.push((arg, binding));
            // The push constant is there even if the kernel does not read it: its reflection tells the host that
            // the descriptor is the variant with normalized coordinates.
            if !self.abi.sampler_pairs && !self.abi.older_rules {
                facts.insert((arg, HandleFact::SamplerMask));
            }
        }
        for (arg, fact) in facts {
            layout.fact(arg, fact);
        }
        if layout.push > self.target.limits.push_constants {
            return Err(PassError::TooLarge {
                what: format!("size of the push constants of kernel '{}'", kernel.name),
                limit: u64::from(self.target.limits.push_constants),
                span: func.span,
            });
        }
        if reports {
            let slot = layout.slot();
            layout.abi.objects.push(MemoryObject::EndedLoops { slot });
        }
        layout.abi.args = locations.into_iter().flatten().collect();
        Ok((layout.abi, layout.push.next_multiple_of(4)))
    }

    /// Places an argument. Returns `None` for a plain value that is placed together with the others.
    fn place(
        &mut self,
        arg: &KernelArg,
        layout: &mut Layout,
        local_ids: &mut Vec<usize>,
        kernel: &KernelInfo,
        func: &Function,
    ) -> Result<Option<ArgLocation>, PassError> {
        Ok(match arg.kind {
            ArgKind::Pod { .. } if self.abi.cluster_pods => None,
            ArgKind::Pod { size, .. } => Some(layout.pod_alone(size, self.uniform_pods())),
            ArgKind::Buffer { space, .. } => {
                let uniform = space == AddressSpace::Constant && self.abi.constant_args_ubo;
                let slot = layout.slot();
                layout.abi.objects.push(match uniform {
                    true => MemoryObject::Uniform {
                        slot,
                        bytes: self.target.limits.uniform_buffer,
                    },
                    false => MemoryObject::Storage { slot },
                });
                Some(ArgLocation::Buffer { slot, uniform })
            }
            ArgKind::Local { elem_size, .. } => {
                let spec_id = self.local_spec_id(elem_size, local_ids);
                layout
                    .abi
                    .objects
                    .push(MemoryObject::LocalArray { spec_id, elem_size });
                Some(ArgLocation::LocalArray { spec_id, elem_size })
            }
            ArgKind::Image { .. } | ArgKind::Sampler if !self.target.features.images => {
                return Err(PassError::Unsupported {
                    feature: format!("argument '{}' of kernel '{}'", arg.name, kernel.name),
                    span: func.span,
                    needs: "image support".into(),
                });
            }
            ArgKind::Image { shape, write } => Some(ArgLocation::Image {
                binding: layout.slot().binding,
                shape,
                write,
            }),
            ArgKind::Sampler => Some(ArgLocation::Sampler {
                binding: layout.slot().binding,
            }),
        })
    }
    /// Returns the descriptor set of a kernel.
    fn set_of(&mut self, kernel: &KernelInfo, reports: bool) -> u32 {
        let has_descriptors = reports
            || kernel.args.iter().any(|a| match a.kind {
                ArgKind::Local { .. } => false,
                ArgKind::Pod { .. } => self.abi.pods != PodPlace::PushConstants,
                ArgKind::Buffer { .. } | ArgKind::Image { .. } | ArgKind::Sampler => true,
            });
        match (self.abi.distinct_sets, self.kernel_set) {
            (false, Some(set)) => set,
            (true, _) => self.take_set(),
            (false, None) if has_descriptors => {
                let set = self.take_set();
                *self.kernel_set.insert(set)
            }
            (false, None) => 0,
        }
    }

    /// Returns whether plain values with a binding of their own are in uniform buffers.
    fn uniform_pods(&self) -> bool {
        match self.abi.pods {
            PodPlace::StorageBuffer => false,
            PodPlace::UniformBuffer | PodPlace::PushConstants | PodPlace::Auto => true,
        }
    }

    /// Returns the offsets of the plain values, and where their block goes. `push` is the end of the push
    /// constants so far.
    fn pod_block(
        &self,
        kernel: &KernelInfo,
        func: &Function,
        push: u32,
    ) -> Result<Option<PodBlock>, PassError> {
        let mut block = PodBlock {
            members: Vec::new(),
            size: 0,
            place: self.abi.pods,
        };
        for (i, arg) in kernel.args.iter().enumerate() {
            if let ArgKind::Pod { size, align, .. } = arg.kind {
                let offset = block.size.next_multiple_of(align.max(1));
                block.members.push((i, offset, size));
                block.size = offset.saturating_add(size);
            }
        }
        if block.members.is_empty() {
            return Ok(None);
        }
        let limits = &self.target.limits;
        let too_large = |limit: u32| PassError::TooLarge {
            what: format!("size of the arguments of kernel '{}'", kernel.name),
            limit: u64::from(limit),
            span: func.span,
        };
        let push_end = push.next_multiple_of(16).saturating_add(block.size);
        match block.place {
            PodPlace::PushConstants if self.push_start > 0 => {
                let what = format!("plain values of kernel '{}' in push constants", kernel.name);
                return Err(not_in_abi(what, "the module has other push constants", func));
            }
            PodPlace::PushConstants if push_end > limits.push_constants => {
                return Err(too_large(limits.push_constants));
            }
            PodPlace::Auto => {
                block.place = if push_end <= limits.push_constants {
                    PodPlace::PushConstants
                } else if block.size <= limits.uniform_buffer {
                    PodPlace::UniformBuffer
                } else {
                    PodPlace::StorageBuffer
                };
            }
            PodPlace::UniformBuffer if block.size > limits.uniform_buffer => {
                return Err(too_large(limits.uniform_buffer));
            }
            PodPlace::PushConstants | PodPlace::UniformBuffer | PodPlace::StorageBuffer => {}
        }
        Ok(Some(block))
    }

    /// Returns the specialization constant for a local array of a kernel. Each array of a kernel has its own;
    /// arrays of different kernels share one if their elements have the same size.
    fn local_spec_id(&mut self, elem_size: u32, taken: &mut Vec<usize>) -> u32 {
        let known = self
            .local_sizes
            .iter()
            .enumerate()
            .position(|(i, &size)| size == elem_size && !taken.contains(&i));
        let index = known.unwrap_or_else(|| {
            self.local_sizes.push(elem_size);
            self.local_sizes.len() - 1
        });
        taken.push(index);
        FIRST_SPEC_ID + index as u32
    }

    /// Assigns the descriptors of the module, in the sets after those of the kernels.
    pub(super) fn finish(mut self, module: &mut Module) {
        let has_constants = module.kernels.iter().any(|k| {
            let func = &module.funcs[k.func];
            let mut walk = Walk::new(func);
            let mut found = false;
            while let Some((_, inst)) = walk.next(func) {
                found |= match func.insts[inst].op {
                    Op::GlobalAddr(g) => module.globals[g].space == AddressSpace::Constant,
                    _ => false,
                };
            }
            found
        });
        if self.abi.constants_in_buffer && has_constants {
            let set = self.take_set();
            module.slots.constants = Some(Slot { set, binding: 0 });
        }
        if module.slots.printf.is_some() {
            let set = self.take_set();
            module.slots.printf = Some(Slot { set, binding: 0 });
        }
        debug_assert!(
            self.abi.global_offset == GlobalOffset::PushConstants || module.system.global_offset.is_none()
        );
    }
}

/// The plain values of a kernel, laid out as a struct.
struct PodBlock {
    /// For each: the number of the argument, the offset and the size in bytes.
    members: Vec<(usize, u32, u32)>,
    size: u32,
    /// Never `Auto`.
    place: PodPlace,
}

/// The locations assigned to one kernel so far.
struct Layout {
    set: u32,
    binding: u32,
    push: u32,
    abi: KernelAbi,
}

impl Layout {
    /// Returns the next binding.
    fn slot(&mut self) -> Slot {
        self.binding += 1;
        Slot {
            set: self.set,
            binding: self.binding - 1,
        }
    }

    /// Adds a push constant for a property of an argument.
    fn fact(&mut self, arg: u32, fact: HandleFact) {
        let offset = self.push.next_multiple_of(4);
        self.push = offset + 4;
        self.abi.facts.push(FactLocation {
            arg,
            fact,
            in_args: false,
            offset,
        });
    }

    /// Adds a buffer for plain values.
    fn block(&mut self, bytes: u32, uniform: bool) -> Slot {
        let slot = self.slot();
        self.abi.objects.push(match uniform {
            true => MemoryObject::Uniform {
                slot,
                bytes: bytes.next_multiple_of(16),
            },
            false => MemoryObject::Storage { slot },
        });
        slot
    }

    /// Adds a buffer for one plain value.
    fn pod_alone(&mut self, size: u32, uniform: bool) -> ArgLocation {
        ArgLocation::PodSlot {
            slot: self.block(size, uniform),
            offset: 0,
            size,
            uniform,
        }
    }

    /// Assigns the locations of the plain values in one block.
    fn cluster(&mut self, block: &PodBlock, locations: &mut [Option<ArgLocation>]) {
        let uniform = match block.place {
            PodPlace::PushConstants | PodPlace::Auto => {
                // The block is aligned to 16 bytes, as clspv's structs are.
                let start = match self.push {
                    0 => 0,
                    end => end.next_multiple_of(16),
                };
                for &(arg, offset, size) in &block.members {
                    locations[arg] = Some(ArgLocation::Push {
                        offset: start + offset,
                        size,
                    });
                }
                self.push = start + block.size;
                return;
            }
            PodPlace::UniformBuffer => true,
            PodPlace::StorageBuffer => false,
        };
        let slot = self.block(block.size, uniform);
        for &(arg, offset, size) in &block.members {
            locations[arg] = Some(ArgLocation::PodSlot {
                slot,
                offset,
                size,
                uniform,
            });
        }
    }
}

/// Returns the constant pointer that represents an argument's memory, if the memory is a named object.
pub(super) fn pointer_bits(abi: &KernelAbi, location: &ArgLocation) -> Option<u64> {
    let of = |wanted: &dyn Fn(&MemoryObject) -> bool| {
        let found = abi.objects.iter().position(wanted);
        found.map(|n| object_pointer(n as u32))
    };
    let at = |slot: Slot| {
        of(&|o| match *o {
            MemoryObject::Storage { slot: s } | MemoryObject::Uniform { slot: s, .. } => s == slot,
            MemoryObject::Printf
            | MemoryObject::LocalArray { .. }
            | MemoryObject::Local(_)
            | MemoryObject::Constants
            | MemoryObject::Constant(_)
            | MemoryObject::EndedLoops { .. } => false,
        })
    };
    match *location {
        ArgLocation::Buffer { slot, .. } => at(slot),
        ArgLocation::PodSlot { slot, offset, .. } => at(slot).map(|bits| bits + u64::from(offset)),
        ArgLocation::LocalArray { spec_id, .. } => {
            of(&|o| matches!(*o, MemoryObject::LocalArray { spec_id: id, .. } if id == spec_id))
        }
        ArgLocation::Push { .. }
        | ArgLocation::Args { .. }
        | ArgLocation::PointerPush { .. }
        | ArgLocation::PointerArgs { .. }
        | ArgLocation::LocalPush { .. }
        | ArgLocation::LocalArgs { .. }
        | ArgLocation::Image { .. }
        | ArgLocation::Sampler { .. } => None,
    }
}

/// Returns an error if a function has 8-bit integers, for `-int8=0`.
fn check_bytes(func: &Function) -> Result<(), PassError> {
    for inst in func.insts_in_order() {
        let data = &func.insts[inst];
        let mut values = data.args.iter().chain(&data.results);
        if values.any(|&v| func.ty(v).scalar == Scalar::I8) {
            return Err(PassError::Unsupported {
                feature: "a type of 8-bit integers".into(),
                span: data.span,
                needs: "shaderInt8 (-int8)".into(),
            });
        }
    }
    Ok(())
}

/// Returns the arguments of which the kernel can find out whether they are NULL. Returns an error if it
/// compares pointers in a way that the ABI cannot express: offsets into one buffer can be compared, but a
/// kernel cannot know whether two buffers are the same memory.
fn nulls_asked(kernel: &KernelInfo, func: &Function, flags: bool) -> Result<BTreeSet<u32>, PassError> {
    let is_buffer = |n: usize| matches!(kernel.args.get(n).map(|a| &a.kind), Some(ArgKind::Buffer { .. }));
    let null = func.params.len() as u32;
    let sets = PointsTo::new(func, func.params.len() + 1, |v| {
        if func.as_bits(v) == Some(0) {
            return Some(null);
        }
        let n = func.params.iter().position(|&p| p == v)?;
        is_buffer(n).then_some(n as u32)
    });
    let mut asked = BTreeSet::new();
    for inst in func.insts_in_order() {
        let data = &func.insts[inst];
        let args = match data.op {
            Op::Compare(_) => &data.args[..2],
            // A null pointer converts to 0.
            Op::Cast(CastOp::PtrToInt) => &data.args[..1],
            _ => continue,
        };
        let space = func.ty(args[0]).space();
        if !matches!(space, Some(AddressSpace::Global | AddressSpace::Constant)) {
            continue;
        }
        let all: Vec<BTreeSet<u32>> = args.iter().map(|&v| ordered(sets.of(v))).collect();
        let one_buffer = all.iter().all(|set| set.len() == 1 && *set == all[0]);
        if args.len() == 2 && one_buffer {
            continue;
        }
        let buffers = |set: &BTreeSet<u32>| ordered(set.iter().copied().filter(|&n| n != null));
        let named: Vec<BTreeSet<u32>> = all.iter().map(buffers).collect();
        let union: BTreeSet<u32> = ordered(named.iter().flatten().copied());
        let with_null = named.iter().any(BTreeSet::is_empty);
        let refused = match args.len() {
            2 if union.len() > 1 && !with_null => Some((
                "pointers into different buffers compared",
                "buffers have no addresses",
            )),
            2 if !union.is_empty() && with_null && !flags => Some((
                "an argument compared with a null pointer",
                "a kernel cannot see which buffers are NULL",
            )),
            _ => None,
        };
        if let Some((what, why)) = refused {
            return Err(PassError::NotInAbi {
                what: what.into(),
                why,
                span: data.span,
            });
        }
        if flags {
            asked.extend(union);
        }
    }
    Ok(asked)
}
