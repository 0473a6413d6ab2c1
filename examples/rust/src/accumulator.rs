//! Ridge regression on rows that come in chunks and are forgotten.

use crate::choices::{Criterion, Reduction};
use crate::error::{answer, bytes, check, check_length, given_or, size, told, zeros, Result};
use crate::handle::Handle;
use crate::kernel::Kernel;
use crate::matrix::{Dense, Layout, Lent, Matrix};
use crate::model::{path_text, same_rows, unpenalised, Model};
use crate::moments::MOMENTS;
use crate::selection::{Choice, Objective};
use crate::sparse::Sparse;
use crate::sys;
use std::fmt;
use std::path::Path;
use std::ptr;

/// The rows of a linear problem, reduced. `&self` methods may run side by side, in several threads.
pub struct Accumulator {
    handle: Handle<sys::freeridge_accumulator>,
}

impl Accumulator {
    /// Empty, for d features and t outputs.
    pub fn new(d: usize, t: usize, intercept: bool) -> Result<Accumulator> {
        let (d, t) = (size(d)?, size(t)?);
        let make = |out| unsafe { sys::freeridge_accumulator_create(d, t, i32::from(intercept), out) };
        Ok(Accumulator { handle: Handle::made_by(make)? })
    }

    /// Over the features of landmarks with the coordinates z: it answers as a model whose route is LANDMARK.
    pub fn over_landmarks(
        kernel: &Kernel, z: Matrix<'_>, t: usize, intercept: bool, reduction: Reduction,
    ) -> Result<Accumulator> {
        let (z, t, reduction) = (z.lent()?, size(t)?, reduction.number());
        let make = |out| unsafe {
            let (kernel, intercept) = (kernel.handle(), i32::from(intercept));
            sys::freeridge_accumulator_create_landmarks(
                kernel, z.layout, z.rows, z.columns, z.data, z.ld, t, intercept, reduction, out,
            )
        };
        Ok(Accumulator { handle: Handle::made_by(make)? })
    }

    /// Adds the rows of x and y, with weights or all one.
    pub fn add(&mut self, x: Matrix<'_>, y: Matrix<'_>, weights: Option<&[f64]>) -> Result<()> {
        let rows = self.rows(x, y, weights)?;
        self.add_rows(&rows)
    }

    /// Adds the rows of a sparse x and of y, with weights or all one.
    pub fn add_sparse(&mut self, x: Sparse<'_>, y: Matrix<'_>, weights: Option<&[f64]>) -> Result<()> {
        let rows = self.sparse_rows(x, y, weights)?;
        self.add_rows(&rows)
    }

    fn add_rows(&mut self, rows: &Rows) -> Result<()> {
        let (points, y) = (&rows.points, &rows.y);
        self.handle.write(|sums| unsafe {
            sys::freeridge_accumulator_add(sums, points, y.layout, y.data, y.ld, rows.weights)
        })
    }

    /// Adds all rows of another accumulator.
    pub fn merge(&mut self, other: &Accumulator) -> Result<()> {
        let other = other.handle.lent()?;
        self.handle.write(|sums| unsafe { sys::freeridge_accumulator_merge(sums, other) })
    }

    /// Leaves the first `count` columns of x, 0 <= count < d, without a penalty; rows may have been added.
    pub fn set_unpenalised(&mut self, count: usize) -> Result<()> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let (parameter, count) = (sys::FREERIDGE_UNPENALISED, count as f64);
        self.handle.write(|sums| unsafe { sys::freeridge_accumulator_set_parameter(sums, parameter, count) })
    }

    /// Which of these columns have a part: not those that depend on the intercept and the ones before them. Needs rows.
    pub fn unpenalised(&self) -> Result<Vec<bool>> {
        unpenalised(|count, kept| {
            self.handle.read(|sums| unsafe { sys::freeridge_accumulator_get_unpenalised(sums, count, kept) })
        })
    }

    /// Keeps the triangle of the rows alone: `to_bytes` then has as many bytes as that of any other compact accumulator
    /// of the same d, t and intercept, until rows are added.
    pub fn compact(&mut self) -> Result<()> {
        self.handle.write(|sums| unsafe { sys::freeridge_accumulator_compact(sums) })
    }

    /// Makes now what the first answer would make, and keeps it in the bytes.
    pub fn prepare(&mut self) -> Result<()> {
        self.handle.write(|sums| unsafe { sys::freeridge_accumulator_prepare(sums) })
    }

    /// inout becomes the bytes of the rows of both compact accumulators.
    pub fn merge_bytes(inout: &mut [u8], other: &[u8]) -> Result<()> {
        check_length("other", other.len(), inout.len())?;
        let count = inout.len() as i64; // no slice has more bytes than that
        let (to, from) = (inout.as_mut_ptr().cast(), other.as_ptr().cast());
        check(unsafe { sys::freeridge_accumulator_merge_bytes(from, count, to) })
    }

    /// The fit at a lambda for each output, as a model for prediction alone.
    pub fn predictor(&self, lambdas: &[f64]) -> Result<Model<'static>> {
        check_length("lambdas", lambdas.len(), self.dimensions()?.2)?;
        let sums = self.handle.lent()?;
        Model::made_by(|out| unsafe { sys::freeridge_accumulator_predictor(sums, lambdas.as_ptr(), out) })
    }

    /// As [`Model::set_progress`](crate::Model::set_progress).
    pub fn set_progress(&mut self, closure: impl Fn(f64) -> bool + Send + Sync + 'static) -> Result<()> {
        self.handle.set_progress(closure)
    }

    pub fn clear_progress(&mut self) -> Result<()> {
        self.handle.clear_progress()
    }

    /// The bytes that it will need at most, however many rows are added.
    pub fn memory_required(&self) -> Result<i64> {
        let mut bytes = 0;
        self.handle.read(|sums| unsafe { sys::freeridge_accumulator_memory_required(sums, &mut bytes) })?;
        Ok(bytes)
    }

    /// n rows so far, d features, t outputs, and the sum of the weights.
    pub fn dimensions(&self) -> Result<(usize, usize, usize, f64)> {
        let (mut n, mut d, mut t, mut sum) = (0, 0, 0, 0.0);
        self.handle.read(|sums| unsafe {
            sys::freeridge_accumulator_get_dimensions(sums, &mut n, &mut d, &mut t, &mut sum)
        })?;
        Ok((told(n), told(d), told(t), sum))
    }

    /// w (d x (count t), output j of lambda l in column l t + j) and b (t x count).
    pub fn solve(&self, lambdas: &[f64]) -> Result<(Dense, Dense)> {
        let (_, d, t, _) = self.dimensions()?;
        let count = size(lambdas.len())?;
        let mut w = Dense::room(Layout::ColumnMajor, d, lambdas.len().saturating_mul(t))?;
        let mut b = Dense::room(Layout::ColumnMajor, t, lambdas.len())?;
        let ((place, ld), (b_at, _)) = (w.place()?, b.place()?);
        let done = self
            .handle
            .read(|sums| unsafe { sys::freeridge_accumulator_solve(sums, count, lambdas.as_ptr(), place, ld, b_at) });
        answer(done, (w, b))
    }

    /// GCV or REML at each of some lambdas (rows), for each output (columns).
    pub fn score(&self, criterion: Criterion, lambdas: &[f64]) -> Result<Dense> {
        Dense::filled(lambdas.len(), self.dimensions()?.2, |scores, count| {
            self.handle.read(|sums| unsafe {
                sys::freeridge_accumulator_score(sums, criterion.number(), count, lambdas.as_ptr(), scores, count)
            })
        })
    }

    /// The training error, |w|^2 and what a fit minimises, at each of some lambdas (rows) for each output (columns).
    pub fn objective(&self, lambdas: &[f64]) -> Result<Objective> {
        Objective::filled(lambdas, self.dimensions()?.2, |training, norm2, objective, count| {
            self.handle.read(|sums| unsafe {
                sys::freeridge_accumulator_objective(sums, count, lambdas.as_ptr(), training, norm2, objective, count)
            })
        })
    }

    /// `count` lambdas over the range in which the data's answer changes.
    pub fn lambda_grid(&self, count: usize) -> Result<Vec<f64>> {
        let number = size(count)?;
        let mut lambdas = zeros(count)?;
        self.handle
            .read(|sums| unsafe { sys::freeridge_accumulator_lambda_grid(sums, number, lambdas.as_mut_ptr()) })?;
        Ok(lambdas)
    }

    /// The second pass: exact leave-one-out errors of rows that were added, n x (count t).
    pub fn loo(&self, x: Matrix<'_>, y: Matrix<'_>, weights: Option<&[f64]>, lambdas: &[f64]) -> Result<Dense> {
        self.errors(&self.rows(x, y, weights)?, ptr::null(), lambdas)
    }

    /// `loo` of rows of a sparse x.
    pub fn loo_sparse(&self, x: Sparse<'_>, y: Matrix<'_>, weights: Option<&[f64]>, lambdas: &[f64]) -> Result<Dense> {
        self.errors(&self.sparse_rows(x, y, weights)?, ptr::null(), lambdas)
    }

    /// Of the left-out errors of rows that were added no more than the moments, 5 x (count t): see [`join_moments`](crate::join_moments).
    pub fn loo_moments(&self, x: Matrix<'_>, y: Matrix<'_>, weights: Option<&[f64]>, lambdas: &[f64]) -> Result<Dense> {
        self.moments(&self.rows(x, y, weights)?, ptr::null(), lambdas)
    }

    /// `loo_moments` of rows of a sparse x.
    pub fn loo_moments_sparse(
        &self, x: Sparse<'_>, y: Matrix<'_>, weights: Option<&[f64]>, lambdas: &[f64],
    ) -> Result<Dense> {
        self.moments(&self.sparse_rows(x, y, weights)?, ptr::null(), lambdas)
    }

    /// The second pass: exact errors of rows of whole groups, n x (count t), with all rows of a group left out together; NaN
    /// where the label is negative.
    pub fn group_errors(
        &self, x: Matrix<'_>, y: Matrix<'_>, weights: Option<&[f64]>, group: &[i32], lambdas: &[f64],
    ) -> Result<Dense> {
        check_length("group", group.len(), x.rows())?;
        self.errors(&self.rows(x, y, weights)?, group.as_ptr(), lambdas)
    }

    /// Of these errors no more than the moments, whose terms are the groups, 5 x (count t): see [`join_moments`](crate::join_moments).
    pub fn group_moments(
        &self, x: Matrix<'_>, y: Matrix<'_>, weights: Option<&[f64]>, group: &[i32], lambdas: &[f64],
    ) -> Result<Dense> {
        check_length("group", group.len(), x.rows())?;
        self.moments(&self.rows(x, y, weights)?, group.as_ptr(), lambdas)
    }

    fn errors(&self, rows: &Rows, group: *const i32, lambdas: &[f64]) -> Result<Dense> {
        let (points, y, weights) = (&rows.points, &rows.y, rows.weights);
        let (n, columns, count) = (points.n as usize, lambdas.len().saturating_mul(rows.t), size(lambdas.len())?);
        Dense::filled(n, columns, |errors, ld| {
            self.handle.read(|sums| unsafe {
                let (layout, at) = (y.layout, lambdas.as_ptr());
                sys::freeridge_accumulator_errors(
                    sums, points, layout, y.data, y.ld, weights, group, count, at, errors, ld,
                )
            })
        })
    }

    fn moments(&self, rows: &Rows, group: *const i32, lambdas: &[f64]) -> Result<Dense> {
        let (points, y, weights) = (&rows.points, &rows.y, rows.weights);
        let (columns, count) = (lambdas.len().saturating_mul(rows.t), size(lambdas.len())?);
        Dense::filled(MOMENTS, columns, |moments, _| {
            self.handle.read(|sums| unsafe {
                let (layout, at) = (y.layout, lambdas.as_ptr());
                sys::freeridge_accumulator_moments(
                    sums, points, layout, y.data, y.ld, weights, group, count, at, moments,
                )
            })
        })
    }

    /// On rows that were not added: the sum of their weights, and count x t sums of weight times squared error.
    pub fn squared_errors(
        &self, x: Matrix<'_>, y: Matrix<'_>, weights: Option<&[f64]>, lambdas: &[f64],
    ) -> Result<(f64, Dense)> {
        self.squares(&self.rows(x, y, weights)?, lambdas)
    }

    /// `squared_errors` on rows of a sparse x.
    pub fn squared_errors_sparse(
        &self, x: Sparse<'_>, y: Matrix<'_>, weights: Option<&[f64]>, lambdas: &[f64],
    ) -> Result<(f64, Dense)> {
        self.squares(&self.sparse_rows(x, y, weights)?, lambdas)
    }

    fn squares(&self, rows: &Rows, lambdas: &[f64]) -> Result<(f64, Dense)> {
        let (points, y, weights) = (&rows.points, &rows.y, rows.weights);
        let (count, mut sum_w) = (size(lambdas.len())?, 0.0);
        let squares = Dense::filled(lambdas.len(), rows.t, |squares, ld| {
            self.handle.read(|sums| unsafe {
                let (layout, at, sum) = (y.layout, lambdas.as_ptr(), &mut sum_w);
                sys::freeridge_accumulator_squared_errors(
                    sums, points, layout, y.data, y.ld, weights, count, at, sum, squares, ld,
                )
            })
        })?;
        Ok((sum_w, squares))
    }

    /// The state as bytes, from which `from_bytes` goes on bit for bit.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        bytes(0, |room, bytes, length| {
            self.handle
                .read(|sums| unsafe { sys::freeridge_accumulator_save_to_memory(sums, room, bytes.cast(), length) })
        })
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Accumulator> {
        let count = bytes.len() as i64; // no slice has more bytes than that
        let make = |out| unsafe { sys::freeridge_accumulator_load_from_memory(bytes.as_ptr().cast(), count, out) };
        Ok(Accumulator { handle: Handle::made_by(make)? })
    }

    /// Writes the state to a file: never half of it.
    pub fn save(&self, path: &Path) -> Result<()> {
        let path = path_text(path)?;
        self.handle.read(|sums| unsafe { sys::freeridge_accumulator_save(sums, path.as_ptr()) })
    }

    /// What `save` wrote.
    pub fn load(path: &Path) -> Result<Accumulator> {
        let path = path_text(path)?;
        let make = |out| unsafe { sys::freeridge_accumulator_load(path.as_ptr(), out) };
        Ok(Accumulator { handle: Handle::made_by(make)? })
    }

    pub fn has_intercept(&self) -> Result<bool> {
        let mut on = 0.0;
        let intercept = sys::FREERIDGE_INTERCEPT;
        self.handle.read(|sums| unsafe { sys::freeridge_accumulator_get_parameter(sums, intercept, &mut on) })?;
        Ok(on != 0.0)
    }

    /// The best lambda of each output by GCV or REML, in a range or in that of the library. It sets nothing.
    pub fn select_lambda(&self, criterion: Criterion, range: Option<(f64, f64)>) -> Result<Vec<Choice>> {
        let t = self.dimensions()?.2;
        let (low, high) = given_or("range", range, (0.0, 0.0))?;
        let (mut lambda, mut score) = (zeros(t)?, zeros(t)?);
        let mut search = sys::freeridge_search::default();
        (search.lambda, search.score) = (lambda.as_mut_ptr(), score.as_mut_ptr());
        self.handle.read(|sums| unsafe {
            sys::freeridge_accumulator_select_lambda(sums, criterion.number(), low, high, &mut search)
        })?;
        Ok(lambda.into_iter().zip(score).map(|(lambda, score)| Choice { lambda, score }).collect())
    }

    /// A copy, by way of its bytes, without the closure that hears progress.
    pub fn try_clone(&self) -> Result<Accumulator> {
        Accumulator::from_bytes(&self.to_bytes()?)
    }

    fn rows(&self, x: Matrix<'_>, y: Matrix<'_>, weights: Option<&[f64]>) -> Result<Rows> {
        self.check_columns(x.columns(), y)?;
        same_rows(x, y)?;
        Rows::new(x.lent()?.points(), y, weights)
    }

    fn sparse_rows(&self, x: Sparse<'_>, y: Matrix<'_>, weights: Option<&[f64]>) -> Result<Rows> {
        self.check_columns(x.columns(), y)?;
        check_length("y", y.rows(), x.rows())?;
        Rows::new(x.lent()?.points(), y, weights)
    }

    fn check_columns(&self, columns: usize, y: Matrix<'_>) -> Result<()> {
        let (_, d, t, _) = self.dimensions()?;
        check_length("a row of x", columns, d)?;
        check_length("a row of y", y.columns(), t)
    }
}

/// Rows as the library takes them.
struct Rows {
    points: sys::freeridge_points,
    y: Lent,
    t: usize,
    weights: *const f64,
}

impl Rows {
    fn new(points: sys::freeridge_points, y: Matrix<'_>, weights: Option<&[f64]>) -> Result<Rows> {
        if let Some(weights) = weights {
            check_length("weights", weights.len(), y.rows())?;
        }
        Ok(Rows { points, y: y.lent()?, t: y.columns(), weights: weights.map_or(ptr::null(), <[f64]>::as_ptr) })
    }
}

impl fmt::Debug for Accumulator {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = out.debug_struct("Accumulator");
        if let Ok((n, d, t, _)) = self.dimensions() {
            text.field("rows", &n).field("features", &d).field("outputs", &t);
        }
        text.finish_non_exhaustive()
    }
}
