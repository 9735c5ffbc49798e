// SPDX-License-Identifier: BSD-3-Clause
// Bundles src/ into one file, .cache/html/report.html; with --tests the unit tests into .cache/html/tests.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, '../../.cache/html');
const common = { bundle: true, jsx: 'automatic', jsxImportSource: 'preact', target: 'es2021', logLevel: 'warning' };

async function tests() {
  const files = readdirSync(join(here, 'test')).filter((name) => name.endsWith('.test.ts'));
  await build({
    ...common, entryPoints: files.map((name) => join(here, 'test', name)), platform: 'node', format: 'esm',
    outdir: join(out, 'tests'), outExtension: { '.js': '.mjs' },
  });
}

// The colours of classes are in the table of paradigms: --usr, --mpi, … in both themes, and .kind-USR, .kind-MPI, …
function colours() {
  const table = readFileSync(join(here, '../../config/paradigms.def'), 'utf8');
  const rows = [...table.matchAll(/^PARADIGM\(.*"([A-Z]+)", "[a-z_]+", "(#[0-9a-f]{6})", "(#[0-9a-f]{6})"\)$/gm)];
  if (rows.length === 0) throw new Error('config/paradigms.def has no rows');
  const classes = new Map(rows.map(([, word, light, dark]) => [word, { light, dark }]));
  const variables = (theme) => [...classes].map(([word, colour]) => `--${word.toLowerCase()}:${colour[theme]}`).join(';');
  const kinds = [...classes.keys()].map((word) => `.kind-${word}{background:var(--${word.toLowerCase()})!important}`);
  return `:root{${variables('light')}}:root[data-theme="dark"]{${variables('dark')}}${kinds.join('')}`;
}

async function page() {
  const script = await build({
    ...common, entryPoints: [join(here, 'src/main.tsx')], format: 'iife', minify: true, write: false,
    legalComments: 'none',
  });
  const style = await build({ ...common, entryPoints: [join(here, 'src/style.css')], minify: true, write: false });
  // Inside a script element, no text may look like its end.
  const code = script.outputFiles[0].text.replaceAll('</script', '<\\/script');
  const html = readFileSync(join(here, 'src/template.html'), 'utf8')
    .replace('/*STYLE*/', () => style.outputFiles[0].text + colours())
    .replace('/*SCRIPT*/', () => code);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'report.html'), html);
}

await (process.argv.includes('--tests') ? tests() : page());
