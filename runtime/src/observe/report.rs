//! The profile as a table and as JSON.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io::Write as _;

use super::profile::{CommandRow, KernelRow, Path, Sum, Summary};
use super::{hints, json, of_process, words};
use crate::config::ProfileTo;

/// Writes the profile. A failure has a line in the log.
pub(super) fn write(summary: &Summary, to: &ProfileTo) {
    let written = match to {
        ProfileTo::StandardError => std::io::stderr().write_all(table(summary).as_bytes()),
        ProfileTo::File(path) => std::fs::write(of_process(path), as_json(summary)),
    };
    if let Err(e) = written {
        log::error!("the profile cannot be written: {e}");
    }
}

/// Returns a time with at most four digits and its unit.
fn time(ns: u64) -> String {
    let (value, unit) = match ns {
        0..1_000 => return format!("{ns} ns"),
        1_000..1_000_000 => (ns as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => (ns as f64 / 1e6, "ms"),
        _ => (ns as f64 / 1e9, "s"),
    };
    match value {
        0.0..10.0 => format!("{value:.2} {unit}"),
        10.0..100.0 => format!("{value:.1} {unit}"),
        _ => format!("{value:.0} {unit}"),
    }
}

/// Returns a number of bytes with its unit.
fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        10_000_000..10_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}

/// Returns a value, or a dash.
fn or_dash<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".into(), text)
}

/// Returns lines with columns of equal width, aligned to the right but for the last one. The first row has the headings.
fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.first().map_or(0, Vec::len);
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut out = String::new();
    for row in rows {
        for (text, width) in row.iter().zip(&widths).take(count - 1) {
            let _ = write!(out, "  {text:>width$}");
        }
        let _ = writeln!(out, "  {}", row[count - 1]);
    }
    out
}

/// Returns the rows of kernels that were launched on a device, those with the most time first.
fn kernels(summary: &Summary, device: usize) -> Vec<&KernelRow> {
    let rows = summary.tables.kernels.iter();
    let mut rows: Vec<_> = rows.filter(|r| r.device == device && r.sum.calls > 0).collect();
    rows.sort_unstable_by(|a, b| {
        let (a_total, b_total) = (a.sum.total, b.sum.total);
        (b_total, a.name(), a.program).cmp(&(a_total, b.name(), b.program))
    });
    rows
}

/// Returns the rows of other commands on a device, those with the most time first.
fn commands(summary: &Summary, device: usize) -> Vec<&CommandRow> {
    let mut rows: Vec<_> = summary
        .tables
        .commands
        .iter()
        .filter(|r| r.device == device)
        .collect();
    rows.sort_unstable_by_key(|r| (Reverse(r.sum.total), r.kind as u32, r.path == Path::Host));
    rows
}

/// Returns the time that a device spent with commands.
fn device_time(kernels: &[&KernelRow], commands: &[&CommandRow]) -> u64 {
    let of_commands = commands
        .iter()
        .filter(|r| r.path == Path::Device)
        .map(|r| r.sum.total);
    kernels.iter().map(|r| r.sum.total).chain(of_commands).sum()
}

/// Returns the total, the mean, the shortest and the longest time of a sum.
fn times_of(sum: &Sum) -> [String; 4] {
    let any = (sum.timed > 0).then_some(());
    [
        or_dash(any, |()| time(sum.total)),
        or_dash(sum.mean(), time),
        or_dash(any, |()| time(sum.shortest)),
        or_dash(any, |()| time(sum.longest)),
    ]
}

/// Returns the part of a sum in the time of all commands.
fn share(sum: &Sum, whole: u64) -> String {
    let is_known = whole > 0 && sum.timed > 0;
    or_dash(is_known.then_some(()), |()| {
        format!("{:.1} %", 100.0 * sum.total as f64 / whole as f64)
    })
}

/// Returns the table of kernels of a device. The columns of what its driver does not state are left out.
fn kernel_table(rows: &[&KernelRow], whole: u64) -> String {
    let has_registers = rows.iter().any(|r| r.resources.registers.is_some());
    let has_spills = rows.iter().any(|r| r.resources.spills.is_some());
    let is_name_ambiguous = |row: &KernelRow| rows.iter().filter(|r| r.name() == row.name()).count() > 1;
    let line = |numbers: [String; 6], registers: String, spills: String, name: String| {
        let resources = [has_registers.then_some(registers), has_spills.then_some(spills)];
        let all = numbers.into_iter().chain(resources.into_iter().flatten());
        all.chain([name]).collect::<Vec<String>>()
    };
    let heading = ["calls", "total", "mean", "shortest", "longest", "share"].map(String::from);
    let mut lines = vec![line(
        heading,
        "registers".into(),
        "spills".into(),
        "kernel".into(),
    )];
    for row in rows {
        let [total, mean, shortest, longest] = times_of(&row.sum);
        let numbers = [
            row.sum.calls.to_string(),
            total,
            mean,
            shortest,
            longest,
            share(&row.sum, whole),
        ];
        let number = |n: Option<u64>| or_dash(n, |n| n.to_string());
        let name = match is_name_ambiguous(row) {
            true => format!("{} (program {:08x})", row.name(), row.program as u32),
            false => row.name().to_owned(),
        };
        lines.push(line(
            numbers,
            number(row.resources.registers),
            number(row.resources.spills),
            name,
        ));
    }
    columns(&lines)
}

/// Returns the table of the other commands of a device.
fn command_table(rows: &[&CommandRow], whole: u64) -> String {
    let heading = [
        "calls", "bytes", "total", "mean", "share", "GB/s", "by", "command",
    ]
    .map(String::from);
    let mut lines = vec![heading.to_vec()];
    for row in rows {
        let [total, mean, ..] = times_of(&row.sum);
        let (by, part) = match row.path {
            Path::Device => ("device", share(&row.sum, whole)),
            Path::Host => ("host", "-".into()),
        };
        lines.push(vec![
            row.sum.calls.to_string(),
            or_dash((row.sum.bytes > 0).then_some(row.sum.bytes), bytes),
            total,
            mean,
            part,
            or_dash(row.sum.rate(), |rate| format!("{rate:.2}")),
            by.into(),
            words(row.kind),
        ]);
    }
    columns(&lines)
}

/// Returns the profile as text.
fn table(summary: &Summary) -> String {
    let tables = &summary.tables;
    let mut out = format!(
        "caldera: profile of process {}, {} after its first call\n",
        std::process::id(),
        time(summary.time)
    );
    for (device, name) in tables.devices.iter().enumerate() {
        let (kernels, commands) = (kernels(summary, device), commands(summary, device));
        let whole = device_time(&kernels, &commands);
        if kernels.is_empty() && commands.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{name}: {} of device time", time(whole));
        if !kernels.is_empty() {
            out += &kernel_table(&kernels, whole);
        }
        if !commands.is_empty() {
            out += &command_table(&commands, whole);
        }
    }
    if tables.enqueued == 0 {
        out += "\nno command was enqueued\n";
    }
    let (builds, pipelines) = (&tables.builds, &tables.pipelines);
    let _ = writeln!(
        out,
        "\nbuilds: {} in {} ({} failed; {} results from a cache)\npipelines: {} in {} ({} from the driver's cache)",
        builds.calls,
        time(builds.total),
        tables.failed_builds,
        summary.cached_builds,
        pipelines.calls,
        time(pipelines.total),
        tables.known_pipelines
    );
    if tables.failed > 0 {
        let _ = writeln!(out, "{} commands failed", tables.failed);
    }
    if let Some(n) = missing(summary) {
        let _ = writeln!(
            out,
            "{n} commands are missing: nobody waited for them before the exit"
        );
    }
    let hints = hints::all(tables);
    if !hints.is_empty() {
        out += "hints:\n";
    }
    for hint in hints {
        let _ = writeln!(out, "  {hint}");
    }
    out
}

/// Returns the number of commands that are neither complete nor failed, if there are any.
fn missing(summary: &Summary) -> Option<u64> {
    let tables = &summary.tables;
    let over = tables.completed + tables.failed;
    tables.enqueued.checked_sub(over).filter(|n| *n > 0)
}

/// Appends the fields of a sum. Times are in nanoseconds.
fn json_sum(out: &mut String, sum: &Sum) {
    let _ = write!(
        out,
        "\"calls\":{},\"timed\":{},\"total_ns\":{},\"shortest_ns\":{},\"longest_ns\":{}",
        sum.calls, sum.timed, sum.total, sum.shortest, sum.longest
    );
}

/// Returns the profile as JSON.
fn as_json(summary: &Summary) -> String {
    let tables = &summary.tables;
    let mut out = format!(
        "{{\"version\":1,\"process\":{},\"time_ns\":{},\"devices\":",
        std::process::id(),
        summary.time
    );
    json::array(
        &mut out,
        tables.devices.iter().enumerate(),
        |out, (device, name)| {
            out.push_str("{\"name\":");
            json::string(out, name);
            out.push_str(",\"kernels\":");
            json::array(out, kernels(summary, device), |out, row| {
                out.push_str("{\"name\":");
                json::string(out, row.name());
                let _ = write!(out, ",\"program\":\"{:016x}\",", row.program);
                json_sum(out, &row.sum);
                let _ = write!(out, ",\"pipelines\":{},\"registers\":", row.pipelines);
                json::number(out, row.resources.registers);
                out.push_str(",\"spills\":");
                json::number(out, row.resources.spills);
                out.push('}');
            });
            out.push_str(",\"commands\":");
            json::array(out, commands(summary, device), |out, row| {
                out.push_str("{\"name\":");
                json::string(out, &words(row.kind));
                let by = match row.path {
                    Path::Device => "device",
                    Path::Host => "host",
                };
                let _ = write!(out, ",\"by\":\"{by}\",\"bytes\":{},", row.sum.bytes);
                json_sum(out, &row.sum);
                out.push('}');
            });
            out.push('}');
        },
    );
    out.push_str(",\"builds\":{");
    json_sum(&mut out, &tables.builds);
    let _ = write!(
        out,
        ",\"failed\":{},\"cached_results\":{}}},\"pipelines\":{{",
        tables.failed_builds, summary.cached_builds
    );
    json_sum(&mut out, &tables.pipelines);
    let _ = write!(
        out,
        ",\"from_cache\":{}}},\"failed\":{},\"missing\":{},\"hints\":",
        tables.known_pipelines,
        tables.failed,
        missing(summary).unwrap_or(0)
    );
    json::array(&mut out, hints::all(tables), |out, hint| json::string(out, &hint));
    out.push_str("}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::CommandType;

    #[test]
    fn numbers_are_short() {
        let all = [0, 999, 1_000, 12_345, 123_456, 1_234_567, 12_345_678_901];
        let shown = [
            "0 ns", "999 ns", "1.00 µs", "12.3 µs", "123 µs", "1.23 ms", "12.3 s",
        ];
        assert_eq!(all.map(time), shown);
        let all = [0, 9_999, 1_048_576, 40_000_000, 12_345_678_901];
        assert_eq!(
            all.map(bytes),
            ["0 B", "9999 B", "1048.6 kB", "40.0 MB", "12.3 GB"]
        );
    }

    #[test]
    fn commands_have_words() {
        assert_eq!(words(CommandType::ReadBuffer), "read buffer");
        assert_eq!(words(CommandType::NdRangeKernel), "nd range kernel");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [vec!["a".into(), "name".into()], vec!["µ10".into(), "x".into()]];
        assert_eq!(columns(&rows), "    a  name\n  µ10  x\n");
    }
}
