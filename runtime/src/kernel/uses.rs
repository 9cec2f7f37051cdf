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

/// The access that a kernel makes to the buffer of an argument.
fn buffer_access(arg: &Arg, buffer: &Buffer) -> Option<Access> {
    buffer_use(arg, buffer).map(|write| access(buffer, 0, buffer.size(), write))
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
    /// The arguments that those are of.
    args: [usize; FEW],
    count: usize,
    /// All of them, if they are more than a few.
    many: Vec<Access>,
    /// A pointer escapes: the kernel may access anything.
    unknown: bool,
    /// There are images that lie in buffers, of which the kernel sees copies ([`super::alias`]).
    pub(super) aliases: bool,
}

impl Accesses {
    const NONE: Accesses = Accesses {
        few: [NOTHING; FEW],
        args: [0; FEW],
        count: 0,
        many: Vec::new(),
        unknown: false,
        aliases: false,
    };

    /// Those of a kernel with argument values.
    pub(super) fn new(kernel: &DeviceKernel, args: &[ArgValue]) -> Accesses {
        let mut all = Accesses::NONE;
        for (index, (arg, value)) in kernel.reflection().args.iter().zip(args).enumerate() {
            match value {
                ArgValue::Buffer(Some(buffer)) => {
                    all.unknown |= arg.binding.is_some() && arg.uses.escapes;
                    if let Some(access) = buffer_access(arg, buffer) {
                        all.add(index, access);
                    }
                }
                ArgValue::Image { image, write } if arg.binding.is_some() => all.image(index, image, *write),
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

    /// An argument that was a buffer is another one now; `false` if it had no access that can be replaced by the new one.
    pub(super) fn change(&mut self, index: usize, arg: &Arg, buffer: &Buffer) -> bool {
        match buffer_access(arg, buffer) {
            None => true,
            Some(access) => self.replace(index, access),
        }
    }

    fn replace(&mut self, index: usize, access: Access) -> bool {
        let few = self.args.get(..self.count).unwrap_or(&[]);
        let Some(at) = few.iter().position(|a| *a == index) else {
            return false;
        };
        self.few[at] = access;
        true
    }

    fn image(&mut self, index: usize, image: &Arc<Image>, write: bool) {
        if image.alias().is_some() {
            self.aliases = true;
            self.add(index, image_access(image, true));
        }
        let access = match image.buffer() {
            Some(buffer) => access(buffer, 0, image.in_buffer(&image.all()).end(), write),
            None => image_access(image, write),
        };
        self.add(index, access);
    }

    fn add(&mut self, index: usize, access: Access) {
        if let Some(slot) = self.few.get_mut(self.count) {
            *slot = access;
            self.args[self.count] = index;
        } else {
            if self.many.is_empty() {
                self.many.extend_from_slice(&self.few);
            }
            self.many.push(access);
        }
        self.count += 1;
    }

    /// Whether they need no memory of their own.
    pub(super) fn are_few(&self) -> bool {
        self.count <= FEW
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_replaced_and_many_are_listed() {
        let of = |root| Access {
            root,
            end: 64,
            ..NOTHING
        };
        let mut all = Accesses::NONE;
        all.add(0, of(1));
        all.add(2, of(2));
        assert!(all.replace(2, of(3)));
        assert!(all.replace(0, of(4)));
        // It was NULL, or is of no use to the kernel.
        assert!(!all.replace(1, of(5)));
        assert_eq!(all.list(), [of(4), of(3)]);
        for i in 3..=FEW {
            all.add(i, of(i));
        }
        assert_eq!(all.list().len(), FEW);
        assert!(all.replace(FEW, of(9)));
        assert_eq!(all.list()[FEW - 1], of(9));
        all.add(FEW + 1, of(10));
        assert_eq!(all.list().len(), FEW + 1);
        assert!(!all.replace(2, of(11)), "all of them would have to be found");
        assert_eq!(all.list()[..2], [of(4), of(3)]);
    }
}
