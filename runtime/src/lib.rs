//! OpenCL objects, scheduling and Vulkan dispatch.
//!
//! ```text
//! platform → device ─┬─ context ─┬─ queue ── command ── event
//!                    │           ├─ mem (buffers, images)
//!                    │           ├─ program ── kernel
//!                    │           └─ sampler
//!                    └─ vk: the only place that names ash or gpu_allocator
//! ```
//!
//! **Threads.** Every object may be used from any thread. An enqueue call records into the queue's open command
//! buffer under the queue's own lock; no other thread is involved. Each context has an executor thread, which
//! the first callback or host-side dependency starts; a context with several devices has a migration thread,
//! which copies contents from device to device; both start when they are first needed. Large copies in host
//! memory are shared with copy threads, which the first large copy starts. Neither loading the library nor
//! enumeration starts a thread.
//!
//! **Locks** have ranks (`lock::Rank`), outermost first; debug builds check the order. No callback into the
//! application runs with a lock held. Only the uploader's lock is held during a wait for the GPU
//! (`device/upload.rs`).
//!
//! **Teardown.** Nothing is torn down when the process exits: platform, devices and Vulkan device objects live
//! until the end, and once the exit has begun nothing calls Vulkan ([`process`]). Contexts, queues and the
//! objects that they own are dropped with their last references.
#![deny(unsafe_code)]

mod cache;
mod capture;
mod check;
pub mod command;
pub mod command_buffer;
pub mod config;
pub mod context;
pub mod device;
pub mod error;
pub mod event;
pub mod kernel;
mod lock;
pub mod mem;
pub mod object;
pub mod observe;
mod os;
pub mod platform;
mod printf;
pub mod process;
pub mod program;
pub mod queue;
pub mod sampler;
pub mod semaphore;
pub mod trace;
mod vk;
mod weak_list;

/// Returns the number of messages of the Vulkan validation layer so far (`CALDERA_VALIDATION=1`); tests demand
/// zero.
pub fn validation_messages() -> u64 {
    vk::message_count()
}

/// Returns the number of descriptor pools made so far; a test demands that it stays the same.
pub fn descriptor_pools() -> u64 {
    vk::descriptor_pool_count()
}
