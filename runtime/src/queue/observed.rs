//! What a queue tells the profile (`crate::observe`).

use super::CommandQueue;
use std::sync::Arc;

use super::scheduler::Until;
use crate::command::transfer::Object;
use crate::command::{Command, CommandType, Incoming};
use crate::event::{Event, now};
use crate::kernel::launch::Launch;
use crate::observe::{Effect, Note, Observer, Place, Region, Times};

/// A queue of an observed process.
#[derive(Copy, Clone)]
pub(super) struct Observed {
    observer: &'static Observer,
    place: Place,
}

impl Observed {
    /// Returns the state of a new queue for the profile, or `None` if the process is not observed.
    pub(super) fn new(observer: Option<&'static Observer>, device: &str) -> Option<Observed> {
        observer.map(|observer| Observed {
            observer,
            place: observer.place(device),
        })
    }
}

/// A command that the host executes, on the thread that enqueues it.
pub(super) struct HostCommand {
    kind: CommandType,
    /// The number of bytes that it copies or fills.
    bytes: u64,
    /// What it writes or reads, if that is a buffer.
    region: Option<(Region, bool)>,
    blocking: bool,
}

impl HostCommand {
    /// Makes a command that copies `bytes` bytes.
    pub(super) fn new(kind: CommandType, bytes: u64) -> HostCommand {
        HostCommand {
            kind,
            bytes,
            region: None,
            blocking: false,
        }
    }

    /// Adds the region of a buffer that the command writes (`write`) or reads.
    pub(super) fn with_region(self, region: Region, write: bool) -> HostCommand {
        HostCommand {
            region: Some((region, write)),
            ..self
        }
    }

    /// Notes whether the application has asked for a blocking call.
    pub(super) fn blocking(self, blocking: bool) -> HostCommand {
        HostCommand { blocking, ..self }
    }

    /// Returns the type of the command.
    pub(super) fn kind(&self) -> CommandType {
        self.kind
    }
}

impl CommandQueue {
    /// Returns whether the commands get time stamps.
    pub(crate) fn is_timed(&self) -> bool {
        self.properties.profiling || self.observed.is_some()
    }

    /// Notes a command that is being enqueued with this event.
    pub(super) fn observe(&self, event: &Event, incoming: &Incoming<'_>, list: &[Arc<Event>], until: Until) {
        let Some(Observed { observer, place }) = self.observed else {
            return;
        };
        let (launch, bytes) = match incoming {
            Incoming::Launch { launch, .. } => (Some(*launch), 0),
            Incoming::Command(Command::NdRange { launch, .. }) => (Some(&**launch), 0),
            Incoming::Command(c) => (None, c.bytes()),
        };
        let note = Note {
            launch: launch.and_then(|l| l.kernel().observed(observer)),
            bytes,
            waits: list.iter().filter_map(|e| e.number()).collect(),
            groups: launch.map(Launch::groups),
            ..observer.note(event.command_type(), place)
        };
        let touches = incoming.touches();
        let written: Vec<usize> = touches.iter().filter_map(|t| t.written_buffer()).collect();
        let effect = Effect {
            written: &written,
            writes_anything: launch.is_some_and(Launch::may_access_anything),
            reads: match incoming {
                Incoming::Command(Command::Transfer(t)) if note.kind == CommandType::ReadBuffer => {
                    match &t.what {
                        Object::Buffer(t) => Some(t.region()),
                        Object::Image(_) => None,
                    }
                }
                Incoming::Command(_) | Incoming::Launch { .. } => None,
            },
            blocking: until != Until::Placed,
            has_single_items: launch.is_some_and(Launch::has_single_items),
        };
        observer.enqueued(&note, &effect);
        event.observe(note);
    }

    /// Executes a command on this thread and notes it.
    pub(super) fn observe_host(&self, command: &HostCommand, work: impl FnOnce()) {
        let Some(Observed { observer, place }) = self.observed else {
            return work();
        };
        let note = Note {
            bytes: command.bytes,
            ..observer.note(command.kind, place)
        };
        let written = command
            .region
            .filter(|(_, write)| *write)
            .map(|(region, _)| region.root);
        let reads = command
            .region
            .filter(|(_, write)| !*write && command.kind == CommandType::ReadBuffer);
        let effect = Effect {
            written: written.as_slice(),
            reads: reads.map(|(region, _)| region),
            blocking: command.blocking,
            ..Effect::default()
        };
        observer.enqueued(&note, &effect);
        let start = now();
        work();
        observer.completed_by_host(&note, Times { start, end: now() });
    }

    /// Notes a call of clFinish.
    pub(super) fn observe_finish(&self) {
        if let Some(Observed { observer, place }) = self.observed {
            observer.finishes(place.queue);
        }
    }
}
