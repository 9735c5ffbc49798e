// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counters } from '../src/counters';
import { evaluate } from '../src/formula';
import { Profile } from '../src/model';
import { sample, time, type Values, visits } from './sample';

const values: Record<string, number> = { a: 8, b: 2, zero: 0, 'perf::L1-LOADS': 5 };
const of = (formula: string) => evaluate(formula, (name) => values[name] ?? NaN);

test('formulas, as the C++ side understands them', () => {
  assert.equal(of('a / b'), 4);
  assert.equal(of('a - b * 2 + 1'), 5);
  assert.equal(of('( a - b ) / ( b + 1 )'), 2);
  assert.equal(of('perf::L1-LOADS * 64'), 320);
  for (const nothing of ['a / zero', 'a / missing', 'a +', '( a', 'a b', '']) assert.ok(Number.isNaN(of(nothing)), nothing);
});

const faults: Values = { name: 'faults', unit: '#', type: 'uint64', rows: { 1: [4, 0, 2, 0], 2: [10, 20, 30, 40] } };
const peak: Values = { name: 'peak', unit: 'bytes', type: 'max', rows: { 1: [100, NaN, NaN, NaN], 2: [NaN, 300, 200, NaN] } };
const missing: Values = { name: 'cycles', unit: '#', type: 'uint64', rows: {} };

function make(): Counters {
  const packed = sample([time, visits, faults, peak, missing],
    { counters: [2, 3, 4], derived: [['fault rate', '1/sec', 'faults / time']] });
  packed.header.metrics[4].description = 'n/a: no PMU';
  return new Counters(new Profile(packed));
}

test('totals by location, peaks, what is missing and what is computed', () => {
  const [sum, largest, none, rate] = make().all;
  assert.equal(sum.total, 106);
  assert.deepEqual([...sum.byLocation], [14, 20, 32, 40]);
  assert.equal(largest.total, 300);
  assert.deepEqual([...largest.byLocation], [100, 300, 200, 0]);
  assert.equal(none.missing, 'no PMU');
  assert.ok(Number.isNaN(none.total));
  assert.equal(rate.total, 106 / 52);
  assert.equal(rate.byLocation[3], 40 / 20);
});

test('call paths, alone and with everything below', () => {
  const counters = make();
  const [sum, largest, , rate] = counters.all;
  assert.deepEqual(counters.hottest(sum, 9), [2, 1]);
  assert.equal(counters.at(sum, 1, false), 6);
  assert.equal(counters.at(sum, 1, true), 106);
  assert.equal(counters.at(largest, 1, false), 100);
  assert.equal(counters.at(largest, 1, true), 300);
  assert.equal(counters.at(rate, 2, false), 100 / 32);
  assert.equal(counters.at(rate, 1, true), 106 / 50);
});

test('what one process could not have is no zero, and makes no ratio', () => {
  const packed = sample([time, visits, faults, peak],
    { counters: [2, 3], derived: [['fault rate', '1/sec', 'faults / time'], ['size', 'bytes', 'peak / faults']] });
  for (const metric of [2, 3]) packed.header.metrics[metric].description = 'n/a on ranks 1: no PMU; faults';
  const [sum, , rate, both] = new Counters(new Profile(packed)).all;
  assert.deepEqual([...sum.byLocation], [14, 20, NaN, NaN]);
  assert.equal(sum.missing, 'n/a on ranks 1: no PMU');
  assert.equal(rate.missing, 'faults is n/a on ranks 1: no PMU');
  assert.ok(Number.isNaN(rate.total));
  assert.equal(both.missing, '');
});

test('a peak of a job with many locations', () => {
  const many = 150_000;
  const wide = sample([{ name: 'peak', unit: 'bytes', type: 'max', rows: { 1: Array.from({ length: many }, (_, l) => l) } }],
    { counters: [0], locations: Array.from({ length: many }, (_, l): [number, number, string] => [l % 2, l, '']) });
  assert.equal(new Counters(new Profile(wide)).all[0].total, many - 1);
});
