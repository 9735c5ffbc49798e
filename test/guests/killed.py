# SPDX-License-Identifier: BSD-3-Clause
"""Programs killed by SIGKILL at a random moment: the recovered archive has the calls that they had counted
themselves."""
import os
import random
import shutil
import signal
import struct
import tempfile
import time

from harness import case, check, long, main

SOURCE = "killed.c"
THREADS = 4
KILLS = int(os.environ.get("EPIK_TEST_KILLS", "12"))
SEED = int(os.environ.get("EPIK_TEST_SEED", random.randrange(1 << 32)))


def counted(folder):
    """Calls begun and ended, by the program's own count."""
    try:
        with open(os.path.join(folder, "counts"), "rb") as file:
            words = struct.unpack("512Q", file.read())
    except (FileNotFoundError, struct.error):
        return 0, 0
    return sum(words[i] for i in range(0, 32, 8)), sum(words[i] for i in range(1, 32, 8))


def recorded(archive):
    """Visits of the functions that the program counts, including visits that were folded for lack of memory."""
    return archive.visits("leaf") + archive.visits("many") + archive.manifest["folded_visits"]


def kill_once(lab, guest, words, delay, what, **environment):
    folder = lab.folder()

    def hit(pid):
        time.sleep(delay)
        os.kill(pid, signal.SIGKILL)

    outcome = lab.run([guest, *words], folder=folder, during=hit, **environment)
    begun, ended = counted(folder)
    for left in lab.unfinished(folder):
        # Killed before the arena was there, in the hook of the first call: then there is nothing to keep.
        lab.recover(left, status=None if begun <= 1 else 0)
    archives = lab.archives(folder)
    check(len(archives) == 1 or (not archives and begun <= 1), what, "killed after", delay, "s with", begun,
          "calls begun:", os.listdir(folder))
    left = lab.unfinished(folder)
    check(not left or not archives, what, "left", os.listdir(folder))
    if archives:
        visits = recorded(archives[0])
        # A call that is just returning may be recorded, and still be open: one of each thread.
        check(ended <= visits <= begun + THREADS, what, "killed after", delay, "s: recorded", visits, "begun", begun,
              "ended", ended)
        expected = ("killed",) if os.WIFSIGNALED(outcome.status) else ("exit",)
        check(archives[0].ended()[0] in expected + ("exit",), what, archives[0].ended())
    shutil.rmtree(folder)
    return begun


def kill_many(lab, words, longest, **environment):
    choice = random.Random(SEED)
    for compiler in lab.compilers:
        guest = lab.build(SOURCE, compiler)
        what = (compiler, words, "seed", SEED)
        begun = [kill_once(lab, guest, words, choice.random() ** 2 * longest, what, **environment)
                 for _ in range(KILLS)]
        print("         %s %s seed %d: %d kills, %d before the first call, at most %d calls" %
              (compiler, words[0], SEED, KILLS, begun.count(0), max(begun)))


@case
def one_thread(lab):
    kill_many(lab, ["calls"], 0.1)


@case
def several_threads(lab):
    kill_many(lab, ["threads"], 0.1)


@case
def threads_that_come_and_go(lab):
    kill_many(lab, ["short_threads"], 0.1)


@long
@case
def while_growing(lab):
    kill_many(lab, ["grows"], 0.08)


@case
def while_growing_to_the_limit(lab):
    kill_many(lab, ["grows"], 0.08, EPK_MEMORY="8M")


@case
def in_the_first_millisecond(lab):
    kill_many(lab, ["calls"], 0.001)
    kill_many(lab, ["calls"], 0.01)


@case
def while_finishing(lab):
    kill_many(lab, ["finishes"], 0.06)


@case
def with_the_arena_elsewhere(lab):
    # Uses a folder of its own, because a program that was killed before its first call leaves an empty arena.
    with tempfile.TemporaryDirectory(prefix="guests-", dir="/dev/shm") as elsewhere:
        kill_many(lab, ["threads"], 0.03, EPK_LDIR=elsewhere)


@case
def after_a_long_time_on_the_same_call_paths(lab):
    def cpu_seconds(folder):
        with open(os.path.join(folder, "counts"), "rb") as file:
            return struct.unpack("512Q", file.read())[64] / 1e9

    for compiler in lab.compilers:
        folder = lab.folder()

        def hit(pid):
            while not os.path.exists(os.path.join(folder, "counts")) or cpu_seconds(folder) < 0.8:
                time.sleep(0.01)
            least = cpu_seconds(folder)
            lab.recover(lab.unfinished(folder)[0], "--live")
            snapshot, most = lab.archives(folder, count=1)[0], cpu_seconds(folder)
            check(0.95 * least <= snapshot.manifest["cpu_seconds"] <= 1.05 * most, "of a snapshot",
                  snapshot.manifest["cpu_seconds"], "s, the program says", least, "to", most)
            shutil.rmtree(snapshot.path)
            os.kill(pid, signal.SIGKILL)

        lab.run([lab.build(SOURCE, compiler), "computes"], folder=folder, during=hit)
        archive = lab.recovered(folder)
        computed, wall = archive.manifest["cpu_seconds"], archive.manifest["wall_seconds"]
        check(0.95 * cpu_seconds(folder) <= computed <= 1.01 * wall, "computed", computed, "s of", wall,
              "s, the program says", cpu_seconds(folder))
        shutil.rmtree(folder)


main(__file__)
