//! The order of the passes.

use super::Pipeline;
use crate::target::Target;

/// The whole order, top to bottom. Each line says why it stands where it stands.
pub fn pipeline(_target: &Target) -> Pipeline {
    Pipeline::default()
}
