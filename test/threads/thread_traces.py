# SPDX-License-Identifier: BSD-3-Clause
"""Shared by tests of threads in traces: programs that are measured and analysed, and sums that hold in each trace."""

import csv
import io
import json

import harness


def table(bench, archive, view):
    return list(csv.DictReader(io.StringIO(bench.run([bench.epk, "report", archive, view, "--format", "csv"]).out)))


def check_sums(bench, archive):
    """Each nanosecond of waiting has a cause; the critical path has no holes."""
    waited = sum(float(row["seconds"]) for row in table(bench, archive, "--waits"))
    cost = sum(float(row["seconds"]) for row in table(bench, archive, "--causes"))
    facts = json.loads((archive / "analysis.json").read_text())
    assert abs(cost - waited) < 1e-6 and abs(facts["causes"]["waited_s"] - waited) < 1e-6, (cost, waited, facts["causes"])
    now = facts["critical_path"]["begin_s"]
    for row in table(bench, archive, "--critical"):
        assert abs(float(row["from_s"]) - now) < 1e-9, f"a hole at {now}"
        now = float(row["to_s"])
    assert abs(now - facts["critical_path"]["end_s"]) < 1e-9
    return facts


def analyzed(prefix, compiler, program, trace, words=()):
    """Returns the bench, the archive, and the program's output."""
    bench = harness.Bench(prefix, "test/threads/programs")
    built = bench.compile(compiler, program, ("-g", "-O1", "-pthread"), instrument=())
    profile, result = bench.measure(built, words, env={"EPK_TRACE": trace})
    bench.run([bench.epk, "analyze", profile.archive])
    bench.run([bench.epk, "check", profile.archive])
    return bench, profile.archive, result.out


def killed(prefix, compiler, program, trace, words=()):
    """The same for a program that is killed."""
    bench = harness.Bench(prefix, "test/threads/programs")
    built = bench.compile(compiler, program, ("-g", "-O1", "-pthread"), instrument=())
    bench.run([bench.epk, "run", "-t", trace, built, *words], check=False)
    archive, = bench.archives()
    bench.run([bench.epk, "analyze", archive])
    return bench, archive


def seconds_of(rows, **wanted):
    return sum(float(row["seconds"]) for row in rows if all(row[name] == value for name, value in wanted.items()))


def function_of(row):
    return row["callpath"].split(" > ")[-1]
