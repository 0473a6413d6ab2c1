"""The declarations in examples/rust, examples/julia and python against freeridge.h: every exported call, its
arguments in their order with names and types, its result, and every constant; and the checks themselves against
declarations that are wrong."""

import ctypes
import keyword
import os
import re
import unittest

import freeridge.library as python_library
from declarations import FILES, Julia, Python, Rust, differences, pointed, with_missing
from header import Pointer, parse_header, read_header

SOURCE = os.environ["FREERIDGE_SOURCE"]


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


HEADER = read_header(os.path.join(SOURCE, "capi", "freeridge.h"))
TEXTS = {language: read(path) for language, path in FILES.items()}


class Declarations(unittest.TestCase):
    def test_the_header_declares_what_is_exported(self):
        self.assertEqual(sorted(HEADER.functions), read("capi", "exports.txt").split())

    def check(self, language):
        found = differences(language, HEADER, TEXTS[language])
        self.assertEqual(found, [], "\n".join([language.__doc__] + found))

    def test_rust(self):
        self.check(Rust)

    def test_julia(self):
        self.check(Julia)

    def test_python(self):
        self.check(Python)

    def test_callbacks_of_julia(self):
        [(result, arguments)] = Julia.callbacks(read("examples", "julia", "Freeridge.jl"))
        progress = HEADER.callbacks["freeridge_progress"]
        self.assertEqual(result, Julia.kind(progress.result))
        self.assertEqual(arguments, ", ".join(Julia.kind(kind) for _, kind in progress.arguments))

    def test_calls_of_julia(self):
        """As many arguments as the header has: no compiler looks at them before they run."""
        calls = list(Julia.calls(read("examples", "julia", "Freeridge.jl")))
        self.assertGreater(len(calls), 30)
        for name, count in calls:
            self.assertEqual(count, len(HEADER.functions[name].arguments), name)

    def test_what_python_has_declared(self):
        """The words of the declarations are the types that they should be."""
        scalars = {"double": ctypes.c_double, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64}

        def expected(kind):
            word, depth = pointed(kind)
            word = HEADER.numbers.get(word, word)
            if depth == 0:
                return {**scalars, "void": None, "freeridge_progress": python_library.PROGRESS,
                        "freeridge_reader": python_library.READER}[word]
            if word in ("char", "void"):
                return ctypes.c_char_p if word == "char" else ctypes.c_void_p
            result = scalars[word] if word in scalars else getattr(python_library, word)
            for _ in range(depth):
                result = ctypes.POINTER(result)
            return result

        for name, function in HEADER.functions.items():
            with self.subTest(name):
                actual = getattr(python_library.library, name)
                self.assertIs(actual.restype, expected(function.result))
                self.assertEqual(actual.argtypes, [expected(kind) for _, kind in function.arguments])
        for name, here in [("progress", python_library.PROGRESS), ("reader", python_library.READER)]:
            callback = HEADER.callbacks[f"freeridge_{name}"]
            self.assertIs(here._restype_, expected(callback.result))
            self.assertEqual(list(here._argtypes_), [expected(kind) for _, kind in callback.arguments])


class TheHeader(unittest.TestCase):
    def test_types(self):
        functions = parse_header("""
            typedef struct freeridge_kernel freeridge_kernel; /* a; b */
            typedef int32_t freeridge_status;
            enum { FREERIDGE_OK = 0, /* fine, yes */ FREERIDGE_BAD = 7 };
            #define FREERIDGE_NUMBER 15 /* of something */
            FREERIDGE_API freeridge_status freeridge_a(const freeridge_kernel* const* terms, double *const *x,
                                                       int64_t n);
            FREERIDGE_API const char* freeridge_b(void);
            """.replace("\n            ", "\n"))
        kernels = Pointer(Pointer("freeridge_kernel", const=True), const=True)
        self.assertEqual(functions.functions["freeridge_a"].arguments,
                         (("terms", kernels), ("x", Pointer(Pointer("double"), const=True)), ("n", "int64_t")))
        self.assertEqual(functions.functions["freeridge_b"].result, Pointer("char", const=True))
        self.assertEqual(functions.functions["freeridge_b"].arguments, ())
        self.assertEqual(functions.constants, {"FREERIDGE_NUMBER": (15, ""), "FREERIDGE_OK": (0, "freeridge_status"),
                                               "FREERIDGE_BAD": (7, "freeridge_status")})

    def test_what_is_not_understood_is_refused(self):
        for text in ("FREERIDGE_API int32_t freeridge_a(int32_t (*f)(void));",
                     "FREERIDGE_API size_t freeridge_a(void);", "FREERIDGE_API int32_t freeridge_a(double x[3]);",
                     "FREERIDGE_API int32_t other_name(void);",
                     "FREERIDGE_API int32_t freeridge_a(const double x);", "enum { FREERIDGE_A = 1 };",
                     "typedef int32_t freeridge_status;\nenum { FREERIDGE_A };",
                     "typedef struct { int a; } freeridge_options;"):
            with self.subTest(text), self.assertRaises(ValueError):
                parse_header(text)


class TheChecks(unittest.TestCase):
    """Each of these mistakes in a correct text is found."""

    def assert_found(self, language, before, after):
        text = re.sub(r"\n {8,}", " ", TEXTS[language])  # one line each
        self.assertEqual(text.count(before), 1, before)
        with self.subTest(language=language.__name__, after=after):
            self.assertNotEqual(differences(language, HEADER, text.replace(before, after)), [])

    def test_rust(self):
        seeds = "    pub fn freeridge_make_folds(n: i64, folds: i32, seed: i64, group: *mut i32) -> freeridge_status;\n"
        self.assert_found(Rust, seeds, "")
        self.assert_found(Rust, seeds, seeds + seeds)
        self.assert_found(Rust, seeds, seeds.replace("folds: i32, seed: i64", "seed: i64, folds: i32"))
        self.assert_found(Rust, seeds, seeds.replace("folds: i32", "folds: i64"))
        self.assert_found(Rust, seeds, seeds.replace("*mut", "*const"))
        self.assert_found(Rust, seeds, seeds.replace(" -> freeridge_status", ""))
        self.assert_found(Rust, seeds, seeds.replace("make_folds", "make_fold"))
        self.assert_found(Rust, seeds, "//" + seeds)
        self.assert_found(Rust, seeds, seeds + "    pub fn freeridge_extra();\n")
        undefined = "FREERIDGE_UNDEFINED: freeridge_status = 22"
        self.assert_found(Rust, undefined, undefined.replace("22", "21"))
        self.assert_found(Rust, undefined, undefined.replace("status", "route"))
        self.assert_found(Rust, "pub type freeridge_route = i32", "pub type freeridge_route = i64")
        self.assert_found(Rust, "fraction: f64, user", "fraction: f32, user")

    def test_julia(self):
        folds = "(Int64, Int32, Int64, Ptr{Int32}), n, folds, seed, group)"
        self.assert_found(Julia, folds, "(Int64, Int64, Int64, Ptr{Int32}), n, folds, seed, group)")
        self.assert_found(Julia, folds, "(Int64, Int32, Int64, Ptr{Int64}), n, folds, seed, group)")
        self.assert_found(Julia, folds, "(Int64, Int32, Int64, Ptr{Int32}), n, seed, folds, group)")
        self.assert_found(Julia, folds, "(Int64, Int32, Int64), n, folds, seed)")
        self.assert_found(Julia, ":freeridge_make_folds", ":freeridge_make_holdout")
        self.assert_found(Julia, "freeridge_make_folds(n, folds, seed, group) =", "# gone\nf() =")
        self.assert_found(Julia, "const FREERIDGE_CORRUPT = freeridge_status(41)",
                          "const FREERIDGE_CORRUPT = freeridge_status(42)")
        self.assert_found(Julia, "const FREERIDGE_CORRUPT = freeridge_status(41)\n", "")
        self.assert_found(Julia, "const freeridge_loss = Int32", "const freeridge_loss = Int64")
        self.assert_found(Julia, "(Int32,), count)\nfreeridge_get_threads", "(Int32), count)\nfreeridge_get_threads")

    def test_calls_are_counted(self):
        text = "freeridge_a() # freeridge_b(1)\nf(freeridge_c(g(x, y), [1, 2], z), 3)\nfreeridge_d(Ref{A, B}())"
        self.assertEqual(list(Julia.calls(text)), [("freeridge_a", 0), ("freeridge_c", 3), ("freeridge_d", 1)])

    def test_python(self):
        folds = '_declare(STATUS, "freeridge_make_folds", n=INT64, folds=INT32, seed=INT64, group=INT32S)\n'
        self.assert_found(Python, folds, "")
        self.assert_found(Python, folds, folds.replace("folds=INT32, seed=INT64", "seed=INT64, folds=INT32"))
        self.assert_found(Python, folds, folds.replace("folds=INT32", "folds=INT64"))
        self.assert_found(Python, folds, folds.replace("INT32S", "INT64S"))
        self.assert_found(Python, folds, folds.replace("STATUS", "INT64"))
        self.assert_found(Python, folds, folds + folds)
        self.assert_found(Python, "\nUNDEFINED = 22\n", "\nUNDEFINED = 23\n")

    def test_what_the_header_gains(self):
        """It is found, and added."""
        arguments = ", ".join(f"const double* argument_{number}" for number in range(12))
        more = f"""typedef int32_t freeridge_kind;
            enum {{ FREERIDGE_FINE = 1 }};
            FREERIDGE_API freeridge_status freeridge_new(freeridge_kind on, int64_t lambda, {arguments});
            FREERIDGE_API int32_t freeridge_newer(void);
            #ifdef __cplusplus\n}}""".replace("\n            ", "\n")
        header = parse_header(read("capi", "freeridge.h").replace("#ifdef __cplusplus\n}", more))
        for language, text in TEXTS.items():
            with self.subTest(language.__name__):
                found = differences(language, header, text)
                for name in ("FINE", "freeridge_new", "freeridge_newer"):
                    self.assertTrue(any(re.search(name + r"\b", line) for line in found), found)
                added = with_missing(language, header, text)
                self.assertEqual(differences(language, header, added), [])
                self.assertLessEqual(max(map(len, added.splitlines())), 120)
        compile(with_missing(Python, header, TEXTS[Python]), "library.py", "exec")

    def test_words_that_a_language_keeps_for_itself(self):
        """Only Python has a way around them."""
        rust = """as break const continue else enum extern false fn for if impl in let loop match mod move mut pub ref
                  return self static struct super trait true type unsafe use where while async await dyn abstract become
                  box do final macro override priv typeof unsized virtual yield try"""
        julia = """baremodule begin break catch const continue do else elseif end export false finally for function
                   global if import let local macro module quote return struct true try using while"""
        names = {name for function in HEADER.functions.values() for name, _ in function.arguments}
        self.assertEqual(names & {*rust.split(), *julia.split()}, set())
        self.assertTrue({"lambda", "from"} <= {name for name in names if keyword.iskeyword(name)})


if __name__ == "__main__":
    unittest.main(verbosity=2)
