//! The same work as the five_sets programs in C, Python, R and Julia, and the same output, bit by bit: see
//! ../../README.md. The argument is the folder of the data files.

use freeridge::{Accumulator, Criterion, Kernel, Layout, Matrix, Model, Route};
use std::error::Error;
use std::path::Path;

const SETS: [(&str, bool); 5] =
    [("norris", true), ("longley", true), ("diabetes", false), ("concrete", false), ("sonar", false)];
const GRID: [f64; 5] = [1e-3, 1e-2, 1e-1, 1.0, 10.0];

/// One half of a data set.
struct Rows {
    x: Vec<f64>, // column-major
    y: Vec<f64>,
}

/// The rows 0, 2, 4, ... and 1, 3, 5, ... of a file; the response is its first column or its last.
fn read(path: &Path, response_first: bool) -> Result<[Rows; 2], Box<dyn Error>> {
    let mut table = Vec::new();
    for line in std::fs::read_to_string(path)?.lines().skip(1) {
        table.push(line.split(',').map(|field| field.trim().parse()).collect::<Result<Vec<f64>, _>>()?);
    }
    let columns = table.first().map_or(0, Vec::len);
    let half = |first: usize| {
        let column = |j: usize| table.iter().skip(first).step_by(2).map(move |row| row[j]);
        let (response, features) = if response_first { (0, 1..columns) } else { (columns - 1, 0..columns - 1) };
        Rows { x: features.flat_map(column).collect(), y: column(response).collect() }
    };
    Ok([half(0), half(1)])
}

/// The bits of each number.
fn print(set: &str, name: &str, what: &str, values: &[f64]) {
    print!("{set} {name} {what}");
    for value in values {
        print!(" {:016x}", value.to_bits());
    }
    println!();
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("the argument is the folder of the data files")?;
    freeridge::set_threads(1)?; // with one thread equal calls give equal bits
    for (set, response_first) in SETS {
        let [train, test] = read(&Path::new(&folder).join(format!("{set}.csv")), response_first)?;
        let (n, d) = (train.y.len(), train.x.len() / train.y.len());
        let x = Matrix::column_major(&train.x, n)?;
        let y = Matrix::column(&train.y);
        let scale: Vec<f64> = (0..d).map(|j| (0..n).fold(0.0, |largest, i| x.at(i, j).abs().max(largest))).collect();

        let linear = Kernel::linear()?;
        let sum = Kernel::sum(&[(0.5, &linear), (1.0, &Kernel::matern(1.5, 1.0)?)])?;
        let cases = [
            ("linear", &linear, Route::Primal),
            ("gaussian", &Kernel::gaussian(1.0)?, Route::Spectral),
            ("sum", &sum, Route::Cholesky),
            ("laplacian", &Kernel::laplacian(1.0)?, Route::Band),
            ("polynomial", &Kernel::polynomial(2, 1.0, 1.0)?, Route::Landmark),
        ];
        for (name, kernel, route) in cases {
            let mut model = Model::new(&kernel.scaled(&scale)?)?;
            model.set_data_view(x, y)?;
            model.set_route(route)?;
            if route == Route::Landmark {
                model.set_landmark_count((n + 3) / 4)?;
            }
            model.factorize()?;
            print(set, name, "scores", model.score(Criterion::Loo, &GRID)?.data());
            let choice = model.select_lambda(Criterion::Loo, Some((1e-4, 100.0)))?[0];
            print(set, name, "choice", &[choice.lambda, choice.score]);
            print(set, name, "loo", model.loo()?.data());
            let coefficients = if route == Route::Primal { model.hyperplane()? } else { model.coefficients()? };
            print(set, name, "coefficients", coefficients.data());
            print(set, name, "intercept", &model.intercept()?);
            print(set, name, "predictions", model.predict(Matrix::column_major(&test.x, test.y.len())?)?.data());
        }

        let mut rows = Accumulator::new(d, 1, true)?;
        for first in (0..n).step_by(7) {
            let count = (n - first).min(7);
            let chunk = Matrix::new(Layout::ColumnMajor, count, d, n, &train.x[first..])?;
            rows.add(chunk, Matrix::column(&train.y[first..first + count]), None)?;
        }
        print(set, "accumulator", "scores", rows.score(Criterion::Gcv, &GRID)?.data());
        let (w, b) = rows.solve(&GRID[2..3])?;
        print(set, "accumulator", "coefficients", w.data());
        print(set, "accumulator", "intercept", b.data());
    }
    Ok(())
}
