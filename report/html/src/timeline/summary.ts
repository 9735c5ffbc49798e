// SPDX-License-Identifier: BSD-3-Clause
// Statistics of the stretch on screen: time by kind and by call path, messages by size.
import { shortName } from '../format';
import { chainOf, type Drawing, type PatternSum, regionOf } from './drawing';

export interface ByPath {
  path: number;
  name: string;
  chain: string;
  callers: string; // the innermost ones
  seconds: number;
}

export interface Summary {
  kinds: { name: string; key: string; seconds: number; share: number }[];
  paths: ByPath[];
  waits: { pattern: string; seconds: number; count: number }[];
  waits_one_of: number; // above 1: they are estimates from a sample
  messages: number;
  bytes: number;
}

export function summarize(drawing: Drawing): Summary {
  const width = drawing.bin_ns / 1e9;
  const byKind = new Float64Array(drawing.kinds.length);
  const byPath = new Map<number, number>();
  for (const row of drawing.rows) {
    const members = row.members.length;
    row.shares.forEach((shares, bin) => {
      let all = 0;
      for (let i = 0; i + 1 < shares.length; i += 2) {
        byKind[shares[i]] += shares[i + 1] * width * members;
        all += shares[i + 1];
      }
      const path = row.path[bin];
      if (path >= 0) byPath.set(path, (byPath.get(path) ?? 0) + all * width * members);
    });
  }
  const total = byKind.reduce((sum, seconds) => sum + seconds, 0);
  const waiting = drawing.waiting ?? { one_of: drawing.waits.one_of, list: sumsOf(drawing) };
  return {
    kinds: drawing.kinds.map((kind, k) => ({ ...kind, seconds: byKind[k], share: total > 0 ? byKind[k] / total : 0 }))
      .filter(({ seconds }) => seconds > 0).sort((a, b) => b.seconds - a.seconds),
    paths: [...byPath].map(([path, seconds]) =>
      ({ path, name: regionOf(drawing, path), chain: chainOf(drawing, path).join(' > '), callers: callersOf(drawing, path), seconds }))
      .sort((a, b) => b.seconds - a.seconds).slice(0, 12),
    waits: waiting.list.map(([pattern, ns, waits]) => ({ pattern, seconds: ns / 1e9, count: waits }))
      .sort((a, b) => b.seconds - a.seconds),
    waits_one_of: waiting.one_of,
    messages: drawing.messages.list.length * drawing.messages.one_of,
    bytes: drawing.messages.list.reduce((sum, message) => sum + message[4], 0) * drawing.messages.one_of,
  };
}

function callersOf(drawing: Drawing, path: number): string {
  const kShown = 2;
  const around = chainOf(drawing, path).slice(1, -1); // the program itself tells nothing
  return `${around.length > kShown ? '… › ' : ''}${around.slice(-kShown).map((name) => shortName(name, 24)).join(' › ')}`;
}

// Adds up the waits that are drawn: an estimate of all waits in the stretch.
function sumsOf({ waits, from_ns: from, to_ns: to }: Drawing): PatternSum[] {
  const sums = new Map<string, PatternSum>();
  const further = new Set(waits.further ?? []);
  for (const [index, [, begin, end, pattern]] of waits.list.entries()) {
    if (end <= from || begin >= to) continue;
    const sum = sums.get(pattern) ?? [pattern, 0, 0];
    sum[1] += (Math.min(end, to) - Math.max(begin, from)) * waits.one_of;
    // A call that began to wait before the stretch counts once: its first part in the stretch counts.
    if (!further.has(index) || begin <= from) sum[2] += waits.one_of;
    sums.set(pattern, sum);
  }
  return [...sums.values()];
}

// Counts the calls of one region on screen by duration, in powers of two.
export function histogram(drawing: Drawing, matches: (name: string) => boolean): { from: number; count: number }[] {
  const bins = new Map<number, number>();
  for (const row of drawing.rows) {
    for (const [enter, leave, , path] of row.calls ?? []) {
      if (!matches(regionOf(drawing, path))) continue;
      const bin = Math.floor(Math.log2(Math.max(leave - enter, 1)));
      bins.set(bin, (bins.get(bin) ?? 0) + 1);
    }
  }
  return [...bins].sort((a, b) => a[0] - b[0]).map(([bin, count]) => ({ from: 2 ** bin, count }));
}

// Among the calls on screen, the next call of a region after `after`, or the last one before it.
export function nextCall(drawing: Drawing, matches: (name: string) => boolean, after: number, back: boolean):
  { row: number; call: [number, number, number, number] } | undefined {
  let best: { row: number; call: [number, number, number, number] } | undefined;
  drawing.rows.forEach((row, index) => {
    for (const call of row.calls ?? []) {
      if (!matches(regionOf(drawing, call[3]))) continue;
      const beyond = back ? call[0] < after : call[0] > after;
      const nearer = !best || (back ? call[0] > best.call[0] : call[0] < best.call[0]);
      if (beyond && nearer) best = { row: index, call };
    }
  });
  return best;
}
