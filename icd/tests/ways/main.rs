//! The three ways in which applications use the library: through the system's OpenCL loader, preloaded, and as
//! `libOpenCL.so.1`. gcc builds the application, `program.c`, against the system's headers. A test fails if gcc, the
//! headers or the loader are missing on the machine.

#[path = "../common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Returns a directory for the files of this run.
fn work_dir() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ways-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("vendors")).expect("temporary directory");
        std::fs::create_dir_all(dir.join("drop-in")).expect("temporary directory");
        let library = common::library();
        std::fs::write(
            dir.join("vendors/caldera.icd"),
            format!("{}\n", library.display()),
        )
        .expect(".icd file");
        for name in ["libOpenCL.so.1", "libOpenCL.so"] {
            let _ = std::fs::remove_file(dir.join("drop-in").join(name));
            std::os::unix::fs::symlink(&library, dir.join("drop-in").join(name)).expect("link");
        }
        dir
    })
}

/// Builds the program, linked with the loader or with the library itself.
fn program(drop_in: bool) -> PathBuf {
    static BUILT: [OnceLock<PathBuf>; 2] = [const { OnceLock::new() }; 2];
    BUILT[usize::from(drop_in)]
        .get_or_init(|| {
            let name = if drop_in {
                "program-drop-in"
            } else {
                "program-loader"
            };
            let out = work_dir().join(name);
            let mut gcc = Command::new("gcc");
            gcc.args(["-O1", "-Wall", "-o"])
                .arg(&out)
                .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ways/program.c"));
            if drop_in {
                gcc.arg("-L").arg(work_dir().join("drop-in"));
            }
            gcc.arg("-lOpenCL").arg("-pthread");
            let built = gcc.output().expect("gcc is installed");
            assert!(
                built.status.success(),
                "gcc (are the OpenCL headers and loader installed: opencl-headers, ocl-icd-opencl-dev?)\n{}",
                String::from_utf8_lossy(&built.stderr)
            );
            out
        })
        .clone()
}

#[derive(Copy, Clone, Debug)]
enum Way {
    /// The system's loader finds the library through a `.icd` file.
    Loader,
    /// The program is linked with the loader, and the preloaded library takes its place.
    Preload,
    /// The program finds the library under the name of the loader.
    DropIn,
}

const WAYS: [Way; 3] = [Way::Loader, Way::Preload, Way::DropIn];

fn run(way: Way, what: &str, env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program(matches!(way, Way::DropIn)));
    command
        .arg(what)
        .env("CALDERA_VALIDATION", "abort")
        .env_remove("CALDERA_LOG");
    match way {
        Way::Loader => command.env("OCL_ICD_VENDORS", work_dir().join("vendors")),
        Way::Preload => command.env("LD_PRELOAD", common::library()),
        Way::DropIn => command.env("LD_LIBRARY_PATH", work_dir().join("drop-in")),
    };
    command
        .envs(env.iter().copied())
        .output()
        .expect("the program runs")
}

/// Checks that the program prints "ok" and that the library prints nothing.
fn check(what: &str, env: &[(&str, &str)]) {
    for way in WAYS {
        let out = run(way, what, env);
        let (stdout, stderr) = (
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr),
        );
        assert!(
            out.status.success(),
            "{way:?} {what}: {}\n{stdout}{stderr}",
            out.status
        );
        assert_eq!((&*stdout, &*stderr), ("ok\n", ""), "{way:?} {what}");
    }
}

#[test]
fn enumeration_prints_nothing() {
    check("find", &[]);
}

#[test]
fn buffers() {
    check("copy", &[]);
}

#[test]
fn kernels() {
    check("add", &[]);
}

/// clGetKernelSubGroupInfo is found by its name, and gives the answers of the extension's function.
#[test]
fn sub_group_queries_by_the_name_of_opencl_2_1() {
    check("sub-groups", &[]);
}

#[test]
fn leaving_with_work_in_flight() {
    check("leave", &[]);
}

/// Threads make pipelines before the first launch; the program meanwhile ends, forks, or releases everything.
#[test]
fn leaving_while_pipelines_are_made() {
    for what in ["early-exit", "early-fork", "early-release"] {
        check(what, &[("CALDERA_CACHE", "off")]);
    }
}

/// A signal ends the program while the GPU is busy. The wait at the exit must be short.
#[test]
fn leaving_by_a_signal_while_the_gpu_works() {
    let out = run(Way::DropIn, "signal", &[]);
    let (stdout, stderr) = (
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr),
    );
    assert!(out.status.success(), "{}: {stderr}", out.status);
    assert_eq!((&*stdout, &*stderr), ("ok\n", ""));
}

#[test]
fn fork_before_first_use() {
    check("fork", &[]);
}

#[test]
fn a_global_size_of_64_bits() {
    let out = run(Way::DropIn, "wide", &[]);
    let (stdout, stderr) = (
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr),
    );
    assert!(out.status.success(), "{}: {stderr}", out.status);
    assert_eq!((&*stdout, &*stderr), ("ok\n", ""));
}

/// The parent lists devices and its children compute, as with Python's multiprocessing.
#[test]
fn fork_after_queries() {
    check("fork-query", &[]);
    check("fork-query", &[("CALDERA_CACHE", "off")]);
}

#[test]
fn fork_while_other_threads_ask() {
    check("fork-threads", &[]);
}

/// Simulates a privileged process: a preloaded library answers the question for AT_SECURE.
#[test]
fn a_privileged_process_reads_no_variables() {
    let source = work_dir().join("secure.c");
    let library = work_dir().join("libsecure.so");
    let text = "unsigned long getauxval(unsigned long kind) { return kind == 23; }\n";
    std::fs::write(&source, text).expect("a file");
    let mut gcc = Command::new("gcc");
    gcc.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    assert!(gcc.status().expect("gcc is installed").success());
    let (log, cache, dump) = (
        work_dir().join("secure.log"),
        work_dir().join("secure-cache"),
        work_dir().join("secure-dump"),
    );
    let home = work_dir().join("secure-home");
    let run = |privileged: bool| {
        let mut command = Command::new(program(true));
        if privileged {
            command.env("LD_PRELOAD", &library);
        }
        let out = command
            .arg("add")
            .env("LD_LIBRARY_PATH", work_dir().join("drop-in"))
            .env("HOME", &home)
            .env_remove("XDG_CACHE_HOME")
            .env("MESA_SHADER_CACHE_DISABLE", "1")
            .env("CALDERA_LOG", "debug")
            .env("CALDERA_LOG_FILE", &log)
            .env("CALDERA_CACHE", &cache)
            .env("CALDERA_DUMP", &dump)
            .env_remove("CALDERA_VALIDATION")
            .output()
            .expect("the program runs");
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success() && text.is_empty(), "{text}");
    };
    run(true);
    for made in [&log, &cache, &dump, &home] {
        assert!(!made.exists(), "{}", made.display());
    }
    // Without the simulation the files are created, so the check above is able to fail.
    run(false);
    for made in [&log, &cache, &dump] {
        assert!(made.exists(), "{}", made.display());
    }
}

/// A cache that other users can write to is not used, and the log gives the reason.
#[test]
fn a_cache_that_others_can_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let (cache, log) = (work_dir().join("cache-others"), work_dir().join("others.log"));
    let env = [
        ("CALDERA_CACHE", &*cache.to_string_lossy()),
        ("CALDERA_LOG_FILE", &*log.to_string_lossy()),
        ("CALDERA_LOG", "program=debug,cache=warn"),
    ];
    check("add", &env);
    check("add", &env);
    let hits = || {
        let text = std::fs::read_to_string(&log).expect("log");
        (
            text.matches("taken from the cache on disk").count(),
            text.matches("can be written by others (mode 777)").count(),
        )
    };
    let before = hits();
    assert!(before.0 >= 3 && before.1 == 0, "{before:?}");
    std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(0o777)).expect("a mode");
    check("add", &env);
    let after = hits();
    assert_eq!(
        after,
        (before.0, WAYS.len()),
        "refused in each of three processes"
    );
}

#[test]
fn use_from_exit_handlers() {
    check("exit", &[]);
}

#[test]
fn first_use_in_an_exit_handler() {
    check("first-exit", &[]);
}

/// Exit handlers that were registered before the driver was loaded run after the driver's destructors. Before this was
/// handled, 20 of a hundred runs crashed, so the test runs several times.
#[test]
fn use_when_the_driver_is_gone() {
    for _ in 0..4 {
        check("last-exit", &[]);
    }
}

#[test]
fn a_forked_child_of_a_user_is_refused() {
    check("inherit", &[]);
}

#[test]
fn two_devices_in_one_context() {
    let drivers = common::drivers::two_drivers();
    for debug in ["", "discrete"] {
        check("two", &[("VK_DRIVER_FILES", &drivers), ("CALDERA_DEBUG", debug)]);
    }
}

/// Devices of one context do not take turns where neither needs what the other writes, with and without wait lists.
#[test]
fn two_devices_work_side_by_side() {
    let drivers = common::drivers::two_drivers();
    check("side-by-side", &[("VK_DRIVER_FILES", &drivers)]);
}

/// The third submission loses the device, with and without one submission for each command.
#[test]
fn a_lost_device() {
    for debug in ["lose-device=3", "lose-device=3,no-batch"] {
        check(
            "lose",
            &[("CALDERA_DEBUG", debug), ("CALDERA_CALIBRATION", "off")],
        );
    }
}

#[test]
fn no_memory_at_all() {
    let debug = ("CALDERA_DEBUG", "no-memory-from=8");
    check("starve", &[debug, ("CALDERA_CALIBRATION", "off")]);
}

/// An allocation that fails once is repeated, so the program succeeds whichever allocation it is.
#[test]
fn no_memory_once() {
    for n in 1..12 {
        let debug = format!("no-memory={n}");
        let out = run(Way::DropIn, "add", &[("CALDERA_DEBUG", &debug)]);
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "allocation {n}: {text}");
    }
}

/// Temporary buffers get the recycled storage of earlier ones, and temporary kernel objects their pipelines.
#[test]
fn temporaries_take_what_others_leave() {
    let log = work_dir().join("temporaries.log");
    let log = log.to_string_lossy();
    let env = [
        ("CALDERA_LOG_FILE", &*log),
        ("CALDERA_LOG", "device=debug,kernel=debug"),
    ];
    let out = run(Way::DropIn, "temporaries", &env);
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{text}");
    let lines = std::fs::read_to_string(&*log).expect("log");
    let again = lines.matches("8388608 bytes: storage of a buffer that is gone");
    // The program makes four buffers of each of two kinds, and all but the first of a kind are recycled. Storage is not
    // exchanged between the kinds, even where host and device share memory.
    assert_eq!(again.count(), 6, "{lines}");
    assert_eq!(lines.matches("pipeline add Variant").count(), 1, "{lines}");
}

/// Processes that run one after the other, or at the same time, share the cache on disk. Damaged entries do no harm.
#[test]
fn cache_on_disk() {
    let (cache, log) = (work_dir().join("cache"), work_dir().join("cache.log"));
    let (cache, log) = (cache.to_string_lossy(), log.to_string_lossy());
    let env = [
        ("CALDERA_CACHE", &*cache),
        ("CALDERA_LOG_FILE", &*log),
        ("CALDERA_LOG", "program=debug"),
    ];
    let hits = || {
        let text = std::fs::read_to_string(&*log).expect("log");
        text.matches("taken from the cache on disk").count()
    };
    assert!(run(Way::DropIn, "add", &env).status.success());
    let first = hits();
    check("add", &env);
    let builds = hits() - first;
    assert!(builds >= 3, "{builds} of three processes came from the disk");

    fn spoil(dir: &Path) {
        for entry in std::fs::read_dir(dir).expect("directory") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                spoil(&path);
            } else {
                std::fs::write(&path, b"caldera1 and something else").expect("entry");
            }
        }
    }
    spoil(Path::new(&*cache));
    std::thread::scope(|s| {
        for _ in 0..3 {
            s.spawn(|| check("add", &env));
        }
    });
}

/// Returns a command that starts a shell in a namespace of its own, in which it may mount file systems. Returns
/// `None` if the system does not permit that.
fn namespace() -> Option<Command> {
    let new = || {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount"]);
        command
    };
    let allowed = new().arg("true").output().is_ok_and(|out| out.status.success());
    allowed.then(new)
}

/// The disk is full, fills up in the middle of an entry, has no room for directories, or has room again. The program's
/// results are right and it gets no error, the entries on the disk are whole, and the log gives the reason.
#[test]
fn cache_on_a_full_disk() {
    for (n, size) in ["4k", "8k", "16k", "1m,nr_inodes=1", "1m,nr_inodes=4"]
        .into_iter()
        .enumerate()
    {
        // The test needs namespaces.
        let Some(mut shell) = namespace() else { return };
        let cache = work_dir().join(format!("full-{n}"));
        let log = work_dir().join(format!("full-{n}.log"));
        std::fs::create_dir_all(&cache).expect("a directory");
        let script = format!(
            "mount -t tmpfs -o mode=700,size={size} none \"$1\" && \"$0\" add && \"$0\" add && find \"$1\" -name '*.tmp' -o -size 0 -type f \\
             && mount -o remount,size=64m,nr_inodes=1000 \"$1\" && \"$0\" add && \"$0\" add"
        );
        let out = shell
            .args(["sh", "-c", &script])
            .arg(program(true))
            .arg(&cache)
            .env("LD_LIBRARY_PATH", work_dir().join("drop-in"))
            .env("CALDERA_CACHE", &cache)
            .env("CALDERA_LOG", "debug")
            .env("CALDERA_LOG_FILE", &log)
            .output()
            .expect("unshare runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&out.stdout), text(&out.stderr));
        assert_eq!(
            (stdout.as_str(), stderr.as_str()),
            ("ok\nok\nok\nok\n", ""),
            "{size}"
        );
        let log = std::fs::read_to_string(&log).expect("the log");
        let full = log.contains("nothing more is written");
        assert!(
            full || ["8k", "16k"].contains(&size),
            "{size}: there was room\n{log}"
        );
        assert!(!log.contains("removed"), "{size}: an entry was damaged\n{log}");
        assert!(
            log.contains("taken from the cache on disk"),
            "{size}: room again\n{log}"
        );
    }
}

/// No entry exceeds the process's limit of the file size, because exceeding it would end the process (SIGXFSZ).
#[test]
fn cache_within_the_limit_for_files() {
    for blocks in [0, 1, 8, 64] {
        let cache = work_dir().join(format!("limit-{blocks}"));
        let script = format!("ulimit -f {blocks} && \"$0\" add && \"$0\" add");
        let out = Command::new("sh")
            .args(["-c", &script])
            .arg(program(true))
            .env("LD_LIBRARY_PATH", work_dir().join("drop-in"))
            .env("MESA_SHADER_CACHE_DISABLE", "1")
            .env("CALDERA_CACHE", &cache)
            .output()
            .expect("sh runs");
        let text = String::from_utf8_lossy(&out.stdout);
        assert_eq!(text, "ok\nok\n", "{blocks}: {}", out.status);
    }
}

/// Processes that are killed at any time leave no files that harm later processes.
#[test]
fn cache_of_killed_processes() {
    let (cache, log) = (work_dir().join("cache-killed"), work_dir().join("killed.log"));
    let (cache, log) = (cache.to_string_lossy(), log.to_string_lossy());
    for delay in [5, 20, 40, 60, 80, 100, 150, 200] {
        let mut child = Command::new(program(true))
            .arg("add")
            .env("LD_LIBRARY_PATH", work_dir().join("drop-in"))
            .env("CALDERA_CACHE", &*cache)
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("the program runs");
        std::thread::sleep(std::time::Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().expect("the program ends");
    }
    let env = [
        ("CALDERA_CACHE", &*cache),
        ("CALDERA_LOG_FILE", &*log),
        ("CALDERA_LOG", "warn"),
    ];
    check("add", &env);
    check("add", &env);
    let text = std::fs::read_to_string(&*log).unwrap_or_default();
    assert!(!text.contains("cache"), "{text}");
}

#[test]
fn no_vulkan_means_no_platform() {
    check(
        "none",
        &[("CALDERA_VULKAN_LIBRARY", "/nonexistent/libvulkan.so.1")],
    );
}

#[test]
fn clinfo_through_the_loader() {
    let out = Command::new("clinfo")
        .env("OCL_ICD_VENDORS", work_dir().join("vendors"))
        .env("CALDERA_VALIDATION", "abort")
        .output()
        .expect("clinfo is installed");
    let (stdout, stderr) = (
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr),
    );
    assert!(out.status.success(), "{stdout}{stderr}");
    assert_eq!(stderr, "");
    assert!(
        stdout.contains("Platform Name                                   Caldera"),
        "{stdout}"
    );
    // clinfo prints this text where a query fails.
    for line in stdout.lines() {
        assert!(!line.contains(": error"), "{line}");
    }
}
