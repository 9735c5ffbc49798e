// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { altersRun, type Gain, longestLocation, predictionOf, sortedGains } from '../src/prediction';

const gain = (callpath: string, gain_s: number, own_s: number): Gain => ({ callpath, region: callpath, gain_s, gain_percent: 0, own_s });

test('the ranking can be sorted, and is not changed by that', () => {
  const rows = [gain('b', 3, 1), gain('a', 2, 5), gain('c', 2, 9)];
  const names = (order: 'gain' | 'own' | 'name') => sortedGains(rows, order).map((row) => row.callpath).join('');
  assert.equal(names('gain'), 'bac');
  assert.equal(names('own'), 'cab');
  assert.equal(names('name'), 'abc');
  assert.deepEqual(rows.map((row) => row.callpath), ['b', 'a', 'c']);
});

test('a ranking alone is no other run', () => {
  const found = (more: object) => predictionOf(JSON.stringify({ measured_s: 2, predicted_s: 2, ...more }));
  assert.equal(altersRun(found({})), true);
  assert.equal(altersRun(found({ ranking: [] })), false);
  assert.equal(altersRun(found({ ranking: [], predicted_s: 1.5 })), true);
});

test('bars of threads have one scale', () => {
  assert.equal(longestLocation([{ rank: 0, thread: 0, measured_s: 2, predicted_s: 1 }, { rank: 1, thread: 0, measured_s: 1, predicted_s: 3 }]), 3);
  assert.equal(longestLocation([]), 0);
});

test('directions of writing in names are shown, not obeyed', () => {
  const text = JSON.stringify({ wishes: 'a\u202eb', critical_path: [{ callpath: '\u0007', seconds: 1 }] });
  const found = predictionOf(text);
  assert.equal(found.wishes, 'a?b');
  assert.equal(found.critical_path[0]?.callpath, '?');
});
