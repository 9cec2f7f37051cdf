//! What is measured: cases, their rows, and how one runs on one side.

use super::cl::{Context, Device};
use crate::Failure;

/// A thing to measure. One repetition gives a value for each of its rows.
pub(super) struct Case {
    pub(super) rows: Vec<Row>,
    /// Repetitions in a row on one side before the other has its turn.
    pub(super) block: usize,
    /// More repetitions than this tell nothing new.
    pub(super) most: usize,
    pub(super) make: Make,
}

/// Sets a case up on a side.
pub(super) type Make = Box<dyn Fn(&Side) -> Result<Box<dyn Running>, Stop>>;

/// A line of the table.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) quantity: Quantity,
}

/// What a row's values mean; they are seconds, but for memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Quantity {
    Time,
    /// So much work in the measured time, shown in `unit`s of `size` a second.
    Rate {
        work: f64,
        size: f64,
        unit: &'static str,
    },
    /// Bytes.
    Memory,
}

/// Something other than a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Stop {
    /// The device does not have what the case needs; no fault.
    Refused(String),
    /// A call failed or a result is wrong.
    Failed(String),
}

impl<E: Into<Failure>> From<E> for Stop {
    fn from(e: E) -> Self {
        let Failure(message) = e.into();
        Stop::Failed(message)
    }
}

/// What one repetition gave for one row.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sample {
    /// Seconds on the host's clock, or bytes.
    pub(super) wall: f64,
    /// Seconds by event profiling; on a CPU, of the process on all processors.
    pub(super) device: Option<f64>,
}

impl Sample {
    pub(super) fn wall(seconds: f64) -> Sample {
        Sample {
            wall: seconds,
            device: None,
        }
    }
}

/// A case set up on a side.
pub(super) trait Running {
    /// One repetition: a sample for each row.
    fn repeat(&mut self) -> Result<Vec<Sample>, Stop>;
    /// Compares what the last repetition left with the host's reference.
    fn check(&mut self) -> Result<(), Stop>;
}

/// One implementation's device with what all cases use of it.
pub(super) struct Side {
    /// How the library is opened again, in a child process.
    pub(super) place: super::locate::Place,
    pub(super) device: Device,
    pub(super) context: Context,
}

impl Case {
    /// A case of one row.
    pub(super) fn single(name: impl Into<String>, quantity: Quantity, make: Make) -> Case {
        let name = name.into();
        Case {
            rows: vec![Row { name, quantity }],
            block: 1,
            most: 30,
            make,
        }
    }
}

/// How large the problems are.
#[derive(Copy, Clone, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum Scale {
    /// For drivers that run on the CPU: milliseconds there
    Small,
    /// For GPUs: each launch fills one for long enough to be measured
    Large,
}

impl Scale {
    pub(super) fn pick<T>(self, small: T, large: T) -> T {
        match self {
            Scale::Small => small,
            Scale::Large => large,
        }
    }
}
