// SPDX-License-Identifier: BSD-3-Clause
import { render } from 'preact';
import { App } from './app';
import { bytesOfBase64, inflate, unpack } from './data';
import { Profile } from './model';

async function profileIn(id: string): Promise<Profile> {
  const text = document.getElementById(id)!.textContent.trim();
  return new Profile(unpack(await inflate(bytesOfBase64(text))));
}

async function start(): Promise<void> {
  const root = document.getElementById('app')!;
  try {
    const profile = await profileIn('epik-data');
    const base = document.getElementById('epik-base') ? await profileIn('epik-base') : undefined;
    root.replaceChildren();
    render(<App profile={profile} base={base} />, root);
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
