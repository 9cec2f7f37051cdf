//! Programs and the cache on disk. This is one test, because the whole process has one cache, whose directory comes
//! from the environment.

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use caldera_runtime::error::ClCode;
use caldera_runtime::program::Program;
use caldera_runtime::program::build::Header;
use support::*;

const SOURCE: &str = "#include \"n.h\"\nkernel void k(global int *p) { p[get_global_id(0)] = N; }";

/// A module whose specialization constants have the SpecIds 42 (an int) and 43.
const SCALARS: &[u8] = include_bytes!("../../compiler/tests/spirv_text/003_scalar.spv");

/// Counts the results that came from the disk, by lines of the log.
struct Hits {
    log: PathBuf,
    seen: usize,
}

impl Hits {
    fn new_ones(&mut self) -> usize {
        log::logger().flush();
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let all = text.matches("taken from the cache on disk").count();
        all - std::mem::replace(&mut self.seen, all)
    }
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let inside: Vec<PathBuf> = std::fs::read_dir(dir)
        .expect("directory")
        .map(|e| e.expect("entry").path())
        .collect();
    inside
        .into_iter()
        .flat_map(|p| if p.is_dir() { entries(&p) } else { vec![p] })
        .collect()
}

#[test]
fn programs_come_from_the_disk_only_while_that_is_right() {
    let dir = std::env::temp_dir().join(format!("caldera-disk-cache-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(dir.join("include")).expect("directory");
    let mut hits = Hits {
        log: dir.join("log"),
        seen: 0,
    };
    for (name, value) in [
        ("CALDERA_CACHE", dir.join("cache")),
        ("CALDERA_LOG_FILE", hits.log.clone()),
        ("CALDERA_LOG", "program=debug".into()),
    ] {
        // SAFETY: this is the only test of the process, no other thread of which uses the environment meanwhile.
        unsafe { std::env::set_var(name, value) };
    }
    caldera_runtime::trace::install();
    let context = context();
    let header = dir.join("include/n.h");
    let options = format!("-I \"{}\"", dir.join("include").display());
    let build = || {
        let program = Program::with_source(&context, SOURCE.into());
        program
            .build(&[], &options, None)
            .map(|()| program.binaries().remove(0))
    };

    // The build fails without the header and succeeds with it: the cache also remembers that a file was absent.
    assert_eq!(build().expect_err("no header").code, ClCode::BuildProgramFailure);
    std::fs::write(&header, "#define N 1\n").expect("header");
    let one = build().expect("build");
    assert_eq!(hits.new_ones(), 0);
    assert!(build().expect("build") == one);
    assert_eq!(hits.new_ones(), 1);

    // The header changes, and changes back.
    std::fs::write(&header, "#define N 2\n").expect("header");
    let two = build().expect("build");
    assert!(two != one);
    assert_eq!(hits.new_ones(), 0);
    std::fs::write(&header, "#define N 1\n").expect("header");
    assert!(build().expect("build") == one);
    assert_eq!(hits.new_ones(), 0);

    // Damaged entries are ignored.
    for path in entries(&dir.join("cache")) {
        let mut bytes = std::fs::read(&path).expect("entry");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).expect("entry");
    }
    assert!(build().expect("build") == one);
    assert_eq!(hits.new_ones(), 0);
    assert!(build().expect("build") == one);
    assert_eq!(hits.new_ones(), 1);

    // Objects that are compiled with headers of the call, and programs that are linked from them.
    let linked = |n: &str| {
        let header = Header {
            name: "n.h".into(),
            program: Program::with_source(&context, format!("#define N {n}\n").into()),
        };
        let program = Program::with_source(&context, SOURCE.into());
        program.compile(&[], "", vec![header], None).expect("compile");
        let (linked, done) = Program::link(&context, &[], "", &[Arc::clone(&program)], None).expect("link");
        done.expect("linked");
        linked.binaries().remove(0)
    };
    let three = linked("3");
    assert_eq!(hits.new_ones(), 0);
    assert!(linked("3") == three);
    assert_eq!(hits.new_ones(), 2);
    assert!(linked("4") != three);
    assert_eq!(hits.new_ones(), 0);

    // Programs from SPIR-V: the values of specialization constants are part of what is remembered.
    let from_il = |value: i32| {
        let program = Program::with_il(&context, SCALARS).expect("a module");
        let set = program.set_specialization_constant(42, &value.to_le_bytes());
        set.expect("an int");
        program.build(&[], "", None).expect("build");
        program.binaries().remove(0)
    };
    let seven = from_il(7);
    assert_eq!(hits.new_ones(), 0);
    assert!(from_il(7) == seven);
    assert_eq!(hits.new_ones(), 1);
    assert!(from_il(8) != seven);
    assert_eq!(hits.new_ones(), 0);
    std::fs::remove_dir_all(&dir).expect("directory");
}
