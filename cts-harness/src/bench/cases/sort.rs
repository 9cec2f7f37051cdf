//! A bitonic sort: many launches over the same keys, with the small steps in local memory.

use super::mega;
use crate::bench::case::{Case, Scale};
use crate::bench::data::{Random, of_u32, same, to_u32};
use crate::bench::work::{self, Launch, Memory, Value, Work};
use crate::cl::Range;

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
    Work {
        source: include_str!("../kernels/sort.cl"),
        options: String::new(),
        memory: vec![Memory::Buffer(bytes), Memory::Output(count * 4)],
        launches: launches(count),
        restore: Some((0, 1)),
        result: 1,
        check: Box::new(move |found| same(&to_u32(found), &expected)),
    }
}

fn launches(count: usize) -> Vec<Launch> {
    let launch = |kernel, arguments| Launch {
        kernel,
        arguments,
        range: Range::line(count / 2, KEYS / 2),
    };
    let mut all = vec![launch("sort_locally", vec![Value::Memory(1)])];
    let mut block = KEYS * 2;
    while block <= count {
        let length = Value::U32(block as u32);
        let mut step = block / 2;
        // Each work-item has two keys, so steps of KEYS / 2 and less stay within a work-group.
        while step >= KEYS {
            let distance = Value::U32(step as u32);
            all.push(launch("exchange", vec![length, distance, Value::Memory(1)]));
            step /= 2;
        }
        all.push(launch("merge_locally", vec![length, Value::Memory(1)]));
        block *= 2;
    }
    all
}
