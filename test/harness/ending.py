# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program that must end. If it does not, the failure says where each of its processes stands."""

import os
import pathlib
import shutil
import signal
import subprocess


def run(words, seconds, **options):
    """Like subprocess.run, with the output as text. AssertionError: the program has not ended in time."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            family = with_descendants(process.pid)
            places = "\n".join(place_of(pid) for pid in family)
            for pid in family:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            raise AssertionError(f"{words} did not end within {seconds} s\n{places}") from None
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def with_descendants(pid):
    children = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended
        children.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def place_of(pid):
    """The command of a process, and the stacks of its threads if there is a debugger."""
    try:
        command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        threads = [f"{task.name}: {(task / 'wchan').read_text() or 'runs'}"
                   for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return f"process {pid} has ended"
    text = f"process {pid}: {command}\n  threads: {', '.join(threads)}"
    if shutil.which("gdb") is None:
        return text
    try:
        stacks = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all backtrace 20"], timeout=60,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    except subprocess.TimeoutExpired:
        return text
    return "\n".join([text, *(line for line in stacks.splitlines() if line.startswith(("#", "Thread ")))])
