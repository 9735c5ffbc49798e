// SPDX-License-Identifier: BSD-3-Clause
// The view of waits in a real browser shows the figures of `epk report --format json` for the same archive.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import puppeteer from 'puppeteer-core';
import { folderOf, read, root } from './archives.mjs';

const out = folderOf('waits');
const epk = process.env.EPIK_HTML_EPK ?? join(root, '.cache/stage/bin/epk');
const chromium = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`).find(existsSync);
const mpi = existsSync('/usr/bin/mpicc.openmpi');
const hostile = '<img src=x onerror="document.title=1"></script><script>alert(1)</script>\u202e&amp;';
const complaints = [];
let browser;
let archive;

const run = (command, words, env = {}) => execFileSync(command, words, {
  cwd: out, env: { ...process.env, OMP_NUM_THREADS: '2', OMP_WAIT_POLICY: 'passive', ...env }, encoding: 'utf8',
  maxBuffer: 1 << 28, timeout: 120_000, stdio: ['ignore', 'pipe', 'pipe'],
});
const jsonOf = (view) => JSON.parse(run(epk, ['report', archive, `--${view}`, '--format', 'json']));

before(async () => {
  if (!mpi) return;
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  cpSync(join(root, 'test/replay/programs/drift.c'), join(out, 'drift.c'));
  const include = join(epk, '../../include');
  run(epk, ['instrument', 'mpicc.openmpi', '-O1', '-g', '-fopenmp', '-DEPIK', '-I', include, 'drift.c', '-o', 'drift']);
  run(epk, ['run', '--analyze', 'mpirun.openmpi', '--oversubscribe', '--allow-run-as-root', '-n', '2', './drift', '10']);
  archive = readdirSync(out).find((name) => name.startsWith('epik_drift'));
  browser = await puppeteer.launch({ executablePath: chromium, headless: true,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--hide-scrollbars', '--font-render-hinting=none', '--disable-gpu'] });
});
after(async () => browser?.close());

async function open(name, { dark = false, timeline = false } = {}) {
  const file = join(out, `${name}.html`);
  run(epk, ['report', name, '--html', ...(timeline ? ['--timeline'] : []), '-o', file]);
  const page = await browser.newPage();
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()); });
  page.on('dialog', (dialog) => { complaints.push(`dialog ${dialog.message()}`); void dialog.dismiss(); });
  await page.setViewport({ width: 1400, height: 1500 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
  await page.goto(`file://${file}#view=waits`);
  await page.waitForSelector('html[data-ready]', { timeout: 30_000 });
  assert.equal(await page.$eval('html', (html) => html.dataset.ready), 'yes');
  return page;
}

const rowsOf = (page, table) => page.$$eval(`#${table} tbody tr`, (rows) => rows.map((row) => [...row.cells].map((c) => c.innerText)));

function near(shown, truth, what) {
  const { value, error } = read(shown);
  assert.ok(Math.abs(value - truth) <= error + 1e-9 * Math.abs(truth), `${what}: ${shown} is shown, ${truth} is true`);
}

describe('waiting', { skip: !mpi }, () => {
  test('tables are those of the JSON reports', async () => {
    const page = await open(archive);
    const { waits, causes, critical, instances } =
      Object.fromEntries(['waits', 'causes', 'critical', 'instances'].map((view) => [view, jsonOf(view)]));
    const check = async (table, rows, seconds) => {
      const shown = await rowsOf(page, table);
      assert.equal(shown.length, Math.min(rows.length, 20), table);
      assert.ok(rows.length > 0, table);
      shown.forEach((cells, at) => near(cells[0], rows[at][seconds ?? 'seconds'], `${table}, row ${at}`));
    };
    await check('waits', waits.places);
    await check('waits-spread', waits.patterns);
    await check('causes', causes.places);
    await check('critical', critical.places);
    await check('instances', instances.instances);
    const chains = await page.$$eval('#chains li span', (all) => all.map((one) => one.innerText));
    assert.deepEqual(chains, causes.chains.slice(0, 20).map((chain) => chain.text));
    const states = await page.$$eval('#chains li i', (all) => all.map((one) => one.innerText));
    assert.deepEqual(states, causes.chains.slice(0, 20).map((chain) => chain.wait_state));
    await page.evaluate(() => { location.hash = '#view=overview'; });
    await page.waitForSelector('#waited');
    assert.equal(await page.$eval('#waited li span', (one) => one.innerText), causes.chains[0].text);
    await page.close();
  });

  test('the longest waits lead into the timeline, where there is one', async () => {
    const plain = await open(archive);
    assert.equal((await plain.$$('#instances a')).length, 0);
    await plain.close();
    const page = await open(archive, { timeline: true });
    const [worst] = jsonOf('instances').instances;
    await page.click('#instances tbody tr:first-child a');
    await page.waitForSelector('.view-timeline canvas', { timeout: 30_000 });
    const place = new URLSearchParams(new URL(page.url()).hash.slice(1));
    const [from, to] = ['from', 'to'].map((name) => Number(place.get(name)) / 1e9);
    const length = worst.to_s - worst.from_s;
    assert.ok(from < worst.from_s && worst.from_s - from < 1.01 * length + 2e-6, `${from} before ${worst.from_s}`);
    assert.ok(to > worst.to_s && to - worst.to_s < 1.01 * length + 2e-6, `${to} after ${worst.to_s}`);
    assert.match(await page.$eval('main', (main) => main.innerText), /Longest waits on screen/);
    await page.screenshot({ path: join(out, 'waits-timeline.png') });
    await page.goBack();
    await page.waitForSelector('#instances', { timeout: 30_000 });
    await page.close();
  });

  test('time by step is that of the JSON report', async () => {
    const page = await open(archive);
    await page.evaluate(() => { location.hash = 'view=iterations'; });
    await page.waitForSelector('#iterations-step');
    const steps = jsonOf('iterations').iterations.filter((one) => one.parameter === 'step');
    const slowest = [...steps].sort((a, b) => b.longest_s - a.longest_s);
    const shown = await rowsOf(page, 'iterations-step');
    assert.equal(shown.length, Math.min(steps.length, 5));
    shown.forEach((cells, at) => {
      assert.equal(cells[0], slowest[at].value);
      near(cells[1], slowest[at].longest_s, `longest, row ${at}`);
      near(cells[4], slowest[at].time_s, `all threads, row ${at}`);
    });
    assert.equal(await page.$$eval('.iteration-bars g', (bars) => bars.length), steps.length);
    await page.close();
  });

  test('heat by step: waiting grows', async () => {
    const page = await open(archive);
    const titles = await page.$$eval('#waits-step tbody tr:first-child td[title]', (all) => all.map((one) => one.title));
    assert.equal(titles.length, 6, 'six steps');
    const facts = JSON.parse(readFileSync(join(out, archive, 'analysis.json'), 'utf8'));
    const loop = facts.iterations.find((one) => one.parameter === 'step');
    const [pattern] = loop.patterns.map((row) => row.seconds)
      .sort((a, b) => b.reduce((x, y) => x + y, 0) - a.reduce((x, y) => x + y, 0));
    titles.forEach((title, at) => near(/: (.*)$/.exec(title)[1], pattern[at], title));
    assert.ok(await page.$$eval('#waits-time td[title]', (all) => all.length) > 32, 'parts of the run');
    for (const dark of [false, true]) {
      const one = await open(archive, { dark });
      await one.screenshot({ path: join(out, `waits-${dark ? 'dark' : 'light'}.png`), fullPage: true });
      const [paper, ink] = await one.$eval('.card', (card) => [getComputedStyle(card).backgroundColor, getComputedStyle(card).color]);
      assert.notEqual(paper, ink);
      assert.equal(await one.$eval('html', (html) => html.dataset.theme), dark ? 'dark' : 'light');
      await one.close();
    }
    await page.close();
  });

  test('hostile names are text', async () => {
    cpSync(join(out, archive), join(out, 'epik_hostile'), { recursive: true });
    const file = join(out, 'epik_hostile', 'analysis.json');
    const facts = JSON.parse(readFileSync(file, 'utf8'));
    for (const row of [...facts.causes.chains, ...facts.instances, ...facts.critical_path.segments]) row.callpath = `main > ${hostile}`;
    for (const chain of facts.causes.chains) chain.text = hostile;
    for (const loop of facts.iterations) loop.parameter = loop.callpath = hostile;
    writeFileSync(file, JSON.stringify(facts));
    const page = await open('epik_hostile');
    const shown = await page.$$eval('#chains li span', (all) => all.map((one) => one.textContent));
    assert.equal(shown[0], hostile.replace('\u202e', '?'));
    assert.equal(await page.$$eval('main img, main script', (all) => all.length), 0);
    assert.ok((await page.title()).includes('EPIK'));
    await page.close();
  });

  test('slow links are those of the text report', async () => {
    cpSync(join(out, archive), join(out, 'epik_links'), { recursive: true });
    const file = join(out, 'epik_links', 'analysis.json');
    const facts = JSON.parse(readFileSync(file, 'utf8'));
    const link = { from: 1, to: 0, messages: 20, bytes: 2000, seconds: 0.05, usual_s: 0.00002 };
    facts.slow_links = [{ ...link, or_from: [], lost_s: 1000 }, { ...link, to: 2, or_from: [3], lost_s: 900 }, { ...link, lost_s: 0 }];
    writeFileSync(file, JSON.stringify(facts));
    const page = await open('epik_links');
    const shown = await page.$$eval('#slow-links li span', (all) => all.map((one) => one.innerText));
    assert.equal(shown.length, 2);
    assert.match(shown[0], /^rank 1 to rank 0: a message of 1\.95 KiB takes 50\.0 ms, and 20\.0 µs between others/);
    assert.match(shown[1], /^rank 1 or 3 to rank 2: .* the trace cannot tell which is late/);
    await page.close();
    assert.equal(await (await open(archive)).$('#slow-links'), null);
  });

  test('an archive that was not analysed has no such view', async () => {
    cpSync(join(out, archive), join(out, 'epik_plain'), { recursive: true });
    rmSync(join(out, 'epik_plain', 'analysis.json'));
    const page = await open('epik_plain');
    assert.ok(!(await page.$$eval('nav a', (all) => all.map((one) => one.innerText))).includes('Waiting'));
    await page.close();
  });

  test('no error was said', () => assert.deepEqual(complaints, []));
});
