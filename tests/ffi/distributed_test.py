"""freeridge.distributed: partitions by several maps and by Dask against one process that has all rows; lost, changed and
empty partitions."""

import concurrent.futures
import copy
import functools
import importlib.util
import os
import pickle
import signal
import threading
import time
import unittest
import warnings

import numpy as np

import freeridge as fr
from freeridge import distributed
from sklearn.utils.extmath import safe_sparse_dot

HAS_DASK = importlib.util.find_spec("distributed") is not None


def problem(n=400, d=5, t=1, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) * [1, 10, 0.1, 1, 3][:d]
    f = np.sin(x[:, :1]) + x[:, 1:2] * np.arange(1, t + 1) / 10
    return x, f + 0.3 * rng.normal(size=(n, t)), rng.uniform(0.5, 2.0, n), rng.integers(0, 40, n)


def cut(*columns, at=(0, 30, 30, 150, 220, 400)):
    """Partitions, one of them without rows."""
    return [tuple(None if one is None else one[first:last] for one in columns) for first, last in zip(at, at[1:])]


def tree(function, join, partitions):
    """As Spark's treeReduce: pairs, in another order than that of the partitions."""
    found = [function(one) for one in partitions][::-1]
    while len(found) > 1:
        found = [functools.reduce(join, found[k:k + 2]) for k in range(0, len(found), 2)]
    return found[0]


def read(seed):
    """A partition that is made where it is read."""
    time.sleep(0.01)
    x, y, _, _ = problem(100, seed=seed)
    return x, y[:, 0]


def slowly(seed):
    time.sleep(0.3)
    return read(seed)


class Distributed(unittest.TestCase):
    def close(self, fit, model, alpha=None):
        """The fit against a model that has all rows, at the alpha found."""
        model.set_lambda(fit.alpha_)
        new = problem(50, model.d, seed=9)[0]
        np.testing.assert_allclose(fit.predict(new).reshape(50, -1), model.predict(new), rtol=1e-10, atol=1e-10)
        scores = model.score(model_criterion(fit), fit.alpha_)
        if fit.best_score_ is not None:
            np.testing.assert_allclose(fit.best_score_, np.diagonal(scores), rtol=1e-10, atol=1e-10)
            least = model.select_lambda(model_criterion(fit)).score
            self.assertTrue(np.all(fit.best_score_ <= least * (1 + 1e-4)))

    def test_answers_are_those_of_all_rows(self):
        for t in (1, 3):
            x, y, w, g = problem(t=t)
            for criterion in ("loo", "gcv", "reml", "groups"):
                for weights in (None, w):
                    for run in (None, tree, distributed.over_map()):
                        order = np.argsort(g, kind="stable") if criterion == "groups" else np.arange(400)
                        xs, ys, gs = x[order], y[order], g[order]
                        ws = None if weights is None else weights[order]
                        bounds = np.searchsorted(gs, [0, 3, 3, 20, 40]) if criterion == "groups" else [0, 30, 30, 150, 400]
                        with self.subTest(t=t, criterion=criterion, weights=weights is not None, run=run):
                            parts = cut(xs, ys, ws, gs, at=list(bounds)) + [None, lambda: None]
                            fit = distributed.fit(parts, run, criterion=criterion)
                            model = fr.Model(fr.linear(), xs, ys, ws)
                            if criterion == "groups":
                                model.set_groups(gs)
                            self.close(fit, model)
                            self.assertEqual(fit.n_, 400)
                            new = problem(20, seed=3)[0]
                            linear = safe_sparse_dot(new, fit.coef_.T) + fit.intercept_
                            np.testing.assert_allclose(linear, fit.predict(new), rtol=1e-10, atol=1e-10)

    def test_landmarks(self):
        x, y, w, _ = problem()
        for kernel in (None, "gaussian", fr.matern(1.5, 3.0)):
            for run in (None, tree):
                fit = distributed.fit(cut(x, y[:, 0], w), run, kernel=kernel, landmarks=40, seed=3)
                z = fit.components_
                rows = [np.flatnonzero(np.all(x == one, axis=1))[0] for one in z]
                self.assertEqual(len(set(rows)), len(z))
                model = fr.Model(fit.kernel_, x, y, w, route=fr.ROUTE_LANDMARK, factorize=False)
                self.close(fit, model.set_landmarks(np.array(rows)).factorize())
                self.assertIsNone(fit.coef_)
        # the sample has all 400 rows here: kernel and landmarks are those of one process with the rows in this order
        again = distributed.fit(cut(x, y[:, 0], w), tree, landmarks=40, seed=3)
        other = distributed.fit([(x[:7], y[:7, 0], w[:7]), (x[7:], y[7:, 0], w[7:])], landmarks=40, seed=3, sample=200)
        self.assertEqual(str(again.kernel_), str(distributed.fit(cut(x, y[:, 0], w), None, landmarks=40, seed=3).kernel_))
        self.assertEqual(len(other.components_), 40)

    def test_processes_and_pickles(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            parts = [functools.partial(read, seed) for seed in range(4)]
            fit = distributed.fit(parts, distributed.over_map(pool.map))
            forests = distributed.fit(parts, distributed.over_map(pool.map), landmarks=30)
        alone = distributed.fit(parts)
        np.testing.assert_array_equal(fit.alpha_, alone.alpha_)
        new = problem(9)[0]
        for one in (fit, forests):
            for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
                np.testing.assert_array_equal(other.predict(new), one.predict(new))
                np.testing.assert_array_equal(other.scores_, one.scores_)
        np.testing.assert_array_equal(fit.predictor().predict(new)[:, 0], fit.predict(new))
        np.testing.assert_allclose(fit.predict(new), alone.predict(new), rtol=1e-13)

    def test_alpha_and_lambdas(self):
        x, y, _, _ = problem(t=2)
        given = distributed.fit(cut(x, y), alpha=[1.0, 5.0], fit_intercept=False)
        np.testing.assert_allclose(given.predict(x), fr.Model(fr.linear(), x, y, intercept=False).set_lambda([1.0, 5.0]).predict(x),
                                   rtol=1e-10, atol=1e-10)
        self.assertIsNone(given.best_score_)
        few = distributed.fit(cut(x, y), lambdas=[3.0, 1.0, 2.0], passes=1)
        np.testing.assert_array_equal(few.lambdas_, [1, 2, 3])
        model = fr.Model(fr.linear(), x, y)
        np.testing.assert_allclose(few.scores_, model.score(fr.LOO, [1.0, 2.0, 3.0]), rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(few.standard_errors_, model.score_with_error(fr.LOO, [1.0, 2.0, 3.0]).errors, rtol=1e-8)
        self.assertLessEqual(len(distributed.fit(cut(x, y), lambdas=5, passes=3).lambdas_), 5 + 2 * 2)

    def test_kinds_of_rows(self):
        import pandas
        import scipy.sparse

        x, y, w, _ = problem()
        frames = [pandas.DataFrame(part, columns=["a b", "if", "2nd", "", "e"]) for part in np.split(x, 4)]
        named = distributed.fit(list(zip(frames, np.split(y[:, 0], 4))))
        plain = distributed.fit(cut(x, y[:, 0]))
        np.testing.assert_allclose(named.predict(frames[0]), plain.predict(x[:100]), rtol=1e-10, atol=1e-10)
        self.assertEqual(list(named.feature_names_in_), ["a b", "if", "2nd", "", "e"])
        with self.assertRaisesRegex(ValueError, "feature names"):
            named.predict(frames[0][["if", "a b", "2nd", "", "e"]])
        with self.assertRaisesRegex(ValueError, "another order"):
            distributed.fit([(frames[0], y[:100, 0]), (frames[1][["if", "a b", "2nd", "", "e"]], y[100:200, 0])])
        sparse = distributed.fit([(scipy.sparse.csr_matrix(a), b) for a, b in cut(x, y[:, 0]) if len(a)])
        np.testing.assert_allclose(sparse.predict(x), plain.predict(x), rtol=1e-10, atol=1e-10)
        doubled = np.where(np.arange(400) % 2 == 0, 2.0, 0.0)  # rows of weight 0 do not count
        zero = distributed.fit(cut(x, y[:, 0], doubled, at=[0, 1, 2, 400]))
        self.assertEqual(zero.n_, 200)
        half = fr.Model(fr.linear(), x[::2], y[::2], np.full(200, 2.0))
        self.close(zero, half)
        labels = np.array(["a", "b", "c", "d", None], dtype=object)[np.arange(400) // 100 + (np.arange(400) % 7 == 0)]
        numbers = np.array([label and ord(label) for label in labels], dtype=float)
        whole = fr.FreeRidge(kernel="linear", alphas=[0.1, 1.0, 10.0]).fit(x, y[:, 0], groups=labels)
        for groups in (labels, numbers, np.where(np.isnan(numbers), -1, numbers)):  # rows of no group are never left out
            found = distributed.fit([(x, y[:, 0], None, groups)], criterion="groups", lambdas=[0.1, 1.0, 10.0], passes=1)
            np.testing.assert_allclose(found.best_score_, whole.best_score_, rtol=1e-10)
        one = distributed.fit([(x[:1], y[:1, 0]), (x[1:], y[1:, 0])])
        self.close(one, fr.Model(fr.linear(), x, y))
        repeated = distributed.fit([(x[:50], y[:50, 0])] * 3)
        self.close(repeated, fr.Model(fr.linear(), np.tile(x[:50], (3, 1)), np.tile(y[:50], (3, 1))))
        constant = distributed.fit([(np.ones((9, 2)), np.arange(9.0))])
        np.testing.assert_allclose(constant.predict(np.ones((2, 2))), 4)

    def test_partitions_that_change(self):
        x, y, _, _ = problem()
        parts = cut(x, y[:, 0])
        for break_it, says in ((lambda rows: None, "350 rows|rows at first, then"),
                               (lambda rows: (rows[0], rows[1] + 1), "as many rows, with other numbers"),
                               (lambda rows: (rows[0][::-1], rows[1]), "as many rows, with other numbers")):
            calls = []

            def changing(rows, broken):
                calls.append(1)
                return broken(rows) if len(calls) > 1 else rows

            for options in ({}, {"landmarks": 20, "alpha": 1.0}):
                calls.clear()
                with self.subTest(says=says, options=options), self.assertRaisesRegex(ValueError, says):
                    distributed.fit([functools.partial(changing, parts[0], break_it)] + parts[1:], **options)
        twice = [0]

        def counted_twice(function, join, partitions):
            twice[0] += 1
            return tree(function, join, partitions if twice[0] < 2 else list(partitions) + partitions[:1])

        with self.assertRaisesRegex(ValueError, "400 rows at first, then 430"):
            distributed.fit(parts, counted_twice)

    def test_what_is_refused(self):
        x, y, w, g = problem()
        parts, fit = cut(x, y[:, 0]), distributed.fit
        cases = (
            (ValueError, "no rows", lambda: fit([])),
            (ValueError, "no rows", lambda: fit([None, (np.empty((0, 5)), [])], landmarks=3)),
            (TypeError, "not an iterator", lambda: fit(iter(parts))),
            (TypeError, "a partition must be", lambda: fit([x])),
            (TypeError, "a partition must be", lambda: fit([3])),
            (ValueError, "criterion must be", lambda: fit(parts, criterion="cv")),
            (ValueError, "needs landmarks", lambda: fit(parts, kernel="gaussian")),
            (ValueError, "needs no landmarks", lambda: fit(parts, kernel="linear", landmarks=3)),
            (ValueError, "landmarks must be", lambda: fit(parts, landmarks=0)),
            (ValueError, "landmarks must be", lambda: fit(parts, landmarks=2.5)),
            (ValueError, "sample is 3", lambda: fit(parts, landmarks=30, sample=3)),
            (ValueError, "landmark_method must be", lambda: fit(parts, landmarks=3, landmark_method="best")),
            (ValueError, "passes must be", lambda: fit(parts, passes=0)),
            (ValueError, "lambdas must be", lambda: fit(parts, lambdas=[-1.0, 2.0])),
            (ValueError, "X with 5 columns and y with 1, and X with 4", lambda: fit([parts[0], (x[:, :4], y)])),
            (ValueError, "X with 5 columns and y with 1, and X with 4", lambda: fit([parts[0], (x[:, :4], y)], landmarks=3)),
            (ValueError, "X has 400 rows, y has shape", lambda: fit([(x, y[:9])])),
            (ValueError, "has no groups|no groups", lambda: fit(parts, criterion="groups")),
            (ValueError, "has rows in two partitions", lambda: fit(cut(x, y, w, g), criterion="groups")),
            (ValueError, "groups has shape", lambda: fit([(x, y, w, g[:3])], criterion="groups")),
            (ValueError, "groups has no label", lambda: fit([(x, y, w, -1 - g)], criterion="groups")),
            (ValueError, "one for each of the 1 outputs", lambda: fit(parts, alpha=[1, 2, 3])),
            (ValueError, r"sample_weight\[0\] is -1", lambda: fit([(x, y, -np.ones(400))])),
            (ValueError, "NaN|finite", lambda: fit([(x, y * np.nan)])),
            (ValueError, "NaN|finite", lambda: fit([(x * np.inf, y)], landmarks=3)),
            (ValueError, "fan must be", lambda: distributed.over_dask(1)),
            (TypeError, "complex|text|numbers", lambda: fit([(x.astype(str), y)])),
        )
        for kind, says, call in cases:
            with self.subTest(says=says), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with self.assertRaisesRegex(kind, says):
                    call()


def model_criterion(fit):
    return {None: fr.LOO, "loo": fr.LOO, "gcv": fr.GCV, "reml": fr.REML, "groups": fr.GROUPS}[fit.criterion_]


@unittest.skipUnless(HAS_DASK, "needs Dask's distributed (Debian: python3-distributed)")
class Dask(unittest.TestCase):
    """Four processes of Dask, one of them without rows, one killed while it works."""

    def test_workers(self):
        import dask
        import dask.array as da
        from dask.distributed import Client, LocalCluster

        dask.config.set({"distributed.worker.daemon": True, "distributed.logging.distributed": "critical"})
        x, y, _, _ = problem(1200)
        with LocalCluster(n_workers=4, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
            with Client(cluster) as client:
                blocks = list(zip(da.from_array(x, chunks=(150, 5)).to_delayed().ravel(),
                                  da.from_array(y[:, 0], chunks=150).to_delayed().ravel()))
                alone = distributed.fit(cut(x, y[:, 0], at=range(0, 1201, 150)))
                for options in ({}, {"landmarks": 30, "kernel": fr.gaussian(3.0)}):
                    found = distributed.fit(blocks + [None], distributed.over_dask(), **options)
                    alone = distributed.fit(cut(x, y[:, 0], at=range(0, 1201, 150)), **options)
                    np.testing.assert_allclose(found.alpha_, alone.alpha_, rtol=1e-9)
                    np.testing.assert_allclose(found.predict(x[:50]), alone.predict(x[:50]), rtol=1e-10, atol=1e-10)

                workers = list(client.run(os.getpid).values())
                killer = threading.Timer(0.7, os.kill, (workers[0], signal.SIGKILL))
                killer.start()
                parts = [functools.partial(slowly, seed) for seed in range(12)]
                found = distributed.fit(parts, distributed.over_dask(fan=3))
                killer.join()
                self.assertFalse(workers[0] in client.run(os.getpid).values())
                alone = distributed.fit([functools.partial(read, seed) for seed in range(12)])
                np.testing.assert_allclose(found.alpha_, alone.alpha_, rtol=1e-9)
                np.testing.assert_allclose(found.predict(x[:50]), alone.predict(x[:50]), rtol=1e-10, atol=1e-10)


if __name__ == "__main__":
    unittest.main()
