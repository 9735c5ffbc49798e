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
  assert.deepEqual(advise(profile, imbalances(profile, 1)[0]).map((one) => one.title), ['A difference of runs']);
  assert.deepEqual(wholeTime(new Profile(sample())), { whole: 2 + 4 + 32 + 14, isDifference: false });
});

test('the uneven region, where it is worst, and what it costs', () => {
  const profile = new Profile(sample());
  const [worst] = imbalances(profile, 3);
  assert.equal(profile.name(worst.path), 'work');
  assert.equal(profile.locations[worst.busiest].name, 'rank 1 thread 1');
  assert.equal(worst.lost, 20 - 8);
  const [first] = advise(profile, worst);
  assert.match(first.title, /^work is uneven: rank 1 thread 1 takes 2\.50 × the mean$/);
  assert.equal(first.path, worst.path);
});

test('what one location runs while others wait', () => {
  const alone = new Profile(sample([{ ...time, rows: { 2: [0, 0, 0, 20], 3: [16, 0, 18, 0] } }],
    { bottlenecks: [['Files', 'Files take 3 s.']] }));
  const [worst] = imbalances(alone, 3);
  assert.deepEqual([worst.ran, worst.summary.count, worst.lost], [1, 3, 20 - 20 / 3]);
  const [first, second] = advise(alone, worst);
  assert.equal(first.title, 'work runs on rank 1 thread 1 alone');
  assert.match(first.text, /^20\.0 s there, and 2 others wait\. /);
  assert.equal(second.text, 'Files take 3 s.');
});

test('threads that wait for a signal wait for work, and are no computation', () => {
  const threads = [...regions.slice(0, 3), ['pthread_cond_wait', '', -1, 'pthread', 'wait', 'THR', 'pthread_conditional']] as typeof regions;
  const profile = new Profile(sample([{ ...time, rows: { 2: [8, 0, 0, 0], 3: [0, 8, 8, 8] } }], { regions: threads }));
  const [worst] = imbalances(profile, 3);
  assert.deepEqual([worst.ran, worst.summary.count, worst.lost], [1, 4, 6]);
  assert.deepEqual(shares(profile).map((s) => [s.key, s.seconds]), [['comp', 8], ['thread', 24]]);
});

test('work within a critical section is no imbalance', () => {
  const [critical, block] = [['critical @x.c:2', '', -1, 'openmp', 'critical', 'OMP', 'omp_critical'], ...regions.slice(2, 3)];
  const profile = new Profile(sample([{ ...time, rows: { 1: [0, 9, 9, 9], 2: [20, 2, 0, 0] } }],
    { regions: [regions[0], critical, block, ...regions.slice(3)] as typeof regions }));
  assert.deepEqual(imbalances(profile, 3), []);
});

test('starting MPI is no waiting for others, and measuring no code to make faster', () => {
  const init = [...regions.slice(0, 3), ['MPI_Init', '', -1, 'mpi', 'init_exit', 'MPI', 'mpi_init_exit']] as typeof regions;
  const started = new Profile(sample([{ ...time, rows: { 2: [3, 4, 5, 20], 3: [20, 0, 20, 0] } }], { regions: init }));
  const advice = advise(started, imbalances(started, 1)[0]);
  assert.deepEqual(advice.map((one) => one.title),
    ['work is uneven: rank 1 thread 1 takes 2.50 × the mean', 'Starting and ending MPI: 55.6 % of the time']);
  const measurement = [...regions.slice(0, 3), ['measurement', '', -1, 'measurement', 'artificial', 'EPIK', 'overhead']] as typeof regions;
  const brief = new Profile(sample([{ ...time, rows: { 2: [1, 1, 1, 1], 3: [4, 4, 4, 4] } }], { regions: measurement }));
  assert.equal(advise(brief, undefined)[0].text, 'work alone takes 20.0 % of the time.');
});

test('nobody waits in local functions of MPI, or while MPI starts on all', () => {
  const polls = [...regions.slice(0, 2), ['MPI_Init', '', -1, 'mpi', 'init_exit', 'MPI', 'mpi_init_exit'], regions[2],
    ['MPI_Wtime', '', -1, 'mpi', 'function', 'MPI', 'mpi']] as typeof regions;
  const change = { regions: polls, parents: [-1, 0, 1, 1, 1], region_of: [0, 1, 2, 3, 4] };
  const rows = { 2: [5, 0, 5, 0], 3: [9, 0, 0, 0], 4: [0, 0, 9, 0] };
  assert.deepEqual(imbalances(new Profile(sample([{ ...time, rows }], change)), 3), []);
  const late = new Profile(sample([{ ...time, rows: { ...rows, 2: [5, 0, 8, 0], 4: [0, 0, 6, 0] } }], change));
  assert.deepEqual(imbalances(late, 3).map((one) => one.lost), [3]);
  const advice = advise(late, imbalances(late, 3)[0]).find((one) => one.title.startsWith('MPI: '));
  assert.match(advice?.text ?? '', /in MPI_Wtime\.$/);
});

test('even work is no imbalance, serial work neither', () => {
  const even = new Profile(sample([{ ...time, rows: { 1: [9, 0, 0, 0], 2: [5, 5, 5, 5] } }]));
  assert.deepEqual(imbalances(even, 3), []);
  assert.match(advise(even, undefined)[0].title, /^Nothing stands out/);
});

test('one region under different callers is one', () => {
  const split = { ...time, rows: { 2: [5, 5, 0, 0], 3: [0, 0, 5, 5] } };
  assert.deepEqual(imbalances(new Profile(sample([split], { region_of: [0, 1, 2, 2] })), 3), []);
});

test('where the time went', () => {
  const profile = new Profile(sample());
  assert.deepEqual(shares(profile).map((s) => [s.key, s.seconds]), [['comp', 38], ['mpi', 14]]);
  assert.deepEqual(hottest(profile, 2), [2, 3]);
});

test('runs that did not end well, and dear measurement, are said first', () => {
  const bad = new Profile(sample([time], { manifest: { ended: 'killed', recovered: true, cost_percent: 31, folded_visits: 4 } }));
  const titles = advise(bad, undefined).map((a) => a.title).join('\n');
  assert.match(titles, /^The run did not end by itself: killed\nThe call tree did not fit\nMeasuring cost 31 %/);
  const dear = (rows: Values['rows']) => advise(new Profile(sample([time, { ...visits, rows }], { manifest: { cost_percent: 31 } })),
    undefined)[0].text;
  assert.match(dear({ 2: [9, 9, 9, 9], 3: [8, 0, 8, 0] }), /^`epk score --suggest` writes a filter/);
  assert.match(dear({ 2: [9, 9, 9, 9], 3: [30, 0, 8, 0] }), /`EXCLUDE REGION MPI_Wait`/, 'no suggested filter has it');
  const costs = (most: number) => advise(new Profile(sample([time], {
    manifest: { cost_percent: 65, cost_seconds: 3.5, cpu_seconds: 5.4, cpu_most_seconds: most },
  })), undefined).map((a) => a.title).join('\n');
  assert.match(costs(10), /Measuring cost 35 %/, 'at least');
  assert.match(costs(5.6), /Measuring cost 65 %/, 'as above');
  assert.doesNotMatch(costs(100), /Measuring cost/, 'perhaps it cost little');
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
