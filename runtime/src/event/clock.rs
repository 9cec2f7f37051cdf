//! The clock of all profiling values: nanoseconds of the host's monotonic clock, from a start at the library's
//! first use. Device time stamps are converted to it.

use std::sync::OnceLock;
use std::time::Instant;

/// Returns the host time in nanoseconds; never 0.
pub fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1_000_000_000
}

/// The relation of a device's clock to the host's.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Clock {
    /// Host time minus device time, in nanoseconds.
    offset: i64,
    /// Host time of the measurement.
    at: u64,
}

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
                best = Some((width, Clock { offset, at: after }));
            }
        }
        best.map(|(_, clock)| clock)
    }

    /// Returns whether the measurement is so old that the clocks may have drifted apart.
    pub(crate) fn is_old(&self) -> bool {
        now().saturating_sub(self.at) > 1_000_000_000
    }

    /// Converts a device time to the host's clock.
    pub(crate) fn host(&self, device: u64) -> u64 {
        device.wrapping_add_signed(self.offset)
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
        let host = clock.host(device);
        assert!(host + 1_000_000 > before && host < now() + 1_000_000);
        assert!(Clock::measure(|| None).is_none());
    }
}
