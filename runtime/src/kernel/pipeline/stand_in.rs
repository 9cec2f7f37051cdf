//! A launch can use another work-group size than the application asks for, until the pipeline of the requested size has been
//! made. [`crate::kernel::early`] explains when this is done.

use super::{DeviceKernel, Variant, local_size};

impl DeviceKernel {
    /// Notes that a variant will probably be needed, because another kernel of the program has been launched with its size.
    pub(in crate::kernel) fn follow(&self, variant: Variant) {
        let mut variants = self.made().variants.lock();
        if variants.following.iter().all(|(v, _)| *v != variant) {
            variants.following.push((variant, 0));
        }
    }

    /// Notes that a launch used another size in place of the variant's. Returns the number of such launches so far.
    pub(in crate::kernel) fn note_stand_in(&self, variant: &Variant) -> u32 {
        let mut variants = self.made().variants.lock();
        let found = variants.following.iter_mut().find(|(v, _)| v == variant);
        found.map_or(0, |(_, launches)| {
            *launches = launches.saturating_add(1);
            *launches
        })
    }

    /// Returns the work-group size to use in place of `wanted`: the nearest size that divides `global` and has a pipeline.
    /// Returns `None` if the pipeline for `wanted` has been made, or if [`DeviceKernel::follow`] has not noted it. The results
    /// of the kernel must not depend on the grouping.
    pub(in crate::kernel) fn stand_in(&self, wanted: [u32; 3], global: [u64; 3]) -> Option<[u32; 3]> {
        let variants = self.made().variants.lock();
        let (goal, _) = variants.following.iter().find(|(v, _)| v.local == wanted)?;
        if variants
            .find(goal)
            .is_some_and(|i| variants.made[i].slot.get().is_some())
        {
            return None;
        }
        let ready = variants
            .made
            .iter()
            .filter(|e| matches!(e.slot.get(), Some(Ok(_))));
        let alike = ready.filter(|e| {
            let same = Variant {
                local: wanted,
                ..e.variant
            };
            same == *goal
        });
        let least = self.module.device().limits().subgroup;
        local_size::nearest(wanted, global, alike.map(|e| e.variant.local), least)
    }
}
