#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""libepk_trace.so from an installation: compares its answers for a program whose messages tell their senders with
those, and with a plain pass over all events."""

import bisect
import collections
import json
import pathlib
import random
import shutil
import sys

sys.path.insert(0, "test/user")
from harness import Bench, expect, installed, long, main, mpis, need, stage  # noqa: E402

HERE = pathlib.Path("test/library").resolve()
EXAMPLES = pathlib.Path("examples/trace").resolve()
PREFIX = stage()
RANKS, STEPS = 3, 60
MPIS = mpis()


sys.path.insert(0, "test/library")
from installed_library import epik_trace_of  # noqa: E402

epik_trace = epik_trace_of(PREFIX)


class Lab:
    """Archives of the program, each made once."""
    made = {}

    @classmethod
    def archive(cls, trace="all", killed=False):
        if (trace, killed) not in cls.made:
            need(MPIS, "an MPI")
            b = Bench(PREFIX, HERE / "programs")
            b.env.update(OMP_NUM_THREADS="2")
            name, words = MPIS[0]
            program = b.compile(f"mpicc.{name}", "exchange.c", ["-O1", "-g", "-fopenmp", "-finstrument-functions"],
                                instrument=None)
            b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", RANKS, program,
                   *(["killed"] if killed else [])],
                  env={"EPK_TRACE": trace, "ELG_BUFFER_SIZE": "64k"}, check=not killed)
            if killed:
                b.run([b.epk, "recover", *b.folder.glob("epik_*")], check=False)
            found = [a for a in b.archives() if (a / "defs.epk").exists()]
            expect("archives", len(found), 1)
            cls.made[trace, killed] = b, found[0]
        return cls.made[trace, killed]


def plain(trace, location):
    """[(event, stack after it)] of a location, by one pass."""
    stack, rows = [], []
    for event in trace.events_from(location):
        if event.kind == "enter":
            stack = [*stack, (event.call_path, event.time)]
        elif event.kind == "exit":
            stack = stack[:-1]
        rows.append((event, stack))
    return rows


def test_places_times_and_stacks_are_those_of_one_pass():
    b, archive = Lab.archive()
    rng = random.Random(1)
    with epik_trace.open(archive) as trace:
        expect("locations", len(trace.locations), 2 * RANKS)
        blocks = 0
        for number, location in enumerate(trace.locations):
            rows = plain(trace, number)
            expect("places", [e.place for e, _ in rows], list(range(location.places)))
            times = [e.ns for e, _ in rows]
            expect("first and last", (times[0], times[-1]), (location.first_ns, location.last_ns))
            for event, stack in rng.sample(rows, 40) + rows[:2] + rows[-2:]:
                expect("stack", trace.stack(event), stack)
                found = trace.at(number, event.place)
                expect("at", (found.ns, found.kind, found.call_path), (event.ns, event.kind, event.call_path))
                expect("find", trace.find(number, event.ns * 1e-9).place,
                       bisect.bisect_left(times, round(event.ns * 1e-9 * 1e9)))
                start = next(trace.events_from(number, event.place))
                expect("from", start.place, event.place)
            blocks += location.places
            expect("behind the last", trace.at(number, location.places), None)
        merged = list(trace)
        expect("all", len(merged), blocks)
        order = [(e.ns, e.location, e.place) for e in merged]
        expect("order", order, sorted(order))
        middle = merged[len(merged) // 2].ns
        part = list(trace.events([0, 2], begin=middle * 1e-9))
        expect("a part", [(e.location, e.place) for e in part],
               [(e.location, e.place) for e in merged if e.location in (0, 2) and e.ns >= round(middle * 1e-9 * 1e9)])
    lines = b.run([b.epk, "print", archive, "--format", "json"]).out.splitlines()
    printed = [json.loads(line) for line in lines]
    expect("events of epk print", sum("time" in row or "t" in row for row in printed), len(merged))


def test_records_without_calls_have_their_call_paths():
    _, archive = Lab.archive("msgs")
    with epik_trace.open(archive) as trace:
        for location in range(len(trace.locations)):
            for event in trace.events_from(location):
                assert event.call_path is not None, event
                for found in trace.at(location, event.place), next(trace.events_from(location, event.place)):
                    expect(f"at {event}", (found.place, found.call_path), (event.place, event.call_path))


def test_enters_have_their_exits():
    _, archive = Lab.archive()
    rng = random.Random(2)
    with epik_trace.open(archive) as trace:
        for location in range(len(trace.locations)):
            open_calls, pairs = [], {}
            for event in trace.events_from(location):
                if event.kind == "enter":
                    open_calls.append(event.place)
                elif event.kind == "exit":
                    enter = open_calls.pop()
                    pairs[enter], pairs[event.place] = event.place, enter
            calls = [e for e in trace.events_from(location) if e.kind in ("enter", "exit")]
            for event in rng.sample(calls, 60) + calls[:5] + calls[-5:]:
                partner = trace.partner(event, "call")
                expect(f"partner of {event}", partner and partner.place, pairs.get(event.place))


def bytes_of(rank, step, to_root):
    return 1000 + rank * STEPS + step if to_root else 1 + rank * STEPS + step


def check_messages(trace):
    rank_of = [location.rank for location in trace.locations]
    sends = [e for e in trace if e.kind in ("send", "send begin")]
    expect("sends", len(sends), RANKS * STEPS + (RANKS - 1) * STEPS)
    seen = collections.Counter()
    for send in sends:
        receive = trace.partner(send, "message")
        assert receive is not None, f"{send} has no receive"
        expect("kind", receive.kind, "receive" if send.kind == "send" else "receive end")
        # The size tells the sender and the step.
        expect("bytes", receive["bytes"], send["bytes"])
        expect("from", receive["from"], rank_of[send.location])
        expect("to", rank_of[receive.location], send["to"])
        back = trace.partner(receive, "message")
        expect("back", (back.location, back.place), (send.location, send.place))
        ref, = trace.linked(receive, "message")
        expect("equal", [ref == other for other in (send, receive, None, "a")], [True, False, False, False])
        assert ref != None and ref in [None, ref]  # noqa: E711: the comparison itself is checked
        seen[rank_of[send.location], send["bytes"]] += 1
    wanted = {(rank, bytes_of(rank, step, to_root)): 1 for rank in range(RANKS) for step in range(STEPS)
              for to_root in (False, True) if rank != 0 or not to_root}
    expect("messages", dict(seen), wanted)


def test_messages_meet_who_sent_them():
    for selection in "all", "comm":
        _, archive = Lab.archive(selection)
        with epik_trace.open(archive) as trace:
            check_messages(trace)


def test_messages_under_way():
    _, archive = Lab.archive()
    with epik_trace.open(archive) as trace:
        events = list(trace)
        ways = [(e, trace.partner(e, "message")) for e in events if e.kind in ("send", "send begin")]
        for event in random.Random(3).sample(events, 200):
            wanted = set()
            for send, receive in ways:
                left = send.place <= event.place if send.location == event.location else send.ns <= event.ns
                there = receive.place <= event.place if receive.location == event.location else receive.ns <= event.ns
                if left and not there and event.location in (send.location, receive.location):
                    wanted.add((send.location, send.place, receive.location, receive.place))
            found = {(s.location, s.place, r.location, r.place) for s, r in trace.open_messages(event)}
            expect(f"under way at {event}", found, wanted)


def test_collectives_teams_locks_and_requests():
    _, archive = Lab.archive()
    with epik_trace.open(archive) as trace:
        kinds = collections.defaultdict(list)
        for event in trace:
            kinds[event.kind].append(event)
        reduces = [e for e in kinds["collective end"] if trace.regions[e["operation"]].name == "MPI_Allreduce"]
        expect("parts of Allreduce", len(reduces), RANKS * STEPS)
        for number, end in enumerate(e for e in reduces if trace.locations[e.location].rank == 0):
            members = [end, *trace.linked(end, "collective")]
            expect("members", collections.Counter(m.kind for m in members),
                   {"collective begin": RANKS, "collective end": RANKS})
            for rank in range(1, RANKS):
                mine = [e.place for e in reduces if trace.locations[e.location].rank == rank]
                assert mine[number] in [m.place for m in members if trace.locations[m.location].rank == rank]
        expect("forks", len(kinds["fork"]), RANKS * STEPS)
        for fork in kinds["fork"]:
            team = collections.Counter(ref.kind for ref in trace.linked(fork, "team"))
            expect("team", team, {"team begin": 2, "team end": 2, "join": 1})
        after = 0
        for acquire in kinds["lock acquire"]:
            release = trace.partner(acquire, "lock")
            if release is None:
                expect("the first", acquire["order"], 1)
                continue
            expect("lock", (release.kind, release["lock"], release["order"] + 1),
                   ("lock release", acquire["lock"], acquire["order"]))
            after += 1
        expect("handed over", after, RANKS * (STEPS * 6 - 1))
        for kind, ended in (("send begin", "send end"), ("receive posted", "receive end")):
            for event in kinds[kind]:
                other = trace.partner(event, "request")
                if event["request"]:
                    expect(kind, (other.kind, other["request"]), (ended, event["request"]))


def test_threads_have_who_made_and_who_joined_them():
    b = Bench(PREFIX, HERE / "programs")
    program = b.compile("gcc", "threads.c", ["-O1", "-g", "-pthread", "-finstrument-functions"], instrument=None)
    b.run([b.epk, "run", program], env={"EPK_TRACE": "all"})
    with epik_trace.open(b.archives()[0]) as trace:
        main_thread = next(n for n, location in enumerate(trace.locations) if location.thread == 0)
        creates = [e for e in trace if e.kind == "thread create"]
        expect("creations", [e.location for e in creates], 3 * [main_thread])
        for create in creates:
            others = trace.linked(create, "thread")
            kinds = collections.Counter(ref.kind for ref in others)
            expect("thread", kinds, {"thread begin": 1, "thread end": 1, "join wanted": 1, "join got": 1})
            where = {ref.kind: ref.location for ref in others}
            expect("by main", where["join got"], main_thread)
            assert where["thread begin"] == where["thread end"] != main_thread, where
            for ref in others:
                birth = trace.at(ref.location, ref.place)["birth"]
                assert birth == create["birth"] or ref.kind == "join wanted" and birth == 0, (ref, birth)


def test_a_mutex_goes_from_its_release_to_the_next_thread():
    b = Bench(PREFIX, HERE / "programs")
    program = b.compile("gcc", "mutex.c", ["-O1", "-g", "-pthread", "-finstrument-functions"], instrument=None)
    b.run([b.epk, "run", program], env={"EPK_TRACE": "all"})
    with epik_trace.open(b.archives()[0]) as trace:
        taken = [e for e in trace if e.kind == "mutex taken"]
        assert len(taken) >= 2, "threads waited for the mutex"
        released = {e["order"]: e for e in trace if e.kind == "mutex released"}
        for event in taken:
            others = [(ref.location, ref.place) for ref in trace.linked(event, "lock")]
            before = released.get(event["order"] - 1)
            expect("release", others, [(before.location, before.place)] if before else [])


def test_a_killed_run():
    _, archive = Lab.archive(killed=True)
    with epik_trace.open(archive) as trace:
        check_messages(trace)
        last = [e for e in trace.events([0])][-1]
        names = [trace.name(path) for path, _ in trace.stack(last)]
        assert any("main" in name for name in names), names


COLUMNS = """
import sys, epik_trace
with epik_trace.open(sys.argv[1]) as trace:
    columns, events = trace.columns([1, 3]), list(trace.events([1, 3]))
    for name in "ns", "place", "location", "depth":
        assert columns[name].tolist() == [getattr(e, name) for e in events], name
    sent = columns["field"][columns["kind"] == epik_trace.KINDS["send begin"]][:, 3]
    assert sorted(sent.tolist()) == sorted(e["bytes"] for e in events if e.kind == "send begin")
    assert len(sent) > 0 or len(events) > 0
    assert len(trace.columns([])["ns"]) == 0
"""


def test_columns_are_the_events():
    b, archive = Lab.archive()
    # Debian's NumPy is that of Debian's Python.
    pythons = [p for p in (sys.executable, "/usr/bin/python3")
               if shutil.which(p) and b.run([p, "-c", "import numpy"], check=False).status == 0]
    need(pythons, "NumPy")
    b.run([pythons[0], "-c", COLUMNS, archive], env={"PYTHONPATH": str(PREFIX / "lib/python")})


def refused(what, words, ask):
    try:
        ask()
    except epik_trace.Error as problem:
        assert words in str(problem), f"{what}: {problem}"
    else:
        raise AssertionError(f"{what}: no error")


def test_wrong_questions_are_errors():
    b, archive = Lab.archive()
    refused("no archive", "No such file", lambda: epik_trace.open(b.folder / "epik_missing"))
    (b.folder / "epik_empty").mkdir(exist_ok=True)
    refused("an empty one", "epik_empty", lambda: epik_trace.open(b.folder / "epik_empty"))
    trace = epik_trace.open(archive)
    event = next(iter(trace))
    refused("a location", "no location 99", lambda: trace.events([99]))
    refused("a location", "no location 99", lambda: trace.at(99, 0))
    refused("a link", "no link", lambda: trace.linked(event, "friends"))
    for wrong in -1, 2 ** 32, len(trace.locations):
        refused("a location", f"no location {wrong}", lambda wrong=wrong: trace.find(wrong, 0))
        refused("a location", f"no location {wrong}", lambda wrong=wrong: trace.events_from(wrong))
    refused("a place", "no place -1", lambda: trace.at(0, -1))
    expect("behind the last", trace.at(0, 2 ** 64), None)
    refused("a time", "no number", lambda: trace.events(end=float("nan")))
    expect("no end", len(list(trace.events(begin=-float("inf"), end=float("inf")))), len(list(trace)))
    expect("behind the last", trace.find(0, float("inf")), None)
    for wrong in -1, len(trace.call_paths), 2 ** 32:
        refused("a call path", f"no call path {wrong}", lambda wrong=wrong: trace.name(wrong))
        refused("a call path", f"no call path {wrong}", lambda wrong=wrong: trace.path(wrong))
    refused("a path", "no path", lambda: epik_trace.open(f"{archive}\0"))
    expect("no call path", (trace.name(0xffffffff), trace.path(None)), ("?", "?"))
    expect("no locations", (list(trace.events([])), list(trace.events(locations=()))), ([], []))
    later, cursor = iter(trace), trace._cursor()
    trace.close()
    refused("a closed one", "closed", lambda: next(later))
    batch = (epik_trace._Event * 8)()
    assert cursor.next(batch, 8) > 0, "another thread reads on"
    refused("a closed one", "closed", lambda: trace.stack(event))


def test_damaged_archives():
    b, archive = Lab.archive()
    result = b.run([sys.executable, HERE / "damaged.py", archive, b.folder, 15],
                   env={"PYTHONPATH": str(PREFIX / "lib/python")})
    refused_ones, read, events = map(int, result.out.split())
    assert refused_ones + read == 15 and read > 2 and events > 0, result.out


def test_examples():
    b, archive = Lab.archive()
    need(installed("g++") and installed("pkg-config"), "g++, pkg-config")
    flags = b.run(["pkg-config", "--cflags", "--libs", "epik-trace"],
                  env={"PKG_CONFIG_PATH": str(PREFIX / "lib/pkgconfig")}).out.split()
    for compiler in [c for c in ("g++", "clang++") if installed(c)]:
        b.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", EXAMPLES / "messages.cc", "-o", "messages", *flags])
        shown = b.run([b.folder / "messages", archive]).out.splitlines()
        rows = {tuple(line.split()[:3]) for line in shown[1:] if line.split() and line.split()[0].isdigit()}
        ring = {(str(r), str((r + 1) % RANKS)): STEPS for r in range(RANKS)}
        for rank in range(1, RANKS):
            ring[str(rank), "0"] = ring.get((str(rank), "0"), 0) + STEPS
        expect("messages by pair", rows, {(*pair, str(count)) for pair, count in ring.items()})
    wrong = b.run([b.folder / "messages", "nowhere"], check=False)
    assert wrong.status == 1 and "nowhere" in wrong.err, wrong.err
    shown = b.run([sys.executable, EXAMPLES / "visits.py", archive, "calls"],
                  env={"PYTHONPATH": str(PREFIX / "lib/python")}).out
    assert shown.startswith(f"{RANKS * STEPS} visits of calls") and "calls of leaf" in shown, shown


@long
def test_cmake():
    b, archive = Lab.archive()
    need(installed("cmake"), "cmake")
    folder = b.folder / "cmake"
    folder.mkdir()
    shutil.copy(EXAMPLES / "messages.cc", folder)
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(messages CXX)\nset(CMAKE_CXX_STANDARD 20)\n"
        "find_package(epik REQUIRED)\nadd_executable(messages messages.cc)\n"
        "target_link_libraries(messages epik::trace)\n")
    b.run(["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={PREFIX}"])
    b.run(["cmake", "--build", folder / "build"])
    b.run([folder / "build/messages", archive])


if __name__ == "__main__":
    sys.exit(main(globals()))
