//! Columns F that no penalty touches: their effects, and predictions with the values of F at new points.

use crate::answers::{Intervals, PredictionErrors, Variances};
use crate::choices::Covariance;
use crate::error::{answer, check_length, numbers, size, told, zeros, Arrays, Result};
use crate::matrix::{no_points, Dense, Layout, Matrix};
use crate::model::Model;
use crate::sys;
use std::ptr::{self, null_mut as none};

/// The coefficients of F and their standard errors, q x t each; kept: 0 for a column that depends on those before it,
/// whose effect is 0.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedEffects {
    pub kept: Vec<i32>,
    pub effects: Dense,
    pub errors: Dense,
}

/// Of the mixed model y = F a + f + e, one number an output: the variances of e and of f, the share of f in their sum and
/// its standard error.
#[derive(Debug, Clone, PartialEq)]
pub struct VarianceComponents {
    pub residual: Vec<f64>,
    pub random: Vec<f64>,
    pub share: Vec<f64>,
    pub error: Vec<f64>,
}

impl Arrays for FixedEffects {
    /// Without `kept`, which are no numbers of the answer.
    fn arrays(self) -> Vec<Dense> {
        vec![self.effects, self.errors]
    }
}

impl Arrays for VarianceComponents {
    fn arrays(self) -> Vec<Dense> {
        [self.residual, self.random, self.share, self.error].map(Dense::one_column).into()
    }
}

impl Model<'_> {
    /// n x q columns whose coefficients are not penalised, beside the intercept; `None`: none.
    pub fn set_fixed_effects(&mut self, fixed: Option<Matrix<'_>>) -> Result<()> {
        let (n, d) = (self.points()?, self.sizes()?.1);
        let mut points = no_points(size(n)?, size(d)?);
        if let Some(fixed) = fixed {
            check_length("fixed", fixed.rows(), n)?;
            points = fixed.lent()?.beside(points);
        }
        let by_columns = sys::FREERIDGE_COL_MAJOR;
        self.handle
            .write(|model| unsafe { sys::freeridge_set_points(model, &points, 0, by_columns, 0, ptr::null(), 0) })
    }

    /// How many fixed effects there are, 0 for none.
    pub fn fixed_count(&self) -> Result<usize> {
        let mut q = 0;
        self.handle
            .read(|model| unsafe { sys::freeridge_get_unpenalised(model, &mut q, none(), none(), none(), 0) })?;
        Ok(told(q))
    }

    /// The effects alone, q x t, which a model that was saved for prediction has, too.
    pub fn fixed_coefficients(&self) -> Result<Dense> {
        let q = self.fixed_count()?.max(1); // 0: the library refuses
        self.filled(q, |model, effects, ld| unsafe {
            sys::freeridge_get_unpenalised(model, none(), none(), effects, none(), ld)
        })
    }

    /// The effects and their standard errors; `Undefined` at lambda = 0.
    pub fn fixed_effects(&self) -> Result<FixedEffects> {
        let (q, t) = (self.fixed_count()?, self.outputs()?);
        let mut kept = zeros(q)?;
        let mut effects = Dense::room(Layout::ColumnMajor, q, t)?;
        let mut errors = Dense::room(Layout::ColumnMajor, q, t)?;
        let ((place, ld), (errors_at, _)) = (effects.place()?, errors.place()?);
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_get_unpenalised(model, none(), kept.as_mut_ptr(), place, errors_at, ld)
        });
        answer(done, FixedEffects { kept, effects, errors })
    }

    /// The covariances of the effects in the mixed model, those of output j in the columns q j to q j + q - 1; `Undefined` at
    /// lambda = 0.
    pub fn fixed_covariance(&self) -> Result<Dense> {
        let (q, t) = (self.fixed_count()?, self.outputs()?);
        Dense::filled(q, q * t, |covariance, ld| {
            self.handle.read(|model| unsafe { sys::freeridge_get_unpenalised_covariance(model, covariance, ld) })
        })
    }

    /// Variances and the share of f, of each term where the kernel is a sum (fastest, for one output after another), at a
    /// lambda that REML chose. `error` has one number more for each output: that of the share of the residual.
    pub fn variance_components(&self) -> Result<VarianceComponents> {
        let t = self.outputs()?;
        let mut count = 0;
        self.handle.read(|model| unsafe {
            sys::freeridge_variance_components(model, &mut count, none(), none(), none(), none())
        })?;
        let all = t * told(count);
        let (mut residual, mut random, mut share) = (numbers(t)?, numbers(all)?, numbers(all)?);
        let mut error = numbers(all + t)?;
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_variance_components(
                model,
                none(),
                residual.as_mut_ptr(),
                random.as_mut_ptr(),
                share.as_mut_ptr(),
                error.as_mut_ptr(),
            )
        });
        answer(done, VarianceComponents { residual, random, share, error })
    }

    fn with_fixed(&self, x: Matrix<'_>, fixed: Matrix<'_>) -> Result<sys::freeridge_points> {
        check_length("a row of x", x.columns(), self.sizes()?.1)?;
        check_length("fixed", fixed.rows(), x.rows())?;
        check_length("a row of fixed", fixed.columns(), self.fixed_count()?)?;
        check_length("the layout of fixed", fixed.layout() as usize, x.layout() as usize)?;
        Ok(fixed.lent()?.beside(x.lent()?.points()))
    }

    /// Predictions at the rows of x, where the fixed effects have these values, in the layout of both.
    pub fn predict_fixed(&self, x: Matrix<'_>, fixed: Matrix<'_>) -> Result<Dense> {
        let points = self.with_fixed(x, fixed)?;
        let mut out = Dense::room(x.layout(), x.rows(), self.outputs()?)?;
        let (place, ld) = out.place()?;
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_predict_points(model, &points, 0, ptr::null(), points.layout, place, ld)
        });
        answer(done, out)
    }

    /// The same at many lambdas, output j of lambda l in column l t + j.
    pub fn predict_path_fixed(&self, x: Matrix<'_>, fixed: Matrix<'_>, lambdas: &[f64]) -> Result<Dense> {
        let points = self.with_fixed(x, fixed)?;
        let count = size(lambdas.len())?;
        let mut out = Dense::room(x.layout(), x.rows(), lambdas.len().saturating_mul(self.outputs()?))?;
        let (place, ld) = out.place()?;
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_predict_points(model, &points, count, lambdas.as_ptr(), points.layout, place, ld)
        });
        answer(done, out)
    }

    /// Jackknife+ prediction intervals.
    pub fn predict_jackknife_fixed(&self, x: Matrix<'_>, fixed: Matrix<'_>, level: f64) -> Result<Intervals> {
        let points = self.with_fixed(x, fixed)?;
        let t = self.outputs()?;
        let (mut lower, mut upper) = (Dense::room(x.layout(), x.rows(), t)?, Dense::room(x.layout(), x.rows(), t)?);
        let ((low, ld), (high, _)) = (lower.place()?, upper.place()?);
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_predict_jackknife(model, &points, level, -1, 0, points.layout, low, high, ld)
        });
        answer(done, Intervals { lower, upper })
    }

    /// Standard errors of the predictions, and the covariances of all pairs of rows, m x (m t).
    pub fn predict_covariance_fixed(&self, x: Matrix<'_>, fixed: Matrix<'_>, kind: Covariance) -> Result<PredictionErrors> {
        let points = self.with_fixed(x, fixed)?;
        let (m, t) = (x.rows(), self.outputs()?);
        let (mut errors, mut covariance) =
            (Dense::room(x.layout(), m, t)?, Dense::room(Layout::ColumnMajor, m, m.saturating_mul(t))?);
        let ((place, ld), (pairs, ld_pairs)) = (errors.place()?, covariance.place()?);
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_predict_covariance(model, &points, kind as i32, points.layout, place, ld, pairs, ld_pairs)
        });
        answer(done, PredictionErrors { errors, covariance })
    }

    /// Gaussian-process variances.
    pub fn predict_variance_fixed(&self, x: Matrix<'_>, fixed: Matrix<'_>) -> Result<Variances> {
        let points = self.with_fixed(x, fixed)?;
        let t = self.outputs()?;
        let (mut variance, mut noise) = (Dense::room(x.layout(), x.rows(), t)?, numbers(t)?);
        let (place, ld) = variance.place()?;
        let done = self.handle.read(|model| unsafe {
            sys::freeridge_predict_variance(model, &points, points.layout, place, ld, noise.as_mut_ptr())
        });
        answer(done, Variances { variance, noise })
    }
}
