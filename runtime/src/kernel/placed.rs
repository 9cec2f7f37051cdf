//! Places a launch's argument values as the module's reflection demands: in push constants, in buffers of plain
//! values, and in specialization constants.

use caldera_compiler::reflect::{Arg, Binding, Place, PushRange};

use super::descriptors::Block;
use super::launch::ArgValue;
use super::pipeline::{DeviceKernel, MAX_ARRAYS};
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::mem::{Buffer, Image};
use crate::queue::CommandQueue;

/// The largest push constant block in bytes that a launch uses; known devices have no larger one.
pub(crate) const MAX_PUSH: usize = 256;

fn unsupported(what: &'static str) -> Error {
    log::error!("launch: {what} is not supported");
    Error::new(ClCode::OutOfResources, what)
}

/// The push constants of a launch.
#[derive(Copy, Clone)]
pub(super) struct Push(pub(super) [u8; MAX_PUSH]);

impl Push {
    /// Stores bytes in a range, as many as the range has.
    pub(super) fn put(&mut self, range: PushRange, bytes: &[u8]) -> Result<()> {
        write(&mut self.0, range.offset, range.size, bytes)
    }

    /// Stores three numbers, if the module has a range for them: as 64-bit numbers if the range is large
    /// enough, otherwise as 32-bit ones.
    pub(super) fn vector(&mut self, range: Option<PushRange>, value: [u64; 3]) {
        let Some(r) = range else { return };
        let size = if r.size >= 24 { 8 } else { 4 };
        for (d, v) in value.into_iter().enumerate() {
            let at = r.offset as usize + size * d;
            if let Some(to) = self.0.get_mut(at..at + size) {
                match size {
                    8 => to.copy_from_slice(&v.to_ne_bytes()),
                    _ => to.copy_from_slice(&(v as u32).to_ne_bytes()),
                }
            }
        }
    }
}

fn write(block: &mut [u8], offset: u32, size: u32, bytes: &[u8]) -> Result<()> {
    let n = bytes.len().min(size as usize);
    let at = offset as usize;
    block
        .get_mut(at..at + n)
        .ok_or_else(|| unsupported("an argument outside of its block"))?
        .copy_from_slice(&bytes[..n]);
    Ok(())
}

/// The arguments of a launch, placed.
pub(super) struct Placed<'k> {
    pub(super) push: Push,
    /// The contents of the argument buffer, or of the blocks, one after the other. Most kernels have none, and
    /// then nothing is allocated.
    pub(super) plain: Vec<u8>,
    /// The lengths of the arrays in local memory, in the order of the arguments, where each argument is an
    /// array of its own.
    pub(super) arrays: [u32; MAX_ARRAYS],
    /// The end in bytes of the memory placed so far in the arena; without an arena, the bytes of local memory.
    pub(super) local: u32,
    /// The bytes of local memory outside of the arena.
    apart: u32,
    array: usize,
    blocks: &'k [Block],
}

impl<'k> Placed<'k> {
    /// Makes the arguments of a kernel, all of them zero.
    pub(super) fn new(kernel: &'k DeviceKernel) -> Self {
        Placed {
            push: Push([0; MAX_PUSH]),
            plain: vec![0; kernel.args_size()],
            arrays: [0; MAX_ARRAYS],
            local: kernel.arena_fixed(),
            apart: kernel.reflection().local_apart,
            array: 0,
            blocks: kernel.descriptors().map_or(&[][..], |d| d.blocks()),
        }
    }

    fn put(&mut self, place: Place, bytes: &[u8]) -> Result<()> {
        match place {
            Place::Push(range) => self.push.put(range, bytes),
            Place::Uniform { at, offset, size } | Place::Storage { at, offset, size } => {
                let start = self.blocks.iter().find(|b| b.at == at).map_or(0, |b| b.offset);
                write(&mut self.plain, start + offset, size, bytes)
            }
        }
    }

    /// Stores a word, if the module has a place for it.
    fn word(&mut self, place: Option<Place>, value: u32) -> Result<()> {
        match place {
            Some(place) => self.put(place, &value.to_ne_bytes()),
            None => Ok(()),
        }
    }

    /// Returns the bytes of local memory that the launch needs.
    pub(super) fn local_bytes(&self) -> u32 {
        self.local.saturating_add(self.apart)
    }

    /// Reserves local memory up to byte `end`.
    fn reserve(&mut self, end: u64, device: &Device) -> Result<()> {
        // CL 5.8: OUT_OF_RESOURCES if local memory does not suffice
        let most = device.limits().local_memory.saturating_sub(self.apart);
        match u32::try_from(end) {
            Ok(end) if end <= most => self.local = end,
            Ok(_) | Err(_) => {
                let what = format!("{end} bytes of local memory");
                return Err(Error::new(ClCode::OutOfResources, what).at("5.8"));
            }
        }
        Ok(())
    }

    /// Places an argument in local memory of `bytes` bytes; other bindings change nothing.
    pub(super) fn local_argument(&mut self, binding: Binding, bytes: usize, device: &Device) -> Result<()> {
        let Binding::Workgroup {
            elem_size, offset, ..
        } = binding
        else {
            return Ok(());
        };
        if let Some(place) = offset {
            // Modules of earlier versions have the size of a type, which is a multiple of its alignment.
            let align = (elem_size & elem_size.wrapping_neg()).max(16);
            let start = self.local.next_multiple_of(align);
            self.put(place, &start.to_ne_bytes())?;
            return self.reserve(u64::from(start) + bytes as u64, device);
        }
        let count = bytes.div_ceil(elem_size.max(1) as usize).max(1) as u64;
        let size = count.saturating_mul(u64::from(elem_size));
        self.reserve(u64::from(self.local).saturating_add(size), device)?;
        let array = self.arrays.get_mut(self.array);
        *array.ok_or_else(|| unsupported("that many arrays in local memory"))? = count as u32;
        self.array += 1;
        Ok(())
    }

    /// Places an argument, after the checks of CL 5.8 on its value. Objects that it needs on the device are
    /// made now, while the caller can still report a failure.
    pub(super) fn argument(&mut self, arg: &Arg, value: &ArgValue, queue: &CommandQueue) -> Result<()> {
        let index = queue.device_index();
        if let ArgValue::Image { image, .. } = value {
            check_image(image, queue.device())?;
        }
        match (arg.binding, value) {
            (None, _) => Ok(()),
            (Some(Binding::Pod(place)), ArgValue::Pod(bytes)) => self.put(place, bytes.bytes()),
            (Some(Binding::Pointer(place)), ArgValue::Buffer(buffer)) => {
                let address = match buffer {
                    Some(b) => b.address(index)?,
                    None => 0,
                };
                self.put(place, &address.to_ne_bytes())
            }
            (Some(Binding::Pointer(place)), ArgValue::Address(address)) => {
                self.put(place, &address.to_ne_bytes())
            }
            (Some(Binding::StorageBuffer(_) | Binding::UniformBuffer(_)), ArgValue::Buffer(buffer)) => {
                if let Some(buffer) = buffer {
                    let uniform = matches!(arg.binding, Some(Binding::UniformBuffer(_)));
                    check_buffer(buffer, uniform, queue)?;
                }
                self.word(arg.not_null, u32::from(buffer.is_some()))
            }
            (Some(binding @ Binding::Workgroup { .. }), ArgValue::Local(bytes)) => {
                self.local_argument(binding, *bytes, queue.device())
            }
            (Some(Binding::Sampler(_) | Binding::NormalizedSampler(_)), ArgValue::Sampler(sampler)) => {
                sampler.on_device(index, false)?;
                if arg.normalized_sampler.is_some() {
                    sampler.on_device(index, true)?;
                }
                self.word(arg.sampler_mask, sampler.mask().0)
            }
            (
                Some(
                    Binding::SampledImage(_)
                    | Binding::StorageImage(_)
                    | Binding::UniformTexelBuffer(_)
                    | Binding::StorageTexelBuffer(_),
                ),
                ArgValue::Image { image, .. },
            ) => {
                image.storage(index)?;
                image.texel_buffer(index)?;
                let format = image.format();
                self.word(arg.channel_order, format.order() as u32)?;
                self.word(arg.channel_data_type, format.data() as u32)
            }
            (Some(binding), _) => {
                log::error!("launch: {binding:?} is not supported");
                let what = "a kind of argument that is not supported";
                Err(Error::new(ClCode::OutOfResources, what).at("5.8"))
            }
        }
    }
}

/// Checks an image argument. CL 5.8: INVALID_IMAGE_SIZE if the image's dimensions are not supported by the queue's
/// device; IMAGE_FORMAT_NOT_SUPPORTED if its format is not.
fn check_image(image: &Image, device: &Device) -> Result<()> {
    if !image.fits(device) {
        return Err(Error::new(ClCode::InvalidImageSize, "too large for the device").at("5.8"));
    }
    if !image.supported(device) {
        return Err(Error::new(ClCode::ImageFormatNotSupported, "not on the device").at("5.8"));
    }
    Ok(())
}

/// Checks a buffer argument that needs a descriptor. CL 5.8: MISALIGNED_SUB_BUFFER_OFFSET if a sub-buffer's offset
/// is not aligned for the device. The descriptor must be able to cover the whole buffer.
fn check_buffer(buffer: &Buffer, uniform: bool, queue: &CommandQueue) -> Result<()> {
    let limits = queue.device().limits();
    let (align, range) = match uniform {
        true => (limits.uniform_alignment, limits.bindings.uniform_range),
        false => (limits.bindings.storage_alignment, limits.bindings.storage_range),
    };
    if !buffer.offset().is_multiple_of(align) {
        let what = format!("a sub-buffer at byte {}", buffer.offset());
        return Err(Error::new(ClCode::MisalignedSubBufferOffset, what).at("5.8"));
    }
    if buffer.size().next_multiple_of(4) > range {
        let what = format!(
            "a buffer of {} bytes, where a descriptor takes {range}",
            buffer.size()
        );
        log::error!("launch: {what}");
        return Err(Error::new(ClCode::OutOfResources, what).at("5.8"));
    }
    // The storage is allocated now, while the caller can still report a failure.
    buffer.storage(queue.device_index())?;
    Ok(())
}
