// SPDX-License-Identifier: BSD-3-Clause
// How a call path's values are spread over ranks and threads.
import { useMemo, useState } from 'preact/hooks';
import { severity } from '../color';
import { useShared } from '../context';
import { inUnit, percent, ratio, shortName } from '../format';
import type { Choice, Profile } from '../model';
import { largestIndex, largestOf, summarize, type Summary } from '../stats';
import { GridCard } from './grid';
import { HeatMap, useWidth } from './heatmap';
import { Callers, Card, choiceOf, MetricSelect, Region, Segments } from './parts';

const kPaths = 30;

function hottestOf(own: Float64Array, most: number): number[] {
  const paths = Array.from(own.keys()).filter((path) => own[path] > 0);
  return paths.sort((a, b) => own[b] - own[a]).slice(0, most);
}

// The call path that loses most time because one location takes longer than the mean; the hottest one when all
// locations take equally long. Waiting and idle time follow from work that is uneven elsewhere, so only computation
// counts among all time.
function mostUneven(profile: Profile, choice: Choice, paths: number[]): number {
  let best = paths[0] ?? -1;
  if (profile.metrics[choice.metric].unit !== 'sec') return best;
  const computation = profile.metrics[choice.metric].name === 'time' ? profile.find('comp') : -1;
  const looked: Choice = computation >= 0 ? { metric: computation, own: false } : choice;
  let most = 0;
  for (const path of paths) {
    if (profile.regions[profile.region[path]].kind === 'MPI') continue;
    const values = profile.perLocation(looked, path, false);
    const lost = largestOf(values) - values.reduce((sum, value) => sum + value, 0) / values.length;
    if (lost > most) [best, most] = [path, lost];
  }
  return best;
}

// Names that stand for several call paths come with their callers.
function labelOf(profile: Profile, path: number, paths: number[]): string {
  const name = profile.name(path);
  const parent = profile.callTree.parent[path];
  const alike = paths.some((other) => other !== path && profile.name(other) === name);
  return alike && parent >= 0 ? `${shortName(profile.name(parent), 16)} > ${shortName(name, 22)}` : shortName(name, 40);
}

export function Locations() {
  const { profile, state, set } = useShared();
  const choice = choiceOf(profile, state.metric);
  const paths = useMemo(() => (choice ? hottestOf(profile.exclusive(choice), kPaths) : []), [profile, state.metric]);
  const uneven = useMemo(() => (choice ? mostUneven(profile, choice, paths) : -1), [profile, state.metric, paths]);
  if (!choice || profile.locations.length === 0) return <p class="empty">There are no locations with values.</p>;
  const path = state.path >= 0 ? state.path : Math.max(uneven, 0);
  return (
    <div class="locations">
      <div class="toolbar">
        <MetricSelect additive={false} />
        <Segments label="What lies below" value={state.own ? 'own' : 'all'} onPick={(what) => set({ own: what === 'own' })}
          options={[['own', 'Alone'], ['all', 'With everything below']]} />
      </div>
      <Distribution choice={choice} path={path} />
      <GridCard choice={choice} path={path} />
      <Matrix choice={choice} paths={paths} path={path} />
    </div>
  );
}

function Distribution({ choice, path }: { choice: Choice; path: number }) {
  const { profile, state } = useShared();
  const values = useMemo(() => profile.perLocation(choice, path, !state.own), [profile, choice.metric, path, state.own]);
  const present = useMemo(() => profile.present(path, !state.own), [profile, path, state.own]);
  const summary = summarize(values, present);
  const unit = profile.metrics[choice.metric].unit;
  const busiest = largestIndex(Array.from(values, (value, l) => (present[l] ? value : NaN)));
  const facts: [string, string][] = [
    ['minimum', inUnit(summary.min, unit)], ['lower quartile', inUnit(summary.q1, unit)],
    ['median', inUnit(summary.median, unit)], ['mean', inUnit(summary.mean, unit)],
    ['upper quartile', inUnit(summary.q3, unit)], ['maximum', inUnit(summary.max, unit)],
    ['max / mean', ratio(summary.max / summary.mean)], ['sum', inUnit(summary.sum, unit)],
  ];
  return (
    <Card title={`${profile.metrics[choice.metric].display} by location`}
      csv={() => [['rank', 'thread', 'callpath', state.metric],
        ...profile.locations.map((l, i) => [l.rank, l.thread, profile.fullName(path), values[i]])]}>
      <p class="subject"><Region profile={profile} path={path} /> <Callers profile={profile} path={path} /></p>
      <div class="split">
        <Bars values={values} present={present} summary={summary} unit={unit} />
        <div>
          <BoxPlot summary={summary} values={values} unit={unit} />
          <table class="list stats" id="stats"><tbody>
            {facts.map(([name, text]) => <tr key={name}><th scope="row">{name}</th><td class="num">{text}</td></tr>)}
            {busiest >= 0 && <tr><th scope="row">most on</th><td class="num">{profile.locations[busiest].name}</td></tr>}
            <tr><th scope="row">locations that came here</th><td class="num">{summary.count} of {values.length}</td></tr>
            <tr><th scope="row">outliers</th><td class="num">{summary.outliers.length === 0 ? 'none'
              : summary.outliers.slice(0, 6).map((l) => profile.locations[l].short).join(', ') +
              (summary.outliers.length > 6 ? ` +${summary.outliers.length - 6}` : '')}</td></tr>
          </tbody></table>
        </div>
      </div>
    </Card>
  );
}

// Shows up to a screenful of locations as bars, and more of them as a map of ranks and threads.
function Bars({ values, present, summary, unit }:
  { values: Float64Array; present: boolean[]; summary: Summary; unit: string }) {
  const { profile, dark } = useShared();
  const [ref, width] = useWidth(600);
  const most = summary.max > 0 ? summary.max : 1;
  if (values.length > 32) {
    const threads = largestOf(profile.locations.map((l) => l.thread)) + 1;
    const across = threads > 1 ? threads : 16;
    const spot = (row: number, column: number) => threads > 1
      ? profile.locations.findIndex((l) => l.process === row && l.thread === column) : row * across + column;
    const rows = threads > 1 ? profile.header.processes.length : Math.ceil(values.length / across);
    const index = (row: number, column: number) => {
      const l = spot(row, column);
      return l >= 0 && l < values.length && present[l] ? l : -1;
    };
    return (
      <div ref={ref} class="scroll">
        <p class="note">{threads > 1 ? 'A row for each rank, a column for each thread.' : '16 ranks in a row.'} Colour: share of the maximum.</p>
        <HeatMap label="Values by rank and thread" rows={rows} columns={across} width={width} cell={rows > 40 ? 8 : 16}
          rowName={(r) => String(threads > 1 ? profile.header.processes[r][1] : r * across)} columnName={String}
          share={(r, c) => (index(r, c) < 0 ? NaN : values[index(r, c)] / most)}
          say={(r, c) => (index(r, c) < 0 ? 'not there' : `${profile.locations[index(r, c)].name}: ${inUnit(values[index(r, c)], unit)}`)} />
      </div>
    );
  }
  return (
    <div ref={ref}>
      <table class="list by-location" id="by-location"><tbody>
        {profile.locations.map((l, i) => (
          <tr key={l.short} class={summary.outliers.includes(i) ? 'outlier' : ''}>
            <th scope="row">{l.name}</th>
            <td class="wide-bar"><span style={{ width: `${present[i] ? Math.max(values[i] / most, 0) * 100 : 0}%`,
              background: severity(0.25 + 0.55 * values[i] / most, dark) }} />
              <em style={{ left: `${summary.mean / most * 100}%` }} title="mean" /></td>
            <td class="num">{present[i] ? inUnit(values[i], unit) : '–'}</td>
          </tr>
        ))}
      </tbody></table>
    </div>
  );
}

function BoxPlot({ summary, values, unit }: { summary: Summary; values: Float64Array; unit: string }) {
  if (summary.count < 2) return null;
  const low = Math.min(0, summary.min);
  const range = summary.max - low || 1;
  const x = (value: number) => 6 + (value - low) / range * 288;
  const out = new Set(summary.outliers);
  const inside = Array.from(values).filter((value, l) => Number.isFinite(value) && !out.has(l) && value >= summary.min);
  const left = inside.length > 0 ? Math.max(-largestOf(inside.map((value) => -value)), summary.min) : summary.min;
  const right = inside.length > 0 ? largestOf(inside) : summary.max;
  return (
    <svg class="boxplot" viewBox="0 0 300 44" role="img"
      aria-label={`From ${inUnit(summary.min, unit)} to ${inUnit(summary.max, unit)}, median ${inUnit(summary.median, unit)}`}>
      <line x1={x(left)} x2={x(right)} y1="16" y2="16" />
      {[left, right].map((value) => <line key={value} x1={x(value)} x2={x(value)} y1="10" y2="22" />)}
      <rect x={x(summary.q1)} y="6" width={Math.max(x(summary.q3) - x(summary.q1), 1)} height="20" />
      <line class="median" x1={x(summary.median)} x2={x(summary.median)} y1="6" y2="26" />
      {summary.outliers.slice(0, 200).map((l) => <circle key={l} cx={x(values[l])} cy="16" r="3" />)}
      <text x="6" y="41">{inUnit(low, unit)}</text>
      <text x="294" y="41" text-anchor="end">{inUnit(summary.max, unit)}</text>
    </svg>
  );
}

function Matrix({ choice, paths, path }: { choice: Choice; paths: number[]; path: number }) {
  const { profile, set } = useShared();
  const [ref, width] = useWidth(700);
  const rows = useMemo(() => paths.map((at) => profile.perLocation(choice, at, false)), [profile, choice.metric, paths]);
  const [by, setBy] = useState<'all' | 'row'>('all');
  const largest = rows.map((row) => largestOf(row, 0));
  const all = largestOf(largest, 0);
  const own = profile.exclusive(choice);
  const total = profile.total(choice);
  const unit = profile.metrics[choice.metric].unit;
  if (paths.length === 0) {
    return <p class="empty">{own.some((value) => value < 0) ? 'No value of this metric is above 0: see the call tree.' : 'Nothing of this metric was recorded.'}</p>;
  }
  const cell = 20;
  return (
    <Card title="Call paths × locations" note="a column for each thread of each rank"
      csv={() => [['callpath', ...profile.locations.map((l) => l.short)],
        ...paths.map((at, r) => [profile.fullName(at), ...rows[r]])]}>
      <div class="toolbar"><Segments label="Colour" value={by} onPick={setBy}
        options={[['all', 'Colour: share of the largest'], ['row', 'Share of the row\u2019s largest']]} /></div>
      <div class="matrix">
        <ol class="labels axis">
          {paths.map((at) => (
            <li key={at} style={{ height: `${cell}px` }} class={at === path ? 'chosen' : ''}>
              <button class="row-link" title={profile.fullName(at)} onClick={() => set({ path: at })}>
                <span class="num">{inUnit(own[at], unit)}</span>
                <span class="num pc">{percent(own[at] / total)}</span>
                <span class={`kind kind-${profile.regions[profile.region[at]].kind}`} />{labelOf(profile, at, paths)}</button>
            </li>
          ))}
        </ol>
        <div ref={ref} class="grow">
          <HeatMap label="Call paths by location" rows={paths.length} columns={profile.locations.length} width={width}
            cell={cell} columnName={(c) => profile.locations[c].short} share={(r, c) => (rows[r][c] > 0 ? rows[r][c] / (by === 'all' ? all : largest[r]) : NaN)}
            say={(r, c) => `${shortName(profile.name(paths[r]), 60)}, ${profile.locations[c].name}: ${inUnit(rows[r][c], unit)}`}
            pick={(r) => set({ path: paths[r] })} />
        </div>
      </div>
    </Card>
  );
}
