//! Short accesses to device memory over the PCIe bus, where the host has a BAR mapping of all of it ("resizable
//! BAR").
//!
//! A load is a round trip of about a microsecond on the bus, whatever its width up to 64 bytes, and only
//! streaming loads overlap; stores are posted and combined. The alternative, a copy by the GPU, takes a
//! submission and a wait. `vk::Tuning` has the sizes up to which the BAR mapping is used (PERFORMANCE.md).
#![allow(unsafe_code, reason = "loads and stores of mapped device memory")]

use super::HostPtr;

/// The size of a streaming load in bytes. Buffers begin and end at multiples of it.
#[cfg(target_arch = "x86_64")]
const UNIT: usize = 16;

/// Copies from device memory. The GPU has finished its writes, and they are visible to the host.
pub(crate) fn read(from: HostPtr, to: HostPtr, size: u64) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("sse4.1") {
        let last = (from.address() as u64 + size).next_multiple_of(UNIT as u64) - from.address() as u64;
        from.check(last);
        to.check(size);
        // SAFETY: the processor has the instructions. `check` has compared both ranges with the ends of the memory, up
        // to the end of the 16-byte unit that contains the last byte of `from`. The unit that contains its first
        // byte belongs to the buffer, because buffers begin at multiples of 256 (`vk/buffer.rs`).
        unsafe { stream(from.as_ptr(), to.as_ptr(), size as usize) };
        return;
    }
    from.copy_alone(to, size);
}

/// Copies to device memory that the GPU does not use now. Commands submitted later see the bytes.
pub(crate) fn write(from: HostPtr, to: HostPtr, size: u64) {
    from.copy_alone(to, size);
    // The fence empties the processor's write-combining buffers before a later store submits work to the GPU.
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, which accesses no memory of the program.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Copies with streaming loads, a whole aligned line of 64 bytes at a time where possible.
///
/// # Safety
/// The processor has SSE 4.1; `from` and `to` cover `size` bytes, and the 16-byte units that contain the first
/// and the last byte of `from` are mapped as a whole.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse4.1")]
unsafe fn stream(from: *mut u8, to: *mut u8, size: usize) {
    use std::arch::x86_64::{__m128i, _mm_mfence, _mm_setzero_si128, _mm_stream_load_si128};
    const LINE: usize = 4;
    // Streaming loads are weakly ordered: without the fence, they could execute before the load that saw the
    // GPU's completion.
    _mm_mfence();
    let start = from.addr();
    let end = start + size;
    let mut at = start & !(UNIT - 1);
    while at < end {
        let units = if at.is_multiple_of(LINE * UNIT) {
            LINE.min((end - at).div_ceil(UNIT))
        } else {
            1
        };
        let mut line = [_mm_setzero_si128(); LINE];
        let source = from
            .wrapping_byte_offset(at as isize - start as isize)
            .cast::<__m128i>();
        for (i, unit) in line[..units].iter_mut().enumerate() {
            // SAFETY: the unit is mapped (the caller), and `at` is a multiple of its size.
            *unit = unsafe { _mm_stream_load_si128(source.wrapping_add(i)) };
        }
        let first = at.max(start);
        let last = (at + units * UNIT).min(end);
        let bytes = line.as_ptr().cast::<u8>().wrapping_add(first - at);
        let place = to.wrapping_add(first - start);
        // SAFETY: `line` holds the bytes between `at` and `last`; `to` covers as many bytes as `from`.
        unsafe { std::ptr::copy_nonoverlapping(bytes, place, last - first) };
        at += units * UNIT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(64))]
    struct Memory([u8; 512]);

    #[test]
    fn every_byte_arrives_and_no_other() {
        let mut memory = Memory([0; 512]);
        for (i, byte) in memory.0.iter_mut().enumerate() {
            *byte = (i * 7) as u8;
        }
        for start in [0, 1, 15, 16, 17, 63, 64, 100] {
            for size in [1usize, 2, 15, 16, 17, 63, 64, 65, 128, 200, 333] {
                let mut to = [0xEEu8; 400];
                let from = HostPtr::of_slice(&memory.0[start..]);
                read(from, HostPtr::of_slice_mut(&mut to[8..]), size as u64);
                let mut expected = [0xEEu8; 400];
                expected[8..8 + size].copy_from_slice(&memory.0[start..start + size]);
                assert_eq!(to, expected, "{size} bytes from {start}");
            }
        }
        let source = [3u8; 100];
        write(
            HostPtr::of_slice(&source),
            HostPtr::of_slice_mut(&mut memory.0[7..]),
            100,
        );
        assert_eq!(memory.0[7..107], source);
        assert_eq!(memory.0[107], (107 * 7 % 256) as u8);
    }
}
