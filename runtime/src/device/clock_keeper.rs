//! The thread that keeps the clock of an NVIDIA GPU up while commands run.
//!
//! NVIDIA's driver lowers the clock of a GPU to that of an idle one when, for some seconds, the GPU was busy for less
//! than about half of the time, unless a CUDA context exists on it. A program that launches kernels with pauses
//! in between then runs each of them several times slower than with NVIDIA's OpenCL, which is such a context.
//! Vulkan has no function for it, and more work on the GPU does not help unless it fills most of the time
//! (measured: `PERFORMANCE.md`). So while commands run, the runtime keeps a CUDA context that executes nothing.
//!
//! The driver needs the GPU to make a context, and lets it wait for at most five seconds: then it ends the launch that
//! occupies the GPU, and the Vulkan device is lost (measured with launches of 9 seconds on an H100). So the context is
//! made, and given back, only while no batch is in flight, and batches that are submitted meanwhile wait.
//!
//! The context takes time to make and some hundred MiB of device memory. Programs that use the GPU only briefly do
//! not pay for it: it is made one [`PERIOD`] after the first command, by a thread of its own, and given back after
//! [`IDLE`] periods without commands. If it cannot be made, the log has a line, and nothing else changes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::config::config;
use crate::lock::{Condvar, Mutex, Rank};
use crate::process;
use crate::vk::{CudaContext, Facts, PciAddress};

/// The interval at which the thread looks whether commands have run. The driver lowers the clock about four seconds
/// after the device was opened.
const PERIOD: Duration = Duration::from_secs(1);
/// The number of successive periods without commands after which the context is given back.
const IDLE: u32 = 30;
/// The interval at which the thread looks for a moment without batches in flight, and at which a batch looks whether
/// the thread is done.
const LOOK: Duration = Duration::from_millis(5);
/// The least device memory of a GPU on which a context is made, because its share would be too large on smaller ones.
const LEAST_MEMORY: u64 = 4 << 30;

/// What the thread does at the end of a period.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Step {
    Wait,
    Take,
    GiveBack,
    Sleep,
}

/// The rule by which the thread takes the context and gives it back.
#[derive(Default, Debug)]
struct Rule {
    holds: bool,
    /// The number of successive periods without commands.
    quiet: u32,
}

impl Rule {
    /// Returns the step at the end of a period in which commands ran or not. A thread that sleeps is woken by the
    /// next command; its next period begins then.
    fn step(&mut self, commands_ran: bool) -> Step {
        self.quiet = if commands_ran { 0 } else { self.quiet + 1 };
        match (self.holds, self.quiet) {
            (false, 0) => Step::Take,
            (false, _) => Step::Sleep,
            (true, IDLE..) => Step::GiveBack,
            (true, _) => Step::Wait,
        }
    }

    /// Notes that a step has been done. Otherwise a later period takes it again.
    fn done(&mut self, step: Step) {
        match step {
            Step::Take => self.holds = true,
            Step::GiveBack => self.holds = false,
            Step::Wait | Step::Sleep => {}
        }
    }
}

/// The clock keeper of an opened device. Its thread is started by the first command that completes, and ends with
/// the keeper.
pub(super) struct ClockKeeper {
    pci: PciAddress,
    /// The number of batches that have completed.
    batches: AtomicU64,
    /// The number of batches that are in flight, or about to be submitted.
    in_flight: AtomicU64,
    /// Whether the thread is making the context or giving it back.
    changes: AtomicBool,
    /// Whether the thread must be started or woken by the next batch.
    sleeps: AtomicBool,
    state: Mutex<State>,
    wake: Condvar,
    this: Weak<ClockKeeper>,
}

#[derive(Default)]
struct State {
    started: bool,
    stop: bool,
}

impl ClockKeeper {
    /// Makes the keeper of a device; `None` if the device needs none or the user wants none.
    pub(super) fn new(facts: &Facts) -> Option<Arc<ClockKeeper>> {
        let wanted = config().keep_clock && facts.device_local_heap >= LEAST_MEMORY;
        let pci = facts.pci.filter(|_| wanted && CudaContext::may_exist_on(facts))?;
        Some(ClockKeeper::at(pci))
    }

    /// Makes the keeper of the GPU with this address.
    fn at(pci: PciAddress) -> Arc<ClockKeeper> {
        Arc::new_cyclic(|this| ClockKeeper {
            pci,
            batches: AtomicU64::new(0),
            in_flight: AtomicU64::new(0),
            changes: AtomicBool::new(false),
            sleeps: AtomicBool::new(true),
            state: Mutex::new(Rank::Executor, State::default()),
            wake: Condvar::new(),
            this: Weak::clone(this),
        })
    }

    /// Notes that a batch of commands is about to be submitted. Waits while the thread makes the context or gives it back.
    pub(super) fn begins_batch(&self) {
        loop {
            // The order of the two accesses, and of those in `between_batches`, lets one of the threads see the other.
            self.in_flight.fetch_add(1, Ordering::SeqCst);
            if !self.changes.load(Ordering::SeqCst) {
                return;
            }
            self.leave();
            std::thread::sleep(LOOK);
        }
    }

    /// Notes that a batch has not been submitted after all.
    pub(super) fn fails_batch(&self) {
        self.leave();
    }

    /// Notes that one batch fewer is in flight.
    fn leave(&self) {
        self.in_flight.fetch_sub(1, Ordering::SeqCst);
    }

    /// Calls a function while no batch is in flight, if there is such a moment within a period. Returns whether there was.
    fn between_batches(&self, change: impl FnOnce()) -> bool {
        let end = Instant::now() + PERIOD;
        while Instant::now() < end {
            if self.in_flight.load(Ordering::SeqCst) == 0 {
                self.changes.store(true, Ordering::SeqCst);
                let changes = Changes(&self.changes);
                if self.in_flight.load(Ordering::SeqCst) == 0 {
                    change();
                    return true;
                }
                drop(changes);
            }
            std::thread::sleep(LOOK);
        }
        false
    }

    /// Notes that a batch of commands has completed.
    pub(super) fn ends_batch(&self) {
        self.leave();
        self.batches.fetch_add(1, Ordering::Relaxed);
        if self.sleeps.load(Ordering::Relaxed) && self.sleeps.swap(false, Ordering::Relaxed) {
            self.wake();
        }
    }

    /// Lets the thread give the context back and end.
    pub(super) fn stop(&self) {
        if let Some(mut state) = self.state.lock_to_release() {
            state.stop = true;
            self.wake.notify_all();
        }
    }

    fn wake(&self) {
        let mut state = self.state.lock();
        if state.started {
            self.wake.notify_all();
            return;
        }
        let Some(this) = self.this.upgrade() else { return };
        let thread = std::thread::Builder::new().name("caldera-clock".into());
        match thread.spawn(move || this.run()) {
            Ok(_) => state.started = true,
            Err(e) => log::warn!("no thread for the GPU's clock: {e}"),
        }
    }

    fn run(&self) {
        let mut rule = Rule::default();
        let mut context = None;
        let mut seen = 0;
        while self.wait_for_a_period() {
            let batches = self.batches.load(Ordering::Relaxed);
            // Measurements of the device are no reason for a CUDA context: the application may only have asked for
            // devices, and may fork and use CUDA itself.
            let step = rule.step(batches != seen && process::has_context());
            match step {
                Step::Wait => {}
                Step::Take => {
                    let mut refused = false;
                    let done = self.between_batches(|| {
                        refused = process::unless_over(|| context = self.take()) && context.is_none();
                    });
                    if refused {
                        return;
                    }
                    if done {
                        rule.done(step);
                    }
                }
                Step::GiveBack => {
                    if self.between_batches(|| _ = process::unless_over(|| context = None)) {
                        rule.done(step);
                    }
                }
                Step::Sleep => self.sleeps.store(true, Ordering::Relaxed),
            }
            seen = batches;
        }
        // After the exit has begun, the context is left to the CUDA driver.
        let context = std::mem::ManuallyDrop::new(context);
        process::unless_over(|| drop(std::mem::ManuallyDrop::into_inner(context)));
    }

    /// Makes the context, or logs why there is none.
    fn take(&self) -> Option<CudaContext> {
        CudaContext::retain(&self.pci)
            .inspect(|_| log::debug!("{}: a CUDA context keeps the clock up", self.pci))
            .inspect_err(|e| log::info!("{}: the clock may fall between launches: {e}", self.pci))
            .ok()
    }

    /// Waits until the end of a period, or for the next batch while the thread sleeps. Returns `false` if the thread
    /// is to end.
    fn wait_for_a_period(&self) -> bool {
        let mut state = self.state.lock();
        while self.sleeps.load(Ordering::Relaxed) && !state.stop {
            self.wake.wait(&mut state);
        }
        if !state.stop {
            self.wake.wait_for(&mut state, PERIOD);
        }
        !state.stop
    }
}

/// Batches wait as long as this exists, because the thread changes the context.
struct Changes<'a>(&'a AtomicBool);

impl Drop for Changes<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the steps that differ from [`Step::Wait`] and the numbers of their periods.
    fn steps(rule: &mut Rule, periods: impl IntoIterator<Item = bool>) -> Vec<(usize, Step)> {
        let all = periods.into_iter().map(|ran| {
            let step = rule.step(ran);
            rule.done(step);
            step
        });
        all.enumerate().filter(|(_, step)| *step != Step::Wait).collect()
    }

    fn keeper() -> Arc<ClockKeeper> {
        ClockKeeper::at(PciAddress::default())
    }

    #[test]
    fn the_context_changes_only_between_batches() {
        let keeper = keeper();
        keeper.begins_batch();
        assert!(!keeper.between_batches(|| panic!("a batch is in flight")));
        keeper.fails_batch();
        let (begun, begins) = std::sync::mpsc::channel();
        let other = Arc::clone(&keeper);
        let mut thread = None;
        let done = keeper.between_batches(|| {
            thread = Some(std::thread::spawn(move || {
                other.begins_batch();
                begun.send(()).unwrap();
            }));
            let early = begins.recv_timeout(Duration::from_millis(100));
            assert!(early.is_err(), "the batch does not wait");
        });
        assert!(done);
        begins.recv().unwrap();
        thread.unwrap().join().unwrap();
        assert_eq!(keeper.in_flight.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_step_that_was_not_done_is_taken_again() {
        let mut rule = Rule::default();
        assert_eq!(rule.step(true), Step::Take);
        assert_eq!(rule.step(true), Step::Take);
        rule.done(Step::Take);
        assert_eq!(rule.step(true), Step::Wait);
    }

    #[test]
    fn the_context_is_taken_once_and_given_back_when_no_commands_run() {
        let mut rule = Rule::default();
        assert_eq!(steps(&mut rule, [true; 100]), [(0, Step::Take)]);
        let quiet = usize::try_from(IDLE).unwrap();
        assert_eq!(
            steps(&mut rule, vec![false; quiet + 1]),
            [(quiet - 1, Step::GiveBack), (quiet, Step::Sleep)]
        );
    }

    #[test]
    fn pauses_do_not_give_the_context_back() {
        let mut rule = Rule::default();
        steps(&mut rule, [true]);
        for _ in 0..10 {
            assert_eq!(steps(&mut rule, vec![false; IDLE as usize - 1]), []);
            assert_eq!(steps(&mut rule, [true]), []);
        }
        steps(&mut rule, vec![false; IDLE as usize + 1]);
        assert_eq!(steps(&mut rule, [true, true]), [(0, Step::Take)]);
    }

    #[test]
    fn the_first_commands_start_the_thread_and_the_last_reference_ends_it() {
        let keeper = keeper();
        assert!(!keeper.state.lock().started);
        keeper.begins_batch();
        keeper.ends_batch();
        assert!(keeper.state.lock().started);
        assert!(!keeper.sleeps.load(Ordering::Relaxed));
        keeper.stop();
        let thread_holds = || Arc::strong_count(&keeper) > 1;
        for _ in 0..1000 {
            if !thread_holds() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the thread did not end");
    }
}
