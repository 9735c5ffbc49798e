// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zlibSync } from 'fflate';
import { bytesOfBase64, cellsOf, type Header, inflate, type Packed, type PackedMetric, unpack } from '../src/data';
import { Profile } from '../src/model';
import { bytesOf, comp, sample, time, visits } from './sample';

const profile = new Profile(sample());
const of = (name: string, own = false) => ({ metric: profile.find(name), own });

test('exclusive values are those stored, inclusive ones have all below', () => {
  assert.deepEqual([...profile.exclusive(of('time'))], [2, 4, 32, 14]);
  assert.deepEqual([...profile.inclusive(of('time'))], [52, 50, 32, 14]);
  assert.equal(profile.total(of('time')), 52);
});

test('an unfolded metric has what its children have not', () => {
  assert.deepEqual([...profile.exclusive(of('comp'))], [2, 4, 32, 0]);
  assert.deepEqual([...profile.exclusive(of('time', true))], [0, 0, 0, 14]);
  assert.equal(profile.total(of('time', true)), 14);
  assert.deepEqual([...profile.perLocation(of('time', true), 0, true)], [6, 0, 8, 0]);
});

test('what rounding leaves is nothing', () => {
  const parts = (name: string, value: number) => ({ name, parent: 0, rows: { 2: [value, value, value, value] } });
  const p = new Profile(sample([{ ...time, rows: { 2: [0.3, 0.3, 0.3, 0.3] } }, parts('a', 0.1), parts('b', 0.2)]));
  assert.notEqual(0.3 - 0.1 - 0.2, 0);
  assert.deepEqual([...p.exclusive({ metric: 0, own: true })], [0, 0, 0, 0]);
  assert.deepEqual([...p.perLocation({ metric: 0, own: true }, 0, true)], [0, 0, 0, 0]);
});

test('values by location', () => {
  assert.deepEqual([...profile.perLocation(of('time'), 1, true)], [11, 4, 15, 20]);
  assert.deepEqual([...profile.perLocation(of('time'), 1, false)], [2, 0, 2, 0]);
  assert.deepEqual([...profile.perLocation(of('comp'), 2, false)], [3, 4, 5, 20]);
  assert.deepEqual([...profile.perLocation(of('visits'), 3, false)], [5, 0, 4e12, 0]);
});

test('minima are not added up', () => {
  assert.equal(profile.additive(profile.find('min_time')), false);
  assert.ok(Number.isNaN(profile.total(of('min_time'))));
  assert.deepEqual([...profile.inclusive(of('min_time'))], [0, 0, 0.1, 0]);
  assert.ok(Number.isNaN(profile.row(profile.find('min_time'), 2)![1]));
});

test('what some ranks could not have is no zero there', () => {
  const some = new Profile(sample());
  const metric = some.find('visits');
  some.metrics[metric].description = 'n/a on ranks 1,3-5: no PMU; cycles';
  assert.deepEqual([0, 1, 2, 3].map((l) => some.isAbsent(metric, l)), [false, false, true, true]);
  some.metrics[metric].description = 'n/a on ranks 3-5: no PMU; cycles';
  assert.equal(some.isAbsent(metric, 3), false);
  assert.equal(some.isAbsent(some.find('time'), 3), false);
});

test('who came to a call path', () => {
  assert.deepEqual(profile.present(3, false), [true, false, true, false]);
  assert.deepEqual(profile.present(1, true), [true, true, true, true]);
});

test('the system tree has every location once on each level', () => {
  assert.deepEqual(profile.systemNames.slice(0, 4), ['m', 'n1', 'rank 0', 'thread 0']);
  assert.deepEqual(profile.systemLocations[0], [0, 1, 2, 3]);
  const leaves = profile.systemNames.map((_, node) => node).filter((node) => !profile.system.hasChildren(node));
  assert.deepEqual(leaves.flatMap((node) => profile.systemLocations[node]).sort(), [0, 1, 2, 3]);
});

test('names', () => {
  assert.equal(profile.fullName(3), 'app > main > MPI_Wait');
  assert.equal(profile.locations[3].name, 'rank 1 thread 1');
  const namesOf = (change: Partial<Header>) => new Profile(sample([time], change)).locations.map((l) => l.name);
  assert.deepEqual(namesOf({ processes: [[0, 0, ''], [0, 2, '']], locations: [[0, 0, ''], [1, 0, '']] }), ['rank 0', 'rank 2']);
  assert.deepEqual(namesOf({ processes: [[0, 0, '']], locations: [[0, 0, ''], [0, 3, '']] }), ['thread 0', 'thread 3']);
  assert.deepEqual(namesOf({ processes: [[0, 0, '']], locations: [[0, 0, '']] }), ['rank 0']);
});

test('what the browser or fflate inflates is what was there', async () => {
  const bytes = bytesOf([time]);
  const zlib = zlibSync(bytes);
  const text = Buffer.from(zlib).toString('base64');
  assert.deepEqual([...bytesOfBase64(text)], [...zlib]);
  assert.deepEqual([...(await inflate(zlib))], [...bytes]);
  const there = globalThis.DecompressionStream;
  try {
    Object.defineProperty(globalThis, 'DecompressionStream', { value: undefined, configurable: true, writable: true });
    assert.deepEqual([...(await inflate(zlib))], [...bytes]);
  } finally {
    Object.defineProperty(globalThis, 'DecompressionStream', { value: there, configurable: true, writable: true });
  }
});

test('profiles of another version are refused', () => {
  assert.throws(() => unpack(bytesOf([time], { version: 2 })), /another version/);
});

test('differences of variable length: sign in the lowest bit of the first byte', () => {
  const base = sample();
  const metric: PackedMetric = { ...base.header.metrics[0], rows: 1, cells: 0, width: 0 };
  // 1, then -1 (difference -2), then 127 (difference 128), then 2^41 more: 6 + 5 × 7 bits lower
  const bytes = Uint8Array.from([1 << 1, (1 << 1) | 1, 0x80, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1]);
  const packed: Packed = { header: base.header, bytes };
  assert.deepEqual([...cellsOf(packed, metric)], [1, -1, 127, 127 + 2 ** 41]);
});

test('singles of three bytes are floats without their last byte', () => {
  const base = sample();
  const metric: PackedMetric = { ...base.header.metrics[0], rows: 1, cells: 0, width: 3 };
  // 1.5 = 3fc00000, 0, -2 = c0000000, NaN = 7fc00000
  const bytes = Uint8Array.from([0x3f, 0, 0xc0, 0x7f, 0xc0, 0, 0, 0xc0, 0, 0, 0, 0]);
  assert.deepEqual([...cellsOf({ header: base.header, bytes }, metric)], [1.5, 0, -2, NaN]);
});

test('levels of a scale, and of another metric\'s levels', () => {
  const base = sample();
  const paths = base.header.parents.length;
  const kinds = [1, 0, 1, ...new Array<number>(paths).fill(0)].slice(0, paths);
  // Two rows, of 63 (427c) and of 2 (4000); then 64: no value. The other metric has only the second row, with levels
  // that are one higher.
  const scales = [0x42, 0x40, 0x7c, 0x00];
  const one = [...kinds, ...scales, 1, 63, 64, 0, 63, 0, 0, 1];
  const other = [...kinds.map((kind, path) => (path === 2 ? kind : 0)), 0x42, 0x7c, 255, 1, 1, 0];
  const first: PackedMetric = { ...base.header.metrics[0], rows: 2, kinds: 0, cells: paths, width: 1 };
  const second: PackedMetric = { ...first, rows: 1, kinds: one.length, cells: one.length + paths, like: 0 };
  const packed: Packed = { header: { ...base.header, metrics: [first, second] }, bytes: Uint8Array.from([...one, ...other]) };
  assert.equal(base.header.locations.length, 4);
  assert.deepEqual([...cellsOf(packed, first)].map((value) => Math.fround(value)), [1, 63, NaN, 0, 2, 0, 0, Math.fround(2 / 63)]);
  assert.deepEqual([...cellsOf(packed, second)], [62, 1, 1, 1]);
});

test('imbalance is computed where it is not in the file', () => {
  const packed = sample([time, { ...comp, rows: { 1: [2, 0, 4, 0], 2: [3, 4, 5, 20], 3: [0, 0, 0, 4] } },
    { ...visits, rows: { 1: [1, 0, 1, 0], 2: [1, 1, 1, 1], 3: [0, 0, 0, 9] } },
    ...['imbalance', 'imbalance_above', 'imbalance_above_single', 'imbalance_below', 'imbalance_below_bypass',
      'imbalance_below_singularity'].map((name) => ({ name, rows: { 1: [0, 0, 0, 0], 2: [0, 0, 0, 0], 3: [0, 0, 0, 0] } }))]);
  for (const metric of packed.header.metrics.slice(3)) metric.width = -1;
  packed.header.regions[1] = ['main', '', 1, 'compiler', 'function', 'COM', 'comp'];
  packed.header.regions[2] = ['parallel', '', 1, 'openmp', 'parallel', 'OMP', 'comp'];
  packed.header.parents[3] = 2;
  const p = new Profile(packed);
  const row = (name: string, path: number) => [...p.row(p.find(name), path)!];
  // Outside of parallel regions only the first threads of the two ranks can compute.
  assert.deepEqual(row('imbalance', 1), [1, 0, 1, 0]);
  assert.deepEqual(row('imbalance_above', 1), [0, 0, 1, 0]);
  assert.deepEqual(row('imbalance', 2), [5, 4, 3, 12]);
  assert.deepEqual(row('imbalance_below', 2), [5, 4, 3, 0]);
  assert.deepEqual(row('imbalance_above_single', 3), [0, 0, 0, 3]);
  assert.deepEqual(row('imbalance_below_bypass', 3), [1, 1, 1, 0]);
  assert.deepEqual(row('imbalance_below_singularity', 3), [1, 1, 1, 0]);
});
