"""Every call of the table of declarations in every state of its handles, with arguments that nobody should give: one at a
time, and up to three at once. A call must come back, with a status that the header knows and not INTERNAL; what failed
has written nothing, and neither it nor a call that takes the handle as const has changed the handle's saved bytes.

Calls and arguments come from the table, so that a new call is tried without a line here. FREERIDGE_TEST_DEEP=1: all; else
a part that chance picks. Each state has a process of its own, which says where it is before each call."""

import ctypes
import functools
import mmap
import os
import random
import shutil
import signal
import struct
import sys
import tempfile
import unittest

import numpy as np

import freeridge as fr
from freeridge import declarations, library

DEEP = os.environ.get("FREERIDGE_TEST_DEEP") == "1"
LIBRARY = library.library
ROOM = 1 << 14  # numbers of an array
SECONDS = 60  # that a call may take
INT64_MAX = 2 ** 63 - 1
N, D, T = 12, 2, 1
KNOWN = {value for name, value in declarations.NAMES.items() if isinstance(value, int)}
FAILED_WELL = {library.OK, library.UNDEFINED}
# What a call that fails may write, as its comment in the header says.
WRITTEN = {"length", "count", "gap", "layers"}
# Of every number the usual value; others are 1.
USUAL = {"n": N, "d": D, "t": T, "m": 5, "r": 3, "k": 2, "count": 2, "divisions": 1, "folds": 3, "seed": 0, "layers": 0,
         "layout": library.COL_MAJOR, "level": 0.8, "nu": 1.5, "evaluations": 3, "budget": 3, "rows": 0, "probes": 4,
         "low": 0.1, "high": 10.0, "borrow": 0, "index": 0, "size": ROOM, "before": 0, "after": 0, "fraction": 0.5, "what": 0,
         "rcond": 1e-10, "prior": 0.5, "kind": 1, "criterion": library.GCV, "groups": 2,
         "parameter": library.INTERCEPT}
STRANGE_WHOLE = [0, -1, 3, 7, -INT64_MAX - 1, INT64_MAX, 2 ** 62]
STRANGE_NUMBERS = [0.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e308, 5e-324]


def points(layout=library.COL_MAJOR, **changed):
    """x with its rows, kept alive by the struct; in ROOM numbers, as a strange d is one that may be."""
    held = np.zeros(ROOM)
    rows = held[: N * D].reshape(D, N).T
    rows[:] = np.linspace(-1, 1, N * D).reshape(N, D) ** 2
    made = library.struct("points", n=N, d=D, layout=layout, ldx=N)
    made.x = rows.ctypes.data_as(library.DOUBLES)
    for name, value in changed.items():
        setattr(made, name, value)
    made.held = rows, changed
    return made


def reader(answer):
    return library.READER(lambda first, count, x, y, weights, user: answer)


def strange_points():
    yield None
    for size in (0, -1, 8, INT64_MAX):
        yield points(size=size)
    for name in ("n", "d", "ldx", "unpenalised_count", "ldu"):
        for value in STRANGE_WHOLE:
            yield points(**{name: value})
    for name in ("layout", "format"):
        for value in (-1, 2, 3, 99, 2 ** 31 - 1):
            yield points(**{name: value})
    yield points(x=None)
    for value in (float("nan"), float("inf"), 1e308):
        bad = points()
        bad.held[0][3, 1] = value
        yield bad
    for answer in (-1, 0, 1, INT64_MAX):
        yield points(reader=reader(answer))
    start, index = (library.INT64 * (N + 1))(*range(N + 1)), (library.INT32 * N)(*([0, 5, -1, 1] * 3))
    value = (library.DOUBLE * N)(*range(N))
    for kind in (1, 2):
        yield points(format=kind, start=start, index=index, value=value, x=None)


class Array:
    """ROOM numbers, and for the library their address."""

    def __init__(self, kind, fill):
        self.numbers = np.full(ROOM, fill, dtype=kind) if np.isscalar(fill) else np.resize(np.asarray(fill, dtype=kind), ROOM)

    def address(self, of):
        return self.numbers.ctypes.data_as(of)


class State:
    """Handles of each kind in a state. make: what makes another one that is the same, by the name of its struct."""

    def __init__(self, name, **make):
        self.name, self.make = name, make


def handles_of(owner, clone, *arguments):
    """A maker of handles from one that an owner of the Python package has."""
    def make():
        kind = type(owner.handle)
        out = kind()
        status = getattr(LIBRARY, clone)(*(arguments or (owner.handle,)), ctypes.byref(out))
        assert status == library.OK, (clone, status)
        out.owner = owner
        return out
    return make


def states():
    draw = np.random.RandomState(0)
    x, y = draw.randn(N, D), draw.randn(N)
    labels = np.sign(draw.randn(N))
    labels[:2] = -1, 1
    kernels = {"linear": fr.linear(), "gaussian": fr.gaussian(1.0), "sum": fr.parse_kernel("0.5 * linear() + matern(nu = 1.5, length = 1)"),
               "scaled": fr.parse_kernel("scaled([1, 2], gaussian(sigma = 1))")}

    def model(kernel, *steps, **given):
        made = fr.Model(kernels[kernel], x, given.pop("y", y), factorize=False, **given)
        for step, *arguments in steps:
            getattr(made, step)(*arguments)
        return handles_of(made, "freeridge_clone")

    def kernel(name):
        text = str(kernels[name]).encode()
        def make():
            out = library.KERNEL()
            assert LIBRARY.freeridge_kernel_parse(text, ctypes.byref(out)) == library.OK
            return out
        return make

    def accumulator(rows, landmarks=False):
        made = fr.Accumulator.over_landmarks(kernels["gaussian"], x[:3], T) if landmarks else fr.Accumulator(D, T)
        if rows:
            made.add(x[:rows], y[:rows])
        saved = made.to_bytes()
        return handles_of(made, "freeridge_accumulator_load_from_memory", saved, len(saved))

    def classifier(loss, fitted):
        made = fr.Classifier(kernels["gaussian"], loss, x, labels)
        if fitted:
            made.fit(1.0)
        saved = made.to_bytes()
        return handles_of(made, "freeridge_classifier_load_from_memory", saved, len(saved))

    yield State("nothing")
    for name in kernels:
        yield State("kernel " + name, freeridge_kernel=kernel(name))
    both = dict(freeridge_kernel=kernel("gaussian"))
    empty = library.MODEL()
    assert LIBRARY.freeridge_create(kernels["gaussian"].handle, ctypes.byref(empty)) == library.OK
    holder = type("Holder", (), {"handle": empty})
    yield State("empty", freeridge_model=handles_of(holder, "freeridge_clone"), **both)
    yield State("data", freeridge_model=model("gaussian"), **both)
    yield State("data, groups", freeridge_model=model("linear", ("set_groups", np.arange(N) % 3)), **both)
    for route in (library.ROUTE_SPECTRAL, library.ROUTE_CHOLESKY, library.ROUTE_BAND, library.ROUTE_ITERATIVE):
        for fitted in (False, True):
            steps = [("set_route", route), ("set_groups", np.arange(N) % 3), ("factorize",)] + [("set_lambda", 0.5)] * fitted
            yield State(f"route {route}, fitted {fitted}", freeridge_model=model("gaussian", *steps), **both)
    yield State("primal", freeridge_model=model("linear", ("set_route", library.ROUTE_PRIMAL), ("factorize",), ("set_lambda", 0.5)), **both)
    yield State("landmarks", freeridge_model=model("sum", ("set_landmarks", [0, 3, 7]), ("factorize",), ("set_lambda", 0.5)), **both)
    yield State("two outputs, some missing", freeridge_model=model(
        "scaled", ("factorize",), ("set_lambda", 0.5), missing=True, y=np.column_stack([y, np.where(np.arange(N) % 4, y, np.nan)])), **both)
    yield State("unpenalised", freeridge_model=model("gaussian", ("set_fixed_effects", x[:, :1] ** 2), ("factorize",), ("set_lambda", 0.5)), **both)
    yield State("lambda chosen", freeridge_model=model("gaussian", ("factorize",), ("select_lambda", library.LOO)), **both)
    yield State("bandwidth chosen", freeridge_model=model("gaussian", ("select_bandwidth", library.LOO)), **both)
    yield State("learnt", freeridge_model=model("scaled", ("select_kernel", library.REML)), **both)
    predictor = fr.Model(kernels["gaussian"], x, y).set_lambda(0.5).predictor()
    yield State("predictor", freeridge_model=handles_of(predictor, "freeridge_clone"), **both)
    for rows in (0, 2, N):
        yield State(f"accumulator of {rows}", freeridge_accumulator=accumulator(rows), **both)
    yield State("accumulator of landmarks", freeridge_accumulator=accumulator(N, True), **both)
    def window(name, rows):
        def make():
            out = library.WINDOW()
            assert LIBRARY.freeridge_window_create(kernels[name].handle, None, D, T, 1, 0.5, 100, 1.0, ctypes.byref(out)) == library.OK
            given = points()
            if rows:
                assert LIBRARY.freeridge_window_add(out, ctypes.byref(given), library.COL_MAJOR, y.ctypes.data_as(library.DOUBLES), N,
                                                    None, None, 0) == library.OK
            return out
        return make

    for name, rows in (("linear", False), ("linear", True), ("gaussian", True)):
        yield State(f"window, {name}, rows {rows}", freeridge_window=window(name, rows), **both)
    for loss in (fr.LOSS_LOGISTIC, fr.LOSS_HINGE):
        for fitted in (False, True):
            yield State(f"classifier {loss}, fitted {fitted}", freeridge_classifier=classifier(loss, fitted), **both)


class Try:
    """A call with its arguments; `strange` are the places of those that are not the usual ones."""

    def __init__(self, name, state, choice):
        self.name, (self.result, self.arguments) = name, declarations.CALLS[name]
        self.function = getattr(LIBRARY, name)
        self.kept, self.outputs, self.handles = [], {}, []
        self.values = [self.value(word, kind, state, choice.get(place)) for place, (word, kind) in enumerate(self.arguments)]

    def value(self, word, kind, state, strange):
        """strange: None, or the number of the strange value."""
        if kind in (library.INT32, library.INT64, library.DOUBLE):
            if strange is None:
                if word == "size" and any(other in ("bytes", "other") for other, _ in self.arguments) and "save_to" not in self.name:
                    return len(saved_of(self.name))
                if word == "criterion" and any(other == "errors" for other, _ in self.arguments):
                    return library.LOO  # the others have no standard error
                return USUAL.get(word, 64 if word.startswith("ld") else 1)
            values = STRANGE_NUMBERS if kind is library.DOUBLE else STRANGE_WHOLE
            value = values[strange % len(values)]
            return value if kind is not library.INT32 else max(-2 ** 31, min(2 ** 31 - 1, value))
        if kind is ctypes.c_char_p or kind is ctypes.c_void_p:
            return self.bytes(word, strange)
        if issubclass(kind, ctypes._CFuncPtr):
            return kind() if strange is None else kind(lambda fraction, user: 1)
        of = kind._type_
        if of is library.freeridge_points:
            if strange is None:
                given = points()
            else:
                given = STRANGE_POINTS[strange % len(STRANGE_POINTS)]
            self.kept.append(given)
            return None if given is None else ctypes.byref(given)
        if issubclass(of, ctypes.Structure) and of.__name__ in ("freeridge_model", "freeridge_kernel", "freeridge_accumulator",
                                                                "freeridge_classifier", "freeridge_window"):
            make = state.make.get(of.__name__)
            if strange is not None or make is None:
                return None
            handle = make()
            self.handles.append((of.__name__, handle))
            return handle
        if issubclass(of, ctypes.Structure):
            return self.struct(of, strange)
        if issubclass(of, ctypes._Pointer):  # a handle that is made, or an array of kernels
            if strange is not None:
                return None
            if word == "out":
                out = of()
                self.kept.append(out)
                self.outputs[word] = out
                return ctypes.byref(out)
            make = state.make.get("freeridge_kernel")
            if make is None:
                return None
            parts = (of * 8)(make(), make())  # NULL behind them, where a strange count reads on
            self.kept.append(parts)
            return parts
        return self.array(word, of, strange, kind)

    def array(self, word, of, strange, kind):
        fills = {library.DOUBLE: [None, float("nan"), 1e308, -1.0, float("inf"), 0.0], library.INT32: [None, -1, 2 ** 31 - 1, 5],
                 library.INT64: [None, -1, INT64_MAX, 5]}[of]
        made = {library.DOUBLE: np.linspace(0.1, 1, 17), library.INT32: np.arange(3), library.INT64: np.arange(2)}[of]
        if word in ("steps", "sizes"):
            made = np.arange(1, ROOM + 1)
        if word in ("y", "start_w") and of is library.DOUBLE:
            made = np.where(np.arange(17) % 2, 1.0, -1.0)
        if strange is not None:
            fill = fills[strange % len(fills)]
            if fill is None:
                return None
            made = np.array([fill])
        array = Array(of, made)
        self.kept.append(array)
        self.outputs[word] = array
        array.before = array.numbers.copy()
        return array.address(kind)

    def struct(self, of, strange):
        made = of()
        made.size = ctypes.sizeof(of) if strange is None else [0, -1, 8, INT64_MAX][strange % 4]
        if strange is not None and strange % 5 == 4:
            return None
        for name, kind in of._fields_:
            if name in ("standard_error", "below"):
                continue  # which not all have
            if isinstance(kind, type) and issubclass(kind, ctypes._Pointer):
                array = Array(kind._type_, 0)
                self.kept.append(array)
                setattr(made, name, array.address(kind))
            elif name == "ld":
                made.ld = 64
        self.kept.append(made)
        return ctypes.byref(made)

    def bytes(self, word, strange):
        if word == "user":
            return None
        written = word == "inout" or any(other == "length" for other, _ in self.arguments) and word in ("text", "bytes")
        if strange is not None and written:
            return None
        if strange is not None:
            return [None, b"", b"/nowhere/at all", b"\xff" * (1 << 16), b"freeridge" * 9000, b"3 * linear("][strange % 6]
        if word == "path":
            return FILE.encode()
        return ctypes.create_string_buffer(b"gaussian(sigma = 1)" if word == "text" else saved_of(self.name), 1 << 16)

    def saved(self):
        """The bytes of each handle; of kernels their texts."""
        found = []
        for name, handle in self.handles:
            if name == "freeridge_window":  # which is not saved: its rows, and what it knows of itself
                whole, numbers = (library.INT64 * 5)(), (library.DOUBLE * 2)()
                places = [ctypes.cast(ctypes.addressof(whole) + 8 * k, library.INT64S) for k in range(5)]
                lost = ctypes.cast(ctypes.addressof(numbers) + 8, library.DOUBLES)
                status = LIBRARY.freeridge_window_get_state(handle, *places[:4], numbers, lost, places[4])
                found.append((status, bytes(whole)[:32], bytes(numbers)[:8]))
                continue
            room, length = ctypes.create_string_buffer(1 << 16), library.INT64(0)
            arguments = {"freeridge_kernel": ("freeridge_kernel_describe", handle, len(room), room, ctypes.byref(length)),
                         "freeridge_model": ("freeridge_save_to_memory", handle, library.SAVE_MODEL, len(room), room, ctypes.byref(length)),
                         "freeridge_accumulator": ("freeridge_accumulator_save_to_memory", handle, len(room), room, ctypes.byref(length)),
                         "freeridge_classifier": ("freeridge_classifier_save_to_memory", handle, len(room), room, ctypes.byref(length))}[name]
            status = getattr(LIBRARY, arguments[0])(*arguments[1:])
            found.append((status, room.raw[:max(0, length.value)] if status == library.OK else b""))
        return found

    def run(self):
        """What is wrong; None: nothing."""
        before = self.saved()
        status = self.function(*self.values)
        if self.result is not library.INT32:
            return None
        if status not in KNOWN or status == library.INTERNAL:
            return f"status {status}: {LIBRARY.freeridge_last_error()}"
        for word, output in self.outputs.items():
            if isinstance(output, Array):
                if status not in FAILED_WELL and word not in WRITTEN and output.numbers.tobytes() != output.before.tobytes():
                    return f"failed ({status}), and wrote {word}"
            elif status != library.OK and output:
                return f"failed ({status}), and made a handle"
            elif output:
                getattr(LIBRARY, DESTROY[type(output)._type_.__name__])(output)
        if status not in FAILED_WELL and self.saved() != before:
            return f"failed ({status}), and changed a handle"
        return None

    def free(self):
        for name, handle in self.handles:
            getattr(LIBRARY, DESTROY[name])(handle)


DESTROY = {"freeridge_model": "freeridge_destroy", "freeridge_kernel": "freeridge_kernel_destroy",
           "freeridge_accumulator": "freeridge_accumulator_destroy", "freeridge_classifier": "freeridge_classifier_destroy",
           "freeridge_window": "freeridge_window_destroy"}
STRANGE_POINTS = list(strange_points())
FOLDER = tempfile.mkdtemp()  # where the tests are, as any bytes may be the name of a file
FILE = os.path.join(FOLDER, "saved")


@functools.lru_cache(None)
def saved_of(name):
    """The bytes of a handle of the kind that a call is of."""
    x, y = np.arange(6.0).reshape(3, 2), np.array([-1.0, 1.0, -1.0])
    if "accumulator" in name:
        return fr.Accumulator(D, T).add(x, y).compact().to_bytes()
    if "classifier" in name:
        return fr.Classifier(fr.gaussian(1.0), fr.LOSS_LOGISTIC, x, y).fit(1.0).to_bytes()
    return fr.Model(fr.gaussian(1.0), x, y).set_lambda(1.0).to_bytes()


def choices(name, chance):
    """Places of arguments and the numbers of their strange values: none, each alone, and some together."""
    arguments = declarations.CALLS[name][1]
    def variants(kind):
        if kind in (library.INT32, library.INT64):
            return len(STRANGE_WHOLE)
        if kind is library.DOUBLE:
            return len(STRANGE_NUMBERS)
        return len(STRANGE_POINTS) if getattr(kind, "_type_", None) is library.freeridge_points else 6
    yield {}
    for place, (_, kind) in enumerate(arguments):
        for number in range(variants(kind)):
            yield {place: number}
    for _ in range(3 * len(arguments)):
        places = chance.sample(range(len(arguments)), min(len(arguments), chance.randint(2, 3)))
        yield {place: chance.randrange(1000) for place in places}


def tries(state):
    """(call, choice) for a state; of calls without a handle of its kind only where there is none."""
    chance = random.Random(state.name)
    kinds = set(state.make)
    for name, (_, arguments) in sorted(declarations.CALLS.items()):
        if name.endswith("_destroy") or name in ("freeridge_destroy", "freeridge_set_threads"):
            continue
        wanted = {kind._type_.__name__.replace("LP_", "") for word, kind in arguments if hasattr(kind, "_type_") and word != "out"
                  and hasattr(kind._type_, "__name__")} & set(DESTROY)
        owner = wanted - {"freeridge_kernel"} if len(wanted) > 1 else wanted
        if (owner and not owner <= kinds) if kinds else owner:
            if state.name != "nothing":
                continue
        elif not owner and kinds:
            continue
        for choice in choices(name, chance):
            if DEEP or not choice or chance.random() < 0.03:
                yield name, choice


def run_state(state, start, place, failures):
    """In a process of its own: tries from `start` on. place: where it is, for who waits; failures: a file for words."""
    for number, (name, choice) in enumerate(tries(state)):
        if number < start:
            continue
        struct.pack_into("q", place, 0, number)
        signal.alarm(SECONDS)
        made = Try(name, state, choice)
        wrong = made.run()
        made.free()
        if wrong is not None:
            print(f"{state.name}: {name}{choice}: {wrong}", file=failures, flush=True)
    signal.alarm(0)
    struct.pack_into("q", place, 8, number + 1)


class Hostile(unittest.TestCase):
    def test_every_call_in_every_state(self):
        os.chdir(FOLDER)
        self.addCleanup(shutil.rmtree, FOLDER)
        place = mmap.mmap(-1, 16)
        total, wrong = 0, []
        for state in states():
            start = 0
            while True:
                struct.pack_into("qq", place, 0, -1, -1)
                here, there = os.pipe()
                child = os.fork()
                if child == 0:
                    os.close(here)
                    code = 1
                    try:
                        with os.fdopen(there, "w") as failures:
                            run_state(state, start, place, failures)
                        code = 0
                    finally:
                        os._exit(code)
                os.close(there)
                with os.fdopen(here) as words:
                    wrong += words.read().splitlines()
                _, status = os.waitpid(child, 0)
                at, done = struct.unpack_from("qq", place, 0)
                if status == 0:
                    total += done
                    break
                name, choice = list(tries(state))[at] if at >= 0 else ("nothing", {})
                wrong.append(f"{state.name}: {name}{choice}: ended by {status}")
                start = at + 1
        print(f"{total} calls", file=sys.stderr)
        self.assertGreater(total, 2000)
        self.assertEqual(wrong, [], "\n".join(wrong[:60]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
