//! Errors that no enqueue call can return: those of deferred commands, and those of submissions.
//!
//! When such a command fails, the application has been told that it was enqueued, and later commands would use
//! memory that it has not written. So the first such error becomes the permanent error of the queue: the
//! command's event fails with it, deferred commands fail with it, later enqueue calls, clFinish and blocking
//! calls return it, and the context's notify function is called (CL 4.4). Batches that have been submitted
//! still run to their end.
//!
//! A command that fails because an event of its wait list failed is not such an error: the application
//! specified that dependency, and only the commands that wait for the failed one are affected.

use std::sync::Arc;

use super::{CommandQueue, State};
use crate::error::{ClCode, Error, Result};
use crate::event::{Effects, Event};

/// The first error of a queue.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    code: ClCode,
    what: Arc<str>,
}

impl CommandQueue {
    /// Returns the queue's error, if one of its commands failed after its enqueue call.
    #[inline]
    pub(super) fn check_usable(&self) -> Result<()> {
        match self.failure.get() {
            None => Ok(()),
            Some(failure) => Err(Error::new(failure.code, failure.what.to_string()).at("5.13")),
        }
    }

    /// Makes the queue fail, because a command failed after its enqueue call had returned. `what` failed; it is
    /// the subject of a sentence.
    pub(super) fn fail(&self, state: &mut State, e: &Error, what: &str, effects: &mut Effects) {
        let text = format!("{what} failed after its enqueue call had returned: {}", e.chain());
        log::error!("{text}");
        let failure = Failure {
            code: e.code,
            what: text.as_str().into(),
        };
        if self.failure.set(failure).is_ok() {
            effects.report(&self.context, text);
        }
        for deferred in state.deferred.drain(..) {
            deferred.failed(e.code, effects);
        }
    }

    /// Makes an event fail when all submitted batches are complete: earlier chunks of the same transfer may be
    /// in flight, which store into the application's memory until then.
    pub(super) fn fail_when_done(state: &mut State, event: Arc<Event>, code: ClCode, effects: &mut Effects) {
        if let Some(batch) = state.in_flight.back_mut() {
            batch.fail_when_done(event, code, effects);
        } else if let Some(finishing) = &mut state.finishing {
            finishing.fail_when_done(event, code, effects);
        } else {
            event.failed(code.number(), effects);
        }
    }
}
