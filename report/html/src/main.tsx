// SPDX-License-Identifier: BSD-3-Clause
import { render } from 'preact';
import { App } from './app';
import { bytesOfBase64, inflate, unpack } from './data';
import { tellNamesApart } from './format';
import { Profile } from './model';
import { type Analysis, analysisOf } from './waits';
import { predictionOf } from './prediction';
import type { Drawing } from './timeline/drawing';
import { embedded, served, type Source } from './timeline/source';

async function profileIn(id: string): Promise<Profile> {
  const text = document.getElementById(id)!.textContent.trim();
  return new Profile(unpack(await inflate(bytesOfBase64(text))));
}

// The text of a script element; some pages lack the element.
async function textIn(id: string): Promise<string | undefined> {
  const element = document.getElementById(id);
  return element ? new TextDecoder().decode(await inflate(bytesOfBase64(element.textContent.trim()))) : undefined;
}

async function analysisIn(id: string): Promise<Analysis | undefined> {
  const text = await textIn(id);
  return text === undefined ? undefined : analysisOf(text);
}

// The trace is in the page, or the server of the page has it.
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
    tellNamesApart([profile, base].flatMap((shown) => shown?.regions.map((region) => region.name) ?? []));
    const timeline = await timelineIn('epik-timeline');
    const analysis = await analysisIn('epik-analysis');
    // A page from `epk view` opens with the timeline, because people want to see it.
    if (timeline && document.getElementById('epik-timeline')?.dataset['served'] && location.hash === '') location.hash = '#view=timeline';
    const predicted = await textIn('epik-prediction');
    const prediction = predicted === undefined ? undefined : predictionOf(predicted);
    // A page from `epk predict` opens with the prediction.
    if (prediction && location.hash === '') location.hash = '#view=prediction';
    root.replaceChildren();
    render(<App profile={profile} base={base} timeline={timeline} analysis={analysis} prediction={prediction} />, root);
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
