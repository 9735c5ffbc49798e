// SPDX-License-Identifier: BSD-3-Clause
// Counters: totals, ratios and rates; and the call paths with most of one.
import { useMemo } from 'preact/hooks';
import { useShared } from '../context';
import { type Counter, Counters as AllCounters } from '../counters';
import { inUnit, percent, ratio } from '../format';
import { largestIndex } from '../stats';
import { Bar, Callers, Card, Region, Strip } from './parts';

const kPaths = 20;

function show(value: number, unit: string): string {
  if (!Number.isFinite(value)) return 'n/a';
  if (unit === 'bytes/sec') return `${inUnit(value, 'bytes')}/s`;
  return unit === '' && !Number.isInteger(value) ? ratio(value) : inUnit(value, unit);
}

export function Counters() {
  const { profile, state, set } = useShared();
  const counters = useMemo(() => new AllCounters(profile), [profile]);
  const chosen = counters.all.find((one) => one.name === state.counter)
    ?? counters.all.find((one) => Number.isFinite(one.total)) ?? counters.all[0];
  const busiest = (one: Counter) => largestIndex(one.byLocation);
  return (
    <div class="counters">
      <Card title="Counters" note="over all locations; ratios are computed from sums"
        csv={() => [['counter', 'unit', 'total', 'formula', 'missing', ...profile.locations.map((l) => l.short)],
          ...counters.all.map((c) => [c.name, c.unit, c.total, c.formula, c.missing, ...c.byLocation])]}>
        <table class="list" id="counters">
          <thead><tr><th class="num">Total</th><th>By location</th><th>Most on</th><th>Counter</th></tr></thead>
          <tbody>
            {counters.all.map((c) => (
              <tr key={c.name} class={c === chosen ? 'chosen' : ''}>
                <td class="num">{show(c.total, c.unit)}</td>
                <td>{busiest(c) >= 0 && profile.locations.length > 1 &&
                  <Strip values={c.byLocation.map((value) => value || 0)} present={Array.from(c.byLocation, Number.isFinite)} busiest={busiest(c)}
                    label={`${c.name} by location`} />}</td>
                <td>{busiest(c) >= 0 && profile.locations.length > 1 ? profile.locations[busiest(c)].name : ''}</td>
                <td class="path"><button class="row-link" aria-pressed={c === chosen} onClick={() => set({ counter: c.name })}>
                  <span class="name">{c.name}</span> <span class="file">{c.missing || c.formula}</span></button></td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
      {chosen && Number.isFinite(chosen.total) && <Paths counters={counters} counter={chosen} />}
    </div>
  );
}

function Paths({ counters, counter }: { counters: AllCounters; counter: Counter }) {
  const { profile, show: showInTree } = useShared();
  const paths = useMemo(() => counters.hottest(counter, kPaths), [counters, counter]);
  const adds = counter.metric >= 0 && profile.additive(counter.metric);
  const rows = paths.map((path) => ({
    path, own: counters.at(counter, path, false), all: counters.at(counter, path, true),
  }));
  return (
    <Card title={counter.name} note={adds ? 'most of their own first' : counter.metric >= 0 ? 'largest first' : 'most time first'}
      csv={() => [['callpath', 'exclusive', 'inclusive'], ...rows.map((r) => [profile.fullName(r.path), r.own, r.all])]}>
      {rows.length === 0 ? <p class="empty">No call path has any of it.</p> :
        <table class="list" id="counter-paths">
          <thead><tr><th class="num">Alone</th>{adds && <th class="num">%</th>}{adds && <th />}<th class="num">With everything below</th>
            <th>Call path</th></tr></thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.path} data-path={r.path}>
                <td class="num">{show(r.own, counter.unit)}</td>
                {adds && <td class="num">{percent(r.own / counter.total)}</td>}
                {adds && <td class="bars"><Bar share={r.own / counter.total} kind={`kind-${profile.regions[profile.region[r.path]].kind}`} /></td>}
                <td class="num">{show(r.all, counter.unit)}</td>
                <td class="path"><button class="row-link" onClick={() => showInTree(r.path)}><Region profile={profile} path={r.path} />
                  <Callers profile={profile} path={r.path} /></button></td>
              </tr>
            ))}
          </tbody>
        </table>}
    </Card>
  );
}
