//! Queues that the application releases while commands are deferred.

mod support;

use std::sync::Arc;
use std::time::Duration;

use caldera_runtime::event::{Event, Status};
use caldera_runtime::queue::{CommandQueue, Waits};
use support::*;

fn marker(queue: &Arc<CommandQueue>, list: &[Arc<Event>]) -> Arc<Event> {
    let waits = Waits {
        list,
        want_event: true,
    };
    queue.enqueue_marker(waits).expect("marker").expect("event")
}

/// Fails if a queue still exists after five seconds.
fn expect_end(queue: &std::sync::Weak<CommandQueue>) {
    for _ in 0..500 {
        if queue.strong_count() == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("something still holds the queue");
}

/// The last reference to a queue is in the wait list of a deferred command of another queue.
#[test]
fn a_queue_ends_with_the_last_event_that_is_waited_for() {
    let context = context();
    let waiting = queue(&context, false);
    for fails in [false, true] {
        let released = queue(&context, false);
        let weak = Arc::downgrade(&released);
        let gate = Event::user(&context);
        let waits = [marker(&released, &[]), Arc::clone(&gate)];
        let deferred = marker(&waiting, &waits);
        released.flush_for_release().expect("flush");
        drop((released, waits));
        gate.set_user_status(if fails {
            Status::Failed(-5)
        } else {
            Status::Complete
        })
        .expect("first");
        let waited = Event::wait_all(&[deferred]);
        assert_eq!(waited.is_err(), fails);
        expect_end(&weak);
    }
    assert_eq!(caldera_runtime::validation_messages(), 0, "see the log");
}

/// A released queue has a deferred command, and no thread waits for it or queries its event.
#[test]
fn a_released_queue_ends_when_its_deferred_command_is_complete() {
    let context = context();
    let released = queue(&context, false);
    let weak = Arc::downgrade(&released);
    let gate = Event::user(&context);
    drop(marker(&released, &[Arc::clone(&gate)]));
    released.flush_for_release().expect("flush");
    drop(released);
    std::thread::sleep(Duration::from_millis(20));
    gate.set_user_status(Status::Complete).expect("first");
    drop(gate);
    expect_end(&weak);
    assert_eq!(caldera_runtime::validation_messages(), 0, "see the log");
}
