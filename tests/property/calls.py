"""Calls by name with their status, outputs that know whether they were written, and what the machines of this folder
share. How many sequences are tried: FREERIDGE_PROPERTY_EXAMPLES (the same ones each time); with FREERIDGE_PROPERTY_SEED
other ones."""

import ctypes
import os

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st

import freeridge.library as c
from freeridge.arrays import pointer

SEED = os.environ.get("FREERIDGE_PROPERTY_SEED")


def limits(examples, steps=25):
    return settings(max_examples=int(os.environ.get("FREERIDGE_PROPERTY_EXAMPLES", examples)),
                    stateful_step_count=steps, derandomize=SEED is None, database=None, deadline=None,
                    suppress_health_check=list(HealthCheck), print_blob=True)


def test_case(machine, examples, steps=25):
    """The machine as a unittest.TestCase."""
    case = (machine if SEED is None else with_seed(int(SEED))(machine)).TestCase
    case.settings = limits(examples, steps)
    return case


def status_of(name, *arguments):
    return getattr(c.library, "freeridge_" + name)(*arguments)


def words():
    return c.library.freeridge_last_error().decode()


def expect(expected, name, *arguments):
    """Calls, and holds the status to one, or one of some."""
    status = status_of(name, *arguments)
    if status not in (expected if isinstance(expected, tuple) else (expected,)):
        raise AssertionError(f"freeridge_{name} answers {status}, expected was {expected}; its words: {words()}")
    return status


class Output:
    """rows x columns numbers, column-major, with a leading dimension one longer than it must be."""

    UNTOUCHED = -12345.678

    def __init__(self, rows, columns=1):
        self.ld = rows + 1
        self.all = np.full((self.ld, columns), self.UNTOUCHED, order="F")

    @property
    def pointer(self):
        return pointer(self.all)

    @property
    def numbers(self):
        assert np.all(self.all[-1] == self.UNTOUCHED), "the padding was written to"
        return self.all[:-1]

    @property
    def untouched(self):
        return bool(np.all(self.all == self.UNTOUCHED))


def vector(values, kind=np.float64):
    return np.ascontiguousarray(values, dtype=kind)


def close(actual, expected, scale, tolerance, what):
    """|actual - expected| <= tolerance scale, entry by entry, NaN in the same places."""
    actual, expected = (np.atleast_1d(np.asarray(values, np.longdouble)) for values in (actual, expected))
    assert actual.shape == expected.shape, (what, actual.shape, expected.shape)
    assert np.array_equal(np.isnan(actual), np.isnan(expected)), f"{what}: NaN elsewhere\n{actual}\n{expected}"
    with np.errstate(invalid="ignore"):
        error = np.abs(actual - expected)
    error[actual == expected] = 0  # Inf, too
    worst = np.max(np.where(np.isnan(error), 0, error), initial=0)
    assert worst <= tolerance * scale, f"{what}: off by {worst} beside {scale}\n{actual}\n{expected}"


def bytes_of(name, handle):
    length = c.INT64()
    expect(c.OK, name, handle, 0, None, length)
    out = ctypes.create_string_buffer(length.value)
    expect(c.OK, name, handle, len(out), out, length)
    return out.raw


def made(name, kind, *arguments):
    handle = kind()
    expect(c.OK, name, *arguments, ctypes.byref(handle))
    return handle


def kernel_handle(text):
    return made("kernel_parse", c.KERNEL, text.encode())


class Borrowed:
    """A matrix in some layout with gaps of 99, to be handed over."""

    def __init__(self, matrix, by_rows, gap):
        matrix = np.asarray(matrix, np.float64)
        rows, columns = matrix.shape
        self.layout = c.ROW_MAJOR if by_rows else c.COL_MAJOR
        lines, length = (rows, columns) if by_rows else (columns, rows)
        self.ld = length + gap
        self.buffer = np.full((lines, self.ld), 99.0)
        self.buffer[:, :length] = matrix if by_rows else matrix.T

    @property
    def pointer(self):
        return pointer(self.buffer)


eighths = st.integers(-16, 16).map(lambda k: k / 8)
lambdas = st.integers(-6, 6).map(lambda k: 2.0 ** k)
positive = st.sampled_from([0.25, 0.5, 1.0, 2.0, 3.0])
none = st.sampled_from([float("nan"), float("inf"), float("-inf")])


def matrices(rows, columns):
    return st.lists(eighths, min_size=rows * columns, max_size=rows * columns).map(
        lambda values: np.array(values).reshape(rows, columns))
