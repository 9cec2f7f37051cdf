//! The report of a finding: on standard error, in the file of `CALDERA_CHECK_FILE`, and through the context's notify
//! function.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::LazyLock;

use caldera_compiler::check::{Position, Site, race};

use crate::config::config;
use crate::lock::{Mutex, Rank};
use crate::observe::json;

/// Where an access is in its object.
#[derive(Copy, Clone)]
pub(super) struct Place {
    /// The offset of the access in bytes; an address if the object is unknown, and an index if the finding is about one.
    pub offset: i64,
    /// The size of the object in bytes.
    pub size: u64,
}

/// The other access of a race.
pub(super) struct Other {
    /// The place of the access in the source; the line is 0 if it is unknown.
    position: Position,
    /// Its work-item, in words.
    item: String,
}

impl Other {
    /// Returns the other access that a word of a finding describes, whose parts [`race`] defines. Adds its kind to the action of
    /// the site.
    pub(super) fn new(site: &mut Site, word: u32) -> Other {
        let kind = race::KINDS
            .get((word >> race::KIND_SHIFT) as usize)
            .unwrap_or(&"");
        let article = if kind.starts_with('a') { "an" } else { "a" };
        site.action = format!("{} that races with {article} {kind}", site.action);
        let word = word & race::SHOWN;
        let (line, number) = (word & race::SEVERAL, word >> race::ITEM_SHIFT);
        let position = (line as usize).checked_sub(1).and_then(|n| site.others.get(n));
        let number = number.saturating_sub(1);
        let item = match line {
            race::SEVERAL if word == race::GROUPS & race::SHOWN => "work-items of several groups".into(),
            race::SEVERAL => "several work-items of a group".into(),
            _ if site.space == "local" => format!("the work-item with the local linear id {number}"),
            _ => format!(
                "work-item {number} of the launch, counted group by group from 0, modulo {}",
                race::MODULUS
            ),
        };
        Other {
            position: position.cloned().unwrap_or_default(),
            item,
        }
    }
}

/// A finding at a site, for one launch.
pub(super) struct Finding<'a> {
    pub kernel: &'a str,
    pub site: Site,
    /// The object that the access is meant for, in words.
    pub object: String,
    /// Where the access is, in words.
    pub beyond: String,
    pub place: Place,
    /// Whether the flags of the buffer do not allow the access.
    pub forbidden: bool,
    /// The other side of a race.
    pub other: Option<Other>,
    pub global_id: [u64; 3],
    pub local_id: [u64; 3],
    /// The number of work-items of the launch that made their first finding at this site.
    pub count: u64,
}

/// The findings of the process at each site: the number of launches with findings, and the number of findings.
static KNOWN: LazyLock<Mutex<HashMap<String, (u64, u64)>>> =
    LazyLock::new(|| Mutex::new(Rank::Cache, HashMap::new()));

/// Reports a finding. The same site is reported again by its 10th, 100th, … launch only.
pub(super) fn report(finding: &Finding<'_>, told: &mut dyn FnMut(String)) {
    let key = format!("{}\0{}", finding.kernel, finding.site.to_text());
    let (launches, total) = {
        let mut known = KNOWN.lock();
        let (launches, total) = known.entry(key).or_default();
        *launches += 1;
        *total += finding.count;
        (*launches, *total)
    };
    let mut power = launches;
    while power.is_multiple_of(10) {
        power /= 10;
    }
    if power != 1 {
        return;
    }
    tell(&text(finding, launches, total), told);
    if let Some(path) = &config().check_file {
        let line = as_json(finding, launches, total);
        let opened = OpenOptions::new().create(true).append(true).open(path);
        if let Err(e) = opened.and_then(|mut file| file.write_all(line.as_bytes())) {
            log::error!("{}: a finding cannot be written: {e}", path.display());
        }
    }
}

/// Writes text to standard error and passes it to the application.
pub(super) fn tell(text: &str, told: &mut dyn FnMut(String)) {
    // A failure to write, for example to a closed stream, must not disturb the application, so it is ignored.
    let _ = std::io::stderr().write_all(text.as_bytes());
    told(text.trim_end().to_owned());
}

/// Returns a position in words.
fn at(p: &Position) -> String {
    match p.file.is_empty() {
        true => "at an unknown position".into(),
        false => format!("{}:{}:{}", p.file, p.line, p.column),
    }
}

fn ids(list: [u64; 3]) -> String {
    let [x, y, z] = list;
    format!("({x}, {y}, {z})")
}

/// Returns the report as text.
fn text(f: &Finding<'_>, launches: u64, total: u64) -> String {
    let Site {
        check,
        action,
        bytes,
        space,
        position,
        line,
        macros,
        ..
    } = &f.site;
    let mut out = format!("caldera: {check}: {}: {action}", at(position));
    if *bytes > 0 {
        let s = if *bytes == 1 { "" } else { "s" };
        let what = match check.as_str() {
            "uninitialized" => " that nobody has written",
            "race" => " by another work-item",
            _ if f.site.align > 0 => "",
            _ if f.forbidden => " that the flags of its buffer do not allow",
            _ => " outside of its object",
        };
        let _ = write!(out, " of {bytes} byte{s}{what} in {space} memory");
    }
    out.push('\n');
    if !line.trim().is_empty() {
        let before = line
            .get(..(position.column as usize).saturating_sub(1))
            .unwrap_or("");
        let indent: String = before
            .chars()
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let _ = writeln!(out, "    {line}\n    {indent}^");
    }
    for (name, position) in macros {
        let _ = writeln!(out, "    in the expansion of macro '{name}', {}", at(position));
    }
    if *bytes > 0 {
        let _ = writeln!(out, "    object: {}", f.object);
        let _ = writeln!(out, "    access: {}", f.beyond);
        if let Some(other) = &f.other {
            let place = match other.position.line {
                0 => String::new(),
                line => format!("in {}:{line}, ", other.position.file),
            };
            let _ = writeln!(out, "    other access: {place}by {}", other.item);
        }
    }
    if check == "memory" && *bytes == 0 {
        let _ = writeln!(out, "    index: {}", f.place.offset);
    }
    let (global, local) = (ids(f.global_id), ids(f.local_id));
    let _ = writeln!(
        out,
        "    kernel '{}', global id {global}, local id {local}",
        f.kernel
    );
    let items = if total == 1 { "work-item" } else { "work-items" };
    let _ = match launches {
        1 => writeln!(out, "    found by {total} {items} of this launch"),
        _ => writeln!(out, "    found by {total} {items} of {launches} launches"),
    };
    out
}

/// Returns a text as a string of JSON.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    json::string(&mut out, text);
    out
}

/// Returns the report as a line with an object of JSON.
fn as_json(f: &Finding<'_>, launches: u64, total: u64) -> String {
    let position = |p: &Position| {
        format!(
            "\"file\":{},\"line\":{},\"column\":{}",
            quoted(&p.file),
            p.line,
            p.column
        )
    };
    let macros = f.site.macros.iter();
    let macros = macros.map(|(name, p)| format!("{{\"macro\":{},{}}}", quoted(name), position(p)));
    format!(
        "{{\"check\":{},\"action\":{},\"bytes\":{},\"space\":{},{},\"text\":{},\"macros\":[{}],\"kernel\":{},\
         \"object\":{},\"access\":{},\"other\":{},\"other_line\":{},\"offset\":{},\"size\":{},\"global_id\":{:?},\"local_id\":{:?},\
         \"count\":{total},\"launches\":{launches}}}\n",
        quoted(&f.site.check),
        quoted(&f.site.action),
        f.site.bytes,
        quoted(&f.site.space),
        position(&f.site.position),
        quoted(&f.site.line),
        macros.collect::<Vec<_>>().join(","),
        quoted(f.kernel),
        quoted(&f.object),
        quoted(&f.beyond),
        quoted(f.other.as_ref().map_or("", |o| o.item.as_str())),
        f.other.as_ref().map_or(0, |o| o.position.line),
        f.place.offset,
        f.place.size,
        f.global_id,
        f.local_id,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding() -> Finding<'static> {
        let at = |line| Position {
            file: "<source>".into(),
            line,
            column: 3,
        };
        Finding {
            kernel: "k",
            site: Site {
                check: "memory".into(),
                action: "store".into(),
                bytes: 4,
                space: "global".into(),
                position: at(2),
                line: "\t PUT(\"x\");".into(),
                macros: vec![("PUT".into(), at(1))],
                ..Site::default()
            },
            object: "argument 0 'out' (buffer 1 of 64 bytes)".into(),
            beyond: "at offset 64, 0 bytes after its end".into(),
            place: Place { offset: 64, size: 64 },
            forbidden: false,
            other: None,
            global_id: [16, 0, 0],
            local_id: [0; 3],
            count: 3,
        }
    }

    #[test]
    fn reports_name_all_that_is_known() {
        let expected = "\
caldera: memory: <source>:2:3: store of 4 bytes outside of its object in global memory
    \t PUT(\"x\");
    \t ^
    in the expansion of macro 'PUT', <source>:1:3
    object: argument 0 'out' (buffer 1 of 64 bytes)
    access: at offset 64, 0 bytes after its end
    kernel 'k', global id (16, 0, 0), local id (0, 0, 0)
    found by 3 work-items of this launch
";
        assert_eq!(text(&finding(), 1, 3), expected);
    }

    #[test]
    fn misaligned_accesses_and_indices_have_reports() {
        let mut found = finding();
        found.site.action = "misaligned store".into();
        found.site.align = 4;
        found.beyond = "at offset 6, which is no multiple of 4".into();
        let words = text(&found, 1, 1);
        assert!(
            words.contains(": misaligned store of 4 bytes in global memory\n"),
            "{words}"
        );
        assert!(
            words.contains("    access: at offset 6, which is no multiple of 4\n"),
            "{words}"
        );
        let mut found = finding();
        found.site.bytes = 0;
        found.place.offset = 5;
        let words = text(&found, 1, 1);
        assert!(
            words.contains("\n    index: 5\n") && !words.contains("object:"),
            "{words}"
        );
    }

    #[test]
    fn reports_are_objects_of_json() {
        let expected = "{\"check\":\"memory\",\"action\":\"store\",\"bytes\":4,\"space\":\"global\",\
            \"file\":\"<source>\",\"line\":2,\"column\":3,\"text\":\"\\u0009 PUT(\\\"x\\\");\",\
            \"macros\":[{\"macro\":\"PUT\",\"file\":\"<source>\",\"line\":1,\"column\":3}],\"kernel\":\"k\",\
            \"object\":\"argument 0 'out' (buffer 1 of 64 bytes)\",\
            \"access\":\"at offset 64, 0 bytes after its end\",\"other\":\"\",\"other_line\":0,\"offset\":64,\"size\":64,\
            \"global_id\":[16, 0, 0],\"local_id\":[0, 0, 0],\"count\":5,\"launches\":2}\n";
        assert_eq!(as_json(&finding(), 2, 5), expected);
    }
}
