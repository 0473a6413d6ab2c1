//! Two classes by logistic or hinge loss.

use crate::choices::{Loss, SupportKind};
use crate::error::{answer, bytes, check_length, numbers, size, told, zeros, Arrays, Error, Result, Status};
use crate::handle::Handle;
use crate::kernel::Kernel;
use crate::matrix::{Dense, Matrix};
use crate::model::path_text;
use crate::sys;
use std::fmt;
use std::path::Path;
use std::ptr;

/// A classifier for labels -1 and +1. `&self` methods may run side by side, in several threads.
pub struct Classifier {
    handle: Handle<sys::freeridge_classifier>,
    loss: Loss,
    sizes: Option<(usize, usize)>, // n and d of the data
}

/// How the last fit ended: the value of the objective, steps, and the stationarity reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Convergence {
    pub objective: f64,
    pub iterations: usize,
    pub stationarity: f64,
}

/// The rows that are support vectors, and half the width of the street.
#[derive(Debug, Clone, PartialEq)]
pub struct Support {
    pub rows: Vec<usize>,
    pub margin: f64,
}

/// The objective, its lower bound by the dual problem, and their difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duality {
    pub primal: f64,
    pub dual: f64,
    pub gap: f64,
}

impl Arrays for Duality {
    fn arrays(self) -> Vec<Dense> {
        [self.primal, self.dual, self.gap].map(|value| Dense::one_column(vec![value])).into()
    }
}

impl Classifier {
    /// An empty classifier; the kernel is copied.
    pub fn new(kernel: &Kernel, loss: Loss) -> Result<Classifier> {
        let make = |out| unsafe { sys::freeridge_classifier_create(kernel.handle(), loss.number(), out) };
        Ok(Classifier { handle: Handle::made_by(make)?, loss, sizes: None })
    }

    /// Copies x (n x d) and n labels, -1 or +1.
    pub fn set_data(&mut self, x: Matrix<'_>, labels: &[f64]) -> Result<()> {
        check_length("labels", labels.len(), x.rows())?;
        let at = x.lent()?;
        self.handle.write(|classifier| unsafe {
            sys::freeridge_classifier_set_data(classifier, &at.points(), labels.as_ptr())
        })?;
        self.sizes = Some((x.rows(), x.columns()));
        Ok(())
    }

    /// n positive weights; `None`: all one.
    pub fn set_weights(&mut self, weights: Option<&[f64]>) -> Result<()> {
        if let Some(weights) = weights {
            check_length("weights", weights.len(), self.sizes()?.0)?;
        }
        let weights = weights.map_or(ptr::null(), <[f64]>::as_ptr);
        self.handle.write(|classifier| unsafe { sys::freeridge_classifier_set_weights(classifier, weights) })
    }

    pub fn set_intercept(&mut self, on: bool) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_INTERCEPT, f64::from(i32::from(on)))
    }

    /// An intercept b with lambda/2 b^2 in the objective.
    pub fn set_penalised_intercept(&mut self) -> Result<()> {
        self.set_parameter(sys::FREERIDGE_INTERCEPT, f64::from(sys::FREERIDGE_INTERCEPT_PENALISED))
    }

    /// As [`Model::set_progress`](crate::Model::set_progress).
    pub fn set_progress(&mut self, closure: impl Fn(f64) -> bool + Send + Sync + 'static) -> Result<()> {
        self.handle.set_progress(closure)
    }

    pub fn clear_progress(&mut self) -> Result<()> {
        self.handle.clear_progress()
    }

    /// When a fit has converged, and how many steps it may take.
    pub fn set_control(&mut self, tolerance: f64, iterations: usize) -> Result<()> {
        let iterations = size(iterations)?;
        self.set_parameter(sys::FREERIDGE_TOLERANCE, tolerance)?;
        self.set_parameter(sys::FREERIDGE_ITERATIONS, iterations as f64)
    }

    /// The bytes that `fit` will need at most beside the data.
    pub fn memory_required(&self) -> Result<i64> {
        let mut bytes = 0;
        self.handle.read(|classifier| unsafe { sys::freeridge_classifier_memory_required(classifier, &mut bytes) })?;
        Ok(bytes)
    }

    pub fn fit(&mut self, lambda: f64) -> Result<()> {
        self.handle.write(|classifier| unsafe { sys::freeridge_classifier_fit(classifier, lambda) })
    }

    /// f(x) + b at the rows of x, positive for class +1.
    pub fn decision(&self, x: Matrix<'_>) -> Result<Vec<f64>> {
        self.predicted(x, |values| (values, ptr::null_mut()))
    }

    /// The probability of class +1 at the rows of x, of `Loss::Logistic`.
    pub fn probability(&self, x: Matrix<'_>) -> Result<Vec<f64>> {
        self.predicted(x, |values| (ptr::null_mut(), values))
    }

    fn predicted(&self, x: Matrix<'_>, outputs: impl FnOnce(*mut f64) -> (*mut f64, *mut f64)) -> Result<Vec<f64>> {
        check_length("a row of x", x.columns(), self.sizes()?.1)?;
        let at = x.lent()?;
        let mut values = numbers(x.rows())?;
        let (decision, probability) = outputs(values.as_mut_ptr());
        let done = self.handle.read(|classifier| unsafe {
            sys::freeridge_classifier_predict(classifier, &at.points(), decision, probability)
        });
        answer(done, values)
    }

    /// Left-out values of f(x_i) + b: of `Loss::Hinge` those of the solution without the row, of `Loss::Logistic` after one
    /// Newton step.
    pub fn loo(&self) -> Result<Vec<f64>> {
        let mut decision = numbers(self.sizes()?.0)?;
        let done =
            self.handle.read(|classifier| unsafe { sys::freeridge_classifier_loo(classifier, decision.as_mut_ptr()) });
        answer(done, decision)
    }

    /// c (n numbers) and b.
    pub fn coefficients(&self) -> Result<(Vec<f64>, f64)> {
        let (mut c, mut b) = (zeros(self.sizes()?.0)?, 0.0);
        self.handle.read(|classifier| unsafe {
            sys::freeridge_classifier_get_coefficients(classifier, c.as_mut_ptr(), &mut b)
        })?;
        Ok((c, b))
    }

    pub fn convergence(&self) -> Result<Convergence> {
        let (mut objective, mut iterations, mut stationarity) = (0.0, 0, 0.0);
        self.handle.read(|classifier| unsafe {
            sys::freeridge_classifier_get_convergence(
                classifier,
                &mut objective,
                &mut iterations,
                &mut stationarity,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        })?;
        Ok(Convergence { objective, iterations: told(iterations), stationarity })
    }

    /// Of `Loss::Hinge`.
    pub fn support(&self) -> Result<Support> {
        let (mut count, mut margin) = (0, 0.0);
        let mut rows = zeros(self.sizes()?.0)?;
        self.handle.read(|classifier| unsafe {
            sys::freeridge_classifier_get_support(classifier, &mut count, rows.as_mut_ptr(), &mut margin)
        })?;
        Ok(Support { rows: rows.into_iter().take(told(count)).map(told).collect(), margin })
    }

    /// (f(x) + b) / ||f|| at the rows of x: distances from the hyperplane, positive for class +1.
    pub fn distances(&self, x: Matrix<'_>) -> Result<Vec<f64>> {
        check_length("a row of x", x.columns(), self.sizes()?.1)?;
        let at = x.lent()?;
        let mut values = numbers(x.rows())?;
        let done = self.handle.read(|classifier| unsafe {
            sys::freeridge_classifier_distances(classifier, &at.points(), values.as_mut_ptr())
        });
        answer(done, values)
    }

    /// y_i (f(x_i) + b) of the data.
    pub fn margins(&self) -> Result<Vec<f64>> {
        self.of_points(|out| (out, ptr::null_mut(), ptr::null_mut(), ptr::null_mut()))
    }

    /// max(0, 1 - margin), of `Loss::Hinge`.
    pub fn slacks(&self) -> Result<Vec<f64>> {
        self.of_points(|out| (ptr::null_mut(), out, ptr::null_mut(), ptr::null_mut()))
    }

    /// The dual numbers c_i y_i.
    pub fn alpha(&self) -> Result<Vec<f64>> {
        self.of_points(|out| (ptr::null_mut(), ptr::null_mut(), out, ptr::null_mut()))
    }

    /// What each point is, of `Loss::Hinge`.
    pub fn support_kinds(&self) -> Result<Vec<SupportKind>> {
        let kinds: Vec<i32> = self.of_points(|out| (ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), out))?;
        kinds.into_iter().map(SupportKind::of).collect()
    }

    // One of the four numbers of each point that get_margins tells: margin, slack, alpha and the kind of support.
    fn of_points<T: Clone + Default>(
        &self,
        outputs: impl FnOnce(*mut T) -> (*mut f64, *mut f64, *mut f64, *mut i32),
    ) -> Result<Vec<T>> {
        let mut values: Vec<T> = zeros(self.sizes()?.0)?;
        let (margin, slack, alpha, kind) = outputs(values.as_mut_ptr());
        self.handle.read(|classifier| unsafe {
            sys::freeridge_classifier_get_margins(classifier, margin, slack, alpha, kind)
        })?;
        Ok(values)
    }

    /// How near the optimum is: the minimum lies between `dual` and `primal`.
    pub fn duality(&self) -> Result<Duality> {
        let (mut dual, mut gap) = (f64::NAN, f64::NAN);
        let not_wanted = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let done = self.handle.read(|classifier| unsafe {
            let (objective, iterations, stationarity) = not_wanted;
            sys::freeridge_classifier_get_convergence(
                classifier,
                objective,
                iterations,
                stationarity,
                &mut dual,
                &mut gap,
            )
        });
        answer(done, Duality { primal: dual + gap, dual, gap })
    }

    /// Equal to the one in use.
    pub fn kernel(&self) -> Result<Kernel> {
        let mut made = ptr::null_mut();
        self.handle.read(|classifier| unsafe { sys::freeridge_classifier_get_kernel(classifier, &mut made) })?;
        Ok(Kernel::adopt(made))
    }

    pub fn loss(&self) -> Loss {
        self.loss
    }

    pub fn has_intercept(&self) -> Result<bool> {
        Ok(parameter(&self.handle, sys::FREERIDGE_INTERCEPT)? != 0.0)
    }

    /// The tolerance and the steps of `set_control`, or the loss's own.
    pub fn control(&self) -> Result<(f64, i64)> {
        let iterations = parameter(&self.handle, sys::FREERIDGE_ITERATIONS)?;
        Ok((parameter(&self.handle, sys::FREERIDGE_TOLERANCE)?, iterations as i64))
    }

    /// n numbers, ones unless set.
    pub fn weights(&self) -> Result<Vec<f64>> {
        let mut weights = zeros(self.sizes()?.0)?;
        self.handle
            .read(|classifier| unsafe { sys::freeridge_classifier_get_weights(classifier, weights.as_mut_ptr()) })?;
        Ok(weights)
    }

    /// That of the last fit.
    pub fn lambda(&self) -> Result<f64> {
        let mut lambda = 0.0;
        self.handle.read(|classifier| unsafe { sys::freeridge_classifier_get_lambda(classifier, &mut lambda) })?;
        Ok(lambda)
    }

    /// Writes the classifier to a file: never half of it.
    pub fn save(&self, path: &Path) -> Result<()> {
        let path = path_text(path)?;
        self.handle.read(|classifier| unsafe { sys::freeridge_classifier_save(classifier, path.as_ptr()) })
    }

    /// What `save` wrote.
    pub fn load(path: &Path) -> Result<Classifier> {
        let path = path_text(path)?;
        Classifier::made_by(|out| unsafe { sys::freeridge_classifier_load(path.as_ptr(), out) })
    }

    /// The same bytes as those of a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        bytes(0, |room, bytes, length| {
            self.handle.read(|classifier| unsafe {
                sys::freeridge_classifier_save_to_memory(classifier, room, bytes.cast(), length)
            })
        })
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Classifier> {
        let count = bytes.len() as i64; // no slice has more bytes than that
        Classifier::made_by(|out| unsafe {
            sys::freeridge_classifier_load_from_memory(bytes.as_ptr().cast(), count, out)
        })
    }

    fn set_parameter(&mut self, parameter: sys::freeridge_parameter, value: f64) -> Result<()> {
        self.handle.write(|classifier| unsafe { sys::freeridge_classifier_set_parameter(classifier, parameter, value) })
    }

    fn made_by(make: impl FnOnce(*mut *mut sys::freeridge_classifier) -> sys::freeridge_status) -> Result<Classifier> {
        let handle = Handle::made_by(make)?;
        let (mut n, mut d) = (0, 0);
        let loss = parameter(&handle, sys::FREERIDGE_LOSS)? as i32;
        let sized =
            handle.read(|classifier| unsafe { sys::freeridge_classifier_get_dimensions(classifier, &mut n, &mut d) });
        let sizes = match sized {
            Ok(()) => Some((told(n), told(d))),
            Err(error) if error.status() == Status::InvalidState => None, // it has no data
            Err(error) => return Err(error),
        };
        Ok(Classifier { handle, loss: Loss::of(loss)?, sizes })
    }

    /// n and d
    fn sizes(&self) -> Result<(usize, usize)> {
        self.sizes.ok_or_else(|| Error::new(Status::InvalidState, "the classifier has no data"))
    }
}

impl fmt::Debug for Classifier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = out.debug_struct("Classifier");
        text.field("loss", &self.loss);
        if let Some((n, d)) = self.sizes {
            text.field("points", &n).field("features", &d);
        }
        text.finish_non_exhaustive()
    }
}

fn parameter(handle: &Handle<sys::freeridge_classifier>, parameter: sys::freeridge_parameter) -> Result<f64> {
    let mut value = 0.0;
    handle.read(|classifier| unsafe { sys::freeridge_classifier_get_parameter(classifier, parameter, &mut value) })?;
    Ok(value)
}
