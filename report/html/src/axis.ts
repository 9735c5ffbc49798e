// SPDX-License-Identifier: BSD-3-Clause
// Where the names of columns stand: as many as fit, each in the middle of its column, but not beyond the ends.

export interface Placed { column: number; middle: number }

const kApart = 8; // pixels between two names

// `wide`: the width of a column; `width`: that of a column's name.
export function placeNames(columns: number, wide: number, width: (column: number) => number): Placed[] {
  const widest = Math.max(width(0), width(columns - 1));
  const every = [1, 2, 4, 8, 16, 32, 64, 128, 256].find((n) => n * wide >= widest + kApart) ?? 512;
  const placed: Placed[] = [];
  let end = -Infinity;
  for (let column = 0; column < columns; column += every) {
    const half = width(column) / 2;
    const middle = Math.max(Math.min((column + 0.5) * wide, columns * wide - half), half);
    if (middle - half < end + 2) continue;
    placed.push({ column, middle });
    end = middle + half;
  }
  return placed;
}
