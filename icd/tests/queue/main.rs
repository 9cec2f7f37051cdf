//! What a queue promises, tried where it is hard to keep: with several threads in one queue, with memory that other
//! commands still write, with commands that fail after their enqueue call, and with much work in flight.
//!
//! Every test works on objects that threads share without locks of its own; each says which invariant it checks and
//! stops at the first result that no legal order of the commands gives.

#[path = "../common/mod.rs"]
mod common;

mod costs;
mod failures;
mod host_sources;
mod releases;
mod running;
mod status;
mod sub_buffers;
mod support;
mod torn;

/// The same where the host does not share the device's memory: staging, mirrors, the BAR mapping.
#[test]
fn with_memory_of_the_devices_own() {
    common::again::run_all_tests("CALDERA_DEBUG", "discrete");
}
