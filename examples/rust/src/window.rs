//! Ridge and kernel ridge regression at one lambda on rows that come and go.

use crate::choices::Criterion;
use crate::error::{check_length, given_or, size, told, zeros, Result};
use crate::handle::Handle;
use crate::kernel::Kernel;
use crate::matrix::{Dense, Layout, Matrix};
use crate::model::same_rows;
use crate::selection::Choice;
use crate::sys;
use std::fmt;
use std::ptr;

/// Rows that come and go. `&self` methods may run side by side, in several threads.
pub struct Window {
    handle: Handle<sys::freeridge_window>,
}

/// What a window is made with.
#[derive(Debug, Clone, Copy)]
pub struct WindowSettings<'a> {
    pub lambda: f64,
    /// As soon as there are more rows the oldest goes; 0: rows are not kept.
    pub capacity: usize,
    pub intercept: bool,
    /// The coordinates of landmarks, r x d.
    pub landmarks: Option<Matrix<'a>>,
    /// A row has the weight w f^age; below 1 with capacity 0 alone.
    pub forgetting: f64,
}

impl Default for WindowSettings<'_> {
    fn default() -> Self {
        WindowSettings { lambda: 1.0, capacity: 1000, intercept: true, landmarks: None, forgetting: 1.0 }
    }
}

/// What is known of a window: n rows, d features, t outputs, the rows of the coefficients, and more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowState {
    pub n: usize,
    pub d: usize,
    pub t: usize,
    pub rows: usize,
    pub lambda: f64,
    /// About what part of the answers rounding has taken: by rows that went, and of a kernel by the condition of its rows.
    pub lost: f64,
    pub factorizations: usize,
}

impl Window {
    /// Without rows, for d features and t outputs.
    pub fn new(kernel: &Kernel, d: usize, t: usize, settings: WindowSettings<'_>) -> Result<Window> {
        let (d, t, capacity) = (size(d)?, size(t)?, i64::try_from(settings.capacity).unwrap_or(i64::MAX));
        let landmarks = settings.landmarks.map(|z| z.lent()).transpose()?.map(|z| z.points());
        let (z, intercept) = (landmarks.as_ref().map_or(ptr::null(), |z| z as *const _), i32::from(settings.intercept));
        let make = |out| unsafe {
            let (kernel, lambda, forgetting) = (kernel.handle(), settings.lambda, settings.forgetting);
            sys::freeridge_window_create(kernel, z, d, t, intercept, lambda, capacity, forgetting, out)
        };
        Ok(Window { handle: Handle::made_by(make)? })
    }

    /// The rows of x and y come, with weights or all one; the answer is y less the prediction before each came, n x t, NaN
    /// where there were no rows, and an intercept.
    pub fn add(&mut self, x: Matrix<'_>, y: Matrix<'_>, weights: Option<&[f64]>) -> Result<Dense> {
        let state = self.state()?;
        check_length("a row of x", x.columns(), state.d)?;
        check_length("a row of y", y.columns(), state.t)?;
        same_rows(x, y)?;
        if let Some(weights) = weights {
            check_length("weights", weights.len(), y.rows())?;
        }
        let weights = weights.map_or(ptr::null(), <[f64]>::as_ptr);
        let (points, outputs, handle) = (x.lent()?.points(), y.lent()?, &mut self.handle);
        Dense::filled(x.rows(), state.t, |errors, ld| {
            handle.write(|window| unsafe {
                let y = &outputs;
                sys::freeridge_window_add(window, &points, y.layout, y.data, y.ld, weights, errors, ld)
            })
        })
    }

    /// The `count` oldest rows go.
    pub fn remove_oldest(&mut self, count: usize) -> Result<()> {
        let count = size(count)?;
        self.handle.write(|window| unsafe { sys::freeridge_window_remove(window, count, ptr::null()) })
    }

    /// The rows of these positions go; 0 is the oldest.
    pub fn remove(&mut self, rows: &[i64]) -> Result<()> {
        let count = size(rows.len())?;
        self.handle.write(|window| unsafe { sys::freeridge_window_remove(window, count, rows.as_ptr()) })
    }

    /// Another lambda; the next answer factorizes all rows.
    pub fn set_lambda(&mut self, lambda: f64) -> Result<()> {
        self.handle.write(|window| unsafe { sys::freeridge_window_set_lambda(window, lambda) })
    }

    /// Sets the lambda with the least LOO, GCV or REML of the rows that are there, the mean over the outputs.
    pub fn select_lambda(&mut self, criterion: Criterion, range: Option<(f64, f64)>) -> Result<Choice> {
        let (low, high) = given_or("range", range, (0.0, 0.0))?;
        let (mut lambda, mut score) = (0.0, 0.0);
        self.handle.write(|window| unsafe {
            sys::freeridge_window_select_lambda(window, criterion.number(), low, high, &mut lambda, &mut score)
        })?;
        Ok(Choice { lambda, score })
    }

    /// The exact left-out errors of all rows, the oldest first, n x t.
    pub fn loo(&self) -> Result<Dense> {
        let state = self.state()?;
        Dense::filled(state.n, state.t, |errors, ld| {
            self.handle.read(|window| unsafe { sys::freeridge_window_loo(window, errors, ld) })
        })
    }

    /// The coefficients (w of a linear kernel, or those of the landmarks or of the rows) and b.
    pub fn coefficients(&self) -> Result<(Dense, Vec<f64>)> {
        let state = self.state()?;
        let mut b = zeros(state.t)?;
        let c = Dense::filled(state.rows, state.t, |c, ld| {
            self.handle.read(|window| unsafe { sys::freeridge_window_coefficients(window, c, ld, b.as_mut_ptr()) })
        })?;
        Ok((c, b))
    }

    /// Predictions at new points, m x t.
    pub fn predict(&self, x: Matrix<'_>) -> Result<Dense> {
        let (state, points) = (self.state()?, x.lent()?.points());
        Dense::filled(x.rows(), state.t, |out, ld| {
            self.handle.read(|window| unsafe {
                sys::freeridge_window_predict(window, &points, sys::FREERIDGE_COL_MAJOR, out, ld)
            })
        })
    }

    /// The rows that are there, the oldest first: x, y and the weights.
    pub fn rows(&self) -> Result<(Dense, Dense, Vec<f64>)> {
        let state = self.state()?;
        let mut x = Dense::room(Layout::ColumnMajor, state.n, state.d)?;
        let mut y = Dense::room(Layout::ColumnMajor, state.n, state.t)?;
        let mut weights = zeros(state.n)?;
        let ((to_x, ldx), (to_y, ldy), to_weights) = (x.place()?, y.place()?, weights.as_mut_ptr());
        self.handle.read(|window| unsafe {
            sys::freeridge_window_get_rows(window, sys::FREERIDGE_COL_MAJOR, to_x, ldx, to_y, ldy, to_weights)
        })?;
        Ok((x, y, weights))
    }

    pub fn state(&self) -> Result<WindowState> {
        let (mut n, mut d, mut t, mut rows, mut count) = (0, 0, 0, 0, 0);
        let (mut lambda, mut lost) = (0.0, 0.0);
        self.handle.read(|window| unsafe {
            let (lambda, lost) = (&mut lambda, &mut lost);
            sys::freeridge_window_get_state(window, &mut n, &mut d, &mut t, &mut rows, lambda, lost, &mut count)
        })?;
        let factorizations = told(count);
        Ok(WindowState { n: told(n), d: told(d), t: told(t), rows: told(rows), lambda, lost, factorizations })
    }

    /// As [`Model::set_progress`](crate::Model::set_progress).
    pub fn set_progress(&mut self, closure: impl Fn(f64) -> bool + Send + Sync + 'static) -> Result<()> {
        self.handle.set_progress(closure)
    }

    pub fn clear_progress(&mut self) -> Result<()> {
        self.handle.clear_progress()
    }
}

impl fmt::Debug for Window {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = out.debug_struct("Window");
        if let Ok(state) = self.state() {
            text.field("rows", &state.n).field("features", &state.d).field("outputs", &state.t);
        }
        text.finish_non_exhaustive()
    }
}
