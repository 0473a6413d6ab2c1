"""examples/rust/build.rs by itself: where it tells cargo to look for the library, and the module sys that it makes. The
compiler is FREERIDGE_RUSTC, and pkg-config one of our own, which answers as the real one does. And a program that
depends on the crate, as README.md of the crate has it, with the library in a prefix."""

import os
import re
import shlex
import stat
import subprocess
import tempfile
import unittest

from declarations_test import EVERYTHING
from header import parse_header, table

CRATE = os.path.join(os.environ["FREERIDGE_SOURCE"], "examples", "rust")


def read(name):
    with open(os.path.join(CRATE, name), encoding="utf-8") as file:
        return file.read()


class BuildScript(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.program = os.path.join(cls.folder.name, "build")
        subprocess.run([*shlex.split(os.environ["FREERIDGE_RUSTC"]), "--edition", "2021",
                        os.path.join(CRATE, "build.rs"), "-o", cls.program], check=True, stdin=subprocess.DEVNULL)

    def run_with(self, crate=CRATE, **settings):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("FREERIDGE_LIB_DIR", "FREERIDGE_STATIC", "PKG_CONFIG", "PKG_CONFIG_PATH")}
        environment.update({"OUT_DIR": self.folder.name, **settings})
        return subprocess.run([self.program], env=environment, capture_output=True, text=True, cwd=crate)

    def pkg_config(self, script):
        path = os.path.join(self.folder.name, "pkg-config")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_the_folder_in_the_environment(self):
        lines = self.run_with(FREERIDGE_LIB_DIR="/some/where", PKG_CONFIG="/bin/false").stdout.splitlines()
        self.assertIn("cargo:rustc-link-search=native=/some/where", lines)
        self.assertIn("cargo:rustc-link-arg=-Wl,-rpath,/some/where", lines)
        self.assertIn("cargo:rustc-link-lib=dylib=freeridge", lines)
        self.assertIn("cargo:rerun-if-env-changed=FREERIDGE_LIB_DIR", lines)
        self.assertIn("cargo:lib_dir=/some/where", lines)  # for the build scripts of dependents

    def test_the_static_library(self):
        """With what freeridge.pc says that it needs, that beside the library first."""
        command = self.pkg_config('case "$*" in *only-L*) echo "-L/opt/a -L/opt/lapack";; '
                                  '*) echo "-lfreeridge -llapacke -lm $PKG_CONFIG_PATH";; esac\n')
        for folder, search in (({}, ["/opt/a", "/opt/lapack"]),
                               ({"FREERIDGE_LIB_DIR": "/b"}, ["/opt/a", "/opt/lapack", "/b"])):
            lines = self.run_with(PKG_CONFIG=command, FREERIDGE_STATIC="1", **folder).stdout.splitlines()
            self.assertEqual([line.split("=")[-1] for line in lines if "link-search" in line], search)
            self.assertEqual([line.removeprefix("cargo:rustc-link-lib=") for line in lines if "link-lib" in line],
                             ["static=freeridge", "dylib=lapacke", "dylib=m"])
            self.assertNotIn("rpath", "".join(lines))
        command = self.pkg_config('[ "$PKG_CONFIG_PATH" = /b/pkgconfig ] && echo "-lfreeridge -lm"\n')
        self.assertEqual(self.run_with(PKG_CONFIG=command, FREERIDGE_STATIC="1", FREERIDGE_LIB_DIR="/b").returncode, 0)
        self.assertIn("dylib=freeridge", self.run_with(FREERIDGE_STATIC="0", FREERIDGE_LIB_DIR="/b").stdout)

    # What sys has, of a header with all that there may be.
    USE = """#![allow(dead_code, non_camel_case_types)]
include!(concat!(env!("OUT_DIR"), "/sys.rs"));
const _: [u8; 32] = [0; std::mem::size_of::<freeridge_points>()];
const _: (i32, freeridge_status) = (FREERIDGE_NUMBER + FREERIDGE_BAD, FREERIDGE_OK);
type Kernel = freeridge_kernel;
pub unsafe fn use_all(kernels: *const *const Kernel, numbers: *const *mut f64, mut out: *mut Kernel) {
    unsafe extern "C" fn read(points: *const freeridge_points, _user: *mut std::os::raw::c_void) -> i64 {
        (*points).size
    }
    let points = freeridge_points { size: 32, kind: FREERIDGE_OK, x: *numbers, reader: Some(read) };
    let mut search = freeridge_search { low: 1.0, ..Default::default() };
    let _: i32 = freeridge_a(kernels, numbers, &points, 1);
    let _: *const std::os::raw::c_char = freeridge_b();
    freeridge_c(&mut out, &mut search);
}
"""

    def test_the_module_sys(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("declarations.txt", table(parse_header(EVERYTHING))), ("use.rs", self.USE)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            done = self.run_with(folder, FREERIDGE_LIB_DIR="/b", OUT_DIR=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(os.path.join(folder, "sys.rs"), encoding="utf-8") as file:
                self.assertIn("/// `freeridge_status freeridge_a(const freeridge_kernel* const* terms, "
                              "double* const* x, const freeridge_points* points, int64_t from)`\n", file.read())
            command = [*shlex.split(os.environ["FREERIDGE_RUSTC"]), "--edition=2021", "--crate-type=lib", "-Dwarnings"]
            done = subprocess.run([*command, "use.rs"], cwd=folder, env={**os.environ, "OUT_DIR": folder},
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(os.path.join(folder, "declarations.txt"), "a", encoding="utf-8") as file:
                file.write("union freeridge_d\n")
            done = self.run_with(folder, FREERIDGE_LIB_DIR="/b", OUT_DIR=folder)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("a line that is not understood: union freeridge_d", done.stderr)
            os.remove(os.path.join(folder, "declarations.txt"))
            said = self.run_with(folder, OUT_DIR=folder).stderr
            self.assertTrue("the module sys cannot be made" in said and "cp -rL" in said, said)

    @unittest.skipUnless(os.path.exists("/usr/bin/cargo") and os.path.exists("/usr/bin/rustc"),
                         "cargo and rustc are not the system's own here")
    def test_the_compiler_is_the_systems_own(self):
        """So that a newer one on the path does not hide what the promised one refuses."""
        self.assertEqual((os.environ["FREERIDGE_CARGO"], os.environ["FREERIDGE_RUSTC"]),
                         ("/usr/bin/cargo", "/usr/bin/rustc"))
        version = subprocess.run([os.environ["FREERIDGE_RUSTC"], "--version"], capture_output=True, text=True).stdout
        here, promised = (tuple(map(int, re.search(pattern, text).groups())) for pattern, text in (
            (r"rustc (\d+)\.(\d+)", version), (r'rust-version = "(\d+)\.(\d+)"', read("Cargo.toml"))))
        self.assertGreaterEqual(here, promised)

    def test_pkg_config(self):
        command = self.pkg_config('[ "$*" = "--libs-only-L freeridge >= 0.1" ] && echo "-L/opt/a -L/opt/b "\n')
        lines = self.run_with(PKG_CONFIG=command).stdout.splitlines()
        self.assertEqual([line for line in lines if "link-search" in line],
                         ["cargo:rustc-link-search=native=/opt/a", "cargo:rustc-link-search=native=/opt/b"])
        self.assertIn("cargo:rustc-link-lib=dylib=freeridge", lines)

    def test_a_library_where_the_linker_looks_anyway(self):
        lines = self.run_with(PKG_CONFIG=self.pkg_config("echo\n")).stdout.splitlines()
        self.assertEqual([line for line in lines if "link" in line], ["cargo:rustc-link-lib=dylib=freeridge"])

    def test_no_library(self):
        for command in (self.pkg_config("echo Package freeridge was not found >&2; exit 1\n"), "/does/not/exist"):
            done = self.run_with(PKG_CONFIG=command)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("set FREERIDGE_LIB_DIR", done.stderr)
            self.assertNotIn("link-lib", done.stdout)


class Dependent(unittest.TestCase):
    def test_it_links_and_runs(self):
        """By a run path of its own, and with the static library, as README.md says; there is no other way to the
        library here."""
        page = read("README.md")
        [[dependencies], [program, build_script]] = (re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)
                                                     for language in ("toml", "rust"))
        dependencies = dependencies.replace("/path/of/freeridge/examples/rust", CRATE)
        prefix = os.environ["FREERIDGE_PREFIX"]
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("src/main.rs", program), ("build.rs", build_script), ("Cargo.toml",
                               '[package]\nname = "dependent"\nversion = "0.1.0"\nedition = "2021"\n' + dependencies)):
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
            environment["FREERIDGE_LIB_DIR"] = os.path.join(prefix, os.environ["FREERIDGE_LIBDIR"])
            for static in ("0", "1"):
                environment["FREERIDGE_STATIC"] = static
                done = subprocess.run([os.environ["FREERIDGE_CARGO"], "build", "--offline"], cwd=folder, text=True,
                                      env=environment, capture_output=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                program = os.path.join(folder, "target", "debug", "dependent")
                done = subprocess.run([program], capture_output=True, text=True, env=environment)
                self.assertEqual((done.returncode, len(done.stdout.split()), done.stderr), (0, 2, ""))
                needed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
                self.assertEqual("libfreeridge" in needed, static == "0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
