//! Moments of squared left-out errors, which `Accumulator::loo_moments` hands out: 5 x (count t), column by column.

use crate::error::{answer, check, check_length, numbers, size, zeros, Arrays, Result};
use crate::matrix::{Dense, Layout};
use crate::sys;

/// The numbers of a pair of a lambda and an output.
pub(crate) const MOMENTS: usize = 5;

/// t numbers each; a score of one row has no standard error (`Status::Undefined`); `next` is a lambda to be tried in one
/// more pass, or the choice itself.
#[derive(Debug, Clone, PartialEq)]
pub struct MomentChoice {
    pub lambda: Vec<f64>,
    pub score: Vec<f64>,
    pub standard_error: Vec<f64>,
    pub edge: Vec<i32>,
    pub decades: Vec<f64>,
    pub dips: Vec<i32>,
    pub next: Vec<f64>,
}

impl Arrays for MomentChoice {
    fn arrays(self) -> Vec<Dense> {
        let whole = |values: Vec<i32>| values.into_iter().map(f64::from).collect();
        let Self { lambda, score, standard_error, edge, decades, dips, next } = self;
        let all = [lambda, score, standard_error, whole(edge), decades, whole(dips), next];
        all.into_iter().map(Dense::one_column).collect()
    }
}

/// The numbers of moments of `count` lambdas, column by column, and how many outputs they are of.
fn pairs(moments: &Dense, count: usize) -> Result<(&[f64], usize)> {
    check_length("a column of moments", moments.rows(), MOMENTS)?;
    let t = moments.columns().checked_div(count).unwrap_or(0).max(1);
    check_length("moments", moments.columns(), count.saturating_mul(t))?;
    check_length("the layout of moments", usize::from(moments.layout() == Layout::ColumnMajor), 1)?;
    Ok((moments.data(), t))
}

/// first becomes the moments of the rows of both.
pub fn join_moments(first: &mut Dense, second: &Dense) -> Result<()> {
    let columns = first.columns();
    pairs(first, columns)?;
    let (more, _) = pairs(second, second.columns())?;
    check_length("second", second.columns(), columns)?;
    let count = size(columns)?;
    let (to, _) = first.place()?;
    check(unsafe { sys::freeridge_moments_join(count, more.as_ptr(), to) })
}

/// The criterion LOO and its standard error from the moments of all rows, count x t each.
pub fn moments_score(moments: &Dense, lambdas: &[f64]) -> Result<(Dense, Dense)> {
    let (known, t) = pairs(moments, lambdas.len())?;
    let count = size(lambdas.len())?;
    let room = || Dense::room(Layout::ColumnMajor, lambdas.len(), t);
    let (mut scores, mut errors) = (room()?, room()?);
    let ((place, ld), (to, _)) = (scores.place()?, errors.place()?);
    let done = check(unsafe {
        sys::freeridge_moments_score(count, lambdas.as_ptr(), t as i64, known.as_ptr(), place, to, ld)
    });
    answer(done, (scores, errors))
}

/// The lowest LOO of each output among lambdas > 0 whose moments of all rows are known.
pub fn moments_select_lambda(moments: &Dense, lambdas: &[f64]) -> Result<MomentChoice> {
    let (known, t) = pairs(moments, lambdas.len())?;
    let mut out = MomentChoice {
        lambda: numbers(t)?,
        score: numbers(t)?,
        standard_error: numbers(t)?,
        edge: zeros(t)?,
        decades: numbers(t)?,
        dips: zeros(t)?,
        next: numbers(t)?,
    };
    let mut search = sys::freeridge_search::default();
    (search.lambda, search.score) = (out.lambda.as_mut_ptr(), out.score.as_mut_ptr());
    (search.standard_error, search.decades) = (out.standard_error.as_mut_ptr(), out.decades.as_mut_ptr());
    (search.edge, search.dips) = (out.edge.as_mut_ptr(), out.dips.as_mut_ptr());
    search.next = out.next.as_mut_ptr();
    let (count, at) = (size(lambdas.len())?, lambdas.as_ptr());
    let done = check(unsafe { sys::freeridge_moments_select_lambda(count, at, t as i64, known.as_ptr(), &mut search) });
    answer(done, out)
}
