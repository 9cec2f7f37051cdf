//! Statements that contain other statements, and the steps that make such a program smaller.

/// A statement.
pub(super) trait Tree: Sized {
    /// Returns the bodies in the statement.
    fn parts(&mut self) -> Vec<&mut Vec<Self>>;
}

/// Returns the number of statements of a body, those inside of others included.
pub(super) fn count<S: Tree>(body: &mut [S]) -> usize {
    let inside = |s: &mut S| s.parts().into_iter().map(|inner| count(inner)).sum::<usize>();
    body.iter_mut().map(|s| 1 + inside(s)).sum()
}

/// Applies a step, which gets a body and the position of the statement in it, to statement number `n` of a body. Returns whether that was
/// possible, or `None` if the body has fewer statements, and then subtracts their number from `n`.
pub(super) fn edit<S: Tree>(
    body: &mut Vec<S>,
    n: &mut usize,
    step: &dyn Fn(&mut Vec<S>, usize) -> bool,
) -> Option<bool> {
    for at in 0..body.len() {
        if *n == 0 {
            return Some(step(body, at));
        }
        *n -= 1;
        for inner in body[at].parts() {
            if let Some(possible) = edit(inner, n, step) {
                return Some(possible);
            }
        }
    }
    None
}

/// Removes a statement.
pub(super) fn remove<S: Tree>(body: &mut Vec<S>, n: usize) -> bool {
    body.remove(n);
    true
}

/// Puts the statements in a statement in its place. Returns whether there are any.
pub(super) fn unwrap<S: Tree>(body: &mut Vec<S>, n: usize) -> bool {
    let inner: Vec<S> = body[n].parts().into_iter().flat_map(std::mem::take).collect();
    let any = !inner.is_empty();
    body.splice(n..=n, inner);
    any
}

/// Removes a statement and those after it in its body.
pub(super) fn without_rest<S: Tree>(body: &mut Vec<S>, n: usize) -> bool {
    body.truncate(n);
    true
}
