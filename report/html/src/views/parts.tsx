// SPDX-License-Identifier: BSD-3-Clause
// Small elements that several views use.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { severity } from '../color';
import { useShared } from '../context';
import { type Cell, copyText, csvOf } from '../csv';
import { shortName } from '../format';
import type { Choice, Profile, Region as ModelRegion } from '../model';
import { largestOf } from '../stats';

export function CopyCsv({ rows }: { rows: () => Cell[][] }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    setSaid((await copyText(csvOf(rows()))) ? 'Copied' : 'The browser refused');
    setTimeout(() => setSaid(''), 1500);
  };
  return (
    <button class="quiet csv" onClick={() => void copy()} title="Copy this table as CSV">
      <span aria-live="polite">{said || 'Copy as CSV'}</span>
    </button>
  );
}

export function Card(props: { title: string; csv?: () => Cell[][]; class?: string; note?: string;
  children: ComponentChildren }) {
  return (
    <section class={`card ${props.class ?? ''}`} aria-label={props.title}>
      <div class="card-head">
        <h2>{props.title}</h2>
        {props.note && <span class="note">{props.note}</span>}
        {props.csv && <CopyCsv rows={props.csv} />}
      </div>
      {props.children}
    </section>
  );
}

export function Bar({ share, kind = '' }: { share: number; kind?: string }) {
  const width = `${Math.min(Math.max(share, 0), 1) * 100}%`;
  return <span class="bar" aria-hidden="true"><span class={`fill ${kind}`} style={{ width }} /></span>;
}

// "heat.c:92". Names of constructs contain it already, and a library is no source file.
export function placeOf(region: ModelRegion): string {
  const file = region.file.split('/').pop() ?? '';
  if (file === '' || region.line <= 0) return file.includes('.') ? file : '';
  const place = `${file}:${region.line}`;
  return region.name.endsWith(place) ? '' : place;
}

export function Region({ profile, path }: { profile: Profile; path: number }) {
  const region = profile.regions[profile.region[path]];
  const file = placeOf(region);
  return (
    <span class="region">
      <span class={`kind kind-${region.kind}`} title={region.kind} />
      <span class="name" title={region.name}>{shortName(region.name)}</span>
      {file && <span class="file" title={region.file}>{file}</span>}
    </span>
  );
}

// The innermost callers, which tell most.
export function Callers({ profile, path }: { profile: Profile; path: number }) {
  const chain = profile.chain(path).slice(0, -1).map((at) => shortName(profile.name(at), 28));
  const text = chain.length > 3 ? ['…', ...chain.slice(-3)] : chain;
  if (text.length === 0) return null;
  return <span class="callers" title={profile.fullName(path)}>{text.join(' › ')}</span>;
}

// Shows a value for each location as a row of small bars, so that the largest one stands out.
export function Strip({ values, present, busiest, label }:
  { values: Float64Array; present: boolean[]; busiest: number; label: string }) {
  const { dark } = useShared();
  const most = largestOf(values, 0);
  const kMost = 256;
  const step = Math.ceil(values.length / kMost);
  const bars = [];
  for (let l = 0; l < values.length; l += step) {
    let value = 0;
    for (let k = l; k < Math.min(l + step, values.length); k++) value = Math.max(value, values[k]);
    const share = most > 0 ? value / most : 0;
    bars.push(
      <i key={l} class={busiest >= l && busiest < l + step ? 'busiest' : present[l] ? '' : 'absent'}
        style={{ height: `${Math.max(share * 100, 4)}%`, background: severity(0.25 + 0.55 * share, dark) }} />);
  }
  return <span class="strip" role="img" aria-label={label}>{bars}</span>;
}

export function MetricSelect({ additive = true }: { additive?: boolean }) {
  const { profile, state, set } = useShared();
  const options = profile.metrics.map((metric, m) => ({ metric, depth: profile.metricTree.ancestors(m).length, m }))
    .filter(({ m }) => !additive || profile.additive(m));
  return (
    <label class="field">Metric{' '}
      <select value={state.metric} onChange={(event) => set({ metric: event.currentTarget.value })}>
        {options.map(({ metric, depth }) => (
          <option key={metric.name} value={metric.name}>{'\u00a0\u00a0'.repeat(depth) + metric.display}</option>
        ))}
      </select>
    </label>
  );
}

export function choiceOf(profile: Profile, name: string): Choice | undefined {
  const metric = profile.find(name);
  return metric < 0 ? undefined : { metric, own: false };
}

export function Segments<T extends string>({ label, value, options, onPick }:
  { label: string; value: T; options: [T, string][]; onPick: (value: T) => void }) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([key, text]) => (
        <button key={key} aria-pressed={key === value} onClick={() => onPick(key)}>{text}</button>
      ))}
    </div>
  );
}
