//! clFlush while the device is busy (`CALDERA_DEBUG=gather-flushes`): the context's thread submits what was left to it,
//! and nothing else has to be called. One test, because the switch is the process's.

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use caldera_runtime::command::CommandType;
use caldera_runtime::mem::Buffer;
use caldera_runtime::queue::{CommandQueue, MapFlags};
use support::*;

/// Long enough for a launch that later ones find the device busy.
const ITEMS: usize = 1 << 19;

/// y += x, so many times, with a flush each.
fn add(queue: &Arc<CommandQueue>, x: &Arc<Buffer>, y: &Arc<Buffer>, times: usize) {
    let kernel = saxpy(&device());
    let args = saxpy_args(1.0, x, y);
    for _ in 0..times {
        queue
            .enqueue_ndrange(
                &range(&kernel, &args, ITEMS, Some(64)),
                CommandType::NdRangeKernel,
                NOTHING,
            )
            .expect("launch");
        queue.flush_soon().expect("flush");
    }
}

#[test]
fn flushed_commands_run_without_another_call() {
    // SAFETY: no other thread of this process runs yet; it has one test.
    unsafe { std::env::set_var("CALDERA_DEBUG", "gather-flushes") };
    let context = context();
    let data = vec![1.0f32; ITEMS];
    let x = buffer_of(&context, &data);

    // The last element is looked at in memory.
    let y = buffer_of(&context, &vec![0.0; ITEMS]);
    let one = queue(&context, false);
    let write = MapFlags {
        read: true,
        ..MapFlags::default()
    };
    let (at, _) = one
        .enqueue_map(&y, true, write, ITEMS * 4 - 4, 4, NOTHING)
        .expect("mapped");
    for round in 1..=3 {
        add(&one, &x, &y, 10);
        let start = Instant::now();
        // SAFETY: the mapping is alive; an aligned float that the device stores is read as a whole.
        while unsafe { at.cast::<f32>().as_ptr().read_volatile() } != (round * 10) as f32 {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "round {round} never ends"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        // The thread sleeps again before the next round.
        std::thread::sleep(Duration::from_millis(5));
    }

    // Several queues and threads, waits in between, and objects let go of while flushes are owed.
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let y = buffer_of(&context, &vec![0.0; ITEMS]);
                let queue = queue(&context, false);
                add(&queue, &x, &y, 7);
                queue.finish().expect("finish");
                add(&queue, &x, &y, 6);
                assert!(read(&queue, &y).iter().all(|v| *v == 13.0));
                add(&queue, &x, &y, 5);
            });
        }
    });
    drop((one, context, x, y));
    assert_eq!(caldera_runtime::validation_messages(), 0, "see the log");
}
