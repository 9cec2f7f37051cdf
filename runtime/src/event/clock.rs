//! The clock of all profiling values: nanoseconds of the host's monotonic clock, from a start at the library's
//! first use. Device time stamps are converted to it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Returns the host time in nanoseconds; never 0, and never earlier than a time that another thread got before.
///
/// The processors of some virtual machines disagree about the monotonic clock, and a command must not seem to start before
/// the one that it waited for ended.
pub fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    static LATEST: AtomicU64 = AtomicU64::new(0);
    let time = START.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1_000_000_000;
    LATEST.fetch_max(time, Ordering::Relaxed).max(time)
}

/// The relation of a device's clock to the host's.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Clock {
    /// Host time minus device time, in nanoseconds.
    offset: i64,
    /// Host time of the measurement; 0 if there was none.
    at: u64,
    /// Whether the host has read the device's clock. Otherwise the relation follows from the ends of commands.
    is_read: bool,
}

/// The time in nanoseconds after which a relation that follows from the end of a command is replaced by that of a later command,
/// because the clocks drift apart.
const KEPT: u64 = 60_000_000_000;

impl Clock {
    /// Measures with `sample`, which returns the device's time at some moment during the call. The shortest of
    /// three calls counts.
    pub(crate) fn measure(mut sample: impl FnMut() -> Option<u64>) -> Option<Clock> {
        let mut best: Option<(u64, Clock)> = None;
        for _ in 0..3 {
            let before = now();
            let device = sample()?;
            let after = now();
            let width = after - before;
            let middle = before + width / 2;
            if best.as_ref().is_none_or(|(w, _)| width < *w) {
                let offset = middle.wrapping_sub(device).cast_signed();
                let clock = Clock {
                    offset,
                    at: after,
                    is_read: true,
                };
                best = Some((width, clock));
            }
        }
        best.map(|(_, clock)| clock)
    }

    /// Takes notice of a command that ended at the time `device`, which the host knew at the time `host`. If the host cannot
    /// read the device's clock, the command that became known most quickly decides.
    pub(crate) fn ended(&mut self, device: u64, host: u64) {
        let offset = host.wrapping_sub(device).cast_signed();
        let is_due = !self.is_read && (self.at == 0 || host.saturating_sub(self.at) > KEPT);
        if is_due || offset < self.offset {
            self.offset = offset;
            self.at = if self.is_read { self.at } else { host };
        }
    }

    /// Takes notice of a command that began at the time `device`, and not before the host time `submitted`. The times of all
    /// commands must be moved by the same amount, or a command would seem to end before those that it waits for.
    pub(crate) fn began(&mut self, device: u64, submitted: u64) {
        self.offset = self.offset.max(submitted.wrapping_sub(device).cast_signed());
    }

    /// Takes over what a copy of this clock has learned from commands, unless this clock has been measured since.
    pub(crate) fn learn(&mut self, copy: Clock) {
        if !self.is_read || self.at == copy.at {
            *self = copy;
        }
    }

    /// Returns whether the measurement is so old that the clocks may have drifted apart.
    pub(crate) fn is_old(&self) -> bool {
        now().saturating_sub(self.at) > 1_000_000_000
    }

    /// Converts the device's time of something that the host knew at the time `known` to the host's clock. The result is
    /// never later than `known`, even if the device's clock jumped in the meantime.
    pub(crate) fn host(&self, device: u64, known: u64) -> u64 {
        device.wrapping_add_signed(self.offset).min(known)
    }
}

/// Returns start and end of a command that was submitted at `submit`. If the clocks disagree, so that it seems
/// to start earlier, both are moved and the duration is kept.
pub(super) fn not_before(submit: u64, start: u64, end: u64) -> (u64, u64) {
    let late = submit.saturating_sub(start);
    (start + late, end.max(start) + late)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_keeps_its_duration() {
        assert_eq!(not_before(100, 120, 150), (120, 150));
        assert_eq!(not_before(100, 20, 50), (100, 130));
        assert_eq!(not_before(100, 90, 150), (100, 160));
        assert_eq!(not_before(100, 120, 110), (120, 120));
    }

    #[test]
    fn device_times_land_between_host_times() {
        let skew = 12_345_678_901_234u64;
        let clock = Clock::measure(|| Some(now().wrapping_add(skew))).expect("sampled");
        let before = now();
        let device = now().wrapping_add(skew);
        let host = clock.host(device, u64::MAX);
        assert!(host + 1_000_000 > before && host < now() + 1_000_000);
        assert!(Clock::measure(|| None).is_none());
    }

    #[test]
    fn the_command_that_is_known_most_quickly_decides() {
        let mut clock = Clock::default();
        clock.ended(1_000, 500_000);
        clock.ended(2_000, 500_700);
        assert_eq!(clock.host(2_000, u64::MAX), 500_700);
        assert_eq!(clock.host(1_000, u64::MAX), 499_700);
        clock.ended(3_000, 509_000);
        assert_eq!(clock.host(3_000, u64::MAX), 501_700);
        clock.ended(4_000, 500_700 + KEPT + 1);
        assert_eq!(clock.host(4_000, u64::MAX), 500_700 + KEPT + 1);
        // A command does not begin before it is submitted.
        clock.began(4_500, 501_300 + KEPT);
        assert_eq!(clock.host(4_600, u64::MAX), 501_400 + KEPT);
        clock.began(4_700, 501_300 + KEPT);
        assert_eq!(clock.host(4_600, u64::MAX), 501_400 + KEPT);
        // Commands of one batch keep their order and their durations, since all move by the same time.
        let mut early = Clock::default();
        early.ended(96, 96);
        early.began(90, 100);
        let of = |start, end| not_before(100, early.host(start, 106), early.host(end, 106));
        assert_eq!((of(90, 95), of(96, 96)), ((100, 105), (106, 106)));
        let mut read = Clock::measure(|| Some(now())).expect("sampled");
        let before = read.host(5_000, u64::MAX);
        read.ended(5_000, 6_000);
        assert_eq!(read.host(5_000, u64::MAX), before);
    }

    #[test]
    fn a_command_ends_before_the_host_knows_it() {
        // The device's clock was set forward by 3,000 ns while the command ran.
        let mut clock = Clock::default();
        clock.ended(4_500, 1_600);
        clock.began(1_000, 1_000);
        assert_eq!(
            (clock.host(1_000, 1_600), clock.host(4_500, 1_600)),
            (1_000, 1_600)
        );
    }

    #[test]
    fn the_time_of_all_threads_goes_forward() {
        let latest = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        let before = latest.load(Ordering::SeqCst);
                        let time = now();
                        assert!(time >= before);
                        latest.fetch_max(time, Ordering::SeqCst);
                    }
                });
            }
        });
    }
}
