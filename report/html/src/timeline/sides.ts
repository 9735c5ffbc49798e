// SPDX-License-Identifier: BSD-3-Clause
// Two archives in one drawing: the rows of the second are below those of the first, and its times are shifted so that
// both begin together.
import type { Drawing, PatternSum, Wait } from './drawing';

export interface Side {
  name: string;
  shift_ns: number;
}

// Locations of different archives get different numbers.
const kColumns = 2 ** 24;
export const columnOf = (column: number, side: number) => column + side * kColumns;
export const columnsOf = (columns: number[], side: number) =>
  columns.filter((column) => Math.floor(column / kColumns) === side).map((column) => column % kColumns);

export const hasTwo = (drawing: Drawing) => drawing.rows.some(({ members }) => members[0] >= kColumns);
// The archive of a row, where there are two.
export const archiveOf = (drawing: Drawing, row: number) => (hasTwo(drawing) ? drawing.rows[row].host.split(': ')[0] : '');

export function joined(parts: Drawing[], sides: Side[]): Drawing {
  const [first, ...others] = parts;
  if (others.length === 0) return first;
  const all: Drawing = {
    ...first, rows: [], regions: [], paths: [], longest: [], collectives: [], critical: [], markers: [], curves: [], left_out: [],
    messages: { one_of: Math.max(...parts.map(({ messages }) => messages.one_of)), list: [] },
    waits: { one_of: Math.max(...parts.map(({ waits }) => waits.one_of)), list: [], further: [] }, waiting: waitingOf(parts), rows_in_all: 0,
    whole_ns: [Math.min(...parts.map((part, n) => part.whole_ns[0] + sides[n].shift_ns)),
      Math.max(...parts.map((part, n) => part.whole_ns[1] + sides[n].shift_ns))],
  };
  parts.forEach((part, side) => append(all, part, side, sides[side]));
  return all;
}

function waitingOf(parts: Drawing[]): Drawing['waiting'] {
  if (parts.some(({ waiting }) => waiting === undefined)) return undefined;
  const sums = new Map<string, PatternSum>();
  for (const [pattern, ns, waits] of parts.flatMap(({ waiting }) => waiting!.list)) {
    const [, before, number] = sums.get(pattern) ?? [pattern, 0, 0];
    sums.set(pattern, [pattern, before + ns, number + waits]);
  }
  return { one_of: Math.max(...parts.map(({ waiting }) => waiting!.one_of)), list: [...sums.values()] };
}

function append(all: Drawing, part: Drawing, side: number, { name, shift_ns: shift }: Side): void {
  const [rows, paths, regions] = [all.rows.length, all.paths.length, all.regions.length];
  const row = (number: number) => (number < 0 ? number : number + rows);
  const path = (number: number) => (number < 0 ? number : number + paths);
  const wait = ([at, from, to, pattern, cause, caused, call]: Wait): Wait =>
    [row(at), from + shift, to + shift, pattern, row(cause), caused + shift, ...(call === undefined ? [] as const : [path(call)] as const)];
  all.rows_in_all += part.rows_in_all;
  all.regions.push(...part.regions);
  // The call tree beside the timeline is that of the first archive.
  all.paths.push(...part.paths.map(([region, parent, callpath]): [number, number, number] =>
    [region + regions, path(parent), side === 0 ? callpath : -1]));
  for (const each of part.rows) {
    all.rows.push({
      ...each, host: `${name}: ${each.host}`, members: each.members.map((column) => columnOf(column, side)),
      apart: each.apart < 0 ? -1 : columnOf(each.apart, side), path: each.path.map(path),
      calls: each.calls?.map(([enter, leave, depth, at]) => [enter + shift, leave + shift, depth, path(at)]) ?? null,
    });
  }
  for (const [from, sent, to, received, bytes, tag, comm] of part.messages.list) {
    all.messages.list.push([row(from), sent + shift, row(to), received + shift, bytes, tag, comm]);
  }
  all.waits.further!.push(...(part.waits.further ?? []).map((index) => index + all.waits.list.length));
  all.waits.list.push(...part.waits.list.map(wait));
  all.longest = [...all.longest, ...part.longest.map(wait)].sort((a, b) => b[2] - b[1] - (a[2] - a[1]));
  all.collectives.push(...part.collectives.map(([what, firstIn, lastIn, lastOut, comm]): Drawing['collectives'][0] =>
    [what, firstIn + shift, lastIn + shift, lastOut + shift, comm]));
  all.critical.push(...part.critical.map(([at, from, to]): Drawing['critical'][0] => [row(at), from + shift, to + shift]));
  all.markers.push(...part.markers.map(([at, from, to, what]): Drawing['markers'][0] => [row(at), from + shift, to + shift, what]));
  all.curves.push(...part.curves.map((curve) => ({
    ...curve, row: row(curve.row),
    points: curve.points.map(([at, least, most, last]): [number, number, number, number] => [at + shift, least, most, last]),
  })));
  all.left_out.push(...part.left_out.map((sentence) => `${name}: ${sentence}`));
}
