//! `cargo harness stress` without further options: every shared object has a lock, so the contents of all objects are known
//! at any time.

use super::cl::Cl;
use super::world::World;
use super::{Args, Watch, ops};
use crate::{Failure, Outcome, process, progress};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// After this number of epochs, the process has allocated all memory that it keeps for good.
const SETTLED: u64 = 3;

/// Runs epochs until the time is over.
pub(super) fn run(cl: &'static Cl, args: &Args, seed: u64) -> Outcome {
    let end = Instant::now() + Duration::from_secs(args.seconds);
    let mut totals = vec![0u64; ops::ALL.len()];
    let (mut epochs, mut settled) = (0, None);
    while Instant::now() < end {
        let until = end.min(Instant::now() + Duration::from_secs(args.epoch));
        let world = World::new(cl, seed.wrapping_add(epochs << 20), args.clone())?;
        let result = epoch(&world, args, until);
        for (total, count) in totals.iter_mut().zip(world.counts()) {
            *total += count;
        }
        result
            .map_err(|Failure(why)| failure!("{why}\n--seed {seed}, epoch {epochs} (of {} s)", args.epoch))?;
        epochs += 1;
        if epochs == SETTLED {
            settled = process::resident();
        }
    }
    let counts = ops::ALL.iter().zip(&totals);
    let counts: Vec<String> = counts.map(|(op, n)| format!("{n} {}", op.name)).collect();
    progress::line(&counts.join(", "));
    let all: u64 = totals.iter().sum();
    say!("{all} operations in {epochs} epochs, all results right");
    if let Some((before, after)) = settled.zip(process::resident()) {
        say!(
            "resident memory {} MiB after epoch {SETTLED}, {} MiB at the end",
            before >> 20,
            after >> 20
        );
    }
    Ok(())
}

/// Runs the threads of one epoch on a world, and ends the world.
fn epoch(world: &Arc<World>, args: &Args, until: Instant) -> Outcome {
    let workers: Vec<JoinHandle<()>> = (0..args.threads)
        .map(|index| start(world, move |world| ops::work(world, index, until)))
        .collect();
    let opener = start(world, |world| world.open_gates());
    let mut watch = Watch::new(args);
    let mut wait = |is_over: &dyn Fn() -> bool, pause: Duration| {
        while !is_over() {
            watch.look(world.steps(), || world.doing());
            std::thread::sleep(pause);
        }
    };
    wait(
        &|| workers.iter().all(JoinHandle::is_finished),
        Duration::from_millis(20),
    );
    for worker in workers {
        if worker.join().is_err() {
            world.fail("a thread panicked".into());
        }
    }
    // `World::end` waits for commands, so the opener and the watchdog are still needed.
    let ending = start(world, |world| world.end());
    wait(&|| ending.is_finished(), Duration::from_millis(5));
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

/// Starts a thread that works on a world.
fn start<R: Send + 'static>(
    world: &Arc<World>,
    work: impl FnOnce(&Arc<World>) -> R + Send + 'static,
) -> JoinHandle<R> {
    let world = Arc::clone(world);
    std::thread::spawn(move || work(&world))
}
