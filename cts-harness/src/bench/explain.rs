//! `bench explain`: what the Vulkan driver says of the code of one kernel. The kernel is not launched: a command that
//! waits for an event that never completes makes Caldera create the pipeline.

use crate::Outcome;
use crate::child::{self, End};
use crate::cl::{self, Argument, Location};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// The time limit of the child process.
const LIMIT: Duration = Duration::from_secs(300);

/// The bytes of each argument in local memory.
const LOCAL: usize = 4096;

/// The sizes in bytes that plain arguments may have.
const SIZES: std::ops::RangeInclusive<usize> = 1..=1024;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    choice: cl::Choice,
}

/// The kernel.
#[derive(clap::Args)]
struct What {
    /// File with the OpenCL C
    file: PathBuf,
    /// Name of the kernel
    kernel: String,
    /// Options for clBuildProgram
    #[arg(long, default_value = "", allow_hyphen_values = true, value_name = "OPTIONS")]
    options: String,
    /// Number of work-items of a work-group
    #[arg(long, default_value_t = 64, value_name = "N")]
    local: usize,
}

/// The arguments of the child process.
#[derive(clap::Args)]
pub(super) struct MakeArgs {
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    place: Location,
}

/// Prints the statistics of a kernel, one in a line.
pub(super) fn explain(args: &Args) -> Outcome {
    let place = args.choice.locate()?;
    let dir = tempfile::tempdir()?;
    let log = dir.path().join("log");
    let mut command = Command::new(std::env::current_exe()?);
    let what = &args.what;
    command
        .args(["bench", "make-pipeline"])
        .args(place.arguments())
        .arg(format!("--options={}", what.options))
        .args(["--local", &what.local.to_string()])
        .arg(&what.file)
        .arg(&what.kernel)
        .env("CALDERA_CACHE", "off")
        .env("CALDERA_DEBUG", "pipeline-statistics")
        .env("CALDERA_LOG", "kernel=info")
        .env("CALDERA_LOG_FILE", &log);
    let (end, said) = child::output(&mut command, LIMIT)?;
    if end != End::Code(0) {
        return fail!("{said}");
    }
    let log = std::fs::read_to_string(&log).unwrap_or_default();
    let lines = statistics(&log, &what.kernel);
    if lines.is_empty() {
        return fail!("the driver says nothing of its code (it lacks VK_KHR_pipeline_executable_properties)");
    }
    lines.iter().for_each(|line| crate::progress::line(line));
    Ok(())
}

/// Returns the statistics of a kernel in a log of Caldera.
fn statistics(log: &str, kernel: &str) -> Vec<String> {
    let start = format!("statistics of {kernel} ");
    let mut found = log
        .lines()
        .filter_map(|line| line.split_once(&start)?.1.split_once(": "));
    let Some((size, list)) = found.next() else {
        return Vec::new();
    };
    let mut lines = vec![format!("{kernel}, work-group {size}")];
    for statistic in list.split("; ") {
        let (name, value) = statistic.split_once(" = ").unwrap_or((statistic, ""));
        lines.push(format!("  {name:<32} {value:>12}"));
    }
    lines
}

/// Makes the pipeline of a kernel, in the child process.
pub(super) fn make_pipeline(args: &MakeArgs) -> Outcome {
    let what = &args.what;
    let source = crate::files::text(&what.file)?;
    let device = args.place.open()?;
    let context = cl::context(std::slice::from_ref(&device))?;
    let queue = device.queue(&context, 0)?;
    let kernel = context.build(&source, &what.options)?.kernel(&what.kernel)?;
    let buffer = context.buffer(0, 4096, std::ptr::null_mut())?;
    for index in 0..kernel.argument_count()? {
        let set = |argument: Argument<'_>| kernel.set(index, argument).is_ok();
        let is_set = set(Argument::Memory(&buffer))
            || set(Argument::Local(LOCAL))
            || SIZES.clone().any(|size| set(Argument::Bytes(&vec![0; size])));
        if !is_set {
            return fail!("argument {index} is neither memory nor a plain value");
        }
    }
    let never = context.user_event()?;
    let launch = queue.launch(
        &kernel,
        what.local,
        Some(what.local),
        std::slice::from_ref(&never),
    );
    // The launch fails with the event, and is not executed.
    never.set_status(-1)?;
    launch.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_found_in_the_log() {
        let log = "caldera 0.1 INFO kernel: statistics of other [64, 1, 1]: Registers = 9\n\
                   caldera 0.2 INFO kernel: statistics of k [64, 1, 1]: Registers = 32; Spills = 0\n";
        let lines = statistics(log, "k");
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], "k, work-group [64, 1, 1]");
        assert_eq!(
            lines[1].split_whitespace().collect::<Vec<_>>(),
            ["Registers", "32"]
        );
        assert!(statistics(log, "absent").is_empty());
    }
}
