#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The compiled hooks keep the promises of their source: no call, no lock, one clock read, no register saved. The code
that they jump to when a call goes into the trace has no call, no lock and no clock read, and saves no register.

Each function is checked up to its last instruction. Branches out of it are the rare cases, which may cost more.
"""
import platform
import re
import subprocess
import sys

# Instructions (without padding), reads of the clock and registers saved. Measured with gcc 12: 56, 65 (5 of them for the
# trace), 72 and 96, and a few to spare. Four instructions of each hook are its way out when nothing is measured.
HOOKS = {
    "__cyg_profile_func_enter": (58, 1, set()),
    "__cyg_profile_func_exit": (67, 1, set()),
    "epik::episode::EnterOther": (75, 1, {"rbx"}),
    "epik::epilog::PopLogged": (112, 0, set()),
}
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\s+(\S.*)$")
SYMBOL = re.compile(r"^[0-9a-f]+ <(.+)>:$")
PADDING = re.compile(r"^((data16|cs) )*(nop\w*|xchg +%ax,%ax)\b")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def disassemble(library):
    """Name (demangled, without parameters) -> lines of its instructions."""
    functions, current = {}, None
    for line in output_of("objdump", "-d", "-C", "--no-show-raw-insn", library).splitlines():
        symbol = SYMBOL.match(line)
        if symbol:
            current = functions.setdefault(re.sub(r"\(.*?\)(?! \[)", "", symbol.group(1)), [])
            continue
        instruction = INSTRUCTION.match(line)
        if instruction and current is not None and not PADDING.match(instruction.group(1)):
            current.append(line.rstrip())
    return functions


def mnemonic(line):
    return INSTRUCTION.match(line).group(1)


def findings(lines, budget, clock_reads, saved):
    """Pairs of a sentence and the lines that it is about."""
    def those(pattern):
        return [line for line in lines if re.match(pattern, mnemonic(line))]

    if calls := those(r"(notrack |bnd )*call"):
        yield "calls another function", calls
    if locks := those(r"lock\b|xchg\w* .*\("):
        yield "locks the bus", locks
    reads = those(r"rdtscp?\b")
    if len(reads) != clock_reads:
        yield f"reads the clock {len(reads)} times, not {clock_reads}", reads
    if fences := those(r"[lms]fence|cpuid|syscall"):
        yield "waits", fences
    pushes = those(r"push")
    if saved is not None and sorted(re.findall(r"%(\w+)", " ".join(map(mnemonic, pushes)))) != sorted(saved):
        yield f"saves other registers than {', '.join(sorted(saved)) or 'none'}", pushes
    if saved is not None and (frames := those(r"sub\w? .*,%rsp")):
        yield "has variables on the stack", frames
    if len(lines) > budget:
        yield f"has {len(lines)} instructions, at most {budget}", lines


def main():
    library = sys.argv[1]
    if platform.machine() != "x86_64":
        print(f"passes unchecked: this is {platform.machine()}, and the expectations are for x86-64")
        return 0
    gcc = "clang" not in output_of("readelf", "-p", ".comment", library)
    if not gcc:
        print("built by clang: lengths are not checked, they are gcc's")
    functions = disassemble(library)
    problems = 0
    for name, (budget, clock_reads, saved) in HOOKS.items():
        if name not in functions:
            print(f"{name}: not in {library}")
            problems += 1
            continue
        lines = functions[name]
        print(f"{name}: {len(lines)} instructions")
        for sentence, offending in findings(lines, budget if gcc else sys.maxsize, clock_reads, saved):
            print(f"{name} {sentence}:")
            print("\n".join(offending))
            problems += 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
