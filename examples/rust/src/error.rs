//! What went wrong, in the library's own numbers and words.

use crate::matrix::Dense;
use crate::sys;
use std::ffi::CStr;
use std::fmt;

/// How a call failed: the statuses of `freeridge.h`, which says what each means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    InvalidArgument,
    InvalidState,
    NotFinite,
    DimensionMismatch,
    OutOfMemory,
    DeviceUnavailable,
    NotPositiveDefinite,
    NotConverged,
    Undefined,
    Cancelled,
    Io,
    Corrupt,
    NewerFormat,
    Internal,
    /// Of a library that is newer than this crate.
    Unknown(i32),
}

const STATUSES: [(Status, sys::freeridge_status); 14] = [
    (Status::InvalidArgument, sys::FREERIDGE_INVALID_ARGUMENT),
    (Status::InvalidState, sys::FREERIDGE_INVALID_STATE),
    (Status::NotFinite, sys::FREERIDGE_NOT_FINITE),
    (Status::DimensionMismatch, sys::FREERIDGE_DIMENSION_MISMATCH),
    (Status::OutOfMemory, sys::FREERIDGE_OUT_OF_MEMORY),
    (Status::DeviceUnavailable, sys::FREERIDGE_DEVICE_UNAVAILABLE),
    (Status::NotPositiveDefinite, sys::FREERIDGE_NOT_POSITIVE_DEFINITE),
    (Status::NotConverged, sys::FREERIDGE_NOT_CONVERGED),
    (Status::Undefined, sys::FREERIDGE_UNDEFINED),
    (Status::Cancelled, sys::FREERIDGE_CANCELLED),
    (Status::Io, sys::FREERIDGE_IO),
    (Status::Corrupt, sys::FREERIDGE_CORRUPT),
    (Status::NewerFormat, sys::FREERIDGE_NEWER_FORMAT),
    (Status::Internal, sys::FREERIDGE_INTERNAL),
];

impl Status {
    /// The library's number.
    pub fn number(self) -> i32 {
        match self {
            Status::Unknown(number) => number,
            _ => STATUSES.iter().find(|pair| pair.0 == self).map_or(sys::FREERIDGE_INTERNAL, |pair| pair.1),
        }
    }

    pub(crate) fn of(number: sys::freeridge_status) -> Status {
        STATUSES.iter().find(|pair| pair.1 == number).map_or(Status::Unknown(number), |pair| pair.0)
    }
}

impl fmt::Display for Status {
    /// The library's word: "INVALID_ARGUMENT".
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&text(unsafe { sys::freeridge_status_name(self.number()) }))
    }
}

/// A call that failed: the message says which argument and which value.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    status: Status,
    message: String,
    values: Vec<Dense>,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Also for mistakes that are seen before the library is asked.
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Error {
        Error { status, message: message.into(), values: Vec::new() }
    }

    pub fn status(&self) -> Status {
        self.status
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    /// Of [`Status::Undefined`], where only some numbers of an answer do not exist: the arrays of the answer, in the order
    /// of its fields, a vector as one column, with NaN for these numbers. Else empty.
    pub fn values(&self) -> &[Dense] {
        &self.values
    }
}

/// An answer that is made of arrays.
pub(crate) trait Arrays {
    /// In the order of its fields.
    fn arrays(self) -> Vec<Dense>;
}

impl Arrays for Dense {
    fn arrays(self) -> Vec<Dense> {
        vec![self]
    }
}

impl Arrays for Vec<f64> {
    fn arrays(self) -> Vec<Dense> {
        vec![Dense::one_column(self)]
    }
}

impl<A: Arrays, B: Arrays> Arrays for (A, B) {
    fn arrays(self) -> Vec<Dense> {
        let mut all = self.0.arrays();
        all.extend(self.1.arrays());
        all
    }
}

/// The answer of a call. Where only some of its numbers exist, the error has them.
pub(crate) fn answer<T: Arrays>(done: Result<()>, values: T) -> Result<T> {
    match done {
        Ok(()) => Ok(values),
        Err(error) if error.status == Status::Undefined => Err(Error { values: values.arrays(), ..error }),
        Err(error) => Err(error),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.status, self.message)
    }
}

impl std::error::Error for Error {}

/// Turns a status into a result. The message belongs to the thread, so this comes right after the call.
pub(crate) fn check(status: sys::freeridge_status) -> Result<()> {
    if status == sys::FREERIDGE_OK {
        return Ok(());
    }
    Err(Error::new(Status::of(status), text(unsafe { sys::freeridge_last_error() })))
}

/// What was given, or the library's own choice, which the library knows by a value that is refused here.
pub(crate) fn given_or<T: Copy + PartialEq + fmt::Debug>(name: &str, given: Option<T>, own: T) -> Result<T> {
    if given == Some(own) {
        let words = format!("{name} is {own:?}; None asks for the library's own");
        return Err(Error::new(Status::InvalidArgument, words));
    }
    Ok(given.unwrap_or(own))
}

/// Refuses an array of another length than the library will read.
pub(crate) fn check_length(name: &str, actual: usize, expected: usize) -> Result<()> {
    if actual == expected {
        return Ok(());
    }
    Err(Error::new(Status::DimensionMismatch, format!("{name} has {actual} numbers, {expected} are needed")))
}

/// A size for the library, which takes none beyond 2147483647. It comes before memory is asked for.
pub(crate) fn size(value: usize) -> Result<i64> {
    i32::try_from(value)
        .map(i64::from)
        .map_err(|_| Error::new(Status::InvalidArgument, format!("a size is {value}; it must be at most {}", i32::MAX)))
}

/// A size that the library tells; it tells none below zero.
pub(crate) fn told(value: i64) -> usize {
    usize::try_from(value).expect("the library's sizes are not negative")
}

/// Room for `count` numbers of an answer: NaN until they are there.
pub(crate) fn numbers(count: usize) -> Result<Vec<f64>> {
    filled_with(f64::NAN, count)
}

/// `count` zeros.
pub(crate) fn zeros<T: Clone + Default>(count: usize) -> Result<Vec<T>> {
    filled_with(T::default(), count)
}

/// Memory that cannot be had is an error.
fn filled_with<T: Clone>(value: T, count: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|_| {
        Error::new(Status::OutOfMemory, format!("{count} values of {} bytes", std::mem::size_of::<T>()))
    })?;
    values.resize(count, value);
    Ok(values)
}

/// The library's text, which is never NULL and 0-terminated.
pub(crate) fn text(pointer: *const std::os::raw::c_char) -> String {
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// The bytes of a call that is asked for their length first. `spare`: what the length leaves out, the 0 of a text, and
/// what it may have grown by since it was asked for; where that is not enough, once more.
pub(crate) fn bytes(spare: usize, call: impl Fn(i64, *mut u8, &mut i64) -> Result<()>) -> Result<Vec<u8>> {
    let mut length = 0;
    call(0, std::ptr::null_mut(), &mut length)?;
    loop {
        let mut bytes: Vec<u8> = zeros(told(length) + spare)?;
        let room = bytes.len() as i64; // an allocation has fewer bytes than i64 counts
        match call(room, bytes.as_mut_ptr(), &mut length) {
            Err(error) if error.status == Status::InvalidArgument && told(length) + spare > bytes.len() => continue,
            result => result?,
        }
        bytes.truncate(told(length));
        return Ok(bytes);
    }
}
