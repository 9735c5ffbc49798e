#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A picture of a terminal for the docs: terminal.py 'epk report' < output > picture.svg

The picture shows the input as it is: bold, dim and the eight colours of a terminal are kept (`script -qec 'epk report'
/dev/null` gives them), all other control sequences are dropped. The words of the command are the first line.
"""
import re
import sys
from xml.sax.saxutils import escape

CELL, LINE, MARGIN = 7.9, 18, 16  # pixels
COLOURS = {31: "#f28b82", 32: "#6fd197", 33: "#e3b95a", 34: "#7db4f5", 35: "#c79bf2", 36: "#6cc7d9", 90: "#98a2b0"}
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|\x1b[()].|[\x00-\x08\x0b-\x1f]")


def pieces(line):
    """(text, style) of a line."""
    style, at = {}, 0
    for found in SEQUENCE.finditer(line):
        if found.start() > at:
            yield line[at:found.start()], dict(style)
        at = found.end()
        if found.group(2) != "m":
            continue
        for code in (int(word or 0) for word in found.group(1).split(";")):
            if code == 0:
                style.clear()
            elif code == 1:
                style["font-weight"] = "bold"
            elif code == 2:
                style["opacity"] = ".6"
            elif code in COLOURS:
                style["fill"] = COLOURS[code]
    if at < len(line):
        yield line[at:], style


def svg(command, lines):
    columns = max(len("".join(text for text, _ in pieces(line))) for line in lines + ["$ " + command])
    width, height = round(columns * CELL + 2 * MARGIN), round((len(lines) + 1) * LINE + 2 * MARGIN)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           f'role="img" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13">',
           f"<title>{escape(command)}</title>",
           f'<rect width="{width}" height="{height}" rx="8" fill="#1b1f26"/>',
           f'<g fill="#e4e7ec" xml:space="preserve" transform="translate({MARGIN} {MARGIN + 13})">',
           f'<text><tspan fill="#6fd197">$</tspan> {escape(command)}</text>']
    for row, line in enumerate(lines, 1):
        column = 0
        for text, style in pieces(line):
            words = "".join(f' {key}="{value}"' for key, value in style.items())
            # Each run of text has its place and its length: fonts differ, columns must not.
            for run in re.finditer(r"\S+(?: \S+)*", text):
                x = (column + run.start()) * CELL
                length = len(run.group()) * CELL
                out.append(f'<text x="{x:.1f}" y="{row * LINE}" textLength="{length:.1f}" '
                           f'lengthAdjust="spacingAndGlyphs"{words}>{escape(run.group())}</text>')
            column += len(text)
    return "\n".join(out + ["</g>", "</svg>", ""])


def main():
    text = sys.stdin.buffer.read().decode("utf-8", "replace").replace("\r\n", "\n")
    lines = text.rstrip("\n").split("\n")
    sys.stdout.buffer.write(svg(" ".join(sys.argv[1:]), lines).encode("utf-8"))


if __name__ == "__main__":
    main()
