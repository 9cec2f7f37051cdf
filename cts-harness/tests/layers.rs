//! Each top-level module of the library imports only the modules that this file lists for it.
//!
//! The compiler's modules are in layers: a module imports only modules that are listed before it. The runtime's objects refer to each
//! other (a queue has a context, a context has devices), so its lists only say who may know whom.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A module and the modules of its crate that it may import.
type Allowed = (&'static str, &'static str);

const COMPILER: &[Allowed] = &[
    ("check", ""),
    ("entity", ""),
    ("half", ""),
    ("hash", ""),
    ("intrinsic", ""),
    ("options", ""),
    ("printf", ""),
    ("source", ""),
    ("stack", ""),
    ("suggest", ""),
    ("abi", "intrinsic printf"),
    ("diag", "source"),
    ("target", "abi check intrinsic options printf"),
    ("clspv", "abi intrinsic options printf target"),
    ("ir", "abi check diag entity half hash intrinsic source"),
    ("interp", "abi check hash intrinsic ir printf"),
    ("link", "hash intrinsic ir printf"),
    ("verify", "check diag intrinsic ir"),
    (
        "pass",
        "abi check diag half hash intrinsic ir printf source target verify",
    ),
    ("reflect", "abi check clspv hash intrinsic ir"),
    ("spirv", "abi diag hash intrinsic ir printf reflect source target"),
    ("spirv_text", "half hash"),
    ("spirv_mlir", "hash spirv_text"),
    ("pp", "diag options source target"),
    ("syntax", "diag hash options pp source stack suggest"),
    ("hir", "entity hash intrinsic ir source"),
    ("builtins", "hash hir intrinsic options"),
    ("spirv_in", "builtins hash intrinsic ir printf target"),
    (
        "sema",
        "abi builtins diag entity hash hir intrinsic options pp printf source suggest syntax target",
    ),
    ("lower_hir", "diag hash hir intrinsic ir source"),
    (
        "driver",
        "diag hir ir link lower_hir options pass pp reflect sema source spirv spirv_in stack syntax target verify",
    ),
];

const RUNTIME: &[Allowed] = &[
    ("error", ""),
    ("lock", ""),
    ("weak_list", ""),
    (
        "check",
        "config context device error kernel lock mem observe printf",
    ),
    ("capture", "error kernel lock mem observe program queue"),
    ("object", "error"),
    ("observe", "command config event lock process"),
    ("sampler", "context error mem object vk"),
    ("os", ""),
    ("trace", "config"),
    ("process", "observe os platform queue weak_list"),
    (
        "context",
        "capture check config device error event lock mem object observe process queue weak_list",
    ),
    ("config", "capture device os"),
    ("platform", "config device error object process vk"),
    ("cache", "config lock os process"),
    ("event", "command context error lock object observe process queue"),
    ("vk", "config lock mem observe os process"),
    (
        "kernel",
        "cache capture command config context device error lock mem object observe process program queue sampler vk",
    ),
    (
        "queue",
        "check command config context device error event kernel lock mem object observe printf process sampler vk",
    ),
    (
        "program",
        "cache config context device error kernel lock object observe",
    ),
    ("printf", "check device kernel mem"),
    (
        "semaphore",
        "command context device error event lock mem object queue vk",
    ),
    (
        "command_buffer",
        "command context error kernel lock mem object queue",
    ),
    ("command", "device error kernel mem observe queue vk"),
    ("mem", "check command context device error lock object queue vk"),
    (
        "device",
        "cache command config context error kernel lock mem object process program queue vk",
    ),
];

const ICD: &[Allowed] = &[
    ("args", "abi updates"),
    ("updates", "abi args"),
    ("os", ""),
    ("process", "os"),
    ("callback", "args"),
    ("handle", "args"),
    ("entry", "abi args dispatch out process"),
    ("out", "abi args"),
    ("abi", "dispatch"),
    ("dispatch", "abi absent api"),
    ("absent", "abi entry"),
    ("api", "abi args callback entry handle out updates"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Appends the paths of the Rust files below a folder, except for folders and files of tests.
fn sources(dir: &Path, all: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if name == "tests" || name == "bin" {
            continue;
        }
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|e| e == "rs") {
            all.push(path);
        }
    }
}

/// Returns the names after `crate::` in the code of a file, without comments and without its unit tests.
fn imports(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code: String = code
        .lines()
        .flat_map(|l| [l.split("//").next().unwrap(), "\n"])
        .collect();
    let name = |s: &str| -> String {
        s.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            None => {
                found.insert(name(rest));
            }
            Some(list) => {
                let mut depth = 1;
                let mut start = true;
                for (i, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' => start = true,
                        c if c.is_whitespace() => {}
                        _ => {
                            if start && depth == 1 {
                                found.insert(name(&list[i..]));
                            }
                            start = false;
                        }
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
        }
    }
    found
}

/// Returns which modules of a crate each of its modules imports.
fn modules(krate: &str) -> BTreeMap<String, BTreeSet<String>> {
    let src = root().join(krate).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let module = |path: &Path| {
        let first = path.strip_prefix(&src).unwrap().components().next().unwrap();
        let first = first.as_os_str().to_string_lossy().into_owned();
        first.trim_end_matches(".rs").to_owned()
    };
    let names: BTreeSet<String> = files.iter().map(|f| module(f)).collect();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in &files {
        let own = module(file);
        let all = imports(&std::fs::read_to_string(file).unwrap());
        let others = all.into_iter().filter(|n| *n != own && names.contains(n));
        found.entry(own.clone()).or_default().extend(others);
    }
    found.remove("lib");
    found
}

/// Compares the imports of a crate with a table; each row must be needed as it is.
fn compare(krate: &str, table: &[Allowed]) {
    let found = modules(krate);
    let table: BTreeMap<&str, BTreeSet<String>> = table
        .iter()
        .map(|(module, allowed)| (*module, allowed.split_whitespace().map(String::from).collect()))
        .collect();
    let mut faults = Vec::new();
    for (module, imports) in &found {
        let Some(allowed) = table.get(module.as_str()) else {
            faults.push(format!("{krate}: the table has no row for {module}"));
            continue;
        };
        for other in imports.difference(allowed) {
            faults.push(format!("{krate}: {module} must not import {other}"));
        }
        for other in allowed.difference(imports) {
            faults.push(format!(
                "{krate}: the table allows {module} to import {other}, which it does not"
            ));
        }
    }
    for module in table.keys().filter(|m| !found.contains_key(**m)) {
        faults.push(format!("{krate}: there is no module {module}"));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn modules_import_what_they_may() {
    compare("compiler", COMPILER);
    compare("runtime", RUNTIME);
    compare("icd", ICD);
}

#[test]
fn the_compiler_is_in_layers() {
    let mut before = BTreeSet::new();
    for (module, allowed) in COMPILER {
        for other in allowed.split_whitespace() {
            assert!(
                before.contains(other),
                "{module} imports {other}, which is not in a layer below"
            );
        }
        before.insert(*module);
    }
}

/// Analyses answer passes and do not know them: they import only each other and modules in lower layers than `pass`.
#[test]
fn analyses_import_no_pass() {
    let mut files = Vec::new();
    sources(&root().join("compiler/src/pass/analysis"), &mut files);
    assert!(files.len() > 5, "the analyses were not found: {files:?}");
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for (at, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap();
            assert!(
                !code.contains("crate::pass") && !code.contains("super::super"),
                "{}:{}: an analysis imports a pass",
                file.display(),
                at + 1
            );
        }
    }
}

#[test]
fn imports_are_found_in_code_alone() {
    let text = "use crate::{a::{b, c}, d};\n// crate::e\nfn f() { crate::g::h() }\n#[cfg(test)]\nmod tests { use crate::i; }\n";
    let found: Vec<String> = imports(text).into_iter().collect();
    assert_eq!(found, ["a", "d", "g"]);
}
