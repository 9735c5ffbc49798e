#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of several processes, under both MPIs: each job has one archive, for any number of processes and any ending."""

import csv
import fcntl
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import xml.etree.ElementTree as xml

sys.path.insert(0, "test/user")
from harness import SECONDS, Bench, Profile, expect, installed, left_out, long, main, need, skip_all, stage  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PREFIX = stage()
STEPS, STEPS_TO_BAD = 60, 41


class Mpi:
    def __init__(self, name, launcher_words):
        self.name, self.words = name, launcher_words
        self.c, self.cxx = f"mpicc.{name}", f"mpicxx.{name}"
        self.launcher = f"mpirun.{name}"

    def start(self, ranks, *program):
        return [self.launcher, *self.words, "-n", ranks, *program]


MPIS = [m for m in (Mpi("openmpi", ["--oversubscribe"]), Mpi("mpich", [])) if installed(m.launcher)]


def bench():
    return Bench(PREFIX, PROGRAMS)


def ring(mpi, b, output=None, level="-O1"):
    """Measured by preloading: how programs are linked is tested elsewhere."""
    return b.compile(mpi.c, "ring.c", [level, "-finstrument-functions"], output=output, instrument=None)


def only_archive(b):
    """Waits until the archive is written: a launcher does not wait for processes that it kills."""
    for _ in range(100):
        found = b.archives()
        if len(found) == 1 and not found[0].name.endswith(".unfinished"):
            return found[0]
        time.sleep(0.1)
    raise AssertionError(f"archives: {[a.name for a in b.archives()]}")


def traffic(archive):
    with open(archive / "communication.csv", encoding="utf-8") as file:
        return {(int(r["from"]), int(r["to"])): (int(r["messages"]), int(r["bytes"])) for r in csv.DictReader(file)}


def value(row, column):
    return int(row[column] or row.get(column + "_p2p") or 0)


def paths_without_extra(profile):
    return {r["path"] for r in profile.rows if r["path"] and "extra" not in r["path"]}


def test_any_number_of_ranks_gives_one_archive_and_the_same_call_tree():
    check_numbers_of_ranks(1, 2, 3, 8)


@long
def test_more_ranks_give_one_archive_and_the_same_call_tree():
    check_numbers_of_ranks(1, 16, 24)


def check_numbers_of_ranks(*numbers):
    for mpi in MPIS:
        trees = []
        for ranks in numbers:
            b = bench()
            program = ring(mpi, b)
            b.run([b.epk, "run", *mpi.start(ranks, program)])
            archive = only_archive(b)
            expect("name", archive.name, f"epik_ring_{ranks}x1_sum")
            profile = Profile(b, archive)
            expect("ranks", profile.manifest["ranks"], ranks)
            expect("ended", profile.manifest["ended"], "exit")
            expect("open frames", profile.manifest["open_frames"], 0)
            for rank in range(ranks):
                mine = {r["path"].split(" > ")[-1]: r for r in profile.rows if int(r["rank"]) == rank}
                for region, visits in {"work": STEPS, "exchange": STEPS, "MPI_Waitall": STEPS, "MPI_Isend": STEPS,
                                       "MPI_Irecv": STEPS, "reduce": STEPS, "MPI_Allreduce": STEPS, "main": 1,
                                       "MPI_Init": 1, "MPI_Finalize": 1}.items():
                    if region == "work" and rank == 2:
                        continue  # once more below extra
                    expect(f"{region} on rank {rank}", int(mine[region]["visits"]), visits)
                expect("sent", value(mine["MPI_Isend"], "bytes_sent"), 16 * STEPS)
                expect("received", value(mine["MPI_Waitall"], "bytes_received"), 16 * STEPS)
                expect("messages", int(mine["MPI_Isend"]["msgs_sent"]), STEPS)
            extra = sum(int(r["visits"] or 0) for r in profile.rows if r["path"].endswith("extra"))
            expect("extra", extra, STEPS if ranks >= 3 else 0)
            expect("matrix", traffic(archive), {(r, (r + 1) % ranks): (STEPS, 16 * STEPS) for r in range(ranks)})
            trees.append(paths_without_extra(profile))
        assert all(tree == trees[0] for tree in trees), trees


def test_exclusive_times_sum_to_the_total_of_each_rank():
    for mpi in MPIS:
        b = bench()
        b.run([b.epk, "run", *mpi.start(4, ring(mpi, b))])
        profile = Profile(b, only_archive(b))
        for rank in range(4):
            rows = [r for r in profile.rows if int(r["rank"]) == rank]
            total = max(float(r["incl_s"]) for r in rows)
            exclusive = [float(r["excl_s"] or 0) for r in rows]
            assert min(exclusive) >= 0
            assert abs(sum(exclusive) - total) < 1e-6 * total + 1e-9, (rank, sum(exclusive), total)


def test_times_lie_between_those_that_each_rank_writes_down():
    """The program takes the time within each function, and around each call; of MPI's functions, around them only."""
    for mpi in MPIS:
        for trace in ("", "all"):
            b = bench()
            program = b.compile(mpi.c, "spends.c", ["-O1", "-finstrument-functions"], instrument=None)
            b.run([b.epk, "run", *mpi.start(3, program)], env={"EPK_TRACE": trace} if trace else {})
            profile = Profile(b, only_archive(b))
            for rank in range(3):
                mine = {r["path"].split(" > ")[-1]: r for r in profile.rows if int(r["rank"]) == rank}
                for line in (b.folder / f"spent.{rank}").read_text().splitlines():
                    name, visits, within, around = line.split()
                    what = f"{mpi.c} rank {rank} {name}"
                    expect(f"visits of {what}", int(mine[name]["visits"]), int(visits))
                    seconds = float(mine[name]["incl_s"])
                    assert 0.999 * int(within) <= 1e9 * seconds <= 1.001 * int(around), f"{what}: {seconds}, {line}"


# The way one rank ends -> the report's word about all ranks, and the visits that had ended by then.
ENDINGS = {
    "abort": ("MPI_Abort", "code 3, rank 2"),
    "exit": ("exit without MPI_Finalize", "status 7, rank 2"),
    "_exit": ("_exit", "status 8, rank 2"),
    "segv": ("signal", "SIGSEGV, rank 2"),
    "kill": ("killed", "without a last word"),
    "open": ("exit without MPI_Finalize", "status 0"),
}


@long
def test_every_ending_leaves_an_archive_of_all_ranks():
    for mpi in MPIS:
        for how, (ended, detail) in ENDINGS.items():
            b = bench()
            program = ring(mpi, b)
            bare = b.run(mpi.start(3, program, how), env={"EPK_ENABLED": "no"}, check=False)
            result = b.run([b.epk, "run", *mpi.start(3, program, how)], check=False)
            profile = Profile(b, only_archive(b))
            told = profile.manifest["ended"]
            if mpi.name == "mpich":
                # Its launcher kills the other ranks as soon as it notices one that left, sometimes before they have
                # noted their end, and reports either the one or the others. Measured or not, that is chance.
                assert told in (ended, "killed"), told
            else:
                expect(f"{mpi.name} {how}: status", result.status, bare.status)
                expect(f"{mpi.name} {how}: output", result.out, bare.out)
                # Open MPI's launcher sends SIGTERM to ranks that are still at work when the first one leaves.
                assert told == ended or (how == "open" and told == "signal"), told
            if told == ended:
                assert detail in profile.manifest["ended_detail"], profile.manifest["ended_detail"]
            expect(f"{mpi.name} {how}: ranks", {int(r["rank"]) for r in profile.rows}, {0, 1, 2})
            steps = STEPS if how == "open" else STEPS_TO_BAD
            done = sum(int(r["visits"]) for r in profile.rows if r["rank"] == "2" and r["path"].endswith("> reduce"))
            if told == ended:
                expect(f"{mpi.name} {how}: reductions of rank 2", done, steps)
            else:
                assert steps - 1 <= done <= steps, (mpi.name, how, done)


def test_an_abort_in_a_function_that_mpi_calls():
    for mpi in MPIS:
        for how in ("handler", "operation"):
            b = bench()
            program = b.compile(mpi.c, "called.c", ["-O1"], instrument=None)
            bare = b.run(mpi.start(1, program, how), check=False)
            result = b.run([b.epk, "run", *mpi.start(1, program, how)], check=False)
            expect(f"{mpi.name} {how}: status", result.status, bare.status)
            manifest = Profile(b, only_archive(b)).manifest
            expect(f"{mpi.name} {how}", manifest["ended"], "MPI_Abort")
            assert "code 7" in manifest["ended_detail"], manifest["ended_detail"]


def check_aborts(runs):
    for mpi in MPIS:
        b = bench()
        program = b.compile(mpi.c, "abort.c", ["-O1", "-finstrument-functions"], instrument=None)
        load = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]
        try:
            for run in range(runs):
                before = set(b.archives())
                b.run([b.epk, "run", *mpi.start(4, program)], check=False)
                wait_until(lambda: not alive(program))
                made = [a for a in b.archives() if a not in before]
                if any(a.name.endswith(".unfinished") for a in made):  # the launcher killed whoever was at it
                    b.run([b.epk, "recover", *[a for a in made if a.name.endswith(".unfinished")]])
                made = [a for a in b.archives() if a not in before]
                expect(f"{mpi.name} run {run}: archives", len(made), 1)
                profile = Profile(b, made[0])
                expect(f"{mpi.name} run {run}: ranks", {int(r["rank"]) for r in profile.rows}, {0, 1, 2, 3})
                expect(f"{mpi.name} run {run}: before", profile.visits(region="before"), 4)
        finally:
            for each in load:
                each.kill()
                each.wait()


@long
def test_an_abort_right_after_init_leaves_one_archive():
    check_aborts(3)


@long
def test_twenty_aborts_right_after_init():
    check_aborts(20)


def test_epk_run_writes_the_digest_that_a_launcher_throws_away():
    """When all ranks abort, Open MPI may end before it has passed on what they write. Here nobody reads it."""
    for mpi in MPIS:
        b = bench()
        program = b.compile(mpi.c, "all_abort.c", ["-O1"], instrument=None)
        result = b.run([b.epk, "run", *mpi.start(2, "sh", "-c", 'exec "$0" 2> /dev/null', program)], check=False)
        archive = only_archive(b)
        lines = [line for line in result.err.splitlines() if line.startswith("[EPIK]")]
        expect(f"{mpi.name}: first lines", len([line for line in lines if "2 processes" in line]), 1)
        expect(f"{mpi.name}: last line", lines[-1], f"[EPIK] next: epk report {archive.name}")


def test_ranks_leave_before_their_archive_is_written():
    """A launcher kills ranks that stay when another one has left, and its status then tells the signal."""
    for mpi in MPIS:
        for how in ("abort", "handler", "exit", "_exit"):
            b = bench()
            program = b.compile(mpi.c, "leaves.c", ["-O1"], instrument=None)
            launcher = subprocess.Popen([b.epk, "run", *map(str, mpi.start(2, program, how))], cwd=b.folder,
                                        env=b.env, stderr=subprocess.DEVNULL)
            wait_until(lambda: len(list(b.folder.glob("ready.*"))) == 2)
            folder = os.open(b.archives()[0], os.O_RDONLY)
            fcntl.flock(folder, fcntl.LOCK_EX)  # nobody can write the archive
            (b.folder / "go").touch()
            wait_until(lambda: not alive(program), 25)
            os.close(folder)
            launcher.wait(timeout=SECONDS)
            expect(f"{mpi.name} {how}", {int(r["rank"]) for r in Profile(b, only_archive(b)).rows}, {0, 1})


def test_a_killed_launcher_leaves_what_recover_needs():
    for mpi in MPIS:
        for number in (signal.SIGTERM, signal.SIGKILL):
            b = bench()
            program = ring(mpi, b)
            with open(b.folder / "log", "w", encoding="utf-8") as log:
                launcher = subprocess.Popen([b.epk, "run", *map(str, mpi.start(3, program, "sleep"))], cwd=b.folder,
                                            env=b.env, stdout=log, stderr=log, start_new_session=True)
                wait_until(lambda: mapped_arenas(b) == 3 and (b.folder / "ready").exists())
                for pid in children_called(mpi, launcher.pid):
                    os.kill(pid, number)
                launcher.wait(timeout=SECONDS)
            wait_until(lambda: not alive(program))
            if any(a.name.endswith(".unfinished") for a in b.archives()):
                b.run([b.epk, "recover"])
            profile = Profile(b, only_archive(b))
            expect("ranks", {int(r["rank"]) for r in profile.rows}, {0, 1, 2})
            assert profile.manifest["recovered"]


def wait_until(condition, seconds=120):
    for _ in range(10 * seconds):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(f"it did not happen within {seconds} s")


def mapped_arenas(b):
    return max([len(list(a.glob("arenas/*.arena"))) for a in b.archives()], default=0)


def processes():
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            yield int(entry.name), words, int(stat.rpartition(")")[2].split()[1])


def alive(program):
    return any(words[0] == str(program).encode() for _, words, _ in processes())


def children_called(mpi, parent):
    """The launcher itself, however many scripts and wrappers stand between."""
    below = {parent}
    known = list(processes())
    while True:
        more = {pid for pid, _, above in known if above in below} - below
        if not more:
            break
        below |= more
    names = {b"mpirun.openmpi", b"orterun", b"mpirun"} if mpi.name == "openmpi" else {b"mpiexec.hydra", b"mpirun.mpich"}
    return [pid for pid, words, _ in known if pid in below and words[0].rpartition(b"/")[2] in names]


def test_finalize_in_a_destructor_or_by_another_thread():
    for mpi in MPIS:
        for how in ("destructor", "thread"):
            b = bench()
            program = b.compile(mpi.cxx, "late.cc", ["-O0", "-pthread", "-finstrument-functions"], instrument=None)
            result = b.run([b.epk, "run", *mpi.start(2, program, how)])
            expect("output", result.out, "late\n")
            profile = Profile(b, only_archive(b))
            expect("ended", (profile.manifest["ended"], profile.manifest["ended_detail"]), ("exit", "MPI_Finalize"))
            for rank in range(2):
                names = {r["path"].split(" > ")[-1] for r in profile.rows if int(r["rank"]) == rank}
                assert {"MPI_Barrier", "MPI_Finalize"} <= names, names
                assert any("Before" in n for n in names) and not any("After" in n for n in names), names


def test_calls_after_finalize_are_counted():
    for mpi in MPIS:
        b = bench()
        program = b.compile(mpi.c, "after.c", ["-O0", "-finstrument-functions"], instrument=None)
        result = b.run([b.epk, "run", *mpi.start(3, program)])
        expect("output", result.out, "after\n")
        said = [line for line in result.err.splitlines() if "after MPI_Finalize" in line]
        expect("said", said, ["epk run: 3 ranks made 24 calls after MPI_Finalize, when the measurement had ended"])
        profile = Profile(b, only_archive(b))
        expect("before", [int(r["visits"]) for r in profile.rows if r["region"] == "Work"], [1, 1, 1])
        libraries = b.sanitizer.preload(f"{PREFIX}/lib/libepk.so:{PREFIX}/lib/libepk_mpi_{mpi.name}.so")
        alone = bench().run(mpi.start(3, "env", f"LD_PRELOAD={libraries}", program))
        said = sorted(line.split("[EPIK] ")[1] for line in alone.err.splitlines() if "after MPI_Finalize" in line)
        expect("without epk run", said, [f"rank {rank} made {7 + rank} calls after MPI_Finalize, when the measurement had ended"
                                         for rank in range(3)])


def test_two_programs_in_one_job():
    for mpi in MPIS:
        b = bench()
        one, two = ring(mpi, b, "one"), ring(mpi, b, "two", "-O0")
        b.run([b.epk, "run", mpi.launcher, *mpi.words, "-n", 2, one, ":", "-n", 2, two])
        profile = Profile(b, only_archive(b))
        roots = {(int(r["rank"]), r["callpath"]) for r in profile.rows if " > " not in r["callpath"] and r["visits"]}
        expect("roots", roots, {(0, "one"), (1, "one"), (2, "two"), (3, "two")})
        for rank in range(4):
            expect("steps", sum(int(r["visits"]) for r in profile.rows
                                if int(r["rank"]) == rank and r["region"] == "MPI_Allreduce"), STEPS)


def test_ranks_that_measure_nothing_do_not_keep_the_others_waiting():
    for mpi in MPIS:
        b = bench()
        program = ring(mpi, b)
        off = ["env", "EPK_ENABLED=no", program]
        b.run([b.epk, "run", mpi.launcher, *mpi.words, "-n", 2, program, ":", "-n", 1, *off])
        profile = Profile(b, only_archive(b))
        expect("ranks", {int(r["rank"]) for r in profile.rows}, {0, 1})
        b = bench()
        result = b.run(mpi.start(2, ring(mpi, b)), env={"EPK_ENABLED": "no"})
        expect("archives", b.archives(), [])
        expect("output", result.out, "2 ranks\n")


def test_arenas_elsewhere_are_removed():
    for mpi in MPIS:
        b = bench()
        elsewhere = b.folder / "elsewhere"
        elsewhere.mkdir()
        b.run([b.epk, "run", *mpi.start(3, ring(mpi, b))], env={"EPK_LDIR": str(elsewhere)})
        expect("left", list(elsewhere.iterdir()), [])
        expect("ranks", Profile(b, only_archive(b)).manifest["ranks"], 3)


def test_clocks_that_are_not_one_are_measured():
    for mpi in MPIS:
        b = bench()
        b.run([b.epk, "run", *mpi.start(5, ring(mpi, b))], env={"EPK_INTERNAL_CLOCKS": "apart"})
        residual = Profile(b, only_archive(b)).manifest["clock_residual_s"]
        assert 0 < residual < 10, residual
        b = bench()
        b.run([b.epk, "run", *mpi.start(3, ring(mpi, b))])
        expect("one clock", Profile(b, only_archive(b)).manifest["clock_residual_s"], 0)


def test_clocks_are_measured_again_at_barriers():
    for mpi in MPIS:
        b = bench()
        env = {"EPK_INTERNAL_CLOCKS": "apart", "EPK_CLOCK_SYNC": "50ms", "EPK_TRACE": "comm"}
        program = b.compile(mpi.c, "grid.c", ["-O1"], instrument=None)
        b.run([b.epk, "run", *mpi.start(3, program, "slow")], env=env)
        profile = Profile(b, only_archive(b))
        # 16 barriers take 0.3 s at least. The delay of each measurement depends on the machine, but the slower barriers
        # come, the more often rank 0 decides.
        assert profile.manifest["clock_measurements"] >= 4, profile.manifest["clock_measurements"]
        assert 0 < profile.manifest["clock_residual_s"] < 10
        for rank in range(3):
            barriers = [r for r in profile.rows if int(r["rank"]) == rank and r["region"] == "MPI_Barrier"]
            expect("barriers", sum(int(r["visits"]) for r in barriers), 17)
        b.run([b.epk, "check", profile.archive])
        # Off, whatever barriers there are: once in Init, once in Finalize.
        b = bench()
        b.run([b.epk, "run", *mpi.start(3, program)], env={"EPK_INTERNAL_CLOCKS": "apart"})
        expect("measurements", Profile(b, only_archive(b)).manifest["clock_measurements"], 2)


def places(b, ranks):
    """The ranks' own notes: {(sizes and periods, ranks that have a place): {rank: coordinates}} and names."""
    grids = {}
    for rank in range(ranks):
        for number, line in enumerate((b.folder / f"places.{rank}").read_text().splitlines()):
            name, _, text = line.partition("|")
            dims = [tuple(map(int, word.split(","))) for word in text.split(" ")]
            shape = tuple((size, bool(periodic)) for size, periodic, _ in dims)
            # Rows are told from each other by the grid's first coordinate.
            row = grids_first(b, rank) if number == 1 else None
            grids.setdefault((number, name, shape, row), {})[rank] = tuple(at for _, _, at in dims)
    return sorted((shape, sorted(of.items()), name) for (_, name, shape, _), of in grids.items())


def grids_first(b, rank):
    return (b.folder / f"places.{rank}").read_text().splitlines()[0].split("|")[1].split(" ")[0]


def topologies(archive):
    """The topologies of summary.cubex, as any reader of CUBE sees them."""
    with tarfile.open(archive if archive.is_file() else archive / "summary.cubex") as tar:
        root = xml.fromstring(tar.extractfile("anchor.xml").read())
    rank_of = {location.get("Id"): int(group.findtext("rank"))
               for group in root.iter("locationgroup") for location in group.iter("location")}
    found = []
    for cart in root.iter("cart"):
        shape = tuple((int(dim.get("size")), dim.get("periodic") == "true") for dim in cart.iter("dim"))
        assert len(shape) == int(cart.get("ndims"))
        at = {rank_of[c.get("locId")]: tuple(map(int, c.text.split())) for c in cart.iter("coord")}
        name = cart.get("name")
        found.append((shape, sorted(at.items()), "" if name.startswith("grid ") else name))
    return sorted(found)


def test_cartesian_topologies_are_in_the_archive():
    for mpi in MPIS:
        for ranks in (2, 4):
            b = bench()
            program = b.compile(mpi.c, "grid.c", ["-O1"], instrument=None)
            b.run([b.epk, "run", *mpi.start(ranks, program)])
            archive = only_archive(b)
            wanted = places(b, ranks)
            expect(f"{mpi.name}: topologies", topologies(archive), wanted)
            expect("the grid, two rows, and the circle of two", len(wanted), 4)
            shown = b.run([b.epk, "report", archive, "--mpi"]).out
            assert "the <grid>: " in shown, shown
            # Results of the algebra.
            made = b.folder / "made.cubex"
            for words in (["cut", "--root", "MPI_Barrier", archive], ["diff", archive, archive],
                          ["merge", archive, archive], ["mean", archive, archive]):
                b.run([b.epk, *words, "-o", made])
                expect(words[0], topologies(made), wanted)
                made.unlink()


def test_topologies_of_a_killed_job_are_recovered():
    for mpi in MPIS:
        b = bench()
        program = b.compile(mpi.c, "grid.c", ["-O1"], instrument=None)
        b.run([b.epk, "run", *mpi.start(4, program, "kill")], check=False)
        archive = only_archive(b)
        assert Profile(b, archive).manifest["recovered"]
        expect(f"{mpi.name}: topologies", topologies(archive), places(b, 4))


def test_spawned_processes_are_a_job_of_their_own():
    for mpi in MPIS:
        b = bench()
        program = b.compile(mpi.c, "family.c", ["-O1"], instrument=None)
        if b.run(mpi.start(2, program), check=False).status != 0:
            left_out(f"{mpi.name} cannot spawn here")  # Debian's MPICH 4.0
            continue
        b.run([b.epk, "run", *mpi.start(2, program)], env={"EPK_MPI_ENABLED": "ALL"})
        profiles = [Profile(b, a) for a in b.archives()]
        expect("ranks", [p.manifest["ranks"] for p in profiles], [2, 2])
        calls = sorted(tuple(p.visits(region=f"MPI_{name}") for name in ("Comm_spawn", "Send", "Recv")) for p in profiles)
        expect("calls", calls, [(0, 10, 0), (2, 0, 10)])
        sums = sorted(tuple(sum(value(r, column) for r in p.rows) for column in ("bytes_sent", "bytes_received"))
                      for p in profiles)
        expect("bytes", sums, [(0, 40), (40, 0)])


def test_sigterm_to_all_ranks_leaves_an_archive():
    """Ends a job like a batch system: first SIGTERM, and some time later SIGKILL."""
    for mpi in MPIS:
        b = bench()
        program = ring(mpi, b)
        with open(b.folder / "log", "w", encoding="utf-8") as log:
            run = subprocess.Popen([b.epk, "run", *map(str, mpi.start(3, program, "sleep"))], cwd=b.folder,
                                   env=b.env, stdout=log, stderr=log, start_new_session=True)
            wait_until(lambda: mapped_arenas(b) == 3 and (b.folder / "ready").exists())
            for pid, words, _ in processes():
                if words[0] == str(program).encode():
                    os.kill(pid, signal.SIGTERM)
            run.wait(timeout=SECONDS)
        wait_until(lambda: not alive(program))
        profile = Profile(b, only_archive(b))
        expect("ranks", {int(r["rank"]) for r in profile.rows}, {0, 1, 2})
        assert profile.manifest["ended"] in ("signal", "killed"), profile.manifest["ended"]


def script(folder, name, text):
    path = folder / name
    path.write_text("#!/bin/bash\n" + text)
    path.chmod(0o755)
    return path


@long
def test_a_launcher_and_a_script_that_belong_to_no_mpi():
    """srun belongs to no MPI, and `epk run` does not know the programs that a script starts. This srun starts its words
    under the mpirun of an MPI, and `epk run` does not expect that behind its name."""
    for mpi in MPIS:
        b = bench()
        program = ring(mpi, b)
        launch = " ".join(map(str, mpi.start(2)))
        tools = b.folder / "tools"
        tools.mkdir()
        script(tools, "srun", f'exec {launch} "$@"\n')
        inner = script(b.folder, "inner.sh", f'echo started; "{program}" || exit\nexit 5\n')
        env = {"PATH": f"{tools}:{os.environ['PATH']}"}
        for words in (["srun", inner], ["srun", "bash", "-c", f"{inner}"], [script(b.folder, "job.sh", f"srun {inner}\n")],
                      [script(b.folder, "job2.sh", f"{launch} {program}; exit 5\n")]):
            b.run([b.epk, "run", *words], env=env, check=False)
            archive = only_archive(b)
            profile = Profile(b, archive)
            expect(f"{mpi.name} {words}: ranks", profile.manifest["ranks"], 2)
            for rank in range(2):
                visits = {r["region"]: int(r["visits"]) for r in profile.rows if int(r["rank"]) == rank}
                expect("calls", (visits["MPI_Isend"], visits["MPI_Allreduce"], visits["work"]), (STEPS, STEPS, STEPS))
            shutil.rmtree(archive)


def test_programs_of_both_mpis_behind_one_script():
    need(len(MPIS) == 2, "only one MPI is installed")
    b = bench()
    lines = [" ".join(map(str, mpi.start(2, ring(mpi, b, "ring_" + mpi.name)))) for mpi in MPIS]
    b.run([b.epk, "run", script(b.folder, "both.sh", "\n".join(lines) + "\n")])
    expect("archives", sorted(a.name for a in b.archives()), ["epik_ring_mpich_2x1_sum", "epik_ring_openmpi_2x1_sum"])
    for archive in b.archives():
        expect("sends", sum(int(r["visits"]) for r in Profile(b, archive).rows if r["region"] == "MPI_Isend"), 2 * STEPS)


def test_a_job_without_the_library_for_mpi_says_what_to_do():
    """The core alone is loaded, as by an EPK_* start of a program that was linked without MPI's adapter."""
    for mpi in MPIS:
        b = bench()
        program = ring(mpi, b)
        core = b.sanitizer.preload(PREFIX / "lib/libepk.so")
        starter = script(b.folder, "core.sh", f'LD_PRELOAD={core} exec {program}\n')
        done = b.run(mpi.start(2, starter))
        expect("archives", len(b.archives()), 2)
        said = [line for line in done.err.splitlines() if "one of 2 processes, each with an archive of its own" in line]
        expect("lines", len(said), 2)
        assert all("epk run mpirun" in line for line in said), said


def test_sessions():
    """Without MPI_Init no process may speak for all: each has an archive of its own, and none is missing."""
    for mpi in MPIS:
        b = bench()
        program = b.compile(mpi.c, "session.c", ["-O1"], instrument=None)
        bare = b.run(mpi.start(3, program))
        measured = b.run([b.epk, "run", *mpi.start(3, program)])
        expect("output", sorted(measured.out.split()), sorted(bare.out.split()))
        if "no sessions" in bare.out:
            left_out(f"{mpi.name} has no sessions")
            continue
        expect("archives", len(b.archives()), 3)
        assert "and sessions (MPI_Session_init) do not" in measured.err, measured.err
        assert "another MPI" not in measured.err, measured.err
        for archive in b.archives():
            calls = {row["region"]: row for row in Profile(b, archive).rows}
            visits = {name: int(calls["MPI_" + name]["visits"])
                      for name in ("Session_init", "Sendrecv", "Comm_free", "Session_finalize")}
            expect("visits", visits, {"Session_init": 1, "Sendrecv": STEPS, "Comm_free": 1, "Session_finalize": 1})
            expect("bytes", (value(calls["MPI_Sendrecv"], "bytes_sent"), value(calls["MPI_Sendrecv"], "bytes_received")),
                   (4 * STEPS, 4 * STEPS))


def test_a_process_that_loads_mpi_late():
    """Acts like an interpreter: MPI comes with a plugin, or not at all."""
    for mpi in MPIS:
        b = bench()
        plugin = b.compile(mpi.c, "plugin.c", ["-O1", "-fPIC", "-shared"], output="plugin.so", instrument=None)
        host = b.compile("gcc", "host.c", ["-O1", "-ldl"], instrument=None)
        inner = script(b.folder, "inner.sh", f'exec {host} "$@"\n')
        result = b.run([b.epk, "run", inner, plugin])
        expect("output", result.out, "MPI is not there\nMPI is up\n")
        visits = {r["region"]: int(r["visits"]) for r in Profile(b, only_archive(b)).rows if r["visits"]}
        expect("calls", {name: n for name, n in visits.items() if name.startswith("MPI_")},
               {"MPI_Init": 1, "MPI_Barrier": 3, "MPI_Finalize": 1})


if __name__ == "__main__":
    sys.exit(main(dict(globals())) if MPIS else skip_all("there is no MPI"))
