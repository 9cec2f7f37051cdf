//! A fake CTS build with fake programs, and a fake device, which is only described in a file.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with the build, which is deleted at the end of the test.
pub(crate) struct Fake {
    dir: PathBuf,
}

/// The exit code and the output of a call of the harness.
pub(crate) struct Given {
    pub(crate) code: Option<i32>,
    /// Standard output and standard error.
    pub(crate) text: String,
}

impl Given {
    pub(crate) fn of(output: Output) -> Given {
        let text = [output.stdout, output.stderr].concat();
        Given {
            code: output.status.code(),
            text: String::from_utf8_lossy(&text).into_owned(),
        }
    }

    /// Checks that the output has each of these parts; the message of a failure has the whole output.
    #[track_caller]
    pub(crate) fn has(&self, parts: &[&str]) -> &Given {
        for part in parts {
            assert!(self.text.contains(part), "«{part}» is not in\n{}", self.text);
        }
        self
    }

    #[track_caller]
    pub(crate) fn lacks(&self, part: &str) -> &Given {
        assert!(!self.text.contains(part), "«{part}» is in\n{}", self.text);
        self
    }

    #[track_caller]
    pub(crate) fn ends(&self, code: i32) -> &Given {
        assert_eq!(self.code, Some(code), "{}", self.text);
        self
    }
}

impl Fake {
    /// Creates a build whose programs `test_<name>` have these sub-tests.
    pub(crate) fn new(name: &str, suites: &[(&str, &str)]) -> Fake {
        let dir = std::env::temp_dir().join(format!("caldera-cts-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake/suite");
        for (suite, subtests) in suites {
            let at = dir.join("build/test_conformance").join(suite);
            std::fs::create_dir_all(&at).unwrap();
            std::os::unix::fs::symlink(&script, at.join(format!("test_{suite}"))).unwrap();
            let lines: String = subtests.split_whitespace().map(|s| format!("{s}\n")).collect();
            std::fs::write(at.join("subtests"), lines).unwrap();
        }
        let fake = Fake { dir };
        std::fs::create_dir_all(fake.path("expectations")).unwrap();
        fake.device("Fake", "1.0");
        fake
    }

    /// Changes the description of the device.
    pub(crate) fn device(&self, platform: &str, driver: &str) {
        let text = format!(
            "{{\"platform\":\"{platform}\",\"device\":\"Thing\",\"type\":\"cpu\",\"version\":\"OpenCL 1.2\",\
             \"driver\":\"{driver}\",\"platform_index\":0,\"device_index\":1}}\n"
        );
        std::fs::write(self.path("device.json"), text).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Returns the command `cts …`, to be run in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_caldera-harness"));
        command
            .arg("cts")
            .args(arguments)
            .current_dir(&self.dir)
            .env("CARGO_TARGET_DIR", self.path("target"))
            .env("CALDERA_CTS_DIR", self.path("build"));
        command
    }

    /// Runs `cts …` to its end.
    pub(crate) fn cts(&self, arguments: &[&str]) -> Given {
        Given::of(self.command(arguments).output().unwrap())
    }

    /// Returns the arguments of `cts run …` with the output folder `out`.
    pub(crate) fn run_arguments<'a>(&self, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let mut all = vec![
            "run",
            "--described",
            "device.json",
            "--expectations",
            "expectations",
            "--out",
            out,
        ];
        all.extend(more);
        all
    }

    /// Runs `cts run …` with the output folder `out`.
    pub(crate) fn run(&self, out: &str, more: &[&str]) -> Given {
        self.cts(&self.run_arguments(out, more))
    }

    /// Returns the results in a run folder as lines `name status`, sorted.
    pub(crate) fn results(&self, out: &str) -> Vec<String> {
        let mut all: Vec<String> = self
            .read(&format!("{out}/results.jsonl"))
            .lines()
            .map(|line| {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                format!(
                    "{} {}",
                    value["name"].as_str().unwrap(),
                    value["status"].as_str().unwrap()
                )
            })
            .collect();
        all.sort();
        all
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}
