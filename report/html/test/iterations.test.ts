// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackedRegion } from '../src/data';
import { groupsOf, hasLoops, loopsOf, medianOf } from '../src/iterations';
import { Profile } from '../src/model';
import { sample as pack, time, visits } from './sample';

const value = (name: string): PackedRegion => [name, '', -1, 'user', 'dynamic', 'USR', 'comp'];
const regions: PackedRegion[] = [
  ['main', '', -1, 'compiler', 'function', 'COM', 'comp'],
  value('step=10'), value('step=9'),
  ['MPI_Wait', '', -1, 'mpi', 'point2point', 'MPI', 'mpi_request_completion'],
  value('size=1'), value('size=2'),
];

// main > step=10 > { size=1, size=2 }, step=9 > { size=1, MPI_Wait }
const profile = () => new Profile(pack([
  { ...time, rows: { 0: [1, 0, 1, 0], 1: [1, 0, 0, 0], 2: [2, 0, 0, 0], 3: [4, 0, 0, 8], 5: [0, 3, 0, 0], 6: [5, 0, 6, 0] } },
  { ...visits, rows: { 0: [1, 0, 1, 0] } },
], { regions, parents: [-1, 0, 1, 1, 0, 4, 4], region_of: [0, 1, 4, 5, 2, 4, 3] }));

test('a loop has its values in the order of their numbers, with the time of their callees', () => {
  const [steps, sizes] = loopsOf(profile());
  assert.equal(steps.parameter, 'step');
  assert.deepEqual(steps.values.map((one) => one.text), ['9', '10']);
  assert.deepEqual(steps.values.map((one) => one.time), [14, 15]);
  assert.deepEqual(steps.values.map((one) => one.longest), [6, 8]);
  assert.deepEqual(steps.values.map((one) => one.location), [2, 3]);
  assert.deepEqual(steps.values[0].uses, [3, 11, 0, 0]);
  assert.equal(steps.median, 7);
  assert.equal(steps.time, 29);
  // The loop within the other one is one loop.
  assert.equal(sizes.parameter, 'size');
  assert.deepEqual(sizes.values.map((one) => [one.text, one.time]), [['1', 5], ['2', 12]]);
});

test('many values become few groups of neighbours', () => {
  const values = loopsOf(profile())[0].values;
  const [group] = groupsOf(values, 1);
  assert.equal(group.first, values[0]);
  assert.equal(group.last, values[1]);
  assert.equal(group.mean, 7);
  assert.ok(Math.abs(group.uses[1] - 11 / 29) < 1e-12);
  assert.equal(groupsOf(values, 5).length, 2);
});

test('one value is no loop', () => {
  const alone = new Profile(pack([time], { regions, parents: [-1, 0], region_of: [0, 1] }));
  assert.equal(hasLoops(alone), false);
  assert.deepEqual(loopsOf(alone), []);
  assert.equal(hasLoops(profile()), true);
  assert.equal(medianOf([3, 1, 2]), 2);
});
