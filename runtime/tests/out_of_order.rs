//! Queues with CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE (CL 5.11): only events and barriers order commands.

mod support;

use std::sync::Arc;

use caldera_runtime::error::ClCode;
use caldera_runtime::event::{Event, Status};
use caldera_runtime::kernel::Kernel;
use caldera_runtime::kernel::launch::ArgValue;
use caldera_runtime::queue::{CommandQueue, Waits};
use support::*;

/// Enqueues `y += x` with a wait list, and returns its event.
fn add(queue: &Arc<CommandQueue>, kernel: &Kernel, args: &[ArgValue], after: &[&Arc<Event>]) -> Arc<Event> {
    let list: Vec<Arc<Event>> = after.iter().map(|e| Arc::clone(e)).collect();
    let waits = Waits {
        list: &list,
        want_event: true,
    };
    let event = launch(queue, kernel, args, items(16, None), waits);
    event.expect("launch").expect("event")
}

fn marker(queue: &Arc<CommandQueue>, after: &[&Arc<Event>]) -> Arc<Event> {
    let list: Vec<Arc<Event>> = after.iter().map(|e| Arc::clone(e)).collect();
    let waits = Waits {
        list: &list,
        want_event: true,
    };
    queue.enqueue_marker(waits).expect("marker").expect("event")
}

fn clean() {
    assert_eq!(caldera_runtime::validation_messages(), 0, "see the log");
}

#[test]
fn commands_that_wait_for_nothing_overtake_deferred_ones() {
    let context = context();
    let queue = unordered_queue(&context);
    let kernel = saxpy(&context);
    let (x, y) = (buffer_of(&context, &[1.0; 16]), buffer_of(&context, &[0.0; 16]));
    let (v, w) = (buffer_of(&context, &[1.0; 16]), buffer_of(&context, &[0.0; 16]));
    let (to_y, to_w) = (saxpy_args(1.0, &x, &y), saxpy_args(1.0, &v, &w));
    let gate = Event::user(&context);
    let deferred = add(&queue, &kernel, &to_y, &[&gate]);
    let chained = add(&queue, &kernel, &to_y, &[&deferred]);
    let free = add(&queue, &kernel, &to_w, &[]);
    let after_free = add(&queue, &kernel, &to_w, &[&free]);
    let marker_of_one = marker(&queue, &[&after_free]);
    let marker_of_all = marker(&queue, &[]);
    let after_marker = add(&queue, &kernel, &to_w, &[]);

    Event::wait_all(&[Arc::clone(&after_free), marker_of_one, after_marker]).expect("wait");
    // A blocking read does not wait for deferred commands.
    assert_eq!(read(&queue, &w), vec![3.0; 16]);
    assert_eq!(read(&queue, &y), vec![0.0; 16]);
    for e in [&deferred, &chained, &marker_of_all] {
        assert_eq!(e.status(), Status::Queued);
    }

    gate.set_user_status(Status::Complete).expect("first");
    Event::wait_all(&[marker_of_all]).expect("wait");
    for e in [&deferred, &chained] {
        assert_eq!(e.status(), Status::Complete);
    }
    assert_eq!(read(&queue, &y), vec![2.0; 16]);
    clean();
}

#[test]
fn barriers_defer_what_follows() {
    let context = context();
    let queue = unordered_queue(&context);
    let kernel = saxpy(&context);
    let (x, y) = (buffer_of(&context, &[1.0; 16]), buffer_of(&context, &[0.0; 16]));
    let to_y = saxpy_args(1.0, &x, &y);
    let (gate, other) = (Event::user(&context), Event::user(&context));
    let before = add(&queue, &kernel, &to_y, &[&gate]);
    let barrier = queue.enqueue_barrier(EVENT).expect("barrier").expect("event");
    let after_barrier = add(&queue, &kernel, &to_y, &[]);
    // A barrier with a wait list waits only for these events, and later commands wait for the barrier.
    let list = [Arc::clone(&other)];
    let waits = Waits {
        list: &list,
        want_event: true,
    };
    let second = queue.enqueue_barrier(waits).expect("barrier").expect("event");
    let last = add(&queue, &kernel, &to_y, &[]);
    queue.flush().expect("flush");
    for e in [&before, &barrier, &after_barrier, &second, &last] {
        assert_eq!(e.status(), Status::Queued);
    }
    gate.set_user_status(Status::Complete).expect("first");
    Event::wait_all(&[after_barrier]).expect("wait");
    for e in [&before, &barrier] {
        assert_eq!(e.status(), Status::Complete);
    }
    for e in [&second, &last] {
        assert_eq!(e.status(), Status::Queued);
    }
    other.set_user_status(Status::Complete).expect("first");
    queue.finish().expect("finish");
    for e in [&second, &last] {
        assert_eq!(e.status(), Status::Complete);
    }
    assert_eq!(read(&queue, &y), vec![3.0; 16]);
    clean();
}

#[test]
fn failures_reach_dependents_alone() {
    let context = context();
    let queue = unordered_queue(&context);
    let kernel = saxpy(&context);
    let (x, y) = (buffer_of(&context, &[1.0; 16]), buffer_of(&context, &[0.0; 16]));
    let to_y = saxpy_args(1.0, &x, &y);
    let gate = Event::user(&context);
    let deferred = add(&queue, &kernel, &to_y, &[&gate]);
    let chained = add(&queue, &kernel, &to_y, &[&deferred]);
    let free = add(&queue, &kernel, &to_y, &[]);
    gate.set_user_status(Status::Failed(-5)).expect("first");
    queue.finish().expect("finish");
    let failed = Status::Failed(ClCode::ExecStatusErrorForEventsInWaitList.number());
    assert_eq!([deferred.status(), chained.status()], [failed, failed]);
    assert_eq!(free.status(), Status::Complete);
    assert_eq!(read(&queue, &y), vec![1.0; 16]);
    clean();
}

/// Chains of commands wait for user events that are set in a random order. Each chain must give its own result.
#[test]
fn many_chains() {
    let context = context();
    let queue = unordered_queue(&context);
    let kernel = saxpy(&context);
    let x = buffer_of(&context, &[1.0; 16]);
    let outs: Vec<_> = (0..16).map(|_| buffer_of(&context, &[0.0; 16])).collect();
    let gates: Vec<_> = outs.iter().map(|_| Event::user(&context)).collect();
    let mut last: Vec<Arc<Event>> = gates.clone();
    for _ in 0..10 {
        for (out, last) in outs.iter().zip(&mut last) {
            *last = add(&queue, &kernel, &saxpy_args(1.0, &x, out), &[last]);
        }
    }
    for i in 0..16 {
        let at = i * 7 % 16;
        gates[at].set_user_status(Status::Complete).expect("first");
        Event::wait_all(&[Arc::clone(&last[at])]).expect("wait");
        assert_eq!(read(&queue, &outs[at]), vec![10.0; 16]);
    }
    queue.finish().expect("finish");
    clean();
}
