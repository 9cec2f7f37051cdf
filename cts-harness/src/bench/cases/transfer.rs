//! Transfers bytes between the host and the device, and on the device, in several sizes and with pageable and
//! pinned host memory.

use crate::Failure;
use crate::bench::case::{Case, Row, Running, Sample, Side, Stop};
use crate::cl::{Buffer, Context, Mapping, Queue};
use std::time::Instant;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const SIZES: [(usize, &str); 6] = [
    (4 * KIB, "4 KiB"),
    (64 * KIB, "64 KiB"),
    (MIB, "1 MiB"),
    (16 * MIB, "16 MiB"),
    (64 * MIB, "64 MiB"),
    (1024 * MIB, "1 GiB"),
];

const OPERATIONS: [(Operation, &str); 7] = [
    (Operation::Write, "write pageable"),
    (Operation::Read, "read pageable"),
    (Operation::WritePinned, "write pinned"),
    (Operation::ReadPinned, "read pinned"),
    (Operation::Map, "map and unmap"),
    (Operation::Copy, "copy"),
    (Operation::Fill, "fill"),
];

/// An operation. It is measured with the host's clock, including the time to wait for it.
#[derive(Copy, Clone, Debug)]
enum Operation {
    /// Blocking, from ordinary memory of the process.
    Write,
    Read,
    /// Blocking, from a mapped buffer with CL_MEM_ALLOC_HOST_PTR.
    WritePinned,
    ReadPinned,
    /// Map for reading and writing, unmap, and wait.
    Map,
    /// Copy from one buffer or image to another. Both the bytes read and the bytes written are counted.
    Copy,
    Fill,
}

/// A buffer or an image.
pub(super) trait Storage: Sized {
    /// Writes all bytes, and blocks until this is done.
    fn write(&self, queue: &Queue, from: &[u8]) -> Result<(), Failure>;
    /// Reads all bytes, and blocks until this is done.
    fn read(&self, queue: &Queue, to: &mut [u8]) -> Result<(), Failure>;
    fn copy(&self, queue: &Queue, to: &Self) -> Result<(), Failure>;
    fn fill(&self, queue: &Queue) -> Result<(), Failure>;
    /// Returns the bytes that a fill repeats.
    fn filled(&self) -> Vec<u8>;
    /// Maps all bytes for reading and writing.
    fn map<'a>(&'a self, queue: &'a Queue) -> Result<Mapping<'a>, Failure>;
    /// Returns the size of a row, and the distance between rows in a mapping.
    fn rows(&self, mapped: &Mapping<'_>) -> (usize, usize);
}

impl Storage for Buffer {
    fn write(&self, queue: &Queue, from: &[u8]) -> Result<(), Failure> {
        queue.write(self, from)
    }

    fn read(&self, queue: &Queue, to: &mut [u8]) -> Result<(), Failure> {
        queue.read(self, to)
    }

    fn copy(&self, queue: &Queue, to: &Buffer) -> Result<(), Failure> {
        queue.copy(self, to, self.size())
    }

    fn fill(&self, queue: &Queue) -> Result<(), Failure> {
        queue.fill(self, 0x0102_0304)
    }

    fn filled(&self) -> Vec<u8> {
        vec![4, 3, 2, 1]
    }

    fn map<'a>(&'a self, queue: &'a Queue) -> Result<Mapping<'a>, Failure> {
        queue.map(self)
    }

    fn rows(&self, _: &Mapping<'_>) -> (usize, usize) {
        // The size of a page: each page is checked.
        (4096, 4096)
    }
}

/// Returns the case of all operations on storage of this many bytes. Small operations are repeated more often.
pub(super) fn case<T: Storage + 'static>(
    what: &str,
    size: usize,
    small: bool,
    make: impl Fn(&Side) -> Result<Transfers<T>, Stop> + 'static,
) -> Case {
    let row = |(operation, name)| {
        let bytes = match operation {
            Operation::Copy => 2.0 * size as f64,
            _ => size as f64,
        };
        Row {
            name: format!("{what} {name}"),
            quantity: super::giga(bytes, "GB/s"),
        }
    };
    Case {
        rows: OPERATIONS.map(row).to_vec(),
        block: if small { 20 } else { 1 },
        most: if small { 400 } else { 30 },
        make: Box::new(move |side| Ok(Box::new(make(side)?) as Box<dyn Running>)),
    }
}

pub(super) fn cases(largest: usize) -> Vec<Case> {
    let sizes = SIZES.into_iter().filter(|(size, _)| *size <= largest);
    let buffers = |(size, text)| {
        case(&format!("transfer/{text}"), size, size < MIB, move |side| {
            let largest = side.device.largest_buffer;
            if size as u64 > largest || size as u64 * 4 > side.device.global_memory {
                let largest = largest / MIB as u64;
                return Err(Stop::Refused(format!("buffers of at most {largest} MiB")));
            }
            let context = &side.context;
            Transfers::new(
                context,
                [context.buffer(size)?, context.buffer(size)?],
                pattern(size),
            )
        })
    };
    sizes.map(buffers).collect()
}

/// Storage, and the host's memory for transfers.
pub(super) struct Transfers<T> {
    queue: Queue,
    device: T,
    other: T,
    pinned: Buffer,
    from: Vec<u8>,
    to: Vec<u8>,
}

impl<T> Transfers<T> {
    /// Prepares transfers of the bytes `from`.
    pub(super) fn new(
        context: &Context,
        [device, other]: [T; 2],
        from: Vec<u8>,
    ) -> Result<Transfers<T>, Stop> {
        Ok(Transfers {
            queue: Queue::new(context, false)?,
            device,
            other,
            pinned: context.pinned(from.len())?,
            to: vec![0; from.len()],
            from,
        })
    }
}

/// Returns bytes that differ from word to word, and that are generated quickly.
fn pattern(size: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size);
    for i in 0..size as u64 / 8 {
        bytes.extend_from_slice(&i.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes());
    }
    bytes
}

impl<T: Storage> Running for Transfers<T> {
    /// Returns a sample of each operation, in the order of [`OPERATIONS`]. Work that an implementation still
    /// does after an operation has returned does not count for the next operation.
    fn repeat(&mut self) -> Result<Vec<Sample>, Stop> {
        let (queue, device, other) = (&self.queue, &self.device, &self.other);
        let mut host = queue.map(&self.pinned)?;
        // A GPU takes time to switch from the other implementation to this one (0.2 ms on an H200). This
        // untimed command ensures that it does not count.
        other.fill(queue)?;
        queue.finish()?;
        let sample = |(operation, _)| {
            let start = Instant::now();
            match operation {
                Operation::Write => device.write(queue, &self.from)?,
                Operation::Read => device.read(queue, &mut self.to)?,
                Operation::WritePinned => device.write(queue, &host)?,
                Operation::ReadPinned => device.read(queue, &mut host)?,
                Operation::Map => drop(device.map(queue)?),
                Operation::Copy => device.copy(queue, other)?,
                Operation::Fill => device.fill(queue)?,
            }
            if matches!(operation, Operation::Map | Operation::Copy | Operation::Fill) {
                queue.finish()?;
            }
            let sample = Sample::wall(start.elapsed().as_secs_f64());
            queue.finish()?;
            Ok(sample)
        };
        OPERATIONS.into_iter().map(sample).collect()
    }

    /// Runs each operation separately, and then checks the bytes that it transferred.
    fn check(&mut self) -> Result<(), Stop> {
        let (queue, device, other) = (&self.queue, &self.device, &self.other);
        let (from, to) = (&self.from, &mut self.to);
        let expect = |what: &str, same: bool| match same {
            true => Ok(()),
            false => Err(Stop::Failed(format!("{what} moved other bytes"))),
        };
        device.write(queue, from)?;
        to.fill(0);
        device.read(queue, to)?;
        expect("write or read", to == from)?;
        device.copy(queue, other)?;
        to.fill(0);
        other.read(queue, to)?;
        expect("copy", to == from)?;
        other.fill(queue)?;
        other.read(queue, to)?;
        let filled = other.filled();
        expect("fill", to.chunks_exact(filled.len()).all(|t| *t == filled))?;
        // The pinned memory is first the source, then the destination.
        let mut host = queue.map(&self.pinned)?;
        host.copy_from_slice(from);
        device.write(queue, &host)?;
        host.fill(0);
        device.read(queue, to)?;
        expect("write from pinned memory", to == from)?;
        device.read(queue, &mut host)?;
        expect("read to pinned memory", *host == **from)?;
        let mut mapped = device.map(queue)?;
        let (row, pitch) = device.rows(&mapped);
        let mut rows = mapped.chunks(pitch).zip(from.chunks(row));
        expect("map", rows.all(|(m, f)| m[..row] == *f))?;
        mapped.chunks_mut(pitch).for_each(|m| m[0] ^= 255);
        drop(mapped);
        device.read(queue, to)?;
        let mut rows = to.chunks(row).zip(from.chunks(row));
        expect("unmap", rows.all(|(t, f)| t[0] == f[0] ^ 255 && t[1..] == f[1..]))
    }
}
