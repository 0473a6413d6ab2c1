//! Sparse rows give the answers of the matrix that has the zeros; what does not fit is refused.

use freeridge::{Accumulator, Kernel, Matrix, Model, Result, Sparse, SparseFormat};

const N: usize = 6;
const X: [f64; 12] = [1.0, 0.0, 0.0, 2.0, 3.0, -1.0, 0.0, 0.0, 4.0, 0.5, 0.0, -2.0]; // row by row
const Y: [f64; 6] = [1.0, 2.0, -1.0, 0.5, 3.0, 0.0];
const START: [i64; 7] = [0, 1, 2, 4, 4, 6, 7];
const INDEX: [i32; 7] = [0, 1, 0, 1, 0, 1, 1];
const VALUE: [f64; 7] = [1.0, 2.0, 3.0, -1.0, 4.0, 0.5, -2.0];

#[test]
fn answers() -> Result<()> {
    let (dense, y) = (Matrix::row_major(&X, 2)?, Matrix::column(&Y));
    let x = Sparse::new(SparseFormat::Csr, N, 2, &START, &INDEX, &VALUE)?;
    let mut expected = Model::new(&Kernel::linear()?)?;
    expected.set_data(dense, y)?;
    expected.factorize()?;
    expected.set_lambda(0.5)?;
    for borrowed in [false, true] {
        let mut model = Model::new(&Kernel::linear()?)?;
        if borrowed {
            model.set_sparse_view(x, y)?;
        } else {
            model.set_sparse(x, y)?;
        }
        model.factorize()?;
        model.set_lambda(0.5)?;
        let (f, g) = (model.predict_sparse(x)?, expected.predict(dense)?);
        let (e, h) = (model.loo()?, expected.loo()?);
        for i in 0..N {
            assert!((f.at(i, 0) - g.at(i, 0)).abs() < 1e-12 && (e.at(i, 0) - h.at(i, 0)).abs() < 1e-12);
        }
    }
    let (mut rows, mut others) = (Accumulator::new(2, 1, true)?, Accumulator::new(2, 1, true)?);
    rows.add_sparse(x, y, None)?;
    others.add(dense, y, None)?;
    assert_eq!(rows.to_bytes()?, others.to_bytes()?);
    let lambdas = [0.5, 2.0];
    let (e, h) = (rows.loo_sparse(x, y, None, &lambdas)?, others.loo(dense, y, None, &lambdas)?);
    assert_eq!(e.data(), h.data());
    assert!(rows.loo_sparse(x, Matrix::column(&Y[1..]), None, &lambdas).is_err());
    assert!(rows.loo_sparse(x, y, Some(&Y[1..]), &lambdas).is_err());
    Ok(())
}

#[test]
fn what_does_not_fit() -> Result<()> {
    let csr = SparseFormat::Csr;
    assert!(Sparse::new(csr, N + 1, 2, &START, &INDEX, &VALUE).is_err());
    assert!(Sparse::new(csr, N, 2, &START, &INDEX[1..], &VALUE).is_err());
    assert!(Sparse::new(csr, N, 2, &START[..6], &INDEX, &VALUE).is_err());
    assert!(Sparse::new(csr, usize::MAX, 2, &START, &INDEX, &VALUE).is_err());
    let mut model = Model::new(&Kernel::linear()?)?;
    let y = Matrix::column(&Y);
    for index in [[0, 1, 1, 0, 0, 1, 1], [0, 1, 0, 2, 0, 1, 1], [0, 1, 0, 1, 0, 1, -1]] {
        assert!(model.set_sparse(Sparse::new(csr, N, 2, &START, &index, &VALUE)?, y).is_err());
    }
    assert!(model.set_sparse(Sparse::new(csr, N, 2, &[0, 5, 2, 4, 4, 6, 7], &INDEX, &VALUE)?, y).is_err());
    let x = Sparse::new(csr, N, 2, &START, &INDEX, &VALUE)?;
    assert!(model.set_sparse(x, Matrix::column(&Y[1..])).is_err());
    model.set_sparse(x, y)?;
    model.factorize()?;
    model.set_lambda(1.0)?;
    assert!(model.predict_sparse(Sparse::new(csr, N, 3, &START, &INDEX, &VALUE)?).is_err());
    Ok(())
}
