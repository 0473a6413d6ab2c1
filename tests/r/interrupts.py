#!/usr/bin/env python3
"""Interrupts long work of an R session at random moments: interrupts.py [COUNT [SEED]], 200 moments by default.

R_LIBS says where the package is. Every interrupt must come back as R's interrupt condition, the session must give the
same bits afterwards, and its memory must stay flat: else the exit status is 1. How long it takes from the signal to
the condition is printed, not judged.
"""
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

LIMIT_MIB = 64  # one kernel matrix of the works has 20 MiB, and a hundred that leak would be 2 GiB
WARM = 30  # works until allocators have taken what they keep


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    random.seed(seed)
    script = Path(__file__).with_name("interrupts.R")
    session = subprocess.Popen(["Rscript", "--vanilla", str(script), str(count), str(seed)], text=True, bufsize=1,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    words = lambda: session.stdout.readline().split()
    pid = words()
    assert pid and pid[0] == "pid", f"the session did not begin: {pid}"
    pid = int(pid[1])

    whole = {}  # the seconds that a work takes when it is left alone: each is, once
    waits, resident, finished, bad = {}, [], 0, []
    for number in range(count):
        said, name = words()
        assert said == "go", said
        sent = None
        if name in whole:
            time.sleep(random.uniform(0, whole[name]))
            sent = time.monotonic()
            os.kill(pid, signal.SIGINT)
        how, seconds = words()
        if how == "finished":
            # The signal came too late for the work, and ends the waiting instead.
            finished += sent is not None
            whole[name] = min(float(seconds), whole.get(name, 1e9))
            session.stdin.write(f"end {number + 1}\n")
            if sent is not None:
                how, seconds = words()
                assert how == "interrupted", how
                session.stdin.write(f"on {number + 1}\n")
        else:
            waits.setdefault(name, []).append(time.monotonic() - sent)
            session.stdin.write(f"on {number + 1}\n")
        said, healthy, mib = words()
        assert said == "healthy", said
        resident.append(float(mib))
        if healthy != "TRUE":
            bad.append(f"{number}: {name}")
    session.stdin.close()
    code = session.wait()

    every = [wait for one in waits.values() for wait in one]
    print(f"{count} works, {len(every)} interrupted on the way, {finished} done before the signal")
    for name, one in sorted(waits.items()):
        print(f"  {name:12} {len(one):4} interrupted, after the signal: median {median(one):.3f} s, most {max(one):.3f} s")
    if every:
        print(f"  all          median {median(every):.3f} s, most {max(every):.3f} s")
    settled = resident[min(WARM, count // 2):]
    grown = median(settled[-10:]) - median(settled[:10])
    print(f"resident memory: {resident[0]:.0f} MiB at first, from {min(settled):.0f} to {max(settled):.0f} MiB later, "
          f"grown by {grown:.0f}")
    if bad:
        print("other answers after:", ", ".join(bad))
    if grown > LIMIT_MIB:
        print(f"memory has grown by more than {LIMIT_MIB} MiB")
    if not every:
        print("nothing was interrupted")
    return int(bool(bad) or grown > LIMIT_MIB or not every or code != 0)


sys.exit(main())
