//! Transfers bytes between the host and the device, and on the device, in several sizes and with pageable and
//! pinned host memory.

use crate::bench::case::{Case, Row, Running, Sample, Side, Stop};
use crate::cl::{Buffer, Queue};
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

pub(super) const OPERATIONS: [Operation; 7] = [
    Operation::Write,
    Operation::Read,
    Operation::WritePinned,
    Operation::ReadPinned,
    Operation::Map,
    Operation::Copy,
    Operation::Fill,
];

/// An operation. It is measured with the host's clock, including the time to wait for it.
#[derive(Copy, Clone, Debug)]
pub(super) enum Operation {
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

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Operation::Write => "write pageable",
            Operation::Read => "read pageable",
            Operation::WritePinned => "write pinned",
            Operation::ReadPinned => "read pinned",
            Operation::Map => "map and unmap",
            Operation::Copy => "copy",
            Operation::Fill => "fill",
        }
    }
}

pub(super) fn cases(largest: usize) -> Vec<Case> {
    SIZES
        .into_iter()
        .filter(|(size, _)| *size <= largest)
        .map(case)
        .collect()
}

/// Returns a row for each operation on this many bytes.
pub(super) fn rows(what: &str, size: usize) -> Vec<Row> {
    let row = |operation: Operation| {
        let bytes = match operation {
            Operation::Copy => 2.0 * size as f64,
            _ => size as f64,
        };
        Row {
            name: format!("{what} {}", operation.name()),
            quantity: super::giga(bytes, "GB/s"),
        }
    };
    OPERATIONS.map(row).to_vec()
}

/// Returns a sample of each operation, in the order of [`OPERATIONS`]. Work that an implementation still does
/// after an operation has returned does not count for the next operation.
pub(super) fn samples(
    queue: &Queue,
    mut run: impl FnMut(Operation) -> Result<(), Stop>,
) -> Result<Vec<Sample>, Stop> {
    let sample = |operation| {
        let start = Instant::now();
        run(operation)?;
        let sample = Sample::wall(start.elapsed().as_secs_f64());
        queue.finish()?;
        Ok(sample)
    };
    OPERATIONS.into_iter().map(sample).collect()
}

fn case((size, text): (usize, &'static str)) -> Case {
    Case {
        rows: rows(&format!("transfer/{text}"), size),
        block: if size < MIB { 20 } else { 1 },
        most: if size < MIB { 400 } else { 30 },
        make: Box::new(move |side| Ok(Box::new(Transfers::new(side, size)?) as Box<dyn Running>)),
    }
}

struct Transfers {
    queue: Queue,
    device: Buffer,
    other: Buffer,
    pinned: Buffer,
    from: Vec<u8>,
    to: Vec<u8>,
}

impl Transfers {
    fn new(side: &Side, size: usize) -> Result<Transfers, Stop> {
        let device = &side.device;
        if size as u64 > device.largest_buffer || size as u64 * 4 > device.global_memory {
            let largest = device.largest_buffer / MIB as u64;
            return Err(Stop::Refused(format!("buffers of at most {largest} MiB")));
        }
        let context = &side.context;
        Ok(Transfers {
            queue: Queue::new(context, false)?,
            device: context.buffer(size)?,
            other: context.buffer(size)?,
            pinned: context.pinned(size)?,
            from: pattern(size),
            to: vec![0; size],
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

impl Running for Transfers {
    fn repeat(&mut self) -> Result<Vec<Sample>, Stop> {
        let Transfers {
            queue,
            device,
            other,
            pinned,
            from,
            to,
        } = self;
        let mut host = queue.map(pinned)?;
        // A GPU takes time to switch from the other implementation to this one (0.2 ms on an H200). This
        // untimed command ensures that it does not count.
        queue.fill(other, 0)?;
        queue.finish()?;
        samples(queue, |operation| {
            match operation {
                Operation::Write => queue.write(device, from)?,
                Operation::Read => queue.read(device, to)?,
                Operation::WritePinned => queue.write(device, &host)?,
                Operation::ReadPinned => queue.read(device, &mut host)?,
                Operation::Map => {
                    drop(queue.map(device)?);
                    queue.finish()?;
                }
                Operation::Copy => {
                    queue.copy(device, other, device.size())?;
                    queue.finish()?;
                }
                Operation::Fill => {
                    queue.fill(device, 0x0102_0304)?;
                    queue.finish()?;
                }
            }
            Ok(())
        })
    }

    /// Runs each operation separately, and then checks the bytes that it transferred.
    fn check(&mut self) -> Result<(), Stop> {
        let Transfers {
            queue,
            device,
            other,
            pinned,
            from,
            to,
        } = self;
        let expect = |what: &str, same: bool| match same {
            true => Ok(()),
            false => Err(Stop::Failed(format!("{what} moved other bytes"))),
        };
        queue.write(device, from)?;
        to.fill(0);
        queue.read(device, to)?;
        expect("write or read", to == from)?;
        expect("map", *queue.map(device)? == **from)?;
        queue.copy(device, other, device.size())?;
        to.fill(0);
        queue.read(other, to)?;
        expect("copy", to == from)?;
        queue.fill(device, 0x0102_0304)?;
        queue.read(device, to)?;
        expect("fill", to.chunks_exact(4).all(|c| c == [4, 3, 2, 1]))?;
        // The pinned memory is first the source, then the destination.
        let mut host = queue.map(pinned)?;
        host.copy_from_slice(from);
        queue.write(device, &host)?;
        host.fill(0);
        queue.read(device, to)?;
        expect("write from pinned memory", to == from)?;
        queue.read(device, &mut host)?;
        expect("read to pinned memory", *host == **from)?;
        queue
            .map(device)?
            .iter_mut()
            .step_by(4096)
            .for_each(|b| *b ^= 255);
        queue.read(device, to)?;
        let written = to
            .iter()
            .zip(from.iter())
            .step_by(4096)
            .all(|(t, f)| *t == f ^ 255);
        expect("unmap", written)
    }
}
