//! Claims: the ranges of memory objects that a command of one device uses, which exclude commands of the
//! context's other devices.
//!
//! A command takes its claim before it is recorded, and contents move to its device while it has the claim.
//! So from the time when the location of the contents is determined until the command is recorded, no
//! command of another device writes them. A range that the command writes is neither read nor written by
//! commands of other devices until the GPU has completed the command. Commands of one device do not exclude
//! each other, because they use the same storage. But while contents are being moved to that storage,
//! commands of its device do not write them.
//!
//! A claim is taken at once ([`Claim::take`]) if no other claim excludes it and the contents are on the
//! command's device. Otherwise the context's migration thread takes it ([`Claim::wait`]), but only when
//! everything else that the command waits for is complete. That thread is the only one that waits for
//! claims, and it takes one claim after the other. The commands that it waits for never wait for it: it
//! submits recorded commands itself if no other thread does, and a command that is about to be recorded
//! waits at most for recorded commands of its own queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::Buffer;
use super::migrate::Touch;
use super::residence::{ClaimId, Claimed, InBatch, Obstacle, Residence, Use};
use crate::command::rect::Rows;
use crate::error::Result;
use crate::lock::{Condvar, Guard, Mutex, Rank};

/// The time for which the migration thread waits until a completed batch has released its claims.
const SHORTLY: Duration = Duration::from_micros(200);

/// A [`Residence`], with a condition variable for its claims.
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<Residence>,
    /// Notified when the command of a claim has been recorded, or a claim has been released.
    changed: Condvar,
}

impl Shared {
    /// Makes the state of an object of `size` bytes without contents.
    pub(crate) fn new(size: u64) -> Shared {
        Shared {
            state: Mutex::new(Rank::Mem, Residence::new(size)),
            changed: Condvar::new(),
        }
    }

    /// Waits for the lock.
    pub(crate) fn lock(&self) -> Guard<'_, Residence> {
        self.state.lock()
    }
}

/// The ranges that a command uses on a device. The claim is released when this value is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    id: ClaimId,
    touches: Vec<Touch>,
    device: usize,
    /// Whether the claim is in the residences of its objects.
    is_taken: AtomicBool,
}

impl Claim {
    /// Makes a claim that has not been taken.
    pub(crate) fn new(touches: Vec<Touch>, device: usize) -> Claim {
        Claim {
            id: next_id(),
            touches,
            device,
            is_taken: AtomicBool::new(false),
        }
    }

    /// Takes the claim if no other claim excludes it and all contents that the command needs are on the device;
    /// otherwise returns it as the error.
    pub(crate) fn take(self) -> std::result::Result<Claim, Claim> {
        self.is_taken.store(true, Ordering::Relaxed);
        for touch in &self.touches {
            let mut state = touch.residence().lock();
            let claimed = self.of(touch, false);
            let away = state.away(touch.range(), self.device, touch.how());
            if state.obstacle(&claimed).is_some() || !away.is_empty() {
                drop(state);
                self.release();
                return Err(self);
            }
            state.claim(claimed);
        }
        Ok(self)
    }

    fn of(&self, touch: &Touch, moving: bool) -> Claimed {
        Claimed {
            id: self.id,
            range: touch.range().clone(),
            device: self.device,
            write: touch.how() != Use::Read,
            moving,
            batch: None,
        }
    }

    /// Takes the claim, waits until no other claim excludes it, and moves the contents that the command
    /// needs to the device. It must be called on the context's migration thread, and no lock may be held.
    pub(crate) fn wait(&self) -> Result<()> {
        self.is_taken.store(true, Ordering::Relaxed);
        for touch in &self.touches {
            touch.residence().lock().claim(self.of(touch, true));
        }
        // From here on, no claim that excludes this one can be taken.
        self.touches.iter().for_each(|t| self.wait_for_others(t));
        let arrived = self.touches.iter().try_for_each(|t| t.fetch(self.device));
        for touch in &self.touches {
            touch.residence().lock().moved(self.id);
        }
        arrived
    }

    fn wait_for_others(&self, touch: &Touch) {
        let shared = touch.residence();
        let claimed = self.of(touch, true);
        let mut state = shared.lock();
        while let Some(obstacle) = state.obstacle(&claimed) {
            match obstacle {
                Obstacle::Unrecorded => shared.changed.wait(&mut state),
                Obstacle::Batch(InBatch { queue, value }) => {
                    drop(state);
                    let queues = touch.context().queues();
                    // This also submits the batch. A queue that has been dropped has released all its claims.
                    if let Some(queue) = queues.iter().find(|q| q.number() == queue) {
                        queue.wait_for(value);
                    }
                    drop(queues);
                    state = shared.lock();
                    // Another thread may be retiring the batch.
                    if state.obstacle(&claimed) == Some(obstacle) {
                        let _ = shared.changed.wait_for(&mut state, SHORTLY);
                    }
                }
            }
        }
    }

    /// Notes that the command has been recorded into a batch. From then on, only its device has the contents
    /// of the ranges that it writes. Returns whether the batch must keep the claim until it is complete.
    pub(crate) fn recorded(&self, batch: InBatch) -> bool {
        self.touches.iter().fold(false, |stays, touch| {
            let shared = touch.residence();
            let stayed = {
                let mut state = shared.lock();
                state.used(touch.range(), self.device, touch.how());
                state.recorded(self.id, batch)
            };
            shared.changed.notify_all();
            stays | stayed
        })
    }

    /// Notes that this thread executes the command. Once the claim is released, only the command's device
    /// has the contents of the ranges that it writes.
    pub(crate) fn by_host(&self) {
        for touch in &self.touches {
            let mut state = touch.residence().lock();
            state.used(touch.range(), self.device, touch.how());
        }
    }

    fn release(&self) {
        if self.is_taken.swap(false, Ordering::Relaxed) {
            for touch in &self.touches {
                let shared = touch.residence();
                if let Some(mut state) = shared.state.lock_to_release() {
                    state.release(self.id);
                }
                shared.changed.notify_all();
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Contents may have been moved or written in part, and the state does not record which part. So
            // the state is closed.
            for touch in &self.touches {
                let shared = touch.residence();
                if let Some(state) = shared.state.lock_to_release() {
                    state.close();
                }
                shared.changed.notify_all();
            }
        } else {
            self.release();
        }
    }
}

fn next_id() -> ClaimId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Keeps the contents of a range on the device in whose storage the range is mapped for writing. Holds exist
/// only in contexts with several devices. A hold ends with [`Hold::end`], or when it is dropped.
#[derive(Debug)]
pub(crate) struct Hold {
    id: ClaimId,
    buffer: Arc<Buffer>,
    rows: Rows,
    device: usize,
}

impl Hold {
    /// Makes a hold that has not begun, or returns `None` if the context has only one device.
    pub(crate) fn new(buffer: &Arc<Buffer>, rows: Rows, device: usize) -> Option<Arc<Hold>> {
        (buffer.context().devices().len() > 1).then(|| {
            Arc::new(Hold {
                id: next_id(),
                buffer: Arc::clone(buffer),
                rows,
                device,
            })
        })
    }

    /// Begins the hold, because the map command is recorded.
    pub(crate) fn begin(&self) {
        let mut state = self.buffer.residence().lock();
        let rows = self.rows.merged();
        for start in rows.starts() {
            let at = self.buffer.offset() + start;
            state.hold(self.id, &(at..at + rows.width), self.device);
        }
    }

    /// Ends the hold, because the unmap command is recorded.
    pub(crate) fn end(&self) {
        if let Some(mut state) = self.buffer.residence().state.lock_to_release() {
            state.end_hold(self.id);
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.end();
    }
}
