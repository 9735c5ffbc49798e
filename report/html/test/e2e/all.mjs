// SPDX-License-Identifier: BSD-3-Clause
// Runs the browser tests, one file for each processor at a time. The output of a file appears when its tests have ended.
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

// The files that take longest come first.
const files = ['report', 'large', 'timeline', 'waits', 'panes', 'prediction', 'monitor'];

function passes(name) {
  return new Promise((done) => {
    const begun = Date.now();
    const job = spawn(process.execPath, ['--test', fileURLToPath(new URL(`${name}.e2e.mjs`, import.meta.url))]);
    let printed = '';
    for (const stream of [job.stdout, job.stderr]) stream.on('data', (bytes) => { printed += bytes; });
    job.on('close', (status) => {
      process.stdout.write(`${printed}# ${name}: status ${status} after ${Math.round((Date.now() - begun) / 1000)} s\n`);
      done(status === 0);
    });
  });
}

async function work() {
  for (let name = files.shift(); name; name = files.shift()) if (!(await passes(name))) process.exitCode = 1;
}

await Promise.all(cpus().map(work));
