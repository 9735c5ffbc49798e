// SPDX-License-Identifier: BSD-3-Clause
// The profile in the format of report/html/pack.cc. docs/html.md has the layout.
import { unzlibSync } from 'fflate';
import { printable } from './format';
import type { Topology } from './topology';

export interface Manifest {
  program?: string;
  command?: string[];
  host?: string;
  started?: string;
  wall_seconds?: number;
  ranks?: number;
  threads?: number;
  ended?: string;
  ended_detail?: string;
  recovered?: boolean;
  open_frames?: number;
  timer?: string;
  events?: number;
  pair_cost_ns?: number;
  cost_seconds?: number;
  cost_percent?: number;
  cpu_seconds?: number;
  cpu_most_seconds?: number;
  wall_without_seconds?: number;
  folded_visits?: number;
  dropped_events?: number;
  repairs?: number;
  unmatched_exits?: number;
  notes?: string[];
}

export interface Efficiencies {
  path: number;
  runtime: number;
  processes: number;
  present: number;
  threads: number;
  useful: number;
  busiest: number;
  parallel: number;
  load_balance: number;
  communication: number;
  mpi_parallel: number;
  mpi_load_balance: number;
  mpi_communication: number;
  omp_parallel: number;
  omp_load_balance: number;
  omp_region: number;
}

export interface Pop {
  mpi: boolean;
  omp: boolean;
  whole: Efficiencies;
  verdict: string[];
  phases: Efficiencies[];
}

export interface PackedMetric {
  name: string;
  display: string;
  unit: string;
  description: string;
  type: 'uint64' | 'double' | 'min' | 'max';
  parent: number;
  rows: number;
  kinds: number; // offsets into the bytes
  sums: number;
  cells: number;
  width: number;
  like?: number; // metric from whose levels its levels are differences
}

// name, file, line, paradigm, role, class, metric of its own time
export type PackedRegion = [string, string, number, string, string, string, string];

export interface PackedImbalance {
  path: number;
  whole: boolean; // a parallel region, with all computation in it
  busiest: number;
  saved: number; // seconds of the run
  values: (number | null)[]; // seconds by location; null: it does not take part
}

export interface Header {
  format: string;
  version: number;
  command: string; // as a shell takes it
  manifest: Manifest;
  machine: string;
  nodes: string[];
  processes: [number, number, string][]; // node, rank, name
  locations: [number, number, string][]; // process, thread, name
  regions: PackedRegion[];
  parents: number[];
  region_of: number[];
  pop: Pop;
  advice: ['bad' | 'warn', string, string, number][]; // title, sentence, call path to look at or -1
  imbalances: PackedImbalance[];
  difference?: boolean; // the file says that it is what changed between runs; older files do not say it
  estimated: string; // regions that were not measured in full
  topologies?: Topology[];
  communication: string;
  same?: number[]; // in the run that is compared: for each call path the same one of the page's profile, or -1
  derived: [string, string, string][]; // name, unit, formula
  counters: number[]; // metrics
  metrics: PackedMetric[];
  bits: number;
}

export interface Packed {
  header: Header;
  bytes: Uint8Array;
}

export function bytesOfBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Uses the browser's own zlib if it has one.
export async function inflate(zlib: Uint8Array): Promise<Uint8Array> {
  if (typeof DecompressionStream !== 'undefined') {
    try {
      const stream = new Blob([zlib as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate'));
      return new Uint8Array(await new Response(stream).arrayBuffer());
    } catch {
      // Some browsers have the class but not this format; then our own zlib follows.
    }
  }
  return unzlibSync(zlib);
}

export function unpack(inflated: Uint8Array): Packed {
  const view = new DataView(inflated.buffer, inflated.byteOffset, inflated.byteLength);
  const length = view.getUint32(0, true);
  // Names from symbol tables and files are made safe to show here, once. communication.csv has only numbers, in lines.
  const safe = (key: string, value: unknown) =>
    (typeof value === 'string' && key !== 'communication' ? printable(value.replace(/[\t\n]+/g, ' ')) : value);
  const header = JSON.parse(new TextDecoder().decode(inflated.subarray(4, 4 + length)), safe) as Header;
  if (header.format !== 'epik-html' || header.version !== 1) throw new Error('the profile is of another version');
  return { header, bytes: inflated.subarray(4 + length) };
}

// Reads `count` doubles, stored as all first bytes, then all second bytes, and so on.
export function doublesAt(bytes: Uint8Array, offset: number, count: number): Float64Array {
  const view = new DataView(new ArrayBuffer(8));
  const out = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    for (let plane = 0; plane < 8; plane++) view.setUint8(plane, bytes[offset + plane * count + i]);
    out[i] = view.getFloat64(0);
  }
  return out;
}

function singlesAt(bytes: Uint8Array, offset: number, count: number, width: number): Float32Array {
  const bits = new Uint32Array(count);
  for (let plane = 0; plane < width; plane++) {
    const shift = 24 - 8 * plane;
    const start = offset + plane * count;
    for (let i = 0; i < count; i++) bits[i] |= bytes[start + i] << shift;
  }
  return new Float32Array(bits.buffer);
}

// Reads differences along a row: the lowest bit of the first byte is the sign.
function differencesAt(bytes: Uint8Array, offset: number, count: number, row: number): Float64Array {
  const out = new Float64Array(count);
  let at = offset;
  for (let i = 0; i < count; i++) {
    let byte = bytes[at++];
    const negative = (byte & 1) !== 0;
    let value = (byte & 0x7f) >> 1;
    for (let scale = 64; byte & 0x80; scale *= 128) {
      byte = bytes[at++];
      value += (byte & 0x7f) * scale;
    }
    out[i] = (i % row === 0 ? 0 : out[i - 1]) + (negative ? -value - 1 : value);
  }
  return out;
}

const kOwn = 1; // the kind of a call path that has a row
const kLevels = 63;
const kNoValue = 64;

// Returns each cell as a level of its row's scale. For a metric that is like another one, the differences are stored.
function levelsOf({ header, bytes }: Packed, metric: PackedMetric): Uint8Array {
  const locations = header.locations.length;
  const start = metric.cells + 2 * metric.rows;
  const levels = bytes.slice(start, start + metric.rows * locations);
  if (metric.like === undefined) return levels;
  const other = header.metrics[metric.like];
  const theirs = levelsOf({ header, bytes }, other);
  let row = 0;
  let otherRow = 0;
  for (let path = 0; path < header.parents.length; path++) {
    const both = bytes[metric.kinds + path] === kOwn && bytes[other.kinds + path] === kOwn;
    for (let l = 0; both && l < locations; l++) levels[row * locations + l] += theirs[otherRow * locations + l];
    if (bytes[metric.kinds + path] === kOwn) row++;
    if (bytes[other.kinds + path] === kOwn) otherRow++;
  }
  return levels;
}

function shadesAt(packed: Packed, metric: PackedMetric): Float32Array {
  const locations = packed.header.locations.length;
  const levels = levelsOf(packed, metric);
  const scales = singlesAt(packed.bytes, metric.cells, metric.rows, 2);
  const out = new Float32Array(levels.length);
  for (let i = 0; i < levels.length; i++) {
    out[i] = levels[i] === kNoValue ? NaN : levels[i] * scales[Math.floor(i / locations)] / kLevels;
  }
  return out;
}

export type Cells = Float64Array | Float32Array;

export function cellsOf(packed: Packed, metric: PackedMetric): Cells {
  const locations = packed.header.locations.length;
  const count = metric.rows * locations;
  if (metric.width === 0) return differencesAt(packed.bytes, metric.cells, count, locations);
  if (metric.width === 1) return shadesAt(packed, metric);
  if (metric.width === 8) return doublesAt(packed.bytes, metric.cells, count);
  return singlesAt(packed.bytes, metric.cells, count, metric.width);
}
