#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_RECURSION folds calls of functions that are open already: fewer call paths, the same visits and the same time."""

import collections
import json
import pathlib
import sys

sys.path[:0] = ["test/user", "test/filter"]
from harness import Bench, Profile, expect, installed, long, main, stage  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
FLAGS = ["-O1", "-g", "-fno-inline", "-fno-optimize-sibling-calls", "-w"]


def built(b, compiler="gcc"):
    return b.compile(compiler, "recursion.c", FLAGS, instrument=["--all-calls"])


def truth(out):
    return {name: int(count) for name, count in (line.split() for line in out.splitlines())}


def counted(profile):
    counts = collections.Counter()
    for row in profile.rows:
        counts[row["region"]] += int(row["visits"] or 0)
    return {name: counts[name] for name in ("Even", "Odd", "Leaf")}


def names(row):
    return row["path"].split(" > ") if row["path"] else []


def whole_of(profile):
    """The program's time. A caller takes at least as long as its callees together, and exclusive times add up to the
    whole."""
    inclusive = {row["path"]: float(row["incl_s"] or 0) for row in profile.rows}
    own = {row["path"]: float(row["excl_s"] or 0) for row in profile.rows}
    below = collections.Counter()
    for path, seconds in inclusive.items():
        if path:
            below[" > ".join(path.split(" > ")[:-1])] += seconds
    for path, seconds in inclusive.items():
        assert own[path] >= -1e-9, (path, own[path])
        assert below[path] <= seconds + 1e-9, (path, below[path], seconds)
    assert abs(sum(own.values()) - inclusive[""]) <= 1e-9 + 1e-6 * inclusive[""], (sum(own.values()), inclusive[""])
    return inclusive[""]


def no_function_twice(profile):
    for row in profile.rows:
        assert len(set(names(row))) == len(names(row)), row["path"]


def test_fold():
    for compiler in filter(installed, ("gcc", "clang")):
        b = Bench(PREFIX, PROGRAMS)
        program = built(b, compiler)
        full, result = b.measure(program, [14], env={"EPK_RECURSION": "full"})
        expect(f"{compiler}: full", counted(full), truth(result.out))
        assert max(len(names(row)) for row in full.rows) >= 14
        folded, result = b.measure(program, [14], env={"EPK_RECURSION": "fold"})
        expect(f"{compiler}: fold", counted(folded), truth(result.out))
        no_function_twice(folded)
        expect(f"{compiler}: paths", {row["path"] for row in folded.rows},
               {"", "measurement", "main", "main > Say", "main > Leaf", "main > Even", "main > Even > Leaf", "main > Even > Odd",
                "main > Even > Odd > Leaf", "main > Odd", "main > Odd > Leaf", "main > Odd > Even",
                "main > Odd > Even > Leaf"})
        whole_of(folded)
        whole_of(full)


def test_traces_have_the_folded_paths():
    b = Bench(PREFIX, PROGRAMS)
    profile, _ = b.measure(built(b), [13], env={"EPK_RECURSION": "fold", "EPK_TRACE": "all"})
    no_function_twice(profile)
    checked = b.run([b.epk, "check", profile.archive, "--trace-vs-summary"], check=False)
    expect("trace and summary", (checked.status, checked.out if checked.status else ""), (0, ""))


def test_auto_bounds_what_grows_exponentially():
    b = Bench(PREFIX, PROGRAMS)
    program = built(b)
    few, result = b.measure(program, [14])
    expect("few", counted(few), truth(result.out))
    expect("nothing is said", [note for note in few.manifest["notes"] if "EPK_RECURSION" in note], [])
    many, result = b.measure(program, [24])
    expect("many", counted(many), truth(result.out))
    paths = len({row["callpath"] for row in many.rows})
    assert 125000 < paths < 150000, paths
    expect("said", sum("EPK_RECURSION" in note for note in many.manifest["notes"]), 1)
    whole_of(many)


# A program that starts another one passes its own peak of memory on, and this test has read large profiles.
PEAK = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.stdout.decode())
"""


def peak_kb(b, program, words, env):
    """A run's peak of memory, and its output."""
    peak, out = b.run([sys.executable, "-c", PEAK, program, *words], env=env).out.split()
    return int(peak), out


@long
def test_ten_million_deep_in_little_memory():
    """EPK_MEMORY bounds the memory of the measurement, including its end; calls that do not fit are counted."""
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "deep.c", ["-O1", "-fno-optimize-sibling-calls", "-pthread"], instrument=["--all-calls"])
    depth = 10_000_000
    bare, _ = peak_kb(b, program, [depth], {"EPK_ENABLED": "no"})
    for megabytes, trace in (1, "no"), (1, "all"), (16, "all"), (64, "no"):
        before = set(b.archives())
        used, out = peak_kb(b, program, [depth], {"EPK_MEMORY": f"{megabytes}M", "EPK_TRACE": trace})
        what = f"{megabytes} MB, trace {trace}"
        expect(f"{what}: calls", int(out), depth + 1)
        archive, = set(b.archives()) - before
        manifest = json.loads((archive / "manifest.json").read_text())
        # Not as CSV: the names of call paths this long are gigabytes.
        report = json.loads(b.run([b.epk, "report", archive, "--format", "json"]).out)
        deep = {path for path, one in enumerate(report["callpaths"]) if report["regions"][one["region"]]["name"] == "Deep"}
        visits = next(values for values in report["values"] if values["metric"] == "visits")
        counted = sum(value for path, value in zip(visits["callpath"], visits["value"]) if path in deep)
        # The call paths of writing the trace may not fit, either.
        flushes = manifest["trace"]["flushes"] if trace == "all" else 0
        more = counted + manifest["folded_visits"] - (depth + 1)
        assert 0 <= more <= flushes, (what, "visits", counted, manifest["folded_visits"], flushes)
        # Beside EPK_MEMORY: buffers and libraries.
        assert used - bare < (megabytes + 24) * 1024, (what, used - bare)
        if trace == "all":  # the call tree may leave no room for the trace, which a note says then
            checked = b.run([b.epk, "check", archive, "--trace-vs-summary"], check=False)
            is_lost = manifest["trace"]["lost"] > 0 and "neither memory" in str(manifest["notes"])
            assert is_lost or checked.status == 0, (what, checked.out, checked.err)


def test_folded_paths_are_sampled_and_recovered():
    b = Bench(PREFIX, PROGRAMS)
    program = built(b)
    env = {"EPK_RECURSION": "fold", "EPK_HOT": "sample", "EPK_THROTTLE_CALLS": "1000"}
    sampled, result = b.measure(program, [20], env=env)
    expect("sampled", counted(sampled), truth(result.out))
    assert any(int(row.get("untimed_visits") or 0) > 0 for row in sampled.rows), "nothing was sampled"
    whole_of(sampled)
    killed = b.run([program, 14, "kill"], env={"EPK_RECURSION": "fold"}, check=False)
    expect("status", killed.status, -9)
    before = set(b.archives())
    b.run([b.epk, "recover"])
    archive, = (a for a in set(b.archives()) - before if "unfinished" not in a.name)
    recovered = Profile(b, archive)
    expect("killed", counted(recovered), truth(killed.out))
    no_function_twice(recovered)


if __name__ == "__main__":
    sys.exit(main(globals()))
