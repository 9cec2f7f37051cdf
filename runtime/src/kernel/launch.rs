//! Launches: a kernel with its argument values and an NDRange, as clEnqueueNDRangeKernel enqueues it (CL 5.8).

use std::sync::Arc;

use caldera_compiler::reflect::{DataPlace, PushRange, Scratch};

use super::parts::{Part, parts};
use super::pipeline::{DeviceKernel, Variant};
use super::placed::{Placed, Push};
use super::uses::{self, Accesses};
use super::{Range, alias, local_size, packing, scratch};
use crate::device::Limits;
use crate::device::staging::Staging;
use crate::error::{ClCode, Error, Result};
use crate::mem::migrate::Touch;
use crate::mem::{Buffer, Image};
use crate::queue::{CommandQueue, Recording};
use crate::sampler::Sampler;
use crate::vk;

/// The bytes of a plain argument; short ones are stored without allocation.
#[derive(Clone, Debug)]
pub struct PodBytes(Pod);

#[derive(Clone, Debug)]
enum Pod {
    Short { len: u8, bytes: [u8; 30] },
    Long(Box<[u8]>),
}

impl PodBytes {
    /// Copies the bytes.
    pub fn new(bytes: &[u8]) -> Self {
        let mut short = [0; 30];
        PodBytes(match short.get_mut(..bytes.len()) {
            Some(head) => {
                head.copy_from_slice(bytes);
                Pod::Short {
                    len: bytes.len() as u8,
                    bytes: short,
                }
            }
            None => Pod::Long(bytes.into()),
        })
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Pod::Short { len, bytes } => &bytes[..usize::from(*len)],
            Pod::Long(bytes) => bytes,
        }
    }
}

/// The value of a kernel argument. Type and size fit the kernel's reflection (checked by clSetKernelArg).
#[derive(Clone, Debug, Default)]
pub enum ArgValue {
    /// The argument has not been set.
    #[default]
    Unset,
    /// A plain value.
    Pod(PodBytes),
    /// A buffer for a global or constant pointer; `None` is a null pointer.
    Buffer(Option<Arc<Buffer>>),
    /// A device address for a global pointer (cl_ext_buffer_device_address). The buffer there follows the arguments.
    Address(u64),
    /// The size of local memory in bytes.
    Local(usize),
    /// A sampler.
    Sampler(Arc<Sampler>),
    /// An image.
    Image {
        /// The image.
        image: Arc<Image>,
        /// Whether the kernel may write it. Otherwise the kernel only reads it.
        write: bool,
    },
}

/// A launch as the application requests it.
#[derive(Copy, Clone, Debug)]
pub(crate) struct NdRange<'a> {
    /// The kernel, built for the queue's device.
    pub kernel: &'a Arc<DeviceKernel>,
    /// One value per kernel argument, and then the buffers that the kernel may access through addresses.
    pub args: &'a [ArgValue],
    /// The NDRange, unchecked.
    pub range: Range,
}

/// A checked launch. It contains everything except references to the argument objects, which the queue gets
/// separately.
#[derive(Clone)]
pub(crate) struct Launch {
    kernel: Arc<DeviceKernel>,
    /// The index of the device in the context.
    device: usize,
    accesses: Accesses,
    pipeline: Arc<vk::Pipeline>,
    push: Push,
    push_size: usize,
    /// The plain values that are not in push constants.
    plain: Vec<u8>,
    offset: [u64; 3],
    local: [u32; 3],
    /// The number of work-groups.
    groups: [u64; 3],
    /// The work-groups from number 0 on. Others follow in `tails`.
    main: Part,
    tails: Vec<Tail>,
    /// The work-groups of the only dispatch, if the launch needs nothing but a pipeline and push constants and has
    /// few accesses.
    plain_dispatch: Option<[u32; 3]>,
    /// The most bytes of scratch memory that it may use.
    scratch_budget: u64,
    /// Whether another work-group size was wanted ([`DeviceKernel::settle`]), so that the next launch may get that one.
    provisional: bool,
}

/// The work-groups at the end of one or more dimensions that have another pipeline than the rest. They are smaller, because the
/// work-group size does not divide the NDRange (the kernel's work-groups may have different sizes, or its results do not depend
/// on the grouping); or they are too few to run together as one work-group of the device.
#[derive(Clone)]
struct Tail {
    pipeline: Arc<vk::Pipeline>,
    part: Part,
}

/// A launch in one dispatch that needs nothing but a pipeline and push constants.
pub(crate) struct Plain<'a> {
    pub pipeline: &'a Arc<vk::Pipeline>,
    pub push: &'a [u8],
    pub groups: [u32; 3],
}

/// The most dispatches of one launch, because each takes space in the command buffer.
const MOST_DISPATCHES: u64 = 1 << 20;

/// Limits the number of work-groups so that a dispatch has fewer than 2^32 work-items in each dimension.
fn limit_by_size(limit: [u32; 3], local: [u32; 3]) -> [u32; 3] {
    [0, 1, 2].map(|d| limit[d].min(u32::MAX / local[d].max(1)))
}

/// Returns whether an argument is an address without the alignment that modules usually rely on
/// ([`Target::aligned_buffers`](caldera_compiler::target::Target::aligned_buffers)).
fn is_unaligned(value: &ArgValue) -> bool {
    matches!(value, ArgValue::Address(address) if !address.is_multiple_of(16))
}

fn refuse<T>(code: ClCode, what: String) -> Result<T> {
    Err(Error::new(code, what).at("5.8"))
}

/// Checks the NDRange without its work-group size. Returns the global size and the global offset, whose sums are
/// numbers of 64 bits.
fn check_range(range: &Range) -> Result<([u64; 3], [u64; 3])> {
    // CL 5.8: INVALID_WORK_DIMENSION if work_dim is not between 1 and 3
    if !(1..=3).contains(&range.work_dim) {
        let what = format!("work_dim is {}", range.work_dim);
        return refuse(ClCode::InvalidWorkDimension, what);
    }
    // CL 5.8: INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or 0
    let global = range.global.map(|n| n as u64);
    if let Some(d) = global.iter().position(|n| *n == 0) {
        let what = format!("global size 0 in dimension {d}");
        return refuse(ClCode::InvalidGlobalWorkSize, what);
    }
    // CL 5.8: INVALID_GLOBAL_OFFSET if offset + size exceeds what the device can count to
    let offset = range.offset.map(|n| n as u64);
    if let Some(d) = (0..3).find(|&d| offset[d].checked_add(global[d]).is_none()) {
        let what = format!("offset {} in dimension {d}", offset[d]);
        return refuse(ClCode::InvalidGlobalOffset, what);
    }
    Ok((global, offset))
}

/// Returns the work-group size, and whether another one was wanted ([`DeviceKernel::settle`]).
fn work_group_size(
    kernel: &DeviceKernel,
    range: &Range,
    global: [u64; 3],
    limits: &Limits,
) -> Result<([u32; 3], bool)> {
    let reflection = kernel.reflection();
    let required = required_size(kernel, range);
    let wanted = local_size::resolve(
        range.local,
        global,
        range.work_dim,
        required,
        reflection.uneven,
        limits,
    )?;
    // CL 2.1, 5.8: INVALID_WORK_GROUP_SIZE if it is not consistent with the number of sub-groups that the kernel demands
    if let Some(count) = reflection.subgroups.count {
        let items = wanted.iter().product::<u32>();
        if items.div_ceil(kernel.sub_group_size()) != count {
            let what = format!("{wanted:?}, but the kernel requires {count} sub-groups");
            return refuse(ClCode::InvalidWorkGroupSize, what);
        }
    }
    // cl_khr_cooperative_matrix leaves kernels without full sub-groups undefined; Vulkan forbids them.
    if kernel.uses_matrices() {
        return full_subgroups(
            wanted,
            range.local.is_some() || required.is_some(),
            global,
            limits,
        );
    }
    if range.local.is_some() || required.is_some() {
        let stand_in = reflection
            .ungrouped
            .then(|| kernel.stand_in(wanted, global))
            .flatten();
        return Ok((stand_in.unwrap_or(wanted), stand_in.is_some()));
    }
    // A kernel without loops is complete soon, whatever its grouping.
    if kernel.module().reflection().straight && local_size::is_small(global) {
        let settled = kernel.settle(wanted, global);
        return Ok((settled, settled != wanted));
    }
    let uneven = reflection.ungrouped.then(|| local_size::uneven(global, limits));
    Ok((uneven.flatten().unwrap_or(wanted), false))
}

/// Returns the work-group size of a kernel with cooperative matrices: `wanted`, or a single sub-group if that size is not full
/// sub-groups in the first dimension and need not stay.
fn full_subgroups(
    wanted: [u32; 3],
    stays: bool,
    global: [u64; 3],
    limits: &Limits,
) -> Result<([u32; 3], bool)> {
    if wanted[0].is_multiple_of(limits.subgroup) {
        return Ok((wanted, false));
    }
    if !stays && global[0].is_multiple_of(u64::from(limits.subgroup)) {
        return Ok(([limits.subgroup, 1, 1], false));
    }
    let what = format!(
        "{wanted:?}, but the kernel has cooperative matrices, for which work-groups are full sub-groups of {} in dimension 0",
        limits.subgroup
    );
    refuse(ClCode::InvalidWorkGroupSize, what)
}

/// Returns the work-group size that the kernel demands. Without one of the application, it is in the first dimension if the
/// kernel demands a number of sub-groups.
fn required_size(kernel: &DeviceKernel, range: &Range) -> Option<[u32; 3]> {
    let reflection = kernel.reflection();
    let of_subgroups = (reflection.subgroups.count)
        .filter(|_| range.local.is_none())
        .map(|count| [count.saturating_mul(kernel.sub_group_size()), 1, 1]);
    reflection.required_size.or(of_subgroups)
}

/// Makes the checks of a launch that concern its sizes.
pub(super) fn check_sizes(kernel: &DeviceKernel, range: &Range, limits: &Limits) -> Result<()> {
    let (global, _) = check_range(range)?;
    work_group_size(kernel, range, global, limits).map(drop)
}

/// Returns the work-group size for an NDRange that has none, which later launches of it have, too. Only a kernel whose
/// results do not depend on the grouping may get another one.
pub(super) fn suggested_local_size(
    kernel: &DeviceKernel,
    range: &Range,
    limits: &Limits,
) -> Result<[usize; 3]> {
    let (global, _) = check_range(range)?;
    let required = required_size(kernel, range);
    let mut local = local_size::resolve(None, global, range.work_dim, required, false, limits)?;
    if kernel.uses_matrices() {
        (local, _) = full_subgroups(local, required.is_some(), global, limits)?;
    }
    kernel.promise(local);
    Ok(local.map(|n| n as usize))
}

/// Packs the work-groups of the first part of a launch that uses `arena` bytes of the arena. Returns that part, the work-groups
/// that are left, and the size of the arena for each work-group of the part.
fn packed(
    kernel: &Arc<DeviceKernel>,
    part: Part,
    arena: u32,
    provisional: bool,
) -> (Part, Option<Part>, u32) {
    // The pipeline of a provisional launch is the one that is there.
    let (pack, arena) = match provisional {
        true => (packing::NONE, kernel.arena(arena)),
        false => kernel.packing(part.local, Some(part.groups), arena),
    };
    let (main, rest) = part.packed(pack);
    (main, rest, arena)
}

/// Checks the number of dispatches of a part, each of which has at most `limit` work-groups. CL 5.8: OUT_OF_RESOURCES if there
/// is a failure to queue the execution instance on the device.
fn check_dispatches(part: &Part, limit: [u32; 3]) -> Result<()> {
    let (groups, most) = (part.device_groups(), limit_by_size(limit, part.device_size()));
    let dispatches = (0..3).fold(1u64, |n, d| {
        n.saturating_mul(groups[d].div_ceil(u64::from(most[d])))
    });
    if dispatches > MOST_DISPATCHES {
        let what = format!("an NDRange of {dispatches} dispatches");
        return refuse(ClCode::OutOfResources, what);
    }
    Ok(())
}

/// The additional state of a launch that may print.
struct Printing {
    /// The push constants, with the address of the printf buffer if the kernel expects it there.
    push: Push,
    /// The printf buffer, if the kernel accesses it through a descriptor.
    buffer: Option<Arc<Staging>>,
}

impl Launch {
    /// Prepares a launch: makes all checks of CL 5.8, in the specification's order, finds or makes the
    /// pipeline, and places the arguments.
    pub(crate) fn prepare(nd: &NdRange<'_>, queue: &CommandQueue) -> Result<Launch> {
        let limits = queue.device().limits();
        // CL 5.8: INVALID_KERNEL_ARGS if argument values have not been specified
        if let Some(i) = nd.args.iter().position(|a| matches!(a, ArgValue::Unset)) {
            return refuse(ClCode::InvalidKernelArgs, format!("argument {i} is not set"));
        }
        let (global, offset) = check_range(&nd.range)?;
        let wide;
        let is_wide = (0..3).any(|d| offset[d] + global[d] > u64::from(u32::MAX));
        let kernel = match is_wide || nd.args.iter().any(is_unaligned) {
            false => nd.kernel,
            true => {
                wide = nd.kernel.wide()?;
                &wide
            }
        };
        let (enqueued, provisional) = work_group_size(kernel, &nd.range, global, limits)?;
        let (first, mut rest) = parts(global, enqueued);
        let Part { local, groups, .. } = first;
        let all_groups = [0, 1, 2].map(|d| global[d].div_ceil(u64::from(enqueued[d])));

        let mut placed = Placed::new(kernel);
        for (arg, value) in kernel.reflection().args.iter().zip(nd.args) {
            placed.argument(arg, value, queue)?;
        }
        let local_bytes = placed.local_bytes();
        let Placed {
            mut push,
            plain,
            arrays,
            local: arena,
            ..
        } = placed;
        // CL 5.8: OUT_OF_RESOURCES if local memory, including the kernel's own, does not suffice
        if local_bytes > limits.local_memory {
            let what = format!("{local_bytes} bytes of local memory");
            return refuse(ClCode::OutOfResources, what);
        }
        let module = kernel.module();
        let system = &module.reflection().push;
        push.vector(system.global_offset, offset);
        push.vector(system.enqueued_local_size, enqueued.map(u64::from));
        push.vector(system.global_size, global);
        push.vector(system.num_workgroups, all_groups);
        push.vector(system.region_offset, offset);
        if let Some((address, range)) = module.constant_data() {
            push.put(range, &address.to_ne_bytes())?;
        }
        if let Some((word, DataPlace::PointerPush(range))) = kernel.ended_loops() {
            push.put(range, &word.address().to_ne_bytes())?;
        }
        kernel.check_regions(offset, groups, limits.group_count)?;
        let (main, remainder, main_arena) = packed(kernel, first, arena, provisional);
        rest.extend(remainder);
        check_dispatches(&main, limits.group_count)?;
        let variant = Variant {
            local,
            pack: main.pack,
            arena: main_arena,
            work_dim: module.reflection().spec.work_dim.map_or(0, |_| nd.range.work_dim),
            arrays,
            offset: module
                .reflection()
                .spec
                .global_offset
                .map_or([0; 3], |_| offset.map(|n| n as u32)),
        };
        if let (true, Some(wanted)) = (provisional, nd.range.local) {
            let local = wanted.map(|n| n as u32);
            kernel.stood_in(queue.context(), Variant { local, ..variant });
        }
        let mut tails = Vec::new();
        for part in rest {
            let variant = Variant {
                local: part.local,
                pack: part.pack,
                arena: kernel.arena(arena),
                ..variant
            };
            let pipeline = kernel.pipeline(variant)?;
            tails.push(Tail { pipeline, part });
        }
        let mut launch = Launch {
            provisional,
            scratch_budget: limits.scratch,
            kernel: Arc::clone(kernel),
            device: queue.device_index(),
            accesses: Accesses::new(kernel, nd.args),
            tails,
            pipeline: kernel.pipeline_of_launch(variant, &nd.range, queue.context())?,
            push,
            push_size: kernel.push_size(),
            plain,
            offset,
            local,
            groups,
            main,
            plain_dispatch: None,
        };
        if launch.is_plain() {
            launch.plain_dispatch = launch.at_once(limits.group_count);
        }
        Ok(launch)
    }

    /// Returns whether the launch needs nothing but a pipeline and push constants, and has few accesses.
    fn is_plain(&self) -> bool {
        let reflection = self.kernel.reflection();
        self.kernel.descriptors().is_none()
            && self.plain.is_empty()
            && self.tails.is_empty()
            && !self.accesses.aliases
            && self.accesses.are_few()
            && !reflection.printf
            && reflection.scratch.is_none()
    }

    /// Returns the kernel.
    pub(crate) fn kernel(&self) -> &Arc<DeviceKernel> {
        &self.kernel
    }

    /// Returns whether the launch may access any memory.
    pub(crate) fn may_access_anything(&self) -> bool {
        self.accesses.may_access_anything()
    }

    /// Returns the number of work-groups and their size. If the size does not divide the NDRange, those at its end have others.
    pub(crate) fn groups(&self) -> ([u64; 3], [u32; 3]) {
        (self.groups, self.local)
    }

    /// Returns whether the launch has several work-groups, of one work-item each, that do not run together.
    pub(crate) fn has_single_items(&self) -> bool {
        self.local == [1; 3] && self.main.pack == packing::NONE && self.groups.iter().any(|n| *n > 1)
    }

    /// Returns whether a repetition of the launch may get another work-group size.
    pub(super) fn is_provisional(&self) -> bool {
        self.provisional
    }

    /// Changes push constants.
    pub(super) fn change(&mut self, range: PushRange, bytes: &[u8]) -> Result<()> {
        self.push.put(range, bytes)
    }

    /// Replaces a buffer whose address is in the push constants. Returns `false` if the launch must be prepared
    /// again.
    pub(super) fn change_buffer(&mut self, index: usize, range: PushRange, buffer: &Buffer) -> bool {
        let arg = &self.kernel.reflection().args[index];
        let Some(address) = buffer.known_address(self.device) else {
            return false;
        };
        self.accesses.change(index, arg, buffer) && self.push.put(range, &address.to_ne_bytes()).is_ok()
    }

    /// Returns how the launch uses the contents of memory objects; `args` are the arguments that it was
    /// prepared for.
    pub(crate) fn touches(&self, args: &[ArgValue]) -> Vec<Touch> {
        uses::touches(&self.kernel, args)
    }

    /// Records the dispatch, or several if there are more work-groups than one dispatch can have. `args` are
    /// the arguments that the launch was prepared for.
    pub(crate) fn record(&self, args: &[ArgValue], r: &mut Recording<'_>) -> Result<()> {
        let kernel = &self.kernel;
        self.accesses.declare(kernel, args, r)?;
        if r.is_speculative() {
            return Ok(());
        }
        if let Some(plain) = self.plain() {
            r.bind(kernel, &self.pipeline);
            r.recorder().push_constants(plain.push);
            r.recorder().dispatch(plain.groups);
            r.note_single(&plain);
            return Ok(());
        }
        if self.accesses.aliases {
            alias::bring(args, r)?;
        }
        let printing = self.printing(kernel, args, r)?;
        match kernel.descriptors() {
            None if self.plain.is_empty() => {}
            None => r.arguments(&self.plain)?,
            Some(descriptors) => {
                let printf = printing.as_ref().and_then(|p| p.buffer.as_ref()).map(|b| &***b);
                r.descriptors(descriptors, kernel.module(), args, &self.plain, printf)?;
            }
        }
        let mut push = printing.as_ref().map_or(self.push, |p| p.push);
        let mut limit = r.group_count();
        if let Some(scratch) = kernel.reflection().scratch {
            limit = self.scratch(scratch, &mut push, limit, r)?;
        }
        let push = &push;
        r.bind(kernel, &self.pipeline);
        if let Some(groups) = self.at_once(limit) {
            r.recorder().push_constants(&push.0[..self.push_size]);
            r.recorder().dispatch(groups);
        } else {
            self.record_regions(r, push, [0; 3], self.main, limit);
        }
        for tail in &self.tails {
            if kernel.reflection().scratch.is_some() {
                r.recorder().barrier();
            }
            r.bind(kernel, &tail.pipeline);
            // The work-groups before these have the size of the first part.
            let done = [0, 1, 2].map(|d| tail.part.first[d] * u64::from(self.local[d]));
            self.record_regions(r, push, done, tail.part, limit);
        }
        if self.accesses.aliases {
            alias::take_back(args, r)?;
        }
        Ok(())
    }

    /// Returns the launch as a plain one, if it needs nothing but a pipeline and push constants, in one dispatch.
    #[inline]
    pub(crate) fn plain(&self) -> Option<Plain<'_>> {
        Some(Plain {
            pipeline: &self.pipeline,
            push: &self.push.0[..self.push_size],
            groups: self.plain_dispatch?,
        })
    }

    /// Returns the number of the device's work-groups before the tails, if one dispatch can have all of them.
    fn at_once(&self, limit: [u32; 3]) -> Option<[u32; 3]> {
        let most = limit_by_size(limit, self.main.device_size());
        let groups = self.main.device_groups();
        let fits = (0..3).all(|d| groups[d] <= u64::from(most[d]));
        fits.then(|| groups.map(|n| n as u32))
    }

    /// Returns the printf buffer and the push constants with it, if the kernel may print.
    fn printing(
        &self,
        kernel: &Arc<DeviceKernel>,
        args: &[ArgValue],
        r: &mut Recording<'_>,
    ) -> Result<Option<Printing>> {
        if !kernel.reflection().printf {
            return Ok(None);
        }
        let Some(wanted) = kernel.module().reflection().printf_buffer else {
            return Ok(None);
        };
        let size = u64::from(wanted.size).next_multiple_of(4);
        let tails = u64::from(!self.tails.is_empty());
        let groups = self.groups.iter().map(|n| n + tails).product();
        let buffer = r.printf_buffer(kernel, size, (args, groups))?;
        let mut printing = Printing {
            push: self.push,
            buffer: None,
        };
        match wanted.place {
            DataPlace::PointerPush(range) => {
                let address = buffer.address().to_ne_bytes();
                printing.push.put(range, &address)?;
            }
            DataPlace::StorageBuffer(_) | DataPlace::UniformBuffer(_) => printing.buffer = Some(buffer),
        }
        Ok(Some(printing))
    }

    /// Allocates the scratch memory of the launch and puts its address into the push constants. Returns the
    /// number of work-groups that it suffices for. A larger NDRange is executed as several dispatches, one
    /// after the other, because Vulkan does not report how many work-groups a device has in flight (runtime ADR
    /// 8).
    fn scratch(
        &self,
        wanted: Scratch,
        push: &mut Push,
        limit: [u32; 3],
        r: &mut Recording<'_>,
    ) -> Result<[u32; 3]> {
        let items = self.local.iter().map(|&n| u64::from(n)).product::<u64>();
        let group = items * u64::from(wanted.bytes);
        // A dispatch has at most `limit` work-groups in each dimension.
        let groups = [0, 1, 2].map(|d| self.groups[d].min(u64::from(limit[d])) as u32);
        let groups = scratch::regions(groups, limit, group, self.scratch_budget);
        let size = wanted.size(items * groups.iter().map(|&n| u64::from(n)).product::<u64>());
        // The compiler computes offsets into scratch memory in 32 bits.
        if size > u64::from(u32::MAX) {
            let what = format!("a work-group needs {group} bytes of scratch memory for its private arrays");
            log::error!("launch: {what}");
            return Err(Error::new(ClCode::OutOfResources, what).at("5.8"));
        }
        let address = r.scratch_memory(size)?;
        push.put(wanted.place, &address.to_ne_bytes())?;
        Ok(groups)
    }

    /// Records one dispatch per region of at most `limit` of the device's work-groups of a part. In each dimension, `done`
    /// work-items of other parts come before those of this part.
    fn record_regions(
        &self,
        r: &mut Recording<'_>,
        push: &Push,
        done: [u64; 3],
        part: Part,
        limit: [u32; 3],
    ) {
        let (size, groups) = (part.device_size(), part.device_groups());
        let limit = limit_by_size(limit, size);
        let system = &self.kernel.module().reflection().push;
        let mut push = *push;
        let mut first = [0u64; 3];
        // The dispatches share the scratch memory, so they must not overlap.
        let turns = self.kernel.reflection().scratch.is_some();
        loop {
            if turns && first != [0; 3] {
                r.recorder().barrier();
            }
            let count = [0, 1, 2].map(|d| u64::from(limit[d]).min(groups[d] - first[d]));
            let items = [0, 1, 2].map(|d| self.offset[d] + done[d] + first[d] * u64::from(size[d]));
            push.vector(system.region_offset, items);
            let group = [0, 1, 2].map(|d| part.first[d] + first[d] * u64::from(part.pack[d]));
            push.vector(system.region_group_offset, group);
            r.recorder().push_constants(&push.0[..self.push_size]);
            r.recorder().dispatch(count.map(|n| n as u32));
            let mut d = 0;
            loop {
                first[d] += count[d];
                if first[d] < groups[d] {
                    break;
                }
                first[d] = 0;
                d += 1;
                if d == 3 {
                    return;
                }
            }
        }
    }
}
