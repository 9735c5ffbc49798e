// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenOf, isChosen, isNearest } from '../src/timeline/chosen';
import { type Drawing, uncut } from '../src/timeline/drawing';
import { linesOf } from '../src/timeline/critical';
import { labelOfCurve } from '../src/timeline/paint';
import { layout, lineAt } from '../src/timeline/rows';
import { histogram, nextCall, summarize } from '../src/timeline/summary';
import { archiveOf, columnOf, columnsOf, joined } from '../src/timeline/sides';
import { embedded, rebin } from '../src/timeline/source';
import { familyOf, labelOfWait, waitInWords } from '../src/timeline/waiting';
import { pixelsOf } from '../src/timeline/strips';
import { clamp, kLeast, pan, ticks, timeText, toNs, toX, zoom } from '../src/timeline/window';

const whole = { from: 0, to: 1_000_000 };

function drawing(): Drawing {
  return {
    format: 'epik-timeline', version: 1, from_ns: 0, to_ns: 400, bin_ns: 100, bins: 4, whole_ns: [0, 400], rows_in_all: 3,
    kinds: [{ name: 'computation', key: 'comp' }, { name: 'waiting', key: 'sync' }],
    regions: [['main', 0], ['MPI_Barrier', 1]], paths: [[0, -1, 0], [1, 0, 1]],
    rows: [
      { name: '0:0', rank: 0, thread: 0, host: 'a', members: [0], apart: -1, shares: [[0, 1], [0, 0.5, 1, 0.5], [1, 1], [0, 1]],
        path: [0, 0, 1, 0], waiting: [0, 0.5, 1, 0], calls: [[0, 400, 0, 0], [150, 300, 1, 1]] },
      { name: '1:0', rank: 1, thread: 0, host: 'b', members: [1, 2], apart: -1, shares: [[0, 1], [0, 1], [0, 1], [0, 1]],
        path: [0, 0, 0, 0], waiting: [0, 0, 0, 0], calls: null },
    ],
    messages: { one_of: 4, list: [[0, 10, 1, 20, 8, 0, 'w']] },
    patterns: [['mpi_barrier_wait', 'Wait at Barrier']],
    waits: { one_of: 1, list: [[0, 150, 300, 'mpi_barrier_wait', 1, 300]] }, longest: [], collectives: [], critical: [],
    markers: [], curves: [],
    left_out: [],
  };
}

test('zooming keeps the time under the cursor and the whole run on screen', () => {
  let window = { from: 100_000, to: 200_000 };
  const fixed = toNs(300, window, 1000);
  for (let i = 0; i < 30; i++) {
    window = zoom(window, 0.8, 0.3, whole);
    assert.ok(Math.abs(toNs(300, window, 1000) - fixed) < 1e-3 * fixed);
  }
  for (let i = 0; i < 200; i++) window = zoom(window, 0.5, 0.5, whole);
  assert.equal(Math.round(window.to - window.from), kLeast);
  for (let i = 0; i < 200; i++) window = zoom(window, 2, 0.9, whole);
  assert.deepEqual(window, whole);
});

test('panning ends at the ends', () => {
  assert.deepEqual(pan({ from: 0, to: 10_000 }, -1, whole), { from: 0, to: 10_000 });
  assert.deepEqual(pan({ from: 985_000, to: 995_000 }, 5, whole), { from: 990_000, to: 1_000_000 });
  assert.deepEqual(clamp({ from: -5e9, to: 5e9 }, whole), whole);
  assert.equal(toX(toNs(123, whole, 1000), whole, 1000), 123);
});

test('the axis has round times, not too many', () => {
  for (const width of [10, 1_000, 123_456, 7e9, 3.6e12]) {
    const at = ticks({ from: 17, to: 17 + width }, 1200);
    assert.ok(at.length > 0 && at.length <= 24, `${at.length} for ${width}`);
    for (const ns of at) assert.ok(ns >= 17 && ns <= 17 + width);
  }
  assert.equal(timeText(1_234_567_890, { from: 0, to: 10e9 }), '1.23 s');
  assert.equal(timeText(1_234_567_890, { from: 0, to: 10 }), '1.234567890 s');
});

test('other bins have the same time', () => {
  for (const bins of [1, 2, 3, 7, 100]) {
    const other = rebin(drawing(), { from: 0, to: 400, bins });
    assert.equal(other.rows[0].shares.length, bins);
    for (const [a, b] of [[summarize(drawing()), summarize(other)]]) {
      for (const kind of a.kinds) {
        const same = b.kinds.find(({ key }) => key === kind.key)!;
        assert.ok(Math.abs(same.seconds - kind.seconds) < 1e-15, `${bins} bins: ${kind.key}`);
      }
    }
  }
  const part = rebin(drawing(), { from: 350, to: 400, bins: 5 });
  assert.deepEqual(part.rows[0].calls, [[0, 400, 0, 0]]);
  assert.deepEqual(part.rows[0].shares[4], [0, 1]);
});

test('calls that an answer cuts have their own times, and a chosen call stays what it is', () => {
  const answer = drawing();
  answer.rows[0].calls = [[0, 400, 0, 0], [0, 300, 1, 1]];
  answer.rows[0].cut = [[0, -500, 900], [1, -20, 300]];
  const whole = uncut(answer);
  assert.deepEqual(whole.rows[0].calls, [[-500, 900, 0, 0], [-20, 300, 1, 1]]);
  assert.equal(whole.rows[0].cut, undefined);
  assert.equal(whole.rows[1].calls, null);
  assert.deepEqual(histogram(whole, (name) => name === 'MPI_Barrier'), [{ from: 256, count: 1 }]);
  const chosen = chosenOf(whole, 0, whole.rows[0].calls![1]);
  assert.deepEqual(chosen, { column: 0, label: '0:0', enter: -20, leave: 300, region: 'MPI_Barrier', kind: 1, chain: ['main', 'MPI_Barrier'], callpath: 1 });
  // In another answer, paths and rows have other numbers.
  const other: Drawing = { ...whole, regions: [['MPI_Barrier', 1], ['main', 0]], paths: [[1, -1, 0], [0, 0, 1]], rows: [whole.rows[1], whole.rows[0]] };
  assert.ok(isChosen(chosen, other, 1, [-20, 300, 1, 1]));
  assert.ok(!isChosen(chosen, other, 1, [-500, 900, 0, 0]));
  assert.ok(!isChosen(chosen, other, 0, [-20, 300, 1, 1]), 'another location');
});

test('only a drawing with all calls tells which one is nearest', () => {
  const some = drawing();
  assert.ok(!isNearest(some, 150, 0), 'a row has no calls');
  some.rows.pop();
  assert.ok(isNearest(some, 150, 0));
  assert.ok(!isNearest(some, -10, 150), 'another call may have begun later, and ended before the stretch');
  assert.ok(!isNearest(some, 150, -300), 'another call may have begun earlier');
});

test('rows: hosts can be closed, calls take room', async () => {
  const open = layout(drawing(), new Set(), true);
  assert.deepEqual(open.lines.map(({ row }) => row), [-1, 0, -1, 1]);
  assert.equal(open.lines[1].levels, 2);
  assert.equal(lineAt(open.lines, open.lines[1].top + 1)?.row, 0);
  assert.equal(lineAt(open.lines, open.height + 1), undefined);
  assert.deepEqual(layout(drawing(), new Set(['a']), true).lines.map(({ row }) => row), [-1, -1, 1]);
  assert.equal((await embedded(drawing()).whole()).rows.length, 2);
});

test('statistics of what is on screen', () => {
  const summary = summarize(drawing());
  // Three locations of 400 ns; the second row represents two of them.
  assert.ok(Math.abs(summary.kinds.reduce((sum, kind) => sum + kind.seconds, 0) - 1200e-9) < 1e-15);
  assert.equal(summary.messages, 4);
  assert.deepEqual(summary.waits, [{ pattern: 'mpi_barrier_wait', seconds: 150e-9, count: 1 }]);
  assert.deepEqual(histogram(drawing(), (name) => name === 'MPI_Barrier'), [{ from: 128, count: 1 }]);
  assert.equal(nextCall(drawing(), (name) => name === 'MPI_Barrier', 0, false)?.call[0], 150);
  assert.equal(nextCall(drawing(), (name) => name === 'MPI_Barrier', 150, false), undefined);
  assert.equal(nextCall(drawing(), (name) => name === 'MPI_Barrier', 151, true)?.call[0], 150);
});

test('a wait for several others counts once, and the sums are those of all waits', () => {
  const some = drawing();
  some.waits = { one_of: 1, list: [[0, 100, 150, 'a', 1, 150], [0, 150, 180, 'a', 1, 180], [0, 180, 320, 'a', 1, 320], [0, 350, 390, 'a', 1, 390]], further: [1, 2] };
  assert.deepEqual(summarize(some).waits.map((sum) => sum.count), [2]);
  assert.deepEqual(summarize(rebin(some, { from: 200, to: 300, bins: 2 })).waits, [{ pattern: 'a', seconds: 100e-9, count: 1 }]);
  some.waiting = { one_of: 1, list: [['a', 4000, 7], ['rare', 5000, 1]] };
  some.waits.one_of = 4;
  const { waits, waits_one_of } = summarize(some);
  assert.deepEqual([waits_one_of, ...waits.map(({ pattern, count }) => `${pattern} ${count}`)], [1, 'rare 1', 'a 7']);
  assert.equal(summarize(rebin(some, { from: 0, to: 200, bins: 2 })).waits_one_of, 4, 'of a part, there is the sample');
  const both = joined([some, some], [{ name: 'one', shift_ns: 0 }, { name: 'other', shift_ns: 9 }]);
  assert.deepEqual(both.waiting?.list, [['a', 8000, 14], ['rare', 10000, 2]]);
  assert.deepEqual(both.waits.further, [1, 2, 5, 6]);
});

test('the critical path does not cover the rows, however often it changes its row', () => {
  const y = (row: number) => (row === 99 ? undefined : row * 22);
  const few = linesOf([[0, 0, 100], [1, 100, 150], [1, 150, 300], [0, 300, 400]], (ns) => ns, y, 400);
  assert.deepEqual(few, { along: [[0, 0, 100], [22, 100, 300], [0, 300, 400]], across: [[100, 0, 22], [300, 22, 0]] });
  const often = Array.from({ length: 2000 }, (_, n): [number, number, number] => [n % 65, n, n + 1]);
  const many = linesOf(often, (ns) => ns * 0.2, y, 400);
  assert.ok(many.across.length <= 50, `${many.across.length} lines across 400 pixels`);
  assert.ok(many.across.length >= 30);
  // Rows that are not drawn, and the path of another archive, break it.
  assert.deepEqual(linesOf([[0, 0, 100], [99, 100, 200], [1, 200, 300]], (ns) => ns, y, 400).across, []);
  assert.deepEqual(linesOf([[0, 0, 100], [5, 0, 100]], (ns) => ns, y, 400).across, []);
});

test('the label of a metric without a unit shows no unit', () => {
  const curve = { row: 0, name: 'residual', unit: '1', points: [] };
  assert.equal(labelOfCurve(curve, 12), 'residual: up to 12');
  assert.equal(labelOfCurve({ ...curve, unit: 'K' }, 0.5), 'residual: up to 0.500 K');
});

test('call paths have their callers, and rows of two archives its name', () => {
  const some = drawing();
  some.regions.push(['spin', 0], ['solve', 0]);
  some.paths.push([3, 0, 2], [3, 2, 3], [2, 3, 4]);
  some.rows[0].path = [4, 4, 4, 4];
  assert.deepEqual(summarize(some).paths.map(({ name, callers }) => `${name} < ${callers}`), ['main < ', 'spin < solve › solve']);
  assert.equal(archiveOf(some, 0), '');
  const both = joined([some, some], [{ name: 'before', shift_ns: 0 }, { name: 'after', shift_ns: 0 }]);
  assert.deepEqual([0, 1, 2, 3].map((row) => archiveOf(both, row)), ['before', 'before', 'after', 'after']);
});

test('two archives stand one below the other, at shifted times', () => {
  const one = drawing();
  const both = joined([one, { ...drawing(), whole_ns: [0, 300] }], [{ name: 'before', shift_ns: 0 }, { name: 'after', shift_ns: 50 }]);
  assert.equal(both.rows.length, 4);
  assert.deepEqual(both.rows.map(({ host }) => host), ['before: a', 'before: b', 'after: a', 'after: b']);
  assert.deepEqual(both.whole_ns, [0, 400]);
  assert.deepEqual(both.rows[2].calls, [[50, 450, 0, 2], [200, 350, 1, 3]]);
  assert.equal(both.regions[both.paths[3][0]][0], 'MPI_Barrier');
  assert.deepEqual(both.waits.list[1], [2, 200, 350, 'mpi_barrier_wait', 3, 350]);
  assert.deepEqual(both.messages.list[1], [2, 60, 3, 70, 8, 0, 'w']);
  assert.equal(both.messages.one_of, 4);
  // The call tree beside it belongs to the first archive.
  assert.deepEqual(both.paths.map((path) => path[2]), [0, 1, -1, -1]);
  assert.deepEqual(columnsOf([3, columnOf(3, 1), columnOf(0, 1)], 1), [3, 0]);
  assert.equal(joined([one], [{ name: 'alone', shift_ns: 0 }]), one);
});

test('curves stand below the calls of their row, and an expanded group can be folded from its first row', () => {
  const one = drawing();
  one.curves = [{ row: 0, name: 'residual', unit: '', points: [[0, 1, 2, 1]] }];
  one.rows[1].apart = 1;
  const with_curve = layout(one, new Set(), true).lines.find(({ row }) => row === 0)!;
  const without = layout(one, new Set(), true, false).lines.find(({ row }) => row === 0)!;
  assert.deepEqual(with_curve.curves, [0]);
  assert.equal(with_curve.height - without.height, 30);
  assert.deepEqual(layout(one, new Set(), true).lines.filter(({ first }) => first).map(({ row }) => row), [1]);
});

test('the picture of a row has each bin\'s kinds, from the bottom, and waiting at its foot', () => {
  const paints = { kinds: [[0, 0, 200], [100, 0, 0]] as const, other: [1, 2, 3] as const, waiting: [255, 0, 0] as const };
  const row = { ...drawing().rows[0], shares: [[0, 1], [0, 0.5, 1, 0.5], [0, 0.25], [0, 0.625, 7, 0.375], []], waiting: [0, 1, 0, 0, 0] };
  const pixels = pixelsOf(row, 4, 1, { ...paints, kinds: [...paints.kinds] }, (bin) => bin === 2);
  const at = (bin: number, line: number) => [...pixels.slice((line * 5 + bin) * 4, (line * 5 + bin) * 4 + 4)];
  for (let line = 0; line < 4; line++) assert.deepEqual(at(0, line), [0, 0, 200, 255]);
  assert.deepEqual([0, 1, 2, 3].map((line) => at(1, line)[0]), [100, 100, 0, 0]);
  assert.deepEqual(at(2, 3), [0, 0, 200, 64], 'a quarter, and not what was looked for');
  assert.equal(at(2, 2)[3], 0);
  assert.deepEqual(at(3, 1), [0, 1, 102, 255], 'two kinds share a line');
  assert.deepEqual(at(3, 0), [1, 2, 3, 255]);
  assert.deepEqual(at(1, 4), [255, 0, 0, 255]);
  for (let line = 0; line < 5; line++) assert.equal(at(4, line)[3], 0);
  assert.equal(at(0, 4)[3], 0);
});

test('the longest waits have their wait state and call', () => {
  const one = drawing();
  one.longest = [[0, 150, 300, 'mpi_barrier_wait', 1, 300, 1]];
  assert.equal(waitInWords(one, one.longest[0]), 'Wait at Barrier in MPI_Barrier');
  assert.equal(waitInWords(one, one.waits.list[0]), 'Wait at Barrier', 'drawings of older versions lack the call');
  const both = joined([one, one], [{ name: 'before', shift_ns: 0 }, { name: 'after', shift_ns: 0 }]);
  assert.deepEqual(both.longest.map((wait) => wait[6]), [1, 3]);
});

test('wait states have the colour of what is waited for', () => {
  const truth = {
    message: ['mpi_latesender', 'mpi_latereceiver', 'mpi_lateprogress'], collective: ['mpi_barrier_wait', 'mpi_wait_nxn', 'mpi_finalize_wait'],
    openmp: ['omp_ebarrier_wait', 'omp_ibarrier_wait'], lock: ['omp_lock_contention_critical', 'omp_lock_contention_api', 'pthread_lock_contention_mutex_lock'],
  };
  assert.equal(labelOfWait(drawing(), 'mpi_barrier_wait'), 'Wait at Barrier');
  assert.equal(labelOfWait(drawing(), 'another'), 'another');
  for (const [family, patterns] of Object.entries(truth)) for (const pattern of patterns) assert.equal(familyOf(pattern), family);
});
