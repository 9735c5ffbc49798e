// SPDX-License-Identifier: BSD-3-Clause
// Compares two profiles, call path by call path. Call paths match if they have the same regions from the root.
import type { Profile } from './model';

export interface Change {
  path: number; // in this profile; -1: it lacks the call path
  base: number; // in the other profile; -1: it lacks the call path
  before: number;
  after: number;
}

// For each call path of `other`, the matching one of `profile`, or -1. Parents come before children.
export function match(profile: Profile, other: Profile): Int32Array {
  const key = (parent: number, name: string) => `${parent}\n${name}`;
  const known = new Map<string, number>();
  for (let p = 0; p < profile.paths; p++) {
    const parent = profile.callTree.parent[p];
    // The root represents the program, whose name may differ: solver.old and solver.
    const name = parent < 0 && profile.callTree.roots.length === 1 ? '' : profile.name(p);
    known.set(key(parent, name), p);
  }
  const out = new Int32Array(other.paths).fill(-1);
  for (let p = 0; p < other.paths; p++) {
    const parent = other.callTree.parent[p];
    if (parent >= 0 && out[parent] < 0) continue;
    const name = parent < 0 && other.callTree.roots.length === 1 ? '' : other.name(p);
    out[p] = known.get(key(parent < 0 ? -1 : out[parent], name)) ?? -1;
  }
  return out;
}

// The changes, largest first. Empty when one of the profiles lacks the metric.
export function compare(profile: Profile, base: Profile, metric: string, below: boolean): Change[] {
  const here = profile.find(metric);
  const there = base.find(metric);
  if (here < 0 || there < 0) return [];
  const values = (p: Profile, m: number) => below ? p.inclusive({ metric: m, own: false }) : p.exclusive({ metric: m, own: false });
  const after = values(profile, here);
  const before = values(base, there);
  const same = match(profile, base);
  const changes: Change[] = Array.from(after, (value, path) => ({ path, base: -1, before: 0, after: value }));
  same.forEach((path, at) => {
    if (path < 0) changes.push({ path: -1, base: at, before: before[at], after: 0 });
    else {
      changes[path].base = at;
      changes[path].before = before[at];
    }
  });
  const changed = changes.filter((c) => c.before !== 0 || c.after !== 0);
  changed.sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
  return changed;
}

export function nameOf(profile: Profile, base: Profile, change: Change): string {
  return change.path >= 0 ? profile.fullName(change.path) : base.fullName(change.base);
}
