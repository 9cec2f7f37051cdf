//! Copies by a kernel (`CALDERA_DEBUG=copy-kernel`): sizes, offsets, sub-buffers and what comes before and after. One
//! test, because the switch is the process's.

mod support;

use caldera_runtime::mem::Buffer;
use support::*;

fn bytes(n: usize, seed: u32) -> Vec<f32> {
    (0..n)
        .map(|i| ((i as u32).wrapping_mul(2_654_435_761) ^ seed) as f32)
        .collect()
}

#[test]
fn copies_are_exact() {
    // SAFETY: no other thread of this process runs yet; it has one test.
    unsafe { std::env::set_var("CALDERA_DEBUG", "copy-kernel") };
    let context = context();
    let queue = queue(&context, false);
    let n = 5000;
    for (from, to, size) in [
        (0, 0, 4 * n),
        (16, 32, 4096),
        (16, 0, 16 * 255),
        (0, 16, 16 * 256),
        (32, 16, 1),
        (0, 48, 15),
        (64, 160, 4097 + 14),
        // Not for the kernel: these are Vulkan's.
        (4, 16, 100),
        (16, 7, 333),
    ] {
        let (a, b) = (bytes(n, 1), bytes(n, 2));
        let (x, y) = (buffer_of(&context, &a), buffer_of(&context, &b));
        queue.enqueue_copy(&x, &y, from, to, size, NOTHING).expect("copy");
        // The next command sees it.
        let z = buffer_of(&context, &b);
        queue.enqueue_copy(&y, &z, 0, 0, 4 * n, NOTHING).expect("copy");
        let raw = |v: &[f32]| -> Vec<u8> { v.iter().flat_map(|f| f.to_ne_bytes()).collect() };
        let mut expected = raw(&b);
        expected[to..to + size].copy_from_slice(&raw(&a)[from..from + size]);
        assert!(raw(&read(&queue, &z)) == expected, "{from} {to} {size}");
    }
    let whole = buffer_of(&context, &bytes(n, 3));
    let sub = |origin: usize, size: usize| Buffer::create_sub(&whole, 0, origin, size).expect("sub-buffer");
    let (low, high) = (sub(0, 4096), sub(8192, 4096));
    queue
        .enqueue_copy(&low, &high, 16, 48, 1000, NOTHING)
        .expect("copy");
    let mut expected = bytes(n, 3);
    let moved = expected[4..254].to_vec();
    expected[2048 + 12..2048 + 262].copy_from_slice(&moved);
    assert!(read(&queue, &whole) == expected);
    assert_eq!(caldera_runtime::validation_messages(), 0, "see the log");
}
