//! `cargo harness stress`: threads call the OpenCL API at random on shared objects, and every result is
//! checked.
//!
//! There are three tests:
//!
//! ```text
//! locked        a lock around each shared object: the contents of all objects are known at any time
//! unlocked      no locks: a result is right if some order of the commands gives it
//! inject        one Vulkan call fails at a time, under commands of all types
//! ```
//!
//! These modules serve them:
//!
//! ```text
//! cl            the devices, and the features that all of them have
//! dependencies  the events that order the commands on one object
//! world, ops, callbacks    the objects, operations and callbacks of `locked`
//! ```
//!
//! See `docs/stress.md`.

mod callbacks;
mod cl;
mod dependencies;
mod inject;
mod locked;
mod ops;
mod unlocked;
mod world;

use crate::cl::Choice;
use crate::{Outcome, progress};
use cl::Cl;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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

/// Runs the test that the options choose.
pub(crate) fn run(args: &Args) -> Outcome {
    let place = args.choice.locate()?;
    if args.play_faults {
        let lost = std::env::var("CALDERA_DEBUG").is_ok_and(|d| d.contains("lose-device"));
        return inject::play(|| Cl::open(&place, 1), lost);
    }
    if args.inject {
        let device = args.choice.device.iter().flat_map(|d| ["--device", d]);
        let platform = ["--platform", place.library()];
        let arguments: Vec<&str> = platform.into_iter().chain(device).collect();
        return inject::run(&arguments, args);
    }
    let cl = Cl::open(&place, args.devices.max(1))?;
    let seed = match args.seed {
        Some(seed) => seed,
        None => SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
    };
    say!("{}: {} threads, seed {seed}", cl.name, args.threads);
    match args.unlocked {
        true => unlocked::run(cl, args, seed),
        false => locked::run(cl, args, seed),
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
