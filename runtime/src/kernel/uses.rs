//! The accesses of a launch to memory objects, derived from its arguments and the module's reflection.

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

/// Stands for the index of the argument if an access belongs to none.
const NO_ARGUMENT: usize = usize::MAX;

/// The number of accesses that are stored without allocation.
const FEW: usize = 8;

const NOTHING: Access = Access {
    root: 0,
    start: 0,
    end: 0,
    write: false,
};

/// Returns whether a kernel writes the buffer of an argument; `None` if it does not access the buffer at all.
/// CL_MEM_READ_ONLY does not matter: OpenCL leaves undefined what a kernel that writes such a buffer does, but some
/// programs do it, and all other implementations order the commands nevertheless.
fn buffer_use(arg: &Arg) -> Option<bool> {
    arg.binding?;
    // The kernel may load an escaped pointer again and access anything through it.
    let written = arg.uses.written || arg.uses.escapes;
    (arg.uses.read || written).then_some(written)
}

/// Returns the access that a kernel makes to the buffer of an argument.
fn buffer_access(arg: &Arg, buffer: &Buffer) -> Option<Access> {
    buffer_use(arg).map(|write| access(buffer, 0, buffer.size(), write))
}

/// Returns how a launch uses the contents of memory objects.
pub(crate) fn touches(kernel: &DeviceKernel, args: &[ArgValue]) -> Vec<Touch> {
    let all = touches_of_arguments(kernel, args).into_iter();
    all.map(|(_, touch)| touch).collect()
}

/// Returns how a launch uses the contents of memory objects, each with the number of the argument; buffers after the
/// arguments have none.
pub(crate) fn touches_of_arguments(kernel: &DeviceKernel, args: &[ArgValue]) -> Vec<(Option<usize>, Touch)> {
    let how = |write: bool| if write { Use::Update } else { Use::Read };
    let mut all = Vec::with_capacity(args.len());
    for (n, (arg, value)) in kernel.reflection().args.iter().zip(args).enumerate() {
        match value {
            ArgValue::Buffer(Some(buffer)) => {
                if let Some(write) = buffer_use(arg) {
                    all.push((Some(n), Touch::buffer(buffer, 0, buffer.size(), how(write))));
                }
            }
            ArgValue::Image { image, write } => all.push((Some(n), Touch::image(image, how(*write)))),
            ArgValue::Buffer(None)
            | ArgValue::Unset
            | ArgValue::Pod(_)
            | ArgValue::Address(_)
            | ArgValue::Local(_)
            | ArgValue::Sampler(_) => {}
        }
    }
    for buffer in pointed(kernel, args) {
        all.push((None, Touch::buffer(buffer, 0, buffer.size(), how(true))));
    }
    all
}

/// Returns the buffers after the arguments: the kernel may access them through addresses.
fn pointed<'a>(kernel: &DeviceKernel, args: &'a [ArgValue]) -> impl Iterator<Item = &'a Arc<Buffer>> {
    let rest = args.get(kernel.reflection().args.len()..).unwrap_or(&[]);
    rest.iter().filter_map(|value| match value {
        ArgValue::Buffer(buffer) => buffer.as_ref(),
        _ => None,
    })
}

/// The memory that a launch accesses.
#[derive(Clone)]
pub(super) struct Accesses {
    few: [Access; FEW],
    /// The argument to which each of these accesses belongs.
    args: [usize; FEW],
    count: usize,
    /// All accesses, if there are more than [`FEW`].
    many: Vec<Access>,
    /// Whether a pointer escapes or comes from elsewhere, so that the kernel may access any memory.
    unknown: bool,
    /// Whether arguments are images from buffers, of which the kernel accesses copies ([`super::alias`]).
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

    /// Returns the accesses of a kernel with the given argument values.
    pub(super) fn new(kernel: &DeviceKernel, args: &[ArgValue]) -> Accesses {
        let mut all = Accesses {
            unknown: kernel.reflection().any_memory,
            ..Accesses::NONE
        };
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
                | ArgValue::Address(_)
                | ArgValue::Local(_)
                | ArgValue::Sampler(_) => {}
            }
        }
        if kernel.reflection().variables
            && let Some(access) = kernel.module().variables_access()
        {
            all.add(NO_ARGUMENT, access);
        }
        for buffer in pointed(kernel, args) {
            all.add(NO_ARGUMENT, access(buffer, 0, buffer.size(), true));
        }
        all
    }

    /// Replaces the buffer of an argument by another. Returns `false` if the argument had no access that the
    /// new one can replace.
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

    /// Returns whether the accesses are stored without allocation.
    pub(super) fn are_few(&self) -> bool {
        self.count <= FEW
    }

    /// Returns whether the kernel may access any memory.
    pub(super) fn may_access_anything(&self) -> bool {
        self.unknown
    }

    fn list(&self) -> &[Access] {
        self.few.get(..self.count).unwrap_or(&self.many)
    }

    /// Declares the accesses to a recording, keeps the argument objects alive until the batch has completed,
    /// and prepares images for use.
    pub(super) fn declare(
        &self,
        kernel: &DeviceKernel,
        args: &[ArgValue],
        r: &mut Recording<'_>,
    ) -> Result<()> {
        for (arg, value) in kernel.reflection().args.iter().zip(args) {
            match value {
                ArgValue::Buffer(Some(buffer)) => {
                    if let Some(write) = buffer_use(arg) {
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
                | ArgValue::Address(_)
                | ArgValue::Local(_) => {}
            }
        }
        for buffer in pointed(kernel, args) {
            r.writes(buffer);
            r.keep_buffer(buffer);
        }
        if self.unknown {
            r.make_visible_to_host();
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
        // The argument was NULL, or the kernel does not access it.
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
