//! Commands on memory that only one thread uses: its part of each of the common buffers, through any queue.
//! Each command waits, by events, for the thread's earlier commands on the same part, so the thread knows
//! the contents that it must find.

use super::access::{BLOCKS, Reading, Target, Tools, Writing, stamped};
use super::history::{Block, Fault, Finding, Stamp};
use super::scene::Scene;
use crate::cl::{Handle, Memory};
use crate::random::Random;
use crate::stress::dependencies::{Access, Dependencies};
use crate::{Failure, Outcome};
use opencl_sys::*;
use std::collections::HashSet;
use std::ops::Range;

/// A thread's part of one buffer.
struct Part {
    target: Target,
    /// The stamp of each block once all commands enqueued so far are complete.
    stamps: [Stamp; BLOCKS],
    /// All stamps that each block has ever had, to distinguish stale contents from wrong ones.
    past: HashSet<(usize, Stamp)>,
    dependencies: Dependencies,
}

/// The parts of a thread, and the reads whose results are still to be checked.
pub(super) struct Own {
    parts: Vec<Part>,
    readings: Vec<(usize, Reading, Expected)>,
    writings: Vec<Writing>,
    sources: Vec<(Handle, Memory)>,
}

/// A step of a thread: a queue, a part, and the blocks of the part that are used.
struct Step<'a> {
    scene: &'a Scene,
    tools: &'a Tools,
    random: &'a mut Random,
    queue: &'a Handle,
    at: usize,
    blocks: Range<usize>,
}

impl<'a> Step<'a> {
    /// Adds a gate to a command's events at times.
    fn gated(&mut self, mut after: Vec<Handle>) -> Result<Vec<Handle>, Failure> {
        if self.random.one_in(8) {
            after.push(self.scene.gate()?);
        }
        Ok(after)
    }

    fn any_queue(&mut self) -> &'a Handle {
        &self.scene.queues[self.random.below(self.scene.queues.len())]
    }
}

impl Part {
    fn written(&mut self, blocks: &Range<usize>, stamps: &[Stamp], by: &Handle) {
        for (block, stamp) in blocks.clone().zip(stamps) {
            self.past.insert((block, *stamp));
            self.stamps[block] = *stamp;
        }
        self.dependencies.add(Access::Write, by);
    }

    /// Returns the stamps that the blocks must have.
    fn expected(&self, blocks: &Range<usize>) -> Expected {
        Expected {
            first: blocks.start,
            stamps: self.stamps[blocks.clone()].to_vec(),
        }
    }

    fn bytes(&self, blocks: &Range<usize>) -> (usize, usize) {
        let block = 4 * self.target.block;
        (4 * self.target.base + blocks.start * block, blocks.len() * block)
    }
}

/// The stamps that blocks from `first` on must have.
struct Expected {
    first: usize,
    stamps: Vec<Stamp>,
}

impl Part {
    /// Compares blocks with their expected stamps. Returns the first difference.
    fn compare(&self, got: &[Block], expected: &Expected, how: &str) -> Option<Finding> {
        let pairs = got.iter().zip(&expected.stamps);
        let (at, (got, wanted)) = (expected.first..)
            .zip(pairs)
            .find(|(_, (got, wanted))| **got != Block::Whole(**wanted))?;
        let fault = match got {
            Block::Whole(stamp) if self.past.contains(&(at, *stamp)) => Fault::Stale,
            Block::Whole(_) => Fault::Nowhere,
            Block::Mixed(..) => Fault::Torn,
        };
        let why = format!("{how} of a thread's own part: block {at} is {got:?}, not {wanted}");
        Some(Finding { fault, why })
    }
}

impl Own {
    /// Creates the parts of a thread, with the same stamp in each word of a part.
    pub(super) fn new(scene: &Scene, thread: usize) -> Result<Own, Failure> {
        let mut parts = Vec::new();
        for mem in &scene.common {
            let target = Target::buffer(mem.clone(), thread * scene.part, scene.part);
            let stamp = scene.stamp();
            let range = (4 * target.base, 4 * scene.part);
            let queue = &scene.queues[0];
            let event = queue.fill(mem, &stamp.to_le_bytes(), range, &[])?;
            let mut part = Part {
                target,
                stamps: [0; BLOCKS],
                // Most memory is zero before the first write.
                past: (0..BLOCKS).map(|block| (block, 0)).collect(),
                dependencies: Dependencies::default(),
            };
            part.written(&(0..BLOCKS), &[stamp; BLOCKS], &event);
            parts.push(part);
        }
        Ok(Own {
            parts,
            readings: Vec::new(),
            writings: Vec::new(),
            sources: Vec::new(),
        })
    }

    /// Enqueues one command, or a few that belong together.
    pub(super) fn step(
        &mut self,
        scene: &Scene,
        tools: &Tools,
        random: &mut Random,
    ) -> Result<Vec<Finding>, Failure> {
        let queue = &scene.queues[random.below(scene.queues.len())];
        let (blocks, at) = (random.range(BLOCKS), random.below(self.parts.len()));
        let kind = random.below(10);
        let step = &mut Step {
            scene,
            tools,
            random,
            queue,
            at,
            blocks,
        };
        match kind {
            0..3 => self.write(step)?,
            3..6 => self.read(step)?,
            6 => return Ok(self.map_and_store(step)?.into_iter().collect()),
            7 => self.relay_mapping(step)?,
            8 => self.relay(step)?,
            _ => self.copy(step)?,
        }
        queue.flush()?;
        if self.readings.len() + self.writings.len() + self.sources.len() > 12 {
            return self.settle(scene);
        }
        Ok(Vec::new())
    }

    fn write(&mut self, step: &mut Step<'_>) -> Outcome {
        let stamp = step.scene.stamp();
        let part = &mut self.parts[step.at];
        let after = step.gated(part.dependencies.before(Access::Write))?;
        let choice: (&mut Random, &mut dyn FnMut()) = (step.random, &mut || {});
        let writing = step
            .tools
            .write(step.queue, &part.target, &step.blocks, stamp, &after, choice)?;
        part.written(&step.blocks, &[stamp; BLOCKS], &writing.event);
        self.writings.push(writing);
        Ok(())
    }

    fn read(&mut self, step: &mut Step<'_>) -> Outcome {
        let part = &mut self.parts[step.at];
        let after = step.gated(part.dependencies.before(Access::Read))?;
        let choice: (&mut Random, &mut dyn FnMut()) = (step.random, &mut || {});
        let reading = step
            .tools
            .read(step.queue, &part.target, &step.blocks, &after, choice)?;
        part.dependencies.add(Access::Read, &reading.event);
        self.readings
            .push((step.at, reading, part.expected(&step.blocks)));
        Ok(())
    }

    /// Returns the index of another part of this thread than the step's.
    fn other(&self, step: &mut Step<'_>) -> usize {
        (step.at + 1 + step.random.below(self.parts.len() - 1)) % self.parts.len()
    }

    fn copy(&mut self, step: &mut Step<'_>) -> Outcome {
        let to = self.other(step);
        let (from, target) = (&self.parts[step.at], &self.parts[to]);
        let mut after = from.dependencies.before(Access::Read);
        after.extend(target.dependencies.before(Access::Write));
        let after = step.gated(after)?;
        let ((source, size), (dest, _)) = (from.bytes(&step.blocks), target.bytes(&step.blocks));
        let (a, b) = ((&from.target.mem, source), (&target.target.mem, dest));
        let event = step.queue.copy(a, b, size, &after)?;
        self.moved(step, to, &event);
        Ok(())
    }

    /// Records that a command copied blocks of the step's part into another.
    fn moved(&mut self, step: &Step<'_>, to: usize, event: &Handle) {
        let stamps: Vec<Stamp> = self.parts[step.at].stamps[step.blocks.clone()].to_vec();
        self.parts[step.at].dependencies.add(Access::Read, event);
        self.parts[to].written(&step.blocks, &stamps, event);
    }

    /// Maps blocks, checks them, stores new stamps, and unmaps them.
    fn map_and_store(&mut self, step: &mut Step<'_>) -> Result<Option<Finding>, Failure> {
        let (scene, queue, blocks) = (step.scene, step.queue, &step.blocks);
        let stamp = scene.stamp();
        let part = &mut self.parts[step.at];
        let range = part.bytes(blocks);
        let flags = CL_MAP_READ | CL_MAP_WRITE;
        let after = part.dependencies.before(Access::Write);
        let (mapped, event) = queue.map(&part.target.mem, flags, range, &after)?;
        queue.flush()?;
        wait_for(scene, &event)?;
        let got: Vec<Block> = mapped
            .bytes()
            .chunks(4 * part.target.block)
            .map(Block::of)
            .collect();
        let finding = part.compare(&got, &part.expected(blocks), "mapping");
        mapped.store(stamped(stamp, range.1 / 4).bytes());
        let event = queue.unmap(&part.target.mem, mapped, &[event])?;
        part.written(blocks, &[stamp; BLOCKS], &event);
        queue.flush()?;
        Ok(finding)
    }

    /// Writes from a mapping of one part into another, without waiting for the map command in between.
    fn relay_mapping(&mut self, step: &mut Step<'_>) -> Outcome {
        let to = self.other(step);
        let (from, target) = (&self.parts[step.at], &self.parts[to]);
        let after = step.gated(from.dependencies.before(Access::Read))?;
        let range = from.bytes(&step.blocks);
        let (mapped, event) = step.queue.map(&from.target.mem, CL_MAP_READ, range, &after)?;
        step.queue.flush()?;
        let mut after = target.dependencies.before(Access::Write);
        after.push(event);
        let (other, offset) = (step.any_queue(), target.bytes(&step.blocks).0);
        let written = other.write_from(&target.target.mem, offset, (mapped.ptr(), range.1), &after)?;
        other.flush()?;
        let after = std::slice::from_ref(&written);
        let unmapped = step.queue.unmap(&from.target.mem, mapped, after)?;
        self.moved(step, to, &written);
        self.parts[step.at].dependencies.add(Access::Read, &unmapped);
        Ok(())
    }

    /// Reads a part into memory and writes that memory into another part, without waiting in between.
    fn relay(&mut self, step: &mut Step<'_>) -> Outcome {
        let to = self.other(step);
        let (from, target) = (&self.parts[step.at], &self.parts[to]);
        let after = step.gated(from.dependencies.before(Access::Read))?;
        let (offset, size) = from.bytes(&step.blocks);
        let memory = Memory::new(vec![0xCC; size]);
        let read = step
            .queue
            .read(&from.target.mem, false, offset, &memory, &after)?;
        step.queue.flush()?;
        let mut after = target.dependencies.before(Access::Write);
        after.push(read.clone());
        let (other, dest) = (step.any_queue(), target.bytes(&step.blocks).0);
        let written = other.write(&target.target.mem, false, dest, &memory, &after)?;
        other.flush()?;
        self.moved(step, to, &written);
        self.parts[step.at].dependencies.add(Access::Read, &read);
        self.sources.push((written, memory));
        Ok(())
    }

    /// Waits for all reads and checks their results.
    pub(super) fn settle(&mut self, scene: &Scene) -> Result<Vec<Finding>, Failure> {
        let mut findings = Vec::new();
        for (at, reading, expected) in self.readings.drain(..) {
            wait_for(scene, &reading.event)?;
            findings.extend(self.parts[at].compare(&reading.blocks(), &expected, reading.how));
        }
        for writing in self.writings.drain(..) {
            wait_for(scene, &writing.event)?;
        }
        for (event, memory) in self.sources.drain(..) {
            wait_for(scene, &event)?;
            drop(memory);
        }
        Ok(findings)
    }

    /// Checks the final contents of all parts, when the thread has done all its steps.
    pub(super) fn last_look(
        &mut self,
        scene: &Scene,
        tools: &Tools,
        random: &mut Random,
    ) -> Result<Vec<Finding>, Failure> {
        for at in 0..self.parts.len() {
            self.read(&mut Step {
                scene,
                tools,
                random,
                queue: &scene.queues[0],
                at,
                blocks: 0..BLOCKS,
            })?;
        }
        scene.queues[0].flush()?;
        let mut findings = self.settle(scene)?;
        for finding in &mut findings {
            if finding.fault == Fault::Stale {
                finding.fault = Fault::Lost;
            }
        }
        Ok(findings)
    }
}

/// Waits for one event. A command that fails is an error.
pub(super) fn wait_for(scene: &Scene, event: &Handle) -> Result<(), Failure> {
    let code = event.wait()?;
    scene.step();
    if code == CL_SUCCESS {
        Ok(())
    } else {
        fail!("clWaitForEvents gave {code}")
    }
}
