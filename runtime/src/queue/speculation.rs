//! A launch that is recorded before it is enqueued.
//!
//! Programs that wait for each launch mostly enqueue the same one again: an iteration, a time step. While a thread waits for a batch
//! of one launch, it records that launch into the next batch. If the same is enqueued then, it is there already; if
//! anything else is, the command buffer is begun anew, which costs 1.7 µs (NVIDIA), so the next rehearsal waits twice as long.

use std::sync::Arc;

use super::batch::Batch;
use super::hazards::Hazards;
use crate::error::Result;
use crate::kernel::launch::Plain;
use crate::vk;

/// Batches of one launch in a row before the first rehearsal.
const FEW: u32 = 3;
/// The same after many that went wrong.
const MANY: u32 = 1 << 12;

/// Whether the next launch is worth recording in advance.
#[derive(Debug)]
pub(super) struct Confidence {
    /// Batches of one launch in a row.
    seen: u32,
    /// So many are enough.
    needed: u32,
}

impl Confidence {
    pub(super) fn new() -> Confidence {
        Confidence { seen: 0, needed: FEW }
    }

    /// After a batch; `single`: it was one launch that can be rehearsed. Whether to rehearse it.
    fn earn(&mut self, single: bool) -> bool {
        self.seen = if single { self.seen.saturating_add(1) } else { 0 };
        self.seen >= self.needed
    }

    /// Something else came.
    fn lose(&mut self) {
        self.seen = 0;
        self.needed = (self.needed * 2).min(MANY);
    }
}

/// One launch that needs nothing but a pipeline and push constants, as a batch has recorded it.
#[derive(Clone)]
pub(super) struct Single {
    pipeline: Arc<vk::Pipeline>,
    groups: [u32; 3],
}

/// What a batch has recorded in advance.
#[derive(Default)]
pub(super) struct Speculation {
    /// Everything before the batch is ordered by a barrier at its beginning.
    ordered: bool,
    launch: Option<Single>,
}

impl Batch {
    /// The batch before was `before`: does in this one, which is empty, what will probably come. Not where commands have time stamps
    /// or are not in order.
    pub(super) fn record_speculatively(
        &mut self,
        before: &Batch,
        hazards: &mut Hazards,
        confidence: &mut Confidence,
    ) {
        self.expect_the_same(before);
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

    /// The first command: whether it is recorded already. If something else is, begins anew.
    pub(super) fn perform(
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

    /// The batch has recorded a launch. It can be rehearsed for the next one if it is the only command.
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
    fn trust_is_earned_and_lost() {
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
