#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_RECURSION folds calls of functions that are open already: fewer call paths, the same visits and the same time."""

import collections
import pathlib
import sys

sys.path[:0] = ["test/user", "test/filter"]
from harness import Bench, Profile, expect, installed, main, stage  # noqa: E402

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
    """The program's time. Callers take at least what their callees do together, and own times add up to the whole."""
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
