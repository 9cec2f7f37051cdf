//! The destructor callbacks that an application registers for a memory object (CL 5.4.1).

use std::sync::Arc;

use crate::context::Context;
use crate::lock::{Mutex, Rank};

type Callback = Box<dyn FnOnce() + Send>;

/// The callbacks of a memory object, and the context whose executor calls them. Dropping this enqueues the
/// calls, the last registered callback first.
pub(super) struct DestructorCallbacks {
    callbacks: Mutex<Vec<Callback>>,
    context: Arc<Context>,
}

impl DestructorCallbacks {
    pub(super) fn new(context: &Arc<Context>) -> DestructorCallbacks {
        DestructorCallbacks {
            callbacks: Mutex::new(Rank::Mem, Vec::new()),
            context: Arc::clone(context),
        }
    }

    pub(super) fn add(&self, callback: Callback) {
        self.callbacks.lock().push(callback);
    }
}

impl Drop for DestructorCallbacks {
    fn drop(&mut self) {
        let mut callbacks = std::mem::take(self.callbacks.get_mut());
        if !callbacks.is_empty() {
            callbacks.reverse();
            self.context.executor().call(Box::new(move || {
                for callback in callbacks {
                    callback();
                }
            }));
        }
    }
}
