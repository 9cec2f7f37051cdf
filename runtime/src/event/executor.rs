//! The executor: one thread per context for callbacks and host-side dependencies, started when first needed.

use std::sync::Arc;

/// A context's executor.
#[derive(Debug)]
pub struct Executor {}

impl Executor {
    /// No thread yet.
    pub(crate) fn new() -> Arc<Executor> {
        Arc::new(Executor {})
    }
}
