// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf } from '../src/csv';

test('numbers with all digits, text in quotes where it needs them', () => {
  assert.equal(csvOf([['a', 'b'], [0.1 + 0.2, -3], [NaN, 'x,"y"']]), 'a,b\r\n0.30000000000000004,-3\r\n,"x,""y"""\r\n');
});

test('names are no formulas', () => {
  assert.equal(csvOf([['=HYPERLINK("x")', '+x', '-x', '@x', '\tx', '\rx', 'x=1', "'x"]]),
    `"'=HYPERLINK(""x"")",'+x,'-x,'@x,'\tx,"'\rx",x=1,'x\r\n`);
});
