#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads that wait for the end of others, in traces: how long, for which thread and why, compared with the program's
own log."""

import collections
import sys

sys.path[:0] = ["test/user", "test/threads"]
import harness  # noqa: E402
from harness import expect, expect_time, installed, retried  # noqa: E402
from thread_traces import analyzed, check_sums, function_of, killed, seconds_of, table  # noqa: E402

PREFIX = harness.stage()
PATTERN = "pthread_join_wait"
# By the program's numbers of its threads.
WORK = {1: "first_work", 3: "inner_work", 4: "last_work"}


def truth_of(text):
    """[(waiter, whom, seconds until that one ended, seconds in the call)]"""
    waits = []
    for line in text.splitlines():
        if line.startswith("wait "):
            waiter, whom, begin, end, ended = map(int, line.split()[1:])
            waits.append((waiter, whom, max(0, ended - begin) / 1e9, (end - begin) / 1e9))
    return waits


def records_of(bench, archive):
    """Kind of record -> [(thread, its field)]"""
    records = collections.defaultdict(list)
    for line in bench.run([bench.epk, "print", archive]).out.splitlines():
        words = line.split("  in ")[0].split()
        if len(words) > 4 and words[2] == ".":
            records[" ".join(words[3:5])].append((int(words[1].split(":")[1]), int(words[-1])))
    return records


def check_records(bench, archive):
    records = records_of(bench, archive)
    expect("created", records["thread create"], [(0, 1), (0, 2), (2, 3), (0, 4)])
    expect("begun", sorted(number for _, number in records["thread begin"]), [1, 2, 3, 4])
    expect("ended", sorted(records["thread end"]), sorted(records["thread begin"]))
    expect("got", sorted(records["join got"]), [(0, 1), (0, 2), (0, 4), (2, 3)])
    expect("wanted", len(records["join wanted"]), 5)  # one gave up


def check_joins(compiler, trace):
    bench, archive, told = analyzed(PREFIX, compiler, "joins.c", trace)
    check_records(bench, archive)
    facts = check_sums(bench, archive)
    rows = [row for row in table(bench, archive, "--waits") if row["pattern"] == PATTERN]
    waits = truth_of(told)
    expect("joins", len(waits), 4)
    for thread in (0, 2):
        mine = [wait for wait in waits if wait[0] == thread]
        found = seconds_of(rows, thread=str(thread))
        # A thread ends a little later than its function, and the call a little after that.
        expect_time(sum(w[2] for w in mine) - 2e-4 <= found <= sum(w[3] for w in mine) + 2e-4,
                    f"{compiler}, {trace}: thread {thread} waits {found} s, the program says {mine}")
    return bench, archive, facts, waits


def check_why(compiler):
    bench, archive, facts, waits = check_joins(compiler, "all")
    costs = collections.Counter()
    for row in table(bench, archive, "--causes"):
        if row["kind"].startswith("delay_join"):
            costs[function_of(row)] += float(row["seconds"])
    direct = {whom: seconds for _, whom, seconds, _ in waits}
    for whom, function in WORK.items():
        expect_time(costs[function] >= 0.9 * direct[whom] - 1e-3, f"{compiler}: {costs}, the program says {direct}")
    # main made the second thread, which made the third one, for which all wait in the end; the last one is main's.
    path = collections.Counter()
    for row in table(bench, archive, "--critical"):
        path[function_of(row)] += float(row["to_s"]) - float(row["from_s"])
    for function, seconds in {"prepare": 0.03, "second_work": 0.04, "inner_work": 0.09, "last_work": 0.05}.items():
        expect_time(path[function] >= 0.8 * seconds, f"{compiler}: {function} on the path: {path}")
    expect(f"{compiler}: the first one ended before", path["first_work"], 0)
    expect_time(facts["critical_path"].get("unknown_s", 0) < 1e-3, f"{compiler}: {facts['critical_path']}")


def test_waiting_for_the_end_of_threads():
    for compiler in filter(installed, ("gcc", "clang")):
        retried(check_why, compiler)
        retried(check_joins, compiler, "comm")


def check_records_alone(compiler):
    """Without calls the waiting time is not known, and the report does not claim one."""
    bench, archive, _ = analyzed(PREFIX, compiler, "joins.c", "msgs")
    check_records(bench, archive)
    expect("waits", [row for row in table(bench, archive, "--waits") if row["pattern"] == PATTERN], [])


def test_records_without_calls():
    check_records_alone("gcc")


def test_of_a_killed_program_main_waits_for_who_runs():
    for compiler in filter(installed, ("gcc", "clang")):
        bench, archive = killed(PREFIX, compiler, "joins.c", "comm", ["killed"])
        records = records_of(bench, archive)
        expect("wanted", records["join wanted"][-1], (0, 1))
        expect("got", records["join got"], [])
        facts = check_sums(bench, archive)
        pairs = [(pair["waiter_thread"], pair["thread"]) for pair in facts["causes"]["pairs"] if pair["seconds"] > 0]
        assert (0, 1) in pairs, pairs


if __name__ == "__main__":
    sys.exit(harness.main(globals()))
