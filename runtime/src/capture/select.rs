//! `CALDERA_CAPTURE`, `CALDERA_CAPTURE_LAUNCHES` and `CALDERA_CAPTURE_LIMIT`: where captures go, and of which launches they
//! are made.

use std::collections::HashMap;
use std::path::PathBuf;

/// The default of `CALDERA_CAPTURE_LIMIT` in MiB.
const LIMIT: u64 = 1024;

/// The captures that the environment asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Selection {
    /// The directory for captures.
    pub directory: PathBuf,
    /// The most bytes of the contents of memory objects.
    pub limit: u64,
    items: Vec<Item>,
}

/// Some launches.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Item {
    /// The kernel's name, or its beginning before a `*`; `None`: the numbers count the launches of all kernels.
    name: Option<String>,
    /// The first and the last number.
    numbers: (u64, u64),
}

/// The numbers of a launch, from 1 on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Number {
    /// Among the launches of kernels of the same name.
    pub of_kernel: u64,
    /// Among all launches of the process.
    pub of_all: u64,
}

/// The numbers of launches so far.
#[derive(Default)]
pub(super) struct Counts {
    all: u64,
    by_name: HashMap<String, u64>,
}

impl Counts {
    /// Counts a launch, and returns its numbers.
    pub(super) fn next(&mut self, kernel: &str) -> Number {
        self.all += 1;
        let of_kernel = match self.by_name.get_mut(kernel) {
            Some(count) => {
                *count += 1;
                *count
            }
            None => {
                self.by_name.insert(kernel.to_owned(), 1);
                1
            }
        };
        Number {
            of_kernel,
            of_all: self.all,
        }
    }
}

impl Selection {
    /// Parses the values of the variables.
    pub(crate) fn new(
        directory: PathBuf,
        launches: Option<String>,
        limit: Option<String>,
        complaints: &mut Vec<String>,
    ) -> Selection {
        let launches = launches.unwrap_or_else(|| "*".into());
        let mut items = Vec::new();
        for text in launches.split(',').map(str::trim).filter(|i| !i.is_empty()) {
            match Item::parse(text) {
                Some(item) => items.push(item),
                None => complaints.push(format!(
                    "CALDERA_CAPTURE_LAUNCHES: {text:?} is neither NAME[:N[-[M]]] nor N[-[M]]"
                )),
            }
        }
        let limit = match limit.map(|v| v.parse::<u32>().map_err(|_| v)) {
            None => LIMIT,
            Some(Ok(mib)) => mib.into(),
            Some(Err(v)) => {
                complaints.push(format!("CALDERA_CAPTURE_LIMIT: {v:?} is not a number of MiB"));
                LIMIT
            }
        };
        Selection {
            directory,
            limit: limit << 20,
            items,
        }
    }

    /// Returns whether a launch is to be captured.
    pub(super) fn has(&self, kernel: &str, number: Number) -> bool {
        self.items.iter().any(|item| item.has(kernel, number))
    }
}

impl Item {
    fn parse(text: &str) -> Option<Item> {
        // The name of a kernel begins with no digit, unless a SPIR-V module gives it one.
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            let numbers = numbers(text)?;
            return Some(Item { name: None, numbers });
        }
        let (name, numbers) = match text.rsplit_once(':') {
            Some((name, text)) => (name, numbers(text)?),
            None => (text, (1, 1)),
        };
        let is_name = !name.is_empty() && !name.strip_suffix('*').unwrap_or(name).contains('*');
        is_name.then(|| Item {
            name: Some(name.to_owned()),
            numbers,
        })
    }

    fn has(&self, kernel: &str, number: Number) -> bool {
        let (is_kernel, number) = match &self.name {
            None => (true, number.of_all),
            Some(name) => {
                let is_kernel = match name.strip_suffix('*') {
                    Some(start) => kernel.starts_with(start),
                    None => kernel == name,
                };
                (is_kernel, number.of_kernel)
            }
        };
        is_kernel && (self.numbers.0..=self.numbers.1).contains(&number)
    }
}

/// Parses `N`, `N-M` or `N-`. Numbers count from 1.
fn numbers(text: &str) -> Option<(u64, u64)> {
    let (first, last) = match text.split_once('-') {
        None => (text, Some(text)),
        Some((first, "")) => (first, None),
        Some((first, last)) => (first, Some(last)),
    };
    let first: u64 = first.parse().ok()?;
    let last = last.map_or(Ok(u64::MAX), str::parse).ok()?;
    (0 < first && first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns which of these launches a value selects, as `kernel number`.
    fn selected(value: Option<&str>) -> Vec<String> {
        let mut complaints = Vec::new();
        let selection = Selection::new("d".into(), value.map(str::to_owned), None, &mut complaints);
        assert!(complaints.is_empty(), "{complaints:?}");
        let mut counts = Counts::default();
        let launches = ["a", "b", "a", "ab", "a", "b", "a"];
        launches
            .into_iter()
            .filter_map(|kernel| {
                let number = counts.next(kernel);
                selection
                    .has(kernel, number)
                    .then(|| format!("{kernel} {}", number.of_kernel))
            })
            .collect()
    }

    #[test]
    fn launches_are_selected_by_name_and_number() {
        assert_eq!(selected(None), ["a 1", "b 1", "ab 1"]);
        assert_eq!(selected(Some("a")), ["a 1"]);
        assert_eq!(selected(Some("a*")), ["a 1", "ab 1"]);
        assert_eq!(selected(Some("a:2-3, b:2")), ["a 2", "a 3", "b 2"]);
        assert_eq!(selected(Some("a:3-")), ["a 3", "a 4"]);
        assert_eq!(selected(Some("2,5-6")), ["b 1", "a 3", "b 2"]);
        assert_eq!(selected(Some("*:2-")), ["a 2", "a 3", "b 2", "a 4"]);
        assert!(selected(Some("c")).is_empty());
    }

    #[test]
    fn other_values_are_reported() {
        for wrong in ["a:", "a:x", ":1", "1-x", "a*b", "a**", "3x", "0", "0-2", "3-2"] {
            let mut complaints = Vec::new();
            Selection::new("d".into(), Some(wrong.into()), None, &mut complaints);
            assert_eq!(complaints.len(), 1, "{wrong}");
        }
        let mut complaints = Vec::new();
        let with = Selection::new("d".into(), None, Some("3".into()), &mut complaints);
        assert_eq!((with.limit, complaints.len()), (3 << 20, 0));
        Selection::new("d".into(), None, Some("x".into()), &mut complaints);
        assert_eq!(complaints.len(), 1);
    }
}
