//! The record as text: one line for each kind of launch and for each read, with fields between tabs.
//!
//! ```text
//! caldera-layer 1
//! process  PID  START  PROGRAM                START: nanoseconds since 1970
//! device   PLATFORM  DEVICE  DRIVER
//! launch   KERNEL  SOURCE  OPTIONS  GLOBAL  LOCAL  COUNT  TOTAL  LEAST      times in nanoseconds
//! read     BYTES  HASH  ELEMENTS  SPECIAL  SQUARES  SKETCH
//! read     -                                  a read that was not seen
//! missed   UNTIMED  UNSEEN                    numbers of launches and of reads
//! ```
//!
//! Lists have commas. A backslash, a tab and the end of a line are `\\`, `\t` and `\n`.

use crate::digest::Digest;
use crate::record::{Command, Record};
use std::fmt::Write as _;

/// The program and the device.
#[derive(Clone, Default)]
pub(crate) struct Header {
    pub(crate) process: u32,
    pub(crate) start: u128,
    pub(crate) program: String,
    /// The names of platform, device and driver, when they are known.
    pub(crate) device: Option<[String; 3]>,
}

/// Returns the report.
pub(crate) fn text<C: Command>(header: &Header, record: &Record<C>) -> String {
    let mut all = String::from("caldera-layer 1\n");
    let mut line = |fields: &[&str]| {
        let fields: Vec<String> = fields.iter().map(|f| escaped(f)).collect();
        all += &(fields.join("\t") + "\n");
    };
    let number = |n: u64| n.to_string();
    line(&[
        "process",
        &header.process.to_string(),
        &header.start.to_string(),
        &header.program,
    ]);
    if let Some([platform, device, driver]) = &header.device {
        line(&["device", platform, device, driver]);
    }
    for (launch, times) in record.launches.iter().filter(|(_, t)| t.count > 0) {
        line(&[
            "launch",
            &launch.kernel.name,
            &format!("{:016x}", launch.kernel.source),
            &launch.kernel.options,
            &list(&launch.global),
            &list(&launch.local),
            &number(times.count),
            &number(times.total),
            &number(times.least),
        ]);
    }
    for read in &record.reads {
        match read {
            None => line(&["read", "-"]),
            Some(d) => line(&[
                "read",
                &number(d.bytes),
                &format!("{:016x}", d.hash),
                d.elements.word(),
                &number(d.special),
                &format!("{:e}", d.squares),
                &sketch(d),
            ]),
        }
    }
    line(&[
        "missed",
        &number(record.untimed + record.pending() as u64),
        &number(record.unseen),
    ]);
    all
}

fn list(sizes: &[usize; 3]) -> String {
    sizes.map(|n| n.to_string()).join(",")
}

fn sketch(digest: &Digest) -> String {
    let mut text = String::new();
    for sum in digest.sketch {
        let _ = write!(text, "{}{sum:e}", if text.is_empty() { "" } else { "," });
    }
    text
}

fn escaped(field: &str) -> String {
    field
        .replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Region;
    use crate::names::Kernel;
    use crate::record::{Launch, State};
    use std::sync::Arc;

    struct Done;

    impl Command for Done {
        fn state(&self) -> State {
            State::Done(1500)
        }
    }

    #[test]
    fn every_line() {
        let mut record = Record::new();
        let kernel = Arc::new(Kernel {
            name: "k".into(),
            source: 255,
            options: "-D A=\"\t\"".into(),
        });
        let launch = Launch {
            kernel,
            global: [64, 2, 1],
            local: [0; 3],
        };
        record.launched(launch, Done);
        record.settle();
        let memory = [1.5f32; 2];
        record.reading(Region::plain(memory.as_ptr().addr(), 8), Done);
        record.settle();
        record.read(None);
        let header = Header {
            process: 3,
            start: 9,
            program: "p".into(),
            device: Some(["P", "D", "V"].map(str::to_owned)),
        };
        let text = text(&header, &record);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..3],
            ["caldera-layer 1", "process\t3\t9\tp", "device\tP\tD\tV"]
        );
        assert_eq!(
            lines[3],
            "launch\tk\t00000000000000ff\t-D A=\"\\t\"\t64,2,1\t0,0,0\t1\t1500\t1500"
        );
        assert!(lines[4].starts_with("read\t8\t"), "{text}");
        assert!(lines[4].contains("\tfloat\t0\t4.5e0\t"), "{text}");
        assert_eq!(lines[5..], ["read\t-", "missed\t0\t0"]);
    }
}
