//! Ridge and kernel ridge regression in which one factorization is paid for, and every lambda and exact leave-one-out
//! errors are nearly free after it. A safe layer over the C library freeridge; `freeridge.h` has the formulas, costs
//! and statuses of each call.
//!
//! - [`Model`], [`Kernel`], [`Accumulator`], [`Window`] and [`Classifier`] own their handle and free it when they go.
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
//! Nor does a matrix whose sizes its numbers do not have:
//! ```compile_fail
//! # use freeridge::{Dense, Layout};
//! let x = Dense { layout: Layout::RowMajor, rows: 1 << 24, columns: 1, data: vec![1.0] };
//! ```

mod accumulator;
mod answers;
mod batch;
mod choices;
mod classical;
mod classifier;
mod descent;
mod error;
mod fixed_effects;
mod handle;
mod kernel;
mod matrix;
mod model;
mod moments;
mod progress;
mod selection;
mod settings;
mod sparse;
pub mod sys;
mod window;

pub use accumulator::Accumulator;
pub use answers::{Average, Combinations, Conditioning, Intervals, PredictionErrors, Traces, Variances};
pub use batch::Batch;
pub use choices::{Convention, Covariance, Criterion, LandmarkMethod, Loss, Reduction, Route, StepRule, SupportKind};
pub use classical::{
    absolute_slope, ols, ols_summary, pinv, polynomial_exponents, polynomial_feature_count, polynomial_feature_factors,
    polynomial_features, ridge, ridge_penalty, stack_weights, tls, tls_errors, tls_exact, weighted_median, Line,
    LineErrors, LineSummary, Stack,
};
pub use classifier::{Classifier, Convergence, Duality, Support};
pub use descent::{
    calibrate, early_stopping, expansion_gradient, gradient_descent, loss_gradient, Descent, EarlyStopping, Filtered,
    LossGradient, Outputs, Plan,
};
pub use error::{Error, Result, Status};
pub use fixed_effects::{FixedEffects, VarianceComponents};
pub use kernel::Kernel;
pub use matrix::{Dense, Layout, Matrix};
pub use model::{Model, ReadRows};
pub use moments::{join_moments, moments_score, moments_select_lambda, MomentChoice};
pub use selection::{
    convert_lambda, make_blocks, make_folds, make_holdout, Bandwidth, BandwidthShape, Choice, KernelBound,
    KernelSearch, KernelTrial, LambdaFlags, Learning, Objective, OneStandardError, ScoreGradient, Search,
};
pub use settings::{parameter_bounds, ParameterBounds};
pub use sparse::{Sparse, SparseFormat};
pub use window::{Window, WindowSettings, WindowState};

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

/// Where the x of all rows stands among the bytes of a predictor or a classifier; empty: it is not there.
pub fn locate_saved_x(saved: &[u8]) -> Result<std::ops::Range<usize>> {
    let (mut first, mut length) = (0, 0);
    let count = saved.len() as i64; // no slice has more bytes than that
    error::check(unsafe { sys::freeridge_locate_saved_x(saved.as_ptr().cast(), count, &mut first, &mut length) })?;
    Ok(error::told(first)..error::told(first + length))
}

/// One line for bug reports: version, compiler, BLAS, threads.
pub fn build_info() -> String {
    error::text(unsafe { sys::freeridge_build_info() })
}
