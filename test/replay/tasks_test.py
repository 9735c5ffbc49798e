#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Planted waits for tasks, and idle threads: the analysis finds them at their places, with their causes. The right
values follow from the program's own log."""

import collections
import csv
import io
import json
import pathlib
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, expect_time, main, need, retried, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/replay/programs").resolve()
PREFIX = stage()
SLICE = 0.012  # another process may have the processor between a clock read of the program and one of the measurement

Note = collections.namedtuple("Note", "thread begin end")


def read_log(folder):
    """name -> [Note in seconds], in the order of time"""
    notes = collections.defaultdict(list)
    for line in (folder / "planted_tasks.log").read_text().splitlines():
        name, thread, begin, end = line.split()
        notes[name].append(Note(int(thread), int(begin) / 1e9, int(end) / 1e9))
    return notes


def table(b, archive, view):
    return list(csv.DictReader(io.StringIO(b.run([b.epk, "report", archive, view, "--format", "csv"]).out)))


def near(what, found, wanted):
    expect_time(abs(found - wanted) <= max(0.05 * wanted, SLICE), f"{what}: {found} s, not {wanted}")


def experiment(row):
    return next((n for n in row["callpath"].split(" > ") if n.startswith("waits_")), "")


def waits_of(notes):
    """(experiment, pattern, thread) -> seconds"""
    child, group, other, *rest = notes["work"]
    waits = dict(zip((("waits_for_named", "omp_taskwait_wait", 0), ("waits_for_needed", "omp_taskwait_wait", 0)),
                     (work.end - notes[name][0].begin for work, name in zip(rest, ("named", "needed")))))
    own = [note.end for note in notes["part"] if note.thread == 0]
    others = [note.end for note in notes["part"] if note.thread == 1]
    return waits | {
        ("waits_for_child", "omp_taskwait_wait", 0): child.end - notes["taskwait"][0].begin,
        ("waits_for_group", "omp_taskwait_wait", 0): group.end - notes["taskgroup"][0].begin,
        ("waits_for_parts", "omp_taskwait_wait", 0): max(others) - max(own + [notes["taskloop"][0].begin]),
        ("waits_for_child", "omp_ibarrier_creation", 1): notes["created"][0].begin - notes["comes"][0].begin,
        ("waits_in_barrier", "omp_ibarrier_tasks", 0): other.end - notes["last"][0].begin,
        ("waits_for_detached", "omp_taskwait_wait", 0): notes["finish"][0].end - notes["detached"][0].begin,
    }


def check_waits(b, archive, notes):
    found = collections.Counter()
    for row in table(b, archive, "--waits"):
        found[experiment(row), row["pattern"], int(row["thread"])] += float(row["seconds"])
    wanted = waits_of(notes)
    expect("threads of the tasks", {note.thread for note in notes["work"]}, {1})
    for key, seconds in wanted.items():
        near(key, found[key], seconds)
    for key, seconds in found.items():
        if key[1].endswith(("_tasks", "_creation")) or key[1] == "omp_taskwait_wait":
            expect_time(key in wanted or seconds < SLICE, f"{key}: {seconds} s")
        # A part is no longer than its whole.
        whole = key[1].replace("_creation", "_wait")
        assert seconds <= found[key[0], whole, key[2]] + 1e-9, f"{key}: {seconds} s"


def check_causes(b, archive, notes):
    costs = collections.Counter()
    for row in table(b, archive, "--causes"):
        costs[int(row["thread"]), row["callpath"].split(" > ")[-1], row["kind"]] += float(row["seconds"])
    waits = waits_of(notes)
    near("creation", costs[0, "prepare", "delay_taskcreation"], notes["created"][0].begin - notes["comes"][0].begin)
    parts = waits["waits_for_parts", "omp_taskwait_wait", 0]
    detached = waits["waits_for_detached", "omp_taskwait_wait", 0]
    tasks = sum(waits.values()) - waits["waits_for_child", "omp_ibarrier_creation", 1] - parts - detached
    near("tasks", costs[1, "work", "delay_task"], tasks)
    near("detached", costs[1, "finish", "delay_task"], detached)
    near("parts", costs[1, "part", "delay_task"], parts)
    near("idle", costs[0, "alone", "delay_ompidle"], notes["alone"][0].end - notes["alone"][0].begin)
    facts = json.loads((archive / "analysis.json").read_text())["causes"]
    idle = sum(s for (_, _, kind), s in costs.items() if kind.startswith("delay_ompidle"))
    assert abs(sum(costs.values()) - idle - facts["waited_s"]) < 1e-6, "each wait is the cost of something"


def check_run(b, program, trace):
    before = set(b.archives())
    b.run([b.epk, "run", program], env={"EPK_TRACE": trace})
    archive = next(a for a in b.archives() if a not in before)
    result = b.run([b.epk, "analyze", archive])
    expect("messages", result.err, "")
    notes = read_log(b.folder)
    check_waits(b, archive, notes)
    if trace == "all":
        check_causes(b, archive, notes)


def check(compiler):
    need(shutil.which(compiler), compiler)
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(OMP_WAIT_POLICY="passive", OMP_NUM_THREADS="2")
    program = b.compile(compiler, "planted_tasks.c", ["-O1", "-g", "-fopenmp", "-finstrument-functions"], instrument=None)
    for trace in ("all", "comm"):
        retried(check_run, b, program, trace)


def test_libgomp():
    check("gcc")


def test_libomp():
    check("clang")


if __name__ == "__main__":
    sys.exit(main(globals()))
