#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""EPK_TRACE selects the events that its definition takes out of a full trace.

The oracle: the program does the same in every run, so this test filters a full trace by the rules of docs/traces.md for
each mode, and compares its events with those of the selective trace, one by one.
"""

import json
import pathlib
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, long, main, mpis, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/trace/programs").resolve()
PREFIX = stage()
FLAGS = ["-O1", "-g", "-finstrument-functions", f"-I{PREFIX}/include"]
RECORDS = ("send", "receive", "collective begin", "collective end", "send begin", "send end", "receive posted", "collective posted",
           "collective peers", "collective call", "probe", "window lock", "send mode", "truncated")
ABOUT_RECORDS = ("at", "turn")  # They say where the next record belongs. //test/library:partial_test checks them.
NOT_DETERMINISTIC = ("measurement",)
MPIS = mpis()


class Frame:
    """A call, with the frames and records directly in it."""

    def __init__(self, region, outer, begin):
        self.region, self.outer, self.begin, self.end = region, outer, begin, None
        self.inner = []  # frames and records
        self.logged = False

    def path(self):
        return (self.outer.path() if self.outer else ()) + (self.region,)


class Record:
    def __init__(self, event, frame):
        self.event, self.frame = event, frame


def frames_of(events):
    """The outermost frame, and all frames in the order in which they end; open ones last."""
    stack, ended, outermost = [], [], None
    for event in events:
        if event["event"] == "enter":
            frame = Frame(event["region"], stack[-1] if stack else None, event["time"])
            if stack:
                stack[-1].inner.append(frame)
            outermost = outermost or frame
            stack.append(frame)
        elif event["event"] == "exit":
            frame = stack.pop()
            frame.end = event["time"]
            ended.append(frame)
        elif event["event"] in RECORDS:
            stack[-1].inner.append(Record(event["event"], stack[-1]))
    return outermost, ended + stack[::-1], events[-1]["time"]


def log(frame):
    while frame is not None and not frame.logged:
        frame.logged = True
        frame = frame.outer


def outermost_named(frame, region):
    found = None
    while frame is not None:
        if frame.region == region:
            found = frame
        frame = frame.outer
    return found


def all_of(_frame):
    return True


def slow(seconds):
    return lambda frame: frame.end - frame.begin >= seconds


def visits(most):
    logged = {}

    def chosen(frame):
        spent = logged.get(frame.path(), 0) >= most
        if not spent:
            logged[frame.path()] = logged.get(frame.path(), 0) + 1
        return not spent

    return chosen


def window(region, first, last):
    ended = [0]

    def chosen(frame):
        outermost = outermost_named(frame, region)
        if outermost is None:
            return False
        number = ended[0] + 1
        ended[0] += outermost is frame
        return first <= number <= last

    return chosen


def nothing(_frame):
    return False


def expected(events, chosen, records, with_records=all_of):
    """Enters, exits and records of the chosen calls, in the order of the full trace."""
    outermost, frames, last = frames_of(events)
    for frame in frames:
        frame.end = last if frame.end is None else frame.end
        if records and any(isinstance(inner, Record) for inner in frame.inner):
            if with_records(frame):
                log(frame)
            else:
                frame.inner = [inner for inner in frame.inner if isinstance(inner, Frame)]
    for frame in frames:
        if chosen(frame):
            log(frame)
    result = []

    def walk(frame):
        if not frame.logged:
            return
        result.append(("enter", frame.path()))
        for inner in frame.inner:
            if isinstance(inner, Frame):
                walk(inner)
            elif records:
                result.append((inner.event, frame.path()))
        if frame is not outermost:
            result.append(("exit", frame.path()))

    walk(outermost)
    return result


def seen(events):
    """The same of a trace as it was printed."""
    outermost, _, _ = frames_of(events)
    if outermost is None:
        return []
    result = []

    def walk(frame):
        result.append(("enter", frame.path()))
        for inner in frame.inner:
            if isinstance(inner, Frame):
                walk(inner)
            else:
                result.append((inner.event, frame.path()))
        if frame is not outermost:
            result.append(("exit", frame.path()))

    walk(outermost)
    return result


def without_noise(events):
    return [e for e in events if e["event"] not in ("enter", "exit") or e.get("region") not in NOT_DETERMINISTIC]


def run(b, selection, *words, env=None):
    """The events of each rank."""
    before = set(b.archives())
    b.run([b.epk, "run", *words], env={"EPK_TRACE": selection, **(env or {})})
    archive, = set(b.archives()) - before
    events = [json.loads(line) for line in b.run([b.epk, "print", archive, "--format", "json"]).out.splitlines()]
    ranks = {}
    for event in without_noise(events):
        ranks.setdefault(event["rank"], []).append(event)
    return ranks


def bench():
    b = Bench(PREFIX, PROGRAMS)
    return b


def compare(b, full, selection, chosen, records, *words, with_records=lambda: all_of):
    selected = run(b, selection, *words)
    for rank, events in full.items():
        wanted = expected(events, chosen(), records, with_records())
        assert len(wanted) > 2, f"{selection}: the oracle selects nothing"
        got = seen(selected.get(rank, []))
        for i, (a, c) in enumerate(zip(wanted, got)):
            expect(f"EPK_TRACE={selection}, rank {rank}, event {i}", c, a)
        expect(f"EPK_TRACE={selection}, rank {rank}, events", len(got), len(wanted))


@long
def test_calls():
    b = bench()
    for compiler in ("gcc", "clang"):
        program = b.compile(compiler, "steps.c", FLAGS, instrument=None)
        full = run(b, "all", program, 40)
        assert len(full[0]) > 500, len(full[0])
        for selection, chosen in (
                ("slow:30ms", lambda: slow(0.03)),
                ("visits:3", lambda: visits(3)),
                ("visits:1", lambda: visits(1)),
                ("window:Step:10-12", lambda: window("Step", 10, 12)),
                ("window:Descend:5-5", lambda: window("Descend", 5, 5)),
                ("window:St*:2-2,window:Wait:3-4",
                 lambda: (lambda a, c: lambda f: [a(f), c(f)] != [False, False])(window("Step", 2, 2),
                                                                               window("Wait", 3, 4)))):
            compare(b, full, selection, chosen, False, program, 40)


def test_on_and_off_from_the_program():
    b = bench()
    program = b.compile("gcc", "steps.c", [*FLAGS, "-DEPIK"], instrument=None)
    events = run(b, "all", program, 20)[0]
    # Off within the 5th step, whose own end is logged with its beginning; on again within the 10th.
    steps = [e for e in events if e["event"] == "enter" and e.get("region") == "Step"]
    expect("steps", len(steps), 16)
    switched = [e["on"] for e in events if e["event"] == "switched"]
    expect("switched", switched, [0, 1])
    off, on = [i for i, e in enumerate(events) if e["event"] == "switched"]
    expect("in between", [e["event"] for e in events[off + 1:on] if e["event"] != "exit"], ["enter"])
    expect("flushes", [e["event"] for e in events if e["event"].startswith("flush")], ["flush begin", "flush end"])
    refuses_to_compare(b, "the trace was switched off for a time")
    run(b, "all", program, 20, env={"EPK_TRACE_START": "no"})
    refuses_to_compare(b, "EPK_TRACE_START=no")


def test_off_in_a_pause():
    b = bench()
    program = b.compile("gcc", "off_in_pause.c", FLAGS, instrument=None)
    for words in ([], ["goes on"]):
        events = run(b, "all", program, *words)[0]
        begin = [(e["event"], e.get("region")) for e in events].index(("enter", "paused"))
        entered, switched, left = events[begin:begin + 3]
        expect("the pause", [switched["event"], switched["on"], left["event"]], ["switched", 0, "exit"])
        # The program sleeps for 10 ms on either side of the switch.
        assert min(switched["time"] - entered["time"], left["time"] - switched["time"]) > 0.009, events
        refuses_to_compare(b, "the trace was switched off for a time")


def refuses_to_compare(b, why):
    checked = b.run([b.epk, "check", b.archives()[-1], "--trace-vs-summary"], check=False)
    assert checked.status == 1 and why in checked.err and "in the summary" not in checked.out, checked


def test_communication():
    for name, words in MPIS:
        b = bench()
        program = b.compile(f"mpicc.{name}", "steps.c", [*FLAGS, "-DWITH_MPI"], instrument=None)
        command = [f"mpirun.{name}", *words, "-n", 3, program, 20]
        full = run(b, "all", *command)
        expect("ranks", sorted(full), [0, 1, 2])
        compare(b, full, "comm", lambda: nothing, True, *command)
        compare(b, full, "comm,slow:30ms", lambda: slow(0.03), True, *command)
        compare(b, full, "comm,visits:2", lambda: nothing, True, *command, with_records=lambda: visits(2))
        compare(b, full, "all,visits:2", lambda: visits(2), True, *command, with_records=lambda: visits(2))
        only = run(b, "all,ranks:1", *command)
        expect("ranks:1", sorted(only), [1])
        messages = run(b, "msgs", *command)
        for rank, events in messages.items():
            kinds = [e["event"] for e in events if e["event"] not in ABOUT_RECORDS]
            expect(f"msgs, rank {rank}", kinds, [e["event"] for e in full[rank] if e["event"] in RECORDS])
        for rank, events in run(b, "msgs,visits:2", *command).items():
            wanted = [e for e in expected(full[rank], nothing, True, visits(2)) if e[0] in RECORDS]
            kinds = [e["event"] for e in events if e["event"] not in ABOUT_RECORDS]
            expect(f"msgs,visits:2, rank {rank}", kinds, [e[0] for e in wanted])


def test_commands_say_what_a_selection_lacks():
    if not MPIS:
        return
    name, words = MPIS[0]
    b = bench()
    program = b.compile(f"mpicc.{name}", "steps.c", [*FLAGS, "-DWITH_MPI"], instrument=None)

    def archive_of(selection, env, check=True):
        before = set(b.archives())
        result = b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", 2, program, 10],
                       env={"EPK_TRACE": selection, **env}, check=check)
        archive, = set(b.archives()) - before
        return archive, result.err

    slow, _ = archive_of("slow:1ms", {})
    said = b.run([b.epk, "analyze", slow]).err
    assert "EPK_TRACE=comm,slow:1ms" in said, said
    comm, _ = archive_of("comm", {})
    expect("analyze of what has messages", b.run([b.epk, "analyze", comm]).err, "")
    gains = b.run([b.epk, "predict", comm, "--faster", "each:2x"]).out
    assert "gains are estimates" in gains, gains
    whole, _ = archive_of("all", {})
    assert "estimates" not in b.run([b.epk, "predict", whole, "--faster", "each:2x"]).out


def test_windows_hold_for_all_threads_that_work_in_them():
    """Parts of parallel regions, and threads that the region creates; and a thread in the location of an earlier
    one."""
    b = bench()
    for compiler in ("gcc", "clang"):
        program = b.compile(compiler, "crew.c", [*FLAGS, "-fopenmp", "-pthread"], instrument=None)
        for first, last in ((1, 1), (2, 3), (4, 9)):
            events = run(b, f"window:Crew:{first}-{last}", program, 4)[0]
            numbers = [int(e["region"][4:]) for e in events if e["event"] == "enter" and e["region"].startswith("Work")]
            wanted = [n for n in range(first, min(last, 4) + 1) for _ in range(3 + 1)]
            expect(f"{compiler}, {first}-{last}: work", sorted(numbers), wanted)
            helpers = [e for e in events if e["event"] == "enter" and e["region"] == "Own"]
            # Each helper calls Crew by itself, in its own first visit.
            expect(f"{compiler}, {first}-{last}: helpers", len(helpers), 3 if first == 1 else 0)
        # Without records of teams, too: each call lasts longer than 1 ns.
        events = run(b, "slow:1ns,window:Crew:2-3", program, 4)[0]
        numbers = [int(e["region"][4:]) for e in events if e["event"] == "enter" and e["region"].startswith("Work")]
        expect(f"{compiler}: slow calls of a window", sorted(numbers), [2] * 4 + [3] * 4)


def test_windows_leave_out_what_is_outside():
    """Calls that are open at the end (MPI_Finalize), and values of metrics."""
    for name, words in MPIS:
        b = bench()
        program = b.compile(f"mpicc.{name}", "steps.c", [*FLAGS, "-DWITH_MPI"], instrument=None)
        for rank, events in run(b, "window:Step:4-8", f"mpirun.{name}", *words, "-n", 2, program, 12).items():
            regions = {e["region"] for e in events if e["event"] == "enter"}
            expect(f"{name}, rank {rank}: Finalize", "MPI_Finalize" in regions, False)
            assert {"Step", "MPI_Bcast"} <= regions, regions
    b = bench()
    program = b.compile("gcc", "steps.c", [*FLAGS, "-DVALUES"], instrument=["--user", "--no-compiler"])
    for selection, wanted in (("all", [5.0, 10.0, 15.0]), ("window:Step:9-12", [10.0]), ("slow:1ns", []),
                              ("slow:1ns,window:Step:9-12", [])):
        values = [e["value"] for e in run(b, selection, program, 15)[0] if e["event"] == "metric"]
        expect(selection, values, wanted)


if __name__ == "__main__":
    sys.exit(main(globals()))
