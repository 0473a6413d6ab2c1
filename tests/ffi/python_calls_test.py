"""The Python package of python/, below its estimator: arrays are not copied; errors, progress, Ctrl-C and threads are
Python's own; what is pickled answers the same in another process."""

import concurrent.futures
import copy
import ctypes
import gc
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import weakref

import numpy as np
import pandas as pd
import scipy.sparse

import freeridge as fr
from freeridge import arrays, library
from freeridge.arrays import Matrix


def points(n, d=3, seed=1):
    x = np.random.default_rng(seed).normal(size=(n, d))
    return x, np.sin(x).sum(axis=1)


class Arrays(unittest.TestCase):
    def test_what_is_not_copied(self):
        whole = np.arange(60.0).reshape(6, 10)
        for array in (whole, whole.T, np.asfortranarray(whole), whole[1:5], whole[:, 2:7], whole[::2], whole[::2, 3:],
                      whole.T[2:7], whole[:1], whole[:, :1], whole[2:3, 4:5], whole[:, 3], np.arange(5.0)):
            with self.subTest(shape=array.shape, strides=array.strides):
                matrix = Matrix(array)
                self.assertTrue(np.shares_memory(matrix.array, array))
                self.check_elements(matrix, array if array.ndim == 2 else array[:, np.newaxis])

    def test_what_is_copied(self):
        whole = np.arange(60.0).reshape(6, 10)
        unaligned = np.zeros(6 * 8 + 1, dtype=np.uint8)[1:].view(np.float64).reshape(2, 3)
        for array in (whole[:, ::2], whole[:, ::-1], whole[::-1], whole.astype(np.float32), whole.astype(int),
                      unaligned, np.broadcast_to(np.arange(3.0), (4, 3)), whole.astype(">f8"), whole.tolist()):
            matrix = Matrix(array)
            self.assertFalse(np.shares_memory(matrix.array, np.asarray(array)))
            self.check_elements(matrix, np.asarray(array, dtype=np.float64))

    def test_vectors_and_sparse_rows_begin_where_a_number_may(self):
        def unaligned(values, dtype):
            values = np.array(values, dtype)
            out = np.zeros(values.nbytes + 1, np.uint8)[1:].view(dtype)
            out[:] = values
            self.assertFalse(out.flags.aligned)
            return out

        for given in (np.float64, np.float32, np.int32):
            for wanted in (np.float64, np.int32):
                found = arrays.vector(unaligned([3, 1, 2], given), wanted)
                self.assertTrue(found.flags.aligned and found.flags.c_contiguous)
                self.assertEqual(found.tolist(), [3, 1, 2])
        rows = scipy.sparse.csr_matrix(np.eye(3))
        rows.data, rows.indices = unaligned([1, 2, 3], np.float64), unaligned([0, 1, 2], np.int32)
        taken = arrays.Sparse(rows)
        self.assertTrue(all(part.flags.aligned for part in (taken.start, taken.index, taken.value)))
        self.assertEqual(arrays.vector(0.5).tolist(), [0.5])

    def check_elements(self, matrix, expected):
        """Element (i, j) is where the library looks for it."""
        for layout in (None, library.ROW_MAJOR, library.COL_MAJOR):
            matrix = matrix if layout is None else Matrix(expected, layout)
            self.assertEqual((matrix.rows, matrix.columns), expected.shape)
            line = matrix.columns if matrix.layout == library.ROW_MAJOR else matrix.rows
            self.assertGreaterEqual(matrix.ld, line)
            for i in range(matrix.rows):
                for j in range(matrix.columns):
                    row_major = matrix.layout == library.ROW_MAJOR
                    at = i * matrix.ld + j if row_major else i + j * matrix.ld
                    self.assertEqual(matrix.pointer[at], expected[i, j])


class Callers(unittest.TestCase):
    def test_errors(self):
        for kind, call in ((fr.InputError, lambda: fr.gaussian(-1.0)), (ValueError, lambda: fr.gaussian(np.nan))):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn("sigma", str(caught.exception))
        with self.assertRaises(fr.Error) as caught:
            fr.Model(fr.linear(), np.eye(3), np.ones(3), factorize=False).loo()
        self.assertEqual((caught.exception.status, caught.exception.name), (library.INVALID_STATE, "INVALID_STATE"))
        self.assertNotIsInstance(caught.exception, ValueError)
        with self.assertRaises(MemoryError):  # 8 n^2 bytes
            fr.Model(fr.gaussian(1.0), np.zeros(10**7), np.zeros(10**7), route=fr.ROUTE_CHOLESKY)
        with self.assertRaises(ctypes.ArgumentError):  # by the declarations
            library.library.freeridge_factorize(fr.linear().handle)

    def test_wrong_lengths_never_reach_the_library(self):
        x, y = np.random.default_rng(2).normal(size=(20, 3)), np.arange(20.0)
        model = fr.Model(fr.linear(), x, y).set_lambda(1.0)
        for call in (lambda: fr.Model(fr.linear(), x, y[1:]), lambda: fr.Model(fr.linear(), x, y, weights=y[1:]),
                     lambda: model.predict(x[:, :2]), lambda: model.group_errors(np.zeros(19)),
                     lambda: model.set_groups(np.zeros(21)), lambda: model.set_lambda([1.0, 2.0]),
                     lambda: fr.Accumulator(3).add(x[:, :2], y), lambda: fr.Accumulator(3).add(x, y, y[1:]),
                     lambda: fr.Classifier(fr.linear(), fr.LOSS_LOGISTIC, x, y[1:]), lambda: model.predict(x[:0])):
            with self.assertRaises(ValueError):
                call()

    def test_save_and_load(self):
        x = np.random.default_rng(5).normal(size=(30, 3))
        model = fr.Model(fr.gaussian(2.0), x, x[:, 0] ** 2).set_lambda(0.1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.freeridge")
            model.save(path)
            for loaded in (fr.Model.load(path), fr.Model.from_bytes(model.to_bytes()), copy.copy(model)):
                self.assertTrue(np.all(loaded.loo() == model.loo()))
                self.assertTrue(np.all(loaded.set_lambda(1.0).loo() == copy.copy(model).set_lambda(1.0).loo()))
            model.save(path, predictor=True)
            predictor = fr.Model.load(path)
            self.assertTrue(np.all(predictor.predict(x) == model.predict(x)))
            with self.assertRaises(fr.Error) as caught:
                predictor.loo()
            self.assertEqual(caught.exception.status, library.INVALID_STATE)
        saved = model.to_bytes(predictor=True)
        first, length = fr.locate_saved_x(saved)
        self.assertEqual(saved[first:first + length], x.tobytes(order="F"))
        self.assertEqual(fr.locate_saved_x(fr.Model(fr.linear(), x, x[:, 0]).set_lambda(1.0).to_bytes(True)), (0, 0))
        damaged = bytearray(saved)
        damaged[-20] ^= 1
        with self.assertRaises(fr.Error) as caught:
            fr.Model.from_bytes(bytes(damaged))
        self.assertEqual(caught.exception.status, library.CORRUPT)

    def test_few_rows_of_a_predictor(self):
        """Predicted by a way of their own: the same bits, refusals and progress."""
        rng = np.random.default_rng(1)
        x, y = rng.normal(size=(60, 4)), rng.normal(size=(60, 2))
        for kernel in (fr.linear(), fr.gaussian(1.0), fr.matern(1.5, 1.0).additive()):
            small = fr.Model(kernel, x, y).set_lambda(0.5).predictor()
            for rows in (1, 7, 60):
                new = rng.normal(size=(rows, 4))
                quick, slow = small.predict(new), small.predict(new.tolist())
                self.assertTrue(np.array_equal(quick, slow) and quick.shape == slow.shape == (rows, 2))
                for other in (np.asfortranarray(new), new.astype(">f8"), np.repeat(new, 2, axis=0)[::2], new[:, ::-1][:, ::-1]):
                    self.assertTrue(np.allclose(small.predict(other), quick, rtol=1e-14))
                self.assertTrue(np.allclose(small.predict(new.astype(np.float32)), quick, rtol=1e-4, atol=1e-5))
            for wrong in (new[:, :3], new[:0], new[0], np.zeros((2, 2, 4)), new.astype(complex), new.astype(str)):
                with self.assertRaises((ValueError, TypeError)):
                    small.predict(wrong)
            with self.assertRaises(fr.InputError):
                small.predict(np.full((1, 4), np.nan))
            heard = []
            small.set_progress(lambda fraction: heard.append(fraction) or len(heard) > 3)
            self.assertTrue(np.array_equal(small.predict(new), quick))
            self.assertEqual((heard[0], heard[-1]), (0.0, 1.0))
            small.set_progress(lambda fraction: True)
            with self.assertRaisesRegex(fr.Error, "CANCELLED"):
                small.predict(new)
            small.set_progress(None)
            self.assertTrue(np.array_equal(small.predict(new), quick))
            for again in (pickle.loads(pickle.dumps(small)), small.clone(), copy.deepcopy(small)):
                del small
                small = again
                self.assertTrue(np.array_equal(again.predict(new), quick))
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                self.assertTrue(all(pool.map(lambda _: np.array_equal(small.predict(new), quick), range(200))))

    def test_kernels(self):
        kernel = fr.sum_kernel([fr.linear(), fr.product_kernel([fr.matern(1.5, 2.0), fr.gaussian(0.3)])], [0.5, 2.0])
        x = np.random.default_rng(4).normal(size=(12, 2))
        self.assertEqual(pickle.loads(pickle.dumps(kernel)), kernel)
        self.assertNotEqual(kernel, fr.linear())
        self.assertEqual(eval(repr(kernel), {"parse_kernel": fr.parse_kernel}), kernel)
        self.assertEqual((kernel.name, kernel.parameters["weights"].tolist()), ("sum", [0.5, 2.0]))
        product = kernel.parts[1]
        self.assertEqual([part.name for part in kernel.parts + product.parts], ["linear", "product", "matern", "gaussian"])
        self.assertEqual({name: value.tolist() for name, value in product.parts[0].parameters.items()},
                         {"nu": [1.5], "length": [2.0]})
        self.assertEqual((product.parameters, fr.linear().parts), ({}, []))
        divided = fr.gaussian(0.3).scaled([2.0, 1 / 3])
        self.assertEqual((divided.parameters["scale"].tolist(), divided.parts), ([2.0, 1 / 3], [fr.gaussian(0.3)]))
        terms = kernel.additive([5, -1, 5])
        self.assertEqual((terms.name, terms.parameters["label"].tolist(), terms.parts), ("additive", [0, -1, 0], [kernel]))
        self.assertEqual(str(fr.gaussian(0.3).additive()), "additive(gaussian(sigma = 0.3))")
        for wrong in ([], [-1, -2], [0.5], [[0]]):
            with self.assertRaises(ValueError):
                kernel.additive(wrong)
        each = np.mean([kernel.values(x[:, [k]], x[:, [k]]) for k in range(2)], axis=0)
        self.assertLessEqual(np.max(np.abs(kernel.additive().values(x, x) - each)), 1e-14)
        one, two = fr.gaussian(0.3), fr.matern(1.5, 2.0)
        self.assertEqual(str(2 * one + two), "2 * gaussian(sigma = 0.3) + 1 * matern(nu = 1.5, length = 2)")
        self.assertEqual(0.5 * (one + two) + one * np.float64(3), fr.sum_kernel([one, two, one], [0.5, 0.5, 3.0]))
        self.assertEqual(one * two * (one + two), fr.product_kernel([one, two, fr.sum_kernel([one, two])]))
        self.assertEqual(str(fr.periodic(1 / 3, one)), "periodic(period = 0.3333333333333333, gaussian(sigma = 0.3))")
        self.assertEqual(str(fr.sphere(two)), "sphere(matern(nu = 1.5, length = 2))")
        self.assertEqual(fr.anova(one, [7, -1, 4], [0.1, 0.2]),
                         (fr.constant() + 0.1 * one.additive([0, -1, -1])) * (fr.constant() + 0.2 * one.additive([-1, -1, 0])))
        both = one.multiplicative([3, 3])
        self.assertEqual((both.name, both.parameters["label"].tolist(), both.parts), ("multiplicative", [0, 0], [one]))
        for wrong in (lambda: 0 * one, lambda: -1 * one, lambda: one * np.inf, lambda: fr.anova(one, [-1]),
                      lambda: fr.periodic(0, one), lambda: fr.sphere(fr.linear())):
            with self.assertRaises(ValueError):
                wrong()
        for wrong in (lambda: one + 1, lambda: "2" * one, lambda: True * one):
            with self.assertRaises(TypeError):
                wrong()
        self.assertEqual(kernel.hyperparameter_names,
                         ["sum.weight[0]", "sum.weight[1]", "sum[1].product[0].matern.length", "sum[1].product[1].gaussian.sigma"])
        self.assertEqual(kernel.hyperparameters.tolist(), [0.5, 2.0, 2.0, 0.3])
        self.assertEqual(kernel.with_hyperparameters([0, 1, 3, 4]),
                         fr.sum_kernel([fr.linear(), fr.product_kernel([fr.matern(1.5, 3.0), fr.gaussian(4.0)])], [0.0, 1.0]))
        self.assertEqual((fr.linear().hyperparameters.tolist(), fr.linear().with_hyperparameters([])), ([], fr.linear()))
        for wrong in ([1.0], [0.5, 2.0, -2.0, 0.3], [0.5, 2.0, 2.0, np.nan]):
            with self.assertRaises(ValueError):
                kernel.with_hyperparameters(wrong)
        scaled = fr.Model(kernel.scaled([2.0, 4.0]), x, x[:, 0]).set_lambda(0.1).loo()
        divided = fr.Model(kernel, x / [2.0, 4.0], x[:, 0]).set_lambda(0.1).loo()
        self.assertLessEqual(np.max(np.abs(scaled - divided)), 1e-12)

    def test_which_library(self):
        """FREERIDGE_LIBRARY, and without it what the system knows, or what is beside this Python."""
        path = os.environ["FREERIDGE_LIBRARY"]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.mkdir(os.path.join(folder.name, "lib"))
        os.symlink(path, os.path.join(folder.name, "lib", f"libfreeridge.so.{library.VERSION_MAJOR}"))
        broken, name = os.path.join(folder.name, "broken"), f"libfreeridge.so.{library.VERSION_MAJOR}"
        os.makedirs(os.path.join(broken, "lib"))
        with open(os.path.join(broken, "lib", name), "w", encoding="utf-8") as file:
            file.write("no library")
        for variable, installed, prefix, words in (
                ("", None, broken, "does not load: .* apt install libopenblas0 liblapacke"),
                (path, None, "/", ""), ("", path, "/", ""), ("", None, folder.name, ""),
                ("", None, "/", "was not found: install it"), ("/does/not/exist.so", path, "/", "/does/not/exist.so"),
                (np.linalg._umath_linalg.__file__, path, "/", "is not the library freeridge")):
            # As where no library is installed but the one that is meant.
            script = f"import ctypes.util, sys; ctypes.util.find_library = {{'freeridge': {installed!r}}}.get\n" \
                     f"sys.prefix, load = {prefix!r}, ctypes.CDLL\n" \
                     "ctypes.CDLL = lambda name: load(name if '/' in name else '/does/not/' + name)\nimport freeridge"
            done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "FREERIDGE_LIBRARY": variable},
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode == 0, words == "", done.stderr)
            self.assertRegex(done.stderr.split("\n")[-2] if words else "", f"ImportError: .*{words}" if words else "^$")
        for minor, words in ((0, "version 0.1 .* is 0.0: install it"),
                             (1, "has no call freeridge_kernel_linear.* install it")):
            script = "import ctypes\nclass Other:\n  @staticmethod\n  def freeridge_version(a, b, c):\n" \
                     f"    b._obj.value = {minor}\nctypes.CDLL = lambda path: Other()\nimport freeridge"
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
            self.assertRegex(done.stderr.split("\n")[-2], f"ImportError: .*{words}")

    def test_names_and_texts(self):
        """Files have names of any bytes but zero, and a message of any length is text; what cannot be in the name is
        refused, and not cut."""
        x, y = points(12)
        model, rows = fr.Model(fr.linear(), x, y).set_lambda(1.0), fr.Accumulator(3).add(x, y)
        classes = fr.Classifier(fr.linear(), fr.LOSS_HINGE, x, np.sign(y)).fit(1.0)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("plain", "caf\u00e9 \U0001d11e", os.fsdecode(b"caf\xe9"), b"caf\xe9 bytes"):
                path = os.path.join(folder if isinstance(name, str) else os.fsencode(folder), name)
                for saved in (model, rows, classes):
                    with self.assertRaises(fr.Error) as caught:
                        type(saved).load(path + ("-none" if isinstance(name, str) else b"-none"))
                    self.assertEqual(caught.exception.status, library.IO)
                    self.assertIn(os.fsdecode(path), str(caught.exception))
                    saved.save(path)
                    self.assertEqual(type(saved).load(path).to_bytes(), saved.to_bytes())
            for saved in (model, rows, classes):
                for call in (saved.save, type(saved).load):
                    with self.assertRaisesRegex(ValueError, "path has a zero byte, at place"):
                        call(os.path.join(folder, "cut\0here"))
            self.assertEqual([name for name in os.listdir(folder) if name.startswith("cut")], [])
        for length in range(990, 1010):  # the library's message ends within 1023 bytes, and with a whole character
            with self.assertRaisesRegex(fr.Error, "[x/\u00e9]$"):
                fr.Model.load("/does/not/exist/" + "x" * (length % 2) + "\u00e9" * length)
        with self.assertRaisesRegex(ValueError, "text has a zero byte, at place 8"):
            fr.parse_kernel("linear()\0 junk")
        with self.assertRaisesRegex(fr.InputError, "character 1, not the byte 233"):
            fr.parse_kernel("\udce9")

    def test_rows_by_a_reader(self):
        """Without rows in memory, as in it; what is not rows x d, or no numbers, is refused in words, and what the
        reader raises comes out."""
        x, y = points(3000)
        weights = np.linspace(0.5, 2.0, 3000)
        expected = fr.Model(fr.linear(), x, y, weights).set_lambda(1.0).loo()
        for n in (-1, 3000):
            for given in (lambda i, k: (x[i:i + k], y[i:i + k], weights[i:i + k]),
                          lambda i, k: [pd.DataFrame(x[i:i + k]), y[i:i + k, np.newaxis].tolist(), weights[i:i + k]]):
                model = fr.Model.from_reader(fr.linear(), given, 3, n=n, progress=lambda _: False).set_lambda(1.0)
                self.assertLessEqual(np.max(np.abs(model.loo() - expected)), 1e-11)
                self.assertEqual((model.n, model.d, model.t), (3000, 3, 1))
                self.assertLessEqual(np.max(np.abs(model.clone().factorize().set_lambda(1.0).loo() - expected)), 1e-11)
        plain = fr.Model.from_reader(fr.linear(), lambda i, k: (x[i:i + k], y[i:i + k], None), 3).set_lambda(1.0)
        self.assertLessEqual(np.max(np.abs(plain.loo() - fr.Model(fr.linear(), x, y).set_lambda(1.0).loo())), 1e-11)
        with_landmarks = fr.Model.from_reader(fr.gaussian(1.0), lambda i, k: (x[i:i + k], y[i:i + k]), 3, n=3000,
                                              landmarks=[0, 5, 9, 100]).set_lambda(0.1)
        in_memory = fr.Model(fr.gaussian(1.0), x, y, landmarks=[0, 5, 9, 100]).set_lambda(0.1)
        self.assertLessEqual(np.max(np.abs(with_landmarks.predict(x[:9]) - in_memory.predict(x[:9]))), 1e-9)
        np.testing.assert_allclose(with_landmarks.coefficients(), in_memory.coefficients()[[0, 5, 9, 100]], rtol=1e-7)
        self.assertEqual(with_landmarks.set_data(x, y).factorize().set_lambda(0.1).coefficients().shape, (3000, 1))
        uncounted = fr.Model.from_reader(fr.linear(), lambda i, k: (x[i:i + k], y[i:i + k]), 3, factorize=False)
        self.assertEqual((repr(uncounted), uncounted.n), ("<Model of a reader's rows x 3, 1 output>", -1))
        for call in (uncounted.loo, uncounted.weights, lambda: uncounted.set_weights(weights), uncounted.leverage,
                     lambda: uncounted.set_groups(np.zeros(3000)), lambda: uncounted.set_fixed_effects(y),
                     lambda: uncounted.score(fr.LOO, [1.0]), lambda: uncounted.hat_matrix(1.0)):
            with self.assertRaises(fr.Error) as caught:  # what needs n or the factorization
                call()
            self.assertEqual(caught.exception.status, library.INVALID_STATE)
        self.assertEqual(uncounted.factorize().set_lambda(1.0).loo().shape, (3000, 1))
        with self.assertRaises(fr.Error) as caught:  # a linear kernel has a hyperplane
            uncounted.coefficients()
        self.assertEqual(caught.exception.status, library.INVALID_STATE)
        masked, column = np.ma.array(y, mask=np.arange(3000) == 7), weights[:, np.newaxis]
        for kind, words, reader in (
                (ValueError, r"x of shape \(3, 3000\), y of shape \(3000, 1\) at row 0; .* rows x 3",
                 lambda i, k: (x[i:i + k].T, y[i:i + k])),
                (ValueError, r"x of shape \(9000,\)", lambda i, k: (x[i:i + k].ravel(), y[i:i + k])),
                (ValueError, "for rows <= ", lambda i, k: (np.zeros((k + 1, 3)), np.zeros(k + 1))),
                (ValueError, r"y of shape \(2999, 1\)", lambda i, k: (x[i:i + k], y[i + 1:i + k])),
                (ValueError, r"weights of shape \(3000, 1\)", lambda i, k: (x[i:i + k], y[i:i + k], column)),
                (ValueError, r"y \(from row 0 on\)\[7\] is masked", lambda i, k: (x[i:i + k], masked[i:i + k])),
                (ValueError, "x .* complex", lambda i, k: (x[i:i + k] + 0j, y[i:i + k])),
                (TypeError, "must give x and y", lambda i, k: None),
                (TypeError, "must give x and y", lambda i, k: x[:2]),
                (ZeroDivisionError, "division", lambda i, k: 1 / 0), (SystemExit, "", lambda i, k: sys.exit())):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                fr.Model.from_reader(fr.linear(), reader, 3)

    def test_values_that_were_not_observed(self):
        x, y = points(30)
        y[[3, 8]] = np.nan
        seen = np.isfinite(y)
        expected = fr.Model(fr.gaussian(1.0), x[seen], y[seen]).set_lambda(0.1)
        for data in (x, scipy.sparse.csr_matrix(x)):
            with self.assertRaisesRegex(fr.InputError, r"y\[3, 0\] is nan; .*missing=True"):
                fr.Model(fr.gaussian(1.0), data, y)
            model = fr.Model(fr.gaussian(1.0), data, [None if np.isnan(value) else value for value in y], missing=True)
            np.testing.assert_allclose(model.set_lambda(0.1).predict(x), expected.predict(x), rtol=1e-10)
        with self.assertRaisesRegex(fr.InputError, r"x\[0, 0\] is nan; every value must be finite$"):
            fr.Model(fr.gaussian(1.0), np.where(np.arange(30)[:, np.newaxis] == 0, np.nan, x), np.ones(30))

    def test_gradient_of_a_score(self):
        x = np.random.default_rng(7).normal(size=(20, 2))
        kernel, values = fr.gaussian(1.5).scaled([1.0, 2.0]), np.array([1.0, 2.0, 1.5])
        model = fr.Model(kernel, x, np.sin(x[:, 0]))
        found = model.score_gradient(fr.LOO, 0.3)
        self.assertAlmostEqual(found.score, model.factorize().score(fr.LOO, [0.3])[0, 0], places=12)
        for k, step in enumerate(1e-5 * np.eye(3)):
            high, low = (fr.Model(kernel.with_hyperparameters(values * np.exp(side * step)), x, np.sin(x[:, 0]))
                         .score_gradient(fr.LOO, 0.3).score for side in (1, -1))
            self.assertAlmostEqual((high - low) / 2e-5, found.by_log_hyperparameters[k], places=9)
        with self.assertRaises(ValueError):
            model.score_gradient(fr.ERROR_RATE, 0.3)

    def test_what_is_no_number(self):
        """Nothing is cut, rounded or half read on its way into the library; numpy's numbers are numbers."""
        x, y = points(12)
        model = fr.Model(fr.gaussian(1.0), x, y).set_lambda(np.float32(0.5))
        self.assertEqual(model.lambdas()[0], 0.5)
        self.assertEqual(len(fr.make_folds(np.int64(12), np.int8(3))), 12)
        for kind, word, call in (
                (TypeError, "sigma is 'a'", lambda: fr.gaussian("a")),
                (TypeError, "sigma is None", lambda: fr.gaussian(None)),
                (ValueError, "32 bits", lambda: fr.polynomial(2**32 + 1, 1.0, 1.0)),
                (TypeError, "whole number", lambda: fr.make_folds(12, 2.5)),
                (TypeError, "a kernel", lambda: fr.Model("rbf", x, y)),
                (ValueError, "whole numbers", lambda: model.group_errors(np.full(12, 0.5))),
                (ValueError, "whole numbers", lambda: model.set_groups(np.full(12, 2**40))),
                (ValueError, "complex", lambda: fr.Model(fr.linear(), x * 1j, y)),
                (ValueError, "complex", lambda: model.score(fr.LOO, [1j])),
                (TypeError, "lambda is", lambda: model.set_lambda("1")),
                (TypeError, "bytes", lambda: fr.Model.from_bytes("a" * 80)),
                (TypeError, "lambda is", lambda: model.set_lambda(np.complex64(1j))),
                (TypeError, "lambda is", lambda: model.set_lambda(np.datetime64("2020-01-01", "ns"))),
                (TypeError, "lambda is", lambda: model.set_lambda(np.str_("1"))),
                (TypeError, "lambda is", lambda: model.set_lambda(np.ma.masked)),
                (TypeError, "sigma is", lambda: fr.gaussian(pd.NA)),
                (TypeError, "flatnonzero", lambda: model.set_landmarks(y > 0)),
                (TypeError, "group has labels .* return_inverse", lambda: model.set_groups(list("abcdefghijkl"))),
                (TypeError, "group has labels", lambda: model.group_errors(pd.Series(list("abc") * 4, dtype="category"))),
                (TypeError, "gap has labels", lambda: model.group_errors(np.zeros(12), np.array(["a"] * 12, object))),
                (TypeError, "landmarks is 0.5", lambda: model.set_landmarks(0.5))):
            with self.subTest(word), self.assertRaisesRegex(kind, word):
                call()


class Progress(unittest.TestCase):
    def test_progress_and_cancel(self):
        x = np.random.default_rng(3).normal(size=(300, 3))
        y = np.sin(x).sum(axis=1)
        seen = []
        model = fr.Model(fr.gaussian(2.0), x, y, progress=lambda fraction: seen.append(fraction))
        self.assertTrue(len(seen) > 1 and seen == sorted(seen) and seen[-1] == 1.0)
        expected = model.set_lambda(0.1).loo()
        model.set_progress(lambda fraction: True)
        with self.assertRaises(fr.Error) as caught:
            model.factorize()
        self.assertEqual(caught.exception.status, library.CANCELLED)

        def wrong(fraction):
            raise KeyboardInterrupt(f"at {fraction}")

        model.set_progress(wrong)
        with self.assertRaises(KeyboardInterrupt):
            model.select_lambda(fr.LOO)
        self.assertTrue(np.all(model.set_progress(None).loo() == expected))

    def handles(self):
        """One of each kind, and a call that each reports of."""
        x, y = points(300)
        model = fr.Model(fr.gaussian(2.0), x, y).set_lambda(0.1)
        rows = fr.Accumulator(3).add(x, y)
        classes = fr.Classifier(fr.gaussian(2.0), fr.LOSS_LOGISTIC, x, np.sign(y)).fit(1.0)
        return [(model, model.factorize, model.loo), (rows, lambda: rows.add(x, y), lambda: rows.solve([1.0])),
                (classes, lambda: classes.fit(0.5), lambda: classes.decision(x))]

    def test_own_model(self):
        """A progress function that uses what it hears of, or unsets itself, is an exception, whatever the call."""
        for handle, change, ask in self.handles():
            for wrong in (lambda _: handle.set_progress(None), lambda _: ask(), lambda _: change(),
                          lambda _: pickle.dumps(handle)):
                for call in (change, ask):
                    handle.set_progress(wrong)
                    with self.subTest(type(handle).__name__), self.assertRaisesRegex(RuntimeError, "progress function"):
                        call()
            handle.set_progress(None)
            ask()

    def test_another_model_in_the_callback(self):
        x, y = points(60)
        other = fr.Model(fr.gaussian(1.0), x, y).set_lambda(0.1)
        expected, seen = other.loo(), []
        fr.Model(fr.gaussian(2.0), x, y, progress=lambda _: seen.append(other.loo()))
        self.assertTrue(seen and all(np.all(each == expected) for each in seen))

    def test_freed_with_its_owner(self):
        gc.disable()
        try:
            x, y = points(9)
            for make in (lambda: fr.Model(fr.linear(), x, y, progress=lambda _: False), lambda: fr.Accumulator(3),
                         lambda: fr.Classifier(fr.linear(), fr.LOSS_HINGE, x, np.sign(y)), lambda: fr.gaussian(1.0)):
                owner = make()
                seen = weakref.ref(owner)
                del owner
                self.assertIsNone(seen())
        finally:
            gc.enable()

    def test_memory_goes_with_the_owner(self):
        """Of what was made in any way, also where the making failed; at the end of the process, too."""
        script = """
import copy, gc, pickle, resource, numpy as np, freeridge as fr
x = np.random.default_rng(1).normal(size=(300, 3))
y = np.sin(x[:, 0])
def round():
    model = fr.Model(fr.gaussian(1.0).scaled([1.0, 2.0, 3.0]), x, y, route=fr.ROUTE_SPECTRAL).set_lambda(0.1)
    small = model.predictor()
    kept = [model.clone(), copy.copy(model), pickle.loads(pickle.dumps(small)), model.kernel().parts[0]]
    kept.append(kept)  # a cycle
    fr.Accumulator(300).add(np.tile(x[:, :1], 300), y).predictor([1.0])
    fr.Classifier(fr.linear(), fr.LOSS_HINGE, x, np.sign(y)).fit(1.0).kernel()
    try:
        fr.Model(fr.gaussian(1.0), x, np.where(y > 0, np.nan, y))
    except ValueError:
        pass
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
for _ in range(5): round()
gc.collect()
before = peak()
for _ in range(30): round(); gc.collect()
assert peak() - before < 30, (before, peak())  # each model has 2 MB
assert len(fr.library._HELD) < 300, len(fr.library._HELD)
alive = fr.Model(fr.gaussian(1.0), x, y)
"""
        quarantine = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"  # of a sanitizer, where there is one
        done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "ASAN_OPTIONS": quarantine},
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_ctrl_c(self):
        """While the library works, with a progress function and without, and in that function; a handler that raises
        nothing lets the work go on."""
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it may be ignored
        self.addCleanup(signal.signal, signal.SIGINT, before)
        x, y = points(2500)
        model = fr.Model(fr.gaussian(2.0), x, y, route=fr.ROUTE_SPECTRAL, factorize=False)  # seconds
        unraisable = []
        hook, sys.unraisablehook = sys.unraisablehook, unraisable.append
        self.addCleanup(setattr, sys, "unraisablehook", hook)
        press = lambda *_: os.kill(os.getpid(), signal.SIGINT)
        for function, seconds in ((None, 0.1), (lambda _: False, 0.1), (lambda part: part > 0 and press(), None)):
            model.set_progress(function)
            timer = threading.Timer(seconds or 0, press)
            with self.assertRaises(KeyboardInterrupt):
                if seconds:
                    timer.start()
                model.factorize()
            timer.join() if seconds else None
            self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        self.assertEqual(unraisable, [])
        with self.assertRaises(fr.Error):
            model.rank()  # as before the call
        pressed = []
        signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
        small = fr.Model(fr.gaussian(2.0), x[:300], y[:300], progress=lambda fraction: 0 < fraction < 1 and press())
        self.assertTrue(pressed)
        self.assertEqual(small.set_progress(None).set_lambda(0.1).loo().shape, (300, 1))

    def test_what_other_signals_raise(self):
        """A time limit by SIGALRM, whose handler raises: that comes out of the call, at once out of a progress function
        or a reader, and nothing is written to stderr. So does what another thread raises in this one."""
        class Late(BaseException):
            pass

        def late(*_):
            raise Late

        def wait(seconds):  # sleep() misses a signal that comes just before it
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                pass

        before = signal.signal(signal.SIGALRM, late)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        unraisable = []
        hook, sys.unraisablehook = sys.unraisablehook, unraisable.append
        self.addCleanup(setattr, sys, "unraisablehook", hook)
        x, y = points(2500)
        model = fr.Model(fr.gaussian(2.0), x, y, route=fr.ROUTE_SPECTRAL, factorize=False)  # seconds
        raise_here = ctypes.pythonapi.PyThreadState_SetAsyncExc
        this = ctypes.c_ulong(threading.get_ident())
        for function in (None, lambda _: False, lambda part: part > 0 and time.sleep(10)):
            model.set_progress(function)
            for k in range(5):
                alarm = (signal.ITIMER_REAL, 0.05 + 0.003 * k)
                self.assertRaises(Late, lambda: (signal.setitimer(*alarm), model.factorize()))
                self.assertIs(signal.getsignal(signal.SIGALRM), late)
        model.set_progress(None)
        for k in range(5):
            timer = threading.Timer(0.05 + 0.003 * k, lambda: raise_here(this, ctypes.py_object(Late)))
            self.assertRaises(Late, lambda: (timer.start(), model.factorize()))
            timer.join()
        slow = lambda first, count: time.sleep(10)
        alarm = (signal.ITIMER_REAL, 0.05)
        self.assertRaises(Late, lambda: (signal.setitimer(*alarm), fr.Model.from_reader(fr.linear(), slow, 3)))
        self.assertEqual((unraisable, sys.unraisablehook), ([], unraisable.append))
        # Whenever one comes, handlers are what they were after the call, and the model answers.
        signal.signal(signal.SIGUSR1, late)
        small = fr.Model(fr.linear(), x[:9], y[:9]).set_lambda(1.0)
        loops = (lambda: (small.lambdas(), wait(30)), lambda: [fr.Model(fr.gaussian(1.0), x[:150], y[:150])
                                                               for _ in range(10000)])
        for k in range(2000):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-6 * (1 + k % 50) * (1 if k < 1000 else 30))
                loops[k >= 1000]()
                self.fail("what the handler raised was lost")
            except Late:
                pass
        self.assertEqual([signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGUSR1)], [late, late])
        self.assertRaises(Late, signal.raise_signal, signal.SIGUSR1)
        self.assertEqual((small.lambdas()[0], sys.unraisablehook), (1.0, unraisable.append))
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        # A handler that takes itself away stays away.
        signal.signal(signal.SIGALRM, lambda *_: signal.signal(signal.SIGALRM, signal.SIG_IGN) and None)
        alarm = lambda part: 0 < part < 1 and signal.raise_signal(signal.SIGALRM)
        fr.Model(fr.gaussian(2.0), x[:300], y[:300], progress=alarm)
        self.assertIs(signal.getsignal(signal.SIGALRM), signal.SIG_IGN)

    def test_threads(self):
        """Answers side by side; what changes the model waits for what runs, and the other way round."""
        x, y = points(200)
        model = fr.Model(fr.gaussian(2.0), x, y).set_lambda(0.1)
        expected, entered, leave, order = model.loo(), threading.Event(), threading.Event(), []

        def hold(fraction):
            entered.set()
            leave.wait(10)

        model.set_progress(hold)
        first = threading.Thread(target=lambda: (model.loo(), order.append("loo")))
        first.start()
        self.assertTrue(entered.wait(10))
        model.set_progress(None)
        self.assertTrue(np.all(model.loo() == expected))  # while the first is on its way
        second = threading.Thread(target=lambda: (model.set_lambda(3.0), order.append("set_lambda")))
        second.start()
        second.join(0.05)
        self.assertEqual(order, [])
        leave.set()
        first.join(), second.join()
        self.assertEqual(order, ["loo", "set_lambda"])
        self.assertEqual(model.lambdas()[0], 3.0)


class Pickles(unittest.TestCase):
    def elsewhere(self, value, expression):
        """What another process makes of its pickle."""
        script = "import pickle, sys\nvalue = pickle.load(sys.stdin.buffer)\n" \
                 f"sys.stdout.buffer.write(pickle.dumps({expression}))"
        done = subprocess.run([sys.executable, "-c", script], input=pickle.dumps(value), capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return pickle.loads(done.stdout)

    def test_same_bits(self):
        x, y = points(40)
        model = fr.Model(fr.gaussian(2.0), x, y, copy=False).set_lambda(0.1)
        linear = fr.Model(fr.linear(), x, y).set_lambda(0.1)
        rows = fr.Accumulator(3).add(x[:30], y[:30])
        for value, expression in ((model, "value.set_lambda(1.0).loo()"),
                                  (rows, "value.add([[1, 2, 3]], [4]).solve([1.0])"),
                                  (model.predictor(), "value.predict([[1, 2, 3]])"), (fr.gaussian(1 / 3), "str(value)"),
                                  (linear.predictor(), "value.predict([[1, 2, 3]])")):
            with self.subTest(value=value):
                there = self.elsewhere(value, expression)
                here = eval(expression, {"value": copy.copy(value)})
                self.assertEqual(pickle.dumps(there), pickle.dumps(here))
        self.assertTrue(model.predictor().is_predictor and not model.is_predictor)
        self.assertTrue(copy.deepcopy(linear.predictor()).is_predictor)
        self.assertTrue(np.all(linear.predictor().predict(x) == linear.predict(x)))

    def test_a_classifier_is_fitted_again(self):
        x, y = points(40)
        labels, weights = np.sign(y + 0.3 * x[:, 0] ** 2), np.linspace(0.5, 2.0, 40)
        for loss in (fr.LOSS_LOGISTIC, fr.LOSS_HINGE):
            ours = fr.Classifier(fr.gaussian(2.0), loss, x, labels, weights).control(1e-12).fit(0.3)
            x_before = x.copy()
            x += 1.0  # the data are its own
            there = self.elsewhere(ours, "(value.decision([[1, 2, 3]]), value.coefficients(), value.convergence())")
            x -= 1.0
            np.testing.assert_allclose(x, x_before)
            self.assertLessEqual(abs(there[0] - ours.decision([[1, 2, 3]])), 1e-9)
            np.testing.assert_allclose(there[1].c, ours.coefficients().c, atol=1e-9)
            self.assertLessEqual(there[2].stationarity, 1e-12)
        with self.assertRaises(fr.Error):
            copy.copy(fr.Classifier(fr.linear(), fr.LOSS_HINGE, x, labels)).decision(x)  # never fitted

    def test_errors(self):
        """Those of a pool's workers cross processes; what of an answer has a value is in them."""
        model = fr.Model(fr.linear(), np.eye(3)[:, :1], [1.0, 2.0, 3.0]).set_lambda(0.0)
        with self.assertRaises(fr.Error) as caught:
            model.loo()
        ours = fr.FreeRidge(0.0, kernel="linear").fit([[1.0], [0.0], [0.0], [2.0]], [1.0, 2.0, 3.0, 9.0], [1, 1, 1, 0])
        with self.assertRaises(fr.Error) as of_the_estimator:
            ours.loo_errors()  # in the shape of y, and with the row of weight 0
        np.testing.assert_allclose(of_the_estimator.exception.values, [np.nan, -1.0, 1.0, 9.5])
        error = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((error.status, error.name, str(error)), (fr.UNDEFINED, "UNDEFINED", str(caught.exception)))
        np.testing.assert_allclose(error.values[:, 0], [np.nan, -1.0, 1.0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
