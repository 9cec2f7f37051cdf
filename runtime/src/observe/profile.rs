//! The profile: sums of the commands, builds and pipelines of the process.

use std::collections::HashMap;
use std::sync::Arc;

use super::hints::{ReadBacks, Rhythm};
use super::resources::Resources;
use super::{CACHED_BUILDS, Effect, Kernel, Note, Times, lock_at_exit};
use crate::command::CommandType;
use crate::event::now;
use crate::lock::{Mutex, Rank};

/// Who executes a command.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Path {
    /// The device. The host's copies between staging memory and the application's are not part of the command's time.
    Device,
    /// The thread that enqueues the command.
    Host,
}

/// A sum of commands.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Sum {
    pub calls: u64,
    /// How many of them have a time.
    pub timed: u64,
    pub bytes: u64,
    /// Times in nanoseconds.
    pub total: u64,
    pub shortest: u64,
    pub longest: u64,
}

impl Sum {
    /// Adds a command.
    pub(super) fn add(&mut self, times: Option<Times>, bytes: u64) {
        self.calls += 1;
        self.bytes += bytes;
        let Some(times) = times else { return };
        let time = times.end.saturating_sub(times.start);
        self.shortest = match self.timed {
            0 => time,
            _ => self.shortest.min(time),
        };
        self.longest = self.longest.max(time);
        self.total += time;
        self.timed += 1;
    }

    /// Returns the mean time in nanoseconds, if any command has a time.
    pub(super) fn mean(&self) -> Option<u64> {
        self.total.checked_div(self.timed)
    }

    /// Returns the bytes per nanosecond, which are GB/s, if all commands have a time and copy something.
    pub(super) fn rate(&self) -> Option<f64> {
        let is_known = self.timed == self.calls && self.bytes > 0 && self.total > 0;
        is_known.then(|| self.bytes as f64 / self.total as f64)
    }
}

/// The launches of a kernel.
#[derive(Clone, Debug)]
pub(super) struct KernelRow {
    pub kernel: Arc<Kernel>,
    pub device: usize,
    pub program: u64,
    pub sum: Sum,
    /// The number of launches of several work-groups of one work-item each.
    pub single_items: u64,
    pub pipelines: u64,
    pub resources: Resources,
}

impl KernelRow {
    pub(super) fn name(&self) -> &str {
        &self.kernel.name
    }
}

/// The commands of one type, other than launches.
#[derive(Copy, Clone, Debug)]
pub(super) struct CommandRow {
    pub kind: CommandType,
    pub path: Path,
    pub device: usize,
    pub sum: Sum,
}

/// All that is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    pub devices: Vec<String>,
    pub kernels: Vec<KernelRow>,
    pub commands: Vec<CommandRow>,
    pub builds: Sum,
    pub failed_builds: u64,
    pub pipelines: Sum,
    /// The pipelines that were in the driver's cache.
    pub known_pipelines: u64,
    pub enqueued: u64,
    pub completed: u64,
    pub failed: u64,
    pub rhythms: HashMap<u32, Rhythm>,
    pub reads: ReadBacks,
}

/// The profile at the exit.
pub(super) struct Summary {
    pub tables: Tables,
    /// The time in nanoseconds since the first call.
    pub time: u64,
    pub cached_builds: u64,
}

/// The profile of the process.
pub(super) struct Profile {
    start: u64,
    tables: Mutex<Tables>,
}

impl Profile {
    /// Begins the profile at the time `start` of the clock of events.
    pub(super) fn new(start: u64) -> Profile {
        Profile {
            start,
            tables: Mutex::new(Rank::Observed, Tables::default()),
        }
    }

    /// Returns the number of a device, by its name.
    pub(super) fn device(&self, name: &str) -> usize {
        let devices = &mut self.tables.lock().devices;
        devices.iter().position(|d| d == name).unwrap_or_else(|| {
            devices.push(name.to_owned());
            devices.len() - 1
        })
    }

    /// Returns the entry of a kernel ([`super::Observer::kernel`]).
    pub(super) fn kernel(&self, device: usize, name: &str, program: u64) -> Arc<Kernel> {
        let kernels = &mut self.tables.lock().kernels;
        let is_it = |r: &&KernelRow| r.device == device && r.program == program && r.name() == name;
        if let Some(row) = kernels.iter().find(is_it) {
            return Arc::clone(&row.kernel);
        }
        let kernel = Arc::new(Kernel {
            row: kernels.len(),
            name: name.to_owned(),
        });
        kernels.push(KernelRow {
            kernel: Arc::clone(&kernel),
            device,
            program,
            sum: Sum::default(),
            single_items: 0,
            pipelines: 0,
            resources: Resources::default(),
        });
        kernel
    }

    /// Notes a command that is being enqueued.
    pub(super) fn enqueued(&self, note: &Note, effect: &Effect<'_>) {
        let mut tables = self.tables.lock();
        tables.enqueued += 1;
        let rhythm = tables.rhythms.entry(note.place.queue).or_default();
        rhythm.command(note.launch.is_some(), effect.blocking);
        tables.reads.command(effect);
        if let Some(kernel) = note.launch.as_ref().filter(|_| effect.has_single_items) {
            tables.kernels[kernel.row].single_items += 1;
        }
    }

    /// Notes a call of clFinish for a queue.
    pub(super) fn finishes(&self, queue: u32) {
        self.tables.lock().rhythms.entry(queue).or_default().finish();
    }

    /// Notes a command that has been completed.
    pub(super) fn completed(&self, note: &Note, path: Path, times: Option<Times>) {
        let mut tables = self.tables.lock();
        tables.completed += 1;
        if let Some(kernel) = &note.launch {
            tables.kernels[kernel.row].sum.add(times, note.bytes);
            return;
        }
        let (kind, device) = (note.kind, note.place.device);
        let is_it = |r: &&mut CommandRow| r.kind == kind && r.path == path && r.device == device;
        match tables.commands.iter_mut().find(is_it) {
            Some(row) => row.sum.add(times, note.bytes),
            None => {
                let mut sum = Sum::default();
                sum.add(times, note.bytes);
                tables.commands.push(CommandRow {
                    kind,
                    path,
                    device,
                    sum,
                });
            }
        }
    }

    /// Notes that a command has failed.
    pub(super) fn failed(&self) {
        self.tables.lock().failed += 1;
    }

    /// Notes a build, a compilation or a link; `good` tells whether it succeeded.
    pub(super) fn built(&self, times: Times, good: bool) {
        let mut tables = self.tables.lock();
        tables.builds.add(Some(times), 0);
        tables.failed_builds += u64::from(!good);
    }

    /// Notes a pipeline that has been made ([`super::Observer::pipeline`]).
    pub(super) fn pipeline(
        &self,
        kernel: &Kernel,
        times: Times,
        is_known: bool,
        statistics: Option<&[(String, String)]>,
    ) {
        let found = statistics.map(Resources::of).unwrap_or_default();
        let mut tables = self.tables.lock();
        tables.pipelines.add(Some(times), 0);
        tables.known_pipelines += u64::from(is_known);
        let row = &mut tables.kernels[kernel.row];
        row.pipelines += 1;
        row.resources = row.resources.most(found);
    }

    /// Returns the profile up to now; `None` if a thread that was stopped holds the lock.
    pub(super) fn summary(&self) -> Option<Summary> {
        let tables = lock_at_exit(&self.tables)?.clone();
        Some(Summary {
            tables,
            time: now() - self.start,
            cached_builds: CACHED_BUILDS.load(std::sync::atomic::Ordering::Relaxed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_means_and_rates() {
        let mut sum = Sum::default();
        assert_eq!((sum.mean(), sum.rate()), (None, None));
        for (start, end) in [(10, 30), (50, 60), (60, 120)] {
            sum.add(Some(Times { start, end }), 180);
        }
        assert_eq!((sum.total, sum.shortest, sum.longest), (90, 10, 60));
        assert_eq!((sum.mean(), sum.rate()), (Some(30), Some(6.0)));
        // Without the time of each command, a rate would be too high.
        sum.add(None, 180);
        assert_eq!((sum.calls, sum.mean(), sum.rate()), (4, Some(30), None));
    }

    #[test]
    fn kernels_of_different_programs_are_different() {
        let profile = Profile::new(0);
        let (cpu, gpu) = (profile.device("cpu"), profile.device("gpu"));
        assert_ne!(cpu, gpu);
        let first = profile.kernel(cpu, "k", 1);
        assert_eq!(profile.kernel(cpu, "k", 1).row, first.row);
        for other in [
            profile.kernel(gpu, "k", 1),
            profile.kernel(cpu, "k", 2),
            profile.kernel(cpu, "l", 1),
        ] {
            assert_ne!(other.row, first.row);
        }
    }
}
