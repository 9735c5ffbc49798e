#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A running program whose trace and measurement are switched from outside: the trace has exactly the calls of the times
when it was on."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, "test/user")
from harness import SECONDS, Bench, Profile, expect, main, mpis, stage  # noqa: E402

PROGRAMS = pathlib.Path("test/trace/programs").resolve()
PREFIX = stage()
FLAGS = ["-O1", "-g", "-finstrument-functions", "-pthread"]
MPIS = mpis()
OFF = {"EPK_TRACE": "all", "EPK_TRACE_START": "no"}


class Running:
    """A program that gets its orders line by line."""

    def __init__(self, words, env, compiler="gcc", flags=(), launcher=()):
        self.bench = Bench(PREFIX, PROGRAMS)
        self.bench.env.update(env)
        self.before = set(self.bench.archives())
        program = self.bench.compile(compiler, "switched.c", [*FLAGS, *flags], instrument=None)
        self.process = subprocess.Popen([self.bench.epk, "run", *launcher, str(program), *map(str, words)],
                                        cwd=self.bench.folder, env=self.bench.env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.answer = self.read()

    def read(self):
        line = self.process.stdout.readline()
        assert line.startswith("ok "), (line, self.process.poll() and self.process.stderr.read())
        return int(line.split()[1])

    def say(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            self.answer = self.read()

    def unfinished(self):
        """The archive that the job is writing to; processes of MPI have joined it."""
        found = [a for a in self.bench.archives() if a.name.endswith(".unfinished")]
        assert len(found) == 1, found
        return found[0]

    def pid(self):
        arenas = list((self.unfinished() / "arenas").glob("*.arena"))
        assert len(arenas) == 1, arenas
        return int(arenas[0].name.split(".")[-2])

    def control(self, *words, check=True):
        return self.bench.run([self.bench.epk, "control", *words], check=check)

    def send(self, number):
        """Sends a signal and waits until it has been handled, so that the next order comes after it."""
        os.kill(self.pid(), number)
        time.sleep(0.2)

    def end(self):
        self.process.stdin.write("end\n")
        out, err = self.process.communicate(timeout=SECONDS)
        assert self.process.returncode == 0, (out, err)
        made = [a for a in self.bench.archives() if a not in self.before]
        assert len(made) == 1 and not made[0].name.endswith(".unfinished"), (made, err)
        self.err = err
        return made[0]

    def events(self, archive):
        out = self.bench.run([self.bench.epk, "print", archive, "--format", "json"]).out
        return [json.loads(line) for line in out.splitlines()]

    def logged(self, archive, region="Work"):
        """The number of its calls in the trace, by rank and thread."""
        counts = {}
        for event in self.events(archive):
            if event["event"] == "enter" and event["region"] == region:
                counts[event["rank"], event["thread"]] = counts.get((event["rank"], event["thread"]), 0) + 1
        return counts


def test_the_trace_from_outside():
    for threads in (1, 3):
        run = Running([threads], OFF)
        run.say("work 10")
        run.control(run.pid(), "trace", "on")
        run.say("work 20", "thread 5")
        run.control("trace", "off")  # the only program here
        run.say("work 40", "thread 80")
        assert "trace off" in run.control(run.unfinished()).out
        archive = run.end()
        expect("logged", run.logged(archive), {**{(0, t): 20 for t in range(threads)}, (0, threads): 5})
        # Threads that existed before note that the trace was off until then.
        noted = sorted((e["rank"], e["thread"]) for e in run.events(archive)
                       if e["event"] == "switched" and e["on"] == 1)
        expect("noted", noted, [(0, t) for t in range(threads)])
        expect("visits", Profile(run.bench, archive).visits(region="Work"), 1 + 70 * threads + 85)
        run.bench.run([run.bench.epk, "check", archive])


def switches(run, archive):
    """The switches that each thread noted: (on or off, seconds)."""
    found = {}
    for event in run.events(archive):
        if event["event"] == "switched":
            found.setdefault((event["rank"], event["thread"]), []).append((event["on"], event["time"]))
    return found


PAUSE = 0.25  # around each switch, so that its time is known


def switch(run, *words):
    time.sleep(PAUSE)
    run.control(run.pid(), *words)
    time.sleep(PAUSE)


def test_times_of_switches():
    """Each thread notes when the trace was switched, not when it logged something again."""
    run = Running([2], {**OFF, "EPK_SUMMARY": "no"})
    run.say("work 10")
    switch(run, "trace", "on")
    run.say("work 20")
    switch(run, "trace", "off")
    run.say("work 40")
    switch(run, "trace", "on")
    run.say("work 5")
    switch(run, "trace", "off")
    run.say("work 40")
    time.sleep(PAUSE)
    archive = run.end()
    noted = switches(run, archive)
    expect("threads", sorted(noted), [(0, 0), (0, 1)])
    work = [e["time"] for e in run.events(archive) if e["event"] == "enter" and e["region"] == "Work"]
    first, second = work[:40], work[40:]  # of both threads
    end = run.bench.run([run.bench.epk, "print", archive]).out
    for thread, found in noted.items():
        expect(f"switches of {thread}", [on for on, _ in found], [0, 1, 0, 1, 0])
        begun, on, off, again, at_last = [at for _, at in found]
        assert begun < on - PAUSE and on < min(first) - PAUSE / 2, (found, first[0], end)
        assert max(first) + PAUSE / 2 < off < again - 2 * PAUSE and again < min(second) - PAUSE / 2, (found, second[0])
        assert max(second) + PAUSE / 2 < at_last, found
    expect("one moment", len({tuple(at for _, at in found[1:]) for found in noted.values()}), 1)
    run.bench.run([run.bench.epk, "check", archive])
    # The time that the trace was off is no call's, and no kind of time.
    was_on = sum(found[2][1] - found[1][1] + found[4][1] - found[3][1] for found in noted.values())
    whole = sum(float(row["excl_s"] or 0) for row in Profile(run.bench, archive).rows)
    assert abs(whole - was_on) < 1e-6, (whole, was_on)
    tiles = json.loads(run.bench.run([run.bench.epk, "view", archive, "--export", "-"]).out)
    hatched = [(row, round(since / 1e9, 3)) for row, since, _, mark in tiles["markers"] if mark == "off"]
    expect("hatched", sorted(hatched), sorted((row, round(at, 3)) for row, found in enumerate(noted.values())
                                              for on, at in found if not on))


def test_switches_of_a_killed_process():
    run = Running([2], {"EPK_TRACE": "all"})
    run.say("work 10")
    switch(run, "trace", "off")
    run.say("work 10")
    switch(run, "trace", "on")
    switch(run, "trace", "off")
    os.kill(run.pid(), signal.SIGKILL)
    run.process.communicate(timeout=SECONDS)
    made = [a for a in run.bench.archives() if a not in run.before]
    expect("archives", len(made), 1)
    noted = switches(run, made[0])
    expect("threads", sorted(noted), [(0, 0), (0, 1)])
    for thread, found in noted.items():
        expect(f"switches of {thread}", [on for on, _ in found], [0, 1, 0])
        assert found[0][1] + 2 * PAUSE < found[1][1] < found[2][1] - 2 * PAUSE, found


def test_a_flush_from_outside():
    run = Running([2], {"EPK_TRACE": "all"})
    run.say("work 100")
    assert not list(run.unfinished().glob("arenas/*.elg")), "written too early"
    run.control("flush")
    run.say("work 1")
    assert list(run.unfinished().glob("arenas/*.elg")), "not written"
    archive = run.end()
    flushes = [(e["rank"], e["thread"]) for e in run.events(archive) if e["event"] == "flush begin"]
    expect("flushes", sorted(flushes), [(0, 0), (0, 1)])
    run.bench.run([run.bench.epk, "check", archive, "--trace-vs-summary"])


def paused(run, archive):
    profile = Profile(run.bench, archive)
    expect("repairs", (profile.manifest["repairs"], profile.manifest["unmatched_exits"]), (0, 0))
    return profile


def test_the_measurement_paused_from_outside():
    run = Running([1], {"EPK_TRACE": "all"})
    run.say("work 10")
    run.control(run.pid(), "pause")
    run.say("work 20", "deeper", "work 5")
    time.sleep(0.3)
    run.control(run.pid(), "resume")
    run.say("work 30", "up", "work 40")
    archive = run.end()
    profile = paused(run, archive)
    visits = {path: n for path, n in profile.paths().items() if path.endswith("> Work")}
    expect("visits", visits, {"main > Work": 1, "main > Serve > WorkOften > Work": 50,
                              "main > Serve > Serve > WorkOften > Work": 30})
    assert profile.sum("excl_s", "main > Serve > paused") > 0.3, profile.rows
    run.bench.run([run.bench.epk, "check", archive, "--trace-vs-summary"])


def test_calls_that_end_while_it_is_paused():
    run = Running([1], {})
    run.say("deeper", "deeper", "work 3")
    run.control(run.pid(), "pause")
    run.say("work 20", "up")
    time.sleep(0.2)
    run.say("up", "work 5")
    time.sleep(0.1)
    run.control(run.pid(), "resume")
    run.say("work 7")
    archive = run.end()
    profile = paused(run, archive)
    visits = {path: n for path, n in profile.paths().items() if path.endswith("> Work")}
    deep = "main > Serve > Serve > Serve"
    expect("visits", visits, {"main > Work": 1, deep + " > WorkOften > Work": 3, "main > Serve > WorkOften > Work": 7})
    expect("pauses", [profile.visits(path + " > paused") for path in (deep, "main > Serve > Serve", "main > Serve")],
           [1, 1, 1])
    assert profile.sum("excl_s", "main > Serve > Serve > paused") > 0.2, profile.rows
    # With any pauses, the parts add up to the total.
    whole = sum(float(r["excl_s"] or 0) for r in profile.rows)
    roots = sum(float(r["incl_s"] or 0) for r in profile.rows if r["path"] == "")
    assert abs(whole - roots) < 1e-6, (whole, roots)


def test_threads_paused_from_outside():
    run = Running([4], {})
    for _ in range(5):
        run.say("work 10")
        run.control("pause")
        run.say("work 100", "thread 3")
        run.control("resume")
        run.say("thread 2")
    archive = run.end()
    profile = paused(run, archive)
    # Helpers that were waiting when the pause began and ended missed no other call.
    expect("visits", profile.visits(region="Work"), 1 + 5 * 10 * 4 + 5 * 2)


def test_a_pool_paused_from_outside():
    """Regions of OpenMP begin and end at any time of a pause: the parts still add up to the whole."""
    b = Bench(PREFIX, PROGRAMS)
    b.env.update(OMP_NUM_THREADS="3", OMP_WAIT_POLICY="passive", EPK_TRACE="slow:1us")
    program = b.compile("gcc", "pool.c", [*FLAGS, "-fopenmp"], instrument=None)
    seconds = "3" if b.sanitizer.runtime is None else "15"  # in which `epk control`, which has a sanitizer, too, runs 5 times
    process = subprocess.Popen([b.epk, "run", program, seconds], cwd=b.folder, env=b.env, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    switched = 0
    while process.poll() is None:
        time.sleep(0.1)
        what = ("pause", "resume")[switched % 2]
        switched += b.run([b.epk, "control", what], check=False).status == 0
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0 and "rounds" in out, (out, err)
    assert switched > 4, switched
    archive = b.archives()[0]
    profile = Profile(b, archive)
    assert profile.visits(region="paused") > 3, profile.paths()
    whole = sum(float(r["excl_s"] or 0) for r in profile.rows)
    roots = sum(float(r["incl_s"] or 0) for r in profile.rows if r["path"] == "")
    assert abs(whole - roots) < 1e-6 * roots, (whole, roots)
    assert all(float(r["excl_s"] or 0) > -1e-6 for r in profile.rows), profile.rows
    b.run([b.epk, "check", archive])


def test_signals():
    run = Running([2], {**OFF, "EPK_CONTROL_SIGNAL": "USR2,USR1:pause,RTMIN+1:flush"})
    run.say("work 10")
    run.send(signal.SIGUSR2)
    run.say("work 20")
    run.send(signal.SIGUSR1)
    run.say("work 40")
    run.send(signal.SIGUSR1)
    run.say("work 80")
    run.send(signal.SIGRTMIN + 1)
    run.say("work 1")
    run.send(signal.SIGUSR2)
    run.say("work 160")
    archive = run.end()
    expect("logged", run.logged(archive), {(0, 0): 101, (0, 1): 101})
    expect("visits", Profile(run.bench, archive).visits(region="Work"), 1 + 2 * 271)
    expect("flushes", sum(e["event"] == "flush begin" for e in run.events(archive)), 2)


def test_a_signal_that_the_program_uses():
    run = Running([1], {**OFF, "EPK_CONTROL_SIGNAL": "USR2"})
    run.say("mine")
    run.send(signal.SIGUSR2)
    run.say("work 10")
    expect("came", run.answer, 1)
    archive = run.end()
    expect("logged", run.logged(archive), {})


def test_all_processes_of_a_job():
    for name, words in MPIS:
        run = Running([2], OFF, f"mpicc.{name}", ["-DWITH_MPI"], [f"mpirun.{name}", *words, "-n", "2"])
        run.say("work 10")
        run.control(run.unfinished(), "trace", "on")
        run.say("work 20")
        run.control(run.unfinished(), "trace", "off")
        run.control(run.unfinished(), "pause")
        run.say("work 40")
        run.control(run.unfinished(), "resume")
        run.say("work 80")
        archive = run.end()
        expect("logged", run.logged(archive), {(rank, thread): 20 for rank in range(2) for thread in range(2)})
        expect("visits", Profile(run.bench, archive).visits(region="Work"), 2 * (1 + 2 * 110))


def test_a_job_with_a_trace_of_one_rank():
    name, words = MPIS[0]
    run = Running([2], {"EPK_TRACE": "all,ranks:1", "EPK_TRACE_START": "no"}, f"mpicc.{name}", ["-DWITH_MPI"],
                  [f"mpirun.{name}", *words, "-n", "2"])
    run.control(run.unfinished(), "trace", "on")
    run.say("work 20")
    run.control(run.unfinished(), "trace", "off")
    run.say("work 40")
    expect("logged", run.logged(run.end()), {(1, thread): 20 for thread in range(2)})
    run = Running([1], {})
    refused = run.control(run.pid(), "trace", "on", check=False)
    assert refused.status == 1 and "has no trace to switch" in refused.err, refused
    run.end()


def test_a_trace_that_stays_off():
    run = Running([2], OFF)
    run.say("work 10")
    archive = run.end()
    assert "analyze" not in run.err, run.err
    analyzed = run.bench.run([run.bench.epk, "analyze", archive], check=False)
    assert analyzed.status == 1 and "the trace has no events" in analyzed.err, analyzed
    assert not (archive / "analysis.json").exists()
    assert "There are no events." in run.bench.run([run.bench.epk, "info", archive]).out


def test_what_cannot_be_done_is_said():
    run = Running([1], {})
    result = run.control(run.pid(), "trace", "on", check=False)
    assert result.status == 1 and "EPK_TRACE" in result.err, result.err
    result = run.control(run.pid(), "fly", check=False)
    assert result.status == 2 and "pause" in result.err, result.err
    result = run.control("1", "pause", check=False)
    expect("another process", result.status, 1)
    archive = run.end()
    assert archive.name in run.bench.run([run.bench.epk, "check"]).out, "the newest here, also without a trace"


if __name__ == "__main__":
    sys.exit(main(globals()))
