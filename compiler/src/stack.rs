//! Threads whose stacks are known to be large enough.
//!
//! The stages recurse over the tree of a program, which is as deep as the program is nested. That depth is
//! bounded before any stage recurses ([`crate::syntax::nesting`]), so the required stack size is known. A
//! stack reserves address space; only the pages that are touched use memory. Where little address space can
//! be reserved (`ulimit -v`), a smaller stack is used, which is enough for a program with less nesting and leaves three
//! times as much for everything else.

use std::cell::Cell;

/// The preferred size of the stack of a compilation, in bytes.
const PREFERRED: usize = 256 << 20;

/// The part of a limited address space that a stack may take, unless it needs more: one of this many. A large program
/// without nesting needs more memory for its tree than for its stack.
const SHARES: usize = 4;

/// The number of bytes that stay free for the frames of functions that the stages call.
const MARGIN: usize = 256 << 10;

thread_local! {
    /// The address where this thread's stack begins, and the stack's size, on threads that this module
    /// started. The stack of any other thread is unknown; some applications start threads with 16 KiB.
    static STACK: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// Returns an address in or near the frame of the caller.
#[inline(never)]
fn address() -> usize {
    let here = 0u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}

/// Returns the number of bytes left on this thread's stack, or 0 if the stack is unknown.
fn left() -> usize {
    STACK
        .get()
        .map_or(0, |(base, size)| size.saturating_sub(base.abs_diff(address())))
}

/// A stack of the required size could not be reserved.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct NoStack;

/// Runs `work`, which needs at most `need` bytes of stack: on this thread if its stack suffices, else on a
/// new thread. A panic of `work` is propagated.
pub(crate) fn run<R: Send>(need: usize, work: impl FnOnce() -> R + Send) -> Result<R, NoStack> {
    if need.saturating_add(MARGIN) <= left() {
        return Ok(work());
    }
    let least = need.saturating_add(2 * MARGIN);
    let mut size = PREFERRED.max(least);
    let mut work = Some(work);
    loop {
        // A stack that leaves too little of a limited address space would end the process at a later allocation.
        if size > least && !can_reserve(size.saturating_mul(SHARES)) {
            size = (size / 2).max(least);
            continue;
        }
        match on_thread(size, &mut work) {
            Ok(result) => return Ok(result),
            Err(NoStack) if size == least => return Err(NoStack),
            Err(NoStack) => size = (size / 2).max(least),
        }
    }
}

/// Returns whether `size` contiguous bytes of address space are free.
fn can_reserve(size: usize) -> bool {
    let mut bytes = Vec::<u8>::new();
    let reserved = bytes.try_reserve_exact(size).is_ok();
    // Without this, the optimizer may leave the allocation out.
    std::hint::black_box(&bytes);
    reserved
}

/// Runs `work` on a new thread with a stack of this size. If the thread cannot be started, `work` is left in
/// place.
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
