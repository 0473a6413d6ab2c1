"""examples/rust/build.rs by itself: where it tells cargo to look for the library. The compiler is FREERIDGE_RUSTC, and
pkg-config one of our own, which answers as the real one does."""

import os
import shlex
import stat
import subprocess
import tempfile
import unittest


class BuildScript(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.program = os.path.join(cls.folder.name, "build")
        source = os.path.join(os.environ["FREERIDGE_SOURCE"], "examples", "rust", "build.rs")
        subprocess.run([*shlex.split(os.environ["FREERIDGE_RUSTC"]), "--edition", "2021", source, "-o", cls.program],
                       check=True, stdin=subprocess.DEVNULL)

    def run_with(self, **settings):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("FREERIDGE_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH")}
        return subprocess.run([self.program], env={**environment, **settings}, capture_output=True, text=True)

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
