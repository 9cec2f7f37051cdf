//! What the checks of kernels leave out: each kernel says so once, when it is launched first.

use std::collections::HashSet;
use std::sync::LazyLock;

use caldera_compiler::check::Notes;

use super::report::tell;
use crate::lock::{Mutex, Rank};

/// The most things that a line lists.
const MOST: usize = 6;

/// States once for each kernel and check what is not checked.
pub(crate) fn tell_left_out<'n>(notes: impl Iterator<Item = &'n Notes>) {
    static TOLD: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(|| Mutex::new(Rank::Cache, HashSet::new()));
    for notes in notes.filter(|n| !n.left_out.is_empty()) {
        let text = text(notes);
        if TOLD.lock().insert(text.clone()) {
            tell(&text, &mut |_| ());
        }
    }
}

/// Returns the line for the notes.
fn text(notes: &Notes) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (what, why) in notes.left_out.iter().take(MOST) {
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, list)) => list.push(what),
            None => reasons.push((why, vec![what])),
        }
    }
    let list = reasons
        .iter()
        .map(|(why, list)| format!("{} ({why})", list.join(", ")));
    let mut list: Vec<String> = list.collect();
    let more = notes.left_out.len().saturating_sub(MOST);
    if more > 0 {
        list.push(format!("{more} others"));
    }
    let (check, kernel) = (&notes.check, &notes.kernel);
    format!(
        "caldera: {check}: not checked in kernel '{kernel}': {}\n",
        list.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_named_once() {
        let left = |n: usize| (format!("local variable 'v{n}' of 4 bytes"), "no room".to_owned());
        let mut notes = Notes {
            kernel: "k".into(),
            check: "race".into(),
            left_out: vec![left(1), ("argument 0 'p'".into(), "a loop".into()), left(2)],
            ..Notes::default()
        };
        let expected = "caldera: race: not checked in kernel 'k': local variable 'v1' of 4 bytes, \
                        local variable 'v2' of 4 bytes (no room); argument 0 'p' (a loop)\n";
        assert_eq!(text(&notes), expected);
        notes.left_out = (0..9).map(left).collect();
        assert!(text(&notes).ends_with(" (no room); 3 others\n"));
    }
}
