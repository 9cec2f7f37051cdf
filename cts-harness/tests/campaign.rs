//! Tests `campaign` with fake platforms, which end as the fake generator's programs say, and with a few
//! programs on a real platform.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fake platform. Each program has a line `// PLATFORM HOW` for each platform, which says how the program
/// ends there.
const CHILD: &str = r##"#!/bin/sh
shift 2; platform=$2; shift 2
[ $# = 0 ] && echo 'device {"name":"Fake","half":false,"double":false,"images":false}' && exit
n=0
for file in "$@"; do
    echo "begin $n"; n=$((n + 1))
    how=$(sed -n "s,^// $platform ,,p" "$file")
    case "$how" in
        refuse) echo "refused clBuildProgram gave -11: no such thing" ;;
        crash) echo "thread 'main' panicked at here"; kill -SEGV $$ ;;
        hang) echo "built 0.5"; sleep 60 ;;
        *) echo "built 0.5"; echo "done 0.25 $how" ;;
    esac
done
"##;

/// A fake generator. The seed decides how its program ends on the platforms.
const GENERATOR: &str = r##"#!/bin/sh
case $2 in
    1) one=7; two=7 ;;
    2) one=7; two=8 ;;
    3) one=crash; two=7 ;;
    4) one=7; two=hang ;;
    5) one=refuse; two=7 ;;
    6) one=refuse; two=crash ;;
    7) sleep 60 & kill -ABRT $$ ;;
esac
printf '// -g 4,1,1 -l 2,1,1\n// /fake/one %s\n// /fake/two %s\n#include "CLSmith.h"\n' $one $two > CLProg.c
"##;

/// A fake platform for `corpus`. It describes the kernels `scale` and `view`, and runs a unit as its lines
/// `// PLATFORM HASH WORD…` say; the words are those of a buffer of floats.
const CORPUS_CHILD: &str = r##"#!/bin/sh
shift 2; platform=$2; shift 2
[ $# = 0 ] && echo 'device {"name":"Fake","half":false,"double":false,"images":false}' && exit
for file in "$@"; do :; done
echo "begin 0"; echo "built 0.5"
set -- "$1" $(sed -n "s,^// $platform ,,p" "$file")
case "$1" in
    --signatures)
        float='{"address":4507,"type_name":"real*","bytes":0}'
        value='{"address":4510,"type_name":"int","bytes":4}'
        echo "kernel {\"kernel\":\"scale\",\"required\":[0,0,0],\"parameters\":[$float,$value]}"
        echo "kernel {\"kernel\":\"view\",\"required\":[0,0,0],\"parameters\":[{\"address\":4507,\"type_name\":\"image2d_t\",\"bytes\":0}]}" ;;
    --words) echo "word 0 0 $3" ;;
esac
echo "done 0.25 $2"
"##;

/// A fake platform for `expressions`. Its results are the words 0 to 255, but the second platform gives
/// another word 70.
const EXPRESSIONS_CHILD: &str = r##"#!/bin/sh
shift 2; platform=$2; shift 2
[ $# = 0 ] && echo 'device {"name":"Fake","half":false,"double":false,"images":false}' && exit
echo "begin 0"; echo "built 0.5"
if [ "$1" = --words ]; then
    for n in $(seq 0 255); do
        [ $n$platform = 70/fake/two ] && echo "word 0 70 ffffffffffffff80" || printf 'word 0 %d %016x\n' $n $n
    done
fi
echo "done 0.25 $platform"
"##;

/// A fake platform that gets its programs as SPIR-V where its arguments say so. The program of seed 2 cannot be translated.
const SPIRV_CHILD: &str = r##"#!/bin/sh
shift 2; platform=$2; shift 2
[ "$1" = --spirv ] && { level=$2; shift 2; }
[ $# = 0 ] && echo 'device {"name":"Fake","half":false,"double":false,"images":false}' && exit
n=0
for file in "$@"; do
    echo "begin $n"; n=$((n + 1))
    [ "$level" ] && echo "translating"
    case "$level$file" in
        *+reg2mem*2.cl) echo "untranslated clang-15 ended with 1: no" ;;
        *) [ "$level" ] && echo "translated"; echo "built 0.5"; echo "done 0.25 7" ;;
    esac
done
"##;

/// A folder with the fakes, which is deleted at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let dir = std::env::temp_dir().join(format!("caldera-campaign-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        for (file, text) in [
            ("child", CHILD),
            ("generator", GENERATOR),
            ("CLSmith.h", "// header\n"),
        ] {
            std::fs::write(dir.join(file), text).unwrap();
            std::fs::set_permissions(dir.join(file), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        Folder(dir)
    }

    fn harness(&self, arguments: &[&str]) -> (bool, String) {
        self.harness_with(&std::env::var("PATH").unwrap(), arguments)
    }

    /// Runs the harness with another search path for programs.
    fn harness_with(&self, path: &str, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_caldera-harness"));
        let output = command
            .env("PATH", path)
            .arg("campaign")
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned());
        (output.status.success(), text.concat())
    }

    fn clsmith(&self, count: &str, more: &[&str]) -> (bool, String) {
        let mut arguments = vec![
            "clsmith",
            "--generator",
            "./generator",
            "--child",
            "./child",
            "--out",
            "out",
        ];
        arguments.extend([
            "--platform",
            "/fake/one",
            "--platform",
            "/fake/two",
            "--timeout",
            "2",
        ]);
        arguments.extend(["--count", count]);
        arguments.extend(more);
        self.harness(&arguments)
    }

    /// Returns the lines of the results file, sorted by seed.
    fn results(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.0.join("out/results.jsonl")).unwrap();
        let mut all: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        all.sort_by_key(|v| v["seed"].as_u64());
        all
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn each_ending_is_told_apart() {
    let folder = Folder::new("endings");
    let (good, text) = folder.clsmith("7", &["--batch", "3"]);
    assert!(
        !good && text.contains("4 programs are not treated alike"),
        "{text}"
    );
    let results = folder.results();
    let verdicts: Vec<&str> = results.iter().map(|r| r["verdict"].as_str().unwrap()).collect();
    assert_eq!(
        verdicts,
        [
            "same", "differs", "crash", "timeout", "refused", "neither", "neither"
        ]
    );
    assert_eq!(results[0]["sides"]["one"]["build"], 0.5);
    assert_eq!(results[2]["sides"]["one"]["phase"], "build");
    let why = results[2]["sides"]["one"]["why"].as_str().unwrap();
    assert!(
        why.starts_with("ended by signal 11") && why.contains("panicked at here"),
        "{why}"
    );
    assert_eq!(results[3]["sides"]["two"]["phase"], "launch");
    assert_eq!(
        results[4]["sides"]["one"]["why"],
        "clBuildProgram gave -11: no such thing"
    );
    for (seed, kept) in [(1, false), (2, true), (3, true), (4, true), (5, true), (6, false)] {
        let file = folder.0.join(format!("out/programs/{seed}.cl"));
        assert_eq!(file.exists(), kept, "{seed}");
    }
    let program = std::fs::read_to_string(folder.0.join("out/programs/2.cl")).unwrap();
    assert!(
        program.starts_with("// launch: {") && program.contains("// header"),
        "{program}"
    );
    assert!(
        text.contains("7 programs: 1 same, 1 differs, 1 crash, 1 refused, 1 timeout, 2 neither"),
        "{text}"
    );
}

#[test]
fn a_campaign_goes_on_where_it_stopped() {
    let folder = Folder::new("resumed");
    let (good, text) = folder.clsmith("1", &[]);
    assert!(good, "{text}");
    // The last line is incomplete, as if the machine had crashed while it was written.
    let file = folder.0.join("out/results.jsonl");
    let mut before = std::fs::read_to_string(&file).unwrap();
    before += "{\"seed\":2,\"how";
    std::fs::write(&file, &before).unwrap();
    let (good, text) = folder.clsmith("2", &[]);
    assert!(!good && text.contains("2 programs: 1 same, 1 differs"), "{text}");
    let seeds: Vec<u64> = folder
        .results()
        .iter()
        .map(|r| r["seed"].as_u64().unwrap())
        .collect();
    assert_eq!(seeds, [1, 2]);
}

/// With fakes of the tools that make SPIR-V, because the fake platform does not call them.
#[test]
fn programs_that_are_not_translated_are_no_faults() {
    let folder = Folder::new("translated");
    std::fs::write(folder.0.join("child"), SPIRV_CHILD).unwrap();
    let arguments = [
        "--platform",
        "/fake/one,spirv=O2+reg2mem",
        "--platform",
        "/fake/one",
        "--child",
        "./child",
        "--out",
        "out",
        "--count",
        "2",
    ];
    let arguments = [&["generated"], &arguments[..]].concat();
    let tools = folder.0.join("tools");
    std::fs::create_dir(&tools).unwrap();
    let (good, text) = folder.harness_with(&tools.display().to_string(), &arguments);
    assert!(!good && text.contains("clang-15 is missing"), "{text}");
    for tool in ["clang-15", "opt-15", "llvm-spirv-15", "spirv-val"] {
        std::fs::write(tools.join(tool), "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(tools.join(tool), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let (good, text) = folder.harness_with(&path, &arguments);
    assert!(
        good && text.contains("2 programs: 1 same, 1 untranslated"),
        "{text}"
    );
    let results = folder.results();
    let how = results[1]["how"].as_str().unwrap();
    assert!(how.ends_with("; one-spirv: O2+reg2mem"), "{how}");
    let why = &results[1]["sides"]["one-spirv"]["why"];
    assert_eq!(why, "clang-15 ended with 1: no");
}

/// Tests the command that C-Vise calls for each candidate.
#[test]
fn a_candidate_is_of_interest_while_it_shows_the_fault() {
    let folder = Folder::new("interesting");
    let launch = "// launch: {\"memory\":[],\"launches\":[]}\n";
    let ask = |one: &str, two: &str, more: &[&str]| {
        let text = format!("{launch}// /fake/one {one}\n// /fake/two {two}\n");
        std::fs::write(folder.0.join("program.cl"), text).unwrap();
        let mut arguments = vec![
            "interesting",
            "program.cl",
            "--child",
            "./child",
            "--without-oclgrind",
        ];
        arguments.extend([
            "--platform",
            "/fake/one",
            "--platform",
            "/fake/two",
            "--timeout",
            "2",
        ]);
        arguments.extend(more);
        folder.harness(&arguments).0
    };
    assert!(ask("7", "8", &[]));
    assert!(!ask("7", "7", &[]));
    assert!(ask("refuse", "7", &["--saying", "no such thing"]));
    assert!(!ask("refuse", "7", &["--saying", "another thing"]));
    assert!(ask("crash", "7", &[]));
    // The program must finish on the platform that is right.
    assert!(!ask("7", "crash", &[]));
    assert!(!ask("crash", "refuse", &[]));
}

#[test]
fn an_expression_whose_values_differ_is_named() {
    let folder = Folder::new("named");
    std::fs::write(folder.0.join("child"), EXPRESSIONS_CHILD).unwrap();
    let mut arguments = vec![
        "expressions",
        "--child",
        "./child",
        "--out",
        "out",
        "--count",
        "1",
    ];
    arguments.extend(["--platform", "/fake/one", "--platform", "/fake/two"]);
    let (good, text) = folder.harness(&arguments);
    assert!(!good && text.contains("1 programs: 1 differs"), "{text}");
    assert!(
        text.contains("work-item 6 (of 1): one 0x46, two 0xffffffffffffff80"),
        "{text}"
    );
    let differences = &folder.results()[0]["differences"];
    assert_eq!(differences.as_array().unwrap().len(), 1);
    assert_eq!(differences[0]["values"]["one"], 70);
    // Word 70 is in row 1: in the second expression, or in the first one if that is a vector.
    let program = std::fs::read_to_string(folder.0.join("out/programs/1.cl")).unwrap();
    let lines: Vec<&str> = program.lines().filter(|l| l.starts_with('E')).collect();
    let line = lines[usize::from(lines[0].starts_with("E1("))];
    let text = line.splitn(3, ", ").nth(2).unwrap().strip_suffix(')').unwrap();
    let expected = [text.to_owned(), format!("({text}).s0"), format!("({text}).s1")];
    let expression = differences[0]["expression"].as_str().unwrap();
    assert!(expected.iter().any(|e| e == expression), "{line} {expression}");
}

/// The same library, named twice; on llvmpipe with two widths of its vectors.
#[test]
fn generated_programs_give_one_result() {
    let dir = Path::new(env!("CARGO_BIN_EXE_caldera-harness")).parent().unwrap();
    let places = [dir.join("deps/libcaldera.so"), dir.join("libcaldera.so")];
    let library = places.iter().find(|p| p.exists());
    let library = library
        .expect("no libcaldera.so: cargo build -p caldera-icd")
        .display()
        .to_string();
    let narrow = format!("{library},LP_NATIVE_VECTOR_WIDTH=128");
    for source in ["generated", "expressions"] {
        let folder = Folder::new(source);
        let mut arguments = vec![
            source,
            "--platform",
            &library,
            "--platform",
            &narrow,
            "--batch",
            "4",
        ];
        arguments.extend([
            "--first",
            "4",
            "--count",
            "3",
            "--out",
            "out",
            "--memory",
            "0",
            "--timeout",
            "600",
        ]);
        let (good, text) = folder.harness(&arguments);
        assert!(good && text.contains("3 programs: 3 same"), "{text}");
        assert_eq!(folder.results()[0]["sides"].as_object().unwrap().len(), 2);
    }
}

#[test]
fn kernels_of_a_corpus_get_inputs() {
    let folder = Folder::new("corpus");
    std::fs::write(folder.0.join("child"), CORPUS_CHILD).unwrap();
    std::fs::create_dir(folder.0.join("units")).unwrap();
    // The first platform gives 1.0; the second one gives 1.0, 1.0005 and 2.0.
    for (unit, hash, word) in [
        ("a", "7", "3f8000003f800000"),
        ("b", "8", "3f8000003f801062"),
        ("c", "8", "3f80000040000000"),
    ] {
        let text = format!(
            "// /fake/one 7 3f8000003f800000\n// /fake/two {hash} {word}\ntypedef float real;\n// get_global_id(1)\n"
        );
        std::fs::write(folder.0.join(format!("units/{unit}.cl")), text).unwrap();
    }
    let (good, text) = folder.harness(&[
        "corpus",
        "units",
        "--child",
        "./child",
        "--out",
        "out",
        "--count",
        "7",
        "--platform",
        "/fake/one",
        "--platform",
        "/fake/two",
    ]);
    assert!(!good && text.contains("6 kernels"), "{text}");
    assert!(
        text.contains("7 programs: 1 same, 1 near, 1 differs, 4 neither"),
        "{text}"
    );
    let results = folder.results();
    let verdicts: Vec<&str> = results.iter().map(|r| r["verdict"].as_str().unwrap()).collect();
    assert_eq!(
        verdicts,
        [
            "same", "neither", "near", "neither", "differs", "neither", "neither"
        ]
    );
    assert_eq!(results[4]["how"], "c scale");
    let program = std::fs::read_to_string(folder.0.join("out/programs/5.cl")).unwrap();
    let launch = program
        .lines()
        .next()
        .unwrap()
        .strip_prefix("// launch: ")
        .unwrap();
    let launch: Value = serde_json::from_str(launch).unwrap();
    assert!(launch["memory"][0]["fill"]["Floats"].is_object(), "{launch}");
    assert_eq!(launch["launches"][0]["kernel"], "scale");
    assert_eq!(launch["launches"][0]["global"], serde_json::json!([16, 8, 1]));
    assert_eq!(
        launch["launches"][0]["arguments"][1]["Bytes"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
}
