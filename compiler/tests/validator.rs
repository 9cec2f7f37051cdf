//! Tests the check of modules from outside: it accepts the modules of this compiler, and no module that
//! spirv-val refuses. Mutants are modules in which one to three bits are changed.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_compiler::driver::{Input, compile};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::target::{SpirvVersion, Target};
use caldera_compiler::{reflect, spirv};

fn targets() -> Vec<Target> {
    let old = Target {
        spirv: SpirvVersion { major: 1, minor: 3 },
        ..Target::desktop()
    };
    let descriptors = Target {
        abi: Abi::Descriptor(DescriptorAbi::runtime()),
        ..Target::desktop()
    };
    vec![
        Target::desktop(),
        Target::faulty(),
        Target::desktop().without_int64(),
        old,
        descriptors,
        Target::clspv(),
    ]
}

fn sources(dir: &Path, out: &mut Vec<(String, String)>) {
    let entries = std::fs::read_dir(dir).expect("the directory exists");
    let mut paths: Vec<_> = entries.map(|e| e.expect("it can be read").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "cl") {
            let text = std::fs::read_to_string(&path).expect("it can be read");
            out.push((path.display().to_string(), text));
        }
    }
}

/// Returns the modules of a source, without reflection, for each target that can express it.
fn modules(name: &str, source: &str) -> Vec<(String, Target, Vec<u32>)> {
    let first = source.lines().next().unwrap_or("");
    let options = first.strip_prefix("// options:").unwrap_or("");
    let options = Options::parse(options).expect("the file's options are good");
    let input = Input {
        name,
        source,
        options: &options,
        resolver: &NoIncludes,
    };
    let mut list = Vec::new();
    for (n, target) in targets().into_iter().enumerate() {
        if let Ok(compiled) = compile(&input, &target) {
            let words = reflect::strip(&compiled.words).expect("own modules are well-formed");
            list.push((format!("{name} for target {n}"), target, words));
        }
    }
    list
}

fn all() -> Vec<(String, Target, Vec<u32>)> {
    let mut files = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cl"),
        &mut files,
    );
    files
        .iter()
        .flat_map(|(name, text)| modules(name, text))
        .collect()
}

#[test]
fn own_modules_are_accepted() {
    let all = all();
    assert!(all.len() > 60, "{} modules", all.len());
    let mut wrong = Vec::new();
    for (name, target, words) in &all {
        if let Err(e) = spirv::check(words, Some(target)) {
            wrong.push(format!("{name}: {e}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        all.len(),
        wrong.join("\n")
    );
}

/// Large functions take private memory by value and return structures, and functions that read tables get their address.
#[test]
fn functions_with_several_results_are_accepted() {
    let source = format!(
        "constant uint table[16] = {{3, 1, 4, 1, 5, 9, 2, 6}};
         void step(uint *a, ulong *b) {{ {} }}
         kernel void k(global ulong *p) {{
             uint a[2] = {{p[0], p[1]}}; ulong b[2] = {{p[2], p[3]}};
             {}
             p[4] = a[0] ^ a[1]; p[5] = b[0] ^ b[1]; }}",
        "a[0] = rotate(a[0] ^ (uint)b[1], 3u) + table[a[1] & 15]; a[1] += a[0] * 3; b[1] += b[0] ^ a[1];\n"
            .repeat(60),
        "step(a, b);\n".repeat(40),
    );
    let modules = modules("functions", &source);
    assert_eq!(modules.len(), targets().len());
    for (name, target, words) in &modules {
        // OpFunctionCall. In the descriptor ABI, the table excludes that.
        let (mut at, mut calls) = (5, 0);
        while let Some(word) = words.get(at) {
            calls += usize::from(word & 0xffff == 57);
            at += (word >> 16) as usize;
        }
        let expected = if target.abi.descriptor().is_some() { 0 } else { 40 };
        assert_eq!(calls, expected, "{name}");
        assert_eq!(
            spirv::check(words, Some(target)).map_err(|e| e.to_string()),
            Ok(()),
            "{name}"
        );
        assert_eq!(refused(words, target.spirv), None, "{name}");
    }
}

/// Returns the message of spirv-val if it refuses a module.
fn refused(words: &[u32], version: SpirvVersion) -> Option<String> {
    let env = if version.minor >= 6 {
        "vulkan1.3"
    } else {
        "vulkan1.2"
    };
    let mut child = Command::new("spirv-val")
        .args(["--target-env", env, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spirv-val of SPIRV-Tools must be installed");
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(&bytes)
        .expect("it reads its input");
    let out = child.wait_with_output().expect("it ends");
    (!out.status.success())
        .then(|| String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout))
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |v| v.parse().expect("a number"))
}

/// Tests as many mutants as `CALDERA_FUZZ_MUTANTS` says, from the seed `CALDERA_FUZZ_SEED`.
#[test]
fn no_mutant_is_accepted_that_is_not_valid() {
    let count = number("CALDERA_FUZZ_MUTANTS", 1500);
    let mut state = number("CALDERA_FUZZ_SEED", 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below
    };
    // Only small modules are changed: a fault of the check affects only one or two mutants of each
    // instruction.
    let mut all = all();
    all.retain(|(_, _, words)| words.len() < 6_000);
    let (mut accepted, mut wrong) = (0, Vec::new());
    for _ in 0..count {
        let (name, target, words) = &all[random(all.len())];
        let mut mutant = words.clone();
        let bits = [1, 1, 1, 2, 3][random(5)];
        for _ in 0..bits {
            let at = 5 + random(words.len() - 5);
            let most = [32, 16, 8, 4][random(4)];
            mutant[at] ^= 1 << random(most);
        }
        if mutant == *words || spirv::check(&mutant, Some(target)).is_err() {
            continue;
        }
        accepted += 1;
        if let Some(why) = refused(&mutant, target.spirv) {
            let at = (0..words.len()).find(|&i| mutant[i] != words[i]).unwrap_or(0);
            let changed = format!("word {at}: {:#x} to {:#x}", words[at], mutant[at]);
            wrong.push(format!("{name}, {changed}: {why}"));
        }
    }
    assert!(accepted > 0, "some changes do no harm");
    assert!(
        wrong.is_empty(),
        "{} of {accepted} accepted:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Splits a module after its header into instructions.
fn instructions(words: &[u32]) -> Vec<&[u32]> {
    let mut list = Vec::new();
    let mut rest = &words[5..];
    while let Some(first) = rest.first() {
        let (inst, others) = rest.split_at((first >> 16) as usize);
        list.push(inst);
        rest = others;
    }
    list
}

/// rspirv's loader sorts instructions into their sections, but a driver sees them where they are.
#[test]
fn instructions_in_a_wrong_section_are_refused() {
    const CONSTANT: u32 = 43;
    const NAME: u32 = 5;
    const LABEL: u32 = 248;
    const DECORATE: u32 = 71;
    let source = "kernel void k(global int *a) { a[get_global_id(0)] = 7; }";
    let (_, target, words) = modules("k.cl", source).swap_remove(0);
    let list = instructions(&words);
    let place = |op: u32| list.iter().position(|i| i[0] & 0xFFFF == op).expect("it has one");
    for (moved, after, why) in [
        (
            CONSTANT,
            LABEL,
            "an instruction of another section is in a function",
        ),
        (NAME, DECORATE, "OpName comes too late"),
    ] {
        let (moved, after) = (place(moved), place(after));
        assert!(moved < after);
        let mut order: Vec<&[u32]> = list.clone();
        let inst = order.remove(moved);
        order.insert(after, inst);
        let changed = [&words[..5], &order.concat()[..]].concat();
        assert_eq!(spirv::check(&words, Some(&target)), Ok(()));
        assert_eq!(spirv::check(&changed, Some(&target)), Err(why.to_owned()));
        assert!(refused(&changed, target.spirv).is_some(), "spirv-val accepts it");
    }
}
