//! Measures the cost of launches: the latency, the throughput of many small launches, and launches whose
//! result is read each time.

use crate::bench::case::{Case, Quantity, Row, Running, Sample, Side, Stop};
use crate::cl::{Argument, Buffer, Handle, Queue, Range};
use std::time::Instant;

const SOURCE: &str = include_str!("../kernels/launch.cl");
const RANGE: Range = Range::line(64, 64);
/// The number of launches that are enqueued before the queue is waited for.
const MANY: usize = 10_000;
/// The number of buffers that independent launches use in turn.
const BUFFERS: usize = 64;

pub(super) fn cases() -> Vec<Case> {
    let many = [
        ("empty", Pattern::Empty),
        ("independent", Pattern::Independent),
        ("dependent", Pattern::Dependent),
        ("changing arguments", Pattern::Changing),
        ("flush each", Pattern::Flushed),
    ];
    let mut all = vec![one("launch/empty kernel, finish", Pattern::Empty, 50, 3000)];
    all.extend(many.map(|(name, pattern)| self::many(name, pattern)));
    all.push(one(
        "launch/kernel, read of 4 bytes",
        Pattern::Dependent,
        20,
        1000,
    ));
    all
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Pattern {
    /// The kernel has no arguments.
    Empty,
    /// The launches increment counters in different buffers, as long as there are buffers.
    Independent,
    /// All launches increment counters in the same buffer.
    Dependent,
    /// All launches change counters in the same buffer by different amounts.
    Changing,
    /// All launches increment counters in the same buffer, and each is followed by clFlush.
    Flushed,
}

fn many(name: &str, pattern: Pattern) -> Case {
    let make = move |side: &Side| {
        let set = Many::new(side, pattern)?;
        Ok(Box::new(set) as Box<dyn Running>)
    };
    let row = |name| Row {
        name,
        quantity: Quantity::Time,
    };
    Case {
        rows: vec![
            row(format!("launch/10000 {name}, each")),
            row(format!("launch/10000 {name}, enqueuing alone")),
        ],
        block: 1,
        most: 20,
        make: Box::new(make),
    }
}

struct Many {
    queue: Queue,
    pattern: Pattern,
    /// One kernel for each buffer, with its arguments set.
    kernels: Vec<Handle>,
    buffers: Vec<Buffer>,
    /// The expected value of each buffer's counters.
    expected: Vec<u32>,
}

impl Many {
    fn new(side: &Side, pattern: Pattern) -> Result<Many, Stop> {
        let program = side.context.build(SOURCE, "")?;
        let queue = Queue::new(&side.context, false)?;
        let count = if pattern == Pattern::Independent {
            BUFFERS
        } else {
            1
        };
        let (mut kernels, mut buffers) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let buffer = side.context.buffer(RANGE.global[0] * 4)?;
            queue.fill(&buffer, 0)?;
            kernels.push(if pattern == Pattern::Empty {
                program.kernel("empty")?
            } else {
                let kernel = program.kernel("add")?;
                kernel.set(0, Argument::U32(1))?;
                kernel.set(1, Argument::Memory(&buffer))?;
                kernel
            });
            buffers.push(buffer);
        }
        queue.finish()?;
        Ok(Many {
            queue,
            pattern,
            kernels,
            buffers,
            expected: vec![0; count],
        })
    }

    fn enqueue(&mut self) -> Result<(), Stop> {
        for i in 0..MANY {
            let which = i % self.kernels.len();
            let kernel = &self.kernels[which];
            let mut amount = 1;
            if self.pattern == Pattern::Changing {
                amount = 1 + (i % 7) as u32;
                kernel.set(0, Argument::U32(amount))?;
            }
            self.queue.launch(kernel, RANGE)?;
            if self.pattern == Pattern::Flushed {
                self.queue.flush()?;
            }
            if self.pattern != Pattern::Empty {
                self.expected[which] = self.expected[which].wrapping_add(amount);
            }
        }
        Ok(())
    }
}

impl Running for Many {
    fn repeat(&mut self) -> Result<Vec<Sample>, Stop> {
        let start = Instant::now();
        self.enqueue()?;
        let enqueued = start.elapsed().as_secs_f64();
        self.queue.finish()?;
        let finished = start.elapsed().as_secs_f64();
        Ok([finished, enqueued]
            .map(|t| Sample::wall(t / MANY as f64))
            .to_vec())
    }

    fn check(&mut self) -> Result<(), Stop> {
        for (buffer, expected) in self.buffers.iter().zip(&self.expected) {
            let mut bytes = vec![0; buffer.size()];
            self.queue.read(buffer, &mut bytes)?;
            let counters = crate::bench::data::to_u32(&bytes);
            if let Some(wrong) = counters.iter().find(|c| *c != expected) {
                return Err(Stop::Failed(format!("a counter is {wrong}, not {expected}")));
            }
        }
        Ok(())
    }
}

/// Returns the case of one launch, which is waited for: an empty kernel by clFinish, others by a blocking read of 4
/// bytes of their result.
fn one(name: &str, pattern: Pattern, block: usize, most: usize) -> Case {
    let make = move |side: &Side| Ok(Box::new(One(Many::new(side, pattern)?)) as Box<dyn Running>);
    Case {
        block,
        most,
        ..Case::single(name, Quantity::Time, Box::new(make))
    }
}

struct One(Many);

impl Running for One {
    fn repeat(&mut self) -> Result<Vec<Sample>, Stop> {
        let One(set) = self;
        let mut bytes = [0; 4];
        let start = Instant::now();
        set.queue.launch(&set.kernels[0], RANGE)?;
        if set.pattern == Pattern::Empty {
            set.queue.finish()?;
            return Ok(vec![Sample::wall(start.elapsed().as_secs_f64())]);
        }
        set.queue.read(&set.buffers[0], &mut bytes)?;
        let seconds = start.elapsed().as_secs_f64();
        set.expected[0] = set.expected[0].wrapping_add(1);
        let (found, expected) = (u32::from_le_bytes(bytes), set.expected[0]);
        if found != expected {
            return Err(Stop::Failed(format!("the counter is {found}, not {expected}")));
        }
        Ok(vec![Sample::wall(seconds)])
    }

    fn check(&mut self) -> Result<(), Stop> {
        self.0.check()
    }
}
