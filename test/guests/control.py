# SPDX-License-Identifier: BSD-3-Clause
"""Ways out of a function other than returning from it; hooks that do not match."""
from harness import case, check, main

SOURCE = "control.cc"


def visits(archive, **expected):
    for function, count in expected.items():
        found = archive.visits(function)
        check(found == count, archive.path, function, "has", found, "visits, not", count)


@case
def exceptions(lab):
    for archive in lab.kept(SOURCE, ["exceptions"], ("exit", "status 0")):
        visits(archive, exceptions=1, catcher=100, thrower=500, leaf=100)
        check(archive.visits("leaf", below="thrower") == 0, "leaf below thrower")


@case
def longjmp(lab):
    for archive in lab.kept(SOURCE, ["jumps"], ("exit", "status 3")):
        visits(archive, jumps=1, lands=100, jumper=400, leaf=100)
        check(archive.visits("leaf", below="jumper") == 0, "leaf below jumper")
        check(archive.manifest["repairs"] == 400, "repairs", archive.manifest["repairs"])


@case
def siglongjmp_out_of_a_handler(lab):
    for words in ["signal_jumps"], ["alternate_jumps"]:
        for archive in lab.kept(SOURCE, words, ("exit", "status 0")):
            visits(archive, lands_from_signal=100, raises=100, jumps_back=100, leaf=100)
            check(archive.visits("leaf", below="raises") == 0, words, "leaf below raises")
            check(archive.visits("jumps_back", below="raises") == 100, words, "handler not below raises")


@case
def siglongjmp_out_of_a_call_that_waits(lab):
    for archive in lab.kept(SOURCE, ["wait_jumps"], ("exit", "status 0")):
        visits(archive, waits_in_vain=100, jumps_back=100, leaf=100)
        check(archive.visits("sem_wait") > 0, "sem_wait", archive.visits("sem_wait"))
        check(archive.visits("leaf", below="sem_wait") == 0, "leaf below sem_wait")


@case
def longjmp_inside_a_handler(lab):
    for archive in lab.kept(SOURCE, ["inner_jumps"], ("exit", "status 0")):
        visits(archive, inner_jumps_body=2, raises=200, stays=200, jumps_inside=200, leaf=202)
        check(archive.visits("leaf", below="stays") == 200, "leaf below stays", archive.visits("leaf", below="stays"))
        check(archive.visits("leaf", below="jumps_inside") == 0, "leaf below jumps_inside")
        check(archive.visits("raises", below="raises") == 0, "raises below raises")


@case
def pthread_exit(lab):
    for archive in lab.kept(SOURCE, ["thread_exits"], ("exit", "status 0")):
        visits(archive, exiting_body=50, exits_thread=200, leaf=0)
        check(archive.threads() == 2, "places of ended threads are reused", archive.threads())


@case
def cancellation(lab):
    for archive in lab.kept(SOURCE, ["cancels"], ("exit", "status 0")):
        visits(archive, waiting_body=archive.visits("waits"))
        check(25 <= archive.visits("waits") <= 50, "waits", archive.visits("waits"))


@case
def exit_in_nested_frames(lab):
    for archive in lab.kept(SOURCE, ["nested_exit"], ("exit", "status 7")):
        visits(archive, nested_exit=1, exits_nested=6, leaf=1)
        check(archive.manifest["open_frames"] == 7, "open frames", archive.manifest["open_frames"])


@case
def exit_from_a_thread(lab):
    for archive in lab.kept(SOURCE, ["thread_exit_call"], ("exit", "status 7")):
        visits(archive, thread_exit_call=1, exits_nested=6)


@case
def main_thread_leaves_first(lab):
    for archive in lab.kept(SOURCE, ["main_leaves"], ("exit", "status 0")):
        visits(archive, main_leaves=1, last_thread=1, at_the_end=1, leaf=11)


@case
def mismatched_hooks(lab):
    for archive in lab.kept(SOURCE, ["mismatches"], ("exit", "status 0")):
        visits(archive, mismatches=1, unbalanced=100, leaf=201)
        check(archive.manifest["unmatched_exits"] == 200, "unmatched", archive.manifest["unmatched_exits"])
        check(archive.manifest["repairs"] == 200, "repairs", archive.manifest["repairs"])


main(__file__)
