// SPDX-License-Identifier: BSD-3-Clause
// Archives for the browser tests, of measured programs and of invented runs.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../../../..');
// Each file of tests has a folder of its own, since several run at a time.
export const folderOf = (name) => join(process.env.EPIK_HTML_OUT ?? join(root, '.cache/html/e2e'), name);
export const out = folderOf('report');
const epk = process.env.EPIK_HTML_EPK ?? join(root, '.cache/stage/bin/epk');
const samples = process.env.EPIK_HTML_SAMPLES ?? join(root, 'bazel-bin/test/html/sample_archives');

function run(command, words, folder, environment = {}) {
  return execFileSync(command, words, {
    cwd: folder, env: { ...process.env, ...environment }, encoding: 'utf8', maxBuffer: 1 << 30, timeout: 120_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

// One of two threads does three times the work of the other.
const program = `
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
volatile double sink;
void Grind(long n) { double x = 1; for (long i = 0; i < n * 300000; ++i) x = x * 0.999 + 1; sink = x; }
void Twice(long n) { Grind(n); Grind(n); }
void* Work(void* n) {
  for (int i = 0; i < 20; ++i) { void* volatile m = malloc(1000); Grind((long)n); free(m); }
  Twice((long)n);
  return 0;
}
int main(int argc, char** argv) {
  pthread_t thread[2];
  for (long i = 0; i < 2; ++i) pthread_create(&thread[i], 0, Work, (void*)(i == 0 ? 1L : 3L));
  if (argc > 1) usleep(200000), kill(getpid(), SIGKILL);
  for (int i = 0; i < 2; ++i) pthread_join(thread[i], 0);
  return 0;
}
`;

// The names of the archives' folders in `out`, by their subject.
export function makeArchives() {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(join(out, 'pictures'), { recursive: true });
  const archives = { plate: 'epik_plate_4x2_sum', large: 'epik_large_128x1_sum', odd: [] };
  run(samples, [out], out);
  archives.odd = readdirSync(out).filter((name) => name.startsWith('epik_sample_'));
  writeFileSync(join(out, 'uneven.c'), program);
  run(epk, ['instrument', 'gcc', '-O1', '-g', 'uneven.c', '-o', 'uneven', '-lpthread'], out);
  run(epk, ['run', './uneven'], out, { EPK_TITLE: 'uneven' });
  archives.uneven = 'epik_uneven';
  // Counters: some that every machine has, one that no machine has.
  run(epk, ['run', './uneven'], out, {
    EPK_TITLE: 'counted', EPK_METRICS: 'rusage::ru_minflt:heap::allocations:heap::bytes_allocated:PAPI_NO_SUCH', EPK_VERBOSE: '0',
  });
  archives.counted = 'epik_counted';
  // Most calls are only counted.
  run(epk, ['run', './uneven'], out, { EPK_TITLE: 'sampled', EPK_HOT: 'sample', EPK_THROTTLE_CALLS: '4', EPK_THROTTLE_PERCALL: '1s' });
  archives.sampled = 'epik_sampled';
  // The program is killed while it runs.
  try {
    run(epk, ['run', './uneven', 'to be killed'], out, { EPK_TITLE: 'killed' });
  } catch {
    // The command dies as the program does.
  }
  archives.killed = readdirSync(out).find((name) => name === 'epik_killed');
  if (existsSync('/usr/bin/mpicc.openmpi')) {
    cpSync(join(root, 'examples/heat/heat.c'), join(out, 'heat.c'));
    run(epk, ['instrument', 'mpicc.openmpi', '-O2', '-g', '-fopenmp', 'heat.c', '-o', 'heat', '-lm'], out);
    const mpi = { OMP_NUM_THREADS: '2', OMP_WAIT_POLICY: 'passive', EPK_TITLE: 'heat' };
    run(epk, ['run', 'mpirun.openmpi', '--oversubscribe', '--allow-run-as-root', '-n', '2', './heat', '600', '600', '20'],
      out, mpi);
    archives.heat = readdirSync(out).find((name) => name.startsWith('epik_heat'));
  }
  return archives;
}

// Many tests read the same page or the same JSON: each is made once.
const made = new Map();
function once(what, make) {
  if (!made.has(what)) made.set(what, make());
  return made.get(what);
}

export function htmlOf(archive, against) {
  const file = join(out, `${archive}${against ? '-against' : ''}.html`);
  return once(file, () => {
    run(epk, ['report', archive, '--html', ...(against ? ['--against', against] : []), '-o', file], out);
    return file;
  });
}

export function speedscopeOf(archive) {
  const file = join(out, `${archive}.speedscope.json`);
  return once(file, () => {
    run(epk, ['report', archive, '--format', 'speedscope', '-o', file], out);
    return file;
  });
}

export const textOf = (archive) => run(epk, ['report', archive], out);

export function jsonOf(archive, ...words) {
  return once([archive, ...words].join(' '), () => JSON.parse(run(epk, ['report', archive, ...words, '--format', 'json'], out)));
}

// Adds up the values of `epk report --format json` without the page's code.
export class Truth {
  constructor(json) {
    this.json = json;
    this.parent = json.callpaths.map((path) => path.parent ?? -1);
    this.name = json.callpaths.map((path) => json.regions[path.region].name);
  }

  // By call path, then location; exclusive.
  cells(metric) {
    const values = this.json.values.find((v) => v.metric === metric);
    const along = this.json.metrics.find((m) => m.unique_name === metric).along;
    const table = this.parent.map(() => new Array(this.json.locations.length).fill(0));
    values.value.forEach((value, i) => { table[values.callpath[i]][values.location[i]] = value; });
    if (along === 'exclusive') return table;
    const own = table.map((row) => [...row]);
    this.parent.forEach((parent, path) => {
      if (parent >= 0) table[path].forEach((value, l) => { own[parent][l] -= value; });
    });
    return own;
  }

  exclusive(metric) {
    return this.cells(metric).map((row) => row.reduce((a, b) => a + b, 0));
  }

  inclusive(metric) {
    const sums = this.exclusive(metric);
    for (let path = sums.length - 1; path >= 0; path--) if (this.parent[path] >= 0) sums[this.parent[path]] += sums[path];
    return sums;
  }

  fullName(path) {
    return path < 0 ? '' : this.parent[path] < 0 ? this.name[path] : `${this.fullName(this.parent[path])} > ${this.name[path]}`;
  }
}

const scales = {
  ns: 1e-9, 'µs': 1e-6, ms: 1e-3, s: 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40,
};

// Reads "4.31 s" as 4.31, with the possible error of rounding.
export function read(text) {
  const [, digits, unit = ''] = /^(-?[\d,.]+)\s*(\S*)$/.exec(text.trim()) ?? [];
  if (digits === undefined) return { value: NaN, error: 0 };
  const scale = unit === '' || unit === '%' ? 1 : scales[unit];
  const places = digits.split('.')[1]?.length ?? 0;
  return { value: Number(digits.replaceAll(',', '')) * scale, error: 0.500001 * 10 ** -places * scale };
}
