//! The trace (`CALDERA_TRACE`): what the threads, the queues and the devices do, in the JSON form of trace events, which
//! Perfetto and Chrome read.
//!
//! Threads add short records to a list. A thread of this module takes the list ten times a second and writes the text, so that
//! the threads of the application neither format numbers nor write files. If it does not keep up, records beyond [`MOST`] are
//! dropped and counted. The file is an array that is complete after the exit of the process; both programs also read one that
//! ends early.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::trace_text::Text;
use super::{Note, Place, Times, lock_at_exit};
use crate::command::CommandType;
use crate::lock::{Condvar, Mutex, Rank};

/// The most records that wait to be written.
const MOST: usize = 1 << 17;
/// The number of records from which on the writing thread is woken.
const MANY: usize = 1 << 14;
/// The time between two looks at the list.
const PERIOD: Duration = Duration::from_millis(100);

/// Something that has happened.
pub(super) enum Record {
    /// A thread calls the library for the first time.
    Thread { thread: u32, name: String },
    /// A queue of a device has been created.
    Queue { place: Place, device: String },
    /// A call of the API; `error` is the name of the code that it returned, if it failed.
    Call {
        thread: u32,
        name: &'static str,
        times: Times,
        error: Option<&'static str>,
    },
    /// A build, a compilation or a link.
    Build { thread: u32, times: Times, good: bool },
    /// A pipeline has been made.
    Pipeline {
        thread: u32,
        kernel: String,
        times: Times,
        is_known: bool,
    },
    /// A command that the host has executed.
    ByHost {
        thread: u32,
        kind: CommandType,
        bytes: u64,
        times: Times,
        place: Place,
    },
    /// A command that the device has completed. `submitted` is the host's time of the submission.
    Complete {
        note: Arc<Note>,
        submitted: u64,
        times: Times,
    },
    /// A command that has failed with this code.
    Failed { note: Arc<Note>, time: u64, code: i32 },
    /// The device memory in use has changed.
    Memory { time: u64, bytes: u64 },
}

/// The list of records.
struct Waiting {
    records: Vec<Record>,
    dropped: u64,
    /// Whether the writing thread has been started, or could not be.
    started: bool,
}

/// The file, which is opened when the first records are written.
enum Output {
    Closed(PathBuf),
    Open(File, Text),
    /// The file cannot be written, or is complete.
    Over,
}

/// The trace of the process.
pub(super) struct Timeline {
    waiting: Mutex<Waiting>,
    more: Condvar,
    output: Mutex<Output>,
}

impl Timeline {
    /// Makes the trace that is written to a file.
    pub(super) fn new(path: &Path) -> Timeline {
        Timeline {
            waiting: Mutex::new(
                Rank::Trace,
                Waiting {
                    records: Vec::new(),
                    dropped: 0,
                    started: false,
                },
            ),
            more: Condvar::new(),
            output: Mutex::new(Rank::TraceFile, Output::Closed(path.to_owned())),
        }
    }

    /// Adds a record.
    pub(super) fn add(&'static self, record: Record) {
        let mut waiting = self.waiting.lock();
        if waiting.records.len() >= MOST {
            waiting.dropped += 1;
            return;
        }
        waiting.records.push(record);
        if waiting.records.len() == MANY {
            self.more.notify_all();
        }
        if !std::mem::replace(&mut waiting.started, true) {
            drop(waiting);
            let thread = std::thread::Builder::new().name("caldera-trace".into());
            if let Err(e) = thread.spawn(|| self.run()) {
                log::warn!("no thread for the trace, which is written at the exit: {e}");
            }
        }
    }

    /// Writes the records until the process exits.
    fn run(&self) {
        while !crate::process::is_over() {
            {
                let mut waiting = self.waiting.lock();
                if waiting.records.len() < MANY {
                    self.more.wait_for(&mut waiting, PERIOD);
                }
            }
            self.write(&mut self.output.lock());
        }
    }

    /// Writes the records up to now.
    fn write(&self, output: &mut Output) {
        let records = {
            let mut waiting = self.waiting.lock();
            let room = Vec::with_capacity(waiting.records.len().min(MANY));
            std::mem::replace(&mut waiting.records, room)
        };
        if let Output::Closed(path) = output {
            *output = match File::create(super::of_process(path)) {
                Ok(file) => Output::Open(file, Text::new()),
                Err(e) => {
                    log::error!("{}: the trace cannot be written: {e}", path.display());
                    Output::Over
                }
            };
        }
        let Output::Open(file, text) = output else { return };
        for record in &records {
            text.add(record);
        }
        if let Err(e) = file.write_all(text.take().as_bytes()) {
            log::error!("the trace cannot be written: {e}");
            *output = Output::Over;
        }
    }

    /// Completes the file at the exit of the process.
    pub(super) fn finish(&self) {
        let Some(mut output) = lock_at_exit(&self.output) else {
            return;
        };
        // If a thread that was stopped holds the other lock, the last records and the end of the array are missing.
        let Some(dropped) = lock_at_exit(&self.waiting).map(|w| w.dropped) else {
            return;
        };
        self.write(&mut output);
        if let Output::Open(file, text) = &mut *output {
            text.end(dropped);
            if let Err(e) = file.write_all(text.take().as_bytes()) {
                log::error!("the trace cannot be written: {e}");
            }
        }
        *output = Output::Over;
    }
}
