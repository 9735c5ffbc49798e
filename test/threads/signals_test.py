#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads that wait for conditions, semaphores and barriers of libc, in traces: how long, for which thread and why,
compared with the program's own log."""

import collections
import sys

sys.path[:0] = ["test/user", "test/threads"]
import harness  # noqa: E402
from harness import expect, expect_time, installed, retried  # noqa: E402
from thread_traces import analyzed, check_sums, function_of, killed, table  # noqa: E402

PREFIX = harness.stage()
MUTEX = "pthread_lock_contention_mutex_lock"
CONDITION = "pthread_condition_wait"
SEMAPHORE = "pthread_semaphore_wait"
BARRIER = "pthread_barrier_wait"
MAKER = 2


class Truth:
    """Seconds from the program's log: waits by (pattern, thread), pairs by (waiter, waited for)."""

    def __init__(self, text):
        self.waits, self.pairs, self.counts = collections.Counter(), collections.Counter(), collections.Counter()
        self.alone = 0.0
        rounds = collections.defaultdict(list)
        for line in text.splitlines():
            kind, *fields = line.split()
            self.counts[kind] += 1
            thread, *times = map(int, fields)
            if kind == "signal":
                begin, signal, got = times
                self.add(CONDITION, thread, signal - begin, MAKER)
                self.waits[MUTEX, thread] += max(0, got - signal) / 1e9
            elif kind == "alone":
                self.add(CONDITION, thread, times[1] - times[0], thread)
            elif kind == "post":
                self.add(SEMAPHORE, thread, times[1] - times[0], MAKER)
            elif kind == "word":
                self.add(CONDITION, thread, times[1] - times[0], MAKER)
            elif kind == "barrier":
                rounds[thread].append((times[1], times[0]))
        for arrivals in rounds.values():
            assert len(arrivals) == 3, rounds
            last = max(arrivals)
            for begin, thread in arrivals:
                self.add(BARRIER, thread, last[0] - begin, last[1])

    def add(self, pattern, thread, ns, whom):
        self.waits[pattern, thread] += max(0, ns) / 1e9
        self.pairs[thread, whom] += max(0, ns) / 1e9


def check_signals(compiler, trace):
    bench, archive, told = analyzed(PREFIX, compiler, "signals.c", trace)
    truth = Truth(told)
    facts = check_sums(bench, archive)
    found = collections.Counter()
    for row in table(bench, archive, "--waits"):
        found[row["pattern"], int(row["thread"])] += float(row["seconds"])
    for (pattern, thread), seconds in truth.waits.items():
        expect_time(abs(found[pattern, thread] - seconds) <= 0.02 * seconds + 5e-4,
                    f"{compiler}, {trace}: {pattern}, thread {thread}: {found[pattern, thread]} s, "
                    f"the program says {seconds} s")
    pairs = {(pair["waiter_thread"], pair["thread"]): pair["seconds"] for pair in facts["causes"]["pairs"]}
    for (thread, whom), seconds in truth.pairs.items():
        if thread == whom or seconds < 1e-3:
            continue
        extra = truth.waits[MUTEX, thread] if whom == MAKER else 0
        expect_time(-0.02 * seconds - 5e-4 <= pairs.get((thread, whom), 0) - seconds <= extra + 0.02 * seconds + 5e-4,
                    f"{compiler}, {trace}: {thread} for {whom}: {pairs}, the program says {truth.pairs}")
    return bench, archive, truth


def check_why(compiler):
    bench, archive, truth = check_signals(compiler, "all")
    costs = collections.defaultdict(collections.Counter)
    for row in table(bench, archive, "--causes"):
        costs[row["kind"].removesuffix("_longterm")][function_of(row)] += float(row["seconds"])
    # The thread that gave up waited for no other, and has the cost itself.
    alone = costs["delay_condition"]["pthread_cond_timedwait"]
    expect_time(0.029 < alone < 0.05, f"{compiler}: gave up after {alone} s")
    for kind, function, seconds in (("delay_condition", "produce", 0.1), ("delay_condition", "alter", 0.035), ("delay_mutex", "keep", 0.015),
                                    ("delay_semaphore", "fill", 0.045), ("delay_threadbarrier", "work", 0.05)):
        expect_time(costs[kind][function] > seconds, f"{compiler}: {kind}: {costs[kind]}")
    path = collections.Counter()
    for row in table(bench, archive, "--critical"):
        path[int(row["thread"]), function_of(row)] += float(row["to_s"]) - float(row["from_s"])
    for function, seconds in (("produce", 0.12), ("keep", 0.02), ("fill", 0.05), ("alter", 0.04), ("work", 0.05)):
        expect_time(path[MAKER, function] > 0.8 * seconds, f"{compiler}: {function}: {path}")


def test_waiting_for_signals_posts_and_each_other():
    for compiler in filter(installed, ("gcc", "clang")):
        retried(check_why, compiler)
        retried(check_signals, compiler, "comm")


def records_of(bench, archive):
    counts = collections.Counter()
    for line in bench.run([bench.epk, "print", archive]).out.splitlines():
        words = line.split()
        if len(words) > 4 and words[2] == ".":
            counts[" ".join(words[3:5])] += 1
    return counts


def test_records_without_calls():
    bench, archive, told = analyzed(PREFIX, "gcc", "signals.c", "msgs")
    truth, records = Truth(told), records_of(bench, archive)
    waits = truth.counts["signal"] + truth.counts["alone"] + truth.counts["post"] + truth.counts["word"]
    expect("waits", (records["signal wanted"], records["signal got"]), (waits, waits))
    expect("barriers", records["thread barrier"], truth.counts["barrier"])
    assert records["signal object"] <= 4, records  # those that nobody waited for yet are not there
    found = [row for row in table(bench, archive, "--waits") if row["pattern"] in (MUTEX, CONDITION, SEMAPHORE, BARRIER)]
    expect("wait states", found, [])


def test_of_a_killed_program_threads_wait_for_what_never_came():
    for compiler in filter(installed, ("gcc", "clang")):
        bench, archive = killed(PREFIX, compiler, "signals.c", "comm", ["killed"])
        records = records_of(bench, archive)
        expect("records", (records["signal wanted"], records["signal got"], records["thread barrier"]), (2, 0, 1))
        facts = check_sums(bench, archive)
        waits = {row["pattern"]: int(row["thread"]) for row in table(bench, archive, "--waits")}
        expect("waits", waits, {CONDITION: 1, SEMAPHORE: 2, BARRIER: 3})
        for pair in facts["causes"]["pairs"]:
            expect("for nobody", pair["waiter_thread"], pair["thread"])


if __name__ == "__main__":
    sys.exit(harness.main(globals()))
