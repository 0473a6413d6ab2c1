//! Many small models in one call.

use crate::choices::Criterion;
use crate::error::{check_length, given_or, size, zeros, Result, Status};
use crate::matrix::{Dense, Layout, Matrix};
use crate::model::{same_rows, Model};
use crate::sys;
use std::ptr;

/// What [`Model::batch`] finds, of the models g and outputs j; NaN where a model has no such answer.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Of a linear kernel: d x (models t), output j of model g in column g t + j.
    pub w: Option<Dense>,
    /// t x models, as lambda, score, df and sigma2.
    pub b: Dense,
    pub lambda: Dense,
    pub score: Dense,
    pub df: Dense,
    pub sigma2: Dense,
    /// n x t: the coefficients and left-out errors of each model in its rows.
    pub c: Dense,
    pub errors: Dense,
    /// Why a model has no value somewhere; `None`: it has all.
    pub status: Vec<Option<Status>>,
}

impl Model<'_> {
    /// A model for each of many stretches of rows of x and y, start\[g\] to start\[g + 1\] - 1, with the settings of this one,
    /// which may be empty, and its own lambda in a range or in that of the library.
    pub fn batch(
        &self, x: Matrix<'_>, y: Matrix<'_>, weights: Option<&[f64]>, start: &[usize], criterion: Criterion,
        range: Option<(f64, f64)>,
    ) -> Result<Batch> {
        same_rows(x, y)?;
        if let Some(weights) = weights {
            check_length("weights", weights.len(), x.rows())?;
        }
        let start = start.iter().map(|&row| i64::try_from(row).unwrap_or(i64::MAX)).collect::<Vec<_>>();
        let models = start.len().saturating_sub(1);
        let (given, outputs, count) = (x.lent()?.points(), y.lent()?, size(models)?);
        let (low, high) = given_or("range", range, (0.0, 0.0))?;
        let (n, d, t, layout) = (x.rows(), x.columns(), y.columns(), Layout::ColumnMajor);
        let each = || Dense::room(layout, t, models);
        let linear = self.kernel()?.linear_scale(d).ok().flatten().is_some();
        let mut out = Batch {
            w: if linear { Some(Dense::room(layout, d, models.saturating_mul(t))?) } else { None },
            b: each()?,
            lambda: each()?,
            score: each()?,
            df: each()?,
            sigma2: each()?,
            c: Dense::room(layout, n, t)?,
            errors: Dense::room(layout, n, t)?,
            status: Vec::new(),
        };
        let mut status: Vec<i32> = zeros(models)?;
        let mut answers = sys::freeridge_batch_answers {
            w: match &mut out.w {
                Some(w) => w.place()?.0,
                None => ptr::null_mut(),
            },
            b: out.b.place()?.0,
            lambda: out.lambda.place()?.0,
            score: out.score.place()?.0,
            df: out.df.place()?.0,
            sigma2: out.sigma2.place()?.0,
            c: out.c.place()?.0,
            errors: out.errors.place()?.0,
            status: status.as_mut_ptr(),
            ..Default::default()
        };
        let weights = weights.map_or(ptr::null(), <[f64]>::as_ptr);
        let done = self.handle.read(|model| unsafe {
            let (y, start, by) = (&outputs, start.as_ptr(), criterion.number());
            sys::freeridge_batch(
                model, &given, y.layout, y.columns, y.data, y.ld, weights, count, start, by, low, high, &mut answers,
            )
        });
        match done {
            Err(error) if error.status() != Status::Undefined => return Err(error), // that of single models is in `status`
            _ => out.status = status.into_iter().map(|each| (each != sys::FREERIDGE_OK).then(|| Status::of(each))).collect(),
        }
        Ok(out)
    }
}
