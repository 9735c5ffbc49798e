// SPDX-License-Identifier: BSD-3-Clause
// Looks at timelines that `epk view` serves, in real browsers, and compares the drawing with `epk view --export`.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import puppeteer from 'puppeteer-core';
import { folderOf, read, root } from './archives.mjs';

const out = folderOf('timeline');
const epk = process.env.EPIK_HTML_EPK ?? join(root, '.cache/stage/bin/epk');
const chromium = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`).find(existsSync);
const firefox = ['firefox-esr', 'firefox'].map((name) => `/usr/bin/${name}`).find(existsSync);
const mpi = existsSync('/usr/bin/mpicc.openmpi');
const complaints = [];
const pages = [];
let browser;
let archives;

function run(words, environment = {}) {
  return execFileSync(words[0], words.slice(1), {
    cwd: out, env: { ...process.env, ...environment }, encoding: 'utf8', maxBuffer: 1 << 30, timeout: 120_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

// Locks, a metric, a name that could be taken for a program, and many calls.
const program = `
#include <epik/epik.h>
#include <pthread.h>
#include <time.h>
EPIK_USER_REG(odd, "<img src=x onerror=alert(1)>");
EPIK_USER_REG(once, "OnlyOnce");
static void Work(double ms) {
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  do clock_gettime(CLOCK_MONOTONIC, &b); while ((b.tv_sec - a.tv_sec) * 1e3 + (b.tv_nsec - a.tv_nsec) / 1e6 < ms);
}
__attribute__((noinline)) int Small(int i) { __asm__ volatile(""); return i * 7; }
void* Loop(void* n) {
  for (int i = 0; i < 40; ++i) {
    EPIK_METRIC("residual", "", 100.0 / (i + 1));
    for (int k = 0; k < 2000; ++k) Small(k);
    Work(1);
    EPIK_USER_START(odd);
    Work(0.2);
    EPIK_USER_END(odd);
  }
  return n;
}
int main(void) {
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i) pthread_create(&threads[i], 0, Loop, 0);
  for (int i = 0; i < 6; ++i) pthread_join(threads[i], 0);
  EPIK_USER_START(once);
  Work(3);
  EPIK_USER_END(once);
  return 0;
}
`;

before(async () => {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(join(out, 'pictures'), { recursive: true });
  writeFileSync(join(out, 'threads.c'), program);
  run([epk, 'instrument', '--user', 'gcc', '-O1', '-g', 'threads.c', '-o', 'threads', '-lpthread']);
  for (const title of ['before', 'after']) run([epk, 'run', '-t', 'all', './threads'], { EPK_TITLE: title });
  if (mpi) {
    cpSync(join(root, 'examples/heat/heat.c'), join(out, 'heat.c'));
    run([epk, 'instrument', 'mpicc.openmpi', '-O2', '-g', '-fopenmp', 'heat.c', '-o', 'heat', '-lm']);
    run([epk, 'run', '-t', 'all', 'mpirun.openmpi', '--oversubscribe', '--allow-run-as-root', '-n', '2', './heat', '300', '300', '10'],
      { OMP_NUM_THREADS: '2', OMP_WAIT_POLICY: 'passive', EPK_TITLE: 'heat' });
  }
  archives = Object.fromEntries(['before', 'after', 'heat'].map((title) =>
    [title, readdirSync(out).find((name) => name.startsWith(`epik_${title}`))]));
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--hide-scrollbars', '--disable-gpu'];
  browser = await puppeteer.launch({ executablePath: chromium, headless: true, args });
});

after(async () => { await browser?.close(); });

// Serves archives while `use` runs with the page's address.
async function served(words, use) {
  const server = spawn(epk, ['view', ...words, '--no-browser'], { cwd: out, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const address = await new Promise((done, failed) => {
      let said = '';
      server.stdout.on('data', (bytes) => { said += bytes; if (said.includes('\n')) done(said.split('\n')[0]); });
      server.on('exit', () => failed(new Error(`epk view ended: ${said}`)));
    });
    await use(address);
  } finally {
    // A page that a failed check left open would ask the dead server, and complain.
    await Promise.all(pages.splice(0).filter((page) => !page.isClosed()).map((page) => page.close()));
    server.kill();
  }
}

async function open(address, { dark = false, width = 1400, height = 900, by = browser } = {}) {
  const page = await by.newPage();
  pages.push(page);
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()); });
  page.on('dialog', (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  await page.setViewport({ width, height });
  if (by === browser) await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
  await page.goto(`${address}#view=timeline`);
  await page.waitForFunction(() => document.querySelector('.timeline-canvas canvas')?.epik, { timeout: 30_000 });
  return page;
}

const drawn = (page) => page.$eval('.timeline-canvas canvas', (canvas) => canvas.epik);
const picture = (page, name) => page.screenshot({ path: join(out, 'pictures', `${name}.png`) });
// The page's calls have the times of the trace; an export has them beside the cut ones.
const calls = ({ rows, regions, paths }) => rows.flatMap((row) => (row.calls ?? []).map(([enter, leave, depth, path], index) => {
  const [, began, ended] = row.cut?.find(([call]) => call === index) ?? [index, enter, leave];
  return [row.name, regions[paths[path][0]][0], began, ended, depth].join(' ');
})).sort();

// A key changes the window two frames later at most. The drawing of that window comes some time after it, and after a
// search the window goes closer, drawing by drawing, until the call is among the calls that are drawn.
async function settled(page) {
  await page.evaluate(() => new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
  }));
  await page.waitForFunction(() => {
    const { drawing, window, awaited } = document.querySelector('.timeline-canvas canvas').epik;
    return !awaited && Math.abs(drawing.from_ns - window.from) <= 1 && Math.abs(drawing.to_ns - window.to) <= 1;
  }, { timeout: 30_000 });
  return drawn(page);
}

async function press(page, key, times = 1) {
  await page.focus('.timeline-canvas canvas');
  for (let i = 0; i < times; i++) await page.keyboard.press(key);
}

function exported(archive, from, to, ...words) {
  return JSON.parse(run([epk, 'view', archive, '--export', '-', '--from', `${from}ns`, '--to', `${to}ns`, ...words]));
}

describe('a timeline in Chromium', () => {
  test('draws the events that the archive has, zoomed out and in', async () => {
    for (const archive of [archives.before, archives.heat].filter(Boolean)) {
      await served([archive], async (address) => {
        const page = await open(address);
        for (const step of [0, 6, 6]) {
          await press(page, 'w', step);
          const { drawing } = await settled(page);
          const truth = exported(archive, drawing.from_ns, drawing.to_ns, '--bins', '1000');
          assert.deepEqual(calls(drawing), calls(truth), `${archive} from ${drawing.from_ns}`);
          assert.deepEqual(drawing.messages, truth.messages);
          assert.deepEqual(drawing.critical, truth.critical);
        }
        await picture(page, `${archive}-zoomed`);
        await press(page, '0');
        await settled(page);
        await picture(page, `${archive}-whole`);
        await page.close();
      });
    }
  });

  test('goes through all calls of a region, in the whole run', async () => {
    await served([archives.before], async (address) => {
      const page = await open(address);
      await press(page, 'w', 14);
      await settled(page);
      await page.type('input[aria-label="Search a region"]', 'OnlyOnce');
      await press(page, 'n');
      await page.waitForSelector('.timeline-aside section[aria-label="Call"]', { timeout: 30_000 });
      const { drawing, window } = await settled(page);
      const once = calls(drawing).filter((call) => call.includes(' OnlyOnce '));
      assert.equal(once.length, 1);
      assert.ok(window.from <= Number(once[0].split(' ')[2]), once[0]);
      await picture(page, 'found');
      await page.close();
    });
  });

  test('shows the measured time of a call, however far one zooms in', async () => {
    const [enter, leave] = run([epk, 'print', archives.before, '--region', 'OnlyOnce', '--format', 'json']).trim().split('\n')
      .map((line) => JSON.parse(line)).filter(({ event }) => event === 'enter' || event === 'exit').map(({ time }) => time);
    await served([archives.before], async (address) => {
      const page = await open(address);
      const card = () => page.$$eval('.timeline-aside section', (all) => {
        const words = [...(all.find((each) => each.ariaLabel === 'Call')?.querySelectorAll('dd') ?? [])].map((each) => each.innerText);
        return { region: words[0], took: words[1], kind: words[2], status: document.querySelector('.status').innerText.split(',')[0] };
      });
      await page.type('input[aria-label="Search a region"]', 'OnlyOnce');
      await press(page, 'n');
      await page.waitForSelector('.timeline-aside section[aria-label="Call"]', { timeout: 30_000 });
      const first = await card();
      const { value, error } = read(first.took);
      assert.equal(first.region, 'OnlyOnce');
      assert.ok(Math.abs(value - (leave - enter)) <= error + 2e-9, `${first.took}, printed ${leave - enter} s`);
      await press(page, 'f');
      for (const step of [0, 4, 10, 10]) {
        await press(page, 'w', step);
        const { drawing } = await settled(page);
        assert.deepEqual(await card(), first, `from ${drawing.from_ns} to ${drawing.to_ns}`);
        if (step > 0) assert.ok(calls(drawing).some((call) => call.includes(' OnlyOnce ')));
        await press(page, 'p');
        assert.deepEqual(await card(), first, 'there is no call before it');
      }
      await page.close();
    });
  });

  test('keys work without a click before, and a name that no region has is said', async () => {
    await served([archives.before], async (address) => {
      const page = await open(address);
      const { window: whole } = await settled(page);
      await page.keyboard.press('w');
      await page.waitForFunction((width) => {
        const { window } = document.querySelector('.timeline-canvas canvas').epik;
        return window.to - window.from < width;
      }, { timeout: 30_000 }, whole.to - whole.from);
      await page.keyboard.press('0');
      await page.waitForFunction((width) => {
        const { window } = document.querySelector('.timeline-canvas canvas').epik;
        return window.to - window.from === width;
      }, { timeout: 30_000 }, whole.to - whole.from);
      await page.type('input[aria-label="Search a region"]', 'nowhere was 0');
      assert.deepEqual((await drawn(page)).window, whole, 'letters of a search are no keys');
      assert.match(await page.$eval('.status', (status) => status.innerText), /No region of this run has such a name: nowhere was 0/);
      assert.deepEqual(await page.$$eval('.toolbar button', (all) => all.slice(0, 2).map((each) => each.disabled)), [true, true]);
      await page.close();
    });
  });

  test('unfolds rows that behave alike, and folds them again', async () => {
    await served([archives.before], async (address) => {
      const page = await open(address);
      const { drawing } = await settled(page);
      const folded = drawing.rows.find(({ members }) => members.length > 1);
      if (folded) {
        await page.click('.timeline-labels button');
        await page.waitForFunction((rows) => document.querySelector('.timeline-canvas canvas').epik.drawing.rows.length > rows, {}, drawing.rows.length);
        assert.ok((await drawn(page)).drawing.rows.every(({ members }) => members.length === 1));
        await page.click('.timeline-labels button[aria-expanded="true"]');
        await page.waitForFunction((rows) => document.querySelector('.timeline-canvas canvas').epik.drawing.rows.length === rows, {}, drawing.rows.length);
      }
      const unfolded = exported(archives.before, drawing.from_ns, drawing.to_ns, '--unfold');
      assert.equal(unfolded.rows.length, unfolded.rows_in_all);
      await page.close();
    });
  });

  test('jumps to the longest wait', { skip: !mpi }, async () => {
    await served([archives.heat], async (address) => {
      const page = await open(address);
      const { drawing } = await settled(page);
      const [, from, to] = drawing.longest[0];
      await page.$$eval('.timeline-aside section, .timeline-aside .card', (cards) =>
        cards.find((card) => card.innerText.includes('Longest waits')).querySelector('button.link').click());
      await page.waitForFunction((begin, end) => {
        const { window } = document.querySelector('.timeline-canvas canvas').epik;
        return window.from <= begin && window.to >= end && window.to - window.from <= 3.1 * (end - begin) + 20;
      }, { timeout: 30_000 }, from, to);
      await settled(page);
      await picture(page, 'longest-wait');
      await page.close();
    });
  });

  test('shows two archives one below the other', async () => {
    await served([archives.before, archives.after, '--align', 'OnlyOnce'], async (address) => {
      const page = await open(address);
      const { drawing } = await settled(page);
      const sides = new Set(drawing.rows.map(({ host }) => host.split(':')[0]));
      assert.deepEqual([...sides], [archives.before, archives.after]);
      const begins = drawing.rows.flatMap((row) => (row.calls ?? []).filter((call) =>
        drawing.regions[drawing.paths[call[3]][0]][0] === 'OnlyOnce').map((call) => call[0]));
      if (begins.length === 2) assert.ok(Math.abs(begins[0] - begins[1]) <= 2, String(begins));
      await picture(page, 'two-archives');
      await page.close();
    });
  });

  test('is read at 900 and 2560 pixels, in both themes, and keeps its place in the address', async () => {
    await served([archives.heat ?? archives.before], async (address) => {
      for (const [width, dark] of [[900, false], [1400, true], [2560, false]]) {
        const page = await open(address, { width, dark });
        await press(page, 'w', 3);
        const { window } = await settled(page);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${width} pixels: ${wide} more`);
        await picture(page, `at-${width}${dark ? '-dark' : ''}`);
        const again = await browser.newPage();
        await again.setViewport({ width, height: 900 });
        await again.goto(page.url());
        await again.waitForFunction(() => document.querySelector('.timeline-canvas canvas')?.epik, { timeout: 30_000 });
        assert.deepEqual((await settled(again)).window, window);
        await again.close();
        await page.close();
      }
    });
  });

  test('zooms and pans fluently, in little memory', async () => {
    await served([archives.before], async (address) => {
      const page = await open(address);
      await settled(page);
      // Frames that a key starts, drawn by this machine's processor alone.
      const frames = await page.evaluate(async () => {
        const canvas = document.querySelector('.timeline-canvas canvas');
        const begin = performance.now();
        let count = 0;
        while (performance.now() - begin < 2000) {
          const key = ['w', 'd', 's', 'a'][Math.floor(count / 8) % 4];
          canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
          await new Promise((done) => requestAnimationFrame(done));
          count++;
        }
        return { rate: count / 2, bytes: performance.memory?.usedJSHeapSize ?? 0 };
      });
      console.log(`frames a second: ${frames.rate}, megabytes: ${Math.round(frames.bytes / 1e6)}`);
      assert.ok(frames.bytes < 500e6, `${frames.bytes} bytes`);
      await page.close();
    });
  });
});

test('the same in Firefox', { skip: !firefox && 'Firefox is not installed' }, async () => {
  const other = await puppeteer.launch({ browser: 'firefox', executablePath: firefox, headless: true });
  try {
    await served([archives.heat ?? archives.before], async (address) => {
      const page = await open(address, { by: other });
      await press(page, 'w', 4);
      const { drawing } = await settled(page);
      const truth = exported(archives.heat ?? archives.before, drawing.from_ns, drawing.to_ns, '--bins', '1000');
      assert.deepEqual(calls(drawing), calls(truth));
      await picture(page, 'firefox');
      await page.close();
    });
  } finally {
    await other.close();
  }
});

test('no page complained', () => assert.deepEqual([...new Set(complaints)], []));
