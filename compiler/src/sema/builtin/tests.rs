//! Tests the resolution of calls in HIR, and the analysis of the whole library.

use crate::builtins::signature::{Concrete, Instance, PointeeConcrete};
use crate::builtins::{Access, table};
use crate::diag::Diags;
use crate::hir::ty::ImageDim;
use crate::hir::{Scalar, Space};
use crate::options::{ClStd, Options};
use crate::source::SourceMap;
use crate::target::Target;
use crate::{hir, pp, syntax};

/// Returns a program of a version of OpenCL C, or the build log.
fn compile_as(std: ClStd, source: &str) -> Result<hir::Program, String> {
    compile_for(&Target::desktop().latest(), std, source)
}

fn compile_for(target: &Target, std: ClStd, source: &str) -> Result<hir::Program, String> {
    let mut map = SourceMap::default();
    let mut diags = Diags::default();
    let options = Options {
        std,
        ..Options::default()
    };
    let file = map.add("t.cl", source);
    let tokens = pp::preprocess(&mut map, file, &options, target, &pp::NoIncludes, &mut diags);
    let unit = syntax::parse(&tokens, std, &map, &mut diags);
    let program = crate::sema::analyze(&unit, &mut map, &options, target, &mut diags);
    if diags.is_empty() {
        Ok(program)
    } else {
        Err(diags.render(&map))
    }
}

/// Returns parameters: an image of each type with both accesses, and a sampler.
fn image_params() -> String {
    let mut text = String::new();
    for dim in ImageDim::ALL {
        let name = dim.name();
        text += &format!(", read_only {name} r_{name}, write_only {name} w_{name}");
    }
    text + ", sampler_t smp"
}

/// Compiles the body of a kernel with a few variables.
fn body(text: &str) -> Result<hir::Program, String> {
    body_as(ClStd::Cl12, text)
}

fn body_as(std: ClStd, text: &str) -> Result<hir::Program, String> {
    let images = image_params();
    let source = format!(
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\
         __kernel void k(__global float *gf, __global int *gi, __global half *gh, __local float *lf, float f, \
         float4 f4, double d, int i, uint u, int4 i4, uint4 u4, uchar c, char8 c8, long l{images}) {{ {text} }}"
    );
    compile_as(std, &source)
}

fn library_functions(p: &hir::Program) -> Vec<&str> {
    let mut names: Vec<&str> = p
        .functions
        .iter()
        .filter(|(_, f)| f.is_library)
        .map(|(_, f)| f.name.as_str())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn calls_that_resolve() {
    for text in [
        "gf[0] = sin(f); gf[1] = fmax(f4, 2.0f).x; gf[2] = fmax(f, 0);",
        "f4 = sin(f4); f4 = clamp(f4, 0.0f, 1.0f); f4 = mix(f4, f4, 0.5f);",
        "gi[0] = max(i, 3); u = max(u, 3u); c = abs_diff(c, (uchar)3);",
        "f4 = vload4(i, gf); vstore4(f4, 0, gf); vstore3(f4.xyz, u, lf); f4 = vload_half4(0, gh); vstore_half(f, 1, gh);",
        "vstorea_half3_rtz(f4.xyz, 1, gh); vstore_half_rtp(d, 2, gh);",
        "i4 = convert_int4_sat_rte(f4); c8 = convert_char8(c8); f = as_float(i); f4 = as_float4(i4); c = convert_uchar_sat(i);",
        "d = convert_double(l); f = convert_float_rtz(l); gi[0] = convert_int_sat(d);",
        "i4 = isless(f4, f4); i = isnan(f); i = any(i4); f4 = select(f4, f4, i4); f = select(f, f, u);",
        "i = atomic_add(gi, 3); atomic_inc(gi); f = atomic_xchg(gf, 1.0f); i = atomic_cmpxchg(gi, 1, 2);",
        "barrier(CLK_LOCAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE);",
        "event_t e = async_work_group_copy(lf, gf, 10, 0); wait_group_events(1, &e); prefetch(gf, 4);",
        "i = get_global_id(0) + get_work_dim();",
        "float w; int e; f = fract(f, &w); f = frexp(f, &e); f = modf(f, lf); f = remquo(f, f, gi); f4 = sincos(f4, &f4);",
        "f4 = shuffle(f4, u4); f4 = shuffle2(f4, f4, (uint4)(0, 5, 2, 7)); float2 g = shuffle(f4, (uint2)(3, 0));",
        "printf(\"%d %s %v4f\\n\", i, \"x\", f4);",
        "l = upsample(i, u); u = upsample((ushort)1, (ushort)2); f = ldexp(f, 3); f4 = ldexp(f4, 3); f4 = ldexp(f4, i4);",
        "f = dot(f4, f4); f4 = cross(f4, f4); f = length(f4.xy); f4 = normalize(f4); f = nan(u); f4 = pown(f4, i4);",
    ] {
        if let Err(log) = body(text) {
            panic!("{text}\n{log}");
        }
    }
}

#[test]
fn calls_that_do_not() {
    for (text, message) in [
        ("f = sin(i);", "call to 'sin' is ambiguous"),
        ("f = max(f, i);", "call to 'max' is ambiguous"),
        ("f = fmax(f);", "no matching function for call to 'fmax'"),
        ("f4 = sin(f4, f4);", "no matching function for call to 'sin'"),
        (
            "i = atomic_add(gf, 1);",
            "no matching function for call to 'atomic_add'",
        ),
        ("f = as_float(d);", "must match"),
        (
            "f4 = convert_float4(c8);",
            "no matching function for call to 'convert_float4'",
        ),
        ("f4 = vload4(0, i);", "no matching function for call to 'vload4'"),
        ("f = __caldera_exp2(f);", "__caldera_exp2"),
        (
            "f4 = shuffle(f4, i4);",
            "no matching function for call to 'shuffle'",
        ),
    ] {
        let log = body(text).expect_err(text);
        assert!(log.contains(message), "{text}\n{log}");
    }
}

#[test]
fn a_call_brings_only_what_it_needs() {
    let p = body("gf[0] = fabs(f) + floor(f) + fmin(f, 1.0f) + as_float(i);").unwrap();
    assert!(library_functions(&p).is_empty());
    let p = body("gf[0] = exp(f);").unwrap();
    assert_eq!(
        library_functions(&p),
        [
            "__c_exp_fast_f",
            "__c_exp_fp<float>",
            "__c_exp_shift_plain_fp<float>",
            "__c_exp_small_fp<float>",
            "__c_scale_fp<float>",
            "__p_exp_f",
            "exp_f"
        ]
    );
}

/// Returns a value of a parameter's type, and the declaration of a local variable if the value is a pointer
/// to it.
fn argument(c: Concrete, n: usize) -> (String, String) {
    let name = |s: Scalar, lanes: u8| match lanes {
        1 => s.name().to_string(),
        _ => format!("{}{lanes}", s.name()),
    };
    match c {
        Concrete::Void => (String::new(), String::new()),
        Concrete::Arith(s, lanes) => (String::new(), format!("({})1", name(s, lanes))),
        Concrete::Image(dim, write) => {
            let access = if write { "w" } else { "r" };
            (String::new(), format!("{access}_{}", dim.name()))
        }
        Concrete::Sampler => (String::new(), "smp".to_string()),
        Concrete::Event => (format!("event_t e{n};"), format!("e{n}")),
        Concrete::Ptr(PointeeConcrete::Event, ..) => (format!("event_t e{n};"), format!("&e{n}")),
        Concrete::Ptr(PointeeConcrete::Arith(s, lanes), space, access) => {
            let ty = name(s, lanes);
            let space = match space {
                Space::Private => "__private",
                Space::Local => "__local",
                Space::Global => "__global",
                Space::Constant => "__constant",
                Space::Generic => "__generic",
            };
            let qual = if access == Access::Read { "const " } else { "" };
            (String::new(), format!("({space} {qual}{ty} *)0"))
        }
    }
}

/// Calls every function of the table for every scalar type and 1, 3, 4 and 16 lanes: the library must have no
/// errors.
#[test]
fn the_whole_library_compiles() {
    let mut failures = String::new();
    for row in table::rows().filter(|r| !r.name.starts_with(table::INTERNAL_PREFIX)) {
        let (mut text, mut with_generic) = (String::new(), String::new());
        for inst in row.sigs.iter().flat_map(Instance::all) {
            if inst.lanes > 4 && !row.sigs.is_empty() && inst.lanes != 16 || inst.lanes == 2 {
                continue;
            }
            let (mut decls, mut args) = (String::new(), Vec::new());
            for (n, &p) in inst.sig.params.iter().enumerate() {
                let (decl, arg) = argument(inst.concrete(p), n);
                decls += &decl;
                args.push(arg);
            }
            let text = if inst.space == Space::Generic {
                &mut with_generic
            } else {
                &mut text
            };
            *text += &format!("{{ {decls} {}({}); }}\n", row.name, args.join(", "));
        }
        let std = match table::is_later(row.name) {
            true => ClStd::Cl31,
            false => ClStd::Cl12,
        };
        for (std, text) in [(std, text), (ClStd::Cl31, with_generic)] {
            let Err(log) = body_as(std, &text) else {
                continue;
            };
            let head: String = log.lines().take(12).collect::<Vec<_>>().join("\n");
            failures += &format!("{}\n{head}\n", row.name);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// A call that needs a feature of OpenCL C 3.0 which the device lacks is an error that names the feature.
#[test]
fn missing_features_are_named() {
    let log = |text: &str, missing: &str| {
        let mut target = Target::desktop().latest();
        target.c_features.retain(|f| f != missing);
        let source =
            format!("kernel void k(global atomic_int *a, local atomic_int *l) {{ int e = 0; {text} }}");
        compile_for(&target, ClStd::Cl30, &source).err()
    };
    let seq_cst = "__opencl_c_atomic_order_seq_cst";
    let acq_rel = "__opencl_c_atomic_order_acq_rel";
    let device = "__opencl_c_atomic_scope_device";
    let all = "__opencl_c_atomic_scope_all_devices";
    let collective = "__opencl_c_work_group_collective_functions";
    for (text, missing) in [
        ("atomic_fetch_add(a, 1);", seq_cst),
        ("atomic_fetch_add(a, 1);", device),
        (
            "atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group);",
            acq_rel,
        ),
        ("atomic_store_explicit(l, 1, memory_order_relaxed);", device),
        (
            "atomic_store_explicit(l, 1, memory_order_relaxed, memory_scope_all_devices);",
            all,
        ),
        (
            "atomic_work_item_fence(1, memory_order_seq_cst, memory_scope_work_group);",
            seq_cst,
        ),
        (
            "work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);",
            device,
        ),
        ("work_group_reduce_add(1);", collective),
    ] {
        assert_eq!(log(text, ""), None, "{text}");
        let found = log(text, missing).unwrap_or_default();
        assert!(
            found.contains(&format!("requires {missing}, which the device does not have")),
            "{text}\n{found}"
        );
    }
    // What every device has.
    for text in [
        "atomic_init(a, 1);",
        "atomic_fetch_add_explicit(l, 1, memory_order_relaxed, memory_scope_work_group);",
        "atomic_work_item_fence(3, memory_order_acq_rel, memory_scope_work_group);",
        "work_group_barrier(CLK_LOCAL_MEM_FENCE);",
        "work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);",
    ] {
        for missing in [seq_cst, acq_rel, device, all, collective] {
            assert_eq!(log(text, missing), None, "{text}");
        }
    }
    // Wrong arguments.
    for text in [
        "atomic_fetch_add(1, 1);",
        "atomic_load(a, 1);",
        "atomic_flag_clear((global atomic_uint *)a);",
        "atomic_fetch_or((global atomic_float *)a, 1.0f);",
        "atomic_store((const global atomic_int *)a, 1);",
        "atomic_compare_exchange_strong(a, (uint *)&e, 1);",
        "atomic_load_explicit(a);",
    ] {
        assert!(log(text, "").is_some(), "{text}");
    }
    // Private memory is accessed by a generic pointer.
    let text = "atomic_fetch_add(&e, 1); atomic_compare_exchange_strong(a, to_private(&e), 1);";
    assert_eq!(log(text, ""), None);
    assert!(log(text, "__opencl_c_generic_address_space").is_some());
}

/// Calls all conversions between scalar types, with all suffixes.
#[test]
fn every_conversion_compiles() {
    let types = [
        "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double",
    ];
    for to in types {
        let mut text = String::new();
        for from in types {
            for sat in ["", "_sat"] {
                if sat == "_sat" && ["half", "float", "double"].contains(&to) {
                    continue;
                }
                for mode in ["", "_rte", "_rtz", "_rtp", "_rtn"] {
                    text += &format!(
                        "convert_{to}{sat}{mode}(({from})1); convert_{to}4{sat}{mode}(({from}4)1);\n"
                    );
                }
            }
        }
        if let Err(log) = body(&text) {
            let head: String = log.lines().take(20).collect::<Vec<_>>().join("\n");
            panic!("{to}\n{head}");
        }
    }
}
