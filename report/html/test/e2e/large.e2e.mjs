// SPDX-License-Identifier: BSD-3-Clause
// A page of 54 000 call paths on 64 ranks: its size, the time that it takes, and whether a browser can work with it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import puppeteer from 'puppeteer-core';
import { folderOf, read, root } from './archives.mjs';

const out = folderOf('large');
const epk = process.env.EPIK_HTML_EPK ?? join(root, '.cache/stage/bin/epk');
const samples = process.env.EPIK_HTML_SAMPLES ?? join(root, 'bazel-bin/test/html/sample_archives');
const chromium = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`).find(existsSync);
const archive = 'epik_large_64x1_sum';
const file = join(out, 'large.html');
let browser;
const run = (command, words) => execFileSync(command, words, { cwd: out, encoding: 'utf8', maxBuffer: 1 << 30, timeout: 300_000 });

before(async () => {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  run(samples, [out, '64', '54000']);
  browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] });
});
after(async () => {
  await browser?.close();
  rmSync(out, { recursive: true, force: true });
});

// A quiet machine takes 3 s of CPU time, and a busy sibling thread has doubled that.
const mostSeconds = 10;

test(`10 MB at most, made in ${mostSeconds} s of CPU time`, () => {
  const usage = run('bash', ['-c', `"$0" report ${archive} --html -o large.html; times`, epk]).trim().split('\n').at(-1);
  const [user, system] = [...usage.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, seconds]) => 60 * minutes + Number(seconds));
  console.log(`# ${statSync(file).size} bytes, ${(user + system).toFixed(1)} s of CPU time`);
  assert.ok(statSync(file).size <= 10_000_000, `${statSync(file).size} bytes`);
  assert.ok(user + system > 0.1 && user + system <= mostSeconds, `${user} s and ${system} s`);
});

test('on a terminal it says what it does, and takes that back', () => {
  const said = run('script', ['-qec', `"${epk}" report ${archive} --html -o again.html`, '/dev/null']);
  assert.match(said, /\repk report: values of 54,?000 call paths/);
  assert.match(said, /values in 6 bits each\x1b\[K\r\x1b\[K$/);
  assert.equal(run('bash', ['-c', `"$0" report ${archive} --html -o again.html 2>&1`, epk]), '');
});

test('a browser shows the time that the text report says, and each rank', async () => {
  const page = await browser.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  const begun = Date.now();
  await page.goto(`file://${file}#view=tree&metric=time`);
  await page.waitForSelector('html[data-ready=yes]', { timeout: 60_000 });
  console.log(`# in use after ${Date.now() - begun} ms`);
  const said = /^time +(\S+ \S+) = sum over 64 locations/m.exec(run(epk, ['report', archive]))[1];
  const shown = await page.$$eval('#metrics .row', (rows) => rows.map((row) => row.querySelector('.value').innerText));
  const close = (value, truth, share) => Math.abs(read(value).value - read(truth).value) <= share * read(truth).value;
  assert.ok(close(shown[0], said, 0.005), `${shown[0]} is shown, ${said} is said`);
  // Each rank has a 64th of the time, except for noise; cells are rounded, up and down.
  const ranks = await page.$$eval('#system .row', (rows) => rows.map((row) => row.querySelector('.value').innerText).filter((text) => text !== ''));
  assert.ok(ranks.length > 3, ranks.join());
  for (const rank of ranks) assert.ok(Math.abs(read(rank).value - read(said).value / 64) <= 0.03 * read(said).value / 64, `${rank} of ${said}`);
  assert.deepEqual(complaints, []);
  await page.close();
});
