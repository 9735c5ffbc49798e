// SPDX-License-Identifier: BSD-3-Clause
import { render } from 'preact';
import { App } from './app';
import { bytesOfBase64, inflate, unpack } from './data';
import { Profile } from './model';

async function start(): Promise<void> {
  const root = document.getElementById('app')!;
  try {
    const text = document.getElementById('epik-data')!.textContent.trim();
    const profile = new Profile(unpack(await inflate(bytesOfBase64(text))));
    root.replaceChildren();
    render(<App profile={profile} />, root);
    document.documentElement.dataset['ready'] = 'yes';
  } catch (error) {
    const line = document.createElement('p');
    line.className = 'wait';
    line.textContent = `This report cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
    root.replaceChildren(line);
    document.documentElement.dataset['ready'] = 'failed';
  }
}

void start();
