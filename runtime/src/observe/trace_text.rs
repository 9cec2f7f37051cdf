//! The text of a trace: one event of the JSON form in each line.
//!
//! In the trace, the host is a process with its own number, and each device is a process with one thread for each queue. Times
//! are in microseconds.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::timeline::Record;
use super::{Note, Place, Times, json, words};

/// The numbers of the processes that stand for devices, and of the threads that stand for queues, begin here. Linux gives no
/// process or thread a number above 2²².
const DEVICES: usize = 10_000_000;
const QUEUES: u32 = 20_000_000;

/// The text of a trace.
pub(super) struct Text {
    out: String,
    /// The number of this process.
    process: u32,
    /// The end of the last command of each queue.
    ends: HashMap<u32, u64>,
}

/// A time in microseconds.
struct Micros(u64);

impl std::fmt::Display for Micros {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// The process and the thread of an event.
#[derive(Copy, Clone)]
struct Track {
    process: usize,
    thread: u32,
}

impl Place {
    fn track(self) -> Track {
        Track {
            process: DEVICES + self.device,
            thread: QUEUES + self.queue,
        }
    }
}

impl Note {
    /// Returns the name of the kernel, or the words for the type of command.
    fn title(&self) -> String {
        self.launch
            .as_ref()
            .map_or_else(|| words(self.kind), |k| k.name.clone())
    }
}

impl Text {
    /// Begins the text.
    pub(super) fn new() -> Text {
        let process = std::process::id();
        let mut text = Text {
            out: "[\n".into(),
            process,
            ends: HashMap::new(),
        };
        let exe = std::env::current_exe().ok();
        let name = exe.as_deref().and_then(|e| e.file_name()).unwrap_or_default();
        text.name("process_name", text.host(process), &name.to_string_lossy());
        text
    }

    /// Returns what has been added since the last call.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// Returns the track of a thread of this process.
    fn host(&self, thread: u32) -> Track {
        Track {
            process: self.process as usize,
            thread,
        }
    }

    /// Adds the name of a process or a thread.
    fn name(&mut self, what: &str, track: Track, name: &str) {
        self.head('M', track, what);
        self.out.push_str(",\"args\":{\"name\":");
        json::string(&mut self.out, name);
        self.out.push_str("}},\n");
    }

    /// Begins an event.
    fn head(&mut self, phase: char, track: Track, name: &str) {
        let Track { process, thread } = track;
        let _ = write!(
            self.out,
            "{{\"ph\":\"{phase}\",\"pid\":{process},\"tid\":{thread},\"name\":"
        );
        json::string(&mut self.out, name);
    }

    /// Begins a span. Its arguments follow.
    fn span(&mut self, track: Track, category: &str, name: &str, times: Times) {
        self.head('X', track, name);
        let _ = write!(
            self.out,
            ",\"cat\":\"{category}\",\"ts\":{},\"dur\":{},\"args\":{{",
            Micros(times.start),
            Micros(times.end.saturating_sub(times.start))
        );
    }

    /// Ends the arguments of an event, and the event.
    fn end_arguments(&mut self) {
        self.out.push_str("}},\n");
    }

    /// Adds an end of the arrow from the call of an enqueue function to the command.
    fn arrow(&mut self, phase: char, track: Track, number: u64, time: u64) {
        self.head(phase, track, "enqueue");
        let to = if phase == 'f' { ",\"bp\":\"e\"" } else { "" };
        let time = Micros(time);
        let _ = writeln!(self.out, ",\"cat\":\"flow\",\"id\":{number}{to},\"ts\":{time}}},");
    }

    /// Adds a record.
    pub(super) fn add(&mut self, record: &Record) {
        match record {
            Record::Thread { thread, name } => self.name("thread_name", self.host(*thread), name),
            Record::Queue { place, device } => {
                self.name("process_name", place.track(), device);
                self.name("thread_name", place.track(), &format!("queue {}", place.queue));
            }
            Record::Call {
                thread,
                name,
                times,
                error,
            } => {
                self.span(self.host(*thread), "api", name, *times);
                if let Some(error) = error {
                    let _ = write!(self.out, "\"error\":\"{error}\"");
                }
                self.end_arguments();
            }
            Record::Build { thread, times, good } => {
                self.span(self.host(*thread), "build", "build", *times);
                let _ = write!(self.out, "\"succeeded\":{good}");
                self.end_arguments();
            }
            Record::Pipeline {
                thread,
                kernel,
                times,
                is_known,
            } => {
                self.span(
                    self.host(*thread),
                    "pipeline",
                    &format!("pipeline of {kernel}"),
                    *times,
                );
                let _ = write!(self.out, "\"from_cache\":{is_known}");
                self.end_arguments();
            }
            Record::ByHost {
                thread,
                kind,
                bytes,
                times,
                place,
            } => {
                self.span(self.host(*thread), "host command", &words(*kind), *times);
                let _ = write!(self.out, "\"queue\":{},\"bytes\":{bytes}", place.queue);
                self.end_arguments();
            }
            Record::Complete {
                note,
                submitted,
                times,
            } => self.command(note, *submitted, *times),
            Record::Failed { note, time, code } => {
                self.head('i', note.place.track(), &format!("{} failed", note.title()));
                let time = Micros(*time);
                let _ = write!(self.out, ",\"s\":\"t\",\"ts\":{time},\"args\":{{\"code\":{code}");
                self.end_arguments();
            }
            Record::Memory { time, bytes } => {
                self.head('C', self.host(self.process), "device memory");
                let time = Micros(*time);
                let _ = write!(self.out, ",\"ts\":{time},\"args\":{{\"bytes\":{bytes}");
                self.end_arguments();
            }
        }
    }

    /// Adds a command of a device, and the arrow from its enqueue call.
    fn command(&mut self, note: &Note, submitted: u64, times: Times) {
        // The clock of the device is compared with that of the host again from time to time. Spans of a queue must not overlap,
        // so one that seems to begin before the end of the last is moved.
        let end = self.ends.entry(note.place.queue).or_default();
        let late = end.saturating_sub(times.start);
        let times = Times {
            start: times.start + late,
            end: times.end + late,
        };
        *end = times.end;
        let track = note.place.track();
        self.span(track, "command", &note.title(), times);
        let _ = write!(self.out, "\"command\":{}", note.number);
        let _ = write!(
            self.out,
            ",\"enqueued\":{},\"submitted\":{}",
            Micros(note.time),
            Micros(submitted)
        );
        if note.bytes > 0 {
            let _ = write!(self.out, ",\"bytes\":{}", note.bytes);
        }
        if let Some(([x, y, z], [a, b, c])) = note.groups {
            let _ = write!(
                self.out,
                ",\"work_groups\":[{x},{y},{z}],\"work_group_size\":[{a},{b},{c}]"
            );
        }
        if !note.waits.is_empty() {
            self.out.push_str(",\"waits_for\":");
            json::array(&mut self.out, &note.waits, |out, n| json::number(out, Some(*n)));
        }
        self.end_arguments();
        self.arrow('s', self.host(note.thread), note.number, note.time);
        self.arrow('f', track, note.number, times.start);
    }

    /// Ends the array with an event that says how many records are missing.
    pub(super) fn end(&mut self, dropped: u64) {
        self.head('M', self.host(self.process), "process_labels");
        let label = match dropped {
            0 => "complete".into(),
            n => format!("{n} records are missing"),
        };
        let _ = writeln!(self.out, ",\"args\":{{\"labels\":\"{label}\"}}}}\n]");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_microseconds() {
        let shown = [0, 1, 999, 1_000, 1_234_567].map(|t| Micros(t).to_string());
        assert_eq!(shown, ["0.000", "0.001", "0.999", "1.000", "1234.567"]);
    }

    #[test]
    fn spans_of_a_queue_do_not_overlap() {
        let mut text = Text::new();
        let note = Note {
            number: 7,
            kind: crate::command::CommandType::FillBuffer,
            launch: None,
            bytes: 16,
            place: Place { queue: 1, device: 0 },
            thread: 3,
            time: 500,
            waits: vec![5, 6],
            groups: None,
        };
        text.take();
        for (start, end) in [(1000, 3000), (2900, 3900)] {
            text.command(&note, 600, Times { start, end });
        }
        let out = text.take();
        let spans: Vec<&str> = out.lines().filter(|l| l.contains("\"X\"")).collect();
        assert!(spans[0].contains("\"ts\":1.000,\"dur\":2.000"), "{out}");
        assert!(spans[1].contains("\"ts\":3.000,\"dur\":1.000"), "{out}");
        assert!(spans[0].contains("\"waits_for\":[5,6]"), "{out}");
        assert_eq!(out.lines().count(), 6, "{out}");
    }
}
