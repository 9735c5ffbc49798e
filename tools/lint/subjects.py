# SPDX-License-Identifier: BSD-3-Clause
"""Subjects of commits that are not in the main branch yet: `area: verb ...`, at most 72 characters. Subjects that have
landed cannot be changed any more, so they are not checked."""
import re
import subprocess

MOST = 72
SUBJECT = re.compile(r"[a-z0-9_./, -]+: \S")
MAIN = ("origin/main", "main")


def git(root, *words):
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def subjects(root):
    """The subjects of the commits that are new here. Empty outside of a clone, and if the main branch is not known."""
    for main in MAIN:
        log = git(root, "log", "--no-merges", "--format=%h %s", f"{main}..HEAD")
        if log is not None:
            return [line.split(" ", 1) for line in log.splitlines()]
    return []


def check(root):
    for commit, subject in subjects(root):
        if len(subject) > MOST:
            yield f"commit {commit}: the subject has {len(subject)} characters, more than {MOST}: {subject}"
        if not SUBJECT.match(subject):
            yield f"commit {commit}: the subject does not begin with an area and a colon: {subject}"
