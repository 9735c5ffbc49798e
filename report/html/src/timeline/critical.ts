// SPDX-License-Identifier: BSD-3-Clause
// The lines of the critical path. Where it changes its row more often than the screen can show, most of the changes are
// left out: else they would cover the rows.
import type { Segment } from './drawing';

export interface PathLines {
  along: [y: number, from: number, to: number][]; // pixels
  across: [x: number, from: number, to: number][];
}

const kApart = 8; // pixels between two lines across the rows

// `x`: the pixel of a time; `y`: that of a row, if it is drawn.
export function linesOf(path: Segment[], x: (ns: number) => number, y: (row: number) => number | undefined, width: number): PathLines {
  const lines: PathLines = { along: [], across: [] };
  const last = new Map<number, [number, number, number]>(); // of each row
  let before: { y: number; to: number } | undefined;
  let shown = -Infinity;
  for (const [row, from, to] of path) {
    const at = y(row);
    const [left, right] = [Math.max(x(from), 0), Math.min(x(to), width)];
    // The path of another archive begins anew.
    if (before !== undefined && from < before.to) [before, shown] = [undefined, -Infinity];
    if (at === undefined || right < left) {
      before = undefined;
      continue;
    }
    const known = last.get(at);
    if (known !== undefined && left - known[2] < 1 && left >= known[1]) known[2] = Math.max(right, known[2]);
    else {
      const line: [number, number, number] = [at, left, right];
      last.set(at, line);
      lines.along.push(line);
    }
    if (before !== undefined && before.y !== at && left - shown >= kApart) {
      lines.across.push([left, before.y, at]);
      shown = left;
    }
    before = { y: at, to };
  }
  return lines;
}
