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
//! **Threads.** Every object may be used from any thread. Enqueuing records into the queue's open command buffer
//! under the queue's own lock; there is no other thread on that path. Each context has one executor thread,
//! started when the first callback or host-side dependency needs it, and one of several devices a mover, which copies
//! contents from device to device; large copies in host memory have helpers, started by the first of them. None
//! starts at load or enumeration.
//!
//! **Locks** have ranks ([`lock::Rank`]), outermost first; debug builds check the order. No callback into the
//! application runs with a lock held. Over a wait for the GPU only two are: the uploader's (`device/upload.rs`), which
//! depends on nothing else, and a kernel's while an enqueue is throttled.
//!
//! **Teardown.** Nothing is torn down when the process exits: platform, devices and Vulkan device objects live
//! until the end; once the exit has begun nothing calls Vulkan ([`process`]). Contexts, queues and what they own are dropped when their last reference goes.
#![deny(unsafe_code)]

mod cache;
pub mod command;
pub mod config;
pub mod context;
pub mod device;
pub mod error;
pub mod event;
pub mod kernel;
mod lock;
pub mod mem;
pub mod object;
pub mod platform;
mod printf;
pub mod process;
pub mod program;
pub mod queue;
pub mod sampler;
pub mod trace;
mod vk;
mod weak_list;

/// Messages of the Vulkan validation layer so far (`CALDERA_VALIDATION=1`); tests demand zero.
pub fn validation_messages() -> u64 {
    vk::message_count()
}

/// Descriptor pools that were made so far; a test demands that their number stays as it is.
pub fn descriptor_pools() -> u64 {
    vk::descriptor_pool_count()
}
