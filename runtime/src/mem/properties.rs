//! The property list of a memory object, or of a queue, as the application passed it (CL 3.0, 5.1, 5.2.1, 5.3.1).

use std::sync::OnceLock;

/// A property list, for the query that returns it (CL_MEM_PROPERTIES, CL_QUEUE_PROPERTIES_ARRAY). It is empty unless
/// the object was created with one.
#[derive(Debug, Default)]
pub struct Properties(OnceLock<Box<[u64]>>);

impl Properties {
    /// Keeps the list, with the zero at its end. Only the first call has an effect.
    pub fn keep(&self, list: Vec<u64>) {
        let _ = self.0.set(list.into());
    }

    /// Returns the list.
    pub fn list(&self) -> &[u64] {
        self.0.get().map_or(&[], |list| list)
    }
}
