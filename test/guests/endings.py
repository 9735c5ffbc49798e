# SPDX-License-Identifier: BSD-3-Clause
"""Every way to end: the measurement is kept, and the program ends as it would have."""
import os
import signal
import time

from harness import await_word, case, check, main

SOURCE = "endings.c"


def visits(archive, **expected):
    for function, count in expected.items():
        found = archive.visits(function)
        check(found == count, archive.path, function, "has", found, "visits, not", count)


@case
def return_from_main(lab):
    for archive in lab.kept(SOURCE, ["returns", "9"], ("exit", "status 9")):
        visits(archive, returns=1, work=1, leaf=10)
        check(archive.manifest["open_frames"] == 0, "open frames", archive.manifest["open_frames"])


@case
def underscore_exit(lab):
    for archive in lab.kept(SOURCE, ["underscore_exit"], ("_exit", "status 3")):
        visits(archive, underscore_exit=1, leaf=10)
    for archive in lab.kept(SOURCE, ["capital_exit"], ("_exit", "status 4")):
        visits(archive, capital_exit=1, leaf=10)
    for archive in lab.kept(SOURCE, ["underscore_exit_with_threads"], ("_exit", "status 3")):
        visits(archive, work=1, busy=2)


@case
def underscore_exit_under_a_timer(lab):
    """The archive is there as soon as the program is gone, although signals interrupt the wait for it."""
    for what, outcome in lab.same(SOURCE, ["underscore_exit_under_a_timer"]):
        archives = lab.archives(outcome.folder)
        check(len(archives) == 1 and outcome.said() != [], what, os.listdir(outcome.folder), outcome.said())
        visits(archives[0], underscore_exit_under_a_timer=1, leaf=10)


@case
def looks_of_the_digest(lab):
    """`epk recover` writes it in the encoding that the program's own locale names."""
    guest = lab.build(SOURCE, lab.compilers[0])
    for words in ["returns", "9"], ["underscore_exit"]:
        for locale, other in ("C.UTF-8", " us"), ("C", "µs"):
            said = "\n".join(lab.run([guest, *words], LC_ALL=locale).said())
            check("measuring took" in said, words, locale, said)
            check(other not in said, words, locale, said)


@case
def quick_exit(lab):
    for archive in lab.kept(SOURCE, ["quick"], ("quick_exit", "status 5")):
        visits(archive, quick=1, leaf=10, at_quick=1)


@case
def abort(lab):
    for archive in lab.kept(SOURCE, ["aborts"], ("abort", "")):
        visits(archive, aborts=1, leaf=10)
    for archive in lab.kept(SOURCE, ["aborts_with_threads"], ("abort", "")):
        visits(archive, work=1, busy=2)


@case
def segmentation_fault(lab):
    for archive in lab.kept(SOURCE, ["null_pointer"], ("signal", "SIGSEGV")):
        visits(archive, null_pointer=1, leaf=10)
    for archive in lab.kept(SOURCE, ["null_pointer", str(-2 ** 60)], ("signal", "SIGSEGV")):
        visits(archive, null_pointer=1, leaf=10)


@case
def exhausted_stack(lab):
    for archive in lab.kept(SOURCE, ["exhausted_stack"], ("signal", "SIGSEGV")):
        visits(archive, leaf=10)
        check(archive.visits("recurse") > 100, archive.visits("recurse"))
    for archive in lab.kept(SOURCE, ["exhausted_thread_stack"], ("signal", "SIGSEGV")):
        visits(archive, leaf=10)
        check(archive.visits("recurse") > 100, archive.visits("recurse"))


@case
def other_faults(lab):
    for archive in lab.kept(SOURCE, ["division"], ("signal", "SIGFPE")):
        visits(archive, leaf=10)
    for archive in lab.kept(SOURCE, ["illegal"], ("signal", "SIGILL")):
        visits(archive, leaf=10)
    for _ in range(5):
        for archive in lab.kept(SOURCE, ["two_faults"], ("signal", "SIGSEGV")):
            visits(archive, faulting_body=2, leaf=2)


@case
def signals_with_default_action(lab):
    for name in "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU", "SIGVTALRM":
        number = getattr(signal, name)
        kinds = ("preload", "linked") if name == "SIGTERM" else ("preload",)
        for archive in lab.kept(SOURCE, ["default_action", str(int(number))], ("signal", name), kinds=kinds):
            visits(archive, default_action=1, leaf=10)


@case
def signals_that_are_not_ours(lab):
    """Not watched: the arena stays, and `epk recover` does the rest."""
    for name in "SIGTRAP", "SIGPROF", "SIGPIPE":
        words = ["default_action", str(int(getattr(signal, name)))]
        for what, outcome in lab.same(SOURCE, words, kinds=("preload",)):
            archive = lab.recovered(outcome.folder)
            check(archive.ended()[0] == "killed", what, archive.ended())
            visits(archive, default_action=1, leaf=10)


@case
def signals_from_outside(lab):
    for name in "SIGTERM", "SIGINT", "SIGHUP":
        for compiler in lab.compilers:
            for guest in "waits", "spins":
                folder = lab.folder()

                def hit(pid):
                    await_word(folder)
                    os.kill(pid, getattr(signal, name))

                source = os.open("/dev/zero", os.O_RDONLY) if guest == "spins" else os.pipe()[0]
                outcome = lab.run([lab.build(SOURCE, compiler), guest], folder=folder, during=hit, stdin=source)
                os.close(source)
                check(os.WIFSIGNALED(outcome.status) and os.WTERMSIG(outcome.status) == getattr(signal, name),
                      guest, name, "status", outcome.status)
                archive = lab.archives(folder, count=1)[0]
                check(archive.ended() == ("signal", name), archive.ended())
                visits(archive, work=1)
                check(lab.unfinished(folder) == [], os.listdir(folder))


@case
def programs_own_handlers(lab):
    for name in "SIGTERM", "SIGINT", "SIGHUP", "SIGSEGV":
        number = str(int(getattr(signal, name)))
        kinds = ("preload", "linked") if name == "SIGTERM" else ("preload",)
        ended = ("exit", "status " + number)
        for archive in lab.kept(SOURCE, ["handler_exits", number], ended, kinds=kinds):
            visits(archive, handler_exits=1, exiting=1, leaf=10)
        for archive in lab.kept(SOURCE, ["handler_returns", number], ("exit", "status 0"), kinds=kinds):
            visits(archive, handler_returns=1, returning=1, leaf=20)
        for archive in lab.kept(SOURCE, ["handler_raises_again", number], ("signal", name), kinds=kinds):
            visits(archive, handler_raises_again=1, re_raising=1, leaf=10)
        for archive in lab.kept(SOURCE, ["ignored", number], ("exit", "status 0"), kinds=kinds):
            visits(archive, ignored=1, leaf=10)


@case
def handler_that_exits_in_malloc(lab):
    """exit() from a handler that interrupted malloc: the archive needs malloc, and must not wait for it."""
    for compiler in lab.compilers:
        guest = lab.build(SOURCE, compiler)
        for attempt in range(12):
            outcome = lab.run([guest, "handler_exits_in_malloc", str(3000 + 117 * attempt)], seconds=40)
            check(outcome.status == signal.SIGALRM << 8, "status", outcome.status, outcome.said())
            archive = lab.archives(outcome.folder, count=1)[0]
            check(archive.ended() == ("exit", "status 14"), archive.ended())
            visits(archive, exiting=1, leaf=10)


@case
def handler_for_one_time(lab):
    # The kernel puts the default action back, unseen by us.
    for what, outcome in lab.same(SOURCE, ["one_shot"]):
        archive = lab.recovered(outcome.folder)
        check(archive.ended()[0] == "killed", what, archive.ended())
        visits(archive, returning=1, leaf=10)


@case
def inherited_ignore(lab):
    for archive in lab.kept(SOURCE, ["inherited_ignore"], ("exit", "status 0"),
                            before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)):
        visits(archive, leaf=10)


@case
def dispositions_look_untouched(lab):
    for archive in lab.kept(SOURCE, ["dispositions"], ("exit", "status 0")):
        visits(archive, leaf=10)


@case
def signal_stacks_look_untouched(lab):
    for archive in lab.kept(SOURCE, ["signal_stacks"], ("signal", "SIGSEGV")):
        visits(archive, asks_for_stacks=3, tells_stack=9, leaf=30)
        check(archive.visits("recurse") > 100, archive.visits("recurse"))


@case
def handler_with_large_frame(lab):
    for archive in lab.kept(SOURCE, ["hungry_handler"], ("exit", "status 0")):
        visits(archive, hungry=1, leaf=10)


@case
def sigkill(lab):
    for compiler in lab.compilers:
        folder = lab.folder()

        def hit(pid):
            await_word(folder)
            lab.recover(lab.unfinished(folder)[0], status=1)  # it lives
            lab.recover(lab.unfinished(folder)[0], "--live")
            os.kill(pid, signal.SIGKILL)

        outcome = lab.run([lab.build(SOURCE, compiler), "spins"], folder=folder, during=hit)
        check(outcome.status == signal.SIGKILL, outcome.status)
        snapshot = lab.archives(folder, count=1)[0]
        check(snapshot.ended()[0] == "running", snapshot.ended())
        left = lab.unfinished(folder)[0]
        lab.recover(left)
        archive = [a for a in lab.archives(folder, count=2) if a.path != snapshot.path][0]
        check(archive.ended()[0] == "killed", archive.ended())
        visits(archive, spins=1, work=1)
        check(archive.visits("leaf") >= snapshot.visits("leaf") >= 10, "leaf", archive.visits("leaf"))
        lab.recover(archive.path)  # again: nothing happens
        check(len(lab.archives(folder)) == 2, os.listdir(folder))


@case
def stopped_and_continued(lab):
    for compiler in lab.compilers:
        folder = lab.folder()
        read, write = os.pipe()

        def hit(pid):
            await_word(folder)
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.2)
            os.kill(pid, signal.SIGCONT)
            os.write(write, b"x")

        outcome = lab.run([lab.build(SOURCE, compiler), "waits"], folder=folder, during=hit, stdin=read)
        os.close(read)
        os.close(write)
        check(outcome.status == 0, outcome.status)
        archive = lab.archives(folder, count=1)[0]
        check(archive.ended() == ("exit", "status 0"), archive.ended())
        visits(archive, work=2, leaf=20)


@case
def a_terminals_interrupt(lab):
    """Ctrl-C reaches the whole process group; the helper that writes the archive is not in it."""
    for compiler in lab.compilers:
        folder = lab.folder()

        def hit(pid):
            await_word(folder)
            os.killpg(pid, signal.SIGINT)

        outcome = lab.run([lab.build(SOURCE, compiler), "spins"], folder=folder, during=hit, before=os.setpgrp)
        check(outcome.status == signal.SIGINT, outcome.status)
        check(lab.archives(folder, count=1)[0].ended() == ("signal", "SIGINT"), "ended")


main(__file__)
