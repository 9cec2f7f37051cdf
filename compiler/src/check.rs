//! The checks of kernels while they run: which there are, and how an instrumented kernel states its findings. Both the
//! compiler and the host use this.
//!
//! A work-item reports its first finding when it ends, as a record in the printf buffer. The format of the record is the
//! text of a [`Site`], and [`FINDING`] lists the record's arguments. Each site has a counter; only the first report of a
//! launch for a site makes a record.
//!
//! Layout of the memory after the printf buffer, from its [`Area`]:
//!
//! | offset | content |
//! |---|---|
//! | `sizes` | two u64 for each kernel argument: the size of its memory in bytes, 0 if it has none, and the offset of the argument in this memory |
//! | `counters` | a u32 for each site: the number of the work-items that report it |
//! | `allocations` | a u32, the number of the ranges that follow it after 8 bytes: pairs of u64, each the address of an allocation and the address after its end |

/// Which checks a kernel makes.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Checks {
    /// Accesses to memory are compared with the object that they are for. Accesses outside of it are left out.
    pub memory: bool,
    /// Uses of private and local memory that nobody has written.
    pub uninitialized: bool,
    /// Accesses of two work-items to the same place in local memory without a barrier between them.
    pub race: bool,
    /// Barriers that not all work-items of a group reach.
    pub barrier: bool,
    /// Divisions by zero, quotients that are too large, and conversions out of range.
    pub arithmetic: bool,
}

impl Checks {
    /// The names of all checks, in the order of the documentation.
    pub const NAMES: [&str; 5] = ["memory", "uninitialized", "race", "barrier", "arithmetic"];

    fn fields(&mut self) -> [&mut bool; 5] {
        [
            &mut self.memory,
            &mut self.uninitialized,
            &mut self.race,
            &mut self.barrier,
            &mut self.arithmetic,
        ]
    }

    /// Parses a list of names, separated by commas. `all` stands for all checks.
    ///
    /// # Errors
    ///
    /// Returns the name that is unknown.
    pub fn parse(list: &str) -> Result<Checks, &str> {
        let mut checks = Checks::default();
        for name in list.split(',').map(str::trim).filter(|n| !n.is_empty()) {
            let is_asked = |check: &str| name == "all" || name == check;
            if !Checks::NAMES.into_iter().any(is_asked) {
                return Err(name);
            }
            for (check, field) in Checks::NAMES.into_iter().zip(checks.fields()) {
                *field |= is_asked(check);
            }
        }
        Ok(checks)
    }

    /// Returns whether there is a check.
    pub fn any(self) -> bool {
        self != Checks::default()
    }
}

/// Where the memory after the printf buffer has what. All numbers are offsets in bytes from the start of the printf
/// buffer.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Area {
    /// The sizes of the arguments' memory: the end of the printf buffer.
    pub sizes: u32,
    /// The counters of the sites.
    pub counters: u32,
    /// The ranges of the allocations.
    pub allocations: u32,
}

impl Area {
    /// Returns the layout for kernels with at most `arguments` arguments and `sites` sites, after a printf buffer of
    /// `printf` bytes.
    pub fn new(printf: u32, arguments: u32, sites: u32) -> Area {
        let sizes = printf.next_multiple_of(8);
        let counters = sizes + 16 * arguments;
        Area {
            sizes,
            counters,
            allocations: (counters + 4 * sites).next_multiple_of(8),
        }
    }

    /// Returns the size of the printf buffer and of what is after it, with a number of allocations.
    pub fn size(&self, allocations: usize) -> u64 {
        u64::from(self.allocations) + 8 + 16 * allocations as u64
    }
}

/// The sizes in bytes of the arguments of a record: the number of the site, the number of the object, the offset of the
/// access in the object, the global id and the local id, each in three dimensions.
pub const FINDING: [u32; 9] = [4, 4, 8, 8, 8, 8, 8, 8, 8];

/// The number of the arguments of [`FINDING`] that a check states; those after them are ids, which are added when the
/// work-item ends.
pub const STATED: usize = 3;

/// What the upper half of the offset of a race has if the other work-item is not known, because there are several or its
/// number in the group is too large. Otherwise it has this number, plus 1.
pub const SEVERAL: u32 = (1 << 12) - 1;

/// The numbers of objects that do not stand for an object of the kernel.
pub mod object {
    /// The pointer comes from memory or from a number. Its offset is its address.
    pub const UNKNOWN: u32 = 0;
    /// The finding is not about an object.
    pub const NONE: u32 = UNKNOWN;
    /// The pointer is NULL.
    pub const NULL: u32 = 1;
    /// The number of the kernel's first object.
    pub const FIRST: u32 = 2;
    /// The greatest number of an object.
    pub const LAST: u32 = (1 << 14) - 1;
}

/// An object that a kernel accesses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Object {
    /// The memory of an argument, by its ordinal.
    Argument(u32),
    /// A variable, or another object of the kernel: words for it, and its size in bytes.
    Other(String, u32),
}

/// A position in the source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Position {
    /// The name of the file; empty if the position is unknown.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
}

/// A place in a kernel that may state a finding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Site {
    /// The check: one of [`Checks::NAMES`].
    pub check: String,
    /// What the kernel does there, such as `load`.
    pub action: String,
    /// The number of bytes that it accesses.
    pub bytes: u32,
    /// The address space, as the source names it.
    pub space: String,
    /// The position of the access.
    pub position: Position,
    /// The text of that line.
    pub line: String,
    /// The macros that the access comes from, outermost first, each with the position in its definition.
    pub macros: Vec<(String, Position)>,
    /// The objects that it may be meant for, with their numbers.
    pub objects: Vec<(u32, Object)>,
}

/// The characters at the start of a site's text.
const MARK: &str = "\u{1}caldera-check";
/// Separates the fields of a site's text.
const FIELD: char = '\u{1f}';
/// Separates the parts of a field.
const PART: char = '\u{1e}';

impl Position {
    fn parts(&self) -> String {
        format!("{}{PART}{}{PART}{}", self.file, self.line, self.column)
    }

    fn from_parts<'t>(parts: &mut impl Iterator<Item = &'t str>) -> Option<Position> {
        Some(Position {
            file: parts.next()?.to_owned(),
            line: parts.next()?.parse().ok()?,
            column: parts.next()?.parse().ok()?,
        })
    }
}

impl Site {
    /// Returns the text that stands for the site in a module.
    pub fn to_text(&self) -> String {
        let clean = |text: &str| text.replace([FIELD, PART, '\0'], " ");
        let position = |p: &Position| {
            let file = clean(&p.file);
            Position { file, ..p.clone() }.parts()
        };
        let mut fields = vec![
            MARK.to_owned(),
            clean(&self.check),
            clean(&self.action),
            self.bytes.to_string(),
            clean(&self.space),
            position(&self.position),
            clean(&self.line),
            self.macros.len().to_string(),
        ];
        let macros = self.macros.iter();
        fields.extend(macros.map(|(name, at)| format!("{}{PART}{}", clean(name), position(at))));
        fields.extend(self.objects.iter().map(|(number, object)| match object {
            Object::Argument(ordinal) => format!("{number}{PART}argument{PART}{ordinal}"),
            Object::Other(words, size) => format!("{number}{PART}{size}{PART}{}", clean(words)),
        }));
        fields.join(&FIELD.to_string())
    }

    /// Returns whether a text is that of a site.
    pub fn is_site(text: impl AsRef<[u8]>) -> bool {
        text.as_ref().starts_with(MARK.as_bytes())
    }

    /// Reads the output of [`Site::to_text`]. `None`: the text is not that of a site.
    pub fn from_text(text: &str) -> Option<Site> {
        let mut fields = text.split(FIELD);
        if fields.next()? != MARK {
            return None;
        }
        let mut site = Site {
            check: fields.next()?.to_owned(),
            action: fields.next()?.to_owned(),
            bytes: fields.next()?.parse().ok()?,
            space: fields.next()?.to_owned(),
            position: Position::from_parts(&mut fields.next()?.split(PART))?,
            line: fields.next()?.to_owned(),
            macros: Vec::new(),
            objects: Vec::new(),
        };
        for _ in 0..fields.next()?.parse::<u32>().ok()? {
            let mut parts = fields.next()?.split(PART);
            let name = parts.next()?.to_owned();
            site.macros.push((name, Position::from_parts(&mut parts)?));
        }
        for field in fields {
            let mut parts = field.split(PART);
            let number = parts.next()?.parse().ok()?;
            let object = match (parts.next()?, parts.next()?) {
                ("argument", ordinal) => Object::Argument(ordinal.parse().ok()?),
                (size, words) => Object::Other(words.to_owned(), size.parse().ok()?),
            };
            site.objects.push((number, object));
        }
        Some(site)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_site_is_read_back() {
        let at = |line| Position {
            file: "a.cl".into(),
            line,
            column: 7,
        };
        let site = Site {
            check: "memory".into(),
            action: "store".into(),
            bytes: 16,
            space: "global".into(),
            position: at(3),
            line: "  p[i]\t= %d;".into(),
            macros: vec![("PUT".into(), at(1)), ("P".into(), Position::default())],
            objects: vec![
                (2, Object::Argument(0)),
                (4, Object::Other("'a' of line 2".into(), 8)),
            ],
        };
        assert_eq!(Site::from_text(&site.to_text()), Some(site));
        assert_eq!(Site::from_text("%d"), None);
        assert_eq!(Site::from_text(MARK), None);
    }

    #[test]
    fn checks_have_names() {
        for list in Checks::NAMES.into_iter().chain(["all", "memory, all"]) {
            assert!(Checks::parse(list).is_ok_and(Checks::any), "{list}");
        }
        assert_eq!(Checks::parse(""), Ok(Checks::default()));
        assert_eq!(Checks::parse("memory,memry"), Err("memry"));
    }
}
