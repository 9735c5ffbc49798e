// SPDX-License-Identifier: BSD-3-Clause
// Compares this run with another one: which call paths became slower or faster.
import { useMemo } from 'preact/hooks';
import { compare, nameOf } from '../compare';
import { useShared } from '../context';
import { factor, inUnit, seconds } from '../format';
import { Callers, Card, MetricSelect, Region, Segments } from './parts';

const kRows = 200;

export function Compare() {
  const { profile, base, state, set, show } = useShared();
  const changes = useMemo(() => (base ? compare(profile, base, state.metric, !state.own) : []),
    [profile, base, state.metric, state.own]);
  if (!base) return null;
  const unit = profile.metrics[Math.max(profile.find(state.metric), 0)].unit;
  const most = changes.length > 0 ? Math.abs(changes[0].after - changes[0].before) : 0;
  const walls = [base, profile].map((p) => p.header.manifest.wall_seconds ?? NaN);
  const sign = (value: number) => `${value > 0 ? '+' : value < 0 ? '−' : ''}${inUnit(Math.abs(value), unit)}`;
  return (
    <div>
      <div class="toolbar">
        <MetricSelect />
        <Segments label="What lies below" value={state.own ? 'own' : 'all'} onPick={(what) => set({ own: what === 'own' })}
          options={[['own', 'Alone'], ['all', 'With everything below']]} />
        <span class="note">Wall time {seconds(walls[0])} → {seconds(walls[1])}, × {factor(walls[1] / walls[0])}. With one run
          each, nobody can tell change from noise; epk diff compares several.</span>
      </div>
      <Card title="What changed" note={`sums over all locations, most first${changes.length > kRows ? `, the first ${kRows} of ${changes.length}` : ''}`}
        csv={() => [['callpath', 'before', 'after', 'difference'],
          ...changes.map((c) => [nameOf(profile, base, c), c.before, c.after, c.after - c.before])]}>
        {changes.length === 0 ? <p class="empty">The other run has no such metric, or nothing of it.</p> :
          <table class="list" id="changes">
            <thead><tr><th class="num">Before</th><th class="num">After</th><th class="num">Difference</th><th class="num">×</th><th />
              <th>Call path</th></tr></thead>
            <tbody>
              {changes.slice(0, kRows).map((c) => (
                <tr key={`${c.path} ${c.base}`} data-path={c.path}>
                  <td class="num">{c.base >= 0 ? inUnit(c.before, unit) : '–'}</td>
                  <td class="num">{c.path >= 0 ? inUnit(c.after, unit) : '–'}</td>
                  <td class={`num ${c.after > c.before ? 'poor' : 'good'}`}>{sign(c.after - c.before)}</td>
                  <td class="num">{c.before > 0 && c.path >= 0 ? factor(c.after / c.before) : c.path >= 0 ? 'new' : 'gone'}</td>
                  <td class="bars"><span class="change" aria-hidden="true"><i class={c.after > c.before ? 'more' : 'less'}
                    style={{ width: `${most > 0 ? Math.abs(c.after - c.before) / most * 50 : 0}%` }} /></span></td>
                  <td class="path">{c.path >= 0
                    ? <button class="row-link" onClick={() => show(c.path)}><Region profile={profile} path={c.path} />
                      <Callers profile={profile} path={c.path} /></button>
                    : <span><Region profile={base} path={c.base} /> <Callers profile={base} path={c.base} /></span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>}
      </Card>
    </div>
  );
}
