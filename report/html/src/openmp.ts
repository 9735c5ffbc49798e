// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions, and how their threads spent the time between fork and join.
import type { Profile } from './model';
import { summarize } from './stats';

export interface OmpRegion {
  region: number;
  path: number; // the call path with most time
  visits: number;
  time: number; // over all threads, with callees
  work: number; // computation, as a part of that
  barrier: number;
  other: number; // locks, critical sections, management …
  balance: number; // mean over maximum of the threads' work; NaN: no work
}

export function ompRegions(p: Profile): OmpRegion[] {
  const metric = p.find('time');
  const visits = p.find('visits');
  if (metric < 0) return [];
  const time = { metric, own: false };
  const own = p.exclusive(time);
  const inclusive = p.inclusive(time);
  const calls = visits >= 0 ? p.exclusive({ metric: visits, own: false }) : undefined;
  // IsParallel in report/views/omp.cc is the same.
  const isRegion = (path: number) => {
    const region = p.regions[p.region[path]];
    const named = region.role === 'parallel' || region.role === 'teams' || region.name.startsWith('!$omp parallel @');
    return region.paradigm === 'openmp' && named;
  };
  // A region may be within itself. The inner one's time is in that of the outer one, and its visits are its own.
  const byRegion = new Map<number, { paths: number[]; visits: number }>();
  for (let path = 0; path < p.paths; path++) {
    if (!isRegion(path)) continue;
    const entry = byRegion.get(p.region[path]) ?? { paths: [], visits: 0 };
    entry.visits += calls?.[path] ?? 0;
    if (!p.callTree.ancestors(path).some((at) => p.region[at] === p.region[path])) entry.paths.push(path);
    byRegion.set(p.region[path], entry);
  }
  const out: OmpRegion[] = [];
  for (const [region, entry] of byRegion) {
    const row: OmpRegion = {
      region, path: entry.paths[0], visits: entry.visits, time: 0, work: 0, barrier: 0, other: 0, balance: NaN,
    };
    const work = new Float64Array(p.locations.length);
    for (const path of entry.paths) {
      if (inclusive[path] > inclusive[row.path]) row.path = path;
      row.time += inclusive[path];
      for (let at = path; at < p.end[path]; at++) {
        const kind = p.regions[p.region[at]].metric;
        if (kind === 'comp') {
          row.work += own[at];
          p.addRow(metric, at, 1, work);
        } else if (/barrier$/.test(kind)) row.barrier += own[at];
        else if (kind.startsWith('omp')) row.other += own[at];
      }
    }
    const summary = summarize(work, Array.from(work, (value) => value > 0));
    if (summary.max > 0) row.balance = summary.mean / summary.max;
    out.push(row);
  }
  return out.sort((a, b) => b.time - a.time);
}
