//! Tests `replay` with captures of launches on Caldera. The application that is captured is the harness's own child process,
//! which executes launches that these tests describe by hand, so the captures of all kinds of arguments are replayed.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that is deleted at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let dir = std::env::temp_dir().join(format!("caldera-replay-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(dir.join("given")).unwrap();
        Folder(dir)
    }

    /// Writes the description of a launch, and its files.
    fn describe(&self, launch: &Value, files: &[(&str, &[u8])]) {
        let mut whole = json!({
            "format": 1, "caldera": "", "device": "none", "driver": "", "number": 1, "number_of_all": 1, "results": "unknown",
        });
        for (name, value) in launch.as_object().unwrap() {
            whole[name] = value.clone();
        }
        self.write("given/launch.json", whole.to_string().as_bytes());
        for (name, bytes) in files {
            self.write(&format!("given/{name}"), bytes);
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }

    fn exists(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    /// Executes the launch that was described, with these variables. Returns what the process wrote.
    fn launch(&self, times: &str, variables: &[(&str, &str)]) -> String {
        std::fs::create_dir_all(self.0.join("scratch")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_caldera-harness"));
        command.args([
            "replay-one",
            "--from",
            &library(),
            "given",
            "--out",
            "scratch",
            "--times",
            times,
        ]);
        command
            .env("CALDERA_CAPTURE", "captured")
            .envs(variables.iter().copied());
        let output = command.current_dir(&self.0).output().unwrap();
        let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned());
        text.concat()
    }

    /// Executes the launch, which must be captured in the folder `captured/NAME`.
    fn capture(&self, name: &str) {
        let text = self.launch("1", &[]);
        let line = format!("is captured in captured/{name}");
        assert!(text.contains(&line) && text.contains("\ndone"), "{text}");
    }

    /// Replays what is captured. Returns whether that succeeds, and the output.
    fn replay(&self, more: &[&str]) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_caldera-harness"));
        command
            .args(["replay", "captured", "--platform", &library(), "--times", "2"])
            .args(more);
        let output = command.current_dir(&self.0).output().unwrap();
        let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned());
        (output.status.success(), text.concat())
    }

    /// Replays what is captured, which must give the captured results.
    fn replays(&self) {
        let (good, text) = self.replay(&[]);
        assert!(good && text.contains(": as captured; "), "{text}");
    }

    fn launch_json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(&format!("captured/{name}/launch.json"))).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the path of this build's `libcaldera.so`.
fn library() -> String {
    let dir = Path::new(env!("CARGO_BIN_EXE_caldera-harness")).parent().unwrap();
    let places = [dir.join("deps/libcaldera.so"), dir.join("libcaldera.so")];
    let library = places.iter().find(|p| p.exists());
    let library = library.expect("no libcaldera.so: cargo build -p caldera-icd");
    library.display().to_string()
}

/// Returns a program that is built from one source.
fn built(options: &str) -> Value {
    let part = json!({
        "kind": "source", "options": options, "file": "program0.cl", "headers": [], "includes": [], "directories": [],
    });
    json!({ "kind": "built", "options": options, "parts": [part] })
}

fn ints(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn buffer(file: &str, bytes: usize) -> Value {
    json!({ "kind": "buffer", "flags": 1, "size": bytes, "before": file })
}

const MIXED: &str = "
typedef struct { int factor; char sign; } scale;
kernel void mixed(global const int *from, global int *to, scale by, local int *turned, global int *none, local int2 *more) {
    size_t i = get_global_id(0), j = get_local_id(0), n = get_local_size(0);
    turned[j] = from[i];
    more[j] = (int2)(1, 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    int value = turned[n - 1 - j] * by.factor;
    to[i] = none ? 0 : (by.sign ? -value : value) + more[j].y;
}
";

/// A sub-buffer and its buffer, a structure, local memory of two sizes, and a null pointer.
#[test]
fn buffers_and_values() {
    let folder = Folder::new("mixed");
    let numbers: Vec<i32> = (0..80).collect();
    let launch = json!({
        "kernel": "mixed", "offset": [0], "global": [16], "local": [4], "program": built("-cl-std=CL1.2"),
        "memory": [buffer("memory0.before", 320)],
        "arguments": [
            { "kind": "buffer", "memory": 0, "offset": 0, "size": 320 },
            { "kind": "buffer", "memory": 0, "offset": 256, "size": 64 },
            { "kind": "value", "bytes": "0300000001000000" },
            { "kind": "local", "size": 16 },
            { "kind": "null" },
            { "kind": "local", "size": 32 },
        ],
    });
    folder.describe(
        &launch,
        &[
            ("program0.cl", MIXED.as_bytes()),
            ("memory0.before", &ints(&numbers)),
        ],
    );
    folder.capture("mixed-1");
    let mut expected = numbers;
    for i in 0..16 {
        expected[64 + i] = -3 * (i as i32 / 4 * 4 + 3 - i as i32 % 4) + 2;
    }
    assert_eq!(folder.read("captured/mixed-1/memory0.after"), ints(&expected));
    assert_eq!(folder.read("captured/mixed-1/program0.cl"), MIXED.as_bytes());
    let written = folder.launch_json("mixed-1");
    assert_eq!(written["results"], "captured");
    assert_eq!(written["memory"].as_array().unwrap().len(), 1);
    let arguments = written["arguments"].as_array().unwrap();
    for (argument, given) in arguments.iter().zip(launch["arguments"].as_array().unwrap()) {
        for (name, value) in given.as_object().unwrap() {
            assert_eq!(argument[name], *value, "{argument}");
        }
    }
    assert_eq!(
        (&arguments[2]["name"], &arguments[2]["type"]),
        (&json!("by"), &json!("scale"))
    );
    folder.replays();

    // A result that is not what the launch computes is a failure.
    expected[70] += 1;
    folder.write("captured/mixed-1/memory0.after", &ints(&expected));
    let (good, text) = folder.replay(&[]);
    assert!(
        !good && text.contains("1 of 1 captures differ, fail or have findings"),
        "{text}"
    );
    let line = format!(
        "1 of 80 elements differ: at byte 280 {} and {}",
        expected[70] - 1,
        expected[70]
    );
    assert!(
        text.contains(&line) && text.contains("argument 0, int* from; argument 1, int* to"),
        "{text}"
    );
}

const IMAGES: &str = "
kernel void images(read_only image2d_t from, sampler_t sampler, write_only image2d_array_t to, read_only image1d_buffer_t line,
                   read_only image2d_t again) {
    int x = get_global_id(0), y = get_global_id(1);
    float4 texel = read_imagef(from, sampler, (float2)((x + 0.75f) / 4, (y + 0.5f) / 2));
    texel.w += read_imagef(line, x).x + read_imagef(again, (int2)(x, y)).x;
    write_imagef(to, (int4)(x, y, 1, 0), texel);
}
";

/// Images of several types, one of them twice and one from a part of a buffer, and a sampler.
#[test]
fn images_and_samplers() {
    let folder = Folder::new("images");
    let image = |ty: u32, order: u32, data: u32, size: [u32; 3], file: &str| json!({ "kind": "image", "flags": 1, "type": ty, "order": order, "data": data, "size": size, "before": file });
    let (rgba, red, unorm8, float) = (0x10B5, 0x10B0, 0x10D2, 0x10DE);
    let texels: Vec<u8> = (0..32).map(|n| n * 8).collect();
    let floats: Vec<u8> = (0..128).flat_map(|n| (n as f32).to_le_bytes()).collect();
    let launch = json!({
        "kernel": "images", "offset": [0, 0], "global": [4, 2], "program": built(""),
        "memory": [
            image(0x10F1, rgba, unorm8, [4, 2, 1], "memory0.before"),
            image(0x10F3, rgba, float, [4, 2, 2], "memory1.before"),
            buffer("memory2.before", 512),
            { "kind": "image", "flags": 1, "type": 0x10F6, "order": red, "data": float, "size": [64, 1, 1], "row_pitch": 256,
              "buffer": { "kind": "buffer", "memory": 2, "offset": 256, "size": 256 } },
        ],
        "arguments": [
            { "kind": "image", "memory": 0 },
            { "kind": "sampler", "normalized": 1, "addressing": 0x1133, "filter": 0x1141 },
            { "kind": "image", "memory": 1 },
            { "kind": "image", "memory": 3 },
            { "kind": "image", "memory": 0 },
        ],
    });
    let files: [(&str, &[u8]); 4] = [
        ("program0.cl", IMAGES.as_bytes()),
        ("memory0.before", &texels),
        ("memory1.before", &[0; 256]),
        ("memory2.before", &floats),
    ];
    folder.describe(&launch, &files);
    folder.capture("images-1");
    let written = folder.launch_json("images-1");
    // Objects are numbered in the order in which the arguments name them; the buffer of an image comes before it.
    let memory = written["memory"].as_array().unwrap();
    assert_eq!(memory.len(), 4);
    assert_eq!(memory[3]["buffer"], launch["memory"][3]["buffer"]);
    assert_eq!(written["arguments"][1]["filter"], 0x1141);
    assert!(written.get("local").is_none());
    let after = folder.read("captured/images-1/memory1.after");
    assert_eq!(after[..128], [0; 128], "layer 0");
    let word = |n: usize| f32::from_le_bytes(after[n..n + 4].try_into().unwrap());
    // Texel (0, 0) of layer 1: a quarter of the next texel, and the sum of three reads.
    assert!((word(128) - 8.0 / 255.0).abs() < 0.01, "{}", word(128));
    assert!((word(140) - (64.0 + 32.0 / 255.0)).abs() < 0.01, "{}", word(140));
    assert!(!folder.exists("captured/images-1/memory0.after"));
    folder.replays();
}

/// Two sources that are compiled with a header and linked, and a source that includes files.
#[test]
fn headers_and_included_files() {
    let folder = Folder::new("linked");
    let part = |n: u32, options: &str| {
        json!({
            "kind": "source", "options": options, "file": format!("program{n}.cl"), "includes": [], "directories": [],
            "headers": [{ "name": "lib/more.h", "file": "more" }],
        })
    };
    let launch = json!({
        "kernel": "linked", "offset": [3], "global": [5], "local": [5],
        "program": { "kind": "linked", "options": "-cl-fast-relaxed-math", "parts": [part(0, "-D N=5"), part(1, "")] },
        "memory": [buffer("memory0.before", 32)],
        "arguments": [{ "kind": "buffer", "memory": 0, "offset": 0, "size": 32 }],
    });
    let first =
        "#include \"lib/more.h\"\nkernel void linked(global int *p) { p[get_global_id(0)] = more(N); }";
    let second = "#include <lib/more.h>\nint more(int n) { return n * 2; }";
    let files: [(&str, &[u8]); 4] = [
        ("program0.cl", first.as_bytes()),
        ("program1.cl", second.as_bytes()),
        ("more", b"int more(int n);\n"),
        ("memory0.before", &ints(&[1; 8])),
    ];
    folder.describe(&launch, &files);
    folder.capture("linked-1");
    let program = &folder.launch_json("linked-1")["program"];
    assert_eq!(
        (&program["kind"], &program["options"]),
        (&json!("linked"), &json!("-cl-fast-relaxed-math"))
    );
    assert_eq!(program["parts"][0]["options"], "-D N=5");
    assert_eq!(program["parts"][1]["headers"][0]["name"], "lib/more.h");
    let expected = ints(&[1, 1, 1, 10, 10, 10, 10, 10]);
    assert_eq!(folder.read("captured/linked-1/memory0.after"), expected);
    folder.replays();

    // The included files are gone when the capture is replayed.
    std::fs::create_dir_all(folder.0.join("headers/deep")).unwrap();
    folder.write("headers/one.h", b"#include \"deep/two.h\"\n");
    folder.write("headers/deep/two.h", b"#define TWO 2\n");
    folder.write("beside.h", b"#define THREE 3\n");
    let options = format!("-I headers -D FILE={}/headers/one.h", folder.0.display());
    let source = "#define TEXT(x) #x\n#define NAME(x) TEXT(x)\n#include NAME(FILE)\n#include \"one.h\"\n#include \"beside.h\"\n\
                  kernel void included(global int *p) { p[get_global_id(0)] = TWO + THREE; }";
    let mut launch = launch;
    launch["kernel"] = json!("included");
    launch["program"] = built(&options);
    folder.describe(&launch, &[("program0.cl", source.as_bytes())]);
    folder.capture("included-1");
    for gone in ["headers", "beside.h", "captured/linked-1"] {
        let path = folder.0.join(gone);
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
    }
    let expected = ints(&[1, 1, 1, 5, 5, 5, 5, 5]);
    assert_eq!(folder.read("captured/included-1/memory0.after"), expected);
    folder.replays();
}

/// A SPIR-V module with the values of its specialization constants.
#[test]
fn modules_of_spirv() {
    let folder = Folder::new("il");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let module = std::fs::read(root.join("compiler/tests/spirv_text/003_scalar.spv")).unwrap();
    let part = json!({
        "kind": "il", "options": "", "file": "program0.spv", "headers": [], "includes": [], "directories": [],
        "constants": [{ "id": 42, "bytes": "07000000" }, { "id": 43, "bytes": "0000c03f" }],
    });
    let launch = json!({
        "kernel": "k", "offset": [0], "global": [1], "program": { "kind": "built", "options": "", "parts": [part] },
        "memory": [buffer("memory0.before", 8)],
        "arguments": [{ "kind": "buffer", "memory": 0, "offset": 0, "size": 8 }],
    });
    folder.describe(&launch, &[("program0.spv", &module), ("memory0.before", &[0; 8])]);
    folder.capture("k-1");
    assert_eq!(folder.read("captured/k-1/program0.spv"), module);
    assert_eq!(
        folder.launch_json("k-1")["program"]["parts"][0]["constants"],
        part["constants"]
    );
    assert_eq!(
        folder.read("captured/k-1/memory0.after"),
        [7, 0, 0, 0, 0, 0, 0xc0, 0x3f]
    );
    folder.replays();
}

/// A launch that fails leaves a capture without results, which can be executed.
#[test]
fn launches_that_fail_are_captured() {
    let folder = Folder::new("lost");
    let launch = json!({
        "kernel": "fill", "offset": [0], "global": [2], "program": built(""),
        "memory": [buffer("memory0.before", 8)],
        "arguments": [{ "kind": "buffer", "memory": 0, "offset": 0, "size": 8 }],
    });
    let source = b"kernel void fill(global int *p) { p[get_global_id(0)] = 7; }";
    folder.describe(&launch, &[("program0.cl", source), ("memory0.before", &[0; 8])]);
    // The launch is the first submission, because the host writes the buffer.
    let lost = [("CALDERA_CALIBRATION", "off"), ("CALDERA_DEBUG", "lose-device=1")];
    let text = folder.launch("1", &lost);
    assert!(
        text.contains("launch 1 of kernel fill failed ") && text.contains("captured/fill-1 has no results"),
        "{text}"
    );
    assert_eq!(folder.launch_json("fill-1")["results"], "failed");
    let (good, text) = folder.replay(&[]);
    assert!(
        good && text.contains("without captured results: the launch failed") && text.contains(": done; "),
        "{text}"
    );
}

/// What Caldera's checks find is reported, and is a failure.
#[test]
fn kernels_are_checked() {
    let folder = Folder::new("checked");
    let launch = json!({
        "kernel": "beyond", "offset": [0], "global": [2], "program": built(""),
        "memory": [buffer("memory0.before", 8)],
        "arguments": [{ "kind": "buffer", "memory": 0, "offset": 0, "size": 8 }],
    });
    let source = b"kernel void beyond(global int *p) { if (get_global_id(0) == 1) p[1] = p[2] == 12345; }";
    folder.describe(&launch, &[("program0.cl", source), ("memory0.before", &[0; 8])]);
    folder.capture("beyond-1");
    folder.replays();
    let (good, text) = folder.replay(&["--check"]);
    assert!(
        !good && text.contains(": as captured; ") && text.contains("found: {\"check\":\"memory\""),
        "{text}"
    );
}

/// Which launches are captured, and the limit of their bytes.
#[test]
fn launches_are_selected() {
    let folder = Folder::new("selected");
    let launch = json!({
        "kernel": "step", "offset": [0], "global": [4], "program": built(""),
        "memory": [buffer("memory0.before", 1 << 20)],
        "arguments": [{ "kind": "buffer", "memory": 0, "offset": 0, "size": 1 << 20 }],
    });
    let source = b"kernel void step(global int *p) { p[get_global_id(0)] += 1; }";
    folder.describe(
        &launch,
        &[("program0.cl", source), ("memory0.before", &vec![0; 1 << 20])],
    );
    folder.launch("4", &[("CALDERA_CAPTURE_LAUNCHES", "other,step:2-3")]);
    let names = |n: u32| folder.exists(&format!("captured/step-{n}/launch.json"));
    assert_eq!([1, 2, 3, 4].map(names), [false, true, true, false]);
    // A folder of an earlier process stays.
    folder.launch("1", &[("CALDERA_CAPTURE_LAUNCHES", "1")]);
    folder.launch("1", &[]);
    assert!(names(1) && folder.exists("captured/step-1.2/launch.json"));
    folder.replays();
    // One launch has 2 MiB: the contents before and after it.
    std::fs::remove_dir_all(folder.0.join("captured")).unwrap();
    let text = folder.launch(
        "3",
        &[
            ("CALDERA_CAPTURE_LAUNCHES", "*:1-"),
            ("CALDERA_CAPTURE_LIMIT", "4"),
        ],
    );
    assert!(
        text.contains("launch 3 of kernel step is not captured: ") && text.contains("6 MiB"),
        "{text}"
    );
    assert_eq!([1, 2, 3].map(names), [true, true, false]);
}

/// Launches that may access more than their arguments are not captured, and the log says why.
#[test]
fn incomplete_captures_are_refused() {
    let folder = Folder::new("refused");
    let launch = json!({
        "kernel": "far", "offset": [0], "global": [1], "program": built("-cl-std=CL3.0"),
        "memory": [buffer("memory0.before", 8)],
        "arguments": [{ "kind": "buffer", "memory": 0, "offset": 0, "size": 8 }],
    });
    let pointer = "kernel void far(global ulong *p) { if (p[0]) *(global int *)p[0] = 1; }";
    let variable = "global int count; kernel void far(global int *p) { p[0] = count++; }";
    for (source, why) in [
        (
            pointer,
            "the kernel accesses memory through pointers that it loads or makes of numbers",
        ),
        (variable, "the kernel accesses program-scope variables"),
    ] {
        folder.describe(
            &launch,
            &[("program0.cl", source.as_bytes()), ("memory0.before", &[0; 8])],
        );
        let text = folder.launch("1", &[("CALDERA_CL_VERSION", "3.0"), ("CALDERA_ABI", "physical")]);
        let line = format!("launch 1 of kernel far is not captured: {why}");
        assert!(text.contains(&line) && text.contains("\ndone"), "{text}");
        assert!(!folder.exists("captured/far-1"));
    }
}

/// The second platform is the same library with another version of OpenCL, which the kernel stores for one work-item.
#[test]
fn a_launch_is_reduced_while_two_platforms_differ() {
    let folder = Folder::new("reduced");
    let launch = json!({
        "kernel": "version", "offset": [0, 0], "global": [64, 8], "local": [4, 1], "program": built(""),
        "memory": [buffer("memory0.before", 2048)],
        "arguments": [{ "kind": "buffer", "memory": 0, "offset": 0, "size": 2048 }],
    });
    let source = "kernel void version(global int *p) {
        size_t x = get_global_id(0), y = get_global_id(1);
        p[y * 64 + x] = x == 37 && y == 5 ? __OPENCL_VERSION__ : (int)x;
    }";
    folder.describe(
        &launch,
        &[("program0.cl", source.as_bytes()), ("memory0.before", &[0; 2048])],
    );
    folder.capture("version-1");
    folder.replays();
    let newer = format!("{},CALDERA_CL_VERSION=3.0", library());
    let (good, text) = folder.replay(&["--platform", &newer, "--reduce", "reduced"]);
    let line = "1 of 512 elements differ: at byte 1428 300 and 120";
    assert!(
        !good && text.contains(&format!("against the capture: {line}")),
        "{text}"
    );
    assert!(text.contains(&format!("against libcaldera: {line}")), "{text}");
    assert!(
        text.contains("4 work-items are enough for a difference: reduced/version-1"),
        "{text}"
    );
    let written: Value = serde_json::from_slice(&folder.read("reduced/version-1/launch.json")).unwrap();
    assert_eq!(
        (&written["offset"], &written["global"]),
        (&json!([36, 5]), &json!([4, 1]))
    );
    assert_eq!(written["results"], "unknown");
    assert!(
        folder.exists("reduced/version-1/memory0.before")
            && !folder.exists("reduced/version-1/memory0.after")
    );
}
