//! The events that order the commands on one object.

use crate::cl::Handle;
use crate::random::Random;

/// How a command uses an object.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Read,
    Write,
}

impl Access {
    pub(super) fn random(random: &mut Random) -> Access {
        if random.one_in(2) {
            Access::Write
        } else {
            Access::Read
        }
    }
}

/// The last command that wrote an object, and the commands that have read it since.
#[derive(Default)]
pub(super) struct Dependencies {
    writer: Option<Handle>,
    readers: Vec<Handle>,
}

impl Dependencies {
    /// Returns the events that a command must wait for.
    pub(super) fn before(&self, access: Access) -> Vec<Handle> {
        let readers: &[Handle] = match access {
            Access::Read => &[],
            Access::Write => &self.readers,
        };
        self.writer.iter().chain(readers).cloned().collect()
    }

    /// Notes that a command with this event has been enqueued.
    pub(super) fn add(&mut self, access: Access, event: &Handle) {
        match access {
            Access::Read => self.readers.push(event.clone()),
            Access::Write => {
                self.readers.clear();
                self.writer = Some(event.clone());
            }
        }
    }
}
