//! Evaluates and times a function on a device.

use super::function::{Function, Operands, Results};
use super::number::Precision;
use super::samples::Samples;
use crate::Failure;
use crate::cl::{Argument, Buffer, Context, Device, Handle, Queue, Range};
use std::time::Instant;

/// A device with a context and its queues.
pub(super) struct Bench {
    pub(super) device: Device,
    pub(super) context: Context,
    queue: Queue,
    profiled: Queue,
}

/// A function compiled for evaluation.
pub(super) struct Evaluation<'a> {
    bench: &'a Bench,
    kernel: Handle,
    function: Function,
    precision: Precision,
}

/// The results that a device computed.
pub(super) struct Answers {
    pub(super) values: Vec<u64>,
    /// The numbers that are stored through a pointer, as words of the format.
    pub(super) seconds: Vec<u64>,
    pub(super) ints: Vec<i32>,
}

/// A function compiled for timing, with its arguments set.
pub(super) struct Timing<'a> {
    bench: &'a Bench,
    kernel: Handle,
    /// The buffer that the kernel writes. It must live as long as the kernel may run.
    _result: Buffer,
    range: Range,
    evaluations: f64,
}

/// The size of a work-group, if the device allows it.
const GROUP: usize = 256;

fn head(p: Precision) -> String {
    let extension = match p {
        Precision::Half => "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n",
        Precision::Single => "",
        Precision::Double => "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
    };
    format!("{extension}typedef {} T;\n", p.name())
}

/// Returns the source of a kernel that evaluates a function once in each work-item. The kernel has all
/// parameters, even if the function does not use them.
fn evaluation_source(f: Function, p: Precision) -> String {
    let second = match f.operands() {
        Operands::WithInt => "int y = ns[i];",
        Operands::Two | Operands::Three => "T y = ys[i];",
        Operands::One => "",
    };
    let third = if f.operands() == Operands::Three {
        "T z = zs[i];"
    } else {
        ""
    };
    let call = f.call();
    let body = match f.results() {
        Results::Number => format!("values[i] = {call};"),
        Results::Int => format!("ints[i] = {call};"),
        Results::NumberAndNumber => {
            format!("T stored; T *p = &stored; values[i] = {call}; seconds[i] = stored;")
        }
        Results::NumberAndInt => {
            format!("int stored; int *p = &stored; values[i] = {call}; ints[i] = stored;")
        }
    };
    let head = head(p);
    format!(
        "{head}kernel void evaluate(global const T *xs, global const T *ys, global const T *zs,\n    \
         global const int *ns, global T *values, global T *seconds, global int *ints)\n{{\n    \
         size_t i = get_global_id(0);\n    T x = xs[i];\n    {second}{third}\n    {body}\n}}\n"
    )
}

/// Returns the source of a kernel whose work-items evaluate a function many times in registers, with
/// different operands each time. Every result is added to the value that the kernel stores, so no evaluation
/// can be removed.
fn timing_source(f: Function, p: Precision, loops: usize, unrolled: usize) -> String {
    let (second, next) = match f.operands() {
        Operands::One => ("", ""),
        Operands::Two => ("T y = y0 + sy * at;", " y += dy;"),
        Operands::Three => ("T y = y0 + sy * at, z = x0;", " y += dy;"),
        // The integer operand is small and alternates between two values.
        Operands::WithInt => ("int y = (int)y0 + (int)(i & 7);", " y ^= 1;"),
    };
    let call = f.call();
    let step = match f.results() {
        Results::Number => format!("sum += {call};"),
        Results::Int => format!("sum += (T){call};"),
        Results::NumberAndNumber => format!("sum += {call}; sum += *p;"),
        Results::NumberAndInt => format!("sum += {call}; sum += (T)*p;"),
    };
    let stored = match f.results() {
        Results::NumberAndInt => "int stored = 0; int *p = &stored;",
        Results::NumberAndNumber => "T stored = 0; T *p = &stored;",
        Results::Number | Results::Int => "",
    };
    let step = format!("        {step} x += dx;{next}\n").repeat(unrolled);
    let head = head(p);
    format!(
        "{head}kernel void measure(T x0, T sx, T dx, T y0, T sy, T dy, global T *result)\n{{\n    \
         uint i = (uint)get_global_id(0);\n    \
         T at = (T)(i & 1023u);\n    T x = x0 + sx * at;\n    {second}\n    T sum = 0;\n    {stored}\n    \
         for (int k = 0; k < {count}; k++) {{\n{step}    }}\n    \
         result[i] = sum;\n}}\n",
        count = loops / unrolled,
    )
}

impl Bench {
    pub(super) fn new(device: Device) -> Result<Bench, Failure> {
        let context = Context::new(&device)?;
        let queue = Queue::new(&context, false)?;
        let profiled = Queue::new(&context, true)?;
        Ok(Bench {
            device,
            context,
            queue,
            profiled,
        })
    }

    pub(super) fn has(&self, p: Precision) -> bool {
        match p {
            Precision::Half => self.device.has_half,
            Precision::Single => true,
            Precision::Double => self.device.has_double,
        }
    }

    pub(super) fn evaluation(
        &self,
        function: Function,
        precision: Precision,
        options: &str,
    ) -> Result<Evaluation<'_>, Failure> {
        let program = self
            .context
            .build(&evaluation_source(function, precision), options)?;
        Ok(Evaluation {
            bench: self,
            kernel: program.kernel("evaluate")?,
            function,
            precision,
        })
    }

    pub(super) fn timing(&self, f: Function, p: Precision, options: &str) -> Result<Timing<'_>, Failure> {
        // The loop counts are small enough that the step of an operand is not rounded to zero in half
        // precision.
        let (items, loops, unrolled) = match self.device.is_cpu {
            true => (1 << 12, 16, 1),
            false => (1 << 20, 128, 4),
        };
        let program = self
            .context
            .build(&timing_source(f, p, loops, unrolled), options)?;
        let kernel = program.kernel("measure")?;
        let [x, y] = f.usual();
        // The first operands of the work-items are spread over the interval. Each work-item steps up to the
        // first operand of the next one.
        let steps = |(lo, hi): (f64, f64)| [lo, (hi - lo) / 1024.0, (hi - lo) / 1024.0 / loops as f64];
        let values = [steps(x), steps(y)].concat();
        let operands = values.len();
        for (index, value) in values.into_iter().enumerate() {
            kernel.set(index, argument(p, value))?;
        }
        let result = self.context.buffer(items * p.bytes())?;
        kernel.set(operands, Argument::Memory(&result))?;
        Ok(Timing {
            bench: self,
            kernel,
            _result: result,
            range: Range::line(items, GROUP.min(self.device.largest_group)),
            evaluations: (items * loops) as f64,
        })
    }
}

fn argument(p: Precision, value: f64) -> Argument<'static> {
    match p {
        Precision::Half => Argument::Half(p.to_bits(value) as u16),
        Precision::Single => Argument::F32(value as f32),
        Precision::Double => Argument::F64(value),
    }
}

impl Timing<'_> {
    /// Returns the seconds for one evaluation. A GPU measures them with its own clock. For a CPU, whose
    /// driver may lack such a clock, the host measures them.
    pub(super) fn once(&self) -> Result<f64, Failure> {
        if self.bench.device.is_cpu {
            let start = Instant::now();
            self.bench.queue.launch(&self.kernel, self.range)?;
            self.bench.queue.finish()?;
            return Ok(start.elapsed().as_secs_f64() / self.evaluations);
        }
        let event = self.bench.profiled.launch_with_event(&self.kernel, self.range)?;
        self.bench.profiled.finish()?;
        Ok(event.device_seconds()? / self.evaluations)
    }
}

impl Evaluation<'_> {
    /// Returns the device's results for the given operands.
    pub(super) fn answers(&self, samples: &Samples) -> Result<Answers, Failure> {
        let count = samples.x.len();
        let padded = count.next_multiple_of(GROUP);
        let width = self.precision.bytes();
        let upload = |words: &[u64]| self.upload(words, padded, width);
        let ns: Vec<u64> = samples.n.iter().map(|n| u64::from(*n as u32)).collect();
        let inputs = [
            upload(&samples.x)?,
            upload(&samples.y)?,
            upload(&samples.z)?,
            self.upload(&ns, padded, 4)?,
        ];
        let size = |used, width| if used { padded * width } else { GROUP };
        let (number, second, int) = match self.function.results() {
            Results::Number => (true, false, false),
            Results::Int => (false, false, true),
            Results::NumberAndNumber => (true, true, false),
            Results::NumberAndInt => (true, false, true),
        };
        let context = &self.bench.context;
        let outputs = [
            context.buffer(size(number, width))?,
            context.buffer(size(second, width))?,
            context.buffer(size(int, 4))?,
        ];
        for (index, buffer) in inputs.iter().chain(&outputs).enumerate() {
            self.kernel.set(index, Argument::Memory(buffer))?;
        }
        let group = GROUP.min(self.bench.device.largest_group);
        self.bench
            .queue
            .launch(&self.kernel, Range::line(padded, group))?;
        let download = |used: bool, from: &Buffer, width: usize| -> Result<Vec<u8>, Failure> {
            let mut bytes = vec![0; if used { count * width } else { 0 }];
            if used {
                self.bench.queue.read(from, &mut bytes)?;
            }
            Ok(bytes)
        };
        let p = self.precision;
        Ok(Answers {
            values: p.words(&download(number, &outputs[0], width)?).collect(),
            seconds: p.words(&download(second, &outputs[1], width)?).collect(),
            ints: Precision::Single
                .words(&download(int, &outputs[2], 4)?)
                .map(|w| w as u32 as i32)
                .collect(),
        })
    }

    /// Creates a buffer with the given words. For an operand that the function does not take, it creates a
    /// small buffer that the kernel never reads.
    fn upload(&self, words: &[u64], padded: usize, width: usize) -> Result<Buffer, Failure> {
        if words.is_empty() {
            return self.bench.context.buffer(GROUP);
        }
        let mut bytes: Vec<u8> = match width {
            // This case is optimised, because there may be many floats.
            4 => words.iter().flat_map(|w| (*w as u32).to_le_bytes()).collect(),
            _ => words
                .iter()
                .flat_map(|w| w.to_le_bytes().into_iter().take(width))
                .collect(),
        };
        bytes.resize(padded * width, 0);
        let buffer = self.bench.context.buffer(bytes.len())?;
        self.bench.queue.write(&buffer, &bytes)?;
        Ok(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_name_what_they_use() {
        let text = evaluation_source(Function::Remquo, Precision::Double);
        assert!(
            text.contains("typedef double T;") && text.contains("remquo(x, y, p)"),
            "{text}"
        );
        assert!(text.contains("ints[i] = stored;"), "{text}");
        let text = timing_source(Function::Pow, Precision::Single, 16, 2);
        assert_eq!(
            text.matches("sum += pow(x, y); x += dx; y += dy;").count(),
            2,
            "{text}"
        );
        assert!(text.contains("k < 8;"), "{text}");
    }
}
