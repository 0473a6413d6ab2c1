//! What a model, an accumulator and a classifier have in common: a handle of the library, freed when its owner goes,
//! and a closure that hears its progress. Every call on a handle goes through `read` or `write`.

use crate::error::{check, Error, Result, Status};
use crate::progress::{resume_panic, Progress, TRAMPOLINE};
use crate::sys;
use std::os::raw::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;

type Destroy<T> = unsafe extern "C" fn(*mut T);
type SetProgress<T> = unsafe extern "C" fn(*mut T, sys::freeridge_progress, *mut c_void) -> sys::freeridge_status;

/// A type of handle that hears progress.
pub(crate) trait Object: Sized {
    const DESTROY: Destroy<Self>;
    const SET_PROGRESS: SetProgress<Self>;
}

impl Object for sys::freeridge_model {
    const DESTROY: Destroy<Self> = sys::freeridge_destroy;
    const SET_PROGRESS: SetProgress<Self> = sys::freeridge_set_progress;
}

impl Object for sys::freeridge_accumulator {
    const DESTROY: Destroy<Self> = sys::freeridge_accumulator_destroy;
    const SET_PROGRESS: SetProgress<Self> = sys::freeridge_accumulator_set_progress;
}

impl Object for sys::freeridge_window {
    const DESTROY: Destroy<Self> = sys::freeridge_window_destroy;
    const SET_PROGRESS: SetProgress<Self> = sys::freeridge_window_set_progress;
}

impl Object for sys::freeridge_classifier {
    const DESTROY: Destroy<Self> = sys::freeridge_classifier_destroy;
    const SET_PROGRESS: SetProgress<Self> = sys::freeridge_classifier_set_progress;
}

/// A handle that is owned.
pub(crate) struct Handle<T: Object> {
    pointer: NonNull<T>,
    // An Arc, not a Box: the library holds a pointer to it, while this moves.
    progress: Option<Arc<Progress>>,
}

// A handle belongs to no thread, and calls on a const handle, which is all that `read` makes, may run side by side.
unsafe impl<T: Object> Send for Handle<T> {}
unsafe impl<T: Object> Sync for Handle<T> {}

impl<T: Object> Drop for Handle<T> {
    fn drop(&mut self) {
        unsafe { T::DESTROY(self.pointer.as_ptr()) }
    }
}

impl<T: Object> Handle<T> {
    pub(crate) fn made_by(make: impl FnOnce(*mut *mut T) -> sys::freeridge_status) -> Result<Handle<T>> {
        let mut pointer = ptr::null_mut();
        let done = check(make(&mut pointer));
        let made = NonNull::new(pointer).map(|pointer| Handle { pointer, progress: None });
        resume_panic(); // of the closure of a handle that was lent to the call
        done?;
        made.ok_or_else(|| Error::new(Status::Internal, "no handle was made"))
    }

    /// A call that only reads.
    pub(crate) fn read(&self, call: impl FnOnce(*const T) -> sys::freeridge_status) -> Result<()> {
        self.run(|| call(self.pointer.as_ptr()))
    }

    /// A call that changes.
    pub(crate) fn write(&mut self, call: impl FnOnce(*mut T) -> sys::freeridge_status) -> Result<()> {
        self.run(|| call(self.pointer.as_ptr()))
    }

    fn run(&self, call: impl FnOnce() -> sys::freeridge_status) -> Result<()> {
        self.progress.as_ref().map_or(Ok(()), |progress| progress.refuse_itself())?;
        let result = check(call());
        resume_panic();
        result
    }

    /// This handle as an argument of a call on another.
    pub(crate) fn lent(&self) -> Result<*const T> {
        self.progress.as_ref().map_or(Ok(()), |progress| progress.refuse_itself())?;
        Ok(self.pointer.as_ptr())
    }

    pub(crate) fn set_progress(&mut self, closure: impl Fn(f64) -> bool + Send + Sync + 'static) -> Result<()> {
        let progress = Arc::new(Progress::new(closure));
        let user = Arc::as_ptr(&progress) as *mut c_void;
        self.write(|handle| unsafe { T::SET_PROGRESS(handle, TRAMPOLINE, user) })?;
        self.progress = Some(progress); // the one before goes now, when the library no longer knows it
        Ok(())
    }

    pub(crate) fn clear_progress(&mut self) -> Result<()> {
        self.write(|handle| unsafe { T::SET_PROGRESS(handle, None, ptr::null_mut()) })?;
        self.progress = None;
        Ok(())
    }

    /// For the caller's own calls.
    pub(crate) fn as_ptr(&self) -> *mut T {
        self.pointer.as_ptr()
    }
}
