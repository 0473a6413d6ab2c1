//! What safe code may try: sizes that do not fit, sizes beyond memory, closures that reach what they hear. All of it is
//! an error, and none of it does harm.

use freeridge::{
    ols, ols_summary, pinv, polynomial_exponents, polynomial_features, ridge_penalty, tls_errors, tls_exact,
    weighted_median, Accumulator, Classifier, Covariance, Criterion, Dense, Kernel, Layout, Loss, Matrix, Model,
    Result, Status,
};
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

const SIZES: [usize; 9] = [0, 1, 3, 1 << 24, 1 << 31, 1 << 32, usize::MAX / 8, usize::MAX / 2 + 1, usize::MAX];
const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

#[track_caller]
fn refused<T: Debug>(result: Result<T>, statuses: &[Status]) {
    let status = result.expect_err("this has to be refused").status();
    assert!(statuses.contains(&status), "{status}");
}

#[track_caller]
fn mismatch<T: Debug>(result: Result<T>) {
    refused(result, &[Status::DimensionMismatch]);
}

fn points(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i as f64 * 0.7).sin() * 3.0 + i as f64 * 0.1).collect()
}

fn fitted(n: usize) -> Result<Model<'static>> {
    let x = points(n);
    let mut model = Model::new(&Kernel::gaussian(1.0)?)?;
    model.set_data(Matrix::column(&x), Matrix::column(&x))?;
    model.factorize()?;
    model.set_lambda(0.1)?;
    Ok(model)
}

#[test]
fn no_matrix_is_larger_than_its_numbers() -> Result<()> {
    let data = points(12);
    for rows in SIZES {
        for columns in SIZES {
            for layout in LAYOUTS {
                let fits = rows.checked_mul(columns).map_or(false, |count| count == 3 || count == 1 || count == 9);
                let exact = rows.checked_mul(columns).filter(|count| *count <= 9).unwrap_or(12);
                let dense = Dense::new(layout, rows, columns, data[..exact].to_vec());
                assert_eq!(dense.is_ok(), fits && exact > 0, "{rows} x {columns}");
                assert!(Dense::new(layout, rows, columns, data[..2].to_vec()).is_err());
                if let Ok(dense) = dense {
                    assert_eq!((dense.view().rows(), dense.view().columns()), (rows, columns));
                    assert_eq!(dense.at(rows - 1, columns - 1), data[exact - 1]);
                }
                for ld in SIZES {
                    let (lines, line) = if layout == Layout::RowMajor { (rows, columns) } else { (columns, rows) };
                    let needed = (lines as u128).max(1) * ld as u128 - ld as u128 + line as u128;
                    let fits = lines > 0 && line > 0 && ld >= line && needed <= 12;
                    assert_eq!(Matrix::new(layout, rows, columns, ld, &data).is_ok(), fits, "{rows} {columns} {ld}");
                }
            }
        }
    }
    assert!(Dense::new(Layout::RowMajor, 4, 3, vec![1.0]).is_err());
    assert!(std::panic::catch_unwind(|| Matrix::column(&[1.0]).at(1, 0)).is_err());
    Ok(())
}

#[test]
fn sizes_beyond_memory_are_errors() -> Result<()> {
    let mut model = fitted(10)?;
    let large = [Status::InvalidArgument, Status::OutOfMemory];
    for size in &SIZES[4..] {
        refused(model.lambda_grid(*size), &large);
        refused(model.set_landmarks(&[*size]), &large);
        refused(model.set_landmark_count(*size), &large);
        refused(model.set_expected_lambdas(*size), &large);
        refused(model.landmark_curve(Criterion::Loo, &[*size]), &large);
        refused(model.select_bandwidth(Criterion::Loo, None, Some(*size)), &large);
        refused(freeridge::make_folds(*size, 2, 0), &large);
        refused(freeridge::make_holdout(*size, 0.5, 0), &large);
        refused(freeridge::make_blocks(*size, 2, 0, 1), &large);
        refused(Accumulator::new(*size, 1, true), &large);
        refused(polynomial_exponents(*size, 2, true), &large);
    }
    refused(polynomial_exponents(1 << 20, 3, true), &large);
    refused(model.select_bandwidth(Criterion::Loo, None, Some(0)), &large);
    for empty in [model.score(Criterion::Loo, &[]), model.score_with_error(Criterion::Loo, &[]).map(|pair| pair.0)] {
        refused(empty, &large);
    }
    refused(model.landmark_curve(Criterion::Loo, &[]), &large);
    refused(model.predict(Matrix::column(&[])), &large);
    refused(Model::from_bytes(&[]), &large);
    refused(Accumulator::new(3, 1, true)?.solve(&[]), &large);
    model.loo().map(|_| ())
}

#[test]
fn lengths_are_those_that_the_library_reads() -> Result<()> {
    let x = points(12);
    let at = |columns: usize| Matrix::row_major(&x, columns).unwrap();
    let mut model = fitted(12)?;
    for wrong in [0, 1, 11, 13] {
        let (numbers, labels) = (vec![1.0; wrong], vec![0; wrong]);
        mismatch(model.set_weights(Some(&numbers)));
        mismatch(model.set_groups(Some(&labels), None));
        mismatch(model.group_errors(&labels, None));
        mismatch(model.group_errors(&labels, Some(&[0; 12])));
        if wrong > 0 {
            mismatch(model.group_errors(&[0; 12], Some(&labels)));
        }
        mismatch(model.set_data(at(1), Matrix::column(&numbers)));
        mismatch(weighted_median(&x, &numbers));
    }
    mismatch(model.set_lambdas(&[1.0, 1.0]));
    mismatch(model.set_lambdas(&[]));
    mismatch(model.predict(at(2)));
    mismatch(model.predict_jackknife(at(3), 0.9));
    mismatch(model.predict_left_out(at(2), &[0; 2]));
    mismatch(model.predict_left_out(at(2), &[0]));
    mismatch(model.predict_variance(at(4)));
    mismatch(model.predict_covariance(at(4), Covariance::Bayesian));
    mismatch(model.predict_gradient(at(4)));
    mismatch(model.score_test(at(4)));
    mismatch(model.average_gradient(at(3), None, Covariance::Bayesian));
    mismatch(model.average_gradient(at(1), Some(&[1.0]), Covariance::Bayesian));
    mismatch(model.predict_combinations(at(1), Some(&[0]), None, Covariance::Bayesian));
    mismatch(model.predict_combinations(at(1), None, Some(&[1.0]), Covariance::Bayesian));
    for groups in [[i64::MAX; 12], [i64::MIN; 12], [-1; 12], [12; 12], [1 << 33; 12]] {
        let wrong = model.predict_combinations(at(1), Some(&groups), None, Covariance::Bayesian);
        refused(wrong, &[Status::InvalidArgument]);
    }
    assert!(model.set_landmarks(&[0, 12]).is_err() && model.set_landmarks(&[1, 1]).is_err());

    let labels: Vec<f64> = (0..12).map(|i| f64::from(i % 2) * 2.0 - 1.0).collect();
    let mut classifier = Classifier::new(&Kernel::gaussian(1.0)?, Loss::Logistic)?;
    refused(classifier.set_weights(Some(&x)), &[Status::InvalidState]);
    refused(classifier.loo(), &[Status::InvalidState]);
    refused(classifier.decision(at(1)), &[Status::InvalidState]);
    classifier.set_data(at(1), &labels)?;
    mismatch(classifier.set_data(at(2), &labels));
    refused(classifier.set_data(Matrix::column(&labels[..2]), &[1.0, 1.0]), &[Status::InvalidArgument]);
    classifier.fit(1.0)?; // what was refused left the 12 points
    mismatch(classifier.decision(at(2)));
    mismatch(classifier.set_weights(Some(&x[1..])));
    assert_eq!((classifier.loo()?.len(), classifier.decision(at(1))?.len()), (12, 12));

    mismatch(ols(at(1), Matrix::column(&x[1..]), true));
    mismatch(ols_summary(at(1), Matrix::column(&x[1..]), true));
    mismatch(ridge_penalty(at(2), Matrix::column(&x[..6]), true, 1.0, &[1.0]));
    mismatch(tls_exact(at(2), Matrix::column(&x[..6]), true, &[true]));
    mismatch(tls_errors(at(2), Matrix::column(&x[..6]), true, Some(&[true])));
    mismatch(tls_errors(at(2), Matrix::column(&x[..5]), true, None));
    refused(pinv(Matrix::column(&[]), None), &[Status::InvalidArgument]);
    refused(polynomial_features(Matrix::column(&[]), 2, true), &[Status::InvalidArgument]);
    Ok(())
}

/// The library holds locks while it reports, so a call from the closure into what it hears would be undefined.
#[test]
fn a_closure_cannot_use_what_it_hears() -> Result<()> {
    let (cell, told) = (Arc::new(RwLock::new(None::<Model>)), Arc::new(Mutex::new(Vec::new())));
    let mut model = fitted(150)?;
    let (reached, answers, other) = (cell.clone(), told.clone(), fitted(20)?);
    model.set_progress(move |_| {
        if let Some(model) = reached.read().unwrap().as_ref() {
            let copy = model.try_clone().map(|_| ());
            for answer in [model.loo().map(|_| ()), model.dimensions().map(|_| ()), model.save("x".as_ref()), copy] {
                answers.lock().unwrap().push(answer.unwrap_err().status());
            }
            assert_eq!(format!("{model:?}"), "Model { .. }");
            assert!(other.loo().is_ok()); // another one is free
        }
        true
    })?;
    *cell.write().unwrap() = Some(model);
    let model = cell.read().unwrap();
    let model = model.as_ref().unwrap();
    let expected = fitted(150)?.loo()?;
    assert_eq!(model.loo()?, expected);
    let told = std::mem::take(&mut *told.lock().unwrap());
    assert!(!told.is_empty() && told.iter().all(|status| *status == Status::InvalidState));
    assert_eq!(model.dimensions()?, (150, 1, 1)); // and free again

    let cell = Arc::new(RwLock::new(None::<Accumulator>));
    let reached = cell.clone();
    let mut sums = Accumulator::new(1, 1, true)?;
    sums.add(Matrix::column(&points(9)), Matrix::column(&points(9)), None)?;
    sums.set_progress(move |_| {
        let mut into = Accumulator::new(1, 1, true).unwrap();
        reached.read().unwrap().as_ref().map_or(true, |sums| into.merge(sums).is_err() && sums.solve(&[1.0]).is_err())
    })?;
    *cell.write().unwrap() = Some(sums);
    let sums = cell.read().unwrap();
    sums.as_ref().unwrap().solve(&[1.0]).map(|_| ())
}

/// Threads in one model: a panic is that of the thread whose call was cancelled, each of many times.
#[test]
fn a_panic_stays_on_its_thread() -> Result<()> {
    let mut model = fitted(10)?;
    model.set_progress(|_| {
        if thread::current().name() == Some("victim") {
            std::panic::resume_unwind(Box::new(())); // a panic without a message
        }
        true
    })?;
    let (model, done) = (&model, AtomicBool::new(false));
    let call = || std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| model.loo()));
    let other = || {
        let mut calm = true;
        while !done.load(Ordering::SeqCst) {
            calm = calm && call().is_ok();
        }
        calm
    };
    thread::scope(|scope| {
        let others = [scope.spawn(other), scope.spawn(other)];
        let victim = thread::Builder::new().name("victim".to_string());
        let caught = victim.spawn_scoped(scope, || (0..3000).filter(|_| call().is_err()).count()).unwrap().join();
        done.store(true, Ordering::SeqCst);
        let calm = others.map(|other| other.join().unwrap());
        assert_eq!((caught.unwrap(), calm), (3000, [true, true]));
    });
    Ok(())
}

#[test]
fn what_owns_a_handle_may_be_sent_shared_and_shown() {
    fn all<T: Send + Sync + Debug>() {}
    all::<Model>();
    all::<Kernel>();
    all::<Accumulator>();
    all::<Classifier>();
    all::<Dense>();
    all::<freeridge::Error>();
}
