//! Pipes (CL 2.0, 5.4). A pipe is a buffer whose first words count its packets; `lib/pipe.cl` of the compiler has the layout
//! and everything that kernels do with it. To the queue it is a buffer that the kernel reads and writes.

use std::sync::Arc;

use super::{Buffer, HostPtr, MemFlags};
use crate::context::Context;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::mem::residence::Use;
use crate::object::Anchor;

/// The size of the part before the packets. Packets have at most the alignment of `long16`.
const HEADER: u64 = 128;
/// The largest number of packets: positions, which are 32-bit numbers, may exceed it three times.
const MAX_PACKETS: u32 = 1 << 30;

/// A pipe.
pub struct Pipe {
    anchor: Anchor<Pipe>,
    buffer: Arc<Buffer>,
    /// The flags of the application. Those of the buffer say what the host may do with it, which is nothing.
    flags: u64,
    packet_size: u32,
    max_packets: u32,
}

impl_object!(Pipe, ClCode::InvalidMemObject, "pipe");

impl std::fmt::Debug for Pipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipe")
            .field("packet_size", &self.packet_size)
            .field("max_packets", &self.max_packets)
            .finish_non_exhaustive()
    }
}

impl Pipe {
    /// Creates a pipe (CL 2.0, 5.4.1, clCreatePipe). `flags` are those of the application.
    pub fn create(
        context: &Arc<Context>,
        flags: u64,
        packet_size: u32,
        max_packets: u32,
    ) -> Result<Arc<Pipe>> {
        const READ_WRITE: u64 = MemFlags::READ_WRITE;
        const NO_ACCESS: u64 = MemFlags::HOST_NO_ACCESS;
        let error = |code, what| Error::new(code, what).at("2.0 5.4.1");
        // CL 2.0, 5.4.1: INVALID_OPERATION if no devices in context support pipes
        let largest = context.devices().iter().filter_map(|d| d.max_packet_size()).max();
        let largest = largest.ok_or_else(|| error(ClCode::InvalidOperation, "no device has pipes"))?;
        // CL 2.0, 5.4.1: INVALID_VALUE if flags has others than CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS
        if flags & !(READ_WRITE | NO_ACCESS) != 0 {
            return Err(error(ClCode::InvalidValue, "flags that a pipe cannot have"));
        }
        // CL 2.0, 5.4.1: INVALID_PIPE_SIZE if pipe_packet_size is 0 or too large, or if pipe_max_packets is 0
        if packet_size == 0 || packet_size > largest || max_packets == 0 {
            return Err(error(
                ClCode::InvalidPipeSize,
                "the size of the packets or their number",
            ));
        }
        let size = HEADER + u64::from(packet_size) * u64::from(max_packets);
        let too_large = || error(ClCode::MemObjectAllocationFailure, "a pipe of so many packets");
        if max_packets > MAX_PACKETS {
            return Err(too_large());
        }
        let inner = MemFlags::from_bits(READ_WRITE | NO_ACCESS)?;
        let buffer = Buffer::create(context, inner, size as usize, None).map_err(|e| match e.code {
            ClCode::InvalidBufferSize => too_large(),
            _ => e,
        })?;
        if let Some(written) = buffer.written() {
            written.note_all();
        }
        let words = [0, 0, max_packets, packet_size];
        let header: Vec<u8> = words.iter().flat_map(|w: &u32| w.to_ne_bytes()).collect();
        let length = header.len() as u64;
        context.devices()[0].upload(buffer.storage(0)?, 0, HostPtr::of_slice(&header), length)?;
        buffer.residence().lock().used(&(0..length), 0, Use::Replace);
        Ok(Arc::new(Pipe {
            anchor: Anchor::new(),
            buffer,
            flags,
            packet_size,
            max_packets,
        }))
    }

    /// Returns the buffer that has the packets.
    pub fn buffer(&self) -> &Arc<Buffer> {
        &self.buffer
    }

    /// Returns CL_MEM_FLAGS as the application gave them.
    pub fn flags(&self) -> u64 {
        self.flags
    }

    /// Returns CL_PIPE_PACKET_SIZE.
    pub fn packet_size(&self) -> u32 {
        self.packet_size
    }

    /// Returns CL_PIPE_MAX_PACKETS.
    pub fn max_packets(&self) -> u32 {
        self.max_packets
    }
}
