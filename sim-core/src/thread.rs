//! Simulated threads: stackful coroutines that run ordinary Rust.

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// A simulated thread between two of its suspensions.
pub(crate) struct Thread {
    coroutine: Coroutine<(), (), ()>,
}

/// The way back to the scheduler, valid on the thread's own stack.
pub(crate) type WayBack = *const Yielder<(), ()>;

impl Thread {
    /// A thread that will run `body`; `started` is told the way back before anything else.
    pub(crate) fn new(
        stack_bytes: usize,
        started: impl FnOnce(WayBack) + 'static,
        body: impl FnOnce() + 'static,
    ) -> std::io::Result<Self> {
        let stack = DefaultStack::new(stack_bytes)?;
        let coroutine = Coroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| {
            started(yielder);
            body();
        });
        Ok(Self { coroutine })
    }

    /// Runs the thread until it suspends (`true`) or ends (`false`). A panic inside passes through.
    #[inline]
    pub(crate) fn resume(&mut self) -> bool {
        matches!(self.coroutine.resume(()), CoroutineResult::Yield(()))
    }
}

/// Suspends the thread whose way back this is.
///
/// # Safety
/// Called on that thread's own stack, while it is running.
#[inline(always)]
pub(crate) unsafe fn suspend(way_back: WayBack) {
    // SAFETY: the yielder lives in the thread's bottom frame, which is below the caller's.
    unsafe { (*way_back).suspend(()) }
}
