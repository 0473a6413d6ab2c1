//! What a factorized or fitted model answers.

use crate::choices::{Covariance, Route};
use crate::error::{answer, check_length, numbers, size, told, zeros, Arrays, Error, Result, Status};
use crate::matrix::{Dense, Layout, Matrix};
use crate::model::Model;
use crate::sparse::Sparse;
use crate::sys;
use std::ptr;

/// Lower and upper ends of intervals, m x t each.
#[derive(Debug, Clone, PartialEq)]
pub struct Intervals {
    pub lower: Dense,
    pub upper: Dense,
}

/// Gaussian-process variances of f(x) + b, m x t, and the variance of the noise for each output.
#[derive(Debug, Clone, PartialEq)]
pub struct Variances {
    pub variance: Dense,
    pub noise: Vec<f64>,
}

/// Standard errors of predictions, m x t, and the covariances of all pairs of points, m x (m t).
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionErrors {
    pub errors: Dense,
    pub covariance: Dense,
}

/// Linear combinations of predictions and their standard errors, g x t each, and covariances, g x (g t).
#[derive(Debug, Clone, PartialEq)]
pub struct Combinations {
    pub value: Dense,
    pub errors: Dense,
    pub covariance: Dense,
}

/// Averages over points and their standard errors, d x t each.
#[derive(Debug, Clone, PartialEq)]
pub struct Average {
    pub average: Dense,
    pub errors: Dense,
}

/// The error of the landmarks' approximation, tr(K - K_TR K_RR^-1 K_RT), and tr(K).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traces {
    pub left: f64,
    pub whole: f64,
}

/// At a lambda: the condition number of the kernel matrix plus lambda, and the effective rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditioning {
    pub condition: f64,
    pub rank: f64,
}

impl Arrays for Intervals {
    fn arrays(self) -> Vec<Dense> {
        vec![self.lower, self.upper]
    }
}

impl Arrays for PredictionErrors {
    fn arrays(self) -> Vec<Dense> {
        vec![self.errors, self.covariance]
    }
}

impl Arrays for Variances {
    fn arrays(self) -> Vec<Dense> {
        (self.variance, self.noise).arrays()
    }
}

impl Arrays for Combinations {
    fn arrays(self) -> Vec<Dense> {
        vec![self.value, self.errors, self.covariance]
    }
}

impl Arrays for Average {
    fn arrays(self) -> Vec<Dense> {
        vec![self.average, self.errors]
    }
}

impl Model<'_> {
    /// Exact leave-one-out errors, n x t.
    pub fn loo(&self) -> Result<Dense> {
        let n = self.points()?;
        self.filled(n, |model, errors, ld| unsafe { sys::freeridge_loo(model, errors, ld) })
    }

    /// Left-out errors with all that was chosen chosen again, n x t; folds 0: the library's choice. See `freeridge_loo_learnt`.
    pub fn loo_learnt(&self, folds: usize, seed: i64) -> Result<Dense> {
        let n = self.points()?;
        self.filled(n, |model, errors, ld| unsafe {
            sys::freeridge_loo_learnt(model, folds as i64, seed, errors, ld, std::ptr::null_mut(), std::ptr::null_mut())
        })
    }

    /// Exact errors with whole groups left out, n x t; NaN for rows with a negative label. gap: n labels for each layer,
    /// of rows that are left out with a group and have no error of it; `None`: no gaps.
    pub fn group_errors(&self, group: &[i32], gap: Option<&[i32]>) -> Result<Dense> {
        let n = self.points()?;
        check_length("group", group.len(), n)?;
        let (layers, gap) = layers_of(gap, n)?;
        self.filled(n, |model, errors, ld| unsafe {
            sys::freeridge_group_errors(model, group.as_ptr(), layers, gap, errors, ld)
        })
    }

    /// Predictions at the rows of x, in the layout of x.
    pub fn predict(&self, x: Matrix<'_>) -> Result<Dense> {
        let mut out = self.room_for(x)?;
        let (x, (place, ld)) = (x.lent()?, out.place()?);
        let done = self
            .handle
            .read(|model| unsafe { sys::freeridge_predict(model, x.layout, x.rows, x.data, x.ld, place, ld) });
        answer(done, out)
    }

    /// f(x) + b at the rows of a sparse x, column by column.
    pub fn predict_sparse(&self, x: Sparse<'_>) -> Result<Dense> {
        let (_, d, t) = self.sizes()?;
        check_length("a row of x", x.columns(), d)?;
        let mut out = Dense::room(Layout::ColumnMajor, x.rows(), t)?;
        let (points, (place, ld)) = (x.lent()?.points(), out.place()?);
        let done = self.handle.read(|model| unsafe {
            let by_columns = sys::FREERIDGE_COL_MAJOR;
            sys::freeridge_predict_points(model, &points, 0, ptr::null(), by_columns, place, ld)
        });
        answer(done, out)
    }

    /// Jackknife+ prediction intervals at the rows of x, in the layout of x.
    pub fn predict_jackknife(&self, x: Matrix<'_>, level: f64) -> Result<Intervals> {
        self.jackknife(x, level, -1, 0)
    }

    /// The same with the kernel and lambda, as far as they were chosen, chosen again without each fold of points; folds
    /// and seed as in loo_learnt.
    pub fn predict_jackknife_learnt(&self, x: Matrix<'_>, level: f64, folds: i64, seed: i64) -> Result<Intervals> {
        self.jackknife(x, level, folds, seed)
    }

    fn jackknife(&self, x: Matrix<'_>, level: f64, folds: i64, seed: i64) -> Result<Intervals> {
        let (mut lower, mut upper) = (self.room_for(x)?, self.room_for(x)?);
        let (points, (low, ld), (high, _)) = (x.lent()?.points(), lower.place()?, upper.place()?);
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_predict_jackknife(model, &points, level, folds, seed, points.layout, low, high, ld)
        });
        answer(done, Intervals { lower, upper })
    }

    /// Predictions at the rows of x, each without a row of the data (from 0; one that the data do not have: none is left
    /// out), in the layout of x: m x t.
    pub fn predict_left_out(&self, x: Matrix<'_>, rows: &[i32]) -> Result<Dense> {
        check_length("rows", rows.len(), x.rows())?;
        let mut out = self.room_for(x)?;
        let (points, (place, ld)) = (x.lent()?.points(), out.place()?);
        let (none, rows) = (std::ptr::null(), rows.as_ptr());
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_predict_left_out(model, &points, none, rows, points.layout, place, ld)
        });
        answer(done, out)
    }

    /// Gaussian-process variances at the rows of x, in the layout of x.
    pub fn predict_variance(&self, x: Matrix<'_>) -> Result<Variances> {
        let (mut variance, mut noise) = (self.room_for(x)?, numbers(self.outputs()?)?);
        let (points, (place, ld)) = (x.lent()?.points(), variance.place()?);
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_predict_variance(model, &points, points.layout, place, ld, noise.as_mut_ptr())
        });
        answer(done, Variances { variance, noise })
    }

    /// Standard errors of the predictions at the rows of x, in the layout of x, and the covariances of all pairs of
    /// rows, m x (m t), those of output j in the columns m j to m j + m - 1.
    pub fn predict_covariance(&self, x: Matrix<'_>, kind: Covariance) -> Result<PredictionErrors> {
        let mut errors = self.room_for(x)?;
        let mut covariance = Dense::room(Layout::ColumnMajor, x.rows(), x.rows().saturating_mul(self.outputs()?))?;
        let (points, (place, ld)) = (x.lent()?.points(), errors.place()?);
        let (pairs, ld_pairs) = covariance.place()?;
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_predict_covariance(model, &points, kind as i32, points.layout, place, ld, pairs, ld_pairs)
        });
        answer(done, PredictionErrors { errors, covariance })
    }

    /// d f / d x_k at the rows of x, in the layout of x: m x (d t), that of output j by column k in column k + d j.
    pub fn predict_gradient(&self, x: Matrix<'_>) -> Result<Dense> {
        let (_, d, t) = self.sizes()?;
        check_length("a row of x", x.columns(), d)?;
        let points = x.lent()?.points();
        let mut out = Dense::room(x.layout(), x.rows(), d.saturating_mul(t))?;
        let (place, ld) = out.place()?;
        let done = self
            .handle
            .read(|model| unsafe { sys::freeridge_predict_gradient(model, &points, points.layout, place, ld) });
        answer(done, out)
    }

    /// The average derivatives over the rows of x, d x t, weighted where weights are given.
    pub fn average_gradient(&self, x: Matrix<'_>, weights: Option<&[f64]>, kind: Covariance) -> Result<Average> {
        let (_, d, t) = self.sizes()?;
        check_length("a row of x", x.columns(), d)?;
        let (points, weights) = (x.lent()?.points(), Self::weights_of(x, weights)?);
        let (mut average, mut errors) =
            (Dense::room(Layout::ColumnMajor, d, t)?, Dense::room(Layout::ColumnMajor, d, t)?);
        let ((place, ld), (errors_at, _)) = (average.place()?, errors.place()?);
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_average_gradient(model, &points, weights, kind.number(), place, errors_at, ld)
        });
        answer(done, Average { average, errors })
    }

    /// Linear combinations of the predictions at the rows of x, with factors (none: the averages of each group) and their
    /// groups, numbers from 0 (none: one group).
    pub fn predict_combinations(
        &self, x: Matrix<'_>, groups: Option<&[i64]>, factors: Option<&[f64]>, kind: Covariance,
    ) -> Result<Combinations> {
        let (_, d, t) = self.sizes()?;
        check_length("a row of x", x.columns(), d)?;
        let (points, factors) = (x.lent()?.points(), Self::weights_of(x, factors)?);
        let mut count = 1;
        let mut labels = ptr::null();
        if let Some(groups) = groups {
            check_length("groups", groups.len(), x.rows())?;
            labels = groups.as_ptr();
            let most = groups.iter().copied().fold(0, i64::max); // the library refuses negative ones
            if most >= points.n {
                let words = format!("groups has {most}, but each group from 0 on needs one of the {} points", points.n);
                return Err(Error::new(Status::InvalidArgument, words));
            }
            count = told(most) + 1;
        }
        let room = |columns| Dense::room(Layout::ColumnMajor, count, columns);
        let (mut value, mut errors, mut covariance) = (room(t)?, room(t)?, room(count.saturating_mul(t))?);
        let ((place, ld), (errors_at, _), (pairs, ld_pairs)) = (value.place()?, errors.place()?, covariance.place()?);
        let count = size(count)?;
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_predict_combinations(
                model, &points, count, labels, factors, kind.number(), place, errors_at, ld, pairs, ld_pairs,
            )
        });
        answer(done, Combinations { value, errors, covariance })
    }

    fn weights_of(x: Matrix<'_>, weights: Option<&[f64]>) -> Result<*const f64> {
        weights.map_or(Ok(ptr::null()), |weights| {
            check_length("weights", weights.len(), x.rows())?;
            Ok(weights.as_ptr())
        })
    }

    /// The covariances of b (where there is an intercept) and w, output after output; linear kernels. w is that of the
    /// columns with a penalty.
    pub fn coefficient_covariance(&self, kind: Covariance) -> Result<Dense> {
        let (d, t) = (self.slopes()?, self.outputs()?);
        let side = (d + usize::from(self.has_intercept()?)).saturating_mul(t);
        Dense::filled(side, side, |place, ld| {
            self.handle.read(|model| unsafe { sys::freeridge_coefficient_covariance(model, kind.number(), place, ld) })
        })
    }

    /// The standard errors of w, a row for each column with a penalty, and of b, t numbers; linear kernels.
    pub fn coefficient_errors(&self, kind: Covariance) -> Result<(Dense, Vec<f64>)> {
        let (d, t) = (self.slopes()?, self.outputs()?);
        let (mut w, mut b) = (Dense::room(Layout::ColumnMajor, d, t)?, numbers(t)?);
        let ((place, ld), b_at) = (w.place()?, b.as_mut_ptr());
        let done = self
            .handle
            .read(|model| unsafe { sys::freeridge_coefficient_errors(model, kind.number(), place, ld, b_at) });
        answer(done, (w, b))
    }

    /// How many columns of x have a penalty: all but the first of a reader's or of an accumulator's.
    fn slopes(&self) -> Result<usize> {
        Ok(self.sizes()?.1 - told(self.parameter(sys::FREERIDGE_UNPENALISED)? as i64))
    }

    /// Room for t numbers at each row of x, which has to have the model's columns.
    fn room_for(&self, x: Matrix<'_>) -> Result<Dense> {
        let (_, d, t) = self.sizes()?;
        check_length("a row of x", x.columns(), d)?;
        x.lent()?; // its sizes, before memory is asked for
        Dense::room(x.layout(), x.rows(), t)
    }

    /// c of f(x) = sum_i c_i k(x_i, x), n x t; of a reader's rows r x t, those of `landmarks`, in their order.
    pub fn coefficients(&self) -> Result<Dense> {
        let n = if self.reads() { self.landmarks()?.len().max(1) } else { self.points()? }; // 0: the library refuses
        self.filled(n, |model, c, ld| unsafe {
            sys::freeridge_coefficients(model, 0, ptr::null(), c, ld, ptr::null_mut())
        })
    }

    /// w of f(x) = w'x for linear kernels, d x t.
    pub fn hyperplane(&self) -> Result<Dense> {
        let d = self.sizes()?.1;
        self.filled(d, |model, w, ld| unsafe {
            sys::freeridge_hyperplane(model, 0, ptr::null(), w, ld, ptr::null_mut())
        })
    }

    /// The intercepts, t numbers.
    pub fn intercept(&self) -> Result<Vec<f64>> {
        self.of_outputs(|model, b| unsafe { sys::freeridge_coefficients(model, 0, ptr::null(), ptr::null_mut(), 0, b) })
    }

    /// f(x_i) + b, n x t.
    pub fn fitted(&self) -> Result<Dense> {
        let n = self.points()?;
        self.filled(n, |model, fitted, ld| unsafe { sys::freeridge_get_fitted(model, fitted, ld) })
    }

    /// The diagonal of the hat matrix at each output's lambda, n x t.
    pub fn leverage(&self) -> Result<Dense> {
        let n = self.points()?;
        self.filled(n, |model, leverage, ld| unsafe { sys::freeridge_get_leverage(model, leverage, ld) })
    }

    /// Cook's distances, n x t.
    pub fn cooks_distance(&self) -> Result<Dense> {
        let n = self.points()?;
        self.filled(n, |model, distance, ld| unsafe { sys::freeridge_cooks_distance(model, distance, ld) })
    }

    /// Degrees of freedom and sigma of the fit without each row, n x t each.
    pub fn without_rows(&self) -> Result<(Dense, Dense)> {
        let (mut df, mut sigma) = (self.room(self.points()?)?, self.room(self.points()?)?);
        let ((df_at, ld), (sigma_at, _)) = (df.place()?, sigma.place()?);
        let done = self
            .handle
            .read(|model| unsafe { sys::freeridge_influence(model, df_at, sigma_at, ld, ptr::null_mut(), 0) });
        answer(done, (df, sigma))
    }

    /// The score test of a part of the variance of Y along a symmetric n x n matrix: its statistics and probabilities, t
    /// numbers each.
    pub fn score_test(&self, difference: Matrix<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
        let (n, t) = (self.points()?, self.sizes()?.2);
        check_length("a row of difference", difference.columns(), n)?;
        check_length("a column of difference", difference.rows(), n)?;
        let (given, mut statistic, mut p) = (difference.lent()?, numbers(t)?, numbers(t)?);
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_score_test(model, given.data, given.ld, statistic.as_mut_ptr(), p.as_mut_ptr())
        });
        answer(done, (statistic, p))
    }

    /// The effective degrees of freedom, t numbers.
    pub fn degrees_of_freedom(&self) -> Result<Vec<f64>> {
        self.of_outputs(|model, df| unsafe { sys::freeridge_degrees_of_freedom(model, df, ptr::null_mut()) })
    }

    /// Estimates of the variance of the errors at weight one, t numbers.
    pub fn error_variance(&self) -> Result<Vec<f64>> {
        self.of_outputs(|model, s2| unsafe { sys::freeridge_degrees_of_freedom(model, ptr::null_mut(), s2) })
    }

    /// The lambdas in force, t numbers.
    pub fn lambda(&self) -> Result<Vec<f64>> {
        self.of_outputs(|model, lambda| unsafe { sys::freeridge_get_lambda(model, lambda) })
    }

    /// Bounds of the relative error of the coefficients of `Route::Iterative`, t numbers.
    pub fn accuracy(&self) -> Result<Vec<f64>> {
        self.of_outputs(|model, accuracy| unsafe { sys::freeridge_get_accuracy(model, accuracy) })
    }

    /// What `factorize` ran.
    pub fn route(&self) -> Result<Route> {
        let mut number = sys::FREERIDGE_ROUTE_AUTO;
        self.handle.read(|model| unsafe { sys::freeridge_get_route(model, &mut number) })?;
        Route::of(number)
    }

    /// The bandwidth of the model's kernel.
    pub fn bandwidth(&self) -> Result<f64> {
        let mut sigma = 0.0;
        let (count, numbers, edge) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        self.handle.read(|model| unsafe {
            sys::freeridge_get_bandwidth(model, &mut sigma, count, numbers, numbers, edge, numbers, edge)
        })?;
        Ok(sigma)
    }

    /// The eigenvalues that are not zero to working precision.
    pub fn rank(&self) -> Result<usize> {
        let mut rank = 0;
        self.handle.read(|model| unsafe { sys::freeridge_get_rank(model, &mut rank) })?;
        Ok(told(rank))
    }

    /// The `count` largest eigenvalues of the kernel matrix as the fit uses it.
    pub fn eigenvalues(&self, count: usize) -> Result<Vec<f64>> {
        let (mut values, length) = (zeros(count)?, size(count)?);
        self.handle.read(|model| unsafe {
            sys::freeridge_eigenvalues(model, length, values.as_mut_ptr(), ptr::null_mut(), 0)
        })?;
        Ok(values)
    }

    /// Their eigenvectors, n x count, of eigenvalues that are not 0.
    pub fn eigenvectors(&self, count: usize) -> Result<Dense> {
        let (n, length) = (self.points()?, size(count)?);
        Dense::filled(n, count, |vectors, ld| {
            self.handle.read(|model| unsafe { sys::freeridge_eigenvalues(model, length, ptr::null_mut(), vectors, ld) })
        })
    }

    /// The condition number of the kernel matrix plus lambda, and the effective rank, at each of some lambdas.
    pub fn condition_number(&self, lambdas: &[f64]) -> Result<Vec<Conditioning>> {
        let count = size(lambdas.len())?;
        let (mut condition, mut rank) = (numbers(lambdas.len())?, numbers(lambdas.len())?);
        let done = self.handle.read(|model| unsafe {
            let (condition, rank) = (condition.as_mut_ptr(), rank.as_mut_ptr());
            sys::freeridge_condition_number(model, count, lambdas.as_ptr(), condition, rank)
        });
        let (condition, rank) = answer(done, (condition, rank))?;
        Ok(condition.into_iter().zip(rank).map(|(condition, rank)| Conditioning { condition, rank }).collect())
    }

    /// H, n x n, at a lambda: the fitted values are H Y.
    pub fn hat_matrix(&self, lambda: f64) -> Result<Dense> {
        let n = self.points()?;
        Dense::filled(n, n, |hat, ld| {
            self.handle.read(|model| unsafe { sys::freeridge_hat_matrix(model, lambda, hat, ptr::null_mut(), ld) })
        })
    }

    /// P, n x n, at a lambda: the coefficients are P Y; without intercept and weights (K + lambda I)^-1.
    pub fn inverse_matrix(&self, lambda: f64) -> Result<Dense> {
        let n = self.points()?;
        Dense::filled(n, n, |inverse, ld| {
            self.handle.read(|model| unsafe { sys::freeridge_hat_matrix(model, lambda, ptr::null_mut(), inverse, ld) })
        })
    }

    /// Eigenvalues below it are rounding noise.
    pub fn tolerance(&self) -> Result<f64> {
        let mut tolerance = 0.0;
        self.handle.read(|model| unsafe { sys::freeridge_get_tolerance(model, &mut tolerance) })?;
        Ok(tolerance)
    }

    /// The rows that are landmarks, in the order given or chosen; empty on other routes than `Route::Landmark`.
    pub fn landmarks(&self) -> Result<Vec<usize>> {
        let mut count = 0;
        self.handle.read(|model| unsafe { sys::freeridge_get_landmarks(model, &mut count, ptr::null_mut()) })?;
        let mut rows = zeros(told(count))?;
        self.handle.read(|model| unsafe { sys::freeridge_get_landmarks(model, ptr::null_mut(), rows.as_mut_ptr()) })?;
        Ok(rows.into_iter().map(told).collect())
    }

    /// How much of the kernel matrix the landmarks leave.
    pub fn landmark_traces(&self) -> Result<Traces> {
        let (mut left, mut whole) = (0.0, 0.0);
        self.handle.read(|model| unsafe { sys::freeridge_landmark_trace(model, &mut left, &mut whole) })?;
        Ok(Traces { left, whole })
    }

    /// Predictions at the rows of x, in the layout of x, at many lambdas, whatever is set: m x (count t), output j of
    /// lambda l in column l t + j.
    pub fn predict_path(&self, x: Matrix<'_>, lambdas: &[f64]) -> Result<Dense> {
        let (_, d, t) = self.sizes()?;
        check_length("a row of x", x.columns(), d)?;
        let (points, count) = (x.lent()?.points(), size(lambdas.len())?);
        let mut out = Dense::room(x.layout(), x.rows(), lambdas.len().saturating_mul(t))?;
        let (place, ld) = out.place()?;
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_predict_points(model, &points, count, lambdas.as_ptr(), points.layout, place, ld)
        });
        answer(done, out)
    }

    /// c (n x (count t), output j of lambda l in column l t + j) and b (t x count).
    pub fn coefficients_path(&self, lambdas: &[f64]) -> Result<(Dense, Dense)> {
        self.path(self.points()?, lambdas, sys::freeridge_coefficients)
    }

    /// w (d x (count t)) and b (t x count), for linear kernels.
    pub fn hyperplane_path(&self, lambdas: &[f64]) -> Result<(Dense, Dense)> {
        self.path(self.sizes()?.1, lambdas, sys::freeridge_hyperplane)
    }

    fn path(&self, rows: usize, lambdas: &[f64], call: Path) -> Result<(Dense, Dense)> {
        let (t, count) = (self.outputs()?, size(lambdas.len())?);
        let mut values = Dense::room(Layout::ColumnMajor, rows, lambdas.len().saturating_mul(t))?;
        let mut b = Dense::room(Layout::ColumnMajor, t, lambdas.len())?;
        let ((place, ld), (b_at, _)) = (values.place()?, b.place()?);
        let done = self.handle.read(|model| unsafe { call(model, count, lambdas.as_ptr(), place, ld, b_at) });
        answer(done, (values, b))
    }
}

/// The number of layers of gaps, n labels each, with the labels as the library takes them.
pub(crate) fn layers_of(gap: Option<&[i32]>, n: usize) -> Result<(i64, *const i32)> {
    let labels = gap.map_or(0, <[i32]>::len);
    let layers = labels / n.max(1);
    check_length("gap", labels, layers.saturating_mul(n))?;
    Ok((size(layers)?, gap.map_or(ptr::null(), <[i32]>::as_ptr)))
}

/// freeridge_coefficients and freeridge_hyperplane.
type Path = unsafe extern "C" fn(
    *const sys::freeridge_model,
    i64,
    *const f64,
    *mut f64,
    i64,
    *mut f64,
) -> sys::freeridge_status;
