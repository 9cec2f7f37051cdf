//! The build options of a program, and what they leave open.

use super::Numbers;
use crate::random::Random;

/// Returns the options of a program, and what it may rely on, on devices that promise `numbers`.
pub(super) fn choose(random: &mut Random, mut numbers: Numbers) -> (String, Numbers) {
    let mut options = Vec::new();
    if numbers.correct_division {
        options.push("-cl-fp32-correctly-rounded-divide-sqrt");
    }
    // Section 7.5.3: the option concerns single and double precision.
    let flushes =
        |numbers: &mut Numbers| (numbers.subnormal_float, numbers.subnormal_double) = (false, false);
    match random.below(12) {
        0 => options.push("-cl-opt-disable"),
        1 => {
            options.push("-cl-denorms-are-zero");
            flushes(&mut numbers);
        }
        2 => {
            options.push("-cl-finite-math-only");
            numbers.infinities = false;
        }
        3 => {
            options.push("-cl-no-signed-zeros");
            numbers.signed_zeros = false;
        }
        4 => {
            options.push("-cl-fast-relaxed-math");
            (numbers.infinities, numbers.signed_zeros, numbers.arithmetic) = (false, false, false);
            numbers.subnormal_half = false;
            flushes(&mut numbers);
        }
        _ => {}
    }
    (options.join(" "), numbers)
}
