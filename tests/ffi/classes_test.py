"""FreeRidgeClassifier and FreeRidgeLandmarks, pictures, and type hints."""

import importlib.util
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import confusion_matrix, log_loss, roc_auc_score, roc_curve
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import freeridge as fr

SOURCE = os.environ["FREERIDGE_SOURCE"]
DATA = os.environ["FREERIDGE_TEST_DATA"]


def labelled(name, classes=None):
    data = np.loadtxt(os.path.join(DATA, name + ".csv"), delimiter=",", skiprows=1)
    x, y = data[:, :-1], data[:, -1]
    if classes is None:
        return x, y.astype(int)
    return x, np.array(classes)[np.searchsorted(np.quantile(y, [1 / 3, 2 / 3]), y)]


class Classes(unittest.TestCase):
    def test_is_the_ridge_of_coded_classes_with_platts_method(self):
        """Left-out values by refits; then two numbers for each output, whose likelihood is at its maximum."""
        x, y = labelled("diabetes", ["low", "middle", "top"])
        x, y = x[::5] / x.std(axis=0), y[::5]
        two = np.where(y == "top", "yes", "no")
        weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
        for labels in (two, y):
            model = fr.FreeRidgeClassifier(0.7, "linear").fit(x, labels, weights)
            classes = np.unique(labels)
            np.testing.assert_array_equal(model.classes_, classes)
            coded = np.where(labels[:, np.newaxis] == (classes[1:] if len(classes) == 2 else classes), 1.0, -1.0)
            rest = [np.arange(len(y)) != i for i in range(len(y))]
            left_out = np.array([Ridge(0.7, solver="svd").fit(x[r], coded[r], weights[r]).predict(x[i:i + 1]).ravel()
                                 for i, r in enumerate(rest)])
            f = Ridge(0.7, solver="svd").fit(x, coded, weights).predict(x).reshape(len(y), -1)
            own, decision = [], []
            for j, sign in enumerate(coded.T):
                found = model._calibrations[j]
                p = 1 / (1 + np.exp(-(found.offset + found.slope * left_out[:, j])))
                # targets: half a row more of each class stands between the shares and 0 and 1
                of_sign = {s: weights[sign == s].sum() / weights.mean() for s in (-1, 1)}
                target = np.where(sign > 0, (of_sign[1] + 0.5) / (of_sign[1] + 1), 0.5 / (of_sign[-1] + 1))
                np.testing.assert_allclose(weights @ (target - p), 0, atol=1e-4)
                along = weights @ ((target - p) * left_out[:, j])  # a slope of 0 would be negative without its bound
                self.assertTrue(abs(along) < 1e-4 if found.slope > 0 else along < 0)
                decision.append(found.offset + found.slope * f[:, j])
                own.append(1 / (1 + np.exp(-decision[-1])))
            expected = np.column_stack([1 - own[0], own[0]] if len(own) == 1 else own)
            expected = expected / expected.sum(axis=1, keepdims=True)
            np.testing.assert_allclose(model.predict_proba(x), expected, rtol=1e-7)
            np.testing.assert_allclose(np.exp(model.predict_log_proba(x)), expected, rtol=1e-7)
            np.testing.assert_allclose(model.decision_function(x).reshape(len(y), -1), np.array(decision).T, rtol=1e-6,
                                       atol=1e-9)
            np.testing.assert_array_equal(model.predict(x), classes[np.argmax(expected, axis=1)])
            np.testing.assert_array_equal(model.loo_predict(), classes[np.argmax(model.loo_proba(), axis=1)])
            self.assertAlmostEqual(model.score(x, labels, weights),
                                   np.average(model.predict(x) == labels, weights=weights))

    def test_columns_and_rows_as_of_the_coded_outputs(self):
        x, y = labelled("diabetes", ["low", "middle", "top"])
        x, y = x[::5, :4] / x[::5, :4].std(axis=0), y[::5]
        weights = np.where(np.arange(len(y)) % 9 == 2, 0.0, 1.5)
        for labels, columns in ((np.where(y == "top", 3, 1), [3]), (y, ["low", "middle", "top"])):
            for settings in (dict(kernel="linear"), dict(kernel="gaussian", sigma=2.0, unpenalised=[1])):
                signs = np.where(labels[:, np.newaxis] == np.array(columns), 1.0, -1.0)
                outputs = signs[:, 0] if len(columns) == 1 else signs
                ours = fr.FreeRidgeClassifier(0.7, **settings).fit(x, labels, weights)
                coded = fr.FreeRidge(0.7, **settings).fit(x, outputs, weights)
                for kind in ("permutation", "drop"):
                    for found, expected in zip(ours.importance(x, labels, kind), coded.importance(x, outputs, kind)):
                        np.testing.assert_array_equal(found, expected)
                for found, expected in zip(ours.influence(), coded.influence()):
                    np.testing.assert_array_equal(found, expected)
                np.testing.assert_array_equal(ours.effects(x)[0].estimate, coded.effects(x)[0].estimate)
        with self.assertRaises(ValueError):
            ours.importance(x, labels[:-1])
        with self.assertRaisesRegex(ValueError, "and the classes are"):
            ours.importance(x, np.arange(len(labels)))

    def test_kinds_of_labels(self):
        x, _ = labelled("diabetes", ["a", "b", "c"])
        x, place = x[:60], np.arange(60) % 3
        expected = fr.FreeRidgeClassifier(kernel="linear").fit(x, place).predict_proba(x)
        for labels in (place + 5.0, np.array(["b", "bb", "c"])[place], np.array(["b", "bb", "c"], dtype=object)[place],
                       ["x", "y", "z"] * 20, place.astype("int8")):
            model = fr.FreeRidgeClassifier(kernel="linear").fit(x, labels)
            np.testing.assert_array_equal(model.predict_proba(x), expected)
            self.assertTrue(set(model.predict(x)) <= set(labels))
        yes = fr.FreeRidgeClassifier(kernel="linear").fit(x, place == 1)
        self.assertEqual(yes.classes_.tolist(), [False, True])
        for words, y in (("one class only", np.zeros(60)), ("not whole", place + 0.5),
                         ("NaN or inf", np.where(place, 1, np.nan)),
                         ("is missing", np.array(["a", None, "b"] * 20, dtype=object)), ("y has shape", place[:9]),
                         ("is missing", ["a", np.nan, "b"] * 20), ("is masked", np.ma.array(place, mask=place == 1)),
                         ("y has shape", np.zeros((60, 2)))):
            for make in (fr.FreeRidgeClassifier, fr.KernelLogistic):
                with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                    make().fit(x, y)
        for y in (np.array([1, "a"] * 30, dtype=object), place + 0j):
            self.assertRaises(TypeError, fr.FreeRidgeClassifier().fit, x, y)

    def test_weights_of_classes(self):
        x, y = labelled("diabetes", ["a", "b", "c"])
        x, y = x[::3], np.where(y == "c", "c", "a")[::3]
        count = {label: np.sum(y == label) for label in "ac"}
        for given, of in (("balanced", {label: len(y) / (2 * count[label]) for label in "ac"}),
                          ({"c": 3.0}, {"a": 1, "c": 3})):
            ours = fr.FreeRidgeClassifier(1.0, "linear", class_weight=given).fit(x, y)
            expected = fr.FreeRidgeClassifier(1.0, "linear").fit(x, y, [of[label] for label in y])
            np.testing.assert_allclose(ours.predict_proba(x), expected.predict_proba(x), rtol=1e-12)
        zero = np.where(np.arange(len(y)) % 4 == 0, 0.0, 1.0)
        ours = fr.FreeRidgeClassifier(1.0, "linear", class_weight="balanced").fit(x, y, zero)
        there = fr.FreeRidgeClassifier(1.0, "linear", class_weight="balanced").fit(x[zero > 0], y[zero > 0])
        np.testing.assert_allclose(ours.predict_proba(x), there.predict_proba(x), rtol=1e-9)
        self.assertEqual(len(ours.loo_decision()), len(y))
        for words, settings, weights in (("has the class 'x'", dict(class_weight={"x": 1.0}), None),
                                         ("class_weight must be one of", dict(class_weight="even"), None),
                                         ("one class only", {}, (y == "a").astype(float)),
                                         ("zero", {}, np.zeros(len(y)))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                fr.FreeRidgeClassifier(**settings).fit(x, y, weights)
        self.assertRaises(TypeError, fr.FreeRidgeClassifier(class_weight=[1, 2]).fit, x, y)

    def test_logistic(self):
        """Linear: scikit-learn's LogisticRegression; each class against all others; rows of weight 0; left-out values; what
        is learnt is that of the core's search."""
        x, y = labelled("diabetes", ["a", "b", "c"])
        x, y, weights = (x / x.std(axis=0))[::3], y[::3], np.arange(len(y[::3])) % 3 + 0.0
        ours = fr.KernelLogistic(0.5, "linear").fit(x, y, weights)
        some = weights > 0
        for k, label in enumerate("abc"):
            theirs = LogisticRegression(C=2, tol=1e-7, solver="newton-cg").fit(x[some], y[some] == label, weights[some])
            np.testing.assert_allclose(ours.decision_function(x)[:, k], theirs.decision_function(x), atol=1e-4)
            one = fr.Classifier(fr.linear(), fr.LOSS_LOGISTIC, x[some], np.where(y[some] == label, 1, -1), weights[some]).fit(0.5)
            np.testing.assert_array_equal(ours.loo_decision()[some, k], one.loo())
            np.testing.assert_array_equal(ours.loo_decision()[~some, k], one.decision(x[~some]))
        odds = 1 / (1 + np.exp(-ours.decision_function(x)))
        np.testing.assert_allclose(ours.predict_proba(x), odds / odds.sum(axis=1, keepdims=True))
        np.testing.assert_array_equal(ours.predict(x), np.array(["a", "b", "c"])[np.argmax(odds, axis=1)])
        self.assertEqual((ours.learning_, ours.intercept_.shape), (None, (3,)))
        learnt = fr.KernelLogistic().fit(x, y == "a")
        scaled = fr.KernelLogistic().fit(x * np.arange(1, 11), y == "a")  # units of the columns are no matter
        np.testing.assert_allclose(learnt.predict_proba(x), scaled.predict_proba(x * np.arange(1, 11)), rtol=1e-6)
        again = fr.Classifier(learnt.kernel_, fr.LOSS_LOGISTIC, x, np.where(y == "a", 1, -1)).fit(learnt.alpha_)
        np.testing.assert_array_equal(learnt.decision_function(x), again.decision(x))
        self.assertEqual(len(learnt.relevance()), 10)
        alone = fr.KernelLogistic(kernel="gaussian", sigma=2.0).fit(x, y)
        self.assertEqual(str(alone.kernel_), str(fr.gaussian(2.0)))
        model = fr.Model(fr.gaussian(2.0), x, 2.0 * (y[:, np.newaxis] == np.unique(y)) - 1, factorize=False)
        model.select_kernel(fr.EVIDENCE, [-1])
        self.assertEqual(alone.alpha_, model.lambdas()[0])
        self.assertRaises(AttributeError, alone.relevance)
        kernel = fr.gaussian(2.0).values(x, x)
        given = fr.KernelLogistic(0.5, "precomputed", class_weight="balanced", fit_intercept="penalised").fit(kernel, y, weights)
        own = fr.KernelLogistic(0.5, "gaussian", 2.0, class_weight="balanced", fit_intercept="penalised").fit(x, y, weights)
        np.testing.assert_allclose(given.predict_proba(kernel), own.predict_proba(x), rtol=1e-9)
        for words, settings in (("alpha must be", dict(alpha=-1.0)), ("no kernel whose bandwidth", dict(sigma=1.0)),
                                ("lengths must be", dict(lengths="many")), ("fit_intercept must be", dict(fit_intercept="x")),
                                ("shrinkage must be", dict(shrinkage=0)), ("seed must be", dict(seed=None))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                fr.KernelLogistic(**settings).fit(x, y)
        with self.assertRaisesRegex(ValueError, "one class only"):
            fr.KernelLogistic().fit(x, y, (y == "a").astype(float))

    def test_better_than_others(self):
        """Held-out log loss on sonar and banknote, beside that of a support vector machine with Platt's method."""
        for name, most in (("sonar", 0.40), ("banknote", 0.05)):
            x, y = labelled(name)
            rows = np.random.default_rng(2).permutation(len(y))[:200]
            theirs = make_pipeline(StandardScaler(), SVC(probability=True, random_state=1))
            ours, theirs = (log_loss(y[rows], cross_val_predict(each, x[rows], y[rows], cv=4, method="predict_proba"))
                            for each in (fr.FreeRidgeClassifier(), theirs))
            self.assertLess(ours, most)
            self.assertLess(ours, 1.1 * theirs)

    def test_in_scikit_learn(self):
        x, y = labelled("diabetes", ["a", "b", "c"])
        model = fr.FreeRidgeClassifier()
        self.assertTrue(is_classifier(model))
        self.assertGreater(np.mean(cross_val_score(model, x[::2], y[::2], cv=3, scoring="roc_auc_ovr")), 0.7)
        search = GridSearchCV(fr.FreeRidgeClassifier(), {"kernel": ["linear", "gaussian"]}, cv=2,
                              scoring="neg_log_loss")
        self.assertEqual(search.fit(x[::4], y[::4]).best_estimator_.classes_.tolist(), ["a", "b", "c"])
        fitted = clone(model).fit(x[::4], y[::4], groups=np.arange(len(y[::4])) // 8)
        self.assertEqual(fitted.criterion_, "groups")
        for other in (pickle.loads(pickle.dumps(fitted)), fitted.predictor(),
                      pickle.loads(pickle.dumps(fitted.predictor()))):
            np.testing.assert_array_equal(other.predict_proba(x), fitted.predict_proba(x))
            np.testing.assert_array_equal(other.predict(x), fitted.predict(x))
        self.assertRaises(fr.Error, fitted.predictor().loo_predict)
        estimated = fr.FreeRidgeClassifier(0.5, "gaussian", 2.0, route="iterative").fit(x[:90], y[:90])
        self.assertEqual(estimated.predict(x).shape, y.shape)
        self.assertRaisesRegex(fr.Error, "left-out values", estimated.predict_proba, x)
        linear = fr.FreeRidgeClassifier(kernel="linear")
        np.testing.assert_allclose(clone(linear).fit(csr_matrix(x), y).predict_proba(csr_matrix(x)),
                                   linear.fit(x, y).predict_proba(x), rtol=1e-6)


class Workflows(unittest.TestCase):
    """What scikit-learn puts around an estimator: each takes ours as it stands, with tables, and gains by it."""

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed (Debian: python3-pandas)")
    def test_around_an_estimator(self):
        import pandas
        from sklearn import calibration, compose, ensemble, feature_selection, inspection, multioutput, preprocessing
        rng = np.random.default_rng(0)
        table = pandas.DataFrame({"a": rng.normal(size=120), "b": rng.uniform(size=120) * 100})
        y = pandas.Series(np.sin(table.a) + table.b / 50 + 0.05 * rng.normal(size=120))
        classes = np.where(y > 1, "high", "low")
        letters = table.assign(c=rng.choice(list("xyz"), 120))
        columns = compose.make_column_transformer((preprocessing.OneHotEncoder(), ["c"]), remainder="passthrough")
        ours, linear, two = fr.FreeRidge(), fr.FreeRidge(kernel="linear"), fr.FreeRidgeClassifier()
        for around, x, of in (
                (make_pipeline(columns, ours), letters, y + (letters.c == "x")),
                (compose.TransformedTargetRegressor(ours, func=np.exp, inverse_func=np.log), table, y),
                (ensemble.BaggingRegressor(ours, n_estimators=3, random_state=0), table, y),
                (ensemble.StackingRegressor([("ours", ours), ("linear", linear)], cv=3), table, y),
                (multioutput.MultiOutputRegressor(ours), table, np.column_stack([y, y ** 2])),
                (GridSearchCV(ours, {"kernel": [None, "gaussian"], "criterion": ["loo", "reml"]}, cv=3, n_jobs=2),
                 table, y),
                (calibration.CalibratedClassifierCV(two, cv=3), table, classes),
                (ensemble.VotingClassifier([("ours", two), ("linear", clone(two).set_params(kernel="linear"))],
                                           voting="soft"), table, classes)):
            with self.subTest(type(around).__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.assertGreater(around.fit(x, of).score(x, of), 0.9)
        ours.fit(table, y)
        found = inspection.permutation_importance(ours, table, y, n_repeats=2, random_state=0)
        self.assertTrue(np.all(found.importances_mean > 0.3))
        average = inspection.partial_dependence(ours, table, ["b"], kind="average")["average"][0]
        self.assertAlmostEqual(average[-1] - average[0], 0.9 * 2, delta=0.3)  # from its 5 % quantile to that of 95 %
        noisy = table.assign(noise=rng.normal(size=120))
        chosen = feature_selection.SequentialFeatureSelector(linear, n_features_to_select=2, cv=3).fit(noisy, y)
        self.assertEqual(chosen.get_support().tolist(), [True, True, False])


class Landmarks(unittest.TestCase):
    def test_products_are_nystroems(self):
        x, _ = labelled("diabetes", ["a", "b", "c"])
        x = x[:150]
        learnt = fr.FreeRidge(learn_rows=100).fit(x, x[:, 2] * x[:, 3])
        cases = [dict(), dict(kernel="gaussian"), dict(kernel="gaussian", sigma=4.0, scale=True),
                 dict(kernel="linear", scale=True),
                 dict(kernel=learnt.kernel_), dict(kernel="laplacian", method="kmeans"), dict(landmarks=[3, 99, 7])]
        for settings in cases:
            with self.subTest(settings):
                given = fr.FreeRidgeLandmarks(**{"landmarks": 20, **settings}).fit(x)
                k, rows = given.kernel_.values(x, x), given.landmarks_
                nystroem = k[:, rows] @ np.linalg.pinv(k[np.ix_(rows, rows)], rcond=1e-12, hermitian=True) @ k[rows]
                phi = given.transform(x)
                np.testing.assert_allclose(phi @ phi.T, nystroem, rtol=1e-7, atol=1e-7 * np.max(k))
                np.testing.assert_allclose(phi[rows] @ phi.T, k[rows], rtol=1e-7, atol=1e-7 * np.max(k))
                np.testing.assert_array_equal(given.components_, x[rows])
                self.assertEqual(len(given.get_feature_names_out()), phi.shape[1])
                np.testing.assert_array_equal(clone(given).fit_transform(x), phi)
                np.testing.assert_array_equal(pickle.loads(pickle.dumps(given)).transform(x), phi)
        np.testing.assert_array_equal(fr.FreeRidgeLandmarks([3, 99, 7]).fit(x).landmarks_, [3, 99, 7])
        sparse, dense = (fr.FreeRidgeLandmarks(9, sigma=3.0).fit(make(x)).transform(make(x))
                         for make in (csr_matrix, np.array))
        np.testing.assert_allclose(sparse, dense, rtol=1e-9, atol=1e-9)

    def test_the_landmarks_are_the_librarys(self):
        x, _ = labelled("diabetes", ["a", "b", "c"])
        x = x[:120] / x.std(axis=0)
        for name, method in (("pivoted", fr.LANDMARKS_PIVOTED), ("kmeans", fr.LANDMARKS_KMEANS),
                             ("random", fr.LANDMARKS_RANDOM)):
            ours = fr.FreeRidgeLandmarks(15, "gaussian", 3.0, method=name, seed=5).fit(x)
            theirs = fr.Model(fr.gaussian(3.0), x, np.zeros(120), intercept=False, factorize=False)
            theirs.set_landmarks(15, method, 5).factorize()
            np.testing.assert_array_equal(ours.landmarks_, theirs.landmarks())
            self.assertAlmostEqual(120 - np.sum(ours.transform(x) ** 2), theirs.landmark_error().trace_left, 8)

    def test_in_a_pipeline(self):
        x, _ = labelled("diabetes", ["a", "b", "c"])
        y = np.loadtxt(os.path.join(DATA, "diabetes.csv"), delimiter=",", skiprows=1)[:, -1]
        landmarks = fr.FreeRidgeLandmarks(40, "gaussian", 5.0, scale=True)
        pipeline = make_pipeline(landmarks, Ridge(0.5, solver="svd")).fit(x, y)
        expected = fr.FreeRidge(0.5, "gaussian", 5.0, scale=True, landmarks=pipeline[0].landmarks_).fit(x, y)
        np.testing.assert_allclose(pipeline.predict(x), expected.predict(x), rtol=1e-7)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed (Debian: python3-pandas)")
    def test_tables(self):
        import pandas
        from sklearn import config_context
        from sklearn.utils import estimator_checks
        frame = pandas.DataFrame(labelled("diabetes", ["a", "b", "c"])[0][:50], columns=list("abcdefghij"),
                                 index=np.arange(50) * 2)
        model = fr.FreeRidgeLandmarks(6).fit(frame)
        self.assertIsInstance(model.transform(frame), np.ndarray)
        with config_context(transform_output="pandas"):
            everywhere = model.transform(frame)
        found = clone(model).set_output(transform="pandas").fit_transform(frame)
        for each in (everywhere, found):
            self.assertEqual(list(each.columns), [f"freeridgelandmarks{k}" for k in range(6)])
            self.assertEqual(list(each.index), list(frame.index))
        np.testing.assert_array_equal(found.to_numpy(), model.transform(frame))
        for name in ("check_set_output_transform", "check_set_output_transform_pandas",
                     "check_transformer_get_feature_names_out",
                     "check_transformer_get_feature_names_out_pandas", "check_dataframe_column_names_consistency"):
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                getattr(estimator_checks, name)("FreeRidgeLandmarks", fr.FreeRidgeLandmarks(5))
        with self.assertRaisesRegex(ValueError, "transform must be one of"):
            model.set_output(transform="best")

    def test_mistakes(self):
        x, _ = labelled("diabetes", ["a", "b", "c"])
        for settings in (dict(landmarks=0), dict(landmarks=2.5), dict(landmarks=[3, 3]), dict(kernel="precomputed"),
                         dict(kernel="rbf"), dict(method="best"), dict(seed=None), dict(kernel="linear", sigma=2.0), dict(scale=-1.0)):
            with self.subTest(settings), self.assertRaises((ValueError, TypeError)):
                fr.FreeRidgeLandmarks(**settings).fit(x)
        self.assertRaises(ValueError, fr.FreeRidgeLandmarks().fit, np.where(x > 0.1, np.nan, x))
        self.assertRaises(ValueError, fr.FreeRidgeLandmarks(5).fit(x).transform, x[:, :3])
        with self.assertRaisesRegex(ValueError, "is 0 at all rows"):
            fr.FreeRidgeLandmarks(5, "linear").fit(0 * x)


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed (Debian: python3-matplotlib)")
class Pictures(unittest.TestCase):
    """What is drawn is what the fit answers; and each picture can be saved."""

    @classmethod
    def setUpClass(cls):
        import matplotlib
        matplotlib.use("Agg")
        data = np.loadtxt(os.path.join(DATA, "diabetes.csv"), delimiter=",", skiprows=1)[::3]
        cls.x, cls.y = data[:, :-1], data[:, -1]
        cls.fit = fr.FreeRidge().fit(cls.x, cls.y)

    def saved(self, ax):
        from matplotlib import pyplot
        with tempfile.TemporaryFile() as file:
            ax.figure.savefig(file, format="png")
            self.assertGreater(file.tell(), 5000)
        pyplot.close(ax.figure)

    def test_effects(self):
        from freeridge import plots
        axes = plots.effect(self.fit, self.x, self.y, most=3)
        self.assertEqual(len(axes), 3)
        curves = self.fit.effects(self.x)
        spread = [np.std(one.estimate) for one in curves]
        self.assertEqual([ax.get_xlabel() for ax in axes], [f"x{k}" for k in np.argsort(spread)[::-1][:3]])
        line = axes[0].get_lines()[-1].get_ydata()
        np.testing.assert_allclose(line, curves[int(np.argmax(spread))].estimate[:, 0])
        self.saved(axes[0])
        self.assertEqual(plots.effect(self.fit, self.x, columns=["x1", 2])[1].get_xlabel(), "x2")
        widths = [np.ptp(plots.effect(self.fit, self.x, columns=[0], simultaneous=all_)[0].collections[0].get_paths()[0].vertices[:, 1])
                  for all_ in (False, True)]
        self.assertGreater(widths[1], widths[0])
        self.assertRaises(ValueError, plots.effect, self.fit, self.x, output=1)
        self.assertRaises(TypeError, plots.effect, self.x, self.x)

    def test_path(self):
        from freeridge import plots
        axes = plots.path(self.fit, alphas=[0.01, 1.0, 100.0])
        self.assertEqual([ax.get_title().strip() for ax in axes], ["Leave-one-out", "GCV", "REML"])
        for ax, name in zip(axes, ("loo", "gcv", "reml")):
            curve, lowest, _, dot = ax.lines
            alphas = curve.get_xdata()
            self.assertEqual(sorted(alphas), sorted([0.01, 1.0, 100.0, self.fit.alpha_]))
            np.testing.assert_allclose(curve.get_ydata(), self.fit.scores(alphas, name))
            self.assertEqual(lowest.get_xdata()[0], alphas[np.argmin(curve.get_ydata())])
            self.assertEqual(dot.get_xdata()[0], self.fit.alpha_)
        self.saved(axes[0])
        for wrong in (dict(criteria=["best"]), dict(output=1), dict(criteria=["loo"], ax=axes)):
            self.assertRaises(ValueError, plots.path, self.fit, **wrong)
        self.assertRaises(TypeError, plots.path, self.y)
        self.assertRaisesRegex(ValueError, "not fitted yet", plots.path, fr.FreeRidge())
        exact = fr.FreeRidge(0.0, "linear").fit(self.x, self.y)  # an alpha that a logarithmic axis has not
        self.saved(plots.path(exact)[0])

    def test_left_out(self):
        from freeridge import plots
        ax = plots.left_out(self.fit, self.y)
        points = ax.lines[1]
        np.testing.assert_allclose(points.get_ydata() - points.get_xdata(), self.fit.loo_errors(), atol=1e-9)
        self.saved(ax)
        stack = fr.FreeRidge(stack="linear").fit(self.x, self.y)
        self.assertRaisesRegex(ValueError, "a stack has no alpha", plots.path, stack)
        points = plots.left_out(stack, self.y).lines[1]
        np.testing.assert_allclose(points.get_ydata() - points.get_xdata(), stack.loo_errors(), atol=1e-9)

    def test_rows(self):
        from freeridge import plots
        weights = np.where(np.arange(len(self.y)) % 7 == 3, 0.0, 1.0)
        robust = fr.FreeRidge(2.0, "linear", robust="huber").fit(self.x, self.y, weights)
        for fit in (self.fit, robust, fr.FreeRidgeClassifier(1.0, "linear").fit(self.x, self.y > 150)):
            axes, found = plots.rows(fit), fit.influence()
            used = np.isfinite(found.rstudent)
            drawn = [ax.lines[0].get_xydata() for ax in axes]
            self.assertEqual([len(points) for points in drawn], [int(used.sum())] * 4)
            np.testing.assert_allclose(drawn[1][:, 1], found.rstudent[used])
            self.assertTrue(np.all(np.argsort(drawn[1][:, 0]) == np.argsort(found.rstudent[used])))
            np.testing.assert_allclose(drawn[3][:, 0], found.hat[used])
            if fit is not robust:
                df, hat = fit._model.degrees_of_freedom().df[0], found.hat[used]
                np.testing.assert_allclose(drawn[3][:, 1] ** 2 * hat / (df * (1 - hat)), found.cooks_distance[used])
            np.testing.assert_allclose(drawn[2][:, 1], np.sqrt(np.abs(drawn[3][:, 1])))
            self.saved(axes[0])
        self.assertRaises(ValueError, plots.rows, self.fit, 1)

    def test_relevance(self):
        from freeridge import plots
        ax = plots.relevance(self.fit, most=4)
        found = self.fit.relevance()[:4]
        self.assertEqual([label.get_text() for label in ax.get_yticklabels()], [each.column for each in found])
        self.assertEqual([line.get_xdata()[0] for line in ax.lines[1::2]], [each.length for each in found])
        self.saved(ax)
        self.assertRaises(AttributeError, plots.relevance, fr.FreeRidge(kernel="linear").fit(self.x, self.y))

    def test_importance(self):
        from freeridge import plots
        names = [f"column {k}" for k in range(self.x.shape[1])]
        found = self.fit.importance(self.x, self.y, kind="drop")
        panel = plots.importance(found, names)
        order = np.argsort(-np.ravel(found.increase))
        self.assertEqual([label.get_text() for label in panel.get_yticklabels()], [names[k] for k in order])
        np.testing.assert_allclose(panel.containers[0].lines[0].get_xdata(), np.ravel(found.increase)[order])
        self.saved(panel)
        both = fr.FreeRidge(kernel="linear").fit(self.x, np.c_[self.y, -self.y]).importance(self.x, np.c_[self.y, -self.y], kind="drop")
        self.assertEqual(len(plots.importance(both, output=1).get_yticklabels()), len(names))
        for words, call in (("names has 1", lambda: plots.importance(found, ["a"])), ("importance", lambda: plots.importance(self.fit))):
            with self.assertRaisesRegex((ValueError, TypeError), words):
                call()

    def test_calibration(self):
        from freeridge import plots
        top = self.y > np.median(self.y)
        fit = fr.FreeRidgeClassifier().fit(self.x, top)
        ax = plots.calibration(fit, top, bins=4)
        line = ax.lines[1]
        p = fit.loo_proba()[:, 1]
        bins = np.array_split(np.argsort(p, kind="stable"), 4)
        np.testing.assert_allclose(line.get_xdata(), [p[rows].mean() for rows in bins])
        np.testing.assert_allclose(line.get_ydata(), [top[rows].mean() for rows in bins])
        self.assertIn(f"{log_loss(top, fit.loo_proba()):.3g}", ax.texts[0].get_text())
        self.saved(ax)
        three = np.digitize(self.y, np.quantile(self.y, [0.3, 0.6]))
        ax = plots.calibration(fr.FreeRidgeClassifier().fit(self.x, three), three[:60], self.x[:60], bins=3)
        self.assertEqual(len(ax.get_legend().get_texts()), 3)
        self.saved(ax)

    def test_roc_and_confusion(self):
        from freeridge import plots
        top = self.y > np.median(self.y)
        fit = fr.FreeRidgeClassifier().fit(self.x, top)
        ax = plots.roc(fit, top)
        alarms, hits, _ = roc_curve(top, fit.loo_decision(), drop_intermediate=False)
        np.testing.assert_allclose(ax.lines[1].get_xdata(), alarms)
        np.testing.assert_allclose(ax.lines[1].get_ydata(), hits)
        self.assertIn(f"area {roc_auc_score(top, fit.loo_decision()):.3g}, standard error", ax.texts[0].get_text())
        self.saved(ax)
        decision = np.round(fit.loo_decision())  # with ties; by all pairs
        pairs = (np.sign(decision[top][:, np.newaxis] - decision[~top]) + 1) / 2
        _, _, area, error = plots._roc_curve(decision, top)
        self.assertAlmostEqual(area, pairs.mean(), places=12)
        parts = [np.var(pairs.mean(axis=k), ddof=1) / pairs.shape[1 - k] for k in (0, 1)]
        self.assertAlmostEqual(error, np.sqrt(sum(parts)), places=12)
        self.assertRaises(ValueError, plots.roc, fit, np.ones(len(top), bool))
        three = np.digitize(self.y, np.quantile(self.y, [0.3, 0.6]))
        several = fr.FreeRidgeClassifier().fit(self.x, three)
        ax = plots.roc(several, three[:60], self.x[:60])
        self.assertEqual(len(ax.get_legend().get_texts()), 3)
        self.saved(ax)
        ax = plots.confusion(several, three)
        expected = confusion_matrix(three, several.loo_predict())
        self.assertEqual([text.get_text() for text in ax.texts[:9]], [str(count) for count in expected.ravel()])
        self.saved(ax)
        self.assertRaises(TypeError, plots.confusion, self.fit, three)


class Types(unittest.TestCase):
    # numpy 2 has other hints for the same calls; those of numpy 1 judge, as clang-format 14 judges the layout.
    @unittest.skipUnless(shutil.which("mypy") and np.__version__.startswith("1."), "mypy (Debian: mypy) with numpy 1 is not here")
    def test_mypy(self):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(["mypy", "--cache-dir", cache], cwd=os.path.join(SOURCE, "python"),
                                  capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_what_needs_nothing_but_numpy(self):
        script = """
import sys
for name in ("sklearn", "scipy", "pandas", "matplotlib"):
    sys.modules[name] = None
import numpy as np
import freeridge as fr
from freeridge import plots
X = np.random.default_rng(1).normal(size=(40, 2))
y = X[:, 0] > 0
print(fr.FreeRidgeClassifier().fit(X, y).score(X, y) > 0.9, fr.FreeRidgeLandmarks(5).fit_transform(X).shape)
model = fr.FreeRidge().fit(X, X[:, 0])
for ask in (lambda: plots.path(model), lambda: model.predict(X, interval="prediction")):
    try:
        ask()
    except ImportError as error:
        print("matplotlib" in str(error), "scipy" in str(error))
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(done.stdout, "True (40, 5)\nTrue False\nFalse True\n", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
