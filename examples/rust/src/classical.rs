//! The calls without a handle: least squares, total least squares, polynomial features, medians.

use crate::error::{answer, check, check_length, numbers, size, told, zeros, Arrays, Error, Result, Status};
use crate::matrix::{Dense, Layout, Lent, Matrix};
use crate::model::same_rows;
use crate::sys;
use std::ptr;

/// w (d x t) and b (t numbers) of w'x + b; `rank` of x where the call finds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub w: Dense,
    pub b: Vec<f64>,
    pub rank: Option<usize>,
}

/// With standard errors, for each output the standard deviation of the errors, and R^2.
#[derive(Debug, Clone, PartialEq)]
pub struct LineSummary {
    pub line: Line,
    pub w_error: Dense,
    pub b_error: Vec<f64>,
    pub sigma: Vec<f64>,
    pub r_squared: Vec<f64>,
}

/// With the corrections E and F of total least squares, the norms of the rows of [E F] and its singular values.
#[derive(Debug, Clone, PartialEq)]
pub struct LineErrors {
    pub line: Line,
    pub singular_values: Vec<f64>,
    pub distances: Vec<f64>,
    pub x_correction: Dense,
    pub y_correction: Dense,
}

impl Arrays for Line {
    fn arrays(self) -> Vec<Dense> {
        (self.w, self.b).arrays()
    }
}

impl Arrays for LineSummary {
    fn arrays(self) -> Vec<Dense> {
        ((self.line, (self.w_error, self.b_error)), (self.sigma, self.r_squared)).arrays()
    }
}

/// Checks the sizes, and hands x, y and the places of w and b to a call. How the call ended, and w and b.
fn told_line(
    x: Matrix<'_>, y: Matrix<'_>, call: impl FnOnce(Lent, Lent, *mut f64, *mut f64) -> sys::freeridge_status,
) -> Result<(Result<()>, Line)> {
    same_rows(x, y)?;
    let mut buffer = Vec::new();
    let (x_at, y_at) = (x.lent()?, y.in_layout(x.layout(), &mut buffer)?.lent()?);
    let (mut w, mut b) = (Dense::room(Layout::ColumnMajor, x.columns(), y.columns())?, numbers(y.columns())?);
    let done = check(call(x_at, y_at, w.place()?.0, b.as_mut_ptr()));
    Ok((done, Line { w, b, rank: None }))
}

/// The same for calls whose answer is w and b.
fn line(
    x: Matrix<'_>, y: Matrix<'_>, call: impl FnOnce(Lent, Lent, *mut f64, *mut f64) -> sys::freeridge_status,
) -> Result<Line> {
    let (done, line) = told_line(x, y, call)?;
    done.map(|()| line)
}

/// Ordinary least squares; the minimum-norm solution where x is rank deficient.
pub fn ols(x: Matrix<'_>, y: Matrix<'_>, intercept: bool) -> Result<Line> {
    let mut answers = sys::freeridge_ols_answers::default();
    let found = line(x, y, |x, y, w, b| unsafe {
        let (layout, n, d, t, on) = (x.layout, x.rows, x.columns, y.columns, i32::from(intercept));
        (answers.w, answers.b) = (w, b);
        sys::freeridge_ols(layout, n, d, x.data, x.ld, t, y.data, y.ld, on, &mut answers)
    })?;
    Ok(Line { rank: Some(told(answers.rank)), ..found })
}

/// The same with what goes into a table of results. Where some of its numbers do not exist, as R^2 of a constant y: an
/// [`Error`] whose `values` are w, b, their errors, sigma and R^2.
pub fn ols_summary(x: Matrix<'_>, y: Matrix<'_>, intercept: bool) -> Result<LineSummary> {
    let (d, t) = (x.columns(), y.columns());
    x.lent()?; // their sizes, before memory is asked for
    y.lent()?;
    let mut w_error = Dense::room(Layout::ColumnMajor, d, t)?;
    let (w_error_at, _) = w_error.place()?;
    let (mut b_error, mut sigma, mut r_squared) = (numbers(t)?, numbers(t)?, numbers(t)?);
    let mut answers = sys::freeridge_ols_answers {
        w_error: w_error_at,
        b_error: b_error.as_mut_ptr(),
        sigma: sigma.as_mut_ptr(),
        r_squared: r_squared.as_mut_ptr(),
        ..Default::default()
    };
    let (done, found) = told_line(x, y, |x, y, w, b| unsafe {
        let (layout, n, d, t, on) = (x.layout, x.rows, x.columns, y.columns, i32::from(intercept));
        (answers.w, answers.b) = (w, b);
        sys::freeridge_ols(layout, n, d, x.data, x.ld, t, y.data, y.ld, on, &mut answers)
    })?;
    let line = Line { rank: Some(told(answers.rank)), ..found };
    answer(done, LineSummary { line, w_error, b_error, sigma, r_squared })
}

/// Ridge regression.
pub fn ridge(x: Matrix<'_>, y: Matrix<'_>, intercept: bool, lambda: f64) -> Result<Line> {
    line(x, y, |x, y, w, b| unsafe {
        let (layout, n, d, t, on) = (x.layout, x.rows, x.columns, y.columns, i32::from(intercept));
        sys::freeridge_ridge(layout, n, d, x.data, x.ld, t, y.data, y.ld, on, lambda, ptr::null(), w, b)
    })
}

/// Ridge regression with a penalty factor for each feature.
pub fn ridge_penalty(x: Matrix<'_>, y: Matrix<'_>, intercept: bool, lambda: f64, penalty: &[f64]) -> Result<Line> {
    check_length("penalty", penalty.len(), x.columns())?;
    line(x, y, |x, y, w, b| unsafe {
        let (layout, n, d, t, on) = (x.layout, x.rows, x.columns, y.columns, i32::from(intercept));
        let penalty = penalty.as_ptr();
        sys::freeridge_ridge(layout, n, d, x.data, x.ld, t, y.data, y.ld, on, lambda, penalty, w, b)
    })
}

/// freeridge_tls with these places for the answers; exact: flags, or NULL.
fn total(
    x: Matrix<'_>, y: Matrix<'_>, intercept: bool, exact: *const i32, answers: sys::freeridge_tls_answers,
) -> Result<Line> {
    line(x, y, |x, y, w, b| unsafe {
        let (layout, n, d, t, on) = (x.layout, x.rows, x.columns, y.columns, i32::from(intercept));
        let mut answers = sys::freeridge_tls_answers { w, b, ..answers };
        sys::freeridge_tls(layout, n, d, x.data, x.ld, t, y.data, y.ld, on, exact, &mut answers)
    })
}

/// Total least squares.
pub fn tls(x: Matrix<'_>, y: Matrix<'_>, intercept: bool) -> Result<Line> {
    total(x, y, intercept, ptr::null(), Default::default())
}

/// Total least squares where some columns of x have no error.
pub fn tls_exact(x: Matrix<'_>, y: Matrix<'_>, intercept: bool, exact: &[bool]) -> Result<Line> {
    check_length("exact", exact.len(), x.columns())?;
    let exact: Vec<i32> = exact.iter().copied().map(i32::from).collect();
    total(x, y, intercept, exact.as_ptr(), Default::default())
}

/// Total least squares with the smallest corrections of x and y that put all points on the hyperplane.
pub fn tls_errors(x: Matrix<'_>, y: Matrix<'_>, intercept: bool, exact: Option<&[bool]>) -> Result<LineErrors> {
    let (n, d, t) = (x.rows(), x.columns(), y.columns());
    check_length("exact", exact.map_or(d, <[bool]>::len), d)?;
    let exact: Option<Vec<i32>> = exact.map(|flags| flags.iter().copied().map(i32::from).collect());
    let exact = exact.as_ref().map_or(ptr::null(), |flags| flags.as_ptr());
    x.lent()?; // their sizes, before memory is asked for
    y.lent()?;
    let (mut x_correction, mut y_correction) = (Dense::room(x.layout(), n, d)?, Dense::room(x.layout(), n, t)?);
    let (mut singular_values, mut distances) = (zeros(t)?, zeros(n)?);
    let answers = sys::freeridge_tls_answers {
        singular_values: singular_values.as_mut_ptr(),
        distances: distances.as_mut_ptr(),
        x_correction: x_correction.place()?.0,
        y_correction: y_correction.place()?.0,
        ..Default::default()
    };
    let line = total(x, y, intercept, exact, answers)?;
    Ok(LineErrors { line, singular_values, distances, x_correction, y_correction })
}

/// The Moore-Penrose inverse, in the layout of a, and the rank. Singular values at most `rcond` times the largest count
/// as zero; `None`: the library's.
pub fn pinv(a: Matrix<'_>, rcond: Option<f64>) -> Result<(Dense, usize)> {
    let at = a.lent()?;
    let mut out = Dense::room(a.layout(), a.columns(), a.rows())?;
    let ((place, ld), mut rank) = (out.place()?, 0);
    let rcond = rcond.unwrap_or(-1.0);
    check(unsafe { sys::freeridge_pinv(at.layout, at.rows, at.columns, at.data, at.ld, rcond, place, ld, &mut rank) })?;
    Ok((out, told(rank)))
}

/// How many monomials of d features there are up to a degree.
pub fn polynomial_feature_count(d: usize, degree: i32, bias: bool) -> Result<usize> {
    let (d, mut count) = (size(d)?, 0);
    check(unsafe { sys::freeridge_polynomial_exponents(d, degree, i32::from(bias), &mut count, ptr::null_mut()) })?;
    Ok(told(count))
}

/// The exponents of each monomial, one after the other, d numbers each.
pub fn polynomial_exponents(d: usize, degree: i32, bias: bool) -> Result<Vec<Vec<i32>>> {
    let count = polynomial_feature_count(d, degree, bias)?;
    let mut exponents: Vec<i32> = zeros(product(count, d)?)?;
    let (size, bias, place) = (size(d)?, i32::from(bias), exponents.as_mut_ptr());
    check(unsafe { sys::freeridge_polynomial_exponents(size, degree, bias, ptr::null_mut(), place) })?;
    Ok((0..count).map(|i| (0..d).map(|j| exponents[i + j * count]).collect()).collect())
}

/// All monomials of the columns of x, in the layout of x.
pub fn polynomial_features(x: Matrix<'_>, degree: i32, bias: bool) -> Result<Dense> {
    let at = x.lent()?;
    let count = polynomial_feature_count(x.columns(), degree, bias)?;
    let mut out = Dense::room(x.layout(), x.rows(), count)?;
    let ((place, ld), bias) = (out.place()?, i32::from(bias));
    check(unsafe {
        sys::freeridge_polynomial_features(at.layout, at.rows, at.columns, at.data, at.ld, degree, bias, place, ld)
    })?;
    Ok(out)
}

/// The factors with which the features, bias included, have the polynomial kernel as their inner products.
pub fn polynomial_feature_factors(d: usize, degree: i32, scale: f64, offset: f64) -> Result<Vec<f64>> {
    let mut factors = zeros(polynomial_feature_count(d, degree, true)?)?;
    check(unsafe { sys::freeridge_polynomial_feature_factors(size(d)?, degree, scale, offset, factors.as_mut_ptr()) })?;
    Ok(factors)
}

/// A minimiser of sum_i weights_i |values_i - m| over m.
pub fn weighted_median(values: &[f64], weights: &[f64]) -> Result<f64> {
    check_length("weights", weights.len(), values.len())?;
    let (n, mut median) = (size(values.len())?, 0.0);
    check(unsafe { sys::freeridge_weighted_median(n, values.as_ptr(), weights.as_ptr(), &mut median) })?;
    Ok(median)
}

/// The minimiser of sum_i |y_i - slope x_i|.
pub fn absolute_slope(x: &[f64], y: &[f64]) -> Result<f64> {
    check_length("y", y.len(), x.len())?;
    let (n, mut slope) = (size(x.len())?, 0.0);
    check(unsafe { sys::freeridge_absolute_slope(n, x.as_ptr(), y.as_ptr(), &mut slope) })?;
    Ok(slope)
}

/// The weights of a stack, and its left-out errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Stack {
    pub w: Vec<f64>,
    pub errors: Vec<f64>,
}

impl Arrays for Stack {
    fn arrays(self) -> Vec<Dense> {
        (self.w, self.errors).arrays()
    }
}

/// The non-negative weights with sum one that make of left-out predictions `f`, a column for each member, the best one
/// of `y`; the errors are of weights that are found without the row. `prior` draws the weights to the first member.
pub fn stack_weights(f: Matrix<'_>, y: &[f64], weights: Option<&[f64]>, prior: f64) -> Result<Stack> {
    check_length("y", y.len(), f.rows())?;
    weights.map_or(Ok(()), |weights| check_length("weights", weights.len(), f.rows()))?;
    let (at, given) = (f.lent()?, weights.map_or(ptr::null(), <[f64]>::as_ptr));
    let mut out = Stack { w: numbers(f.columns())?, errors: numbers(f.rows())? };
    let (w, errors) = (out.w.as_mut_ptr(), out.errors.as_mut_ptr());
    let (layout, n, k, data, ld) = (at.layout, at.rows, at.columns, at.data, at.ld);
    let done =
        check(unsafe { sys::freeridge_stack_weights(layout, n, k, data, ld, y.as_ptr(), given, prior, w, errors) });
    answer(done, out)
}

fn product(a: usize, b: usize) -> Result<usize> {
    a.checked_mul(b)
        .ok_or_else(|| Error::new(Status::OutOfMemory, format!("{a} x {b} numbers are beyond the address space")))
}
