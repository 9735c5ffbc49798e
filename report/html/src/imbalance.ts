// SPDX-License-Identifier: BSD-3-Clause
// Computes the imbalance of each location from computation and visits, as archive/metrics/imbalance.h does.
import type { Cells } from './data';
import type { Forest } from './tree';

const kEven = 1e-12; // the mean of equal values may differ from them in its last digits

type Name = 'imbalance' | 'imbalance_above' | 'imbalance_above_single' | 'imbalance_below' | 'imbalance_below_bypass'
  | 'imbalance_below_singularity';
type Rows = Record<Name, Float64Array>;

// The parts of a profile that imbalance is computed from.
interface Times {
  callTree: Forest;
  locations: { process: number }[];
  region: Int32Array; // by call path
  regions: { paradigm: string; role: string; kind: string }[];
  find(metric: string): number;
  row(metric: number, path: number): Cells | undefined;
}

export class Imbalance {
  private path = -1;
  private rows: Rows | undefined;

  constructor(private readonly p: Times) {}

  row(name: string, path: number): Float64Array {
    if (path !== this.path || !this.rows) this.rows = this.divide(path);
    this.path = path;
    return this.rows[name as Name];
  }

  // The threads that could take part in the work of the call path.
  private participants(path: number): number[] {
    const { p } = this;
    const all = Array.from(p.locations.keys());
    const makesThreads = (at: number) => {
      const region = p.regions[p.region[at]];
      return (region.paradigm === 'openmp' && region.role === 'parallel') || region.kind === 'THR';
    };
    if ([path, ...p.callTree.ancestors(path)].some(makesThreads)) return all;
    return all.filter((l) => l === 0 || p.locations[l].process !== p.locations[l - 1].process);
  }

  private divide(path: number): Rows {
    const { p } = this;
    const zero = () => new Float64Array(p.locations.length);
    const rows: Rows = {
      imbalance: zero(), imbalance_above: zero(), imbalance_above_single: zero(), imbalance_below: zero(),
      imbalance_below_bypass: zero(), imbalance_below_singularity: zero(),
    };
    const time = p.find('comp') < 0 ? undefined : p.row(p.find('comp'), path);
    const visits = p.find('visits') < 0 ? undefined : p.row(p.find('visits'), path);
    const who = this.participants(path);
    const mean = who.reduce((sum, l) => sum + (time?.[l] ?? 0), 0) / who.length;
    if (!time || !(mean > 0)) return rows;
    const came = who.filter((l) => (visits?.[l] ?? 0) > 0);
    for (const l of who) {
      const far = Math.abs(time[l] - mean);
      if (far > kEven * mean) {
        rows.imbalance[l] = far;
        rows[time[l] > mean ? 'imbalance_above' : 'imbalance_below'][l] = far;
      }
      if (came.length === 0 || came.length === who.length) continue;
      if (!came.includes(l)) rows.imbalance_below_bypass[l] = mean;
      if (came.length === 1) rows[came[0] === l ? 'imbalance_above_single' : 'imbalance_below_singularity'][l] = far;
    }
    return rows;
  }
}
