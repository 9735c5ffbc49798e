# SPDX-License-Identifier: BSD-3-Clause
"""Files that EPIK writes, as other programs read them."""
import csv
import gzip
import io
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import tarfile

from harness import case, check, main

SOURCE = "names.c"
FORMAT_CHARACTERS = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]")


def archive_of(lab, words, **how):
    outcome = lab.run([lab.build(SOURCE, "gcc"), *words], **how)
    check(outcome.status == 0, outcome.status, outcome.said())
    return lab.archives(outcome.folder, count=1)[0]


def epk(lab, *words, status=0):
    done = subprocess.run([lab.epk, *words], capture_output=True, env=lab.environment(), timeout=100)
    check(status is None or done.returncode == status, words, done.returncode, done.stderr[:300])
    return done


@case
def formulas_in_csv(lab):
    archive = archive_of(lab, ["names"])
    formulas = {"=1+2", "@SUM(A1)", "-danger, \"quoted\"", "+plus"}
    for view in [], ["--load"]:
        rows = list(csv.reader(io.StringIO(epk(lab, "report", archive.path, *view, "--format", "csv").stdout.decode())))
        for cell in (cell for row in rows for cell in row):
            check(not re.match(r"[=+@\t\r]|-[^0-9.]", cell), view, "begins as a formula:", cell)
        if not view:
            check({"'" + name for name in formulas} <= {row[3] for row in rows}, [row[3] for row in rows])
    done = epk(lab, "report", archive.path, "--format", "csv", "--csv-safe=off")
    rows = list(csv.reader(io.StringIO(done.stdout.decode())))
    check(formulas <= {row[3] for row in rows}, [row[3] for row in rows])
    trace = archive_of(lab, ["names"], EPK_TRACE="all")
    for words in ["score", trace.path], ["predict", trace.path, "--faster", "each:2x"]:
        regions = {row[1] for row in csv.reader(io.StringIO(epk(lab, *words, "--format", "csv").stdout.decode()))}
        check("work" in regions and not regions & formulas, words, regions)
        check(words[0] != "score" or {"'" + name for name in formulas} <= regions, words, regions)


@case
def definitions_that_burst(lab):
    archive = archive_of(lab, ["names"])
    path = os.path.join(lab.folder(), "burst.cubex")
    with tarfile.open(os.path.join(archive.path, "summary.cubex")) as before, tarfile.open(path, "w") as after:
        for member in before.getmembers():
            data = before.extractfile(member).read()
            if os.path.basename(member.name) == "anchor.xml":
                plain = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
                data = gzip.compress(plain.rstrip().replace(b"</cube>", b" " * (40 << 20) + b"</cube>"))
            member.size = len(data)
            after.addfile(member, io.BytesIO(data))
    check(os.path.getsize(path) < 4 << 20, os.path.getsize(path))
    words = [lab.epk, "report", path, "--flat"]
    done = subprocess.run(words, env=lab.environment(), capture_output=True)
    check(done.returncode != 0 and b"--max-anchor" in done.stderr, done.returncode, done.stderr)
    done = subprocess.run([words[0], "--max-anchor", "100M", *words[1:]], env=lab.environment(), capture_output=True)
    check(done.returncode == 0, done.stderr)
    done = subprocess.run([words[0], "--max-anchor=lots", *words[1:]], env=lab.environment(), capture_output=True)
    check(done.returncode == 2 and b"expected bytes" in done.stderr, done.returncode, done.stderr)


@case
def characters_that_nobody_sees(lab):
    archive = archive_of(lab, ["names"])
    for words in [], ["--flat"], ["--format", "markdown"]:
        text = epk(lab, "report", archive.path, *words).stdout.decode()
        check("txt.exe" in text or not words, words, text[:300])
        found = FORMAT_CHARACTERS.findall(text)
        check(words == ["--format", "markdown"] or not found, words, found)


@case
def names_on_the_command_line(lab):
    for words in ["report", "no\x1b[31m\x07such"], ["print", "no\x1b[31msuch"], ["report", "--metric\x1b[31m"]:
        done = epk(lab, *words, status=None)
        check(done.returncode != 0 and b"\x1b" not in done.stderr and b"?[31m" in done.stderr, words, done.stderr)
    archive, folder = archive_of(lab, ["names"], EPK_TRACE="all"), lab.folder()
    shutil.copytree(archive.path, os.path.join(folder, "epik_\x1b[31m_trace"))
    for words in ["report"], ["print"], ["view", "--export", "-"], ["convert", "--to", "chrome"]:
        done = subprocess.run([lab.epk, *words], capture_output=True, env=lab.environment(), timeout=100, cwd=folder)
        check(done.returncode == 0 and b"\x1b" not in done.stderr and b"?[31m" in done.stderr, words, done.stderr)
    os.mkdir(os.path.join(folder, "epik_\x1b[31m.unfinished"))
    done = subprocess.run([lab.epk, "recover"], capture_output=True, env=lab.environment(), timeout=100, cwd=folder)
    check(b"\x1b" not in done.stderr, done.stderr)
    done = epk(lab, "recover", "99999999999", status=1)  # a number, but of no process
    check(b"no unfinished archive of that name or process number" in done.stderr, done.stderr)


@case
def names_in_what_check_finds(lab):
    archive = archive_of(lab, ["names"], EPK_TRACE="all")
    summary = os.path.join(archive.path, "summary.cubex")
    with tarfile.open(summary) as before, tarfile.open(summary + ".new", "w") as after:
        for member in before.getmembers():
            data = before.extractfile(member).read()
            if os.path.basename(member.name) == "anchor.xml":
                data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
                data = data.replace(b"@SUM(A1)", b"\x1b[31mred")
            elif member.name.endswith(".data"):
                data = data[:10] + bytes(byte ^ 1 for byte in data[10:])
            member.size = len(data)
            after.addfile(member, io.BytesIO(data))
    os.rename(summary + ".new", summary)
    done = epk(lab, "check", archive.path, "--trace-vs-summary", status=1)
    check(b"?[31mred" in done.stdout and b"\x1b" not in done.stdout, done.stdout)


@case
def a_name_of_a_megabyte(lab):
    archive = archive_of(lab, ["long_name"])
    trace = archive_of(lab, ["long_name"], EPK_TRACE="all")
    out = os.path.join(lab.folder(), "out")
    for name in "text", "json", "csv", "markdown", "folded", "speedscope", "pprof", "hatchet":
        epk(lab, "report", archive.path, "--format", name, "-o", out)
    formats = re.findall(r"^    (\w+)  +\S", epk(lab, "help", "convert").stdout.decode(), re.M)
    check({"cube3", "folded", "speedscope", "perfetto", "chrome", "otf2", "paraver"} <= set(formats), formats)
    for name in formats:
        done = epk(lab, "convert", trace.path, "--to", name, "-o", out + "." + name)
        check(done.stderr.count(b"\n") <= 3 and len(done.stderr) < 4096, name, done.stderr[:300])


@case
def a_umask_without_rights(lab):
    for trace in "off", "all":
        for buffer in "16M", "64K":
            archive = archive_of(lab, ["names"], before=lambda: os.umask(0o777), EPK_TRACE=trace,
                                 ELG_BUFFER_SIZE=buffer)
            for path, folders, files in os.walk(archive.path):
                for name in folders + files:
                    mode = os.stat(os.path.join(path, name)).st_mode
                    check(mode & 0o600 == 0o600, name, oct(mode))


def traced(lab):
    return archive_of(lab, ["names"], EPK_TRACE="all")


@case
def an_output_that_is_full_or_closed(lab):
    """A report that was cut short must not look whole. But a reader may stop early."""
    path = traced(lab).path
    for words in (["report"], ["print"], ["print", "--format", "json"], ["diff", path, "--format", "json"], ["info"],
                  ["view", "--export", "-"], ["convert", "--to", "perfetto"], ["help"]):
        words = [lab.epk, *words] + ([] if words == ["help"] else [path])
        with open("/dev/full", "w") as full:
            done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, env=lab.environment())
        check(done.returncode == 1 and done.stderr.count(b"\n") == 1, words, done.returncode, done.stderr)
        closed = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *words], stderr=subprocess.PIPE, env=lab.environment())
        check(closed.returncode == 1 and closed.stderr.count(b"\n") == 1, words, closed.returncode, closed.stderr)
    left = subprocess.run(["sh", "-c", '"$@" >&-', "sh", lab.epk, "run", "sh", "-c", "echo text || echo closed >&2"],
                          stderr=subprocess.PIPE, env=lab.environment(EPK_GDIR=lab.folder()))
    check(b"closed" in left.stderr, "the program does not find its output closed:", left.stderr)
    early = subprocess.run(["sh", "-c", '{ "$@"; echo status $? >&2; } | true', "sh", lab.epk, "print", path],
                           stderr=subprocess.PIPE, env=lab.environment())
    check(early.stderr == b"status 0\n", early.stderr)


@case
def a_disk_that_is_full(lab):
    """No command leaves a file that it could not write to its end."""
    path, folder = traced(lab).path, lab.folder()

    def little():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    for words in (["print"], ["convert", "--to", "otf2"], ["convert", "--to", "perfetto"], ["convert", "--to", "cubex"],
                  ["convert", "--to", "paraver"], ["view", "--export"], ["report", "--format", "json"]):
        output = ["-o"] if "--export" not in words else []
        command = [lab.epk, words[0], path, *words[1:], *output, os.path.join(folder, "out")]
        done = subprocess.run(command, preexec_fn=little, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=lab.environment())
        check(done.returncode == 1 and done.stderr, words, done.returncode, done.stderr)
        check(os.listdir(folder) == [], words, os.listdir(folder))


@case
def devices_and_pipes_stay_what_they_are(lab):
    path, folder = traced(lab).path, lab.folder()
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    for words in (["convert", path, "--to", "cubex", "-o"], ["view", path, "--export"], ["reduce", path, "-o"],
                  ["score", path, "--suggest", "-o"], ["print", path, "-o"], ["report", path, "-o"]):
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
        done = subprocess.run([lab.epk, *words, pipe], capture_output=True, env=lab.environment(), timeout=60)
        got = reader.communicate(timeout=60)[0]
        check(done.returncode == 0, words, done.returncode, done.stderr)
        check(got, words, "nothing came out of the pipe")
        check(stat.S_ISFIFO(os.stat(pipe).st_mode), words, "the pipe is no pipe any more")
        epk(lab, *words, "/dev/null")
        check(stat.S_ISCHR(os.stat("/dev/null").st_mode), words, "/dev/null is no device any more")


if __name__ == "__main__":
    main(__file__)
