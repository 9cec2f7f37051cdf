//! The contexts with their queues and objects, the expected contents of the objects, and the commands that
//! are still to be checked.
//!
//! Every object has a mutex. The thread that holds it enqueues a command that waits for the earlier commands
//! on the object, and records the contents that the object will then have. The contents are therefore known
//! although no thread waits. *Gates* are user events that commands wait for; a separate thread opens them a
//! little later, so every wait ends. If a gate fails, the command that waits for it fails too, and the
//! object keeps its contents.

use super::callbacks::Callbacks;
use super::cl::Cl;
use super::dependencies::{Access, Dependencies};
use super::{Args, callbacks, ops};
use crate::Failure;
use crate::cl::{Handle, Memory, Place};
use crate::random::Random;
use opencl_sys::*;
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const CONTEXTS: usize = 2;
const QUEUES: usize = 5;
const OBJECTS: usize = 12;
const PICTURES: usize = 6;
/// If more commands than this wait to be checked, the next thread checks some.
const MANY: usize = 256;

const SOURCE: &str = "
kernel void mix(global uint *a, uint m, uint c) {
    size_t i = get_global_id(0);
    a[i] = a[i] * m + c + (uint)i;
}
kernel void blend(global const uint *a, global uint *b, uint m) {
    size_t i = get_global_id(0);
    b[i] ^= a[i] * m;
}
kernel void turn(global uint *a, local uint *t) {
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[(l + 1) % n];
}
";

/// The kernels for devices with images.
const MORE_SOURCE: &str = "
kernel void ink(read_only image2d_t a, write_only image2d_t b, uint m, uint w) {
    uint i = get_global_id(0);
    int2 p = (int2)(i % w, i / w);
    write_imageui(b, p, read_imageui(a, p) * m + (uint)(p.x + p.y));
}
";

/// The expected outcome of a command.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    Done,
    Failed,
}

/// The state that all threads of an epoch share.
pub(super) struct World {
    pub(super) cl: &'static Cl,
    /// The options, some of which restrict the operations.
    pub(super) args: Args,
    pub(super) contexts: Vec<Context>,
    pub(super) callbacks: Callbacks,
    pending: Mutex<VecDeque<Pending>>,
    failure: Mutex<Option<String>>,
    failed: AtomicBool,
    closed: AtomicBool,
    steps: AtomicU64,
    counts: Vec<AtomicU64>,
    doing: Vec<Mutex<&'static str>>,
}

pub(super) struct Context {
    pub(super) raw: Handle,
    pub(super) program: Handle,
    /// The buffers.
    pub(super) objects: Vec<Mutex<Object>>,
    /// The images; empty if the device has no images. A thread that locks both images and buffers locks the
    /// images first.
    pub(super) pictures: Vec<Mutex<Object>>,
    queues: Vec<Mutex<Arc<Queue>>>,
    /// An in-order queue for commands that are to fail.
    pub(super) doomed: Arc<Queue>,
    gates: Mutex<Vec<(Handle, cl_int)>>,
}

pub(super) struct Queue {
    pub(super) raw: Handle,
    pub(super) ordered: bool,
    pub(super) profiling: bool,
}

/// A buffer or an image.
pub(super) struct Object {
    pub(super) mem: Handle,
    /// The CL_MEM_* flags.
    pub(super) flags: u64,
    /// The size of an image in texels.
    pub(super) size: [usize; 3],
    /// The expected contents once all commands enqueued so far are complete.
    pub(super) shadow: Vec<u8>,
    pub(super) dependencies: Dependencies,
}

/// A command whose completion is still to be checked.
pub(super) struct Pending {
    pub(super) what: &'static str,
    pub(super) event: Handle,
    pub(super) outcome: Outcome,
    pub(super) profiling: bool,
    /// The memory into which the command reads; `expected` has its expected contents. If `expected` is
    /// empty, the memory only has to live until the command is complete.
    pub(super) memory: Vec<Memory>,
    pub(super) expected: Vec<u8>,
}

impl World {
    /// Creates the contexts with all their objects.
    pub(super) fn new(cl: &'static Cl, seed: u64, args: Args) -> Result<Arc<World>, Failure> {
        let mut random = Random::new(seed);
        let contexts = (0..CONTEXTS)
            .map(|_| Context::new(cl))
            .collect::<Result<_, _>>()?;
        let world = Arc::new(World {
            cl,
            args,
            contexts,
            callbacks: Callbacks::default(),
            pending: Mutex::default(),
            failure: Mutex::default(),
            failed: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            steps: AtomicU64::new(seed),
            counts: ops::ALL.iter().map(|_| AtomicU64::new(0)).collect(),
            doing: (0..64).map(|_| Mutex::new("nothing")).collect(),
        });
        // No other thread has the world yet; the locks are only needed because the objects are in mutexes.
        for (index, context) in world.contexts.iter().enumerate() {
            for cell in &context.objects {
                *cell.lock() = Object::new(&world, index, &mut random)?;
            }
            for cell in &context.pictures {
                *cell.lock() = Object::new_picture(&world, index, &mut random)?;
            }
        }
        Ok(world)
    }

    /// Returns the number of steps of all threads so far, which also serves as a number that keeps changing.
    pub(super) fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Notes that a thread begins an operation.
    pub(super) fn step(&self, thread: usize, op: usize, name: &'static str) {
        self.steps.fetch_add(1, Ordering::Relaxed);
        self.counts[op].fetch_add(1, Ordering::Relaxed);
        *self.doing[thread % self.doing.len()].lock() = name;
    }

    /// Notes that a thread has ended.
    pub(super) fn rests(&self, thread: usize) {
        *self.doing[thread % self.doing.len()].lock() = "nothing";
    }

    /// Returns how often each operation of [`ops::ALL`] was begun.
    pub(super) fn counts(&self) -> impl Iterator<Item = u64> {
        self.counts.iter().map(|c| c.load(Ordering::Relaxed))
    }

    /// Returns the names of the operations that threads perform now.
    pub(super) fn doing(&self) -> Vec<&'static str> {
        self.doing
            .iter()
            .map(|d| *d.lock())
            .filter(|d| *d != "nothing")
            .collect()
    }

    /// Remembers the first failure and stops all threads.
    pub(super) fn fail(&self, why: String) {
        self.failed.store(true, Ordering::Relaxed);
        self.failure.lock().get_or_insert(why);
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    pub(super) fn failure(&self) -> Option<String> {
        self.failure.lock().clone()
    }

    /// Opens gates until [`World::close`] is called: the body of the opener's thread.
    pub(super) fn open_gates(&self) {
        let mut random = Random::new(self.steps());
        while !self.closed.load(Ordering::Relaxed) {
            for context in &self.contexts {
                // A wait for events of another queue needs a flush of that queue first (CL 5.13).
                let opened = (0..1 + random.below(6)).try_for_each(|_| context.open_one(random.below(64)));
                let flushed = context.flush();
                if let Err(Failure(why)) = opened.and(flushed) {
                    self.fail(format!("the opener: {why}"));
                }
            }
            std::thread::sleep(Duration::from_micros(500 + random.below(3000) as u64));
        }
    }

    /// Tells the opener's thread to end.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Adds a command that is to be checked later.
    pub(super) fn later(&self, pending: Pending) {
        self.pending.lock().push_back(pending);
    }

    /// Returns whether more than [`MANY`] commands wait to be checked.
    pub(super) fn many_pending(&self) -> bool {
        self.pending.lock().len() > MANY
    }

    /// Waits for one command and checks it. Returns `false` if there was none.
    pub(super) fn check_one(&self, newest: bool) -> Result<bool, Failure> {
        let mut all = self.pending.lock();
        let found = if newest { all.pop_back() } else { all.pop_front() };
        drop(all);
        match found {
            Some(pending) => pending.check().map(|()| true),
            None => Ok(false),
        }
    }

    /// Ends the world after all threads have ended: waits for all commands, compares the contents of the
    /// objects, releases all objects, and checks that every callback was called.
    pub(super) fn end(&self) -> Result<(), Failure> {
        for context in &self.contexts {
            for queue in context.all_queues() {
                queue.raw.finish()?;
                self.steps.fetch_add(1, Ordering::Relaxed);
            }
            for object in &context.objects {
                let object = object.lock();
                let read = |q: &Handle, to: &Memory| q.read(&object.mem, false, 0, to, &object.before_read());
                self.check_end("contents at the end", context, &object, read)?;
            }
        }
        while self.check_one(false)? {
            self.steps.fetch_add(1, Ordering::Relaxed);
        }
        // Release the objects, so that their destructor callbacks are called.
        for context in &self.contexts {
            for picture in &context.pictures {
                let picture = picture.lock();
                let what = (&picture.mem, Place::all(picture.size));
                let read =
                    |q: &Handle, to: &Memory| q.image_transfer(what, false, to, &picture.before_read());
                self.check_end("an image at the end", context, &picture, read)?;
            }
            for cell in context.pictures.iter().chain(&context.objects) {
                *cell.lock() = Object::none(&context.raw)?;
            }
        }
        let start = Instant::now();
        while self.callbacks.missing() > 0 {
            if start.elapsed() > Duration::from_secs(30) {
                let missing = self.callbacks.missing();
                return fail!("{missing} callbacks did not come");
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

impl World {
    /// Reads an object with `read`, and compares it with its expected contents.
    fn check_end(
        &self,
        what: &'static str,
        context: &Context,
        object: &Object,
        read: impl FnOnce(&Handle, &Memory) -> Result<Handle, Failure>,
    ) -> Result<(), Failure> {
        let memory = Memory::new(vec![0x55; object.shadow.len()]);
        let event = read(&context.queue(0).raw, &memory)?;
        self.steps.fetch_add(1, Ordering::Relaxed);
        let pending = Pending {
            what,
            event,
            outcome: Outcome::Done,
            profiling: false,
            memory: vec![memory],
            expected: object.shadow.clone(),
        };
        pending.check()
    }
}

impl Pending {
    fn check(self) -> Result<(), Failure> {
        let wrong = |why: String| fail!("{}: {why}", self.what);
        let code = self.event.wait()?;
        let status = self.event.status()?;
        let wanted = match self.outcome {
            Outcome::Done => (CL_SUCCESS, status == CL_COMPLETE),
            Outcome::Failed => (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, status < 0),
        };
        if (code, true) != wanted {
            return wrong(format!(
                "clWaitForEvents gave {code}, the status is {status}, not {:?}",
                self.outcome
            ));
        }
        if self.outcome == Outcome::Failed {
            return Ok(());
        }
        if self.profiling {
            let times = self.event.times()?;
            if !times.is_sorted() || times[0] == 0 {
                return wrong(format!("times {times:?}"));
            }
        }
        let Some(got) = self.memory.first().filter(|_| !self.expected.is_empty()) else {
            return Ok(());
        };
        match difference(got.bytes(), &self.expected) {
            None => Ok(()),
            Some(why) => wrong(why),
        }
    }
}

/// Describes the first difference between the bytes and the expected bytes, if there is one.
pub(super) fn difference(got: &[u8], expected: &[u8]) -> Option<String> {
    let pairs = || got.iter().zip(expected);
    let at = pairs().position(|(a, b)| a != b)?;
    let (a, b, size) = (got[at], expected[at], expected.len());
    let wrong = pairs().filter(|(a, b)| a != b).count();
    Some(format!(
        "byte {at} is {a:#x}, not {b:#x}; {wrong} of {size} are wrong"
    ))
}

impl Context {
    fn new(cl: &'static Cl) -> Result<Context, Failure> {
        let raw = cl.context()?;
        let queues = (0..QUEUES)
            .map(|kind| Queue::new(cl, &raw, kind).map(|q| Mutex::new(Arc::new(q))))
            .collect::<Result<_, _>>()?;
        let cells = |count: usize| -> Result<Vec<_>, Failure> {
            (0..count).map(|_| Ok(Mutex::new(Object::none(&raw)?))).collect()
        };
        let (objects, pictures) = (cells(OBJECTS)?, cells(if cl.images { PICTURES } else { 0 })?);
        let more = if cl.images { MORE_SOURCE } else { "" };
        Ok(Context {
            program: raw.build(&format!("{SOURCE}{more}"), "")?,
            doomed: Arc::new(Queue::new(cl, &raw, 0)?),
            queues,
            objects,
            pictures,
            gates: Mutex::default(),
            raw,
        })
    }

    /// Returns the queue with this index, modulo the number of queues.
    pub(super) fn queue(&self, index: usize) -> Arc<Queue> {
        Arc::clone(&self.queues[index % QUEUES].lock())
    }

    fn all_queues(&self) -> impl Iterator<Item = Arc<Queue>> {
        (0..QUEUES)
            .map(|i| self.queue(i))
            .chain([Arc::clone(&self.doomed)])
    }

    /// Replaces a queue by a new one. The old queue is released when the last thread that uses it lets go of
    /// it.
    pub(super) fn replace_queue(&self, cl: &'static Cl, index: usize) -> Result<(), Failure> {
        let queue = Arc::new(Queue::new(cl, &self.raw, index % QUEUES)?);
        let old = std::mem::replace(&mut *self.queues[index % QUEUES].lock(), queue);
        drop(old);
        Ok(())
    }

    pub(super) fn flush(&self) -> Result<(), Failure> {
        self.all_queues().try_for_each(|q| q.raw.flush())
    }

    /// Creates a gate: a user event that the opener sets to the status.
    pub(super) fn gate(&self, status: cl_int) -> Result<Handle, Failure> {
        let event = self.raw.user_event()?;
        self.gates.lock().push((event.clone(), status));
        Ok(event)
    }

    /// Opens one gate, chosen by `index`, if there is any.
    pub(super) fn open_one(&self, index: usize) -> Result<(), Failure> {
        let mut gates = self.gates.lock();
        if gates.is_empty() {
            return Ok(());
        }
        let at = index % gates.len();
        let (event, status) = gates.swap_remove(at);
        drop(gates);
        event.set_status(status)
    }

    fn cells(&self, pictures: bool) -> &[Mutex<Object>] {
        if pictures { &self.pictures } else { &self.objects }
    }

    /// Locks and returns a random image or buffer, if there is one.
    pub(super) fn one(&self, picture: bool, random: &mut Random) -> Option<MutexGuard<'_, Object>> {
        let all = self.cells(picture);
        (!all.is_empty()).then(|| all[random.below(all.len())].lock())
    }

    /// Locks and returns two different images or buffers, if there are any.
    pub(super) fn two(&self, pictures: bool, random: &mut Random) -> Option<[MutexGuard<'_, Object>; 2]> {
        let all = self.cells(pictures);
        if all.is_empty() {
            return None;
        }
        let a = random.below(all.len());
        let b = (a + 1 + random.below(all.len() - 1)) % all.len();
        // Lock in the order of the indices, so that two threads cannot deadlock.
        let (low, high) = (all[a.min(b)].lock(), all[a.max(b)].lock());
        Some(if a < b { [low, high] } else { [high, low] })
    }

    /// Replaces a random image or buffer.
    pub(super) fn replace(&self, picture: bool, fresh: Object, random: &mut Random) {
        let old = self
            .one(picture, random)
            .map(|mut cell| std::mem::replace(&mut *cell, fresh));
        drop(old);
    }
}

impl Queue {
    fn new(cl: &'static Cl, context: &Handle, kind: usize) -> Result<Queue, Failure> {
        let ordered = kind % 5 < 2 || !cl.out_of_order;
        let profiling = kind % 5 == 1 || kind % 5 == 4;
        let order = if ordered {
            0
        } else {
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
        };
        let times = if profiling { CL_QUEUE_PROFILING_ENABLE } else { 0 };
        Ok(Queue {
            raw: cl.queue(context, order | times, kind)?,
            ordered,
            profiling,
        })
    }
}

impl Object {
    fn of(mem: Handle, flags: u64, size: [usize; 3], shadow: Vec<u8>) -> Object {
        Object {
            mem,
            flags,
            size,
            shadow,
            dependencies: Dependencies::default(),
        }
    }

    /// Returns a placeholder, which `World::new` replaces.
    fn none(context: &Handle) -> Result<Object, Failure> {
        Ok(Object::of(
            context.buffer(0, 16, null_mut())?,
            0,
            [0; 3],
            Vec::new(),
        ))
    }

    /// Creates a buffer of random size, flags and contents.
    pub(super) fn new(world: &Arc<World>, context: usize, random: &mut Random) -> Result<Object, Failure> {
        let words = match random.below(24) {
            0 if !world.args.small => 2_200_000 + random.below(1000),
            1..8 => 16 * (1 + random.below(1000)),
            _ => 16 * (1 + random.below(64)),
        };
        let flags = match random.below(4) {
            0 => CL_MEM_USE_HOST_PTR,
            1 => CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
            _ => CL_MEM_COPY_HOST_PTR,
        };
        let shadow = random.bytes(4 * words);
        let memory = Memory::new(shadow.clone());
        let mem = world.contexts[context]
            .raw
            .buffer(flags, shadow.len(), memory.ptr())?;
        if flags != CL_MEM_USE_HOST_PTR && random.one_in(3) {
            callbacks::on_destroy(world, &mem, None)?;
        }
        Object::of(mem, flags, [0; 3], shadow).with(world, memory)
    }

    /// Creates an image of random size, flags and contents.
    pub(super) fn new_picture(
        world: &Arc<World>,
        context: usize,
        random: &mut Random,
    ) -> Result<Object, Failure> {
        let depth = if random.one_in(3) { 2 + random.below(4) } else { 1 };
        let size = [1 + random.below(60), 1 + random.below(40), depth];
        let shadow = random.bytes(4 * size.iter().product::<usize>());
        let memory = Memory::new(shadow.clone());
        let flags = [CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR][random.below(2)];
        let mem = world.contexts[context].raw.image(flags, size, memory.ptr())?;
        Object::of(mem, flags, size, shadow).with(world, memory)
    }

    /// Lets the destructor callback free the memory of an object with CL_MEM_USE_HOST_PTR.
    fn with(self, world: &Arc<World>, memory: Memory) -> Result<Object, Failure> {
        if self.flags == CL_MEM_USE_HOST_PTR {
            callbacks::on_destroy(world, &self.mem, Some(memory))?;
        }
        Ok(self)
    }

    fn before_read(&self) -> Vec<Handle> {
        self.dependencies.before(Access::Read)
    }

    pub(super) fn words(&self) -> usize {
        self.shadow.len() / 4
    }
}
