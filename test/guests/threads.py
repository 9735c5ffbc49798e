# SPDX-License-Identifier: BSD-3-Clause
"""Threads by the thousand, threads that never end, and code that runs before main and after everything."""
from harness import case, check, long, main

SOURCE = "threads.cc"


@long
@case
def ten_thousand_short_threads(lab):
    for archive in lab.kept(SOURCE, ["ten_thousand"], ("exit", "status 0")):
        check(archive.visits("short_body") == 10000, archive.visits("short_body"))
        check(archive.visits("leaf", below="ten_thousand") == 10000, "leaf below the creator")
        check(archive.threads() <= 11, "places of ended threads are reused", archive.threads())
        check(archive.manifest["dropped_events"] == 0, "dropped", archive.manifest["dropped_events"])


@case
def detached_threads(lab):
    for archive in lab.kept(SOURCE, ["detached"], ("exit", "status 0")):
        check(archive.visits("leaf", below="detached") == 500, archive.visits("leaf"))


@case
def threads_alive_at_exit(lab):
    for archive in lab.kept(SOURCE, ["alive_at_exit"], ("exit", "status 5")):
        check(archive.visits("blocks") == 3 and archive.visits("spins") == 3, "threads")
        check(archive.visits("blocks", metric="unfinished") == 3, "not said to be open")
        check(archive.threads() == 7, archive.threads())


@case
def threads_that_end_with_the_program(lab):
    for _ in range(10):
        for archive in lab.kept(SOURCE, ["ending_at_exit"], ("exit", "status 0")):
            check(archive.visits("leaf", below="ending_at_exit") <= 40, "leaf")


@case
def c11_threads(lab):
    for archive in lab.kept(SOURCE, ["c11_threads"], ("exit", "status 0")):
        check(archive.visits("standard_threads", below="c11_threads") == 20, archive.visits("standard_threads"))
        check(archive.visits("short_body", below="c11_threads") == 1, "a thread of one that runs nothing measured")


@case
def before_main_and_after_everything(lab):
    for archive in lab.kept(SOURCE, ["around"], ("exit", "status 0")):
        counts = {"before_main": 1, "with_data": 10, "in_thread_local_destructor": 10, "in_exit_handler": 1,
                  "in_static_destructor": 1, "in_destructor_function": 1, "in_key_destructor": 30}
        for function, count in counts.items():
            found = archive.visits(function)
            check(found == count, archive.path, function, "has", found, "visits, not", count)
        check(archive.manifest["open_frames"] == 0, "open frames", archive.manifest["open_frames"])


main(__file__)
