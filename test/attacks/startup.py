# SPDX-License-Identifier: BSD-3-Clause
"""Settings that name files that are no regular files, or that are far too large, for a program that starts."""
import os
import subprocess
import time

from harness import case, check, main

SOURCE = "privileged.c"
SECONDS = 20  # a program with EPIK starts in some milliseconds; a loaded machine is no reason to fail


def strange_files(lab, folder):
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    large = os.path.join(folder, "large")
    with open(large, "wb") as file:
        file.truncate(100 << 20)
    return [pipe, "/dev/zero", "/dev/tty", large, folder, "/no/such/file"]


@case
def strange_files_for_settings(lab):
    guest = lab.build(SOURCE, "gcc")
    for variable in "EPK_FILTER", "EPK_METRICS_SPEC", "EPK_CONF", "EPK_COSTS":
        folder = lab.folder()
        for path in strange_files(lab, folder):
            begin = time.time()
            more = {"EPK_METRICS": "rusage::utime"} if variable == "EPK_METRICS_SPEC" else {}
            outcome = lab.run([guest, "started_with_rights"], seconds=SECONDS, **{variable: path}, **more)
            check(outcome.status == 0 and outcome.out == b"secure 0\n", variable, path, outcome.out)
            about = [line for line in outcome.said() if path in line]
            if not (variable == "EPK_CONF" and path == folder):  # a folder without EPIK.CONF is none
                check(len(about) == 1, variable, path, outcome.said())
            check(time.time() - begin < SECONDS, variable, path, "took", time.time() - begin)
            check(lab.archives(outcome.folder, count=1)[0].visits("leaf") == 10)


@case
def a_record_that_nobody_reads(lab):
    folder = lab.folder()
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    outcome = lab.run([lab.build(SOURCE, "gcc"), "started_with_rights"], seconds=SECONDS, EPK_INTERNAL_RUN=pipe)
    check(outcome.status == 0, outcome.status)


TOOLS = (("report",), ("report", "--waits"), ("report", "--format", "json"), ("print",), ("info",), ("check",), ("score",),
         ("check", "--trace-vs-summary"), ("convert", "--to", "folded"), ("convert", "--to", "chrome"), ("analyze",),
         ("view", "--export", "-"))


def epk(lab, words, archive):
    try:
        subprocess.run([lab.epk, *words, archive], env=lab.environment(), capture_output=True, timeout=SECONDS,
                       stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        check(False, "epk", *words, "waits for a pipe's writer")


@case
def strange_files_for_tools(lab):
    folder = lab.folder()
    outcome = lab.run([lab.build(SOURCE, "gcc"), "started_with_rights"], folder=folder, EPK_TRACE="all")
    check(outcome.status == 0, outcome.err)
    archive = lab.archives(folder, count=1)[0].path
    files = {os.path.relpath(os.path.join(path, name), archive) for path, _, names in os.walk(archive) for name in names}
    check({"summary.cubex", "manifest.json", "epik.conf", "defs.epk"} < files and any("traces" in name for name in files), files)
    for name in files | {"communication.csv", "io.csv", "trace.cubex", "analysis.json", "timeline.epk"}:
        path = os.path.join(archive, name)
        kept = path + ".kept"
        if os.path.exists(path):
            os.rename(path, kept)
        os.mkfifo(path)
        for words in TOOLS:
            epk(lab, words, archive)
        os.unlink(path)
        if os.path.exists(kept):
            os.rename(kept, path)


if __name__ == "__main__":
    main(__file__)
