//! Random input must cause no panic, no hang, no internal error and no module that spirv-val refuses, and
//! every diagnostic must be renderable. Each test takes a few seconds; `CALDERA_FUZZ_SECONDS` and
//! `CALDERA_FUZZ_SEED` change that. `CALDERA_FUZZ_SAVE` names a file for the current text, in case it ends
//! the process.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "../common/mod.rs"]
mod common;
mod text;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use caldera_compiler::diag::Diags;
use caldera_compiler::driver::{self, Dump, Input, Observer, Stage};
use caldera_compiler::options::{ClStd, Options};
use caldera_compiler::pp::{self, Punct, TokenKind};
use caldera_compiler::reflect;
use caldera_compiler::source::SourceMap;
use caldera_compiler::syntax;
use caldera_compiler::target::Target;
use text::Random;

/// The longest time for one text. It is CPU time of the process where that can be read, because the machine
/// may be busy.
const LIMIT: Duration = Duration::from_secs(10);

/// Runs the preprocessor and the parser.
fn parse(source: &str) {
    let mut map = SourceMap::default();
    let main = map.add("fuzz.cl", source);
    let mut diags = Diags::default();
    let tokens = preprocess(&mut map, main, &mut diags);
    let text = pp::tokens_to_text(&tokens, &map);
    let failed = diags.has_errors();
    let unit = syntax::parse(&tokens, ClStd::Cl12, &map, &mut diags);
    let log = diags.render(&map);
    assert!(diags.is_empty() || !log.is_empty());
    // The preprocessed text is a source with the same tokens, unless the source undefined or redefined names
    // that the preprocessor then expands again.
    let takes = ["undef", "kernel_exec", "define _Pragma"]
        .iter()
        .any(|t| source.contains(t));
    if !failed && !takes {
        let mut map = SourceMap::default();
        let main = map.add("again.cl", text.as_str());
        let second = preprocess(&mut map, main, &mut Diags::default());
        let hash = |t: &pp::Token| matches!(t.kind, TokenKind::Punct(Punct::Hash | Punct::HashHash));
        if !tokens.iter().any(hash) {
            let kinds = |list: &[pp::Token]| list.iter().map(|t| t.kind).collect::<Vec<_>>();
            assert_eq!(kinds(&tokens), kinds(&second), "preprocessed text: {text}");
        }
    }
    drop(unit);
}

fn preprocess(
    map: &mut SourceMap,
    main: caldera_compiler::source::FileId,
    diags: &mut Diags,
) -> Vec<pp::Token> {
    let target = Target::desktop();
    pp::preprocess(map, main, &Options::default(), &target, &pp::NoIncludes, diags)
}

/// Runs all stages up to the typed tree, and prints the tree.
fn check(source: &str) {
    struct StopAtTree;
    impl Observer for StopAtTree {
        fn wants(&self, stage: Stage) -> bool {
            stage == Stage::Sema
        }
        fn dump(&mut self, _: Stage, _: &str, dump: Dump) {
            assert!(matches!(dump, Dump::Text(_)));
        }
        fn time(&mut self, _: Stage, _: Option<&'static str>, _: Duration) {}
        fn stop_after(&self, stage: Stage) -> bool {
            stage == Stage::Sema
        }
    }
    let input = Input {
        name: "fuzz.cl",
        source,
        options: &Options::default(),
        resolver: &pp::NoIncludes,
    };
    if let Err(failed) = driver::compile_observed(&input, &Target::desktop(), &mut StopAtTree) {
        assert!(!failed.internal && !failed.log.is_empty(), "{}", failed.log);
    }
}

/// Runs all stages without validating the module, because spirv-val takes longer than they do.
fn compile_only(source: &str) {
    let input = Input {
        name: "fuzz.cl",
        source,
        options: &Options::default(),
        resolver: &pp::NoIncludes,
    };
    if let Err(failed) = driver::compile(&input, &Target::desktop()) {
        assert!(!failed.internal && !failed.log.is_empty(), "{}", failed.log);
    }
}

/// Runs all stages, for every other source with the workarounds for faulty drivers; the module must be valid.
fn compile(source: &str) {
    let target = match source.len().is_multiple_of(2) {
        true => Target::desktop(),
        false => Target::faulty(),
    };
    let input = Input {
        name: "fuzz.cl",
        source,
        options: &Options::default(),
        resolver: &pp::NoIncludes,
    };
    match driver::compile(&input, &target) {
        Ok(compiled) => {
            // A module without entry points is not valid in Vulkan, and no driver gets it.
            let reflection = reflect::read(&compiled.words).unwrap();
            // The spirv-val of Debian 12 does not know cooperative matrices.
            if !reflection.kernels.is_empty() && !has_matrices(&compiled.words) {
                common::validate(&compiled.words, target.spirv);
            }
        }
        Err(failed) => assert!(!failed.internal && !failed.log.is_empty(), "{}", failed.log),
    }
}

/// Returns whether a module declares the capability CooperativeMatrixKHR.
fn has_matrices(words: &[u32]) -> bool {
    const CAPABILITY: [u32; 2] = [2 << 16 | 17, 6022];
    words[5..].windows(2).any(|w| w == CAPABILITY)
}

/// Returns the sources of tests.
fn seeds(dirs: &[&str]) -> Vec<String> {
    let mut seeds = Vec::new();
    let mut work: Vec<_> = dirs
        .iter()
        .map(|d| Path::new(env!("CARGO_MANIFEST_DIR")).join(d))
        .collect();
    while let Some(dir) = work.pop() {
        let mut paths: Vec<_> = std::fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|e| e == "cl") {
                seeds.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    seeds
}

/// Returns the CPU time of this process, or the time since `begin` if it cannot be read.
fn clock(begin: Instant) -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // User and system time in ticks of a hundredth of a second follow the name in parentheses.
    let fields = stat
        .rsplit(')')
        .next()
        .map(|s| s.split_whitespace().skip(11).take(2));
    let ticks: Vec<u64> = fields
        .into_iter()
        .flatten()
        .filter_map(|f| f.parse().ok())
        .collect();
    match ticks[..] {
        [user, system] => Duration::from_millis(10 * (user + system)),
        _ => begin.elapsed(),
    }
}

/// Tries texts until the time is over. The tests take turns, because the clock counts the whole process.
fn fuzz(make: impl Fn(&mut Random, usize) -> String, test: fn(&str)) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let limit = Duration::from_secs(number("CALDERA_FUZZ_SECONDS").unwrap_or(2));
    let mut seed = number("CALDERA_FUZZ_SEED").unwrap_or(1);
    let save = std::env::var_os("CALDERA_FUZZ_SAVE");
    let begin = Instant::now();
    let mut runs = 0u32;
    while begin.elapsed() < limit {
        let text = make(&mut Random::new(seed), seed as usize);
        if let Some(path) = &save {
            std::fs::write(path, format!("// seed {seed}\n{text}")).unwrap();
        }
        let start = clock(begin);
        let result = std::panic::catch_unwind(|| test(&text));
        assert!(result.is_ok(), "CALDERA_FUZZ_SEED={seed} fails on:\n{text}");
        let time = clock(begin).saturating_sub(start);
        assert!(time < LIMIT, "CALDERA_FUZZ_SEED={seed} takes {time:?}:\n{text}");
        seed += 1;
        runs += 1;
    }
    std::io::Write::write_all(&mut std::io::stderr(), format!("{runs} texts\n").as_bytes()).unwrap();
    assert!(runs > 5, "only {runs} runs");
}

#[test]
fn front_end() {
    let seeds = seeds(&["tests/ui", "tests/pp"]);
    let make = |r: &mut Random, n: usize| match r.below(2) {
        0 => text::soup(r),
        _ => text::mutate(r, &seeds[n % seeds.len()]),
    };
    fuzz(make, parse);
}

#[test]
fn typed_tree() {
    let seeds = seeds(&["tests/ui", "tests/hir", "tests/cl", "../icd/tests/exec"]);
    let make = |r: &mut Random, n: usize| match r.below(8) {
        0 => text::soup(r),
        1..4 => text::mutate(r, &seeds[n % seeds.len()]),
        _ => text::vary(r, &seeds[n % seeds.len()]),
    };
    fuzz(make, check);
}

#[test]
fn whole_compiler() {
    let seeds = seeds(&["tests/cl", "../icd/tests/exec", "tests/hir", "tests/ui"]);
    let make = |r: &mut Random, n: usize| match r.below(4) {
        0 => text::mutate(r, &seeds[n % seeds.len()]),
        _ => text::vary(r, &seeds[n % seeds.len()]),
    };
    fuzz(make, compile);
}

/// Programs that are deep or long in some part: no stack overflows, and the time stays linear.
#[test]
fn deep_and_long() {
    let seeds = seeds(&["tests/cl", "../icd/tests/exec", "tests/hir", "tests/ui"]);
    let make = |r: &mut Random, n: usize| text::stretch(r, &seeds[n % seeds.len()]);
    fuzz(make, |text| match text.len() % 4 {
        0 => compile_only(text),
        _ => check(text),
    });
}
