#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads that want a lock of libc, in traces: how long each waited, and which thread had the lock, compared with the
program's own log."""

import collections
import sys

sys.path[:0] = ["test/user", "test/threads"]
import harness  # noqa: E402
from harness import expect, expect_time, installed, retried  # noqa: E402
from thread_traces import analyzed, check_sums, killed, table  # noqa: E402

PREFIX = harness.stage()
PATTERN = "pthread_lock_contention_mutex_lock"
Held = collections.namedtuple("Held", "thread asked got freed")


def truth_of(text):
    """(waiter, holder) -> seconds: a waiting thread waits for each thread that has the mutex meanwhile, until the next
    one gets it."""
    held = [Held(*map(int, line.split()[1:])) for line in text.splitlines() if line.startswith("held ")]
    pairs = collections.Counter()
    for i, mine in enumerate(held):
        for other, after in zip(held[:i], held[1:i + 1]):
            pairs[mine.thread, other.thread] += max(0, after.got - max(mine.asked, other.got)) / 1e9
    return pairs


def check_locks(compiler, trace):
    bench, archive, told = analyzed(PREFIX, compiler, "locks.c", trace)
    facts = check_sums(bench, archive)
    wanted = truth_of(told)
    waits = collections.Counter()
    for row in table(bench, archive, "--waits"):
        if row["pattern"] == PATTERN:
            assert row["callpath"].endswith(" > pthread_mutex_lock"), row
            waits[int(row["thread"])] += float(row["seconds"])
    pairs = {(pair["waiter_thread"], pair["thread"]): pair["seconds"] for pair in facts["causes"]["pairs"]}
    for thread in (1, 2, 3):
        seconds = sum(s for (waiter, _), s in wanted.items() if waiter == thread)
        expect_time(abs(waits[thread] - seconds) <= 0.02 * seconds + 2e-4,
                    f"{compiler}, {trace}: thread {thread} waits {waits[thread]} s, the program says {seconds}")
    for pair, seconds in wanted.items():
        expect_time(abs(pairs.get(pair, 0) - seconds) <= 0.02 * seconds + 2e-4,
                    f"{compiler}, {trace}: {pair}: {pairs} s, the program says {wanted}")
    return bench, archive, facts


def check_locks_and_causes(compiler):
    bench, archive, facts = check_locks(compiler, "all")
    costs = collections.Counter()
    for row in table(bench, archive, "--causes"):
        if row["kind"].startswith("delay_mutex"):
            costs[row["callpath"].split(" > ")[-1]] += float(row["seconds"])
    # On a busy machine others come late by themselves, too: causes_test.cc has the exact numbers.
    expect_time(costs["critical"] > 0.5 * sum(costs.values()), f"{compiler}: {costs}")
    chains = [chain["text"] for chain in facts["causes"]["chains"] if chain["kind"] == "delay_mutex"]
    expect_time(chains and all(" more in critical" in chain for chain in chains), f"{compiler}: {chains}")


def test_locks_of_libc():
    for compiler in filter(installed, ("gcc", "clang")):
        retried(check_locks_and_causes, compiler)
        retried(check_locks, compiler, "comm")


def check_readers_and_writers(compiler, trace):
    """Readers wait for the writer. A writer waits for readers, but it is not known for which."""
    bench, archive, told = analyzed(PREFIX, compiler, "rwlocks.c", trace)
    facts = check_sums(bench, archive)
    held = [Held(*map(int, line.split()[1:])) for line in told.splitlines() if line.startswith("held ")]
    expect(f"{compiler}: acquisitions", [one.thread for one in held], [1, 2, 3, 1])
    pairs = {(pair["waiter_thread"], pair["thread"]): pair["seconds"] for pair in facts["causes"]["pairs"]}
    waits = collections.Counter()
    for row in table(bench, archive, "--waits"):
        if row["pattern"] == PATTERN:
            waits[int(row["thread"]), row["callpath"].split("_")[-1]] += float(row["seconds"])
    for one, function, whom in ((held[1], "rdlock", 1), (held[2], "rdlock", 1), (held[3], "wrlock", 1)):
        seconds = (one.got - one.asked) / 1e9
        expect_time(abs(waits[one.thread, function] - seconds) <= 0.02 * seconds + 2e-4,
                    f"{compiler}, {trace}: {one.thread}: {waits}, the program says {seconds}")
        # The second reader may wait for the first one at the end, for less than a millisecond.
        expect_time(abs(pairs.get((one.thread, whom), 0) - seconds) <= 0.02 * seconds + 1e-3,
                    f"{compiler}, {trace}: {one.thread} for {whom}: {pairs}, the program says {seconds}")


def test_readers_and_writers():
    for compiler in filter(installed, ("gcc", "clang")):
        for trace in ("all", "comm"):
            retried(check_readers_and_writers, compiler, trace)


def test_a_deadlock_says_who_wants_what():
    for compiler in filter(installed, ("gcc", "clang")):
        bench, archive = killed(PREFIX, compiler, "deadlock.c", "comm")
        wanted = {}
        for line in bench.run([bench.epk, "print", archive]).out.splitlines():
            words = line.replace(",", "").split()
            if "lock wanted" in line:
                wanted[words[1].split(":")[1]] = words[-1]
            assert "lock got" not in line, line
        # Either thread may have begun first: each waits for the other.
        expect(f"{compiler}: holders", wanted, {"1": "2", "2": "1"})
        check_sums(bench, archive)


if __name__ == "__main__":
    sys.exit(harness.main(globals()))
