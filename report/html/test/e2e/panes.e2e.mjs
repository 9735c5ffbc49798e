// SPDX-License-Identifier: BSD-3-Clause
// The borders between the panes of the call tree, values on the program's grid, and small windows, in a real browser; and a
// profile without facts about its run.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import puppeteer from 'puppeteer-core';
import { folderOf, read, root, Truth } from './archives.mjs';

const out = folderOf('panes');
const epk = process.env.EPIK_HTML_EPK ?? join(root, '.cache/stage/bin/epk');
const samples = process.env.EPIK_HTML_SAMPLES ?? join(root, 'bazel-bin/test/html/sample_archives');
const chromium = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`).find(existsSync);
let browser;

before(async () => {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  execFileSync(samples, [out], { timeout: 120_000 });
  execFileSync(epk, ['report', 'epik_plate_4x2_sum', '--html', '-o', 'plate.html'], { cwd: out });
  execFileSync(epk, ['report', 'epik_plate_4x2_sum/summary.cubex', '--html', '-o', 'cubex.html'], { cwd: out });
  browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] });
});
after(async () => browser?.close());

async function open(width = 1400, view = 'tree', file = 'plate.html') {
  const page = await browser.newPage();
  await page.setViewport({ width, height: 900 });
  await page.goto(`file://${join(out, file)}#view=${view}`);
  await page.waitForSelector('html[data-ready=yes]', { timeout: 30_000 });
  return page;
}

test('the grid of the program has the values of all threads of each rank', async () => {
  const truth = new Truth(JSON.parse(execFileSync(epk, ['report', 'epik_plate_4x2_sum', '--format', 'json'], { cwd: out, encoding: 'utf8' })));
  const react = truth.name.indexOf('ReactMaterial');
  const page = await open(1400, `locations&metric=time&path=${react}`);
  const cells = truth.cells('time')[react];
  await page.focus('.planes canvas');
  for (const [key, rank, place] of [['ArrowUp', 0, '0, 0'], ['ArrowRight', 1, '0, 1'], ['ArrowDown', 3, '1, 1'], ['ArrowLeft', 2, '1, 0']]) {
    await page.keyboard.press(key);
    await page.waitForFunction((text) => document.querySelector('.planes .say').innerText.startsWith(text), {}, `rank ${rank} at ${place}: `);
    const said = await page.$eval('.planes .say', (line) => line.innerText);
    const { value, error } = read(said.split(': ')[1]);
    assert.ok(Math.abs(value - cells[2 * rank] - cells[2 * rank + 1]) <= error, said);
  }
  const card = await page.$eval('section[aria-label="On the grid of the program"]', (element) => element.innerText);
  assert.match(card, /x 2 × y 2 \(periodic\), 4 processes/);
  await page.close();
});

test('borders of panes are moved by mouse and by keys, and go back', async () => {
  const page = await open();
  const widths = () => page.$$eval('.pane', (panes) => panes.map((pane) => pane.getBoundingClientRect().width));
  const usual = await widths();
  const grip = await (await page.$('.splitter')).boundingBox();
  await page.mouse.move(grip.x + grip.width / 2, grip.y + 100);
  await page.mouse.down();
  await page.mouse.move(grip.x + 130, grip.y + 120, { steps: 5 });
  await page.mouse.up();
  const dragged = await widths();
  assert.ok(Math.abs(dragged[0] - usual[0] - 127) < 10 && Math.abs(dragged[1] - usual[1] + 127) < 10, `${usual} ${dragged}`);
  assert.ok(Math.abs(dragged[2] - usual[2]) < 2, `${usual} ${dragged}`);
  await page.screenshot({ path: join(out, 'splitters.png') });
  await page.focus('[aria-label="Border of call tree and system"]');
  await page.keyboard.press('ArrowLeft');
  const pressed = await widths();
  assert.ok(pressed[1] < dragged[1] - 10 && pressed[2] > dragged[2] + 10, `${dragged} ${pressed}`);
  await page.keyboard.press('Home');
  assert.ok((await widths())[1] > 90);
  for (const splitter of await page.$$('.splitter')) await splitter.click({ count: 2 });
  (await widths()).forEach((width, i) => assert.ok(Math.abs(width - usual[i]) < 2, `${width} ${usual}`));
  await page.close();
  const narrow = await open(900);
  const cut = await narrow.$$eval('#system .row, #metrics .row', (rows) => rows.filter((row) =>
    row.querySelector('.name').getBoundingClientRect().right > row.closest('.pane').getBoundingClientRect().right)
    .map((row) => row.innerText));
  assert.deepEqual(cut, [], 'names of threads and metrics can be read at 900 pixels');
  await narrow.close();
  const small = await open(600);
  assert.deepEqual(await small.$$eval('.splitter', (all) => all.map((one) => one.getBoundingClientRect().width)), [0, 0]);
  await small.close();
});

test('the button for colours stays beside a title that is too long', async () => {
  const page = await open(320, 'overview');
  const [title, button, views] = await Promise.all(['h1', '.theme', '.top nav'].map((one) => page.$eval(one, (element) => {
    const { top, bottom, right } = element.getBoundingClientRect();
    return { top, bottom, right, cut: element.scrollWidth > element.clientWidth };
  })));
  assert.ok(title.cut, 'the title has no room');
  assert.ok(button.top < title.bottom && button.right <= 320 && button.bottom <= views.top + 1, JSON.stringify({ title, button, views }));
  await page.close();
});

test('choosing a view does not move the names of the others', async () => {
  const page = await open(900);
  const places = () => page.$$eval('.top nav a', (links) => links.map((link) => link.getBoundingClientRect().left));
  const before = await places();
  assert.ok(before.length > 5);
  for (let view = 0; view < before.length; ++view) {
    await (await page.$$('.top nav a'))[view].click();
    await page.waitForFunction((at) => document.querySelectorAll('.top nav a')[at].hasAttribute('aria-current'), {}, view);
    assert.deepEqual(await places(), before);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  }
  await page.close();
});

test('a name that is cut in a flame graph has room for what is left', async () => {
  let names = 0;
  for (const width of [700, 900, 1100]) {
    const page = await open(width, 'flame');
    const cut = await page.$$eval('.flame .box', (boxes) => boxes.filter((box) => box.innerText.includes('…'))
      .map((box) => [box.innerText, box.scrollWidth - box.clientWidth]));
    assert.deepEqual(cut.filter(([, beyond]) => beyond > 0), []);
    names += cut.length;
    await page.close();
  }
  assert.ok(names > 0);
});

test('a profile of another tool tells no time and no cost of its run', async () => {
  const facts = async (file) => {
    const page = await open(1400, 'overview', file);
    const names = await page.$$eval('.facts dt', (all) => all.map((one) => one.innerText));
    await page.close();
    return names;
  };
  assert.ok((await facts('plate.html')).includes('Measuring cost'));
  assert.deepEqual(await facts('cubex.html'), ['Command']);
});
