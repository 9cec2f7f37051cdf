//! The operations of the threads.

mod pictures;

use super::callbacks::on_status;
use super::world::{Context, Object, Outcome, Pending, Queue, World, difference};
use crate::Failure;
use crate::cl::{Argument, Handle, Memory, Side};
use crate::random::Random;
use opencl_sys::*;
use std::sync::Arc;
use std::time::Instant;

/// An operation of a thread.
pub(super) struct Op {
    pub(super) name: &'static str,
    /// How often the operation is chosen, relative to the other operations.
    weight: usize,
    run: fn(&mut Thread) -> Result<(), Failure>,
}

const fn op(name: &'static str, weight: usize, run: fn(&mut Thread) -> Result<(), Failure>) -> Op {
    Op { name, weight, run }
}

/// All operations.
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
    op("flush", 4, flush),
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
    let only = &world.rules.only;
    let wanted = |o: &Op| only.is_empty() || o.name == "check" || only.iter().any(|n| o.name.contains(&**n));
    let weights: Vec<usize> = ALL.iter().map(|o| if wanted(o) { o.weight } else { 0 }).collect();
    let all: usize = weights.iter().sum();
    while Instant::now() < until && !world.has_failed() {
        let mut pick = thread.random.below(all);
        let chosen = weights.iter().position(|weight| {
            let here = pick < *weight;
            pick = pick.saturating_sub(*weight);
            here
        });
        let mut chosen = chosen.unwrap_or(0);
        if world.many_pending() {
            chosen = ALL.iter().position(|o| o.name == "check").unwrap_or(0);
        } else if thread.random.one_in(4000) {
            chosen = ALL.iter().position(|o| o.name == "build").unwrap_or(0);
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

    /// Completes an enqueued command: at times registers callbacks or flushes, and notes the command for a
    /// later check.
    fn enqueued(
        &mut self,
        what: &'static str,
        next: &Next,
        event: Handle,
        memory: Vec<Memory>,
        expected: Vec<u8>,
    ) -> Result<(), Failure> {
        if self.random.one_in(5) {
            let at = [CL_COMPLETE, CL_COMPLETE, CL_RUNNING, CL_SUBMITTED][self.random.below(4)];
            on_status(&self.world, self.at, &event, at, next.outcome)?;
        }
        if self.random.one_in(3) {
            next.queue.raw.flush()?;
        }
        if self.random.one_in(6) {
            let status = event.status()?;
            if !(0..=3).contains(&status) && next.outcome == Outcome::Done {
                return fail!("status {status}");
            }
        }
        self.world.later(Pending {
            what,
            event,
            outcome: next.outcome,
            profiling: next.queue.profiling && next.outcome == Outcome::Done,
            memory,
            expected,
        });
        Ok(())
    }

    /// Returns the object itself or a new sub-buffer of it, with the offset and the size in bytes.
    fn target(&mut self, object: &Object) -> Result<(Handle, usize, usize), Failure> {
        let cl = self.world.cl;
        let size = object.shadow.len();
        let most = size / cl.alignment;
        if most > 0 && self.random.one_in(3) {
            let origin = cl.alignment * self.random.below(most);
            let words = 1 + self.random.below((size - origin) / 4);
            let sub = object.mem.sub_buffer(origin, 4 * words)?;
            return Ok((sub, origin, 4 * words));
        }
        Ok((object.mem.clone(), 0, size))
    }
}

fn write(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let mut object = world.contexts[t.at].one(&mut t.random);
    let (mem, base, size) = t.target(&object)?;
    let range = t.random.range(size);
    let bytes = t.random.bytes(range.len());
    let memory = Memory::new(bytes.clone());
    let next = t.next(object.before_write())?;
    let blocking = next.outcome == Outcome::Done && t.random.one_in(6);
    if blocking {
        t.context().flush()?;
    }
    let event = next
        .queue
        .raw
        .write(&mem, blocking, range.start, &memory, &next.after)?;
    if next.outcome == Outcome::Done {
        object.shadow[base..][range].copy_from_slice(&bytes);
        object.written_by(&event);
    }
    drop(object);
    t.enqueued("write", &next, event, vec![memory], Vec::new())
}

fn read(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let mut object = world.contexts[t.at].one(&mut t.random);
    let (mem, base, size) = t.target(&object)?;
    let range = t.random.range(size);
    let memory = Memory::new(vec![0xCC; range.len()]);
    let next = t.next(object.before_read())?;
    let event = next
        .queue
        .raw
        .read(&mem, false, range.start, &memory, &next.after)?;
    let expected = match next.outcome {
        Outcome::Done => {
            object.read_by(&event);
            object.shadow[base..][range].to_vec()
        }
        Outcome::Failed => Vec::new(),
    };
    drop(object);
    t.enqueued("read", &next, event, vec![memory], expected)
}

/// Transfers a box of the object, which is seen as slices of rows with random pitches, to or from memory
/// without gaps.
fn rect(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let mut object = world.contexts[t.at].one(&mut t.random);
    let size = object.shadow.len();
    let row = 8 + t.random.below(24);
    let slice = row * (1 + t.random.below(4));
    if size < 2 * slice {
        return Ok(());
    }
    let slices = (size / slice).min(5);
    let pick = |random: &mut Random, n: usize| {
        let range = random.range(n);
        (range.start, range.len())
    };
    let (x, w) = pick(&mut t.random, row);
    let (y, h) = pick(&mut t.random, slice / row);
    let (z, d) = pick(&mut t.random, slices);
    let region = [w, h, d];
    let origin = [x, y, z];
    let side = Side { origin, row, slice };
    let dense = Side {
        origin: [0; 3],
        row: 0,
        slice: 0,
    };
    let rows: Vec<usize> = (0..d)
        .flat_map(|k| (0..h).map(move |j| (z + k) * slice + (y + j) * row + x))
        .collect();
    let writes = t.random.one_in(2);
    let bytes = t.random.bytes(w * h * d);
    let memory = Memory::new(bytes.clone());
    let before = match writes {
        true => object.before_write(),
        false => object.before_read(),
    };
    let next = t.next(before)?;
    let sides = (side, dense, region);
    let event = next
        .queue
        .raw
        .rect(&object.mem, writes, sides, &memory, &next.after)?;
    let mut expected = Vec::new();
    match (next.outcome, writes) {
        (Outcome::Failed, _) => {}
        (Outcome::Done, true) => {
            for (at, row) in rows.iter().zip(bytes.chunks(w)) {
                object.shadow[*at..*at + w].copy_from_slice(row);
            }
            object.written_by(&event);
        }
        (Outcome::Done, false) => {
            expected = rows
                .iter()
                .flat_map(|at| object.shadow[*at..*at + w].to_vec())
                .collect();
            object.read_by(&event);
        }
    }
    drop(object);
    t.enqueued("rect", &next, event, vec![memory], expected)
}

fn copy(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let [mut src, mut dst] = world.contexts[t.at].two(&mut t.random);
    let (from, src_base, src_size) = t.target(&src)?;
    let (to, dst_base, dst_size) = t.target(&dst)?;
    let size = 1 + t.random.below(src_size.min(dst_size));
    let src_offset = t.random.below(src_size - size + 1);
    let dst_offset = t.random.below(dst_size - size + 1);
    let mut after = src.before_read();
    after.extend(dst.before_write());
    let next = t.next(after)?;
    let (a, b) = ((&from, src_offset), (&to, dst_offset));
    let event = next.queue.raw.copy(a, b, size, &next.after)?;
    if next.outcome == Outcome::Done {
        let bytes = &src.shadow[src_base + src_offset..][..size];
        dst.shadow[dst_base + dst_offset..][..size].copy_from_slice(bytes);
        src.read_by(&event);
        dst.written_by(&event);
    }
    drop((src, dst));
    t.enqueued("copy", &next, event, Vec::new(), Vec::new())
}

fn fill(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let mut object = world.contexts[t.at].one(&mut t.random);
    let (mem, base, size) = t.target(&object)?;
    let length = 1 << t.random.below(8);
    if size < length {
        return Ok(());
    }
    let pattern = t.random.bytes(length);
    let range = t.random.range(size / length);
    let range = range.start * length..range.end * length;
    let next = t.next(object.before_write())?;
    let place = (range.start, range.len());
    let event = next.queue.raw.fill(&mem, &pattern, place, &next.after)?;
    if next.outcome == Outcome::Done {
        for chunk in object.shadow[base..][range].chunks_mut(length) {
            chunk.copy_from_slice(&pattern);
        }
        object.written_by(&event);
    }
    drop(object);
    t.enqueued("fill", &next, event, Vec::new(), Vec::new())
}

/// Maps an object, checks its contents, at times stores into it, and unmaps it; sometimes without waiting in
/// between, sometimes mapped twice.
fn map(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let mut object = world.contexts[t.at].one(&mut t.random);
    let (mem, base, size) = t.target(&object)?;
    let range = t.random.range(size);
    let place = (range.start, range.len());
    let flags = [
        CL_MAP_READ,
        CL_MAP_WRITE,
        CL_MAP_READ | CL_MAP_WRITE,
        CL_MAP_WRITE_INVALIDATE_REGION,
    ];
    let flags = flags[t.random.below(4)];
    let mut next = t.next(object.before_write())?;
    if next.outcome == Outcome::Failed {
        // The specification does not say whether a map command that failed needs an unmap command, so
        // nothing is enqueued. No command then waits for the gate.
        return Ok(());
    }
    let (mapped, event) = next.queue.raw.map(&mem, flags, place, &next.after)?;
    let wait = flags == CL_MAP_WRITE_INVALIDATE_REGION || !t.random.one_in(4);
    if wait {
        t.context().flush()?;
        event.wait()?;
        let expected = &object.shadow[base..][range.clone()];
        if flags != CL_MAP_WRITE_INVALIDATE_REGION
            && let Some(why) = difference(mapped.bytes(), expected)
        {
            let (all, of, q) = (object.shadow.len(), object.flags, next.queue.ordered);
            return fail!(
                "{why}; {range:?} at {base} of {all}, mem flags {of}, map flags {flags}, in order: {q}"
            );
        }
        if flags == CL_MAP_READ && t.random.one_in(2) {
            let (again, ready) = next.queue.raw.map(&mem, CL_MAP_READ, place, &[])?;
            t.context().flush()?;
            ready.wait()?;
            if again.bytes() != mapped.bytes() {
                return fail!("the second mapping is wrong");
            }
            next.queue.raw.unmap(&mem, again, &[])?;
        }
        if flags != CL_MAP_READ {
            let bytes = t.random.bytes(range.len());
            mapped.store(&bytes);
            object.shadow[base..][range].copy_from_slice(&bytes);
        }
    }
    next.after = vec![event];
    let event = next.queue.raw.unmap(&mem, mapped, &next.after)?;
    object.written_by(&event);
    drop(object);
    t.enqueued("unmap", &next, event, Vec::new(), Vec::new())
}

/// Returns the 32-bit words of a range of bytes.
fn words(bytes: &mut [u8]) -> impl Iterator<Item = &mut [u8; 4]> {
    bytes.as_chunks_mut().0.iter_mut()
}

fn mixed(bytes: &mut [u8], m: u32, c: u32) {
    for (i, word) in words(bytes).enumerate() {
        let value = u32::from_ne_bytes(*word).wrapping_mul(m);
        *word = value.wrapping_add(c).wrapping_add(i as u32).to_ne_bytes();
    }
}

fn mix(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let mut object = world.contexts[t.at].one(&mut t.random);
    let (mem, base, size) = t.target(&object)?;
    let (m, c) = (t.random.word(), t.random.word());
    let next = t.next(object.before_write())?;
    let kernel = &t.kernels[t.at][0];
    kernel.set_all(&[Argument::Memory(&mem), Argument::U32(m), Argument::U32(c)])?;
    let event = next.queue.raw.launch(kernel, size / 4, None, &next.after)?;
    if next.outcome == Outcome::Done {
        mixed(&mut object.shadow[base..][..size], m, c);
        object.written_by(&event);
    }
    drop(object);
    t.enqueued("mix", &next, event, Vec::new(), Vec::new())
}

fn blend(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let [mut src, mut dst] = world.contexts[t.at].two(&mut t.random);
    let count = src.words().min(dst.words());
    let m = t.random.word();
    let mut after = src.before_read();
    after.extend(dst.before_write());
    let next = t.next(after)?;
    let kernel = &t.kernels[t.at][1];
    kernel.set_all(&[
        Argument::Memory(&src.mem),
        Argument::Memory(&dst.mem),
        Argument::U32(m),
    ])?;
    let event = next.queue.raw.launch(kernel, count, None, &next.after)?;
    if next.outcome == Outcome::Done {
        for (to, from) in words(&mut dst.shadow[..4 * count]).zip(src.shadow.as_chunks().0) {
            let value = u32::from_ne_bytes(*to) ^ u32::from_ne_bytes(*from).wrapping_mul(m);
            *to = value.to_ne_bytes();
        }
        src.read_by(&event);
        dst.written_by(&event);
    }
    drop((src, dst));
    t.enqueued("blend", &next, event, Vec::new(), Vec::new())
}

fn turn(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let mut object = world.contexts[t.at].one(&mut t.random);
    let group = 1 << t.random.below(5);
    let count = object.words() / group * group;
    let next = t.next(object.before_write())?;
    let kernel = &t.kernels[t.at][2];
    kernel.set_all(&[Argument::Memory(&object.mem), Argument::Local(4 * group)])?;
    let event = next.queue.raw.launch(kernel, count, Some(group), &next.after)?;
    if next.outcome == Outcome::Done {
        for chunk in object.shadow[..4 * count].chunks_mut(4 * group) {
            chunk.rotate_left(4);
        }
        object.written_by(&event);
    }
    drop(object);
    t.enqueued("turn", &next, event, Vec::new(), Vec::new())
}

/// Enqueues several commands in an in-order queue, of which only the first waits for events.
fn burst(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let mut object = world.contexts[t.at].one(&mut t.random);
    let mut next = t.next(object.before_write())?;
    if next.outcome == Outcome::Failed || !next.queue.ordered {
        return Ok(());
    }
    let mem = object.mem.clone();
    let words = object.words().min(4096);
    for _ in 0..1 + t.random.below(20) {
        let (m, c) = (t.random.word(), t.random.word());
        let kernel = &t.kernels[t.at][0];
        kernel.set_all(&[Argument::Memory(&mem), Argument::U32(m), Argument::U32(c)])?;
        drop(next.queue.raw.launch(kernel, words, None, &next.after)?);
        next.after.clear();
        mixed(&mut object.shadow[..4 * words], m, c);
    }
    let memory = Memory::new(vec![0xCC; 4 * words]);
    let event = next.queue.raw.read(&mem, false, 0, &memory, &[])?;
    let expected = object.shadow[..4 * words].to_vec();
    object.written_by(&event);
    drop(object);
    t.enqueued("burst", &next, event, vec![memory], expected)
}

/// Copies from one object to another through host memory, in one in-order queue, without waiting in between.
fn relay(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let [mut src, mut dst] = world.contexts[t.at].two(&mut t.random);
    let size = 1 + t.random.below(src.shadow.len().min(dst.shadow.len()));
    let mut after = src.before_read();
    after.extend(dst.before_write());
    let next = t.next(after)?;
    if next.outcome == Outcome::Failed || !next.queue.ordered {
        return Ok(());
    }
    let memory = Memory::new(vec![0xCC; size]);
    let read = next.queue.raw.read(&src.mem, false, 0, &memory, &next.after)?;
    let event = next.queue.raw.write(&dst.mem, false, 0, &memory, &[])?;
    dst.shadow[..size].copy_from_slice(&src.shadow[..size]);
    src.read_by(&read);
    dst.written_by(&event);
    drop((src, dst));
    t.enqueued("relay", &next, event, vec![memory], Vec::new())
}

fn native(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    if !world.cl.native {
        return Ok(());
    }
    let mut object = world.contexts[t.at].one(&mut t.random);
    let (count, add) = (object.words().min(1000), t.random.word());
    let next = t.next(object.before_write())?;
    let event = next.queue.raw.native(&object.mem, (count, add), &next.after)?;
    if next.outcome == Outcome::Done {
        for word in words(&mut object.shadow[..4 * count]) {
            *word = u32::from_ne_bytes(*word).wrapping_add(add).to_ne_bytes();
        }
        object.written_by(&event);
    }
    drop(object);
    t.enqueued("native", &next, event, Vec::new(), Vec::new())
}

fn migrate(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let mut object = world.contexts[t.at].one(&mut t.random);
    let next = t.next(object.before_read())?;
    let event = next.queue.raw.migrate(&object.mem, &next.after)?;
    if next.outcome == Outcome::Done {
        object.read_by(&event);
    }
    drop(object);
    t.enqueued("migrate", &next, event, Vec::new(), Vec::new())
}

fn marker(t: &mut Thread) -> Result<(), Failure> {
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

fn check(t: &mut Thread) -> Result<(), Failure> {
    t.context().flush()?;
    for _ in 0..1 + t.random.below(8) {
        t.world.check_one(t.random.one_in(8))?;
    }
    Ok(())
}

fn flush(t: &mut Thread) -> Result<(), Failure> {
    let queue = t.any_queue();
    queue.raw.flush()
}

fn finish(t: &mut Thread) -> Result<(), Failure> {
    t.context().flush()?;
    let queue = t.any_queue();
    queue.raw.finish()
}

fn queries(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let queue = t.any_queue();
    let object = world.contexts[t.at].one(&mut t.random).mem.clone();
    let context = &world.contexts[t.at];
    for handle in [
        &queue.raw,
        &object,
        &context.raw,
        &context.program,
        &t.kernels[t.at][0],
    ] {
        handle.clone().query()?;
    }
    Ok(())
}

/// Replaces an object while commands still use it.
fn object(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let fresh = Object::new(&world, t.at, &mut t.random)?;
    let old = std::mem::replace(&mut *world.contexts[t.at].one(&mut t.random), fresh);
    drop(old);
    Ok(())
}

fn queue(t: &mut Thread) -> Result<(), Failure> {
    let index = t.random.below(64);
    t.context().replace_queue(t.world.cl, index)
}

/// Builds a new program and uses it once.
fn build(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let number = t.random.word();
    let source = format!("kernel void f(global uint *a) {{ a[get_global_id(0)] += {number}u; }}");
    let program = world.contexts[t.at].raw.build(&source, "")?;
    let kernel = program.kernel("f")?;
    drop(program);
    let mut object = world.contexts[t.at].one(&mut t.random);
    let count = object.words();
    let next = t.next(object.before_write())?;
    kernel.set_all(&[Argument::Memory(&object.mem)])?;
    let event = next.queue.raw.launch(&kernel, count, None, &next.after)?;
    if next.outcome == Outcome::Done {
        for word in words(&mut object.shadow) {
            *word = u32::from_ne_bytes(*word).wrapping_add(number).to_ne_bytes();
        }
        object.written_by(&event);
    }
    drop((object, kernel));
    t.enqueued("build", &next, event, Vec::new(), Vec::new())
}

/// Passes invalid handles.
fn wrong(t: &mut Thread) -> Result<(), Failure> {
    if !t.world.rules.wrong_handles {
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
