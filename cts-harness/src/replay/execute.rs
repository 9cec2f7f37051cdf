//! The child process: executes a captured launch on one device, and writes the contents of the memory objects after it.
//!
//! It writes a line for each step to standard output: `device NAME`, `built SECONDS`, `took SECONDS` for each launch, and
//! `done`, or `refused WHY`.

use super::capture::{self, Input, Launch, Memory, Part, Program, Range, Value};
use super::includes;
use crate::cl::{self, Argument, Device, Handle, ImageForm, Location, Place, Sizes};
use crate::{Failure, Outcome};
use opencl_sys::{CL_MEM_READ_WRITE, CL_QUEUE_PROFILING_ENABLE};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct One {
    #[command(flatten)]
    place: Location,
    /// The folder of the capture
    folder: PathBuf,
    /// The folder for the results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The number of launches
    #[arg(long, default_value_t = 1, value_name = "N")]
    times: usize,
}

/// Returns the name of the file with the results of a memory object.
pub(super) fn file(memory: usize) -> String {
    format!("memory{memory}.result")
}

pub(crate) fn one(args: &One) -> Outcome {
    let device = args.place.open()?;
    say!("device {} ({})", device.name, device.platform);
    if let Err(Failure(why)) = execute(args, &device) {
        say!("refused {}", why.trim().replace('\n', " | "));
        return Ok(());
    }
    say!("done");
    Ok(())
}

fn execute(args: &One, device: &Device) -> Outcome {
    let launch = Launch::read(&args.folder)?;
    let context = cl::context(std::slice::from_ref(device))?;
    let begin = Instant::now();
    let program = program(args, device, &context, &launch.program)?;
    let kernel = program.kernel(&launch.kernel)?;
    say!("built {:.6}", begin.elapsed().as_secs_f64());
    let queue = device.queue(&context, CL_QUEUE_PROFILING_ENABLE)?;
    let objects = Objects::new(&launch, &args.folder, &context)?;
    // A kernel does not keep its samplers.
    let mut samplers = Vec::new();
    for (index, argument) in launch.arguments.iter().enumerate() {
        samplers.extend(set(&kernel, index, &argument.value, &objects, &context)?);
    }
    let sizes = Sizes {
        offset: &launch.offset,
        global: &launch.global,
        local: launch.local.as_deref(),
    };
    for n in 0..args.times.max(1) {
        objects.fill(&queue)?;
        let event = queue.launch_of(&kernel, &sizes)?;
        queue.finish()?;
        if event.status()? < 0 {
            return fail!("the launch ended with {}", event.status()?);
        }
        say!("took {:.9}", event.device_seconds()?);
        if n == 0 {
            objects.keep(&queue, &args.out)?;
        }
    }
    Ok(())
}

fn program(args: &One, device: &Device, context: &Handle, program: &Program) -> Result<Handle, Failure> {
    let folder = &args.folder;
    let create = |part: &Part| match part {
        Part::Source(input) => context.program_of_source(&capture::read(folder, &input.file)?),
        Part::Il { input, constants } => {
            let program = context.program_of_il(&capture::read(folder, &input.file)?)?;
            for constant in constants {
                program.specialize(constant.id, &capture::bytes(&constant.bytes)?)?;
            }
            Ok(program)
        }
    };
    let input = |part: &Part| -> Input {
        match part {
            Part::Source(input) | Part::Il { input, .. } => input.clone(),
        }
    };
    let options = |index: usize, part: &Part| {
        let to = args.out.join(format!("include{index}"));
        includes::place(folder, &input(part), &to)
    };
    match program {
        Program::Built { parts, .. } => {
            let [part] = &parts[..] else {
                return fail!("a build has one part, not {}", parts.len());
            };
            let program = create(part)?;
            program.build_with(&options(0, part)?)?;
            Ok(program)
        }
        Program::Linked { parts, options: last } => {
            let mut compiled = Vec::new();
            for (index, part) in parts.iter().enumerate() {
                let program = create(part)?;
                let headers = input(part).headers.into_iter().map(|header| {
                    let text = capture::read(folder, &header.file)?;
                    Ok((header.name, context.program_of_source(&text)?))
                });
                let headers = headers.collect::<Result<Vec<_>, Failure>>()?;
                program.compile_with(&options(index, part)?, &headers)?;
                compiled.push(program);
            }
            context.link(last, &compiled)
        }
        Program::Binary { options, file } => {
            let program = context.program_of_binary(device, &capture::read(folder, file)?)?;
            program.build_with(options)?;
            Ok(program)
        }
    }
}

/// Sets an argument. Returns the sampler, if it is one.
fn set(
    kernel: &Handle,
    index: usize,
    value: &Value,
    objects: &Objects,
    context: &Handle,
) -> Result<Option<Handle>, Failure> {
    match value {
        Value::Bytes { bytes } => kernel.set(index, Argument::Bytes(&capture::bytes(bytes)?))?,
        Value::Local { size } => kernel.set(index, Argument::Local(*size))?,
        Value::Buffer(range) => kernel.set(index, Argument::Memory(objects.part(range)?))?,
        Value::Image { memory } => kernel.set(index, Argument::Memory(objects.whole(*memory)?))?,
        Value::Sampler {
            normalized,
            addressing,
            filter,
        } => {
            let sampler = context.sampler(*normalized != 0, *addressing, *filter)?;
            kernel.set(index, Argument::Memory(&sampler))?;
            return Ok(Some(sampler));
        }
        Value::Null => kernel.set(index, Argument::Bytes(&[0; size_of::<usize>()]))?,
    }
    Ok(None)
}

/// The memory objects of a launch.
struct Objects {
    whole: Vec<Object>,
    /// The sub-buffers, by buffer, offset and size.
    parts: BTreeMap<(usize, usize, usize), Handle>,
}

struct Object {
    handle: Handle,
    /// The contents before the launch, if no other object has them.
    before: Option<cl::Memory>,
    /// The size of an image in texels and layers.
    texels: Option<[usize; 3]>,
}

impl Objects {
    fn new(launch: &Launch, folder: &Path, context: &Handle) -> Result<Objects, Failure> {
        let mut objects = Objects {
            whole: Vec::new(),
            parts: BTreeMap::new(),
        };
        // An image from a buffer follows the buffer.
        for memory in &launch.memory {
            let (handle, texels) = match memory {
                Memory::Buffer { size, .. } => (context.buffer(CL_MEM_READ_WRITE, *size, null_mut())?, None),
                Memory::Image {
                    buffer, row_pitch, ..
                } => {
                    let from = match buffer {
                        Some(range) => {
                            objects.divide(range)?;
                            Some((objects.part(range)?, row_pitch.unwrap_or(0)))
                        }
                        None => None,
                    };
                    image(context, memory, from)?
                }
            };
            let before = match &memory.contents().before {
                Some(file) => Some(cl::Memory::new(capture::read(folder, file)?)),
                None => None,
            };
            objects.whole.push(Object {
                handle,
                before,
                texels,
            });
        }
        for argument in &launch.arguments {
            if let Value::Buffer(range) = &argument.value {
                objects.divide(range)?;
            }
        }
        Ok(objects)
    }

    fn whole(&self, memory: usize) -> Result<&Handle, Failure> {
        let object = self.whole.get(memory);
        object
            .map(|o| &o.handle)
            .ok_or_else(|| failure!("there is no memory object {memory}"))
    }

    /// Makes the sub-buffer for a range, unless the range is the whole buffer.
    fn divide(&mut self, range: &Range) -> Outcome {
        let Range { memory, offset, size } = *range;
        if !self.is_whole(range) && !self.parts.contains_key(&(memory, offset, size)) {
            let part = self.whole(memory)?.sub_buffer(offset, size).map_err(|Failure(why)| {
                failure!("{why} for the sub-buffer at {offset}: platforms differ in the alignment that they demand")
            })?;
            self.parts.insert((memory, offset, size), part);
        }
        Ok(())
    }

    fn is_whole(&self, range: &Range) -> bool {
        let before = self.whole.get(range.memory).and_then(|o| o.before.as_ref());
        range.offset == 0 && before.is_some_and(|b| b.bytes().len() == range.size)
    }

    /// Returns the buffer or sub-buffer of a range.
    fn part(&self, range: &Range) -> Result<&Handle, Failure> {
        match self.parts.get(&(range.memory, range.offset, range.size)) {
            Some(part) => Ok(part),
            None => self.whole(range.memory),
        }
    }

    /// Writes the contents before the launch.
    fn fill(&self, queue: &Handle) -> Outcome {
        for object in &self.whole {
            let Some(before) = &object.before else { continue };
            match object.texels {
                None => queue.write(&object.handle, true, 0, before, &[])?,
                Some(size) => queue.image_transfer((&object.handle, Place::all(size)), true, before, &[])?,
            };
        }
        queue.finish()
    }

    /// Reads the contents, and writes them to files.
    fn keep(&self, queue: &Handle, out: &Path) -> Outcome {
        for (index, object) in self.whole.iter().enumerate() {
            let Some(before) = &object.before else { continue };
            let to = cl::Memory::new(vec![0; before.bytes().len()]);
            match object.texels {
                None => queue.read(&object.handle, true, 0, &to, &[])?,
                Some(size) => queue.image_transfer((&object.handle, Place::all(size)), false, &to, &[])?,
            };
            queue.finish()?;
            std::fs::write(out.join(file(index)), to.bytes())?;
        }
        Ok(())
    }
}

fn image(
    context: &Handle,
    memory: &Memory,
    from: Option<(&Handle, usize)>,
) -> Result<(Handle, Option<[usize; 3]>), Failure> {
    let Memory::Image {
        flags,
        ty,
        order,
        data,
        size,
        ..
    } = memory
    else {
        return fail!("no image");
    };
    // The flags of the accesses by kernels; those of host pointers have no meaning here.
    const KERNEL: u64 = 7;
    let image = context.image_of(&ImageForm {
        flags: flags & KERNEL,
        kind: *ty,
        format: (*order, *data),
        size: *size,
        buffer: from,
        host: null_mut(),
    })?;
    Ok((image, Some(*size)))
}
