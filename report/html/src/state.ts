// SPDX-License-Identifier: BSD-3-Clause
// The part of the address behind # is the state of the page, so links and the history keep it.
import type { Sort } from './tree';

export const views = [
  'overview', 'tree', 'flame', 'locations', 'mpi', 'communication', 'openmp', 'iterations', 'counters', 'waits', 'prediction', 'compare', 'timeline',
] as const;
export type View = (typeof views)[number];
export type Unit = 'absolute' | 'percent' | 'selection';

export interface State {
  view: View;
  metric: string; // unique name
  path: number; // -1: none
  place: number; // node of the system tree
  unit: Unit;
  sort: Sort;
  hide: number; // percent below which nodes are hidden
  query: string;
  zoom: number; // call path at the root of the flame graph; -1: all
  up: boolean; // flames, not icicles
  open: string; // ids of open nodes, three lists: metrics;call paths;system. Empty: the page chooses
  own: boolean; // distribution of the call path alone
  counter: string; // name; empty: the first
  from: number; // of the timeline, in nanoseconds; if `to` is not after it: the whole run
  to: number;
}

export const initial: State = {
  view: 'overview', metric: 'time', path: -1, place: 0, unit: 'absolute', sort: 'order', hide: 0, query: '', zoom: -1,
  up: false, open: '', own: true, counter: '', from: -1, to: -1,
};

const numbers = ['path', 'place', 'hide', 'zoom', 'from', 'to'] as const;

export function toHash(state: State): string {
  const words = new URLSearchParams();
  for (const key of Object.keys(initial) as (keyof State)[]) {
    if (state[key] !== initial[key]) words.set(key, String(state[key]));
  }
  return `#${words.toString()}`;
}

function oneOf<T extends string>(value: string | null, allowed: readonly T[], otherwise: T): T {
  return allowed.includes(value as T) ? (value as T) : otherwise;
}

export function fromHash(hash: string): State {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const state: State = { ...initial };
  state.view = oneOf(words.get('view'), views, initial.view);
  state.unit = oneOf(words.get('unit'), ['absolute', 'percent', 'selection'], initial.unit);
  state.sort = oneOf(words.get('sort'), ['order', 'value', 'name'], initial.sort);
  state.metric = words.get('metric') ?? initial.metric;
  state.query = words.get('query') ?? '';
  state.open = words.get('open') ?? '';
  state.counter = words.get('counter') ?? '';
  state.up = words.get('up') === 'true';
  state.own = words.get('own') !== 'false';
  for (const key of numbers) {
    const value = Number(words.get(key) ?? NaN);
    if (Number.isFinite(value)) state[key] = value;
  }
  return state;
}

// Sets of node numbers, kept short: ranges in base 36.
export function encodeSet(nodes: Iterable<number>): string {
  const sorted = [...nodes].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let last = i;
    while (last + 1 < sorted.length && sorted[last + 1] === sorted[last] + 1) last++;
    const first = sorted[i].toString(36);
    parts.push(last === i ? first : `${first}-${sorted[last].toString(36)}`);
    i = last + 1;
  }
  return parts.join('.');
}

export function decodeSet(text: string, size: number): Set<number> {
  const out = new Set<number>();
  for (const part of text.split('.')) {
    if (part === '') continue;
    const [first, last = first] = part.split('-').map((word) => parseInt(word, 36));
    for (let node = first; node <= last && node < size; node++) if (node >= 0) out.add(node);
  }
  return out;
}
