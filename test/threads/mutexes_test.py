#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Locks of libc in OTF2: pairs of acquisition and release, in the program's own order, and by its threads."""

import collections
import re
import shutil
import sys

sys.path[:0] = ["test/user", "test/threads"]
import harness  # noqa: E402
from harness import RUNFILES, expect, installed, need  # noqa: E402

PREFIX = harness.stage()
shutil.copy(RUNFILES / "archive/otf2/libepk_otf2.so", PREFIX / "lib")
FLAGS = ("-g", "-O1", "-pthread")
LOCKS = ("plain mutex", "recursive mutex", "mutex of C11", "spin lock", "mutex with a condition")
TIMES = 4 * 20000  # of turns.c that counts
Pair = collections.namedtuple("Pair", "got freed thread order")


def lock_events(folder, bench):
    """(kind, thread, time, lock, order) of each event of a lock; the threads are those of one process."""
    printed = bench.run(["otf2-print", folder / "traces.otf2"])
    assert "ERROR" not in printed.out + printed.err, printed.err
    for line in printed.out.splitlines():
        found = re.match(r"THREAD_(ACQUIRE|RELEASE)_LOCK +(\d+) +(\d+) +(.*)", line)
        if found:
            kind, location, time, values = found.groups()
            assert "POSIX threads" in values, line
            lock, order = (int(re.search(rf"{name}: (\d+)", values)[1]) for name in ("Lock", "Order"))
            yield kind, int(location) >> 32, int(time), lock, order


def pairs_of(folder, bench):
    """Lock -> its pairs, by their order. Each acquisition has a release by its thread, before the next acquisition."""
    acquired, pairs = {}, collections.defaultdict(list)
    for kind, thread, time, lock, order in lock_events(folder, bench):
        if kind == "ACQUIRE":
            assert (lock, order) not in acquired, f"two acquisitions {order} of lock {lock}"
            acquired[lock, order] = time, thread
        else:
            got, holder = acquired.pop((lock, order))
            expect("who releases the lock", thread, holder)
            pairs[lock].append(Pair(got, time, thread, order))
    expect("locks that nobody releases", acquired, {})
    for mine in pairs.values():
        mine.sort(key=lambda pair: pair.order)
        expect("orders", [pair.order for pair in mine], list(range(1, len(mine) + 1)))
        assert all(pair.got <= pair.freed for pair in mine), mine
        assert all(before.freed <= after.got for before, after in zip(mine, mine[1:])), mine
    return pairs


def written(compiler, words=()):
    """OTF2 of two runs, one converted and one written at the end of the run, and each program's output."""
    bench = harness.Bench(PREFIX, "test/threads/programs")
    program = bench.compile(compiler, "turns.c", FLAGS, instrument=())
    profile, result = bench.measure(program, words, env={"EPK_TRACE": "comm"})
    bench.run([bench.epk, "check", profile.archive])
    folder = bench.folder / "otf2"
    bench.run([bench.epk, "convert", profile.archive, "--to", "otf2", "-o", folder])
    yield bench, folder, result.out
    profile, result = bench.measure(program, words, env={"EPK_TRACE": "comm", "EPK_TRACE_FORMAT": "otf2"})
    yield bench, profile.archive / "otf2", result.out


def test_pairs_are_what_the_program_tells():
    need(installed("otf2-print"), "otf2-print is not installed")
    for compiler in filter(installed, ("gcc", "clang")):
        for bench, folder, told in written(compiler):
            wanted = collections.defaultdict(list)
            for line in told.splitlines():
                if line.startswith("turn "):
                    lock, thread, held = map(int, line.split()[1:])
                    wanted[lock].append((thread + 1, held))
            assert len(wanted) == len(LOCKS) and all(len(one) >= 4 for one in wanted.values()), told
            # The locks are used one after the other.
            found = sorted(pairs_of(folder, bench).values(), key=lambda pairs: pairs[0].got)
            expect(f"{compiler}: locks", len(found), len(LOCKS))
            for lock, pairs in enumerate(found):
                expect(f"{compiler}: the {LOCKS[lock]}", [pair.thread for pair in pairs],
                       [thread for thread, _ in wanted[lock]])
                for pair, (_, held) in zip(pairs, wanted[lock]):
                    # The program's clock reads lie within; both clocks differ by their scale alone.
                    assert pair.freed - pair.got >= 0.999 * held - 1000, (compiler, LOCKS[lock], pair, held)


def test_threads_that_count():
    need(installed("otf2-print"), "otf2-print is not installed")
    for compiler in filter(installed, ("gcc", "clang")):
        for bench, folder, told in written(compiler, ("fast",)):
            expect(f"{compiler}: the sum", told.split()[-1], str(TIMES))
            pairs = pairs_of(folder, bench)
            (mine,) = pairs.values()
            assert 0 < len(mine) < TIMES, len(mine)


def test_a_semaphore_within_a_mutex():
    for compiler in filter(installed, ("gcc", "clang")):
        bench = harness.Bench(PREFIX, "test/threads/programs")
        program = bench.compile(compiler, "held.c", FLAGS, instrument=())
        profile, _ = bench.measure(program, env={"EPK_TRACE": "comm"})
        expect(f"{compiler}: lost events", profile.manifest["trace"]["lost"], 0)
        printed = bench.run([bench.epk, "print", profile.archive]).out
        expect(f"{compiler}: the mutex", [printed.count(word) for word in ("mutex taken", "mutex released")], [1, 1])
        assert printed.index("signal got") < printed.index("mutex released"), printed


if __name__ == "__main__":
    sys.exit(harness.main(globals()))
