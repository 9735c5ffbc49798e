// SPDX-License-Identifier: BSD-3-Clause
// Lays out the rows: locations of one host are together, hosts can be closed, and calls are below their row.
import type { Drawing } from './drawing';

export const kRowHeight = 22;
export const kCallHeight = 14;
export const kMostLevels = 24;
export const kCurveHeight = 30;

export interface Line {
  row: number; // of the drawing; -1: a host
  host: string;
  top: number;
  height: number;
  levels: number; // levels of calls below the row
  curves: number[]; // numbers in the drawing; they are below the calls
  first: boolean; // the first row of a group that is drawn location by location
}

export function layout(drawing: Drawing, closed: ReadonlySet<string>, showCalls: boolean, showCurves = true): { lines: Line[]; height: number } {
  const lines: Line[] = [];
  const hosts = new Set(drawing.rows.map((row) => row.host));
  let top = 0;
  let host = '';
  drawing.rows.forEach((row, index) => {
    if (hosts.size > 1 && row.host !== host) {
      host = row.host;
      lines.push({ row: -1, host, top, height: kRowHeight, levels: 0, curves: [], first: false });
      top += kRowHeight;
    }
    if (closed.has(row.host)) return;
    const deepest = showCalls && row.calls ? row.calls.reduce((most, call) => Math.max(most, call[2] + 1), 0) : 0;
    const levels = Math.min(deepest, kMostLevels);
    const curves = showCurves ? drawing.curves.flatMap((curve, n) => (curve.row === index ? [n] : [])) : [];
    const height = kRowHeight + levels * kCallHeight + (levels > 0 ? 4 : 0) + curves.length * kCurveHeight;
    const first = row.apart >= 0 && (index === 0 || drawing.rows[index - 1].apart !== row.apart);
    lines.push({ row: index, host: row.host, top, height, levels, curves, first });
    top += height;
  });
  return { lines, height: top };
}

export function lineAt(lines: Line[], y: number): Line | undefined {
  return lines.find((line) => y >= line.top && y < line.top + line.height);
}

export function labelOf(drawing: Drawing, row: number): string {
  const { name, members } = drawing.rows[row];
  return members.length > 1 ? `${name} + ${members.length - 1} alike` : name;
}
