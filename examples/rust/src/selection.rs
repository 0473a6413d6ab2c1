//! Choosing lambda, the bandwidth and the number of landmarks; folds, and lambda in other systems' words.

use crate::choices::{Convention, Criterion};
use crate::error::{answer, check, check_length, given_or, numbers, size, told, zeros, Arrays, Result};
use crate::matrix::{Dense, Layout};
use crate::model::Model;
use crate::sys;
use std::ptr;

/// A lambda that was chosen, and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    pub lambda: f64,
    pub score: f64,
}

/// What the last search saw.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// Ascending.
    pub lambdas: Vec<f64>,
    /// A row for each lambda, a column for each output; NaN where a lambda was not tried for that output.
    pub scores: Dense,
    /// For each output -1 or +1 when the choice sits at the low or high end of the range, else 0.
    pub edge: Vec<i32>,
    /// Over how many powers of ten of lambda the score of each output stays near its best.
    pub decades: Vec<f64>,
    /// How many local minima of each output stand out.
    pub dips: Vec<i32>,
}

/// How far the lambdas in force can be trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct LambdaFlags {
    /// From this lambda on errors left out have six digits; 0: at every one.
    pub floor: f64,
    /// For each output 1 where its lambda is below that, and no better known, else 0.
    pub below: Vec<i32>,
    /// For each output -1 or +1 where its lambda is what the last search chose at an end of the range, else 0.
    pub edge: Vec<i32>,
}

/// How sure the last choice of a bandwidth can be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BandwidthShape {
    /// -1 or +1 when the choice sits at the low or high end of the range, else 0.
    pub edge: i32,
    /// Over how many powers of ten of sigma the criterion stays near its lowest.
    pub decades: f64,
    /// How many local minima were seen.
    pub dips: i32,
}

/// By the one-standard-error rule: a larger lambda, the best score, and the standard error of that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneStandardError {
    pub lambda: f64,
    pub score: f64,
    pub standard_error: f64,
}

/// The bandwidth that was chosen, and (sigma, criterion) of each that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Bandwidth {
    pub sigma: f64,
    pub tried: Vec<(f64, f64)>,
}

/// How `Model::select_kernel` learns; `Default` is the library's choice.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Learning<'a> {
    /// One for each hyperparameter: negative: held; equal: moved together. `None`: each by itself.
    pub label: Option<&'a [i32]>,
    /// How far the lengths of a scaled kernel may differ, in natural logarithms; infinity: as far as the bounds allow.
    pub shrinkage: Option<f64>,
    /// On how many rows, drawn by the seed.
    pub rows: Option<usize>,
    pub seed: i64,
    /// The most evaluations of a gradient.
    pub evaluations: Option<usize>,
}

/// One evaluation of a search for a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelTrial {
    pub stage: i32,
    pub score: f64,
    pub lambda: f64,
    pub gradient: f64,
}

/// Where a hyperparameter could go in a search for a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelBound {
    /// Which variable moved it; `None`: it was held.
    pub variable: Option<usize>,
    pub low: f64,
    pub high: f64,
    /// -1 or +1 where it ended at its low or high bound, else 0.
    pub at: i32,
}

/// What the last `select_kernel` saw.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelSearch {
    pub tried: Vec<KernelTrial>,
    pub bounds: Vec<KernelBound>,
    /// How many numbers beside lambda were free.
    pub learnt: usize,
    pub rows: usize,
    /// The rows, ascending.
    pub learnt_on: Vec<usize>,
    pub sample: usize,
    /// Nothing better than the given kernel was found.
    pub kept: bool,
    /// Why each stage ended.
    pub end: [i32; 5],
    pub lambda_at: i32,
}

/// What a fit minimises and its parts: a row for each lambda, a column for each output.
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    /// sum_i W_ii r_i^2 / sum_i W_ii, the training error.
    pub training: Dense,
    /// The squared norm of f; of w for linear kernels.
    pub norm2: Dense,
    /// sum_i W_ii r_i^2 + lambda ||f||^2.
    pub objective: Dense,
}

impl Arrays for Objective {
    fn arrays(self) -> Vec<Dense> {
        vec![self.training, self.norm2, self.objective]
    }
}

impl Objective {
    pub(crate) fn filled(
        lambdas: &[f64], t: usize, call: impl FnOnce(*mut f64, *mut f64, *mut f64, i64) -> Result<()>,
    ) -> Result<Objective> {
        let table = || Dense::room(Layout::ColumnMajor, lambdas.len(), t);
        let mut out = Objective { training: table()?, norm2: table()?, objective: table()? };
        let (training, count) = out.training.place()?;
        let done = call(training, out.norm2.place()?.0, out.objective.place()?.0, count);
        answer(done, out)
    }
}

/// A criterion of all outputs at one lambda, with its derivatives by logarithms.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreGradient {
    /// Of several outputs the sum of score / variance
    pub score: f64,
    /// By log lambda
    pub by_log_lambda: f64,
    /// By the logarithms of the kernel's hyperparameters, in their order
    pub by_log_hyperparameters: Vec<f64>,
}

impl Model<'_> {
    /// `count` lambdas over the range in which the data's answer changes.
    pub fn lambda_grid(&self, count: usize) -> Result<Vec<f64>> {
        let number = size(count)?;
        let mut lambdas = zeros(count)?;
        self.handle.read(|model| unsafe { sys::freeridge_lambda_grid(model, number, lambdas.as_mut_ptr()) })?;
        Ok(lambdas)
    }

    /// The criterion at each of some lambdas (rows), for each output (columns).
    pub fn score(&self, criterion: Criterion, lambdas: &[f64]) -> Result<Dense> {
        self.filled(lambdas.len(), |model, scores, count| unsafe {
            sys::freeridge_score(model, criterion.number(), count, lambdas.as_ptr(), scores, ptr::null_mut(), count)
        })
    }

    /// The same with standard errors, of the criteria that have them.
    pub fn score_with_error(&self, criterion: Criterion, lambdas: &[f64]) -> Result<(Dense, Dense)> {
        let (mut scores, mut errors) = (self.room(lambdas.len())?, self.room(lambdas.len())?);
        let ((scores_at, count), (errors_at, _)) = (scores.place()?, errors.place()?);
        let done = self.handle.read(|model| unsafe {
            let lambdas = lambdas.as_ptr();
            sys::freeridge_score(model, criterion.number(), count, lambdas, scores_at, errors_at, count)
        });
        answer(done, (scores, errors))
    }

    /// LOO or GCV and the standard errors of the estimates of `Route::Iterative`; of other routes they are 0. probes: 3 or
    /// more, 0: the library's choice.
    pub fn estimate_score(&self, criterion: Criterion, probes: usize, lambdas: &[f64]) -> Result<(Dense, Dense)> {
        let probes = size(probes)?;
        let (mut scores, mut errors) = (self.room(lambdas.len())?, self.room(lambdas.len())?);
        let ((scores_at, count), (errors_at, _)) = (scores.place()?, errors.place()?);
        let done = self.handle.read(|model| unsafe {
            let (number, lambdas) = (criterion.number(), lambdas.as_ptr());
            sys::freeridge_estimate_score(model, number, probes, count, lambdas, scores_at, errors_at, count)
        });
        answer(done, (scores, errors))
    }

    /// The criterion at one lambda as one number for all outputs, and its derivatives by log lambda and by the logarithms
    /// of the kernel's hyperparameters. No factorization is needed before.
    pub fn score_gradient(&self, criterion: Criterion, lambda: f64) -> Result<ScoreGradient> {
        let mut by_log_hyperparameters = self.kernel()?.hyperparameters()?;
        let (mut score, mut by_log_lambda) = (0.0, 0.0);
        let at = by_log_hyperparameters.as_mut_ptr();
        self.handle.read(|model| unsafe {
            sys::freeridge_score_gradient(model, criterion.number(), lambda, &mut score, &mut by_log_lambda, at)
        })?;
        Ok(ScoreGradient { score, by_log_lambda, by_log_hyperparameters })
    }

    /// The training error, the squared norm of f and what a fit minimises, at each of some lambdas.
    pub fn objective(&self, lambdas: &[f64]) -> Result<Objective> {
        Objective::filled(lambdas, self.outputs()?, |training, norm2, objective, count| {
            self.handle.read(|model| unsafe {
                sys::freeridge_objective(model, count, lambdas.as_ptr(), training, norm2, objective, count)
            })
        })
    }

    /// The best lambda of each output, in a range or in that of the library; the model is fitted at it.
    pub fn select_lambda(&mut self, criterion: Criterion, range: Option<(f64, f64)>) -> Result<Vec<Choice>> {
        let t = self.outputs()?;
        let (low, high) = given_or("range", range, (0.0, 0.0))?;
        let (mut lambda, mut score) = (zeros(t)?, zeros(t)?);
        self.handle.write(|model| unsafe {
            let (lambda, score) = (lambda.as_mut_ptr(), score.as_mut_ptr());
            sys::freeridge_select_lambda(model, criterion.number(), low, high, lambda, score)
        })?;
        Ok(lambda.into_iter().zip(score).map(|(lambda, score)| Choice { lambda, score }).collect())
    }

    /// The path of the last `select_lambda` or `select_bandwidth`.
    pub fn search(&self) -> Result<Search> {
        let mut search = sys::freeridge_search::default();
        self.handle.read(|model| unsafe { sys::freeridge_get_search(model, &mut search) })?;
        let (t, count) = (self.outputs()?, told(search.count));
        let mut lambdas = zeros(count)?;
        let (mut edge, mut decades, mut dips) = (zeros(t)?, zeros(t)?, zeros(t)?);
        (search.edge, search.decades, search.dips) = (edge.as_mut_ptr(), decades.as_mut_ptr(), dips.as_mut_ptr());
        search.lambdas = lambdas.as_mut_ptr();
        let scores = self.filled(count, |model, scores, ld| unsafe {
            (search.scores, search.ld) = (scores, ld);
            sys::freeridge_get_search(model, &mut search)
        })?;
        Ok(Search { lambdas, scores, edge, decades, dips })
    }

    /// How far the lambdas in force can be trusted, and whether they sit at an end of the range that was searched.
    pub fn lambda_flags(&self) -> Result<LambdaFlags> {
        let t = self.outputs()?;
        let (mut floor, mut below, mut edge) = (0.0, zeros(t)?, zeros(t)?);
        self.handle.read(|model| unsafe {
            sys::freeridge_lambda_flags(model, &mut floor, below.as_mut_ptr(), edge.as_mut_ptr())
        })?;
        Ok(LambdaFlags { floor, below, edge })
    }

    /// How sure the last `select_bandwidth` can be.
    pub fn bandwidth_shape(&self) -> Result<BandwidthShape> {
        let mut out = BandwidthShape { edge: 0, decades: 0.0, dips: 0 };
        self.handle.read(|model| unsafe {
            let (sigma, count) = (ptr::null_mut(), ptr::null_mut());
            let (edge, decades, dips) = (&mut out.edge, &mut out.decades, &mut out.dips);
            sys::freeridge_get_bandwidth(model, sigma, count, sigma, sigma, edge, decades, dips)
        })?;
        Ok(out)
    }

    /// The one-standard-error rule on the last `select_lambda`. It sets nothing.
    pub fn one_standard_error(&self) -> Result<Vec<OneStandardError>> {
        let t = self.outputs()?;
        let (mut lambda, mut score, mut error) = (numbers(t)?, numbers(t)?, numbers(t)?);
        let mut search = sys::freeridge_search::default();
        (search.one_se_lambda, search.score) = (lambda.as_mut_ptr(), score.as_mut_ptr());
        search.standard_error = error.as_mut_ptr();
        let done = self.handle.read(|model| unsafe { sys::freeridge_get_search(model, &mut search) });
        let ((lambda, score), error) = answer(done, ((lambda, score), error))?;
        let rule = |j: usize| OneStandardError { lambda: lambda[j], score: score[j], standard_error: error[j] };
        Ok((0..t).map(rule).collect())
    }

    /// The best bandwidth, in a range or near the median distance, by at most `budget` factorizations (`None`: the
    /// library's number of them); the model is fitted there.
    pub fn select_bandwidth(
        &mut self, criterion: Criterion, range: Option<(f64, f64)>, budget: Option<usize>,
    ) -> Result<Bandwidth> {
        let (low, high) = given_or("range", range, (0.0, 0.0))?;
        let budget = budget.map_or(Ok(0), |budget| size(budget.max(1)))?; // 0 would be the library's
        let (mut sigma, mut count) = (0.0, 0);
        self.handle.write(|model| unsafe {
            sys::freeridge_select_bandwidth(model, criterion.number(), low, high, budget, &mut sigma)
        })?;
        let (numbers, whole) = (ptr::null_mut(), ptr::null_mut());
        self.handle.read(|model| unsafe {
            sys::freeridge_get_bandwidth(model, numbers, &mut count, numbers, numbers, whole, numbers, whole)
        })?;
        let (mut sigmas, mut scores) = (zeros(told(count))?, zeros(told(count))?);
        self.handle.read(|model| unsafe {
            let (sigmas, scores) = (sigmas.as_mut_ptr(), scores.as_mut_ptr());
            sys::freeridge_get_bandwidth(model, numbers, ptr::null_mut(), sigmas, scores, whole, numbers, whole)
        })?;
        let tried = sigmas.into_iter().zip(scores).collect();
        Ok(Bandwidth { sigma, tried })
    }

    /// Learns the kernel's hyperparameters and lambda together; the model is fitted with them. The criterion on all rows.
    pub fn select_kernel(&mut self, criterion: Criterion, how: Learning<'_>) -> Result<f64> {
        let count = self.kernel()?.hyperparameters()?.len();
        if let Some(label) = how.label {
            check_length("label", label.len(), count)?;
        }
        let label = how.label.map_or(ptr::null(), <[i32]>::as_ptr);
        let shrinkage = how.shrinkage.map_or(0.0, |s| if s == 0.0 { -1.0 } else { s }); // 0 would be the library's
        let rows = how.rows.map_or(Ok(0), |rows| size(rows.max(1)))?;
        let evaluations = how.evaluations.map_or(Ok(0), |evaluations| size(evaluations.max(1)))?;
        let mut score = 0.0;
        self.handle.write(|model| unsafe {
            let criterion = criterion.number();
            let score = &mut score;
            sys::freeridge_select_kernel(model, criterion, label, shrinkage, rows, how.seed, evaluations, score)
        })?;
        Ok(score)
    }

    /// What the last `select_kernel` saw.
    pub fn kernel_search(&self) -> Result<KernelSearch> {
        let mut search = sys::freeridge_kernel_search::default();
        self.handle.read(|model| unsafe { sys::freeridge_get_kernel_search(model, &mut search) })?;
        let (tried, numbers) = (told(search.evaluations), told(search.hyperparameters));
        let (mut stage, mut score, mut lambda, mut slope) =
            (zeros(tried)?, zeros(tried)?, zeros(tried)?, zeros(tried)?);
        let (mut variable, mut low, mut high, mut at): (Vec<i64>, _, _, _) =
            (zeros(numbers)?, zeros(numbers)?, zeros(numbers)?, zeros(numbers)?);
        let (mut row, mut end): (Vec<i64>, _) = (zeros(told(search.rows))?, [0; 5]);
        (search.ended, search.row) = (end.as_mut_ptr(), row.as_mut_ptr());
        (search.stage, search.score) = (stage.as_mut_ptr(), score.as_mut_ptr());
        (search.lambda, search.gradient) = (lambda.as_mut_ptr(), slope.as_mut_ptr());
        (search.variable, search.at) = (variable.as_mut_ptr(), at.as_mut_ptr());
        (search.low, search.high) = (low.as_mut_ptr(), high.as_mut_ptr());
        self.handle.read(|model| unsafe { sys::freeridge_get_kernel_search(model, &mut search) })?;
        let trial = |k: usize| KernelTrial { stage: stage[k], score: score[k], lambda: lambda[k], gradient: slope[k] };
        let bound = |i: usize| {
            let variable = usize::try_from(variable[i]).ok();
            KernelBound { variable, low: low[i], high: high[i], at: at[i] }
        };
        Ok(KernelSearch {
            tried: (0..tried).map(trial).collect(),
            bounds: (0..numbers).map(bound).collect(),
            learnt: told(search.learnt),
            rows: told(search.rows),
            learnt_on: row.into_iter().map(told).collect(),
            sample: told(search.sample),
            kept: search.kept != 0,
            end,
            lambda_at: search.lambda_at,
        })
    }

    /// The criterion with the first `sizes[i]` landmarks: (lambdas, scores), a row for each size, a column for each
    /// output.
    pub fn landmark_curve(&self, criterion: Criterion, sizes: &[usize]) -> Result<(Dense, Dense)> {
        let numbers = sizes.iter().map(|count| size(*count)).collect::<Result<Vec<i64>>>()?;
        let (mut lambdas, mut scores) = (self.room(sizes.len())?, self.room(sizes.len())?);
        let ((lambdas_at, count), (scores_at, _)) = (lambdas.place()?, scores.place()?);
        let done = self.handle.read(|model| unsafe {
            let sizes = numbers.as_ptr();
            sys::freeridge_landmark_curve(model, criterion.number(), count, sizes, lambdas_at, scores_at, count)
        });
        answer(done, (lambdas, scores))
    }
}

/// Labels for `Model::set_groups`: n rows dealt at random into folds.
pub fn make_folds(n: usize, folds: i32, seed: i64) -> Result<Vec<i32>> {
    labels(n, |n, group| unsafe { sys::freeridge_make_folds(n, folds, seed, group) })
}

/// Labels for one hold-out of a fraction of n rows.
pub fn make_holdout(n: usize, fraction: f64, seed: i64) -> Result<Vec<i32>> {
    labels(n, |n, group| unsafe { sys::freeridge_make_holdout(n, fraction, seed, group) })
}

/// Contiguous blocks of rows in order of time, and their gaps, the `before` rows before and the `after` rows after each:
/// labels for `Model::set_groups`.
pub fn make_blocks(n: usize, folds: i32, before: usize, after: usize) -> Result<(Vec<i32>, Vec<i32>)> {
    let (before, after, mut layers) = (size(before)?, size(after)?, 0);
    let none = ptr::null_mut();
    let group =
        labels(n, |n, group| unsafe { sys::freeridge_make_blocks(n, folds, before, after, &mut layers, group, none) })?;
    let mut gap = zeros(n.saturating_mul(told(layers)))?;
    check(unsafe {
        sys::freeridge_make_blocks(size(n)?, folds, before, after, ptr::null_mut(), none, gap.as_mut_ptr())
    })?;
    Ok((group, gap))
}

fn labels(n: usize, call: impl FnOnce(i64, *mut i32) -> sys::freeridge_status) -> Result<Vec<i32>> {
    let number = size(n)?;
    let mut group = zeros(n)?;
    check(call(number, group.as_mut_ptr()))?;
    Ok(group)
}

/// lambda of one convention in another, for n points; `sd_y` is used by `Convention::Glmnet` alone.
pub fn convert_lambda(from: Convention, to: Convention, n: usize, sd_y: f64, lambda: f64) -> Result<f64> {
    let n = size(n)?;
    let mut out = 0.0;
    check(unsafe { sys::freeridge_convert_lambda(from.number(), to.number(), n, sd_y, lambda, &mut out) })?;
    Ok(out)
}
