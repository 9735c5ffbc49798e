// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommunication } from '../src/communication';
import { csvOf } from '../src/csv';
import { advise, hottest, imbalances, shares, wholeTime } from '../src/findings';
import { shortName } from '../src/format';
import { Profile } from '../src/model';
import { ompRegions } from '../src/openmp';
import { largestOf, quantile, summarize } from '../src/stats';
import { comp, regions, sample, time, type Values, visits } from './sample';

test('long C++ names lose their arguments', () => {
  const name = `std::function<double (${'std::vector<double> const&, '.repeat(5)})>::operator()(int) const`;
  assert.equal(shortName(name), 'std::function<double (…)>::operator()(…) const');
  assert.equal(shortName('operator<<(int)'), 'operator<<(int)');
  assert.equal(shortName('x'.repeat(200)).length, 80);
});

test('quartiles as NumPy computes them, outliers as Tukey does', () => {
  assert.equal(quantile([1, 2, 3, 4], 0.25), 1.75);
  const s = summarize([1, 2, 3, 4, 100, NaN], [true, true, true, true, true, true]);
  assert.deepEqual([s.count, s.min, s.q1, s.median, s.q3, s.max, s.mean], [5, 1, 2, 3, 4, 100, 22]);
  assert.deepEqual(s.outliers, [4]);
  assert.equal(summarize([5, 7], [true, false]).mean, 5);
  assert.equal(summarize([]).count, 0);
  assert.deepEqual([largestOf([NaN, -3, Infinity, -7]), largestOf([NaN, -3], 0), largestOf([])], [-3, 0, -Infinity]);
});

test('a difference of runs is called one, and its largest call path comes first', () => {
  const change = { ...time, rows: { 0: [1, 0, 1, 0], 1: [-2, 0, -2, 0], 2: [-3, -4, -5, -20], 3: [6, 0, 8, 0] } };
  const profile = new Profile(sample([change, visits]));
  assert.deepEqual(hottest(profile, 3).map((path) => profile.name(path)), ['work', 'MPI_Wait', 'main']);
  assert.deepEqual(wholeTime(profile), { whole: 2 + 4 + 32 + 14, isDifference: true });
  assert.deepEqual(advise(profile).map((one) => one.title), ['A difference of runs']);
  assert.equal(wholeTime(new Profile(sample([time, visits], { difference: true }))).isDifference, true);
  assert.deepEqual(wholeTime(new Profile(sample())), { whole: 2 + 4 + 32 + 14, isDifference: false });
});

test('the uneven region, where it is worst, and what it costs, as C++ found it', () => {
  const profile = new Profile(sample(undefined, {
    advice: [['bad', 'work is uneven', 'Rank 1 thread 1 takes 20.0 s.', 2], ['warn', 'Files take 3 s', '', -1]],
    imbalances: [{ path: 2, whole: false, busiest: 3, saved: 11, values: [3, null, 5, 20] }],
  }));
  const [worst] = imbalances(profile);
  assert.deepEqual([worst.path, worst.busiest, worst.lost, worst.summary.count, worst.summary.max], [2, 3, 11, 3, 20]);
  assert.deepEqual([[...worst.values], worst.present], [[3, 0, 5, 20], [true, false, true, true]]);
  const [first, second] = advise(profile);
  assert.deepEqual(first, { level: 'bad', title: 'work is uneven', text: 'Rank 1 thread 1 takes 20.0 s.', path: 2 });
  assert.equal(second.title, 'Files take 3 s');
});

test('threads that wait for a signal do not compute', () => {
  const threads = [...regions.slice(0, 3), ['pthread_cond_wait', '', -1, 'pthread', 'wait', 'THR', 'pthread_conditional']] as typeof regions;
  const profile = new Profile(sample([{ ...time, rows: { 2: [8, 0, 0, 0], 3: [0, 8, 8, 8] } }], { regions: threads }));
  assert.deepEqual(shares(profile).map((s) => [s.key, s.seconds]), [['comp', 8], ['thread', 24]]);
});

test('measuring is no code to make faster', () => {
  const measurement = [...regions.slice(0, 3), ['measurement', '', -1, 'measurement', 'artificial', 'EPIK', 'overhead']] as typeof regions;
  const brief = new Profile(sample([{ ...time, rows: { 2: [1, 1, 1, 1], 3: [4, 4, 4, 4] } }], { regions: measurement }));
  const [nothing] = advise(brief);
  assert.match(nothing.title, /^Nothing stands out/);
  assert.equal(nothing.text, 'work alone takes 20.0 % of the time.');
});

test('where the time went', () => {
  const profile = new Profile(sample());
  assert.deepEqual(shares(profile).map((s) => [s.key, s.seconds]), [['comp', 38], ['mpi', 14]]);
  assert.deepEqual(hottest(profile, 2), [2, 3]);
});

test('OpenMP: work, barriers and balance of a parallel region', () => {
  const omp = [regions[0],
    ['!$omp parallel', '', 1, 'openmp', 'parallel', 'OMP', 'comp'], regions[2],
    ['!$omp implicit barrier', '', 1, 'openmp', 'implicit barrier', 'OMP', 'omp_ibarrier']] as typeof regions;
  const profile = new Profile(sample([{ ...time, rows: { 2: [3, 4, 5, 8], 3: [5, 4, 3, 0] } }, comp, visits].slice(0, 1), { regions: omp }));
  const [row] = ompRegions(profile);
  assert.deepEqual([row.time, row.work, row.barrier, row.other, row.balance], [32, 20, 12, 0, 5 / 8]);
});

// 0 app > 1 outer > 2 inner > 3 work; 0 app > 4 teams. The second time, 2 is the same region as 1.
test('OpenMP: nested regions, and teams', () => {
  const region = (name: string, role = 'parallel') => [name, '', 1, 'openmp', role, 'OMP', 'comp'];
  const rows = { 1: [1, 0, 1, 0], 2: [1, 1, 1, 1], 3: [3, 4, 5, 8], 4: [2, 0, 2, 0] };
  const change = {
    parents: [-1, 0, 1, 2, 0],
    regions: [regions[0], region('outer'), region('inner'), regions[2], region('teams', 'teams')] as typeof regions,
    region_of: [0, 1, 2, 3, 4],
  };
  const calls: Values = { name: 'visits', unit: 'occ', type: 'uint64', rows: { 1: [1, 0, 1, 0], 2: [2, 2, 2, 2], 3: [9, 9, 9, 9], 4: [1, 0, 1, 0] } };
  const table = ompRegions(new Profile(sample([{ ...time, rows }, calls], change)));
  assert.deepEqual(table.map((r) => [r.region, r.time, r.visits]), [[1, 26, 2], [2, 24, 8], [4, 4, 2]]);
  const same = ompRegions(new Profile(sample([{ ...time, rows }, calls], { ...change, region_of: [0, 1, 1, 3, 4] })));
  assert.deepEqual(same.map((r) => [r.region, r.time, r.visits]), [[1, 26, 10], [4, 4, 2]]);
});

test('communication.csv', () => {
  const traffic = parseCommunication('from,to,messages,bytes\n0,1,2,100\n1,0,3,50\n0,1,1,1\n9999999,0,1,1\nx,y,z,w\n', 2)!;
  assert.deepEqual([traffic.ranks, ...traffic.bytes], [2, 0, 101, 50, 0]);
  assert.deepEqual([...traffic.messages], [0, 3, 3, 0]);
  assert.equal(parseCommunication('', 2), undefined);
  assert.equal(parseCommunication('a,b\n1,2\n', 2), undefined);
});

test('CSV is quoted where it must be', () => {
  assert.equal(csvOf([['a,b', 'say "hi"'], [1.5, NaN]]), '"a,b","say ""hi"""\r\n1.5,\r\n');
});
