#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""epk monitor gathers a job of several hosts. They are network namespaces of this machine with names and boots of their
own, so that EPIK takes them for hosts; MPI has one network, the scopes have another, whose links can be cut."""

import collections
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import uuid

sys.path.insert(0, "test/user")
from harness import Bench, Profile, expect, installed, long, main, skip_all, stage  # noqa: E402

PREFIX = stage()
PROGRAMS = "test/monitor/programs"
LATE = 2  # on the second host
RANKS = 4
STEPS = 20
HOSTS = ["one", "two"]
FRONT = "front"
PATIENCE_S = 120


def run(*words, check=True):
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0 or not check, (words, done.stdout)
    return done


class Net:
    """Two hosts and a front end: 10.77.1.x is MPI's network, 10.77.(2+i).x that between host i and the front end."""

    def __init__(self, folder):
        self.folder = folder
        self.prefix = f"epk{os.getpid()}"
        self.names = [*HOSTS, FRONT]

    def space(self, name):
        return f"{self.prefix}{name}"

    def link(self, a, b, net, at_a, at_b):
        """Each end has the name of the other end."""
        run("ip", "-n", self.space(a), "link", "add", "name", f"{b}{net}", "type", "veth", "peer", "name", f"{a}{net}", "netns",
            self.space(b))
        for name, end, number in ((a, f"{b}{net}", at_a), (b, f"{a}{net}", at_b)):
            run("ip", "-n", self.space(name), "address", "add", f"10.77.{net}.{number}/24", "dev", end)
            run("ip", "-n", self.space(name), "link", "set", end, "up")

    def __enter__(self):
        for name in self.names:
            run("ip", "netns", "add", self.space(name))
            run("ip", "-n", self.space(name), "link", "set", "lo", "up")
            (self.folder / f"boot_{name}").write_text(f"{uuid.uuid4()}\n")
        self.link(*HOSTS, 1, 1, 2)
        for i, host in enumerate(HOSTS):
            self.link(host, FRONT, 2 + i, 1, 2)
        return self

    def __exit__(self, *_):
        for name in self.names:
            run("ip", "netns", "delete", self.space(name), check=False)

    def on(self, name, *words):
        """The command for running the words on that host."""
        inside = ('hostname "$1"; mount --bind "$2" /proc/sys/kernel/random/boot_id; shift 2; exec "$@"')
        return ["ip", "netns", "exec", self.space(name), "unshare", "--uts", "--mount", "sh", "-c", inside, "sh", name,
                str(self.folder / f"boot_{name}"), *map(str, words)]

    def set_link(self, host, state):
        run("ip", "-n", self.space(FRONT), "link", "set", f"{host}{2 + HOSTS.index(host)}", state)

    def delay(self, milliseconds):
        """Delays MPI's packets between the hosts, each way. False: this kernel cannot."""
        return all(run("tc", "-n", self.space(a), "qdisc", "add", "dev", f"{b}1", "root", "netem", "delay",
                       f"{milliseconds}ms", check=False).returncode == 0 for a, b in (HOSTS, HOSTS[::-1]))


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


class Running:
    """A job of two ranks on each host, and a scope on each of them."""

    def __init__(self, net, bench, steps=0, env=None, scopes=True):
        self.net, self.bench, self.scopes, self.others = net, bench, {}, []
        folder = bench.folder
        program = bench.compile("mpicc.openmpi", "phases.c", ["-O1", "-finstrument-functions"], instrument=None)
        agent = folder / "agent.sh"
        words = " ".join(f"'{w}'" for w in net.on("two"))
        agent.write_text(f"#!/bin/sh\nshift\nexec {words} sh -c \"$*\"\n")
        agent.chmod(0o755)
        self.process = subprocess.Popen(
            net.on("one", bench.epk, "run", "mpirun.openmpi", "--host", "10.77.1.1:2,10.77.1.2:2", "-n", RANKS, "--mca",
                   "plm_rsh_agent", agent, "--mca",
                   "mpi_yield_when_idle", "1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "10.77.1.0/24",
                   "--mca", "oob_tcp_if_include", "10.77.1.0/24", program, LATE, steps),
            cwd=folder, env={**bench.env, "EPK_MONITOR_BUFFER": "64k", **(env or {})},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            wait_for("the job to start", lambda: (folder / "started").exists() or self.process.poll() is not None)
            assert self.process.poll() is None, self.process.communicate()
            self.folder = next(folder.glob("*.unfinished"))
            if scopes:
                for i, host in enumerate(HOSTS):
                    self.serve(host, i)
        except BaseException:
            self.__exit__()
            raise

    def start(self, host, *words, pipe=subprocess.PIPE):
        process = subprocess.Popen(self.net.on(host, self.bench.epk, "monitor", *words), cwd=self.bench.folder,
                                   env=self.bench.env, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.PIPE,
                                   text=True)
        self.others.append(process)
        return process

    def serve(self, host, i):
        scope = self.start(host, "--serve", self.folder, "--listen", f"10.77.{2 + i}.1")
        said = scope.stdout.readline().split()
        assert said and said[0] == host, (said, scope.stderr.read())
        self.scopes[host] = scope
        return scope

    def moments(self, *words, on=FRONT):
        """Yields each refresh as it comes."""
        monitor = self.start(on, "--format", "json", *words, self.folder)
        for line in monitor.stdout:
            yield json.loads(line)
        monitor.wait(timeout=PATIENCE_S)

    def until(self, condition, what, *words):
        end = time.monotonic() + PATIENCE_S
        for moment in self.moments(*words):
            if condition(moment):
                return moment
            assert time.monotonic() < end, (what, moment)
        raise AssertionError(f"the monitor ended before {what}: {self.others[-1].stderr.read()}")

    def address_of(self, host):
        address, port, _, _ = (self.folder / "scopes" / f"{host}.scope").read_text().split()
        return address, int(port)

    def stop(self):
        """The job ends as it would have without monitors, with every step of every rank in its profile."""
        (self.bench.folder / "stop").touch()
        out, err = self.process.communicate(timeout=PATIENCE_S)
        expect("the job's status", (self.process.returncode, out), (0, ""))
        wait_for("one archive", lambda: [a.suffix for a in self.bench.archives()] == [""])
        archive = self.bench.archives()[0]
        steps = int((self.bench.folder / "steps").read_text())
        expect("visits", Profile(self.bench, archive).visits("main > solve"), RANKS * steps)
        return archive, err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [self.process, *self.others]:
            if process.poll() is None:
                process.kill()
            process.communicate()


@contextlib.contextmanager
def job(**how):
    bench = Bench(PREFIX, PROGRAMS)
    with Net(pathlib.Path(bench.folder)) as net, Running(net, bench, **how) as running:
        yield running


def arrivals_of(moment, phase):
    return [a for a in moment["last_arrivals"] if a["callpath"] == f"phases > main > {phase} > MPI_Allreduce"
            or a["callpath"] == f"main > {phase} > MPI_Allreduce"]


def all_here(moment):
    return {h["host"]: (h["processes"], h["lost"]) for h in moment["hosts"]} == {"one": (2, None), "two": (2, None)}


def is_whole(moment):
    return all_here(moment) and len(arrivals_of(moment, "solve")) > 0 and moment["missing"] == ""


@long
def test_the_late_rank_and_the_slow_phase_are_named_across_hosts():
    with job() as running:
        last, costs = collections.Counter(), collections.Counter()
        for moment in running.moments("--interval", "0.9"):
            for arrival in moment["last_arrivals"] if is_whole(moment) else []:
                expect("communicator", arrival["comm"], "MPI_COMM_WORLD")
                costs[arrival["callpath"]] += arrival["late_s"] * arrival["count"]
            last.update({a["rank"]: a["count"] for a in arrivals_of(moment, "solve") if is_whole(moment)})
            if last.total() >= 9:  # others are preempted at times, on a loaded machine
                break
        expect("who is late", last.most_common(1)[0][0], LATE)
        expect("the phase that costs most", costs.most_common(1)[0][0].split(" > ")[-2], "solve")
        expect("ranks", sorted({s["rank"] for s in moment["statistics"]}), list(range(RANKS)))
        # A front end on one of the hosts reads that host's arenas itself. It has no connection to the other host here.
        here = next(running.moments("--interval", "0.8", "--count", "1", on="one"))
        seen = {h["host"]: (h["processes"], h["lost"] is None) for h in here["hosts"]}
        expect("from a host", seen, {"one": (2, True), "two": (0, False)})
        running.stop()
        for scope in running.scopes.values():  # they end with the job
            expect("a scope", scope.wait(timeout=PATIENCE_S), 0)


def test_without_scopes_it_says_what_is_missing():
    with job(scopes=False) as running:
        moment = next(running.moments("--interval", "0.5", "--count", "1", on="one"))
        assert "2 processes run on other hosts" in moment["missing"] and "--serve" in moment["missing"], moment
        expect("no calls", moment["last_arrivals"], [])
        running.stop()


def test_the_secret_is_in_no_command_line_and_no_environment():
    with job() as running:
        secret = (running.folder / "scopes" / "secret").read_text()
        expect("mode", oct((running.folder / "scopes" / "secret").stat().st_mode & 0o777), "0o600")
        next(running.moments("--interval", "0.3", "--count", "1"))
        for pid in filter(str.isdigit, os.listdir("/proc")):
            for name in ("cmdline", "environ"):
                try:
                    assert secret not in pathlib.Path(f"/proc/{pid}/{name}").read_text(errors="replace"), pid
                except OSError:
                    pass
        archive, _ = running.stop()
        for scope in running.scopes.values():
            scope.wait(timeout=PATIENCE_S)
        assert not (archive / "scopes").exists()


@long
def test_a_lost_host_is_named_and_the_job_goes_on():
    with job() as running:
        state, before = "whole", None
        (running.bench.folder / "description").write_text("scope a\nfrom work\nscope b\nfrom calls\n")
        for moment in running.moments("--interval", "0.3", "--scope", running.bench.folder / "description"):
            # A host that is back brings nothing of the time before, whatever the refresh took.
            work = moment["scopes"][0]
            assert work["interval_s"] < moment["interval_s"] + 0.5, moment
            assert work["most_useful_s"] < moment["interval_s"] + 0.5, moment
            if before:
                assert abs(moment["interval_s"] - (moment["time_s"] - before["time_s"])) < 0.1, (before, moment)
            before = moment
            hosts = {h["host"]: h["lost"] for h in moment["hosts"]}
            if state == "whole" and is_whole(moment):
                running.scopes["two"].kill()
                state = "killed"
            elif state == "killed" and hosts.get("two"):
                assert "lost: two" in moment["missing"] and hosts["one"] is None, moment
                expect("processes", moment["processes"], 2)
                running.serve("two", 1)
                state = "served again"
            elif state == "served again" and is_whole(moment):
                running.net.set_link("two", "down")
                state = "cut"
            elif state == "cut" and hosts.get("two"):
                expect("the other host", hosts["one"], None)
                running.net.set_link("two", "up")
                state = "connected again"
            elif state == "connected again" and is_whole(moment):
                state = "all seen"
                break
        expect("how far it came", state, "all seen")
        running.others[-1].kill()  # kills one of them: the job does not notice
        running.stop()


def test_a_rank_that_is_killed_ends_the_job_as_without_a_monitor():
    with job() as running:
        monitor = running.start(FRONT, "--format", "json", "--interval", "0.3", running.folder)
        while not is_whole(json.loads(monitor.stdout.readline())):
            pass
        arenas = sorted(running.folder.glob("arenas/two.*.arena"))
        os.kill(int(arenas[0].name.split(".")[1]), signal.SIGKILL)
        out, _ = running.process.communicate(timeout=PATIENCE_S)
        assert running.process.returncode != 0, out
        monitor.communicate(timeout=PATIENCE_S)
        expect("the monitor's status", monitor.returncode, 0)


def check_slow_links(running, slow, quick):
    moment = running.until(lambda m: is_whole(m) and len(m["links"]) >= 2 * 3 and m["links"][0]["count"] > 8, "links",
                           "--interval", "0.5")
    links = {(n["parent"], n["child"]): n["latency"]["median_s"] for n in moment["links"]
             if "solve" in n["callpath"] and n["latency"]}
    expect("links", sorted(links), [(0, 1), (0, 2), (0, 3)])
    for child in slow:  # 15 ms each way
        assert links[0, child] > 0.029 and links[0, child] > links[0, quick], links
    running.stop()


def test_a_slow_link_is_named():
    bench = Bench(PREFIX, PROGRAMS)
    with Net(pathlib.Path(bench.folder)) as net:
        by_kernel = net.delay(15)
        # Without netem in this kernel, EPIK itself delays its messages between ranks that are odd and even.
        env = {} if by_kernel else {"EPK_INTERNAL_LINK_DELAY": "2:15000us"}
        with Running(net, bench, env={"EPK_COLL_TREE": "flat", **env}) as running:
            check_slow_links(running, *(((2, 3), 1) if by_kernel else ((1, 3), 2)))


def offline(bench, archive):
    """Each call's times in seconds, by phase and rank, from the trace of the same run."""
    calls, begun, stacks = {}, {}, {}
    for line in bench.run([bench.epk, "print", archive, "--format", "json"]).out.splitlines():
        e = json.loads(line)
        rank = e["rank"]
        if e["event"] == "enter":
            stacks.setdefault(rank, []).append(e["region"])
        elif e["event"] == "exit":
            stacks[rank].pop()
        elif e["event"] == "collective begin":
            begun[rank] = e["time"]
        elif e["event"] == "collective end" and stacks[rank][-2] in ("assemble", "solve"):
            calls.setdefault((stacks[rank][-2], rank), []).append((begun[rank], e["time"]))
    return calls


@long
def test_statistics_are_those_of_a_trace_of_the_same_run():
    with job(steps=STEPS, env={"EPK_TRACE": "comm"}) as running:
        wait_for("the last step", (running.bench.folder / "steps").exists)
        moment = running.until(lambda m: m["gathered"] >= 2 * STEPS, "all calls", "--interval", "0.3")
        expect("nothing was lost", (moment["discarded"], moment["incomplete"]), (0, 0))
        archive, _ = running.stop()
        calls = offline(running.bench, archive)
        for row in moment["statistics"]:
            phase, rank = row["callpath"].split(" > ")[-2], row["rank"]
            mine = calls[phase, rank]
            members = [calls[phase, r] for r in range(RANKS)]
            expect(f"calls of {phase} in rank {rank}", (row["count"], len(mine)), (STEPS, STEPS))
            here = [r for r in range(RANKS) if r // 2 == rank // 2]
            totals = [left - entered for entered, left in mine]
            check_figures(row["total"], totals, 2e-6)
            # The clocks of two hosts are compared as exactly as messages allow. A wait with both ends on one host is
            # exact.
            waits = [max(m[i][0] for m in members) - mine[i][0] for i in range(STEPS)]
            same = all(max(range(RANKS), key=lambda r, i=i: members[r][i][0]) in here for i in range(STEPS))
            check_figures(row["arrival_wait"], waits, 2e-6 if same else 2e-3)


def check_figures(figures, values, tolerance):
    mean = sum(values) / len(values)
    latest = sorted(values[-100:])
    deviation = (sum((v - mean) ** 2 for v in values) / len(values)) ** 0.5
    median = (latest[(len(latest) - 1) // 2] + latest[len(latest) // 2]) / 2
    for name, truth in (("mean_s", mean), ("min_s", min(values)), ("max_s", max(values)), ("deviation_s", deviation),
                        ("median_s", median)):
        assert abs(figures[name] - truth) <= tolerance + 1e-4 * abs(truth), (name, figures, truth)


@long
def test_hostile_clients_get_nothing_and_hurt_nothing():
    with job() as running:
        host, port = running.address_of("one")
        inside = f"""
import socket, os, time
def connect():
    s = socket.create_connection(({host!r}, {port}), timeout=60)
    s.settimeout(60)
    return s
def rest(s):
    got = b""
    try:
        while chunk := s.recv(4096):
            got += chunk
    except OSError:
        pass
    return got
for garbage in (b"GET / HTTP/1.1\\r\\n\\r\\n" * 4, os.urandom(64), b"\\0" * 100000):
    s = connect()
    try:
        s.sendall(garbage)
        s.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    assert len(rest(s)) <= 40
for i in range(10000):
    connect().close()
crowd = [connect() for i in range(200)]
print("done", flush=True)
time.sleep(60)
"""
        hostile = subprocess.Popen(running.net.on(FRONT, sys.executable, "-c", inside), stdout=subprocess.PIPE, text=True)
        running.others.append(hostile)
        expect("hostile clients", hostile.stdout.readline(), "done\n")
        moment = running.until(is_whole, "all hosts in spite of them", "--interval", "0.5")
        assert arrivals_of(moment, "solve"), moment
        running.stop()


def can_make_hosts():
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare"):
        return False
    name = f"epk{os.getpid()}try"
    made = run("ip", "netns", "add", name, check=False).returncode == 0
    linked = made and run("ip", "-n", name, "link", "add", "name", "a", "type", "veth", "peer", "name", "b", check=False).returncode == 0
    mounted = made and run("unshare", "--mount", "--uts", "mount", "--bind", "/proc/sys/kernel/ostype",
                           "/proc/sys/kernel/random/boot_id", check=False).returncode == 0
    run("ip", "netns", "delete", name, check=False)
    return linked and mounted


if __name__ == "__main__":
    socket.setdefaulttimeout(PATIENCE_S)
    if not installed("mpirun.openmpi"):
        skip_all("Open MPI is not installed")
    if not can_make_hosts():
        skip_all("no network namespaces: needs root, iproute2 and a kernel that has them")
    sys.exit(main(globals()))
