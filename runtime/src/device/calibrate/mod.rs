//! Calibration: measures what a device's arithmetic does where Vulkan guarantees nothing, and which work-items form its
//! sub-groups where the driver is not known to be right ([`subgroups`]).
//!
//! At the first use of a device, small kernels with known results run on it. Their results select variants in
//! the compiler's library ([`measured`]) and determine CL_DEVICE_*_FP_CONFIG. They are kept in the cache on
//! disk, for this device and version of its driver. Where a probe cannot run, no favourable property is
//! assumed: the code is then slower, but correct.

mod cases;
mod measured;
mod samples;
mod subgroups;

pub(super) use measured::assume;
pub(crate) use measured::{Assumption, Measured};

use std::sync::Arc;

use caldera_compiler::driver::Input;
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::target::{SubgroupLayout, Target};

use super::Device;
use crate::cache;
use crate::command::CommandType;
use crate::command::request::{BufferFill, BufferRange, BufferTransfer};
use crate::config::config;
use crate::context::Context;
use crate::error::{ClCode, Error, Result};
use crate::kernel::launch::ArgValue;
use crate::kernel::{Kernel, Range};
use crate::mem::{Buffer, HostPtr, MemFlags};
use crate::program::Program;
use crate::queue::{CommandQueue, QueueProperties, Waits};
use cases::{Case, Property, WORDS};

/// Returns the measurement, from the cache or by running the probes. `base` is the device's target without
/// calibration. Returns `None` if the probes fail.
pub(super) fn calibrate(device: &Arc<Device>, base: &Target) -> Option<Measured> {
    if !config().calibrate {
        return Some(Measured::default());
    }
    let place = cache::store().map(|store| {
        let facts = device.physical.facts();
        let is_probed = [u8::from(probes_subgroups(base))];
        // The arithmetic of a CPU driver is the processor's, which the driver's identity does not include.
        let key = cache::Key::new(
            "calibration 4",
            &[&facts.identity, facts.name.as_bytes(), &processor(), &is_probed],
        );
        (store, key)
    });
    if let Some(known) = place
        .as_ref()
        .and_then(|(store, key)| Measured::from_bytes(&store.get(key)?))
    {
        return Some(known);
    }
    let start = std::time::Instant::now();
    match measure(device, base) {
        Ok(measured) => {
            log::info!("{}: {measured:?} in {:?}", device.info.name, start.elapsed());
            if let Some((store, key)) = place {
                store.put(&key, &measured.to_bytes());
            }
            Some(measured)
        }
        Err(e) => {
            log::warn!("{}: not calibrated: {}", device.info.name, e.chain());
            None
        }
    }
}

/// Returns the features of the host's processor that affect arithmetic.
fn processor() -> Vec<u8> {
    #[cfg(target_arch = "x86_64")]
    return vec![
        u8::from(std::arch::is_x86_feature_detected!("fma")),
        u8::from(std::arch::is_x86_feature_detected!("avx2")),
        u8::from(std::arch::is_x86_feature_detected!("avx512f")),
        u8::from(std::arch::is_x86_feature_detected!("f16c")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    return Vec::new();
}

/// The source of the kernels `probe16`, `probe32` and `probe64`.
const PROBES: &str = include_str!("probes.cl");

/// Runs the probes on a device.
fn measure(device: &Arc<Device>, base: &Target) -> Result<Measured> {
    // The probes must compile to the driver's own operations.
    let mut target = base.clone();
    target.calibration.fused_fma = [true; 3];
    target.subgroup_layout = SubgroupLayout::Full;
    target.packs_groups = false;
    let context = Context::for_calibration(device)?;
    let bench = Bench {
        queue: CommandQueue::create(&context, device, QueueProperties::default())?,
        context,
        device,
    };
    let program = bench.program(PROBES, &target)?;
    let mut measured = Measured {
        subgroups: subgroup_layout(&bench, base, &target),
        ..Measured::default()
    };
    let widths = [
        base.has_extension("cl_khr_fp16"),
        true,
        base.has_extension("cl_khr_fp64"),
    ];
    for (i, bits) in [16, 32, 64].into_iter().enumerate().filter(|(i, _)| widths[*i]) {
        let cases = cases::cases(bits, bits == 16 || widths[2]);
        let mut operands: Vec<[u64; 3]> = cases.iter().map(|c| c.operands).collect();
        if bits == 32 {
            operands.extend(samples::operands());
        }
        let results = bench.results(&program, &format!("probe{bits}"), bits, &operands)?;
        let (of_cases, of_samples) = results.split_at(cases.len() * WORDS);
        let holds = |property| all_as_expected(property, &cases, of_cases);
        measured.fused_fma[i] = holds(Property::FusedFma);
        measured.separate[i] = holds(Property::Separate);
        measured.flushing_fma[i] = holds(Property::FlushingFma);
        measured.subnormal_arithmetic[i] = holds(Property::SubnormalArithmetic);
        measured.subnormal_loads[i] = holds(Property::SubnormalLoads);
        measured.subnormal_conversions[i] = holds(Property::SubnormalConversions);
        measured.divide[i] = holds(Property::Divide);
        measured.sqrt[i] = holds(Property::Sqrt);
        measured.conversions[i] = holds(Property::Conversions);
        if bits == 32 {
            measured.mul_hi = holds(Property::MulHi);
            measured.errors = samples::errors(of_samples);
        }
    }
    Ok(measured)
}

/// Returns whether every case of a property has the expected results. `results` has [`WORDS`] words for each case.
fn all_as_expected(property: Property, cases: &[Case], results: &[u64]) -> bool {
    let mut of_property = cases
        .iter()
        .zip(results.chunks_exact(WORDS))
        .filter(|(c, _)| c.property == property);
    of_property.all(|(case, words)| words[case.first..].starts_with(&case.expected))
}

/// Returns whether the layout of the device's sub-groups must be measured.
fn probes_subgroups(base: &Target) -> bool {
    base.subgroup_layout == SubgroupLayout::Unknown && base.features.subgroups
}

/// Measures the layout of the device's sub-groups, if it is in doubt. `target` compiles to the driver's own numbers.
fn subgroup_layout(bench: &Bench<'_>, base: &Target, target: &Target) -> SubgroupLayout {
    if !probes_subgroups(base) {
        return base.subgroup_layout;
    }
    let layout = bench.subgroup_layout(target).unwrap_or_else(|e| {
        log::warn!(
            "{}: sub-groups not measured: {}",
            bench.device.info.name,
            e.chain()
        );
        SubgroupLayout::Unknown
    });
    if layout != SubgroupLayout::Full {
        log::info!(
            "{}: kernels with sub-groups get work-groups of one dimension, because the driver's sub-groups are not full in \
             others ({layout:?})",
            bench.device.info.name
        );
    }
    layout
}

/// The objects that the probes run with.
struct Bench<'d> {
    context: Arc<Context>,
    queue: Arc<CommandQueue>,
    device: &'d Arc<Device>,
}

impl Bench<'_> {
    /// Compiles probes.
    fn program(&self, source: &str, target: &Target) -> Result<Arc<Program>> {
        let input = Input {
            name: "<calibration>",
            source,
            options: &Options::default(),
            resolver: &NoIncludes,
        };
        let compiled = caldera_compiler::compile(&input, target)
            .map_err(|failed| Error::new(ClCode::BuildProgramFailure, failed.log))?;
        Program::of_module(&self.context, self.device, compiled.words)
    }

    /// Makes a buffer with these bytes.
    fn buffer(&self, bytes: &[u8]) -> Result<Arc<Buffer>> {
        const READ_WRITE_COPY: u64 = 1 | 1 << 5;
        let flags = MemFlags::from_bits(READ_WRITE_COPY)?;
        Buffer::create(&self.context, flags, bytes.len(), Some(HostPtr::of_slice(bytes)))
    }

    /// Runs a kernel, reads the buffer `from` into `output`, and clears it.
    fn run(&self, kernel: &Arc<Kernel>, range: &Range, from: &Arc<Buffer>, output: &mut [u8]) -> Result<()> {
        let launch = kernel.launch(&self.queue, range)?;
        launch.enqueue(CommandType::NdRangeKernel, Waits::default())?;
        let all = BufferRange::new(from, 0, output.len())?;
        let read = BufferTransfer::linear(&all, HostPtr::of_slice_mut(output));
        self.queue.enqueue_read(read, true, Waits::default())?;
        self.clear(from, output.len())
    }

    /// Fills a buffer with zeros after its use, because the application's first buffers get this memory. A program that
    /// reads a buffer before it writes it would otherwise behave differently in the process that measures the device.
    fn clear(&self, buffer: &Arc<Buffer>, size: usize) -> Result<()> {
        let all = BufferRange::new(buffer, 0, size)?;
        self.queue
            .enqueue_fill(BufferFill::new(all, &[0])?, Waits::default())?;
        Ok(())
    }

    /// Runs the kernel with this name over the operands of cases in a format of `bits` bits. Returns [`WORDS`] words for each.
    fn results(
        &self,
        program: &Arc<Program>,
        kernel: &str,
        bits: u32,
        operands: &[[u64; 3]],
    ) -> Result<Vec<u64>> {
        let kernel = Kernel::create(program, kernel)?;
        let input = words(bits, operands.iter().flatten().copied());
        let mut output = vec![0u8; operands.len() * WORDS * bits as usize / 8];
        let (from, to) = (self.buffer(&input)?, self.buffer(&output)?);
        kernel.set_arg(0, ArgValue::Buffer(Some(Arc::clone(&from))))?;
        kernel.set_arg(1, ArgValue::Buffer(Some(Arc::clone(&to))))?;
        let range = Range {
            work_dim: 1,
            offset: [0; 3],
            global: [operands.len(), 1, 1],
            local: None,
        };
        self.run(&kernel, &range, &to, &mut output)?;
        self.clear(&from, input.len())?;
        check_execution(&output)?;
        let word = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        };
        Ok(output.chunks_exact(bits as usize / 8).map(word).collect())
    }

    /// Runs the probe of sub-groups in work-groups of several shapes.
    fn subgroup_layout(&self, target: &Target) -> Result<SubgroupLayout> {
        let limits = self.device.limits();
        let program = self.program(subgroups::PROBE, target)?;
        let kernel = Kernel::create(&program, "sub_groups")?;
        let mut observed = subgroups::Observed::new(limits.subgroup, target.quirks.idle_lanes);
        for shape in subgroups::shapes(limits.subgroup) {
            let items = shape.iter().product::<u32>();
            if items > limits.group_invocations || (0..3).any(|d| shape[d] > limits.group_size[d]) {
                continue;
            }
            let mut output = vec![0u8; items as usize * size_of::<subgroups::Place>()];
            let to = self.buffer(&output)?;
            kernel.set_arg(0, ArgValue::Buffer(Some(Arc::clone(&to))))?;
            let size = shape.map(|n| n as usize);
            let range = Range {
                work_dim: 3,
                offset: [0; 3],
                global: size,
                local: Some(size),
            };
            self.run(&kernel, &range, &to, &mut output)?;
            let numbers: Vec<u32> = output
                .as_chunks()
                .0
                .iter()
                .map(|bytes| u32::from_le_bytes(*bytes))
                .collect();
            observed.add(shape[0], numbers.as_chunks().0);
        }
        Ok(observed.layout())
    }
}

/// Returns an error if the probes have not been executed. The buffer then still has its zeros, which must not be taken for
/// results, because zeros are what some properties expect, such as flushed subnormal numbers. Mesa's drivers that run without
/// their hardware execute nothing.
fn check_execution(results: &[u8]) -> Result<()> {
    if results.iter().any(|byte| *byte != 0) {
        return Ok(());
    }
    Err(Error::new(ClCode::OutOfResources, "the device executes nothing"))
}

/// Returns the bytes of values in words of the given width.
fn words(bits: u32, values: impl Iterator<Item = u64>) -> Vec<u8> {
    let bytes = bits as usize / 8;
    values
        .flat_map(|v| v.to_le_bytes().into_iter().take(bytes))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_executes_nothing_has_no_properties() {
        assert!(check_execution(&[0; 16]).is_err());
        assert!(check_execution(&[0, 0, 1, 0]).is_ok());
        // Zeros would give the device this property.
        let zeros = |cases: &[Case]| vec![0; cases.len() * WORDS];
        let cases = cases::cases(32, true);
        assert!(all_as_expected(Property::FlushingFma, &cases, &zeros(&cases)));
    }
}
