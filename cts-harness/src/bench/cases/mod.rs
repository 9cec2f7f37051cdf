//! All cases, grouped by family. A row's name begins with the name of its family.

mod build;
mod fft;
mod generate;
mod half;
mod histogram;
mod image;
mod launch;
mod mandelbrot;
mod nbody;
mod reduction;
mod sgemm;
mod sha256;
mod sort;
mod stencil;
mod stream;
mod transfer;

pub(super) use build::{ProbeArgs, probe};

use super::case::{Case, Quantity, Scale};

/// The sizes of the cases.
#[derive(Copy, Clone, Debug)]
pub(super) struct Extent {
    pub(super) scale: Scale,
    /// The size of the largest transfer in bytes.
    pub(super) largest_transfer: usize,
    /// The number of lines of the longest program that is built.
    pub(super) longest_program: usize,
}

/// Returns all cases of the benchmark in order.
pub(super) fn all(extent: Extent) -> Vec<Case> {
    let scale = extent.scale;
    let mut cases = build::cases(extent.longest_program);
    cases.extend(launch::cases());
    cases.extend(transfer::cases(extent.largest_transfer));
    cases.extend(image::cases(extent.largest_transfer));
    cases.extend(stream::cases(scale));
    cases.push(reduction::case(scale));
    cases.extend(sgemm::cases(scale));
    cases.push(fft::case(scale));
    cases.extend(nbody::cases(scale));
    cases.push(mandelbrot::case(scale));
    cases.extend(histogram::cases(scale));
    cases.extend(stencil::cases(scale));
    cases.push(sort::case(scale));
    cases.push(sha256::case(scale));
    cases.extend(half::cases(scale));
    cases
}

/// What the kernel cases use.
mod prelude {
    pub(super) use super::{giga, mega};
    pub(super) use crate::bench::case::{Case, Need, Scale, Stop};
    pub(super) use crate::bench::data::*;
    pub(super) use crate::bench::work::Value::{F32, F64, Half, Object, U32};
    pub(super) use crate::bench::work::{self, Memory, Work};
    pub(super) use crate::cl::Range;
    pub(super) use crate::random::Random;
}

/// Returns a rate in units of 10^9 per second.
fn giga(work: f64, unit: &'static str) -> Quantity {
    let size = 1e9;
    Quantity::Rate { work, size, unit }
}

/// Returns a rate in units of 10^6 per second.
fn mega(work: f64, unit: &'static str) -> Quantity {
    let size = 1e6;
    Quantity::Rate { work, size, unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_have_a_family() {
        let extent = Extent {
            scale: Scale::Small,
            largest_transfer: 1 << 30,
            longest_program: 3000,
        };
        let mut names: Vec<String> = all(extent)
            .into_iter()
            .flat_map(|c| c.rows)
            .map(|r| r.name)
            .collect();
        for name in &names {
            let family = name.split('/').next().unwrap();
            assert!(
                ["build", "memory", "launch", "transfer", "image", "kernel"].contains(&family),
                "{name}"
            );
        }
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
