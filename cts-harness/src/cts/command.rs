//! Builds the command that runs sub-tests, and its text, with which a person can run it by hand or under a
//! debugger.

use super::checks::Checks;
use super::plan::Share;
use super::platform::Target;
use super::select::Case;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Returns the command that runs the program of the cases' suite in the program's directory, for the names of
/// the cases and on the target's device.
pub(super) fn command(cases: &[Case], target: &Target, wimpy: bool, share: Share) -> Command {
    let suite = &cases[0].suite;
    let mut command = Command::new(&suite.program);
    command.args(&suite.row.arguments);
    command.args(cases.iter().flat_map(Case::arguments));
    if wimpy {
        command.arg("-w");
        // In the full mode the test's own thread pool keeps its default size, as in a conformance submission.
        if share.jobs > 1 {
            command.args(["-t", &share.threads.to_string()]);
        }
    }
    command.envs(target.environment.iter().map(|(n, v)| (n, v)));
    if share.jobs > 1 {
        let threads = share.threads.to_string();
        // llvmpipe has these threads in addition to the thread of the queue. That thread does all the work if
        // their number is 0.
        let helpers = if share.threads == 1 { "0" } else { &threads };
        command.env("LP_NUM_THREADS", helpers);
        command.env("POCL_MAX_PTHREAD_COUNT", &threads);
    }
    // Some programs look for their files in the current directory.
    if let Some(dir) = suite.program.parent() {
        command.current_dir(dir);
    }
    command
}

pub(super) fn by_hand(case: &Case, target: &Target, wimpy: bool, checks: &Checks) -> String {
    let share = Share { jobs: 1, threads: 1 };
    let mut command = command(std::slice::from_ref(case), target, wimpy, share);
    // The messages of the validation layer appear in the output.
    command.envs(checks.environment(Path::new("dump")));
    as_text(&command)
}

fn as_text(command: &Command) -> String {
    let mut words = Vec::new();
    if let Some(dir) = command.get_current_dir() {
        words.push(format!("cd {} &&", quoted(dir.as_os_str())));
    }
    for (name, value) in command.get_envs() {
        let value = value.map(quoted).unwrap_or_default();
        words.push(format!("{}={value}", name.to_string_lossy()));
    }
    words.push(quoted(command.get_program()));
    words.extend(command.get_args().map(quoted));
    words.join(" ")
}

fn quoted(word: &OsStr) -> String {
    shell_words::quote(&word.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_the_text() {
        let mut command = Command::new("printf");
        command
            .args(["%s,", "a b", "it's", ""])
            .env("X", "1 2")
            .current_dir("/");
        let text = as_text(&command);
        assert_eq!(text, r"cd / && X='1 2' printf '%s,' 'a b' 'it'\''s' ''");
        let output = Command::new("sh").args(["-c", &text]).output().unwrap();
        assert_eq!(output.stdout, b"a b,it's,,");
    }
}
