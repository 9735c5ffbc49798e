// SPDX-License-Identifier: BSD-3-Clause
// The counters of EPK_METRICS, and ratios computed from them.
import { evaluate } from './formula';
import type { Profile } from './model';
import { largestOf } from './stats';

export interface Counter {
  name: string;
  unit: string;
  missing: string; // why it could not be read, with the ranks unless it was on all
  formula: string; // of a computed counter
  metric: number; // of a measured counter; otherwise -1
  total: number; // for peaks the largest value; NaN: no value
  byLocation: Float64Array; // NaN: could not be read at the location
}

const kMissing = 'n/a: ';
const kPartly = /^n\/a on ranks [\d,-]+: [^;]*/; // archive/profile/absence.h

// The largest value of a peak at the call path and its callees.
function largest(p: Profile, metric: number, path: number): number {
  const own = p.exclusive({ metric, own: false });
  let most = NaN;
  for (let at = path; at < p.end[path]; at++) if (p.has(metric, at) && !(own[at] <= most)) most = own[at];
  return most;
}

export class Counters {
  readonly all: Counter[];
  private readonly sums = new Map<number, Float64Array>(); // of a metric's call paths, by location

  constructor(private readonly p: Profile) {
    const counted = p.header.counters.map((metric) => this.counted(metric));
    const computed = p.header.derived.map(([name, unit, formula]): Counter => {
      const missing = this.whyNoRatio(formula);
      return {
        name, unit, missing, formula, metric: -1, total: missing ? NaN : evaluate(formula, (word) => this.sum(word)),
        byLocation: Float64Array.from(p.locations, (_, l) => evaluate(formula, (word) => this.onLocation(word, l))),
      };
    });
    this.all = [...counted, ...computed];
  }

  // A ratio needs both sums from the same locations.
  private whyNoRatio(formula: string): string {
    const where = new Set<string>();
    let why = '';
    evaluate(formula, (word) => {
      const metric = this.p.find(word);
      const absent = this.p.locations.map((_, l) => metric >= 0 && this.p.isAbsent(metric, l));
      if (absent.includes(true)) why = `${word} is ${kPartly.exec(this.p.metrics[metric].description)?.[0] ?? 'n/a'}`;
      where.add(absent.join());
      return 1;
    });
    return where.size > 1 ? why : '';
  }

  private counted(metric: number): Counter {
    const p = this.p;
    const { name, unit, description } = p.metrics[metric];
    const none = description.startsWith(kMissing) && !p.header.parents.some((_, path) => p.has(metric, path));
    const byLocation = new Float64Array(p.locations.length);
    for (let path = 0; !none && path < p.paths; path++) {
      const row = p.row(metric, path);
      for (let l = 0; row && l < byLocation.length; l++) {
        if (p.additive(metric)) byLocation[l] += row[l];
        else if (row[l] > byLocation[l]) byLocation[l] = row[l];
      }
    }
    const total = none ? NaN : p.additive(metric) ? p.total({ metric, own: false }) : largestOf(byLocation);
    for (let l = 0; l < byLocation.length; l++) if (none || p.isAbsent(metric, l)) byLocation[l] = NaN;
    const missing = none ? description.slice(kMissing.length) : kPartly.exec(description)?.[0] ?? '';
    return { name, unit, metric, formula: '', byLocation, missing, total };
  }

  // The value of one call path, alone or with its callees.
  at(counter: Counter, path: number, below: boolean): number {
    return counter.metric >= 0 ? this.value(counter.metric, path, below)
      : evaluate(counter.formula, (word) => {
        const metric = this.p.find(word);
        return metric < 0 ? NaN : this.value(metric, path, below);
      });
  }

  private value(metric: number, path: number, below: boolean): number {
    const choice = { metric, own: false };
    if (!this.p.additive(metric)) return below ? largest(this.p, metric, path) : this.p.exclusive(choice)[path];
    return (below ? this.p.inclusive(choice) : this.p.exclusive(choice))[path];
  }

  private sum(word: string): number {
    const metric = this.p.find(word);
    return metric < 0 ? NaN : this.p.total({ metric, own: false });
  }

  private onLocation(word: string, l: number): number {
    const metric = this.p.find(word);
    if (metric < 0 || this.p.isAbsent(metric, l)) return NaN;
    let sums = this.sums.get(metric);
    if (!sums) {
      sums = new Float64Array(this.p.locations.length);
      for (let path = 0; path < this.p.paths; path++) this.p.addRow(metric, path, 1, sums);
      this.sums.set(metric, sums);
    }
    return sums[l];
  }

  // The call paths with most of the counter; for a ratio, those with most time.
  hottest(counter: Counter, most: number): number[] {
    const weight = this.p.find(counter.metric >= 0 ? counter.name : 'time');
    if (weight < 0 || Number.isNaN(counter.total)) return [];
    const own = this.p.exclusive({ metric: weight, own: false });
    const paths = Array.from(own.keys()).filter((path) => own[path] > 0 && Number.isFinite(this.at(counter, path, false)));
    return paths.sort((a, b) => own[b] - own[a]).slice(0, most);
  }
}
