#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces of real runs in the formats of other tools: valid by the rules of each, and complete."""

import collections
import datetime
import itertools
import json
import pathlib
import re
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import RUNFILES, Bench, expect, main, mpis, need, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/trace/convert/programs").resolve()
PREFIX = stage()
shutil.copy(RUNFILES / "archive/otf2/libepk_otf2.so", PREFIX / "lib")
FLAGS = ["-O1", "-g", "-finstrument-functions"]
MPIS = mpis()
ROUNDS = 20  # of messages.c
# (from, to, tag, bytes): in order of each sender, tag and receiver
MESSAGES = collections.Counter([(0, 1, 5, 4 * (n + 1)) for n in range(ROUNDS)] +
                               [(a, 1 - a, 6, 4) for a in (0, 1) for n in range(ROUNDS)])


def fib_calls(n):
    return 1 if n < 2 else 1 + fib_calls(n - 1) + fib_calls(n - 2)


SERIAL = {"main": 1, "Fib": fib_calls(12), "Spin": 1}
PARALLEL = {"main": 2, "Blocking": 2 * ROUNDS, "Exchange": 2 * ROUNDS, "MPI_Send": ROUNDS, "MPI_Recv": ROUNDS,
            "MPI_Isend": 2 * ROUNDS, "MPI_Irecv": 2 * ROUNDS, "MPI_Waitall": 2 * ROUNDS, "MPI_Bcast": 2 * ROUNDS,
            "MPI_Barrier": 2 * ROUNDS}


def traced(b, *words):
    before = set(b.archives())
    b.run([b.epk, "run", *words])
    made = [a for a in b.archives() if a not in before]
    assert len(made) == 1, f"archives of {words}: {made}"
    return made[0]


def runs():
    """(bench, archive, calls that must be there, messages, ranks) of each program."""
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(EPK_TRACE="all")
    yield b, traced(b, b.compile("gcc", "serial.c", FLAGS, instrument=None)), SERIAL, collections.Counter(), 1
    for name, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        b.env.update(EPK_TRACE="all")
        program = b.compile(f"mpicc.{name}", "messages.c", FLAGS, instrument=None)
        yield b, traced(b, f"mpirun.{name}", *words, "-n", 2, program), PARALLEL, MESSAGES, 2


RUNS = list(runs())


def kinds(b, archive):
    return collections.Counter(json.loads(b.run([b.epk, "info", archive, "--format", "json"]).out)["by_kind"])


def same_calls(found, wanted):
    for name, count in wanted.items():
        expect(f"calls of {name}", found[name], count)


# ------------------------------------------------------------------------------------------------ Chrome


def nanoseconds(micros):
    return round(micros * 1000)


class Chrome:
    """A file in the Trace Event Format, with the rules of its specification."""

    def __init__(self, text):
        document = json.loads(text)
        self.calls, self.ends, self.instants = [], collections.defaultdict(list), []
        self.tracks = {}
        ranks = {}
        for event in document["traceEvents"]:
            place = event["pid"], event["tid"]
            assert all(isinstance(part, int) and part > 0 for part in place), event
            kind = event["ph"]
            if kind == "M":
                if event["name"] == "process_name":
                    ranks[event["pid"]] = int(event["args"]["name"].removeprefix("rank "))
                elif event["name"] == "thread_name":
                    self.tracks[place] = int(event["args"]["name"].removeprefix("thread "))
                continue
            assert place in self.tracks and isinstance(event["ts"], (int, float)), event
            if kind == "X":
                assert event["dur"] >= 0 and event["name"], event
                self.calls.append(event)
            elif kind in ("s", "f"):
                self.ends[event["cat"], event["name"], event["id"]].append(event)
            elif kind == "i":
                assert event["s"] == "t" and isinstance(event["args"], dict), event
                self.instants.append(event)
            else:
                assert kind == "C" and all(isinstance(v, (int, float)) for v in event["args"].values()), event
        self.rank = {place: ranks[place[0]] for place in self.tracks}
        self.check_calls()
        self.messages = collections.Counter(self.check_message(pair) for pair in self.ends.values())

    def check_calls(self):
        """On each track, every call lies within the one around it."""
        tracks = collections.defaultdict(list)
        for call in self.calls:
            begin = nanoseconds(call["ts"])
            tracks[call["pid"], call["tid"]].append((begin, -nanoseconds(call["dur"])))
        for place, calls in tracks.items():
            open_until = []
            for begin, minus in sorted(calls):
                while open_until and open_until[-1] <= begin and open_until[-1] < begin - minus:
                    open_until.pop()
                assert not open_until or begin - minus <= open_until[-1], f"track {place}: overlap at {begin} ns"
                open_until.append(begin - minus)

    def check_message(self, pair):
        expect("ends of an arrow", [end["ph"] for end in pair], ["s", "f"])
        send, receive = pair
        assert send["ts"] <= receive["ts"] and receive["bp"] == "e", pair
        expect("what both ends say", send["args"], receive["args"])
        return (self.rank[send["pid"], send["tid"]], self.rank[receive["pid"], receive["tid"]], send["args"]["tag"],
                send["args"]["bytes"])

    def names(self):
        return collections.Counter(call["name"] for call in self.calls)


def chrome(b, archive, *words):
    result = b.run([b.epk, "convert", archive, "--to", "chrome", *words])
    return Chrome(result.out), result


def test_chrome():
    for b, archive, calls, messages, ranks in RUNS:
        trace, _ = chrome(b, archive)
        same_calls(trace.names(), calls)
        expect("calls", len(trace.calls), kinds(b, archive)["enter"])
        expect("ranks", sorted(set(trace.rank.values())), list(range(ranks)))
        expect("messages", trace.messages, messages)
        roots = collections.Counter((event["args"]["operation"], event["args"]["root"]) for event in trace.instants
                                    if event["name"] == "collective end")
        if ranks > 1:
            # Rank 0 of the communicator is rank 1 of the world.
            expect("collectives", (roots["MPI_Bcast", 1], roots["MPI_Barrier", -1]), (2 * ROUNDS, 2 * ROUNDS))


def test_chrome_leaves_out_what_is_too_much():
    b, archive, *_ = RUNS[0]
    whole, result = chrome(b, archive)
    assert "left out" not in result.err, result.err
    most = len(result.out) // 3
    trace, result = chrome(b, archive, "--max-size", most)
    assert len(result.out) <= most and "left out" in result.err, (most, len(result.out), result.err)
    assert trace.calls
    kept = min(call["dur"] for call in trace.calls)
    longer = [call for call in whole.calls if call["dur"] > kept]
    assert {call["name"] for call in longer} <= set(trace.names()), "the longest calls are those that stay"
    expect("longer calls", len([call for call in trace.calls if call["dur"] > kept]), len(longer))
    assert trace.names()["main"] == 1 and trace.names()["Spin"] == 1, trace.names()
    # The number of calls that take that long.
    limit = sorted(call["dur"] for call in whole.calls)[-4]
    trace, result = chrome(b, archive, "--min-duration", f"{nanoseconds(limit)}ns")
    expect("calls", len(trace.calls), len([call for call in whole.calls if call["dur"] >= limit]))
    assert f"{len(whole.calls) - len(trace.calls)} calls" in result.err, result.err


def test_a_part_of_a_trace():
    for b, archive, _, messages, ranks in RUNS:
        whole, _ = chrome(b, archive)
        middle = max((call for call in whole.calls if call["name"] != "Spin"), key=lambda call: call["dur"])
        # The later half of the longest call.
        begin, end = middle["ts"] + middle["dur"] / 2, middle["ts"] + middle["dur"]
        part, _ = chrome(b, archive, "--time", f"{begin:.3f}us-{end:.3f}us")
        low, high = nanoseconds(begin) - 1, nanoseconds(end) + 1
        for call in part.calls:
            assert low <= nanoseconds(call["ts"]) and nanoseconds(call["ts"]) + nanoseconds(call["dur"]) <= high, call
        wanted = [call for call in whole.calls if nanoseconds(call["ts"] + call["dur"]) > low + 2
                  and nanoseconds(call["ts"]) < high - 2]
        assert len(wanted) <= len(part.calls) <= len(wanted) + 40, (len(wanted), len(part.calls))
        if ranks > 1:
            one, result = chrome(b, archive, "--rank", "1")
            expect("ranks", set(one.rank.values()), {1})
            assert not one.messages and "without an arrow: 60" in result.err, result.err


# ------------------------------------------------------------------------------------------------ Perfetto


def proto(data):
    """{field: [values]} of a message: numbers, or bytes."""
    fields, at = collections.defaultdict(list), 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            fields[key >> 3].append(varint())
        elif key & 7 == 1:
            fields[key >> 3].append(int.from_bytes(data[at:at + 8], "little"))
            at += 8
        else:
            expect("wire type", key & 7, 2)
            size = varint()
            assert at + size <= len(data), "a field that is longer than its message"
            fields[key >> 3].append(data[at:at + size])
            at += size
    return fields


class Perfetto:
    """Packets, by the numbers of trace_packet.proto, track_event.proto and track_descriptor.proto."""

    def __init__(self, data):
        self.calls, flows = collections.Counter(), collections.defaultdict(dict)
        self.durations, names, categories, tracks, events = [], {}, {}, {}, []
        for packet in map(proto, proto(data)[1]):
            expect("sequence", packet[10], [1])
            for interned in map(proto, packet[12]):
                expect("flags", packet[13], [1])
                names.update((entry[1][0], entry[2][0].decode()) for entry in map(proto, interned[2]))
                categories.update((entry[1][0], entry[2][0].decode()) for entry in map(proto, interned[1]))
            for track in map(proto, packet[60]):
                assert not track[5] or track[5][0] in tracks, "a track without its parent"
                tracks[track[1][0]] = track
            for event in map(proto, packet[11]):
                assert event[11][0] in tracks, "an event without its track"
                events.append((packet[8][0], event))
        self.tracks = tracks
        open_calls = collections.defaultdict(list)
        for time, event in sorted(events, key=lambda entry: entry[0]):
            kind, track = event[9][0], event[11][0]
            if kind == 1:
                self.calls[names[event[10][0]]] += 1
                assert categories[event[3][0]], event
                open_calls[track].append(time)
            elif kind == 2:
                self.durations.append(time - open_calls[track].pop())
            else:
                assert kind in (3, 4), event
                for flow, field in ((flow, field) for field in (47, 48) for flow in event[field]):
                    assert field not in flows[flow], "a message that is sent or received twice"
                    notes = {note[10][0]: note[4][0] for note in map(proto, event[4])}
                    flows[flow][field] = time, self.rank(track), notes[b"tag"], notes[b"bytes"]
        assert not any(open_calls.values()), "calls that do not end"
        self.messages = collections.Counter()
        for ends in flows.values():
            (sent, *sender), (received, *receiver) = ends[47], ends[48]
            assert sent <= received and sender[1:] == receiver[1:], ends
            self.messages[sender[0], receiver[0], *sender[1:]] += 1

    def rank(self, track):
        parent = self.tracks[self.tracks[track][5][0]]
        return int(proto(parent[3][0])[6][0].decode().removeprefix("rank "))


def perfetto(b, archive, *words):
    file = b.folder / "trace.pftrace"
    result = b.run([b.epk, "convert", archive, "--to", "perfetto", "-o", file, *words])
    return Perfetto(file.read_bytes()), file.stat().st_size, result


def test_perfetto():
    for b, archive, calls, messages, _ in RUNS:
        trace, _, result = perfetto(b, archive)
        same_calls(trace.calls, calls)
        expect("calls", sum(trace.calls.values()), kinds(b, archive)["enter"])
        expect("messages", trace.messages, messages)
        assert "left out" not in result.err, result.err


def test_perfetto_leaves_out_what_is_too_much():
    b, archive, *_ = RUNS[0]
    whole, size, _ = perfetto(b, archive)
    trace, less, result = perfetto(b, archive, "--max-size", size // 3)
    assert less <= size // 3 and "left out" in result.err, (size, less, result.err)
    limit = int(re.search(r"shorter than (\d+) ns", result.err)[1])
    longer = [len([d for d in durations if d >= limit]) for durations in (trace.durations, whole.durations)]
    expect("calls of that length", longer[0], longer[1])
    expect("calls", len(trace.durations), longer[0])
    limit = sorted(whole.durations)[-4]
    trace, *_ = perfetto(b, archive, "--min-duration", f"{limit}ns")
    expect("calls", sorted(trace.durations), [d for d in sorted(whole.durations) if d >= limit])


# ------------------------------------------------------------------------------------------------ OTF2


def otf2_events(folder, b):
    """(kind, location, time, {attribute: value}) of each event, from otf2-print."""
    result = b.run(["otf2-print", folder / "traces.otf2"])
    assert "ERROR" not in result.out + result.err and "arning" not in result.err, result.err
    for line in result.out.splitlines():
        words = line.split(None, 3)
        if len(words) < 3 or not words[1].isdigit() or not words[2].isdigit():
            continue
        values = dict(re.findall(r"([A-Z][\w ]*): (\"[^\"]*\" <\d+>|[^,]+)", words[3] if len(words) > 3 else ""))
        yield words[0], int(words[1]), int(words[2]), values


OTF2_KINDS = {"ENTER": "enter", "MPI_SEND": "send", "MPI_RECV": "receive", "MPI_ISEND": "send begin",
              "MPI_ISEND_COMPLETE": "send end", "MPI_IRECV_REQUEST": "receive posted", "MPI_IRECV": "receive end",
              "MPI_COLLECTIVE_BEGIN": "collective begin", "MPI_COLLECTIVE_END": "collective end"}


def otf2_definitions(folder, b):
    """The lines of each kind of definition."""
    kinds = collections.defaultdict(list)
    for line in b.run(["otf2-print", "-G", folder / "traces.otf2"]).out.splitlines():
        if re.match(r"[A-Z_]+ +\d", line) or line.startswith(("PARADIGM ", "CLOCK_PROPERTIES ")):
            kinds[line.split()[0]].append(line)
    return kinds


def test_otf2_of_windows_counters_and_long_names():
    """Each way of synchronizing a window; a counter beside; a name that is longer than the library can write."""
    need(shutil.which("otf2-print"), "otf2-print is not installed")
    need(MPIS, "no MPI is installed")
    name, words = MPIS[0]
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(EPK_TRACE="all", EPK_METRICS="rusage::ru_minflt")
    program = b.compile(f"mpicc.{name}", "windows.c", [*FLAGS[:2], "-finstrument-functions"], instrument=("--user",))
    archive = traced(b, f"mpirun.{name}", *words, "-n", 2, program)
    folder = b.folder / "otf2_windows"
    said = b.run([b.epk, "convert", archive, "--to", "otf2", "-o", folder])
    assert "left out" not in said.err, said.err
    for rank in (0, 1):
        story, open_accesses = [], set()
        for kind, location, _, values in otf2_events(folder, b):
            if location != rank or not kind.startswith("RMA_"):
                continue
            story.append(kind.removeprefix("RMA_"))
            if kind in ("RMA_PUT", "RMA_GET", "RMA_ATOMIC"):
                open_accesses.add(values["Matching"])
                expect("partner", values["Remote"].split()[0], str(1 - rank))
            elif kind == "RMA_OP_COMPLETE_BLOCKING":
                open_accesses.remove(values["Matching"])
        fence = ["COLLECTIVE_BEGIN", "COLLECTIVE_END"]
        expect("story", story, [*fence, "PUT", "ATOMIC", "COLLECTIVE_BEGIN", "OP_COMPLETE_BLOCKING", "OP_COMPLETE_BLOCKING",
                                "COLLECTIVE_END", "ACQUIRE_LOCK", "GET", "OP_COMPLETE_BLOCKING", "RELEASE_LOCK",
                                "SYNC", "SYNC", "PUT", "OP_COMPLETE_BLOCKING", "SYNC", "SYNC"])
        expect("accesses that nobody completes", open_accesses, set())
    defined = otf2_definitions(folder, b)
    expect("windows", len(defined["RMA_WIN"]), 1)
    assert any("MPI" in line and "PROCESS" in line for line in defined["PARADIGM"]), defined["PARADIGM"]
    counters = [line for line in defined["METRIC_MEMBER"] if "ru_minflt" in line]
    expect("counters", len(counters), 1)
    assert "ACCUMULATED_START" in counters[0] and "UINT64" in counters[0], counters
    values = collections.defaultdict(list)
    for kind, location, _, found in otf2_events(folder, b):
        if kind == "METRIC":
            values[location].append(int(re.search(r"UINT64; (\d+)", str(found)).group(1)))
    assert values and all(series == sorted(series) for series in values.values()), values
    assert any(1000 < len(line) < 70000 and "xxxx" in line for line in defined["STRING"]), "no long name"
    # Messages alone: the converter tells their use.
    alone = Bench(PREFIX, PROGRAMS)
    alone.env.update(EPK_TRACE="msgs")
    program = alone.compile(f"mpicc.{name}", "messages.c", FLAGS, instrument=None)
    said = alone.run([alone.epk, "convert", traced(alone, f"mpirun.{name}", *words, "-n", 2, program), "--to", "otf2",
                      "-o", alone.folder / "otf2_messages"])
    assert "EPK_TRACE=comm" in said.err, said.err


def test_sends_that_mpi_refuses_are_no_messages():
    """OTF2 cancels those with a request, and has none of the others."""
    need(shutil.which("otf2-print"), "otf2-print is not installed")
    need(MPIS, "no MPI is installed")
    for (name, words), selection in itertools.product(MPIS, ("comm", "msgs")):
        b = Bench(PREFIX, PROGRAMS)
        b.env.update(EPK_TRACE=selection)
        program = b.compile(f"mpicc.{name}", "refused.c", ["-O1", "-w"], instrument=None)
        archive = traced(b, f"mpirun.{name}", *words, "-n", 2, program)
        folder = b.folder / "otf2_refused"
        b.run([b.epk, "convert", archive, "--to", "otf2", "-o", folder])
        seen = collections.Counter(kind for kind, *_ in otf2_events(folder, b))
        expect(f"{name}, {selection}", [seen[kind] for kind in ("MPI_SEND", "MPI_RECV", "MPI_ISEND", "MPI_REQUEST_CANCELLED")],
               [1, 1, 1, 1])
        said = b.run([b.epk, "convert", archive, "--to", "chrome", "-o", b.folder / "refused.json"])
        assert "without an arrow" not in said.err, said.err
        arrows = json.loads((b.folder / "refused.json").read_text())["traceEvents"]
        expect("messages", len([event for event in arrows if event["ph"] == "s"]), 1)


def test_otf2_of_threads_and_the_date():
    """Each thread of libc has one number from its creation to its join; its begin and end lie around its calls."""
    need(shutil.which("otf2-print"), "otf2-print is not installed")
    b = Bench(PREFIX, PROGRAMS)
    b.env["EPK_TRACE"] = "all"
    program = b.compile("gcc", "threads.c", [*FLAGS, "-pthread"], instrument=None)
    archive = traced(b, program)
    folder = b.folder / "otf2_threads"
    said = b.run([b.epk, "convert", archive, "--to", "otf2", "-o", folder])
    assert "left out" not in said.err, said.err
    b.env["EPK_TRACE_FORMAT"] = "otf2"
    at_the_end = traced(b, program)
    for written, run in ((folder, archive), (at_the_end / "otf2", at_the_end)):
        lives, stories = collections.defaultdict(list), collections.defaultdict(list)
        for kind, location, _, values in otf2_events(written, b):
            if kind in ("THREAD_CREATE", "THREAD_BEGIN", "THREAD_END", "THREAD_WAIT"):
                assert "threads of rank 0" in values["Thread Contingent"], values
                lives[values["Sequence Count"]].append((kind, location == 0))
                stories[location].append(kind)
            elif kind in ("ENTER", "LEAVE"):
                stories[location].append(values["Region"].split('"')[1])
        life = [("THREAD_CREATE", True), ("THREAD_BEGIN", False), ("THREAD_END", False), ("THREAD_WAIT", True)]
        expect(f"{written}: threads", [sorted(life) == sorted(one) for one in lives.values()], [True, True])
        own = [word for location, story in sorted(stories.items()) if location != 0 for word in story]
        around = [own[i + 1 if word == "THREAD_BEGIN" else i - 1] for i, word in enumerate(own)
                  if word in ("THREAD_BEGIN", "THREAD_END")]
        expect("between begin and end", around, ["thread"] * 4)
        (clock,) = otf2_definitions(written, b)["CLOCK_PROPERTIES"]
        date = re.search(r"Date: (\S+ \d\d:\d\d:\d\d)", clock)[1]
        started = datetime.datetime.fromisoformat(json.loads((run / "manifest.json").read_text())["started"])
        found = datetime.datetime.fromisoformat(date).replace(tzinfo=datetime.timezone.utc)
        assert abs(found - started) <= datetime.timedelta(seconds=2), (date, started)


# The ranks of each communicator, by its name in communicators.c.
COMMUNICATORS = {name: (0, 1) for name in ("dup", "dup_with_info", "idup", "disconnect", "split", "split_type", "cart", "graph",
                                           "dist_graph", "inter", "merge", "kept")}
COMMUNICATORS |= {"split one": (1,), "create": (0,), "create_group": (0,), "first half": (0,), "second half": (1,)}
ALONE = ("cart_sub",)  # one of that name in each process


def lives_of(folder, b):
    """{(communicator, rank): events of its life}, each within the operation that makes or frees it."""
    lives, within, last = collections.defaultdict(list), {}, {}
    for kind, location, time, values in otf2_events(folder, b):
        assert time >= last.get(location, 0), f"location {location}: {time} after {last[location]}"
        last[location] = time
        if kind == "MPI_COLLECTIVE_BEGIN":
            assert location not in within, "an operation within an operation"
            within[location] = []
        elif kind in ("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE"):
            if kind.startswith("NON_"):
                expect("created by a request", len(waiting := within.pop((location, "request"), [])), 1)
                inside = waiting
            else:
                inside = within.pop(location)
            wanted = "CREATE_HANDLE" if "COMM_CREATE" in inside else "DESTROY_HANDLE" if inside else None
            if wanted:
                expect("operation", values["Operation"], wanted)
        elif kind in ("COMM_CREATE", "COMM_DESTROY"):
            name = re.search(r'"(.*)"', values["Communicator"])[1]
            lives[name, location].append(kind)
            within.setdefault(location if location in within else (location, "request"), []).append(kind)
    expect("operations that do not end", within, {})
    return lives


def test_otf2_of_phases_and_parameters():
    """A phase is a region with that role; values of parameters are events and no calls, in every trace."""
    need(shutil.which("otf2-print"), "otf2-print is not installed")
    need(MPIS, "no MPI is installed")
    name, words = MPIS[0]
    for kind in ("all", "comm"):
        b = Bench(PREFIX, PROGRAMS)
        b.env.update(EPK_TRACE=kind)
        program = b.compile(f"mpicc.{name}", "phases.c", FLAGS, instrument=("--user",))
        run = [f"mpirun.{name}", *words, "-n", 2, program]
        folder = b.folder / "otf2_phases"
        b.run([b.epk, "convert", traced(b, *run), "--to", "otf2", "-o", folder])
        b.env["EPK_TRACE_FORMAT"] = "otf2"
        for written in (folder, traced(b, *run) / "otf2"):
            stories, calls = collections.defaultdict(list), collections.Counter()
            for event, location, _, values in otf2_events(written, b):
                if event == "ENTER":
                    calls[values["Region"].split('"')[1]] += 1
                elif event.startswith("PARAMETER"):
                    stories[location].append((event, values["Parameter"].split('"')[1], values["Value"].split(" <")[0]))
            story = []
            for n in range(3):
                story += [("PARAMETER_INT64", "step", str(n)), ("PARAMETER_INT64", "size", str(10 * n - 5)),
                          ("PARAMETER_STRING", "method", f'"{"abc"[n]}=1"')]
            expect(f"{kind}, {written.name}: values", dict(stories), {0: story, 1: story})
            expect("calls", (calls["step"], calls["MPI_Barrier"]), (6, 6))
            assert not [call for call in calls if "=" in call], calls
            defined = otf2_definitions(written, b)
            phase = [line for line in defined["REGION"] if '"step" ' in line and "DYNAMIC" in line and "PHASE" in line]
            expect("a phase", len(phase), 1)
            types = {re.search(r'Name: "(\w+)"', line)[1]: line.rsplit(" ", 1)[1] for line in defined["PARAMETER"]}
            expect("parameters", types, {"step": "INT64", "size": "INT64", "method": "STRING"})


def test_otf2_of_communicators():
    """Made in each way and freed, on each rank that has it; written at the end of the job, and from a trace."""
    need(shutil.which("otf2-print"), "otf2-print is not installed")
    need(MPIS, "no MPI is installed")
    for name, words in MPIS:
        b = Bench(PREFIX, PROGRAMS)
        b.env.update(EPK_TRACE="all")
        program = b.compile(f"mpicc.{name}", "communicators.c", FLAGS, instrument=None)
        run = [f"mpirun.{name}", *words, "-n", 2, program]
        archive = traced(b, *run)
        folder = b.folder / f"otf2_communicators_{name}"
        b.run([b.epk, "convert", archive, "--to", "otf2", "-o", folder])
        printed = b.run([b.epk, "print", archive, "--region", "MPI_Comm_dup"]).out
        assert "comm created comm dup, from MPI_COMM_WORLD" in printed, printed[:2000]
        b.env["EPK_TRACE_FORMAT"] = "otf2"
        together = traced(b, *run) / "otf2"
        b.env.update(EPK_TRACE_FORMAT="", EPK_TRACE="msgs")
        alone = b.folder / f"otf2_alone_{name}"
        b.run([b.epk, "convert", traced(b, *run), "--to", "otf2", "-o", alone])
        for written in (folder, together, alone):
            lives = lives_of(written, b)
            for made, ranks in COMMUNICATORS.items():
                life = ["COMM_CREATE"] if made == "kept" else ["COMM_CREATE", "COMM_DESTROY"]
                expect(f"{written.name}: {made}", {rank: lives.pop((made, rank)) for rank in ranks}, dict.fromkeys(ranks, life))
            for made in ALONE:
                expect(made, [lives.pop((made, rank)) for rank in (0, 1)], [["COMM_CREATE", "COMM_DESTROY"]] * 2)
            expect("others", dict(lives), {})
            defined = otf2_definitions(written, b)
            flagged = [line for line in defined["COMM"] + defined["INTER_COMM"] if "CREATE_DESTROY_EVENTS" in line]
            expect("flagged", len(flagged), len(COMMUNICATORS) + 2 * len(ALONE))
            inter = [line for line in defined["INTER_COMM"] if '"inter"' in line]
            expect("between two groups", len(inter), 1)
            sub = [line for line in defined["COMM"] if '"cart_sub"' in line and 'Parent: "cart"' in line]
            expect("with its parent", len(sub), 2)


def test_otf2():
    need(shutil.which("otf2-print"), "otf2-print is not installed")
    for b, archive, calls, messages, ranks in RUNS:
        folder = b.folder / f"otf2_{archive.name}"
        b.run([b.epk, "convert", archive, "--to", "otf2", "-o", folder])
        found, names, open_calls, last = (collections.Counter(), collections.Counter(), collections.defaultdict(list),
                                          {})
        sent, received = collections.defaultdict(list), collections.defaultdict(list)
        for kind, location, time, values in otf2_events(folder, b):
            found[kind] += 1
            assert time >= last.get(location, 0), f"location {location}: {time} after {last[location]}"
            last[location] = time
            if kind == "ENTER":
                names[values["Region"].split('"')[1]] += 1
                open_calls[location].append(values["Region"])
            elif kind == "LEAVE":
                expect("left", values["Region"], open_calls[location].pop())
            elif kind in ("MPI_SEND", "MPI_ISEND"):
                channel = location, int(values["Receiver"].split()[0]), values["Communicator"], values["Tag"]
                sent[channel].append(values["Length"])
            elif kind in ("MPI_RECV", "MPI_IRECV"):
                channel = int(values["Sender"].split()[0]), location, values["Communicator"], values["Tag"]
                received[channel].append(values["Length"])
        assert not any(open_calls.values()), open_calls
        same_calls(names, calls)
        counted = kinds(b, archive)
        # Communicators are made and freed by collective operations, too, of which EPIK has other records.
        for kind, ours in OTF2_KINDS.items():
            more = counted["comm created"] + ranks if kind.startswith("MPI_COLLECTIVE") and ranks > 1 else 0
            expect(kind, found[kind], counted[ours] + more)
        expect("leaves", found["LEAVE"], found["ENTER"])
        expect("programs", (found["PROGRAM_BEGIN"], found["PROGRAM_END"]), (ranks, ranks))
        expect("messages", sum(map(len, sent.values())), sum(messages.values()))
        # In `swapped`, ranks are the other way round: the numbers of locations are not the ranks of peers.
        expect("lengths", sorted(map(sorted, sent.values())), sorted(map(sorted, received.values())))
        if ranks > 1:
            world = [channel for channel in sent if "WORLD" in channel[2]]
            expect("channels", len(world), 1)
            expect("received as sent", received[world[0]], sent[world[0]])
            swapped = [channel for channel in sent if "WORLD" not in channel[2]]
            # Each tells the rank it sends to by its number there, which is the sender's own in the world.
            expect("ranks in another communicator", sorted(c[:2] for c in swapped), [(0, 0), (1, 1)])
        # The converter overwrites no file.
        again = b.run([b.epk, "convert", archive, "--to", "otf2", "-o", folder], check=False)
        expect("status", again.status, 1)


# ------------------------------------------------------------------------------------------------ Paraver


class Paraver:
    HEADER = re.compile(r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):1:(\d+)\(([\d:,]+)\)$")

    def __init__(self, stem):
        header, *lines = pathlib.Path(f"{stem}.prv").read_text().splitlines()
        match = self.HEADER.match(header)
        assert match, header
        self.duration, nodes, tasks = int(match[1]), int(match[2]), int(match[4])
        cpus = [int(word) for word in match[3].split(",")]
        threads = [int(word.split(":")[0]) for word in match[5].split(",")]
        expect("nodes", len(cpus), nodes)
        expect("tasks", len(threads), tasks)
        expect("threads", sum(threads), sum(cpus))
        self.threads = {(task + 1, t + 1) for task, count in enumerate(threads) for t in range(count)}
        self.read_meanings(pathlib.Path(f"{stem}.pcf").read_text())
        self.read_rows(pathlib.Path(f"{stem}.row").read_text(), sum(threads))
        self.calls, self.messages, self.unknown = collections.Counter(), collections.Counter(), set()
        self.busy = dict.fromkeys(self.threads, 0)
        last = 0
        for line in lines:
            kind, *numbers = map(int, line.split(":"))
            begin = {1: self.state, 2: self.event, 3: self.message}[kind](numbers)
            assert last <= begin <= self.duration, line
            last = begin
        assert not self.unknown, self.unknown

    def read_meanings(self, text):
        self.states, self.types = set(), {}
        for block in text.split("\n\n"):
            title, *lines = block.strip().splitlines() or [""]
            if title == "STATES":
                self.states = {int(line.split()[0]) for line in lines}
            elif title == "EVENT_TYPE":
                at = lines.index("VALUES") if "VALUES" in lines else len(lines)
                values = dict(line.split(None, 1) for line in lines[at + 1:])
                for line in lines[:at]:
                    self.types[int(line.split()[1])] = {int(number): name for number, name in values.items()}

    def read_rows(self, text, threads):
        levels = {}
        for block in text.strip().split("\n\n"):
            title, *lines = block.splitlines()
            _, level, _, size = title.split()
            expect(f"names of level {level}", len(lines), int(size))
            levels[level] = len(lines)
        expect("threads", levels["THREAD"], threads)

    def state(self, numbers):
        _, application, task, thread, begin, end, state = numbers
        assert application == 1 and begin < end <= self.duration and state in self.states, numbers
        assert self.busy[task, thread] <= begin, f"two states at once: {numbers}"
        self.busy[task, thread] = end
        return begin

    def event(self, numbers):
        _, application, task, thread, time, *pairs = numbers
        assert application == 1 and (task, thread) in self.threads and pairs and len(pairs) % 2 == 0, numbers
        for kind, value in zip(pairs[::2], pairs[1::2]):
            if kind not in self.types or (self.types[kind] and value not in self.types[kind]):
                self.unknown.add((kind, value))
            elif 50000001 <= kind <= 50000003 and value != 0:
                self.calls[self.types[kind][value]] += 1
        return time

    def message(self, numbers):
        sender, receiver = numbers[1:4], numbers[7:10]
        assert tuple(sender[1:]) in self.threads and tuple(receiver[1:]) in self.threads, numbers
        size, tag = numbers[12:]
        self.messages[sender[1] - 1, receiver[1] - 1, tag, size] += 1
        return numbers[4]


def test_paraver():
    for b, archive, calls, messages, ranks in RUNS:
        stem = b.folder / f"paraver_{archive.name}"
        b.run([b.epk, "convert", archive, "--to", "paraver", "-o", f"{stem}.prv"])
        trace = Paraver(stem)
        expect("tasks", len({task for task, _ in trace.threads}), ranks)
        expect("messages", trace.messages, messages)
        same_calls(trace.calls, {name: count for name, count in calls.items() if name.startswith("MPI_")})


def test_wrong_use():
    b, archive, *_ = RUNS[0]
    for words in (["--to", "otf2"], ["--to", "paraver", "-o", "x", "--max-size", "1M"],
                  ["--to", "chrome", "--max-size", "many"], ["--to", "chrome", "--min-duration", "12"],
                  ["--to", "chrome", "--time", "1"]):
        expect(f"status of {words}", b.run([b.epk, "convert", archive, *words], check=False).status, 2)
    late = b.run([b.epk, "convert", archive, "--to", "chrome", "--time", "1000-"], check=False)
    expect("status, when nothing happened", (late.status, late.out), (1, ""))
    expect("no trace", b.run([b.epk, "convert", b.folder, "--to", "chrome"], check=False).status, 1)


if __name__ == "__main__":
    sys.exit(main(globals()))
