//! Threads that share queues, buffers and events: chains of commands over all queues and devices, user events that
//! another thread sets, callbacks that enqueue, native kernels, queries and releases at any time. The test knows
//! every result.
//!
//! `docs/thread-sanitizer.md` says how to run this and the other tests under ThreadSanitizer.

mod support;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use caldera_runtime::context::Context;
use caldera_runtime::event::{Event, Status};
use caldera_runtime::kernel::Kernel;
use caldera_runtime::mem::Buffer;
use caldera_runtime::platform::Platform;
use caldera_runtime::program::Program;
use caldera_runtime::queue::{CommandQueue, QueueProperties, Waits};
use support::*;

const THREADS: usize = 4;
const ROUNDS: usize = 50;
const N: usize = 64;

/// A buffer, the value that each of its elements has after the last command, and the event of that command.
struct Chain {
    buffer: Arc<Buffer>,
    value: f32,
    last: Option<Arc<Event>>,
}

struct World {
    program: Arc<Program>,
    ones: Arc<Buffer>,
    queues: Vec<Mutex<Arc<CommandQueue>>>,
    chains: Vec<Mutex<Chain>>,
    called: Arc<AtomicU32>,
    context: Arc<Context>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a queue of one of the devices, in order or out of order, with or without profiling, as `kind` selects.
fn make_queue(context: &Arc<Context>, kind: usize) -> Arc<CommandQueue> {
    let properties = QueueProperties {
        out_of_order: kind & 2 != 0,
        profiling: kind & 1 != 0,
    };
    let devices = context.devices();
    CommandQueue::create(context, &devices[(kind / 3) % devices.len()], properties).expect("queue")
}

fn after(list: &[Arc<Event>]) -> Waits<'_> {
    Waits {
        list,
        want_event: true,
    }
}

impl World {
    fn queue(&self, index: usize) -> Arc<CommandQueue> {
        Arc::clone(&lock(&self.queues[index % self.queues.len()]))
    }

    /// Flushes all queues.
    fn flush(&self) {
        for queue in &self.queues {
            let queue = Arc::clone(&lock(queue));
            queue.flush().expect("flush");
        }
    }

    /// Adds 1 to each element, by a kernel of the device or by a native kernel.
    fn add(
        &self,
        queue: &Arc<CommandQueue>,
        buffer: &Arc<Buffer>,
        native: bool,
        list: &[Arc<Event>],
    ) -> Arc<Event> {
        let enqueued = if native {
            let function = Box::new(|places: &[Option<caldera_runtime::mem::HostPtr>]| {
                let at = places[0].expect("one buffer").as_ptr().cast::<[f32; N]>();
                // SAFETY: `at` is the memory of the buffer, N floats, and no other command uses it at the same time.
                let words = unsafe { &mut *at };
                words.iter_mut().for_each(|w| *w += 1.0);
            });
            queue.enqueue_native(&[Some(Arc::clone(buffer))], function, after(list))
        } else {
            let args = saxpy_args(1.0, &self.ones, buffer);
            let kernel = Kernel::create(&self.program, "saxpy").expect("kernel");
            launch(queue, &kernel, &args, items(N, None), after(list))
        };
        enqueued.expect("enqueued").expect("an event")
    }

    /// Enqueues the commands of a thread. User events that a command waits for go to `gates`, which another thread sets.
    fn work(&self, thread: usize, gates: &mpsc::Sender<Arc<Event>>) {
        let mut reads: Vec<(Vec<Cell<f32>>, Arc<Event>, f32)> = Vec::new();
        for round in 0..ROUNDS {
            let number = round * THREADS + thread;
            let queue = self.queue(number);
            let mut chain = lock(&self.chains[number % self.chains.len()]);
            let mut list: Vec<Arc<Event>> = chain.last.iter().cloned().collect();
            if number.is_multiple_of(5) {
                let gate = Event::user(&self.context);
                list.push(Arc::clone(&gate));
                gates.send(gate).expect("the opener lives");
            }
            let event = self.add(&queue, &chain.buffer, number.is_multiple_of(6), &list);
            chain.value += 1.0;
            chain.last = Some(Arc::clone(&event));
            if number.is_multiple_of(3) {
                let memory = cells(vec![f32::NAN; N]);
                let read = self
                    .queue(number / 3)
                    .enqueue_read(
                        linear(&chain.buffer, 0, 4 * N, host(&memory)),
                        false,
                        after(&[event]),
                    )
                    .expect("enqueued")
                    .expect("an event");
                // The next command that writes waits for this read, and so for the write before it.
                chain.last = Some(Arc::clone(&read));
                reads.push((memory, read, chain.value));
            } else if number.is_multiple_of(7) {
                let (called, marks) = (Arc::clone(&self.called), Arc::clone(&queue));
                event.on_status(
                    Status::Complete,
                    Box::new(move |status| {
                        assert_eq!(status, Status::Complete);
                        marks.enqueue_marker(NOTHING).expect("marker");
                        called.fetch_add(1, Ordering::SeqCst);
                    }),
                );
            }
            drop(chain);
            if number.is_multiple_of(4) {
                queue.flush().expect("flush");
            }
            if number.is_multiple_of(11) {
                let fresh = make_queue(&self.context, number);
                let old = std::mem::replace(&mut *lock(&self.queues[number % self.queues.len()]), fresh);
                old.flush_for_release().expect("release");
            }
            if reads.len() > 3 {
                self.flush();
                self.check(reads.remove(0));
            }
        }
        self.flush();
        reads.into_iter().for_each(|r| self.check(r));
    }

    fn check(&self, (memory, event, value): (Vec<Cell<f32>>, Arc<Event>, f32)) {
        let _ = event.status();
        Event::wait_all(&[event]).expect("wait");
        assert_eq!(values(&memory), [value; N]);
    }
}

#[test]
fn chains_over_queues_and_threads() {
    let devices = Platform::get().expect("a Vulkan driver").devices();
    let context = Context::create(devices, Vec::new(), None).expect("context");
    let called = Arc::new(AtomicU32::new(0));
    let world = World {
        program: built(&context, SAXPY),
        ones: buffer_of(&context, &[1.0; N]),
        queues: (0..6)
            .map(|kind| Mutex::new(make_queue(&context, kind)))
            .collect(),
        chains: (0..3)
            .map(|_| {
                Mutex::new(Chain {
                    buffer: buffer_of(&context, &[0.0; N]),
                    value: 0.0,
                    last: None,
                })
            })
            .collect(),
        called: Arc::clone(&called),
        context: Arc::clone(&context),
    };
    let (gates, opened) = mpsc::channel::<Arc<Event>>();
    std::thread::scope(|s| {
        s.spawn(move || {
            for gate in opened {
                std::thread::sleep(Duration::from_micros(200));
                gate.set_user_status(Status::Complete).expect("first");
            }
        });
        for thread in 0..THREADS {
            let (world, gates) = (&world, gates.clone());
            s.spawn(move || world.work(thread, &gates));
        }
        drop(gates);
    });
    world.flush();
    for chain in &world.chains {
        let mut chain = lock(chain);
        Event::wait_all(&[chain.last.take().expect("commands")]).expect("wait");
        assert_eq!(read(&world.queue(0), &chain.buffer), vec![chain.value; N]);
    }
    let numbers = 0..THREADS * ROUNDS;
    let wanted = numbers
        .filter(|n| n.is_multiple_of(7) && !n.is_multiple_of(3))
        .count() as u32;
    let start = Instant::now();
    while called.load(Ordering::SeqCst) < wanted {
        assert!(start.elapsed() < Duration::from_secs(30), "callbacks are missing");
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(world);
    assert_eq!(caldera_runtime::validation_messages(), 0, "see the log");
}

/// The same with two devices in the context: the child process has a Vulkan loader that lists lavapipe twice.
#[test]
fn chains_over_two_devices() {
    let folder = Path::new("/usr/share/vulkan/icd.d");
    let list = std::fs::read_dir(folder).expect("drivers");
    let names = list.map(|e| e.expect("a name").path());
    let is_lavapipe = |p: &PathBuf| p.to_string_lossy().contains("/lvp_icd");
    let driver = names
        .into_iter()
        .find(is_lavapipe)
        .expect("lavapipe is installed");
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("second-driver.json");
    std::fs::copy(&driver, &copy).expect("a copy");
    let out = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "chains_over_queues_and_threads"])
        .env(
            "VK_DRIVER_FILES",
            format!("{}:{}", driver.display(), copy.display()),
        )
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && text.contains("1 passed"), "{text}");
}
