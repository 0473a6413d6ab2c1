"""The same work as the five_sets programs in C, Rust, R and Julia, and the same output, bit by bit: see ../README.md.
The argument is the folder of the data files."""

import os
import sys

import numpy as np

import freeridge as fr

SETS = {"norris": 0, "longley": 0, "diabetes": -1, "concrete": -1, "sonar": -1}  # the column of the response
GRID = np.array([1e-3, 1e-2, 1e-1, 1.0, 10.0])


def read(path, response):
    """x and y of the rows 0, 2, 4, ... of a file, and those of the rows 1, 3, 5, ..."""
    with open(path, encoding="ascii") as file:
        table = np.array([[float(field) for field in line.split(",")] for line in file.readlines()[1:]])
    x, y = np.delete(table, response, axis=1), table[:, response]
    # One column after the other, as R has it: in another layout the last digits may differ.
    return [(np.asfortranarray(x[first::2]), np.ascontiguousarray(y[first::2])) for first in (0, 1)]


def show(*words_and_values):
    """The bits of each number, the columns of a matrix one after the other."""
    *words, values = words_and_values
    bits = np.asarray(values, dtype=np.float64).flatten(order="F").view(np.uint64)
    print(*words, *(f"{number:016x}" for number in bits))


def main(folder):
    fr.set_threads(1)  # with one thread equal calls give equal bits
    cases = [("linear", fr.linear(), fr.ROUTE_PRIMAL), ("gaussian", fr.gaussian(1.0), fr.ROUTE_SPECTRAL),
             ("sum", fr.sum_kernel([fr.linear(), fr.matern(1.5, 1.0)], [0.5, 1.0]), fr.ROUTE_CHOLESKY),
             ("laplacian", fr.laplacian(1.0), fr.ROUTE_BAND), ("polynomial", fr.polynomial(2, 1.0, 1.0), fr.ROUTE_LANDMARK)]
    for name, response in SETS.items():
        (x, y), (new_x, _) = read(os.path.join(folder, name + ".csv"), response)
        n, d = x.shape
        scale = np.abs(x).max(axis=0)
        for kernel_name, kernel, route in cases:
            landmarks = (n + 3) // 4 if route == fr.ROUTE_LANDMARK else None
            model = fr.Model(kernel.scaled(scale), x, y, route=route, landmarks=landmarks, copy=False)
            show(name, kernel_name, "scores", model.score(fr.LOO, GRID))
            show(name, kernel_name, "choice", np.concatenate(model.select_lambda(fr.LOO, 1e-4, 100.0)))
            show(name, kernel_name, "loo", model.loo())
            show(name, kernel_name, "coefficients",
                 model.hyperplane() if route == fr.ROUTE_PRIMAL else model.coefficients())
            show(name, kernel_name, "intercept", model.intercept())
            show(name, kernel_name, "predictions", model.predict(new_x))

        rows = fr.Accumulator(d)
        for first in range(0, n, 7):
            rows.add(x[first:first + 7], y[first:first + 7])
        show(name, "accumulator", "scores", rows.score(fr.GCV, GRID))
        w, b = rows.solve(GRID[2:3])
        show(name, "accumulator", "coefficients", w)
        show(name, "accumulator", "intercept", b)


if __name__ == "__main__":
    main(sys.argv[1])
