// SPDX-License-Identifier: BSD-3-Clause
// The results of `epk analyze`: which threads waited, when and why, and the critical path.
import { severity } from '../color';
import { useShared } from '../context';
import { count, percent, seconds } from '../format';
import { toHash } from '../state';
import { type Analysis, chainRows, heatOf, type Iterations, type Series, type SlowLink, splitPath } from '../waits';
import { Bar, Card } from './parts';

const kRows = 20;
const kHeatRows = 8;

function CallPath({ path }: { path: string }) {
  const { name, around } = splitPath(path);
  return <span title={path}><span class="name">{name || '?'}</span>{around && <span class="callers">{around}</span>}</span>;
}

// A time that links to the timeline, with as much again before and after it; plain text when the page has no timeline.
function Moment({ from, to, text }: { from: number; to: number; text: string }) {
  const { state, set, timeline } = useShared();
  if (timeline === undefined) return <>{text}</>;
  const around = Math.max(to - from, 1e-6);
  const place = { view: 'timeline' as const, from: Math.round((from - around) * 1e9), to: Math.round((to + around) * 1e9) };
  return (
    <a href={toHash({ ...state, ...place })} title="Show in the timeline"
      onClick={(event) => { event.preventDefault(); set(place); }}>{text}</a>
  );
}

// One row for each wait state, one cell for each part of the run or each iteration.
function Heat({ series, columns, id }: { series: Series[]; columns: string[]; id: string }) {
  const { dark } = useShared();
  const { rows, top } = heatOf(series, kHeatRows);
  if (rows.length === 0) return <p class="empty">Nobody waited.</p>;
  return (
    <table class="waits-heat" id={id} style={{ '--label': `${Math.max(...rows.map((row) => row.pattern.length))}ch` }}>
      <tbody>
        {rows.map((row) => (
          <tr key={row.pattern}>
            <th scope="row" title={row.pattern}>{row.pattern}</th>
            {columns.map((column, c) => {
              const value = row.seconds[c] ?? 0;
              const text = `${row.pattern}, ${column}: ${seconds(value)}`;
              return <td key={c} title={text} style={value > 0 ? { background: severity(0.12 + 0.88 * value / top, dark) } : {}} />;
            })}
            <td class="num sum">{seconds(row.seconds.reduce((sum, value) => sum + value, 0))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function OverTime({ analysis }: { analysis: Analysis }) {
  const { bin_s, patterns } = analysis.over_time;
  const bins = Math.max(0, ...patterns.map((row) => row.seconds.length));
  const columns = Array.from({ length: bins }, (_, bin) => `${seconds(bin * bin_s)} to ${seconds((bin + 1) * bin_s)}`);
  return (
    <Card title="Waiting over time" note={`all threads; each column is ${seconds(bin_s)}`}
      csv={() => [['wait_state', 'from_s', 'to_s', 'seconds'], ...patterns.flatMap((row) =>
        row.seconds.map((value, bin) => [row.pattern, bin * bin_s, (bin + 1) * bin_s, value]))]}>
      <Heat series={patterns} columns={columns} id="waits-time" />
    </Card>
  );
}

function ByIteration({ loop }: { loop: Iterations }) {
  const columns = loop.first.map((first, row) =>
    `${loop.parameter} ${first === loop.last[row] ? first : `${first} to ${loop.last[row]}`}`);
  return (
    <Card title={`Waiting by ${loop.parameter}`} note={splitPath(loop.callpath).name}
      csv={() => [['wait_state', 'first', 'last', 'seconds'], ...loop.patterns.flatMap((row) =>
        row.seconds.map((value, at) => [row.pattern, loop.first[at] ?? '', loop.last[at] ?? '', value]))]}>
      <Heat series={loop.patterns} columns={columns} id={`waits-${loop.parameter}`} />
    </Card>
  );
}

function Chains({ causes }: { causes: NonNullable<Analysis['causes']> }) {
  return (
    <Card title="Why they waited" note={`${seconds(causes.totals.waited_s)} of waiting`}
      csv={() => chainRows(causes.chains)}>
      <ol class="chains" id="chains">
        {causes.chains.slice(0, kRows).map((chain, at) => (
          <li key={at}><b class="num">{seconds(chain.seconds)}</b>{chain.wait_state && <i>{chain.wait_state}</i>}<span>{chain.text}</span></li>
        ))}
      </ol>
    </Card>
  );
}

// As in the text report, only links that cost something are shown.
function SlowLinks({ links }: { links: SlowLink[] }) {
  return (
    <Card title="Slow links" note="pairs of ranks between which messages take much longer than elsewhere"
      csv={() => [['seconds', 'text'], ...links.map((row) => [row.seconds, row.text])]}>
      <ol class="chains" id="slow-links">
        {links.slice(0, kRows).map((link, at) => <li key={at}><b class="num">{seconds(link.seconds)}</b><span>{link.text}</span></li>)}
      </ol>
    </Card>
  );
}

function Causes({ causes }: { causes: NonNullable<Analysis['causes']> }) {
  const top = causes.places[0]?.seconds ?? 0;
  return (
    <Card title="What made others wait" note="waiting that a call path of a thread caused"
      csv={() => [['seconds', 'direct_s', 'longterm_s', 'who', 'callpath'],
        ...causes.places.map((row) => [row.seconds, row.direct_s, row.longterm_s, row.who, row.callpath])]}>
      <table class="list" id="causes">
        <thead><tr><th class="num">Time</th><th /><th class="num">Directly</th><th class="num">By way of others</th><th>Who</th>
          <th>Call path</th></tr></thead>
        <tbody>
          {causes.places.slice(0, kRows).map((row, at) => (
            <tr key={at}><td class="num">{seconds(row.seconds)}</td><td class="bars"><Bar share={row.seconds / top} /></td>
              <td class="num">{seconds(row.direct_s)}</td><td class="num">{seconds(row.longterm_s)}</td><td>{row.who}</td>
              <td class="path"><CallPath path={row.callpath} /></td></tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Places({ waits }: { waits: NonNullable<Analysis['waits']> }) {
  return (
    <Card title="Wait states" note="by call path, all threads"
      csv={() => [['seconds', 'instances', 'most_s', 'who', 'wait_state', 'callpath'],
        ...waits.places.map((row) => [row.seconds, row.instances, row.most_s, row.who, row.pattern, row.callpath])]}>
      <table class="list" id="waits">
        <thead><tr><th class="num">Time</th><th class="num">Times</th><th class="num">Most</th><th>By</th><th>Wait state</th>
          <th>Call path</th></tr></thead>
        <tbody>
          {waits.places.slice(0, kRows).map((row, at) => (
            <tr key={at}><td class="num">{seconds(row.seconds)}</td><td class="num">{count(row.instances)}</td>
              <td class="num">{seconds(row.most_s)}</td><td>{row.who}</td><td>{row.pattern}</td>
              <td class="path"><CallPath path={row.callpath} /></td></tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function HowLong({ waits }: { waits: NonNullable<Analysis['waits']> }) {
  if (waits.patterns.length === 0) return null;
  return (
    <Card title="How long single waits were" csv={() => [['wait_state', 'seconds', 'instances', 'median_s', 'p99_s', 'max_s'],
      ...waits.patterns.map((row) => [row.pattern, row.seconds, row.instances, row.median_s, row.p99_s, row.max_s])]}>
      <table class="list" id="waits-spread">
        <thead><tr><th class="num">Time</th><th class="num">Times</th><th class="num">Median</th><th class="num">99 % below</th>
          <th class="num">Longest</th><th>Wait state</th></tr></thead>
        <tbody>
          {waits.patterns.map((row) => (
            <tr key={row.pattern}><td class="num">{seconds(row.seconds)}</td><td class="num">{count(row.instances)}</td>
              <td class="num">{seconds(row.median_s)}</td><td class="num">{seconds(row.p99_s)}</td>
              <td class="num">{seconds(row.max_s)}</td><td class="path">{row.pattern}</td></tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Critical({ critical }: { critical: NonNullable<Analysis['critical']> }) {
  return (
    <Card title="Critical path" note={`what the ${seconds(critical.totals.end_s - critical.totals.begin_s)} of the run depend on`}
      csv={() => [['from_s', 'to_s', 'who', 'callpath'],
        ...critical.stretches.map((row) => [row.from_s, row.to_s, row.who, row.callpath])]}>
      <table class="list" id="critical">
        <thead><tr><th class="num">Time</th><th class="num">%</th><th /><th>Call path</th></tr></thead>
        <tbody>
          {critical.places.slice(0, kRows).map((row, at) => (
            <tr key={at}><td class="num">{seconds(row.seconds)}</td><td class="num">{percent(row.share)}</td>
              <td class="bars"><Bar share={row.share} /></td><td class="path"><CallPath path={row.callpath} /></td></tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Worst({ instances }: { instances: NonNullable<Analysis['instances']> }) {
  const { timeline } = useShared();
  return (
    <Card title="Longest waits" note={timeline === undefined
      ? 'one of each wait state and call path; epk print --time and epk view show what went on then'
      : 'one of each wait state and call path; a click on the time shows it in the timeline'}
      csv={() => [['seconds', 'from_s', 'to_s', 'who', 'waited_for', 'wait_state', 'callpath'],
        ...instances.instances.map((row) =>
          [row.seconds, row.from_s, row.to_s, row.who, row.waited_for, row.wait_state, row.callpath])]}>
      <table class="list" id="instances">
        <thead><tr><th class="num">Time</th><th class="num">From</th><th>Who</th><th>For</th><th>Wait state</th><th>Call path</th></tr></thead>
        <tbody>
          {instances.instances.slice(0, kRows).map((row, at) => (
            <tr key={at}><td class="num">{seconds(row.seconds)}</td>
              <td class="num"><Moment from={row.from_s} to={row.to_s} text={seconds(row.from_s)} /></td><td>{row.who}</td>
              <td>{row.waited_for}</td><td>{row.wait_state}</td><td class="path"><CallPath path={row.callpath} /></td></tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

export function Waits() {
  const { analysis } = useShared();
  if (!analysis) return null;
  const { waits, causes, critical, instances, slow_links: links } = analysis;
  return (
    <>
      {causes && causes.chains.length > 0 && <Chains causes={causes} />}
      {links && links.length > 0 && <SlowLinks links={links} />}
      <OverTime analysis={analysis} />
      {analysis.iterations.map((loop) => <ByIteration key={`${loop.callpath} ${loop.parameter}`} loop={loop} />)}
      {waits && <Places waits={waits} />}
      {waits && <HowLong waits={waits} />}
      {causes && causes.places.length > 0 && <Causes causes={causes} />}
      {critical && <Critical critical={critical} />}
      {instances && instances.instances.length > 0 && <Worst instances={instances} />}
    </>
  );
}
