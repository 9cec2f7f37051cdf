//! clFlush while the device is busy (`CALDERA_DEBUG=gather-flushes`): the context's thread submits the batches that
//! were left to it, without another call of the application. This is one test, because the environment variable
//! applies to the whole process.

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use caldera_runtime::mem::Buffer;
use caldera_runtime::queue::{CommandQueue, MapFlags};
use support::*;

/// Work-items of a launch: so many that the device is still busy when later launches are flushed.
const ITEMS: usize = 1 << 19;

/// Enqueues `y += x` several times, with a flush after each launch.
fn add(queue: &Arc<CommandQueue>, x: &Arc<Buffer>, y: &Arc<Buffer>, times: usize) {
    let kernel = saxpy(queue.context());
    let args = saxpy_args(1.0, x, y);
    for _ in 0..times {
        launch(queue, &kernel, &args, items(ITEMS, Some(64)), NOTHING).expect("launch");
        queue.flush_soon().expect("flush");
    }
}

#[test]
fn flushed_commands_run_without_another_call() {
    // SAFETY: this is the only test of the process, no other thread of which uses the environment meanwhile.
    unsafe { std::env::set_var("CALDERA_DEBUG", "gather-flushes") };
    let context = context();
    let data = vec![1.0f32; ITEMS];
    let x = buffer_of(&context, &data);

    // The test reads the last element through a mapping.
    let y = buffer_of(&context, &vec![0.0; ITEMS]);
    let one = queue(&context, false);
    let write = MapFlags {
        read: true,
        ..MapFlags::default()
    };
    let (at, _) = one
        .enqueue_map(&part(&y, ITEMS * 4 - 4, 4), true, write, NOTHING)
        .expect("mapped");
    for round in 1..=3 {
        add(&one, &x, &y, 10);
        let start = Instant::now();
        // SAFETY: the mapping is alive. The float is aligned, and the device stores it as a whole.
        while unsafe { at.cast::<f32>().as_ptr().read_volatile() } != (round * 10) as f32 {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "round {round} never ends"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        // Gives the flush thread the time to fall asleep before the next round.
        std::thread::sleep(Duration::from_millis(5));
    }

    // Several queues and threads, with waits in between, and with objects that are released while flushes are pending.
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
