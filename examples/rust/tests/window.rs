//! Rows that come and go: the answers are those of a model of the rows that are there.

use freeridge::{Criterion, Kernel, Matrix, Model, Result, Status, Window, WindowSettings};

#[test]
fn answers_are_those_of_the_rows_that_are_there() -> Result<()> {
    let x: Vec<f64> = (0..60).map(|i| f64::from((i * 37) % 101) / 10.0 - 5.0).collect();
    let y: Vec<f64> = x.chunks(2).map(|row| row[0] + (row[1] * 1.3).sin()).collect();
    for kernel in [Kernel::linear()?, Kernel::gaussian(3.0)?] {
        let settings = WindowSettings { lambda: 0.5, capacity: 20, ..WindowSettings::default() };
        let mut window = Window::new(&kernel, 2, 1, settings)?;
        assert!(window.loo().is_err());
        let ahead = window.add(Matrix::row_major(&x, 2)?, Matrix::column(&y), None)?;
        assert!(ahead.at(0, 0).is_nan() && ahead.at(29, 0).is_finite());
        window.remove_oldest(2)?;
        window.remove(&[17])?;
        let (rows, outputs, weights) = window.rows()?;
        assert_eq!((window.state()?.n, weights.len(), rows.at(0, 0), outputs.at(16, 0)), (17, 17, x[24], y[28]));
        window.set_lambda(0.25)?;
        let choice = window.select_lambda(Criterion::Loo, Some((1e-3, 1e2)))?;
        assert_eq!(window.state()?.lambda, choice.lambda);
        let mut model = Model::new(&kernel)?;
        model.set_data(Matrix::row_major(&x[24..58], 2)?, Matrix::column(&y[12..29]))?;
        model.factorize()?;
        model.set_lambda(choice.lambda)?;
        let (errors, expected) = (window.loo()?, model.loo()?);
        let (f, of_model) = (window.predict(Matrix::row_major(&x, 2)?)?, model.predict(Matrix::row_major(&x, 2)?)?);
        for i in 0..17 {
            assert!((errors.at(i, 0) - expected.at(i, 0)).abs() < 1e-10);
            assert!((f.at(i, 0) - of_model.at(i, 0)).abs() < 1e-10);
        }
        let (c, b) = window.coefficients()?;
        assert_eq!((c.rows(), b.len()), (window.state()?.rows, 1));
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> Result<()> {
    let settings = WindowSettings { capacity: 0, forgetting: 0.9, ..WindowSettings::default() };
    assert!(Window::new(&Kernel::gaussian(1.0)?, 1, 1, settings).is_err());
    let mut stream = Window::new(&Kernel::linear()?, 1, 1, settings)?;
    let one = [1.0, 2.0];
    stream.add(Matrix::column(&one), Matrix::column(&one), Some(&[1.0, 2.0]))?;
    assert_eq!(stream.remove_oldest(1).unwrap_err().status(), Status::InvalidState);
    assert!(stream.add(Matrix::column(&one), Matrix::column(&one[..1]), None).is_err());
    assert!(stream.add(Matrix::column(&one), Matrix::column(&one), Some(&[1.0])).is_err());
    assert!(stream.remove(&[]).is_err());
    stream.set_progress(|_| false)?;
    assert_eq!(stream.predict(Matrix::column(&one)).unwrap_err().status(), Status::Cancelled);
    stream.clear_progress()?;
    assert!(format!("{stream:?}").contains("rows: 2"));
    Ok(())
}
