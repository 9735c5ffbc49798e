// SPDX-License-Identifier: BSD-3-Clause
import { render } from 'preact';
import { App } from './app';
import { bytesOfBase64, inflate, unpack } from './data';
import { Profile } from './model';
import { type Analysis, analysisOf } from './waits';
import { type Drawing, embedded, served, type Source } from './timeline/drawing';

async function profileIn(id: string): Promise<Profile> {
  const text = document.getElementById(id)!.textContent.trim();
  return new Profile(unpack(await inflate(bytesOfBase64(text))));
}

async function analysisIn(id: string): Promise<Analysis | undefined> {
  const element = document.getElementById(id);
  return element ? analysisOf(new TextDecoder().decode(await inflate(bytesOfBase64(element.textContent.trim())))) : undefined;
}

// The trace is in the page, or at the server that the page came from.
async function timelineIn(id: string): Promise<Source | undefined> {
  const element = document.getElementById(id);
  if (!element) return undefined;
  if (element.dataset['served']) return served();
  const text = new TextDecoder().decode(await inflate(bytesOfBase64(element.textContent.trim())));
  return embedded(JSON.parse(text) as Drawing);
}

async function start(): Promise<void> {
  const root = document.getElementById('app')!;
  try {
    const profile = await profileIn('epik-data');
    const base = document.getElementById('epik-base') ? await profileIn('epik-base') : undefined;
    const timeline = await timelineIn('epik-timeline');
    const analysis = await analysisIn('epik-analysis');
    // A page from `epk view` opens with the timeline: people came for that.
    if (timeline && document.getElementById('epik-timeline')?.dataset['served'] && location.hash === '') location.hash = '#view=timeline';
    root.replaceChildren();
    render(<App profile={profile} base={base} timeline={timeline} analysis={analysis} />, root);
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
