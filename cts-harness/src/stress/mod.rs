//! `cargo harness stress`: threads call the OpenCL API at random on shared objects, and every result is
//! checked.
//!
//! ```text
//! cl          the devices
//! world       contexts with queues, objects with their expected contents, gates, and commands to be checked
//! ops         the operations of the threads
//! dependencies  the events that order the commands on one object
//! callbacks   callbacks, which call the API themselves
//! inject      faults: one Vulkan call fails at a time, under commands of all types
//! unlocked    threads without locks; a result is right if some order of the commands gives it
//! ```
//!
//! See `docs/stress.md`.

mod callbacks;
mod cl;
mod dependencies;
mod inject;
mod ops;
mod unlocked;
mod world;

use crate::cl::Choice;
use crate::{Failure, Outcome, progress};
use cl::Cl;
use std::sync::Arc;
use std::time::{Duration, Instant};
use world::World;

#[derive(clap::Args, Clone)]
pub(crate) struct Args {
    #[command(flatten)]
    choice: Choice,
    /// The number of the platform's devices in a context, at most
    #[arg(long, default_value_t = 1, value_name = "N")]
    devices: usize,
    /// The duration of the test in seconds
    #[arg(long, default_value_t = 60, value_name = "N")]
    seconds: u64,
    /// The number of threads
    #[arg(long, default_value_t = 8, value_name = "N")]
    threads: usize,
    /// The seed of the random numbers; by default it is taken from the time
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Release all objects and create them anew after this time
    #[arg(long, default_value_t = 3, value_name = "SECONDS")]
    epoch: u64,
    /// Abort the process after this time without progress, and print the operation of each thread before
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    patience: u64,
    /// Also pass invalid handles: Caldera returns CL_INVALID_…, other implementations may crash
    #[arg(long)]
    wrong_handles: bool,
    /// Use no locks around shared objects; results are judged by what any legal order of the commands gives
    #[arg(long)]
    unlocked: bool,
    /// Start one process for each Vulkan call that may fail, in which this call fails; nothing worse may
    /// happen (Caldera only)
    #[arg(long)]
    inject: bool,
    /// With `--inject`, try only every Nth of these calls
    #[arg(long, default_value_t = 1, value_name = "N")]
    every: u32,
    /// Run the scenario of `--inject` in this process, which is one of its children
    #[arg(long, hide = true)]
    play_faults: bool,
    /// Run only operations whose name contains this text, and operations that check; may be given several
    /// times
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Keep buffers below 64 KiB, for slow machines and checkers
    #[arg(long)]
    small: bool,
}

/// Runs epochs until the time is over.
pub(crate) fn run(args: &Args) -> Outcome {
    let place = args.choice.locate()?;
    if args.play_faults {
        let lost = std::env::var("CALDERA_DEBUG").is_ok_and(|d| d.contains("lose-device"));
        return inject::play(|| Cl::open(&place, 1), lost);
    }
    if args.inject {
        let device = args.choice.device.iter().flat_map(|d| ["--device", d]);
        let arguments: Vec<&str> = ["--platform", place.library()]
            .into_iter()
            .chain(device)
            .collect();
        return inject::run(&arguments, args);
    }
    let cl = Cl::open(&place, args.devices.max(1))?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let seed = args.seed.unwrap_or(now.as_secs());
    say!("{}: {} threads, seed {seed}", cl.name, args.threads);
    if args.unlocked {
        return unlocked::run(cl, args, seed);
    }
    let end = Instant::now() + Duration::from_secs(args.seconds);
    let mut totals = vec![0u64; ops::ALL.len()];
    let mut epoch = 0;
    let mut memory = None;
    while Instant::now() < end {
        let until = end.min(Instant::now() + Duration::from_secs(args.epoch));
        let world = World::new(cl, seed.wrapping_add(epoch << 20), args.clone())?;
        let result = one_epoch(&world, args, until);
        for (total, count) in totals.iter_mut().zip(world.counts()) {
            *total += count;
        }
        result
            .map_err(|Failure(why)| failure!("{why}\n--seed {seed}, epoch {epoch} (of {} s)", args.epoch))?;
        epoch += 1;
        // By the third epoch, all memory that the process keeps for good is allocated.
        if epoch == 3 {
            memory = crate::process::resident();
        }
    }
    let counted: Vec<String> = (ops::ALL.iter().zip(&totals))
        .map(|(op, n)| format!("{n} {}", op.name))
        .collect();
    progress::line(&counted.join(", "));
    let all: u64 = totals.iter().sum();
    say!("{all} operations in {epoch} epochs, all results right");
    if let Some((before, after)) = memory.zip(crate::process::resident()) {
        say!(
            "resident memory {} MiB after the third epoch, {} MiB at the end",
            before >> 20,
            after >> 20
        );
    }
    Ok(())
}

/// Runs the threads of one epoch on a world, and ends the world.
fn one_epoch(world: &Arc<World>, args: &Args, until: Instant) -> Outcome {
    let mut threads: Vec<_> = (0..args.threads)
        .map(|index| {
            let world = Arc::clone(world);
            std::thread::spawn(move || ops::work(&world, index, until))
        })
        .collect();
    let opener = {
        let world = Arc::clone(world);
        std::thread::spawn(move || world.open_gates())
    };
    let mut watch = Watch::new(args);
    let mut look = || watch.look(world.steps(), || world.doing());
    while threads.iter().any(|t| !t.is_finished()) {
        look();
        std::thread::sleep(Duration::from_millis(20));
    }
    for thread in threads.drain(..) {
        if thread.join().is_err() {
            world.fail("a thread panicked".into());
        }
    }
    // `World::end` waits for commands, too, so the thread that opens the gates and the watchdog still run.
    let ending = {
        let world = Arc::clone(world);
        std::thread::spawn(move || world.end())
    };
    while !ending.is_finished() {
        look();
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = ending.join().unwrap_or_else(|_| fail!("the end panicked"));
    world.close();
    if opener.join().is_err() {
        world.fail("the opener panicked".into());
    }
    match world.failure() {
        Some(why) => Err(Failure(why)),
        None => ended,
    }
}

/// A watchdog that aborts the process when there is no more progress.
struct Watch {
    patience: Duration,
    last: (u64, Instant),
}

impl Watch {
    fn new(args: &Args) -> Watch {
        Watch {
            patience: Duration::from_secs(args.patience),
            last: (0, Instant::now()),
        }
    }

    /// Looks at the number of steps so far. `doing` says what each thread does.
    fn look(&mut self, steps: u64, doing: impl FnOnce() -> Vec<&'static str>) {
        let (seen, since) = self.last;
        if steps != seen {
            self.last = (steps, Instant::now());
        } else if since.elapsed() > self.patience {
            progress::error(&format!("no progress for {:?}:", self.patience));
            for (thread, doing) in doing().iter().enumerate() {
                progress::error(&format!("  thread {thread}: {doing}"));
            }
            // An abort can leave a core file, which shows where each thread hangs.
            std::process::abort();
        }
    }
}
