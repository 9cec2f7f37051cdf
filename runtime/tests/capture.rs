//! Tests of captures (`CALDERA_CAPTURE`) of launches that wait for events. There is one test, because a process reads the directory of
//! its captures from the environment once. `cts-harness/tests/replay.rs` tests what captures contain.

mod support;

use std::sync::Arc;

use caldera_runtime::command::CommandType;
use caldera_runtime::event::{Event, Status};
use caldera_runtime::queue::Waits;
use support::*;

/// A launch is captured once the commands before it are complete. It is not captured if it waits for an event that its own thread
/// sets later, or if an argument is an address.
#[test]
fn captures_wait_for_earlier_commands_but_not_for_ever() {
    let dir = std::env::temp_dir().join(format!("caldera-capture-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    // SAFETY: this is the only test of the process, no other thread of which uses the environment meanwhile.
    unsafe { std::env::set_var("CALDERA_CAPTURE", &dir) };
    // SAFETY: as above.
    unsafe { std::env::set_var("CALDERA_CAPTURE_LAUNCHES", "saxpy:2-") };
    let log = std::env::temp_dir().join(format!("caldera-capture-{}.log", std::process::id()));
    // SAFETY: as above.
    unsafe { std::env::set_var("CALDERA_LOG_FILE", &log) };
    let context = context();
    let queue = queue(&context, false);
    let kernel = saxpy(&context);
    let (x, y) = (buffer_of(&context, &[1.0; 64]), buffer_of(&context, &[0.0; 64]));
    set_args(&kernel, &saxpy_args(2.0, &x, &y));
    let enqueue = |list: &[Arc<Event>]| {
        let waits = Waits {
            list,
            want_event: true,
        };
        let prepared = kernel.launch(&queue, &items(64, Some(8))).expect("prepared");
        let event = prepared.enqueue(CommandType::NdRangeKernel, waits);
        event.expect("enqueued").expect("an event")
    };
    let has = |number: u32, file: &str| dir.join(format!("saxpy-{number}")).join(file).exists();
    let results = |number: u32, when: &str| -> Vec<f32> {
        let file = dir.join(format!("saxpy-{number}/memory1.{when}"));
        let bytes = std::fs::read(file).expect("contents");
        bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect()
    };

    let first = enqueue(&[]);
    let second = enqueue(&[first]);
    assert!(!has(1, "launch.json") && has(2, "launch.json"));
    assert_eq!(
        (results(2, "before"), results(2, "after")),
        (vec![2.0; 64], vec![4.0; 64])
    );
    assert_eq!(second.status(), Status::Complete, "the capture has waited for it");

    let user = Event::user(&context);
    let third = enqueue(&[Arc::clone(&user)]);
    assert!(!has(3, ""), "the launch waits for the event");
    user.set_user_status(Status::Complete).expect("set");
    Event::wait_all(&[third]).expect("complete");
    assert_eq!(read(&queue, &y), [6.0; 64]);
    enqueue(&[]);
    assert!(has(4, "memory1.after"));

    x.expose_addresses().expect("an address");
    let address = x.exposed_addresses().expect("exposed")[0];
    kernel.set_address(1, address).expect("a global pointer");
    enqueue(&[]);
    assert!(!has(5, ""), "an argument is an address");
    assert_eq!(read(&queue, &y), [10.0; 64]);
    let said = std::fs::read_to_string(&log).expect("the log");
    for line in [
        "launch 2 of kernel saxpy is captured in ",
        "launch 3 of kernel saxpy is not captured: commands before it, or events that it waits for, are not complete after 5 s",
        "launch 5 of kernel saxpy is not captured: an argument is an address",
    ] {
        assert!(said.contains(line), "{said}");
    }
    let _ = (std::fs::remove_dir_all(&dir), std::fs::remove_file(&log));
}
