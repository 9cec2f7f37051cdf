//! `cargo harness stress --unlocked`: threads share queues and memory without any locks.
//!
//! ```text
//! scene      the objects that the threads share
//! access     the ways in which commands write and read
//! history    whether any order of the commands gives the results of the reads
//! private    the commands of each thread on its own parts of common buffers
//! ```
//!
//! All threads write and read the same objects through an in-order queue: only the queue determines the
//! order, and the results are judged by what any legal order gives. Through all other queues, each thread
//! uses its own part of common buffers, ordered by events.

mod access;
mod history;
mod private;
mod scene;

use super::cl::Cl;
use crate::cl::{Argument, Handle, Memory};
use crate::random::Random;
use crate::{Failure, Outcome, progress};
use access::{BLOCKS, Reading, Tools, Writing};
use history::{Fault, Finding, Read, Span, Write};
use opencl_sys::*;
use private::{Own, wait_for};
use scene::{COUNTERS, Domain, Scene};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The number of commands of one thread in an epoch, so that histories are short enough to be judged as a
/// whole.
const STEPS: usize = 40;
/// A thread checks its results when it has more pending commands than this.
const PENDING: usize = 6;
/// The number of results with each fault that are printed in full.
const PRINTED: usize = 3;

/// Runs epochs until the time is over, then reports how many results were wrong, by fault.
pub(super) fn run(cl: &'static Cl, args: &super::Args, seed: u64) -> Outcome {
    let end = Instant::now() + Duration::from_secs(args.seconds);
    let mut totals: BTreeMap<Fault, usize> = BTreeMap::new();
    let (mut epochs, mut commands) = (0u64, 0);
    while Instant::now() < end {
        let seed = seed.wrapping_add(epochs << 20);
        let (done, findings) = epoch(cl, args, seed)?;
        for Finding { fault, why } in findings {
            let count = totals.entry(fault).or_default();
            *count += 1;
            if *count <= PRINTED {
                progress::error(&format!("{fault:?}, seed {seed}: {why}"));
            }
        }
        commands += done;
        epochs += 1;
    }
    let did = format!("{commands} commands in {epochs} epochs");
    if totals.is_empty() {
        say!("{did}, every result is one that some order gives");
        return Ok(());
    }
    let list: Vec<String> = totals.iter().map(|(fault, n)| format!("{n} {fault:?}")).collect();
    let list = list.join(", ").to_lowercase();
    fail!("{did}; results that no order gives: {list}")
}

/// Runs the threads of one epoch. Returns the number of steps and the results that were wrong.
fn epoch(cl: &'static Cl, args: &super::Args, seed: u64) -> Result<(u64, Vec<Finding>), Failure> {
    let threads = 1 + Random::new(seed).below(args.threads.max(1));
    let threads = if Random::new(seed ^ 77).one_in(3) {
        threads
    } else {
        args.threads.max(1)
    };
    let scene = Scene::new(cl, threads, args.small, seed)?;
    let mut findings = Vec::new();
    std::thread::scope(|scope| -> Outcome {
        let shared = &scene;
        let opener = scope.spawn(move || shared.open_gates(seed));
        let workers: Vec<_> = (0..threads)
            .map(|index| scope.spawn(move || Worker::new(shared, index, seed)?.work()))
            .collect();
        let mut watch = super::Watch::new(args);
        while workers.iter().any(|w| !w.is_finished()) {
            watch.look(scene.steps(), Vec::new);
            std::thread::sleep(Duration::from_millis(2));
        }
        let mut failure = Ok(());
        for worker in workers {
            match worker.join() {
                Ok(Ok(found)) => findings.extend(found),
                Ok(Err(why)) => failure = Err(why),
                Err(_) => failure = fail!("a thread panicked"),
            }
        }
        if failure.is_ok() {
            failure = scene
                .domains
                .iter()
                .try_for_each(|d| last_look(shared, d, &mut findings));
        }
        scene.stop();
        let opened = opener.join().unwrap_or_else(|_| fail!("the opener panicked"));
        failure.and(opened)
    })
    .map_err(|Failure(why)| failure!("{why}\n--unlocked, seed of the epoch {seed}"))?;
    findings.extend(scene.judge());
    findings.extend(judge_callbacks());
    Ok((scene.steps(), findings))
}

/// Waits for all commands of the queue, reads the final contents, and checks that each increment was done
/// once.
fn last_look(scene: &Scene, domain: &Domain, findings: &mut Vec<Finding>) -> Outcome {
    domain.queue.finish()?;
    let tools = Tools::new(scene.cl, &scene.context, &scene.program)?;
    for (object, target) in domain.objects.iter().enumerate() {
        let mut random = Random::new(0);
        let (reading, span) = spanned(scene, |now| {
            tools.read(&domain.queue, target, &(0..BLOCKS), &[], (&mut random, now))
        })?;
        wait_for(scene, &reading.event)?;
        domain.history.lock().reads.push(Read {
            span,
            object,
            first: 0,
            got: reading.blocks(),
            how: reading.how,
            last: true,
        });
    }
    let wanted = domain.returned.load(Ordering::SeqCst);
    findings.extend(check_counter(scene, domain, &[], (wanted, wanted))?);
    Ok(())
}

/// Calls `enqueue` with a function that notes the time, which `enqueue` calls before and after its enqueue calls. Returns the
/// result of `enqueue`, and the time from the first note to the last.
fn spanned<R>(
    scene: &Scene,
    enqueue: impl FnOnce(&mut dyn FnMut()) -> Result<R, Failure>,
) -> Result<(R, Span), Failure> {
    let mut times = Vec::new();
    let result = enqueue(&mut || times.push(scene.now()))?;
    let (begun, returned) = (times[0], times[times.len() - 1]);
    Ok((result, Span { begun, returned }))
}

/// Reads the counter, which must be between `least` and `most`.
fn check_counter(
    scene: &Scene,
    domain: &Domain,
    after: &[Handle],
    (least, most): (u32, u32),
) -> Result<Option<Finding>, Failure> {
    let memory = Memory::new(vec![0xCC; 4 * COUNTERS]);
    let event = domain.queue.read(&domain.counter, false, 0, &memory, after)?;
    // Increments whose calls began before the read's call returned may be included.
    let most = most.max(domain.begun.load(Ordering::SeqCst));
    domain.queue.flush()?;
    wait_for(scene, &event)?;
    let words: Vec<u32> = memory
        .bytes()
        .as_chunks::<4>()
        .0
        .iter()
        .map(|b| u32::from_le_bytes(*b))
        .collect();
    let first = words[0];
    let fault = match words.iter().find(|w| **w != first) {
        Some(_) => Fault::Torn,
        None if first < least => Fault::Lost,
        None if first > most => Fault::Duplicated,
        None => return Ok(None),
    };
    let why = format!("{first} increments, not {least} to {most}");
    Ok(Some(Finding { fault, why }))
}

struct Worker<'a> {
    scene: &'a Scene,
    tools: Tools,
    /// The kernel that adds 1 to the counters.
    add: Handle,
    random: Random,
    own: Own,
    /// The reads that have not been judged, with the number of their domain.
    readings: Vec<(usize, Read, Reading)>,
    writings: Vec<Writing>,
    findings: Vec<Finding>,
}

impl<'a> Worker<'a> {
    fn new(scene: &'a Scene, index: usize, seed: u64) -> Result<Worker<'a>, Failure> {
        Ok(Worker {
            scene,
            tools: Tools::new(scene.cl, &scene.context, &scene.program)?,
            add: scene.program.kernel("add")?,
            random: Random::new(seed ^ (index as u64 + 1) << 40),
            own: Own::new(scene, index)?,
            readings: Vec::new(),
            writings: Vec::new(),
            findings: Vec::new(),
        })
    }

    fn work(mut self) -> Result<Vec<Finding>, Failure> {
        for _ in 0..STEPS {
            self.scene.step();
            let domain = self.random.below(self.scene.domains.len());
            match self.random.below(12) {
                0..4 => self.write(domain)?,
                4..8 => self.read(domain)?,
                8 => self.increment(domain)?,
                _ => {
                    let found = self.own.step(self.scene, &self.tools, &mut self.random)?;
                    self.findings.extend(found);
                }
            }
            let queue = &self.scene.domains[domain].queue;
            if self.random.one_in(3) {
                queue.flush()?;
            }
            if self.random.one_in(20) {
                queue.finish()?;
            }
            if self.readings.len() + self.writings.len() > PENDING {
                self.settle()?;
            }
        }
        self.settle()?;
        let last = self.own.last_look(self.scene, &self.tools, &mut self.random)?;
        self.findings.extend(last);
        Ok(self.findings)
    }

    fn after(&mut self) -> Result<Vec<Handle>, Failure> {
        Ok(match self.random.one_in(10) {
            true => vec![self.scene.gate()?],
            false => Vec::new(),
        })
    }

    fn write(&mut self, domain: usize) -> Outcome {
        let after = self.after()?;
        let place = &self.scene.domains[domain];
        let object = self.random.below(place.objects.len());
        let blocks = self.blocks();
        let stamp = self.scene.stamp();
        let (target, random) = (&place.objects[object], &mut self.random);
        let (writing, span) = spanned(self.scene, |now| {
            let tools = &self.tools;
            tools.write(&place.queue, target, &blocks, stamp, &after, (random, now))
        })?;
        place.history.lock().writes.push(Write {
            span,
            object,
            blocks,
            stamp,
            how: writing.how,
        });
        self.writings.push(writing);
        Ok(())
    }

    fn read(&mut self, domain: usize) -> Outcome {
        let after = self.after()?;
        let place = &self.scene.domains[domain];
        let object = self.random.below(place.objects.len());
        let blocks = self.blocks();
        let (target, random) = (&place.objects[object], &mut self.random);
        let (reading, span) = spanned(self.scene, |now| {
            let tools = &self.tools;
            tools.read(&place.queue, target, &blocks, &after, (random, now))
        })?;
        let read = Read {
            span,
            object,
            first: blocks.start,
            got: Vec::new(),
            how: reading.how,
            last: false,
        };
        self.readings.push((domain, read, reading));
        Ok(())
    }

    /// Returns the range of all blocks, or of some of them.
    fn blocks(&mut self) -> std::ops::Range<usize> {
        if self.random.one_in(2) {
            0..BLOCKS
        } else {
            self.random.range(BLOCKS)
        }
    }

    /// Adds 1 to each word of the counter, or reads the counter and checks it.
    fn increment(&mut self, domain: usize) -> Outcome {
        let after = self.after()?;
        let place = &self.scene.domains[domain];
        if self.random.one_in(3) {
            let least = place.returned.load(Ordering::SeqCst);
            let found = check_counter(self.scene, place, &after, (least, least))?;
            self.findings.extend(found);
            return Ok(());
        }
        self.add.set_all(&[Argument::Memory(&place.counter)])?;
        place.begun.fetch_add(1, Ordering::SeqCst);
        let event = place.queue.launch(&self.add, COUNTERS, None, &after)?;
        place.returned.fetch_add(1, Ordering::SeqCst);
        if self.random.one_in(2) {
            REGISTERED.fetch_add(1, Ordering::SeqCst);
            event.on_status(CL_COMPLETE, count_call, std::ptr::null_mut())?;
        }
        Ok(())
    }

    /// Waits for this thread's commands, and records what they read.
    fn settle(&mut self) -> Outcome {
        for domain in &self.scene.domains {
            domain.queue.flush()?;
        }
        for (domain, mut read, reading) in self.readings.drain(..) {
            wait_for(self.scene, &reading.event)?;
            read.got = reading.blocks();
            self.scene.domains[domain].history.lock().reads.push(read);
        }
        for writing in self.writings.drain(..) {
            wait_for(self.scene, &writing.event)?;
        }
        Ok(())
    }
}

/// The numbers of callbacks that were registered, and of callback calls, in all epochs.
static REGISTERED: AtomicU64 = AtomicU64::new(0);
static CALLED: AtomicU64 = AtomicU64::new(0);

extern "C" fn count_call(_: cl_event, _: cl_int, _: *mut c_void) {
    CALLED.fetch_add(1, Ordering::SeqCst);
}

/// Checks, after all commands are complete, that each callback was called exactly once.
fn judge_callbacks() -> Option<Finding> {
    let end = Instant::now() + Duration::from_secs(20);
    let registered = REGISTERED.load(Ordering::SeqCst);
    while CALLED.load(Ordering::SeqCst) < registered && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(1));
    }
    let called = CALLED.load(Ordering::SeqCst);
    let fault = match called.cmp(&registered) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Less => Fault::Lost,
        std::cmp::Ordering::Greater => Fault::Duplicated,
    };
    let why = format!("{called} callbacks were called, not {registered}");
    Some(Finding { fault, why })
}
