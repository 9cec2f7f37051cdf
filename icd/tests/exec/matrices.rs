//! Cooperative matrices in OpenCL C (cl_khr_cooperative_matrix), against references that the host computes in double. On
//! devices without matrices they are emulated.

use std::ffi::c_void;

use crate::cl;
use crate::common::{self, cl_device_id, cl_int};
use crate::lab::{Arg, Lab};

/// Runs the tests of this file where matrices are emulated.
#[test]
fn emulated() {
    common::again::run_tests("matrices::", "CALDERA_MATRICES", "emulate");
}

/// Returns the device, unless it lacks matrices.
fn lab() -> Option<Lab> {
    let lab = Lab::new();
    let has = lab.has("cl_khr_cooperative_matrix");
    assert!(has || !is_emulated());
    has.then_some(lab)
}

fn is_emulated() -> bool {
    std::env::var("CALDERA_MATRICES").is_ok_and(|v| v == "emulate")
}

/// A type of components, by its number in the extension.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Type(usize);

const NAMES: [&str; 11] = [
    "half", "float", "double", "char", "short", "int", "long", "uchar", "ushort", "uint", "ulong",
];

impl Type {
    fn name(self) -> &'static str {
        NAMES[self.0]
    }
    fn is_float(self) -> bool {
        self.0 < 3
    }
    fn is_signed(self) -> bool {
        self.0 < 7
    }
    fn size(self) -> usize {
        [2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8][self.0]
    }
    /// Returns the least and the greatest number of an integer type.
    fn range(self) -> (f64, f64) {
        let bits = 8 * self.size() as i32;
        match self.is_signed() {
            true => (-2f64.powi(bits - 1), 2f64.powi(bits - 1) - 1.0),
            false => (0.0, 2f64.powi(bits) - 1.0),
        }
    }
    fn encode(self, value: f64) -> Vec<u8> {
        match self.name() {
            "half" => half_of(value).to_ne_bytes().to_vec(),
            "float" => (value as f32).to_ne_bytes().to_vec(),
            "double" => value.to_ne_bytes().to_vec(),
            _ => (value as i128).to_ne_bytes()[..self.size()].to_vec(),
        }
    }
    fn decode(self, bytes: &[u8]) -> f64 {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_ne_bytes(all);
        match self.name() {
            "half" => of_half(bits as u16),
            "float" => f64::from(f32::from_bits(bits as u32)),
            "double" => f64::from_bits(bits),
            _ if self.is_signed() => {
                let unused = 64 - 8 * bytes.len() as u32;
                ((bits << unused) as i64 >> unused) as f64
            }
            _ => bits as f64,
        }
    }
    /// Returns small numbers of the type, whose products and sums are exact in all types but half.
    fn numbers(self, count: usize, seed: usize) -> Vec<f64> {
        let number = |i: usize| {
            let n = (i.wrapping_mul(2_654_435_761).wrapping_add(seed * 40_503) >> 7) % 15;
            match (self.is_float(), self.is_signed()) {
                (true, _) => (n as f64 - 7.0) * 0.5,
                (false, true) => n as f64 - 7.0,
                (false, false) => n as f64,
            }
        };
        (0..count).map(number).collect()
    }
    fn encode_all(self, values: &[f64]) -> Vec<u8> {
        values.iter().flat_map(|v| self.encode(*v)).collect()
    }
    fn decode_all(self, bytes: &[u8]) -> Vec<f64> {
        bytes.chunks(self.size()).map(|b| self.decode(b)).collect()
    }
}

fn of_half(bits: u16) -> f64 {
    let (sign, exponent, fraction) = (bits >> 15, bits >> 10 & 31, f64::from(bits & 1023));
    let value = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 => f64::INFINITY,
        e => (1024.0 + fraction) * 2f64.powi(i32::from(e) - 25),
    };
    if sign == 1 { -value } else { value }
}

/// Returns the half that is equal to a number; the tests have no subnormal ones and none that must be rounded.
fn half_of(value: f64) -> u16 {
    let bits = (value as f32).to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let half = match value == 0.0 {
        true => sign,
        false => sign | (((bits & 0x7fff_ffff) - (112 << 23)) >> 13) as u16,
    };
    assert_eq!(of_half(half), value);
    half
}

/// A product of the device.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Variant {
    size: [usize; 3],
    types: [Type; 4],
    saturates: bool,
}

/// The product of the examples.
const HALF_TO_FLOAT: Variant = Variant {
    size: [16; 3],
    types: [Type(0), Type(0), Type(1), Type(1)],
    saturates: false,
};

type Query =
    unsafe extern "C" fn(cl_device_id, u32, usize, *const c_void, usize, *mut c_void, *mut usize) -> cl_int;

fn variants(lab: &Lab) -> Vec<Variant> {
    const DEFAULT_VARIANTS: u32 = 0x1078;
    let name = c"clGetDeviceCooperativeMatrixInfoKHR".as_ptr();
    let found = cl!(clGetExtensionFunctionAddressForPlatform(
        common::objects::platform(),
        name
    ));
    // SAFETY: this is the type that the draft has for the function.
    let call: Query = unsafe { std::mem::transmute(found) };
    let mut words = vec![[0u32; 8]; 4096];
    let mut size = 0;
    let (room, to) = (32 * words.len(), words.as_mut_ptr().cast());
    // SAFETY: there is room for as many bytes as stated.
    let code = unsafe {
        call(
            lab.setup.device,
            DEFAULT_VARIANTS,
            0,
            std::ptr::null(),
            room,
            to,
            &raw mut size,
        )
    };
    assert_eq!(code, 0);
    words.truncate(size / 32);
    let variant = |[m, n, k, a, b, c, result, saturates]: [u32; 8]| Variant {
        size: [m, n, k].map(|n| n as usize),
        types: [a, b, c, result].map(|n| Type(n as usize)),
        saturates: saturates == 1,
    };
    words.into_iter().map(variant).collect()
}

/// Returns the number of work-items of a sub-group of kernels that require no other: the last of
/// CL_DEVICE_SUB_GROUP_SIZES_INTEL.
fn sub_group(lab: &Lab) -> usize {
    let sizes = crate::query_bytes!(clGetDeviceInfo(lab.setup.device; 0x4108));
    let last = sizes.rchunks(size_of::<usize>()).next().expect("a size");
    usize::from_ne_bytes(last.try_into().expect("a whole number"))
}

/// Two work-groups of two sub-groups each compute four products. The kernel has the operands in memory by rows and by
/// columns, in global and in local memory.
const PRODUCTS: &str = "
#define MATRIX(rows, columns, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, rows, columns, use)))
typedef TA MATRIX(M, K, CLK_COOPERATIVE_MATRIX_A) a_t;
typedef TB MATRIX(K, N, CLK_COOPERATIVE_MATRIX_B) b_t;
typedef TC MATRIX(M, N, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) c_t;
enum { ROWS = CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, COLUMNS = CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR };
kernel void by_rows(global const TA *a, global const TB *b, global const TC *c, global TC *d) {
  int n = get_group_id(0) * get_num_sub_groups() + get_sub_group_id();
  a_t left = coop_mat_load(a + n * M * K, ROWS, K);
  b_t right = coop_mat_load(b + n * K * N, ROWS, N);
  c_t sum = coop_mat_load(c + n * M * N, ROWS, N);
  sum = coop_mat_mulAdd(left, right, sum, OPERANDS);
  coop_mat_store(d + n * M * N, sum, ROWS, N);
}
kernel void by_columns(global const TA *a, global const TB *b, global const TC *c, global TC *d) {
  int n = get_group_id(0) * get_num_sub_groups() + get_sub_group_id();
  local TA la[2 * M * K];
  local TB lb[2 * K * N];
  local TC lc[2 * M * N];
  int first = get_group_id(0) * get_num_sub_groups();
  for (int i = get_local_id(0); i < 2 * M * K; i += get_local_size(0)) la[i] = a[first * M * K + i];
  for (int i = get_local_id(0); i < 2 * K * N; i += get_local_size(0)) lb[i] = b[first * K * N + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  int g = get_sub_group_id();
  a_t left = coop_mat_load(la + g * M * K, COLUMNS, M);
  b_t right = coop_mat_load(lb + g * K * N, COLUMNS, K);
  c_t sum = coop_mat_load(c + n * M * N, COLUMNS, M);
  sum = coop_mat_mulAdd(left, right, sum, OPERANDS);
  coop_mat_store(lc + g * M * N, sum, COLUMNS, M);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < 2 * M * N; i += get_local_size(0)) d[first * M * N + i] = lc[i];
}
";

const COUNT: usize = 4;

/// Returns where row `r` and column `c` of a matrix of `rows` × `columns` are.
fn at(rows: usize, columns: usize, by_rows: bool) -> impl Fn(usize, usize) -> usize {
    move |r, c| if by_rows { r * columns + c } else { c * rows + r }
}

#[test]
fn products_of_all_types() {
    let Some(lab) = lab() else { return };
    let items = sub_group(&lab);
    let all = variants(&lab);
    assert!(!all.is_empty());
    for v in all {
        let ([m, n, k], [a, b, c, result]) = (v.size, v.types);
        // The result of OpenCL C's function has the type of the accumulator. The driver takes long to compile large emulated
        // products, of which there is one of floats and one of integers.
        let is_large = is_emulated()
            && m * n * k > 2048
            && !matches!([a.name(), c.name()], ["half", "float"] | ["char", "int"]);
        if result != c || is_large {
            continue;
        }
        let operands = match v.saturates {
            true => "CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION",
            false => "CLK_COOPERATIVE_MATRIX_OPERAND_NONE",
        };
        let options = format!(
            "-DM={m} -DN={n} -DK={k} -DTA={} -DTB={} -DTC={} -DOPERANDS={operands}",
            a.name(),
            b.name(),
            c.name()
        );
        let program = lab.setup.built(PRODUCTS, &options);
        let left = a.numbers(COUNT * m * k, 1);
        let right = b.numbers(COUNT * k * n, 2);
        let mut sum = c.numbers(COUNT * m * n, 3);
        if v.saturates {
            let (least, most) = c.range();
            let near = |(i, value): (usize, &mut f64)| match i % 3 {
                0 => *value = most - value.abs(),
                1 => *value = least + value.abs(),
                _ => {}
            };
            sum.iter_mut().enumerate().for_each(near);
        }
        for (kernel, by_rows) in [("by_rows", true), ("by_columns", false)] {
            let buffers = [a.encode_all(&left), b.encode_all(&right), c.encode_all(&sum)];
            let [in_a, in_b, in_c] = &buffers;
            let out = COUNT * m * n * c.size();
            let args = [Arg::In(in_a), Arg::In(in_b), Arg::In(in_c), Arg::Out(out)];
            let got = lab.run(program, kernel, COUNT * items, Some(2 * items), &args);
            let got = c.decode_all(&got[0]);
            let [of_a, of_b, of_c] = [at(m, k, by_rows), at(k, n, by_rows), at(m, n, by_rows)];
            for t in 0..COUNT {
                let (x, y) = (&left[t * m * k..], &right[t * k * n..]);
                for r in 0..m {
                    for o in 0..n {
                        let place = t * m * n + of_c(r, o);
                        let products: Vec<f64> = (0..k).map(|i| x[of_a(r, i)] * y[of_b(i, o)]).collect();
                        let mut exact = products.iter().sum::<f64>() + sum[place];
                        if v.saturates {
                            let (least, most) = c.range();
                            exact = exact.clamp(least, most);
                        }
                        let magnitude = products.iter().map(|p| p.abs()).sum::<f64>() + sum[place].abs();
                        // Devices may round after each addition.
                        let allowed = if c.name() == "half" {
                            magnitude * 2f64.powi(-10)
                        } else {
                            0.0
                        };
                        let error = (got[place] - exact).abs();
                        assert!(
                            error <= allowed,
                            "{v:?} {kernel}: {t} {r} {o}: {} instead of {exact}",
                            got[place]
                        );
                    }
                }
            }
        }
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}

/// One sub-group computes with accumulators of 16 × 16.
const COMPONENTS: &str = "
#define MATRIX __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, 16, 16, CLK_COOPERATIVE_MATRIX_ACCUMULATOR)))
typedef float MATRIX floats;
typedef int MATRIX ints;
typedef uint MATRIX uints;
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
floats half_of(floats m, float factor) { return m * factor; }
kernel void arithmetic(global const float *x, global const float *y, global float *out) {
  floats a = coop_mat_load(x, ROWS, 16), b = coop_mat_load(y, ROWS, 16);
  floats all[2] = {a, b};
  floats sum = a + all[1], two = coop_mat_init(2);
  coop_mat_store(out, sum, ROWS, 16);
  coop_mat_store(out + 256, a - b, ROWS, 16);
  coop_mat_store(out + 512, a * b, ROWS, 16);
  coop_mat_store(out + 768, -a / two, ROWS, 16);
  coop_mat_store(out + 1024, half_of(b, 0.5f), ROWS, 16);
  sum += a;
  sum *= 3;
  sum -= get_local_size(0) > 1000 ? a : 4 * b;
  coop_mat_store(out + 1280, sum, ROWS, 16);
}
kernel void conversions(global const float *x, global int *out, global float *floats_out, global uint *uints_out) {
  floats a = coop_mat_load(x, ROWS, 16);
  ints i = coop_mat_convert(a);
  coop_mat_store(out, i * 3 / (ints)coop_mat_init(2), ROWS, 16);
  floats back = coop_mat_convert(-i);
  coop_mat_store(floats_out, back, ROWS, 16);
  uints u = coop_mat_convert(i);
  coop_mat_store(uints_out, u, ROWS, 16);
}
kernel void components(global const float *x, global float *out, global int *lengths) {
  floats a = coop_mat_load(x, ROWS, 16);
  int length = coop_mat_length(a);
  for (int i = 0; i < length; i++)
    a = coop_mat_insert(a, coop_mat_extract(a, i) * 2 + 1, i);
  coop_mat_store(out, a, ROWS, 16);
  lengths[get_local_id(0)] = length;
}
kernel void arrays(global const float *x, global float *out, int first) {
  floats all[4];
  for (int i = 0; i < 4; i++) {
    floats one = coop_mat_load(x, ROWS, 16);
    all[i ^ first] = one * (float)i;
  }
  all[first] += all[(first + 1) % 4];
  all[3 - first] = coop_mat_insert(all[3 - first], 8, first % 2);
  for (int i = 0; i < 4; i++)
    coop_mat_store(out + 256 * i, all[i], ROWS, 16);
}
";

#[test]
fn components() {
    let Some(lab) = lab() else { return };
    let is_sum = |v: &Variant, name: &str| v.size[..2] == [16, 16] && v.types[2].name() == name;
    let all = variants(&lab);
    if !["float", "int", "uint"]
        .iter()
        .all(|name| all.iter().any(|v| is_sum(v, name)))
    {
        assert!(!is_emulated());
        return;
    }
    let items = sub_group(&lab);
    let program = lab.build(COMPONENTS);
    let (float, int, uint) = (Type(1), Type(5), Type(9));
    let (x, y) = (float.numbers(256, 4), float.numbers(256, 5));
    let [in_x, in_y] = [&x, &y].map(|v| float.encode_all(v));
    let run = |kernel: &str, args: &[Arg<'_>]| lab.run(program, kernel, items, Some(items), args);

    let got = run(
        "arithmetic",
        &[Arg::In(&in_x), Arg::In(&in_y), Arg::Out(6 * 1024)],
    );
    let got = float.decode_all(&got[0]);
    for i in 0..256 {
        let (a, b) = (x[i], y[i]);
        let expected = [
            a + b,
            a - b,
            a * b,
            -a / 2.0,
            b * 0.5,
            (a + b + a) * 3.0 - 4.0 * b,
        ];
        for (n, value) in expected.into_iter().enumerate() {
            assert_eq!(got[256 * n + i], value, "operation {n} of {a} and {b}");
        }
    }

    let got = run(
        "conversions",
        &[Arg::In(&in_x), Arg::Out(1024), Arg::Out(1024), Arg::Out(1024)],
    );
    let [ints, floats, uints] = [int, float, uint].map(|ty| {
        let n = [5, 1, 9].iter().position(|n| *n == ty.0).expect("one of them");
        ty.decode_all(&got[n])
    });
    for i in 0..256 {
        let whole = x[i].trunc();
        assert_eq!(ints[i], (whole * 3.0 / 2.0).trunc(), "{whole}");
        assert_eq!(floats[i], -whole + 0.0);
        assert_eq!(uints[i], f64::from(whole as i32 as u32));
    }

    let got = run(
        "components",
        &[Arg::In(&in_x), Arg::Out(1024), Arg::Out(4 * items)],
    );
    for (got, x) in float.decode_all(&got[0]).into_iter().zip(&x) {
        assert_eq!(got, x * 2.0 + 1.0);
    }
    let lengths = int.decode_all(&got[1]);
    assert_eq!(lengths.iter().sum::<f64>(), 256.0, "{lengths:?}");

    // The indices of the array are known only to the kernel.
    let first = 2_u32.to_ne_bytes();
    let got = run(
        "arrays",
        &[Arg::In(&in_x), Arg::Out(4 * 1024), Arg::Value(&first)],
    );
    let got = float.decode_all(&got[0]);
    let is_inserted = |i: usize| got[256 + i] == 8.0;
    assert_eq!((0..256).filter(|i| is_inserted(*i)).count(), items);
    for i in 0..256 {
        // Elements 0 to 3 are 2, 3, 0 and 1 times x, before the third has the fourth added.
        let expected = [2.0, 3.0, 1.0, 1.0].map(|factor| x[i] * factor);
        for (n, value) in expected.into_iter().enumerate() {
            if n != 1 || !is_inserted(i) {
                assert_eq!(got[256 * n + i], value, "element {n} of the array");
            }
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// The example of a product of large matrices.
#[test]
fn gemm() {
    let Some(lab) = lab() else { return };
    if !variants(&lab).contains(&HALF_TO_FLOAT) {
        assert!(!is_emulated());
        return;
    }
    let program = lab.build(include_str!("matrices/gemm.cl"));
    let (half, float, items, n) = (Type(0), Type(1), sub_group(&lab), 96);
    let (a, b) = (half.numbers(n * n, 6), half.numbers(n * n, 7));
    let [in_a, in_b] = [&a, &b].map(|v| half.encode_all(v));
    let global = (n / 32) * (n / 32) * items;
    let size = (n as u32).to_ne_bytes();
    let args = [
        Arg::In(&in_a),
        Arg::In(&in_b),
        Arg::Out(4 * n * n),
        Arg::Value(&size),
    ];
    let got = float.decode_all(&lab.run(program, "gemm", global, Some(items), &args)[0]);
    for r in 0..n {
        for c in 0..n {
            let exact: f64 = (0..n).map(|k| a[r * n + k] * b[k * n + c]).sum();
            assert_eq!(got[r * n + c], exact, "{r} {c}");
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// The example of attention.
#[test]
fn attention() {
    const QUERIES: usize = 32;
    const KEYS: usize = 64;
    // The driver takes long to compile emulated products.
    let depth = if is_emulated() { 16 } else { 64 };
    let Some(lab) = lab() else { return };
    if !variants(&lab).contains(&HALF_TO_FLOAT) {
        assert!(!is_emulated());
        return;
    }
    let program = lab
        .setup
        .built(include_str!("matrices/attention.cl"), &format!("-DDEPTH={depth}"));
    let (half, float, items) = (Type(0), Type(1), sub_group(&lab));
    let queries = half.numbers(QUERIES * depth, 8);
    let [keys, values] = [9, 10].map(|seed| half.numbers(KEYS * depth, seed));
    let [in_q, in_k, in_v] = [&queries, &keys, &values].map(|v| half.encode_all(v));
    let count = (KEYS as u32).to_ne_bytes();
    let args = [
        Arg::In(&in_q),
        Arg::In(&in_k),
        Arg::In(&in_v),
        Arg::Out(4 * QUERIES * depth),
        Arg::Value(&count),
    ];
    let got = lab.run(program, "attention", QUERIES / 16 * items, Some(items), &args);
    let got = float.decode_all(&got[0]);
    for q in 0..QUERIES {
        let product = |k: usize| -> f64 {
            let terms = (0..depth).map(|d| queries[q * depth + d] * keys[k * depth + d]);
            terms.sum::<f64>() / (depth as f64).sqrt()
        };
        let products: Vec<f64> = (0..KEYS).map(product).collect();
        let most = products.iter().copied().fold(f64::MIN, f64::max);
        let weights: Vec<f64> = products.iter().map(|p| (p - most).exp()).collect();
        let total: f64 = weights.iter().sum();
        for d in 0..depth {
            let terms = (0..KEYS).map(|k| weights[k] * values[k * depth + d]);
            let exact = terms.sum::<f64>() / total;
            // The weights are rounded to halves, and no value is above 3.5.
            let error = (got[q * depth + d] - exact).abs();
            assert!(
                error <= 3.5 * 2f64.powi(-11),
                "{q} {d}: {} instead of {exact}",
                got[q * depth + d]
            );
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
