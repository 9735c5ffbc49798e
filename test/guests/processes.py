# SPDX-License-Identifier: BSD-3-Clause
"""Programs that become two, or another one."""
import os
import time

from harness import case, check, ending, main

SOURCE = "processes.c"


def of(archives, function):
    """The one archive that has visits of the function."""
    found = [archive for archive in archives if archive.visits(function) != 0]
    check(len(found) == 1, len(found), "archives with", function)
    return found[0]


def apart(lab, words, **how):
    for what, outcome in lab.same(SOURCE, words, **how):
        archives = lab.archives(outcome.folder, count=2)
        parent, child = of(archives, "parents"), of(archives, "childs")
        check(parent.path != child.path, what, "one archive for two processes")
        check(parent.visits("parents") == 30, what, "parent", parent.visits("parents"))
        check(parent.visits("leaf") >= 30 and parent.visits("childs") == 0, what, "the child wrote into the parent's")
        check(child.visits("childs") == 7 and child.visits("leaf") == 7, what, "child", child.visits("childs"))
        check(child.ended() == ("exit", "status 3"), what, child.ended())
        check(lab.unfinished(outcome.folder) == [], what, os.listdir(outcome.folder))


@case
def forked_child_runs_on(lab):
    apart(lab, ["child_runs_on"])
    apart(lab, ["fork_from_thread"])


@case
def forked_unannounced(lab):
    apart(lab, ["child_unannounced"])


@case
def forked_child_is_not_measured(lab):
    for words in ["child_runs_on"], ["fork_from_thread"], ["child_unannounced"]:
        for archive in lab.kept(SOURCE, words, ("exit", "status 3"), EPK_FORK="off"):
            check(archive.visits("parents") == 30 and archive.visits("childs") == 0, words)


@case
def forked_child_exits(lab):
    for archive in lab.kept(SOURCE, ["child_exits"], ("exit", "status 3")):
        check(archive.visits("parents") == 20, archive.visits("parents"))


@case
def forked_child_is_killed(lab):
    for what, outcome in lab.same(SOURCE, ["child_crashes"]):
        archives = lab.archives(outcome.folder, count=2)
        check(of(archives, "childs").ended() == ("signal", "SIGTERM"), what, of(archives, "childs").ended())
        check(of(archives, "parents").visits("parents") == 10, what)


@case
def forked_child_execs(lab):
    for archive in lab.kept(SOURCE, ["child_execs"], ("exit", "status 4")):
        check(archive.visits("parents") == 20, archive.visits("parents"))


@case
def many_forked_children(lab):
    for what, outcome in lab.same(SOURCE, ["many_children"]):
        archives = lab.archives(outcome.folder, count=20)  # the first has no events
        visits = sorted(archive.visits("childs") for archive in archives)
        check(visits == [0] + list(range(1, 20)), what, visits)


@case
def fork_in_an_exit_handler(lab):
    for what, outcome in lab.same(SOURCE, ["fork_at_exit"]):
        archives = lab.archives(outcome.folder, count=2)
        check(of(archives, "childs").visits("childs") == 7, what)
        check(of(archives, "parents").visits("parents") == 40, what, of(archives, "parents").visits("parents"))


@case
def vfork_and_exec(lab):
    for archive in lab.kept(SOURCE, ["vforks"], ("exit", "status 5")):
        check(archive.visits("parents") == 20 and archive.visits("become") == 5, archive.visits("become"))
        check(archive.visits("parents", below="become") == 0, "the child's frame stayed open")


@case
def spawn_system_popen(lab):
    """The children are not instrumented: no archives from them, nothing in their output."""
    for words in ["spawns"], ["systems"]:
        for archive in lab.kept(SOURCE, words, ("exit", "status 4")):
            check(archive.visits("parents") == 20, archive.visits("parents"))


@case
def daemon(lab):
    for what, outcome in lab.same(SOURCE, ["daemons"]):
        archives = lab.archives(outcome.folder, count=2)
        check(of(archives, "parents").ended() == ("_exit", "status 0"), what, of(archives, "parents").ended())
        check(of(archives, "childs").visits("childs") == 7, what)


@case
def exec_of_another_program(lab):
    for words in ["exec_shell"], ["exec_descriptor"]:
        for what, outcome in lab.same(SOURCE, words):
            archive = lab.archives(outcome.folder, count=1)[0]
            check(archive.ended()[0] == "exec", what, archive.ended())
            check(archive.visits("parents") == 10, what, archive.visits("parents"))
            check(lab.unfinished(outcome.folder) == [], what, os.listdir(outcome.folder))


@case
def exec_of_itself(lab):
    for what, outcome in lab.same(SOURCE, ["exec_self"]):
        archives = lab.archives(outcome.folder, count=3)
        check(sorted(a.visits("parents") for a in archives) == [0, 10, 30], what, [a.names for a in archives])
        check(sorted(a.ended()[0] for a in archives) == ["exec", "exit", "exit"], what)


@case
def exec_that_fails(lab):
    for archive in lab.kept(SOURCE, ["exec_fails"], ("exit", "status 0")):
        check(archive.visits("parents") == 20, archive.visits("parents"))


@case
def exec_that_fails_without_epk(lab):
    """Where no `epk` is beside the library, nobody waits for the exec, and a word to nobody would be a SIGPIPE."""
    hidden = lab.epk + ".hidden"
    guest = [lab.build(SOURCE, compiler) for compiler in lab.compilers]
    os.rename(lab.epk, hidden)
    try:
        outcomes = [lab.run([each, "exec_fails"]) for each in guest]
    finally:
        os.rename(hidden, lab.epk)
    for outcome in outcomes:
        check(outcome.status == 0, ending(outcome.status))
        check(lab.archives(outcome.folder, count=1)[0].visits("parents") == 20, outcome.said())


@case
def exec_that_fails_in_a_cancelled_thread(lab):
    for archive in lab.kept(SOURCE, ["exec_fails_when_cancelled"], ("exit", "status 0")):
        check(archive.visits("parents") == 20, archive.visits("parents"))


@case
def readers_are_not_kept_waiting(lab):
    """The helper that waits for an exec holds none of the program's descriptors: a pipe ends when the program does."""
    for compiler in lab.compilers:
        read, write = os.pipe()
        guest = lab.build(SOURCE, compiler)
        lab.run([guest, "exec_shell"], outputs={1: write})
        os.close(write)
        begin = time.time()
        check(b"another program" in os.read(read, 100), "output")
        check(os.read(read, 100) == b"", "no end of file")
        os.close(read)
        check(time.time() - begin < 5, "waited", time.time() - begin)


main(__file__)
