// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import test from 'node:test';
import { Profile } from '../src/model';
import { mpiRows } from '../src/mpi';
import { sample, time, type Values, visits } from './sample';

const sent: Values = { name: 'bytes_sent', unit: 'bytes', type: 'uint64', rows: { 3: [100, 0, 28, 0] } };

test('functions of MPI have their calls, bytes, and the rank with most time', () => {
  const rows = mpiRows(new Profile(sample([time, visits, sent])));
  assert.equal(rows.length, 1);
  const [row] = rows;
  assert.equal(row.path, 3);
  assert.equal(row.calls, 4_000_000_000_005);
  assert.equal(row.time, 14);
  assert.equal(row.bytes, 128);
  assert.deepEqual([row.least, row.mean, row.most, row.rank], [6, 7, 8, 1]);
});

test('without time there is no table', () => {
  assert.deepEqual(mpiRows(new Profile(sample([visits]))), []);
});
