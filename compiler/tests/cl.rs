//! Compiles the kernels of `tests/cl` to SPIR-V for the oldest and the newest version. They must compile with
//! an empty log, every module must be valid, and its reflection must name kernels of the source.

mod common;

use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_compiler::clspv::Clspv;
use caldera_compiler::driver::{Input, compile, compile_object, link};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::spirv::Divisible;
use caldera_compiler::target::{Calibration, SpirvVersion, Target};
use caldera_compiler::{Object, reflect};
use rspirv::spirv::{Op, StorageClass};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(dir).expect("the directory exists");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("it can be read").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "cl") {
            out.push(path);
        }
    }
}

/// Returns the names and texts of the files in `tests/cl`.
fn sources_of_tests() -> Vec<(String, String)> {
    let mut files = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cl"),
        &mut files,
    );
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        (file.display().to_string(), text)
    };
    files.into_iter().map(read).collect()
}

/// Kernels with images are also compiled for drivers with faults, for which images are lowered in another
/// way. All kernels but those of sub-groups are also compiled for a device without 8-bit and 16-bit integers, and for one without
/// 64-bit integers, unless they have atomic operations on these.
fn targets(name: &str, source: &str) -> Vec<Target> {
    let [old, new] = [3, 6].map(|minor| Target {
        spirv: SpirvVersion { major: 1, minor },
        ..Target::desktop()
    });
    let mut list = vec![old, new];
    if !name.contains("subgroup") {
        let mut words = Target::desktop();
        (words.features.int8, words.features.int16) = (false, false);
        list.push(words);
        if !["atom_", "atomic_long", "atomic_ulong", "clock_read"]
            .iter()
            .any(|s| source.contains(s))
        {
            let mut pairs = Target::desktop();
            pairs.features.int64 = false;
            list.push(pairs);
        }
    }
    if name.starts_with("images") {
        list.push(Target::faulty());
    }
    list
}

/// Returns whether a module declares the capability of 64-bit integers.
fn has_int64(words: &[u32]) -> bool {
    const CAPABILITY: u32 = 2 << 16 | 17;
    words.windows(2).any(|pair| pair == [CAPABILITY, 11])
}

fn options(source: &str) -> Options {
    let first = source.lines().next().unwrap_or("");
    Options::parse(first.strip_prefix("// options:").unwrap_or("")).expect("the file's options are good")
}

#[test]
fn kernels_compile_to_valid_modules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cl");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 15, "the kernels are there");
    for path in files {
        let name = path
            .strip_prefix(&root)
            .expect("below the root")
            .display()
            .to_string();
        let source = std::fs::read_to_string(&path).expect("it can be read");
        let options = options(&source);
        let input = Input {
            name: &name,
            source: &source,
            options: &options,
            resolver: &NoIncludes,
        };
        for target in targets(&name, &source) {
            let direct = compile(&input, &target).unwrap_or_else(|f| panic!("{name}:\n{}", f.log));
            assert_eq!(direct.log, "", "{name}");
            common::validate(&direct.words, target.spirv);
            assert!(target.features.int64 || !has_int64(&direct.words), "{name}");
            let reflection = reflect::read(&direct.words).unwrap_or_else(|e| panic!("{name}: {e}"));
            for kernel in &reflection.kernels {
                assert!(source.contains(&kernel.name), "{name}: kernel {}", kernel.name);
            }
            assert!(!reflection.kernels.is_empty(), "{name}");
            let stripped = reflect::strip(&direct.words).expect("it is well-formed");
            let divisible = Divisible::new(stripped).unwrap_or_else(|_| panic!("{name} cannot be divided"));
            for kernel in &reflection.kernels {
                let part = divisible.kernel(&kernel.name).expect("the kernel is there");
                common::validate(&part, target.spirv);
            }
        }
    }
}

#[test]
fn objects_survive_their_text_form() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cl");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let target = Target::desktop();
    for path in files {
        let name = path.display().to_string();
        let source = std::fs::read_to_string(&path).expect("it can be read");
        let options = options(&source);
        let input = Input {
            name: &name,
            source: &source,
            options: &options,
            resolver: &NoIncludes,
        };
        let object = compile_object(&input, &target).unwrap_or_else(|f| panic!("{name}:\n{}", f.log));
        let text = object.to_text();
        let back = Object::from_text(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(back.to_text(), text, "{name}");
        let linked = link(&[&back], &options, &target).unwrap_or_else(|f| panic!("{name}:\n{}", f.log));
        common::validate(&linked.words, target.spirv);
    }
}

/// Only the passes know what a device's arithmetic is like, and which faults its driver has.
#[test]
fn objects_are_the_same_for_all_devices() {
    let calibration = Calibration {
        fused_fma: [true; 3],
        exp2: true,
        rsqrt: true,
        flushing_fma: true,
        rounded_divide_sqrt: true,
        rounded_sqrt: false,
    };
    let other = Target {
        calibration,
        ..Target::faulty()
    };
    let mut plain = Target::desktop();
    plain.features.fast_fma = false;
    plain.calibration.rounded_divide_sqrt = true;
    plain.calibration.rounded_sqrt = true;
    let calls = |ty: &str| {
        let functions = [
            "exp(x)",
            "pow(x, x)",
            "tan(x)",
            "atan2(x, x)",
            "fma(x, x, x)",
            "mad(x, x, x)",
            "sqrt(x)",
            "rsqrt(x)",
            "fmod(x, x)",
            "cbrt(x)",
            "x / (x + 1)",
            "1 / x",
        ];
        let uses = functions.map(|f| format!("*p += {f};")).concat();
        format!("kernel void of_{ty}(global {ty} *p) {{ {ty} x = *p; {uses} x /= *p; *p /= x; }}\n")
    };
    let source = format!(
        "{}{}{}kernel void k(global float *p) {{ *p = native_divide(*p, 3.0f) + half_recip(*p++); }}\n\
         #pragma OPENCL FP_CONTRACT OFF\n\
         kernel void separate(global float *p) {{ *p = *p * p[1] - *p; }}",
        calls("float4"),
        calls("double"),
        calls("half2")
    );
    for options in [
        "",
        "-cl-fast-relaxed-math",
        "-cl-fp32-correctly-rounded-divide-sqrt",
    ] {
        let text = |target: &Target| {
            let input = Input {
                name: "a.cl",
                source: &source,
                options: &Options::parse(options).expect("options"),
                resolver: &NoIncludes,
            };
            let object = compile_object(&input, target).unwrap_or_else(|f| panic!("{}", f.log));
            let linked = link(&[&object], input.options, target).unwrap_or_else(|f| panic!("{}", f.log));
            (object.to_text(), linked.words)
        };
        let ((a, for_a), (b, for_b)) = (text(&plain), text(&other));
        assert!(a == b, "{options}: the objects differ");
        assert_ne!(for_a, for_b, "{options}: the forms differ");
    }
}

fn object(source: &str) -> Object {
    let input = Input {
        name: "unit.cl",
        source,
        options: &Options::default(),
        resolver: &NoIncludes,
    };
    compile_object(&input, &Target::desktop()).unwrap_or_else(|f| panic!("{}", f.log))
}

/// C99 6.7p7: an object with linkage may be declared with an incomplete type.
#[test]
fn extern_declarations_may_be_incomplete() {
    object("extern constant struct bar bart;\n");
    object("extern constant float foo; extern constant int list[]; extern int baz(int, int);\n");
}

#[test]
fn declared_variables_are_found_in_other_objects() {
    let a = object("extern constant int table[]; kernel void k(global int* p) { p[0] = table[p[1]]; }");
    let b = object("constant int table[3] = { 1, 2, 3 }; kernel void l(global int* p) { *p = table[*p]; }");
    let options = Options::default();
    let target = Target::desktop();
    let linked = link(&[&a, &b], &options, &target).unwrap_or_else(|f| panic!("{}", f.log));
    common::validate(&linked.words, target.spirv);
    let missing = link(&[&a], &options, &target).expect_err("nothing defines the variable");
    assert!(
        missing.log.contains("undefined reference to 'table'"),
        "{}",
        missing.log
    );
    assert!(!missing.internal);
}

#[test]
fn declared_functions_are_found_in_other_objects() {
    let a = object("int twice(int x); kernel void k(global int* p) { *p = twice(*p); }");
    let b = object("int twice(int x) { return 2 * x; }");
    let options = Options::default();
    let target = Target::desktop();
    let linked = link(&[&a, &b], &options, &target).unwrap_or_else(|f| panic!("{}", f.log));
    common::validate(&linked.words, target.spirv);

    let missing = link(&[&a], &options, &target).expect_err("nothing defines the function");
    assert!(
        missing.log.contains("undefined reference to 'twice'"),
        "{}",
        missing.log
    );
    assert!(!missing.internal);

    let c = object("float twice(float x) { return 2 * x; }");
    let wrong = link(&[&a, &c], &options, &target).expect_err("other types");
    assert!(wrong.log.contains("twice"), "{}", wrong.log);
    let twice = link(&[&a, &a, &b], &options, &target).expect_err("one kernel, two definitions");
    assert!(
        twice
            .log
            .contains("kernel 'k' is defined in more than one object"),
        "{}",
        twice.log
    );
}

/// Compiles a file with `-spv-version` for one of the ABIs and validates the module, unless that ABI cannot
/// express the file.
fn valid_for_every_vulkan(path: &Path, mut target: Target, minor: u8) {
    let name = path.display().to_string();
    let source = std::fs::read_to_string(path).expect("it can be read");
    let options = options(&source);
    let input = Input {
        name: &name,
        source: &source,
        options: &options,
        resolver: &NoIncludes,
    };
    let mut clspv = Clspv::default();
    for word in [&format!("-spv-version=1.{minor}"), "-enable-printf"] {
        assert_eq!(clspv.accept(word, &mut || None), Ok(true));
    }
    clspv.apply(&mut target).expect("they agree");
    match compile(&input, &target) {
        Ok(compiled) => {
            assert_eq!(compiled.words[1], 0x10000 | u32::from(minor) << 8);
            common::validate_everywhere(&compiled.words, target.spirv);
        }
        Err(e) => assert!(
            e.log.contains("the descriptor ABI cannot express it"),
            "{name} 1.{minor}\n{}",
            e.log
        ),
    }
}

/// Compiles each file with three of `-spv-version` 1.0 to 1.6, in both ABIs. The modules must be valid for
/// every Vulkan version that supports the SPIR-V version.
#[test]
fn every_version_is_valid_for_every_vulkan() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cl");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let cases: Vec<(usize, &PathBuf)> = files.iter().enumerate().collect();
    std::thread::scope(|scope| {
        for part in cases.chunks(cases.len().div_ceil(4)) {
            scope.spawn(move || {
                for (i, path) in part {
                    for minor in [0, [3, 4, 5][i % 3], 6] {
                        valid_for_every_vulkan(path, Target::desktop(), minor);
                        valid_for_every_vulkan(path, Target::clspv(), minor);
                    }
                }
            });
        }
    });
}

#[test]
fn warnings_become_errors_only_when_asked() {
    let source = "kernel void k(global int* p) { int unused; *p = 1; }\n#warning careful\n";
    let compiled = |text: &str| {
        let options = Options::parse(text).expect("good options");
        let input = Input {
            name: "w.cl",
            source,
            options: &options,
            resolver: &NoIncludes,
        };
        compile(&input, &Target::desktop())
    };
    assert!(
        compiled("")
            .expect("a warning is no error")
            .log
            .contains("careful")
    );
    assert_eq!(compiled("-w").expect("silent").log, "");
    assert!(compiled("-Werror").is_err());
}

#[test]
fn kernels_compile_for_the_descriptor_abi() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cl");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut refused = Vec::new();
    for path in files {
        let name = path
            .strip_prefix(&root)
            .expect("below the root")
            .display()
            .to_string();
        let source = std::fs::read_to_string(&path).expect("it can be read");
        let options = options(&source);
        let input = Input {
            name: &name,
            source: &source,
            options: &options,
            resolver: &NoIncludes,
        };
        let runtime = Target {
            abi: Abi::Descriptor(DescriptorAbi::runtime()),
            ..Target::desktop()
        };
        for target in [Target::clspv(), runtime] {
            match compile(&input, &target) {
                Ok(compiled) => common::validate(&compiled.words, target.spirv),
                Err(e) => {
                    assert!(
                        e.log.contains("the descriptor ABI cannot express it"),
                        "{name}\n{}",
                        e.log
                    );
                    refused.push(name.clone());
                }
            }
        }
    }
    refused.dedup();
    // These files use null pointers as arguments or addresses in constant memory; printf needs its option.
    let expected = [
        "language/operators.cl",
        "language/spaces.cl",
        "memory/constant_tables.cl",
        "style/mixture.cl",
    ];
    refused.retain(|name| !name.contains("printf"));
    assert_eq!(refused, expected);
}

/// Neighbouring accesses become vector accesses only if buffers have the alignment of these.
#[test]
fn accesses_rely_on_the_alignment_of_buffers() {
    let source = "kernel void k(global const int *a, global int *b) {
        int i = 4 * get_global_id(0);
        b[i] = a[i] * 2;
        b[i + 1] = a[i + 1] * 3;
        b[i + 2] = a[i + 2] * 5;
        b[i + 3] = a[i + 3] * 7;
    }";
    let options = Options::parse("").expect("options");
    let input = Input {
        name: "a.cl",
        source,
        options: &options,
        resolver: &NoIncludes,
    };
    for (aligned_buffers, expected) in [(true, 16), (false, 4)] {
        let target = Target {
            aligned_buffers,
            ..Target::desktop()
        };
        let compiled = compile(&input, &target).unwrap_or_else(|e| panic!("{}", e.log));
        common::validate(&compiled.words, target.spirv);
        let words = caldera_compiler::reflect::strip(&compiled.words).expect("a module");
        let module = rspirv::dr::load_words(&words).expect("a module");
        let alignments = module.all_inst_iter().flat_map(|inst| {
            let pairs = inst.operands.windows(2).filter_map(|pair| match pair {
                [
                    rspirv::dr::Operand::MemoryAccess(_),
                    rspirv::dr::Operand::LiteralBit32(align),
                ] => Some(*align),
                _ => None,
            });
            pairs.collect::<Vec<u32>>()
        });
        assert_eq!(alignments.max(), Some(expected), "{aligned_buffers}");
    }
}

/// Returns the size of each type of numbers in a module, by its id.
fn sizes(module: &rspirv::dr::Module) -> HashMap<u32, u32> {
    let mut sizes = HashMap::new();
    for inst in &module.types_global_values {
        let word = |n: usize| match inst.operands.get(n) {
            Some(rspirv::dr::Operand::LiteralBit32(word) | rspirv::dr::Operand::IdRef(word)) => *word,
            _ => 0,
        };
        let bytes = match inst.class.opcode {
            Op::TypeInt | Op::TypeFloat => word(0) / 8,
            Op::TypeVector => sizes.get(&word(0)).copied().unwrap_or(0) * word(1),
            _ => continue,
        };
        sizes.insert(inst.result_id.expect("a type has an id"), bytes);
    }
    sizes
}

/// Checks that no access by device address moves more than 16 bytes or states a greater alignment. Returns the number of accesses.
fn accesses_of_16_bytes(name: &str, words: &[u32]) -> usize {
    let words = reflect::strip(words).expect("a module");
    let module = rspirv::dr::load_words(&words).expect("a module");
    let sizes = sizes(&module);
    let mut pointees = HashMap::new();
    for inst in &module.types_global_values {
        if let (
            Op::TypePointer,
            Some(id),
            [
                rspirv::dr::Operand::StorageClass(StorageClass::PhysicalStorageBuffer),
                rspirv::dr::Operand::IdRef(pointee),
            ],
        ) = (inst.class.opcode, inst.result_id, &inst.operands[..])
        {
            pointees.insert(id, *pointee);
        }
    }
    let (mut pointers, mut count) = (HashMap::new(), 0);
    for inst in module.all_inst_iter() {
        if let (Some(id), Some(pointee)) = (inst.result_id, inst.result_type.and_then(|ty| pointees.get(&ty)))
        {
            pointers.insert(id, *pointee);
        }
        let pointer = match (inst.class.opcode, inst.operands.first()) {
            (Op::Load | Op::Store, Some(rspirv::dr::Operand::IdRef(pointer))) => pointer,
            _ => continue,
        };
        let Some(pointee) = pointers.get(pointer) else {
            continue;
        };
        count += 1;
        let bytes = sizes.get(pointee).copied().unwrap_or(u32::MAX);
        assert!(bytes <= 16, "{name}: an access of {bytes} bytes");
        for pair in inst.operands.windows(2) {
            if let [
                rspirv::dr::Operand::MemoryAccess(_),
                rspirv::dr::Operand::LiteralBit32(align),
            ] = pair
            {
                assert!(*align <= 16, "{name}: an alignment of {align} bytes");
            }
        }
    }
    count
}

/// A fault of NVIDIA's driver that tests on other drivers cannot show: kernels with wider accesses never end.
#[test]
fn accesses_are_divided_where_wide_ones_are_a_fault() {
    let mut target = Target::desktop();
    target.quirks.wide_accesses = true;
    let mut wide = Target::faulty();
    assert!(wide.quirks.wide_accesses);
    // llvmpipe's costs give pairs of words, which NVIDIA's driver never gets.
    wide.costs = target.costs;
    let source = "typedef struct { long4 a; double3 b; long16 c; } S;
        kernel void k(global S *p, global const long8 *q, global double4 *r, global const ulong *s, local S *t, int i) {
            S x = p[i];
            x.c += (long16)(q[i], q[i + 1]).s0123cdef89ab4567;
            p[i + 1] = x;
            t[i] = p[i + 2];
            barrier(CLK_LOCAL_MEM_FENCE);
            p[i + 3] = t[i + 1];
            r[i] = r[convert_uint4(q[i].lo).s1] + (double4)(vload3(i, (global double *)r), 1.0);
            vstore4(vload4(i, s), i, (global ulong *)r + 1);
            event_t e = async_work_group_copy((local long4 *)t, (global const long4 *)q, 8, 0);
            wait_group_events(1, &e);
            r[i + 4] = convert_double4(((local long4 *)t)[i]);
        }";
    let options = Options::parse("").expect("the options are good");
    for target in [target, wide] {
        let mut all = 0;
        for (name, source) in sources_of_tests()
            .iter()
            .map(|(n, s)| (&n[..], &s[..]))
            .chain([("wide.cl", source)])
        {
            let input = Input {
                name,
                source,
                options: &options,
                resolver: &NoIncludes,
            };
            match compile(&input, &target) {
                Ok(compiled) => all += accesses_of_16_bytes(name, &compiled.words),
                Err(e) => assert_ne!(name, "wide.cl", "{}", e.log),
            }
        }
        assert!(all > 1000, "{all} accesses");
    }
}

/// Images that a kernel reads and writes, on devices that need the format and on others.
#[test]
fn read_write_images() {
    let source =
        "kernel void k(read_write image2d_t a, read_write image1d_buffer_t b, write_only image3d_t c) {
        int i = get_global_id(0);
        float4 x = read_imagef(a, (int2)(i, 0)) + get_image_width(a);
        write_imagef(a, (int2)(i, 1), x);
        work_group_barrier(CLK_IMAGE_MEM_FENCE);
        write_imagei(b, i, read_imagei(b, i + 1) + convert_int4(read_imageui(b, i)));
        write_imagef(c, (int4)(i), x);
    }";
    let options = Options::parse("-cl-std=CL3.0").expect("the options are good");
    let input = Input {
        name: "k.cl",
        source,
        options: &options,
        resolver: &NoIncludes,
    };
    for reads_any_format in [false, true] {
        for memory_model in [false, true] {
            let mut target = Target::desktop().latest();
            target.features.reads_any_format = reads_any_format;
            target.features.vulkan_memory_model = memory_model;
            target.features.vulkan_memory_model_device_scope = memory_model;
            let direct = compile(&input, &target).unwrap_or_else(|f| panic!("{}", f.log));
            common::validate(&direct.words, target.spirv);
            let stripped = reflect::strip(&direct.words).expect("it is well-formed");
            assert_eq!(caldera_compiler::spirv::check(&stripped, Some(&target)), Ok(()));
        }
    }
}
