//! A model: data and settings, one factorization, and lambda. Its answers are in `answers`, searches in `selection`.

use crate::answers::layers_of;
use crate::choices::{Criterion, LandmarkMethod, Reduction, Route};
use crate::error::{answer, bytes, check_length, numbers, size, told, zeros, Error, Result, Status};
use crate::handle::Handle;
use crate::kernel::Kernel;
use crate::matrix::{no_points, Dense, Layout, Matrix};
use crate::progress::keep_panic;
use crate::sparse::Sparse;
use crate::sys;
use std::ffi::CString;
use std::fmt;
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::ptr;
use std::sync::Arc;

/// A model, which may borrow its data for `'a`. `&self` methods may run side by side, in several threads.
pub struct Model<'a> {
    pub(crate) handle: Handle<sys::freeridge_model>,
    data: PhantomData<&'a [f64]>,
    reader: Option<Arc<Reader<'a>>>,
}

/// Rows that a closure hands out: x, y and weights of the rows from `first` on, which it fills, row by row; it answers how
/// many it gave, or None where it failed. A panic in it ends the call, and goes on in the caller.
pub type ReadRows<'a> = dyn Fn(usize, &mut [f64], &mut [f64], &mut [f64]) -> Option<usize> + Send + Sync + 'a;

struct Reader<'a> {
    d: usize,
    t: usize,
    closure: Box<ReadRows<'a>>,
}

/// The library's callback. A panic must not cross the library: it goes on when the call is over.
///
/// # Safety
/// `user` is a `Reader` that outlives the call, and the arrays have the sizes that `freeridge_reader` says.
unsafe extern "C" fn read_rows(
    first: i64, count: i64, x: *mut f64, y: *mut f64, weights: *mut f64, user: *mut c_void,
) -> i64 {
    let reader = &*(user as *const Reader<'_>);
    let rows = count as usize; // not negative
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let x = std::slice::from_raw_parts_mut(x, rows * reader.d);
        let y = std::slice::from_raw_parts_mut(y, rows * reader.t);
        (reader.closure)(first as usize, x, y, std::slice::from_raw_parts_mut(weights, rows))
    }));
    match outcome {
        Ok(given) => given.map_or(-1, |given| i64::try_from(given).unwrap_or(i64::MAX)), // the library refuses too many
        Err(panic) => {
            keep_panic(panic);
            -1
        }
    }
}

impl<'a> Model<'a> {
    /// An empty model; the kernel is copied.
    pub fn new(kernel: &Kernel) -> Result<Model<'a>> {
        Model::made_by(|out| unsafe { sys::freeridge_create(kernel.handle(), out) })
    }

    pub(crate) fn made_by(
        make: impl FnOnce(*mut *mut sys::freeridge_model) -> sys::freeridge_status,
    ) -> Result<Model<'a>> {
        Ok(Model { handle: Handle::made_by(make)?, data: PhantomData, reader: None })
    }

    pub fn set_kernel(&mut self, kernel: &Kernel) -> Result<()> {
        self.handle.write(|model| unsafe { sys::freeridge_set_kernel(model, kernel.handle()) })
    }

    /// Copies x (n x d) and y (n x t).
    pub fn set_data(&mut self, x: Matrix<'_>, y: Matrix<'_>) -> Result<()> {
        self.hand_over(x, y, 0)
    }

    /// Borrows x and y.
    pub fn set_data_view(&mut self, x: Matrix<'a>, y: Matrix<'a>) -> Result<()> {
        self.hand_over(x, y, 1)
    }

    /// Rows that need not be in memory: n of them, or as many as the closure gives.
    pub fn set_reader(&mut self, n: Option<usize>, d: usize, t: usize, closure: Box<ReadRows<'a>>) -> Result<()> {
        let rows = n.map_or(Ok(-1), size)?;
        let reader = Arc::new(Reader { d, t, closure });
        let (columns, outputs, user) = (size(d)?, size(t)?, Arc::as_ptr(&reader) as *mut c_void);
        let layout = sys::FREERIDGE_ROW_MAJOR;
        let points = sys::freeridge_points { layout, reader: Some(read_rows), user, ..no_points(rows, columns) };
        self.give(&points, 0, layout, outputs, ptr::null(), 0)?;
        self.reader = Some(reader);
        Ok(())
    }

    /// Leaves the first `count` columns of a reader's x, 0 <= count < d, without a penalty.
    pub fn set_unpenalised(&mut self, count: usize) -> Result<()> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.set_parameter(sys::FREERIDGE_UNPENALISED, count as f64)
    }

    /// Which of these columns have a part: not those that depend on the intercept and the ones before them.
    pub fn unpenalised(&self) -> Result<Vec<bool>> {
        unpenalised(|count, kept| {
            let none = ptr::null_mut();
            self.handle.read(|model| unsafe { sys::freeridge_get_unpenalised(model, count, kept, none, none, 0) })
        })
    }

    fn hand_over(&mut self, x: Matrix<'_>, y: Matrix<'_>, borrow: i32) -> Result<()> {
        same_rows(x, y)?;
        let (points, y) = (x.lent()?.points(), y.lent()?);
        self.give(&points, borrow, y.layout, y.columns, y.data, y.ld)?;
        self.reader = None;
        Ok(())
    }

    fn give(
        &mut self, points: &sys::freeridge_points, borrow: i32, layout: sys::freeridge_layout, t: i64, y: *const f64,
        ldy: i64,
    ) -> Result<()> {
        self.handle.write(|model| unsafe { sys::freeridge_set_points(model, points, borrow, layout, t, y, ldy) })
    }

    /// Copies a sparse x (n x d), and y (n x t).
    pub fn set_sparse(&mut self, x: Sparse<'_>, y: Matrix<'_>) -> Result<()> {
        self.hand_over_sparse(x, y, 0)
    }

    /// Borrows a sparse x, and y.
    pub fn set_sparse_view(&mut self, x: Sparse<'a>, y: Matrix<'a>) -> Result<()> {
        self.hand_over_sparse(x, y, 1)
    }

    fn hand_over_sparse(&mut self, x: Sparse<'_>, y: Matrix<'_>, borrow: i32) -> Result<()> {
        check_length("y", y.rows(), x.rows())?;
        let (points, y) = (x.lent()?.points(), y.lent()?);
        self.give(&points, borrow, y.layout, y.columns, y.data, y.ld)?;
        self.reader = None;
        Ok(())
    }

    /// n positive weights; `None`: all one.
    pub fn set_weights(&mut self, weights: Option<&[f64]>) -> Result<()> {
        let weights = self.of_rows("weights", weights)?;
        self.handle.write(|model| unsafe { sys::freeridge_set_weights(model, weights) })
    }

    /// n labels for each division of the rows, one division after the other: rows with the same label are left out
    /// together, rows with a negative one never are. The criterion is the mean over the divisions. gap: labels of rows
    /// that are left out with a group and not scored, n for each layer of each division, the layers of the first
    /// division first; negative: none. `None`: no groups, no gaps.
    pub fn set_groups(&mut self, group: Option<&[i32]>, gap: Option<&[i32]>) -> Result<()> {
        let (labels, n) = (group.map_or(0, <[i32]>::len), self.points()?);
        let divisions = (labels / n.max(1)).max(1);
        if group.is_some() {
            check_length("group", labels, divisions.saturating_mul(n))?;
        }
        let (layers, gap) = layers_of(gap, divisions.saturating_mul(n))?;
        let (group, divisions) = (group.map_or(ptr::null(), <[i32]>::as_ptr), size(divisions)?);
        self.handle.write(|model| unsafe { sys::freeridge_set_groups(model, divisions, group, layers, gap) })
    }

    /// Whether NaN in y means that a value was not observed, from the next data on.
    pub fn set_missing(&mut self, on: bool) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_MISSING, f64::from(i32::from(on)))
    }

    pub fn set_intercept(&mut self, on: bool) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_INTERCEPT, f64::from(i32::from(on)))
    }

    /// An intercept b with lambda/2 b^2 in the objective.
    pub fn set_penalised_intercept(&mut self) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_INTERCEPT, f64::from(sys::FREERIDGE_INTERCEPT_PENALISED))
    }

    pub fn set_route(&mut self, route: Route) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_ROUTE, f64::from(route.number()))
    }

    /// A hint for `Route::Auto`: how many values of lambda will be looked at.
    pub fn set_expected_lambdas(&mut self, count: usize) -> Result<()> {
        let count = size(count)?;
        self.set_parameter(sys::FREERIDGE_EXPECTED_LAMBDAS, count as f64)
    }

    /// The other hint for `Route::Auto`.
    pub fn set_expected_criterion(&mut self, criterion: Criterion) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_EXPECTED_CRITERION, f64::from(criterion.number()))
    }

    /// `count` landmarks that the library chooses when it factorizes; 0: none.
    pub fn set_landmark_count(&mut self, count: usize) -> Result<()> {
        let count = size(count)?;
        self.handle.write(|model| unsafe { sys::freeridge_set_landmarks(model, count, ptr::null()) })
    }

    fn set_parameter(&mut self, parameter: sys::freeridge_parameter, value: f64) -> Result<()> {
        self.handle.write(|model| unsafe { sys::freeridge_set_parameter(model, parameter, value) })
    }

    /// These different rows as landmarks; none: no landmarks.
    pub fn set_landmarks(&mut self, rows: &[usize]) -> Result<()> {
        let rows = rows.iter().map(|row| size(*row)).collect::<Result<Vec<i64>>>()?;
        let count = size(rows.len())?;
        self.handle.write(|model| unsafe { sys::freeridge_set_landmarks(model, count, rows.as_ptr()) })
    }

    /// How the library chooses landmarks.
    pub fn set_landmark_method(&mut self, method: LandmarkMethod, seed: i64) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_LANDMARK_METHOD, f64::from(method.number()))?;
        self.set_parameter(sys::FREERIDGE_LANDMARK_SEED, seed as f64)
    }

    pub fn set_reduction(&mut self, reduction: Reduction) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_REDUCTION, f64::from(reduction.number()))
    }

    /// Steps of iterative refinement, heard by the next lambda.
    pub fn set_refinement(&mut self, steps: i32) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_REFINEMENT, f64::from(steps))
    }

    /// Where the kernel matrix, its factors and eigenvectors are made: 0 the CPU, 1 the first CUDA device, each further one 1
    /// more.
    pub fn set_device(&mut self, device: i32) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_DEVICE, f64::from(device))
    }

    /// The variance of the error of a row of weight one, where it is known; 0: it is estimated.
    pub fn set_sigma2(&mut self, sigma2: f64) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_SIGMA2, sigma2)
    }

    /// Of weights that are made from the errors themselves, as Huber's: the share of the squares of normal errors that they
    /// leave, above 0 and at most 1.
    pub fn set_kept_squares(&mut self, share: f64) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_KEPT_SQUARES, share)
    }

    /// Whether `select_kernel` by REML chooses the smoothness of Matern kernels with nu = 3/2, too.
    pub fn set_smoothness(&mut self, chosen: bool) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_SMOOTHNESS, f64::from(u8::from(chosen)))
    }

    /// The relative error that solutions of `Route::Iterative` may have, above 0 and below 1.
    pub fn set_accuracy(&mut self, accuracy: f64) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_ACCURACY, accuracy)
    }

    /// The most bytes that one call may allocate; 0: as many as the machine has.
    pub fn set_memory_limit(&mut self, bytes: i64) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_MEMORY_LIMIT, bytes as f64)
    }

    /// Called with the fraction done while long calls run; `false` cancels the call. A closure that calls into the
    /// model that it hears gets an error from it; it must not wait for another thread that does.
    pub fn set_progress(&mut self, closure: impl Fn(f64) -> bool + Send + Sync + 'static) -> Result<()> {
        self.handle.set_progress(closure)
    }

    pub fn clear_progress(&mut self) -> Result<()> {
        self.handle.clear_progress()
    }

    /// The bytes that `factorize`, and one lambda with its leave-one-out errors, will need at most beside the data.
    pub fn memory_required(&self) -> Result<i64> {
        let mut bytes = 0;
        self.handle.read(|model| unsafe { sys::freeridge_memory_required(model, &mut bytes) })?;
        Ok(bytes)
    }

    /// The route that `factorize` would take and why, and what each would need; some lines for people.
    pub fn explain(&self) -> Result<String> {
        // The speed is measured in each call, and the text's length differs with it.
        let text = bytes(256, |room, text, length| {
            self.handle.read(|model| unsafe { sys::freeridge_explain(model, room, text.cast(), length) })
        })?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The one expensive step.
    pub fn factorize(&mut self) -> Result<()> {
        self.handle.write(|model| unsafe { sys::freeridge_factorize(model) })
    }

    /// One lambda for all outputs.
    pub fn set_lambda(&mut self, lambda: f64) -> Result<()> {
        self.handle.write(|model| unsafe { sys::freeridge_set_lambda(model, lambda) })
    }

    /// One lambda for each output.
    pub fn set_lambdas(&mut self, lambdas: &[f64]) -> Result<()> {
        check_length("lambdas", lambdas.len(), self.outputs()?)?;
        self.handle.write(|model| unsafe { sys::freeridge_set_lambdas(model, lambdas.as_ptr()) })
    }

    /// n points, d features, t outputs. [`Status::InvalidState`] where a reader's rows have not been counted: see `sizes`.
    pub fn dimensions(&self) -> Result<(usize, usize, usize)> {
        let (_, d, t) = self.sizes()?;
        Ok((self.points()?, d, t))
    }

    /// The same, with `None` in place of n until `factorize` has counted the rows of a reader that was given no n.
    pub fn sizes(&self) -> Result<(Option<usize>, usize, usize)> {
        let (mut n, mut d, mut t) = (0, 0, 0);
        self.handle.read(|model| unsafe { sys::freeridge_get_dimensions(model, &mut n, &mut d, &mut t) })?;
        Ok((usize::try_from(n).ok(), told(d), told(t)))
    }

    /// n
    pub(crate) fn points(&self) -> Result<usize> {
        self.sizes()?.0.ok_or_else(|| {
            let reason =
                "how many rows the reader has is not known before factorize: give n to set_reader, or factorize";
            Error::new(Status::InvalidState, reason)
        })
    }

    /// Writes the whole model to a file: never half of it.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.save_kind(sys::FREERIDGE_SAVE_MODEL, path)
    }

    /// Writes what prediction needs, no more.
    pub fn save_predictor(&self, path: &Path) -> Result<()> {
        self.save_kind(sys::FREERIDGE_SAVE_PREDICTOR, path)
    }

    fn save_kind(&self, what: sys::freeridge_save_kind, path: &Path) -> Result<()> {
        let path = path_text(path)?;
        self.handle.read(|model| unsafe { sys::freeridge_save(model, what, path.as_ptr()) })
    }

    /// What `save` or `save_predictor` wrote; it borrows nothing.
    pub fn load(path: &Path) -> Result<Model<'a>> {
        let path = path_text(path)?;
        Model::made_by(|out| unsafe { sys::freeridge_load(path.as_ptr(), out) })
    }

    /// The same bytes as those of a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.bytes_of(sys::FREERIDGE_SAVE_MODEL)
    }

    pub fn predictor_to_bytes(&self) -> Result<Vec<u8>> {
        self.bytes_of(sys::FREERIDGE_SAVE_PREDICTOR)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Model<'a>> {
        let count = bytes.len() as i64; // no slice has more bytes than that
        Model::made_by(|out| unsafe { sys::freeridge_load_from_memory(bytes.as_ptr().cast(), count, out) })
    }

    /// A second model in the same state, without the closure that hears progress. What the model copied is held by both
    /// and takes no more memory; what it borrows is borrowed by both.
    pub fn try_clone(&self) -> Result<Model<'a>> {
        let from = self.handle.lent()?;
        let mut clone = Model::made_by(|out| unsafe { sys::freeridge_clone(from, out) })?;
        clone.reader = self.reader.clone();
        Ok(clone)
    }

    fn bytes_of(&self, what: sys::freeridge_save_kind) -> Result<Vec<u8>> {
        bytes(0, |room, bytes, length| {
            self.handle.read(|model| unsafe { sys::freeridge_save_to_memory(model, what, room, bytes.cast(), length) })
        })
    }

    /// For the calls of [`sys`] that have no method here. It stays the model's. A panic of a closure in such a call goes on
    /// in the thread's next call of a method.
    pub fn as_ptr(&self) -> *const sys::freeridge_model {
        self.handle.as_ptr()
    }

    /// The same for calls that change the model, but for `freeridge_set_progress` and `freeridge_destroy`.
    pub fn as_mut_ptr(&mut self) -> *mut sys::freeridge_model {
        self.handle.as_ptr()
    }

    /// Whether a reader hands out the rows.
    pub(crate) fn reads(&self) -> bool {
        self.reader.is_some()
    }

    /// t
    pub(crate) fn outputs(&self) -> Result<usize> {
        Ok(self.sizes()?.2)
    }

    /// t numbers by a call that wants their place.
    pub(crate) fn of_outputs(
        &self, call: impl FnOnce(*const sys::freeridge_model, *mut f64) -> sys::freeridge_status,
    ) -> Result<Vec<f64>> {
        let mut values = numbers(self.outputs()?)?;
        let done = self.handle.read(|model| call(model, values.as_mut_ptr()));
        answer(done, values)
    }

    /// Room for rows x t numbers, column-major.
    pub(crate) fn room(&self, rows: usize) -> Result<Dense> {
        size(rows)?; // before memory is asked for
        Dense::room(Layout::ColumnMajor, rows, self.outputs()?)
    }

    /// rows x t numbers, column-major, by a call that wants their place and leading dimension.
    pub(crate) fn filled(
        &self, rows: usize, call: impl FnOnce(*const sys::freeridge_model, *mut f64, i64) -> sys::freeridge_status,
    ) -> Result<Dense> {
        Dense::filled(rows, self.outputs()?, |place, ld| self.handle.read(|model| call(model, place, ld)))
    }

    /// An array with a number for each row, or NULL.
    fn of_rows<T>(&self, name: &str, values: Option<&[T]>) -> Result<*const T> {
        values.map_or(Ok(ptr::null()), |values| {
            check_length(name, values.len(), self.points()?)?;
            Ok(values.as_ptr())
        })
    }
}

impl fmt::Debug for Model<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = out.debug_struct("Model");
        if let Ok((n, d, t)) = self.sizes() {
            n.map(|n| text.field("points", &n));
            text.field("features", &d).field("outputs", &t);
        }
        if let Ok(route) = self.route() {
            text.field("route", &route);
        }
        if let Ok(lambda) = self.lambda() {
            text.field("lambda", &lambda);
        }
        text.finish_non_exhaustive()
    }
}

/// Refuses outputs of other rows.
pub(crate) fn same_rows(x: Matrix<'_>, y: Matrix<'_>) -> Result<()> {
    if x.rows() == y.rows() {
        return Ok(());
    }
    Err(Error::new(Status::DimensionMismatch, format!("x has {} rows, y has {}", x.rows(), y.rows())))
}

/// A path as the library takes it: on Unix any bytes, elsewhere UTF-8; without a zero byte, which would end it.
pub(crate) fn path_text(path: &Path) -> Result<CString> {
    #[cfg(unix)]
    let bytes = Some(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()));
    #[cfg(not(unix))]
    let bytes = path.to_str().map(str::as_bytes);
    bytes
        .and_then(|bytes| CString::new(bytes).ok())
        .ok_or_else(|| Error::new(Status::InvalidArgument, format!("path {path:?} has a zero byte or is no text")))
}

// What get_unpenalised says of a handle.
pub(crate) fn unpenalised(get: impl Fn(*mut i64, *mut i32) -> Result<()>) -> Result<Vec<bool>> {
    let mut count = 0;
    get(&mut count, ptr::null_mut())?;
    let mut kept = zeros(told(count))?;
    get(ptr::null_mut(), kept.as_mut_ptr())?;
    Ok(kept.into_iter().map(|flag: i32| flag != 0).collect())
}
