# SPDX-License-Identifier: BSD-3-Clause
"""Runs guest programs bare and measured, and compares their behaviour as seen from outside.

A guest is one source file in programs/; its first argument names the case. A group is a Python file with functions
marked @case; each gets a Lab, and fails by raising. `run.sh GROUP COMPILERS [CASE...]` runs a group.
"""
import glob
import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.append("test/harness")
import cases  # noqa: E402
import sanitizer  # noqa: E402
from cases import expect_time, installed, left_out, long, need, retried, skip, skip_all  # noqa: E402, F401 (for those who import from here)

CASES = []
NOBODY = 65534
LITTLE_STACK = "its frames are larger, and it has no stacks of EPIK's own"
SECONDS = 120  # for one run of a guest: a hang is a failure, not a wait


def case(function):
    CASES.append(function)
    return function


class Failure(AssertionError):
    pass


def check(condition, *what):
    if not condition:
        raise Failure(" ".join(str(word) for word in what))


def need_root():
    need(os.geteuid() == 0, "only root can")


def becoming(user):
    """Returns a function that makes a child another user's process."""
    def change():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    return change


as_nobody = becoming(NOBODY)


def await_word(folder, word=b"ready\n", seconds=60):
    """Waits until a guest that runs in the folder has said the word."""
    end = time.time() + seconds
    while time.time() < end:
        with open(os.path.join(folder, ".out"), "rb") as file:
            if word in file.read():
                return
        time.sleep(0.002)
    raise Failure("the guest never said " + repr(word))


class Archive:
    """The data of an archive from `epk report --format json`."""

    def __init__(self, path, report):
        self.path = path
        self.manifest = report["manifest"]
        self.report = report
        names = [plain(region["name"]) for region in report["regions"]]
        self.names = [names[callpath["region"]] for callpath in report["callpaths"]]
        self.parents = [callpath["parent"] for callpath in report["callpaths"]]
        self.values = {values["metric"]: values for values in report["values"]}

    def visits(self, function, below=None, metric="visits"):
        """Visits of all call paths that end in the function, and have `below` among their ancestors."""
        return int(self.total(function, metric, below))

    def total(self, function, metric, below=None):
        inside = []  # parents come first
        for parent in self.parents:
            inside.append(below is None or parent is not None and (inside[parent] or self.names[parent] == below))
        values = self.values[metric]
        return sum(value for path, value in zip(values["callpath"], values["value"])
                   if self.names[path] == function and inside[path])

    def threads(self):
        return len(self.report["locations"])

    def ended(self):
        return self.manifest["ended"], self.manifest["ended_detail"]


def check_truth(archive, path):
    """Checks the guest's account of `spend` (programs/guest.h): the exact calls, and a time between its two
    readings."""
    if not os.path.exists(path):
        return
    with open(path, "rb") as file:
        calls, within_ns, around_ns = struct.unpack("3q", file.read())
    check(calls > 0, "the guest spent no time")
    visits, seconds = archive.visits("spend"), archive.total("spend", "time")
    check(visits == calls, archive.path, "spend has", visits, "visits, the guest says", calls)
    # Its clock and ours differ by some parts in ten thousand.
    check(0.999 * within_ns <= 1e9 * seconds <= 1.001 * around_ns, archive.path, "spend took", seconds,
          "s, the guest says", within_ns / 1e9, "s within and", around_ns / 1e9, "s around it")


def plain(name):
    return name.split("(")[0]


class Outcome:
    def __init__(self, status, out, err, folder):
        self.status = status
        self.out = out
        self.err = err
        self.folder = folder

    def guests_own(self):
        """The results that must be the same with and without EPIK."""
        own = [line for line in self.err.splitlines(True) if not line.startswith(b"[EPIK] ")]
        return {"ending": ending(self.status), "stdout": self.out, "stderr": b"".join(own)}

    def said(self):
        return [line for line in self.err.decode("utf-8", "replace").splitlines() if line.startswith("[EPIK] ")]


def ending(status):
    if os.WIFSIGNALED(status):
        core = " with core" if os.WCOREDUMP(status) else ""
        return "signal " + signal.Signals(os.WTERMSIG(status)).name + core
    return "status %d" % os.WEXITSTATUS(status)


class Lab:
    """A staged installation, compiled guests, and a folder for each run."""

    def __init__(self, here, compilers, root):
        self.here = here
        self.root = root
        self.compilers = compilers
        self.prefix = os.path.join(root, "prefix")
        self.built = {}
        self.runs = 0
        stage(self.prefix)
        self.epk = os.path.join(self.prefix, "bin", "epk")
        self.library = os.path.join(self.prefix, "lib", "libepk.so")
        self.sanitizer = sanitizer.Sanitizer(self.library, os.path.join(root, "reports"))

    def needs_no_sanitizer(self, why):
        """Skips the case if our libraries have a sanitizer whose runtime does not support the guest."""
        need(self.sanitizer.runtime is None, "with a sanitizer: " + why)

    def environment(self, **more):
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        kept["HOME"] = self.root
        kept.update(self.sanitizer.environment())
        for name, value in more.items():
            if value is None:
                kept.pop(name, None)
            else:
                kept[name] = value
        return kept

    def build(self, source, compiler, *flags, linked=False, output=None, instrument=True):
        """Path of the guest, built once. `linked`: by `epk instrument`, and so with libepk.so among its libraries."""
        key = (source, compiler, flags, linked, output, instrument)
        if key in self.built:
            return self.built[key]
        stem = os.path.splitext(source)[0]
        kind = "linked" if linked else "preload" if instrument else "plain"
        folder = os.path.join(self.root, "bin", "%s-%s-%d" % (compiler, kind, len(self.built)))
        os.makedirs(folder)
        path = os.path.join(folder, output or stem)
        driver = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}[compiler][source.endswith(".cc")]
        command = [driver, "-O1", "-g", "-fPIC", "-pthread", "-rdynamic", os.path.join(self.here, "programs", source)]
        command += ["-I", os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs"), "-o", path, *flags]
        if linked:
            command = [self.epk, "instrument", *command]
        elif instrument:
            command.insert(1, "-finstrument-functions")
        done = subprocess.run(command, env=self.environment(TMPDIR=self.root), capture_output=True)
        check(done.returncode == 0, " ".join(command), "\n", done.stderr.decode())
        self.built[key] = path
        return path

    def folder(self):
        self.runs += 1
        path = os.path.join(self.root, "run%d" % self.runs)
        os.mkdir(path)
        os.chmod(path, 0o777)
        return path

    def run(self, argv, measured=True, preload=True, folder=None, before=None, during=None, seconds=SECONDS, stdin=None,
            outputs=(), **environment):
        """Runs a guest to its end in a folder of its own. `before`: in the child; `during(pid)`: while it runs."""
        folder = folder or self.folder()
        variables = {"LD_PRELOAD": self.library if measured and preload else None}
        if not measured:
            variables["EPK_ENABLED"] = "no"
        variables.update(environment)
        variables["LD_PRELOAD"] = self.sanitizer.preload(variables["LD_PRELOAD"])
        names = [os.path.join(folder, name) for name in (".out", ".err")]
        files = [open(name, "w+b") for name in names]
        child = subprocess.Popen(argv, cwd=folder, env=self.environment(**variables), stdin=stdin or subprocess.DEVNULL,
                                 stdout=files[0] if 1 not in outputs else outputs[1],
                                 stderr=files[1] if 2 not in outputs else outputs[2],
                                 preexec_fn=lambda: prepare_child(before))
        try:
            if during is not None:
                during(child.pid)
            status = wait(child, seconds)
        finally:
            texts = []
            for file in files:
                file.seek(0)
                texts.append(file.read())
                file.close()
            for name in names:
                if os.path.exists(name):
                    os.unlink(name)
        self.sanitizer.check(texts[1].decode("utf-8", "replace"))
        return Outcome(status, *texts, folder)

    def archives(self, folder, pattern="epik_*", count=None, seconds=20):
        """All finished archives of a folder. An `exec` leaves its archive a moment later: so we wait for `count`."""
        end = time.time() + seconds
        while True:
            found = [path for path in sorted(glob.glob(os.path.join(glob.escape(folder), pattern)))
                     if not path.endswith(".unfinished")]
            if count is None or len(found) >= count or time.time() > end:
                break
            time.sleep(0.02)
        check(count is None or len(found) == count, "archives", [os.path.basename(path) for path in found],
              "where", count, "are expected; there is", os.listdir(folder))
        archives = [self.read(path) for path in found]
        if len(archives) == 1:
            check_truth(archives[0], os.path.join(folder, "truth"))
        return archives

    def read(self, path):
        done = subprocess.run([self.epk, "report", path, "--format", "json"], env=self.environment(),
                              capture_output=True)
        check(done.returncode == 0, "epk report", path, done.stderr.decode())
        return Archive(path, json.loads(done.stdout.decode("utf-8")))

    def unfinished(self, folder):
        return sorted(glob.glob(os.path.join(glob.escape(folder), "epik_*.unfinished")))

    def recover(self, what, *options, status=0):
        done = subprocess.run([self.epk, "recover", *options, what], env=self.environment(), capture_output=True)
        text = done.stderr.decode("utf-8", "replace")
        check(status is None or done.returncode == status, "epk recover", what, "gives", done.returncode, text)
        check(done.stdout == b"", "epk recover wrote to stdout")
        return text

    def recovered(self, folder):
        """The one archive that `epk recover` makes of a guest's remains."""
        left = self.unfinished(folder)
        check(len(left) == 1, "one unfinished archive expected, there is", os.listdir(folder))
        self.recover(left[0])
        return self.archives(folder, count=1)[0]

    def same(self, source, words, flags=(), kinds=("preload", "linked"), **how):
        """Runs a guest bare and measured: its own output and ending must agree. Returns (compiler, outcome) of each."""
        measured = []
        for compiler in self.compilers:
            bare = self.run([self.build(source, compiler, *flags), *words], measured=False, **how).guests_own()
            for kind in kinds:
                guest = self.build(source, compiler, *flags, linked=kind == "linked")
                outcome = self.run([guest, *words], preload=kind == "preload", **how)
                own = outcome.guests_own()
                for what in bare:
                    check(own[what] == bare[what], compiler, kind, words, what, "bare:", bare[what], "measured:",
                          own[what], outcome.said())
                measured.append((compiler + " " + kind, outcome))
        return measured

    def kept(self, source, words, ended=None, flags=(), kinds=("preload", "linked"), **how):
        """Like `same`, with exactly one archive from each run."""
        archives = []
        for what, outcome in self.same(source, words, flags, kinds, **how):
            archive = self.archives(outcome.folder, count=1)[0]
            check(self.unfinished(outcome.folder) == [], what, words, "left", os.listdir(outcome.folder))
            check(ended is None or archive.ended() == ended, what, words, "ended", archive.ended(), "not", ended)
            archives.append(archive)
        return archives


def prepare_child(before):
    # As in a terminal: no signal ignored, and cores allowed (into the run's own folder).
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (64 << 20, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    except (ValueError, OSError):
        pass
    if before is not None:
        before()


def wait(child, seconds):
    end = time.time() + seconds
    pause = 0.0005
    while True:
        pid, status = os.waitpid(child.pid, os.WNOHANG)
        if pid != 0:
            child.returncode = status
            return status
        if time.time() > end:
            child.kill()
            os.waitpid(child.pid, 0)
            child.returncode = -9
            raise Failure("still running after %d s: %s" % (seconds, child.args))
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


def stage(prefix):
    """The three binaries, copied: the runtime looks for its neighbours where it really stands."""
    places = {"adapters/libepk.so": "lib", "archive/libepk_archive.so": "lib", "tools/epk/epk": "bin"}
    for name, folder in places.items():
        os.makedirs(os.path.join(prefix, folder), exist_ok=True)
        shutil.copy(os.path.realpath(name), os.path.join(prefix, folder))
    os.chmod(prefix, 0o755)


def watched(function, lab):
    """Runs the case. A sanitizer's report comes first: if the case failed, it tells why."""
    try:
        function(lab)
    finally:
        lab.sanitizer.check()


def main(module):
    group, compilers, *wanted = sys.argv[1:]
    # Guests that give up root need access to the folder, so it is not in a home folder.
    root = tempfile.mkdtemp(prefix="guests-", dir="/tmp" if os.geteuid() == 0 else os.environ.get("TEST_TMPDIR"))
    os.chmod(root, 0o755)
    results = cases.Results(os.environ.get("TEST_TARGET", group))
    try:
        lab = Lab(os.path.dirname(os.path.abspath(module)), compilers.split(","), root)
        for function in cases.chosen(CASES, wanted):
            results.run(function.__name__, watched, function, lab)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    sys.exit(results.finish())
