//! Ridge regression on rows that come in chunks and are forgotten.

use crate::error::{check, check_length, size, Error, Result};
use crate::matrix::{Dense, Layout, Matrix};
use crate::model::Criterion;
use crate::sys;
use std::ptr;

/// The rows of a linear problem, reduced. `&self` methods may run side by side, in several threads.
pub struct Accumulator {
    handle: *mut sys::freeridge_accumulator,
}

// A handle belongs to no thread, and calls on a const handle may run side by side.
unsafe impl Send for Accumulator {}
unsafe impl Sync for Accumulator {}

impl Drop for Accumulator {
    fn drop(&mut self) {
        unsafe { sys::freeridge_accumulator_destroy(self.handle) }
    }
}

impl Accumulator {
    /// Empty, for d features and t outputs.
    pub fn new(d: usize, t: usize, intercept: bool) -> Result<Accumulator> {
        let mut handle = ptr::null_mut();
        let intercept = i32::from(intercept);
        check(unsafe { sys::freeridge_accumulator_create(size(d)?, size(t)?, intercept, &mut handle) })?;
        Ok(Accumulator { handle })
    }

    /// Adds the rows of x and y, with weights or all one.
    pub fn add(&mut self, x: Matrix<'_>, y: Matrix<'_>, weights: Option<&[f64]>) -> Result<()> {
        let mut buffer = Vec::new();
        let (y, weights) = self.rows(x, y, weights, &mut buffer)?;
        let (layout, n, ldx, ldy) = (x.layout.number(), size(x.rows)?, size(x.ld)?, size(y.ld)?);
        let (x, y) = (x.data.as_ptr(), y.data.as_ptr());
        check(unsafe { sys::freeridge_accumulator_add(self.handle, layout, n, x, ldx, y, ldy, weights) })
    }

    /// Adds all rows of another accumulator.
    pub fn merge(&mut self, other: &Accumulator) -> Result<()> {
        check(unsafe { sys::freeridge_accumulator_merge(self.handle, other.handle) })
    }

    /// n rows so far, d features, t outputs, and the sum of the weights.
    pub fn dimensions(&self) -> Result<(usize, usize, usize, f64)> {
        let (mut n, mut d, mut t, mut sum) = (0, 0, 0, 0.0);
        check(unsafe { sys::freeridge_accumulator_get_dimensions(self.handle, &mut n, &mut d, &mut t, &mut sum) })?;
        Ok((n as usize, d as usize, t as usize, sum))
    }

    /// w (d x (count t), output j of lambda l in column l t + j) and b (t x count).
    pub fn solve(&self, lambdas: &[f64]) -> Result<(Dense, Dense)> {
        let (_, d, t, _) = self.dimensions()?;
        let count = size(lambdas.len())?;
        let mut w = Dense::new(Layout::ColumnMajor, d, lambdas.len() * t);
        let mut b = Dense::new(Layout::ColumnMajor, t, lambdas.len());
        check(unsafe {
            let (w, b) = (w.data.as_mut_ptr(), b.data.as_mut_ptr());
            sys::freeridge_accumulator_solve(self.handle, count, lambdas.as_ptr(), w, size(d)?, b)
        })?;
        Ok((w, b))
    }

    /// GCV or REML at each of some lambdas (rows), for each output (columns).
    pub fn score(&self, criterion: Criterion, lambdas: &[f64]) -> Result<Dense> {
        let count = size(lambdas.len())?;
        let mut scores = Dense::new(Layout::ColumnMajor, lambdas.len(), self.dimensions()?.2);
        check(unsafe {
            let (lambdas, scores) = (lambdas.as_ptr(), scores.data.as_mut_ptr());
            sys::freeridge_accumulator_score(self.handle, criterion as i32, count, lambdas, scores, count)
        })?;
        Ok(scores)
    }

    /// `count` lambdas over the range in which the data's answer changes.
    pub fn lambda_grid(&self, count: usize) -> Result<Vec<f64>> {
        let mut lambdas = vec![0.0; count];
        check(unsafe { sys::freeridge_accumulator_lambda_grid(self.handle, size(count)?, lambdas.as_mut_ptr()) })?;
        Ok(lambdas)
    }

    /// The second pass: exact leave-one-out errors of rows that were added, n x (count t).
    pub fn loo(&self, x: Matrix<'_>, y: Matrix<'_>, weights: Option<&[f64]>, lambdas: &[f64]) -> Result<Dense> {
        let mut buffer = Vec::new();
        let (y, weights) = self.rows(x, y, weights, &mut buffer)?;
        let mut errors = Dense::new(Layout::ColumnMajor, x.rows, lambdas.len() * y.columns);
        let (layout, n, ldx, ldy) = (x.layout.number(), size(x.rows)?, size(x.ld)?, size(y.ld)?);
        let (count, place) = (size(lambdas.len())?, errors.data.as_mut_ptr());
        let (x, y, lambdas) = (x.data.as_ptr(), y.data.as_ptr(), lambdas.as_ptr());
        check(unsafe {
            sys::freeridge_accumulator_loo(self.handle, layout, n, x, ldx, y, ldy, weights, count, lambdas, place, n)
        })?;
        Ok(errors)
    }

    /// The state as bytes, from which `from_bytes` goes on bit for bit.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut length = 0;
        check(unsafe { sys::freeridge_accumulator_save(self.handle, 0, ptr::null_mut(), &mut length) })?;
        let mut bytes = vec![0u8; length as usize];
        check(unsafe { sys::freeridge_accumulator_save(self.handle, length, bytes.as_mut_ptr().cast(), &mut length) })?;
        Ok(bytes)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Accumulator> {
        let mut handle = ptr::null_mut();
        check(unsafe { sys::freeridge_accumulator_load(bytes.as_ptr().cast(), size(bytes.len())?, &mut handle) })?;
        Ok(Accumulator { handle })
    }

    /// y in the layout of x, and the weights' place, after their sizes have been checked.
    fn rows<'b>(
        &self, x: Matrix<'_>, y: Matrix<'b>, weights: Option<&[f64]>, buffer: &'b mut Vec<f64>,
    ) -> Result<(Matrix<'b>, *const f64)> {
        let (_, d, t, _) = self.dimensions()?;
        check_length("a row of x", x.columns, d)?;
        check_length("a row of y", y.columns, t)?;
        if x.rows != y.rows || weights.map_or(false, |weights| weights.len() != x.rows) {
            let message = format!("x has {} rows, y or the weights have others", x.rows);
            return Err(Error::mistake(sys::FREERIDGE_DIMENSION_MISMATCH, message));
        }
        Ok((y.in_layout(x.layout, buffer), weights.map_or(ptr::null(), <[f64]>::as_ptr)))
    }
}
