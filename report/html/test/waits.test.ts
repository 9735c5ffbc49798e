// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analysisOf, heatOf, splitPath } from '../src/waits';

test('heat has the rows with most waiting, and its largest cell', () => {
  const { rows, top } = heatOf([
    { pattern: 'little', seconds: [0, 0.5, 0] }, { pattern: 'none', seconds: [0, 0, 0] },
    { pattern: 'much', seconds: [1, 2, 3] }, { pattern: 'some', seconds: [4, 0, 0] },
  ], 2);
  assert.deepEqual(rows.map((row) => row.pattern), ['much', 'some']);
  assert.equal(top, 4);
  assert.deepEqual(heatOf([], 3), { rows: [], top: 0 });
});

test('a call path is its innermost name, and those around it', () => {
  assert.deepEqual(splitPath('main > solve > MPI_Recv'), { name: 'MPI_Recv', around: 'main › solve' });
  assert.deepEqual(splitPath('main'), { name: 'main', around: '' });
});

test('directions of writing in names are shown, not obeyed', () => {
  const text = JSON.stringify({ over_time: { bin_s: 1, patterns: [] }, iterations: [{ parameter: 'a\u202eb', first: ['\u0007'] }] });
  const [loop] = analysisOf(text).iterations;
  assert.equal(loop?.parameter, 'a?b');
  assert.deepEqual(loop?.first, ['?']);
});
