// SPDX-License-Identifier: BSD-3-Clause
// Phases and parameters with their values, as report/views/iterations.cc has them: "step=3" and its siblings are one loop.
import type { Profile } from './model';

export const kUses = ['computation', 'MPI', 'OpenMP', 'other'] as const;

export interface Value {
  text: string;
  path: number; // of its first call path
  time: number; // of all threads
  uses: number[]; // parts of that, as in kUses
  longest: number; // of the thread with most
  location: number; // that thread
}

export interface Loop {
  parameter: string;
  around: number; // the call path around it; -1: none
  values: Value[];
  time: number;
  median: number; // of the longest ones
}

interface Found {
  parameter: string;
  around: number;
  values: Map<string, number[]>;
}

const isValue = (p: Profile, path: number) => {
  const region = p.regions[p.region[path]];
  return region.role === 'dynamic' && region.name.includes('=');
};

function aroundValues(p: Profile, path: number): number {
  while (path >= 0 && isValue(p, path)) path = p.callTree.parent[path];
  return path;
}

// The values of an outer loop are no callers, so an inner loop is one loop.
function find(p: Profile): Found[] {
  const callers = new Map<string, number>(); // lists of callers, by the number of the list around and a region
  const list = new Int32Array(p.paths).fill(-1);
  const found = new Map<string, Found>();
  for (let path = 0; path < p.paths; path++) {
    const parent = p.callTree.parent[path];
    const around = parent < 0 ? -1 : list[parent];
    const region = p.regions[p.region[path]];
    if (!isValue(p, path)) {
      const key = `${around} ${p.region[path]}`;
      if (!callers.has(key)) callers.set(key, callers.size);
      list[path] = callers.get(key) ?? -1;
      continue;
    }
    list[path] = around;
    const equals = region.name.indexOf('=');
    const parameter = region.name.slice(0, equals);
    const key = `${around} ${parameter}`;
    const loop = found.get(key) ?? { parameter, around: aroundValues(p, parent), values: new Map<string, number[]>() };
    found.set(key, loop);
    const text = region.name.slice(equals + 1);
    loop.values.set(text, [...(loop.values.get(text) ?? []), path]);
  }
  return [...found.values()].filter((loop) => loop.values.size > 1);
}

export const hasLoops = (p: Profile): boolean => p.find('time') >= 0 && find(p).length > 0;

const isNumber = (text: string) => /^-?\d+$/.test(text);

// Numbers stand in the order of their size, other values as they came.
function inOrder(values: Map<string, number[]>): [string, number[]][] {
  const all = [...values];
  return all.every(([text]) => isNumber(text)) ? all.sort(([a], [b]) => Number(a) - Number(b)) : all;
}

export function medianOf(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

export function loopsOf(p: Profile): Loop[] {
  const metric = p.find('time');
  if (metric < 0) return [];
  const own = p.exclusive({ metric, own: false });
  const useOf = p.regions.map(({ kind, metric: of }) =>
    kind === 'MPI' ? 1 : of === 'comp' ? 0 : kind === 'OMP' ? 2 : kind === 'USR' || kind === 'COM' ? 0 : 3);
  const row = new Float64Array(p.locations.length);
  const valueOf = (text: string, paths: number[]): Value => {
    const value: Value = { text, path: paths[0], time: 0, uses: kUses.map(() => 0), longest: 0, location: 0 };
    row.fill(0);
    let end = 0;
    for (const path of paths) {
      for (let at = Math.max(path, end); at < p.end[path]; at++) {
        value.time += own[at];
        value.uses[useOf[p.region[at]]] += own[at];
        p.addRow(metric, at, 1, row);
      }
      end = Math.max(end, p.end[path]);
    }
    row.forEach((seconds, location) => {
      if (seconds > value.longest) [value.longest, value.location] = [seconds, location];
    });
    return value;
  };
  const loops = find(p).map(({ parameter, around, values }) => {
    const all = inOrder(values).map(([text, paths]) => valueOf(text, paths));
    const time = all.reduce((sum, value) => sum + value.time, 0);
    return { parameter, around, values: all, time, median: medianOf(all.map((value) => value.longest)) };
  });
  return loops.sort((a, b) => b.time - a.time);
}

export interface Group {
  first: Value;
  last: Value;
  mean: number; // of the longest ones
  uses: number[]; // shares of the time of all threads
}

// At most `most` groups of neighbours.
export function groupsOf(values: Value[], most: number): Group[] {
  const each = Math.ceil(values.length / most);
  const groups: Group[] = [];
  for (let from = 0; from < values.length; from += each) {
    const some = values.slice(from, from + each);
    const time = some.reduce((sum, value) => sum + value.time, 0);
    groups.push({
      first: some[0], last: some[some.length - 1],
      mean: some.reduce((sum, value) => sum + value.longest, 0) / some.length,
      uses: kUses.map((_, use) => (time > 0 ? some.reduce((sum, value) => sum + value.uses[use], 0) / time : 0)),
    });
  }
  return groups;
}
