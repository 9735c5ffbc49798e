// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gridOf, shapeOf, type Topology, valuesOf } from '../src/topology';

const plate: Topology = { name: 'plate', dimensions: [['', 2, 0], ['', 3, 1]], places: [0, 0, 0, 2, 0, 1, 4, 0, 2, 6, 1, 0, 8, 1, 2] };

test('two dimensions are rows and columns; a place may be empty', () => {
  const grid = gridOf(plate)!;
  assert.equal(shapeOf(plate), 'x 2 × y 3 (periodic)');
  assert.deepEqual([grid.rows, grid.columns, grid.planes.length], [2, 3, 1]);
  assert.equal(grid.planes[0].title, '');
  assert.deepEqual([...grid.planes[0].at], [0, 2, 4, 6, -1, 8]);
  assert.deepEqual(grid.coordinates.get(8), [1, 2]);
});

test('one dimension is a row', () => {
  const grid = gridOf({ name: '', dimensions: [['ring', 3, 1]], places: [0, 2, 1, 1, 2, 0] })!;
  assert.deepEqual([grid.rows, grid.columns], [1, 3]);
  assert.deepEqual([...grid.planes[0].at], [2, 1, 0]);
});

test('each place in further dimensions is a plane', () => {
  const grid = gridOf({ name: '', dimensions: [['', 2, 0], ['layer', 2, 0], ['', 1, 0], ['', 2, 0]], places: [7, 1, 0, 0, 1] })!;
  assert.deepEqual(grid.planes.map(({ title }) => title),
    ['x = 0, layer = 0', 'x = 0, layer = 1', 'x = 1, layer = 0', 'x = 1, layer = 1']);
  assert.deepEqual(grid.planes.map(({ at }) => [...at]), [[-1, -1], [-1, -1], [-1, 7], [-1, -1]]);
});

test('what cannot be drawn is left out', () => {
  assert.equal(gridOf({ name: '', dimensions: [['', 4_000_000_000, 0]], places: [] }), undefined);
  assert.equal(gridOf({ name: '', dimensions: [['', 1000, 0], ['', 1, 0], ['', 1, 0]], places: [] }), undefined);
  assert.deepEqual([...gridOf({ name: '', dimensions: [['', 2, 0]], places: [0, 5, 1, 1] })!.planes[0].at], [-1, 1]);
});

test('a process has the values of all its threads', () => {
  const add = (a: number, b: number) => a + b;
  const processes = [0, 0, 1, 1];
  const ranks = gridOf({ name: '', dimensions: [['', 2, 0]], places: [0, 0, 2, 1] })!;
  assert.deepEqual([...valuesOf(ranks, [1, 2, 3, 4], processes, add)].filter((_, l) => ranks.coordinates.has(l)), [3, 7]);
  assert.deepEqual([...valuesOf(ranks, [1, 2, 3, 4], processes, Math.max)].filter((_, l) => ranks.coordinates.has(l)), [2, 4]);
  const threads = gridOf({ name: '', dimensions: [['', 2, 0], ['', 2, 0]], places: [0, 0, 0, 1, 0, 1, 2, 1, 0, 3, 1, 1] })!;
  assert.deepEqual([...valuesOf(threads, [1, 2, 3, 4], processes, add)], [1, 2, 3, 4]);
});
