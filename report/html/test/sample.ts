// SPDX-License-Identifier: BSD-3-Clause
// A profile in the layout of report/html/pack.cc, small enough to check by hand.
//
//   0 app          2 ranks × 2 threads: locations 0:0 0:1 1:0 1:1
//   1   main
//   2     work     comp      visits 10 on each
//   3     MPI_Wait mpi_request_completion, first threads only
import type { Header, PackedMetric, PackedRegion } from '../src/data';
import { type Packed, unpack } from '../src/data';

export const nan = NaN;

export interface Values {
  name: string;
  unit?: string;
  type?: PackedMetric['type'];
  parent?: number;
  rows: Record<number, number[] | 'as parent'>;
}

export const time: Values = {
  name: 'time', unit: 'sec',
  rows: { 0: [1, 0, 1, 0], 1: [2, 0, 2, 0], 2: [3, 4, 5, 20], 3: [6, 0, 8, 0] },
};
export const comp: Values = { name: 'comp', unit: 'sec', parent: 0, rows: { 0: 'as parent', 1: 'as parent', 2: 'as parent' } };
export const visits: Values = {
  name: 'visits', unit: 'occ', type: 'uint64',
  rows: { 0: [1, 0, 1, 0], 1: [1, 0, 1, 0], 2: [10, 10, 10, 10], 3: [5, 0, 4_000_000_000_000, 0] },
};
export const least: Values = { name: 'min_time', unit: 'sec', type: 'min', rows: { 2: [0.1, nan, 0.2, 0.3] } };

export const regions: PackedRegion[] = [
  ['app', '', -1, 'unknown', 'artificial', 'COM', 'comp'],
  ['main', '/src/app.c', 10, 'compiler', 'function', 'COM', 'comp'],
  ['work', '/src/app.c', 20, 'compiler', 'function', 'USR', 'comp'],
  ['MPI_Wait', '', -1, 'mpi', 'point2point', 'MPI', 'mpi_request_completion'],
];

function planes(values: number[]): number[] {
  const view = new DataView(new ArrayBuffer(8));
  const bytes: number[][] = values.map((value) => {
    view.setFloat64(0, value);
    return Array.from({ length: 8 }, (_, i) => view.getUint8(i));
  });
  return Array.from({ length: 8 }, (_, plane) => bytes.map((one) => one[plane])).flat();
}

export function bytesOf(metrics: Values[], change: Partial<Header> = {}): Uint8Array {
  const bytes: number[] = [];
  const parents = change.parents ?? [-1, 0, 1, 1];
  const packed: PackedMetric[] = metrics.map((metric) => {
    const own = Object.values(metric.rows).filter((row): row is number[] => row !== 'as parent');
    const kinds = bytes.length;
    for (let path = 0; path < parents.length; path++) {
      const row = metric.rows[path] as number[] | string | undefined;
      bytes.push(row === undefined ? 0 : row === 'as parent' ? 2 : 1);
    }
    const sums = bytes.length;
    const add = (row: number[]) => row.filter((v) => !Number.isNaN(v)).reduce((a, b) => (metric.type === 'min' ? Math.min(a, b) : metric.type === 'max' ? Math.max(a, b) : a + b));
    for (const byte of planes(own.map(add))) bytes.push(byte);
    const cells = bytes.length;
    for (const byte of planes(own.flat())) bytes.push(byte); // too many for one call
    return {
      name: metric.name, display: metric.name, unit: metric.unit ?? 'sec', description: '', type: metric.type ?? 'double',
      parent: metric.parent ?? -1, rows: own.length, kinds, sums, cells, width: 8,
    };
  });
  const header = {
    format: 'epik-html', version: 1, command: './app', advice: [], imbalances: [],
    manifest: { program: 'app', ended: 'exit', cost_percent: 0.1 }, machine: 'm',
    nodes: ['n1'], processes: [[0, 0, 'rank 0'], [0, 1, 'rank 1']],
    locations: [[0, 0, ''], [0, 1, ''], [1, 0, ''], [1, 1, '']], regions, parents, region_of: [0, 1, 2, 3],
    communication: '', estimated: '', derived: [], counters: [], bits: 52, pop: { mpi: true, omp: false, verdict: [], phases: [], whole: {} }, metrics: packed, ...change,
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const out = new Uint8Array(4 + text.length + bytes.length);
  new DataView(out.buffer).setUint32(0, text.length, true);
  out.set(text, 4);
  out.set(bytes, 4 + text.length);
  return out;
}

export function sample(metrics: Values[] = [time, comp, visits, least], change: Partial<Header> = {}): Packed {
  return unpack(bytesOf(metrics, change));
}
