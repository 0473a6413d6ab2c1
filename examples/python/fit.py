"""A first program: a file fitted by ridge regression, and with a length for each column, which is learnt.

    python3 fit.py ../../tests/data/diabetes.csv        numbers, one header line, the response in the last column
"""

import sys

import numpy as np

from freeridge import FreeRidge

table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
rows = np.arange(len(table)) % 4 > 0  # three quarters to fit, one to look at
x, y = table[:, :-1], table[:, -1]

for model in FreeRidge(kernel="linear"), FreeRidge():
    model.fit(x[rows], y[rows])
    print(model)
    print(f"  alpha {model.alpha_:.4g}, chosen by {model.criterion_}")
    print(f"  leave-one-out error {np.sqrt(np.mean(model.loo_errors() ** 2)):.4g}, standard deviation {np.std(y[rows]):.4g}")
    print(f"  R^2 on new rows {model.score(x[~rows], y[~rows]):.3f}")
