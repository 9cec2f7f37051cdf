//! What is quick on a device: thresholds that change no result.
//!
//! The values for GPUs were measured on NVIDIA's (PERFORMANCE.md, `runtime/docs/scheduling.md`), and those for CPUs on
//! llvmpipe. All other devices have the values of their kind; nothing here depends on the name of a device or a driver.

use std::time::Duration;

use super::facts::{Facts, PhysicalType};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// The thresholds of a device; sizes are in bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tuning {
    /// The time during which a thread that waits for the device polls without yielding.
    pub spin: Duration,
    /// The time after which it stops polling and blocks.
    pub poll: Duration,
    /// Whether threads that poll take no processor time from the device.
    pub spares_processors: bool,
    /// Larger buffers get no BAR mapping: mapping them takes time, and programs seldom read just a few bytes of them.
    pub bar_buffer: u64,
    /// The longest read through the BAR mapping; it takes 10 µs on an NVIDIA H200.
    pub bar_read: u64,
    /// The longest write through the BAR mapping; it takes 3 µs on an NVIDIA H200.
    pub bar_write: u64,
    /// How staged transfers are cut.
    pub chunks: ChunkSizes,
    /// Writes of up to this size are staged even if the device could access the host memory, so that a blocking write
    /// returns at once.
    pub staged_anyway: u64,
    /// When a queue submits its open batch.
    pub submission: Submission,
    /// The most scratch memory of a launch, unless a single work-group needs more.
    pub scratch: u64,
    /// The most storage that is kept for later buffers, in the device's memory and in that of the host.
    pub recycled: u64,
    /// Small work-groups run together if a launch has at least this many of them for each compute unit. An NVIDIA H200 has room
    /// for 32 (compiler ADR 23).
    pub packed_groups: u64,
}

/// The sizes of chunks of a staged transfer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct ChunkSizes {
    /// Transfers of this size or more are cut into chunks, so that host and device copy at the same time.
    pub cut: u64,
    /// The first chunk; the last chunk has up to half as much again. A submission costs the device 5 to 10 µs, in which it
    /// could copy half a chunk of this size (on an NVIDIA H200).
    pub first: u64,
    /// The longest chunk.
    pub longest: u64,
}

/// When a queue submits its open batch.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Submission {
    /// With this many commands, at the latest.
    pub full: u32,
    /// With this many commands, if the device has nothing else to do. That applies to the first batch after a wait.
    pub first: u32,
    /// Each further batch needs twice as many commands, up to this number: a submission takes as long as recording ten
    /// commands (3.4 µs on an NVIDIA H200), and if the device completes each batch before the next one is recorded, it
    /// has to wait for the processor in any case.
    pub most: u32,
    /// With this much temporary memory, if the device has nothing else to do: copying it takes longer than the
    /// submission.
    pub worth_staging: u64,
    /// With this much temporary memory, at the latest.
    pub much_staging: u64,
}

impl Tuning {
    /// Returns the thresholds of a device.
    pub(crate) fn of(facts: &Facts) -> Tuning {
        let is_cpu = match facts.physical_type {
            PhysicalType::Cpu => true,
            PhysicalType::Discrete
            | PhysicalType::Integrated
            | PhysicalType::Virtual
            | PhysicalType::Other => false,
        };
        Tuning::new(is_cpu, facts.device_local_heap)
    }

    /// Returns the thresholds of a CPU, or of another device, with `memory` bytes of memory.
    pub(crate) fn new(is_cpu: bool, memory: u64) -> Tuning {
        let gpu = Tuning {
            // A blocked thread wakes up late, later than many kernels take, so threads poll for long.
            spin: Duration::from_micros(60),
            poll: Duration::from_millis(20),
            spares_processors: true,
            bar_buffer: 1 << 30,
            bar_read: 8 * KIB,
            bar_write: 64 * KIB,
            chunks: ChunkSizes {
                cut: 4 * MIB,
                first: MIB,
                longest: 4 * MIB,
            },
            staged_anyway: 256 * KIB,
            submission: Submission {
                full: 512,
                first: 16,
                most: 128,
                worth_staging: MIB,
                much_staging: 32 * MIB,
            },
            scratch: (memory / 16).min(1 << 30),
            recycled: (memory / 64).min(256 * MIB),
            packed_groups: 96,
        };
        match is_cpu {
            false => gpu,
            true => Tuning {
                // Polling takes processor time from the very threads that execute the kernels.
                spin: Duration::from_micros(5),
                poll: Duration::from_micros(5),
                spares_processors: false,
                // Few work-items are in flight.
                scratch: gpu.scratch.min(32 * MIB),
                packed_groups: 16,
                ..gpu
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_limits_what_is_kept() {
        let kept = |is_cpu, memory| {
            let tuning = Tuning::new(is_cpu, memory);
            (tuning.scratch, tuning.recycled)
        };
        assert_eq!(kept(false, 128 << 30), (1 << 30, 256 << 20));
        assert_eq!(kept(true, 128 << 30), (32 << 20, 256 << 20));
        assert_eq!(kept(false, 1 << 30), (64 << 20, 16 << 20));
    }
}
