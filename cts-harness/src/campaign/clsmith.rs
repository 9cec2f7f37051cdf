//! Programs of CLSmith. The user has its generator; this module runs it and turns its output into a program
//! with a plan.

use super::launch::{Argument, Fill, Launch, Memory, Plan};
use crate::Failure;
use crate::child::{self, End, Limits};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The generator's options: the seed modulo the length selects an entry.
const MODES: [&str; 8] = [
    "",
    "--vectors",
    "--atomics",
    "--barriers --inter_thread_comm --emi",
    "--atomic_reductions --vectors",
    "--fake_divergence --emi",
    "--vectors --barriers --inter_thread_comm --emi",
    "--vectors --atomics --barriers --atomic_reductions --inter_thread_comm --emi",
];

#[derive(clap::Args, Clone)]
pub(crate) struct Generator {
    /// The executable of CLSmith's generator
    #[arg(long, value_name = "FILE")]
    generator: PathBuf,
    /// A folder with CLSmith's headers, besides the generator's own folder; may be given several times
    #[arg(long, value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Options of the generator, separated by commas; by default they change with the seed
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    flags: Option<String>,
    /// Launch at most this number of work-items, in whole work-groups, even if the program asks for more
    #[arg(long, value_name = "N")]
    items: Option<usize>,
}

impl Generator {
    fn options(&self, seed: u64) -> Vec<String> {
        let flags = self
            .flags
            .as_deref()
            .unwrap_or(MODES[(seed % MODES.len() as u64) as usize]);
        let flags = flags.split([',', ' ']).filter(|f| !f.is_empty());
        flags.map(str::to_owned).collect()
    }

    /// Returns the program of a seed and the options that made it, or `None` if the generator does not
    /// finish.
    pub(super) fn program(&self, seed: u64, scratch: &Path) -> Result<Option<(String, String)>, Failure> {
        let options = self.options(seed);
        let (out, log) = (scratch.join("CLProg.c"), scratch.join("generator.log"));
        let mut command = Command::new(std::path::absolute(&self.generator)?);
        command.arg("--seed").arg(seed.to_string()).args(&options);
        command.current_dir(scratch);
        let limits = Limits {
            time: Duration::from_secs(30),
            memory: Some(4 << 30),
        };
        let report = child::run(&mut command, &log, limits)?;
        match report.end {
            End::Code(0) => {}
            // For some seeds the generator does not terminate.
            End::Timeout | End::Signal(_) => return Ok(None),
            End::Code(_) | End::Flood | End::Interrupted => {
                return fail!("the generator ended with {:?}", report.end);
            }
        }
        let text = std::fs::read_to_string(&out)?;
        let mut included = Vec::new();
        let body = self.inline(&text, &mut included)?;
        let plan = plan(&text, self.items.unwrap_or(usize::MAX))?;
        Ok(Some((format!("{}{body}", plan.line()?), options.join(" "))))
    }

    /// Returns the text with each `#include` of CLSmith's headers replaced by the header's text, once per
    /// header.
    fn inline(&self, text: &str, included: &mut Vec<String>) -> Result<String, Failure> {
        let mut all = String::new();
        for line in text.lines() {
            let name = line.strip_prefix("#include \"").and_then(|l| l.strip_suffix('"'));
            match name {
                None => all += &format!("{line}\n"),
                Some(name) if included.iter().any(|i| i == name) => {}
                Some(name) => {
                    included.push(name.to_owned());
                    let own = self.generator.parent().map(Path::to_owned);
                    let mut places = self.include.iter().cloned().chain(own);
                    let file = places.find_map(|dir| std::fs::read_to_string(dir.join(name)).ok());
                    let file = file.ok_or_else(|| failure!("{name} is in no --include folder"))?;
                    all += &self.inline(&file, included)?;
                }
            }
        }
        Ok(all)
    }
}

/// Returns the launch that the first line of CLSmith's output describes, as CLSmith's own launcher would do
/// it, but with at most `most` work-items (and at least one work-group).
fn plan(text: &str, most: usize) -> Result<Plan, Failure> {
    let line = text.lines().next().unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let has = |name: &str| words.contains(&name);
    let value = |name: &str| {
        let at = words.iter().position(|w| *w == name)?;
        words.get(at + 1).copied()
    };
    let sizes = |name: &str, default: usize| -> Result<Vec<usize>, Failure> {
        let text = value(name).map_or_else(|| Ok(vec![default]), |v| v.split(',').map(str::parse).collect());
        text.map_err(|e: std::num::ParseIntError| failure!("{line}: {e}"))
    };
    let (mut global, local) = (sizes("-g", 1024)?, sizes("-l", 32)?);
    for d in 0..global.len().min(local.len()) {
        let others: usize = global.iter().product::<usize>() / global[d].max(1);
        let groups = most / others.max(1) / local[d].max(1);
        global[d] = global[d].min(local[d] * groups.max(1));
    }
    let items: usize = global.iter().product();
    let groups: usize = global.iter().zip(&local).map(|(g, l)| g / l.max(&1)).product();
    let mut memory = vec![Memory::result(items * 8, Fill::Zero)];
    let mut add = |count: usize, width: usize, start: i64, step: i64| {
        memory.push(Memory::input(count * width, Fill::Line { width, start, step }));
    };
    if let Some(counters) = value("--atomics") {
        let counters: usize = counters.parse()?;
        add(counters * groups, 4, 0, 0);
        add(counters * groups, 4, 0, 0);
    }
    if has("---atomic_reductions") {
        add(groups, 4, 0, 0);
    }
    if has("---emi") {
        add(1024, 4, 1024, -1);
    }
    if has("---fake_divergence") {
        add(global.iter().copied().max().unwrap_or(1), 4, 10, 1);
    }
    if has("---inter_thread_comm") {
        add(items, 8, 1, 0);
    }
    let arguments = (0..memory.len()).map(Argument::Memory).collect();
    let offset = vec![0; global.len()];
    Ok(Plan {
        options: "-w".into(),
        std: None,
        memory,
        launches: vec![Launch::new("entry", [offset, global, local], arguments)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launch_of_a_first_line() {
        let line = "// --atomics 3 ---inter_thread_comm -g 4,6,1 -l 2,3,1\nmore";
        let p = plan(line, usize::MAX).unwrap();
        assert_eq!(
            (&p.launches[0].global[..], &p.launches[0].local[..]),
            (&[4, 6, 1][..], &[2, 3, 1][..])
        );
        let bytes: Vec<usize> = p.memory.iter().map(|m| m.bytes).collect();
        assert_eq!(bytes, [24 * 8, 3 * 4 * 4, 3 * 4 * 4, 24 * 8]);
        for (most, global) in [(12, [2, 6, 1]), (7, [2, 3, 1]), (1, [2, 3, 1])] {
            assert_eq!(plan(line, most).unwrap().launches[0].global, global);
        }
        assert!(plan("// -g 1,x", 1).is_err());
    }
}
