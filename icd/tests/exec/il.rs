//! The programs of these tests again, from SPIR-V that clang and llvm-spirv made from their sources
//! (`compiler/tests/il`).

use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::{self, cl_program};
use crate::file::{Run, parse};
use crate::{cl, created, descriptors, message, query_text, run_all};

/// Builds a program from a module. Returns it with the code of clBuildProgram.
pub(crate) fn build(s: &Setup, module: &[u8], options: &str) -> (cl_program, i32) {
    let (program, code) = created!(clCreateProgramWithIL(
        s.context,
        module.as_ptr().cast(),
        module.len()
    ));
    assert_eq!(code, 0, "clCreateProgramWithIL");
    let options = std::ffi::CString::new(options).expect("no zero byte");
    let code = cl!(clBuildProgram(
        program,
        0,
        null(),
        options.as_ptr(),
        None,
        null_mut()
    ));
    (program, code)
}

/// Runs a module that was made from a source.
fn check(module: &Path, source: &Path) -> Result<(), String> {
    let bytes = std::fs::read(module).map_err(|e| e.to_string())?;
    let text = std::fs::read_to_string(source).map_err(|e| e.to_string())?;
    // In SPIR-V's text, comments begin with a semicolon.
    let text = text.replace("\n; ", "\n// ");
    let result = std::panic::catch_unwind(|| {
        let s = Setup::new();
        let file = parse(&text);
        let extensions = query_text!(clGetDeviceInfo(s.device; common::CL_DEVICE_EXTENSIONS));
        if file.needs.iter().any(|n| !extensions.split(' ').any(|e| e == n)) {
            return;
        }
        let (program, code) = build(&s, &bytes, &file.options);
        let log = s.log(program);
        if descriptors::is_inexpressible(source) {
            assert_eq!(code, common::CL_BUILD_PROGRAM_FAILURE, "{log}");
            assert!(log.contains("the descriptor ABI cannot express it"), "{log}");
            assert_eq!(cl!(clReleaseProgram(program)), 0);
            return;
        }
        assert_eq!(code, 0, "{log}");
        let names = query_text!(clGetProgramInfo(program; common::CL_PROGRAM_KERNEL_NAMES));
        let has = |run: &&Run| names.split(';').any(|n| n == run.kernel);
        assert!(file.runs.iter().all(|run| has(&run)), "{names}");
        run_all(&s, program, &file.runs);
    });
    result.map_err(|panic| message(&*panic))
}

/// Runs every module, or those whose name contains `CALDERA_TEST_FILE`.
#[test]
fn modules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let wanted = std::env::var("CALDERA_TEST_FILE").unwrap_or_default();
    let mut modules: Vec<PathBuf> = std::fs::read_dir(root.join("../compiler/tests/il"))
        .expect("directory of modules")
        .map(|entry| entry.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "spv") && p.display().to_string().contains(&wanted))
        .collect();
    modules.sort();
    let mut failures = Vec::new();
    for module in &modules {
        let name = module
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let stem = name.split('.').next().unwrap_or_default();
        let beside = ["cl", "spvasm"].map(|e| module.with_file_name(format!("{stem}.{e}")));
        let source = match beside.into_iter().find(|p| p.exists()) {
            Some(source) => source,
            None => root.join("tests/exec").join(format!("{stem}.cl")),
        };
        if let Err(why) = check(module, &source) {
            failures.push(format!("--- {name}\n{why}"));
        }
    }
    let count = failures.len();
    assert!(
        failures.is_empty(),
        "{count} of {} modules:\n{}",
        modules.len(),
        failures.join("\n")
    );
}
