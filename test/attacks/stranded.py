# SPDX-License-Identifier: BSD-3-Clause
"""Killed at a system call of its own, whatever writes an archive leaves one behind, or what becomes one."""
import os
import shutil
import signal
import subprocess
import sys
import time

from harness import case, check, main, need

SOURCE = "privileged.c"
EVERY = int(os.environ.get("EPIK_EVERY_CALL", "7"))  # every so manieth call; 1: all of them


def traced(lab, number, words, folder, **variables):
    """Runs the words and kills them at their system call of that number. True: they came to an end before."""
    command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=all", "-e",
               "inject=all:signal=SIGKILL:when=%d" % number, *words]
    done = subprocess.run(command, cwd=folder, env=lab.environment(**variables), capture_output=True, timeout=120)
    return done.returncode not in (-signal.SIGKILL, 128 + signal.SIGKILL), done


def need_tracer():
    need(shutil.which("strace") is not None, "strace is not installed")
    tried = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True)
    need(tried.returncode == 0, "no process may be traced here")


def check_kept(lab, folder, number, what):
    """After one more recovery there is one whole archive and nothing else."""
    for left in lab.unfinished(folder):
        lab.recover(left)
    check(lab.unfinished(folder) == [], what, number, os.listdir(folder))
    archive = lab.archives(folder, count=1)[0]
    check(archive.visits("leaf") == 10, what, "killed at call", number, "has", archive.visits("leaf"), "visits")
    left = [name for name in os.listdir(archive.path) if name.endswith(".tmp")]
    check(left == [], what, number, "leaves", left)


@case
def recovery_killed_at_its_calls(lab):
    need_tracer()
    folder = lab.folder()

    def kill(pid):
        end = time.time() + 30
        while time.time() < end and not lab.unfinished(folder):
            time.sleep(0.01)
        time.sleep(0.5)
        os.kill(pid, signal.SIGKILL)
    lab.run([lab.build(SOURCE, "gcc"), "waits"], folder=folder, during=kill, EPK_TRACE="all")
    kept = lab.unfinished(folder)[0]
    number = 1
    while True:
        copy = lab.folder()
        shutil.copytree(kept, os.path.join(copy, os.path.basename(kept)), symlinks=True)
        ended, done = traced(lab, number, [lab.epk, "recover", "."], copy)
        check_kept(lab, copy, number, "recover")
        shutil.rmtree(copy)
        if ended:
            check(done.returncode == 0, done.stderr)
            break
        number += EVERY
    print("         (%d calls, one in %d)" % (number, EVERY), file=sys.stderr)


@case
def an_end_killed_at_its_calls(lab):
    need_tracer()
    guest = lab.build(SOURCE, "gcc")
    number = 1
    while True:
        folder = lab.folder()
        words = ["env", "LD_PRELOAD=" + lab.library, guest, "says_so"]
        ended, done = traced(lab, number, words, folder, EPK_TRACE="all")
        if done.stdout == b"done\n":
            check_kept(lab, folder, number, "the end")
        else:
            for left in lab.unfinished(folder):
                lab.recover(left, status=None)
        shutil.rmtree(folder)
        if ended:
            check(done.returncode == 0, done.stderr)
            break
        number += EVERY


if __name__ == "__main__":
    main(__file__)
