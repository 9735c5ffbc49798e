// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Region } from '../src/model';
import { phaseAround } from '../src/phases';

test('an instance of a parameter has the phase around it, other call paths have nothing', () => {
  const roles = ['', '', 'dynamic', 'dynamic', ''];  // main > solve > step=0 > size=0 > apply
  const profile = {
    regions: roles.map((role): Region => ({ name: '', file: '', line: 0, paradigm: '', role, kind: 'USR', metric: '' })),
    region: [0, 1, 2, 3, 4] as unknown as Int32Array<ArrayBuffer>,
    chain: (path: number) => Array.from({ length: path + 1 }, (_, at) => at),
  };
  assert.deepEqual(phaseAround(profile, 3), [1, 2]);
  assert.deepEqual(phaseAround(profile, 2), [1]);
  assert.deepEqual(phaseAround(profile, 4), []);
  assert.deepEqual(phaseAround(profile, 0), []);
});
