// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layout } from '../src/flame';
import { decodeSet, encodeSet, fromHash, initial, toHash } from '../src/state';
import { Forest, hotPath, matcher, search, visibleRows } from '../src/tree';

//  0 a          5 f
//  1  b  4 e
//  2   c  3 d
const forest = new Forest([-1, 0, 1, 1, 0, -1]);
const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const deep = [100, 60, 10, 50, 39, 1];
const shape = {
  open: new Set([0, 1]), sort: 'order' as const, value: (n: number) => deep[n], name: (n: number) => names[n], least: 0,
};
const shown = (change: object) => visibleRows(forest, { ...shape, ...change }).map((row) => names[row.node]).join('');

test('children and ancestors', () => {
  assert.deepEqual([...forest.children(1)], [2, 3]);
  assert.deepEqual([...forest.children(0)], [1, 4]);
  assert.deepEqual([...forest.children(5)], []);
  assert.deepEqual(forest.ancestors(3), [1, 0]);
  assert.deepEqual(forest.roots, [0, 5]);
});

test('only what is unfolded is visible', () => {
  assert.equal(shown({}), 'abcdef');
  assert.equal(shown({ open: new Set([0]) }), 'abef');
  assert.equal(shown({ open: new Set([1]) }), 'af');
});

test('sorted by value and by name, brothers only', () => {
  assert.equal(shown({ sort: 'value' }), 'abdcef');
  assert.equal(shown({ sort: 'name', name: (n: number) => names[5 - n] }), 'faebdc');
});

test('small nodes are hidden and counted; what is wanted stays', () => {
  const rows = visibleRows(forest, { ...shape, least: 20 });
  assert.equal(rows.map((row) => names[row.node]).join(''), 'abdef');
  assert.equal(rows.find((row) => row.node === 1)!.hidden, 1);
  assert.equal(shown({ least: 20, keep: (n: number) => n === 2 }), 'abcdef');
});

test('a million levels do not overflow the stack', () => {
  const n = 1_000_000;
  const line = new Forest(Array.from({ length: n }, (_, i) => i - 1));
  const open = new Set(Array.from({ length: n }, (_, i) => i));
  assert.equal(visibleRows(line, { ...shape, open, value: () => 1 }).length, n);
});

test('search: parts of names, or patterns of whole names', () => {
  assert.equal(matcher('send')('MPI_Isend'), true);
  assert.equal(matcher('MPI_*')('mpi_send'), true);
  assert.equal(matcher('*_send')('MPI_Isend'), false);
  assert.equal(matcher('f(int)')('f(int)'), true);
  assert.equal(matcher('  ')('x'), false);
  assert.equal(matcher('a.?')('a.b'), true);
  assert.equal(matcher('a.?')('axb'), false);
  assert.deepEqual(search(forest, (n) => names[n], 'c'), [2]);
});

test('the tree opens along the hottest way', () => {
  assert.deepEqual(hotPath(forest, (n) => deep[n], 0.05), [0, 1]);
  assert.deepEqual(hotPath(forest, (n) => deep[n], 0.7), [0]);
});

test('boxes of a flame graph lie inside their caller\'s', () => {
  const flame = layout(forest, deep, -1, 0);
  const box = (path: number) => flame.boxes.find((b) => b.path === path)!;
  assert.equal(flame.boxes.length, 6);
  assert.equal(box(0).width, 100 / 101);
  assert.equal(box(1).left, 0);
  assert.equal(box(4).left, 60 / 101);
  assert.equal(box(3).left, 0);
  assert.ok(box(2).left + box(2).width <= box(1).left + box(1).width + 1e-12);
  assert.equal(flame.depth, 3);
});

test('zoomed, the callers are whole and the rest is gone', () => {
  const flame = layout(forest, deep, 1, 0);
  assert.deepEqual(flame.boxes.map((b) => b.path).sort(), [0, 1, 2, 3]);
  assert.ok(flame.boxes.filter((b) => b.path < 2).every((b) => b.left === 0 && b.width === 1));
  assert.equal(layout(forest, deep, -1, 0.02).left_out, 1);
  assert.equal(layout(forest, new Float64Array(6), -1, 0).boxes.length, 0);
});

test('the address keeps the state', () => {
  const state = { ...initial, view: 'tree' as const, path: 17, unit: 'percent' as const, query: 'a b&c=ü', open: '0;1-4;', own: false };
  assert.deepEqual(fromHash(toHash(state)), state);
  assert.deepEqual(fromHash('#view=nonsense&path=x&unit=13'), initial);
  assert.equal(toHash(initial), '#');
});

test('sets of nodes', () => {
  const set = new Set([0, 1, 2, 3, 40, 99, 100]);
  assert.equal(encodeSet(set), '0-3.14.2r-2s');
  assert.deepEqual(decodeSet(encodeSet(set), 1000), set);
  assert.deepEqual(decodeSet('0-zzzz.!.-', 3), new Set([0, 1, 2]));
});
