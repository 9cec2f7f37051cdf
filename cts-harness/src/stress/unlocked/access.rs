//! The ways in which commands write stamps into blocks of an object and read them.

use super::super::cl::Cl;
use super::history::{Block, Stamp};
use crate::Failure;
use crate::cl::{Argument, Handle, Memory, Place, Side};
use crate::random::Random;
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
    _keep: Keep,
}

/// A command that writes.
pub(super) struct Writing {
    pub(super) event: Handle,
    pub(super) how: &'static str,
    _keep: Keep,
}

/// Memory and objects that must live until a command is complete.
#[derive(Default)]
struct Keep {
    memory: Option<Memory>,
    object: Option<Handle>,
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
/// region. There is none if the words do not begin with a row.
fn rows(first: usize, words: usize, block: usize) -> Option<(Side, Side, [usize; 3])> {
    // A row is an eighth of a block if the block can be divided, and otherwise a whole block.
    let row = 4 * if block.is_multiple_of(8) { block / 8 } else { block };
    let side = |origin| Side {
        origin,
        row,
        slice: 0,
    };
    let begins = (4 * first).is_multiple_of(row);
    begins.then(|| {
        (
            side([0, 4 * first / row, 0]),
            side([0; 3]),
            [row, 4 * words / row, 1],
        )
    })
}

/// Calls `now` before and after a call that enqueues a command. Returns the command with its name.
fn timed(
    now: &mut dyn FnMut(),
    how: &'static str,
    enqueue: impl FnOnce() -> Result<Handle, Failure>,
) -> Result<(Handle, &'static str), Failure> {
    now();
    let event = enqueue();
    now();
    Ok((event?, how))
}

impl Tools {
    /// Creates the kernels of a thread.
    pub(super) fn new(cl: &'static Cl, context: &Handle, program: &Handle) -> Result<Tools, Failure> {
        let paint = cl.images.then(|| program.kernel("paint"));
        Ok(Tools {
            context: context.clone(),
            put: program.kernel("put")?,
            get: program.kernel("get")?,
            paint: paint.transpose()?,
        })
    }

    fn scratch(&self, words: usize) -> Result<Handle, Failure> {
        self.context.buffer(0, 4 * words, std::ptr::null_mut())
    }

    /// Fills a scratch buffer with a stamp. Returns the buffer, and `after` with the event of the fill.
    fn filled(
        &self,
        queue: &Handle,
        words: usize,
        stamp: Stamp,
        after: &[Handle],
    ) -> Result<(Handle, Vec<Handle>), Failure> {
        let buffer = self.scratch(words)?;
        let filled = queue.fill(&buffer, &stamp.to_le_bytes(), (0, 4 * words), &[])?;
        Ok((buffer, after.iter().cloned().chain([filled]).collect()))
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
        let (mem, first, words) = (&to.mem, to.first(blocks), to.words(blocks));
        let mut keep = Keep::default();
        let kind = random.below(if to.image { 4 } else { 9 });
        let (event, how) = match (to.image, kind, &self.paint) {
            (false, 0 | 1, _) => {
                let first = Argument::U32(first as u32);
                self.put
                    .set_all(&[Argument::Memory(mem), first, Argument::U32(stamp)])?;
                timed(now, "kernel", || queue.launch(&self.put, words, None, after))?
            }
            (false, 2 | 3, _) => {
                let (pattern, range) = (stamp.to_le_bytes(), (4 * first, 4 * words));
                timed(now, "fill", || queue.fill(mem, &pattern, range, after))?
            }
            (false, 4 | 5, _) => {
                let (from, blocking) = (keep.memory.insert(stamped(stamp, words)), kind == 5);
                let how = if blocking { "blocking write" } else { "write" };
                timed(now, how, || queue.write(mem, blocking, 4 * first, from, after))?
            }
            (false, _, _) => match rows(first, words, to.block).filter(|_| kind == 6) {
                Some(box_) => {
                    let from = keep.memory.insert(stamped(stamp, words));
                    timed(now, "write of rows", || queue.rect(mem, true, box_, from, after))?
                }
                None => {
                    let (from, after) = self.filled(queue, words, stamp, after)?;
                    let (from, to) = ((&*keep.object.insert(from), 0), (mem, 4 * first));
                    timed(now, "copy", || queue.copy(from, to, 4 * words, &after))?
                }
            },
            (true, 0, Some(paint)) => {
                let row = Argument::U32(to.place(blocks).origin[1] as u32);
                paint.set_all(&[Argument::Memory(mem), row, Argument::U32(stamp)])?;
                timed(now, "kernel on image", || queue.launch(paint, words, None, after))?
            }
            (true, 1, _) => {
                let place = (mem, to.place(blocks));
                timed(now, "fill of image", || queue.image_fill(place, stamp, after))?
            }
            (true, 2, _) => {
                let (from, after) = self.filled(queue, words, stamp, after)?;
                let (from, place) = ((&*keep.object.insert(from), 0), (mem, to.place(blocks)));
                timed(now, "copy to image", || {
                    queue.image_buffer_copy(place, from, true, &after)
                })?
            }
            (true, _, _) => {
                let (from, place) = (keep.memory.insert(stamped(stamp, words)), (mem, to.place(blocks)));
                timed(now, "write of image", || {
                    queue.image_transfer(place, true, from, after)
                })?
            }
        };
        Ok(Writing {
            event,
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
        let (mem, first, words) = (&from.mem, from.first(blocks), from.words(blocks));
        let memory = Memory::new(vec![0xCC; 4 * words]);
        let place = (mem, from.place(blocks));
        let mut keep = Keep::default();
        // Some commands copy the blocks to a scratch buffer, which is then read.
        let mut copied = |how, copy: &mut dyn FnMut(&Handle) -> Result<Handle, Failure>| {
            let to = keep.object.insert(self.scratch(words)?);
            let (copied, how) = timed(now, how, || copy(to))?;
            Ok::<_, Failure>((queue.read(to, false, 0, &memory, &[copied])?, how))
        };
        let (event, how) = match (from.image, random.below(if from.image { 3 } else { 7 })) {
            (true, 0) => copied("copy from image", &mut |to| {
                queue.image_buffer_copy(place, (to, 0), false, after)
            })?,
            (true, _) => timed(now, "read of image", || {
                queue.image_transfer(place, false, &memory, after)
            })?,
            (false, kind @ 0..=3) => {
                let blocking = kind > 1;
                let how = if blocking { "blocking read" } else { "read" };
                timed(now, how, || queue.read(mem, blocking, 4 * first, &memory, after))?
            }
            (false, 5) => copied("kernel and read", &mut |to| {
                let first = Argument::U32(first as u32);
                self.get
                    .set_all(&[Argument::Memory(mem), first, Argument::Memory(to)])?;
                queue.launch(&self.get, words, None, after)
            })?,
            (false, kind) => match rows(first, words, from.block).filter(|_| kind == 4) {
                Some(box_) => timed(now, "read of rows", || {
                    queue.rect(mem, false, box_, &memory, after)
                })?,
                None => copied("copy and read", &mut |to| {
                    queue.copy((mem, 4 * first), (to, 0), 4 * words, after)
                })?,
            },
        };
        let block = from.block;
        Ok(Reading {
            event,
            memory,
            block,
            how,
            _keep: keep,
        })
    }
}
