//! Commands on memory that only one thread uses: its part of each of the common buffers, through any queue.
//! Each command waits, by events, for the thread's earlier commands on the same part, so the thread knows
//! the contents that it must find.

use super::access::{BLOCKS, Reading, Target, Tools, Writing, stamped};
use super::history::{Block, Fault, Finding, Stamp};
use super::scene::Scene;
use crate::Failure;
use crate::cl::{Handle, Memory};
use crate::random::Random;
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
    writer: Option<Handle>,
    readers: Vec<Handle>,
}

/// The parts of a thread, and the reads whose results are still to be checked.
pub(super) struct Own {
    parts: Vec<Part>,
    readings: Vec<(usize, Reading, Expected)>,
    writings: Vec<Writing>,
    sources: Vec<(Handle, Memory)>,
}

impl Part {
    fn before_write(&self) -> Vec<Handle> {
        self.writer.iter().chain(&self.readers).cloned().collect()
    }

    fn before_read(&self) -> Vec<Handle> {
        self.writer.iter().cloned().collect()
    }

    fn written(&mut self, blocks: &Range<usize>, stamps: &[Stamp], by: &Handle) {
        for (block, stamp) in blocks.clone().zip(stamps) {
            self.past.insert((block, *stamp));
            self.stamps[block] = *stamp;
        }
        self.readers.clear();
        self.writer = Some(by.clone());
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
            parts.push(Part {
                target,
                stamps: [stamp; BLOCKS],
                // Most memory is zero before the first write.
                past: (0..BLOCKS)
                    .flat_map(|block| [(block, 0), (block, stamp)])
                    .collect(),
                writer: Some(event),
                readers: Vec::new(),
            });
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
        let blocks = random.range(BLOCKS);
        let at = random.below(self.parts.len());
        match random.below(10) {
            0..3 => self.write(scene, tools, (queue, at, blocks), random)?,
            3..6 => self.read(scene, tools, (queue, at, blocks), random)?,
            6 => {
                return self
                    .map_and_store(scene, (queue, at, blocks))
                    .map(|f| f.into_iter().collect());
            }
            7 => self.relay_mapping(scene, (queue, at, blocks), random)?,
            8 => self.relay(scene, (queue, at, blocks), random)?,
            _ => self.copy(scene, (queue, at, blocks), random)?,
        }
        queue.flush()?;
        if self.readings.len() + self.writings.len() + self.sources.len() > 12 {
            return self.settle(scene);
        }
        Ok(Vec::new())
    }

    fn gated(scene: &Scene, mut after: Vec<Handle>, random: &mut Random) -> Result<Vec<Handle>, Failure> {
        if random.one_in(8) {
            after.push(scene.gate()?);
        }
        Ok(after)
    }

    fn write(
        &mut self,
        scene: &Scene,
        tools: &Tools,
        (queue, at, blocks): (&Handle, usize, Range<usize>),
        random: &mut Random,
    ) -> Result<(), Failure> {
        let stamp = scene.stamp();
        let part = &mut self.parts[at];
        let after = Self::gated(scene, part.before_write(), random)?;
        let writing = tools.write(queue, &part.target, &blocks, stamp, &after, (random, &mut || {}))?;
        part.written(&blocks, &[stamp; BLOCKS], &writing.event);
        self.writings.push(writing);
        Ok(())
    }

    fn read(
        &mut self,
        scene: &Scene,
        tools: &Tools,
        (queue, at, blocks): (&Handle, usize, Range<usize>),
        random: &mut Random,
    ) -> Result<(), Failure> {
        let part = &mut self.parts[at];
        let after = Self::gated(scene, part.before_read(), random)?;
        let reading = tools.read(queue, &part.target, &blocks, &after, (random, &mut || {}))?;
        part.readers.push(reading.event.clone());
        self.readings.push((at, reading, part.expected(&blocks)));
        Ok(())
    }

    /// Returns the index of another part of this thread than `at`.
    fn other(&self, at: usize, random: &mut Random) -> usize {
        (at + 1 + random.below(self.parts.len() - 1)) % self.parts.len()
    }

    fn copy(
        &mut self,
        scene: &Scene,
        (queue, at, blocks): (&Handle, usize, Range<usize>),
        random: &mut Random,
    ) -> Result<(), Failure> {
        let to = self.other(at, random);
        let (from, target) = (&self.parts[at], &self.parts[to]);
        let mut after = from.before_read();
        after.extend(target.before_write());
        let after = Self::gated(scene, after, random)?;
        let ((source, size), (dest, _)) = (from.bytes(&blocks), target.bytes(&blocks));
        let (a, b) = ((&from.target.mem, source), (&target.target.mem, dest));
        let event = queue.copy(a, b, size, &after)?;
        self.moved(at, to, &blocks, &event);
        Ok(())
    }

    /// Records that a command copied blocks of one part into another.
    fn moved(&mut self, from: usize, to: usize, blocks: &Range<usize>, event: &Handle) {
        let stamps: Vec<Stamp> = self.parts[from].stamps[blocks.clone()].to_vec();
        self.parts[from].readers.push(event.clone());
        self.parts[to].written(blocks, &stamps, event);
    }

    /// Maps blocks, checks them, stores new stamps, and unmaps them.
    fn map_and_store(
        &mut self,
        scene: &Scene,
        (queue, at, blocks): (&Handle, usize, Range<usize>),
    ) -> Result<Option<Finding>, Failure> {
        let stamp = scene.stamp();
        let part = &mut self.parts[at];
        let range = part.bytes(&blocks);
        let flags = CL_MAP_READ | CL_MAP_WRITE;
        let after = part.before_write();
        let (mapped, event) = queue.map(&part.target.mem, flags, range, &after)?;
        queue.flush()?;
        wait_for(scene, &event)?;
        let got: Vec<Block> = mapped
            .bytes()
            .chunks(4 * part.target.block)
            .map(Block::of)
            .collect();
        let finding = part.compare(&got, &part.expected(&blocks), "mapping");
        mapped.store(stamped(stamp, range.1 / 4).bytes());
        let event = queue.unmap(&part.target.mem, mapped, &[event])?;
        part.written(&blocks, &[stamp; BLOCKS], &event);
        queue.flush()?;
        Ok(finding)
    }

    /// Writes from a mapping of one part into another, without waiting for the map command in between.
    fn relay_mapping(
        &mut self,
        scene: &Scene,
        (queue, at, blocks): (&Handle, usize, Range<usize>),
        random: &mut Random,
    ) -> Result<(), Failure> {
        let to = self.other(at, random);
        let (from, target) = (&self.parts[at], &self.parts[to]);
        let after = Self::gated(scene, from.before_read(), random)?;
        let range = from.bytes(&blocks);
        let (mapped, event) = queue.map(&from.target.mem, CL_MAP_READ, range, &after)?;
        queue.flush()?;
        let mut after = target.before_write();
        after.push(event);
        let other = &scene.queues[random.below(scene.queues.len())];
        let offset = target.bytes(&blocks).0;
        let written = other.write_from(&target.target.mem, offset, (mapped.ptr(), range.1), &after)?;
        other.flush()?;
        let unmapped = queue.unmap(&from.target.mem, mapped, std::slice::from_ref(&written))?;
        self.moved(at, to, &blocks, &written);
        self.parts[at].readers.push(unmapped);
        Ok(())
    }

    /// Reads a part into memory and writes that memory into another part, without waiting in between.
    fn relay(
        &mut self,
        scene: &Scene,
        (queue, at, blocks): (&Handle, usize, Range<usize>),
        random: &mut Random,
    ) -> Result<(), Failure> {
        let to = self.other(at, random);
        let (from, target) = (&self.parts[at], &self.parts[to]);
        let after = Self::gated(scene, from.before_read(), random)?;
        let (offset, size) = from.bytes(&blocks);
        let memory = Memory::new(vec![0xCC; size]);
        let read = queue.read(&from.target.mem, false, offset, &memory, &after)?;
        queue.flush()?;
        let mut after = target.before_write();
        after.push(read.clone());
        let other = &scene.queues[random.below(scene.queues.len())];
        let dest = target.bytes(&blocks).0;
        let written = other.write(&target.target.mem, false, dest, &memory, &after)?;
        other.flush()?;
        self.moved(at, to, &blocks, &written);
        self.parts[at].readers.push(read);
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
            self.read(scene, tools, (&scene.queues[0], at, 0..BLOCKS), random)?;
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
