//! The checks of kernels at run time, and the form in which an instrumented kernel reports its findings. Both the compiler
//! and the host use this module.
//!
//! A work-item reports its first finding when it ends, as a record in the printf buffer. The format of the record is the
//! text of a [`Site`], and [`FINDING`] lists the record's arguments. Each site has a counter; only the first report of a
//! launch for a site makes a record.
//!
//! Layout of the memory after the printf buffer, from its [`Area`]:
//!
//! | offset | content |
//! |---|---|
//! | `sizes` | a u64 for each kernel argument and each number of [`memory`] |
//! | `counters` | a u32 for each site: the number of the work-items that report it |
//! | `allocations` | a u32, the number of the ranges that follow it after 8 bytes: pairs of u64, each the address of an allocation and the address after its end |

/// Which checks a kernel makes.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Checks {
    /// Accesses to memory are compared with the object that they are for. Accesses outside of it are left out.
    pub memory: bool,
    /// Uses of memory that nobody has written.
    pub uninitialized: bool,
    /// Accesses of two work-items to the same place in local or global memory without a barrier between them.
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

/// The layout of the memory after the printf buffer. All numbers except `unit` are offsets in bytes from the start of the
/// printf buffer.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Area {
    /// The sizes of the arguments' memory: the end of the printf buffer.
    pub sizes: u32,
    /// The counters of the sites.
    pub counters: u32,
    /// The ranges of the allocations.
    pub allocations: u32,
    /// The size in bytes of the elements of global memory that are checked for races; 0 if there is no such check.
    pub unit: u32,
}

/// The bytes before the counters for each argument of a kernel.
pub const ARGUMENT: u32 = 8 * memory::COUNT;

/// The numbers of the facts about the memory of an argument that kernels read.
pub mod memory {
    /// The size in bytes; 0 if there is no memory.
    pub const BYTES: u32 = 0;
    /// The offset of the argument in this memory.
    pub const OFFSET: u32 = 1;
    /// The size if kernels may load from the memory, or 0.
    pub const READABLE: u32 = 2;
    /// The size if kernels may store to the memory, or 0.
    pub const WRITABLE: u32 = 3;
    /// The address of the records of the race check, or 0. There are [`RACE`] bytes for each element of the memory. The
    /// size of the elements is added to this number. Local memory has such records for each work-group.
    pub const RACES: u32 = 16;
    /// The address of the records of the check of uninitialized memory, or 0. There is a byte for each byte of the memory,
    /// which is 255 if the byte has been written. Local memory has such records for each work-group, rounded up to a
    /// multiple of [`GROUP_ALIGN`].
    pub const WRITTEN: u32 = 4;
    /// The number of entries of an argument.
    pub const COUNT: u32 = 6;

    /// The records for a work-group begin at a multiple of this number of bytes.
    pub const GROUP_ALIGN: u32 = 128;

    /// After the entries of the arguments there are entries for the variables in local memory. This one is the address of
    /// the records of the race check about them, or 0.
    pub const RACES_OF_GROUPS: u32 = 0;
    /// The address of the records of the check of uninitialized memory about the variables in local memory, or 0.
    pub const WRITTEN_OF_GROUPS: u32 = 1;

    /// The bytes that the race check records for each element: a word each for the last store, the last load, the last
    /// atomic operation, and the value of the last store.
    pub const RACE: u32 = 16;

    /// Returns the size of the elements that is part of a number.
    pub fn unit(number: u32) -> Option<u32> {
        number.checked_sub(RACES).filter(|unit| *unit > 0)
    }

    /// Returns the position of a number among the entries of an argument.
    pub fn number(number: u32) -> u32 {
        number.min(COUNT - 1)
    }
}

impl Area {
    /// Returns the layout for kernels with at most `arguments` arguments and `sites` sites, after a printf buffer of
    /// `printf` bytes. `unit` is [`Area::unit`].
    pub fn new(printf: u32, arguments: u32, sites: u32, unit: u32) -> Area {
        let sizes = printf.next_multiple_of(8);
        let counters = sizes + ARGUMENT * arguments;
        Area {
            sizes,
            counters,
            allocations: (counters + 4 * sites).next_multiple_of(8),
            unit,
        }
    }

    /// Returns the size in bytes of the printf buffer and of the memory after it, for a number of allocations.
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

/// The word that stands for an access in the check of races: the number of barriers that the work-item had passed, its
/// number plus 1, and the number of the line, from the highest bits to the lowest. 0 stands for no access. The upper half
/// of the offset of a finding has the word of the other access, with the kind of this access in place of the barriers.
pub mod race {
    /// Where the work-item begins.
    pub const ITEM_SHIFT: u32 = 6;
    /// Where the number of barriers begins.
    pub const BARRIER_SHIFT: u32 = 22;
    /// Where the kind of access begins in a finding.
    pub const KIND_SHIFT: u32 = BARRIER_SHIFT;
    /// The kinds of accesses, in the order of their numbers.
    pub const KINDS: [&str; 3] = ["load", "store", "atomic operation"];
    /// The bits of the work-item.
    pub const ITEMS: u32 = SHOWN & !SEVERAL;
    /// The bits of a finding without the kind.
    pub const SHOWN: u32 = (1 << BARRIER_SHIFT) - 1;
    /// In place of the line: several work-items of a group.
    pub const SEVERAL: u32 = (1 << ITEM_SHIFT) - 1;
    /// The number of lines that have a number. 0 stands for the others.
    pub const LINES: u32 = SEVERAL - 1;
    /// The word for work-items of several groups.
    pub const GROUPS: u32 = u32::MAX;
    /// The number of a work-item in its group, for local memory, or in the launch, group by group, for global memory is
    /// taken modulo this prime number.
    pub const MODULUS: u32 = 65521;
}

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
    /// What the address should be a multiple of, if the finding is that it is not; otherwise 0.
    pub align: u32,
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
    /// The lines of the accesses that it may race with, in the order of their numbers, which begin with 1.
    pub others: Vec<Position>,
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

    /// Returns whether two positions are in the same line.
    pub fn same_line(&self, other: &Position) -> bool {
        (self.line, &self.file) == (other.line, &other.file)
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
            self.align.to_string(),
            clean(&self.space),
            position(&self.position),
            clean(&self.line),
            self.macros.len().to_string(),
        ];
        let macros = self.macros.iter();
        fields.extend(macros.map(|(name, at)| format!("{}{PART}{}", clean(name), position(at))));
        fields.push(self.others.len().to_string());
        fields.extend(self.others.iter().map(|other| {
            // Most are in the same file, whose name need not be repeated.
            let is_same = other.file == self.position.file;
            let file = if is_same {
                String::new()
            } else {
                other.file.clone()
            };
            position(&Position {
                file,
                ..other.clone()
            })
        }));
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
            align: fields.next()?.parse().ok()?,
            space: fields.next()?.to_owned(),
            position: Position::from_parts(&mut fields.next()?.split(PART))?,
            line: fields.next()?.to_owned(),
            macros: Vec::new(),
            objects: Vec::new(),
            others: Vec::new(),
        };
        for _ in 0..fields.next()?.parse::<u32>().ok()? {
            let mut parts = fields.next()?.split(PART);
            let name = parts.next()?.to_owned();
            site.macros.push((name, Position::from_parts(&mut parts)?));
        }
        for _ in 0..fields.next()?.parse::<u32>().ok()? {
            let mut other = Position::from_parts(&mut fields.next()?.split(PART))?;
            if other.file.is_empty() {
                other.file.clone_from(&site.position.file);
            }
            site.others.push(other);
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

/// What a check of a kernel leaves out, and what it needs of launches. The text of these notes is a format of the printf
/// buffer that no record has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Notes {
    /// The name of the kernel.
    pub kernel: String,
    /// The check: one of [`Checks::NAMES`].
    pub check: String,
    /// What is not checked: words for it, and the reason.
    pub left_out: Vec<(String, String)>,
    /// The bytes of global memory that the check wants for each work-group ([`memory::RACES_OF_GROUPS`]).
    pub group_bytes: u32,
    /// The arguments of which the kernel notes what it writes ([`memory::WRITTEN`]).
    pub noted: Vec<u32>,
    /// The kernel may write memory that is none of its arguments.
    pub anywhere: bool,
}

/// The characters at the start of the text of notes.
const NOTES: &str = "\u{1}caldera-notes";

impl Notes {
    /// Returns the text that stands for the notes in a module.
    pub fn to_text(&self) -> String {
        let clean = |text: &str| text.replace([FIELD, PART, '\0'], " ");
        let mut fields = vec![
            NOTES.to_owned(),
            clean(&self.kernel),
            clean(&self.check),
            self.group_bytes.to_string(),
            u32::from(self.anywhere).to_string(),
            self.noted.iter().map(|n| format!("{n}{PART}")).collect(),
        ];
        let left_out = self.left_out.iter();
        fields.extend(left_out.map(|(what, why)| format!("{}{PART}{}", clean(what), clean(why))));
        fields.join(&FIELD.to_string())
    }

    /// Returns whether a text is that of notes.
    pub fn is_notes(text: impl AsRef<[u8]>) -> bool {
        text.as_ref().starts_with(NOTES.as_bytes())
    }

    /// Reads the output of [`Notes::to_text`]. `None`: the text is not that of notes.
    pub fn from_text(text: &str) -> Option<Notes> {
        let mut fields = text.split(FIELD);
        if fields.next()? != NOTES {
            return None;
        }
        Some(Notes {
            kernel: fields.next()?.to_owned(),
            check: fields.next()?.to_owned(),
            group_bytes: fields.next()?.parse().ok()?,
            anywhere: fields.next()? != "0",
            noted: fields
                .next()?
                .split(PART)
                .filter_map(|n| n.parse().ok())
                .collect(),
            left_out: fields
                .map(|field| field.split_once(PART).unwrap_or((field, "")))
                .map(|(what, why)| (what.to_owned(), why.to_owned()))
                .collect(),
        })
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
            align: 8,
            space: "global".into(),
            position: at(3),
            line: "  p[i]\t= %d;".into(),
            macros: vec![("PUT".into(), at(1)), ("P".into(), Position::default())],
            objects: vec![
                (2, Object::Argument(0)),
                (4, Object::Other("'a' of line 2".into(), 8)),
            ],
            others: vec![
                at(4),
                Position {
                    file: "b.cl".into(),
                    ..at(5)
                },
            ],
        };
        assert_eq!(Site::from_text(&site.to_text()), Some(site));
        assert_eq!(Site::from_text("%d"), None);
        assert_eq!(Site::from_text(MARK), None);
    }

    #[test]
    fn the_text_of_notes_is_read_back() {
        let notes = Notes {
            kernel: "k".into(),
            check: "race".into(),
            left_out: vec![("local variable 'a'".into(), "it is too large".into())],
            group_bytes: 64,
            noted: vec![0, 12],
            anywhere: true,
        };
        assert_eq!(Notes::from_text(&notes.to_text()), Some(notes));
        assert_eq!(Notes::from_text(NOTES), None);
        assert!(!Notes::is_notes(MARK) && !Site::is_site(NOTES));
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
