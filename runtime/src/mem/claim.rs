//! Claims: what a command of one device keeps commands of the context's other devices from doing.
//!
//! A command claims what it uses before it is recorded, and contents move to its device while it has the claim. So from the
//! moment when its contents are looked at no command of another device writes them, nor reads what it writes, until it
//! is recorded, and until the GPU has done what it writes. Commands of one device do not exclude each other: they use the same storage.
//! But while contents move there, they do not write it.
//!
//! A claim is taken at once where nothing is in its way ([`Claim::take`]). Otherwise the context's migration thread takes it
//! ([`Claim::wait`]), and only when everything else that the command waits for is complete. That thread is the only one that
//! waits for claims, and takes one after the other. What it waits for never waits for it: a recorded command is submitted by
//! this thread if nobody else does so, and one that is about to be recorded waits for commands of its own queue at most, which are recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::Buffer;
use super::migrate::Touch;
use super::residence::{ClaimId, Claimed, InBatch, Obstacle, Residence, Use};
use crate::command::rect::Rows;
use crate::error::Result;
use crate::lock::{Condvar, Guard, Mutex, Rank};

/// How long the migration thread waits for a batch that is done to let go of its claims.
const SHORTLY: Duration = Duration::from_micros(200);

/// A [`Residence`] whose claims a thread can wait for.
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<Residence>,
    /// A claim has been recorded or released.
    changed: Condvar,
}

impl Shared {
    /// `size` bytes without contents.
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

/// What a command uses on a device. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    id: ClaimId,
    touches: Vec<Touch>,
    device: usize,
    /// It stands in the residences.
    stands: AtomicBool,
}

impl Claim {
    /// One that nobody knows of yet.
    pub(crate) fn new(touches: Vec<Touch>, device: usize) -> Claim {
        Claim {
            id: next_id(),
            touches,
            device,
            stands: AtomicBool::new(false),
        }
    }

    /// Claims all, if nothing is in the way and all contents that are needed are on the device.
    pub(crate) fn take(self) -> std::result::Result<Claim, Claim> {
        self.stands.store(true, Ordering::Relaxed);
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

    /// Claims all, waits until nothing is in the way, and brings the contents that are needed to the device. Only on the context's
    /// migration thread; no lock is held.
    pub(crate) fn wait(&self) -> Result<()> {
        self.stands.store(true, Ordering::Relaxed);
        for touch in &self.touches {
            touch.residence().lock().claim(self.of(touch, true));
        }
        // From here on nobody can get in the way.
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
                    // Submits it, too. A queue that is gone has let go of everything.
                    if let Some(queue) = queues.iter().find(|q| q.number() == queue) {
                        queue.wait_for(value);
                    }
                    drop(queues);
                    state = shared.lock();
                    // Another thread may be retiring it.
                    if state.obstacle(&claimed) == Some(obstacle) {
                        let _ = shared.changed.wait_for(&mut state, SHORTLY);
                    }
                }
            }
        }
    }

    /// The command has been given to the GPU in a batch: what it writes is on its device alone. Whether the batch must keep the
    /// claim until it is done.
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

    /// This thread executes the command: what it writes is on its device alone, from the claim's end on.
    pub(crate) fn by_host(&self) {
        for touch in &self.touches {
            let mut state = touch.residence().lock();
            state.used(touch.range(), self.device, touch.how());
        }
    }

    fn release(&self) {
        if self.stands.swap(false, Ordering::Relaxed) {
            for touch in &self.touches {
                let shared = touch.residence();
                shared.lock().release(self.id);
                shared.changed.notify_all();
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.release();
    }
}

fn next_id() -> ClaimId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A mapping for writing of a buffer's storage on a device, where a context has several. It ends when this is dropped, if not before.
#[derive(Debug)]
pub(crate) struct Hold {
    id: ClaimId,
    buffer: Arc<Buffer>,
    rows: Rows,
    device: usize,
}

impl Hold {
    /// One that has not begun; `None` if the context has one device.
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

    /// The command that maps is recorded.
    pub(crate) fn begin(&self) {
        let mut state = self.buffer.residence().lock();
        let rows = self.rows.merged();
        for start in rows.starts() {
            let at = self.buffer.offset() + start;
            state.hold(self.id, &(at..at + rows.width), self.device);
        }
    }

    /// The command that ends the mapping is recorded.
    pub(crate) fn end(&self) {
        self.buffer.residence().lock().let_go(self.id);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.end();
    }
}
