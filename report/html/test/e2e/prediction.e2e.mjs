// SPDX-License-Identifier: BSD-3-Clause
// The page of `epk predict --html` in a real browser shows the figures of `epk predict --format json`.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import puppeteer from 'puppeteer-core';
import { folderOf, read, root } from './archives.mjs';

const out = folderOf('prediction');
const epk = process.env.EPIK_HTML_EPK ?? join(root, '.cache/stage/bin/epk');
const chromium = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`).find(existsSync);
const mpi = existsSync('/usr/bin/mpicc.openmpi');
const complaints = [];
let browser;
let archive;

const run = (command, words) => execFileSync(command, words, {
  cwd: out, env: { ...process.env, EPK_TRACE: 'comm' }, encoding: 'utf8', maxBuffer: 1 << 28, timeout: 120_000,
  stdio: ['ignore', 'pipe', 'pipe'],
});

before(async () => {
  if (!mpi) return;
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  cpSync(join(root, 'test/compensation/programs/knobs.c'), join(out, 'knobs.c'));
  run('mpicc.openmpi', ['-O1', '-g', '-finstrument-functions', 'knobs.c', '-o', 'knobs']);
  run(epk, ['run', 'mpirun.openmpi', '--oversubscribe', '--allow-run-as-root', '-n', '2', './knobs', '4', '12', '2']);
  archive = readdirSync(out).find((name) => name.startsWith('epik_knobs'));
  browser = await puppeteer.launch({ executablePath: chromium, headless: true,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--hide-scrollbars', '--font-render-hinting=none', '--disable-gpu'] });
});
after(async () => browser?.close());

async function open(words, { dark = false, hash = '' } = {}) {
  const file = join(out, 'page.html');
  const found = JSON.parse(run(epk, ['predict', archive, ...words, '--format', 'json', '--html', file]));
  const page = await browser.newPage();
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()); });
  await page.setViewport({ width: 1400, height: 820 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
  await page.goto(`file://${file}${hash}`);
  await page.waitForSelector('html[data-ready]', { timeout: 30_000 });
  assert.equal(await page.$eval('html', (html) => html.dataset.ready), 'yes');
  return { page, found };
}

const rowsOf = (page, table) => page.$$eval(`#${table} tbody tr`, (rows) => rows.map((row) => [...row.cells].map((c) => c.innerText)));

function near(shown, truth, what) {
  const { value, error } = read(shown);
  assert.ok(Math.abs(value - truth) <= error + 1e-9 * Math.abs(truth), `${what}: ${shown} is shown, ${truth} is true`);
}

describe('prediction', { skip: !mpi }, () => {
  test('the page opens with the ranking, and its tables are those of the JSON', async () => {
    const { page, found } = await open(['--faster', 'each:2x']);
    assert.ok(found.ranking.length > 1);
    const ranking = await rowsOf(page, 'ranking');
    assert.equal(ranking.length, Math.min(found.ranking.length, 20));
    ranking.forEach((cells, at) => near(cells[0], Math.max(0, found.ranking[at].gain_s), `gain ${at}`));
    const locations = await rowsOf(page, 'predicted-locations');
    assert.deepEqual(locations.map((cells) => cells[0]), found.locations.map((row) => `${row.rank}:${row.thread}`));
    locations.forEach((cells, at) => {
      near(cells[1], found.locations[at].measured_s, `measured ${at}`);
      near(cells[3], found.locations[at].predicted_s, `predicted ${at}`);
    });
    const critical = await rowsOf(page, 'predicted-critical');
    assert.equal(critical.length, Math.min(found.critical_path.length, 20));
    critical.forEach((cells, at) => near(cells[0], found.critical_path[at].seconds, `path ${at}`));
    const widths = await page.$$eval('#ranking tbody tr td:nth-child(3) .fill', (all) => all.map((one) => one.getBoundingClientRect().width));
    assert.ok(widths[0] > 0 && widths.every((width) => width <= widths[0] + 1), `${widths}`);
    await page.close();
  });

  test('a click on a head sorts the ranking', async () => {
    const { page, found } = await open(['--faster', 'each:2x']);
    await page.click('#ranking th:nth-child(6) button');
    const shown = await page.$$eval('#ranking tbody td.path span[title]', (all) => all.map((one) => one.title));
    const sorted = found.ranking.map((row) => row.callpath).sort((a, b) => (a < b ? -1 : 1));
    assert.deepEqual(shown, sorted.slice(0, 20));
    assert.equal(await page.$eval('#ranking th:nth-child(6)', (head) => head.getAttribute('aria-sort')), 'ascending');
    await page.click('#ranking th:nth-child(1) button');
    const first = await page.$eval('#ranking tbody td.path span[title]', (one) => one.title);
    assert.equal(first, found.ranking[0].callpath);
    await page.close();
  });

  test('without a sweep there is no ranking; hosts and the other views are there', async () => {
    const words = ['--ranks-per-host', '1', '--network', 'latency:1ms'];
    const { page, found } = await open(words);
    assert.equal((await page.$$('#ranking')).length, 0);
    const [measured, predicted] = await rowsOf(page, 'prediction');
    near(measured[1], found.measured_s, 'measured');
    near(predicted[1], found.predicted_s, 'predicted');
    assert.match(await page.$eval('section[aria-label=Hosts]', (card) => card.innerText), /as given/);
    const names = await page.$$eval('nav a', (all) => all.map((one) => one.innerText));
    assert.ok(names.includes('Prediction') && names.includes('Call tree'), `${names}`);
    await page.close();
  });

  test('both colours', async () => {
    for (const dark of [false, true]) {
      const { page } = await open(['--faster', 'each:2x'], { dark });
      await page.screenshot({ path: join(out, `prediction-${dark ? 'dark' : 'light'}.png`), fullPage: true });
      assert.equal(await page.$eval('html', (html) => html.dataset.theme), dark ? 'dark' : 'light');
      await page.close();
    }
  });

  test('a report without a prediction has no such view', async () => {
    const file = join(out, 'plain.html');
    run(epk, ['report', archive, '--html', '-o', file]);
    assert.ok(!readFileSync(file, 'utf8').includes('id="epik-prediction"'));
  });

  test('no error was said', () => assert.deepEqual(complaints, []));
});
