//! Data-driven tests of the IR: `filetests/<pass>/*.ir`.
//!
//! A file starts with `; test: pass, pass`. It contains a module and, after a line `; output:`, the output of
//! the passes, which `BLESS=1` writes. With `; test: verify` the verifier must reject the module instead: the
//! faulty line ends in `; error: part of the message` (on a line of its own if the fault is not in an
//! instruction). The name `emit` stands for SPIR-V emission of the result of the passes before it, which
//! spirv-val must accept. `; test: pass; without workgroup_layout` is for a target without that feature, and
//! `without inlining` keeps all functions that can stay functions. With `without printf_room` the printf buffer has one word for
//! records. Every module is also printed and parsed, and must not change.

mod common;

use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_compiler::diag::Diags;
use caldera_compiler::inv;
use caldera_compiler::ir::{KernelInfo, Module, parse};
use caldera_compiler::pass::{Pass, PassCx, lower_memory, pipeline};
use caldera_compiler::spirv;
use caldera_compiler::target::{Calibration, MatrixVariant, SubgroupLayout, Target};
use caldera_compiler::verify;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const OUTPUT: &str = "; output:\n";

#[test]
fn filetests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let bless = std::env::var_os("BLESS").is_some();
    let mut failures = String::new();
    let mut count = 0;
    for file in files(&root) {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        count += 1;
        match check(&text) {
            Ok(None) => {}
            Ok(Some(new)) if bless => std::fs::write(&file, new).unwrap(),
            Ok(Some(new)) => writeln!(
                failures,
                "== {name}: output differs ==\n{}",
                difference(&text, &new)
            )
            .unwrap(),
            Err(e) => writeln!(failures, "== {name} ==\n{e}").unwrap(),
        }
    }
    assert!(count > 0);
    assert!(failures.is_empty(), "{failures}");
}

fn files(root: &Path) -> Vec<PathBuf> {
    let mut list = Vec::new();
    let mut dirs = vec![root.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).expect("a test directory") {
            let path = entry.expect("a test file").path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|e| e == "ir") {
                list.push(path);
            }
        }
    }
    list.sort();
    list
}

/// Returns both texts from their first different line on.
fn difference(old: &str, new: &str) -> String {
    let same = old.lines().zip(new.lines()).take_while(|(a, b)| a == b).count();
    let tail = |s: &str| s.lines().skip(same).collect::<Vec<_>>().join("\n");
    format!(
        "--- expected from line {}\n{}\n--- actual\n{}\n",
        same + 1,
        tail(old),
        tail(new)
    )
}

fn passes() -> Vec<Pass> {
    let mut list = pipeline::all_passes();
    list.push(lower_memory::PASS);
    list
}

/// Returns the target for the passes of a file, without a feature.
fn target_of(names: &str, without: &str) -> Result<Target, String> {
    let mut target = Target::desktop();
    if names.contains("select_arithmetic") && without != "calibration" {
        target.calibration = Calibration {
            fused_fma: [true; 3],
            exp2: true,
            rsqrt: true,
            flushing_fma: true,
            ..Calibration::default()
        };
    }
    match without {
        "" | "calibration" | "rows" | "inlining" | "joined_conversions" | "mesa_choices"
        | "private_memory" => {}
        "workgroup_layout" => target.features.workgroup_layout = false,
        "own_subgroups" => target.packs_groups = true,
        "int64" => target.features.int64 = false,
        "signed_dots" => target.features.packed_dot = [true, false, false],
        "wide_accesses" => target.quirks.wide_accesses = true,
        "printf_room" => {
            target.abi = Abi::Descriptor(DescriptorAbi {
                printf: true,
                printf_buffer_size: 8,
                ..DescriptorAbi::default()
            });
        }
        "narrow_integers" => (target.features.int8, target.features.int16) = (false, false),
        other => return Err(format!("no feature '{other}'")),
    }
    if names.contains("check_matrices") {
        target.matrix_variants = MatrixVariant::emulated(&target.features);
    }
    if names.contains("lower_matrices") {
        target.emulated_matrices = Some(4);
    }
    if names.contains("divide_subgroups") {
        target.subgroup_size = Some(64);
    }
    if names.contains("scratch_memory") || without == "private_memory" {
        target.limits.private_memory = 64;
        target.limits.private_accesses = 8;
    }
    if names.contains("hide_operands") {
        target.quirks = Target::faulty().quirks;
        target.quirks.joined_conversions = without != "joined_conversions";
        if without == "mesa_choices" {
            (target.quirks.zero_operands, target.quirks.chosen_zeros) = (false, false);
        }
        target.costs = Target::faulty().costs;
    }
    if names.contains("guard_loops") && without != "rows" {
        target.subgroup_layout = SubgroupLayout::Rows;
    }
    if names.contains("nesting") {
        target.limits.nesting = 4;
    }
    Ok(target)
}

/// Returns `Ok(Some(text))` with the file's new text if the output has changed.
fn check(text: &str) -> Result<Option<String>, String> {
    let header = text.lines().next().unwrap_or("");
    let names = header.strip_prefix("; test: ").ok_or("no '; test:' line")?;
    let (names, without) = names.split_once("; without ").unwrap_or((names, ""));
    let (input, _) = text.split_once(OUTPUT).unwrap_or((text, ""));
    let mut module = parse::parse(input).map_err(|e| e.to_string())?;
    round_trip(&module)?;
    if names == "verify" {
        return check_rejected(&module, input).map(|()| None);
    }
    let target = target_of(names, without)?;
    let mut diags = Diags::default();
    let mut cx = PassCx::new(&target, &mut diags);
    cx.hooks.keep_functions = without == "inlining";
    // If a module has an ABI, its kernels may have lost their parameters already.
    let lowered = |k: &KernelInfo| module.funcs[k.func].params.is_empty();
    let given = if !module.abi.is_empty() && module.kernels.iter().all(lowered) {
        inv![Ssa, KernelArgs]
    } else {
        inv![Ssa]
    };
    verify::module(&module, given, "the test's author").map_err(|e| e.to_string())?;
    if names != "roundtrip" {
        let mut error = None;
        for name in names.split(", ") {
            if name == "emit" {
                let words = spirv::emit(&module, &target).map_err(|e| format!("{e}\n{module}"))?;
                common::validate(&words, target.spirv);
                continue;
            }
            let all = passes();
            let pass = all
                .iter()
                .find(|p| p.name == name)
                .ok_or(format!("no pass '{name}'"))?;
            if let Err(e) = (pass.run)(&mut module, &mut cx) {
                error = Some(e.to_string());
                break;
            }
            // The tests may contain functions that are not kernels.
            let mut held = pass.establishes.plus(given);
            if module.kernels.len() != module.funcs.len() {
                held = held.minus(inv![Inlined, KernelArgs]);
            }
            verify::module(&module, held, pass.name).map_err(|e| format!("{e}\n{module}"))?;
        }
        round_trip(&module)?;
        let output = error.map_or_else(|| module.to_string(), |e| format!("; {e}\n"));
        let new = format!("{input}{OUTPUT}{output}");
        return Ok((new != text).then_some(new));
    }
    Ok(None)
}

fn round_trip(module: &Module) -> Result<(), String> {
    let first = module.to_string();
    let again =
        parse::parse(&first).map_err(|e| format!("the printed module does not parse: {e}\n{first}"))?;
    let second = again.to_string();
    if first == second {
        Ok(())
    } else {
        Err(format!(
            "the round trip changes the module\n{}",
            difference(&first, &second)
        ))
    }
}

fn check_rejected(module: &Module, input: &str) -> Result<(), String> {
    let (line, expected) = input
        .lines()
        .find_map(|l| l.split_once("; error: "))
        .ok_or("no '; error:' on any line")?;
    let message = match verify::module(module, inv![Ssa], "test") {
        Ok(()) => return Err("the verifier accepts it".into()),
        Err(e) => e.message,
    };
    let first_words = line.split_whitespace().take(2).collect::<Vec<_>>();
    let names_the_line = first_words
        .iter()
        .all(|w| message.contains(w.trim_end_matches(['{', ','])));
    if message.contains(expected) && names_the_line {
        Ok(())
    } else {
        Err(format!("rejected for another reason: {message}"))
    }
}
