//! Speculative recording: a launch is recorded before it is enqueued.
//!
//! Programs that wait for each launch often enqueue the same launch again, for an iteration or a time step. So
//! while a thread waits for a batch of one launch, it records that launch into the next batch. If the same
//! launch is enqueued next, it is recorded already. Otherwise the command buffer is begun anew, which costs
//! more than was saved (runtime ADR 7), so the number of matching batches required before the next speculative
//! recording doubles.

use std::sync::Arc;

use super::batch::Batch;
use super::hazards::Hazards;
use crate::error::Result;
use crate::kernel::launch::Plain;
use crate::vk;

/// The number of consecutive batches of one launch that the first speculative recording requires.
const FEW: u32 = 3;
/// The greatest number that is required, after many failed speculations.
const MANY: u32 = 1 << 12;

/// Decides whether the next launch is worth recording speculatively.
#[derive(Debug)]
pub(super) struct Confidence {
    /// The number of consecutive batches of one launch.
    seen: u32,
    /// The number that is required.
    needed: u32,
}

impl Confidence {
    pub(super) fn new() -> Confidence {
        Confidence { seen: 0, needed: FEW }
    }

    /// Notes a batch. `single` tells whether its only command was a launch that can be recorded speculatively. Returns
    /// whether to record that launch for the next batch.
    fn earn(&mut self, single: bool) -> bool {
        self.seen = if single { self.seen.saturating_add(1) } else { 0 };
        self.seen >= self.needed
    }

    /// Notes that the speculation failed.
    fn lose(&mut self) {
        self.seen = 0;
        self.needed = (self.needed * 2).min(MANY);
    }
}

/// The only launch of a batch, one that needs nothing but a pipeline and push constants.
#[derive(Clone)]
pub(super) struct Single {
    pipeline: Arc<vk::Pipeline>,
    groups: [u32; 3],
}

/// The part of a batch that has been recorded speculatively.
#[derive(Default)]
pub(super) struct Speculation {
    /// Whether a barrier at the beginning of the batch orders it after all earlier commands.
    ordered: bool,
    launch: Option<Single>,
}

impl Batch {
    /// Records into this batch, which is empty, the launch that will probably be enqueued next: that of the
    /// previous batch, `before`. Queues with profiling and out-of-order queues do not call it.
    pub(super) fn record_speculatively(
        &mut self,
        before: &Batch,
        hazards: &mut Hazards,
        confidence: &mut Confidence,
    ) {
        self.bind_as_in(before);
        if !confidence.earn(before.commands == 1 && before.single.is_some()) {
            return;
        }
        self.speculation.ordered = hazards.clear();
        if self.speculation.ordered {
            self.recorder.barrier();
        }
        if let Some(single) = before
            .single
            .as_ref()
            .filter(|s| self.recorder.has_bound(&s.pipeline))
        {
            self.recorder.dispatch(single.groups);
            self.speculation.launch = Some(single.clone());
        }
    }

    /// Returns whether the first command has been recorded speculatively; `launch` is that command, if it is a
    /// plain launch. If a different one was recorded, begins the command buffer anew.
    pub(super) fn confirm_speculation(
        &mut self,
        launch: Option<&Plain<'_>>,
        confidence: &mut Confidence,
    ) -> Result<bool> {
        let Some(recorded) = self.speculation.launch.take() else {
            return Ok(false);
        };
        let same = |l: &Plain<'_>| {
            Arc::ptr_eq(l.pipeline, &recorded.pipeline)
                && l.groups == recorded.groups
                && self.recorder.pushed().get(..l.push.len()) == Some(l.push)
        };
        if launch.is_some_and(same) {
            self.single = Some(recorded);
            return Ok(true);
        }
        confidence.lose();
        self.recorder.begin().map_err(super::batch::resources)?;
        if std::mem::take(&mut self.speculation.ordered) {
            self.recorder.barrier();
        }
        Ok(false)
    }

    /// Notes that the batch has recorded a plain launch, which can be recorded speculatively for the next batch
    /// if it stays the only command.
    pub(super) fn note_single(&mut self, launch: &Plain<'_>) {
        if self.commands == 0 {
            self.single = Some(Single {
                pipeline: Arc::clone(launch.pipeline),
                groups: launch.groups,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_earned_and_lost() {
        let mut confidence = Confidence::new();
        assert_eq!([true; 4].map(|s| confidence.earn(s)), [false, false, true, true]);
        assert!(!confidence.earn(false) && !confidence.earn(true));
        confidence.lose();
        let earned = (0..20).position(|_| confidence.earn(true));
        assert_eq!(earned, Some(2 * FEW as usize - 1));
        for _ in 0..40 {
            confidence.lose();
        }
        assert_eq!(confidence.needed, MANY);
    }
}
