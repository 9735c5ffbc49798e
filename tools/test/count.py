#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the cases of a test run: count.py LOG TESTLOGS STATUS

LOG has one line for each target, as `bazel test --test_summary=short` writes it; TESTLOGS is Bazel's folder of results,
where each target that ran left its cases as XML; STATUS is that of Bazel. The last line is `N passed, N failed, N
skipped`; the lines before it name failed cases and their reasons, reasons of skipped cases, and how often checks of
time were tried again.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

LINE = re.compile(r"^(//\S+)\s+(?:\(cached\) )?(PASSED|FAILED|TIMEOUT|NO STATUS|FLAKY|SKIPPED)")
WIDTH = 600  # the longest text of one failure


def cases_of(target, testlogs):
    """(passed, [why failed], [why skipped], tries again) of all shards of a target; None if it left nothing to read."""
    folder = testlogs / target[2:].replace(":", "/")
    passed, failed, skipped, again, found = 0, [], [], 0, False
    for path in folder.glob("**/test.xml"):
        try:
            root = xml.parse(path).getroot()
        except (OSError, xml.ParseError):
            continue
        found = True
        again += sum(int(p.get("value")) for p in root.iter("property") if p.get("name") == "tries_again")
        for case in root.iter("testcase"):
            why = case.find("skipped")
            wrong = next((part for part in case if part.tag in ("failure", "error")), None)
            if wrong is not None:
                failed.append(f"{case.get('name')}: {shortened(wrong.get('message') or wrong.text or '')}")
            elif why is not None or case.get("result") == "skipped":
                skipped.append(f"{case.get('name')}: {'' if why is None else why.get('message', '')}")
            else:
                passed += 1
    return (passed, failed, skipped, again) if found else None


def shortened(text):
    """The begin and the end of the text in one line: a traceback names the error last."""
    line = " | ".join(part.strip() for part in text.splitlines() if part.strip())
    return line if len(line) <= WIDTH else f"{line[:WIDTH // 2]} ... {line[-WIDTH // 2:]}"


def main():
    log, testlogs, status = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    passed = failed = skipped = again = 0
    for line in log.read_text(errors="replace").splitlines():
        match = LINE.match(line)
        if not match:
            continue
        target, word = match.groups()
        cases = cases_of(target, testlogs) if word != "SKIPPED" else None
        good, bad, left_out, tries = cases or (0, [], [], 0)
        if cases is None:
            good = word == "PASSED"
            skipped += word == "SKIPPED"
        if word not in ("PASSED", "SKIPPED") and not bad:
            bad = [word]  # the target may have ended before it noted the failed case
        passed, failed, skipped, again = passed + good, failed + len(bad), skipped + len(left_out), again + tries
        for what in bad:
            print(f"failed: {target} {what}")
        for why in left_out:
            print(f"skipped: {target} {why}")
    if again:
        print(f"checks of time that were tried again: {again}")
    if status != 0:
        failed = max(failed, 1)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
