//! Models through the safe layer: right against refits, and as Rust expects owners to behave.

use freeridge::{
    make_holdout, stack_weights, Accumulator, Classifier, Covariance, Criterion, Kernel, Layout, Loss, Matrix, Model,
    Result, Route, Status, Window, WindowSettings,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Once};
use std::thread;

static ONE_THREAD: Once = Once::new();

/// n rows (row-major, d columns) and a smooth response with some noise, from a generator of its own. Tests run side by
/// side, and with one thread of the library's equal calls give equal bits.
fn sample(n: usize, d: usize) -> (Vec<f64>, Vec<f64>) {
    ONE_THREAD.call_once(|| freeridge::set_threads(1).unwrap());
    let mut state = 7u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let x: Vec<f64> = (0..n * d).map(|_| 4.0 * uniform() - 2.0).collect();
    let y = x.chunks(d).map(|row| row[0].sin() + row[d - 1] * row[0] + 0.1 * uniform()).collect();
    (x, y)
}

fn fitted(kernel: &Kernel, x: &[f64], y: &[f64], lambda: f64) -> Result<Model<'static>> {
    let mut model = Model::new(kernel)?;
    model.set_data(Matrix::row_major(x, x.len() / y.len())?, Matrix::column(y))?;
    model.factorize()?;
    model.set_lambda(lambda)?;
    Ok(model)
}

fn close(a: f64, b: f64, size: f64) -> bool {
    (a - b).abs() <= 1e-9 * size
}

#[test]
fn leave_one_out_is_a_refit_without_the_row() -> Result<()> {
    let (x, y) = sample(30, 3);
    for kernel in [Kernel::linear()?, Kernel::gaussian(2.0)?, Kernel::polynomial(2, 0.5, 1.0)?] {
        let errors = fitted(&kernel, &x, &y, 0.3)?.loo()?;
        assert_eq!((errors.rows(), errors.columns()), (30, 1));
        for i in [0, 11, 29] {
            let (mut other_x, mut other_y) = (x.clone(), y.clone());
            other_x.drain(3 * i..3 * i + 3);
            other_y.remove(i);
            let without = fitted(&kernel, &other_x, &other_y, 0.3)?;
            let value = without.predict(Matrix::row_major(&x[3 * i..3 * i + 3], 3)?)?.at(0, 0);
            assert!(close(y[i] - value, errors.at(i, 0), 1.0), "{kernel:?}, row {i}");
        }
    }
    Ok(())
}

#[test]
fn layouts_views_and_copies_are_one_problem() -> Result<()> {
    let (x, y) = sample(25, 2);
    let at = Matrix::row_major(&x, 2)?;
    let by_column: Vec<f64> = (0..2).flat_map(|j| (0..25).map(move |i| at.at(i, j))).collect();
    let kernel = Kernel::laplacian(1.5)?;
    let expected = fitted(&kernel, &x, &y, 0.1)?.predict(at)?;

    let wide: Vec<f64> = x.chunks(2).flat_map(|row| [row[0], row[1], f64::NAN]).collect();
    for (view, view_layout) in [
        (at, Layout::RowMajor),
        (Matrix::column_major(&by_column, 25)?, Layout::ColumnMajor),
        (Matrix::new(Layout::RowMajor, 25, 2, 3, &wide[..74])?, Layout::RowMajor),
    ] {
        let mut model = Model::new(&kernel)?;
        model.set_data_view(view, Matrix::column(&y))?;
        model.factorize()?;
        model.set_lambda(0.1)?;
        let predicted = model.predict(view)?;
        assert_eq!((predicted.layout(), predicted.rows(), predicted.columns()), (view_layout, 25, 1));
        for i in 0..25 {
            assert!(close(predicted.at(i, 0), expected.at(i, 0), 3.0));
        }
    }
    Ok(())
}

#[test]
fn two_outputs_in_row_major_and_column_major() -> Result<()> {
    let (x, y) = sample(20, 2);
    let by_row: Vec<f64> = y.iter().flat_map(|y| [*y, 2.0 * *y + 1.0]).collect();
    let by_column: Vec<f64> = y.iter().copied().chain(y.iter().map(|y| 2.0 * y + 1.0)).collect();
    for outputs in [Matrix::row_major(&by_row, 2)?, Matrix::column_major(&by_column, 20)?] {
        let mut model = Model::new(&Kernel::linear()?)?;
        model.set_data(Matrix::row_major(&x, 2)?, outputs)?;
        model.factorize()?;
        model.set_lambdas(&[0.5, 0.5])?;
        let (w, b, f) = (model.hyperplane()?, model.intercept()?, model.predict(Matrix::row_major(&x, 2)?)?);
        assert_eq!(model.dimensions()?, (20, 2, 2));
        assert!(close(w.at(0, 1), 2.0 * w.at(0, 0), 1.0) && close(b[1], 2.0 * b[0] + 1.0, 1.0));
        assert!(close(f.at(7, 1), 2.0 * f.at(7, 0) + 1.0, 1.0));
        assert!(model.set_lambdas(&[0.5]).is_err());
    }
    Ok(())
}

#[test]
fn the_gradient_of_a_score_is_its_slope() -> Result<()> {
    let (x, y) = sample(40, 2);
    let kernel = Kernel::gaussian(1.0)?.scaled(&[1.0, 2.0])?;
    let model = fitted(&kernel, &x, &y, 1.0)?;
    let found = model.score_gradient(Criterion::Reml, 0.3)?;
    assert!(close(found.score, model.score(Criterion::Reml, &[0.3])?.at(0, 0), found.score.abs()));
    for k in 0..3 {
        let at = |side: f64| -> Result<f64> {
            let mut values = kernel.hyperparameters()?;
            values[k] *= (side * 1e-5).exp();
            let moved = fitted(&kernel.with_hyperparameters(&values)?, &x, &y, 1.0)?;
            Ok(moved.score_gradient(Criterion::Reml, 0.3)?.score)
        };
        let slope = (at(1.0)? - at(-1.0)?) / 2e-5;
        assert!((slope - found.by_log_hyperparameters[k]).abs() < 1e-6 * (1.0 + slope.abs()));
    }
    assert_eq!(model.score_gradient(Criterion::ErrorRate, 0.3).unwrap_err().status(), Status::InvalidArgument);
    Ok(())
}

#[test]
fn the_choice_is_the_best_of_its_range() -> Result<()> {
    let (x, y) = sample(40, 2);
    let mut model = fitted(&Kernel::gaussian(1.0)?, &x, &y, 1.0)?;
    let choice = model.select_lambda(Criterion::Loo, None)?[0];
    let grid = model.lambda_grid(50)?;
    let scores = model.score(Criterion::Loo, &grid)?;
    assert!(scores.data().iter().all(|score| *score >= choice.score * (1.0 - 1e-9)));
    let again = model.score(Criterion::Loo, &[choice.lambda])?.at(0, 0);
    assert!(close(again, choice.score, choice.score));
    let mean = model.loo()?.data().iter().map(|error| error * error).sum::<f64>() / 40.0;
    assert!(close(mean, choice.score, choice.score));
    let folds: Vec<i32> = (0..40).map(|i| i % 5).collect();
    model.set_groups(Some(&folds), None)?;
    let left_out = model.group_errors(&folds, None)?;
    let mean = left_out.data().iter().map(|error| error * error).sum::<f64>() / 40.0;
    assert!(close(mean, model.score(Criterion::Groups, &[choice.lambda])?.at(0, 0), mean));
    let mut gappy = Model::new(&Kernel::gaussian(1.0)?)?;
    gappy.set_missing(true)?;
    gappy.set_data(Matrix::column(&[0.0, 1.0, 2.0]), Matrix::column(&[1.0, f64::NAN, 3.0]))?;
    gappy.factorize()?;
    gappy.set_lambda(1.0)?;
    assert!(gappy.loo()?.at(1, 0).is_nan() && close(gappy.loo()?.at(0, 0), -2.0, 1.0));
    let (blocks, gap) = freeridge::make_blocks(40, 5, 2, 1)?;
    model.set_groups(Some(&blocks), Some(&gap))?;
    let left_out = model.group_errors(&blocks, Some(&gap))?;
    let mean_with_gaps = left_out.data().iter().map(|error| error * error).sum::<f64>() / 40.0;
    assert!(close(mean_with_gaps, model.score(Criterion::Groups, &[choice.lambda])?.at(0, 0), mean_with_gaps));
    assert!(mean_with_gaps != mean && model.gaps()? == gap);
    model.set_groups(Some(&blocks), None)?;
    assert!(model.gaps()?.is_empty());
    model.set_groups(Some(&[folds.clone(), folds].concat()), None)?;
    assert_eq!(model.groups()?.len(), 80);
    assert!(close(mean, model.score(Criterion::Groups, &[choice.lambda])?.at(0, 0), mean));
    Ok(())
}

#[test]
fn errors_have_the_status_and_the_words() -> Result<()> {
    let error = Kernel::gaussian(-1.0).unwrap_err();
    assert_eq!((error.status(), error.status().to_string().as_str()), (Status::InvalidArgument, "INVALID_ARGUMENT"));
    assert!(error.message().contains("sigma") && error.message().contains("-1"), "{error}");

    let mut model = Model::new(&Kernel::linear()?)?;
    assert_eq!(model.factorize().unwrap_err().status(), Status::InvalidState);
    assert_eq!(model.loo().unwrap_err().status(), Status::InvalidState);
    let with_nan = [1.0, f64::NAN, 2.0];
    let error = model.set_data(Matrix::column(&with_nan), Matrix::column(&[1.0, 2.0, 3.0])).unwrap_err();
    assert_eq!(error.status(), Status::NotFinite);
    Ok(())
}

#[test]
fn arrays_of_a_wrong_length_never_reach_the_library() -> Result<()> {
    let (x, y) = sample(10, 2);
    let mut model = fitted(&Kernel::gaussian(1.0)?, &x, &y, 1.0)?;
    let mismatch = |result: Result<()>| assert_eq!(result.unwrap_err().status(), Status::DimensionMismatch);
    mismatch(model.set_data(Matrix::row_major(&x, 2)?, Matrix::column(&y[1..])));
    mismatch(model.set_weights(Some(&y[1..])));
    mismatch(model.set_groups(Some(&[0; 9]), None));
    mismatch(model.group_errors(&[0; 11], None).map(|_| ()));
    mismatch(model.predict(Matrix::row_major(&x, 1)?).map(|_| ()));
    mismatch(Matrix::row_major(&x[1..], 2).map(|_| ()));
    for (rows, columns, ld) in [(10, 2, 1), (11, 2, 2), (0, 2, 2), (10, 0, 2), (usize::MAX, 2, 2), (2, 2, usize::MAX)] {
        assert!(Matrix::new(Layout::RowMajor, rows, columns, ld, &x).is_err(), "{rows} x {columns}, {ld}");
    }
    assert!(model.set_data(Matrix::column(&[]), Matrix::column(&[])).is_err());
    assert!(model.score(Criterion::Loo, &[]).is_err());
    // x and y may be in two layouts, borrowed and copied.
    let two: Vec<f64> = y.iter().chain(&y).copied().collect();
    let mut model = Model::new(&Kernel::linear()?)?;
    model.set_data_view(Matrix::row_major(&x, 2)?, Matrix::column_major(&two, 10)?)?;
    model.set_data(Matrix::row_major(&x, 2)?, Matrix::column_major(&two, 10)?)
}

#[test]
fn kernels_are_equal_by_what_they_are() -> Result<()> {
    let sum = Kernel::sum(&[(0.5, &Kernel::linear()?), (1.0, &Kernel::matern(1.5, 2.0)?)])?;
    assert_eq!(sum.describe()?.parse::<Kernel>()?, sum);
    assert_ne!(sum, Kernel::linear()?);
    let product = Kernel::product(&[&sum, &Kernel::gaussian(3.0)?])?.scaled(&[1.0, 0.1])?;
    assert_eq!(format!(" {product:?} ").parse::<Kernel>()?, product);
    let inside = product.parts()?;
    assert_eq!((product.name(), product.parameters()?), ("scaled".into(), vec![("scale".into(), vec![1.0, 0.1])]));
    assert_eq!(inside[0].name(), "product");
    assert_eq!(inside[0].parameters()?, vec![]);
    assert_eq!(inside[0].parts()?, vec![sum.clone(), Kernel::gaussian(3.0)?]);
    drop(product); // the parts live on
    let terms = sum.additive(Some(&[7, -1, 7]))?;
    assert_eq!(terms.parameters()?, vec![("label".into(), vec![0.0, -1.0, 0.0])]);
    assert_eq!(
        (sum.additive(None)?.parameters()?, terms.parts()?),
        (vec![("label".into(), vec![])], vec![sum.clone()])
    );
    assert!(sum.additive(Some(&[-1])).is_err() && sum.additive(Some(&[])).is_err());
    let terms = inside[0].parts()?[0].parts()?;
    assert_eq!(terms[1].parameters()?, vec![("nu".into(), vec![1.5]), ("length".into(), vec![2.0])]);
    assert!(terms[0].parts()?.is_empty());
    assert_eq!(sum.hyperparameter_names()?, ["sum.weight[0]", "sum.weight[1]", "sum[1].matern.length"]);
    assert_eq!(sum.hyperparameters()?, vec![0.5, 1.0, 2.0]);
    let other = Kernel::sum(&[(1.0, &Kernel::linear()?), (0.0, &Kernel::matern(1.5, 3.0)?)])?;
    assert_eq!(sum.with_hyperparameters(&[1.0, 0.0, 3.0])?, other);
    assert_eq!(sum.with_hyperparameters(&[1.0]).unwrap_err().status(), Status::DimensionMismatch);
    assert_eq!(sum.with_hyperparameters(&[1.0, 1.0, -1.0]).unwrap_err().status(), Status::InvalidArgument);
    assert_eq!("gaussian(sigma = )".parse::<Kernel>().unwrap_err().status(), Status::InvalidArgument);
    assert!("linear()\0".parse::<Kernel>().is_err());
    assert!(Kernel::sum(&[]).is_err());
    Ok(())
}

#[test]
fn progress_is_heard_and_cancels_and_leaves_the_model_as_it_was() -> Result<()> {
    let (x, y) = sample(200, 3);
    let calls = Arc::new(AtomicUsize::new(0));
    let allowed = Arc::new(AtomicUsize::new(usize::MAX));
    let (counted, limit) = (calls.clone(), allowed.clone());
    let mut model = Model::new(&Kernel::gaussian(2.0)?)?;
    model.set_data_view(Matrix::row_major(&x, 3)?, Matrix::column(&y))?;
    model.set_progress(move |fraction| {
        assert!((0.0..=1.0).contains(&fraction));
        counted.fetch_add(1, Ordering::SeqCst) < limit.load(Ordering::SeqCst)
    })?;
    model.factorize()?;
    model.set_lambda(0.1)?;
    let expected = model.loo()?;
    assert!(calls.load(Ordering::SeqCst) >= 2);

    allowed.store(0, Ordering::SeqCst);
    assert_eq!(model.factorize().unwrap_err().status(), Status::Cancelled);
    assert_eq!(model.select_lambda(Criterion::Loo, None).unwrap_err().status(), Status::Cancelled);
    allowed.store(usize::MAX, Ordering::SeqCst);
    assert_eq!(model.loo()?, expected);

    // The closure goes with the setting, and with the model.
    assert_eq!(Arc::strong_count(&calls), 2);
    model.clear_progress()?;
    assert_eq!(Arc::strong_count(&calls), 1);
    let kept = calls.clone();
    model.set_progress(move |_| kept.load(Ordering::SeqCst) > 0)?;
    drop(model);
    assert_eq!(Arc::strong_count(&calls), 1);
    Ok(())
}

/// What needs n is an error until the rows are counted; all else answers.
#[test]
fn a_reader_without_n_is_counted() -> Result<()> {
    let (x, y) = sample(3000, 3);
    let (rows, values) = (x.clone(), y.clone());
    let read = move |first: usize, x_at: &mut [f64], y_at: &mut [f64], _: &mut [f64]| {
        let given = y_at.len().min(values.len() - first);
        x_at[..3 * given].copy_from_slice(&rows[3 * first..3 * (first + given)]);
        y_at[..given].copy_from_slice(&values[first..first + given]);
        Some(given)
    };
    let mut model = Model::new(&Kernel::linear()?)?;
    model.set_reader(None, 3, 1, Box::new(read))?;
    assert_eq!(model.sizes()?, (None, 3, 1));
    assert_eq!(format!("{model:?}"), "Model { features: 3, outputs: 1, .. }");
    let ones = vec![1.0; 3000];
    let answers = [
        model.dimensions().map(|_| ()),
        model.set_weights(Some(&ones)),
        model.set_groups(Some(&[0; 3000]), None),
        model.set_fixed_effects(Some(Matrix::column(&ones))),
        model.group_errors(&[0; 3000], None).map(|_| ()),
        model.loo().map(|_| ()),
        model.score(Criterion::Loo, &[1.0]).map(|_| ()),
        model.hat_matrix(1.0).map(|_| ()),
        model.eigenvectors(1).map(|_| ()),
        model.weights().map(|_| ()),
        model.predict(Matrix::row_major(&x, 3)?).map(|_| ()),
    ];
    for (k, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer.unwrap_err().status(), Status::InvalidState, "{k}");
    }
    model.factorize()?;
    assert_eq!(model.dimensions()?, (3000, 3, 1));
    model.set_lambda(0.5)?;
    let (ours, expected) = (model.loo()?, fitted(&Kernel::linear()?, &x, &y, 0.5)?.loo()?);
    assert!((0..3000).all(|i| close(ours.at(i, 0), expected.at(i, 0), 1.0)));
    assert_eq!(model.coefficients().unwrap_err().status(), Status::InvalidState); // a linear kernel has a hyperplane
    Ok(())
}

/// The coefficients of a reader's rows are those of the landmarks, in their order.
#[test]
fn landmarks_of_a_reader_have_their_coefficients() -> Result<()> {
    let (x, y) = sample(300, 2);
    let rows = [17, 3, 250, 40];
    let mut whole = Model::new(&Kernel::gaussian(1.0)?)?;
    whole.set_data(Matrix::row_major(&x, 2)?, Matrix::column(&y))?;
    let (own_x, own_y) = (x.clone(), y.clone());
    let mut read = Model::new(&Kernel::gaussian(1.0)?)?;
    let given = move |first: usize, x_at: &mut [f64], y_at: &mut [f64], _: &mut [f64]| {
        x_at.copy_from_slice(&own_x[2 * first..2 * first + x_at.len()]);
        y_at.copy_from_slice(&own_y[first..first + y_at.len()]);
        Some(y_at.len())
    };
    read.set_reader(Some(300), 2, 1, Box::new(given))?;
    for model in [&mut whole, &mut read] {
        model.set_landmarks(&rows)?;
        model.factorize()?;
        model.set_lambda(0.5)?;
    }
    let (c, all) = (read.coefficients()?, whole.coefficients()?);
    assert_eq!((c.rows(), all.rows()), (4, 300));
    for (k, row) in rows.iter().enumerate() {
        assert!(close(c.at(k, 0), all.at(*row, 0), 1.0), "{k}");
    }
    read.set_data(Matrix::row_major(&x, 2)?, Matrix::column(&y))?; // and all rows have one again
    read.factorize()?;
    read.set_lambda(0.5)?;
    assert_eq!(read.coefficients()?.rows(), 300);
    Ok(())
}

/// The unpenalised columns of a reader, the first of x, are fixed effects, and no slopes have their errors.
#[test]
fn slopes_of_a_reader_have_their_errors() -> Result<()> {
    let (x, y) = sample(50, 3);
    let (first, others): (Vec<f64>, Vec<f64>) =
        (x.chunks(3).map(|row| row[0]).collect(), x.chunks(3).flat_map(|row| row[1..].to_vec()).collect());
    let mut whole = Model::new(&Kernel::linear()?)?;
    whole.set_data(Matrix::row_major(&others, 2)?, Matrix::column(&y))?;
    whole.set_fixed_effects(Some(Matrix::column(&first)))?;
    let mut read = Model::new(&Kernel::linear()?)?;
    let (own_x, own_y) = (x.clone(), y.clone());
    let given = move |first: usize, x_at: &mut [f64], y_at: &mut [f64], _: &mut [f64]| {
        x_at.copy_from_slice(&own_x[3 * first..3 * first + x_at.len()]);
        y_at.copy_from_slice(&own_y[first..first + y_at.len()]);
        Some(y_at.len())
    };
    read.set_reader(Some(50), 3, 1, Box::new(given))?;
    read.set_unpenalised(1)?;
    for model in [&mut whole, &mut read] {
        model.factorize()?;
        model.set_lambda(0.7)?;
    }
    assert!(close(read.fixed_coefficients()?.at(0, 0), whole.fixed_coefficients()?.at(0, 0), 1.0));
    for kind in [Covariance::Bayesian, Covariance::Frequentist] {
        let ((w, b), (expected, of_b)) = (read.coefficient_errors(kind)?, whole.coefficient_errors(kind)?);
        let (pairs, all) = (read.coefficient_covariance(kind)?, whole.coefficient_covariance(kind)?);
        assert_eq!((w.rows(), pairs.rows(), pairs.columns()), (2, 3, 3));
        assert!(w.data().iter().zip(expected.data()).all(|(a, b)| close(*a, *b, 1.0)) && close(b[0], of_b[0], 1.0));
        assert!(pairs.data().iter().zip(all.data()).all(|(a, b)| close(*a, *b, 1.0)));
    }
    Ok(())
}

/// What a reader does wrong ends the call: a panic goes on in the caller, all else is an error with its words.
#[test]
fn a_reader_that_fails_is_heard() -> Result<()> {
    type Answer = fn(usize) -> Option<usize>;
    let too_many: Answer = |asked| Some(asked + 1);
    let faults: [(Answer, &str); 4] = [
        (|_| panic!("no disk"), "no disk"),
        (too_many, "where it was asked for"),
        (|_| Some(usize::MAX), "where it was asked for"),
        (|_| None, "the reader failed at row 0"),
    ];
    for (fault, words) in faults {
        let mut model = Model::new(&Kernel::linear()?)?;
        model.set_reader(Some(50), 2, 1, Box::new(move |_, _, y, _| fault(y.len())))?;
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| model.factorize())) {
            Err(panic) => assert_eq!(panic.downcast_ref::<&str>(), Some(&words)),
            Ok(result) => {
                let error = result.unwrap_err();
                assert!(error.status() == Status::Io && error.message().contains(words), "{error}");
            }
        }
        assert!(model.loo().is_err()); // and goes on to answer
    }
    Ok(())
}

/// Numbers of an answer that do not exist leave the others where they are: at row 0 the leverage is one at lambda = 0.
#[test]
fn what_is_defined_comes_with_the_error() -> Result<()> {
    let (x, y) = ([1.0, 0.0, 0.0], [1.0, 2.0, 3.0]);
    let mut model = Model::new(&Kernel::linear()?)?;
    model.set_data(Matrix::column(&x), Matrix::column(&y))?;
    model.factorize()?;
    let known = [model.score(Criterion::Loo, &[0.1])?.at(0, 0), model.score(Criterion::Loo, &[1.0])?.at(0, 0)];
    let check = |error: freeridge::Error, arrays: usize, expected: &[f64]| {
        assert_eq!((error.status(), error.values().len()), (Status::Undefined, arrays), "{error}");
        for (found, expected) in error.values()[0].data().iter().zip(expected) {
            assert!(found.is_nan() && expected.is_nan() || close(*found, *expected, 1.0), "{found} {expected}");
        }
    };
    let scores = [f64::NAN, known[0], known[1]];
    let lambdas = [0.0, 0.1, 1.0];
    check(model.score(Criterion::Loo, &lambdas).unwrap_err(), 1, &scores);
    check(model.score_with_error(Criterion::Loo, &lambdas).unwrap_err(), 2, &scores);
    model.set_lambda(0.0)?;
    check(model.loo().unwrap_err(), 1, &[f64::NAN, -1.0, 1.0]);
    check(model.cooks_distance().unwrap_err(), 1, &[f64::NAN]);
    check(model.without_rows().unwrap_err(), 2, &[f64::NAN]);
    let mut sums = Accumulator::new(1, 1, true)?;
    sums.add(Matrix::column(&x), Matrix::column(&y), None)?;
    let (at, of) = (Matrix::column(&x), Matrix::column(&y));
    check(sums.loo(at, of, None, &[0.0]).unwrap_err(), 1, &[f64::NAN, -1.0, 1.0]);
    // A score of one term has no standard error, and a stack of one row no left-out error.
    let mut held_out = fitted(&Kernel::linear()?, &[0.0, 1.0, 3.0, 4.0], &[1.0, 2.0, 2.0, 5.0], 1.0)?;
    held_out.set_groups(Some(&make_holdout(4, 0.25, 1)?), None)?;
    let choice = held_out.select_lambda(Criterion::Groups, None)?[0];
    let rule = held_out.one_standard_error().unwrap_err();
    check(rule.clone(), 3, &[f64::NAN]);
    assert_eq!(rule.values()[1].data(), [choice.score]);
    let members = Matrix::column_major(&[1.0, 2.0, 3.0, 4.0], 2)?;
    check(stack_weights(members, &[1.5, 2.0], Some(&[1.0, 0.0]), 0.0).unwrap_err(), 2, &[0.75, 0.25]);
    // Nor has a tolerance a gap that leaves a point on the wrong side; a lower bound it has.
    let mut loose = Classifier::new(&Kernel::gaussian(1.0)?, Loss::Hinge)?;
    loose.set_data(Matrix::column(&[0.0, 10.0, 20.0, 30.0]), &[1.0, -1.0, 1.0, 1.0])?;
    loose.set_control(1.9, 100)?;
    loose.fit(0.0)?;
    let duality = loose.duality().unwrap_err();
    check(duality.clone(), 3, &[f64::NAN]);
    assert!(close(duality.values()[1].at(0, 0), 1.0, 1.0));
    // The R^2 of a constant y does not exist; w and b do.
    let line = freeridge::ols_summary(Matrix::column(&[0.0, 1.0, 2.0]), Matrix::column(&[2.0; 3]), true).unwrap_err();
    check(line.clone(), 6, &[0.0]);
    assert_eq!(line.values()[1].data(), [2.0]);
    assert!(line.values()[5].at(0, 0).is_nan());
    // Errors of all other kinds have none.
    assert!(model.set_lambda(-1.0).unwrap_err().values().is_empty());
    Ok(())
}

#[test]
fn a_panic_in_the_closure_goes_on_in_the_caller() -> Result<()> {
    let (x, y) = sample(100, 2);
    let mut model = Model::new(&Kernel::gaussian(2.0)?)?;
    model.set_data(Matrix::row_major(&x, 2)?, Matrix::column(&y))?;
    model.set_progress(|_| panic!("enough"))?;
    let (x, y) = (Matrix::row_major(&x, 2)?, Matrix::column(&y));
    let mut sums = Accumulator::new(2, 1, true)?;
    sums.add(x, y, None)?;
    sums.set_progress(|_| panic!("enough"))?;
    let mut window = Window::new(&Kernel::gaussian(2.0)?, 2, 1, WindowSettings::default())?;
    window.set_progress(|_| panic!("enough"))?;
    let calls: [&mut dyn FnMut() -> Result<()>; 3] = [
        &mut || model.factorize(),
        &mut || sums.predictor(&[1.0]).map(|_| ()),
        &mut || window.add(x, y, None).map(|_| ()),
    ];
    for (k, call) in calls.into_iter().enumerate() {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).unwrap_err();
        assert_eq!(caught.downcast_ref::<&str>(), Some(&"enough"), "{k}");
    }
    model.clear_progress()?;
    model.factorize() // the model is sound
}

#[test]
fn handles_move_between_threads_and_readers_share_one() -> Result<()> {
    let (x, y) = sample(60, 2);
    let model = thread::spawn({
        let (x, y) = (x.clone(), y.clone());
        move || fitted(&Kernel::gaussian(1.0)?, &x, &y, 0.2)
    })
    .join()
    .unwrap()?;
    let expected = (model.loo()?, model.predict(Matrix::row_major(&x, 2)?)?);
    thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| -> Result<_> { Ok((model.loo()?, model.predict(Matrix::row_major(&x, 2)?)?)) }))
            .collect();
        for reader in readers {
            assert_eq!(reader.join().unwrap()?, expected);
        }
        Ok(())
    })
}

#[test]
fn routes_agree_and_are_known_by_name() -> Result<()> {
    let (x, y) = sample(50, 4);
    let mut answers = Vec::new();
    for route in [Route::Cholesky, Route::Spectral, Route::Band, Route::Primal] {
        let mut model = Model::new(&Kernel::linear()?)?;
        model.set_data(Matrix::row_major(&x, 4)?, Matrix::column(&y))?;
        model.set_route(route)?;
        assert!(model.memory_required()? > 0);
        model.factorize()?;
        model.set_lambda(2.0)?;
        assert_eq!(model.route()?, route);
        answers.push(model.loo()?);
    }
    for other in &answers[1..] {
        assert!(other.data().iter().zip(answers[0].data()).all(|(a, b)| close(*a, *b, 1.0)));
    }
    Ok(())
}

#[test]
fn saved_and_loaded_it_goes_on() -> Result<()> {
    let (x, y) = sample(40, 2);
    let mut model = fitted(&Kernel::gaussian(1.0)?, &x, &y, 0.2)?;
    let path = std::env::temp_dir().join(format!("freeridge-rust-{}.model", std::process::id()));
    model.save(&path)?;
    let from_file = Model::load(&path);
    std::fs::remove_file(&path).unwrap();
    for mut loaded in [from_file?, Model::from_bytes(&model.to_bytes()?)?] {
        assert_eq!(loaded.loo()?, model.loo()?);
        loaded.set_lambda(3.0)?;
        model.set_lambda(3.0)?;
        assert_eq!(loaded.coefficients()?, model.coefficients()?);
        model.set_lambda(0.2)?;
    }

    let at = Matrix::row_major(&x, 2)?;
    let mut bytes = model.predictor_to_bytes()?;
    assert!(freeridge::locate_saved_x(&bytes)?.len() % 8 == 0);
    let predictor = Model::from_bytes(&bytes)?;
    assert_eq!(predictor.predict(at)?, model.predict(at)?);
    assert_eq!(predictor.loo().unwrap_err().status(), Status::InvalidState);
    model.save_predictor(&path)?;
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    std::fs::remove_file(&path).unwrap();

    bytes[60] ^= 4;
    assert_eq!(Model::from_bytes(&bytes).map(|_| ()).unwrap_err().status(), Status::Corrupt);
    assert_eq!(Model::load(&path).map(|_| ()).unwrap_err().status(), Status::Io);
    assert!(model.save(std::path::Path::new("a\0b")).is_err());
    #[cfg(unix)] // a file's name may have any other bytes
    {
        let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"freeridge-caf\xe9.model");
        let path = std::env::temp_dir().join(name);
        model.save(&path)?;
        let loaded = Model::load(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(loaded?.loo()?, model.loo()?);
        assert_eq!(Model::load(&path).map(|_| ()).unwrap_err().status(), Status::Io);
    }
    Ok(())
}

#[test]
fn a_batch_is_a_model_of_each_stretch_of_rows() -> Result<()> {
    let (x, y) = sample(60, 2);
    let start = [0, 25, 25, 60];
    for kernel in [Kernel::linear()?, Kernel::gaussian(2.0)?] {
        let settings = Model::new(&kernel)?;
        let found = settings.batch(Matrix::row_major(&x, 2)?, Matrix::column(&y), None, &start, Criterion::Loo, None)?;
        assert_eq!(found.status, [None, Some(Status::Undefined), None]);
        assert_eq!(found.w.is_some(), kernel.linear_scale(2)?.is_some());
        assert!(found.b.at(0, 1).is_nan() && found.lambda.at(0, 1).is_nan());
        for g in [0, 2] {
            let rows = start[g]..start[g + 1];
            let alone = fitted(&kernel, &x[2 * rows.start..2 * rows.end], &y[rows.clone()], found.lambda.at(0, g))?;
            assert!(close(found.b.at(0, g), alone.intercept()?[0], 1.0));
            let errors = alone.loo()?;
            for i in rows.clone() {
                assert!(close(found.errors.at(i, 0), errors.at(i - rows.start, 0), 1.0));
            }
            if let Some(w) = &found.w {
                assert!(close(w.at(0, g), alone.hyperplane()?.at(0, 0), 1.0));
            }
        }
        let at = Matrix::row_major(&x, 2)?;
        let refused = |start: &[usize]| settings.batch(at, Matrix::column(&y), None, start, Criterion::Loo, None).is_err();
        assert!(refused(&[]) && refused(&[0]) && refused(&[0, 61]) && refused(&[0, 40, 30, 60]) && refused(&[1, 60]));
        let short = settings.batch(at, Matrix::column(&y), Some(&y[1..]), &start, Criterion::Loo, None);
        assert_eq!(short.unwrap_err().status(), Status::DimensionMismatch);
    }
    Ok(())
}
