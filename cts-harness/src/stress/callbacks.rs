//! Callbacks of the stress test. Each must be called exactly once, with the right status, and calls the API
//! itself.
#![allow(unsafe_code, reason = "OpenCL calls C functions with the address of our data")]

use super::world::{Outcome, World};
use crate::Failure;
use crate::cl::{Handle, Memory};
use opencl_sys::{CL_COMPLETE, cl_event, cl_int, cl_mem};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};

/// The user data of a callback. All entries live until their world ends.
pub(super) struct Entry {
    calls: AtomicU32,
    world: Weak<World>,
    context: usize,
    /// The status that the callback was registered for and the expected outcome of the command; `None` for
    /// the destructor callback of a memory object.
    awaited: Option<(cl_int, Outcome)>,
    /// The event, whose handle the callback releases.
    event: Mutex<Option<Handle>>,
    /// The memory of an object with CL_MEM_USE_HOST_PTR, which the destructor callback frees.
    memory: Mutex<Option<Memory>>,
}

#[derive(Default)]
pub(super) struct Callbacks(Mutex<Vec<Arc<Entry>>>);

impl Callbacks {
    fn add(&self, entry: Entry) -> *mut c_void {
        let entry = Arc::new(entry);
        let data = Arc::as_ptr(&entry).cast_mut().cast();
        self.0.lock().push(entry);
        data
    }

    /// Returns the number of callbacks that have not been called yet.
    pub(super) fn missing(&self) -> usize {
        let missing = |e: &&Arc<Entry>| e.calls.load(Ordering::Acquire) == 0;
        self.0.lock().iter().filter(missing).count()
    }
}

/// Registers a callback for when the event reaches `status`.
pub(super) fn on_status(
    world: &Arc<World>,
    context: usize,
    event: &Handle,
    status: cl_int,
    outcome: Outcome,
) -> Result<(), Failure> {
    let data = world.callbacks.add(Entry {
        context,
        awaited: Some((status, outcome)),
        event: Mutex::new(Some(event.clone())),
        ..Entry::new(world, None)
    });
    event.on_status(status, event_function, data)
}

/// Registers a destructor callback for a memory object. The callback then frees `memory`.
pub(super) fn on_destroy(world: &Arc<World>, mem: &Handle, memory: Option<Memory>) -> Result<(), Failure> {
    let data = world.callbacks.add(Entry::new(world, memory));
    mem.on_destroy(mem_function, data)
}

unsafe extern "C" fn event_function(event: cl_event, status: cl_int, data: *mut c_void) {
    // SAFETY: `data` is the address that `on_status` passed. An entry lives until its world ends, and
    // `World::end` waits for all callbacks.
    let entry = unsafe { &*data.cast::<Entry>() };
    entry.called(Some((event, status)));
}

unsafe extern "C" fn mem_function(_: cl_mem, data: *mut c_void) {
    // SAFETY: `data` is the address that `on_destroy` passed. An entry lives until its world ends, and
    // `World::end` waits for all callbacks.
    let entry = unsafe { &*data.cast::<Entry>() };
    entry.called(None);
}

impl Entry {
    /// Returns the entry of a destructor callback.
    fn new(world: &Arc<World>, memory: Option<Memory>) -> Entry {
        Entry {
            calls: AtomicU32::new(0),
            world: Arc::downgrade(world),
            context: 0,
            awaited: None,
            event: Mutex::new(None),
            memory: Mutex::new(memory),
        }
    }

    fn called(&self, about: Option<(cl_event, cl_int)>) {
        let Some(world) = self.world.upgrade() else { return };
        if let Err(Failure(why)) = self.answer(&world, about) {
            world.fail(format!("in a callback: {why}"));
        }
        // This must be the last step: once all callbacks are counted, the world may end.
        if self.calls.fetch_add(1, Ordering::AcqRel) > 0 {
            world.fail("a callback came twice".into());
        }
    }

    fn answer(&self, world: &Arc<World>, about: Option<(cl_event, cl_int)>) -> Result<(), Failure> {
        drop(self.memory.lock().take());
        if let (Some((event, status)), Some((at, outcome))) = (about, self.awaited) {
            let own = self
                .event
                .lock()
                .take()
                .ok_or_else(|| failure!("called a second time"))?;
            if own.raw() != event {
                return fail!("another event");
            }
            let right = match outcome {
                Outcome::Done => status == at,
                // A command that will fail may reach CL_SUBMITTED and CL_RUNNING first.
                Outcome::Failed => status < 0 || (status == at && at != CL_COMPLETE),
            };
            if !right {
                return fail!("status {status} for {at}, {outcome:?}");
            }
            let now = own.status()?;
            if now > status.max(0) {
                return fail!("told {status}, but the event is at {now}");
            }
            busy(world, self.context)?;
        }
        Ok(())
    }
}

/// Makes calls that are allowed in a callback: none of them blocks.
fn busy(world: &Arc<World>, context: usize) -> Result<(), Failure> {
    let context = &world.contexts[context];
    let step = world.steps() as usize;
    let queue = context.queue(step);
    match step % 5 {
        0 => {
            let event = context.raw.user_event()?;
            let marker = queue.raw.marker(false, std::slice::from_ref(&event))?;
            event.set_status(CL_COMPLETE)?;
            drop(event);
            queue.raw.flush()?;
            marker.query()
        }
        1 => context.open_one(step),
        2 => queue.raw.flush(),
        3 => queue.raw.query(),
        _ => context.raw.user_event().map(drop),
    }
}
