//! What went wrong, in the library's own numbers and words.

use crate::sys;
use std::ffi::CStr;
use std::fmt;

/// A call that failed: `status` is one of the constants of [`sys`], `message` says which argument and which value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub status: sys::freeridge_status,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The status as a word: "INVALID_ARGUMENT".
    pub fn name(&self) -> String {
        text(unsafe { sys::freeridge_status_name(self.status) })
    }

    /// A mistake that is seen before the library is asked.
    pub(crate) fn mistake(status: sys::freeridge_status, message: String) -> Error {
        Error { status, message }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.name(), self.message)
    }
}

impl std::error::Error for Error {}

/// Turns a status into a result. The message belongs to the thread, so this comes right after the call.
pub(crate) fn check(status: sys::freeridge_status) -> Result<()> {
    if status == sys::FREERIDGE_OK {
        return Ok(());
    }
    Err(Error { status, message: text(unsafe { sys::freeridge_last_error() }) })
}

/// Refuses an array of another length than the library will read.
pub(crate) fn check_length(name: &str, actual: usize, expected: usize) -> Result<()> {
    if actual == expected {
        return Ok(());
    }
    let message = format!("{name} has {actual} numbers, {expected} are needed");
    Err(Error::mistake(sys::FREERIDGE_DIMENSION_MISMATCH, message))
}

/// A size for the library.
pub(crate) fn size(value: usize) -> Result<i64> {
    i64::try_from(value).map_err(|_| Error::mistake(sys::FREERIDGE_INVALID_ARGUMENT, format!("{value} is too large")))
}

/// The library's text, which is never NULL and 0-terminated.
fn text(pointer: *const std::os::raw::c_char) -> String {
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}
