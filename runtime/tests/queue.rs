//! Queues, buffers, events and launches on the first Vulkan device, without the C API. With `CALDERA_VALIDATION=1`
//! the validation layer checks the calls.

mod support;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use caldera_runtime::command::rect::RectSide;
use caldera_runtime::error::ClCode;
use caldera_runtime::event::{Event, ProfilingPoint, Status};
use caldera_runtime::kernel::{Kernel, Range};
use caldera_runtime::mem::{Buffer, MemFlags};
use caldera_runtime::queue::{MapFlags, Waits};
use support::*;

fn ramp(n: usize) -> Vec<f32> {
    (0..n).map(|i| i as f32).collect()
}

/// Fails the test if the validation layer has reported a message.
fn clean() {
    assert_eq!(
        caldera_runtime::validation_messages(),
        0,
        "validation messages: see the log"
    );
}

#[test]
fn saxpy_computes() {
    let context = context();
    let queue = queue(&context, false);
    let kernel = saxpy(&context);
    let (x, y) = (buffer_of(&context, &ramp(1000)), buffer_of(&context, &ramp(1000)));
    let args = saxpy_args(2.0, &x, &y);
    for local in [None, Some(1), Some(100)] {
        launch(&queue, &kernel, &args, items(1000, local), NOTHING).expect("launch");
    }
    let out = read(&queue, &y);
    assert!(
        out.iter().enumerate().all(|(i, v)| *v == 7.0 * i as f32),
        "{:?}",
        &out[..8]
    );
    clean();
}

#[test]
fn offsets_and_primes() {
    let context = context();
    let queue = queue(&context, false);
    let kernel = saxpy(&context);
    let (x, y) = (
        buffer_of(&context, &ramp(4099)),
        buffer_of(&context, &vec![0.0; 4099]),
    );
    let args = saxpy_args(1.0, &x, &y);
    let range = Range {
        offset: [6, 0, 0],
        ..items(4093, None)
    };
    launch(&queue, &kernel, &args, range, NOTHING).expect("launch");
    let out = read(&queue, &y);
    for (i, v) in out.iter().enumerate() {
        assert_eq!(*v, if i < 6 { 0.0 } else { i as f32 }, "at {i}");
    }
    clean();
}

#[test]
fn more_groups_than_one_dispatch_takes() {
    let context = context();
    let queue = queue(&context, false);
    let kernel = saxpy(&context);
    let n = 200_003;
    let (x, y) = (buffer_of(&context, &ramp(n)), buffer_of(&context, &vec![1.0; n]));
    let args = saxpy_args(1.0, &x, &y);
    launch(&queue, &kernel, &args, items(n, Some(1)), NOTHING).expect("launch");
    let out = read(&queue, &y);
    assert!(out.iter().enumerate().all(|(i, v)| *v == 1.0 + i as f32));
    clean();
}

#[test]
fn many_dependent_launches_keep_their_order() {
    let context = context();
    let queue = queue(&context, false);
    let kernel = saxpy(&context);
    let (x, y) = (buffer_of(&context, &[1.0; 64]), buffer_of(&context, &[0.0; 64]));
    let forward = saxpy_args(1.0, &x, &y);
    let back = saxpy_args(1.0, &y, &x);
    // Each launch adds one buffer to the other, so both go through the Fibonacci numbers.
    for _ in 0..8 {
        for args in [&forward, &back] {
            launch(&queue, &kernel, args, items(64, None), NOTHING).expect("launch");
        }
    }
    assert_eq!(read(&queue, &y), vec![987.0; 64]);
    assert_eq!(read(&queue, &x), vec![1597.0; 64]);
    for _ in 0..3000 {
        launch(&queue, &kernel, &forward, items(64, None), NOTHING).expect("launch");
    }
    assert_eq!(read(&queue, &y), vec![987.0 + 3000.0 * 1597.0; 64]);
    clean();
}

/// What a [`Step`] enqueues.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Command {
    /// A launch that adds buffer x to buffer y.
    Add,
    /// A launch that subtracts buffer x from buffer y.
    Subtract,
    /// Two launches like that of `Add`.
    AddTwice,
    /// A fill of buffer y.
    Fill,
}

/// A command on the first `n` elements of two buffers, which is enqueued several times.
#[derive(Copy, Clone, Debug)]
struct Step {
    command: Command,
    x: usize,
    y: usize,
    n: usize,
    times: usize,
}

/// A queue that is waited for after each launch records the next one in advance (`queue/speculation.rs`): the same
/// one, and others.
#[test]
fn launches_that_come_again_or_do_not() {
    const N: usize = 1 << 16;
    let context = context();
    let queue = queue(&context, false);
    let kernel = saxpy(&context);
    let buffers = [1.0, 2.0, 3.0].map(|v| buffer_of(&context, &vec![v; N]));
    let mut model = [1.0f32, 2.0, 3.0].map(|v| vec![v; N]);
    let step = |command, x, y, n, times| Step {
        command,
        x,
        y,
        n,
        times,
    };
    let steps = [
        step(Command::Add, 0, 1, N, 12),
        step(Command::Subtract, 0, 1, N, 1),
        step(Command::Add, 0, 1, N, 9),
        step(Command::Add, 0, 1, N / 2, 9),
        step(Command::Add, 2, 1, N / 2, 1),
        step(Command::Add, 0, 1, N / 2, 20),
        step(Command::Fill, 0, 1, N, 1),
        step(Command::Add, 1, 0, N, 30),
        step(Command::AddTwice, 1, 0, N, 2),
        step(Command::Add, 1, 2, N, 40),
    ];
    for step in steps {
        let Step { x, y, n, .. } = step;
        for round in 0..step.times {
            let (launches, a) = match step.command {
                Command::Add => (1, 1.0),
                Command::Subtract => (1, -1.0),
                Command::AddTwice => (2, 1.0),
                Command::Fill => (0, 0.0),
            };
            for _ in 0..launches {
                let args = saxpy_args(a, &buffers[x], &buffers[y]);
                launch(&queue, &kernel, &args, items(n, Some(64)), NOTHING).expect("launch");
                let from = model[x].clone();
                for (to, from) in model[y].iter_mut().zip(from).take(n) {
                    *to += a * from;
                }
            }
            if step.command == Command::Fill {
                queue
                    .enqueue_fill(fill(&buffers[y], &0.5f32.to_ne_bytes(), 0, 4 * n), NOTHING)
                    .expect("fill");
                model[y][..n].fill(0.5);
            }
            // Every seventh round does not wait, so the next command is enqueued while this one is in flight.
            if round % 7 != 6 {
                queue.finish().expect("finish");
            }
        }
        for (buffer, expected) in buffers.iter().zip(&model) {
            assert!(read(&queue, buffer) == *expected, "after {step:?}");
        }
    }
    clean();
}

#[test]
fn copies_fills_and_rectangles() {
    let context = context();
    let queue = queue(&context, false);
    let data: Vec<u8> = (0..=255).collect();
    let a = buffer(&context, 256);
    let b = buffer(&context, 256);
    queue
        .enqueue_write(linear(&a, 0, 256, host(&data)), false, NOTHING)
        .expect("write");
    queue
        .enqueue_copy(copy(&a, &b, 16, 0, 240), NOTHING)
        .expect("copy");
    queue
        .enqueue_fill(fill(&b, &[1, 2], 2, 6), NOTHING)
        .expect("fill 2");
    queue
        .enqueue_fill(fill(&b, &[9], 240, 15), NOTHING)
        .expect("fill 1");
    queue
        .enqueue_fill(fill(&b, &[7; 8], 64, 64), NOTHING)
        .expect("fill 8");
    let out = cells(vec![0u8; 256]);
    queue
        .enqueue_read(linear(&b, 0, 256, host(&out)), true, NOTHING)
        .expect("read");
    let mut want: Vec<u8> = data[16..].to_vec();
    want.extend([0; 16]);
    want[2..8].copy_from_slice(&[1, 2, 1, 2, 1, 2]);
    want[240..255].fill(9);
    want[64..128].fill(7);
    assert_eq!(values(&out)[..255], want[..255]);
    // A box of 4 × 3 × 1 bytes in a plane whose rows have 16 bytes.
    let side = RectSide {
        origin: [2, 1, 1],
        row_pitch: 16,
        slice_pitch: 128,
    };
    let packed = cells(vec![0u8; 24]);
    queue
        .enqueue_read(
            rect(&a, side, RectSide::default(), [4, 3, 1], host(&packed)),
            true,
            NOTHING,
        )
        .expect("read rect");
    let expected: Vec<u8> = (0..3)
        .flat_map(|y| (0..4).map(move |x| (128 + 16 * (1 + y) + 2 + x) as u8))
        .collect();
    assert_eq!(values(&packed)[..12], expected);
    queue
        .enqueue_write(
            rect(&b, side, RectSide::default(), [4, 3, 1], host(&packed)),
            false,
            NOTHING,
        )
        .expect("write rect");
    let origin = |x| RectSide {
        origin: [x, 0, 0],
        row_pitch: 16,
        slice_pitch: 0,
    };
    queue
        .enqueue_copy(copy_rect(&a, &b, origin(0), origin(12), [4, 8, 1]), NOTHING)
        .expect("copy rect");
    queue
        .enqueue_read(linear(&b, 0, 256, host(&out)), true, NOTHING)
        .expect("read");
    let out = values(&out);
    for y in 0..3 {
        let at = 128 + 16 * (1 + y) + 2;
        assert_eq!(out[at..at + 4], data[at..at + 4]);
    }
    for y in 0..8 {
        assert_eq!(out[16 * y + 12..16 * y + 16], data[16 * y..16 * y + 4]);
    }
    let overlap = queue
        .enqueue_copy(copy(&a, &a, 0, 8, 16), NOTHING)
        .map_err(|e| e.code);
    assert_eq!(overlap.err(), Some(ClCode::MemCopyOverlap));
    clean();
}

#[test]
fn reads_wait_for_the_kernels_before_them() {
    let context = context();
    let queue = queue(&context, false);
    let kernel = saxpy(&context);
    let n = 1 << 16;
    let (x, y) = (
        buffer_of(&context, &vec![1.0; n]),
        buffer_of(&context, &vec![0.0; n]),
    );
    let args = saxpy_args(1.0, &x, &y);
    let outs: Vec<_> = (0..20).map(|_| cells(vec![0.0f32; n])).collect();
    let mut last = None;
    for out in &outs {
        launch(&queue, &kernel, &args, items(n, None), NOTHING).expect("launch");
        last = queue
            .enqueue_read(linear(&y, 0, 4 * n, host(out)), false, EVENT)
            .expect("read");
    }
    Event::wait_all(&[last.expect("event")]).expect("wait");
    for (i, out) in outs.iter().enumerate() {
        assert!(out.iter().all(|v| v.get() == (i + 1) as f32), "read {i}");
    }
    // A write whose source is the destination of the read before it.
    let back = cells(vec![0.0f32; n]);
    queue
        .enqueue_read(linear(&y, 0, 4 * n, host(&back)), false, NOTHING)
        .expect("read");
    launch(&queue, &kernel, &args, items(n, None), NOTHING).expect("launch");
    queue
        .enqueue_write(linear(&x, 0, 4 * n, host(&back)), false, NOTHING)
        .expect("write");
    assert!(read(&queue, &x).iter().all(|v| *v == 20.0));
    clean();
}

#[test]
fn user_events_defer_commands_and_release_them() {
    let context = context();
    let (q1, q2) = (queue(&context, false), queue(&context, false));
    let kernel = saxpy(&context);
    let (x, y) = (buffer_of(&context, &[1.0; 16]), buffer_of(&context, &[0.0; 16]));
    let args = saxpy_args(1.0, &x, &y);
    let gate = Event::user(&context);
    assert_eq!(gate.status(), Status::Submitted);
    let deferred = launch(
        &q1,
        &kernel,
        &args,
        items(16, None),
        Waits {
            list: &[Arc::clone(&gate)],
            want_event: true,
        },
    )
    .expect("launch")
    .expect("event");
    // A command after it in the same queue, and one in another queue that waits for it.
    let after = q1.enqueue_marker(EVENT).expect("marker").expect("event");
    let across = launch(
        &q2,
        &kernel,
        &args,
        items(16, None),
        Waits {
            list: &[Arc::clone(&deferred)],
            want_event: true,
        },
    )
    .expect("launch")
    .expect("event");
    q1.flush().expect("flush");
    q2.flush().expect("flush");
    std::thread::sleep(Duration::from_millis(5));
    for e in [&deferred, &after, &across] {
        assert_eq!(e.status(), Status::Queued);
    }
    let setter = {
        let gate = Arc::clone(&gate);
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            gate.set_user_status(Status::Complete).expect("first");
            assert!(gate.set_user_status(Status::Complete).is_err());
        })
    };
    q2.finish().expect("finish");
    setter.join().expect("setter");
    assert_eq!(across.status(), Status::Complete);
    assert_eq!(read(&q2, &y), vec![2.0; 16]);
    Event::wait_all(&[after]).expect("wait");
    clean();
}

#[test]
fn failed_events_fail_their_dependents() {
    let context = context();
    let (q1, q2) = (queue(&context, false), queue(&context, false));
    let gate = Event::user(&context);
    let first = q1
        .enqueue_marker(Waits {
            list: &[Arc::clone(&gate)],
            want_event: true,
        })
        .expect("marker")
        .expect("event");
    let second = q2
        .enqueue_marker(Waits {
            list: &[Arc::clone(&first)],
            want_event: true,
        })
        .expect("marker")
        .expect("event");
    let third = q2.enqueue_marker(EVENT).expect("marker").expect("event");
    gate.set_user_status(Status::Failed(-42)).expect("set");
    let wait = Event::wait_all(&[Arc::clone(&second)]).map_err(|e| e.code);
    assert_eq!(wait, Err(ClCode::ExecStatusErrorForEventsInWaitList));
    assert_eq!(
        first.status(),
        Status::Failed(ClCode::ExecStatusErrorForEventsInWaitList.number())
    );
    Event::wait_all(&[third]).expect("only dependents fail");
    q1.finish().expect("finish");
    q2.finish().expect("finish");
    let late = Waits {
        list: &[gate],
        want_event: true,
    };
    let late = q1.enqueue_marker(late).expect("marker").expect("event");
    assert!(matches!(late.status(), Status::Failed(_)));
    clean();
}

#[test]
fn callbacks_come_once_per_status() {
    let context = context();
    let queue = queue(&context, false);
    let gate = Event::user(&context);
    let event = queue
        .enqueue_marker(Waits {
            list: &[Arc::clone(&gate)],
            want_event: true,
        })
        .expect("marker")
        .expect("event");
    let (send, receive) = mpsc::channel();
    for at in [Status::Submitted, Status::Running, Status::Complete] {
        let send = send.clone();
        event.on_status(at, Box::new(move |s| send.send(s.number()).expect("alive")));
    }
    assert!(receive.recv_timeout(Duration::from_millis(10)).is_err());
    gate.set_user_status(Status::Complete).expect("set");
    let mut got: Vec<i32> = (0..3)
        .map(|_| receive.recv_timeout(Duration::from_secs(5)).expect("callback"))
        .collect();
    got.sort_unstable();
    assert_eq!(got, [0, 1, 2]);
    // A callback that is registered when the event is already complete.
    event.on_status(
        Status::Complete,
        Box::new(move |s| send.send(s.number()).expect("alive")),
    );
    assert_eq!(receive.recv_timeout(Duration::from_secs(5)), Ok(0));
    clean();
}

#[test]
fn profiling_is_monotonic() {
    let context = context();
    let queue = queue(&context, true);
    let kernel = saxpy(&context);
    let n = 1 << 18;
    let (x, y) = (
        buffer_of(&context, &vec![1.0; n]),
        buffer_of(&context, &vec![0.0; n]),
    );
    let args = saxpy_args(1.0, &x, &y);
    let mut events = Vec::new();
    for _ in 0..300 {
        let e = launch(&queue, &kernel, &args, items(n / 64, None), EVENT).expect("launch");
        events.extend(e);
    }
    assert_eq!(
        events[299].profiling(ProfilingPoint::End).map_err(|e| e.code),
        Err(ClCode::ProfilingInfoNotAvailable)
    );
    let out = cells(vec![0.0f32; n]);
    events.extend(
        queue
            .enqueue_read(linear(&y, 0, 4 * n, host(&out)), true, EVENT)
            .expect("read"),
    );
    let times = |e: &Arc<Event>| {
        [
            ProfilingPoint::Queued,
            ProfilingPoint::Submit,
            ProfilingPoint::Start,
            ProfilingPoint::End,
        ]
        .map(|p| e.profiling(p).expect("complete"))
    };
    let mut before = 0;
    for e in &events {
        let t = times(e);
        assert!(t.is_sorted() && t[0] > 0, "{t:?}");
        assert!(
            t[2] + 50_000 >= before,
            "start {} before the end {before} of the one before",
            t[2]
        );
        before = t[3];
    }
    clean();
}

#[test]
fn maps_see_and_make_changes() {
    let context = context();
    let queue = queue(&context, false);
    let kernel = saxpy(&context);
    let data = ramp(64);
    for bits in [1u64, 1 | 1 << 4, 1 | 1 << 3] {
        let flags = MemFlags::from_bits(bits).expect("flags");
        let memory = cells(data.clone());
        let ptr = (bits & 8 != 0).then(|| host(&memory));
        let y = Buffer::create(&context, flags, 256, ptr).expect("buffer");
        let x = buffer_of(&context, &data);
        queue
            .enqueue_write(linear(&y, 0, 256, host(&data)), true, NOTHING)
            .expect("write");
        let args = saxpy_args(1.0, &x, &y);
        launch(&queue, &kernel, &args, items(64, None), NOTHING).expect("launch");
        let both = MapFlags {
            read: true,
            write: true,
            invalidate: false,
        };
        let (p, _) = queue
            .enqueue_map(&part(&y, 16, 64), true, both, NOTHING)
            .expect("map");
        assert_eq!(y.map_count(), 1);
        if bits & 8 != 0 {
            assert_eq!(p.addr().get(), memory.as_ptr().addr() + 16);
        }
        let p = p.cast::<f32>();
        for i in 0..16 {
            let at = p.as_ptr().wrapping_add(i);
            // SAFETY: the region of 64 bytes is mapped for reading and writing.
            let v = unsafe { at.read() };
            assert_eq!(v, 2.0 * (i + 4) as f32, "flags {bits:#x}");
            // SAFETY: as above.
            unsafe { at.write(100.0) };
        }
        let request = mapped(&y, p.cast()).expect("mapped");
        queue.enqueue_unmap(request, NOTHING).expect("unmap");
        assert_eq!(y.map_count(), 0);
        launch(&queue, &kernel, &args, items(64, None), NOTHING).expect("launch");
        let out = read(&queue, &y);
        for (i, v) in out.iter().enumerate() {
            let want = if (4..20).contains(&i) {
                100.0 + i as f32
            } else {
                3.0 * i as f32
            };
            assert_eq!(*v, want, "flags {bits:#x}, at {i}");
        }
        let twice = mapped(&y, p.cast()).map(drop).map_err(|e| e.code);
        assert_eq!(twice.err(), Some(ClCode::InvalidValue));
    }
    clean();
}

#[test]
fn sub_buffers_are_ranges() {
    let context = context();
    let queue = queue(&context, false);
    let kernel = saxpy(&context);
    let y = buffer_of(&context, &vec![1.0; 128]);
    let x = buffer_of(&context, &ramp(64));
    let upper = Buffer::create_sub(&y, 0, 256, 256).expect("sub-buffer");
    let args = saxpy_args(1.0, &x, &upper);
    launch(&queue, &kernel, &args, items(64, None), NOTHING).expect("launch");
    let out = read(&queue, &y);
    assert_eq!(out[..64], vec![1.0; 64]);
    assert!(out[64..].iter().enumerate().all(|(i, v)| *v == 1.0 + i as f32));
    assert_eq!(read(&queue, &upper), out[64..]);
    let code = |r: Result<Arc<Buffer>, caldera_runtime::error::Error>| r.map_err(|e| e.code).err();
    assert_eq!(
        code(Buffer::create_sub(&upper, 0, 0, 16)),
        Some(ClCode::InvalidMemObject)
    );
    assert_eq!(
        code(Buffer::create_sub(&y, 0, 4, 16)),
        Some(ClCode::MisalignedSubBufferOffset)
    );
    assert_eq!(
        code(Buffer::create_sub(&y, 0, 256, 257)),
        Some(ClCode::InvalidValue)
    );
    clean();
}

#[test]
fn queues_and_threads_at_once() {
    let context = context();
    let program = built(&context, SAXPY);
    std::thread::scope(|s| {
        for t in 0..4 {
            let (context, program) = (&context, &program);
            s.spawn(move || {
                let kernel = Kernel::create(program, "saxpy").expect("kernel");
                let q = queue(context, t % 2 == 1);
                let (x, y) = (buffer_of(context, &[1.0; 256]), buffer_of(context, &[0.0; 256]));
                let args = saxpy_args(1.0, &x, &y);
                for round in 1..=20 {
                    for _ in 0..50 {
                        launch(&q, &kernel, &args, items(256, None), NOTHING).expect("launch");
                    }
                    assert_eq!(read(&q, &y), vec![50.0 * round as f32; 256]);
                }
            });
        }
    });
    clean();
}

/// CL 5.9 leaves it undefined what happens if a callback waits. In Caldera it may: this one waits for a native
/// kernel, and for a command that another callback, which comes later on the same thread, lets continue.
#[test]
fn callbacks_that_wait_do_not_hang() {
    let context = context();
    let (one, other) = (queue(&context, false), queue(&context, false));
    let gate = Event::user(&context);
    let list = [Arc::clone(&gate)];
    let waits = Waits {
        list: &list,
        ..Waits::default()
    };
    other.enqueue_marker(waits).expect("marker");
    let ran = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&ran);
    let native = other
        .enqueue_native(
            &[],
            Box::new(move |_| {
                counted.fetch_add(1, Ordering::SeqCst);
            }),
            EVENT,
        )
        .expect("native kernel")
        .expect("event");
    let marker = || one.enqueue_marker(EVENT).expect("marker").expect("event");
    let (send, receive) = mpsc::channel();
    let waits_for = Arc::clone(&other);
    marker().on_status(
        Status::Complete,
        Box::new(move |_| {
            Event::wait_all(&[native]).expect("wait");
            waits_for.finish().expect("finish");
            send.send(ran.load(Ordering::SeqCst)).expect("alive");
        }),
    );
    marker().on_status(
        Status::Complete,
        Box::new(move |_| gate.set_user_status(Status::Complete).expect("first")),
    );
    one.flush().expect("flush");
    assert_eq!(receive.recv_timeout(Duration::from_secs(20)), Ok(1));
    clean();
}

/// A callback that does not return until the main thread has seen the completion of all other commands.
#[test]
fn a_callback_that_does_not_return_holds_up_nobody() {
    let context = context();
    let (one, other) = (queue(&context, false), unordered_queue(&context));
    let (go, wait) = mpsc::channel::<()>();
    let marker = one.enqueue_marker(EVENT).expect("marker").expect("event");
    marker.on_status(
        Status::Complete,
        Box::new(move |_| {
            let _ = wait.recv();
        }),
    );
    one.finish().expect("finish");
    let (x, y) = (buffer_of(&context, &ramp(100)), buffer_of(&context, &ramp(100)));
    let args = saxpy_args(2.0, &x, &y);
    let kernel = saxpy(&context);
    for queue in [&one, &other, &one] {
        let done = launch(queue, &kernel, &args, items(100, None), EVENT).expect("launch");
        Event::wait_all(&[done.expect("event")]).expect("wait");
    }
    assert_eq!(read(&other, &y)[1], 7.0);
    go.send(()).expect("the callback waits");
    clean();
}

#[test]
fn destructor_callbacks_run_in_reverse() {
    let context = context();
    let order = Arc::new(AtomicU32::new(0));
    let (send, receive) = mpsc::channel();
    let b = buffer(&context, 64);
    for i in 0..3 {
        let (send, order) = (send.clone(), Arc::clone(&order));
        b.on_destroy(Box::new(move || {
            send.send((i, order.fetch_add(1, Ordering::SeqCst)))
                .expect("alive");
        }));
    }
    drop(b);
    let got: Vec<_> = (0..3)
        .map(|_| receive.recv_timeout(Duration::from_secs(5)).expect("callback"))
        .collect();
    assert_eq!(got, [(2, 0), (1, 1), (0, 2)]);
}

#[test]
fn queues_run_to_their_end_when_dropped() {
    let context = context();
    let kernel = saxpy(&context);
    let (x, y) = (buffer_of(&context, &[1.0; 64]), buffer_of(&context, &[0.0; 64]));
    let out = cells(vec![0.0f32; 64]);
    {
        let q = queue(&context, false);
        let args = saxpy_args(3.0, &x, &y);
        launch(&q, &kernel, &args, items(64, None), NOTHING).expect("launch");
        q.enqueue_read(linear(&y, 0, 256, host(&out)), false, NOTHING)
            .expect("read");
    }
    assert_eq!(values(&out), vec![3.0; 64]);
    clean();
}

#[test]
fn released_queues_go_away_with_their_events() {
    let context = context();
    let kernel = saxpy(&context);
    let (x, y) = (buffer_of(&context, &[1.0; 64]), buffer_of(&context, &[0.0; 64]));
    let args = saxpy_args(3.0, &x, &y);
    let q = queue(&context, false);
    let weak = Arc::downgrade(&q);
    for _ in 0..3 {
        let event = launch(&q, &kernel, &args, items(64, None), EVENT).expect("launch");
        assert!(event.is_some());
    }
    q.flush_for_release().expect("flush");
    drop(q);
    for _ in 0..500 {
        if weak.strong_count() == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(weak.strong_count(), 0, "the queue leaks");
    clean();
}
