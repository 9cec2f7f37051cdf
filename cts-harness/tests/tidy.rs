//! Checks that the tree agrees with its documents: layers, sizes of files, and the names in the documents.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use std::collections::BTreeSet;
use std::path::Path;

const CRATES: [&str; 4] = ["compiler", "runtime", "icd", "cts-harness"];

/// The largest number of lines in a file; a longer file covers more than one subject.
const MOST_LINES: usize = 800;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// Adds the files and folders below a folder, as paths relative to the root.
fn below(dir: &str, all: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(root().join(dir)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{dir}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() && !path.ends_with("__pycache__") {
            below(&path, all);
        }
        all.insert(path);
    }
}

fn tree() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for dir in CRATES.iter().chain(&["vendor"]) {
        below(dir, &mut all);
        all.insert((*dir).to_owned());
    }
    for entry in std::fs::read_dir(root()).unwrap() {
        all.insert(entry.unwrap().file_name().to_string_lossy().into_owned());
    }
    all
}

fn sources(tree: &BTreeSet<String>, of: &str) -> Vec<String> {
    let list = tree.iter().filter(|p| p.starts_with(of) && p.ends_with(".rs"));
    list.cloned().collect()
}

fn documents(tree: &BTreeSet<String>) -> Vec<String> {
    tree.iter().filter(|p| p.ends_with(".md")).cloned().collect()
}

/// Returns whether code names a crate: whether there is a path that begins with its name, outside of
/// comments.
fn names_crate(text: &str, name: &str) -> bool {
    text.lines()
        .filter(|l| !l.trim_start().starts_with("//"))
        .any(|line| {
            line.match_indices(&format!("{name}::")).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
            })
        })
}

/// Expands braces: `a/{b,c}.rs` becomes `a/b.rs` and `a/c.rs`.
fn expand(token: &str) -> Vec<String> {
    match token
        .split_once('{')
        .and_then(|(a, rest)| Some((a, rest.split_once('}')?)))
    {
        None => vec![token.to_owned()],
        Some((a, (list, z))) => list
            .split(',')
            .flat_map(|item| expand(&format!("{a}{}{z}", item.trim())))
            .collect(),
    }
}

/// Returns the texts between back-quotes.
fn quoted(text: &str) -> Vec<String> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .flat_map(expand)
        .map(|t| t.trim_end_matches('/').to_owned())
        .collect()
}

#[test]
fn each_outside_crate_is_named_where_it_may_be() {
    let tree = tree();
    for (outside, of, places) in [
        ("lang_c", "compiler/src", &["compiler/src/syntax/"][..]),
        (
            "rspirv",
            "compiler/src",
            &[
                "compiler/src/spirv/",
                "compiler/src/spirv_in/",
                "compiler/src/spirv_text/",
                "compiler/src/spirv_mlir/",
            ],
        ),
        ("ash", "runtime/src", &["runtime/src/vk/"]),
        ("gpu_allocator", "runtime/src", &["runtime/src/vk/"]),
    ] {
        let users: Vec<String> = sources(&tree, of)
            .into_iter()
            .filter(|f| names_crate(&read(f), outside))
            .collect();
        assert!(!users.is_empty(), "nothing names {outside}");
        let is_stranger = |f: &&String| !places.iter().any(|place| f.starts_with(place));
        let strangers: Vec<_> = users.iter().filter(is_stranger).collect();
        assert!(
            strangers.is_empty(),
            "{outside} is named outside of {places:?}: {strangers:?}"
        );
    }
}

#[test]
fn crates_depend_one_way() {
    let depends = |a: &str, b: &str| read(&format!("{a}/Cargo.toml")).contains(&format!("caldera-{b}"));
    for (a, allowed) in [
        ("compiler", &["compiler"][..]),
        ("runtime", &["runtime", "compiler"]),
        ("icd", &["icd", "runtime"]),
        ("cts-harness", &["cts-harness"]),
    ] {
        for b in CRATES {
            assert!(allowed.contains(&b) || !depends(a, b), "{a} depends on {b}");
        }
    }
}

/// `CONTRIBUTING.md` lists these files, too.
#[test]
fn unsafe_code_of_the_runtime_is_where_it_is_allowed() {
    let allowed = [
        "runtime/src/mem/bar_mapping.rs",
        "runtime/src/mem/host_ptr.rs",
        "runtime/src/printf/stdout.rs",
        "runtime/src/vk/mod.rs",
    ];
    let list = sources(&tree(), "runtime/src").into_iter();
    let users: Vec<String> = list
        .filter(|f| {
            let text = read(f);
            text.contains("unsafe_code") && !text.contains("deny(unsafe_code)")
        })
        .collect();
    assert_eq!(users, allowed);
    assert!(read("runtime/src/lib.rs").contains("#![deny(unsafe_code)]"));
    assert!(read("compiler/src/lib.rs").contains("#![forbid(unsafe_code)]"));
    let contributing = read("CONTRIBUTING.md");
    for file in allowed {
        let name = file
            .trim_start_matches("runtime/src/")
            .trim_end_matches("/mod.rs");
        assert!(
            contributing.contains(name),
            "CONTRIBUTING.md does not name {name}"
        );
    }
}

/// The bodies of entry points are safe code, but for the one query whose answer is written through pointers in the
/// application's memory (CL_PROGRAM_BINARIES).
#[test]
fn unsafe_code_of_the_icd_is_where_it_is_allowed() {
    let is_unsafe = |line: &str| {
        let code = line.split("//").next().unwrap_or_default();
        ["unsafe {", "unsafe impl", "unsafe fn"]
            .iter()
            .any(|word| code.contains(word))
    };
    let list = sources(&tree(), "icd/src").into_iter();
    let users: Vec<String> = list.filter(|f| read(f).lines().any(is_unsafe)).collect();
    let allowed = [
        "absent",
        "api/program",
        "args",
        "callback",
        "entry",
        "os",
        "out",
        "updates",
    ];
    assert_eq!(users, allowed.map(|f| format!("icd/src/{f}.rs")));
}

/// The macros catch panics, so every function with the C ABI must be made by one of them.
#[test]
fn entry_points_are_made_by_macros() {
    let list = sources(&tree(), "icd/src").into_iter();
    let makers: Vec<String> = list.filter(|f| read(f).contains("no_mangle")).collect();
    assert_eq!(makers, ["icd/src/absent.rs", "icd/src/entry.rs"]);
}

#[test]
fn files_are_short() {
    let tree = tree();
    for file in CRATES.iter().flat_map(|c| sources(&tree, c)) {
        let lines = read(&file).lines().count();
        assert!(lines <= MOST_LINES, "{file} has {lines} lines");
    }
}

/// Every path in a document that has an extension or names a folder exists: relative to the root, to the
/// document, or to a crate or its sources.
#[test]
fn documents_name_files_that_exist() {
    let tree = tree();
    let mut missing = Vec::new();
    for document in documents(&tree) {
        for token in quoted(&read(&document)) {
            let path = token
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
                && token.split_once('.').is_some_and(|(stem, _)| !stem.is_empty());
            let file = [".rs", ".md", ".toml", ".lst"].iter().any(|e| token.ends_with(e));
            // Names in capitals are placeholders.
            let example = token
                .split(['/', '.'])
                .any(|p| p.len() > 1 && p.chars().all(|c| c.is_uppercase()));
            if !path || !file || example && !tree.contains(&token) {
                continue;
            }
            let end = format!("/{token}");
            if !tree.contains(&token) && !tree.iter().any(|p| p.ends_with(&end)) {
                missing.push(format!("{document}: {token}"));
            }
        }
    }
    assert!(missing.is_empty(), "no such file: {missing:#?}");
}

/// Returns the anchors of the headings of a document, as repository viewers and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let slug = |heading: &str| -> String {
        let kept = heading
            .trim()
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() })
            .collect()
    };
    let headings = text.lines().filter(|l| l.starts_with('#'));
    headings.map(|l| slug(l.trim_start_matches('#'))).collect()
}

/// Every link to a file leads to one, and to a heading of it if it names one.
#[test]
fn links_in_documents_lead_somewhere() {
    let tree = tree();
    let mut broken = Vec::new();
    let mut links = 0;
    for document in documents(&tree) {
        let text = read(&document);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        for (target, _) in targets.filter(|(t, _)| !t.contains("://") && !t.contains(' ')) {
            links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = root().join(&document).with_file_name(file);
            let path = if file.is_empty() {
                root().join(&document)
            } else {
                path
            };
            let found = std::fs::read_to_string(path);
            if !found.is_ok_and(|t| anchor.is_empty() || anchors(&t).contains(anchor)) {
                broken.push(format!("{document}: {target}"));
            }
        }
    }
    assert!(links > 20, "only {links} links were found");
    assert!(broken.is_empty(), "links to nothing: {broken:#?}");
}

/// The table of contents of the manual has all of its pages.
#[test]
fn the_manual_lists_its_pages() {
    let pages = documents(&tree());
    let pages: BTreeSet<&str> = pages
        .iter()
        .filter_map(|d| d.strip_prefix("icd/docs/manual/"))
        .collect();
    let summary = read("icd/docs/manual/SUMMARY.md");
    let listed = summary
        .split("](")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once(')')?.0));
    let listed: BTreeSet<&str> = listed.chain(["SUMMARY.md"]).collect();
    assert_eq!(listed, pages);
}

#[test]
fn the_architecture_names_modules_tests_and_decisions() {
    let tree = tree();
    let text = read("ARCHITECTURE.md");
    let names: BTreeSet<String> = quoted(&text).into_iter().collect();
    let mut missing = Vec::new();
    for path in &tree {
        let parts: Vec<&str> = path.split('/').collect();
        let stem = path.trim_end_matches(".rs");
        let named = match parts[..] {
            ["compiler" | "runtime" | "icd", "src", name] if name != "lib.rs" => {
                // A module and its folder count as one.
                let inner = format!("src/{name}");
                let folder = format!("src/{}", name.trim_end_matches(".rs"));
                let within = |n: &String| *n == inner || *n == folder || n.starts_with(&format!("{inner}/"));
                names.contains(path) || names.iter().any(within)
            }
            [_, "tests", name] if !matches!(name, "common" | "support" | "fake") => {
                names.contains(path) || names.iter().any(|n| n.starts_with(stem))
            }
            ["compiler" | "runtime" | "icd", "docs", name] if name != "adr" => text.contains(name),
            [_, "docs", "adr", name] => text.contains(name.trim_end_matches(".md")),
            _ => true,
        };
        if !named {
            missing.push(path);
        }
    }
    assert!(missing.is_empty(), "ARCHITECTURE.md does not name {missing:#?}");
}

/// `scheduling.md` has the order of the locks that `lock.rs` enforces.
#[test]
fn the_document_has_the_order_of_locks() {
    let source = read("runtime/src/lock.rs");
    let (_, ranks) = source.split_once("enum Rank {").unwrap();
    let (ranks, _) = ranks.split_once('}').unwrap();
    let ranks: Vec<&str> = ranks
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with("//"))
        .map(|l| l.trim_end_matches(','))
        .collect();
    let document = read("runtime/docs/scheduling.md");
    let (_, order) = document.split_once("The order is *").unwrap();
    let (order, _) = order.split_once('*').unwrap();
    let order: Vec<&str> = order.split('→').map(str::trim).collect();
    assert_eq!(order, ranks);
}

/// The tables of contracts and promises have their tests in the last columns: functions of Rust, or of the programs of tests.
#[test]
fn contracts_name_tests_that_exist() {
    let tree = tree();
    let sources: String = CRATES
        .iter()
        .flat_map(|c| sources(&tree, c))
        .map(|f| read(&f))
        .collect();
    // The programs of tests in C and OpenCL C.
    let programs = tree.iter().filter(|p| p.ends_with(".c") || p.ends_with(".cl"));
    let programs: String = programs.map(|p| read(p)).collect();
    let is_name = |t: &str| {
        let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        t.contains('_') && t.chars().all(letters)
    };
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let functions = sources
        .split("fn ")
        .filter_map(|f| f.split(|c| !is_letter(c)).next());
    let known: BTreeSet<&str> = programs.split(|c| !is_letter(c)).chain(functions).collect();
    let mut missing = Vec::new();
    for document in [
        "compiler/docs/contract.md",
        "compiler/docs/language-tests.md",
        "compiler/docs/spirv-contract.md",
        "icd/docs/host-api-tests.md",
    ] {
        for row in read(document).lines().filter(|l| l.starts_with('|')) {
            let cell = row.trim_end_matches(['|', ' ']).rsplit('|').next().unwrap();
            let names = quoted(cell).into_iter().filter(|t| is_name(t));
            missing.extend(names.filter(|n| !known.contains(n.as_str())));
        }
    }
    assert!(missing.is_empty(), "there are no tests {missing:?}");
}

/// The manual's table has the variables of the library (a test of `runtime/src/config.rs` checks that). Other
/// documents have those of the harness and of the tests.
#[test]
fn environment_variables_are_documented() {
    let tree = tree();
    let documents: String = documents(&tree).iter().map(|d| read(d)).collect();
    // Variables of the build, and variables that a test sets for its own child process.
    let known = [
        "CALDERA_COMPILER_IDENTITY",
        "CALDERA_FAKE_BEGUN",
        "CALDERA_TEST_AGAIN",
        "CALDERA_TEST_PRINTS",
        "CALDERA_TEST_ROLE",
    ];
    let mut missing = BTreeSet::new();
    for source in CRATES.iter().flat_map(|c| sources(&tree, c)) {
        let text = read(&source);
        for (at, _) in text.match_indices("\"CALDERA_") {
            let name: String = text[at + 1..]
                .chars()
                .take_while(|c| c.is_ascii_uppercase() || *c == '_')
                .collect();
            if !documents.contains(&name) && !known.iter().any(|k| name.starts_with(k)) {
                missing.insert(name);
            }
        }
    }
    assert!(missing.is_empty(), "no document explains {missing:?}");
}
