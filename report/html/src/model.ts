// SPDX-License-Identifier: BSD-3-Clause
// The profile as views need it: values, inclusive and exclusive along the call tree and along the metric tree.
import { type Cells, cellsOf, doublesAt, type Header, type Packed, type PackedMetric } from './data';
import { Imbalance } from './imbalance';
import { Forest } from './tree';

export interface Region {
  name: string;
  file: string;
  line: number;
  paradigm: string;
  role: string;
  kind: string; // USR COM MPI OMP THR EPIK
  metric: string; // the metric of the time tree that has its own time
}

export interface Location {
  rank: number;
  thread: number;
  process: number;
  name: string; // "rank 2", "thread 3", "rank 2 thread 3"
  short: string; // "1:0"
}

// A name tells as much as distinguishes the locations of this profile, as in text (archive/profile/where.cc).
function makeLocations(h: Header): Location[] {
  const threads = h.locations.some(([, thread]) => thread > 0);
  return h.locations.map(([process, thread]) => {
    const rank = h.processes[process]?.[1] ?? process;
    const name = !threads ? `rank ${rank}` : h.processes.length > 1 ? `rank ${rank} thread ${thread}` : `thread ${thread}`;
    return { process, rank, thread, name, short: `${rank}:${thread}` };
  });
}

const kNothing = 0;
const kOwn = 1;
const kComputed = -1; // width of metrics whose cells are not in the file

// `own`: only the part of the value that no child metric has, as the metric tree shows it at an unfolded node.
export interface Choice {
  metric: number;
  own: boolean;
}

export class Profile {
  readonly header: Header;
  readonly metrics: PackedMetric[];
  readonly metricTree: Forest;
  readonly regions: Region[];
  readonly locations: Location[];
  readonly callTree: Forest;
  readonly region: Int32Array; // by call path
  readonly end: Int32Array; // by call path: the first call path after its subtree
  readonly system: Forest; // machine, nodes, processes, locations
  readonly systemNames: string[];
  readonly systemLocations: number[][];
  private readonly packed: Packed;
  private readonly cells: (Cells | undefined)[] = [];
  private readonly rowOf: Int32Array[] = []; // by metric, call path: number of its row; -1 none; -2 as the parent's
  private readonly sums: Float64Array[] = [];
  private readonly imbalance = new Imbalance(this);
  private readonly inclusives = new Map<number, Float64Array>();
  private readonly exclusives = new Map<number, Float64Array>();

  constructor(packed: Packed) {
    this.packed = packed;
    const h = (this.header = packed.header);
    this.metrics = h.metrics;
    this.metricTree = new Forest(h.metrics.map((m) => m.parent));
    this.regions = h.regions.map(([name, file, line, paradigm, role, kind, metric]) => ({
      name, file, line, paradigm, role, kind, metric,
    }));
    this.locations = makeLocations(h);
    this.callTree = new Forest(h.parents);
    this.region = Int32Array.from(h.region_of);
    this.end = new Int32Array(h.parents.length);
    for (let p = h.parents.length - 1; p >= 0; p--) {
      this.end[p] = Math.max(this.end[p], p + 1);
      const parent = h.parents[p];
      if (parent >= 0) this.end[parent] = Math.max(this.end[parent], this.end[p]);
    }
    const system = makeSystem(h, this.locations);
    this.system = new Forest(system.parents);
    this.systemNames = system.names;
    this.systemLocations = system.locations;
    for (let m = 0; m < h.metrics.length; m++) this.readRows(m);
  }

  // Whether the location's process could not read a counter that other processes could read: then it has no value,
  // which is not zero. The description of the metric says so (archive/profile/absence.h).
  isAbsent(metric: number, location: number): boolean {
    const ranks = /^n\/a on ranks ([\d,-]+): /.exec(this.metrics[metric].description)?.[1];
    const rank = this.locations[location].rank;
    return (ranks ?? '').split(',').some((range) => {
      const [first, last = first] = range.split('-');
      return first !== '' && rank >= Number(first) && rank <= Number(last);
    });
  }

  get paths(): number {
    return this.region.length;
  }

  private readRows(m: number): void {
    const metric = this.metrics[m];
    const rows = new Int32Array(this.paths).fill(-1);
    const exclusive = new Float64Array(this.paths);
    const sums = doublesAt(this.packed.bytes, metric.sums, metric.rows);
    let next = 0;
    for (let p = 0; p < this.paths; p++) {
      const kind = this.packed.bytes[metric.kinds + p];
      if (kind === kNothing) continue;
      if (kind === kOwn) {
        exclusive[p] = sums[next];
        rows[p] = next++;
      } else {
        exclusive[p] = this.sums[metric.parent][p]; // parents come first
        rows[p] = -2;
      }
    }
    this.rowOf.push(rows);
    this.sums.push(exclusive);
  }

  find(name: string): number {
    return this.metrics.findIndex((m) => m.name === name);
  }

  additive(metric: number): boolean {
    const type = this.metrics[metric].type;
    return type === 'double' || type === 'uint64';
  }

  // A value for each location, for the call path alone; undefined when there are no values.
  row(metric: number, path: number): Cells | undefined {
    let m = metric;
    while (this.rowOf[m][path] === -2) m = this.metrics[m].parent;
    const row = this.rowOf[m][path];
    if (row < 0) return undefined;
    if (this.metrics[m].width === kComputed) return this.imbalance.row(this.metrics[m].name, path);
    const cells = (this.cells[m] ??= cellsOf(this.packed, this.metrics[m]));
    return cells.subarray(row * this.locations.length, (row + 1) * this.locations.length);
  }

  has(metric: number, path: number): boolean {
    return this.rowOf[metric][path] !== -1;
  }

  // Sums over locations, by call path; for minima and maxima the least and the largest value.
  exclusive({ metric, own }: Choice): Float64Array {
    if (!own) return this.sums[metric];
    let found = this.exclusives.get(metric);
    if (!found) {
      found = Float64Array.from(this.sums[metric]);
      for (const child of this.metricTree.children(metric)) {
        for (let p = 0; p < found.length; p++) found[p] -= this.sums[child][p];
      }
      clean(found, this.sums[metric]);
      this.exclusives.set(metric, found);
    }
    return found;
  }

  inclusive(choice: Choice): Float64Array {
    if (!this.additive(choice.metric)) return this.exclusive(choice);
    const key = choice.metric * 2 + (choice.own ? 1 : 0);
    let found = this.inclusives.get(key);
    if (!found) {
      found = Float64Array.from(this.exclusive(choice));
      for (let p = found.length - 1; p >= 0; p--) {
        const parent = this.callTree.parent[p];
        if (parent >= 0) found[parent] += found[p];
      }
      this.inclusives.set(key, found);
    }
    return found;
  }

  // The total of the program; NaN when values cannot be added.
  total(choice: Choice): number {
    if (!this.additive(choice.metric)) return NaN;
    const values = this.inclusive(choice);
    return this.callTree.roots.reduce((sum, root) => sum + values[root], 0);
  }

  // A value for each location: for the call path alone, or with its callees.
  perLocation(choice: Choice, path: number, below: boolean): Float64Array {
    const out = new Float64Array(this.locations.length);
    const last = below && this.additive(choice.metric) ? this.end[path] : path + 1;
    for (let p = path; p < last; p++) this.addRow(choice.metric, p, 1, out);
    if (choice.own) {
      const whole = Float64Array.from(out);
      for (const child of this.metricTree.children(choice.metric)) {
        for (let p = path; p < last; p++) this.addRow(child, p, -1, out);
      }
      clean(out, whole);
    }
    return out;
  }

  addRow(metric: number, path: number, factor: number, out: Float64Array): void {
    const row = this.row(metric, path);
    if (!row) return;
    for (let l = 0; l < out.length; l++) out[l] += factor * row[l];
  }

  // Whether a location came to the call path, or to one of its callees.
  present(path: number, below: boolean): boolean[] {
    const out = new Array<boolean>(this.locations.length).fill(false);
    const last = below ? this.end[path] : path + 1;
    for (const name of ['visits', 'time']) {
      const metric = this.find(name);
      if (metric < 0) continue;
      for (let p = path; p < last; p++) {
        const row = this.row(metric, p);
        for (let l = 0; row && l < out.length; l++) out[l] ||= row[l] > 0;
      }
    }
    return out;
  }

  name(path: number): string {
    return this.regions[this.region[path]].name;
  }

  // The call paths from the root to this one.
  chain(path: number): number[] {
    const chain = [];
    for (let p = path; p >= 0; p = this.callTree.parent[p]) chain.push(p);
    return chain.reverse();
  }

  fullName(path: number): string {
    return this.chain(path).map((p) => this.name(p)).join(' > ');
  }
}

// Removes the rounding errors of metrics that are the sum of their children.
function clean(values: Float64Array, of: Float64Array): void {
  for (let p = 0; p < values.length; p++) if (Math.abs(values[p]) <= 1e-9 * Math.abs(of[p])) values[p] = 0;
}

function makeSystem(h: Header, locations: Location[]) {
  const parents = [-1];
  const names = [h.machine || 'machine'];
  const members: number[][] = [[]];
  const add = (parent: number, name: string) => {
    parents.push(parent);
    names.push(name);
    members.push([]);
    return names.length - 1;
  };
  const byNode = new Map<number, number>();
  const byProcess = new Map<number, number>();
  locations.forEach((location, l) => {
    const node = h.processes[location.process]?.[0] ?? -1;
    if (!byNode.has(node)) byNode.set(node, add(0, h.nodes[node] || 'node'));
    if (!byProcess.has(location.process)) {
      byProcess.set(location.process, add(byNode.get(node)!, `rank ${location.rank}`));
    }
    const process = byProcess.get(location.process)!;
    const own = add(process, `thread ${location.thread}`);
    for (const at of [0, byNode.get(node)!, process, own]) members[at].push(l);
  });
  return { parents, names, locations: members };
}
