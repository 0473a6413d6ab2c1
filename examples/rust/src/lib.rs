//! Ridge and kernel ridge regression in which one factorization is paid for, and every lambda and exact leave-one-out
//! errors are nearly free after it. A safe layer over the C library freeridge; `freeridge.h` has the formulas, costs and
//! statuses of each call.
//!
//! - [`Model`], [`Kernel`] and [`Accumulator`] own their handle and free it when they go.
//! - What fails is an [`Error`] with the library's status and words.
//! - Methods that take `&self` only read, and may run side by side in several threads; all handles can be sent.
//! - [`sys`] has every call of the C library, for what has no method here.
//!
//! ```
//! use freeridge::{Criterion, Kernel, Matrix, Model};
//!
//! let x: Vec<f64> = (0..20).map(|i| f64::from(i) / 3.0).collect();
//! let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
//! let mut model = Model::new(&Kernel::gaussian(1.5)?)?;
//! model.set_data(Matrix::column(&x), Matrix::column(&y))?;
//! model.factorize()?; // paid once
//! let choice = model.select_lambda(Criterion::Loo, None)?; // nearly free
//! let predicted = model.predict(Matrix::column(&[1.0, 2.0]))?;
//! assert!((predicted.at(0, 0) - 1f64.sin()).abs() < 1e-2 && choice[0].lambda > 0.0);
//! # Ok::<(), freeridge::Error>(())
//! ```
//!
//! Data that a model borrows have to live as long as it does. This is fine:
//! ```
//! # use freeridge::{Kernel, Matrix, Model};
//! let x = vec![1.0, 2.0, 4.0];
//! let mut model = Model::new(&Kernel::linear()?)?;
//! model.set_data_view(Matrix::column(&x), Matrix::column(&x))?;
//! model.factorize()?;
//! # Ok::<(), freeridge::Error>(())
//! ```
//! and this does not compile:
//! ```compile_fail
//! # use freeridge::{Kernel, Matrix, Model};
//! let mut model = Model::new(&Kernel::linear()?)?;
//! {
//!     let x = vec![1.0, 2.0, 4.0];
//!     model.set_data_view(Matrix::column(&x), Matrix::column(&x))?;
//! }
//! model.factorize()?;
//! # Ok::<(), freeridge::Error>(())
//! ```

mod accumulator;
mod error;
mod kernel;
mod matrix;
mod model;
mod progress;
pub mod sys;

pub use accumulator::Accumulator;
pub use error::{Error, Result};
pub use kernel::Kernel;
pub use matrix::{Dense, Layout, Matrix};
pub use model::{Choice, Criterion, Model, Route};

/// The number of threads of the whole process, 0: as it was before; see `freeridge_set_threads`.
pub fn set_threads(count: i32) -> Result<()> {
    error::check(unsafe { sys::freeridge_set_threads(count) })
}

/// The number of threads in force.
pub fn threads() -> Result<i32> {
    let mut count = 0;
    error::check(unsafe { sys::freeridge_get_threads(&mut count) })?;
    Ok(count)
}

/// The version of the library that runs: major, minor, patch.
pub fn version() -> Result<(i32, i32, i32)> {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    error::check(unsafe { sys::freeridge_version(&mut major, &mut minor, &mut patch) })?;
    Ok((major, minor, patch))
}
