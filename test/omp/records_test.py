#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records of OpenMP in traces: as many as the program counts, in an order that OpenMP allows."""

import collections
import json
import shutil
import sys

sys.path.insert(0, "test/omp")
from omp_programs import PREFIX, THREADS, Omp, counted, expect, harness  # noqa: E402


def traced(compiler, selection, env=None):
    program = Omp(compiler, "records.c")
    result = program.start(env={"EPK_TRACE": selection, **(env or {})})
    archive, = program.bench.archives()
    return program.bench, archive, counted(result.out)


def events_of(bench, archive):
    lines = bench.run([bench.epk, "print", archive, "--format", "json"]).out.splitlines()
    return [json.loads(line) for line in lines]


def records(counts):
    return [(kind, count) for kind, count in counts.items() if kind != "taskloop part"]


def check_counts(what, events, counts):
    found = collections.Counter(event["event"] for event in events)
    for kind, count in records(counts):
        expect(f"{what}: {kind}", found[kind], count)


def check_teams(what, events):
    """A member of a team came after its fork, left before its join, and is the only one with its number."""
    forked, members, joined = {}, collections.defaultdict(list), {}
    for event in events:
        if event["event"] == "fork":
            forked[event["thread"], event["instance"]] = event["time"]
        if event["event"] == "join":
            joined[event["thread"], event["instance"]] = event["time"]
        if event["event"] == "team begin":
            members[event["leader"], event["instance"]].append(event)
    expect(f"{what}: teams", sorted(members), sorted(forked))
    expect(f"{what}: joins", sorted(joined), sorted(forked))
    for team, begins in members.items():
        numbers = sorted(event["number"] for event in begins)
        expect(f"{what}: numbers of team {team}", numbers, list(range(len(numbers))))
        for event in begins:
            assert forked[team] <= event["time"] <= joined[team], f"{what}: {event} of a team {team}"


def check_locks(what, events, is_exclusive, locks):
    """Acquisitions are numbered as they happened; a release names the acquisition that it ends; no other thread has the
    lock meanwhile."""
    orders, holder = collections.Counter(), {}
    for event in events:
        if event["event"] == "lock acquire":
            lock = event["lock"]
            orders[lock] += 1
            expect(f"{what}: order of lock {lock}", event["order"], orders[lock])
            if is_exclusive:
                assert lock not in holder, f"{what}: {event} while {holder[lock]} has it"
            holder[lock, event["order"]] = holder[lock] = event["thread"]
        elif event["event"] == "lock release":
            expect(f"{what}: who releases lock {event['lock']}", event["thread"], holder.pop((event["lock"], event["order"])))
            holder.pop(event["lock"], None)
    expect(f"{what}: held at the end", holder, {})
    expect(f"{what}: locks", len(orders), locks)


def check_tasks(what, events):
    state = {}
    wanted = {"task create": None, "task begin": "task create", "task end": "task begin"}
    for event in events:
        if event["event"] not in wanted:
            continue
        task = event["task"]
        expect(f"{what}: task {task} before {event['event']}", state.get(task), wanted[event["event"]])
        if event["event"] == "task create":
            expect(f"{what}: creator of task {task}", task >> 32, event["thread"])
        state[task] = event["event"]
    assert set(state.values()) == {"task end"}, collections.Counter(state.values())


def test_what_the_program_counts():
    for compiler in ("gcc", "clang"):
        for selection in ("comm", "msgs", "all"):
            what = f"{compiler} {selection}"
            bench, archive, counts = traced(compiler, selection)
            events = events_of(bench, archive)
            check_counts(what, events, counts)
            check_teams(what, events)
            # libomp reports a release after it, and another thread may have been quicker. There is one for each
            # critical section, lock and ordered, and with GCC for atomics.
            check_locks(what, events, compiler == "gcc", 6 if compiler == "gcc" else 5)
            check_tasks(what, events)
            regions = {event.get("region", "") for event in events if event["event"] == "enter"}
            expect(f"{what}: calls", any("barrier" in region for region in regions), selection != "msgs")
            info = json.loads(bench.run([bench.epk, "info", archive, "--format", "json"]).out)
            for kind, count in records(counts):
                expect(f"{what}: info of {kind}", info["by_kind"][kind], count)


def orders(first, second):
    """Whether OpenMP orders two tasks: both name an object, and at least one writes it."""
    return any(a == b and (how, its) != (1, 1) for a, how in first for b, its in second)


def run_with_dependences(compiler, program):
    """libomp 14 itself crashes in one of 1 400 runs of this program, also without EPIK: such a run does not count."""
    for _ in range(3 if compiler == "clang" else 1):
        result = program.start(env={"EPK_TRACE": "comm", "OMP_NUM_THREADS": "3"}, check=False)
        if result.status >= 0:
            break
        for archive in program.bench.archives():
            shutil.rmtree(archive)
    expect(f"{compiler}: status", result.status, 0)
    return result


def test_dependences_of_tasks():
    """Each task has the dependences that the program wrote down, and none began before the tasks that it needs had
    ended."""
    for compiler in ("gcc", "clang"):
        program = Omp(compiler, "needs.c")
        result = run_with_dependences(compiler, program)
        archive, = program.bench.archives()
        # libomp waits for the tasks that a task with if(0) needs, and does not report that task.
        words = {"needs", "undeferred"} if compiler == "gcc" else {"needs"}
        wanted = collections.defaultdict(set)
        for line in result.out.splitlines():
            word, task, address, how = line.split()
            if word in words:
                wanted[int(task)].add((int(address), int(how)))
        assert len(wanted) >= 150, f"{compiler}: {len(wanted)}"
        found, begun, ended = collections.defaultdict(set), {}, {}
        for event in events_of(program.bench, archive):
            if event["event"] == "task needs":
                assert event["task"] not in begun, f"{compiler}: {event} comes after the task began"
                found[event["task"]].add((event["object"], event["how"]))
            if event["event"] == "task begin":
                begun[event["task"]] = event["time"]
            if event["event"] == "task end":
                ended[event["task"]] = event["time"]
        expect(f"{compiler}: dependences", list(found.values()), list(wanted.values()))
        numbers = list(found)
        for i, second in enumerate(numbers):
            for first in numbers[:i]:
                if orders(found[first], found[second]):
                    assert ended[first] <= begun[second], f"{compiler}: {second} began before {first} ended"
        program.bench.run([program.bench.epk, "analyze", archive])
        facts = json.loads((archive / "analysis.json").read_text())
        expect(f"{compiler}: unmatched", facts.get("unmatched", []), [])


def test_trace_and_summary():
    for compiler in ("gcc", "clang"):
        bench, archive, _ = traced(compiler, "all", {"ELG_BUFFER_SIZE": "64k"})
        bench.run([bench.epk, "check", archive, "--trace-vs-summary"])


def test_nothing_without_a_trace():
    for selection in ("slow:10s", "off"):
        bench, archive, _ = traced("gcc", selection)
        if not (archive / "traces").is_dir():
            continue
        kinds = {event["event"] for event in events_of(bench, archive)}
        assert kinds <= {"enter", "exit"}, f"{selection}: {kinds}"


def test_groups():
    bench, archive, _ = traced("gcc", "comm", {"EPK_OMP_ENABLED": "PARALLEL:TASK"})
    kinds = {event["event"] for event in events_of(bench, archive)}
    assert "fork" in kinds and "task begin" in kinds, kinds
    assert not kinds & {"lock acquire", "lock release"}, kinds


def test_parts_of_a_taskloop_that_may_be_cancelled():
    """libgomp drops them then, if it copies them itself; and their creator is not known."""
    bench, archive, counts = traced("gcc", "comm", {"OMP_CANCELLATION": "true"})
    kinds = collections.Counter(event["event"] for event in events_of(bench, archive))
    expect("begun", kinds["task begin"], counts["task begin"])
    expect("made", kinds["task create"], counts["task create"] - counts["taskloop part"])


def order_of_otf2(printed):
    """Teams and tasks lie outside of their calls, locks inside; times of a location never go back."""
    around, last, teams = {}, {}, collections.Counter()
    for line in printed.splitlines():
        words = line.split(None, 3)
        if len(words) < 3 or not words[1].isdigit() or not words[2].isdigit():
            continue
        event, where, time = words[0], int(words[1]), int(words[2])
        assert time >= last.get(where, 0), line
        last[where] = time
        before = around.get(where, "")
        region = words[3] if len(words) > 3 else ""
        if event == "ENTER" and '"parallel @' in region:
            assert before.startswith("THREAD_TEAM_BEGIN"), (before, line)
            teams[where & 0xffffffff] += 1
        if event == "THREAD_TEAM_BEGIN" and where >> 32 == 0:
            assert before.startswith("THREAD_FORK"), (before, line)
        if event == "THREAD_TEAM_END":
            assert before.startswith("LEAVE") and '"parallel @' in before, (before, line)
        if event == "THREAD_JOIN":
            assert before.startswith("THREAD_TEAM_END"), (before, line)
        if event == "THREAD_TASK_COMPLETE":
            assert before.startswith("LEAVE"), (before, line)
        assert '"idle"' not in region, line
        around[where] = f"{event} {region}"
    assert teams[0] > 0, printed


def test_other_formats():
    bench, archive, counts = traced("gcc", "comm")
    if harness.installed("otf2-print"):
        folder = bench.folder / "otf2"
        said = bench.run([bench.epk, "convert", archive, "--to", "otf2", "-o", folder])
        assert "left out" not in said.err, said.err
        printed = bench.run(["otf2-print", folder / "traces.otf2"])
        assert "ERROR" not in printed.out + printed.err, printed.err
        found = collections.Counter(line.split(None, 1)[0] for line in printed.out.splitlines() if line.strip())
        for kind, count in {"THREAD_FORK": "fork", "THREAD_JOIN": "join", "THREAD_TEAM_BEGIN": "team begin",
                            "THREAD_TEAM_END": "team end", "THREAD_ACQUIRE_LOCK": "lock acquire",
                            "THREAD_RELEASE_LOCK": "lock release", "THREAD_TASK_CREATE": "task create",
                            "THREAD_TASK_COMPLETE": "task end"}.items():
            expect(f"OTF2: {kind}", found[kind], counts[count])
        order_of_otf2(printed.out)
    output = bench.folder / "trace.json"
    bench.run([bench.epk, "convert", archive, "--to", "chrome", "-o", output])
    instants = collections.Counter(e["name"] for e in json.loads(output.read_text())["traceEvents"] if e["ph"] == "i")
    for kind in ("fork", "lock acquire", "task create"):
        expect(f"Chrome: {kind}", instants[kind], counts[kind])
    bench.run([bench.epk, "convert", archive, "--to", "perfetto", "-o", bench.folder / "trace.perfetto"])
    bench.run([bench.epk, "convert", archive, "--to", "paraver", "-o", bench.folder / "trace.prv"])


def test_otf2_of_threads_that_another_library_makes():
    harness.need(harness.installed("otf2-print"), "otf2-print is not installed")
    bench, archive, _ = traced("gcc", "comm", Omp("gcc", "records.c").threads_of_another())
    folder = bench.folder / "otf2"
    bench.run([bench.epk, "convert", archive, "--to", "otf2", "-o", folder])
    order_of_otf2(bench.run(["otf2-print", folder / "traces.otf2"]).out)


if __name__ == "__main__":
    sys.exit(harness.main(globals()))
