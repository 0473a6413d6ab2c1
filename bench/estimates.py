"""How honest are the estimates of LOO on the route ITERATIVE? Against the exact ones of the route SPECTRAL.

    python3 bench/estimates.py FOLDER [seeds=50] [rows=1200] [probes=0] [bandwidth=B] [SET ...]    FOLDER: <set>.csv, one header line, the response last

PYTHONPATH: python; FREERIDGE_LIBRARY: the library. A problem: some rows of a set at random (a seed each), columns and response
divided by their standard deviations, a Gaussian kernel, whose bandwidth is half of the median distance of two rows, that, and
twice, seed by seed in turn; or B of it for all seeds. The lambda that select_lambda chooses by estimates, and a grid of lambdas from 10 to 1e-5; probes:
for the grid. A row of the table for each set and bandwidth:
  covered   share of problems in which three standard errors cover the exact LOO of the lambda chosen
  grid      the same of the grid's lambdas with an estimate whose exact LOO is at most twice the best
  far       the same of the others
  error     the standard error at the lambda chosen, relative: the middle one, and the largest
  excess    the exact LOO of the lambda chosen over that of the best, minus one: the middle one, and the largest; negative where the
            range of the exact search ends above the lambda chosen
  seconds   of the processor, of the factorization and the search by estimates; and of those by exact LOO
"""
import os
import sys
import time

import numpy as np

import freeridge as fr

SETS = ("concrete", "airfoil", "wine_red", "abalone", "power_plant", "california")
GRID = 10.0 ** np.arange(1, -5.5, -0.5)


def problem(folder, name, rows, seed):
    data = np.loadtxt(os.path.join(folder, name + ".csv"), delimiter=",", skiprows=1)
    data = data[np.random.default_rng(seed).permutation(len(data))[:rows]]
    spread = data.std(0)
    data = data / np.where(spread > 0, spread, 1)
    return data[:, :-1], data[:, -1]


def median_distance(x):
    some = x[:500]
    distances = np.sqrt(np.maximum(((some[:, None] - some[None]) ** 2).sum(2), 0))
    return np.median(distances[np.triu_indices(len(some), 1)])


def compare(x, y, sigma, probes):
    kernel = fr.gaussian(sigma)
    begin = time.process_time()
    exact = fr.Model(kernel, x, y, route=fr.ROUTE_SPECTRAL)
    best = exact.select_lambda(fr.LOO).score[0]
    of_exact = time.process_time() - begin
    begin = time.process_time()
    model = fr.Model(kernel, x, y, route=fr.ROUTE_ITERATIVE)
    chosen = model.select_lambda(fr.LOO).lambdas[0]
    seconds = time.process_time() - begin
    at_chosen = model.estimate_score(fr.LOO, [chosen])
    truth = exact.score(fr.LOO, [chosen])[0, 0]
    value, error = at_chosen.scores[0, 0], at_chosen.errors[0, 0]
    truths = exact.score(fr.LOO, GRID)[:, 0]
    covered = []
    for value_at, lambda_ in zip(truths, GRID):
        try:
            one = model.estimate_score(fr.LOO, [lambda_], probes)
            covered.append(abs(one.scores[0, 0] - value_at) <= 3 * one.errors[0, 0])
        except fr.Error:  # no solution to the accuracy
            covered.append(None)
    near = [c for c, t in zip(covered, truths) if c is not None and t <= 2 * best]
    far = [c for c, t in zip(covered, truths) if c is not None and t > 2 * best]
    return {"covered": abs(value - truth) <= 3 * error, "near": near, "far": far, "error": error / truth,
            "excess": truth / best - 1, "seconds": seconds, "of_exact": of_exact}


def share(parts):
    parts = [p for part in parts for p in np.atleast_1d(part)]
    return f"{100 * np.mean(parts):.1f} %" if parts else "-"


def main(folder, *arguments):
    options = {"seeds": 50, "rows": 1200, "probes": 0, "bandwidth": 0.0}
    for option in [a for a in arguments if "=" in a]:
        name, value = option.split("=")
        options[name] = type(options[name])(value)
    sets = [a for a in arguments if "=" not in a] or SETS
    print("| set | sigma / median | covered | grid | far | error | excess | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    everything = []
    for name in sets:
        factors = (options["bandwidth"],) if options["bandwidth"] > 0 else (0.5, 1, 2)
        for part, factor in enumerate(factors):
            found = []
            for seed in range(part, options["seeds"], len(factors)):
                x, y = problem(folder, name, options["rows"], seed)
                found.append(compare(x, y, factor * median_distance(x), options["probes"]))
            everything += found
            show(name, factor, found)
    show("all", "", everything)


def show(name, factor, found):
    column = {key: [f[key] for f in found] for key in found[0]}
    middle = {key: f"{100 * np.median(column[key]):.2f}, {100 * np.max(column[key]):.2f} %" for key in ("error", "excess")}
    print(f"| {name} | {factor} | {share(column['covered'])} | {share(column['near'])} | {share(column['far'])} | "
          f"{middle['error']} | {middle['excess']} | {np.mean(column['seconds']):.2f}; "
          f"{np.mean(column['of_exact']):.2f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
