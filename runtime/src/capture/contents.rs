//! The memory objects of a captured launch, and their contents before and after it.
//!
//! An object that several arguments share is one object. A sub-buffer is a range of its buffer, and an image that was created
//! from a buffer has the contents of that buffer.

use std::path::Path;
use std::sync::Arc;

use super::{Launched, write};
use crate::error::{ClCode, Error, Result};
use crate::kernel::args::ArgKind;
use crate::kernel::launch::ArgValue;
use crate::mem::{Buffer, Image, MemObject};
use crate::queue::CommandQueue;

/// A memory object.
pub(super) struct Object {
    pub what: What,
    before: Vec<u8>,
    after: Vec<u8>,
}

/// What a memory object is.
pub(super) enum What {
    /// A buffer that is no sub-buffer.
    Buffer(Arc<Buffer>),
    /// An image with contents of its own.
    Image(Arc<Image>),
    /// An image that was created from a range of a buffer.
    OfBuffer(Arc<Image>, Part),
}

/// A range of a buffer, by the buffer's index among the objects.
#[derive(Copy, Clone)]
pub(super) struct Part {
    pub memory: usize,
    pub offset: u64,
    pub size: u64,
}

/// The memory object of an argument.
#[derive(Copy, Clone)]
pub(super) enum Place {
    Part(Part),
    /// An image, by its index among the objects.
    Image(usize),
}

/// The memory objects of a launch.
pub(super) struct Objects {
    list: Vec<Object>,
    /// The memory object of each argument that has one.
    pub places: Vec<Option<Place>>,
}

impl Object {
    /// Returns the number of bytes of the contents; 0 if another object has them.
    fn size(&self) -> u64 {
        match &self.what {
            What::Buffer(buffer) => buffer.size(),
            What::Image(image) => image.bytes(),
            What::OfBuffer(..) => 0,
        }
    }

    fn read(&self, queue: &Arc<CommandQueue>) -> Result<Vec<u8>> {
        let object = match &self.what {
            What::Buffer(buffer) => MemObject::Buffer(Arc::clone(buffer)),
            What::Image(image) => MemObject::Image(Arc::clone(image)),
            What::OfBuffer(..) => return Ok(Vec::new()),
        };
        let mut bytes = Vec::new();
        let size = self.size() as usize;
        bytes
            .try_reserve_exact(size)
            .map_err(|_| Error::new(ClCode::OutOfHostMemory, format!("{size} bytes for a capture")))?;
        bytes.resize(size, 0);
        queue.contents(object, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns whether the object has contents of its own.
    pub(super) fn has_contents(&self) -> bool {
        !matches!(self.what, What::OfBuffer(..))
    }

    /// Returns whether the launch has changed the contents.
    pub(super) fn is_changed(&self) -> bool {
        self.before != self.after
    }
}

/// Returns the name of the file with the contents of an object; `when` is `before` or `after` (the launch).
pub(super) fn file(index: usize, when: &str) -> String {
    format!("memory{index}.{when}")
}

impl Objects {
    /// Finds the memory objects of a launch. The error says why the launch cannot be captured.
    pub(super) fn of(launch: &Launched<'_>) -> std::result::Result<Objects, String> {
        let mut objects = Objects {
            list: Vec::new(),
            places: Vec::new(),
        };
        let reflection = launch.kernel.reflection();
        for (arg, value) in reflection.args.iter().zip(launch.args) {
            let place = match (ArgKind::of(arg), value) {
                (ArgKind::Pipe, _) => return Err("an argument is a pipe".into()),
                (ArgKind::Unknown, _) => {
                    return Err("the module does not state the type of an argument".into());
                }
                (_, ArgValue::Buffer(Some(buffer))) => Some(Place::Part(objects.buffer(buffer)?)),
                (_, ArgValue::Image { image, .. }) => Some(Place::Image(objects.image(image)?)),
                _ => None,
            };
            objects.places.push(place);
        }
        Ok(objects)
    }

    fn add(&mut self, what: What) -> usize {
        self.list.push(Object {
            what,
            before: Vec::new(),
            after: Vec::new(),
        });
        self.list.len() - 1
    }

    fn buffer(&mut self, buffer: &Arc<Buffer>) -> std::result::Result<Part, String> {
        if buffer.uses_svm() {
            return Err("an argument is a buffer in shared virtual memory".into());
        }
        let root = buffer.parent().unwrap_or(buffer);
        let is_root = |o: &Object| matches!(&o.what, What::Buffer(b) if Arc::ptr_eq(b, root));
        let known = self.list.iter().position(is_root);
        Ok(Part {
            memory: known.unwrap_or_else(|| self.add(What::Buffer(Arc::clone(root)))),
            offset: buffer.offset(),
            size: buffer.size(),
        })
    }

    fn image(&mut self, image: &Arc<Image>) -> std::result::Result<usize, String> {
        let is_it = |o: &Object| match &o.what {
            What::Image(i) | What::OfBuffer(i, _) => Arc::ptr_eq(i, image),
            What::Buffer(_) => false,
        };
        if let Some(known) = self.list.iter().position(is_it) {
            return Ok(known);
        }
        let what = match image.buffer() {
            Some(buffer) => What::OfBuffer(Arc::clone(image), self.buffer(buffer)?),
            None => What::Image(Arc::clone(image)),
        };
        Ok(self.add(what))
    }

    /// Returns the number of bytes of all contents.
    pub(super) fn bytes(&self) -> u64 {
        self.list.iter().map(Object::size).sum()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Object> {
        self.list.iter()
    }

    /// Reads the contents before the launch.
    pub(super) fn read_before(&mut self, queue: &Arc<CommandQueue>) -> Result<()> {
        self.list.iter_mut().try_for_each(|object| {
            object.before = object.read(queue)?;
            Ok(())
        })
    }

    /// Waits for the launch, and reads the contents after it.
    pub(super) fn read_after(&mut self, queue: &Arc<CommandQueue>) -> Result<()> {
        queue.finish()?;
        self.list.iter_mut().try_for_each(|object| {
            object.after = object.read(queue)?;
            Ok(())
        })
    }

    /// Writes the contents before the launch.
    pub(super) fn write_before(&self, folder: &Path) -> std::result::Result<(), String> {
        let mut with_contents = self.list.iter().enumerate().filter(|(_, o)| o.has_contents());
        with_contents.try_for_each(|(index, object)| write(folder, &file(index, "before"), &object.before))
    }

    /// Writes the contents after the launch of the objects that it has changed.
    pub(super) fn write_after(&self, folder: &Path) -> std::result::Result<(), String> {
        let mut changed = self.list.iter().enumerate().filter(|(_, o)| o.is_changed());
        changed.try_for_each(|(index, object)| write(folder, &file(index, "after"), &object.after))
    }
}
