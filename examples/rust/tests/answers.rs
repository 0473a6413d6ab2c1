//! The answers of a model, a classifier and the calls without a handle, by their definitions.

use freeridge::{
    absolute_slope, calibrate, convert_lambda, early_stopping, expansion_gradient, gradient_descent, loss_gradient,
    make_folds, make_holdout, ols, ols_summary, parameter_bounds, pinv, polynomial_exponents,
    polynomial_feature_factors, polynomial_features, ridge, ridge_penalty, stack_weights, sys, tls, tls_errors,
    tls_exact, weighted_median, Classifier, Convention, Covariance, Criterion, Dense, Kernel, LandmarkMethod, Layout,
    Learning, Loss, Matrix, Model, Outputs, Plan, Reduction, Result, Route, Status, StepRule, SupportKind,
};
use std::sync::{Arc, Mutex};

const N: usize = 40;

/// Two columns, column-major, and a response with an error of a tenth.
fn sample() -> (Vec<f64>, Vec<f64>) {
    let mut state = 11u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let x: Vec<f64> = (0..2 * N).map(|_| 4.0 * uniform() - 2.0).collect();
    let y = (0..N).map(|i| x[i].sin() + 0.5 * x[N + i] + 0.1 * uniform()).collect();
    (x, y)
}

fn fitted(kernel: &Kernel, lambda: f64) -> Result<Model<'static>> {
    let (x, y) = sample();
    let mut model = Model::new(kernel)?;
    model.set_data(Matrix::column_major(&x, N)?, Matrix::column(&y))?;
    model.factorize()?;
    model.set_lambda(lambda)?;
    Ok(model)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + b.abs())
}

#[test]
fn diagnostics_by_their_definitions() -> Result<()> {
    let (x, y) = sample();
    let x = Matrix::column_major(&x, N)?;
    for kernel in [Kernel::linear()?, Kernel::gaussian(1.5)?] {
        let model = fitted(&kernel, 0.3)?;
        let (h, f, e, cook) = (model.leverage()?, model.fitted()?, model.loo()?, model.cooks_distance()?);
        let (df, s2) = (model.degrees_of_freedom()?[0], model.error_variance()?[0]);
        assert!(close(df, h.data().iter().sum()));
        assert!(close(s2, (0..N).map(|i| (y[i] - f.at(i, 0)).powi(2)).sum::<f64>() / (N as f64 - df)));
        for (i, y) in y.iter().enumerate() {
            assert!(close(e.at(i, 0), (y - f.at(i, 0)) / (1.0 - h.at(i, 0))));
            assert!(close(cook.at(i, 0), e.at(i, 0).powi(2) * h.at(i, 0) / (df * s2)));
            assert!(close(model.predict(x)?.at(i, 0), f.at(i, 0)));
        }
        let (df_without, sigma) = model.without_rows()?;
        assert!((0..N).all(|i| df_without.at(i, 0) > 0.0 && df_without.at(i, 0) <= df && sigma.at(i, 0) > 0.0));
        let hat = model.hat_matrix(0.3)?; // any symmetric matrix
        let (q, p) = model.score_test(hat.view())?;
        assert!(q[0] > 0.0 && p[0] > 0.0 && p[0] < 1.0);
        assert_eq!((model.lambda()?, model.bandwidth().is_ok()), (vec![0.3], kernel != Kernel::linear()?));
        assert!(model.rank()? <= N && model.tolerance()? >= 0.0 && model.explain()?.lines().count() > 2);
        assert!(format!("{model:?}").contains("points: 40, features: 2, outputs: 1, route: "), "{model:?}");
    }
    Ok(())
}

/// fitted = H y and c = P y; H has the eigenvalues Lambda / (Lambda + lambda); linear kernels have divisors.
#[test]
fn matrices_and_eigenvalues() -> Result<()> {
    let (_, y) = sample();
    let model = fitted(&Kernel::gaussian(1.5)?, 0.3)?;
    let (hat, inverse) = (model.hat_matrix(0.3)?, model.inverse_matrix(0.3)?);
    let (f, c, values) = (model.fitted()?, model.coefficients()?, model.eigenvalues(N - 1)?);
    for i in 0..N {
        assert!(close((0..N).map(|j| hat.at(i, j) * y[j]).sum(), f.at(i, 0)));
        assert!(close((0..N).map(|j| inverse.at(i, j) * y[j]).sum(), c.at(i, 0)));
    }
    let at = model.condition_number(&[0.3])?[0];
    assert!(close(at.condition, (values[0] + 0.3) / (values[N - 2] + 0.3)));
    assert!(close(at.rank + 1.0, model.degrees_of_freedom()?[0]));
    let first = model.eigenvectors(1)?;
    for i in 0..N {
        let product: f64 = (0..N).map(|j| hat.at(i, j) * first.at(j, 0)).sum();
        assert!(close(product, values[0] / (values[0] + 0.3) * first.at(i, 0)));
    }
    assert_eq!(Kernel::linear()?.linear_scale(2)?, Some(vec![1.0, 1.0]));
    assert_eq!(Kernel::gaussian(1.5)?.linear_scale(2)?, None);
    Ok(())
}

/// Intervals from refits without each row; the variance from the model as one of its own points would see it.
#[test]
fn intervals_and_variances() -> Result<()> {
    let (x, y) = sample();
    let model = fitted(&Kernel::gaussian(1.5)?, 0.3)?;
    let at = [0.3, -1.0, 1.1, 0.2]; // two points
    let found = model.predict_jackknife(Matrix::row_major(&at, 2)?, 0.9)?;
    assert_eq!(found.lower.layout(), Layout::RowMajor);
    for j in 0..2 {
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for i in 0..N {
            let kept: Vec<usize> = (0..N).filter(|k| *k != i).collect();
            let (others, values): (Vec<f64>, Vec<f64>) =
                (kept.iter().flat_map(|k| [x[*k], x[N + k]]).collect(), kept.iter().map(|k| y[*k]).collect());
            let mut without = Model::new(&Kernel::gaussian(1.5)?)?;
            without.set_data(Matrix::row_major(&others, 2)?, Matrix::column(&values))?;
            without.factorize()?;
            without.set_lambda(0.3)?;
            let value = without.predict(Matrix::row_major(&at[2 * j..2 * j + 2], 2)?)?.at(0, 0);
            let left_out = model.predict_left_out(Matrix::row_major(&at, 2)?, &[i as i32; 2])?;
            assert!(close(left_out.at(j, 0), value));
            let error = model.loo()?.at(i, 0).abs();
            low.push(value - error);
            high.push(value + error);
        }
        low.sort_by(f64::total_cmp);
        high.sort_by(f64::total_cmp);
        // floor((1 - level) (n + 1)) and ceil(level (n + 1)), counted from one
        assert!(close(found.lower.at(j, 0), low[4 - 1]) && close(found.upper.at(j, 0), high[37 - 1]));
    }
    let far = model.predict_variance(Matrix::row_major(&[0.0, 0.0, 100.0, 100.0], 2)?)?;
    let tau2 = far.noise[0] / 0.3;
    assert!(far.variance.at(0, 0) < 0.2 * tau2 && far.variance.at(1, 0) > tau2);
    let (near, pairs) = (Matrix::row_major(&[0.0, 0.0, 100.0, 100.0], 2)?, Covariance::Bayesian);
    let found = model.predict_covariance(near, pairs)?;
    let sigma2 = model.error_variance()?[0];
    for i in 0..2 {
        assert!(close(found.errors.at(i, 0), (far.variance.at(i, 0) / far.noise[0] * sigma2).sqrt()));
        assert!(close(found.covariance.at(i, i), found.errors.at(i, 0) * found.errors.at(i, 0)));
    }
    assert!(close(found.covariance.at(0, 1), found.covariance.at(1, 0)));
    Ok(())
}

#[test]
fn derivatives_and_coefficients_with_errors() -> Result<()> {
    let model = fitted(&Kernel::gaussian(1.5)?, 0.3)?;
    let (at, step) = ([0.3, -1.0, 1.1, 0.2], 1e-5); // two points
    let found = model.predict_gradient(Matrix::row_major(&at, 2)?)?;
    let average = model.average_gradient(Matrix::row_major(&at, 2)?, Some(&[1.0, 3.0]), Covariance::Bayesian)?;
    for k in 0..2 {
        let (mut high, mut low) = (at, at);
        for i in 0..2 {
            high[2 * i + k] += step;
            low[2 * i + k] -= step;
        }
        let (above, below) = (Matrix::row_major(&high, 2)?, Matrix::row_major(&low, 2)?);
        let (f, g) = (model.predict(above)?, model.predict(below)?);
        let both: Vec<f64> = high.iter().chain(&low).copied().collect();
        let signed = [0.5, 0.5, -0.5, -0.5];
        let change =
            model.predict_combinations(Matrix::row_major(&both, 2)?, None, Some(&signed), Covariance::Frequentist)?;
        let each = model.predict_combinations(below, Some(&[1, 0]), None, Covariance::Bayesian)?;
        let pairs = model.predict_covariance(below, Covariance::Bayesian)?;
        for i in 0..2 {
            assert!((found.at(i, k) - (f.at(i, 0) - g.at(i, 0)) / (2.0 * step)).abs() < 1e-7);
        }
        assert!(close(average.average.at(k, 0), (found.at(0, k) + 3.0 * found.at(1, k)) / 4.0));
        assert!(average.errors.at(k, 0) > 0.0 && change.errors.at(0, 0) > 0.0);
        let sum: f64 = (0..2).map(|i| f.at(i, 0) - g.at(i, 0)).sum();
        assert!((change.value.at(0, 0) - sum / 2.0).abs() < 1e-12);
        assert!(close(each.value.at(0, 0), g.at(1, 0)) && close(each.covariance.at(0, 1), pairs.covariance.at(0, 1)));
    }
    assert_eq!(model.coefficient_covariance(Covariance::Bayesian).unwrap_err().status(), Status::InvalidState);
    let linear = fitted(&Kernel::linear()?, 0.3)?;
    let all = linear.coefficient_covariance(Covariance::Frequentist)?;
    let (w, b) = linear.coefficient_errors(Covariance::Frequentist)?;
    assert_eq!((all.rows(), w.rows(), b.len()), (3, 2, 1));
    assert!(close(all.at(0, 0), b[0] * b[0]) && close(all.at(2, 2), w.at(1, 0) * w.at(1, 0)));
    Ok(())
}

#[test]
fn searches_and_what_they_saw() -> Result<()> {
    let mut model = fitted(&Kernel::gaussian(1.5)?, 1.0)?;
    assert_eq!(model.search().unwrap_err().status(), Status::InvalidState);
    let choice = model.select_lambda(Criterion::Loo, None)?[0];
    let search = model.search()?;
    let best = search.scores.data().iter().copied().fold(f64::INFINITY, f64::min);
    assert!(close(best, choice.score) && search.lambdas.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!((search.edge, search.decades.len(), search.dips.len()), (vec![0], 1, 1));
    let flags = model.lambda_flags()?;
    assert!(flags.floor <= choice.lambda && flags.below == [0] && flags.edge == [0]);
    assert_eq!(model.bandwidth_shape().unwrap_err().status(), Status::InvalidState);
    let (scores, errors) = model.score_with_error(Criterion::Loo, &[choice.lambda])?;
    let rule = model.one_standard_error()?[0];
    assert!(close(scores.at(0, 0), rule.score) && close(errors.at(0, 0), rule.standard_error));
    assert!(rule.lambda >= choice.lambda);
    assert!(model.score(Criterion::Loo, &[rule.lambda])?.at(0, 0) <= rule.score + rule.standard_error);

    let width = model.select_bandwidth(Criterion::Loo, Some((0.5, 5.0)), Some(5))?;
    let best = width.tried.iter().copied().fold((0.0, f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a });
    assert!((1..=5).contains(&width.tried.len()) && best.0 == width.sigma && model.bandwidth()? == width.sigma);
    assert!((1..=15).contains(&model.select_bandwidth(Criterion::Gcv, None, None)?.tried.len()));
    Ok(())
}

#[test]
fn a_kernel_is_learnt() -> Result<()> {
    let mut model = fitted(&Kernel::gaussian(1.5)?, 0.1)?;
    let given = model.select_lambda(Criterion::Loo, None)?[0].score;
    let score = model.select_kernel(Criterion::Loo, Learning::default())?;
    let search = model.kernel_search()?;
    let sigma = model.kernel()?.hyperparameters()?[0];
    assert!(score <= given && search.learnt == 1 && search.rows == N && !search.tried.is_empty());
    assert!(search.bounds[0].variable == Some(0) && search.bounds[0].low < sigma && sigma < search.bounds[0].high);
    let held = Learning { label: Some(&[-1]), ..Learning::default() };
    assert!(model.select_kernel(Criterion::Loo, held).is_err());
    let wrong = Learning { label: Some(&[0, 1]), ..Learning::default() };
    assert!(model.select_kernel(Criterion::Loo, wrong).is_err());
    let few = Learning { rows: Some(N - 3), seed: 5, evaluations: Some(4), ..Learning::default() };
    model.select_kernel(Criterion::Reml, few)?;
    let search = model.kernel_search()?;
    assert_eq!(search.rows, N - 3);
    assert_eq!(search.learnt_on.len(), N - 3);
    assert!(search.learnt_on.windows(2).all(|pair| pair[0] < pair[1]) && search.learnt_on[N - 4] < N);
    Ok(())
}

#[test]
fn landmarks_given_and_chosen() -> Result<()> {
    let mut model = fitted(&Kernel::gaussian(1.5)?, 0.1)?;
    assert_eq!(model.landmarks()?, Vec::<usize>::new());
    model.set_landmarks(&[7, 3, 20])?;
    model.set_reduction(Reduction::Qr)?;
    model.factorize()?;
    assert_eq!((model.route()?, model.landmarks()?), (Route::Landmark, vec![7, 3, 20]));
    let traces = model.landmark_traces()?;
    assert!(0.0 < traces.left && traces.left < traces.whole && close(traces.whole, N as f64));
    let (lambdas, scores) = model.landmark_curve(Criterion::Loo, &[1, 3])?;
    assert_eq!((lambdas.rows(), scores.rows(), scores.columns()), (2, 2, 1));
    model.set_landmark_method(LandmarkMethod::Random, 5)?;
    model.set_landmark_count(N)?;
    model.factorize()?;
    model.set_lambda(0.1)?;
    let mut all = model.landmarks()?;
    all.sort_unstable();
    assert_eq!(all, (0..N).collect::<Vec<_>>());
    let whole = fitted(&Kernel::gaussian(1.5)?, 0.1)?.loo()?; // with all rows it is the same problem
    assert!(model.loo()?.data().iter().zip(whole.data()).all(|(a, b)| (a - b).abs() < 1e-6));
    Ok(())
}

#[test]
fn settings_are_heard() -> Result<()> {
    let mut model = fitted(&Kernel::gaussian(1.5)?, 0.1)?;
    let copy = model.try_clone()?;
    assert_eq!(copy.loo()?, model.loo()?);
    model.set_refinement(2)?;
    model.set_expected_lambdas(1)?;
    model.set_expected_criterion(Criterion::Gcv)?;
    model.set_memory_limit(1 << 40)?;
    model.set_lambda(0.1)?;
    assert!(model.loo()?.data().iter().zip(copy.loo()?.data()).all(|(a, b)| (a - b).abs() < 1e-9));
    let (sigma2, share) = (model.error_variance()?[0], parameter_bounds(sys::FREERIDGE_KEPT_SQUARES)?);
    assert_eq!((share.usual, share.high, share.whole, model.kept_squares()?), (1.0, 1.0, false, 1.0));
    assert!(share.low > 0.0 && model.set_kept_squares(1.5).is_err() && parameter_bounds(0).is_err());
    model.set_kept_squares(0.5)?;
    assert!(model.kept_squares()? == 0.5 && close(model.error_variance()?[0], 2.0 * sigma2));
    let folds = make_folds(N, 4, 1)?;
    assert!((0..4).all(|fold| folds.iter().filter(|label| **label == fold).count() == N / 4));
    assert_eq!(make_holdout(N, 0.25, 1)?.iter().filter(|label| **label == 0).count(), N / 4);
    assert_eq!(convert_lambda(Convention::Total, Convention::Mean, 10, 1.0, 5.0)?, 0.5);
    Ok(())
}

#[test]
fn classifiers_meet_their_conditions() -> Result<()> {
    let (x, y) = sample();
    let x = Matrix::column_major(&x, N)?;
    let labels: Vec<f64> = y.iter().map(|y| if *y > 0.1 { 1.0 } else { -1.0 }).collect();
    for loss in [Loss::Logistic, Loss::Hinge] {
        let mut classifier = Classifier::new(&Kernel::gaussian(1.5)?, loss)?;
        classifier.set_data(x, &labels)?;
        classifier.set_weights(Some(&[1.0; N]))?;
        classifier.set_intercept(true)?;
        classifier.set_control(1e-8, 1000)?;
        classifier.set_progress(|_| true)?;
        assert!(classifier.memory_required()? > 0);
        classifier.fit(0.5)?;
        classifier.clear_progress()?;
        let ((c, b), f, end) = (classifier.coefficients()?, classifier.decision(x)?, classifier.convergence()?);
        assert!(b.is_finite() && c.iter().sum::<f64>().abs() < 1e-6 && end.stationarity <= 1e-8 && end.iterations > 0);
        for i in 0..N {
            let z = labels[i] * f[i];
            let alpha = 0.5 * c[i] * labels[i]; // lambda c_i y_i is minus the derivative of the loss
            let held = match loss {
                Loss::Logistic => (alpha - 1.0 / (1.0 + z.exp())).abs() < 1e-6,
                _ => (z > 1.0 - 1e-6 || alpha > 1.0 - 1e-6) && (z < 1.0 + 1e-6 || alpha < 1e-6),
            };
            assert!(held, "{loss}, row {i}");
        }
        let (margins, alpha, duality) = (classifier.margins()?, classifier.alpha()?, classifier.duality()?);
        assert!((0..N).all(|i| close(margins[i], labels[i] * f[i]) && close(alpha[i], labels[i] * c[i])));
        assert!(
            duality.gap >= 0.0
                && duality.gap < 1e-6
                && duality.dual <= end.objective
                && close(duality.primal, end.objective)
        );
        let distances = classifier.distances(x)?;
        assert!((0..N).all(|i| close(distances[i] * f[0], f[i] * distances[0])));
        if loss == Loss::Logistic {
            assert!(classifier.slacks().is_err() && classifier.support_kinds().is_err());
            let p = classifier.probability(x)?;
            assert!((0..N).all(|i| close(p[i], 1.0 / (1.0 + (-f[i]).exp()))) && classifier.loo()?.len() == N);
            assert_eq!(classifier.support().unwrap_err().status(), Status::InvalidState);
        } else {
            let support = classifier.support()?;
            assert_eq!(support.rows, (0..N).filter(|i| c[*i] != 0.0).collect::<Vec<_>>());
            assert!(classifier.probability(x).is_err() && support.margin > 0.0);
            let (slacks, kinds) = (classifier.slacks()?, classifier.support_kinds()?);
            for i in 0..N {
                assert!(close(slacks[i], (1.0 - margins[i]).max(0.0)));
                assert_eq!(kinds[i] == SupportKind::None, c[i] == 0.0);
            }
            classifier.set_penalised_intercept()?;
            classifier.fit(0.5)?;
            let (c, b) = classifier.coefficients()?;
            assert!(close(b, c.iter().sum::<f64>()) && classifier.has_intercept()?);
        }
    }
    Ok(())
}

#[test]
fn without_a_handle() -> Result<()> {
    let (x, y) = sample();
    let (x, y) = (Matrix::column_major(&x, N)?, Matrix::column(&y));
    let normal = |line: &freeridge::Line, lambda: [f64; 2]| {
        let r: Vec<f64> = (0..N)
            .map(|i| y.at(i, 0) - line.b[0] - x.at(i, 0) * line.w.at(0, 0) - x.at(i, 1) * line.w.at(1, 0))
            .collect();
        r.iter().sum::<f64>().abs() < 1e-10
            && (0..2)
                .all(|j| ((0..N).map(|i| x.at(i, j) * r[i]).sum::<f64>() - lambda[j] * line.w.at(j, 0)).abs() < 1e-10)
    };
    let plain = ols(x, y, true)?;
    assert!(normal(&plain, [0.0, 0.0]) && plain.rank == Some(2));
    assert!(normal(&ridge(x, y, true, 3.0)?, [3.0, 3.0]));
    assert!(normal(&ridge_penalty(x, y, true, 3.0, &[0.0, 2.0])?, [0.0, 6.0]));
    let exact = tls_exact(x, y, true, &[true, true])?;
    assert!(normal(&exact, [0.0, 0.0]) && !normal(&tls(x, y, true)?, [0.0, 0.0]));
    let total = tls_errors(x, y, true, Some(&[false, true]))?;
    let (line, e, f) = (&total.line, &total.x_correction, &total.y_correction);
    for i in 0..N {
        let on_plane = line.b[0] + (0..2).map(|j| (x.at(i, j) + e.at(i, j)) * line.w.at(j, 0)).sum::<f64>();
        assert!(close(on_plane, y.at(i, 0) + f.at(i, 0)) && e.at(i, 1) == 0.0);
        assert!(close(total.distances[i], e.at(i, 0).hypot(f.at(i, 0))));
    }
    assert!(close(total.singular_values[0], total.distances.iter().map(|a| a * a).sum::<f64>().sqrt()));
    let table = ols_summary(x, y, true)?;
    assert!(table.line.rank == Some(2) && close(table.line.w.at(0, 0), plain.w.at(0, 0)));
    assert!(table.w_error.at(1, 0) > 0.0 && table.b_error[0] > 0.0 && table.sigma[0] > 0.0 && table.r_squared[0] < 1.0);

    let (inverse, rank) = pinv(x, None)?;
    assert_eq!((inverse.rows(), inverse.columns(), rank), (2, N, 2));
    for (j, k) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let product: f64 = (0..N).map(|i| inverse.at(j, i) * x.at(i, k)).sum();
        assert!((product - f64::from(u8::from(j == k))).abs() < 1e-12);
    }
    let (exponents, features) = (polynomial_exponents(2, 2, true)?, polynomial_features(x, 2, true)?);
    let factors = polynomial_feature_factors(2, 2, 0.5, 1.5)?;
    assert_eq!(exponents, [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]);
    for (k, powers) in exponents.iter().enumerate() {
        assert!(close(features.at(3, k), x.at(3, 0).powi(powers[0]) * x.at(3, 1).powi(powers[1])));
    }
    let inner: f64 = (0..6).map(|k| factors[k].powi(2) * features.at(3, k) * features.at(4, k)).sum();
    assert!(close(inner, (0.5 * (x.at(3, 0) * x.at(4, 0) + x.at(3, 1) * x.at(4, 1)) + 1.5).powi(2)));
    assert_eq!(weighted_median(&[3.0, 1.0, 2.0], &[1.0, 1.0, 5.0])?, 2.0);
    assert_eq!(absolute_slope(&[1.0, 2.0, 4.0], &[2.0, 4.0, 100.0])?, 25.0);
    let members = Matrix::row_major(&[1.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 2.0], 2)?;
    let stack = stack_weights(members, &[0.0; 4], None, 0.0)?;
    assert!(close(stack.w[0], 0.8) && close(stack.w[1], 0.2) && close(stack.errors[0], -8.0 / 9.0));
    assert!(stack_weights(members, &[0.0; 3], None, 0.0).is_err() && stack_weights(members, &[0.0; 4], Some(&[1.0]), 0.0).is_err());
    Ok(())
}

#[test]
fn words() -> Result<()> {
    let kernel = Kernel::gaussian(1.5)?;
    assert_eq!((kernel.to_string(), kernel.clone()), ("gaussian(sigma = 1.5)".to_string(), kernel));
    assert_eq!(
        format!("{} {} {}", Route::Band, Criterion::ErrorRate, Reduction::Gram),
        "ROUTE_BAND ERROR_RATE REDUCTION_GRAM"
    );
    assert_eq!(format!("{} {}", Status::NotConverged, Status::Unknown(77)), "NOT_CONVERGED UNKNOWN");
    assert_eq!(Kernel::gaussian(0.0).unwrap_err().status().number(), freeridge::sys::FREERIDGE_INVALID_ARGUMENT);
    let table = Dense::new(Layout::RowMajor, 2, 2, vec![1.0, -2.5, 3.25, 4.0])?;
    assert_eq!(format!("{table:6.2}"), "  1.00  -2.50\n  3.25   4.00\n");
    assert_eq!((table.data().len(), table.into_data()[3]), (4, 4.0));
    assert!(freeridge::build_info().contains("freeridge"));
    Ok(())
}

#[test]
fn gradients_and_descent() -> Result<()> {
    let (x, y) = sample();
    let x = Matrix::column_major(&x, N)?;
    let squared = Outputs { loss: Loss::Squared, y: &y, weights: None, lambda: 0.5 };
    let exact = ridge(x, Matrix::column(&y), true, 0.5)?;
    let at = loss_gradient(x, &squared, exact.w.data(), exact.b[0])?;
    assert!(at.objective > 0.0 && at.w.iter().all(|slope| slope.abs() < 1e-10) && at.b.abs() < 1e-10);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&heard);
    let hear = move |fraction| {
        listener.lock().unwrap().push(fraction);
        true
    };
    let found = gradient_descent(x, &squared, &Plan::default(), &[0, 5000], Some(Box::new(hear)))?;
    assert!(close(found.w.at(0, 1), exact.w.at(0, 0)) && close(found.b[1], exact.b[0]) && found.step > 0.0);
    assert!(found.objective[1] < found.objective[0] && heard.lock().unwrap().last() == Some(&1.0));
    let cancelled = gradient_descent(x, &squared, &Plan::default(), &[9], Some(Box::new(|_| false)));
    assert_eq!(cancelled.unwrap_err().status(), Status::Cancelled);

    let labels: Vec<f64> = y.iter().map(|value| value.signum()).collect();
    let hinge = Outputs { loss: Loss::Hinge, y: &labels, weights: None, lambda: 0.5 };
    let plan = Plan {
        batch: Some(7),
        seed: 3,
        average: true,
        rule: StepRule::Inverse,
        step: Some(0.1),
        start: Some((&[1.0, 0.0], 0.5)),
        ..Plan::default()
    };
    assert_eq!(gradient_descent(x, &hinge, &plan, &[30], None)?, gradient_descent(x, &hinge, &plan, &[30], None)?);
    let mut k = vec![0.0; N * N];
    let c: Vec<f64> = (0..N).map(|i| 0.01 * i as f64).collect();
    for i in 0..N {
        (0..N).for_each(|j| k[i + j * N] = x.at(i, 0) * x.at(j, 0) + x.at(i, 1) * x.at(j, 1));
    }
    let w: Vec<f64> = (0..2).map(|j| (0..N).map(|i| x.at(i, j) * c[i]).sum()).collect();
    let (linear, of_c) =
        (loss_gradient(x, &hinge, &w, 0.25)?, expansion_gradient(Matrix::column_major(&k, N)?, &hinge, &c, 0.25)?);
    assert!(close(of_c.objective, linear.objective) && close(of_c.b, linear.b));
    assert!(close(of_c.w[3], x.at(3, 0) * linear.w[0] + x.at(3, 1) * linear.w[1]));

    let none = [
        early_stopping(x, &y, true, Some(0.0), &[10]).map(|_| ()),
        gradient_descent(x, &hinge, &Plan { step: Some(0.0), ..Plan::default() }, &[10], None).map(|_| ()),
        gradient_descent(x, &hinge, &Plan { batch: Some(0), ..Plan::default() }, &[10], None).map(|_| ()),
        fitted(&Kernel::linear()?, 1.0)?.select_lambda(Criterion::Loo, Some((0.0, 0.0))).map(|_| ()),
        fitted(&Kernel::gaussian(1.0)?, 1.0)?.select_bandwidth(Criterion::Loo, Some((0.0, 0.0)), None).map(|_| ()),
    ];
    none.into_iter().for_each(|answer| assert_eq!(answer.unwrap_err().status(), Status::InvalidArgument));
    let stopped = early_stopping(x, &y, true, None, &[10])?;
    let beside = ridge(x, Matrix::column(&y), true, stopped.lambda[0])?;
    assert!(close(stopped.ridge.w.at(1, 0), beside.w.at(1, 0)) && close(stopped.lambda[0], 0.1 / stopped.step));
    assert!(stopped.descent.df[0] > 1.0 && stopped.descent.df[0] <= 3.0);
    let (slope, offset) = calibrate(&[-2.0, 2.0], &[-1.0, 1.0], None)?;
    assert!(close(slope, 3.0f64.ln() / 2.0) && offset.abs() < 1e-12);
    assert!(loss_gradient(x, &squared, &[1.0], 0.0).is_err() && calibrate(&[1.0], &[], None).is_err());
    Ok(())
}

#[test]
fn fixed_effects_of_a_line() -> Result<()> {
    let (x, _) = sample();
    let (points, column) = (Matrix::column_major(&x, N)?, Matrix::column(&x[..N]));
    let y: Vec<f64> = (0..N).map(|i| 3.0 + 2.0 * x[i]).collect();
    let mut model = Model::new(&Kernel::gaussian(1.0)?)?;
    model.set_data(points, Matrix::column(&y))?;
    model.set_fixed_effects(Some(column))?;
    model.factorize()?;
    model.set_lambda(0.5)?;
    assert_eq!(model.fixed_count()?, 1);
    let found = model.fixed_effects()?;
    assert!(found.kept == [1] && close(found.effects.at(0, 0), 2.0) && found.errors.at(0, 0) >= 0.0);
    let predictor = Model::from_bytes(&model.predictor_to_bytes()?)?;
    assert_eq!((model.fixed_coefficients()?, predictor.fixed_coefficients()?), (found.effects.clone(), found.effects));
    assert_eq!(predictor.fixed_effects().unwrap_err().status(), Status::InvalidState);
    assert!(close(model.fixed_covariance()?.at(0, 0), found.errors.at(0, 0) * found.errors.at(0, 0)));
    let (out, path) = (model.predict_fixed(points, column)?, model.predict_path_fixed(points, column, &[0.5, 2.0])?);
    (0..N).for_each(|i| assert!(close(out.at(i, 0), y[i]) && close(path.at(i, 1), y[i])));
    assert_eq!(model.predict_jackknife_fixed(points, column, 0.9)?.lower.at(0, 0).is_finite(), true);
    assert!(model.predict_variance_fixed(points, column)?.variance.at(0, 0) >= 0.0);
    let joint = model.predict_covariance_fixed(points, column, Covariance::Frequentist)?;
    assert!(close(joint.covariance.at(1, 1), joint.errors.at(1, 0) * joint.errors.at(1, 0)));
    assert!(model.variance_components().map_or(true, |found| found.share[0] > 0.0));
    assert!(model.predict(points).is_err() && model.predict_fixed(points, points).is_err());
    model.set_fixed_effects(None)?;
    model.factorize()?;
    model.set_lambda(0.5)?;
    assert_eq!(model.fixed_count()?, 0);
    assert_eq!(model.fixed_coefficients().unwrap_err().status(), Status::InvalidState);
    Ok(())
}
