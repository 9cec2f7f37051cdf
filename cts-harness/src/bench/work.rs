//! Benchmark cases that launch kernels on buffers. The programs, launches and checks of a case are given as
//! data.

use super::case::{Case, Make, Quantity, Running, Sample, Side, Stop};
use crate::cl::{Argument, Buffer, Handle, Queue, Range};
use crate::process::processor_seconds;
use std::time::Instant;

/// A kernel case with its data.
pub(super) struct Work {
    source: &'static str,
    options: String,
    memory: Vec<Memory>,
    /// The launches of one repetition, in their order.
    launches: Vec<Launch>,
    /// The memory objects (from, to) that are copied before each repetition, outside the measured time.
    restore: Option<(usize, usize)>,
    /// The index of the memory object with the result.
    result: usize,
    check: Check,
}

impl Work {
    /// Returns a case without launches and without a check.
    pub(super) fn new(source: &'static str, memory: Vec<Memory>) -> Work {
        Work {
            source,
            options: String::new(),
            memory,
            launches: Vec::new(),
            restore: None,
            result: 0,
            check: Box::new(|_| Err("nothing checks it".into())),
        }
    }

    /// Sets the check, and the index of the memory object that it gets.
    pub(super) fn checked(
        self,
        result: usize,
        check: impl Fn(&[u8]) -> Result<(), String> + 'static,
    ) -> Work {
        let check = Box::new(check);
        Work {
            result,
            check,
            ..self
        }
    }

    pub(super) fn options(self, options: impl Into<String>) -> Work {
        let options = options.into();
        Work { options, ..self }
    }

    /// Copies the object `from` to the object `to` before each repetition, outside the measured time.
    pub(super) fn restored(self, from: usize, to: usize) -> Work {
        let restore = Some((from, to));
        Work { restore, ..self }
    }

    /// Adds a launch to each repetition.
    pub(super) fn launch(mut self, kernel: &'static str, arguments: &[Value], range: Range) -> Work {
        let arguments = arguments.to_vec();
        self.launches.push(Launch {
            kernel,
            arguments,
            range,
        });
        self
    }
}

/// Checks a result. The error describes the difference.
type Check = Box<dyn Fn(&[u8]) -> Result<(), String>>;

/// A memory object of a case, with its contents.
pub(super) enum Memory {
    Buffer(Vec<u8>),
    /// A result with this many bytes. It is filled with a value that no kernel produces.
    Output(usize),
    /// An image with one float per pixel.
    Image {
        width: usize,
        pixels: Vec<f32>,
    },
}

/// A launch of a kernel of the program.
struct Launch {
    kernel: &'static str,
    arguments: Vec<Value>,
    range: Range,
}

/// A kernel argument as data.
#[derive(Copy, Clone)]
pub(super) enum Value {
    /// The index of a memory object.
    Object(usize),
    U32(u32),
    F32(f32),
    F64(f64),
    Half(u16),
}

/// Returns a case with one row. `make` is called when the case is prepared on a side.
pub(super) fn case(
    name: &str,
    quantity: Quantity,
    make: impl Fn(&Side) -> Result<Work, Stop> + 'static,
) -> Case {
    let make: Make = Box::new(move |side| {
        let set = Set::new(side, make(side)?)?;
        Ok(Box::new(set))
    });
    Case::single(name, quantity, make)
}

/// A kernel case that is prepared on a side.
struct Set {
    queue: Queue,
    profiled: Queue,
    kernels: Vec<(Handle, Range)>,
    memory: Vec<Buffer>,
    restore: Option<(usize, usize)>,
    result: usize,
    check: Check,
    /// Whether the device is a CPU. Then the device time is the CPU time of the process, which other
    /// processes on the machine do not disturb.
    on_cpu: bool,
    /// The number of times that the launches are repeated before the host waits for the queue. It is large
    /// enough that the time for waiting hardly counts.
    batch: usize,
}

/// The intended duration of a batch.
const BATCH_SECONDS: f64 = 4e-3;
/// The maximum number of repetitions in a batch.
const MOST_IN_A_BATCH: f64 = 40.0;

impl Set {
    fn new(side: &Side, work: Work) -> Result<Set, Stop> {
        for launch in &work.launches {
            let items = launch.range.local.map_or(1, |l| l[0] * l[1]);
            if items > side.device.largest_group {
                return Err(Stop::Refused(format!("no work-groups of {items}")));
            }
        }
        let program = side.context.build(work.source, &work.options)?;
        let queue = Queue::new(&side.context, false)?;
        let profiled = Queue::new(&side.context, true)?;
        let mut memory = Vec::new();
        for object in &work.memory {
            memory.push(match object {
                Memory::Buffer(bytes) => {
                    let buffer = side.context.buffer(bytes.len())?;
                    queue.write(&buffer, bytes)?;
                    buffer
                }
                Memory::Output(size) => {
                    let buffer = side.context.buffer(*size)?;
                    queue.fill(&buffer, 0xA5A5_A5A5)?;
                    buffer
                }
                Memory::Image { width, pixels } => side.context.image(*width, pixels)?,
            });
        }
        let mut kernels = Vec::new();
        for launch in &work.launches {
            let kernel = program.kernel(launch.kernel)?;
            for (index, value) in launch.arguments.iter().enumerate() {
                let argument = match *value {
                    Value::Object(m) => Argument::Memory(&memory[m]),
                    Value::U32(v) => Argument::U32(v),
                    Value::F32(v) => Argument::F32(v),
                    Value::F64(v) => Argument::F64(v),
                    Value::Half(v) => Argument::Half(v),
                };
                kernel.set(index, argument)?;
            }
            kernels.push((kernel, launch.range));
        }
        queue.finish()?;
        let mut set = Set {
            queue,
            profiled,
            kernels,
            memory,
            restore: work.restore,
            result: work.result,
            check: work.check,
            on_cpu: side.device.is_cpu,
            batch: 1,
        };
        // The first run includes work that the driver does only once.
        set.once()?;
        if set.restore.is_none() {
            let seconds = set.once()?.wall;
            set.batch = (BATCH_SECONDS / seconds).clamp(1.0, MOST_IN_A_BATCH) as usize;
        }
        Ok(set)
    }

    /// Runs a batch, and returns the time for one pass over the launches.
    fn once(&self) -> Result<Sample, Stop> {
        self.restore(&self.queue)?;
        let (start, processor) = (Instant::now(), processor_seconds());
        for _ in 0..self.batch {
            self.launch_all()?;
        }
        self.queue.finish()?;
        let each = 1.0 / self.batch as f64;
        Ok(Sample {
            wall: start.elapsed().as_secs_f64() * each,
            device: self.on_cpu.then(|| (processor_seconds() - processor) * each),
        })
    }

    fn launch_all(&self) -> Result<(), Stop> {
        for (kernel, range) in &self.kernels {
            self.queue.launch(kernel, *range)?;
        }
        Ok(())
    }

    /// Returns the seconds of one pass by its events. It returns `None` if the implementation has no clock
    /// for them.
    fn on_the_device(&self) -> Result<Option<f64>, Stop> {
        const LEAST: f64 = 1e-7;
        self.restore(&self.profiled)?;
        let mut events = Vec::with_capacity(self.kernels.len());
        for (kernel, range) in &self.kernels {
            events.push(self.profiled.launch_with_event(kernel, *range)?);
        }
        self.profiled.finish()?;
        let mut sum = 0.0;
        for event in &events {
            sum += event.device_seconds()?;
        }
        Ok((sum > LEAST).then_some(sum))
    }

    fn restore(&self, queue: &Queue) -> Result<(), Stop> {
        if let Some((from, to)) = self.restore {
            let (from, to) = (&self.memory[from], &self.memory[to]);
            queue.copy(from, to, from.size())?;
            queue.finish()?;
        }
        Ok(())
    }
}

impl Running for Set {
    fn repeat(&mut self) -> Result<Vec<Sample>, Stop> {
        if !self.on_cpu {
            // A GPU takes time to switch from the other implementation (0.2 ms on an H200). This untimed pass
            // ensures that the time counts for neither side.
            self.restore(&self.queue)?;
            self.launch_all()?;
            self.queue.finish()?;
        }
        let mut sample = self.once()?;
        if !self.on_cpu {
            sample.device = self.on_the_device()?;
        }
        Ok(vec![sample])
    }

    fn check(&mut self) -> Result<(), Stop> {
        let buffer = &self.memory[self.result];
        let mut bytes = vec![0; buffer.size()];
        self.queue.read(buffer, &mut bytes)?;
        (self.check)(&bytes).map_err(|why| Stop::Failed(format!("wrong result: {why}")))?;
        // A later run that does not write the result must not pass the check.
        self.queue.fill(buffer, 0xA5A5_A5A5)?;
        Ok(self.queue.finish()?)
    }
}
