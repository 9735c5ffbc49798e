// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeSet, encodeSet, fromHash, initial, type State, toHash } from '../src/state';

test('whatever is shown is in the address, and comes back from it', () => {
  const changes: { [key in keyof State]: State[key] } = {
    view: 'flame', metric: 'perf::L1-LOADS & co', path: 17, place: 3, unit: 'selection', sort: 'value', hide: 0.1,
    query: 'solve* > #1 %', zoom: 4, up: true, open: '0-3;a.f-z;', own: false, counter: 'heap::peak', from: 1000, to: 2_000_000_000,
  };
  for (const key of Object.keys(initial) as (keyof State)[]) {
    assert.notDeepEqual(changes[key], initial[key], `${key} is tried`);
    const state = { ...initial, [key]: changes[key] };
    assert.deepEqual(fromHash(toHash(state)), state, key);
  }
  assert.deepEqual(fromHash(toHash(changes)), changes);
  assert.equal(toHash(initial), '#');
});

test('an address that makes no sense shows the first screen', () => {
  assert.deepEqual(fromHash('#view=nonsense&path=x&unit=&sort=1&hide=NaN&own=maybe'), initial);
});

test('sets of nodes', () => {
  for (const nodes of [[], [0], [1, 2, 3, 40], [7, 5, 6, 1295, 1296]]) {
    assert.deepEqual([...decodeSet(encodeSet(nodes), 2000)], [...nodes].sort((a, b) => a - b));
  }
  assert.equal(encodeSet([1, 2, 3, 40]), '1-3.14');
  assert.deepEqual([...decodeSet('1-zzzz.-5.x', 4)], [1, 2, 3]);
});
