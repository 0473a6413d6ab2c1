"""Builds the C library by cmake, and puts it into the wheel, as freeridge/lib/libfreeridge.so.0: pip install ./python
needs cmake, a C++20 compiler, BLAS and LAPACKE. FREERIDGE_BUILD=0 leaves it out: then the package takes the library
that is installed. The sources of the library are beside the folder of this file or, in a source distribution, in its
folder `library`. CMAKE_ARGS: options for cmake."""

import os
import re
import shlex
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = ("CMakeLists.txt", "LICENSE", "abi", "capi", "cmake", "libcore")
WITH_LIBRARY = os.environ.get("FREERIDGE_BUILD", "1") != "0"
WITHOUT = "or set FREERIDGE_BUILD=0 to install the Python package alone, which then takes the library that is installed"
NEEDED = "Debian and Ubuntu: apt install cmake g++ libopenblas-dev liblapacke-dev"


def sources():
    """The folder of the library's sources."""
    for folder in (os.path.join(HERE, "library"), os.path.dirname(HERE)):
        if all(os.path.exists(os.path.join(folder, name)) for name in SOURCES):
            return folder
    raise SystemExit(f"freeridge: the sources of the C library are not beside {HERE}: install from the whole "
                     f"repository, or from a source distribution, {WITHOUT}")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, flush=True)
    if done.returncode != 0:
        raise SystemExit(f"freeridge: the C library could not be built: {' '.join(command[:2])} failed, as it says "
                         f"above. It needs CMake 3.25, a C++20 compiler, BLAS and LAPACKE ({NEEDED}), {WITHOUT}")


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if WITH_LIBRARY and not getattr(self, "editable_mode", False):
            self.build_library()

    def build_library(self):
        cmake = shutil.which("cmake")
        if cmake is None:
            raise SystemExit(f"freeridge: cmake was not found, which builds the C library: install it ({NEEDED}), "
                             f"{WITHOUT}")
        build = os.path.abspath(os.path.join(self.get_finalized_command("build").build_temp, "library"))
        ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
        run(cmake, "-S", sources(), "-B", build, *ninja, "-DCMAKE_BUILD_TYPE=Release", "-DFREERIDGE_TESTS=OFF",
            "-DFREERIDGE_INSTALL=OFF", "-DFREERIDGE_MPI=OFF", *shlex.split(os.environ.get("CMAKE_ARGS", "")))
        run(cmake, "--build", build, "--target", "freeridge", "--parallel",
            os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1)))
        [name] = [name for name in os.listdir(build) if re.fullmatch(r"libfreeridge(\.so\.\d+|\.\d+\.dylib)", name)]
        target = os.path.join(self.build_lib, "freeridge", "lib")
        os.makedirs(target, exist_ok=True)
        shutil.copyfile(os.path.realpath(os.path.join(build, name)), os.path.join(target, name))


class SourcesWithLibrary(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in SOURCES:
            found, target = os.path.join(sources(), name), os.path.join(base_dir, "library", name)
            if os.path.isdir(found):
                shutil.copytree(found, target)
            else:
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(found, target)


class Wheel(bdist_wheel):
    """For any Python 3 on this system: the library is called through ctypes."""

    def get_tag(self):
        python, abi, system = super().get_tag()
        return ("py3", "none", system) if WITH_LIBRARY else (python, abi, system)


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return WITH_LIBRARY


setup(cmdclass={"build_py": BuildWithLibrary, "sdist": SourcesWithLibrary, "bdist_wheel": Wheel}, distclass=WithLibrary)
