#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""epk top on running programs: its output, its end, and that the program does not notice."""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(pathlib.Path("test/user").resolve() if pathlib.Path("test/user").exists()
                       else HERE.parent / "user"))
from harness import Bench, Profile, expect, main, need, stage  # noqa: E402

PREFIX = stage()


class Running:
    """The program, measured, in a folder of its own."""

    def __init__(self, env=None):
        self.bench = Bench(PREFIX, HERE / "programs")
        self.program = self.bench.compile("gcc", "steady.c", ["-O1", "-g", "-pthread"], instrument=())
        self.process = subprocess.Popen([self.program], cwd=self.bench.folder, env={**self.bench.env, **(env or {})},
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.pid = str(self.process.pid)
        self.wait_for(lambda: self.count() > 0, "the program to work")

    def wait_for(self, condition, what):
        for _ in range(1000):
            if condition():
                return
            time.sleep(0.02)
        raise AssertionError(f"waited in vain for {what}")

    def count(self):
        path = self.bench.folder / "count"
        bytes_ = path.read_bytes()[:8] if path.exists() else b""
        return struct.unpack("q", bytes_)[0] if len(bytes_) == 8 else 0

    def top(self, *words, check=True, cwd=None):
        bench = self.bench
        process = subprocess.run([bench.epk, "top", *words], cwd=cwd or bench.folder, env=bench.env, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
        assert not check or process.returncode == 0, process.stderr
        return process

    def once(self, *words, **how):
        return json.loads(self.top("--once", "--format", "json", "--interval", "0.3", *words, **how).stdout)

    def stop(self):
        (self.bench.folder / "stop").touch()
        out, _ = self.process.communicate(timeout=60)
        expect("the program's answer", (out, self.process.returncode), ("stopped\n", 7))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def visits(sample, end):
    return sum(p["total"]["visits"] for p in sample["callpaths"] if p["callpath"].endswith(end))


def test_visits_grow_and_are_right():
    with Running() as run:
        for words in ([run.pid], [], [str(next(run.bench.folder.glob("*.unfinished")))]):
            before = run.count()
            sample = run.once(*words)
            after = run.count()
            seen = visits(sample, "main > work")
            assert before <= seen <= after + 1, (before, seen, after)
            assert abs(visits(sample, "work > leaf") - 10 * seen) <= 1000
            interval = [p["interval"] for p in sample["callpaths"] if p["callpath"].endswith("main > work")][0]
            assert 0 < interval["visits"] < seen, interval
            assert 0.2 < sample["interval_s"] < 30 and sample["seconds"] > sample["interval_s"], sample
            assert 0 < sample["cost_share"] < 1
        threads = {t["thread"]: t for t in sample["threads"]}
        expect("threads", sorted(threads), [0, 1])
        assert "main" in threads[0]["callpath"] and "thread > idle" in threads[1]["callpath"], threads
        assert threads[1]["state"] in ("running", "sleeping", "waiting for disk"), threads
        run.stop()
        profile = Profile(run.bench, next(run.bench.folder.glob("epik_*_sum")))
        expect("visits in the end", profile.visits("main > work"), run.count())


def test_memory_elsewhere_and_another_folder():
    elsewhere = Bench(PREFIX, HERE / "programs").folder
    with Running({"EPK_LDIR": str(elsewhere)}) as run:
        sample = run.once(run.pid, cwd="/")
        assert visits(sample, "main > work") > 0
        run.stop()


def test_text():
    with Running() as run:
        text = run.top("--once", "--interval", "0.2", "--sort", "visits", "--top", "2", run.pid).stdout
        assert "\033" not in text, text
        lines = [line for line in text.splitlines() if "main > work" in line and "/s" in line]
        assert lines and "leaf" in lines[0], text
        assert f"pid {run.pid}" in text and "2 threads" in text, text
        # Both threads sleep most of the time, unless other programs keep them waiting for a processor.
        tries = (run.top("--once", run.pid).stdout for _ in range(50))
        assert any("sleeping" in text for text in tries), "no thread was seen asleep"


def test_the_program_ends_while_it_is_watched():
    with Running() as run:
        words = [run.bench.epk, "top", "--format", "json", "--interval", "0.2", run.pid]
        top = subprocess.Popen(words, cwd=run.bench.folder, env=run.bench.env, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        run.stop()
        out, err = top.communicate(timeout=60)
        expect("status", top.returncode, 0)
        samples = [json.loads(line) for line in out.splitlines()]
        totals = [s["visits"] for s in samples]
        assert len(samples) >= 2 and totals == sorted(totals), totals
        archive = next(run.bench.folder.glob("epik_*_sum")).name
        expect("last word", err, f"epk top: process {run.pid} has ended; type: epk report {archive}\n")
        gone = run.top("--once", archive, check=False)
        expect("afterwards", (gone.returncode, gone.stderr),
               (1, f"epk top: {archive} has ended; type: epk report {archive}\n"))


def test_the_program_is_killed():
    with Running() as run:
        folder = next(run.bench.folder.glob("*.unfinished")).name
        run.process.kill()
        run.process.communicate()
        for word in (run.pid, folder):
            gone = run.top("--once", word, check=False)
            expect("status", gone.returncode, 1)
            assert gone.stderr.rstrip().endswith(f"type: epk recover {'./' if word == run.pid else ''}{folder}"), gone.stderr


def counts(folder):
    return sum(struct.unpack("q", path.read_bytes()[:8])[0] for path in folder.glob("count.*"))


def test_all_processes_of_a_job():
    need(list((PREFIX / "lib").glob("libepk_mpi_openmpi.so")), "there is no Open MPI")
    bench = Bench(PREFIX, HERE / "programs")
    program = bench.compile("mpicc.openmpi", "job.c", ["-O1", "-g"], output="job", instrument=())
    launcher = [bench.epk, "run", "mpirun.openmpi", "--oversubscribe", "-n", "3", program]
    job = subprocess.Popen([str(word) for word in launcher], cwd=bench.folder, env=bench.env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for _ in range(1000):
            if len(list(bench.folder.glob("count.*"))) == 3:
                break
            time.sleep(0.05)
        folder = next(bench.folder.glob("epik_job*.unfinished")).name
        words = ["top", "--once", "--interval", "0.3"]
        for what in ([folder], []):
            before = counts(bench.folder)
            sample = json.loads(bench.run([bench.epk, *words, "--format", "json", *what]).out)
            after = counts(bench.folder)
            expect("ranks", [p["rank"] for p in sample["processes"]], [0, 1, 2])
            seen = visits(sample, "main > work")
            assert before <= seen <= after + 3, (before, seen, after)
            lines = [p["callpath"] for p in sample["callpaths"]]
            assert len(lines) == len(set(lines)), lines
        pid = sample["processes"][1]["pid"]
        one = json.loads(bench.run([bench.epk, *words, "--format", "json", pid]).out)
        expect("one of them", [p["pid"] for p in one["processes"]], [pid])
        text = bench.run([bench.epk, *words, folder]).out
        assert "3 processes" in text and "2:0" in text, text
    finally:
        (bench.folder / "stop").touch()
        out, _ = job.communicate(timeout=120)
    expect("status", (job.returncode, "stopped" in out), (0, True))


def test_what_cannot_be_watched():
    bench = Bench(PREFIX, HERE / "programs")
    for word, message in (("999999999", "there is no such process"), (str(os.getpid()), "is not measured"),
                          ("nonsense", "neither a process number nor"), (str(bench.folder), "no running program")):
        result = bench.run([bench.epk, "top", "--once", word], check=False)
        expect("status", result.status, 1)
        assert message in result.err and result.err.count("\n") == 1, result.err
    assert "no measured program runs" in bench.run([bench.epk, "top"], check=False).err
    expect("usage", bench.run([bench.epk, "top", "--sort", "colour"], check=False).status, 2)


def test_what_belongs_to_somebody_else():
    need(os.geteuid() == 0, "only root can be somebody else")
    with Running() as run, tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        epk = shutil.copy(run.bench.epk, folder)
        env = {name: value for name, value in run.bench.env.items() if name != "LD_PRELOAD"}  # of files that the user cannot read
        result = subprocess.run([epk, "top", "--once", run.pid], cwd="/", user=65534, group=65534, extra_groups=[],
                                env=env, capture_output=True, text=True, timeout=60, check=False)
        expect("answer", (result.returncode, result.stderr),
               (1, f"epk top: process {run.pid}: permission denied; it belongs to somebody else\n"))
        # By its folder, which others may look into: a folder of their own has the same file.
        arenas = pathlib.Path(folder) / "epik_x.1.unfinished" / "arenas"
        arenas.mkdir(parents=True)
        arena = shutil.copy(next(run.bench.folder.glob("*.unfinished/arenas/*.arena")), arenas)
        expect("mode", os.stat(arena).st_mode & 0o077, 0)
        result = subprocess.run([epk, "top", "--once", arenas.parent], cwd="/", user=65534, group=65534, extra_groups=[],
                                env=run.bench.env, capture_output=True, text=True, timeout=60, check=False)
        expect("by its folder", (result.returncode, result.stderr),
               (1, f"epk top: {arenas.parent}: process {run.pid} cannot be read: permission denied; it belongs to somebody "
                "else\n"))


def read_for(terminal, seconds, until=None):
    text, end = b"", time.time() + seconds
    while time.time() < end and (until is None or until not in text):
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                text += os.read(terminal, 65536)
            except OSError:
                break
    return text.decode(errors="replace")


def on_terminal(run, interval="0.2", command="top", words=(), kind="xterm"):
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(run.bench.folder)
        os.execve(run.bench.epk, ["epk", command, "--interval", interval, *words, run.pid],
                  {**run.bench.env, "TERM": kind, "LC_ALL": "C.UTF-8"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 90, 0, 0))
    return pid, terminal


def end_on_terminal(pid, terminal, seen):
    """Its exit status, after it has given the terminal back."""
    for _ in range(200):
        ended, status = os.waitpid(pid, os.WNOHANG)
        seen += read_for(terminal, 0.05)
        time.sleep(0.05)  # a closed terminal is read at once
        if ended:
            break
    else:
        raise AssertionError("epk top does not end")
    expect("pages opened and closed", (seen.count("\x1b[?1049h"), seen.count("\x1b[?1049l")), (1, 1))
    line_editing = termios.ECHO | termios.ICANON
    expect("line editing", termios.tcgetattr(terminal)[3] & line_editing, line_editing)
    os.close(terminal)
    return status


def test_keys_on_a_terminal():
    with Running() as run:
        pid, terminal = on_terminal(run)
        seen = read_for(terminal, 20, b"main > work")
        assert "main > work" in seen, seen
        for key, shown in ((b"t", b"region"), (b"t", b"thread > idle"), (b"t", b"call path"), (b"?", b"freeze and go"),
                           (b"?", b"call path"), (b" ", b"FROZEN"), (b" ", b"call path"), (b"+", b""), (b"-", b""),
                           (b"v", b""), (b"n", b""), (b"i", b""), (b"e", b"")):
            read_for(terminal, 0.05)
            os.write(terminal, key)
            text = read_for(terminal, 10, shown)
            assert shown.decode() in text, (key, text)
            seen += text
        os.write(terminal, b"q")
        expect("status", end_on_terminal(pid, terminal, seen), 0)
        rows = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen.split("\x1b[H")[-2]).split("\r\n")
        assert len(rows) <= 20 and max(len(row.rstrip()) for row in rows) <= 90, rows
        run.stop()


def test_signals_give_the_terminal_back():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV):
        with Running() as run:
            pid, terminal = on_terminal(run)
            seen = read_for(terminal, 20, b"main > work")
            os.kill(pid, number)
            end_on_terminal(pid, terminal, seen)


def test_the_monitors_first_figures_are_those_of_a_whole_interval():
    """Conditions hold for that long, too, and which commands were started is there when the screen has gone."""
    words = ("--record", "--progress", "work", "--when", "rate>0", "--do", "touch done")
    with Running() as run:
        folder = next(run.bench.folder.glob("*.unfinished"))
        pid, terminal = on_terminal(run, "0.5", "monitor", words)
        seen = read_for(terminal, 20, b"balance")
        assert "the first figures come in 500 ms" in seen and "balance" in seen, seen
        os.write(terminal, b"q")
        seen += read_for(terminal, 20, b"touch done\r\n")
        expect("status", end_on_terminal(pid, terminal, seen), 0)
        assert "epk monitor: rate>0: touch done" in seen.split("\x1b[?1049l")[1], seen
        url = subprocess.Popen([run.bench.epk, "monitor", run.pid, "--web", "--once", "--interval", "0.5", "--record"],
                               cwd=run.bench.folder, env=run.bench.env, stdout=subprocess.PIPE)
        url.communicate(timeout=60)
        intervals = [json.loads(line)["interval_s"] for line in (folder / "monitor.jsonl").read_text().splitlines()]
        # A refresh that comes late makes the next interval shorter, but not the first one.
        assert len(intervals) >= 2 and intervals[0] >= 0.5 and intervals[-1] >= 0.5, intervals
        run.stop()


def test_where_the_cursor_does_not_move_refreshes_come_one_after_the_other():
    with Running() as run:
        for command, shown in (("top", "in all"), ("monitor", "balance")):
            for kind in ("dumb", ""):
                pid, terminal = on_terminal(run, "0.2", command, kind=kind)
                seen = read_for(terminal, 20, shown.encode())
                os.kill(pid, signal.SIGTERM)
                os.waitpid(pid, 0)
                os.close(terminal)
                assert shown in seen and "\x1b" not in seen, (command, kind, seen)
        run.stop()


if __name__ == "__main__":
    sys.exit(main(globals()))
