// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { least, moved, stepOf } from '../src/splitting';

const close = (found: number[], wanted: number[]) => found.forEach((one, i) => assert.ok(Math.abs(one - wanted[i]) < 1e-12, `${found} ${wanted}`));

test('a splitter takes from one neighbour what it gives to the other', () => {
  close(moved([0.25, 0.5, 0.25], 0, 0.1), [0.35, 0.4, 0.25]);
  close(moved([0.25, 0.5, 0.25], 1, -0.1), [0.25, 0.4, 0.35]);
});

test('no pane disappears', () => {
  close(moved([0.25, 0.5, 0.25], 0, -1), [least, 0.75 - least, 0.25]);
  close(moved([0.25, 0.5, 0.25], 1, 1), [0.25, 0.75 - least, least]);
  close(moved([0.05, 0.05, 0.9], 0, 1), [0.05, 0.05, 0.9]);
});

test('keys', () => {
  assert.equal(stepOf('ArrowLeft', false), -0.02);
  assert.equal(stepOf('ArrowRight', true), 0.1);
  assert.equal(stepOf('Enter', false), undefined);
});
