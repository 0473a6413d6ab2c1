"""freeridge_mpi.h obeys the law of freeridge.h (docs/manual/check.py), which it is read behind: it uses its types. A
communicator stands where a size may; the handle comes before it."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/manual"))
from check import breaches, calls, check  # noqa: E402
from header import text_of  # noqa: E402


def faults():
    text = text_of(*(ROOT / name for name in ("capi/freeridge.h", "capi/freeridge_classical.h", "mpi/freeridge_mpi.h")))
    exports = calls() + (ROOT / "mpi/exports.txt").read_text(encoding="utf-8").split()
    return check(text, exports) + breaches(text.replace("MPI_Comm comm", "int32_t comm"))


if __name__ == "__main__":
    found = faults()
    print("\n".join(found), f"{len(found)} faults")
    sys.exit(1 if found else 0)
