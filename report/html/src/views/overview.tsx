// SPDX-License-Identifier: BSD-3-Clause
// The first screen: the program and how it ended, where the time went, which work is uneven, and the next steps.
import { useMemo } from 'preact/hooks';
import { useShared } from '../context';
import { advise, hottest, type Imbalance, imbalances, shares, wholeTime } from '../findings';
import { count, percent, plural, ratio, seconds, shortName } from '../format';
import { chainRows, chainsThatMatter } from '../waits';
import { Efficiency } from './efficiency';
import { Bar, Callers, Card, choiceOf, Region, Strip } from './parts';

const kRows = 8;

const endings: Record<string, string> = {
  exit: 'ended normally', signal: 'killed by a signal', killed: 'killed', abort: 'aborted', running: 'still running',
};

function Facts() {
  const { profile } = useShared();
  const m = profile.header.manifest;
  const good = m.ended === 'exit' && !m.recovered;
  const command = profile.header.command;
  const lost: [number | undefined, string][] = [
    [m.folded_visits, 'visits beyond the limits stay with their caller'], [m.dropped_events, 'events dropped'],
    [m.repairs, 'returns skipped by longjmp or exit, repaired'], [m.unmatched_exits, 'exits without an enter'],
    [m.open_frames, 'calls that never returned'],
  ];
  const cost = m.cost_percent ?? 0;
  return (
    <dl class="facts">
      <div><dt>Command</dt><dd class="mono" title={command}>{command || '–'}</dd></div>
      {m.started && <div><dt>When</dt><dd>{m.started.replace('T', ' ')}{m.host ? ` on ${m.host}` : ''}</dd></div>}
      {m.ended && <div><dt>Ended</dt><dd>
        <span class={`chip ${good ? 'good' : 'bad'}`}>{endings[m.ended] ?? m.ended}</span>
        {m.ended_detail && m.ended_detail !== 'status 0' ? ` ${m.ended_detail}` : ''}{m.recovered ? ', recovered' : ''}
      </dd></div>}
      {(m.events ?? 0) > 0 && <div><dt>Measuring cost</dt><dd>
        <span class={`chip ${cost > 10 ? 'warn' : 'good'}`}>{percent(cost / 100)} %</span>{' '}
        {seconds(m.cost_seconds ?? 0)} for {plural(m.events!, 'event')}</dd></div>}
      {lost.filter(([n]) => (n ?? 0) > 0).map(([n, what]) => (
        <div key={what}><dt>Gap</dt><dd><span class="chip warn">{count(n!)}</span> {what}</dd></div>
      ))}
      {profile.header.estimated && <div><dt>Estimated</dt><dd id="estimated">{profile.header.estimated}</dd></div>}
      {(m.notes ?? []).map((note) => <div key={note}><dt>Note</dt><dd>{note}</dd></div>)}
    </dl>
  );
}

function Next() {
  const { profile, show, set, state } = useShared();
  const worst = useMemo(() => imbalances(profile)[0], [profile]);
  const all = useMemo(() => advise(profile), [profile]);
  return (
    <Card title="What to do next" class="next">
      <ol class="advice">
        {all.slice(0, 4).map((advice) => (
          <li key={advice.title} class={advice.level}>
            <div>
              <strong>{advice.title}</strong>
              <p>{advice.text}</p>
              {advice.path >= 0 && <p class="links">
                <button class="link" onClick={() => show(advice.path)}>Show in the call tree</button>
                {profile.locations.length > 1 && <button class="link"
                  onClick={() => set({ ...state, view: 'locations', path: advice.path, metric: 'time', own: true })}>
                  Compare locations</button>}
              </p>}
            </div>
            {worst && advice.path === worst.path && advice.level === 'bad' &&
              <Strip values={worst.values} present={worst.present} busiest={worst.busiest}
                label={`Time by location, from ${seconds(worst.summary.min)} to ${seconds(worst.summary.max)}`} />}
          </li>
        ))}
      </ol>
    </Card>
  );
}

// Shows the largest causes of waiting, if `epk analyze` has looked at the archive.
function Waited() {
  const { analysis, set, state } = useShared();
  const causes = analysis?.causes;
  if (!causes || causes.chains.length === 0) return null;
  const chains = chainsThatMatter(causes, 3);
  return (
    <Card title="Why they waited" note={`${seconds(causes.totals.waited_s)} of waiting, all threads`} class="wide"
      csv={() => chainRows(chains)}>
      <ol class="chains" id="waited">
        {chains.map((chain, at) => <li key={at}><b class="num">{seconds(chain.seconds)}</b>{chain.wait_state && <i>{chain.wait_state}</i>}<span>{chain.text}</span></li>)}
      </ol>
      <p class="links"><button class="link" onClick={() => set({ ...state, view: 'waits' })}>Show all waiting</button></p>
    </Card>
  );
}

function Shares() {
  const { profile } = useShared();
  const parts = useMemo(() => shares(profile), [profile]);
  const total = parts.reduce((sum, part) => sum + part.seconds, 0);
  if (!(total > 0)) return null;
  return (
    <Card title="Where the time went" note={`${seconds(total)} of ${plural(profile.locations.length, 'location')}`}
      csv={() => [['kind', 'seconds', 'percent'], ...parts.map((s) => [s.label, s.seconds, 100 * s.seconds / total])]}>
      <div class="stack" role="img" aria-label={parts.map((s) => `${s.label} ${percent(s.seconds / total)} %`).join(', ')}>
        {parts.map((s) => <span key={s.key} class={`part-${s.key}`} style={{ flexGrow: s.seconds / total }} />)}
      </div>
      <ul class="legend">
        {parts.map((s) => (
          <li key={s.key}><i class={`part-${s.key}`} />{s.label}<b>{percent(s.seconds / total)} %</b>
            <span>{seconds(s.seconds)}</span></li>
        ))}
      </ul>
    </Card>
  );
}

function Hottest() {
  const { profile, show } = useShared();
  const time = choiceOf(profile, 'time');
  const visits = choiceOf(profile, 'visits');
  const paths = useMemo(() => hottest(profile, kRows), [profile]);
  if (!time || paths.length === 0) return null;
  const own = profile.exclusive(time);
  const { whole, isDifference } = wholeTime(profile);
  const calls = visits && profile.exclusive(visits);
  return (
    <Card title={isDifference ? 'Largest differences' : 'Hottest call paths'} note="time of their own, all locations" class="wide"
      csv={() => [['callpath', 'seconds', 'percent', 'visits'],
        ...paths.map((p) => [profile.fullName(p), own[p], 100 * own[p] / whole, calls?.[p] ?? ''])]}>
      <table class="list" id="hottest">
        <thead><tr><th class="num">Time</th><th class="num">%</th><th /><th class="num">Visits</th><th>Call path</th></tr></thead>
        <tbody>
          {paths.map((p) => (
            <tr key={p} data-path={p}>
              <td class="num">{seconds(own[p])}</td>
              <td class="num">{percent(own[p] / whole)}</td>
              <td class="bars"><Bar share={Math.abs(own[p]) / whole} kind={`kind-${profile.regions[profile.region[p]].kind}`} /></td>
              <td class="num">{calls ? count(calls[p]) : '–'}</td>
              <td class="path"><button class="row-link" onClick={() => show(p)}><Region profile={profile} path={p} />
                <Callers profile={profile} path={p} /></button></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Uneven() {
  const { profile, set, state } = useShared();
  const found = useMemo(() => imbalances(profile), [profile]);
  if (profile.locations.length < 2) return null;
  const name = (i: Imbalance) => shortName(profile.name(i.path), 60) + (i.whole ? ' as a whole' : '');
  return (
    <Card title="Worst imbalance" note="computation, by region" class="wide"
      csv={() => [['region', 'lost_s', 'max_s', 'mean_s', 'min_s', 'busiest', 'locations'],
        ...found.map((i) => [name(i), i.lost, i.summary.max, i.summary.mean, i.summary.min,
          profile.locations[i.busiest].name, i.summary.count])]}>
      {found.length === 0 ? <p class="empty">No function, and no parallel region as a whole, takes more time on one location than on another while that one waits.</p> :
        <table class="list" id="uneven">
          <thead><tr><th class="num">Could save</th><th class="num">Max/mean</th><th>Busiest</th><th class="num">There</th>
            <th class="num">Mean</th><th>By location</th><th>Region</th></tr></thead>
          <tbody>
            {found.map((i) => (
              <tr key={`${i.path} ${i.whole}`}>
                <td class="num">{seconds(i.lost)}</td>
                <td class="num">{ratio(i.summary.max / i.summary.mean)}</td>
                <td class="where">{profile.locations[i.busiest].name}</td>
                <td class="num">{seconds(i.summary.max)}</td>
                <td class="num">{seconds(i.summary.mean)}</td>
                <td><Strip values={i.values} present={i.present} busiest={i.busiest}
                  label={`from ${seconds(i.summary.min)} to ${seconds(i.summary.max)}`} /></td>
                <td class="path"><button class="row-link"
                  onClick={() => set({ ...state, view: 'locations', path: i.path, metric: i.whole ? 'comp' : 'time', own: !i.whole })}>
                  <Region profile={profile} path={i.path} />{i.whole ? ' as a whole' : ''}</button></td>
              </tr>
            ))}
          </tbody>
        </table>}
    </Card>
  );
}

export function Overview() {
  const { profile } = useShared();
  const { isDifference } = wholeTime(profile);
  return (
    <div class="overview">
      <Facts />
      <div class="columns">
        <div><Next /><Waited />{!isDifference && <Uneven />}<Hottest /></div>
        <div>{!isDifference && <><Shares /><Efficiency /></>}</div>
      </div>
    </div>
  );
}
