// SPDX-License-Identifier: BSD-3-Clause
// Compares two profiles, call path by call path. analysis/algebra has found which of them are the same.
import type { Profile } from './model';

export interface Change {
  path: number; // in this profile; -1: it lacks the call path
  base: number; // in the other profile; -1: it lacks the call path
  before: number;
  after: number;
}

// The changes, largest first. Empty when one of the profiles lacks the metric.
export function compare(profile: Profile, base: Profile, metric: string, below: boolean): Change[] {
  const here = profile.find(metric);
  const there = base.find(metric);
  if (here < 0 || there < 0) return [];
  const values = (p: Profile, m: number) => below ? p.inclusive({ metric: m, own: false }) : p.exclusive({ metric: m, own: false });
  const after = values(profile, here);
  const before = values(base, there);
  const changes: Change[] = Array.from(after, (value, path) => ({ path, base: -1, before: 0, after: value }));
  (base.header.same ?? []).forEach((path, at) => {
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
