"""Which values are numbers to the Python package, as x, y and weights of each entry: all classes of numpy and pandas.
What stands for numbers gives the bits that float64 gives, without a warning, and all else is one sentence."""

import copy
import datetime
import decimal
import fractions
import unittest
import warnings

import numpy as np
import pandas as pd
import scipy.sparse

import freeridge as fr
from freeridge import distributed
from freeridge.arrays import real


def table(name):
    return lambda a: pd.DataFrame({f"c{k}": pd.array(column, dtype=name) for k, column in enumerate(a.T)})


def with_one(value, kind=object):
    """The numbers as objects, with another value in place of one of them."""
    def make(a):
        a = a.astype(kind)
        a[2, 0] = value
        return a

    return make


def columns_of(make):
    """A table, each column of which is made for n rows."""
    return lambda a: pd.DataFrame({k: make(len(a)) for k in range(a.shape[1])})


def table_with_na(a):
    made = table("Int64")(a)
    made.iloc[2, 0] = pd.NA
    return made


class Kinds(unittest.TestCase):
    RIGHT = {
        **{kind: lambda a, kind=kind: a.astype(kind) for kind in (
            "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
            "longdouble", "bool", ">f8", ">i2", object)},
        **{f"table of {name}": table(name) for name in (
            "Int8", "UInt64", "Int64", "Float32", "Float64", "boolean", "bool", "float32", "Sparse[int]")},
        "lists": np.ndarray.tolist, "by columns": np.asfortranarray, "matrix": lambda a: a.view(np.matrix),
        "strided": lambda a: np.repeat(a, 2, axis=0)[::2],
        "read only": lambda a: np.frombuffer(a.tobytes()).reshape(a.shape),
        "mask of nothing": lambda a: np.ma.array(a, mask=False),
        "a filled mask": lambda a: np.ma.array(a, mask=False).filled(),
        "decimals": lambda a: np.vectorize(decimal.Decimal, otypes=[object])(a),
        "fractions": lambda a: np.vectorize(fractions.Fraction, otypes=[object])(a),
        "numpy's objects": with_one(np.float32(1.0)),
        "mixed": lambda a: pd.DataFrame(a).astype({k: ("boolean", "Int64", float)[k] for k in range(a.shape[1])}),
    }
    REFUSED = {
        "complex64": (lambda a: a.astype("complex64"), "complex numbers"),
        "complex": (lambda a: a + 0j, "complex numbers"), "a complex": (with_one(1j), "Complex data"),
        "numpy's complex": (with_one(np.complex64(1j)), "Complex data"),
        "dates": (lambda a: a.astype("int64").astype("M8[ns]"), "dates or times"),
        "durations": (lambda a: a.astype("int64").astype("m8[s]"), "dates or times"),
        "table of dates": (columns_of(lambda n: pd.date_range("2020", periods=n)), "dates or times"),
        "a date": (with_one(datetime.date(2020, 1, 1)), "is datetime.date(2020, 1, 1), which is not a real number"),
        "a numpy date": (with_one(np.datetime64("2020-01-01", "ns")), "not a real number"),
        "no time": (with_one(pd.NaT), "not a real number"),
        "zone": (columns_of(lambda n: pd.date_range("2020", periods=n, tz="UTC")), "not a real number"),
        "periods": (columns_of(lambda n: pd.period_range("2020", periods=n, freq="D")), "not a real number"),
        "text": (lambda a: a.astype(str), "has text"), "bytes": (lambda a: a.astype("S"), "has text"),
        "a text": (with_one("1.5"), "astype(float)"), "some bytes": (with_one(b"1"), "astype(float)"),
        "table of text": (table("string"), "astype(float)"),
        "category": (table("category"), "is a category"), "array in it": (with_one(np.ones(1)), "not a real number"),
        "table with one": (lambda a: pd.DataFrame(a).astype({0: "category"}), "is a category"),
        "a dict": (with_one({"a": 1}), "not a real number"),
        "structure": (lambda a: a.astype([("u", float)]), "of the type"),
        "mask": (lambda a: np.ma.array(a, mask=np.arange(a.size).reshape(a.shape) == a.shape[1]), "is masked"),
        "a mask for all": (lambda a: np.ma.array(a, mask=True), "is masked"),
        "missing": (table_with_na, "nan"),
        "pandas.NA": (with_one(pd.NA), "nan"), "None": (with_one(None), "nan"),
        "huge": (with_one(10**400), "too large"), "infinite": (with_one(np.inf, float), "inf"),
        "a set": (lambda a: {1.0}, "not a real number"), "nothing to see": (lambda a: object(), "not a real number"),
    }

    def setUp(self):
        generator = np.random.default_rng(8)
        self.x = generator.integers(0, 2, (12, 3)).astype(float)  # every class has 0 and 1
        self.y, self.sign = generator.integers(0, 2, (12, 1)).astype(float), np.sign(self.x.sum(axis=1) - 1.4)
        self.x[2, 0] = self.y[2, 0] = 1.0
        self.w = np.ones((12, 1))

    def entries(self):
        """(what is handed over, as what, the answer)."""
        x, y, sign = self.x, self.y, self.sign
        linear = fr.linear()
        yield "FreeRidge", "x", lambda a: fr.FreeRidge(1.0, kernel="linear").fit(a, y).predict(a)
        yield "Model", "x", lambda a: fr.Model(linear, a, y).set_lambda(1.0).predict(a)
        yield "Accumulator", "x", lambda a: fr.Accumulator(3).add(a, y).solve([1.0]).w
        yield "Window", "x", lambda a: fr.Window(linear, 3).add(a, y).predict(a)
        yield "Classifier", "x", lambda a: fr.Classifier(linear, fr.LOSS_LOGISTIC, a, sign).fit(1.0).decision(a)
        yield "landmarks", "x", lambda a: fr.Accumulator.over_landmarks(fr.gaussian(1.0), a).d
        yield "kernel", "x", lambda a: fr.gaussian(1.0).values(a, x)
        yield "fixed effects", "x", lambda a: fr.Model(fr.gaussian(1.0), x, y, factorize=False).set_fixed_effects(a).d
        yield "reader", "x", lambda a: fr.Model.from_reader(linear, lambda i, n: (a, y), 3, n=12).set_lambda(1.0).loo()
        yield "ols", "x", lambda a: fr.ols(a, y).w
        yield "ridge", "x", lambda a: fr.ridge(a, y, 1.0).w
        yield "tls", "x", lambda a: fr.tls(a, y).w
        yield "pinv", "x", lambda a: fr.pinv(a).inverse
        yield "polynomial_features", "x", lambda a: fr.polynomial_features(a, 2)
        yield "early_stopping", "x", lambda a: fr.early_stopping(a, y[:, 0], [3]).w
        yield "gradient_descent", "x", lambda a: fr.gradient_descent(fr.LOSS_SQUARED, a, y[:, 0], 1.0, [3]).w.round(12)
        yield "FreeRidge", "y", lambda a: fr.FreeRidge(1.0, kernel="linear").fit(x, a).predict(x)
        yield "FreeRidge.score", "y", lambda a: fr.FreeRidge(1.0, kernel="linear").fit(x, y).score(x, a)
        yield "Model", "y", lambda a: fr.Model(linear, x, a).set_lambda(1.0).loo()
        yield "Accumulator", "y", lambda a: fr.Accumulator(3).add(x, a).solve([1.0]).w
        yield "Window", "y", lambda a: fr.Window(linear, 3).add(x, a).loo()
        yield "reader", "y", lambda a: fr.Model.from_reader(linear, lambda i, n: (x, a), 3, n=12).set_lambda(1.0).loo()
        yield "ols", "y", lambda a: fr.ols(x, a).w
        yield "ridge", "y", lambda a: fr.ridge(x, a, 1.0).w
        yield "tls", "y", lambda a: fr.tls(x, a).w

    def vectors(self):
        """The same for what is a vector."""
        x, y = self.x, self.y[:, 0]
        linear = fr.linear()
        yield "FreeRidge", lambda a: fr.FreeRidge(1.0, kernel="linear").fit(x, y, a).predict(x)
        yield "Model", lambda a: fr.Model(linear, x, y, a).set_lambda(1.0).loo()
        yield "Accumulator", lambda a: fr.Accumulator(3).add(x, y, a).solve([1.0]).w
        yield "Window", lambda a: fr.Window(linear, 3).add(x, y, a).loo()
        yield "Classifier", lambda a: fr.Classifier(linear, fr.LOSS_HINGE, x, self.sign, a).fit(1.0).decision(x)
        yield "reader", lambda a: fr.Model.from_reader(linear, lambda i, n: (x, y, a), 3, n=12).set_lambda(1.0).loo()
        yield "weighted_median", lambda a: fr.weighted_median(x[:, 0], a)
        yield "ridge", lambda a: fr.ridge(np.vstack([x.T] * 2), y[:6], 1.0, penalty=a).w
        yield "lambdas", lambda a: fr.Model(linear, x, y).score(fr.GCV, a)
        yield "groups", lambda a: fr.Model(linear, x, y).set_groups(a).groups()

    @staticmethod
    def column(given):
        """One column of a table or matrix as a vector."""
        if isinstance(given, pd.DataFrame):
            return given.iloc[:, 0]
        if isinstance(given, list):
            return [row[0] for row in given]
        return given.A1 if isinstance(given, np.matrix) else given.ravel() if isinstance(given, np.ndarray) else given

    def cases(self):
        """(words, call, array, as what it is handed over)."""
        for name, role, call in self.entries():
            yield f"{name}, {role}", call, self.x if role == "x" else self.y, lambda given: given
        for name, call in self.vectors():
            yield f"{name}, vector", call, self.w, self.column

    def test_what_stands_for_numbers(self):
        for words, call, array, shape in self.cases():
            expected = call(shape(array.copy()))
            for kind, make in self.RIGHT.items():
                given = shape(make(array))
                with self.subTest(f"{words}, {kind}"), warnings.catch_warnings():
                    warnings.simplefilter("error")
                    np.testing.assert_array_equal(call(given), expected)

    def test_what_is_no_number(self):
        for words, call, array, shape in self.cases():
            for kind, (make, part) in self.REFUSED.items():
                if words.startswith("FreeRidge") and words.endswith(", y") and kind in ("missing", "pandas.NA", "None"):
                    np.testing.assert_array_equal(call(make(array)), call(np.array(real(make(array), "y"))))
                    continue  # in a matrix y they are outputs that were not observed
                with self.subTest(f"{words}, {kind}"), warnings.catch_warnings():
                    warnings.simplefilter("error")
                    with self.assertRaises((TypeError, ValueError)) as caught:
                        call(shape(make(array)))
                    self.assertNotIn("\n", str(caught.exception))
                    if words != "groups, vector":
                        self.assertIn(part.lower(), str(caught.exception).lower())

    def test_columns_by_name(self):
        """Tables whose columns have other names, or another order, than the data before are refused; arrays are not."""
        here, other = pd.DataFrame(self.x, columns=list("abc")), pd.DataFrame(self.x, columns=list("bac"))
        y, linear = self.y, fr.linear()
        model = fr.Model(linear, here, y, factorize=False).set_fixed_effects(here[["a", "b"]])
        model.factorize().set_lambda(1.0)
        small = fr.Model(linear, here, y).set_lambda(1.0)
        rows, strange = fr.Accumulator(3).add(here, y), fr.Accumulator(3).add(other, y)
        classes = fr.Classifier(linear, fr.LOSS_HINGE, here, self.sign).fit(1.0)
        parts = iter([here, other])  # of the first pass, and of the second
        fit, window = fr.FreeRidge(1.0, "linear", unpenalised=["c"]).fit(here, y), fr.Window(fr.gaussian(1.0), 3, landmarks=here)
        yes, stack, groups = fr.FreeRidgeClassifier(1.0, "linear").fit(here, self.sign), fr.FreeRidge(stack="linear"), [0, 1] * 6
        stack.fit(here, np.arange(12.0))
        spread = distributed.fit([(here, y)], alpha=1.0)
        for broken in (fr.Accumulator(3), fr.Window(linear, 3)):  # rows that are refused leave no names behind
            self.assertRaises(ValueError, broken.add, other, y * np.nan)
            broken.add(here, y)
        beside = dict(fixed=here[["b", "a"]])
        for call in (lambda: fit.importance(other, y), lambda: fit.score_tests(other, y), lambda: fit.predict_terms(here, other),
                     lambda: fit.predict(here, interval="local", X_fitted=other), lambda: yes.importance(other, self.sign)):
            self.assertRaisesRegex(ValueError, "must be in the same order", call)
        for call in (lambda: small.predict(other), lambda: small.predict_path(other, [1.0]),
                     lambda: small.predictor().predict(other), lambda: small.clone().predict_variance(other),
                     lambda: copy.deepcopy(small).predict(other), lambda: model.predict(here, here[["b", "a"]]),
                     lambda: rows.add(other, y), lambda: rows.loo(other, y, [1.0]), lambda: rows.merge(strange),
                     lambda: rows.predictor([1.0]).predict(other), lambda: copy.copy(rows).add(other, y),
                     lambda: window.add(other, y), lambda: copy.copy(window).predict(other),
                     lambda: stack.stack_.predict_interval(other), lambda: stack.predictor().stack_.predict_interval(other),
                     lambda: fit.model_.predict(here[["b", "a"]], here[["c"]]), lambda: fr.batch(here, y, groups).predict(other, groups),
                     lambda: spread.predictor().predict(other), lambda: spread.accumulator_.add(other, y),
                     lambda: fr.effects(small, other), lambda: fr.importance(small, other, y), lambda: fr.score_tests(small, other, y),
                     lambda: fr.predict_terms(small, here, other), lambda: fr.importance(model, here, y, **beside),
                     lambda: fr.effects(model, here, **beside), lambda: fr.score_tests(model, here, y, **beside),
                     lambda: fr.predict_terms(model, here, here, fixed_fitted=here[["a", "b"]], **beside),
                     lambda: classes.decision(other), lambda: copy.copy(classes).probability(other),
                     lambda: fr.Model.from_reader(linear, lambda *_: (next(parts), y), 3, n=12).set_lambda(1.0).loo()):
            self.assertRaisesRegex(ValueError, "column 0 of .* is 'b', and was 'a' in the data before", call)
        for given in (here, self.x, self.x.tolist()):
            np.testing.assert_array_equal(small.predict(given), small.predict(self.x))
            rows.add(given, y)
        self.assertEqual(rows.n, 48)
        small.set_data(other, y).factorize().set_lambda(1.0).predict(other)

    def test_sparse(self):
        """Of scipy's matrices linear calls take each class of numbers; others say how they get a dense one."""
        expected = fr.Model(fr.linear(), self.x, self.y).set_lambda(1.0).loo()
        for kind in ("int8", "uint16", "int64", "float32", "float64", "longdouble", "bool"):
            for make in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix,
                         scipy.sparse.csr_array):
                given = make(self.x.astype(kind))
                with self.subTest(f"{kind}, {make.__name__}"):
                    found = fr.Model(fr.linear(), given, self.y).set_lambda(1.0)
                    np.testing.assert_allclose(found.loo(), expected, atol=1e-12)
                    np.testing.assert_allclose(found.predict(given), found.predict(self.x), atol=1e-12)
                    np.testing.assert_allclose(fr.FreeRidge(1.0, kernel="linear").fit(given, self.y).loo_errors(), expected, atol=1e-12)
                    rows = fr.Accumulator(3).add(given, self.y)
                    np.testing.assert_allclose(rows.loo(given, self.y, [1.0]), expected, atol=1e-12)
        given = scipy.sparse.csr_matrix(self.x.astype(complex))
        for call in (lambda: fr.Model(fr.linear(), given, self.y), lambda: fr.FreeRidge(1.0, kernel="linear").fit(given, self.y),
                     lambda: fr.Accumulator(3).add(given, self.y)):
            self.assertRaisesRegex(ValueError, "complex numbers", call)
        y = scipy.sparse.csr_matrix(self.y)
        for call in (lambda: fr.ols(given, self.y), lambda: fr.Model(fr.linear(), self.x, y),
                     lambda: fr.Model(fr.linear(), self.x, self.y, y), lambda: fr.FreeRidge(1.0, kernel="linear").fit(self.x, y)):
            self.assertRaisesRegex(TypeError, r"use its toarray\(\)", call)


if __name__ == "__main__":
    unittest.main(verbosity=2)
