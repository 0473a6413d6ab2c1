"""The R package beside an installed library.

    run.py SOURCE INSTALLED WORK configure    what its configure writes and refuses, without compiling
    run.py SOURCE INSTALLED WORK system       compiled against INSTALLED (some minutes), and its own tests

SOURCE: this checkout; INSTALLED: where `cmake --install` put the library; WORK: a folder of this program's own.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

source, installed, work = (pathlib.Path(argument) for argument in sys.argv[1:4])
package = work / "rpkg"


def fresh_package():
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(source / "rpkg", package)  # what its links point to, too
    for name in ("Makevars", "exports.map"):
        (package / "src" / name).unlink(missing_ok=True)


def environment(**more):
    clean = {name: value for name, value in os.environ.items() if name not in ("FREERIDGE_SYSTEM", "PKG_CONFIG_PATH")}
    return {**clean, **{name: str(value) for name, value in more.items()}}


def pkg_config_folder():
    return next(installed.rglob("freeridge.pc")).parent


def configure(*arguments, **variables):
    home = subprocess.run(["R", "RHOME"], capture_output=True, text=True, check=True).stdout.strip()
    done = subprocess.run(["sh", "./configure", *arguments], cwd=package, env=environment(R_HOME=home, **variables),
                          capture_output=True, text=True)
    return done.returncode, done.stderr, done.stdout


def makevars():
    text = (package / "src" / "Makevars").read_text()
    assert "@" not in text, text
    return {name: value.split() for name, value in re.findall(r"^(\w+) = (.*)$", text, re.MULTILINE)}


def refused(words, *arguments, **variables):
    (package / "src" / "Makevars").unlink(missing_ok=True)
    status, errors, _ = configure(*arguments, **variables)
    assert status == 1, "configure should have refused"
    assert errors.count("\n") == 1 and re.search(words, errors), errors
    assert not (package / "src" / "Makevars").exists()


def sources(pattern):
    folder = package / "src"
    names = (str(path.relative_to(folder)) for path in folder.glob(pattern))
    return sorted(name for name in names if not name.startswith("all_"))


def objects(pattern):
    return [name[:-3] + "o" for name in sources(pattern)]


def together(name):
    """What is compiled as one file."""
    return sorted(re.findall(r'#include "(.*)"', (package / "src" / f"all_{name}.cpp").read_text()))


def test_configure():
    header = (source / "capi" / "freeridge.h").read_text()
    major, minor, patch = (int(re.search(rf"FREERIDGE_VERSION_{part} (\d+)", header).group(1))
                           for part in ("MAJOR", "MINOR", "PATCH"))
    assert configure()[0] == 0
    own = makevars()
    names = [name[4:-2] for name in own["OBJECTS"] if name.startswith("all_")]  # compiled as one file each
    assert together("glue") == sources("*.cpp") and together("capi") == sources("capi/**/*.cpp")
    core = [file[:-3] + "o" for name in names if name not in ("glue", "capi") for file in together(name)]
    alone = [name for name in own["OBJECTS"] if not name.startswith("all_")]
    assert len(alone) == 4 and sorted(core + alone) == objects("libcore/**/*.cpp")
    assert own["PKG_LIBS"][:3] == ["$(LAPACK_LIBS)", "$(BLAS_LIBS)", "$(FLIBS)"], own
    assert {"-DFREERIDGE_STATIC", "-DFREERIDGE_R_LAPACK"} <= set(own["PKG_CPPFLAGS"])

    status, errors, _ = configure("--with-freeridge", PKG_CONFIG_PATH=pkg_config_folder())
    assert status == 0, errors
    system = makevars()
    assert system["OBJECTS"] == ["all_glue.o"] and together("glue") == sources("*.cpp")
    assert "-lfreeridge" in system["PKG_LIBS"] and not {"$(BLAS_LIBS)", "-Icapi"} & set(sum(system.values(), []))
    assert configure(FREERIDGE_SYSTEM=1, PKG_CONFIG_PATH=pkg_config_folder())[0] == 0
    assert makevars() == system
    assert configure("--without-freeridge", FREERIDGE_SYSTEM=1)[0] == 0
    assert makevars() == own

    text = (pkg_config_folder() / "freeridge.pc").read_text()
    folder = work / "other"
    folder.mkdir()
    for version, good in ((f"{major}.{minor}.{patch + 1}", True), (f"{major}.{minor + 1}.0", True),
                          ("0.0.9", False), (f"{major + 1}.0.0", False)):
        (folder / "freeridge.pc").write_text(re.sub("(?m)^Version: .*", "Version: " + version, text))
        if good:
            assert configure("--with-freeridge", PKG_CONFIG_PATH=folder)[0] == 0, version
        else:
            refused(f"^configure: libfreeridge {version} is installed; this package needs {major}.{minor}.{patch} or "
                    f"later, before {major + 1}$", "--with-freeridge", PKG_CONFIG_PATH=folder)
    refused("pkg-config finds none", "--with-freeridge", PKG_CONFIG_LIBDIR=work / "nowhere")
    refused("there is no pkg-config", "--with-freeridge", PKG_CONFIG=work / "nowhere")

    assert configure()[0] == 0
    subprocess.run(["sh", "./cleanup"], cwd=package, check=True)
    assert not (package / "src" / "Makevars").exists() and not (package / "src" / "exports.map").exists()


def test_system():
    library = work / "library"
    library.mkdir()
    variables = environment(PKG_CONFIG_PATH=pkg_config_folder(), R_LIBS=library, NOT_CRAN="true")
    subprocess.run(["R", "CMD", "INSTALL", "--configure-args=--with-freeridge", f"--library={library}", package],
                   env=variables, check=True)
    shown = subprocess.run(["ldd", library / "freeridge" / "libs" / "freeridge.so"], capture_output=True, text=True,
                           check=True).stdout
    assert str(installed.resolve()) in os.path.realpath(re.search(r"libfreeridge\S* => (\S+)", shown).group(1)), shown
    subprocess.run(["Rscript", "--vanilla", "-e", "testthat::test_dir('tests/testthat', package = 'freeridge', "
                    "load_package = 'installed', reporter = 'summary', stop_on_failure = TRUE)"],
                   cwd=package, env=variables, check=True)


if not shutil.which("R") or not shutil.which("pkg-config"):
    print("not run: there is no R or no pkg-config")
    sys.exit(0)
fresh_package()
{"configure": test_configure, "system": test_system}[sys.argv[4]]()
