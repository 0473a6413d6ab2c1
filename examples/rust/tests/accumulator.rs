//! Rows in chunks are the same problem as all rows at once.

use freeridge::{Accumulator, Covariance, Criterion, Kernel, Matrix, Model, Result, Route, Status};
use std::thread;

fn rows() -> (Vec<f64>, Vec<f64>) {
    let x: Vec<f64> = (0..120).map(|i| f64::from((i * 37) % 101) / 10.0 - 5.0).collect();
    let y = x.chunks(3).map(|row| 2.0 * row[0] - row[1] + (row[2] * 1.3).sin()).collect();
    (x, y)
}

fn in_chunks(x: &[f64], y: &[f64], chunk: usize) -> Result<Accumulator> {
    let mut sums = Accumulator::new(3, 1, true)?;
    for (x, y) in x.chunks(3 * chunk).zip(y.chunks(chunk)) {
        sums.add(Matrix::row_major(x, 3)?, Matrix::column(y), None)?;
    }
    Ok(sums)
}

#[test]
fn answers_are_those_of_a_model() -> Result<()> {
    let (x, y) = rows();
    let mut model = Model::new(&Kernel::linear()?)?;
    model.set_data(Matrix::row_major(&x, 3)?, Matrix::column(&y))?;
    model.set_route(Route::Primal)?;
    model.factorize()?;
    let sums = in_chunks(&x, &y, 7)?;
    assert_eq!(sums.dimensions()?, (40, 3, 1, 40.0));
    let lambdas = sums.lambda_grid(5)?;
    let (w, b) = sums.solve(&lambdas)?;
    let gcv = sums.score(Criterion::Gcv, &lambdas)?;
    let expected_gcv = model.score(Criterion::Gcv, &lambdas)?;
    let (found, whole) = (sums.objective(&lambdas)?, model.objective(&lambdas)?);
    let errors = sums.loo(Matrix::row_major(&x, 3)?, Matrix::column(&y), None, &lambdas)?;
    for (l, lambda) in lambdas.iter().enumerate() {
        model.set_lambda(*lambda)?;
        let (expected, left_out) = (model.hyperplane()?, model.loo()?);
        for j in 0..3 {
            assert!((w.at(j, l) - expected.at(j, 0)).abs() < 1e-12);
        }
        assert!((b.at(0, l) - model.intercept()?[0]).abs() < 1e-12);
        let sum = 40.0 * whole.training.at(l, 0) + lambda * whole.norm2.at(l, 0);
        assert!((found.objective.at(l, 0) / sum - 1.0).abs() < 1e-10);
        assert!((gcv.at(l, 0) / expected_gcv.at(l, 0) - 1.0).abs() < 1e-10);
        for i in 0..40 {
            assert!((errors.at(i, l) - left_out.at(i, 0)).abs() < 1e-11);
        }
    }
    let (sum_w, squares) = sums.squared_errors(Matrix::row_major(&x, 3)?, Matrix::column(&y), None, &lambdas)?;
    for l in 0..5 {
        let training = squares.at(l, 0) / sum_w; // the rows that were added
        assert!((training - whole.training.at(l, 0)).abs() < 1e-10 * (1.0 + training));
    }
    Ok(())
}

#[test]
fn merged_from_threads_and_saved() -> Result<()> {
    let (x, y) = rows();
    let second = thread::spawn({
        let (x, y) = (x[60..].to_vec(), y[20..].to_vec());
        move || in_chunks(&x, &y, 20)
    });
    let mut first = in_chunks(&x[..60], &y[..20], 20)?;
    first.merge(&second.join().unwrap()?)?;
    let (w, _) = in_chunks(&x, &y, 40)?.solve(&[0.5])?;
    let (merged, _) = first.solve(&[0.5])?;
    assert!(w.data().iter().zip(merged.data()).all(|(a, b)| (a - b).abs() < 1e-13));

    let mut bytes = first.to_bytes()?;
    assert_eq!(Accumulator::from_bytes(&bytes)?.solve(&[0.5])?.0, merged);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = Accumulator::from_bytes(&bytes).map(|_| ()).unwrap_err();
    assert_eq!(damaged.status(), Status::Corrupt);
    assert!(Accumulator::from_bytes(&[]).is_err());
    Ok(())
}

#[test]
fn groups_are_left_out_as_by_a_model() -> Result<()> {
    let (x, y) = rows();
    let (x, y) = (Matrix::row_major(&x, 3)?, Matrix::column(&y));
    let group: Vec<i32> = (0..40).map(|i| i % 7 - 1).collect();
    let mut model = Model::new(&Kernel::linear()?)?;
    model.set_data(x, y)?;
    model.factorize()?;
    model.set_lambda(0.5)?;
    let expected = model.group_errors(&group, None)?;
    let mut sums = Accumulator::new(3, 1, true)?;
    sums.add(x, y, None)?;
    let found = sums.group_errors(x, y, None, &group, &[0.5])?;
    for i in 0..40 {
        assert!(group[i] < 0 || (found.at(i, 0) - expected.at(i, 0)).abs() < 1e-11);
    }
    let moments = sums.group_moments(x, y, None, &group, &[0.5])?;
    assert_eq!((moments.at(0, 0), moments.at(4, 0)), (6.0, 0.0));
    assert_eq!(sums.group_errors(x, y, None, &group[1..], &[0.5]).unwrap_err().status(), Status::DimensionMismatch);
    sums.set_unpenalised(2)?;
    assert_eq!(sums.unpenalised()?, [true, true]);
    Ok(())
}

/// The unpenalised columns, the first of x, are fixed effects, and no slopes have their errors.
#[test]
fn a_predictor_has_the_errors_of_its_slopes() -> Result<()> {
    let (x, y) = rows();
    let others: Vec<f64> = x.chunks(3).flat_map(|row| row[1..].to_vec()).collect();
    let first: Vec<f64> = x.chunks(3).map(|row| row[0]).collect();
    for intercept in [false, true] {
        let mut model = Model::new(&Kernel::linear()?)?;
        model.set_intercept(intercept)?;
        model.set_data(Matrix::row_major(&others, 2)?, Matrix::column(&y))?;
        model.set_fixed_effects(Some(Matrix::column(&first)))?;
        model.factorize()?;
        model.set_lambda(0.5)?;
        let mut sums = Accumulator::new(3, 1, intercept)?;
        sums.add(Matrix::row_major(&x, 3)?, Matrix::column(&y), None)?;
        sums.set_unpenalised(1)?;
        let predictor = sums.predictor(&[0.5])?;
        assert!((predictor.fixed_coefficients()?.at(0, 0) - model.fixed_coefficients()?.at(0, 0)).abs() < 1e-10);
        let kind = Covariance::Frequentist;
        let ((w, b), (expected, of_b)) = (predictor.coefficient_errors(kind)?, model.coefficient_errors(kind)?);
        let (pairs, all) = (predictor.coefficient_covariance(kind)?, model.coefficient_covariance(kind)?);
        assert_eq!((w.rows(), pairs.rows()), (2, 2 + usize::from(intercept)));
        assert!(w.data().iter().zip(expected.data()).all(|(a, b)| (a - b).abs() < 1e-10));
        assert!(pairs.data().iter().zip(all.data()).all(|(a, b)| (a - b).abs() < 1e-10));
        assert!((b[0] - of_b[0]).abs() < 1e-10);
    }
    Ok(())
}

#[test]
fn wrong_sizes_never_reach_the_library() -> Result<()> {
    let (x, y) = rows();
    let mut sums = Accumulator::new(3, 1, true)?;
    let mismatch = |result: Result<()>| assert_eq!(result.unwrap_err().status(), Status::DimensionMismatch);
    mismatch(sums.add(Matrix::row_major(&x, 2)?, Matrix::column(&y), None));
    mismatch(sums.add(Matrix::row_major(&x, 3)?, Matrix::column(&y[1..]), None));
    mismatch(sums.add(Matrix::row_major(&x, 3)?, Matrix::row_major(&y, 2)?, None));
    mismatch(sums.add(Matrix::row_major(&x, 3)?, Matrix::column(&y), Some(&y[1..])));
    assert_eq!(sums.solve(&[1.0]).unwrap_err().status(), Status::InvalidState);
    Ok(())
}
