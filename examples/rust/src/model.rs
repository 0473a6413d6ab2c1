//! A model: data, one factorization, and what is nearly free after it.

use crate::error::{check, check_length, size, Error, Result};
use crate::kernel::Kernel;
use crate::matrix::{Dense, Layout, Matrix};
use crate::progress::{Progress, TRAMPOLINE};
use crate::sys;
use std::ffi::CString;
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::path::Path;
use std::ptr;

/// How the factorization is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    Auto = sys::FREERIDGE_AUTO as isize,
    Cholesky = sys::FREERIDGE_CHOLESKY as isize,
    Spectral = sys::FREERIDGE_SPECTRAL as isize,
    Band = sys::FREERIDGE_BAND as isize,
    Primal = sys::FREERIDGE_PRIMAL as isize,
    Landmark = sys::FREERIDGE_LANDMARK as isize,
}

/// What lambda is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    Loo = sys::FREERIDGE_LOO as isize,
    Gcv = sys::FREERIDGE_GCV as isize,
    Reml = sys::FREERIDGE_REML as isize,
    Groups = sys::FREERIDGE_GROUPS as isize,
    ErrorRate = sys::FREERIDGE_ERROR_RATE as isize,
}

/// A lambda that was chosen, and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    pub lambda: f64,
    pub score: f64,
}

/// A model, which may borrow its data for `'a`. `&self` methods may run side by side, in several threads.
pub struct Model<'a> {
    handle: *mut sys::freeridge_model,
    progress: Option<Box<Progress>>,
    data: PhantomData<&'a [f64]>,
}

// A handle belongs to no thread, and calls on a const handle may run side by side.
unsafe impl Send for Model<'_> {}
unsafe impl Sync for Model<'_> {}

impl Drop for Model<'_> {
    fn drop(&mut self) {
        unsafe { sys::freeridge_destroy(self.handle) }
    }
}

impl<'a> Model<'a> {
    /// An empty model; the kernel is copied.
    pub fn new(kernel: &Kernel) -> Result<Model<'a>> {
        Model::made_by(|out| unsafe { sys::freeridge_create(kernel.handle(), out) })
    }

    fn made_by(make: impl FnOnce(*mut *mut sys::freeridge_model) -> sys::freeridge_status) -> Result<Model<'a>> {
        let mut handle = ptr::null_mut();
        check(make(&mut handle))?;
        Ok(Model { handle, progress: None, data: PhantomData })
    }

    pub fn set_kernel(&mut self, kernel: &Kernel) -> Result<()> {
        check(unsafe { sys::freeridge_set_kernel(self.handle, kernel.handle()) })
    }

    /// Copies x (n x d) and y (n x t).
    pub fn set_data(&mut self, x: Matrix<'_>, y: Matrix<'_>) -> Result<()> {
        self.hand_over(sys::freeridge_set_data, x, y)
    }

    /// Borrows x and y, which have to be in the same layout; a single column without gaps is in both.
    pub fn set_data_view(&mut self, x: Matrix<'a>, y: Matrix<'a>) -> Result<()> {
        if y.seen_as(x.layout).is_none() {
            let message = "x and y are borrowed, and have different layouts".to_string();
            return Err(Error::mistake(sys::FREERIDGE_INVALID_ARGUMENT, message));
        }
        self.hand_over(sys::freeridge_set_data_view, x, y)
    }

    fn hand_over(&mut self, call: SetData, x: Matrix<'_>, y: Matrix<'_>) -> Result<()> {
        if x.rows != y.rows {
            let message = format!("x has {} rows, y has {}", x.rows, y.rows);
            return Err(Error::mistake(sys::FREERIDGE_DIMENSION_MISMATCH, message));
        }
        let mut buffer = Vec::new();
        let y = y.in_layout(x.layout, &mut buffer);
        let (n, d, ldx) = (size(x.rows)?, size(x.columns)?, size(x.ld)?);
        let (t, ldy) = (size(y.columns)?, size(y.ld)?);
        let (x, y, layout) = (x.data.as_ptr(), y.data.as_ptr(), x.layout.number());
        self.long(unsafe { call(self.handle, layout, n, d, x, ldx, t, y, ldy) })
    }

    /// n positive weights; `None`: all one.
    pub fn set_weights(&mut self, weights: Option<&[f64]>) -> Result<()> {
        let pointer = self.of_rows("weights", weights)?;
        check(unsafe { sys::freeridge_set_weights(self.handle, pointer) })
    }

    /// n labels: rows with the same one are left out together, rows with a negative one never are.
    pub fn set_groups(&mut self, group: Option<&[i32]>) -> Result<()> {
        let pointer = self.of_rows("group", group)?;
        check(unsafe { sys::freeridge_set_groups(self.handle, pointer) })
    }

    pub fn set_intercept(&mut self, on: bool) -> Result<()> {
        check(unsafe { sys::freeridge_set_intercept(self.handle, i32::from(on)) })
    }

    pub fn set_route(&mut self, route: Route) -> Result<()> {
        check(unsafe { sys::freeridge_set_route(self.handle, route as i32) })
    }

    /// `count` landmarks that the library chooses when it factorizes; 0: none.
    pub fn set_landmark_count(&mut self, count: usize) -> Result<()> {
        check(unsafe { sys::freeridge_set_landmarks(self.handle, size(count)?, ptr::null()) })
    }

    /// Called with the fraction done while long calls run; `false` cancels the call.
    pub fn set_progress(&mut self, closure: impl Fn(f64) -> bool + Send + Sync + 'static) -> Result<()> {
        let progress = Progress::new(closure);
        check(unsafe { sys::freeridge_set_progress(self.handle, TRAMPOLINE, progress.user()) })?;
        self.progress = Some(progress); // the one before goes now, when the library no longer knows it
        Ok(())
    }

    pub fn clear_progress(&mut self) -> Result<()> {
        check(unsafe { sys::freeridge_set_progress(self.handle, None, ptr::null_mut()) })?;
        self.progress = None;
        Ok(())
    }

    /// The bytes that `factorize`, and one lambda with its leave-one-out errors, will need at most beside the data.
    pub fn memory_required(&self) -> Result<i64> {
        let mut bytes = 0;
        check(unsafe { sys::freeridge_memory_required(self.handle, &mut bytes) })?;
        Ok(bytes)
    }

    /// The one expensive step.
    pub fn factorize(&mut self) -> Result<()> {
        self.long(unsafe { sys::freeridge_factorize(self.handle) })
    }

    /// One lambda for all outputs.
    pub fn set_lambda(&mut self, lambda: f64) -> Result<()> {
        self.long(unsafe { sys::freeridge_set_lambda(self.handle, lambda) })
    }

    /// One lambda for each output.
    pub fn set_lambdas(&mut self, lambdas: &[f64]) -> Result<()> {
        check_length("lambdas", lambdas.len(), self.dimensions()?.2)?;
        self.long(unsafe { sys::freeridge_set_lambdas(self.handle, lambdas.as_ptr()) })
    }

    /// The best lambda of each output, in a range or in that of the library; the model is fitted at it.
    pub fn select_lambda(&mut self, criterion: Criterion, range: Option<(f64, f64)>) -> Result<Vec<Choice>> {
        let t = self.dimensions()?.2;
        let (low, high) = range.unwrap_or((0.0, 0.0));
        let (mut lambda, mut score) = (vec![0.0; t], vec![0.0; t]);
        self.long(unsafe {
            let (lambda, score) = (lambda.as_mut_ptr(), score.as_mut_ptr());
            sys::freeridge_select_lambda(self.handle, criterion as i32, low, high, lambda, score)
        })?;
        Ok(lambda.into_iter().zip(score).map(|(lambda, score)| Choice { lambda, score }).collect())
    }

    /// The criterion at each of some lambdas (rows), for each output (columns).
    pub fn score(&self, criterion: Criterion, lambdas: &[f64]) -> Result<Dense> {
        let count = size(lambdas.len())?;
        self.filled(lambdas.len(), |scores, ld| unsafe {
            sys::freeridge_score(self.handle, criterion as i32, count, lambdas.as_ptr(), scores, ld)
        })
    }

    /// `count` lambdas over the range in which the data's answer changes.
    pub fn lambda_grid(&self, count: usize) -> Result<Vec<f64>> {
        let mut lambdas = vec![0.0; count];
        check(unsafe { sys::freeridge_lambda_grid(self.handle, size(count)?, lambdas.as_mut_ptr()) })?;
        Ok(lambdas)
    }

    /// Exact leave-one-out errors, n x t.
    pub fn loo(&self) -> Result<Dense> {
        let n = self.dimensions()?.0;
        self.filled(n, |errors, ld| unsafe { sys::freeridge_loo(self.handle, errors, ld) })
    }

    /// Exact errors with whole groups left out, n x t; NaN for rows with a negative label.
    pub fn group_errors(&self, group: &[i32]) -> Result<Dense> {
        let n = self.dimensions()?.0;
        check_length("group", group.len(), n)?;
        self.filled(n, |errors, ld| unsafe { sys::freeridge_group_errors(self.handle, group.as_ptr(), errors, ld) })
    }

    /// Predictions at the rows of x, in the layout of x.
    pub fn predict(&self, x: Matrix<'_>) -> Result<Dense> {
        let (_, d, t) = self.dimensions()?;
        check_length("a row of x", x.columns, d)?;
        let (layout, m, ldx) = (x.layout.number(), size(x.rows)?, size(x.ld)?);
        let mut out = Dense::new(x.layout, x.rows, t);
        let ldout = size(out.ld())?;
        let (x, values) = (x.data.as_ptr(), out.data.as_mut_ptr());
        self.long(unsafe { sys::freeridge_predict(self.handle, layout, m, x, ldx, values, ldout) })?;
        Ok(out)
    }

    /// c of f(x) = sum_i c_i k(x_i, x), n x t.
    pub fn coefficients(&self) -> Result<Dense> {
        let n = self.dimensions()?.0;
        self.filled(n, |c, ld| unsafe { sys::freeridge_get_coefficients(self.handle, c, ld) })
    }

    /// w of f(x) = w'x for linear kernels, d x t.
    pub fn hyperplane(&self) -> Result<Dense> {
        let d = self.dimensions()?.1;
        self.filled(d, |w, ld| unsafe { sys::freeridge_get_hyperplane(self.handle, w, ld) })
    }

    /// The intercepts, t numbers.
    pub fn intercept(&self) -> Result<Vec<f64>> {
        let mut b = vec![0.0; self.dimensions()?.2];
        check(unsafe { sys::freeridge_get_intercept(self.handle, b.as_mut_ptr()) })?;
        Ok(b)
    }

    /// n points, d features, t outputs.
    pub fn dimensions(&self) -> Result<(usize, usize, usize)> {
        let (mut n, mut d, mut t) = (0, 0, 0);
        check(unsafe { sys::freeridge_get_dimensions(self.handle, &mut n, &mut d, &mut t) })?;
        Ok((n as usize, d as usize, t as usize))
    }

    /// What `factorize` ran.
    pub fn route(&self) -> Result<Route> {
        let mut number = sys::FREERIDGE_AUTO;
        check(unsafe { sys::freeridge_get_route(self.handle, &mut number) })?;
        let all = [Route::Cholesky, Route::Spectral, Route::Band, Route::Primal, Route::Landmark];
        all.into_iter().find(|route| *route as i32 == number).ok_or_else(|| {
            Error::mistake(sys::FREERIDGE_INTERNAL, format!("route {number} is not known to this version of the crate"))
        })
    }

    /// Writes the whole model to a file: never half of it.
    pub fn save(&self, path: &Path) -> Result<()> {
        let path = path_text(path)?;
        check(unsafe { sys::freeridge_save(self.handle, path.as_ptr()) })
    }

    /// Writes what prediction needs, no more.
    pub fn save_predictor(&self, path: &Path) -> Result<()> {
        let path = path_text(path)?;
        check(unsafe { sys::freeridge_save_predictor(self.handle, path.as_ptr()) })
    }

    /// What `save` or `save_predictor` wrote; it borrows nothing.
    pub fn load(path: &Path) -> Result<Model<'a>> {
        let path = path_text(path)?;
        Model::made_by(|out| unsafe { sys::freeridge_load(path.as_ptr(), out) })
    }

    /// The same bytes as those of a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.bytes_of(sys::freeridge_save_to_memory)
    }

    pub fn predictor_to_bytes(&self) -> Result<Vec<u8>> {
        self.bytes_of(sys::freeridge_save_predictor_to_memory)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Model<'a>> {
        let count = size(bytes.len())?;
        Model::made_by(|out| unsafe { sys::freeridge_load_from_memory(bytes.as_ptr().cast(), count, out) })
    }

    fn bytes_of(&self, call: SaveToMemory) -> Result<Vec<u8>> {
        let mut length = 0;
        check(unsafe { call(self.handle, 0, ptr::null_mut(), &mut length) })?;
        let mut bytes = vec![0u8; length as usize];
        check(unsafe { call(self.handle, length, bytes.as_mut_ptr().cast(), &mut length) })?;
        Ok(bytes)
    }

    /// For the calls of [`sys`] that have no method here. It stays the model's.
    pub fn as_ptr(&self) -> *const sys::freeridge_model {
        self.handle
    }

    /// The status of a call that reports progress.
    fn long(&self, status: sys::freeridge_status) -> Result<()> {
        let result = check(status);
        if let Some(progress) = &self.progress {
            progress.resume_panic();
        }
        result
    }

    /// rows x t numbers, column-major, by a call that wants their place and leading dimension.
    fn filled(&self, rows: usize, call: impl FnOnce(*mut f64, i64) -> sys::freeridge_status) -> Result<Dense> {
        let mut out = Dense::new(Layout::ColumnMajor, rows, self.dimensions()?.2);
        self.long(call(out.data.as_mut_ptr(), size(rows)?))?;
        Ok(out)
    }

    /// An array with a number for each row, or NULL.
    fn of_rows<T>(&self, name: &str, values: Option<&[T]>) -> Result<*const T> {
        match values {
            None => Ok(ptr::null()),
            Some(values) => {
                check_length(name, values.len(), self.dimensions()?.0)?;
                Ok(values.as_ptr())
            }
        }
    }
}

/// freeridge_save_to_memory and freeridge_save_predictor_to_memory.
type SaveToMemory =
    unsafe extern "C" fn(*const sys::freeridge_model, i64, *mut c_void, *mut i64) -> sys::freeridge_status;

/// A path as the library takes it.
fn path_text(path: &Path) -> Result<CString> {
    path.to_str()
        .and_then(|text| CString::new(text).ok())
        .ok_or_else(|| Error::mistake(sys::FREERIDGE_INVALID_ARGUMENT, format!("path {} is no text", path.display())))
}

/// freeridge_set_data and freeridge_set_data_view.
type SetData = unsafe extern "C" fn(
    *mut sys::freeridge_model,
    sys::freeridge_layout,
    i64,
    i64,
    *const f64,
    i64,
    i64,
    *const f64,
    i64,
) -> sys::freeridge_status;
