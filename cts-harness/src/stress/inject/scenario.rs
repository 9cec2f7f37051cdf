//! The scenario: commands of all types, one after the other. The host goes on after errors.
//!
//! All words of an object hold the same number. The host knows this number unless an error left it in doubt.
//! A command that reads without an error must return that number.

use super::super::cl::Cl;
use crate::cl::{Argument, Handle, Memory, Place, Side, watch_memory};
use crate::{Failure, Outcome};
use opencl_sys::*;
use std::ptr::null_mut;

/// The objects: two buffers, a large buffer that is transferred in chunks, a buffer in the host's memory,
/// one in pinned memory, and images.
const A: usize = 0;
const B: usize = 1;
const LARGE: usize = 2;
const HOST: usize = 3;
const PINNED: usize = 4;
const PICTURE: usize = 5;
/// The other image.
const OTHER: usize = 6;

/// The number of words of each object.
const WORDS: [usize; 7] = {
    let mut words = [16 << 10; 7];
    words[LARGE] = 3 << 20;
    words
};
/// The size of the images in texels.
const SIZE: [usize; 3] = [256, 64, 1];

const SOURCE: &str = "
kernel void put(global uint *a, uint stamp) { a[get_global_id(0)] = stamp; }
kernel void get(global const uint *a, global uint *b) { b[get_global_id(0)] = a[get_global_id(0)]; }
kernel void sum(global uint *a, local uint *t) {
    size_t l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[(l + 1) % get_local_size(0)] + 1;
}
";

const IMAGE_SOURCE: &str = "
kernel void paint(read_only image2d_t a, write_only image2d_t b) {
    int2 p = (int2)(get_global_id(0) % 256, get_global_id(0) / 256);
    write_imageui(b, p, read_imageui(a, p));
}
";

/// The effects of a command that was enqueued.
struct Did {
    event: Handle,
    /// The object that the command changes, and the number that it holds once the command is complete; `None`
    /// if the number is in doubt.
    sets: Option<(usize, Option<u32>)>,
    /// Memory that the command may use until it is complete, and the number that it must hold then, if that
    /// is known.
    memory: Option<(Memory, Option<u32>)>,
}

impl Did {
    fn nothing(event: Handle) -> Did {
        Did {
            event,
            sets: None,
            memory: None,
        }
    }

    fn sets(event: Handle, object: usize, number: Option<u32>) -> Did {
        Did {
            sets: Some((object, number)),
            ..Did::nothing(event)
        }
    }
}

/// How the host waits for a command.
#[derive(Copy, Clone)]
enum Wait {
    Event,
    Finish,
}

struct Host {
    cl: &'static Cl,
    context: Handle,
    queue: Handle,
    other: Handle,
    kernels: Vec<Handle>,
    objects: Vec<Handle>,
    values: Vec<Option<u32>>,
    stamp: u32,
    errors: u32,
    wrong: Vec<String>,
    /// The memory of the object [`HOST`]. The field is declared after `objects`, so that the memory is freed
    /// after the object.
    _own: Memory,
}

type Step = fn(&mut Host) -> Result<Did, Failure>;

/// The commands, each with the objects that it writes.
const STEPS: &[(&str, &[usize], Step)] = &[
    ("write", &[A], |h| h.transfer(A, true, false)),
    ("copy", &[B], |h| h.copy(A, B)),
    ("read", &[], |h| h.transfer(B, false, false)),
    ("kernel", &[A], |h| h.put(A)),
    ("blocking read", &[], |h| h.transfer(A, false, true)),
    ("kernel that reads", &[B], |h| h.get(A, B)),
    ("fill", &[A], |h| h.fill(A)),
    ("kernel with local memory", &[A], |h| h.sum(A)),
    ("rows to memory", &[], |h| h.rows(A, false)),
    ("rows from memory", &[B], |h| h.rows(B, true)),
    ("rows to a buffer", &[A], |h| h.copy_rows(B, A)),
    ("sub-buffer", &[A], |h| h.fill_halves(A)),
    ("large write", &[LARGE], |h| h.transfer(LARGE, true, false)),
    ("large read", &[], |h| h.transfer(LARGE, false, false)),
    ("kernel on large", &[LARGE], |h| h.put(LARGE)),
    ("large blocking read", &[], |h| h.transfer(LARGE, false, true)),
    ("large blocking write", &[LARGE], |h| {
        h.transfer(LARGE, true, true)
    }),
    ("large rows", &[], |h| h.rows(LARGE, false)),
    ("kernel on the host's memory", &[HOST], |h| h.put(HOST)),
    ("mapping of the host's memory", &[HOST], |h| h.map(HOST)),
    ("kernel on pinned memory", &[PINNED], |h| h.put(PINNED)),
    ("mapping of pinned memory", &[PINNED], |h| h.map(PINNED)),
    ("kernel, to be mapped", &[A], |h| h.put(A)),
    ("mapping", &[A], |h| h.map(A)),
    ("large mapping", &[LARGE], |h| h.map(LARGE)),
    ("write from a mapping", &[B], |h| h.relay(A, B)),
    ("write after a user event", &[A], |h| h.gated(A)),
    ("large write after a user event", &[LARGE], |h| h.gated(LARGE)),
    ("copy in the other queue", &[B], |h| h.elsewhere(A, B)),
    ("native kernel", &[A], |h| h.native(A)),
    ("marker", &[], |h| h.marker(false)),
    ("barrier", &[], |h| h.marker(true)),
    ("migration", &[], |h| h.migrate(LARGE)),
    ("new buffer", &[B], |h| h.replace(B)),
];

/// The commands for devices with images.
const IMAGE_STEPS: &[(&str, &[usize], Step)] = &[
    ("fill of an image", &[PICTURE], |h| h.fill(PICTURE)),
    ("read of an image", &[], |h| h.transfer(PICTURE, false, false)),
    ("write of an image", &[PICTURE], |h| {
        h.transfer(PICTURE, true, false)
    }),
    ("copy of an image", &[OTHER], |h| h.copy(PICTURE, OTHER)),
    ("kernel on images", &[PICTURE], |h| h.paint(OTHER, PICTURE)),
    ("image to buffer", &[B], |h| h.exchange(PICTURE, B, false)),
    ("buffer to image", &[OTHER], |h| h.exchange(OTHER, A, true)),
    ("mapping of an image", &[OTHER], |h| h.map(OTHER)),
];

/// Plays the scenario, and if there was an error, plays it again with new objects, which must then work.
/// `lost` says that the device may be lost for good.
pub(in super::super) fn play(open: impl Fn() -> Result<&'static Cl, Failure>, lost: bool) -> Outcome {
    watch_memory();
    let once = || -> Result<(u32, Vec<String>), Failure> {
        let mut host = open().and_then(Host::new)?;
        host.all();
        Ok((host.errors, host.wrong))
    };
    // The fault may already hit the creation of the objects.
    let (errors, mut wrong) = once().unwrap_or((1, Vec::new()));
    if errors > 0 {
        match once() {
            Ok((more, again)) => {
                wrong.extend(again);
                if more > 0 && !lost {
                    wrong.push(format!("{more} errors after the fault was over"));
                }
            }
            Err(Failure(why)) if !lost => wrong.push(format!("after the fault was over: {why}")),
            Err(_) => {}
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    fail!("{errors} errors; {}", wrong.join("; "))
}

impl Host {
    fn new(cl: &'static Cl) -> Result<Host, Failure> {
        let context = cl.context()?;
        let order = match cl.out_of_order {
            true => CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
            false => 0,
        };
        let queue = cl.queue(&context, 0, 0)?;
        let other = cl.queue(&context, order | CL_QUEUE_PROFILING_ENABLE, 0)?;
        let more = if cl.images { IMAGE_SOURCE } else { "" };
        let program = context.build(&format!("{SOURCE}{more}"), "")?;
        let names = ["put", "get", "sum", "paint"];
        let kernels = names[..3 + usize::from(cl.images)].iter();
        let kernels = kernels.map(|n| program.kernel(n)).collect::<Result<_, _>>()?;
        let own = Memory::new(vec![0; 4 * WORDS[HOST]]);
        let buffer = |at: usize, flags, host| context.buffer(flags, 4 * WORDS[at], host);
        let first = Memory::new(vec![0; 4 * WORDS[LARGE]]);
        let mut objects = vec![
            buffer(A, CL_MEM_COPY_HOST_PTR, first.ptr())?,
            buffer(B, CL_MEM_COPY_HOST_PTR, first.ptr())?,
            buffer(LARGE, CL_MEM_COPY_HOST_PTR, first.ptr())?,
            buffer(HOST, CL_MEM_USE_HOST_PTR, own.ptr())?,
            buffer(PINNED, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, first.ptr())?,
        ];
        if cl.images {
            for _ in 0..2 {
                objects.push(context.image(CL_MEM_COPY_HOST_PTR, SIZE, first.ptr())?);
            }
        }
        Ok(Host {
            cl,
            queue,
            other,
            kernels,
            values: vec![Some(0); objects.len()],
            objects,
            stamp: 0,
            errors: 0,
            wrong: Vec::new(),
            _own: own,
            context,
        })
    }

    /// Performs all steps, and checks the objects in between.
    fn all(&mut self) {
        let images = if self.cl.images { IMAGE_STEPS } else { &[] };
        for (index, (name, writes, step)) in STEPS.iter().chain(images).enumerate() {
            let wait = if index % 2 == 0 { Wait::Event } else { Wait::Finish };
            self.step(name, writes, *step, wait);
            if index % 6 == 5 {
                self.look(name);
            }
        }
        self.look("the last step");
    }

    fn step(&mut self, name: &str, writes: &[usize], step: Step, wait: Wait) {
        let before = self.errors;
        let did = step(self);
        let done = match did {
            Ok(did) => {
                let waited = match wait {
                    Wait::Event => self.complete(&did.event),
                    // The event is not looked at in this case.
                    Wait::Finish => self.finish(),
                };
                waited.map(|()| did)
            }
            Err(why) => Err(why),
        };
        match done {
            Ok(did) if self.errors == before => {
                if let Some((object, value)) = did.sets {
                    self.values[object] = value;
                }
                if let Some((memory, Some(wanted))) = &did.memory {
                    self.compare(name, memory.bytes(), *wanted);
                }
            }
            // An error was reported: the contents of the objects that the command writes are in doubt, and
            // the host may use the command's memory again.
            _ => {
                self.errors = self.errors.max(before + 1);
                for object in writes {
                    self.values[*object] = None;
                }
            }
        }
    }

    /// Waits until the command is complete or has failed. If the wait itself fails, the command is still in
    /// flight and the wait is repeated.
    fn complete(&mut self, event: &Handle) -> Outcome {
        for _ in 0..5 {
            let code = event.wait()?;
            if code == CL_SUCCESS {
                return Ok(());
            }
            self.errors += 1;
            let status = event.status()?;
            if status < 0 {
                return fail!("status {status}");
            }
            if status == CL_COMPLETE {
                return Ok(());
            }
        }
        self.wrong
            .push("an event that neither completes nor fails".into());
        fail!("no end")
    }

    fn finish(&mut self) -> Outcome {
        for queue in [self.queue.clone(), self.other.clone()] {
            let mut result = queue.finish();
            for _ in 0..3 {
                if result.is_ok() {
                    break;
                }
                self.errors += 1;
                result = queue.finish();
            }
            // If the device is lost, no later call succeeds.
            result?;
        }
        Ok(())
    }

    /// Checks the contents of all objects whose number is known.
    fn look(&mut self, after: &str) {
        let known: Vec<(usize, u32)> = (self.values.iter().enumerate())
            .filter_map(|(object, value)| Some((object, (*value)?)))
            .collect();
        for (object, wanted) in known {
            let before = self.errors;
            let read = self.transfer(object, false, true);
            match read.and_then(|did| self.complete(&did.event).map(|()| did)) {
                Ok(Did {
                    memory: Some((memory, _)),
                    ..
                }) if self.errors == before => {
                    self.compare(&format!("object {object} after {after}"), memory.bytes(), wanted);
                }
                _ => {
                    self.errors = self.errors.max(before + 1);
                    // This error may be the report that an earlier command on the object failed, so its
                    // contents are in doubt.
                    self.values[object] = None;
                }
            }
        }
    }

    fn compare(&mut self, what: &str, bytes: &[u8], wanted: u32) {
        // The common case is a single comparison of the whole memory with itself, shifted by one word: there
        // are many comparisons.
        if bytes[..4] == wanted.to_le_bytes() && bytes[4..] == bytes[..bytes.len() - 4] {
            return;
        }
        let words = bytes.as_chunks::<4>().0;
        let wrong = words.iter().filter(|w| u32::from_le_bytes(**w) != wanted);
        let count = wrong.clone().count();
        if let Some(first) = wrong.map(|w| u32::from_le_bytes(*w)).next() {
            let of = words.len();
            let heard = self.errors;
            self.wrong.push(format!(
                "{what}: {count} of {of} words are not {wanted} but such as {first}, after {heard} errors"
            ));
        }
    }

    fn next(&mut self) -> u32 {
        self.stamp += 1;
        self.stamp
    }

    fn stamped(&self, object: usize, stamp: u32) -> Memory {
        Memory::new(stamp.to_le_bytes().repeat(WORDS[object]))
    }

    /// Writes or reads a whole object.
    fn transfer(&mut self, object: usize, write: bool, blocking: bool) -> Result<Did, Failure> {
        let memory = self.memory(object, write);
        let (q, mem) = (&self.queue, &self.objects[object]);
        let event = match (object >= PICTURE, write) {
            (true, _) => q.image_transfer((mem, Place::all(SIZE)), write, &memory, &[])?,
            (false, true) => q.write(mem, blocking, 0, &memory, &[])?,
            (false, false) => q.read(mem, blocking, 0, &memory, &[])?,
        };
        Ok(self.transferred(event, object, write, memory))
    }

    /// Returns memory for a transfer. What is written is the next stamp.
    fn memory(&mut self, object: usize, write: bool) -> Memory {
        let stamp = if write { self.next() } else { 0xCCCC_CCCC };
        self.stamped(object, stamp)
    }

    fn transferred(&self, event: Handle, object: usize, write: bool, memory: Memory) -> Did {
        match write {
            true => Did {
                memory: Some((memory, None)),
                ..Did::sets(event, object, Some(self.stamp))
            },
            false => Did {
                memory: Some((memory, self.values[object])),
                ..Did::nothing(event)
            },
        }
    }

    fn moved(&self, event: Handle, from: usize, to: usize) -> Result<Did, Failure> {
        Ok(Did::sets(event, to, self.values[from]))
    }

    fn copy(&mut self, from: usize, to: usize) -> Result<Did, Failure> {
        let (a, b) = (&self.objects[from], &self.objects[to]);
        let event = match from >= PICTURE {
            true => self.queue.image_copy((a, Place::all(SIZE)), (b, [0; 3]), &[])?,
            false => self.queue.copy((a, 0), (b, 0), 4 * WORDS[to], &[])?,
        };
        self.moved(event, from, to)
    }

    /// Copies in the other queue. Events order the copy after the first queue's earlier commands and before
    /// its later ones.
    fn elsewhere(&mut self, from: usize, to: usize) -> Result<Did, Failure> {
        let before = self.queue.marker(false, &[])?;
        self.queue.flush()?;
        let (a, b) = ((&self.objects[from], 0), (&self.objects[to], 0));
        let event = self.other.copy(a, b, 4 * WORDS[to], &[before])?;
        self.other.flush()?;
        // The barrier orders the next commands of the first queue after the copy.
        let event = self.queue.marker(true, &[event])?;
        self.moved(event, from, to)
    }

    /// Launches a kernel with a work-item for each word of `object`, which then holds `number`.
    fn launch(
        &self,
        kernel: usize,
        arguments: &[Argument<'_>],
        (object, number): (usize, Option<u32>),
        local: Option<usize>,
    ) -> Result<Did, Failure> {
        let kernel = &self.kernels[kernel];
        kernel.set_all(arguments)?;
        let event = self.queue.launch(kernel, WORDS[object], local, &[])?;
        Ok(Did::sets(event, object, number))
    }

    fn argument(&self, object: usize) -> Argument<'_> {
        Argument::Memory(&self.objects[object])
    }

    fn put(&mut self, object: usize) -> Result<Did, Failure> {
        let stamp = self.next();
        let arguments = [self.argument(object), Argument::U32(stamp)];
        self.launch(0, &arguments, (object, Some(stamp)), None)
    }

    fn get(&mut self, from: usize, to: usize) -> Result<Did, Failure> {
        let arguments = [from, to].map(|o| self.argument(o));
        self.launch(1, &arguments, (to, self.values[from]), Some(64))
    }

    fn sum(&mut self, object: usize) -> Result<Did, Failure> {
        let value = self.values[object].map(|v| v + 1);
        let arguments = [self.argument(object), Argument::Local(4 * 32)];
        self.launch(2, &arguments, (object, value), Some(32))
    }

    fn paint(&mut self, from: usize, to: usize) -> Result<Did, Failure> {
        let arguments = [from, to].map(|o| self.argument(o));
        self.launch(3, &arguments, (to, self.values[from]), None)
    }

    fn fill(&mut self, object: usize) -> Result<Did, Failure> {
        let stamp = self.next();
        let (q, mem) = (&self.queue, &self.objects[object]);
        let event = match object >= PICTURE {
            true => q.image_fill((mem, Place::all(SIZE)), stamp, &[])?,
            false => q.fill(mem, &stamp.to_le_bytes(), (0, 4 * WORDS[object]), &[])?,
        };
        Ok(Did::sets(event, object, Some(stamp)))
    }

    /// Fills both halves of an object, each through a sub-buffer.
    fn fill_halves(&mut self, object: usize) -> Result<Did, Failure> {
        let stamp = self.next();
        let half = 2 * WORDS[object];
        let [a, b] = [0, half].map(|origin| self.objects[object].sub_buffer(origin, half));
        let (a, b, pattern) = (a?, b?, stamp.to_le_bytes());
        self.queue.fill(&a, &pattern, (0, half), &[])?;
        let event = self.queue.fill(&b, &pattern, (0, half), &[])?;
        Ok(Did::sets(event, object, Some(stamp)))
    }

    /// Returns a box that covers the whole object in rows of 1 KiB.
    fn box_(object: usize) -> (Side, [usize; 3]) {
        let side = Side {
            origin: [0; 3],
            row: 1024,
            slice: 0,
        };
        (side, [1024, 4 * WORDS[object] / 1024, 1])
    }

    fn rows(&mut self, object: usize, write: bool) -> Result<Did, Failure> {
        let memory = self.memory(object, write);
        let (side, region) = Host::box_(object);
        let (q, mem) = (&self.queue, &self.objects[object]);
        let event = q.rect(mem, write, (side, side, region), &memory, &[])?;
        Ok(self.transferred(event, object, write, memory))
    }

    fn copy_rows(&mut self, from: usize, to: usize) -> Result<Did, Failure> {
        let both = (&self.objects[from], &self.objects[to]);
        let event = self.queue.copy_rows(both, Host::box_(to), &[])?;
        self.moved(event, from, to)
    }

    /// Maps the object, checks its contents, stores into it, and unmaps it.
    fn map(&mut self, object: usize) -> Result<Did, Failure> {
        let stamp = self.next();
        let (q, mem, flags) = (
            self.queue.clone(),
            &self.objects[object],
            CL_MAP_READ | CL_MAP_WRITE,
        );
        let (mut parts, event) = if object >= PICTURE {
            q.image_map((mem, Place::all(SIZE)), flags, &[])?
        } else {
            let (mapped, event) = q.map(mem, flags, (0, 4 * WORDS[object]), &[])?;
            (vec![mapped], event)
        };
        self.complete(&event)?;
        let new = self.stamped(object, stamp);
        for part in &parts {
            if let Some(wanted) = self.values[object] {
                self.compare("mapping", part.bytes(), wanted);
            }
            part.store(new.bytes());
        }
        let event = q.unmap(&self.objects[object], parts.swap_remove(0), &[])?;
        Ok(Did::sets(event, object, Some(stamp)))
    }

    /// Writes from a mapping into another object, without waiting for the map command in between.
    fn relay(&mut self, from: usize, to: usize) -> Result<Did, Failure> {
        let q = self.queue.clone();
        let range = (0, 4 * WORDS[from]);
        let (mapped, event) = q.map(&self.objects[from], CL_MAP_READ, range, &[])?;
        let source = (mapped.ptr(), 4 * WORDS[to]);
        let written = q.write_from(&self.objects[to], 0, source, &[event]);
        // The mapping must be unmapped even if the write failed.
        let after = written.as_ref().map(|w| vec![w.clone()]).unwrap_or_default();
        let unmapped = q.unmap(&self.objects[from], mapped, &after);
        let (event, _) = (written?, unmapped?);
        self.moved(event, from, to)
    }

    /// Enqueues a write that waits for a user event, then sets the event's status.
    fn gated(&mut self, object: usize) -> Result<Did, Failure> {
        let memory = self.memory(object, true);
        let gate = self.context.user_event()?;
        let (q, mem, after) = (&self.queue, &self.objects[object], std::slice::from_ref(&gate));
        let event = q.write(mem, false, 0, &memory, after)?;
        self.queue.flush()?;
        gate.set_status(CL_COMPLETE)?;
        Ok(self.transferred(event, object, true, memory))
    }

    fn native(&mut self, object: usize) -> Result<Did, Failure> {
        if !self.cl.native {
            return self.put(object);
        }
        let event = self
            .queue
            .native(&self.objects[object], (WORDS[object], 5), &[])?;
        Ok(Did::sets(event, object, self.values[object].map(|v| v + 5)))
    }

    fn marker(&mut self, barrier: bool) -> Result<Did, Failure> {
        self.queue.marker(barrier, &[]).map(Did::nothing)
    }

    fn migrate(&mut self, object: usize) -> Result<Did, Failure> {
        self.queue.migrate(&self.objects[object], &[]).map(Did::nothing)
    }

    /// Replaces a buffer that commands have used by a new one.
    fn replace(&mut self, object: usize) -> Result<Did, Failure> {
        let mem = self.context.buffer(0, 4 * WORDS[object], null_mut())?;
        self.objects[object] = mem;
        self.values[object] = None;
        self.fill(object)
    }

    fn exchange(&mut self, image: usize, buffer: usize, to_image: bool) -> Result<Did, Failure> {
        let what = (&self.objects[image], Place::all(SIZE));
        let there = (&self.objects[buffer], 0);
        let event = self.queue.image_buffer_copy(what, there, to_image, &[])?;
        match to_image {
            true => self.moved(event, buffer, image),
            false => self.moved(event, image, buffer),
        }
    }
}
