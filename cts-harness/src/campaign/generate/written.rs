//! Programs whose results the harness has computed, and which it can make smaller.

use crate::Failure;
use crate::campaign::launch::Plan;

/// A program in a form from which smaller ones can be made.
pub(super) trait Form: Send + Sync {
    /// Returns the programs that are one step smaller. Some may not be valid.
    fn smaller(&self) -> Result<Vec<Written>, Failure>;
}

/// A program as text, with its plan in the first line, and the words of its result.
pub(in crate::campaign) struct Written {
    pub(in crate::campaign) text: String,
    pub(in crate::campaign) words: Vec<u64>,
    /// The size that a reduction makes smaller.
    pub(in crate::campaign) size: usize,
    form: Box<dyn Form>,
}

impl Written {
    /// Makes a program of its plan, its text without that, and its result.
    pub(super) fn new(
        plan: &Plan,
        text: &str,
        words: Vec<u64>,
        size: usize,
        form: impl Form + 'static,
    ) -> Result<Written, Failure> {
        Ok(Written {
            text: plan.line()? + text,
            words,
            size,
            form: Box::new(form),
        })
    }

    /// Returns the programs that are one step smaller, the smallest first.
    pub(in crate::campaign) fn smaller(&self) -> Result<Vec<Written>, Failure> {
        let mut all = self.form.smaller()?;
        all.sort_by_key(|w| w.size);
        Ok(all)
    }
}
