//! A bitonic sort: many launches over the same keys, with the small steps in local memory.

use super::prelude::*;

/// The number of keys that a work-group sorts in local memory. The kernel has the same constant.
const KEYS: usize = 512;

pub(super) fn case(scale: Scale) -> Case {
    let count = scale.pick(1 << 15, 1 << 22);
    work::case("kernel/sort", mega(count as f64, "Mkeys/s"), move |_| {
        Ok(sort(count))
    })
}

fn sort(count: usize) -> Work {
    let keys = Random::new(16).words(count);
    let bytes = of_u32(&keys);
    let mut expected = keys;
    expected.sort_unstable();
    let work = Work::new(
        include_str!("../kernels/sort.cl"),
        vec![Memory::Buffer(bytes), Memory::Output(count * 4)],
    )
    .restored(0, 1)
    .checked(1, move |found| same(&to_u32(found), &expected));
    sorting(work, count)
}

/// Adds the launches that sort the object 1.
fn sorting(mut work: Work, count: usize) -> Work {
    let range = Range::line(count / 2, KEYS / 2);
    work = work.launch("sort_locally", &[Object(1)], range);
    let mut block = KEYS * 2;
    while block <= count {
        let length = U32(block as u32);
        let mut step = block / 2;
        // Each work-item has two keys, so steps of KEYS / 2 and less stay within a work-group.
        while step >= KEYS {
            work = work.launch("exchange", &[length, U32(step as u32), Object(1)], range);
            step /= 2;
        }
        work = work.launch("merge_locally", &[length, Object(1)], range);
        block *= 2;
    }
    work
}
