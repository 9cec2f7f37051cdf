//! Moving bytes between host and device and on the device, by size: pageable and pinned host memory.

use crate::bench::case::{Case, Row, Running, Sample, Side, Stop};
use crate::bench::cl::{Buffer, Queue};
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

/// All of it is measured with the host's clock, waiting included.
#[derive(Copy, Clone, Debug)]
pub(super) enum Operation {
    /// Blocking, from the process's own memory.
    Write,
    Read,
    /// Blocking, from memory of a mapped buffer that has CL_MEM_ALLOC_HOST_PTR.
    WritePinned,
    ReadPinned,
    /// Map for reading and writing, unmap, wait.
    Map,
    /// From one to another; what is read and what is written count.
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

/// A row for each operation on so many bytes.
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

/// A sample of each operation, in their order. What an implementation still does for one when it returns is no part of the
/// next one's time.
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

/// Different in each place, quickly.
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
        // A GPU takes 0.2 ms to turn from another implementation to this one.
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

    /// Each operation by itself, followed by a look at what it moved.
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
        // The pinned memory is the source, then the destination.
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
