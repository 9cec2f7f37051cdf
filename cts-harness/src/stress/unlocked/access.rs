//! The ways in which commands write stamps into blocks of an object and read them.

use super::super::cl::Cl;
use super::super::random::Random;
use super::history::{Block, Stamp};
use crate::Failure;
use crate::cl::{Argument, Handle, Memory, Place, Side};
use std::ops::Range;

/// The number of blocks of each object.
pub(super) const BLOCKS: usize = 16;

/// The number of texels in a row of an image.
const WIDTH: usize = 256;

/// The kernels for buffers.
pub(super) const SOURCE: &str = "
kernel void put(global uint *a, uint first, uint stamp) { a[first + get_global_id(0)] = stamp; }
kernel void get(global const uint *a, uint first, global uint *b) { b[get_global_id(0)] = a[first + get_global_id(0)]; }
kernel void add(global uint *a) { a[get_global_id(0)] += 1; }
";

/// The kernels for devices with images.
pub(super) const IMAGE_SOURCE: &str = "
kernel void paint(write_only image2d_t a, uint first, uint stamp) {
    uint i = get_global_id(0);
    write_imageui(a, (int2)(i % 256, first + i / 256), (uint4)(stamp));
}
";

/// A memory object, or a range of one, that is divided into blocks.
pub(super) struct Target {
    pub(super) mem: Handle,
    /// The word at which the first block begins; `block` is the number of words in each block.
    pub(super) base: usize,
    pub(super) block: usize,
    pub(super) image: bool,
}

impl Target {
    /// Returns the target for `words` words of a buffer, which begin at the word `base`.
    pub(super) fn buffer(mem: Handle, base: usize, words: usize) -> Target {
        Target {
            mem,
            base,
            block: words / BLOCKS,
            image: false,
        }
    }

    /// Returns the target for an image with `words` texels.
    pub(super) fn image(mem: Handle, words: usize) -> Target {
        Target {
            mem,
            base: 0,
            block: words / BLOCKS,
            image: true,
        }
    }

    /// Returns the width, height and depth of an image with `words` texels. Each block is whole rows.
    pub(super) fn size(words: usize) -> [usize; 3] {
        [WIDTH, words / WIDTH, 1]
    }

    fn words(&self, blocks: &Range<usize>) -> usize {
        blocks.len() * self.block
    }

    /// Returns the word at which the blocks begin.
    fn first(&self, blocks: &Range<usize>) -> usize {
        self.base + blocks.start * self.block
    }

    fn place(&self, blocks: &Range<usize>) -> Place {
        let rows = self.block / WIDTH;
        Place {
            origin: [0, blocks.start * rows, 0],
            region: [WIDTH, blocks.len() * rows, 1],
        }
    }
}

/// The objects that a thread needs for its commands and shares with no other thread.
pub(super) struct Tools {
    pub(super) context: Handle,
    put: Handle,
    get: Handle,
    paint: Option<Handle>,
}

/// A command that reads. Its result is in `memory` once its event is complete.
pub(super) struct Reading {
    pub(super) event: Handle,
    pub(super) memory: Memory,
    block: usize,
    pub(super) how: &'static str,
    /// Objects that must live until then.
    _keep: Vec<Handle>,
}

/// A command that writes. Its memory must live until its event is complete.
pub(super) struct Writing {
    pub(super) event: Handle,
    _memory: Option<Memory>,
    pub(super) how: &'static str,
    _keep: Vec<Handle>,
}

impl Reading {
    /// Returns the contents of the blocks. The command must be complete.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let bytes = self.memory.bytes();
        bytes.chunks(4 * self.block).map(Block::of).collect()
    }
}

/// Returns memory that holds the stamp in each of its words.
pub(super) fn stamped(stamp: Stamp, words: usize) -> Memory {
    Memory::new(stamp.to_le_bytes().repeat(words))
}

/// Returns a box that covers these words without gaps: its side in the buffer, its side in memory, and its
/// region.
fn rows(first: usize, words: usize, block: usize) -> (Side, Side, [usize; 3]) {
    // A row is an eighth of a block if the block can be divided, and otherwise a whole block.
    let row = 4 * if block.is_multiple_of(8) { block / 8 } else { block };
    let dense = Side {
        origin: [0; 3],
        row,
        slice: 0,
    };
    // The origin is the offset of the first word, divided into rows; the remainder is the column.
    let side = Side {
        origin: [4 * first % row, 4 * first / row, 0],
        row,
        slice: 0,
    };
    (side, dense, [row, 4 * words / row, 1])
}

impl Tools {
    /// Creates the kernels of a thread.
    pub(super) fn new(cl: &'static Cl, context: &Handle, program: &Handle) -> Result<Tools, Failure> {
        Ok(Tools {
            context: context.clone(),
            put: program.kernel("put")?,
            get: program.kernel("get")?,
            paint: match cl.images {
                true => Some(program.kernel("paint")?),
                false => None,
            },
        })
    }

    fn scratch(&self, words: usize) -> Result<Handle, Failure> {
        self.context.buffer(0, 4 * words, std::ptr::null_mut())
    }

    /// Writes a stamp into each word of the blocks, with a command that the random numbers choose. Calls
    /// `now` before and after the enqueue call that decides the order.
    pub(super) fn write(
        &self,
        queue: &Handle,
        to: &Target,
        blocks: &Range<usize>,
        stamp: Stamp,
        after: &[Handle],
        (random, now): (&mut Random, &mut dyn FnMut()),
    ) -> Result<Writing, Failure> {
        if to.image {
            return self.write_image(queue, to, blocks, stamp, after, (random, now));
        }
        let (first, words) = (to.first(blocks), to.words(blocks));
        let writing = |event, how, memory, keep| Writing {
            event,
            _memory: memory,
            how,
            _keep: keep,
        };
        let pattern = stamp.to_le_bytes();
        Ok(match random.below(9) {
            0 | 1 => {
                self.put.set_all(&[
                    Argument::Memory(&to.mem),
                    Argument::U32(first as u32),
                    Argument::U32(stamp),
                ])?;
                now();
                let event = queue.launch(&self.put, words, None, after)?;
                now();
                writing(event, "kernel", None, Vec::new())
            }
            2 | 3 => {
                let range = (4 * first, 4 * words);
                now();
                let event = queue.fill(&to.mem, &pattern, range, after)?;
                now();
                writing(event, "fill", None, Vec::new())
            }
            n @ (4 | 5) => {
                let memory = stamped(stamp, words);
                let blocking = n == 5;
                now();
                let event = queue.write(&to.mem, blocking, 4 * first, &memory, after)?;
                now();
                let how = if blocking { "blocking write" } else { "write" };
                writing(event, how, Some(memory), Vec::new())
            }
            6 if 4 * first % rows(first, words, to.block).0.row == 0 => {
                let memory = stamped(stamp, words);
                let box_ = rows(first, words, to.block);
                now();
                let event = queue.rect(&to.mem, true, box_, &memory, after)?;
                now();
                writing(event, "write of rows", Some(memory), Vec::new())
            }
            _ => {
                let from = self.scratch(words)?;
                let filled = queue.fill(&from, &pattern, (0, 4 * words), &[])?;
                let mut after = after.to_vec();
                after.push(filled);
                now();
                let event = queue.copy((&from, 0), (&to.mem, 4 * first), 4 * words, &after)?;
                now();
                writing(event, "copy", None, vec![from])
            }
        })
    }

    fn write_image(
        &self,
        queue: &Handle,
        to: &Target,
        blocks: &Range<usize>,
        stamp: Stamp,
        after: &[Handle],
        (random, now): (&mut Random, &mut dyn FnMut()),
    ) -> Result<Writing, Failure> {
        let (place, words) = (to.place(blocks), to.words(blocks));
        let mut memory = None;
        let mut keep = Vec::new();
        let (event, how) = match (random.below(4), &self.paint) {
            (0, Some(paint)) => {
                paint.set_all(&[
                    Argument::Memory(&to.mem),
                    Argument::U32(place.origin[1] as u32),
                    Argument::U32(stamp),
                ])?;
                now();
                (queue.launch(paint, words, None, after)?, "kernel on image")
            }
            (1, _) => {
                now();
                let event = queue.image_fill((&to.mem, place), stamp, after)?;
                (event, "fill of image")
            }
            (2, _) => {
                let from = self.scratch(words)?;
                let filled = queue.fill(&from, &stamp.to_le_bytes(), (0, 4 * words), &[])?;
                let mut after = after.to_vec();
                after.push(filled);
                now();
                let event = queue.image_buffer((&to.mem, place), (&from, 0), true, &after)?;
                keep.push(from);
                (event, "copy to image")
            }
            _ => {
                let from = memory.insert(stamped(stamp, words));
                now();
                let event = queue.image_transfer((&to.mem, place), true, from, after)?;
                (event, "write of image")
            }
        };
        now();
        Ok(Writing {
            event,
            _memory: memory,
            how,
            _keep: keep,
        })
    }

    /// Reads blocks, with a command that the random numbers choose.
    pub(super) fn read(
        &self,
        queue: &Handle,
        from: &Target,
        blocks: &Range<usize>,
        after: &[Handle],
        (random, now): (&mut Random, &mut dyn FnMut()),
    ) -> Result<Reading, Failure> {
        let (first, words) = (from.first(blocks), from.words(blocks));
        let memory = Memory::new(vec![0xCC; 4 * words]);
        let mut keep = Vec::new();
        let kind = random.below(if from.image { 3 } else { 7 });
        let (event, how) = if from.image {
            let place = from.place(blocks);
            if kind == 0 {
                let to = self.scratch(words)?;
                now();
                let copied = queue.image_buffer((&from.mem, place), (&to, 0), false, after)?;
                now();
                let event = queue.read(&to, false, 0, &memory, &[copied])?;
                keep.push(to);
                (event, "copy from image")
            } else {
                now();
                let event = queue.image_transfer((&from.mem, place), false, &memory, after)?;
                now();
                (event, "read of image")
            }
        } else {
            match kind {
                0 | 1 => {
                    now();
                    let event = queue.read(&from.mem, false, 4 * first, &memory, after)?;
                    now();
                    (event, "read")
                }
                2 | 3 => {
                    now();
                    let event = queue.read(&from.mem, true, 4 * first, &memory, after)?;
                    now();
                    (event, "blocking read")
                }
                4 if 4 * first % rows(first, words, from.block).0.row == 0 => {
                    let box_ = rows(first, words, from.block);
                    now();
                    let event = queue.rect(&from.mem, false, box_, &memory, after)?;
                    now();
                    (event, "read of rows")
                }
                5 => {
                    let to = self.scratch(words)?;
                    self.get.set_all(&[
                        Argument::Memory(&from.mem),
                        Argument::U32(first as u32),
                        Argument::Memory(&to),
                    ])?;
                    now();
                    let got = queue.launch(&self.get, words, None, after)?;
                    now();
                    let event = queue.read(&to, false, 0, &memory, &[got])?;
                    keep.push(to);
                    (event, "kernel and read")
                }
                _ => {
                    let to = self.scratch(words)?;
                    now();
                    let copied = queue.copy((&from.mem, 4 * first), (&to, 0), 4 * words, after)?;
                    now();
                    let event = queue.read(&to, false, 0, &memory, &[copied])?;
                    keep.push(to);
                    (event, "copy and read")
                }
            }
        };
        Ok(Reading {
            event,
            memory,
            block: from.block,
            how,
            _keep: keep,
        })
    }
}
