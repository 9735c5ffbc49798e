// SPDX-License-Identifier: BSD-3-Clause
// Opens the page of `epk monitor --web` on a running job in a real browser: it follows the job, to its end.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import puppeteer from 'puppeteer-core';
import { folderOf, root } from './archives.mjs';

const epk = process.env.EPIK_HTML_EPK ?? join(root, '.cache/stage/bin/epk');
const chromium = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`).find(existsSync);
const mpi = ['openmpi', 'mpich'].find((name) => existsSync(`/usr/bin/mpicc.${name}`));
const env = { ...process.env, OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1', EPK_MONITOR_BUFFER: '64k' };
const out = folderOf('monitor');
const late = 1;
const complaints = [];
let browser, folder, job, monitor, url;

async function until(condition, what) {
  for (let i = 0; i < 1000; ++i) {
    const found = await condition();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`waited in vain for ${what}`);
}

const unfinished = () => readdirSync(folder).find((name) => name.endsWith('.unfinished'));
const arenas = () => unfinished() && existsSync(join(folder, unfinished(), 'arenas')) ? readdirSync(join(folder, unfinished(), 'arenas')) : [];

async function open({ dark = false } = {}) {
  const page = await browser.newPage();
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()); });
  page.on('request', (request) => { if (!request.url().startsWith(new URL(url).origin)) complaints.push(`asks for ${request.url()}`); });
  await page.setViewport({ width: 900, height: 900 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector('#arrivals tbody tr', { timeout: 30_000 });
  return page;
}
const text = (page, selector) => page.$eval(selector, (one) => one.innerText.trim());

describe('the page of epk monitor', { skip: mpi === undefined && 'no MPI is installed' }, () => {
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'epik_monitor_'));
    const program = join(folder, 'late');
    execFileSync(`mpicc.${mpi}`, ['-O1', '-finstrument-functions', join(root, 'test/monitor/programs/late.c'), '-o', program]);
    const words = mpi === 'openmpi' ? ['--oversubscribe'] : [];
    const tree = { EPK_COLL_TREE: 'flat' };
    job = spawn(epk, ['run', `mpirun.${mpi}`, ...words, '-n', '3', program, String(late)], { cwd: folder, env: { ...env, ...tree }, stdio: 'ignore' });
    await until(() => arenas().filter((name) => name.endsWith('.arena')).length === 3, 'the job');
    monitor = spawn(epk, ['monitor', unfinished(), '--web', '--interval', '0.2'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
    url = await new Promise((resolve) => createInterface(monitor.stdout).once('line', resolve));
    browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] });
    mkdirSync(join(out, 'pictures'), { recursive: true });
  });
  after(async () => {
    await browser?.close();
    job?.kill();
    monitor?.kill();
  });

  test('names the late rank and shows the links, in light and dark, at 900 pixels', async () => {
    for (const dark of [false, true]) {
      const page = await open({ dark });
      await page.waitForFunction((rank) => document.querySelector('#arrivals td.mark')?.innerText === `rank ${rank}`, { timeout: 30_000 }, late);
      assert.equal(await text(page, '#title'), 'late');
      assert.match(await text(page, '#state'), /^3 processes, running [\d.]+ (ms|s)$/);
      assert.match(await text(page, '#balance'), /^[\d.]+ %$/);
      assert.equal((await page.$$('#statistics tbody tr')).length, 3);
      const links = await page.$$eval('#links tbody tr td:first-child', (all) => all.map((one) => one.innerText).sort());
      assert.deepEqual(links, ['1 to 0', '2 to 0']);
      const [wide, paper] = await page.evaluate(() => [document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]);
      assert.equal(wide, 900);
      assert.equal(paper, dark ? 'rgb(24, 24, 24)' : 'rgb(255, 255, 255)');
      await page.screenshot({ path: join(out, 'pictures', `monitor_${dark ? 'dark' : 'light'}.png`) });
      await page.close();
    }
  });

  test('call paths with long C++ names keep their end, times their unit', async () => {
    const page = await open();
    const path = `main > ops::operator<<(${'std::vector<int>, '.repeat(9)}int) > apply<${'A, '.repeat(40)}B>(int) > MPI_Bcast`;
    assert.equal(await page.evaluate((long) => short(long), path), 'main > ops::operator<<(…) > apply<…>(…) > MPI_Bcast');
    assert.equal(await page.evaluate((long) => short(long), 'main > f<int>(int)'), 'main > f<int>(int)');
    assert.deepEqual(await page.evaluate(() => [0, 12.78, 0.0451, 6e-6, 3e-8, -0.25].map(time)),
      ['0 s', '12.8 s', '45.1 ms', '6.00 µs', '30.0 ns', '-250 ms']);
    await page.close();
  });

  test('another page without the token, or of another origin, gets nothing', async () => {
    const base = new URL(url).origin;
    assert.equal((await fetch(`${base}/`)).status, 403);
    assert.equal((await fetch(`${base}/events?token=0123456789abcdef`)).status, 403);
    const page = await browser.newPage();
    await page.goto('data:text/html,<title>other</title>');
    const got = await page.evaluate((address) => fetch(address).then(() => 'read', () => 'refused'), url.replace('/?', '/now?'));
    assert.equal(got, 'refused');
    await page.close();
  });

  test('follows the job to its end', async () => {
    const page = await open();
    const first = await text(page, '#state');
    await page.waitForFunction((before) => document.getElementById('state').innerText !== before, { timeout: 30_000 }, first);
    writeFileSync(join(folder, 'stop'), '');
    await page.waitForFunction(() => document.getElementById('state').innerText === 'the job has ended', { timeout: 60_000 });
    await until(() => monitor.exitCode !== null, 'the monitor to end');
    assert.equal(monitor.exitCode, 0);
    await page.close();
    assert.deepEqual(complaints, []);
  });
});
