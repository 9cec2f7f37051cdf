//! Interprets the programs of the execution tests before and after the passes.

use crate::expr::{Num, Scope, eval};
use crate::file::{self, Run, parse};
use crate::may_overflow;
use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_compiler::diag::Diags;
use caldera_compiler::driver::{IlInput, Input, Unobserved, compile_il_object, compile_object};
use caldera_compiler::interp::{Arg, Launch, Memory, Trap, launch};
use caldera_compiler::ir::Module;
use caldera_compiler::options::Options;
use caldera_compiler::pass::{Hooks, PassCx, PassError, pipeline};
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::spirv_in::Specialization;
use caldera_compiler::target::Target;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The greatest number of steps of one work-item.
const STEPS: u64 = 100_000;

/// The number of work-items of a sub-group in modules with sub-groups. In other programs it is 1: passes may assume that
/// a sub-group is a part of a row.
const SUBGROUP: u32 = 4;

/// The greatest number of work-items of a launch that is interpreted.
const MAX_ITEMS: usize = 512;

/// The contents of the buffers after a run.
type Buffers = Vec<Vec<u8>>;

/// The arguments of a run, with the values of each before the run.
struct Setting {
    memory: Memory,
    args: Vec<Arg>,
    values: Vec<Vec<Num>>,
    launch: Launch,
}

/// Prepares a run; returns `None` if the interpreter cannot launch it.
fn setting(run: &Run, subgroup: u32) -> Option<Setting> {
    let items: usize = run.global.iter().product();
    if !run.offset.is_empty() || items > MAX_ITEMS {
        return None;
    }
    let mut s = Setting {
        memory: Memory::default(),
        args: Vec::new(),
        values: Vec::new(),
        launch: Launch {
            steps: STEPS,
            subgroup,
            ..Launch::default()
        },
    };
    for (d, &global) in run.global.iter().enumerate() {
        let local = run.local.get(d).copied().unwrap_or(1);
        s.launch.local[d] = local as u32;
        s.launch.groups[d] = (global / local) as u32;
    }
    for arg in &run.args {
        let value = |scalar: &crate::scalar::Scalar, n: usize, e: &str, i: usize| {
            let scope = Scope {
                i,
                n,
                args: &s.values,
            };
            scalar.decode(&scalar.encode(eval(e, &scope)))
        };
        let (arg, values) = match arg {
            file::Arg::Buffer {
                scalar,
                count,
                before,
                ..
            } => {
                let values: Vec<Num> = match before {
                    Some(e) => (0..*count).map(|i| value(scalar, *count, e, i)).collect(),
                    None => Vec::new(),
                };
                let mut bytes: Vec<u8> = match before {
                    Some(_) => values.iter().flat_map(|v| scalar.encode(*v)).collect(),
                    None => vec![0xCD; count * scalar.size()],
                };
                // Devices without narrow accesses access whole words.
                bytes.resize(bytes.len().next_multiple_of(4), 0xCD);
                (Arg::Pointer(s.memory.add(bytes)), values)
            }
            file::Arg::Value { scalar, values } => {
                let values: Vec<Num> = values.iter().map(|e| value(scalar, 1, e, 0)).collect();
                let mut bytes: Vec<u8> = values.iter().flat_map(|v| scalar.encode(*v)).collect();
                if values.len() == 3 {
                    bytes.resize(4 * scalar.size(), 0);
                }
                (Arg::Bytes(bytes), values)
            }
            file::Arg::Local(bytes) => (Arg::Local(*bytes as u32), Vec::new()),
            file::Arg::Null => (Arg::Pointer(0), Vec::new()),
        };
        s.args.push(arg);
        s.values.push(values);
    }
    Some(s)
}

fn interpret(module: &Module, run: &Run, subgroup: u32) -> Result<Option<(Buffers, Vec<Vec<Num>>)>, Trap> {
    let Some(mut s) = setting(run, subgroup) else {
        return Ok(None);
    };
    let uneven = |(global, local): (&usize, &usize)| !global.is_multiple_of(*local);
    if run.global.iter().zip(&run.local).any(uneven) {
        return Err(Trap::NotSupported("work-groups of different sizes".into()));
    }
    let kernel = module.kernels.iter().position(|k| k.name == run.kernel);
    let kernel = kernel.unwrap_or_else(|| panic!("no kernel {}", run.kernel));
    launch(module, kernel, &s.args, s.launch, &mut s.memory)?;
    let buffer = |arg: &Arg| match arg {
        Arg::Pointer(address) => s.memory.object(*address).to_vec(),
        Arg::Bytes(_) | Arg::Local(_) | Arg::Handle => Vec::new(),
    };
    Ok(Some((s.args.iter().map(buffer).collect(), s.values)))
}

/// Returns the first result that differs from the one that the file states.
fn wrong(run: &Run, buffers: &Buffers, values: &[Vec<Num>]) -> Option<String> {
    for (k, (arg, bytes)) in run.args.iter().zip(buffers).enumerate() {
        let file::Arg::Buffer {
            scalar,
            count,
            after: Some(after),
            ..
        } = arg
        else {
            continue;
        };
        for (i, element) in bytes.chunks(scalar.size()).take(*count).enumerate() {
            let scope = Scope {
                i,
                n: *count,
                args: values,
            };
            let expected = scalar.decode(&scalar.encode(eval(after, &scope)));
            let got = scalar.decode(element);
            if !scalar.close(got, expected, run.ulp) {
                return Some(format!(
                    "argument {k}, element {i}: {got:?}, expected {expected:?}"
                ));
            }
        }
    }
    None
}

/// Runs the passes; returns `None` if the target's ABI cannot express the program.
fn after_passes(module: &Module, target: &Target, limit: Option<usize>) -> Option<(Module, usize)> {
    let mut after = module.clone();
    let mut diags = Diags::default();
    let mut cx = PassCx::new(target, &mut diags);
    cx.hooks = Hooks {
        limit,
        ..Hooks::default()
    };
    match pipeline::pipeline(target).run(&mut after, &mut cx) {
        Ok(()) => {}
        Err(PassError::NotInAbi { .. }) => return None,
        Err(e) => panic!("{e}"),
    }
    Some((after, cx.report.executed))
}

/// Returns the number of the pass after which a run goes wrong.
fn bisect(module: &Module, target: &Target, run: &Run, subgroup: u32, passes: usize) -> usize {
    let (mut good, mut bad) = (0, passes);
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        let Some((after, _)) = after_passes(module, target, Some(middle)) else {
            return bad;
        };
        match interpret(&after, run, subgroup) {
            Ok(Some((buffers, values))) if wrong(run, &buffers, &values).is_none() => good = middle,
            _ => bad = middle,
        }
    }
    bad
}

/// Returns the failures of a file, and the number of runs that were compared.
fn check(source: &str, targets: &[Target]) -> (String, usize) {
    let file = parse(source);
    if file.modules_only {
        return (String::new(), 0);
    }
    let options = Options::parse(&file.options).expect("options");
    let input = Input {
        name: "test.cl",
        source,
        options: &options,
        resolver: &NoIncludes,
    };
    let object = match compile_object(&input, &targets[0]) {
        Ok(object) => object,
        Err(e) => return (e.log, 0),
    };
    let required = object.module.kernels.iter().find_map(|k| k.subgroups.size);
    check_module(&file.runs, &object.module, targets, required.unwrap_or(1))
}

/// Returns the failures of the runs of a module, and the number of runs that were compared.
fn check_module(all: &[Run], module: &Module, targets: &[Target], subgroup: u32) -> (String, usize) {
    let mut failures = String::new();
    let mut runs = Vec::new();
    // Some tests state that results wrap around, which the standard leaves undefined (C99 6.5, 5).
    let module = &mut module.clone();
    for run in all {
        while let Err(trap) = interpret(module, run, subgroup)
            && may_overflow(module, &trap)
        {}
    }
    for run in all {
        match interpret(module, run, subgroup) {
            Ok(Some((buffers, values))) => match wrong(run, &buffers, &values) {
                None => runs.push(run),
                Some(why) => failures += &format!("{} before the passes: {why}\n", run.kernel),
            },
            // Out-of-range conversions whose result is unused count as undefined here too, and some programs
            // loop for long.
            Ok(None) | Err(Trap::NotSupported(_) | Trap::Undefined(_) | Trap::Steps) => {}
            Err(e) => failures += &format!("{} before the passes: {e}\n", run.kernel),
        }
    }
    for target in targets {
        let Some((after, passes)) = after_passes(module, target, None) else {
            continue;
        };
        let subgroup = target.subgroup_size.unwrap_or(subgroup);
        for run in &runs {
            let result = match interpret(&after, run, subgroup) {
                Ok(Some((buffers, values))) => wrong(run, &buffers, &values),
                Ok(None) => None,
                Err(e) => Some(e.to_string()),
            };
            if let Some(why) = result {
                let n = bisect(module, target, run, subgroup, passes);
                failures += &format!("{} after pass number {n}: {why}\n", run.kernel);
            }
        }
    }
    (failures, runs.len())
}

/// Returns the failures of a SPIR-V module that was made from a source, and the number of runs that were compared.
/// The module may lack kernels of the source.
fn check_il(name: &str, bytes: &[u8], source: &str, targets: &[Target]) -> (String, usize) {
    let file = parse(source);
    let input = IlInput {
        name,
        module: bytes,
        options: &Options::parse(&file.options).expect("options"),
        specialization: &Specialization::new(),
    };
    let has_subgroups = file.needs.iter().any(|n| n.starts_with("cl_khr_subgroup"));
    let subgroup = if has_subgroups { SUBGROUP } else { 1 };
    match compile_il_object(&input, &targets[0], &mut Unobserved) {
        Ok(object) => check_module(&file.runs, &object.module, targets, subgroup),
        Err(e) => (e.log, 0),
    }
}

/// Calls `check` for each path on all processors. Returns the failures, and the number of runs that were compared.
fn check_all(paths: &[PathBuf], check: impl Fn(&Path) -> (String, usize) + Sync) -> (String, usize) {
    let next = AtomicUsize::new(0);
    let (failures, compared) = (Mutex::new(String::new()), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (text, runs) = check(path);
                    if !text.is_empty() {
                        let mut failures = failures.lock().expect("nobody panicked");
                        *failures += &format!("== {} ==\n{text}\n", path.display());
                    }
                    compared.fetch_add(runs, Ordering::Relaxed);
                }
            });
        }
    });
    (
        failures.into_inner().expect("nobody panicked"),
        compared.into_inner(),
    )
}

/// Returns the files of a folder that have an extension.
fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(dir)
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .collect();
    paths.sort();
    paths
}

/// The modules are those that clang and llvm-spirv made from the execution tests (`tests/il/README.md`).
#[test]
fn imported_modules_compute_what_their_sources_state() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = root.join("../icd/tests/exec");
    let emulated = Target {
        emulated_matrices: Some(SUBGROUP),
        ..Target::desktop()
    };
    let targets = [Target::desktop(), Target::faulty(), emulated];
    let mut modules = files(&root.join("tests/il"), "spv");
    modules.extend(files(&root.join("tests/il/recent"), "spv"));
    let (failures, compared) = check_all(&modules, |path| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let stem = name.split('.').next().expect("a stem");
        let places = [path.with_extension(""), sources.join("_")].map(|p| p.with_file_name(stem));
        let all = places
            .iter()
            .flat_map(|p| [p.with_extension("cl"), p.with_extension("spvasm")]);
        let source = all.map(std::fs::read_to_string).find_map(Result::ok);
        // In SPIR-V's text, comments begin with a semicolon.
        let source = source.expect("its source").replace("\n; ", "\n// ");
        let bytes = std::fs::read(path).expect("readable");
        check_il(&name, &bytes, &source, &targets)
    });
    assert!(failures.is_empty(), "{failures}");
    assert!(compared >= 40, "only {compared} runs");
}

/// Kernels that require sub-groups of four work-items, on devices whose sub-groups have as many or more.
#[test]
fn divided_sub_groups_are_sub_groups() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../icd/tests/exec/opencl_3/required_subgroups.cl"
    );
    let targets = [4, 8, 64].map(|size| Target {
        subgroup_size: Some(size),
        ..Target::desktop().latest()
    });
    let (failures, compared) = check(&std::fs::read_to_string(path).expect("readable"), &targets);
    assert!(failures.is_empty(), "{failures}");
    assert_eq!(compared, 5);
}

/// After all passes, the same work-items of a sub-group are active together as before.
#[test]
fn work_items_reconverge_where_they_did() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../icd/tests/exec/opencl_3/reconvergence.cl"
    );
    let source = std::fs::read_to_string(path).expect("readable");
    let mut nested = Target::faulty();
    nested.limits.nesting = 6;
    let targets = [Target::desktop(), Target::faulty(), nested].map(Target::latest);
    let file = parse(&source);
    let options = Options::parse(&file.options).expect("options");
    let input = Input {
        name: "test.cl",
        source: &source,
        options: &options,
        resolver: &NoIncludes,
    };
    let object = compile_object(&input, &targets[0]).expect("it compiles");
    for subgroup in [4, 8, 32] {
        let (failures, compared) = check_module(&file.runs, &object.module, &targets, subgroup);
        assert!(failures.is_empty(), "sub-groups of {subgroup}: {failures}");
        assert_eq!(compared, file.runs.len());
    }
}

#[test]
fn execution_tests_compute_what_they_state() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../icd/tests/exec");
    let [clspv, mut runtime] = [DescriptorAbi::default(), DescriptorAbi::runtime()].map(|abi| Target {
        abi: Abi::Descriptor(abi),
        ..Target::desktop()
    });
    runtime.features.storage8 = false;
    runtime.features.storage16 = false;
    let targets = [Target::desktop(), Target::faulty(), clspv, runtime];
    let (failures, compared) = check_all(&files(&dir, "cl"), |path| {
        let source = std::fs::read_to_string(path).expect("readable");
        check(&source, &targets)
    });
    assert!(failures.is_empty(), "{failures}");
    assert!(compared >= 40, "only {compared} runs");
    let latest = targets.map(Target::latest);
    let (failures, compared) = check_all(&files(&dir.join("opencl_3"), "cl"), |path| {
        let source = std::fs::read_to_string(path).expect("readable");
        check(&source, &latest)
    });
    assert!(failures.is_empty(), "{failures}");
    assert!(compared >= 4, "only {compared} runs");
    // The sources of SPIR-V modules, which are in a later version, too.
    let il = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/il");
    let (failures, compared) = check_all(&files(&il, "cl"), |path| {
        let source = std::fs::read_to_string(path).expect("readable");
        check(&source, &latest[..2])
    });
    assert!(failures.is_empty(), "{failures}");
    assert!(compared >= 20, "only {compared} runs");
}
