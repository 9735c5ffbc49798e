// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeNames } from '../src/axis';

test('names of columns stay within the axis, and apart', () => {
  for (const [columns, wide] of [[65, 10.77], [65, 4], [8, 44], [1, 3], [4096, 1], [3, 20]]) {
    const names = (column: number) => (column < 10 ? 18 : 24);
    const placed = placeNames(columns, wide, names);
    assert.ok(placed.length > 0);
    let end = -Infinity;
    for (const { column, middle } of placed) {
      const [left, right] = [middle - names(column) / 2, middle + names(column) / 2];
      assert.ok(left >= 0 && left >= end + 2, `${columns}: ${column} at ${left}`);
      // A name that is wider than all columns begins at the left end.
      assert.ok(right <= Math.max(columns * wide, names(column)) + 1e-9, `${columns} columns: ${column} ends at ${right}`);
      end = right;
    }
  }
  const last = placeNames(65, 10.77, () => 24).at(-1);
  assert.equal(last?.column, 64);
});
