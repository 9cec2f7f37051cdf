//! Histograms with 256 bins, with local and with global atomics.

use super::prelude::*;

const BINS: usize = 256;

pub(super) fn cases(scale: Scale) -> [Case; 2] {
    [
        (
            "kernel/histogram local atomics",
            "by_local",
            scale.pick(1 << 17, 1 << 25),
        ),
        (
            "kernel/histogram global atomics",
            "by_global",
            scale.pick(1 << 15, 1 << 22),
        ),
    ]
    .map(|(name, kernel, words)| {
        let groups = scale.pick(16, 1024);
        work::case(name, giga(words as f64 * 4.0, "G/s"), move |_| {
            Ok(histogram(kernel, words, groups))
        })
    })
}

fn histogram(kernel: &'static str, words: usize, groups: usize) -> Work {
    let values = of_u32(&Random::new(13).words(words));
    let mut expected = vec![0u32; BINS];
    values.iter().for_each(|v| expected[usize::from(*v)] += 1);
    Work::new(
        include_str!("../kernels/histogram.cl"),
        vec![Memory::Buffer(values), Memory::Output(BINS * 4)],
    )
    .launch("clear", &[Object(1)], Range::line(BINS, BINS))
    .launch(
        kernel,
        &[U32(words as u32), Object(0), Object(1)],
        Range::line(groups * BINS, BINS),
    )
    .checked(1, move |found| same(&to_u32(found), &expected))
}
