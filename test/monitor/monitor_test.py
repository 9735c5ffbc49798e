#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""epk monitor on a running job: it names the rank that is late, and the job does not notice."""

import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, "test/user")
from harness import Bench, Profile, expect, expect_time, long, main, mpis, retried, stage  # noqa: E402

PREFIX = stage()
PROGRAMS = "test/monitor/programs"
MPIS = mpis()
LATE = 1


class Running:
    """Three ranks, of which one is late, until they are told to stop."""

    def __init__(self, mpi=None, env=None, ranks=3, kind=()):
        name, words = mpi or MPIS[0]
        self.ranks = ranks
        self.bench = Bench(PREFIX, PROGRAMS)
        program = self.bench.compile(f"mpicc.{name}", "late.c", ["-O1", "-finstrument-functions"], instrument=None)
        self.process = subprocess.Popen(
            [self.bench.epk, "run", f"mpirun.{name}", *words, "-n", str(ranks), program, str(LATE), *kind], cwd=self.bench.folder,
            env={**self.bench.env, "EPK_MONITOR_BUFFER": "64k", **(env or {})}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_for((self.bench.folder / "started").exists, "the job to start")
        self.folder = next(self.bench.folder.glob("*.unfinished"))

    @staticmethod
    def wait_for(condition, what):
        for _ in range(2000):
            if condition():
                return
            time.sleep(0.02)
        raise AssertionError(f"waited in vain for {what}")

    def start(self, *words):
        return subprocess.Popen([self.bench.epk, "monitor", str(self.folder), *words], cwd=self.bench.folder,
                                env=self.bench.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def monitor(self, *words, job=None):
        done = subprocess.run([self.bench.epk, "monitor", job or str(self.folder), *words], cwd=self.bench.folder,
                              env=self.bench.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
                              check=False)
        expect("status", (done.returncode, done.stderr if done.returncode else ""), (0, ""))
        return done.stdout

    def moment(self, *words, **how):
        return json.loads(self.monitor("--once", "--format", "json", *words, **how))

    def advised(self, *words):
        """The last refresh, and what the monitor says of the tree."""
        done = subprocess.run([self.bench.epk, "monitor", str(self.folder), "--once", "--format", "json", "--advise",
                               "better.tree", *words], cwd=self.bench.folder, env=self.bench.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        expect("status", (done.returncode, done.stderr if done.returncode else ""), (0, ""))
        return json.loads(done.stdout), done.stderr

    def stop(self):
        """The job ends as it would have without monitors, with every step of every rank in its profile."""
        (self.bench.folder / "stop").touch()
        out, err = self.process.communicate(timeout=120)
        expect("the job's status", (self.process.returncode, out), (0, ""))
        archive = next(self.bench.folder.glob(f"epik_late_{self.ranks}x1_sum"))
        steps = int((self.bench.folder / "steps").read_text())
        expect("visits", Profile(self.bench, archive).visits("main > step"), self.ranks * steps)
        return archive, err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.communicate()


def check_late(moment):
    first = moment["last_arrivals"][0]
    expect("who is late", (first["rank"], first["comm"], first["callpath"].split(" > ")[-1]),
           (LATE, "MPI_COMM_WORLD", "MPI_Allreduce"))
    assert first["count"] > 0 and first["share"] > 0.5 and first["late_s"] > 0.001, first
    mine = {s["rank"]: s for s in moment["statistics"]}
    expect("ranks", sorted(mine), [0, 1, 2])
    for rank in (0, 2):
        assert mine[rank]["arrival_wait"]["mean_s"] > mine[LATE]["arrival_wait"]["mean_s"], mine
        assert mine[rank]["arrival_wait"]["median_s"] > 0.001, mine
        assert mine[rank]["total"]["min_s"] <= mine[rank]["total"]["mean_s"] <= mine[rank]["total"]["max_s"], mine
    assert 0 <= moment["balance"] <= 1 and moment["waited_share"] > 0.05, moment
    expect("discarded", (moment["discarded"], moment["missing"]), (0, ""))


def check_progress(job):
    """The estimated end is that of the rate since the monitor came, and the last line shows both."""
    total = "1000000000"
    words = ["--interval", "0.4", "--count", "2", "--progress", "step", "--total", total]
    first, second = [json.loads(line) for line in job.monitor(*words, "--format", "json").splitlines()]
    a, b = first["progress"], second["progress"]
    expect("totals", (a["total"], b["total"]), (int(total), int(total)))
    assert 0 < a["visits"] < b["visits"] and a["visits_per_s"] > 0 and b["visits_per_s"] > 0, (a, b)
    # The first moment is the one at which the monitor came, before the first line.
    fastest, slowest = max(a["visits_per_s"], b["visits_per_s"]), min(a["visits_per_s"], b["visits_per_s"])
    left = int(total) - b["visits"]
    assert left / fastest * 0.999 <= b["remaining_s"] <= left / slowest * 1.001, (a, b)
    text = job.monitor("--once", "--interval", "0.4", "--progress", "step", "--total", total)
    assert re.search(r"\nprogress  [\d,]+ of 1,000,000,000  [\d.]+/s  [\d,]+ s left\n", text), text
    few = job.moment("--interval", "0.4", "--progress", "step", "--total", "1")["progress"]
    expect("an end that is over", (few["total"], few["remaining_s"]), (1, None))


def test_the_text_has_the_worst_rows_and_the_json_all():
    many = 30
    with Running(kind=("many", str(many))) as job:
        moment, text = job.moment("--interval", "0.8"), job.monitor("--once", "--interval", "0.8")
        job.bench.env["COLUMNS"] = "90"
        narrow = job.monitor("--once", "--interval", "0.8").split("\n\n")[1].splitlines()[1:-1]
        rows = {re.match(r"(rank \d+) .*  (the .*: *\d+|MPI_COMM_WORLD) ", line).groups() for line in narrow}
        assert len(rows) == len(narrow) and max(map(len, narrow)) <= 90, narrow
    expect("communicators", len({a["comm"] for a in moment["last_arrivals"]}), many + 1)
    rows = [line for line in text.splitlines() if line.startswith("rank ") and line.endswith("MPI_Allreduce")]
    expect("rows", len(rows), 20)
    assert re.search(r"\n(…|\.\.\.) \d+ more\n", text), text


def test_the_late_rank_is_named_within_a_second():
    for mpi in MPIS:
        with Running(mpi) as job:
            check_late(job.moment("--interval", "0.8"))
            pid = re.search(r"\.(\d+)\.arena$", str(next(job.folder.glob("arenas/*.arena"))))[1]
            check_late(job.moment("--interval", "0.8", "--progress", "step", job=pid))
            assert f"rank {LATE}" in job.monitor("--once", "--interval", "0.5")
            check_progress(job)
            job.stop()


def pid_of(job, rank):
    for arena in job.folder.glob("arenas/*.arena"):
        pid = int(re.search(r"\.(\d+)\.arena$", str(arena))[1])
        environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
        if re.search(rb"\0(OMPI_COMM_WORLD_RANK|PMI_RANK)=%d\0" % rank, environment):
            return pid
    raise AssertionError(f"no process is rank {rank}")


def stopped_outside_mpi(job, pid):
    """Stops the late rank before it comes to the others, where it nearly always is."""
    os.kill(pid, signal.SIGSTOP)
    job.wait_for(lambda: job.moment("--interval", "0.6")["standing"] is not None, "ranks that stand still")
    if job.moment("--interval", "0.6")["standing"]["ranks"] == job.ranks - 1:
        return True
    os.kill(pid, signal.SIGCONT)
    return False


def check_rank_that_hangs(mpi):
    with Running(mpi) as job:
        expect("who stands still while all work", job.moment("--interval", "0.7")["standing"], None)
        pid = pid_of(job, LATE)
        job.wait_for(lambda: stopped_outside_mpi(job, pid), "a stop outside of MPI")
        try:
            check_hanging(job)
        finally:
            os.kill(pid, signal.SIGCONT)
        job.monitor("--once", "--interval", "0.2")
        expect("who stands still afterwards", job.moment("--interval", "0.7")["standing"], None)
        job.stop()


def test_a_rank_that_hangs_is_named_while_it_hangs():
    check_rank_that_hangs(MPIS[0])


@long
def test_a_rank_that_hangs_with_the_other_mpi():
    for mpi in MPIS[1:]:
        check_rank_that_hangs(mpi)


def test_a_job_that_is_paused_is_said_to_be():
    with Running() as job:
        def paused(count, *words):
            if words:
                job.bench.run([job.bench.epk, "control", *words])
                job.monitor("--once", "--interval", "0.3")  # the first functions since then are entered
            moment = job.moment("--interval", "0.4")
            expect("paused processes", (moment["paused"], moment["processes"]), (count, 3))
            return moment
        expect("before", paused(0)["missing"], "")
        one = paused(1, str(pid_of(job, LATE)), "pause")["missing"]
        assert one.startswith("the measurement of 1 of 3 processes is paused, "), one
        moment = paused(3, str(job.folder), "pause")
        said, _, command = moment["missing"].partition("; it goes on with: ")
        expect("paused", (moment["balance"], said),
               (None, "the measurement is paused, so no figure has what happens there"))
        assert re.fullmatch(rf"epk control (.*/)?{re.escape(job.folder.name)} resume", command), moment["missing"]
        text = job.monitor("--once", "--interval", "0.3")
        assert "balance -" in text and "\nthe measurement is paused, " in text, text
        moment = paused(0, str(job.folder), "resume")
        expect("afterwards", (moment["balance"] is None, moment["missing"]), (False, ""))
        (job.bench.folder / "stop").touch()
        out, err = job.process.communicate(timeout=120)
        expect("the job's end", (job.process.returncode, out), (0, ""))


def check_hanging(job):
    moment = job.moment("--interval", "0.7")
    standing = moment["standing"]
    (call,), (other,) = standing["calls"], standing["others"]
    expect("ranks that stand still", (standing["ranks"], call["ranks"], call["rank"]), (2, 2, 0))
    expect("their call", call["callpath"], "late > main > step > MPI_Allreduce")
    expect("who is elsewhere", (other["ranks"], other["rank"], other["callpath"]), (1, LATE, "late > main > step > Rest"))
    assert call["for_s"] > 0.7 and other["for_s"] > 0.7, standing
    assert 0.6 < moment["waited_share"] < 2 / 3 + 1e-9, moment
    text = job.monitor("--once", "--interval", "0.7")
    assert re.search(r"2 ranks stand still +[\d.]+ s  late > main > step > MPI_Allreduce\n", text), text
    assert re.search(rf"rank {LATE} is elsewhere +[\d.]+ s  late > main > step > Rest\n", text), text
    done = job.bench.folder / "watchdog"
    job.monitor("--count", "2", "--interval", "0.6", "--when", "standing>0.5", "--do", f"touch {done}")
    job.wait_for(done.exists, "the watchdog")


def test_who_is_late_to_operations_that_another_call_completes():
    for mpi in MPIS:
        for kind, call in (("later", "MPI_Iallreduce"), ("again", "MPI_Start" if mpi[0] == "mpich" else "MPI_Iallreduce")):
            with Running(mpi, kind=(kind,)) as job:
                moment = job.moment("--interval", "0.8")
                first = moment["last_arrivals"][0]
                expect("who is late", (first["rank"], first["comm"], first["callpath"]),
                       (LATE, "MPI_COMM_WORLD", f"late > main > step > {call}"))
                assert first["count"] > 0 and first["share"] > 0.5 and first["late_s"] > 0.001, first
                expect("calls in which somebody waited", moment["statistics"], [])
                expect("discarded", (moment["discarded"], moment["missing"]), (0, ""))
                job.stop()


def test_a_job_that_ends_meanwhile_has_ended_and_has_no_0_processes():
    with Running() as job:
        watcher = job.start("--once", "--interval", "100")
        maps = pathlib.Path(f"/proc/{watcher.pid}/maps")
        job.wait_for(lambda: maps.read_text().count(".arena") >= 3, "the monitor to open the arenas")
        job.stop()
        out, err = watcher.communicate(timeout=120)
        assert out.startswith("late  ended after ") and "the job has ended" in err, out + err


def test_killing_the_monitor_does_nothing_to_the_job_and_it_ends_with_it():
    with Running() as job:
        killed = job.start("--format", "json", "--interval", "0.05")
        killed.stdout.readline()
        killed.kill()
        killed.communicate()
        interrupted = job.start("--format", "json", "--interval", "0.05")
        interrupted.stdout.readline()
        interrupted.send_signal(signal.SIGINT)
        interrupted.communicate(timeout=60)
        expect("after SIGINT", interrupted.returncode, 0)
        folder = job.folder.resolve()
        recorder = job.start("--format", "json", "--interval", "0.2", "--record", "--when", "late>1ms", "--do",
                             'echo "$EPK_MONITOR_JOB" >> acted; exit 3')
        lines = [json.loads(recorder.stdout.readline()) for _ in range(3)]
        assert all(line["format"] == "epik-monitor" for line in lines), lines
        assert lines[0]["time_s"] < lines[1]["time_s"] < lines[2]["time_s"], lines
        archive, _ = job.stop()
        out, err = recorder.stdout.read(), recorder.stderr.read()  # not communicate: lines may have been read ahead
        recorder.wait(timeout=60)
        expect("at the job's end", (recorder.returncode, "the job has ended" in err), (0, True))
        expect("commands", (job.bench.folder / "acted").read_text().splitlines()[:1], [str(folder)])
        recorded = (archive / "monitor.jsonl").read_text().splitlines()
        expect("recorded", len(recorded), 3 + len(out.splitlines()))


def test_the_links_of_a_tree_are_shown_and_a_tree_is_advised():
    for mpi in MPIS:
        with Running(mpi, env={"EPK_COLL_TREE": "flat"}) as job:
            moment, said = job.advised("--interval", "0.8")
            check_late(moment)
            # No way is shorter than that over the farthest link.
            form = r"the longest way takes .* there and back.*, .* now"
            assert re.search(f"no better tree was found: in that of better.tree, {form}\n", said), said
            comment = (job.bench.folder / "better.tree").read_text().splitlines()[0]
            assert re.fullmatch(f"# epk monitor: a tree for late; no better tree was found: in this one, {form}", comment), comment
            links = {(link["parent"], link["child"]): link for link in moment["links"]}
            expect("links", sorted(links), [(0, 1), (0, 2)])
            # The late rank's contribution comes last, and the other rank's before it.
            late, other = links[0, LATE], links[0, 2]
            assert late["last"] > other["last"] and late["behind"]["mean_s"] > other["behind"]["mean_s"], links
            assert all(link["count"] > 0 and link["comm"] == "MPI_COMM_WORLD" for link in links.values()), links
            for row in moment["statistics"]:
                parts = sum(row["stages"][stage]["mean_s"] for stage in ("down", "onward", "up"))
                assert abs(parts - row["total"]["mean_s"]) < 1e-6 + 0.5 * row["total"]["mean_s"], row
            assert "1 > 0" in job.monitor("--once", "--interval", "0.5")
            job.stop()
            tree = [line.split() for line in (job.bench.folder / "better.tree").read_text().splitlines()[1:]]
            expect("ranks of the advised tree", [(rank, parent == "-") for rank, parent in tree],
                   [("0", True), ("1", False), ("2", False)])


def chain_advised(mpi):
    with Running(mpi, env={"EPK_COLL_TREE": "kary:1", "EPK_INTERNAL_LINK_DELAY": "2:100000us"}, ranks=4) as job:
        _, said = job.advised("--interval", "4")
        job.stop()
        assert re.search(r"the longest way takes .* there and back.*, .* now", said), said
        found = re.search(r"better.tree has a tree: the longest way takes (\S+) ms there and back, (\S+) ms now; try it: "
                          r"EPK_COLL_TREE=file:better.tree\n", said)
        expect_time(found, "the advice:", said)
        better, now = float(found[1]), float(found[2])
        expect_time(0.6 < better / now < 0.75 and 600 < now < 750, "of three links, 200 ms each, two are left:", said)


def test_the_advice_tells_what_a_better_tree_gains():
    retried(chain_advised, MPIS[0])


FAR = 0.15  # seconds: more than a busy machine adds to links within a cluster


def advised_tree(mpi, env):
    """Advice from a flat tree: the new tree has one link between the clusters, if no other link took as long
    meanwhile."""
    with Running(mpi, env={**env, "EPK_COLL_TREE": "flat"}, ranks=4) as job:
        job.moment("--interval", "4", "--advise", "better.tree")
        job.stop()
        tree = [line.split() for line in (job.bench.folder / "better.tree").read_text().splitlines()[1:]]
        far = [(rank, parent) for rank, parent in tree if parent != "-" and (int(rank) - int(parent)) % 2]
        expect_time(len(far) == 1, "links between clusters:", far)
        return job.bench


@long
def test_an_advised_tree_gains_on_clusters_that_are_far_apart():
    """Two clusters, to which the ranks are dealt out in turn, far from each other by a delay in the transport. A chain
    goes from one to the other at each of its three links. The tree that was advised does so once, and a sum takes a
    third of the time: of planted waiting, so less than half even on a busy machine."""
    for mpi in MPIS:
        env = {"EPK_INTERNAL_LINK_DELAY": f"2:{FAR * 1e6:.0f}us"}
        b, (name, words) = retried(advised_tree, mpi, env), mpi
        program = b.compile(f"mpicc.{name}", "far.c", ["-O1"], instrument=None)
        rounds = 4

        def seconds(tree):
            return float(b.run([b.epk, "run", f"mpirun.{name}", *words, "-n", 4, program, rounds],
                               env={**env, "EPK_COLL_TREE": tree}).out)
        chain = seconds("kary:1")
        assert chain >= rounds * 6 * FAR, chain

        def gains():
            better = seconds("file:better.tree")
            assert better >= rounds * 2 * FAR, better
            expect_time(better < 0.5 * chain, f"the advised tree takes {better} s, a chain {chain} s")
            print(f"        {name}: {better / chain:.2f} of the time of a chain")
        retried(gains)


@contextlib.contextmanager
def early(mpi):
    """Two ranks that have not come to MPI_Init yet."""
    name, words = mpi
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{name}", "early.c", ["-O1", "-finstrument-functions"], instrument=None)
    job = subprocess.Popen([b.epk, "run", f"mpirun.{name}", *words, "-n", "2", program], cwd=b.folder,
                           env={**b.env, "EPK_MONITOR_BUFFER": "64k"}, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    others = []

    def monitor(*words):
        others.append(subprocess.Popen([b.epk, "monitor", *map(str, words)], cwd=b.folder, env=b.env,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return others[-1]
    try:
        Running.wait_for(lambda: len(list(b.folder.glob("works.*"))) == 2, "both ranks")
        yield b, job, monitor
    finally:
        for process in (job, *others):
            if process.poll() is None:
                process.kill()
            process.communicate()


def test_a_monitor_that_comes_before_mpi_sees_all_ranks_afterwards():
    """Until MPI_Init each rank has a folder of its own. Then all go to one folder, and so does a monitor."""
    for mpi in MPIS:
        with early(mpi) as (b, job, monitor):
            begun = sorted(path.name for path in b.folder.glob("*.unfinished"))
            expect("folders", len(begun), 2)
            scope = monitor("--serve", begun[0])
            scope.stdout.readline()
            pids = [name.split(".")[-2] for name in begun]
            monitors = [monitor(word, "--format", "json", "--interval", "0.2", *words) for word, words in
                        zip(begun + pids, ([], ["--record"], [], []))]
            for each in monitors:
                moment = json.loads(each.stdout.readline())
                expect("before", (moment["processes"], moment["missing"]), (1, "no collective call was noted yet"))
            (b.folder / "begin").touch()
            for each in monitors:
                for _ in range(500):
                    moment = json.loads(each.stdout.readline())
                    if moment["last_arrivals"]:
                        break
                expect("afterwards", (moment["processes"], moment["missing"]), (2, ""))
                assert moment["gathered"] > 0, moment
            # The first names still mean the job, and its scope is found in its new folder.
            for name in begun:
                expect("by its first name", json.loads(b.run([b.epk, "monitor", name, "--once", "--format", "json"]).out)
                       ["processes"], 2)
            folder = next(b.folder.glob("*.unfinished"))
            expect("scopes", sorted(path.suffix for path in folder.glob("scopes/*")), ["", ".scope"])
            (b.folder / "stop").touch()
            out, err = job.communicate(timeout=120)
            expect("the job's end", (job.returncode, out), (0, ""))
            for each in (scope, *monitors):
                rest = each.stdout.read()
                expect("a monitor's end", (each.wait(timeout=60), rest.count("\n") > 0 or each is scope), (0, True))
            expect("archives", [path.name for path in b.archives()], ["epik_early_2x1_sum"])
            recorded = (b.archives()[0] / "monitor.jsonl").read_text().splitlines()
            processes = [json.loads(line)["processes"] for line in recorded]
            expect("recorded from the beginning on", (processes[0], max(processes)), (1, 2))


def test_without_a_tree_none_is_advised():
    with Running() as job:
        done = subprocess.run([job.bench.epk, "monitor", str(job.folder), "--once", "--interval", "0.3", "--advise", "x"],
                              cwd=job.bench.folder, env=job.bench.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=120, check=False)
        expect("status", (done.returncode, "EPK_COLL_TREE" in done.stderr), (1, True))
        assert not (job.bench.folder / "x").exists()
        job.stop()


def test_a_scope_of_this_host_adds_nothing_to_its_processes():
    with Running() as job:
        scope = job.start("--serve")
        host, address = scope.stdout.readline().split()
        for names in (host, f"{host},{host}", address, f"{host},{address}"):
            moment = job.moment("--interval", "0.3", "--hosts", names)
            expect(names, ([(h["host"], h["processes"]) for h in moment["hosts"]], moment["processes"]), ([(host, 3)], 3))
        job.stop()
        expect("the scope's status", scope.wait(timeout=60), 0)
        scope.communicate()


def scopes_of(job, text, *words):
    """The refreshes of a monitor with that description."""
    (job.bench.folder / "description").write_text(text)
    return [json.loads(line) for line in
            job.monitor("--scope", "description", "--format", "json", "--interval", "0.4", *words).splitlines()]


def test_the_time_is_there_whatever_the_scopes_are():
    with Running() as job:
        for text in ("from calls", "from links", "from visits\nwhere region = step", "from work\nwhere rank = 1"):
            moments = scopes_of(job, f"scope a\n{text}\n", "--count", "3")
            times = [moment["time_s"] for moment in moments]
            assert 0 < times[0] < times[1] < times[2], (text, times)
            for before, moment in zip(moments, moments[1:]):
                passed = moment["time_s"] - before["time_s"]
                assert passed > 0.3 and abs(moment["interval_s"] - passed) < 1e-6, (text, moment, before)
                if "visits" in text:
                    scope, rate = moment["scopes"][0], moment["progress"]["visits_per_s"]
                    assert scope["visits_now"] > 0, moment
                    assert abs(rate * scope["interval_s"] - scope["visits_now"]) < 1e-3, moment
        job.stop()


def test_a_share_of_waiting_that_no_scope_gives_is_not_known():
    with Running() as job:
        for text in ("from calls\nreduce last", "from calls\nreduce none", "from links", "from calls\nrate 1m"):
            moments = scopes_of(job, f"scope a\nfrom work\nscope b\n{text}\n", "--count", "2", "--when", "waited<0.01",
                                "--do", "touch acted")
            expect(text, [moment["waited_share"] for moment in moments], [None, None])
            assert all(moment["balance"] is not None for moment in moments), moments
        assert not (job.bench.folder / "acted").exists()
        moment = scopes_of(job, "scope b\nfrom calls\nreduce last\nscope c\nfrom calls\n", "--once")[0]
        assert moment["waited_share"] > 0.05, moment
        job.stop()


def test_a_record_that_is_not_whole_is_a_fault():
    """A file that may not grow is as good as a disk that is full. The refreshes go on."""
    with Running() as job:
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
        done = subprocess.run([job.bench.epk, "monitor", str(job.folder), "--record", "--count", "4", "--interval", "0.2",
                               "--format", "json"], cwd=job.bench.folder, env=job.bench.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120, check=False, preexec_fn=limit,
                              restore_signals=False)
        expect("status", (done.returncode, len(done.stdout.splitlines())), (1, 4))
        assert "monitor.jsonl" in done.stderr, done.stderr
        recorded = (job.folder / "monitor.jsonl").read_text()
        assert done.stdout.startswith(recorded) and recorded.count("\n") < 4 and recorded.endswith("\n"), recorded[-300:]
        job.stop()


def test_a_job_without_notes_says_what_is_missing():
    with Running(env={"EPK_MONITOR_BUFFER": "0"}) as job:
        moment = job.moment("--interval", "0.3")
        assert "EPK_MONITOR_BUFFER" in moment["missing"] and moment["waited_share"] is None, moment
        expect("nobody", (moment["last_arrivals"], moment["statistics"]), ([], []))
        assert moment["balance"] is not None, moment
        job.stop()


def test_tables_fit_into_a_narrow_terminal():
    with Running() as job:
        text = job.monitor("--once", "--interval", "0.5", "--progress", "nosuch")
        assert "\n\nno region 'nosuch' was entered yet\n\n" in text and "\n\n\n" not in text, text
        job.bench.env["COLUMNS"] = "40"
        lines = job.monitor("--once", "--interval", "0.5").splitlines()
        assert all(len(line) <= 40 for line in lines), lines
        assert sum(line.endswith("> MPI_Allreduce") for line in lines) >= 4, lines
        job.stop()


def test_a_job_whose_archive_was_removed_is_told_in_a_sentence():
    with Running() as job:
        pid = re.search(r"\.(\d+)\.arena$", str(next(job.folder.glob("arenas/*.arena"))))[1]
        shutil.rmtree(job.folder)
        done = subprocess.run([job.bench.epk, "monitor", pid, "--once"], cwd=job.bench.folder, env=job.bench.env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        expect("status", (done.returncode, done.stdout), (1, ""))
        assert f"process {pid}: its unfinished archive was removed" in done.stderr, done.stderr


@long
def test_512_threads_take_two_percent_of_a_processor():
    name, words = MPIS[0]
    b = Bench(PREFIX, PROGRAMS)
    program = b.compile(f"mpicc.{name}", "crowd.c", ["-O1", "-finstrument-functions", "-pthread"], instrument=None)
    job = subprocess.Popen([b.epk, "run", f"mpirun.{name}", *words, "-n", "2", program, "255"], cwd=b.folder,
                           env={**b.env, "EPK_MONITOR_BUFFER": "64k"}, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        Running.wait_for((b.folder / "started").exists, "the job to start")
        folder = next(b.folder.glob("*.unfinished"))
        seconds = {}
        for count in (1, 11):  # the first refresh looks up names
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            b.run([b.epk, "monitor", folder, "--count", count, "--interval", "0.3", "--format", "json"])
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds[count] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        expect("threads", "512 threads" in b.run([b.epk, "top", "--once", folder]).out, True)
        # CPU time: a refresh each second may take 20 ms of it. Here it takes 5.
        assert (seconds[11] - seconds[1]) / 10 <= 0.02, seconds
    finally:
        (b.folder / "stop").touch()
        job.communicate(timeout=120)


def test_the_page_is_for_this_machine_and_whoever_has_the_token():
    with Running() as job:
        server = job.start("--web", "--interval", "0.2")
        url = server.stdout.readline().strip()
        base, token = url.split("/?token=")
        assert base.startswith("http://127.0.0.1:"), url
        with urllib.request.urlopen(url, timeout=30) as page:
            assert b"EventSource" in page.read()
        try:
            urllib.request.urlopen(base + "/now?token=wrong", timeout=30)
            raise AssertionError("a wrong token was taken")
        except urllib.error.HTTPError as error:
            expect("a wrong token", error.code, 403)
        with urllib.request.urlopen(f"{base}/events?token={token}", timeout=30) as events:
            seen = []
            while len(seen) < 3:
                line = events.readline().decode()
                if line.startswith("data:"):
                    seen.append(json.loads(line[5:]))
        # Over all calls: another one may be the last one to some, on a busy machine.
        expect("who waits least", min(seen[-1]["statistics"], key=lambda row: row["arrival_wait"]["mean_s"])["rank"], LATE)
        job.stop()
        server.stdout.read()
        server.wait(timeout=60)
        expect("the server's status", server.returncode, 0)


def test_the_page_leaves_after_so_many_refreshes():
    with Running() as job:
        for words in (["--count", "3"], ["--once"]):
            server = job.start("--web", "--interval", "0.2", *words)
            out, _ = server.communicate(timeout=60)
            expect("the server", (server.returncode, out.count("/?token=")), (0, 1))
        job.stop()


def test_what_is_wrong_is_said_in_a_line():
    b = Bench(PREFIX, PROGRAMS)
    for words, status, said in ((["99999999"], 1, "99999999"), (["nothing"], 1, "nothing"), ([], 2, "JOB"),
                                (["slurm:12"], 1, "Slurm"), (["nothing", "--count", "0"], 2, "--count"),
                                (["nothing", "--count", "-1"], 2, "--count"),
                                (["nothing", "--once", "--count", "5"], 2, "--once excludes --count"),
                                (["nothing", "--web", "--format", "json"], 2, "--format excludes --web"),
                                *((["nothing", "--serve", *words], 2, f"{words[0]} excludes --serve") for words in
                                  (["--count", "1"], ["--once"], ["--web"], ["--when", "late>1"], ["--do", "x"],
                                   ["--interval", "1"], ["--format", "json"], ["--hosts", "x"]))):
        done = subprocess.run([b.epk, "monitor", *words], cwd=b.folder, env=b.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        expect(f"status of {words}", done.returncode, status)
        assert said.lower() in done.stderr.lower() and done.stdout == "", done.stderr


if __name__ == "__main__":
    if not MPIS:
        from harness import skip_all
        skip_all("no MPI is installed")
    sys.exit(main(globals()))
