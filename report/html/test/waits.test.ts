// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analysisOf, chainRows, chainsThatMatter, heatOf, splitPath } from '../src/waits';

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

test('the first screen has no causes that are a trifle', () => {
  const chain = (seconds: number) => ({ seconds, instances: 1, text: String(seconds) });
  const causes = (waited_s: number, ...all: number[]) =>
    ({ totals: { waited_s, waits: 1, unknown_s: 0 }, places: [], pairs: [], chains: all.map(chain) });
  const shown = (waited_s: number, ...all: number[]) => chainsThatMatter(causes(waited_s, ...all), 3).map((one) => one.seconds);
  assert.deepEqual(shown(1, 0.9, 0.05, 0.04, 0.03), [0.9, 0.05, 0.04]);
  assert.deepEqual(shown(1, 0.9, 0.005, 0.001), [0.9]);
  assert.deepEqual(shown(1, 0.005, 0.004), [0.005]);
});

test('a cause is copied with its wait state, which older pages lack', () => {
  const old = { seconds: 2, instances: 1, text: 'rank 1 waits' };
  assert.deepEqual(chainRows([{ ...old, wait_state: 'Late Sender' }, old]),
    [['seconds', 'instances', 'text', 'wait_state'], [2, 1, 'rank 1 waits', 'Late Sender'], [2, 1, 'rank 1 waits', '']]);
});
