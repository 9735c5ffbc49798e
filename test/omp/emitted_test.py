#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The test programs have all calls that GCC emits for constructs, and libepk.so wraps all of them.

The counts and times of the programs named here are compared in omp_test.py (test_counts_gcc, test_what_*) and region by
region in accounting_test.py.
"""

import re
import subprocess
import sys

sys.path.insert(0, "test/omp")
from omp_programs import PREFIX, Omp, expect, harness  # noqa: E402

# Construct: the program that has it, and the calls that GCC 12 emits for it.
ROWS = {
    "parallel": ("constructs.c", "GOMP_parallel"),
    "for, static or auto or loop": ("emitted.c", "GOMP_barrier"),
    "for, dynamic": ("constructs.c", "GOMP_loop_nonmonotonic_dynamic_start GOMP_loop_end"),
    "for, guided": ("constructs.c", "GOMP_loop_nonmonotonic_guided_start"),
    "for, runtime": ("constructs.c", "GOMP_loop_maybe_nonmonotonic_runtime_start"),
    "for, of unsigned long": ("constructs.c", "GOMP_loop_ull_nonmonotonic_dynamic_start GOMP_loop_end_nowait"),
    "for, monotonic:dynamic": ("constructs.c", "GOMP_loop_dynamic_start"),
    "parallel for, constant bounds": ("constructs.c", "GOMP_parallel_loop_nonmonotonic_dynamic "
                                      "GOMP_parallel_loop_nonmonotonic_guided "
                                      "GOMP_parallel_loop_maybe_nonmonotonic_runtime"),
    "ordered": ("constructs.c", "GOMP_loop_ordered_static_start GOMP_ordered_start GOMP_ordered_end"),
    "doacross": ("constructs.c", "GOMP_loop_doacross_static_start GOMP_doacross_post GOMP_doacross_wait "
                 "GOMP_loop_static_next"),
    "single": ("constructs.c", "GOMP_single_start GOMP_barrier"),
    "single copyprivate": ("constructs.c", "GOMP_single_copy_start GOMP_single_copy_end"),
    "sections": ("constructs.c", "GOMP_sections_start GOMP_sections_next GOMP_sections_end"),
    "parallel sections": ("constructs.c", "GOMP_parallel_sections GOMP_sections_end_nowait"),
    "critical": ("constructs.c", "GOMP_critical_start GOMP_critical_end"),
    "critical, named": ("constructs.c", "GOMP_critical_name_start GOMP_critical_name_end"),
    "atomic of long double": ("rare.c", "GOMP_atomic_start GOMP_atomic_end"),
    "task, taskwait": ("constructs.c", "GOMP_task GOMP_taskwait"),
    "taskloop": ("constructs.c", "GOMP_taskloop"),
    "taskgroup": ("constructs.c", "GOMP_taskgroup_start GOMP_taskgroup_end"),
    "taskwait depend": ("emitted.c", "GOMP_taskwait_depend"),
    "reduction(task)": ("rare.c", "GOMP_loop_start GOMP_workshare_task_reduction_unregister"),
    "lastprivate(conditional)": ("emitted.c", "GOMP_atomic_start GOMP_atomic_end"),
    "teams": ("rare.c", "GOMP_teams_reg"),
    "target": ("rare.c", "GOMP_target_ext GOMP_target_data_ext GOMP_target_end_data GOMP_target_update_ext "
               "GOMP_target_enter_exit_data"),
    "target teams": ("emitted.c", "GOMP_target_ext GOMP_teams4"),
    "cancel": ("cancel.cc", "GOMP_cancel GOMP_loop_end_cancel"),
}
# Constructs of emitted.c for which GCC emits no call: inline loops, `master`, `masked`, `simd`, `atomic`, `scope`.
NO_CALLS = r"GOMP_(loop_static|scope|critical|single_copy|sections)"

# Entry points that need no wrapper.
UNSEEN = {
    r".*_next": "a chunk, or the next section: no event of its own",
    r"GOMP_cancel|GOMP_cancellation_point": "says whether to stop, and never waits",
    r"GOMP_scope_start|GOMP_task(group)?_reduction_.*": "hands out memory",
    r"GOMP_teams4?": "which team is next, on a device",
    r"GOMP_(alloc|free|error|warning)": "not of threads",
    r"GOMP_target(_data|_update)?|GOMP_offload_.*|GOMP_PLUGIN_.*": "GCC 4.9's, and libgomp's own plug-ins",
}


def symbols(file, *flags):
    out = subprocess.run(["nm", "-D", *flags, str(file)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.split()[-1] for line in out.splitlines() if line.strip()]


def test_rows():
    version = subprocess.run(["gcc", "-dumpversion"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if version != "12":
        print(f"gcc {version}: which calls it makes is not known here")
        return
    calls = {}
    for row, (source, wanted) in ROWS.items():
        if source not in calls:
            program = Omp("g++" if source.endswith(".cc") else "gcc", source).program
            calls[source] = {name.split("@")[0] for name in symbols(program, "-u")}
        expect(f"{row}: calls that {source} does not make", set(wanted.split()) - calls[source], set())
    expect("calls of emitted.c", {name for name in calls["emitted.c"] if re.match(NO_CALLS, name)}, set())


def test_entry_points():
    ours = symbols(PREFIX / "lib/libepk.so", "--defined-only")
    expect("symbols with a version", [name for name in ours if "@" in name], [])
    path = subprocess.run(["gcc", "-print-file-name=libgomp.so"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()
    theirs = {name.split("@")[0] for name in symbols(path, "--defined-only")}
    functions = {name for name in theirs if re.match(r"GOMP_(?!(PLUGIN_)?\d)", name)}  # and no names of versions
    expect("many entry points", len(functions) > 100, True)
    unseen = {name for name in functions if any(re.fullmatch(pattern, name) for pattern in UNSEEN)}
    expect("neither wrapped nor known to need nothing", sorted(functions - unseen - set(ours)), [])
    expect("wrapped though nothing is to be seen", sorted(unseen & set(ours)), [])
    locks = {name for name in theirs if re.fullmatch(r"omp_(set|unset|test)(_nest)?_lock_?", name)}
    expect("locks, of C and Fortran", len(locks), 12)
    expect("locks that are not wrapped", sorted(locks - set(ours)), [])


if __name__ == "__main__":
    sys.exit(harness.main(globals()))
