// SPDX-License-Identifier: BSD-3-Clause
// The findings of the first screen: where the time went, which work is uneven, and the next steps.
import type { Profile } from './model';
import { summarize, type Summary } from './stats';
import { percent, shortName } from './format';

export interface Share {
  key: string;
  label: string;
  seconds: number;
}

const kinds: [string, string, (metric: string) => boolean][] = [
  ['comp', 'Computation', (m) => m === 'comp' || m === 'execution'],
  ['mpi', 'MPI', (m) => m.startsWith('mpi')],
  ['omp', 'OpenMP waiting and management', (m) => m.startsWith('omp') && m !== 'omp_idle_threads'],
  ['idle', 'Idle threads', (m) => m === 'omp_idle_threads'],
  ['thread', 'Waiting for other threads', (m) => m.startsWith('pthread_')],
  ['overhead', 'Measurement', (m) => m === 'overhead'],
];

function timeChoice(p: Profile) {
  const metric = p.find('time');
  return metric < 0 ? undefined : { metric, own: false };
}

export function shares(p: Profile): Share[] {
  const choice = timeChoice(p);
  const out = kinds.map(([key, label]) => ({ key, label, seconds: 0 }));
  if (!choice) return out;
  const own = p.exclusive(choice);
  for (let path = 0; path < p.paths; path++) {
    const metric = p.regions[p.region[path]].metric;
    const at = kinds.findIndex(([, , is]) => is(metric));
    out[at < 0 ? 0 : at].seconds += own[path];
  }
  return out.filter((share) => share.seconds > 0);
}

// The time that shares are of: the total, or of what changed between two runs all times without their signs.
export function wholeTime(p: Profile): { whole: number; isDifference: boolean } {
  const kRounding = 1e-9; // of all times: sums of a run may be so much below 0
  let all = 0;
  let below = 0;
  const choice = timeChoice(p);
  for (const own of choice ? p.exclusive(choice) : []) {
    all += Math.abs(own);
    if (own < 0) below -= own;
  }
  const isDifference = p.header.difference === true || below > kRounding * all;
  return { whole: isDifference || !choice ? all : p.total(choice), isDifference };
}

export function hottest(p: Profile, most: number): number[] {
  const choice = timeChoice(p);
  if (!choice) return [];
  const own = p.exclusive(choice);
  const { isDifference } = wholeTime(p);
  const paths = Array.from(own.keys()).filter((path) => (isDifference ? own[path] !== 0 : own[path] > 0));
  return paths.sort((a, b) => Math.abs(own[b]) - Math.abs(own[a])).slice(0, most);
}

export interface Imbalance {
  path: number; // the region's call path with most time
  whole: boolean; // a parallel region, with all computation in it
  values: Float64Array; // seconds of computation by location
  present: boolean[]; // the location runs it, or waits
  summary: Summary; // of these
  busiest: number;
  lost: number; // seconds: busiest less mean, as far as the others have free time
}

// The worst imbalances, the costliest first, as report/views/imbalances.cc finds them.
export function imbalances(p: Profile): Imbalance[] {
  return p.header.imbalances.map(({ path, whole, busiest, saved, values }) => {
    const present = values.map((value) => value !== null);
    const seconds = Float64Array.from(values, (value) => value ?? 0);
    const summary = summarize(seconds, present);
    return { path, whole, busiest, values: seconds, present, summary, lost: saved };
  });
}

export interface Advice {
  level: 'bad' | 'warn' | 'good';
  title: string;
  text: string;
  path: number; // the place to look at; -1: none
}

const metricOf = (p: Profile, path: number) => p.regions[p.region[path]].metric;

// Returns the advice that report/views/advice.cc gave. Where it gave no advice, the page names the hottest code.
// Differences of runs have a sentence of their own.
export function advise(p: Profile): Advice[] {
  if (wholeTime(p).isDifference) {
    return [{
      level: 'warn', title: 'A difference of runs', path: hottest(p, 1)[0],
      text: 'What is below 0 took less than before. Efficiencies, unevenness and flame graphs mean nothing here.',
    }];
  }
  const out: Advice[] = p.header.advice.map(([level, title, text, path]) => ({ level, title, text, path }));
  const hot = hottest(p, p.paths).find((path) => metricOf(p, path) !== 'overhead');
  if (out.length > 0 || hot === undefined) return out;
  const own = p.exclusive(timeChoice(p)!);
  const total = own.reduce((sum, one) => sum + one, 0);
  return [{
    level: 'good', title: 'Nothing stands out: make the hottest code faster', path: hot,
    text: `${shortName(p.name(hot), 60)} alone takes ${percent(own[hot] / total)} % of the time.`,
  }];
}
