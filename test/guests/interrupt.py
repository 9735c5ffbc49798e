# SPDX-License-Identifier: BSD-3-Clause
"""Signal handlers that are instrumented, and that interrupt a hook at any instruction."""
import os
import random
import re

from harness import case, check, long, main

SOURCE = "interrupt.c"


def counts(archive):
    with open(os.path.join(os.path.dirname(archive.path), "counts")) as file:
        return {name: int(count) for name, count in re.findall(r"(\w+) (\d+)", file.read())}


def exact(archive, per_handler=2):
    """Every call of the main program and of handlers is found: as a visit, or among the dropped events."""
    own = counts(archive)
    for function in "leaf", "caller":
        visits = archive.visits(function)
        check(visits == own[function], archive.path, function, visits, "of", own[function])
    seen = archive.visits("handler") + (archive.visits("below_handler") if per_handler == 2 else 0)
    dropped = archive.manifest["dropped_events"]
    missing = per_handler * own["handler"] - seen
    check(2 * missing == dropped, "handlers", own["handler"], "visits seen", seen, "dropped events", dropped)
    check(archive.manifest["unmatched_exits"] == 0, "unmatched", archive.manifest["unmatched_exits"])
    check(archive.manifest["repairs"] == 0, "repairs", archive.manifest["repairs"])
    check(archive.manifest["folded_visits"] == 0, "folded", archive.manifest["folded_visits"])
    return own


@case
def timer_at_a_high_rate(lab):
    for archive in lab.kept(SOURCE, ["timer", "2000"], ("exit", "status 0")):
        exact(archive)


@case
def each_instruction_of_the_fast_path(lab):
    for words, least in ("steps", 100), ("steps_many", 5000):
        for archive in lab.kept(SOURCE, [words], ("exit", "status 0")):
            own = exact(archive)
            check(own["handler"] > least, words, own)
            check(archive.manifest["dropped_events"] == 0, words, "dropped", archive.manifest["dropped_events"])


@long
@case
def each_instruction_of_a_probe(lab):
    for words in ["steps_probe"], ["steps_many"], ["timer", "10000"]:
        for archive in lab.kept(SOURCE, words, ("exit", "status 0"), kinds=("preload",), EPK_HOT="probe",
                                EPK_THROTTLE_CALLS="1"):
            check(exact(archive)["handler"] > 500, words)


@long
@case
def each_instruction_of_the_slow_path(lab):
    for words in ["steps_new"], ["steps_deep"], ["steps_first"]:
        for archive in lab.kept(SOURCE, words, ("exit", "status 0")):
            check(exact(archive)["handler"] > 1000, words)


@case
def a_new_call_path_at_each_instruction(lab):
    """The handler makes a call path just before the program does. EPIK must not measure the thread twice."""
    for archive in lab.kept(SOURCE, ["steps_new_in_both"], ("exit", "status 0")):
        own = counts(archive)
        for function in "leaf", "caller":
            check(archive.visits(function) == own[function], function, archive.visits(function), "of", own[function])
        check(own["handler"] > 1000, "handler", own["handler"])
        check(archive.threads() == 1, "threads", archive.threads())
        check(archive.manifest["unmatched_exits"] == 0, "unmatched", archive.manifest["unmatched_exits"])


@case
def each_instruction_of_the_start(lab):
    # Also bare: it is 100 times shorter there. Drops before the count had a place are not counted.
    for archive in lab.kept(SOURCE, ["steps_start"], ("exit", "status 0"), kinds=("preload",)):
        check(archive.visits("caller") == 1, "caller", archive.visits("caller"))
        check(archive.visits("leaf") == 1, "leaf", archive.visits("leaf"))


@long
@case
def a_jump_away_from_each_instruction(lab):
    """One event is in flight at each jump: it may be a visit or not, but only that one."""
    lab.needs_no_sanitizer("its hooks have ten times as many instructions, and a jump away from its runtime may break that")
    jumps(lab, ["steps_jump"], ["steps_jump_new"], ["steps_jump_deep"])


@long
@case
def a_jump_away_from_each_instruction_of_a_probe(lab):
    """The same with windows in which visits have no frames."""
    lab.needs_no_sanitizer("as without windows")
    jumps(lab, ["steps_jump"], ["steps_jump_new"], EPK_HOT="probe", EPK_THROTTLE_CALLS="1")


def jumps(lab, *all_words, **settings):
    """Preloads only, because a linked program has the same hooks, and each instruction takes a run."""
    for words in all_words:
        for archive in lab.kept(SOURCE, words, ("exit", "status 0"), kinds=("preload",), **settings):
            own = counts(archive)
            leaf = archive.visits("leaf")
            check(own["leaf"] <= leaf <= own["leaf"] * 1.35 + 2, words, "leaf", leaf, "of", own["leaf"])
            stays = archive.visits("leaf", below="leaf") + archive.visits("leaf", below="jumping_handler")
            check(stays == 0, words, "leaf below what was left:", stays)
            check(archive.manifest["folded_visits"] == 0, words, "folded")
            check(archive.visits("jumping_handler") > 100, words, "handler", archive.visits("jumping_handler"))


@case
def cancellation_at_any_instruction(lab):
    for archive in lab.kept(SOURCE, ["cancels_anywhere"], ("exit", "status 0")):
        bodies = counts(archive)["body"]
        check(bodies > 0, "every thread was cancelled before it began")
        check(bodies <= archive.visits("busy_body") <= 300, "busy_body", archive.visits("busy_body"), "of", bodies)
        check(archive.visits("caller") == 1000, "caller", archive.visits("caller"))
        check(archive.visits("leaf", below="caller") == 1000, "leaf", archive.visits("leaf", below="caller"))
        check(archive.threads() == 2, "places of cancelled threads are reused", archive.threads())


@case
def exit_from_any_instruction(lab):
    seed = random.randrange(1 << 32)
    print("         seed", seed)
    for compiler in lab.compilers:
        guest = lab.build(SOURCE, compiler)
        # The loader takes most of the instructions when it binds the hooks. How many depends on the processor.
        whole = lab.run([guest, "steps_exit", str(1 << 40)], seconds=20)
        check(whole.status == 6 << 8, "status", whole.status, whole.said())
        last = counts(lab.archives(whole.folder, count=1)[0])["steps"]
        steps = random.Random(seed).sample(range(1, last), 12) + [1, last - 1]
        calls = 0
        for step in steps:
            outcome = lab.run([guest, "steps_exit", str(step)], seconds=20)
            status = os.WEXITSTATUS(outcome.status)
            check(outcome.status in (5 << 8, 6 << 8), "step", step, "status", outcome.status, outcome.said())
            archive = lab.archives(outcome.folder, count=1)[0]
            check(archive.ended() == ("exit", "status %d" % status), step, archive.ended())
            # A call that is just returning may be recorded, and still be open.
            check(archive.visits("caller") + archive.visits("leaf") <= 3, "step", step, "too many visits")
            calls += archive.visits("caller")
        check(calls > 0, "not one call was recorded before the exit, at steps", steps)


main(__file__)
