//! The objects that the threads share: a context, queues, memory objects, gates, and a clock. No lock is
//! held around a call that uses an object; the mutexes only protect lists of what was done.

use super::super::cl::Cl;
use super::access::{BLOCKS, IMAGE_SOURCE, SOURCE, Target};
use super::history::{Finding, History, Span, Stamp, Write};
use crate::Failure;
use crate::cl::{Handle, Memory};
use crate::random::Random;
use opencl_sys::*;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The number of words of a counter, which commands increment.
pub(super) const COUNTERS: usize = 1024;

pub(super) struct Scene {
    pub(super) cl: &'static Cl,
    pub(super) context: Handle,
    pub(super) program: Handle,
    /// In-order queues, each with its own memory, which all threads use only through that queue.
    pub(super) domains: Vec<Domain>,
    /// In-order and out-of-order queues for commands on the threads' own parts.
    pub(super) queues: Vec<Handle>,
    /// Buffers of which each thread has its own part, adjacent to the next thread's part.
    pub(super) common: Vec<Handle>,
    /// The number of words of a part.
    pub(super) part: usize,
    /// The next time that [`Scene::now`] returns.
    clock: AtomicU64,
    /// The next value that [`Scene::stamp`] returns.
    stamps: AtomicU32,
    /// The number of steps that threads have done.
    steps: AtomicU64,
    /// Whether the epoch is over.
    stop: AtomicBool,
    /// User events that have not been completed, for which commands wait.
    gates: Mutex<Vec<Handle>>,
    /// The memory of buffers with CL_MEM_USE_HOST_PTR. The field is declared after the buffers, so that it
    /// is freed after them.
    _memory: Mutex<Vec<Memory>>,
}

/// An in-order queue, and the objects that are only used through it.
pub(super) struct Domain {
    pub(super) queue: Handle,
    pub(super) objects: Vec<Target>,
    /// A buffer; commands add 1 to each of its words.
    pub(super) counter: Handle,
    /// The number of enqueue calls for such commands that have begun; `returned` counts those that have
    /// returned.
    pub(super) begun: AtomicU32,
    pub(super) returned: AtomicU32,
    pub(super) history: Mutex<History>,
}

/// Returns random CL_MEM_* flags, which choose how the storage is allocated.
fn flags(random: &mut Random) -> u64 {
    [0, 0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR][random.below(4)]
}

impl Scene {
    /// Creates the objects of an epoch.
    pub(super) fn new(cl: &'static Cl, threads: usize, small: bool, seed: u64) -> Result<Scene, Failure> {
        let mut random = Random::new(seed);
        let context = cl.context()?;
        let more = if cl.images { IMAGE_SOURCE } else { "" };
        let program = context.build(&format!("{SOURCE}{more}"), "")?;
        let mut memory = Vec::new();
        let order = if cl.out_of_order {
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
        } else {
            0
        };
        let queues = [0, order, order | CL_QUEUE_PROFILING_ENABLE, 0];
        let queues = (queues.iter().enumerate())
            .map(|(i, properties)| cl.queue(&context, *properties, i))
            .collect::<Result<_, _>>()?;
        // A block has an odd number of words, so that blocks begin at words of any alignment.
        let part = BLOCKS * if small || random.one_in(2) { 67 } else { 5003 };
        let mut scene = Scene {
            cl,
            domains: Vec::new(),
            queues,
            common: Vec::new(),
            part,
            clock: AtomicU64::new(1),
            stamps: AtomicU32::new(1),
            steps: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            gates: Mutex::default(),
            program,
            context,
            _memory: Mutex::default(),
        };
        for _ in 0..3 {
            let mem = scene.buffer(part * threads, &mut memory, &mut random)?;
            scene.common.push(mem);
        }
        for index in 0..1 + random.below(3) {
            let domain = scene.domain(index, small, &mut memory, &mut random)?;
            scene.domains.push(domain);
        }
        scene._memory = Mutex::new(memory);
        Ok(scene)
    }

    /// Creates a buffer with random flags.
    fn buffer(&self, words: usize, all: &mut Vec<Memory>, random: &mut Random) -> Result<Handle, Failure> {
        let flags = flags(random);
        let host = if flags == CL_MEM_USE_HOST_PTR {
            let memory = Memory::new(vec![0; 4 * words]);
            all.push(memory);
            all[all.len() - 1].ptr()
        } else {
            std::ptr::null_mut()
        };
        self.context.buffer(flags, 4 * words, host)
    }

    /// Creates an in-order queue with memory objects of its own.
    fn domain(
        &self,
        index: usize,
        small: bool,
        memory: &mut Vec<Memory>,
        random: &mut Random,
    ) -> Result<Domain, Failure> {
        let cl = self.cl;
        let times = if random.one_in(3) {
            CL_QUEUE_PROFILING_ENABLE
        } else {
            0
        };
        let queue = cl.queue(&self.context, times, index)?;
        let mut objects = Vec::new();
        for _ in 0..2 {
            let words = match random.below(8) {
                _ if small => 4 << 10,
                0 => 4 << 20,
                1..4 => 256 << 10,
                _ => 16 << 10,
            };
            let mem = self.buffer(words, memory, random)?;
            // Half of the objects are reached through a sub-buffer.
            if random.one_in(2) {
                let half = words / 2;
                let sub = mem.sub_buffer(2 * words, 2 * words)?;
                objects.push(Target::buffer(sub, 0, half));
            } else {
                objects.push(Target::buffer(mem, 0, words));
            }
        }
        if cl.images {
            let words = if small || random.one_in(2) {
                4 << 10
            } else {
                1 << 20
            };
            let size = Target::size(words);
            let mem = self.context.image(0, size, std::ptr::null_mut())?;
            objects.push(Target::image(mem, words));
        }
        let counter = self.context.buffer(0, 4 * COUNTERS, std::ptr::null_mut())?;
        queue.fill(&counter, &[0; 4], (0, 4 * COUNTERS), &[])?;
        let mut history = History::default();
        for (object, target) in objects.iter().enumerate() {
            // The first command on the object gives every block a stamp.
            let stamp = self.stamp();
            let begun = self.now();
            if target.image {
                let place = crate::cl::Place::all(Target::size(target.block * BLOCKS));
                queue.image_fill((&target.mem, place), stamp, &[])?;
            } else {
                let size = 4 * target.block * BLOCKS;
                queue.fill(&target.mem, &stamp.to_le_bytes(), (0, size), &[])?;
            }
            history.writes.push(Write {
                span: Span {
                    begun,
                    returned: self.now(),
                },
                object,
                blocks: 0..BLOCKS,
                stamp,
                how: "first fill",
            });
        }
        Ok(Domain {
            queue,
            objects,
            counter,
            begun: AtomicU32::new(0),
            returned: AtomicU32::new(0),
            history: Mutex::new(history),
        })
    }

    /// Returns a new stamp for a command that writes.
    pub(super) fn stamp(&self) -> Stamp {
        self.stamps.fetch_add(1, Ordering::SeqCst)
    }

    /// Returns a time that no other call gets.
    pub(super) fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// Counts a step. The count keeps changing as long as nothing hangs.
    pub(super) fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Creates a user event that the opener's thread completes a little later.
    pub(super) fn gate(&self) -> Result<Handle, Failure> {
        let event = self.context.user_event()?;
        self.gates.lock().push(event.clone());
        Ok(event)
    }

    /// Opens gates until [`Scene::stop`] is called: the body of the opener's thread.
    pub(super) fn open_gates(&self, seed: u64) -> Result<(), Failure> {
        let mut random = Random::new(seed ^ 0xABCD);
        loop {
            let stop = self.stop.load(Ordering::SeqCst);
            let gates = std::mem::take(&mut *self.gates.lock());
            gates.iter().try_for_each(|gate| gate.set_status(CL_COMPLETE))?;
            // A wait for an event of another queue needs a flush of that queue first (CL 5.13).
            let all = self.domains.iter().map(|d| &d.queue).chain(&self.queues);
            for queue in all {
                queue.flush()?;
            }
            if stop && gates.is_empty() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_micros(200 + random.below(1500) as u64));
        }
    }

    /// Tells the opener's thread to end once all gates are open.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Judges the histories of the in-order queues. All threads have ended.
    pub(super) fn judge(&self) -> Vec<Finding> {
        let histories = self.domains.iter().map(|d| d.history.lock());
        histories.flat_map(|h| h.judge()).collect()
    }
}
