//! Threads whose stacks are sure to be large enough.
//!
//! The stages recurse over the tree of a program, which is as deep as the program is nested. How deep that is, is
//! bounded before anything recurses ([`crate::syntax::nesting`]), and so the stack that it takes is known. A stack
//! is address space that is reserved; only what is touched becomes memory. Where little can be reserved
//! (`ulimit -v`), a smaller stack does for a program that is nested less.

use std::cell::Cell;

/// Stack of a compilation where that much can be reserved.
const PREFERRED: usize = 256 << 20;

/// What remains unused: for the frames of whoever asks next.
const MARGIN: usize = 256 << 10;

thread_local! {
    /// Where the stack of this thread begins, as an address, and its size: of threads that were started here. Nothing
    /// is known of the stack of any other thread, and applications do start some with 16 KiB.
    static STACK: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// An address in the frame of the caller, or close to it.
#[inline(never)]
fn address() -> usize {
    let here = 0u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}

/// What is left of this thread's stack, as far as that is known.
fn left() -> usize {
    STACK
        .get()
        .map_or(0, |(base, size)| size.saturating_sub(base.abs_diff(address())))
}

/// No stack of the size that is needed could be reserved.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct NoStack;

/// Runs something that takes at most `need` bytes of stack: here if this thread has them, or else on a thread that
/// does. Panics go through.
pub(crate) fn run<R: Send>(need: usize, work: impl FnOnce() -> R + Send) -> Result<R, NoStack> {
    if need.saturating_add(MARGIN) <= left() {
        return Ok(work());
    }
    let least = need.saturating_add(2 * MARGIN);
    let mut size = PREFERRED.max(least);
    let mut work = Some(work);
    loop {
        match on_thread(size, &mut work) {
            Ok(result) => return Ok(result),
            Err(NoStack) if size == least => return Err(NoStack),
            Err(NoStack) => size = (size / 2).max(least),
        }
    }
}

/// Takes and runs `work` on a new thread with a stack of this size, if one can be started.
fn on_thread<R: Send>(size: usize, work: &mut Option<impl FnOnce() -> R + Send>) -> Result<R, NoStack> {
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("caldera-compile".into())
            .stack_size(size)
            .spawn_scoped(scope, || {
                STACK.set(Some((address(), size)));
                work.take().map(|work| work())
            })
            .ok()?;
        thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    result.ok_or(NoStack)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_used_again_as_far_as_its_stack_goes() {
        let outer = run(1 << 20, || {
            let id = std::thread::current().id();
            let small = run(8 << 20, || std::thread::current().id());
            let large = run(PREFERRED, || std::thread::current().id());
            (small == Ok(id), large.is_ok_and(|l| l != id))
        });
        assert_eq!(outer, Ok((true, true)));
    }

    #[test]
    fn what_cannot_be_reserved_is_an_error() {
        assert_eq!(run(1 << 60, || ()), Err(NoStack));
    }
}
