# SPDX-License-Identifier: BSD-3-Clause
"""Little stack: EPIK needs so little of the program's stack that a program that runs without EPIK also runs with it."""
import os
import resource

from harness import LITTLE_STACK, case, check, main

SOURCE = "stacks.c"
NOW = "-Wl,-z,now"  # the first call of any function takes 3 KiB where the loader looks for it only then
MOST_IN_HOOKS = 512
MOST_IN_HANDLERS = 2048


def need(lab, words, **variables):
    """Bytes of a stack that were touched beyond those of the same work without hooks."""
    outcome = lab.run([lab.build(SOURCE, "gcc", NOW), *words], **variables)
    said = outcome.out.split()
    check(outcome.status == 0 and len(said) == 2, words, outcome.status, outcome.out, outcome.said())
    lab.archives(outcome.folder, count=1)
    return int(said[1])


@case
def what_hooks_need(lab):
    lab.needs_no_sanitizer(LITTLE_STACK)
    for variables in {}, {"EPK_TRACE": "all"}, {"EPK_TRACE": "all", "ELG_BUFFER_SIZE": "64K"}, {"EPK_HOT": "sample"}:
        used = {what: need(lab, [what, "1024"], **variables) for what in ("hooks", "paths", "start")}
        print("         %s: %s" % (variables, used))
        check(max(used.values()) <= MOST_IN_HOOKS, variables, used)


@case
def what_hooks_need_in_handlers(lab):
    """On 4 KiB, if the kernel's own frame leaves 2 KiB of them."""
    lab.needs_no_sanitizer(LITTLE_STACK)
    for variables in {}, {"EPK_TRACE": "all"}, {"EPK_TRACE": "all", "ELG_BUFFER_SIZE": "64K"}:
        used = need(lab, ["handlers", "20000"], **variables)
        print("         %s: %d" % (variables, used))
        check(used <= MOST_IN_HANDLERS, variables, used)


@case
def a_first_call_on_a_small_stack(lab):
    lab.needs_no_sanitizer(LITTLE_STACK)
    for kilobytes in "16", "24", "64":
        need(lab, ["start", kilobytes])
        need(lab, ["paths", kilobytes])


@case
def ends_on_a_small_stack(lab):
    lab.needs_no_sanitizer(LITTLE_STACK)
    guest = lab.build(SOURCE, "gcc", NOW)
    for words in "ends_by_exit", "ends_by_underscore_exit":
        for kilobytes in "16", "24", "64":
            for trace in "off", "all":
                outcome = lab.run([guest, words, kilobytes], EPK_TRACE=trace)
                check(os.WIFEXITED(outcome.status) and os.WEXITSTATUS(outcome.status) == 7, words, kilobytes,
                      outcome.status)
                check(lab.archives(outcome.folder, count=1)[0].visits("leaf") == 10, words, kilobytes)


@case
def a_program_that_is_given_a_small_stack(lab):
    lab.needs_no_sanitizer(LITTLE_STACK)
    def limit():
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
        resource.setrlimit(resource.RLIMIT_STACK, (160 << 10, hard))
    for trace in "off", "all":
        for archive in lab.kept(SOURCE, ["plain"], ("exit", "status 0"), before=limit, EPK_TRACE=trace):
            check(archive.visits("leaf") == 10)


if __name__ == "__main__":
    main(__file__)
