//! Commands that read host memory that earlier commands write (CL 5.2.2, 5.2.4), and large transfers whose chunks wait
//! and fail together.

mod support;

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use caldera_runtime::context::Context;
use caldera_runtime::event::{Event, Status};
use caldera_runtime::mem::{Buffer, MemFlags};
use caldera_runtime::queue::{CommandQueue, Enqueued, MapFlags, Waits};
use support::*;

const LARGE: usize = 5 << 20;

fn after<'a>(list: &'a [Arc<Event>]) -> Waits<'a> {
    Waits {
        list,
        want_event: true,
    }
}

fn event(enqueued: Enqueued) -> Arc<Event> {
    enqueued.expect("enqueued").expect("event")
}

fn read_to(
    queue: &Arc<CommandQueue>,
    buffer: &Arc<Buffer>,
    to: &[Cell<f32>],
    list: &[Arc<Event>],
) -> Arc<Event> {
    let size = size_of_val(to);
    event(queue.enqueue_read(linear(buffer, 0, size, host(to)), false, after(list)))
}

fn write_from(
    queue: &Arc<CommandQueue>,
    buffer: &Arc<Buffer>,
    from: &[Cell<f32>],
    list: &[Arc<Event>],
) -> Arc<Event> {
    let size = size_of_val(from);
    event(queue.enqueue_write(linear(buffer, 0, size, host(from)), false, after(list)))
}

fn open(gate: &Arc<Event>) {
    gate.set_user_status(Status::Complete).expect("first");
}

fn clean() {
    assert_eq!(caldera_runtime::validation_messages(), 0, "see the log");
}

#[test]
fn a_write_takes_what_a_read_before_it_stored() {
    let context = context();
    let queue = queue(&context, false);
    for is_deferred in [false, true] {
        let (a, b) = (buffer_of(&context, &[7.0; 16]), buffer_of(&context, &[0.0; 16]));
        let between = cells(vec![1.0f32; 16]);
        let gate = Event::user(&context);
        let list = if is_deferred {
            vec![Arc::clone(&gate)]
        } else {
            Vec::new()
        };
        // The copy makes the queue busy, so that the host does not perform the transfers at once.
        queue.enqueue_copy(copy(&a, &b, 0, 0, 4), NOTHING).expect("copy");
        read_to(&queue, &a, &between, &list);
        write_from(&queue, &b, &between, &[]);
        open(&gate);
        assert_eq!(read(&queue, &b), vec![7.0; 16], "deferred: {is_deferred}");
    }
    clean();
}

#[test]
fn a_write_waits_for_the_read_of_another_queue() {
    let context = context();
    let (one, other) = (queue(&context, false), queue(&context, false));
    for is_deferred in [false, true] {
        let (a, b) = (buffer_of(&context, &[7.0; 16]), buffer_of(&context, &[0.0; 16]));
        let between = cells(vec![1.0f32; 16]);
        let gate = Event::user(&context);
        let list = if is_deferred {
            vec![Arc::clone(&gate)]
        } else {
            Vec::new()
        };
        one.enqueue_copy(copy(&a, &b, 0, 0, 4), NOTHING).expect("copy");
        let stored = read_to(&one, &a, &between, &list);
        let written = write_from(&other, &b, &between, &[stored]);
        open(&gate);
        Event::wait_all(&[written]).expect("wait");
        assert_eq!(read(&other, &b), vec![7.0; 16], "deferred: {is_deferred}");
    }
    clean();
}

/// Neither the read nor the write may wait for the user event, which this thread sets after both calls.
#[test]
fn a_write_does_not_block_behind_a_gate() {
    let context = context();
    let queue = queue(&context, false);
    let (a, b) = (buffer_of(&context, &[7.0; 16]), buffer_of(&context, &[0.0; 16]));
    let between = cells(vec![1.0f32; 16]);
    let gate = Event::user(&context);
    queue.enqueue_copy(copy(&a, &b, 0, 0, 4), NOTHING).expect("copy");
    read_to(&queue, &a, &between, &[]);
    queue.enqueue_marker(after(&[Arc::clone(&gate)])).expect("marker");
    write_from(&queue, &b, &between, &[]);
    open(&gate);
    assert_eq!(read(&queue, &b), vec![7.0; 16]);
    clean();
}

#[test]
fn an_end_of_a_mapping_right_behind_its_begin_changes_nothing() {
    let context = context();
    let queue = queue(&context, false);
    let memory = cells(vec![1.0f32; 16]);
    let flags = MemFlags::from_bits(1 << 3).expect("CL_MEM_USE_HOST_PTR");
    let used = Buffer::create(&context, flags, 64, Some(host(&memory))).expect("buffer");
    let other = buffer_of(&context, &[7.0; 16]);
    queue
        .enqueue_copy(copy(&other, &used, 0, 0, 64), NOTHING)
        .expect("copy");
    let write = MapFlags {
        write: true,
        ..MapFlags::default()
    };
    let (at, _) = queue
        .enqueue_map(&part(&used, 0, 64), false, write, NOTHING)
        .expect("map");
    queue
        .enqueue_unmap(mapped(&used, at.cast()).expect("mapped"), NOTHING)
        .expect("unmap");
    assert_eq!(read(&queue, &used), vec![7.0; 16]);
    clean();
}

fn large(context: &Arc<Context>, value: f32) -> Arc<Buffer> {
    buffer_of(context, &vec![value; LARGE])
}

#[test]
fn all_of_a_large_read_waits() {
    let context = context();
    for queue in [queue(&context, false), unordered_queue(&context)] {
        let (a, b) = (large(&context, 1.0), large(&context, 2.0));
        let got = cells(vec![0.0f32; LARGE]);
        let gate = Event::user(&context);
        let size = 4 * LARGE;
        let copied = event(queue.enqueue_copy(copy(&b, &a, 0, 0, size), after(&[Arc::clone(&gate)])));
        let done = read_to(&queue, &a, &got, &[copied]);
        queue.flush().expect("flush");
        open(&gate);
        Event::wait_all(&[done]).expect("wait");
        assert!(got.iter().all(|x| x.get() == 2.0));
    }
    clean();
}

#[test]
fn all_of_a_large_write_fails() {
    let context = context();
    for queue in [queue(&context, false), unordered_queue(&context)] {
        let a = large(&context, 1.0);
        let from = cells(vec![2.0f32; LARGE]);
        let gate = Event::user(&context);
        let written = write_from(&queue, &a, &from, &[Arc::clone(&gate)]);
        gate.set_user_status(Status::Failed(-5)).expect("first");
        assert!(Event::wait_all(&[Arc::clone(&written)]).is_err());
        assert!(matches!(written.status(), Status::Failed(_)));
        queue.finish().expect("finish");
        assert!(read(&queue, &a).iter().all(|x| *x == 1.0));
    }
    clean();
}

#[test]
fn a_blocking_read_waits_for_a_barrier_before_it() {
    let context = context();
    let queue = unordered_queue(&context);
    let (a, b) = (buffer_of(&context, &[1.0; 16]), buffer_of(&context, &[2.0; 16]));
    let gate = Event::user(&context);
    queue
        .enqueue_copy(copy(&b, &a, 0, 0, 64), after(&[Arc::clone(&gate)]))
        .expect("copy");
    queue.enqueue_barrier(NOTHING).expect("barrier");
    std::thread::scope(|s| {
        s.spawn(|| {
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(30) {
                std::thread::yield_now();
            }
            open(&gate);
        });
        assert_eq!(read(&queue, &a), vec![2.0; 16]);
    });
    clean();
}

/// Two reads of different queues store into the same host memory. The read that comes later in the order of events also
/// stores later.
#[test]
fn host_memory_is_written_in_the_order_of_events() {
    let context = context();
    let (one, other) = (queue(&context, false), queue(&context, false));
    for _ in 0..50 {
        let (a, b) = (buffer_of(&context, &[7.0; 16]), buffer_of(&context, &[9.0; 16]));
        let between = cells(vec![1.0f32; 16]);
        one.enqueue_copy(copy(&a, &b, 0, 0, 4), NOTHING).expect("copy");
        let first = read_to(&one, &a, &between, &[]);
        // The second read waits for the first one indirectly, through a copy.
        let copied = event(other.enqueue_copy(copy(&b, &a, 4, 4, 60), after(&[Arc::clone(&first)])));
        let second = read_to(&other, &b, &between, &[copied]);
        Event::wait_all(&[second]).expect("wait");
        assert_eq!(values(&between)[1..], [9.0; 15]);
        Event::wait_all(&[first]).expect("wait");
        assert_eq!(values(&between)[1..], [9.0; 15]);
    }
    clean();
}

/// A write sees the result of another queue's read, even if it waits for that read only indirectly, through a marker.
#[test]
fn a_write_waits_for_a_read_by_way_of_another_command() {
    let context = context();
    let (one, other) = (queue(&context, false), queue(&context, false));
    for is_deferred in [false, true] {
        let (a, b) = (buffer_of(&context, &[7.0; 16]), buffer_of(&context, &[0.0; 16]));
        let between = cells(vec![1.0f32; 16]);
        let gate = Event::user(&context);
        let list = if is_deferred {
            vec![Arc::clone(&gate)]
        } else {
            Vec::new()
        };
        one.enqueue_copy(copy(&a, &b, 0, 0, 4), NOTHING).expect("copy");
        let stored = read_to(&one, &a, &between, &list);
        event(other.enqueue_marker(after(&[stored])));
        let written = write_from(&other, &b, &between, &[]);
        open(&gate);
        Event::wait_all(&[written]).expect("wait");
        assert_eq!(read(&other, &b), vec![7.0; 16], "deferred: {is_deferred}");
    }
    clean();
}

/// Memory of the application that begins `offset` bytes after the start of a page.
struct Pages {
    bytes: Vec<Cell<f32>>,
    start: usize,
}

impl Pages {
    fn new(offset: usize, content: &[f32]) -> Pages {
        let mut bytes = vec![-1.0f32; content.len() + 4096];
        let start = bytes.as_ptr().addr().next_multiple_of(4096) + offset;
        let start = (start - bytes.as_ptr().addr()) / 4;
        bytes[start..][..content.len()].copy_from_slice(content);
        let bytes = cells(bytes);
        Pages { bytes, start }
    }

    fn part(&self, n: usize) -> &[Cell<f32>] {
        &self.bytes[self.start..][..n]
    }
}

/// CL_MEM_USE_HOST_PTR with memory at different offsets in a page (so that it is imported, or copied when mappings
/// begin and end). Mappings lie in the application's memory, also those of sub-buffers and overlapping ones. Host
/// and device see each other's stores. The memory around it does not change.
#[test]
fn memory_of_the_application_is_coherent_at_mappings() {
    const N: usize = 1000;
    let context = context();
    let queue = queue(&context, false);
    let use_host_ptr = MemFlags::from_bits(1 << 3).expect("flags");
    let content: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let kernel = saxpy(&context);
    for offset in [0, 64, 256, 4, 20] {
        let memory = Pages::new(offset, &content);
        let whole =
            Buffer::create(&context, use_host_ptr, 4 * N, Some(host(memory.part(N)))).expect("buffer");
        let sub = Buffer::create_sub(&whole, 0, 1024, 1024).expect("sub-buffer");
        let ones = buffer_of(&context, &[1.0; N]);
        assert_eq!(read(&queue, &whole), content, "offset {offset}");
        let args = saxpy_args(2.0, &ones, &whole);
        launch(&queue, &kernel, &args, items(N, None), NOTHING).expect("launch");
        // The kernel adds 2 to all elements. Then two mappings overlap, one of the buffer and one of the sub-buffer.
        let flags = MapFlags {
            read: true,
            write: true,
            ..MapFlags::default()
        };
        let (all, _) = queue
            .enqueue_map(&part(&whole, 0, 4 * N), true, flags, NOTHING)
            .expect("map");
        let (part, _) = queue
            .enqueue_map(&part(&sub, 16, 64), true, flags, NOTHING)
            .expect("map");
        assert_eq!(all.addr().get(), memory.part(N).as_ptr().addr());
        assert_eq!(part.addr().get(), all.addr().get() + 1024 + 16);
        for (i, y) in memory.part(N).iter().enumerate() {
            assert_eq!(y.get(), i as f32 + 2.0, "offset {offset}");
        }
        let floats = part.cast::<[f32; 2]>();
        // SAFETY: 64 bytes from byte 1040 on are mapped for writing.
        unsafe { floats.write_unaligned([500.0, 501.0]) };
        let unmap = |buffer, at| mapped(buffer, at).expect("mapped");
        let ended = event(queue.enqueue_unmap(unmap(&sub, part), after(&[])));
        event(queue.enqueue_unmap(unmap(&whole, all), after(&[ended])));
        let mut expected: Vec<f32> = content.iter().map(|y| y + 2.0).collect();
        expected[260..262].copy_from_slice(&[500.0, 501.0]);
        assert_eq!(read(&queue, &whole), expected, "offset {offset}");
        // A read of the buffer into its own storage.
        queue
            .enqueue_read(linear(&whole, 0, 4 * N, host(memory.part(N))), true, NOTHING)
            .expect("read");
        assert_eq!(values(memory.part(N)), expected);
        drop((sub, whole));
        let outside = |i: &usize| *i < memory.start || *i >= memory.start + N;
        let around = (0..memory.bytes.len()).filter(outside);
        assert!(around.into_iter().all(|i| memory.bytes[i].get() == -1.0));
    }
    clean();
}
