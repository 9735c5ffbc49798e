# SPDX-License-Identifier: BSD-3-Clause
"""Kills programs that write archives at each of their system calls: an archive must be left, or files that recovery
makes one."""
import collections
import fcntl
import os
import re
import shutil
import signal
import subprocess
import time

from harness import await_word, case, check, long, main, need

SOURCE = "privileged.c"
SMALL = {"EPK_TRACE": "all", "EPK_MEMORY": "4M", "ELG_BUFFER_SIZE": "64K"}  # what is left is copied often


def strace(lab, options, words, folder, **variables):
    command = ["strace", "-f", "-qq", *options, *words]
    done = subprocess.run(command, cwd=folder, env=lab.environment(**variables), capture_output=True, timeout=120)
    check(b"strace: " not in done.stderr, done.stderr)
    return done


def calls_of(lab, words, folder, **variables):
    """The system calls of the command, in their order, as (name, position among the calls of that name in its
    thread)."""
    log = os.path.join(lab.folder(), "calls")
    done = strace(lab, ["-o", log], words, folder, **variables)
    check(done.returncode == 0, done.stderr)
    counts, found = collections.Counter(), []
    with open(log, encoding="utf-8", errors="replace") as file:
        for thread, name in re.findall(r"^(\d+) +(\w+)\(", file.read(), re.M):
            counts[thread, name] += 1
            found.append((name, counts[thread, name]))
    return found


def killed_at(lab, call, words, folder, **variables):
    return strace(lab, ["-o", "/dev/null", "-e", "inject=%s:signal=SIGKILL:when=%d" % call], words, folder, **variables)


def step(lab):
    """The distance between two calls at which a kill comes: a sanitizer's runtime makes many calls of its own."""
    return int(os.environ.get("EPIK_EVERY_CALL", "3" if lab.sanitizer.runtime is None else "11"))


def need_tracer():
    need(shutil.which("strace") is not None, "strace is not installed")
    tried = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True)
    need(tried.returncode == 0, "no process may be traced here")


def check_kept(lab, folder, call, what):
    """After one more recovery there is one whole archive and nothing else."""
    for left in lab.unfinished(folder):
        lab.recover(left)
    check(lab.unfinished(folder) == [], what, call, os.listdir(folder))
    archive = lab.archives(folder, count=1)[0]
    check(archive.visits("leaf") == 10, what, "killed at call", call, "has", archive.visits("leaf"), "visits")
    left = [name for name in os.listdir(archive.path) if name.endswith(".tmp")]
    check(left == [], what, call, "leaves", left)


@long
@case
def recovery_killed_at_its_calls(lab):
    need_tracer()
    folder = lab.folder()

    def kill(pid):
        await_word(folder)
        os.kill(pid, signal.SIGKILL)
    lab.run([lab.build(SOURCE, "gcc"), "waits"], folder=folder, during=kill, **SMALL)
    kept = lab.unfinished(folder)[0]

    def copy():
        place = lab.folder()
        shutil.copytree(kept, os.path.join(place, os.path.basename(kept)), symlinks=True)
        return place
    words = [lab.epk, "recover", "."]
    calls = calls_of(lab, words, copy())
    for call in calls[::step(lab)]:
        place = copy()
        killed_at(lab, call, words, place)
        check_kept(lab, place, call, "recover")
        shutil.rmtree(place)
    print("         (%d calls, one in %d)" % (len(calls), step(lab)))


@long
@case
def an_end_killed_at_its_calls(lab):
    need_tracer()
    words = ["env", "LD_PRELOAD=" + lab.sanitizer.preload(lab.library), lab.build(SOURCE, "gcc"), "says_so"]
    calls = calls_of(lab, words, lab.folder(), **SMALL)
    said = 0
    for call in calls[::-step(lab)]:
        folder = lab.folder()
        done = killed_at(lab, call, words, folder, **SMALL)
        if done.stdout == b"done\n":
            said += 1
            check_kept(lab, folder, call, "the end")
        elif said != 0:  # before its end: EPIK promises nothing for the start
            break
        shutil.rmtree(folder)
    check(said * step(lab) > 100, "only", said, "calls after the program's last word")
    print("         (%d calls of the end, one in %d)" % (said, step(lab)))


@case
def records_that_a_killed_run_left(lab):
    """`epk run` removes its own files that no process holds any more, and no other files of such names."""
    guest = lab.build(SOURCE, "gcc", linked=True)
    folder = lab.folder()
    old = time.time() - 3600

    def run(words):
        variables = lab.environment(TMPDIR=folder, LD_PRELOAD=lab.sanitizer.preload())
        return subprocess.Popen([lab.epk, "run", guest, *words], cwd=lab.folder(), env=variables,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    child = run(["waits"])
    check(child.stdout.readline() == b"ready\n", "the guest never was ready")
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    left = os.listdir(folder)
    check(len(left) == 1 and left[0].startswith("epk_run_"), "a killed run has left", left)
    abandoned = os.path.join(folder, left[0])
    victim = os.path.join(lab.folder(), "victim")
    for name in victim, os.path.join(folder, "epk_run_new"), os.path.join(folder, "epk_run_held"):
        with open(name, "w"):
            pass
    os.symlink(victim, os.path.join(folder, "epk_run_link"))
    os.mkfifo(os.path.join(folder, "epk_run_pipe"))
    for name in abandoned, victim, os.path.join(folder, "epk_run_held"), os.path.join(folder, "epk_run_pipe"):
        os.utime(name, (old, old))
    with open(os.path.join(folder, "epk_run_held"), "r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        check(run(["says_so"]).wait(timeout=60) == 0, "epk run")
        kept = sorted(os.listdir(folder))
    check(kept == ["epk_run_held", "epk_run_link", "epk_run_new", "epk_run_pipe"], kept)
    check(os.path.exists(victim), "the file that a link leads to is gone")


if __name__ == "__main__":
    main(__file__)
