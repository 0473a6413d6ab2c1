"""A first program: ridge regression on a file, its lambda chosen by exact leave-one-out.

    python3 fit.py ../../tests/data/diabetes.csv        numbers, one header line, the response in the last column
"""

import sys

import numpy as np

from freeridge import FreeRidge

table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
rows = np.arange(len(table)) % 4 > 0  # three quarters to fit, one to look at
x, y = table[:, :-1], table[:, -1]

spread = np.std(x[rows], axis=0)
for model in FreeRidge(), FreeRidge(kernel="gaussian"):
    model.fit(x[rows] / spread, y[rows])
    print(model)
    print(f"  alpha {model.alpha_:.4g}" + ("" if model.sigma_ is None else f", sigma {model.sigma_:.4g}"))
    print(f"  leave-one-out error {np.sqrt(model.best_score_):.4g}, standard deviation {np.std(y[rows]):.4g}")
    print(f"  R^2 on new rows {model.score(x[~rows] / spread, y[~rows]):.3f}")
