// SPDX-License-Identifier: BSD-3-Clause
// The findings of the first screen: where the time went, which work is uneven, and the next steps.
import type { Profile } from './model';
import { largestIndex, summarize, type Summary } from './stats';
import { percent, plural, ratio, seconds, shortName } from './format';

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
  const isDifference = below > kRounding * all;
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
  region: number;
  values: Float64Array; // exclusive seconds of the region by location
  present: boolean[]; // the location runs it, or waits
  summary: Summary; // of these
  ran: number; // locations
  busiest: number;
  lost: number; // seconds: busiest less mean, as far as the others have free time
}

const kEven = 1.02; // busiest over mean: values below are even

// Threads of libc that wait for a signal can take over work. Threads that wait for a lock, or for a thread's end,
// cannot.
const waitingForWork = ['pthread_conditional', 'pthread_barrier', 'pthread_semaphore'];
const waiting = kinds.filter(([key]) => ['mpi', 'omp', 'idle'].includes(key)).map(([, , is]) => is)
  .concat((metric) => waitingForWork.includes(metric));

const startsOrEndsMpi = (metric: string) => metric === 'mpi_init_exit';
const isLocalMpi = (metric: string) => metric === 'mpi'; // MPI_Wtime: functions of MPI that have no metric of their own

// By location: the seconds in which it waited, and those in which it did not compute or had ended while others ran.
// Nobody waits in local functions of MPI, or can compute while MPI starts or ends on all processes.
function waits(p: Profile, metric: number): { waited: Float64Array; free: Float64Array } {
  const [waited, all, computed] = [0, 0, 0].map(() => new Float64Array(p.locations.length));
  const frames = new Map<number, Float64Array>(); // by region
  for (let path = 0; path < p.paths; path++) {
    const of = p.regions[p.region[path]].metric;
    p.addRow(metric, path, 1, all);
    if (startsOrEndsMpi(of)) {
      const frame = frames.get(p.region[path]) ?? new Float64Array(p.locations.length);
      frames.set(p.region[path], frame);
      p.addRow(metric, path, 1, frame);
    } else if (isLocalMpi(of)) p.addRow(metric, path, 1, computed);
    else if (waiting.some((is) => is(of))) p.addRow(metric, path, 1, waited);
    else if (kinds[0][2](of)) p.addRow(metric, path, 1, computed);
  }
  for (const frame of frames.values()) {
    const least = frame.reduce((min, one) => (one > 0 ? Math.min(min, one) : min), Infinity);
    frame.forEach((one, l) => {
      computed[l] += Math.min(one, least);
      waited[l] += Math.max(0, one - least);
    });
  }
  const longest = all.reduce((most, one) => Math.max(most, one), 0);
  return { waited, free: computed.map((one) => longest - one) };
}

// Regions of computation that take unequal time on the locations that run them or wait, the costliest first; as
// report/views/bottlenecks.cc finds them. They are compared by region and not by call path, because different threads
// call the same loop from different call paths.
export function imbalances(p: Profile, most: number): Imbalance[] {
  const choice = timeChoice(p);
  if (!choice || p.locations.length < 2) return [];
  const own = p.exclusive(choice);
  const total = p.total(choice);
  const byRegion = new Map<number, number[]>();
  // One thread at a time is in a critical section, so no other thread can take a share of its work.
  const exclusive = new Uint8Array(p.paths);
  for (let path = 0; path < p.paths; path++) {
    const region = p.regions[p.region[path]];
    const parent = p.header.parents[path];
    exclusive[path] = ['omp_critical', 'omp_ordered'].includes(region.metric) || (parent >= 0 && exclusive[parent]) ? 1 : 0;
    if (exclusive[path]) continue;
    if (region.metric !== 'comp' || region.role === 'artificial' || own[path] <= 0) continue;
    const list = byRegion.get(p.region[path]) ?? [];
    list.push(path);
    byRegion.set(p.region[path], list);
  }
  const found: Imbalance[] = [];
  const { waited, free } = waits(p, choice.metric);
  for (const [region, paths] of byRegion) {
    const time = paths.reduce((sum, path) => sum + own[path], 0);
    if (time < 0.01 * total) continue;
    const values = new Float64Array(p.locations.length);
    for (const path of paths) p.addRow(choice.metric, path, 1, values);
    const present = Array.from(values, (value, l) => value > 0 || waited[l] > 0);
    const summary = summarize(values, present);
    if (summary.count < 2 || summary.max < kEven * summary.mean) continue;
    const path = paths.reduce((best, at) => (own[at] > own[best] ? at : best));
    const busiest = largestIndex(values);
    const others = free.reduce((sum, value, l) => (present[l] && l !== busiest ? sum + value : sum), 0);
    found.push({
      path, region, values, present, summary, busiest, ran: values.filter((value) => value > 0).length,
      lost: Math.min(summary.max - summary.mean, others / (summary.count - 1)),
    });
  }
  return found.sort((a, b) => b.lost - a.lost).slice(0, most);
}

export interface Advice {
  level: 'bad' | 'warn' | 'good';
  title: string;
  text: string;
  path: number; // the place to look at; -1: none
}

const kMuchCost = 10; // percent
const kUneven = 1.2; // busiest over mean …
const kMuchSaved = 0.05; // … unless so much of the time of a location could be saved
const kMatters = 0.02; // of the time of a location
const kMuch = 0.2; // of all time

// `epk score --suggest` leaves out functions of the program alone.
function howToMeasureLess(p: Profile): string {
  const visits = p.find('visits');
  const counts = visits < 0 ? [] : p.exclusive({ metric: visits, own: false });
  const sums = new Float64Array(p.regions.length);
  counts.forEach((count, path) => { sums[p.region[path]] += count; });
  const name = counts.length === 0 ? '' : p.regions[largestIndex(sums)].name;
  return name.startsWith('MPI_')
    ? `A filter with the line \`EXCLUDE REGION ${name}\` leaves out most of that (\`epk run -f\`).`
    : '`epk score --suggest` writes a filter that leaves small functions out.';
}

function adviseOnRun(p: Profile): Advice[] {
  const m = p.header.manifest;
  const out: Advice[] = [];
  if (m.recovered || (m.ended && !['exit', 'running'].includes(m.ended))) {
    out.push({
      level: 'bad', title: `The run did not end by itself: ${m.ended ?? 'recovered'}`, path: -1,
      text: 'Calls that never returned are counted up to the last event that was seen.',
    });
  }
  if ((m.folded_visits ?? 0) > 0) {
    out.push({
      level: 'warn', title: 'The call tree did not fit', path: -1,
      text: 'Set ESD_PATHS, ESD_FRAMES or EPK_MEMORY higher to see all of it.',
    });
  }
  // A narrower bracket of CPU times is not mentioned (archive/files/manifest.h).
  const [least, most] = [m.cpu_seconds ?? 0, m.cpu_most_seconds ?? 0];
  const isBracket = most > 1.1 * least && most - least > 0.001;
  const cost = isBracket ? (100 * (m.cost_seconds ?? 0)) / most : m.cost_percent ?? 0; // at least
  if (cost > kMuchCost) {
    out.push({
      level: 'warn', title: `Measuring cost ${cost.toFixed(0)} % of the CPU time`, path: -1,
      text: howToMeasureLess(p),
    });
  }
  return out;
}

function adviseOnBalance(p: Profile, worst: Imbalance | undefined): Advice[] {
  const choice = timeChoice(p);
  if (!worst || !choice) return [];
  const mean = p.total(choice) / p.locations.length;
  const times = worst.summary.max / worst.summary.mean;
  if ((times < kUneven && worst.lost < kMuchSaved * mean) || worst.lost < kMatters * mean) return [];
  const where = p.locations[worst.busiest].name;
  const name = shortName(p.regions[worst.region].name, 48);
  const could = `Evenly spread, up to ${seconds(worst.lost)} of the run time could be saved.`;
  const others = worst.summary.count - worst.ran;
  if (worst.ran === 1) {
    return [{
      level: 'bad', path: worst.path, title: `${name} runs on ${where} alone`,
      text: `${seconds(worst.summary.max)} there, and ${plural(others, 'other')} ${others === 1 ? 'waits' : 'wait'}. ${could}`,
    }];
  }
  return [{
    level: 'bad', path: worst.path,
    title: `${name} is uneven: ${where} takes ${ratio(times)} × the mean`,
    text: `${seconds(worst.summary.max)} there, ${seconds(worst.summary.mean)} on average over ` +
      `${plural(worst.summary.count, 'location')}, ${seconds(worst.summary.min)} on the fastest: the others wait. ${could}`,
  }];
}

// Names the region that takes most of a kind of time, as "61 % of that in MPI_Waitall".
function leader(p: Profile, is: (metric: string) => boolean): { path: number; text: string; metric: string } {
  const own = p.exclusive(timeChoice(p)!);
  const sums = new Map<number, number>();
  let all = 0;
  let path = -1;
  for (let at = 0; at < p.paths; at++) {
    if (!is(p.regions[p.region[at]].metric)) continue;
    all += own[at];
    sums.set(p.region[at], (sums.get(p.region[at]) ?? 0) + own[at]);
    if (path < 0 || own[at] > own[path]) path = at;
  }
  let best = -1;
  for (const [region, sum] of sums) if (best < 0 || sum > sums.get(best)!) best = region;
  if (best < 0 || all <= 0) return { path: -1, text: '', metric: '' };
  const text = `${percent(sums.get(best)! / all)} % of that in ${shortName(p.regions[best].name, 60)}.`;
  return { path, text, metric: p.regions[best].metric };
}

const metricOf = (p: Profile, path: number) => p.regions[p.region[path]].metric;

export function advise(p: Profile, worst: Imbalance | undefined): Advice[] {
  if (wholeTime(p).isDifference) {
    return [{
      level: 'warn', title: 'A difference of runs', path: hottest(p, 1)[0],
      text: 'What is below 0 took less than before. Efficiencies, unevenness and flame graphs mean nothing here.',
    }];
  }
  const out = [...adviseOnRun(p), ...adviseOnBalance(p, worst)];
  for (const [title, text] of p.header.bottlenecks ?? []) out.push({ level: 'warn', title, text, path: -1 });
  const choice = timeChoice(p);
  if (!choice) return out;
  const own = p.exclusive(choice);
  const total = own.reduce((sum, one) => sum + one, 0);
  const shareOf = (is: (metric: string) => boolean) =>
    own.reduce((sum, one, path) => (is(metricOf(p, path)) ? sum + one : sum), 0) / total;
  for (const [key, name] of [['mpi', 'MPI'], ['omp', 'OpenMP waiting and management']]) {
    const is = (metric: string) => kinds.find(([kind]) => kind === key)![2](metric) && !startsOrEndsMpi(metric);
    const share = shareOf(is);
    if (!(share >= kMuch)) continue;
    const { path, text, metric } = leader(p, is);
    const why = out.some((advice) => advice.path >= 0) && !isLocalMpi(metric) ? ' It may be waiting for the uneven work above.' : '';
    out.push({ level: 'warn', title: `${name}: ${percent(share)} % of the time`, text: text + why, path });
  }
  const frame = shareOf(startsOrEndsMpi);
  if (p.locations.length > 1 && frame >= kMuch) {
    out.push({
      level: 'warn', title: `Starting and ending MPI: ${percent(frame)} % of the time`, path: -1,
      text: 'A longer run tells more about the program.',
    });
  }
  const hot = hottest(p, p.paths).find((path) => metricOf(p, path) !== 'overhead');
  if (out.length === 0 && hot !== undefined) {
    out.push({
      level: 'good', title: 'Nothing stands out: make the hottest code faster', path: hot,
      text: `${shortName(p.name(hot), 60)} alone takes ${percent(own[hot] / total)} % of the time.`,
    });
  }
  return out;
}
