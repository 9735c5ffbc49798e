#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program with LeakSanitizer: EPIK's memory for communicators, requests and waits is not reported as a leak."""

import re
import sys

sys.path.insert(0, "test/user")
from harness import Bench, main, mpis, skip, skip_all, stage  # noqa: E402

PREFIX = stage()
MPIS = mpis()
SETTINGS = ("EPK_VERBOSE=0", "EPK_WAITS=yes", "EPK_MONITOR_STATISTICS=yes", "EPK_MONITOR_BUFFER=1M EPK_MONITOR=COLL,P2P",
            "EPK_COLL_TREE=binomial", "EPK_TRACE=comm", "EPK_TRACE=comm EPK_OVERFLOW=ring", "EPK_MEASURE=window:Exchange:2-9")


def reports(text):
    """Each leak: how many bytes, the call that allocated them (if it has a name: libraries that are gone have none, and may
    pass for others), and all calls."""
    found = []
    for part in re.split(r"\n(?=(?:Direct|Indirect) leak of )", text)[1:]:
        stack = part.split("\n\n")[0]
        found.append((int(part.split()[3]), "".join(re.findall(r"#1 \S+ in .*", stack)[:1]), stack))
    return found


def test_no_leak_is_ours():
    for mpi, words in MPIS:
        b = Bench(PREFIX, "test/monitor/programs")
        b.env.update(ASAN_OPTIONS="detect_leaks=1:fast_unwind_on_malloc=0")
        program = b.compile(f"mpicc.{mpi}", "leaks.c", ["-O1", "-g", "-fsanitize=address"], instrument=None)
        for settings in SETTINGS:
            run = b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", 2, program], check=False,
                        env=dict(pair.split("=", 1) for pair in settings.split()))
            leaks = reports(run.err)
            if not any(size == 77 for size, _, _ in leaks):
                skip(f"{mpi}: LeakSanitizer does not work here")
            # Memory that hangs on a communicator which the program never frees is lost with it, indirectly.
            ours = [stack for _, caller, stack in leaks if "libepk" in caller and stack.lstrip().startswith("Direct")]
            assert not ours, f"{mpi}, {settings}: {len(ours)} leaks\n{ours[0]}"


if __name__ == "__main__":
    if not MPIS:
        skip_all("no MPI is installed")
    sys.exit(main(globals()))
