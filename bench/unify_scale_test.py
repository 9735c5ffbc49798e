#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The simulator of unification, on few ranks: the data that rank 0 receives grow by the same amount with each doubling,
whether or not ranks agree, and the call tree does not grow at all. It counts bytes, because times on shared machines
say nothing.

unify_scale_test.py UNIFY_SCALE
"""
import subprocess
import sys

RANKS, PATHS = 8192, 400


def main():
    done = subprocess.run([sys.argv[1], str(RANKS), str(PATHS)], capture_output=True, text=True, check=True, timeout=800)
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    status = 0
    for kind in ("alike", "unlike"):
        mine = [row for row in rows if row[1] == kind]
        ranks = [int(row[0]) for row in mine]
        paths = {int(row[2]) for row in mine}
        received = [float(row[5]) for row in mine]
        steps = [after - before for before, after in zip(received, received[1:])]
        print(f"{kind}: {ranks} ranks, {paths} call paths, {received} MB received by rank 0")
        good = len(mine) == 7 and ranks[-1] == RANKS and all(b == 2 * a for a, b in zip(ranks, ranks[1:]))
        # 64 kinds of unlike ranks, and all of them are there from 128 ranks on; the table has two decimals.
        good = good and len(paths) == 1 and (kind != "alike" or paths == {PATHS})
        good = good and received[0] > 0 and max(steps) - min(steps) <= 0.02 + 1e-9
        if not good:
            print(f"{kind}: it grows with the number of ranks")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
