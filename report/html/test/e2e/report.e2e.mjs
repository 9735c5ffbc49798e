// SPDX-License-Identifier: BSD-3-Clause
// Opens reports of real archives in a real browser, and compares what they show with `epk report --format json`.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import Ajv from 'ajv';
import puppeteer from 'puppeteer-core';
import { htmlOf, jsonOf, makeArchives, out, read, root, speedscopeOf, textOf, Truth } from './archives.mjs';

const chromium = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`).find(existsSync);
let browser;
let drawing;
let archives;
const complaints = [];

before(async () => {
  archives = makeArchives();
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--hide-scrollbars', '--font-render-hinting=none'];
  browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: [...args, '--disable-gpu'] });
  // speedscope draws by WebGL.
  drawing = await puppeteer.launch({ executablePath: chromium, headless: true, args: [...args, '--enable-unsafe-swiftshader'] });
});

after(async () => {
  await browser?.close();
  await drawing?.close();
});

async function open(file, hash = '', { dark = false, width = 1400, height = 900 } = {}) {
  const page = await browser.newPage();
  page.on('pageerror', (error) => complaints.push(`${file}: ${error}`));
  page.on('console', (message) => { if (message.type() === 'error') complaints.push(`${file}: ${message.text()}`); });
  page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) complaints.push(`${file} asks for ${request.url()}`); });
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
  await page.goto(`file://${file}#${hash}`);
  await page.waitForSelector('html[data-ready]', { timeout: 30_000 });
  assert.equal(await page.$eval('html', (html) => html.dataset.ready), 'yes', file);
  return page;
}

const texts = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.innerText.trim()));
const picture = (page, name) => page.screenshot({ path: join(out, 'pictures', `${name}.png`) });

function near(shown, truth, what) {
  const { value, error } = read(shown);
  assert.ok(Math.abs(value - truth) <= error + 1e-9 * Math.abs(truth), `${what}: ${shown} is shown, ${truth} is true`);
}

async function loaded(archive, hash, options) {
  return { page: await open(htmlOf(archive), hash, options), truth: new Truth(jsonOf(archive)) };
}

// Maps each node in sight to the text of its row.
const treeRows = async (page, tree) => new Map(await page.$$eval(`#${tree} .row`, (rows) => rows.map((row) =>
  [Number(row.dataset.node), { value: row.querySelector('.value').innerText, open: row.getAttribute('aria-expanded') === 'true' }])));

describe('overview', () => {
  test('the hottest call paths are those of the JSON report', async () => {
    for (const archive of [archives.uneven, archives.plate, archives.heat].filter(Boolean)) {
      const { page, truth } = await loaded(archive);
      const own = truth.exclusive('time');
      const total = own.reduce((a, b) => a + b, 0);
      const expected = own.map((_, path) => path).filter((path) => own[path] > 0).sort((a, b) => own[b] - own[a]).slice(0, 8);
      const shown = await page.$$eval('#hottest tbody tr', (rows) => rows.map((row) =>
        ({ path: Number(row.dataset.path), cells: [...row.cells].map((cell) => cell.innerText) })));
      assert.deepEqual(shown.map((row) => row.path), expected, archive);
      const visits = truth.exclusive('visits');
      for (const { path, cells } of shown) {
        near(cells[0], own[path], truth.fullName(path));
        if (!cells[1].startsWith('<')) near(cells[1], 100 * own[path] / total, `percent of ${truth.fullName(path)}`);
        near(cells[3], visits[path], `visits of ${truth.fullName(path)}`);
      }
      await page.close();
    }
  });

  test('the advice names the uneven function and the busiest thread', async () => {
    for (const [archive, region] of [[archives.uneven, 'Grind'], [archives.plate, 'ReactMaterial'], [archives.heat, 'ReactMaterial']]) {
      if (!archive) continue; // no MPI here
      const { page, truth } = await loaded(archive);
      const byLocation = truth.json.locations.map((_, l) =>
        truth.cells('time').reduce((sum, row, path) => sum + (truth.name[path] === region ? row[l] : 0), 0));
      const busiest = truth.json.locations[byLocation.indexOf(Math.max(...byLocation))];
      const where = archive === archives.plate ? '.advice li:first-child' : '.advice li'; // of real runs, others may be busy
      const advice = (await texts(page, where)).find((text) => text.startsWith(region)) ?? '';
      const thread = archive === archives.uneven ? `Thread ${busiest.thread}` : `Rank ${busiest.rank} thread ${busiest.thread}`;
      assert.ok(advice.startsWith(`${region} is uneven\n`) && advice.includes(`\n${thread} takes `), advice);
      const there = byLocation.filter((value) => value > 0);
      near(/ ([\d.]+) times the mean/.exec(advice)[1], Math.max(...there) * there.length / there.reduce((a, b) => a + b), 'max over mean');
      const [row] = await page.$$eval('#uneven tbody tr', (rows) => rows.map((r) => [...r.cells].map((c) => c.innerText)));
      near(row[3], Math.max(...there), 'time on the busiest');
      // The element is in sight without scrolling, also on a small screen.
      await page.setViewport({ width: 1280, height: 720 });
      const box = await (await page.$('.advice li:first-child strong')).boundingBox();
      assert.ok(box.y > 0 && box.y + box.height < 720);
      await page.close();
    }
  });

  test('what ran, how it ended, what measuring cost', async () => {
    assert.ok(archives.killed, 'a killed run has an archive');
    for (const archive of [archives.uneven, archives.killed]) {
      const { page, truth } = await loaded(archive);
      const manifest = truth.json.manifest;
      const facts = Object.fromEntries(await page.$$eval('.facts > div', (all) => all.map((one) =>
        [one.querySelector('dt').innerText, one.querySelector('dd').innerText])));
      assert.equal(facts.Command, archive === archives.killed ? "./uneven 'to be killed'" : './uneven');
      assert.ok(facts.When.includes(manifest.host), facts.When);
      const cost = /^(<)?([\d.]+) %/.exec(facts['Measuring cost']);
      assert.ok(Math.abs(Number(cost[2]) - manifest.cost_percent) <= (cost[1] ? 0.1 : 0.0501), facts['Measuring cost']);
      if (archive === archives.killed) {
        assert.match(facts.Ended, /^killed/);
        assert.match((await texts(page, '.advice li:first-child strong'))[0], /^The run did not end by itself/);
        await picture(page, 'killed');
      } else assert.match(facts.Ended, /^ended normally/);
      await page.close();
    }
  });

  test('efficiencies: load balance × communication is the parallel efficiency', async () => {
    const { page } = await loaded(archives.plate);
    const rows = await page.$$eval('.pop tr', (all) => all.map((row) => [row.cells[0].innerText, parseFloat(row.cells[2].innerText)]));
    const of = Object.fromEntries(rows);
    assert.ok(Math.abs(of['Parallel efficiency'] - of.MPI * of.OpenMP / 100) <= 1.5, JSON.stringify(of));
    assert.ok(Math.abs(of.MPI - of['Balance of the ranks'] * of.Communication / 100) <= 1.5, JSON.stringify(of));
    assert.match((await texts(page, '.verdict'))[0], /needs work/);
    await page.close();
  });
});

describe('call tree', () => {
  test('folded nodes show all below, unfolded ones their own', async () => {
    for (const archive of [archives.uneven, archives.plate]) {
      const { page, truth } = await loaded(archive, 'view=tree');
      const own = truth.exclusive('time');
      const all = truth.inclusive('time');
      await page.focus('#calls');
      await page.keyboard.press('Home');
      await page.keyboard.press('*');
      let rows = await treeRows(page, 'calls');
      assert.equal(rows.size, own.length, 'everything is unfolded');
      for (const [node, row] of rows) near(row.value, own[node], `${truth.fullName(node)} alone`);
      await page.keyboard.press('ArrowLeft');
      rows = await treeRows(page, 'calls');
      near(rows.get(0).value, all[0], 'the folded root');
      for (const [node, row] of rows) if (!row.open) near(row.value, all[node], `${truth.fullName(node)} folded`);
      await page.close();
    }
  });

  test('what is selected on the left is what is shown on the right', async () => {
    const { page, truth } = await loaded(archives.plate, 'view=tree');
    const path = truth.name.indexOf('ReactMaterial');
    await page.click(`#calls [data-node="${path}"] .name`);
    const cells = truth.cells('time')[path];
    const names = await page.$$eval('#system .row:not([aria-expanded])', (rows) => rows.map((row) => row.querySelector('.value').innerText));
    assert.equal(names.length, cells.length);
    names.forEach((text, l) => near(text, cells[l], `location ${l}`));
    const node = await page.$$eval('#metrics .row', (rows) => Number(rows.find((row) => row.innerText.includes('Visits')).dataset.node));
    await page.click(`#metrics [data-node="${node}"] .name`);
    const visits = truth.cells('visits')[path];
    const counts = await page.$$eval('#system .row:not([aria-expanded])', (rows) => rows.map((row) => row.querySelector('.value').innerText));
    counts.forEach((text, l) => near(text, visits[l], `visits on location ${l}`));
    await page.close();
  });

  test('imbalance by location, which the page computes, is that of the profile', async () => {
    for (const archive of [archives.plate, archives.heat].filter(Boolean)) {
      const { page, truth } = await loaded(archive);
      await page.close();
      for (const metric of ['imbalance', 'imbalance_above', 'imbalance_below']) {
        const cells = truth.cells(metric);
        const sums = truth.exclusive(metric);
        const path = sums.indexOf(Math.max(...sums));
        const view = await open(join(out, `${archive}.html`), `view=locations&metric=${metric}&path=${path}`);
        const rows = await view.$$eval('#by-location tr', (list) => list.map((row) => row.cells[2].innerText));
        rows.forEach((text, l) => { if (text !== '–') near(text, cells[path][l], `${metric} on location ${l}`); });
        assert.ok(rows.filter((text) => text !== '–' && read(text).value !== 0).length > 0, metric);
        await view.close();
      }
    }
  });

  test('percent, of all and of the selection', async () => {
    const { page, truth } = await loaded(archives.plate, 'view=tree&unit=percent&open=;0-z;');
    const own = truth.exclusive('time');
    const total = own.reduce((a, b) => a + b, 0);
    const compare = async (of) => {
      for (const [node, row] of await treeRows(page, 'calls')) {
        if (!row.value.startsWith('<')) near(row.value, 100 * own[node] / of(node), truth.fullName(node));
      }
    };
    await compare(() => total);
    await page.click('#metrics .twist:not(.leaf)'); // Time unfolds: Execution is there
    for (;;) {
      const folded = await page.$('#metrics [aria-expanded="false"][data-node] .twist');
      if (!folded) break;
      await folded.click();
    }
    const mpi = await page.$$eval('#metrics .row', (rows) => Number(rows.find((row) => row.innerText.includes('Request Completion'))?.dataset.node ?? -1));
    assert.ok(mpi >= 0, 'the metric tree has Request Completion');
    await page.click(`#metrics [data-node="${mpi}"] .name`);
    await page.evaluate(() => [...document.querySelectorAll('.segments button')].find((b) => b.innerText === '% of selection').click());
    const rows = await treeRows(page, 'calls');
    const wait = truth.name.indexOf('MPI_Waitall');
    assert.equal(rows.get(wait).value, '100.0');
    await page.close();
  });

  test('search, hide, sort, and the address that keeps them', async () => {
    const { page, truth } = await loaded(archives.plate, 'view=tree');
    await page.type('.splitter + .pane input', 'MPI_All');
    await page.keyboard.press('Enter');
    const path = truth.name.indexOf('MPI_Allreduce');
    assert.equal(await page.$eval('#calls .chosen', (row) => Number(row.dataset.node)), path);
    await page.waitForFunction((node) => location.hash.includes(`path=${node}`), {}, path);
    const hash = await page.evaluate(() => location.hash);
    await page.close();
    const again = await open(join(out, `${archives.plate}.html`), hash.slice(1));
    assert.equal(await again.$eval('#calls .chosen', (row) => Number(row.dataset.node)), path);
    assert.equal(await again.$eval('.splitter + .pane input', (input) => input.value), 'MPI_All');
    await again.close();
    const small = await open(join(out, `${archives.plate}.html`), 'view=tree&hide=5&sort=value&open=;0-z;');
    const all = truth.inclusive('time');
    const rows = [...(await treeRows(small, 'calls')).keys()];
    assert.deepEqual([...rows].sort((a, b) => a - b), all.map((_, p) => p).filter((p) => all[p] >= 0.05 * all[0]));
    const children = rows.filter((p) => truth.name[truth.parent[p]] === 'main');
    assert.deepEqual(children, [...children].sort((a, b) => all[b] - all[a]));
    await small.close();
  });

  test('keys walk the tree and say where they are', async () => {
    const { page } = await loaded(archives.plate, 'view=tree');
    await page.focus('#calls');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    const active = await page.$eval('#calls', (tree) => tree.getAttribute('aria-activedescendant'));
    assert.equal(await page.$eval(`#${active}`, (row) => row.getAttribute('aria-level')), '2');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await page.$eval(`#${active}`, (row) => row.getAttribute('aria-expanded')), 'false');
    await page.close();
  });

  test('a table goes to the clipboard as CSV', async () => {
    const { page, truth } = await loaded(archives.plate);
    await page.evaluate(() => {
      navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); };
      [...document.querySelectorAll('[aria-label="Hottest call paths"] .csv')][0].click();
    });
    const lines = (await page.evaluate(() => window.copied)).trim().split('\r\n');
    const own = truth.exclusive('time');
    const hottest = own.indexOf(Math.max(...own));
    assert.equal(lines[0], 'callpath,seconds,percent,visits');
    assert.equal(lines[1].split(',')[0], truth.fullName(hottest));
    assert.ok(Math.abs(Number(lines[1].split(',')[1]) / own[hottest] - 1) < 1e-12);
    await page.close();
  });
});

describe('the other views', () => {
  test('boxes of the flame graph are as wide as their time, and zoom', async () => {
    const { page, truth } = await loaded(archives.plate, 'view=flame');
    const all = truth.inclusive('time');
    const width = await page.$eval('.flame', (flame) => flame.clientWidth);
    const boxes = await page.$$eval('.flame .box', (list) => list.map((box) => [Number(box.dataset.path), box.getBoundingClientRect().width]));
    assert.ok(boxes.length > 5);
    for (const [path, pixels] of boxes) assert.ok(Math.abs(pixels - width * all[path] / all[0]) < 1.5, truth.fullName(path));
    const react = truth.name.indexOf('React');
    await page.click(`#flame-${react}`);
    await page.waitForFunction((id) => document.getElementById(id).clientWidth > 1000, {}, `flame-${react}`);
    assert.equal(await page.$(`#flame-${truth.name.indexOf('MPI_Waitall')}`), null);
    await page.close();
  });

  test('the distribution of a call path', async () => {
    const { page, truth } = await loaded(archives.plate, 'view=locations');
    // It opens where computation is most uneven: not where threads wait for the slowest location, or are idle.
    const lost = truth.cells('comp').map((cells, path) => truth.name[path].startsWith('MPI_') ? -1
      : Math.max(...cells) - cells.reduce((a, b) => a + b, 0) / cells.length);
    const values = truth.cells('time')[lost.indexOf(Math.max(...lost))];
    const rows = await page.$$eval('#by-location tr', (list) => list.map((row) => row.cells[2].innerText));
    rows.forEach((text, l) => near(text, values[l], `location ${l}`));
    const facts = Object.fromEntries(await page.$$eval('#stats tr', (list) => list.map((row) => [row.cells[0].innerText, row.cells[1].innerText])));
    const sorted = [...values].sort((a, b) => a - b);
    near(facts.minimum, sorted[0], 'minimum');
    near(facts.maximum, sorted.at(-1), 'maximum');
    near(facts.median, (sorted[3] + sorted[4]) / 2, 'median');
    near(facts['lower quartile'], sorted[1] + 0.75 * (sorted[2] - sorted[1]), 'lower quartile');
    await page.close();
  });

  test('outliers are named, and a click on the map shows another call path', async () => {
    const { page, truth } = await loaded(archives.plate, 'view=locations&metric=visits');
    const facts = Object.fromEntries(await page.$$eval('#stats tr', (list) => list.map((row) => [row.cells[0].innerText, row.cells[1].innerText])));
    const own = truth.exclusive('visits');
    const most = own.indexOf(Math.max(...own));
    const values = truth.cells('visits')[most];
    const there = values.map((v, l) => [v, l]).filter(([v]) => v > 0);
    const sorted = there.map(([v]) => v).sort((a, b) => a - b);
    const at = (q) => { const i = (sorted.length - 1) * q; const k = Math.floor(i); return sorted[k] + (sorted[Math.min(k + 1, sorted.length - 1)] - sorted[k]) * (i - k); };
    const reach = 1.5 * (at(0.75) - at(0.25));
    const outliers = there.filter(([v]) => v < at(0.25) - reach || v > at(0.75) + reach).length;
    assert.equal(facts.outliers === 'none' ? 0 : facts.outliers.split(',').length, Math.min(outliers, 6));
    const canvas = await page.$('canvas[aria-label^="Call paths by location"]');
    const box = await canvas.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + 50);
    await page.waitForFunction(() => location.hash.includes('path='));
    await page.close();
  });

  test('icicle or flames, of any metric that adds up', async () => {
    const { page, truth } = await loaded(archives.plate, 'view=flame&metric=visits');
    const tops = () => page.$$eval('.flame .box', (list) => list.map((box) => [box.dataset.path, box.getBoundingClientRect().top]));
    const all = truth.inclusive('visits');
    const width = await page.$eval('.flame', (flame) => flame.clientWidth);
    const boxes = await page.$$eval('.flame .box', (list) => list.map((box) => [Number(box.dataset.path), box.getBoundingClientRect().width]));
    for (const [path, pixels] of boxes) assert.ok(Math.abs(pixels - width * all[path] / all[0]) < 1.5, truth.fullName(path));
    const icicle = new Map(await tops());
    await page.evaluate(() => [...document.querySelectorAll('.segments button')].find((b) => b.innerText === 'Flame graph').click());
    await page.waitForFunction(() => location.hash.includes('up=true'));
    const flames = new Map(await tops());
    const main = String(truth.name.indexOf('main'));
    const step = String(truth.name.indexOf('Step'));
    assert.ok(icicle.get(main) < icicle.get(step) && flames.get(main) > flames.get(step));
    const offered = await page.$$eval('select option', (list) => list.map((one) => one.value));
    const additive = truth.json.metrics.filter((m) => !['min', 'max'].includes(m.type)).map((m) => m.unique_name);
    assert.deepEqual([...offered].sort(), [...additive].sort());
    await page.close();
  });

  test('the communication matrix says what its table says', async () => {
    const { page } = await loaded(archives.plate, 'view=communication');
    const canvas = await page.$('canvas');
    const cells = new Map();
    const box = await canvas.boundingBox();
    for (let y = 4; y < box.height; y += 8) {
      for (let x = 4; x < box.width; x += 8) {
        await page.mouse.move(box.x + x, box.y + y);
        const [said] = await texts(page, '.say');
        const found = /rank (\d+) to rank (\d+): (.*) in/.exec(said);
        if (found) cells.set(`${found[1]} ${found[2]}`, found[3]);
      }
    }
    const rows = await page.$$eval('#traffic tbody tr', (list) => list.map((row) => [...row.cells].map((cell) => cell.innerText)));
    assert.equal(cells.size, 16);
    for (const [from, to, bytes] of rows) assert.equal(cells.get(`${from} ${to}`), bytes);
    assert.equal([...cells.values()].filter((text) => text !== '0 B').length, rows.length);
    await page.close();
  });

  test('counters: totals, what is missing, call paths, as epk report --counters has them', async () => {
    const page = await open(htmlOf(archives.counted), 'view=counters');
    const json = jsonOf(archives.counted, '--counters');
    const rows = await page.$$eval('#counters tbody tr', (list) => list.map((row) => ({
      name: row.querySelector('.name').innerText, value: row.cells[0].innerText, rest: row.querySelector('.file').innerText })));
    assert.deepEqual(rows.map((row) => row.name), json.counters.map((one) => one.counter));
    json.counters.forEach((one, i) => {
      if (one.total === null) assert.equal(rows[i].value, 'n/a', one.counter);
      else near(rows[i].value, one.total, one.counter);
      assert.equal(rows[i].rest, one.missing ?? one.formula ?? '');
    });
    assert.ok(rows.some((row) => row.value === 'n/a'));
    await page.evaluate(() => [...document.querySelectorAll('#counters .row-link')].find((b) => b.innerText.includes('heap::allocations')).click());
    await page.waitForFunction(() => location.hash.includes('counter=heap'));
    const own = new Truth(jsonOf(archives.counted)).exclusive('heap::allocations');
    const shown = await page.$$eval('#counter-paths tbody tr', (list) => list.map((row) => [Number(row.dataset.path), row.cells[0].innerText]));
    assert.equal(shown[0][0], own.indexOf(Math.max(...own)));
    for (const [path, text] of shown) near(text, own[path], `allocations of path ${path}`);
    await picture(page, 'counters');
    await page.close();
    // The metric pane has it, too.
    const panes = await open(join(out, `${archives.counted}.html`), 'view=tree&metric=heap%3A%3Aallocations');
    const metrics = new Map(await panes.$$eval('#metrics .row', (list) => list.map((row) => [row.querySelector('.name').innerText, row.querySelector('.value').innerText])));
    near(metrics.get('heap::allocations') ?? [...metrics].find(([name]) => /allocations/i.test(name))[1], own.reduce((a, b) => a + b, 0), 'the metric pane');
    assert.ok([...metrics.values()].includes('n/a'));
    await picture(panes, 'counters-panes');
    await panes.close();
  });

  test('communication and OpenMP', async () => {
    const { page, truth } = await loaded(archives.plate, 'view=communication');
    const rows = await page.$$eval('#traffic tbody tr', (list) => list.map((row) => [...row.cells].map((cell) => cell.innerText)));
    assert.equal(rows.length, 6);
    near(rows[0][2], 480800, 'bytes');
    await page.close();
    const omp = await open(join(out, `${archives.plate}.html`), 'view=openmp');
    const [row] = await omp.$$eval('#openmp tbody tr', (list) => list.map((r) => [...r.cells].map((cell) => cell.innerText)));
    near(row[0], truth.inclusive('time')[truth.name.findIndex((name) => name.startsWith('!$omp parallel'))], 'time of the region');
    near(row[4], truth.exclusive('time')[truth.name.findIndex((name) => name.startsWith('!$omp implicit'))], 'barrier');
    await omp.close();
  });
});

test('two runs: what changed is what the JSON reports differ by', async () => {
  const page = await open(htmlOf(archives.plate, archives.odd[0]), 'view=compare');
  const truth = new Truth(jsonOf(archives.plate));
  const other = new Truth(jsonOf(archives.odd[0]));
  const now = truth.exclusive('time');
  const then = other.exclusive('time');
  const rows = await page.$$eval('#changes tbody tr', (list) => list.map((row) =>
    ({ path: Number(row.dataset.path), cells: [...row.cells].map((cell) => cell.innerText) })));
  const main = rows.find((row) => truth.fullName(row.path) === 'heat > main');
  near(main.cells[0], then[other.name.indexOf('main')], 'main before');
  near(main.cells[1], now[truth.name.indexOf('main')], 'main after');
  const hottest = rows.find((row) => row.path === now.indexOf(Math.max(...now)));
  near(hottest.cells[2].replace('+', ''), Math.max(...now), 'what is new differs by all of it');
  assert.equal(hottest.cells[3], 'new');
  await picture(page, 'compare');
  await page.close();
});

describe('everything', () => {
  test('128 ranks × 4 000 call paths: below 5 MB, exact sums, soon there', async () => {
    const file = htmlOf(archives.large);
    assert.ok(statSync(file).size < 5_000_000, `${statSync(file).size} bytes`);
    const start = Date.now();
    const page = await open(file, 'view=tree&open=;0;');
    const truth = new Truth(jsonOf(archives.large));
    const all = truth.inclusive('time');
    for (const [node, row] of await treeRows(page, 'calls')) near(row.value, node === 0 ? truth.exclusive('time')[0] : all[node], truth.fullName(node));
    // Cells of locations are rounded, by less than three digits show.
    await page.click('#calls [data-node="1"] .name');
    const sums = await page.$$eval('#system .row[aria-level="3"]', (rows) => rows.map((row) => row.querySelector('.value').innerText));
    assert.ok(sums.length > 3);
    console.log(`# large report: ${statSync(file).size} bytes, in use after ${Date.now() - start} ms`);
    await page.close();
  });

  test('every table can be copied as CSV', async () => {
    const file = join(out, `${archives.plate}.html`);
    for (const view of ['overview', 'tree', 'flame', 'locations', 'mpi', 'communication', 'openmp']) {
      const page = await open(file, `view=${view}`);
      const copied = await page.evaluate(async () => {
        const all = [];
        navigator.clipboard.writeText = (text) => { all.push(text); return Promise.resolve(); };
        for (const button of document.querySelectorAll('button.csv')) button.click();
        await new Promise((done) => setTimeout(done, 100));
        return all;
      });
      assert.ok(copied.length > 0, view);
      for (const text of copied) {
        const cells = text.trim().split('\r\n').map((line) => line.replaceAll(/"([^"]|"")*"/g, 'x').split(',').length);
        assert.ok(cells.length > 1, `${view}: ${text.slice(0, 60)}`);
        assert.ok(cells.every((n) => n === cells[0]), `${view}: ${text.slice(0, 200)}`);
      }
      await page.close();
    }
  });

  test('severity is lightness: more is darker in light, lighter in dark', async () => {
    for (const dark of [false, true]) {
      const page = await open(join(out, `${archives.plate}.html`), 'view=tree&unit=percent&open=;0-z;', { dark });
      const shades = await page.$$eval('#calls .row', (rows) => rows.map((row) => {
        const color = getComputedStyle(row.querySelector('.box')).backgroundColor.match(/[\d.]+/g).map(Number);
        return { value: parseFloat(row.querySelector('.value').innerText.replace('< ', '')), light: color[0] * 0.3 + color[1] * 0.59 + color[2] * 0.11, seen: color[3] !== 0 };
      }));
      const sorted = shades.filter((one) => one.seen && one.value > 0.1).sort((a, b) => a.value - b.value);
      assert.ok(sorted.length > 5);
      for (let i = 1; i < sorted.length; i++) {
        const step = sorted[i].light - sorted[i - 1].light;
        assert.ok(dark ? step >= -1 : step <= 1, JSON.stringify([sorted[i - 1], sorted[i]]));
      }
      await page.close();
    }
  });

  test('by keyboard alone: from the address bar to the values of a call path', async () => {
    const page = await open(join(out, `${archives.plate}.html`));
    const focused = () => page.evaluate(() => document.activeElement?.innerText?.trim() ?? '');
    for (let i = 0; i < 12 && (await focused()) !== 'Call tree'; i++) await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Call tree');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#calls');
    for (let i = 0; i < 60; i++) {
      if (await page.evaluate(() => document.activeElement?.id === 'calls')) break;
      await page.keyboard.press('Tab');
    }
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'calls');
    await page.keyboard.press('End');
    await page.waitForFunction(() => location.hash.includes('path='));
    // The element with the focus is outlined.
    assert.notEqual(await page.$eval('#calls', (tree) => getComputedStyle(tree).outlineStyle), 'none');
    await page.close();
  });

  test('on paper: light, without buttons, nothing cut off', async () => {
    const page = await open(join(out, `${archives.large}.html`), 'view=tree&open=;0-20.3k-4z;', { dark: true });
    await page.emulateMediaType('print');
    assert.equal(await page.$eval('.top nav', (nav) => getComputedStyle(nav).display), 'none');
    assert.equal(await page.$$eval('button.csv', (all) => all.filter((one) => getComputedStyle(one).display !== 'none').length), 0);
    assert.equal(await page.$eval('html', (html) => getComputedStyle(html).backgroundColor), 'rgb(255, 255, 255)');
    const before = await page.$$eval('#calls .row', (rows) => rows.length);
    const height = await page.$eval('#calls .rows', (rows) => parseFloat(rows.style.height));
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const during = await page.$$eval('#calls .row', (rows) => rows.length);
    assert.equal(during, height / 22);
    assert.ok(during > before, `${during} rows on paper, ${before} on the screen`);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.waitForFunction((n) => document.querySelectorAll('#calls .row').length === n, {}, before);
    await page.close();
  });

  test('odd profiles open in every view', async () => {
    for (const archive of archives.odd) {
      const file = htmlOf(archive);
      for (const view of ['overview', 'tree', 'flame', 'locations', 'openmp']) {
        const page = await open(file, `view=${view}`);
        assert.ok((await page.$eval('main', (main) => main.innerText)).length > 20, `${archive} ${view}`);
        await page.close();
      }
    }
  });

  test('every button and field has a name', async () => {
    const file = join(out, `${archives.plate}.html`);
    for (const view of ['overview', 'tree', 'flame', 'locations', 'mpi', 'communication', 'openmp']) {
      const page = await open(file, `view=${view}`);
      const nameless = await page.$$eval('button, input, select, canvas, [role="tree"]', (all) => all.filter((one) =>
        !one.getAttribute('aria-label') && !one.innerText?.trim() && !one.closest('label')).map((one) => one.outerHTML));
      assert.deepEqual(nameless, []);
      await page.close();
    }
  });

  test('pictures, light and dark, and print', async () => {
    const file = join(out, `${archives.plate}.html`);
    for (const dark of [false, true]) {
      for (const view of ['overview', 'tree', 'flame', 'locations', 'mpi', 'communication', 'openmp']) {
        const page = await open(file, `view=${view}`, { dark });
        const [back, ink] = await page.$eval('body', (body) => {
          const light = (color) => color.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0);
          return [light(getComputedStyle(document.documentElement).backgroundColor), light(getComputedStyle(body).color)];
        });
        assert.ok(dark ? back < 150 && ink > 500 : back > 600 && ink < 200, `${back} ${ink}`);
        await picture(page, `${view}${dark ? '-dark' : ''}`);
        await page.close();
      }
    }
    const page = await open(file, '', { dark: true });
    const pdf = await page.pdf({ path: join(out, 'pictures', 'print.pdf'), format: 'A4', landscape: true });
    assert.ok(pdf.length > 10_000);
    await page.close();
  });

  test('no error was said and nothing was fetched', () => {
    assert.deepEqual(complaints, []);
  });
});

describe('what was not measured in full', () => {
  test('the first screen names it in the words of the text report', async () => {
    const said = /^estimated +(.*?)$/m.exec(textOf(archives.sampled))?.[1];
    assert.match(said ?? '', /^Grind .* ± /);
    const page = await open(htmlOf(archives.sampled));
    assert.equal((await texts(page, '#estimated'))[0], said);
    await page.close();
  });
});

// Checks `--format speedscope` against the schema that speedscope publishes, and in speedscope itself.
describe('speedscope', () => {
  const release = join(root, 'report/html/node_modules/speedscope/dist/release');

  test('the file is what the published schema allows, one profile for each thread', () => {
    const profile = JSON.parse(readFileSync(speedscopeOf(archives.uneven), 'utf8'));
    const allowed = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(join(release, 'file-format-schema.json'), 'utf8')));
    assert.ok(allowed(profile), JSON.stringify(allowed.errors));
    assert.equal(profile.profiles.length, jsonOf(archives.uneven).locations.length);
    assert.ok(!allowed({ ...profile, shared: {} }), 'a schema that allows everything says nothing');
  });

  test('speedscope shows the functions of the busiest thread, the hottest first', async () => {
    const truth = new Truth(jsonOf(archives.uneven));
    const cells = truth.cells('time');
    const totals = truth.json.locations.map((_, l) => cells.reduce((sum, row) => sum + row[l], 0));
    const busiest = totals.indexOf(Math.max(...totals));
    const own = new Map();
    cells.forEach((row, path) => own.set(truth.name[path], (own.get(truth.name[path]) ?? 0) + row[busiest]));
    const [hottest] = [...own].sort((a, b) => b[1] - a[1])[0];

    // speedscope opens a file of this disk by a script that hands the file over.
    const profile = { ...JSON.parse(readFileSync(speedscopeOf(archives.uneven), 'utf8')), activeProfileIndex: busiest };
    const script = join(out, 'speedscope.js');
    const bytes = Buffer.from(JSON.stringify(profile)).toString('base64');
    writeFileSync(script, `speedscope.loadFileFromBase64("uneven.speedscope.json", "${bytes}")`);
    const page = await drawing.newPage();
    await page.setViewport({ width: 1400, height: 900 });
    await page.goto(`file://${join(release, 'index.html')}#localProfilePath=${script}`);
    await page.waitForFunction(() => document.title.includes(' - '), { timeout: 60_000 });
    await page.keyboard.press('3'); // its table of functions
    // The heading of the table is drawn before its rows.
    const shown = await page.waitForFunction((names) => document.body.innerText.split('Symbol Name')[1]?.split('\n')
      .map((row) => row.trim()).find((row) => names.includes(row)), { timeout: 60_000 }, [...own.keys()]);
    assert.equal(await shown.jsonValue(), hottest);
    await picture(page, 'speedscope');
    await page.close();
  });
});
