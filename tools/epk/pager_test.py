#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Output that is longer than the terminal goes through $PAGER. Output that fits, or that goes to no terminal, does not.

pager_test.py EPK TRACE_SCALE
"""
import fcntl
import os
import pathlib
import pty
import struct
import subprocess
import sys
import tempfile
import termios


def shown(words, rows, pager, columns=100):
    """Runs a command on a terminal of this many rows; returns its status and output."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm", "PAGER": pager}
        os.execve(words[0], words, environment)
    text = b""
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        text += part
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), text.decode().replace("\r\n", "\n")


def main():
    epk, trace_scale = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        archive = os.path.join(folder, "epik_made_up")
        subprocess.run([trace_scale, archive, "4", "0.01"], check=True, stdout=subprocess.DEVNULL)
        for words, kept in (([epk, "report", archive], "hottest call paths"), ([epk, "print", archive], "> main")):
            status, text = shown(words, 5, "sed 's/^/PAGED /'")
            assert status == 0 and kept in text, (words, status, text[:500])
            lines = [line for line in text.splitlines() if line]
            assert len(lines) > 5 and all(line.startswith("PAGED") for line in lines), lines[:10]
            # The pager may end early, and may not exist.
            status, text = shown(words, 5, "head -n 1")
            assert status == 0 and len(text.splitlines()) == 1, (words, status, text[:500])
            status, text = shown(words, 5, "/no/such/pager 2>/dev/null")
            assert status == 0 and kept in text, (words, status, text[:500])
            piped = subprocess.run(words, env={**os.environ, "PAGER": "sed 's/^/PAGED /'"}, capture_output=True, text=True)
            assert piped.returncode == 0 and kept in piped.stdout and "PAGED" not in piped.stdout, piped
        status, text = shown([epk, "report", archive], 1000, "sed 's/^/PAGED /'")
        assert status == 0 and "PAGED" not in text, text[:500]
        # Messages keep to the width of the terminal; for a program, each is one line.
        wrong = [epk, "print", archive, "--rank", "99"]
        status, text = shown(wrong, 24, "cat", columns=60)
        words_that_fit = [line for line in text.splitlines() if " " in line.strip()]
        assert status == 1 and len(text.splitlines()) > 1 and all(len(line) <= 60 for line in words_that_fit), text
        piped = subprocess.run(wrong, capture_output=True, text=True)
        assert len(piped.stderr.splitlines()) == 1, piped.stderr
        # If less is the pager, colours pass: it gets the flag for that.
        status, text = shown([epk, "report", archive], 5, "echo flags=$LESS; cat > /dev/null")
        assert status == 0 and text.startswith("flags=-"), text
    print("report and print: paged where they are long, plain elsewhere")


if __name__ == "__main__":
    main()
