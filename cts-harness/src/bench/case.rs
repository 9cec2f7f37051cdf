//! The cases to measure, their rows, and the interface to run a case on one side.

use crate::Failure;
use crate::cl::{Context, Device};

/// A case to measure. One repetition yields a sample for each of its rows.
pub(super) struct Case {
    pub(super) rows: Vec<Row>,
    /// The number of consecutive repetitions on one side before the other side has its turn.
    pub(super) block: usize,
    /// The largest number of repetitions that is useful.
    pub(super) most: usize,
    pub(super) make: Make,
}

pub(super) type Make = Box<dyn Fn(&Side) -> Result<Box<dyn Running>, Stop>>;

/// A line of the table.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) quantity: Quantity,
}

/// The meaning of a row's values. Except for memory, the values are seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Quantity {
    Time,
    /// An amount of work in the measured time. It is shown per second, in `unit`s of the given `size`.
    Rate {
        work: f64,
        size: f64,
        unit: &'static str,
    },
    /// A number of bytes.
    Memory,
}

/// The reason why there is no value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Stop {
    /// The device lacks a feature that the case needs. This is not a failure.
    Refused(String),
    /// A call failed, or a result is wrong.
    Failed(String),
}

impl<E: Into<Failure>> From<E> for Stop {
    fn from(e: E) -> Self {
        let Failure(message) = e.into();
        Stop::Failed(message)
    }
}

/// The value of one row in one repetition.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sample {
    /// The seconds by the host's clock, or the bytes.
    pub(super) wall: f64,
    /// The seconds by event profiling. On a CPU, this is the CPU time of the process on all processors.
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

/// A case that is prepared on a side.
pub(super) trait Running {
    /// Runs one repetition, and returns a sample for each row.
    fn repeat(&mut self) -> Result<Vec<Sample>, Stop>;
    /// Compares the result of the last repetition with the host's reference.
    fn check(&mut self) -> Result<(), Stop>;
}

/// An implementation's device, with the objects that all cases use.
pub(super) struct Side {
    /// The location of the library, with which a child process can open it again.
    pub(super) place: crate::cl::Location,
    pub(super) device: Device,
    pub(super) context: Context,
}

/// A feature that a case needs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Need {
    Half,
    Double,
    Images,
}

impl Side {
    /// Refuses a case whose need the device does not meet.
    pub(super) fn offers(&self, need: Need) -> Result<(), Stop> {
        let (offered, lack) = match need {
            Need::Half => (self.device.has_half, "no cl_khr_fp16"),
            Need::Double => (self.device.has_double, "no cl_khr_fp64"),
            Need::Images => (self.device.has_images, "no images"),
        };
        match offered {
            true => Ok(()),
            false => Err(Stop::Refused(lack.into())),
        }
    }
}

impl Case {
    /// Returns a case with one row.
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

/// The size of the problems.
#[derive(Copy, Clone, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum Scale {
    /// For drivers that run on the CPU, where it takes milliseconds
    Small,
    /// For GPUs: each launch uses the whole GPU long enough to be measured
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
