"""Saved predictors without the library: read and written by the words of docs/file-format.md alone, in Python's struct.

What is read from the files of tests/data/saved predicts as the library does; what is written here, the library loads.
"""

import glob
import math
import os
import re
import struct
import tempfile
import unittest

import numpy as np

import freeridge as fr

SAVED = os.path.join(os.environ["FREERIDGE_TEST_DATA"], "saved")
HYPERPLANE, DATA, LANDMARKS = 1, 2, 3
PREDICTOR = 3


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def payload(data):
    """The kind and the payload of a container, checked."""
    magic, version, kind, length = struct.unpack_from("<8sqqq", data)
    assert magic == b"FREERIDG" and version in (1, 2, 3, 4, 5, 6, 7) and length == len(data) - 40 and length % 8 == 0
    assert struct.unpack_from("<q", data, len(data) - 8)[0] == crc32c(data[:-8])
    return version, kind, data[32:-8]


def container(kind, body):
    data = struct.pack("<8sqqq", b"FREERIDG", 2, kind, len(body)) + body
    return data + struct.pack("<q", crc32c(data))


class Predictor:
    """A predictor's payload, and f."""

    def __init__(self, body, version):
        self.body, self.at = body, 0
        self.n, self.d, self.t, self.form = self.integers(4)
        length = self.integers(1)[0]
        self.kernel = self.body[self.at:self.at + length].decode()
        self.at += (length + 7) // 8 * 8
        self.lambdas, self.b = self.numbers(self.t), self.numbers(self.t)
        self.fixed = self.matrix(self.integers(1)[0], self.t) if version > 4 else np.zeros((0, self.t))
        if self.form == HYPERPLANE:
            self.origin, self.level = np.zeros(self.d), self.b
            if version > 1:
                self.origin, self.level = self.numbers(self.d), self.numbers(self.t)
            self.w = self.matrix(self.d, self.t)
        else:
            rows = self.n
            if self.form == LANDMARKS:
                rows = self.integers(1)[0]
                self.rows = self.integers(rows)
            given = self.kernel == "precomputed()"
            self.x, self.c = None if given else self.matrix(rows, self.d), self.matrix(rows, self.t)
        assert self.at == len(body)

    def integers(self, count):
        self.at += 8 * count
        return struct.unpack_from(f"<{count}q", self.body, self.at - 8 * count)

    def numbers(self, count):
        self.at += 8 * count
        return np.array(struct.unpack_from(f"<{count}d", self.body, self.at - 8 * count))

    def matrix(self, rows, columns):
        return self.numbers(rows * columns).reshape((rows, columns), order="F")

    def predict(self, points):
        if self.form == HYPERPLANE:
            return (points - self.origin) @ self.w + self.level
        sigma = float(re.fullmatch(r"gaussian\(sigma = (.*)\)", self.kernel).group(1))
        squares = ((points[:, None, :] - self.x[None, :, :]) ** 2).sum(axis=2)
        return np.exp(-squares / sigma**2) @ self.c + self.b


class SavedPredictors(unittest.TestCase):
    def test_checksum(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)

    def test_every_file_has_the_frame(self):
        files = glob.glob(os.path.join(SAVED, "*.freeridge"))
        self.assertGreaterEqual(len(files), 20)
        for path in files:
            with self.subTest(path), open(path, "rb") as file:
                _, kind, _ = payload(file.read())
                self.assertEqual(kind, {"accumulator": 1, "model": 2, "predictor": 3, "classifier": 4}[
                    os.path.basename(path).split(".")[0].split("_")[0]])

    def test_read_without_the_library(self):
        points = np.array([[-1.0], [0.5], [3.0], [7.25]])
        files = glob.glob(os.path.join(SAVED, "predictor_*.freeridge"))
        self.assertEqual(len(files), 24)
        forms = set()
        for path in files:
            with self.subTest(path), open(path, "rb") as file:
                version, _, body = payload(file.read())
                predictor = Predictor(body, version)
                if len(predictor.fixed):  # of K = 0: the line of least squares through the six points of make.c
                    np.testing.assert_allclose(predictor.b + predictor.fixed[0] * [0, 1, 2, 3, 5, 8],
                                               np.polyval(np.polyfit([0, 1, 2, 3, 5, 8], [1, -1, 2, 0, 3, 1], 1),
                                                          [0, 1, 2, 3, 5, 8]), atol=1e-13)
                    continue
                forms.add(predictor.form)
                np.testing.assert_allclose(fr.Model.load(path).predict(points), predictor.predict(points),
                                           rtol=0, atol=1e-14)
        self.assertEqual(forms, {HYPERPLANE, DATA, LANDMARKS})

    def test_written_without_the_library(self):
        generator = np.random.default_rng(3)
        n, d, t = 5, 3, 2
        x, c, b = generator.normal(size=(n, d)), generator.normal(size=(n, t)), np.array([0.5, -2.0])
        text = b"gaussian(sigma = 1.25)"
        body = struct.pack("<5q", n, d, t, DATA, len(text)) + text + bytes(-len(text) % 8)
        for values in ([0.1, 0.2], b, x.ravel(order="F"), c.ravel(order="F")):
            body += struct.pack(f"<{len(values)}d", *values)
        points = generator.normal(size=(4, d))
        expected = [[b[j] + math.fsum(c[i, j] * math.exp(-math.fsum((p - x[i]) ** 2) / 1.25**2) for i in range(n))
                     for j in range(t)] for p in points]
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "predictor")
            with open(path, "wb") as file:
                file.write(container(PREDICTOR, body))
            np.testing.assert_allclose(fr.Model.load(path).predict(points), expected, rtol=0, atol=1e-14)


if __name__ == "__main__":
    unittest.main()
