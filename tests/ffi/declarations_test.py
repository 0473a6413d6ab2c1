"""The table abi/declarations.txt against the headers, and what Python and Julia make of it: types, and numbers of
arguments. (Rust's compiler sees to its own; build_script_test.py has the module that is made for it.)"""

import ctypes
import importlib.util
import os
import re
import shutil
import tempfile
import unittest

import freeridge.library as python_library
from header import HEADERS, ROOT, TABLE, parse_header, read_header, table, target

HEADER = read_header()
TYPES = {*HEADER.handles, *HEADER.numbers, *HEADER.callbacks, *HEADER.structs}
FOLDERS = [ROOT / "python" / "freeridge", ROOT / "examples" / "rust", ROOT / "examples" / "julia"]

# All that a header may have.
EVERYTHING = """
#ifdef __cplusplus
extern "C" {
#endif
typedef struct freeridge_kernel freeridge_kernel; /* a; b */
typedef int32_t freeridge_status;
enum { FREERIDGE_OK = 0, /* fine, yes */ FREERIDGE_BAD = -7 };
#define FREERIDGE_NUMBER 15 /* of something */
typedef struct freeridge_points freeridge_points;
typedef int64_t (*freeridge_reader)(const freeridge_points* points, void* user);
struct freeridge_points {
  int64_t size; /* of this */
  freeridge_status kind;
  const double* x;
  freeridge_reader reader;
};
typedef struct freeridge_search {
  double low;
  const freeridge_kernel *kernel;
} freeridge_search;
FREERIDGE_API freeridge_status freeridge_a(const freeridge_kernel* const* terms, double *const *x,
                                           const freeridge_points* points, int64_t from);
FREERIDGE_API const char* freeridge_b(void);
FREERIDGE_API void freeridge_c(freeridge_kernel** out, freeridge_search* search);
#ifdef __cplusplus
}
#endif
"""
ITS_TABLE = """\
handle freeridge_kernel
number freeridge_status int32_t
callback freeridge_reader int64_t points:&freeridge_points user:*void
struct freeridge_points size:int64_t kind:freeridge_status x:&double reader:freeridge_reader
struct freeridge_search low:double kernel:&freeridge_kernel
constant FREERIDGE_NUMBER int32_t 15
constant FREERIDGE_OK freeridge_status 0
constant FREERIDGE_BAD freeridge_status -7
call freeridge_a freeridge_status terms:&&freeridge_kernel x:&*double points:&freeridge_points from:int64_t
call freeridge_b &char
call freeridge_c void out:**freeridge_kernel search:*freeridge_search
"""


class Table(unittest.TestCase):
    def test_it_is_that_of_the_headers(self):
        self.assertIn(ROOT / "capi" / "freeridge.h", HEADERS)
        self.assertEqual(TABLE.read_text(encoding="utf-8"), table(HEADER),
                         "abi/declarations.txt is not what the headers declare: ./dev check-abi --renew")

    def test_all_read_the_same(self):
        for folder in FOLDERS:
            self.assertTrue(os.path.samefile(folder / TABLE.name, TABLE), folder)

    def test_a_header(self):
        self.assertEqual([line for line in table(parse_header(EVERYTHING)).splitlines() if line[0] != "#"],
                         ITS_TABLE.splitlines())

    def test_what_is_not_understood_is_refused(self):
        for text in ("FREERIDGE_API int32_t freeridge_a(int32_t (*f)(void));",
                     "FREERIDGE_API size_t freeridge_a(void);", "FREERIDGE_API int32_t freeridge_a(double x[3]);",
                     "FREERIDGE_API int32_t freeridge_a(double);", "FREERIDGE_API int32_t other_name(void);",
                     "FREERIDGE_API int32_t freeridge_a(const double x);", "enum { FREERIDGE_A = 1 };",
                     "FREERIDGE_API void freeridge_a(void x);", "FREERIDGE_API void freeridge_a(char x);",
                     "typedef int32_t freeridge_status;\nenum { FREERIDGE_A };",
                     "typedef struct freeridge_a freeridge_a;\nFREERIDGE_API void freeridge_b(freeridge_a x);",
                     "typedef struct freeridge_a {\n  double x, y;\n} freeridge_a;",
                     "typedef struct freeridge_a {\n  double x[2];\n} freeridge_a;",
                     "typedef struct { int a; } freeridge_options;", "int32_t freeridge_a(void);"):
            with self.subTest(text), self.assertRaises(ValueError):
                parse_header(text)

    def test_words_that_a_language_keeps_for_itself(self):
        """No argument or field has such a name, but for Python, which does not use it as one."""
        rust = """as break const continue else enum extern false fn for if impl in let loop match mod move mut pub ref
                  return self static struct super trait true type unsafe use where while async await dyn abstract become
                  box do final macro override priv typeof unsized virtual yield try"""
        julia = """baremodule begin break catch const continue do else elseif end export false finally for function
                   global if import let local macro module quote return struct true try using while"""
        lists = [each.arguments for each in [*HEADER.functions.values(), *HEADER.callbacks.values()]]
        names = {name for pairs in [*lists, *HEADER.structs.values()] for name, _ in pairs}
        self.assertEqual(names & {*rust.split(), *julia.split()}, set())


class Python(unittest.TestCase):
    def check(self, module, header, functions):
        """Callbacks, structs and `functions`, (result, arguments) by name, have the types that they should have."""
        scalars = {"double": ctypes.c_double, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "void": None}

        def expected(kind):
            word, depth = target(kind), len(kind) - len(target(kind))
            if depth and word in ("char", "void"):
                return ctypes.c_char_p if word == "char" else ctypes.c_void_p
            word = header.numbers.get(word, word)
            name = word.replace("freeridge_", "").upper() if word in header.callbacks else word
            result = scalars[word] if word in scalars else module.NAMES[name]
            for _ in range(depth):
                result = ctypes.POINTER(result)
            return result

        def types(pairs):
            return [expected(kind) for _, kind in pairs]

        self.assertEqual(list(functions), list(header.functions))
        for name, each in header.functions.items():
            self.assertEqual(functions[name], (expected(each.result), types(each.arguments)), name)
        for name, each in header.callbacks.items():
            here = expected(name)
            self.assertEqual((here._restype_, list(here._argtypes_)), (expected(each.result), types(each.arguments)))
        for name, fields in header.structs.items():
            self.assertEqual(expected(name)._fields_, list(zip([word for word, _ in fields], types(fields))))
        for name, (value, _) in header.constants.items():
            self.assertEqual(module.NAMES[name.replace("FREERIDGE_", "")], value)
        structs = len(header.handles) + len(header.structs)  # a name each, and one for its pointer
        self.assertEqual(len(module.NAMES), 6 + 2 * structs + len(header.callbacks) + len(header.constants))

    def test_the_library(self):
        found = {name: getattr(python_library.library, name) for name in HEADER.functions}
        self.check(python_library, HEADER, {name: (each.restype, each.argtypes) for name, each in found.items()})
        for name in ("OK", "LOO", "MODEL", "PROGRESS", "freeridge_model", "INT32"):
            self.assertIs(getattr(python_library, name), python_library.NAMES[name])

    def test_a_table(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(FOLDERS[0] / "declarations.py", folder)
            with open(os.path.join(folder, TABLE.name), "w", encoding="utf-8") as file:
                file.write(table(parse_header(EVERYTHING)))
            spec = importlib.util.spec_from_file_location("made", os.path.join(folder, "declarations.py"))
            made = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(made)
        self.check(made, parse_header(EVERYTHING), {name: (result, [kind for _, kind in arguments])
                                                    for name, (result, arguments) in made.CALLS.items()})
        self.assertEqual(ctypes.sizeof(made.freeridge_points), 32)
        self.assertIs(made.POINTS, ctypes.POINTER(made.freeridge_points))


class Julia(unittest.TestCase):
    """What can be checked by reading: there is no Julia here."""

    @staticmethod
    def text(name):
        return re.sub(r"#.*", "", (FOLDERS[2] / name).read_text(encoding="utf-8"))

    @staticmethod
    def calls(text):
        """(name, how many arguments) of each call of a C function."""
        for match in re.finditer(r"\b(freeridge_\w+)\(", text):
            depth, commas, at = 1, 0, match.end()
            while depth:
                depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[at], 0)
                commas += text[at] == "," and depth == 1
                at += 1
            yield match.group(1), commas + 1 if text[match.end():at - 1].strip() else 0

    def test_calls(self):
        """As many arguments as the header has, and fields of structs: no compiler looks at them before they run."""
        calls = list(self.calls(self.text("Freeridge.jl")))
        self.assertGreater(len(calls), 30)
        for name, count in calls:
            expected = HEADER.structs[name] if name in HEADER.structs else HEADER.functions[name].arguments
            self.assertEqual(count, len(expected), name)

    def test_calls_are_counted(self):
        text = "freeridge_a() \nf(freeridge_c(g(x, y), [1, 2], z), 3)\nfreeridge_d(Ref{A, B}())"
        self.assertEqual(list(self.calls(text)), [("freeridge_a", 0), ("freeridge_c", 3), ("freeridge_d", 1)])

    def test_names(self):
        names = set(re.findall(r"\b(?:freeridge|FREERIDGE)_[a-zA-Z]\w*\b", self.text("Freeridge.jl")))
        known = {*TYPES, *HEADER.constants, *HEADER.functions, "FREERIDGE_LIBRARY"}
        self.assertEqual(names - known, set())

    def test_what_calls_jl_knows(self):
        """Each kind of line, and each type of C."""
        text = self.text("calls.jl")
        self.assertEqual(re.findall(r'kind == "(\w+)"', text),
                         list(dict.fromkeys(line.split()[0] for line in ITS_TABLE.splitlines())))
        lists = [(("", each.result), *each.arguments) for each in HEADER.functions.values()]
        types = {target(kind) for pairs in lists for _, kind in pairs} | set(HEADER.numbers.values())
        [numbers] = re.findall(r"^const numbers = Dict\((.*)\)$", text, re.MULTILINE)
        known = {"double": "Float64", "int32_t": "Int32", "int64_t": "Int64", "char": "UInt8", "void": "Cvoid"}
        self.assertEqual(dict(re.findall(r'"(\w+)" => :(\w+)', numbers)), known)
        self.assertEqual(types - TYPES, set(known))

    def test_order(self):
        """Each struct comes after the types of its fields."""
        known = {"double", "int32_t", "int64_t", "char", "void", *HEADER.handles, *HEADER.numbers, *HEADER.callbacks}
        for name, fields in HEADER.structs.items():
            self.assertEqual({target(kind) for _, kind in fields} - known, set(), name)
            known.add(name)

    def test_callbacks(self):
        [(result, arguments)] = re.findall(r"@cfunction\(\w+, (\w+), \(([^()]*)\)\)", self.text("Freeridge.jl"))
        self.assertEqual((result, arguments), ("Int32", "Float64, Ptr{Cvoid}"))
        progress = HEADER.callbacks["freeridge_progress"]
        self.assertEqual((progress.result, [kind for _, kind in progress.arguments]), ("int32_t", ["double", "*void"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
