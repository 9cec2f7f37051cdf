//! What a launch does with memory objects, as its arguments and the module's reflection say.

use std::sync::Arc;

use caldera_compiler::reflect::Arg;

use super::launch::ArgValue;
use super::pipeline::DeviceKernel;
use crate::command::buffer::access;
use crate::command::image::image_access;
use crate::error::Result;
use crate::mem::migrate::Touch;
use crate::mem::residence::Use;
use crate::mem::{Buffer, Image};
use crate::queue::{Access, Keep, Recording};

/// Accesses that are kept without allocation.
const FEW: usize = 8;

const NOTHING: Access = Access {
    root: 0,
    start: 0,
    end: 0,
    write: false,
};

/// How a kernel uses the buffer of an argument: whether it writes, or `None` if it does not use it at all.
fn buffer_use(arg: &Arg, buffer: &Buffer) -> Option<bool> {
    arg.binding?;
    // A pointer that escapes may come back and be used for anything.
    let written = arg.uses.written || arg.uses.escapes;
    (arg.uses.read || written).then(|| written && buffer.kernel_writes())
}

/// What a launch does with memory objects.
pub(crate) fn touches(kernel: &DeviceKernel, args: &[ArgValue]) -> Vec<Touch> {
    let how = |write: bool| if write { Use::Update } else { Use::Read };
    let mut all = Vec::with_capacity(args.len());
    for (arg, value) in kernel.reflection().args.iter().zip(args) {
        match value {
            ArgValue::Buffer(Some(buffer)) => {
                if let Some(write) = buffer_use(arg, buffer) {
                    all.push(Touch::buffer(buffer, 0, buffer.size(), how(write)));
                }
            }
            ArgValue::Image { image, write } => all.push(Touch::image(image, how(*write))),
            ArgValue::Buffer(None)
            | ArgValue::Unset
            | ArgValue::Pod(_)
            | ArgValue::Local(_)
            | ArgValue::Sampler(_) => {}
        }
    }
    all
}

/// The memory that a launch accesses.
#[derive(Clone)]
pub(super) struct Accesses {
    few: [Access; FEW],
    count: usize,
    /// All of them, if they are more than a few.
    many: Vec<Access>,
    /// A pointer escapes: the kernel may access anything.
    unknown: bool,
    /// There are images that lie in buffers, of which the kernel sees copies ([`super::alias`]).
    pub(super) aliases: bool,
}

impl Accesses {
    /// Those of a kernel with argument values.
    pub(super) fn new(kernel: &DeviceKernel, args: &[ArgValue]) -> Accesses {
        let mut all = Accesses {
            few: [NOTHING; FEW],
            count: 0,
            many: Vec::new(),
            unknown: false,
            aliases: false,
        };
        for (arg, value) in kernel.reflection().args.iter().zip(args) {
            match value {
                ArgValue::Buffer(Some(buffer)) => {
                    all.unknown |= arg.binding.is_some() && arg.uses.escapes;
                    if let Some(write) = buffer_use(arg, buffer) {
                        all.add(access(buffer, 0, buffer.size(), write));
                    }
                }
                ArgValue::Image { image, write } if arg.binding.is_some() => all.image(image, *write),
                ArgValue::Image { .. }
                | ArgValue::Buffer(None)
                | ArgValue::Unset
                | ArgValue::Pod(_)
                | ArgValue::Local(_)
                | ArgValue::Sampler(_) => {}
            }
        }
        all
    }

    fn image(&mut self, image: &Arc<Image>, write: bool) {
        if image.alias().is_some() {
            self.aliases = true;
            self.add(image_access(image, true));
        }
        self.add(match image.buffer() {
            Some(buffer) => access(buffer, 0, image.in_buffer(&image.all()).end(), write),
            None => image_access(image, write),
        });
    }

    fn add(&mut self, access: Access) {
        if let Some(slot) = self.few.get_mut(self.count) {
            *slot = access;
        } else {
            if self.many.is_empty() {
                self.many.extend_from_slice(&self.few);
            }
            self.many.push(access);
        }
        self.count += 1;
    }

    fn list(&self) -> &[Access] {
        self.few.get(..self.count).unwrap_or(&self.many)
    }

    /// Declares them, and sees to it that what the arguments name lives until the batch is done and is fit for use.
    pub(super) fn declare(
        &self,
        kernel: &DeviceKernel,
        args: &[ArgValue],
        r: &mut Recording<'_>,
    ) -> Result<()> {
        for (arg, value) in kernel.reflection().args.iter().zip(args) {
            match value {
                ArgValue::Buffer(Some(buffer)) => {
                    if let Some(write) = buffer_use(arg, buffer) {
                        if write {
                            r.writes(buffer);
                        }
                        r.keep_buffer(buffer);
                    }
                }
                ArgValue::Image { image, write } if arg.binding.is_some() => {
                    r.use_image(image)?;
                    if let Some(buffer) = image.buffer() {
                        if *write {
                            r.writes(buffer);
                        }
                        r.keep_buffer(buffer);
                    }
                }
                ArgValue::Sampler(sampler) if arg.binding.is_some() => {
                    r.keep(Keep::Sampler(Arc::clone(sampler)));
                }
                ArgValue::Image { .. }
                | ArgValue::Sampler(_)
                | ArgValue::Buffer(None)
                | ArgValue::Unset
                | ArgValue::Pod(_)
                | ArgValue::Local(_) => {}
            }
        }
        if self.unknown {
            r.shown_to_host();
        }
        r.access(self.list(), self.unknown);
        Ok(())
    }
}
