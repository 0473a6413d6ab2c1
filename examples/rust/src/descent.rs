//! Gradients of the losses, gradient descent, early stopping, and probabilities by Platt's method.

use crate::choices::{Loss, StepRule};
use crate::error::{check, check_length, given_or, size, zeros, Result};
use crate::matrix::{Dense, Matrix};
use crate::progress::{resume_panic, Progress, TRAMPOLINE};
use crate::sys;
use std::os::raw::c_void;
use std::ptr;

/// n outputs with their loss: labels -1 and +1 for `Logistic` and `Hinge`. No weights: all one.
#[derive(Debug, Clone, Copy)]
pub struct Outputs<'a> {
    pub loss: Loss,
    pub y: &'a [f64],
    pub weights: Option<&'a [f64]>,
    pub lambda: f64,
}

impl Outputs<'_> {
    fn check(&self, n: usize) -> Result<*const f64> {
        check_length("y", self.y.len(), n)?;
        self.weights.map_or(Ok(()), |weights| check_length("weights", weights.len(), n))?;
        Ok(self.weights.map_or(ptr::null(), <[f64]>::as_ptr))
    }
}

/// The objective, and its derivatives by w (or c) and b.
#[derive(Debug, Clone, PartialEq)]
pub struct LossGradient {
    pub objective: f64,
    pub w: Vec<f64>,
    pub b: f64,
}

/// At w (d numbers) and b; a subgradient where the loss has its corner.
pub fn loss_gradient(x: Matrix<'_>, outputs: &Outputs<'_>, w: &[f64], b: f64) -> Result<LossGradient> {
    let (at, weights) = (x.lent()?, outputs.check(x.rows())?);
    check_length("w", w.len(), x.columns())?;
    let (mut objective, mut gradient, mut by_b) = (0.0, zeros(w.len())?, 0.0);
    check(unsafe {
        sys::freeridge_loss_gradient(
            outputs.loss.number(),
            at.layout,
            at.rows,
            at.columns,
            at.data,
            at.ld,
            outputs.y.as_ptr(),
            weights,
            outputs.lambda,
            1,
            w.as_ptr(),
            &b,
            &mut objective,
            gradient.as_mut_ptr(),
            &mut by_b,
        )
    })?;
    Ok(LossGradient { objective, w: gradient, b: by_b })
}

/// At c (n numbers) and b of f = K c + b; `k` is symmetric. The derivative by c is `w` of the answer.
pub fn expansion_gradient(k: Matrix<'_>, outputs: &Outputs<'_>, c: &[f64], b: f64) -> Result<LossGradient> {
    let (at, weights) = (k.lent()?, outputs.check(k.rows())?);
    check_length("the columns of k", k.columns(), k.rows())?;
    check_length("c", c.len(), k.rows())?;
    let (mut objective, mut gradient, mut by_b) = (0.0, zeros(c.len())?, 0.0);
    check(unsafe {
        sys::freeridge_expansion_gradient(
            outputs.loss.number(),
            at.rows,
            at.data,
            at.ld,
            outputs.y.as_ptr(),
            weights,
            outputs.lambda,
            c.as_ptr(),
            b,
            &mut objective,
            gradient.as_mut_ptr(),
            &mut by_b,
        )
    })?;
    Ok(LossGradient { objective, w: gradient, b: by_b })
}

/// How gradient descent goes. `step`: none for the library's; `batch`: none for all rows; `start`: none for zeros.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    pub intercept: bool,
    pub start: Option<(&'a [f64], f64)>,
    pub done: i64,
    pub rule: StepRule,
    pub step: Option<f64>,
    pub batch: Option<usize>,
    pub seed: i64,
    pub average: bool,
}

impl Default for Plan<'_> {
    fn default() -> Self {
        let rule = StepRule::Auto;
        Plan { intercept: true, start: None, done: 0, rule, step: None, batch: None, seed: 0, average: false }
    }
}

/// The iterates: a column of w, and a number of b and objective, for each number of steps; and the step.
#[derive(Debug, Clone, PartialEq)]
pub struct Descent {
    pub w: Dense,
    pub b: Vec<f64>,
    pub objective: Vec<f64>,
    pub step: f64,
}

/// Gradient descent; `steps`: ascending. The closure hears the fraction done, and answers false to cancel.
pub fn gradient_descent(
    x: Matrix<'_>, outputs: &Outputs<'_>, plan: &Plan<'_>, steps: &[i64],
    progress: Option<Box<dyn Fn(f64) -> bool + Send + Sync>>,
) -> Result<Descent> {
    let (at, weights) = (x.lent()?, outputs.check(x.rows())?);
    let (start_w, start_b) = match plan.start {
        Some((w, b)) => {
            check_length("start", w.len(), x.columns())?;
            (w.as_ptr(), b)
        }
        None => (ptr::null(), 0.0),
    };
    let heard = progress.map(Progress::new);
    let user = heard.as_ref().map_or(ptr::null_mut(), |heard| heard as *const Progress as *mut c_void);
    let callback = if heard.is_some() { TRAMPOLINE } else { None };
    let (count, batch) = (size(steps.len())?, size(given_or("batch", plan.batch, 0)?)?);
    let (mut b, mut objective) = (zeros(steps.len())?, zeros(steps.len())?);
    let mut descent = sys::freeridge_descent {
        intercept: i32::from(plan.intercept),
        average: i32::from(plan.average),
        start_w,
        start_b,
        done: plan.done,
        rule: plan.rule.number(),
        step: given_or("step", plan.step, 0.0)?,
        batch,
        seed: plan.seed,
        callback,
        user,
        ..Default::default()
    };
    let w = Dense::filled(x.columns(), steps.len(), |w, _| {
        let result = check(unsafe {
            sys::freeridge_gradient_descent(
                outputs.loss.number(),
                at.layout,
                at.rows,
                at.columns,
                at.data,
                at.ld,
                outputs.y.as_ptr(),
                weights,
                outputs.lambda,
                count,
                steps.as_ptr(),
                &mut descent,
                w,
                b.as_mut_ptr(),
                objective.as_mut_ptr(),
            )
        });
        resume_panic();
        result
    })?;
    Ok(Descent { w, b, objective, step: descent.step_used })
}

/// Coefficients for each number of steps, and their effective degrees of freedom.
#[derive(Debug, Clone, PartialEq)]
pub struct Filtered {
    pub w: Dense,
    pub b: Vec<f64>,
    pub df: Vec<f64>,
}

/// Gradient descent on least squares beside ridge regression with lambda = 1 / (step k).
#[derive(Debug, Clone, PartialEq)]
pub struct EarlyStopping {
    pub descent: Filtered,
    pub ridge: Filtered,
    pub lambda: Vec<f64>,
    pub step: f64,
}

/// After `steps`, in closed form; `step`: none for one over the square of the largest singular value.
pub fn early_stopping(
    x: Matrix<'_>, y: &[f64], intercept: bool, step: Option<f64>, steps: &[i64],
) -> Result<EarlyStopping> {
    check_length("y", y.len(), x.rows())?;
    let (at, count, d) = (x.lent()?, steps.len(), x.columns());
    let filtered = || -> Result<Filtered> {
        Ok(Filtered { w: Dense::filled(d, count, |_, _| Ok(()))?, b: zeros(count)?, df: zeros(count)? })
    };
    let mut out = EarlyStopping { descent: filtered()?, ridge: filtered()?, lambda: zeros(count)?, step: 0.0 };
    let mut answers = sys::freeridge_early_stopping_answers {
        w: out.descent.w.place()?.0,
        b: out.descent.b.as_mut_ptr(),
        df: out.descent.df.as_mut_ptr(),
        lambda: out.lambda.as_mut_ptr(),
        ridge_w: out.ridge.w.place()?.0,
        ridge_b: out.ridge.b.as_mut_ptr(),
        ridge_df: out.ridge.df.as_mut_ptr(),
        ..Default::default()
    };
    let (on, step, count, steps) = (i32::from(intercept), given_or("step", step, 0.0)?, size(count)?, steps.as_ptr());
    let (layout, n, d, x, ldx, y) = (at.layout, at.rows, at.columns, at.data, at.ld, y.as_ptr());
    check(unsafe { sys::freeridge_early_stopping(layout, n, d, x, ldx, y, on, step, count, steps, &mut answers) })?;
    out.step = answers.step_used;
    Ok(out)
}

/// The slope and the offset of P(+1) = 1 / (1 + exp(-(offset + slope decision))), by Platt's method.
pub fn calibrate(decision: &[f64], y: &[f64], weights: Option<&[f64]>) -> Result<(f64, f64)> {
    check_length("y", y.len(), decision.len())?;
    weights.map_or(Ok(()), |weights| check_length("weights", weights.len(), decision.len()))?;
    let (n, weights) = (size(decision.len())?, weights.map_or(ptr::null(), <[f64]>::as_ptr));
    let (mut slope, mut offset) = (0.0, 0.0);
    check(unsafe { sys::freeridge_calibrate(n, decision.as_ptr(), y.as_ptr(), weights, &mut slope, &mut offset) })?;
    Ok((slope, offset))
}
