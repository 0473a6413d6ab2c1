//! A closure as the library's progress callback.

use crate::sys;
use std::any::Any;
use std::os::raw::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::Mutex;

/// What the callback's `user` points to. Calls that only read may run side by side, and so may the closure.
pub(crate) struct Progress {
    closure: Box<dyn Fn(f64) -> bool + Send + Sync>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Progress {
    pub(crate) fn new(closure: impl Fn(f64) -> bool + Send + Sync + 'static) -> Box<Progress> {
        Box::new(Progress { closure: Box::new(closure), panic: Mutex::new(None) })
    }

    pub(crate) fn user(&self) -> *mut c_void {
        self as *const Progress as *mut c_void
    }

    /// A panic of the closure goes on here, after the library has returned.
    pub(crate) fn resume_panic(&self) {
        let panic = self.panic.lock().map_or(None, |mut panic| panic.take());
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

/// The library's callback. No panic may cross it: it cancels the call, and is kept for `resume_panic`.
pub(crate) unsafe extern "C" fn trampoline(fraction: f64, user: *mut c_void) -> i32 {
    let progress = &*(user as *const Progress);
    match catch_unwind(AssertUnwindSafe(|| (progress.closure)(fraction))) {
        Ok(go_on) => i32::from(!go_on),
        Err(panic) => {
            if let Ok(mut kept) = progress.panic.lock() {
                *kept = Some(panic);
            }
            1
        }
    }
}

pub(crate) const TRAMPOLINE: sys::freeridge_progress = Some(trampoline);
