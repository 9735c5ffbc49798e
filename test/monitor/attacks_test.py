#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Collectors at their limits, and monitors of jobs that are damaged, killed or watched by several."""

import json
import mmap
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, "test/user")
from harness import Bench, expect, long, main, mpis, stage  # noqa: E402

sys.path.insert(0, "test/monitor")
from notes_of import header, rings  # noqa: E402

PREFIX = stage()
PROGRAMS = "test/monitor/programs"
MPIS = mpis()
RANKS = 2
SEED = int(os.environ.get("EPK_TEST_SEED", "22"))


class Job:
    """A program that writes "started" and waits for "stop"."""

    def __init__(self, words, env, bench):
        self.bench = bench
        self.process = subprocess.Popen([str(word) for word in words], cwd=bench.folder, env={**bench.env, **env},
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 200
        while not (bench.folder / "started").exists():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < end, "the program does not start"
            time.sleep(0.02)
        self.folder = next(iter(sorted(bench.folder.glob("*.unfinished"))), None)

    def stop(self):
        (self.bench.folder / "stop").touch()
        out, err = self.process.communicate(timeout=200)
        expect("the program's end", (self.process.returncode, out), (0, ""))
        return err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            (self.bench.folder / "stop").touch()
            self.process.communicate(timeout=200)


def counted(calls, env):
    name, words = MPIS[0]
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{name}", "counted.c", ["-O1", "-finstrument-functions"], instrument=None)
    return Job([b.epk, "run", f"mpirun.{name}", *words, "-n", RANKS, program, calls], env, b)


def monitor(b, folder, *words, check=True):
    done = subprocess.run([b.epk, "monitor", str(folder), "--once", "--interval", "0.1", "--format", "json", *words],
                          cwd=b.folder, env=b.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100,
                          check=False)
    expect("status", (done.returncode, done.stderr), (0, "")) if check else None
    return json.loads(done.stdout) if check else done


CALLS = 700 + 300


@long
def test_buffers_of_the_least_and_the_most_size():
    """A ring has a power of two of notes, 64 at least, and a 64th of the arena at most."""
    for bytes_, capacity in (("1", 64), ("4095", 64), ("4096", 128), ("4194305", 4 * 2**20 // 32),
                             ("1024T", None)):
        with counted(700, {"EPK_MONITOR_BUFFER": bytes_}) as job:
            found = [rings(arena)[0] for arena in job.folder.glob("arenas/*.arena")]
            most = min(arena.stat().st_size for arena in job.folder.glob("arenas/*.arena")) // 64 // 32
            expect("ranks", len(found), RANKS)
            for ring in found:
                expect(f"notes so far with {bytes_}", ring.written, CALLS)
                assert ring.capacity == (capacity or ring.capacity) <= most, (bytes_, ring.capacity, most)
                expect("the latest ones", [note.sequence for note in ring.notes],
                       list(range(max(0, CALLS - ring.capacity) + 1, CALLS + 1)))
            moment = monitor(job.bench, job.folder)
            lost = capacity is not None and capacity < CALLS
            assert moment["gathered"] == (min(CALLS, capacity - 1) if lost else CALLS), (bytes_, moment["gathered"])
            job.stop()


@long
def test_sizes_that_are_none_are_refused_and_the_program_runs():
    for bytes_ in ("-1", "x", "18446744073709551616", ""):
        with counted(5, {"EPK_MONITOR_BUFFER": bytes_, "EPK_VERBOSE": "0"}) as job:
            err = job.stop()
            assert bytes_ == "" or "EPK_MONITOR_BUFFER" in err, (bytes_, err)


def test_two_monitors_see_the_same_and_a_killed_one_is_missed_by_nobody():
    with counted(200, {"EPK_MONITOR_BUFFER": "256k", "EPK_MONITOR_STATISTICS": "yes", "EPK_TIMER": "monotonic"}) as job:
        killed = subprocess.Popen([job.bench.epk, "monitor", str(job.folder), "--format", "json", "--interval", "0.05"],
                                  cwd=job.bench.folder, env=job.bench.env, stdout=subprocess.PIPE, text=True)
        killed.stdout.readline()
        both = [monitor(job.bench, job.folder) for _ in range(2)]
        expect("calls", [moment["gathered"] for moment in both], [500, 500])
        expect("statistics", both[0]["statistics"], both[1]["statistics"])
        killed.kill()
        killed.communicate()
        expect("after the kill", monitor(job.bench, job.folder)["statistics"], both[0]["statistics"])
        job.stop()


@long
def test_a_killed_rank_ends_the_job_as_without_statistics():
    for env in ({}, {"EPK_MONITOR_STATISTICS": "yes", "EPK_WAITS": "yes"}):
        with counted(50, {"EPK_MONITOR_BUFFER": "64k", **env}) as job:
            watch = subprocess.Popen([job.bench.epk, "monitor", str(job.folder), "--format", "json", "--interval", "0.05"],
                                     cwd=job.bench.folder, env=job.bench.env, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True)
            watch.stdout.readline()
            victim = next(pid for pid, rank in map(header, job.folder.glob("arenas/*.arena")) if rank == 1)
            os.kill(victim, signal.SIGKILL)
            job.process.communicate(timeout=200)
            assert job.process.returncode != 0, (env, job.process.returncode)
            watch.communicate(timeout=100)  # it ends with the job
            assert watch.returncode == 0, watch.returncode


def barriers(threads, env):
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile("gcc", "barriers.c", ["-O1", "-g", "-fopenmp", "-finstrument-functions"], instrument=None)
    return Job([b.epk, "run", program, 2, 0], {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive",
                                              "EPK_MONITOR": "omp", "EPK_MONITOR_BUFFER": "1M", **env}, b)


def test_one_thread_and_five_hundred_have_a_ring_each():
    for threads in (1, 500):
        with barriers(threads, {}) as job:
            found = rings(next(job.folder.glob("arenas/*.arena")))
            expect("barriers of each thread", [ring.written for ring in found], [6] * threads)
            monitor(job.bench, job.folder)
            job.stop()


def test_no_room_for_rings_leaves_the_program_alone():
    """500 rings of a 64th of the arena each do not fit. A thread that finds no room notes nothing, and all others have
    their figures."""
    with barriers(500, {"EPK_MEMORY": "64M"}) as job:
        found = rings(next(job.folder.glob("arenas/*.arena")))
        assert 0 < len(found) <= 500 and {ring.written for ring in found} == {6}, [ring.written for ring in found]
        job.stop()


def test_a_child_of_a_fork_notes_nothing_of_its_parents():
    name, words = MPIS[0]
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{name}", "forking.c", ["-O1", "-finstrument-functions"], instrument=None)
    env = {"EPK_MONITOR_BUFFER": "64k", "EPK_MONITOR_STATISTICS": "yes", "EPK_WAITS": "yes"}
    with Job([b.epk, "run", f"mpirun.{name}", *words, "-n", RANKS, program], env, b) as job:
        found = {header(arena)[1]: rings(arena) for arena in job.folder.glob("arenas/*.arena")}
        expect("calls by rank", {rank: [ring.written for ring in there] for rank, there in found.items() if there},
               {rank: [200] for rank in range(RANKS)})
        job.stop()


class Forged:
    """A folder with a damaged arena, which this process has mapped like the arena's writer."""

    def __init__(self, data):
        self.folder = pathlib.Path(tempfile.mkdtemp(suffix=".unfinished", dir=os.environ.get("TEST_TMPDIR")))
        (self.folder / "arenas").mkdir()
        path = self.folder / "arenas" / f"{socket.gethostname()}.{os.getpid()}.arena"
        data[32:36] = struct.pack("<I", os.getpid())
        path.write_bytes(data)
        with open(path, "rb") as file:
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def __enter__(self):
        return self.folder

    def __exit__(self, *_):
        self.memory.close()
        for path in sorted(self.folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        self.folder.rmdir()


def test_damaged_arenas_end_no_monitor():
    """Words of rings, statistics and headers at random. A monitor may show anything, but must not crash."""
    with counted(100, {"EPK_MONITOR_BUFFER": "16k", "EPK_MONITOR_STATISTICS": "yes", "EPK_MEMORY": "16M"}) as job:
        good = next(job.folder.glob("arenas/*.arena")).read_bytes()
        chunks = [at for at in range(64 * 128, struct.unpack_from("<I", good, 24)[0] * 64, 64 * 256)
                  if struct.unpack_from("<IH", good, at)[0] == 0x434B5045]
        luck = random.Random(SEED)
        for round_ in range(12):
            data = bytearray(good)
            for _ in range(luck.randrange(1, 12) if round_ else 0):
                at = (luck.choice([0, *chunks]) + 4 * luck.randrange(0, 96)) if luck.random() < 0.8 else (
                    4 * luck.randrange(9, len(good) // 4))
                value = luck.choice([0, 1, 0xffffffff, 0x7fffffff, 64, luck.randrange(2**32)])
                if at >= 16 and at not in (32,):
                    data[at:at + 4] = struct.pack("<I", value)
            with Forged(data) as folder:
                for command in (["monitor", folder, "--once", "--interval", "0.05", "--format", "json"],
                                ["top", "--once", "--interval", "0.05", folder]):
                    done = subprocess.run([job.bench.epk, *map(str, command)], cwd=job.bench.folder, env=job.bench.env,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100, check=False)
                    assert done.returncode in (0, 1), (SEED, round_, command, done.returncode, done.stderr[-400:])
        job.stop()


if __name__ == "__main__":
    if not MPIS:
        from harness import skip_all
        skip_all("no MPI is installed")
    sys.exit(main(globals()))
