// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, nameOf } from '../src/compare';
import { Profile } from '../src/model';
import { regions, sample, time } from './sample';

const before = new Profile(sample(undefined, { same: [0, 1, 3, -1] }));
// The name of the program and the order of calls differ; MPI_Wait is gone, and MPI_Test is new.
const after = new Profile(sample([{ ...time, rows: { 0: [1, 0, 1, 0], 1: [2, 0, 2, 0], 2: [7, 0, 0, 0], 3: [3, 4, 5, 6] } }], {
  regions: [['app.new', ...regions[0].slice(1)], regions[1], ['MPI_Test', ...regions[3].slice(1)], regions[2]] as typeof regions,
}));

test('what changed most is first; what is gone or new is there', () => {
  const changes = compare(after, before, 'time', false);
  assert.deepEqual(changes.map((c) => [nameOf(after, before, c).split(' > ').pop(), c.before, c.after]), [
    ['work', 32, 18], ['MPI_Wait', 14, 0], ['MPI_Test', 0, 7], ['app.new', 2, 2], ['main', 4, 4],
  ]);
  assert.deepEqual(compare(after, before, 'time', true).map((c) => c.after - c.before).slice(0, 2), [-21, -21]);
});

test('nothing to compare where a metric is missing', () => {
  assert.deepEqual(compare(after, before, 'visits', false), []);
});
