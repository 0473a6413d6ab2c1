//! A closure as the library's progress callback.
//!
//! The library calls it on the thread that made the call, so what a thread has to know of its closures is its own:
//! which of them run now, and the panic of one, which must not cross the library.

use crate::error::{Error, Result, Status};
use crate::sys;
use std::any::Any;
use std::cell::RefCell;
use std::os::raw::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;

/// What the callback's `user` points to. Calls that only read may run side by side, and so may the closure.
pub(crate) struct Progress {
    closure: Box<dyn Fn(f64) -> bool + Send + Sync>,
}

thread_local! {
    static RUNNING: RefCell<Vec<*const Progress>> = const { RefCell::new(Vec::new()) };
    static PANIC: RefCell<Option<Box<dyn Any + Send>>> = const { RefCell::new(None) };
}

impl Progress {
    pub(crate) fn new(closure: impl Fn(f64) -> bool + Send + Sync + 'static) -> Progress {
        Progress { closure: Box::new(closure) }
    }

    /// The library keeps locks of a handle while it reports: a closure must not call into the handle that it hears.
    pub(crate) fn refuse_itself(&self) -> Result<()> {
        let runs = RUNNING.try_with(|running| running.borrow().iter().any(|one| ptr::eq(*one, self)));
        if runs != Ok(true) {
            return Ok(());
        }
        Err(Error::new(Status::InvalidState, "a progress closure must not use what it hears the progress of"))
    }
}

/// While it lives a closure runs on this thread.
struct Running;

impl Running {
    fn begin(progress: *const Progress) -> Running {
        RUNNING.with(|running| running.borrow_mut().push(progress));
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.with(|running| running.borrow_mut().pop());
    }
}

/// A panic of a closure goes on here, after the library has returned.
pub(crate) fn resume_panic() {
    if let Ok(Some(panic)) = PANIC.try_with(|kept| kept.borrow_mut().take()) {
        resume_unwind(panic);
    }
}

/// Keeps a panic for `resume_panic`, the first of a call.
pub(crate) fn keep_panic(panic: Box<dyn Any + Send>) {
    let mut panic = Some(panic);
    let _ = PANIC.try_with(|kept| {
        let mut kept = kept.borrow_mut();
        if kept.is_none() {
            *kept = panic.take();
        }
    });
    std::mem::forget(panic); // what is dropped here could panic once more
}

/// The library's callback. A panic cancels the call, and is kept for `resume_panic`.
///
/// # Safety
/// `user` is a `Progress` that outlives the call.
unsafe extern "C" fn trampoline(fraction: f64, user: *mut c_void) -> i32 {
    let progress = user as *const Progress;
    let answer = catch_unwind(AssertUnwindSafe(|| {
        let _running = Running::begin(progress);
        ((*progress).closure)(fraction)
    }));
    match answer {
        Ok(go_on) => i32::from(!go_on),
        Err(panic) => {
            keep_panic(panic);
            1
        }
    }
}

pub(crate) const TRAMPOLINE: sys::freeridge_progress = Some(trampoline);
