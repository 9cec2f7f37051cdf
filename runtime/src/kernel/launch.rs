//! What clEnqueueNDRangeKernel runs: a kernel with its argument values and an NDRange (CL 5.8).

use std::sync::Arc;

use caldera_compiler::reflect::DataPlace;

use super::pipeline::{DeviceKernel, Variant};
use super::placed::{Placed, Push};
use super::{alias, local_size};
use crate::command::buffer::access;
use crate::command::image::image_access;
use crate::device::staging::Staging;
use crate::error::{ClCode, Error, Result};
use crate::mem::migrate::Touch;
use crate::mem::residence::Use;
use crate::mem::{Buffer, Image};
use crate::queue::{Access, CommandQueue, Keep, Recording};
use crate::sampler::Sampler;
use crate::vk;

/// Bytes of a POD argument; short ones are kept without allocation.
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

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Pod::Short { len, bytes } => &bytes[..usize::from(*len)],
            Pod::Long(bytes) => bytes,
        }
    }
}

/// The value of a kernel argument. Kind and size fit the kernel's reflection (clSetKernelArg has checked).
#[derive(Clone, Debug, Default)]
pub enum ArgValue {
    /// clSetKernelArg has not been called.
    #[default]
    Unset,
    /// A plain value.
    Pod(PodBytes),
    /// A buffer for a global or constant pointer; `None` is a null pointer.
    Buffer(Option<Arc<Buffer>>),
    /// Bytes of local memory.
    Local(usize),
    /// A sampler.
    Sampler(Arc<Sampler>),
    /// An image that the kernel writes, or else reads.
    Image { image: Arc<Image>, write: bool },
}

/// A launch, as the application asks for it; [`crate::queue::CommandQueue::enqueue_ndrange`] does all checks of
/// CL 5.8 on it.
#[derive(Copy, Clone, Debug)]
pub struct NdRange<'a> {
    /// The kernel, built for the queue's device.
    pub kernel: &'a Arc<DeviceKernel>,
    /// One per kernel argument.
    pub args: &'a [ArgValue],
    /// `work_dim`, unchecked.
    pub work_dim: u32,
    /// `global_work_offset`; 0 if it was NULL, and in unused dimensions.
    pub offset: [usize; 3],
    /// `global_work_size`; 1 in unused dimensions, 0 if it was NULL.
    pub global: [usize; 3],
    /// `local_work_size`; 1 in unused dimensions, `None` if it was NULL.
    pub local: Option<[usize; 3]>,
}

/// A checked launch: everything but the buffers' lifetime, which the queue takes from the arguments.
pub(crate) struct Launch {
    pipeline: Arc<vk::Pipeline>,
    push: Push,
    push_size: usize,
    /// Plain values that are not in push constants.
    plain: Vec<u8>,
    offset: [u32; 3],
    local: [u32; 3],
    /// Work-groups.
    groups: [u32; 3],
    tail: Option<Tail>,
}

/// The rest of an NDRange in x, where the work-group size does not divide it and the kernel cannot tell.
struct Tail {
    pipeline: Arc<vk::Pipeline>,
    /// Work-items in x; one work-group.
    width: u32,
}

/// What a launch that may print has more.
struct Printing {
    /// The push constants, with the buffer's address if it goes there.
    push: Push,
    /// The buffer, if it is a descriptor.
    buffer: Option<Arc<Staging>>,
}

/// What a launch does with memory objects.
pub(crate) fn touches(kernel: &DeviceKernel, args: &[ArgValue]) -> Vec<Touch> {
    let how = |write: bool| if write { Use::Update } else { Use::Read };
    let mut all = Vec::with_capacity(args.len());
    for (arg, value) in kernel.reflection().args.iter().zip(args) {
        match value {
            ArgValue::Buffer(Some(buffer)) if arg.binding.is_some() => {
                let written = arg.uses.written || arg.uses.escapes;
                if arg.uses.read || written {
                    let writes = written && buffer.kernel_writes();
                    all.push(Touch::buffer(buffer, 0, buffer.size(), how(writes)));
                }
            }
            ArgValue::Image { image, write } => all.push(Touch::image(image, how(*write))),
            ArgValue::Buffer(_)
            | ArgValue::Unset
            | ArgValue::Pod(_)
            | ArgValue::Local(_)
            | ArgValue::Sampler(_) => {}
        }
    }
    all
}

impl Launch {
    /// All checks of CL 5.8, in its order; finds or makes the pipeline and lays out the arguments.
    pub(crate) fn prepare(nd: &NdRange<'_>, queue: &CommandQueue) -> Result<Launch> {
        let error = |code, what: String| Err(Error::new(code, what).at("5.8"));
        let kernel = nd.kernel;
        let reflection = kernel.reflection();
        let device = queue.device();
        let limits = device.limits();
        // CL 5.8: INVALID_KERNEL_ARGS if argument values have not been specified
        if let Some(i) = nd.args.iter().position(|a| matches!(a, ArgValue::Unset)) {
            return error(ClCode::InvalidKernelArgs, format!("argument {i} is not set"));
        }
        // CL 5.8: INVALID_WORK_DIMENSION if work_dim is not between 1 and 3
        if !(1..=3).contains(&nd.work_dim) {
            return error(
                ClCode::InvalidWorkDimension,
                format!("work_dim is {}", nd.work_dim),
            );
        }
        // CL 5.8: INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or 0
        let mut global = [1u32; 3];
        for (d, (to, from)) in global.iter_mut().zip(nd.global).enumerate() {
            match u32::try_from(from) {
                Ok(n) if n > 0 => *to = n,
                Ok(_) | Err(_) => {
                    return error(
                        ClCode::InvalidGlobalWorkSize,
                        format!("global size {from} in dimension {d}"),
                    );
                }
            }
        }
        // CL 5.8: INVALID_GLOBAL_OFFSET if offset + size exceeds what the device can count to
        let mut offset = [0u32; 3];
        for (d, (to, from)) in offset.iter_mut().zip(nd.offset).enumerate() {
            match from.checked_add(nd.global[d]) {
                Some(end) if u32::try_from(end).is_ok() => *to = from as u32,
                Some(_) | None => {
                    return error(
                        ClCode::InvalidGlobalOffset,
                        format!("offset {from} in dimension {d}"),
                    );
                }
            }
        }
        let local = local_size::resolve(nd.local, global, nd.work_dim, reflection.required_size, limits)?;
        let local = match nd.local {
            None if reflection.required_size.is_some() => local,
            // Without loops it is soon done however it is grouped.
            None if kernel.module().reflection().straight && local_size::is_small(global) => {
                kernel.settle(local, global)
            }
            None if reflection.ungrouped => local_size::uneven(global, limits).unwrap_or(local),
            None | Some(_) => local,
        };
        let groups = [0, 1, 2].map(|d| global[d] / local[d]);
        let rest = global[0] % local[0];

        let mut placed = Placed::new(kernel);
        for (arg, value) in reflection.args.iter().zip(nd.args) {
            placed.argument(arg, value, queue)?;
        }
        let Placed {
            mut push,
            plain,
            arrays,
            local: arena,
            ..
        } = placed;
        // CL 5.8: OUT_OF_RESOURCES if local memory does not suffice, also for the kernel's own
        if arena > limits.local_memory {
            return error(ClCode::OutOfResources, format!("{arena} bytes of local memory"));
        }
        let module = kernel.module();
        let system = &module.reflection().push;
        push.vector(system.global_offset, offset);
        push.vector(system.enqueued_local_size, local);
        push.vector(system.global_size, global);
        push.vector(system.num_workgroups, groups);
        push.vector(system.region_offset, offset);
        if let Some((address, range)) = module.constant_data() {
            push.put(range, &address.to_ne_bytes())?;
        }
        kernel.check_regions(offset, groups, limits.group_count)?;
        let arena = if reflection.has_arena {
            let step = limits.local_step.max(16);
            arena.max(4).next_multiple_of(step).min(limits.local_memory)
        } else {
            4
        };
        let variant = Variant {
            local,
            arena,
            work_dim: module.reflection().spec.work_dim.map_or(0, |_| nd.work_dim),
            arrays,
            offset: module.reflection().spec.global_offset.map_or([0; 3], |_| offset),
        };
        let tail = if rest == 0 {
            None
        } else {
            let variant = Variant {
                local: [rest, 1, 1],
                ..variant
            };
            Some(Tail {
                pipeline: kernel.pipeline(variant)?,
                width: rest,
            })
        };
        Ok(Launch {
            tail,
            pipeline: kernel.pipeline(variant)?,
            push,
            push_size: kernel.push_size(),
            plain,
            offset,
            local,
            groups,
        })
    }

    /// Records dispatches: one, unless there are more work-groups than Vulkan takes at once.
    pub(crate) fn record(
        &self,
        kernel: &Arc<DeviceKernel>,
        args: &[ArgValue],
        r: &mut Recording<'_>,
    ) -> Result<()> {
        const FEW: Access = Access {
            root: 0,
            start: 0,
            end: 0,
            write: false,
        };
        /// Into `few`, and once it is full into `many` with all of them.
        fn note(a: Access, few: &mut [Access; 16], many: &mut Vec<Access>, n: &mut usize) {
            if let Some(slot) = few.get_mut(*n) {
                *slot = a;
            } else {
                if many.is_empty() {
                    many.extend_from_slice(few);
                }
                many.push(a);
            }
            *n += 1;
        }
        let reflection = kernel.reflection();
        let mut few = [FEW; 16];
        let mut many = Vec::new();
        let mut n = 0;
        let mut unknown = false;
        let mut aliases = false;
        for (arg, value) in reflection.args.iter().zip(args) {
            if arg.binding.is_none() {
                continue;
            }
            let (a, buffer) = match value {
                ArgValue::Buffer(Some(buffer)) => {
                    unknown |= arg.uses.escapes;
                    // A pointer that escapes may come back and be used for anything.
                    let written = arg.uses.written || arg.uses.escapes;
                    if !arg.uses.read && !written {
                        continue;
                    }
                    let writes = written && buffer.kernel_writes();
                    (access(buffer, 0, buffer.size(), writes), buffer)
                }
                ArgValue::Image { image, write } => {
                    r.use_image(image)?;
                    if image.alias().is_some() {
                        aliases = true;
                        note(image_access(image, true), &mut few, &mut many, &mut n);
                    }
                    match image.buffer() {
                        Some(buffer) => {
                            let end = image.in_buffer(&image.all()).end();
                            (access(buffer, 0, end, *write), buffer)
                        }
                        None => {
                            note(image_access(image, *write), &mut few, &mut many, &mut n);
                            continue;
                        }
                    }
                }
                ArgValue::Sampler(sampler) => {
                    r.keep(Keep::Sampler(Arc::clone(sampler)));
                    continue;
                }
                ArgValue::Buffer(None) | ArgValue::Unset | ArgValue::Pod(_) | ArgValue::Local(_) => continue,
            };
            note(a, &mut few, &mut many, &mut n);
            if a.write {
                r.writes(buffer);
            }
            r.keep_buffer(buffer);
        }
        if unknown {
            r.shown_to_host();
        }
        r.access(if many.is_empty() { &few[..n] } else { &many }, unknown);
        if aliases {
            alias::bring(args, r)?;
        }
        r.keep_launch(kernel, &self.pipeline);
        let printing = self.printing(kernel, r)?;
        match kernel.descriptors() {
            None if self.plain.is_empty() => {}
            None => r.arguments(&self.plain)?,
            Some(descriptors) => {
                let printf = printing.as_ref().and_then(|p| p.buffer.as_ref()).map(|b| &***b);
                r.descriptors(descriptors, kernel.module(), args, &self.plain, printf)?;
            }
        }
        let push = printing.as_ref().map_or(&self.push, |p| &p.push);
        r.recorder().bind(&self.pipeline);
        let limit = r.group_count();
        if (0..3).all(|d| self.groups[d] <= limit[d]) {
            r.recorder().push_constants(&push.0[..self.push_size]);
            r.recorder().dispatch(self.groups);
        } else {
            self.record_regions(kernel, r, push, [0; 3], self.local, self.groups, limit);
        }
        if let Some(tail) = &self.tail {
            r.keep_launch(kernel, &tail.pipeline);
            r.recorder().bind(&tail.pipeline);
            let done = [self.groups[0] * self.local[0], 0, 0];
            let groups = [1, self.groups[1], self.groups[2]];
            self.record_regions(kernel, r, push, done, [tail.width, 1, 1], groups, limit);
        }
        if aliases {
            alias::take_back(args, r)?;
        }
        Ok(())
    }

    /// A printf buffer, if the kernel may print.
    fn printing(&self, kernel: &Arc<DeviceKernel>, r: &mut Recording<'_>) -> Result<Option<Printing>> {
        if !kernel.reflection().printf {
            return Ok(None);
        }
        let Some(wanted) = kernel.module().reflection().printf_buffer else {
            return Ok(None);
        };
        let buffer = r.printf_buffer(kernel, u64::from(wanted.size).next_multiple_of(4))?;
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

    /// One dispatch per region of at most `limit` work-groups, behind `done` work-items.
    fn record_regions(
        &self,
        kernel: &DeviceKernel,
        r: &mut Recording<'_>,
        push: &Push,
        done: [u32; 3],
        local: [u32; 3],
        groups: [u32; 3],
        limit: [u32; 3],
    ) {
        let system = &kernel.module().reflection().push;
        let mut push = *push;
        let mut first = [0u32; 3];
        loop {
            let count = [0, 1, 2].map(|d| limit[d].min(groups[d] - first[d]));
            let items = [0, 1, 2].map(|d| self.offset[d] + done[d] + first[d] * local[d]);
            push.vector(system.region_offset, items);
            push.vector(system.region_group_offset, first);
            r.recorder().push_constants(&push.0[..self.push_size]);
            r.recorder().dispatch(count);
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
