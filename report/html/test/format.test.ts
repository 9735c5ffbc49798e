// SPDX-License-Identifier: BSD-3-Clause
// Figures and names are those of the text reports: view/cases.json tests both.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import cases from '../../../view/cases.json';
import { bytes, count, factor, fittedName, inUnit, percent, printable, ratio, seconds, shortName, tellNamesApart } from '../src/format';

const number = (value: unknown) => (value === null ? NaN : Number(value));
const share = (value: number) => (percent(value) === '-' ? '-' : `${percent(value)} %`);

function check(rows: unknown[][], shown: (value: unknown) => string) {
  assert.ok(rows.length > 4);
  for (const [value, text] of rows) assert.equal(shown(value), text, JSON.stringify(value));
}

test('figures', () => {
  check(cases.seconds, (value) => seconds(number(value)));
  check(cases.count, (value) => count(number(value)));
  check(cases.bytes, (value) => bytes(number(value)));
  check(cases.share, (value) => share(number(value)));
  check(cases.ratio, (value) => ratio(number(value)));
  check(cases.amount, (value) => inUnit(number((value as unknown[])[0]), String((value as unknown[])[1])));
});

test('names', () => {
  check(cases.printable, (value) => printable(String(value)));
  check(cases.short_name, (value) => shortName(String((value as unknown[])[0]), Number((value as unknown[])[1])));
  check(cases.short_names, (value) => {
    const [names, most] = value as [string[], number];
    tellNamesApart(names);
    return names.map((name) => shortName(name, most)).join(' | ');
  });
  tellNamesApart([]);
});

test('an ellipsis takes the room of two letters', () => {
  const name = 'void grid::apply<Matrix<double>, Mesh>(Mesh const&, int) const';
  for (let letters = 5; letters < 70; letters++) {
    const short = fittedName(name, letters);
    assert.ok(short.length + short.split('…').length - 1 <= letters, `${letters}: ${short}`);
  }
  assert.equal(fittedName(name, name.length), name);
  assert.equal(fittedName('void apply<int>(int)', 19), 'void apply<int>(…)');
});

test('what became much less is not nothing', () => {
  assert.deepEqual([0.0004, 0.005, 0.13, 0, 2005.8].map(factor), ['<0.01', '0.01', '0.13', '0.00', '2005.80']);
});
