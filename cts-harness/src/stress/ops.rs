//! The operations of the threads.

mod pictures;

use super::callbacks::on_status;
use super::dependencies::Access;
use super::world::{Context, Object, Outcome, Pending, Queue, World, difference};
use crate::cl::{Argument, Handle, Memory, Side};
use crate::random::Random;
use crate::{Failure, Outcome as Done};
use opencl_sys::*;
use parking_lot::MutexGuard;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

pub(super) struct Op {
    pub(super) name: &'static str,
    /// How often the operation is chosen, relative to the other operations.
    weight: usize,
    run: fn(&mut Thread) -> Done,
}

const fn op(name: &'static str, weight: usize, run: fn(&mut Thread) -> Done) -> Op {
    Op { name, weight, run }
}

pub(super) const ALL: &[Op] = &[
    op("write", 8, write),
    op("read", 8, read),
    op("rect", 6, rect),
    op("copy", 6, copy),
    op("fill", 6, fill),
    op("map", 6, map),
    op("mix", 8, mix),
    op("blend", 6, blend),
    op("turn", 4, turn),
    op("burst", 3, burst),
    op("relay", 3, relay),
    op("native", 2, native),
    op("migrate", 1, migrate),
    op("marker", 4, marker),
    op("check", 10, check),
    op("flush", 4, |t| t.any_queue().raw.flush()),
    op("finish", 1, finish),
    op("queries", 3, queries),
    op("object", 3, object),
    op("queue", 1, queue),
    op("image transfer", 6, pictures::transfer),
    op("image fill", 3, pictures::fill),
    op("image copy", 4, pictures::copy),
    op("image and buffer", 4, pictures::exchange),
    op("image map", 3, pictures::map),
    op("ink", 4, pictures::ink),
    op("image object", 1, pictures::replace),
    op("build", 0, build),
    op("wrong", 1, wrong),
];

/// A thread and its own objects. It has its own kernels, because two threads must not call clSetKernelArg on
/// one kernel at the same time.
pub(super) struct Thread {
    world: Arc<World>,
    random: Random,
    kernels: Vec<Vec<Handle>>,
    /// The index of the context that this step uses.
    at: usize,
}

/// The next command: its queue, the events that it waits for, and its expected outcome.
struct Next {
    queue: Arc<Queue>,
    after: Vec<Handle>,
    outcome: Outcome,
}

impl Next {
    fn launch(&self, kernel: &Handle, items: usize, local: Option<usize>) -> Result<Handle, Failure> {
        self.queue.raw.launch(kernel, items, local, &self.after)
    }

    fn is_to_fail(&self) -> bool {
        self.outcome == Outcome::Failed
    }
}

/// The kind of memory object that a command uses.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Of {
    Buffer,
    /// A buffer, or at times a new sub-buffer of it.
    Part,
    Picture,
}

/// A command on one object.
struct Use<'a> {
    next: Next,
    object: MutexGuard<'a, Object>,
    /// The memory object that the command uses, and the range of the object's bytes that this is.
    mem: Handle,
    range: Range<usize>,
    /// Memory that must live until the command is complete. The command reads into it if `expected` has its
    /// expected contents.
    memory: Vec<Memory>,
    expected: Vec<u8>,
}

impl Use<'_> {
    fn size(&self) -> usize {
        self.range.len()
    }

    /// Returns the expected contents of `mem`, so that the command's effect can be applied to them; `None` if
    /// the command is to fail.
    fn contents(&mut self) -> Option<&mut [u8]> {
        let range = self.range.clone();
        (!self.next.is_to_fail()).then(|| &mut self.object.shadow[range])
    }
}

/// Runs random operations until the time is over or a check has failed.
pub(super) fn work(world: &Arc<World>, index: usize, until: Instant) {
    let kernels = world.contexts.iter().map(|c| -> Result<_, Failure> {
        let names = ["mix", "blend", "turn", "ink"];
        let names = &names[..3 + usize::from(world.cl.images)];
        names.iter().map(|name| c.program.kernel(name)).collect()
    });
    let kernels = match kernels.collect() {
        Ok(kernels) => kernels,
        Err(Failure(why)) => return world.fail(why),
    };
    let mut thread = Thread {
        random: Random::new(world.steps() ^ (index as u64 + 1) << 40),
        world: Arc::clone(world),
        kernels,
        at: 0,
    };
    let only = &world.args.only;
    let wanted = |o: &Op| only.is_empty() || o.name == "check" || only.iter().any(|n| o.name.contains(&**n));
    let weights: Vec<usize> = ALL.iter().map(|o| if wanted(o) { o.weight } else { 0 }).collect();
    let all: usize = weights.iter().sum();
    let named = |name| ALL.iter().position(|o| o.name == name).unwrap_or(0);
    while Instant::now() < until && !world.has_failed() {
        let mut pick = thread.random.below(all);
        let chosen = weights.iter().position(|weight| {
            let here = pick < *weight;
            pick = pick.saturating_sub(*weight);
            here
        });
        let mut chosen = chosen.unwrap_or(0);
        if world.many_pending() {
            chosen = named("check");
        } else if thread.random.one_in(4000) {
            chosen = named("build");
        }
        thread.at = thread.random.below(world.contexts.len());
        world.step(index, chosen, ALL[chosen].name);
        if let Err(Failure(why)) = (ALL[chosen].run)(&mut thread) {
            world.fail(format!("{} (thread {index}): {why}", ALL[chosen].name));
        }
    }
    world.rests(index);
}

impl Thread {
    fn context(&self) -> &Context {
        &self.world.contexts[self.at]
    }

    fn any_queue(&mut self) -> Arc<Queue> {
        let index = self.random.below(64);
        self.context().queue(index)
    }

    /// Sets the arguments of one of the thread's kernels, and returns it.
    fn kernel(&self, index: usize, arguments: &[Argument<'_>]) -> Result<&Handle, Failure> {
        let kernel = &self.kernels[self.at][index];
        kernel.set_all(arguments).map(|()| kernel)
    }

    /// Prepares a command that waits for `after`: chooses a queue, at times adds a gate, and decides whether
    /// the command is to fail.
    fn next(&mut self, mut after: Vec<Handle>) -> Result<Next, Failure> {
        let mut queue = self.any_queue();
        let mut outcome = Outcome::Done;
        match self.random.below(24) {
            0 => {
                outcome = Outcome::Failed;
                // In an in-order queue, a failed command may make the commands after it fail, too. It
                // therefore goes to a queue for commands that fail.
                if queue.ordered {
                    queue = Arc::clone(&self.context().doomed);
                }
                let status = -5 - self.random.below(9) as i32;
                after.push(self.context().gate(status)?);
            }
            1..4 => after.push(self.context().gate(CL_COMPLETE)?),
            _ => {}
        }
        Ok(Next {
            queue,
            after,
            outcome,
        })
    }

    /// Enqueues a command on a random object with `enqueue`, which returns its event, or `None` if it has
    /// enqueued nothing. Without an object of this kind, nothing happens.
    fn command(
        &mut self,
        what: &'static str,
        (of, access): (Of, Access),
        enqueue: impl FnOnce(&mut Thread, &mut Use<'_>) -> Result<Option<Handle>, Failure>,
    ) -> Done {
        let world = Arc::clone(&self.world);
        let Some(object) = world.contexts[self.at].one(of == Of::Picture, &mut self.random) else {
            return Ok(());
        };
        let (mem, range) = match of {
            Of::Part => self.part(&object)?,
            Of::Buffer | Of::Picture => (object.mem.clone(), 0..object.shadow.len()),
        };
        let mut command = Use {
            next: self.next(object.dependencies.before(access))?,
            object,
            mem,
            range,
            memory: Vec::new(),
            expected: Vec::new(),
        };
        let Some(event) = enqueue(self, &mut command)? else {
            return Ok(());
        };
        if !command.next.is_to_fail() {
            command.object.dependencies.add(access, &event);
        }
        drop(command.object);
        self.enqueued(what, &command.next, event, command.memory, command.expected)
    }

    /// Enqueues a command that reads one object and writes another of the same kind, as
    /// [`Thread::command`] does.
    fn command_on_two(
        &mut self,
        what: &'static str,
        pictures: bool,
        enqueue: impl FnOnce(&mut Thread, &Next, &Object, &mut Object) -> Result<Option<Handle>, Failure>,
    ) -> Done {
        let world = Arc::clone(&self.world);
        let Some([mut from, mut to]) = world.contexts[self.at].two(pictures, &mut self.random) else {
            return Ok(());
        };
        let mut after = from.dependencies.before(Access::Read);
        after.extend(to.dependencies.before(Access::Write));
        let next = self.next(after)?;
        let Some(event) = enqueue(self, &next, &from, &mut to)? else {
            return Ok(());
        };
        if !next.is_to_fail() {
            from.dependencies.add(Access::Read, &event);
            to.dependencies.add(Access::Write, &event);
        }
        drop((from, to));
        self.enqueued(what, &next, event, Vec::new(), Vec::new())
    }

    /// Completes an enqueued command: at times registers callbacks or flushes, and notes the command for a
    /// later check.
    fn enqueued(
        &mut self,
        what: &'static str,
        next: &Next,
        event: Handle,
        memory: Vec<Memory>,
        expected: Vec<u8>,
    ) -> Done {
        if self.random.one_in(5) {
            let at = [CL_COMPLETE, CL_COMPLETE, CL_RUNNING, CL_SUBMITTED][self.random.below(4)];
            on_status(&self.world, self.at, &event, at, next.outcome)?;
        }
        if self.random.one_in(3) {
            next.queue.raw.flush()?;
        }
        if self.random.one_in(6) {
            let status = event.status()?;
            if !(0..=3).contains(&status) && !next.is_to_fail() {
                return fail!("status {status}");
            }
        }
        self.world.later(Pending {
            what,
            event,
            outcome: next.outcome,
            profiling: next.queue.profiling && !next.is_to_fail(),
            memory,
            expected,
        });
        Ok(())
    }

    /// Returns the buffer itself or a new sub-buffer of it, with its range of bytes.
    fn part(&mut self, object: &Object) -> Result<(Handle, Range<usize>), Failure> {
        let (alignment, size) = (self.world.cl.alignment, object.shadow.len());
        let most = size / alignment;
        if most > 0 && self.random.one_in(3) {
            let origin = alignment * self.random.below(most);
            let words = 1 + self.random.below((size - origin) / 4);
            let sub = object.mem.sub_buffer(origin, 4 * words)?;
            return Ok((sub, origin..origin + 4 * words));
        }
        Ok((object.mem.clone(), 0..size))
    }
}

fn write(t: &mut Thread) -> Done {
    t.command("write", (Of::Part, Access::Write), |t, c| {
        let range = t.random.range(c.size());
        let bytes = t.random.bytes(range.len());
        let memory = Memory::new(bytes.clone());
        let blocking = !c.next.is_to_fail() && t.random.one_in(6);
        if blocking {
            t.context().flush()?;
        }
        let queue = &c.next.queue.raw;
        let event = queue.write(&c.mem, blocking, range.start, &memory, &c.next.after)?;
        c.memory.push(memory);
        if let Some(contents) = c.contents() {
            contents[range].copy_from_slice(&bytes);
        }
        Ok(Some(event))
    })
}

fn read(t: &mut Thread) -> Done {
    t.command("read", (Of::Part, Access::Read), |t, c| {
        let range = t.random.range(c.size());
        let memory = Memory::new(vec![0xCC; range.len()]);
        let queue = &c.next.queue.raw;
        let event = queue.read(&c.mem, false, range.start, &memory, &c.next.after)?;
        c.memory.push(memory);
        c.expected = c.contents().map(|all| all[range].to_vec()).unwrap_or_default();
        Ok(Some(event))
    })
}

/// Transfers a box of the object, which is seen as slices of rows with random pitches, to or from memory
/// without gaps.
fn rect(t: &mut Thread) -> Done {
    let access = Access::random(&mut t.random);
    t.command("rect", (Of::Buffer, access), |t, c| {
        let row = 8 + t.random.below(24);
        let slice = row * (1 + t.random.below(4));
        if c.size() < 2 * slice {
            return Ok(None);
        }
        let slices = (c.size() / slice).min(5);
        let [x, y, z] = [row, slice / row, slices].map(|n| t.random.range(n));
        let region = [x.len(), y.len(), z.len()];
        let origin = [x.start, y.start, z.start];
        let dense = Side {
            origin: [0; 3],
            row: 0,
            slice: 0,
        };
        let rows: Vec<Range<usize>> = z
            .flat_map(|k| y.clone().map(move |j| k * slice + j * row))
            .map(|at| at + x.start..at + x.end)
            .collect();
        let bytes = t.random.bytes(region.iter().product());
        let memory = Memory::new(bytes.clone());
        let sides = (Side { origin, row, slice }, dense, region);
        let (queue, is_write) = (&c.next.queue.raw, access == Access::Write);
        let event = queue.rect(&c.mem, is_write, sides, &memory, &c.next.after)?;
        c.memory.push(memory);
        match (c.contents(), access) {
            (None, _) => {}
            (Some(all), Access::Write) => {
                for (range, row) in rows.into_iter().zip(bytes.chunks(region[0])) {
                    all[range].copy_from_slice(row);
                }
            }
            (Some(all), Access::Read) => {
                c.expected = rows.into_iter().flat_map(|range| all[range].to_vec()).collect();
            }
        }
        Ok(Some(event))
    })
}

fn copy(t: &mut Thread) -> Done {
    t.command_on_two("copy", false, |t, next, from, to| {
        let ((src, src_range), (dst, dst_range)) = (t.part(from)?, t.part(to)?);
        let size = 1 + t.random.below(src_range.len().min(dst_range.len()));
        let [a, b] = [&src_range, &dst_range].map(|r| t.random.below(r.len() - size + 1));
        let event = next.queue.raw.copy((&src, a), (&dst, b), size, &next.after)?;
        if !next.is_to_fail() {
            let bytes = &from.shadow[src_range][a..][..size];
            to.shadow[dst_range][b..][..size].copy_from_slice(bytes);
        }
        Ok(Some(event))
    })
}

fn fill(t: &mut Thread) -> Done {
    t.command("fill", (Of::Part, Access::Write), |t, c| {
        let length = 1 << t.random.below(8);
        if c.size() < length {
            return Ok(None);
        }
        let pattern = t.random.bytes(length);
        let range = t.random.range(c.size() / length);
        let range = range.start * length..range.end * length;
        let place = (range.start, range.len());
        let event = c.next.queue.raw.fill(&c.mem, &pattern, place, &c.next.after)?;
        if let Some(contents) = c.contents() {
            contents[range].copy_from_slice(&pattern.repeat(place.1 / length));
        }
        Ok(Some(event))
    })
}

/// Maps an object, checks its contents, at times stores into it, and unmaps it; sometimes without waiting in
/// between, sometimes mapped twice.
fn map(t: &mut Thread) -> Done {
    t.command("unmap", (Of::Part, Access::Write), |t, c| {
        let range = t.random.range(c.size());
        let place = (range.start, range.len());
        let flags = [
            CL_MAP_READ,
            CL_MAP_WRITE,
            CL_MAP_READ | CL_MAP_WRITE,
            CL_MAP_WRITE_INVALIDATE_REGION,
        ];
        let flags = flags[t.random.below(4)];
        if c.next.is_to_fail() {
            // The specification does not say whether a map command that failed needs an unmap command, so
            // nothing is enqueued. No command then waits for the gate.
            return Ok(None);
        }
        let queue = c.next.queue.raw.clone();
        let (mapped, event) = queue.map(&c.mem, flags, place, &c.next.after)?;
        if flags == CL_MAP_WRITE_INVALIDATE_REGION || !t.random.one_in(4) {
            t.context().flush()?;
            event.wait()?;
            let expected = &c.object.shadow[c.range.clone()][range.clone()];
            if flags != CL_MAP_WRITE_INVALIDATE_REGION
                && let Some(why) = difference(mapped.bytes(), expected)
            {
                let (all, of, q) = (c.object.shadow.len(), c.object.flags, c.next.queue.ordered);
                let base = c.range.start;
                return fail!(
                    "{why}; {range:?} at {base} of {all}, mem flags {of}, map flags {flags}, in order: {q}"
                );
            }
            if flags == CL_MAP_READ && t.random.one_in(2) {
                let (again, ready) = queue.map(&c.mem, CL_MAP_READ, place, &[])?;
                t.context().flush()?;
                ready.wait()?;
                if again.bytes() != mapped.bytes() {
                    return fail!("the second mapping is wrong");
                }
                queue.unmap(&c.mem, again, &[])?;
            }
            if flags != CL_MAP_READ {
                let bytes = t.random.bytes(range.len());
                mapped.store(&bytes);
                c.object.shadow[c.range.clone()][range].copy_from_slice(&bytes);
            }
        }
        c.next.after = vec![event];
        queue.unmap(&c.mem, mapped, &c.next.after).map(Some)
    })
}

/// Replaces each 32-bit word of a range of bytes. `new` gets its index and its value.
fn replace_words(bytes: &mut [u8], mut new: impl FnMut(usize, u32) -> u32) {
    for (i, word) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
        *word = new(i, u32::from_ne_bytes(*word)).to_ne_bytes();
    }
}

fn mixed(bytes: &mut [u8], m: u32, c: u32) {
    replace_words(bytes, |i, w| {
        w.wrapping_mul(m).wrapping_add(c).wrapping_add(i as u32)
    });
}

fn mix(t: &mut Thread) -> Done {
    t.command("mix", (Of::Part, Access::Write), |t, c| {
        let (m, a) = (t.random.word(), t.random.word());
        let kernel = t.kernel(0, &[Argument::Memory(&c.mem), Argument::U32(m), Argument::U32(a)])?;
        let event = c.next.launch(kernel, c.size() / 4, None)?;
        if let Some(contents) = c.contents() {
            mixed(contents, m, a);
        }
        Ok(Some(event))
    })
}

fn blend(t: &mut Thread) -> Done {
    t.command_on_two("blend", false, |t, next, from, to| {
        let count = from.words().min(to.words());
        let m = t.random.word();
        let [src, dst] = [&from.mem, &to.mem].map(Argument::Memory);
        let event = next.launch(t.kernel(1, &[src, dst, Argument::U32(m)])?, count, None)?;
        if !next.is_to_fail() {
            let other = from.shadow.as_chunks().0;
            replace_words(&mut to.shadow[..4 * count], |i, w| {
                w ^ u32::from_ne_bytes(other[i]).wrapping_mul(m)
            });
        }
        Ok(Some(event))
    })
}

fn turn(t: &mut Thread) -> Done {
    t.command("turn", (Of::Buffer, Access::Write), |t, c| {
        let group = 1 << t.random.below(5);
        let count = c.object.words() / group * group;
        let kernel = t.kernel(2, &[Argument::Memory(&c.mem), Argument::Local(4 * group)])?;
        let event = c.next.launch(kernel, count, Some(group))?;
        if let Some(contents) = c.contents() {
            contents[..4 * count]
                .chunks_mut(4 * group)
                .for_each(|chunk| chunk.rotate_left(4));
        }
        Ok(Some(event))
    })
}

/// Enqueues several commands in an in-order queue, of which only the first waits for events.
fn burst(t: &mut Thread) -> Done {
    t.command("burst", (Of::Buffer, Access::Write), |t, c| {
        if c.next.is_to_fail() || !c.next.queue.ordered {
            return Ok(None);
        }
        let words = c.object.words().min(4096);
        for _ in 0..1 + t.random.below(20) {
            let (m, a) = (t.random.word(), t.random.word());
            let kernel = t.kernel(0, &[Argument::Memory(&c.mem), Argument::U32(m), Argument::U32(a)])?;
            drop(c.next.launch(kernel, words, None)?);
            c.next.after.clear();
            mixed(&mut c.object.shadow[..4 * words], m, a);
        }
        let memory = Memory::new(vec![0xCC; 4 * words]);
        let event = c.next.queue.raw.read(&c.mem, false, 0, &memory, &[])?;
        c.memory.push(memory);
        c.expected = c.object.shadow[..4 * words].to_vec();
        Ok(Some(event))
    })
}

/// Copies from one object to another through host memory, in one in-order queue, without waiting in between.
fn relay(t: &mut Thread) -> Done {
    let world = Arc::clone(&t.world);
    let Some([mut src, mut dst]) = world.contexts[t.at].two(false, &mut t.random) else {
        return Ok(());
    };
    let size = 1 + t.random.below(src.shadow.len().min(dst.shadow.len()));
    let mut after = src.dependencies.before(Access::Read);
    after.extend(dst.dependencies.before(Access::Write));
    let next = t.next(after)?;
    if next.is_to_fail() || !next.queue.ordered {
        return Ok(());
    }
    let memory = Memory::new(vec![0xCC; size]);
    let read = next.queue.raw.read(&src.mem, false, 0, &memory, &next.after)?;
    let event = next.queue.raw.write(&dst.mem, false, 0, &memory, &[])?;
    dst.shadow[..size].copy_from_slice(&src.shadow[..size]);
    src.dependencies.add(Access::Read, &read);
    dst.dependencies.add(Access::Write, &event);
    drop((src, dst));
    t.enqueued("relay", &next, event, vec![memory], Vec::new())
}

fn native(t: &mut Thread) -> Done {
    if !t.world.cl.native {
        return Ok(());
    }
    t.command("native", (Of::Buffer, Access::Write), |t, c| {
        let (count, add) = (c.object.words().min(1000), t.random.word());
        let event = c.next.queue.raw.native(&c.mem, (count, add), &c.next.after)?;
        if let Some(contents) = c.contents() {
            replace_words(&mut contents[..4 * count], |_, w| w.wrapping_add(add));
        }
        Ok(Some(event))
    })
}

fn migrate(t: &mut Thread) -> Done {
    t.command("migrate", (Of::Buffer, Access::Read), |_, c| {
        c.next.queue.raw.migrate(&c.mem, &c.next.after).map(Some)
    })
}

fn marker(t: &mut Thread) -> Done {
    let barrier = t.random.one_in(2);
    let next = t.next(Vec::new())?;
    // A barrier without a list of events waits for all commands before it, of which some may fail in that
    // queue.
    if next.after.is_empty() && !next.queue.ordered && barrier {
        return Ok(());
    }
    let event = next.queue.raw.marker(barrier, &next.after)?;
    t.enqueued("marker", &next, event, Vec::new(), Vec::new())
}

fn check(t: &mut Thread) -> Done {
    t.context().flush()?;
    for _ in 0..1 + t.random.below(8) {
        t.world.check_one(t.random.one_in(8))?;
    }
    Ok(())
}

fn finish(t: &mut Thread) -> Done {
    t.context().flush()?;
    t.any_queue().raw.finish()
}

fn queries(t: &mut Thread) -> Done {
    let world = Arc::clone(&t.world);
    let queue = t.any_queue();
    let context = &world.contexts[t.at];
    let object = context.objects[t.random.below(context.objects.len())]
        .lock()
        .mem
        .clone();
    let kernel = &t.kernels[t.at][0];
    let mut all = [&queue.raw, &object, &context.raw, &context.program, kernel].into_iter();
    all.try_for_each(|handle| handle.clone().query())
}

/// Replaces an object while commands still use it.
fn object(t: &mut Thread) -> Done {
    let world = Arc::clone(&t.world);
    let fresh = Object::new(&world, t.at, &mut t.random)?;
    world.contexts[t.at].replace(false, fresh, &mut t.random);
    Ok(())
}

fn queue(t: &mut Thread) -> Done {
    let index = t.random.below(64);
    t.context().replace_queue(t.world.cl, index)
}

/// Builds a new program and uses it once.
fn build(t: &mut Thread) -> Done {
    let number = t.random.word();
    let source = format!("kernel void f(global uint *a) {{ a[get_global_id(0)] += {number}u; }}");
    let kernel = t.context().raw.build(&source, "")?.kernel("f")?;
    t.command("build", (Of::Buffer, Access::Write), |_, c| {
        kernel.set_all(&[Argument::Memory(&c.mem)])?;
        let event = c.next.launch(&kernel, c.object.words(), None)?;
        if let Some(contents) = c.contents() {
            replace_words(contents, |_, w| w.wrapping_add(number));
        }
        Ok(Some(event))
    })
}

/// Passes invalid handles.
fn wrong(t: &mut Thread) -> Done {
    if !t.world.args.wrong_handles {
        return Ok(());
    }
    let address = match t.random.below(4) {
        0 => 0,
        1 => t.random.word() as usize,
        2 => t.context().raw.raw().addr() + 8,
        _ => usize::MAX - t.random.below(4096),
    };
    t.context().raw.refuses(address)
}
