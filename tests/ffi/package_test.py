"""The Python package as a whole: every call of freeridge.h is in it, all that is public says what it is, it installs
with pip and is found, its page can be typed at a prompt, and scikit-learn's tags since 1.6."""

import ast
import importlib.util
import inspect
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import typing
import unittest

import freeridge as fr
from header import read_header

SOURCE = os.environ["FREERIDGE_SOURCE"]
PACKAGE = os.path.join(SOURCE, "python", "freeridge")
HEADER = read_header()


class EveryCall(unittest.TestCase):
    METHODS = {"_change", "_ask", "_answer", "_number", "_bytes", "_columns", "_own", "_loaded", "call"}

    def calls(self):
        """(name, how): the names that are handed to these, with the prefix of their class, and destroy and the like,
        which are asked of the library itself."""
        for file in sorted(os.listdir(PACKAGE)):
            if not file.endswith(".py"):
                continue
            with open(os.path.join(PACKAGE, file), encoding="utf-8") as source:
                text = source.read()
            [kind] = set(re.findall(r'^    _kind = "(\w+)"$', text, re.MULTILINE)) or {""}
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call):
                    how = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                    words = [each.value for argument in node.args for each in ast.walk(argument)
                             if isinstance(each, ast.Constant) and isinstance(each.value, str)]
                    if how in self.METHODS:
                        prefix = "" if how in ("call", "_own", "_loaded") else kind
                        yield from ((f"freeridge_{prefix}{word}", how) for word in words)
                    elif how in ("Kernel", "super"):
                        yield from ((f"freeridge_kernel_{word}", how) for word in words)
            if file != "library.py":
                yield from ((name, "") for name in re.findall(r"\b(freeridge_\w+)\b", text))
            else:
                yield from ((name, "") for name in re.findall(r"\blibrary\.(freeridge_\w+)\(", text))

    def test_every_call_has_its_place(self):
        """A call that is new in the header gets a method, or a function, in python/freeridge."""
        used = {name for name, _ in self.calls()} | {"freeridge_" + word for word in (
            "set_data", "predict",  # set_points and predict_points, for dense rows
            *(kind + what for kind in ("", "accumulator_", "classifier_")  # Handle: _own, _set and _parameter
              for what in ("set_progress", "set_parameter", "get_parameter")))}
        self.assertEqual(sorted(set(HEADER.functions) - used), [])

    def test_what_changes_a_handle_runs_alone(self):
        seen = 0
        for name, how in self.calls():
            if name not in HEADER.functions or how in ("call", "Kernel", "_own", "_loaded", ""):
                continue
            handle = HEADER.functions[name].arguments[0][1]
            self.assertIn(handle[0], "*&", name)
            self.assertEqual(how == "_change", handle[0] == "*", f"{name}: by {how}")
            seen += 1
        self.assertGreater(seen, 70)


class Public(unittest.TestCase):
    WITHOUT_COST = {"get_params", "set_params"}

    def members(self):
        for name in fr.__all__:
            value = getattr(fr, name)
            if inspect.isfunction(value):
                yield name, value
            elif inspect.isclass(value):
                yield f"{name}.__init__", value.__init__
                for member, method in inspect.getmembers(value):
                    if not member.startswith("_") and value.__module__.startswith("freeridge"):
                        method = method.fget if isinstance(method, property) else method
                        if inspect.isfunction(method) or inspect.ismethod(method):
                            yield f"{name}.{member}", method

    def test_documented_and_typed(self):
        names = []
        for name, function in self.members():
            if not getattr(function, "__module__", "").startswith("freeridge"):
                continue  # an __init__ of Python's own
            names.append(name)
            with self.subTest(name):
                hints = typing.get_type_hints(function)
                parameters = [word for word in inspect.signature(function).parameters if word not in ("self", "cls")]
                self.assertEqual([word for word in parameters if word not in hints], [])
                self.assertIn("return", hints)
                if not name.endswith("__init__"):
                    self.assertTrue(function.__doc__)
                    if name.split(".")[-1] not in self.WITHOUT_COST:
                        self.assertRegex(function.__doc__, r"Cost:|Cost of")
        self.assertGreater(len(names), 110)
        for name in fr.__all__:
            if inspect.isclass(getattr(fr, name)):
                self.assertTrue(getattr(fr, name).__doc__, name)
        self.assertTrue(os.path.exists(os.path.join(PACKAGE, "py.typed")))

    def test_nothing_else_is_public(self):
        self.assertEqual([name for name in fr.__all__ if inspect.ismodule(getattr(fr, name)) or name == "inspect"], [])
        constants = {name.removeprefix("FREERIDGE_") for name, (_, kind) in HEADER.constants.items()
                     if kind not in ("int32_t", "freeridge_status", "freeridge_layout", "freeridge_sparse_format",
                                      "freeridge_parameter", "freeridge_save_kind")}  # of which each has a method
        self.assertEqual(sorted(constants - set(fr.__all__)), [])


class Tags(unittest.TestCase):
    """A scikit-learn of 1.6 or later, as far as its tags go."""

    STAND_IN = """
import sys, types
from dataclasses import dataclass, field
@dataclass
class InputTags:
    two_d_array: bool = True
    sparse: bool = False
    allow_nan: bool = False
    pairwise: bool = False
@dataclass
class TargetTags:
    required: bool
    multi_output: bool = False
    single_output: bool = True
@dataclass
class RegressorTags:
    poor_score: bool = False
@dataclass
class ClassifierTags:
    poor_score: bool = False
@dataclass
class TransformerTags:
    preserves_dtype: tuple = ("float64",)
@dataclass
class Tags:
    estimator_type: str
    target_tags: TargetTags
    transformer_tags: TransformerTags = None
    classifier_tags: ClassifierTags = None
    regressor_tags: RegressorTags = None
    requires_fit: bool = True
    input_tags: InputTags = field(default_factory=InputTags)
import freeridge as fr
assert not any(name.startswith("sklearn") for name in sys.modules), "nothing is imported before it is asked for"
utils = types.ModuleType("sklearn.utils")
utils.__dict__.update({kind.__name__: kind for kind in (InputTags, TargetTags, RegressorTags, ClassifierTags,
                                                      TransformerTags, Tags)})
sklearn = types.ModuleType("sklearn")
sklearn.utils = utils
sys.modules.update({"sklearn": sklearn, "sklearn.utils": utils})
tags = fr.FreeRidge().__sklearn_tags__()
assert tags == Tags("regressor", TargetTags(True, True), regressor_tags=RegressorTags(),
                    input_tags=InputTags(sparse=True)), tags
sparse = InputTags(sparse=True)
assert fr.FreeRidgeClassifier().__sklearn_tags__() == Tags("classifier", TargetTags(True),
                                                           classifier_tags=ClassifierTags(), input_tags=sparse)
assert fr.FreeRidgeLandmarks().__sklearn_tags__() == Tags("transformer", TargetTags(False),
                                                          transformer_tags=TransformerTags(), input_tags=sparse)
assert fr.FreeRidge(kernel="precomputed").__sklearn_tags__().input_tags.pairwise
assert fr.FreeRidge(kernel=fr.precomputed()).__sklearn_tags__().input_tags.pairwise
"""

    def test_tags(self):
        done = subprocess.run([sys.executable, "-c", self.STAND_IN], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_tags_of_the_scikit_learn_that_is_here(self):
        try:
            from sklearn.utils import Tags, get_tags
        except ImportError:
            from sklearn.utils._tags import _safe_tags

            self.assertTrue(_safe_tags(fr.FreeRidge(kernel="precomputed"), "pairwise"))
            self.assertTrue(_safe_tags(fr.FreeRidge(), "multioutput"))
        else:
            self.assertIsInstance(get_tags(fr.FreeRidge()), Tags)


HAS_PIP = all(importlib.util.find_spec(name) for name in ("pip", "setuptools", "wheel"))
NO_PIP = "this python3 has no pip, setuptools and wheel (Debian: python3-pip, python3-wheel)"
PIP = [sys.executable, *"-m pip install -q --no-index --no-deps --no-build-isolation --no-cache-dir".split(),
       "--no-compile", "--target"]


@unittest.skipUnless(HAS_PIP, NO_PIP)
class Installed(unittest.TestCase):
    def test_pip(self):
        """From a copy, as pip builds beside the sources; the library is beside Python, as in an environment."""
        with tempfile.TemporaryDirectory() as folder:
            source, target, prefix = (os.path.join(folder, name) for name in ("python", "target", "prefix"))
            shutil.copytree(os.path.join(SOURCE, "python"), source)
            done = subprocess.run([*PIP, target, source], capture_output=True, text=True,
                                  env={**os.environ, "FREERIDGE_BUILD": "0"})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(sorted(os.listdir(os.path.join(target, "freeridge"))),
                             sorted(name for name in os.listdir(PACKAGE) if name != "__pycache__"))
            os.makedirs(os.path.join(prefix, "lib"))
            os.symlink(os.environ["FREERIDGE_LIBRARY"],
                       os.path.join(prefix, "lib", f"libfreeridge.so.{fr.library.VERSION_MAJOR}"))
            script = f"import sys; sys.prefix = {prefix!r}\nimport freeridge, importlib.metadata\n" \
                     "print(freeridge.__file__, importlib.metadata.version('freeridge'), freeridge.__version__)\n" \
                     "model = freeridge.FreeRidge(alpha=0.0, kernel='linear').fit([[1.0], [2.0]], [3.0, 5.0])\n" \
                     "print(model.predict([[3.0]]).round(9))"
            environment = {**os.environ, "PYTHONPATH": target, "FREERIDGE_LIBRARY": ""}
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
            where, *versions = done.stdout.split("\n")[0].split()
            self.assertTrue(where.startswith(target), done.stderr)
            self.assertEqual(versions, [fr.__version__] * 2)
            self.assertIn("[7.]", done.stdout)

    def test_what_is_needed_to_build_the_library(self):
        """Without its sources, or without cmake: a sentence that says what to do."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("python", "capi", "cmake", "libcore", "abi"):
                shutil.copytree(os.path.join(SOURCE, name), os.path.join(folder, "all", name))
            for name in ("CMakeLists.txt", "LICENSE"):
                shutil.copy(os.path.join(SOURCE, name), os.path.join(folder, "all", name))
            shutil.copytree(os.path.join(SOURCE, "python"), os.path.join(folder, "alone", "python"))
            where = {**os.environ, "PATH": folder}
            cases = (("all", where, "cmake was not found, which builds the C library: install it"),
                     ("alone", os.environ, "the sources of the C library are not beside"))
            for place, environment, words in cases:
                if place == "alone" and shutil.which("cmake") is None:
                    continue
                done = subprocess.run([*PIP, os.path.join(folder, "target"), os.path.join(folder, place, "python")],
                                      capture_output=True, text=True, env=environment)
                self.assertNotEqual(done.returncode, 0)
                said = " ".join((done.stdout + done.stderr).split())
                self.assertIn(words, said)
                self.assertIn("FREERIDGE_BUILD=0", said)


@unittest.skipUnless(HAS_PIP, NO_PIP)
class Built(unittest.TestCase):
    """Takes minutes: the library is compiled."""

    def test_a_wheel_of_the_source_distribution_brings_the_library_along(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("python", "capi", "cmake", "libcore", "abi"):
                shutil.copytree(os.path.join(SOURCE, name), os.path.join(folder, "all", name))
            for name in ("CMakeLists.txt", "LICENSE"):
                shutil.copy(os.path.join(SOURCE, name), os.path.join(folder, "all", name))
            script = f"import setuptools.build_meta as build; build.build_sdist({folder!r})"
            done = subprocess.run([sys.executable, "-c", script], cwd=os.path.join(folder, "all", "python"),
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            shutil.rmtree(os.path.join(folder, "all"))
            [archive] = [name for name in os.listdir(folder) if name.endswith(".tar.gz")]
            target = os.path.join(folder, "target")
            environment = {**os.environ, "CMAKE_ARGS": "-DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG'"}
            done = subprocess.run([*PIP, target, os.path.join(folder, archive)], capture_output=True, text=True,
                                  env=environment)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            script = "import freeridge as fr, numpy as np\nprint(fr.library.library._name)\n" \
                     "X = np.random.default_rng(1).normal(size=(40, 2))\n" \
                     "print(fr.FreeRidge().fit(X, X[:, 0]).score(X, X[:, 0]) > 0.9)"
            environment = {**os.environ, "PYTHONPATH": target, "FREERIDGE_LIBRARY": ""}
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
            self.assertTrue(done.stdout.startswith(os.path.join(target, "freeridge", "lib")), done.stdout + done.stderr)
            self.assertTrue(done.stdout.endswith("\nTrue\n"), done.stdout + done.stderr)


class Prompt(unittest.TestCase):
    """An interactive session in a terminal of its own."""

    def setUp(self):
        try:
            self.process, self.terminal = pty.fork()
        except OSError as reason:
            self.skipTest(f"there is no pseudo-terminal here: {reason}")
        if self.process == 0:
            os.environ["TERM"] = "dumb"
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # who runs in the background may have been told to ignore it
            os.execv(sys.executable, [sys.executable, "-q", "-i"])
        self.addCleanup(os.close, self.terminal)
        self.said = ""

    def wait(self, words, seconds=60):
        """What is said until some words are."""
        end, before = time.monotonic() + seconds, len(self.said)
        while words not in self.said[before:]:
            self.assertLess(time.monotonic(), end, f"{words!r} is not in {self.said!r}")
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.said += os.read(self.terminal, 1 << 16).decode()
        return self.said[before:]

    def type(self, line):
        os.write(self.terminal, line.encode() + b"\n")

    def test_the_page_and_ctrl_c(self):
        self.wait(">>> ")
        blocks = []
        for name in ("python/README.md", "docs/many-rows.md"):
            with open(os.path.join(SOURCE, name), encoding="utf-8") as page:
                blocks += re.findall(r"```python\n(.*?)```", page.read(), re.DOTALL)
        for number, block in enumerate(blocks):
            for line in block.splitlines():
                self.type(line)  # an empty line ends a loop
            self.type(f"'block', {number} + 0")
            self.assertNotIn("Traceback", self.wait(f"('block', {number})"))
        self.type("X, start = rng.normal(size=(2500, 3)), lambda fraction: print('at', 'work') if fraction == 0 else 0")
        self.type("big = fr.Model(fr.gaussian(1.0), X, X[:, 0], route=fr.ROUTE_SPECTRAL, factorize=False)")
        self.type("big.set_progress(start)")
        self.type("big.factorize()")
        self.wait("at work")
        os.write(self.terminal, b"\x03")
        self.wait("KeyboardInterrupt", 10)
        self.type("big.n, small.predict(X[:1]).shape, 'goes on'")
        self.wait("(2500, (1,), 'goes on')")
        self.assertNotIn("ignored", self.said)
        self.type("exit()")
        self.assertEqual(os.waitpid(self.process, 0)[1], 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
