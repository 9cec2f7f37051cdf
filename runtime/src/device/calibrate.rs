//! Calibration: what a device's arithmetic really does, where Vulkan promises nothing.
//!
//! At the first use of a device small kernels with known answers run on it. What they establish picks variants in
//! the compiler's library ([`Calibration`]) and what CL_DEVICE_*_FP_CONFIG says. The result is kept in the cache on
//! disk, for this device and version of its driver. Where a probe cannot run, nothing is presumed: that is slower,
//! never wrong.

use std::sync::Arc;

use caldera_compiler::driver::Input;
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::target::{Calibration, Target};

use super::Device;
use crate::cache;
use crate::command::CommandType;
use crate::config::config;
use crate::context::Context;
use crate::error::{ClCode, Error, Result};
use crate::kernel::launch::{ArgValue, NdRange};
use crate::kernel::pipeline::DeviceModule;
use crate::mem::{Buffer, HostPtr, MemFlags};
use crate::queue::{CommandQueue, QueueProperties, Waits};

/// What was measured, for 16, 32 and 64 bits; `false` also where the device does not have the width.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Measured {
    /// A multiply-add rounds once.
    pub fused_fma: [bool; 3],
    /// Arithmetic, comparisons and absolute values keep subnormal numbers.
    pub subnormals: [bool; 3],
}

impl Measured {
    /// What the compiler wants to know.
    pub(super) fn for_compiler(self) -> Calibration {
        Calibration {
            fused_fma: self.fused_fma,
        }
    }

    fn to_bytes(self) -> [u8; 6] {
        let [[a, b, c], [d, e, f]] = [self.fused_fma, self.subnormals];
        [a, b, c, d, e, f].map(u8::from)
    }

    fn from_bytes(bytes: &[u8]) -> Option<Measured> {
        let [a, b, c, d, e, f] = *bytes.first_chunk()?;
        let on = |n: u8| n != 0;
        Some(Measured {
            fused_fma: [a, b, c].map(on),
            subnormals: [d, e, f].map(on),
        })
    }
}

/// From the cache, or by running the probes. `base` is the device's target without calibration.
pub(super) fn calibrate(device: &Arc<Device>, base: &Target) -> Measured {
    if !config().calibrate {
        return Measured::default();
    }
    let place = cache::store().map(|store| {
        let facts = device.physical.facts();
        // A CPU driver's arithmetic is the processor's, and its identity does not name that.
        let key = cache::Key::new(
            "calibration",
            &[&facts.identity, facts.name.as_bytes(), &processor()],
        );
        (store, key)
    });
    if let Some(known) = place
        .as_ref()
        .and_then(|(store, key)| Measured::from_bytes(&store.get(key)?))
    {
        return known;
    }
    let start = std::time::Instant::now();
    match measure(device, base) {
        Ok(measured) => {
            log::info!("{}: {measured:?} in {:?}", device.info.name, start.elapsed());
            if let Some((store, key)) = place {
                store.put(&key, &measured.to_bytes());
            }
            measured
        }
        Err(e) => {
            log::warn!("{}: not calibrated: {}", device.info.name, e.chain());
            Measured::default()
        }
    }
}

/// What of the host's processor matters for arithmetic.
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

/// One thread per case. All data come from buffers, so that the driver folds nothing. Drivers treat subnormal numbers
/// differently in forms that look alike: NVIDIA's (580) keeps them in `x < y` and `fabs(-x)` here and takes them for 0
/// in `x > 0` and `fabs(x)`.
const PROBES: &str = r#"
#define PROBES(BITS, REAL, WORD, AS_REAL, AS_WORD) \
kernel void fma##BITS(global const WORD *in, global WORD *out) { \
  size_t i = get_global_id(0); \
  out[i] = AS_WORD(fma(AS_REAL(in[3 * i]), AS_REAL(in[3 * i + 1]), AS_REAL(in[3 * i + 2]))); \
} \
kernel void subnormals##BITS(global const WORD *in, global WORD *out) { \
  size_t i = get_global_id(0); \
  REAL x = AS_REAL(in[3 * i]), y = AS_REAL(in[3 * i + 1]), one = AS_REAL(in[3 * i + 2]); \
  out += 13 * i; \
  out[0] = AS_WORD(x + y); \
  out[1] = AS_WORD(x - y); \
  out[2] = AS_WORD(x * one); \
  out[3] = AS_WORD(x / one); \
  out[4] = x < y; \
  out[5] = x == y; \
  out[6] = x != x - x; \
  out[7] = AS_WORD(fabs(-x)); \
  out[8] = AS_WORD(fabs(x)); \
  out[9] = x && one; \
  out[10] = !x; \
  out[11] = x > 0; \
  out[12] = AS_WORD(sqrt(x)) != 0; \
}
PROBES(32, float, uint, as_float, as_uint)
#ifdef cl_khr_fp64
PROBES(64, double, ulong, as_double, as_ulong)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
PROBES(16, half, ushort, as_half, as_ushort)
#endif
"#;

fn measure(device: &Arc<Device>, base: &Target) -> Result<Measured> {
    // The probes ask for the driver's own operations.
    let mut target = base.clone();
    target.calibration.fused_fma = [true; 3];
    let input = Input {
        name: "<calibration>",
        source: PROBES,
        options: &Options::default(),
        resolver: &NoIncludes,
    };
    let compiled = caldera_compiler::compile(&input, &target)
        .map_err(|failed| Error::new(ClCode::BuildProgramFailure, failed.log))?;
    let context = Context::for_calibration(device)?;
    let bench = Bench {
        queue: CommandQueue::create(&context, device, QueueProperties::default())?,
        module: DeviceModule::new(device, &compiled.words)?,
        context,
    };
    let mut measured = Measured::default();
    let widths = [
        base.has_extension("cl_khr_fp16"),
        true,
        base.has_extension("cl_khr_fp64"),
    ];
    for (i, bits) in [16, 32, 64].into_iter().enumerate() {
        if widths[i] {
            measured.fused_fma[i] = bench.all_as_expected(&format!("fma{bits}"), bits, &fused(bits))?;
            measured.subnormals[i] =
                bench.all_as_expected(&format!("subnormals{bits}"), bits, &subnormals(bits))?;
        }
    }
    Ok(measured)
}

/// Operands and the words that must come out.
struct Case {
    operands: [u64; 3],
    expected: Vec<u64>,
}

/// What the probes run on.
struct Bench {
    context: Arc<Context>,
    queue: Arc<CommandQueue>,
    module: Arc<DeviceModule>,
}

impl Bench {
    /// Runs a kernel over the cases; whether each word is the expected one.
    fn all_as_expected(&self, kernel: &str, bits: u32, cases: &[Case]) -> Result<bool> {
        let kernel = self
            .module
            .kernel(kernel)?
            .ok_or_else(|| Error::new(ClCode::InvalidKernelName, "a probe is missing"))?;
        let expected = words(bits, cases.iter().flat_map(|c| c.expected.iter().copied()));
        let input = words(bits, cases.iter().flat_map(|c| c.operands));
        let mut output = vec![0u8; expected.len()];
        const READ_WRITE_COPY: u64 = 1 | 1 << 5;
        let buffer = |bytes: &[u8]| {
            let flags = MemFlags::from_bits(READ_WRITE_COPY)?;
            Buffer::create(&self.context, flags, bytes.len(), Some(HostPtr::of_slice(bytes)))
        };
        let (from, to) = (buffer(&input)?, buffer(&output)?);
        let args = [
            ArgValue::Buffer(Some(from)),
            ArgValue::Buffer(Some(Arc::clone(&to))),
        ];
        let launch = NdRange {
            kernel: &kernel,
            args: &args,
            work_dim: 1,
            offset: [0; 3],
            global: [cases.len(), 1, 1],
            local: None,
        };
        self.queue
            .enqueue_ndrange(&launch, CommandType::NdRangeKernel, Waits::default())?;
        let size = output.len();
        self.queue.enqueue_read(
            &to,
            true,
            0,
            size,
            HostPtr::of_slice_mut(&mut output),
            Waits::default(),
        )?;
        Ok(output == expected)
    }
}

/// Values as the device's words.
fn words(bits: u32, values: impl Iterator<Item = u64>) -> Vec<u8> {
    let bytes = bits as usize / 8;
    values
        .flat_map(|v| v.to_le_bytes().into_iter().take(bytes))
        .collect()
}

/// Mantissa bits, exponent bias.
fn format(bits: u32) -> (u32, u64) {
    match bits {
        16 => (10, 15),
        32 => (23, 127),
        _ => (52, 1023),
    }
}

/// Where one rounding differs from two.
fn fused(bits: u32) -> Vec<Case> {
    let mut cases = unrounded_products(bits);
    cases.push(just_below_a_tie(bits));
    cases
}

/// (1 + ulp) + (1 + 2⁻ᵏ) · (1 - 2⁻ᵏ) · ulp/2 = 1 + 3/2·ulp - 2⁻²ᵏ·ulp/2, to be rounded down. In a wider format the
/// last term is lost, and what is left is a tie, which goes up.
fn just_below_a_tie(bits: u32) -> Case {
    let (mantissa, bias) = format(bits);
    let k = mantissa * 2 / 3 + 1;
    let one = bias << mantissa;
    let half_ulp_below_one = (bias - 2 - u64::from(mantissa)) << mantissa;
    // 1 - 2⁻ᵏ is 2⁻¹ · (2 - 2¹⁻ᵏ).
    let fraction = (1u64 << mantissa) - (1 << (mantissa + 1 - k));
    Case {
        operands: [
            one + (1 << (mantissa - k)),
            half_ulp_below_one + fraction,
            one + 1,
        ],
        expected: vec![one + 1],
    }
}

/// (1 + k·ulp)² · 2ˢ - (1 + 2k·ulp) · 2ˢ: k²·ulp² · 2ˢ if the product is not rounded, else 0.
fn unrounded_products(bits: u32) -> Vec<Case> {
    let (mantissa, bias) = format(bits);
    let sign = 1u64 << (bits - 1);
    // Keeps the result normal.
    let scale = if bits == 16 { 8 } else { 4 };
    (1..=20u64)
        .map(|k| {
            let one = bias << mantissa;
            let scaled = (bias + scale) << mantissa;
            let square = k * k;
            let top = u64::from(63 - square.leading_zeros());
            let exponent = bias + scale + top - 2 * u64::from(mantissa);
            let fraction = (square << mantissa >> top) & ((1 << mantissa) - 1);
            Case {
                operands: [scaled + k, one + k, sign | (scaled + 2 * k)],
                expected: vec![exponent << mantissa | fraction],
            }
        })
        .collect()
}

/// Sums, differences, products by one and comparisons of multiples of the smallest number: exact in any format,
/// because the words of subnormal numbers count as the numbers do.
fn subnormals(bits: u32) -> Vec<Case> {
    let (mantissa, bias) = format(bits);
    let one = bias << mantissa;
    let sign = 1u64 << (bits - 1);
    let most = (1u64 << mantissa) - 1;
    [(1, 2), (2, 1), (3, 3), (most, 1), (most / 2, most / 3), (5, most)]
        .into_iter()
        .map(|(x, y): (u64, u64)| {
            let difference = if x >= y { x - y } else { sign | (y - x) };
            Case {
                operands: [x, y, one],
                expected: vec![
                    x + y,
                    difference,
                    x,
                    x,
                    u64::from(x < y),
                    u64::from(x == y),
                    1,
                    x,
                    x,
                    1,
                    0,
                    1,
                    1,
                ],
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected words are what the host's own arithmetic says.
    #[test]
    fn expectations_are_ieee() {
        for case in fused(32) {
            let [a, b, c] = case.operands.map(|w| f32::from_bits(w as u32));
            assert_eq!(a.mul_add(b, c).to_bits(), case.expected[0] as u32);
            assert_ne!((a * b + c).to_bits(), case.expected[0] as u32);
        }
        for case in fused(64) {
            let [a, b, c] = case.operands.map(f64::from_bits);
            assert_eq!(a.mul_add(b, c).to_bits(), case.expected[0]);
            assert_ne!((a * b + c).to_bits(), case.expected[0]);
        }
        // Rounding twice is told apart too.
        let case = just_below_a_tie(32);
        let [a, b, c] = case.operands.map(|w| f64::from(f32::from_bits(w as u32)));
        assert_ne!(((a * b + c) as f32).to_bits(), case.expected[0] as u32);
        for case in subnormals(32) {
            let [x, y, one] = case.operands.map(|w| f32::from_bits(w as u32));
            let e: Vec<u32> = case.expected.iter().map(|w| *w as u32).collect();
            assert_eq!((x + y).to_bits(), e[0]);
            assert_eq!((x - y).to_bits(), e[1]);
            assert_eq!([(x * one).to_bits(), (x / one).to_bits()], [e[2], e[3]]);
            assert_eq!([u32::from(x < y), u32::from(x == y)], [e[4], e[5]]);
        }
    }

    #[test]
    fn halves_stay_normal_and_exact() {
        for case in unrounded_products(16).into_iter().chain([just_below_a_tie(16)]) {
            let value = |w: u64| {
                let (exponent, fraction) = ((w >> 10 & 31) as i32, (w & 1023) as f64);
                let sign = if w >> 15 == 1 { -1.0 } else { 1.0 };
                assert!(exponent > 0 && exponent < 31);
                sign * (1.0 + fraction / 1024.0) * f64::from(exponent - 15).exp2()
            };
            let [a, b, c] = case.operands.map(value);
            let error = (a * b + c - value(case.expected[0])).abs();
            assert!(error == 0.0 || error < value(case.expected[0]) / 2048.0);
            let twice = f64::from((a * b + c) as f32);
            assert!(
                error == 0.0 || twice == 1.0 + 1.5 / 1024.0,
                "a tie in single precision"
            );
        }
    }

    #[test]
    fn results_come_back_from_the_cache() {
        let m = Measured {
            fused_fma: [false, true, true],
            subnormals: [true, false, true],
        };
        assert_eq!(Measured::from_bytes(&m.to_bytes()), Some(m));
        assert_eq!(Measured::from_bytes(&[1, 0]), None);
    }
}
