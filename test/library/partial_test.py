#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces that lack some messages and operations: ranks switch their traces, pause, keep a ring of the latest events, or
select. Messages and operations that both sides have are matched, and no others. Each message and operation has a number
of bytes of its own."""

import collections
import json
import pathlib
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, long_cases, main, mpis, skip_all, stage  # noqa: E402

sys.path.insert(0, "test/library")
from installed_library import epik_trace_of  # noqa: E402

PREFIX = stage()
epik_trace = epik_trace_of(PREFIX)
PROGRAMS = pathlib.Path("test/library/programs").resolve()
RANKS, SEEDS = 3, 10
MPIS = mpis()
# Settings, the ranks' own actions, and steps.
MODES = [
    ("EPK_WAITS=yes", "", 50),
    ("EPK_TRACE_START=no", "switch", 50),
    ("EPK_TRACE=comm", "switch", 50),
    ("EPK_WAITS=yes", "switch", 50),
    ("EPK_WAITS=yes", "pause", 50),
    ("EPK_OVERFLOW=ring ELG_BUFFER_SIZE=64k EPK_TRACE=all", "", 300),
    ("EPK_OVERFLOW=ring ELG_BUFFER_SIZE=64k", "pause", 300),
    ("EPK_TRACE=comm,visits:3", "", 50),
    ("EPK_TRACE=msgs,visits:3", "", 50),
    ("EPK_TRACE=comm,window:Exchange:3-9", "", 50),
    ("EPK_MEASURE=window:Step:5-30", "", 50),
    ("EPK_MPI_ENABLED=P2P EPK_TRACE_START=no", "switch", 50),
]


class Seen:
    """The contents of one trace: messages and all-to-all operations by their bytes."""

    def __init__(self, trace, whole):
        """`whole`: each rank's trace has all until it is switched, so that turns begin there."""
        self.trace, switched = trace, set()
        self.sends, self.receives, self.operations = {}, {}, collections.defaultdict(list)
        turn = {}
        for event in trace:
            here = event.location
            if event.kind in ("send", "send begin", "receive", "receive end"):
                # EPIK may not know which message it is: if an earlier receive that accepted it, too, was open, or if
                # the ring begins with it.
                its = self.sends if event.kind.startswith("send") else self.receives
                its[event["bytes"]] = event, turn.get(here, 0 if here in switched or not whole else 1) != 0
            elif event.kind == "collective end" and "allreduce" in trace.regions[event["operation"]].name:
                # EPIK does not know which operation it is only if a ring begins with it.
                if here in turn or whole and here not in switched:
                    self.operations[event["out"]].append(event)
                else:
                    assert event.place == 0, f"{event} has no turn"
            if event.kind == "switched":
                switched.add(here)
            if event.kind in ("turn", "turn since"):
                turn[here] = event["number"]
            elif event.kind not in ("at", "enter", "exit"):
                turn.pop(here, None)

    def check(self, what):
        """Returns how many messages have both sides."""
        both = 0
        for size, (receive, is_known) in self.receives.items():
            send = self.trace.partner(receive, "message")
            if send is not None:
                expect(f"{what}: bytes of what was sent", send["bytes"], size)
                both += 1
            elif size in self.sends:
                assert not is_known or not self.sends[size][1], f"{what}: {receive} has no {self.sends[size][0]}"
        for size, ends in self.operations.items():
            wanted = sorted((end.location, end.place) for end in ends)
            for end in ends:
                linked = [(e.location, e.place) for e in self.trace.linked(end, "collective")]
                found = [place for place in linked if self.trace.at(*place).kind == "collective end"]
                expect(f"{what}: who was in an operation of {size} bytes", sorted({*found, (end.location, end.place)}), wanted)
        return both


def check_seeds(seeds):
    for mpi, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        flags = ["-O1", "-w", "-DEPIK", f"-I{PREFIX}/include", "-finstrument-functions"]
        program = b.compile(f"mpicc.{mpi}", "partial.c", flags, instrument=None)
        for seed in seeds:
            for settings, how, steps in MODES:
                before = set(b.archives())
                b.run([b.epk, "run", f"mpirun.{mpi}", *words, "-n", RANKS, program, seed, steps, how],
                      env={"EPK_TRACE": "comm", **dict(pair.split("=", 1) for pair in settings.split())})
                archive, = [a for a in b.archives() if a not in before]
                what = f"{mpi}, seed {seed}, {settings} {how}"
                with epik_trace.open(archive) as trace:
                    seen = Seen(trace, settings == "EPK_TRACE=comm" and how == "switch")
                    both = seen.check(what)
                assert both > 0 or seed != 1, what
                b.run([b.epk, "analyze", archive])
                known = json.loads((archive / "analysis.json").read_text())
                expect(f"{what}: messages", known["messages"], both)
                expect(f"{what}: of which only the order is known", known["matched_by_order"], 0)


def test_both_sides_of_what_is_there():
    check_seeds([1])


globals().update(long_cases("test_both_sides_from", check_seeds, 100, 4, SEEDS))


if __name__ == "__main__":
    if not MPIS:
        skip_all("no MPI is installed")
    sys.exit(main(globals()))
