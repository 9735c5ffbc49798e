// SPDX-License-Identifier: BSD-3-Clause
// The predicted run: the gain of each call path, measured and predicted times, the new critical path.
import { useState } from 'preact/hooks';
import { useShared } from '../context';
import { count, percent, seconds } from '../format';
import { altersRun, type Gain, type GainOrder, longestLocation, type Placement, type Prediction as Found, sortedGains, type Way } from '../prediction';
import { splitPath } from '../waits';
import { Bar, Card } from './parts';

const kRows = 20;

function CallPath({ path }: { path: string }) {
  const { name, around } = splitPath(path);
  return <span title={path}><span class="name">{name || '?'}</span>{around && <span class="callers">{around}</span>}</span>;
}

// The first rows of a table, or all.
function useRows<T>(rows: T[]): [T[], boolean, () => void] {
  const [all, setAll] = useState(false);
  return [all ? rows : rows.slice(0, kRows), rows.length > kRows, () => setAll(!all)];
}

function More({ shown, of, toggle }: { shown: number; of: number; toggle: () => void }) {
  return <button class="quiet" onClick={toggle}>{shown < of ? `Show all ${count(of)}` : `Show ${kRows}`}</button>;
}

function Summary({ found }: { found: Found }) {
  const gain = found.measured_s - found.predicted_s;
  const part = found.measured_s > 0 ? Math.abs(gain) / found.measured_s : 0;
  const alters = altersRun(found);
  const longest = Math.max(found.measured_s, found.predicted_s, 1e-12);
  return (
    <Card title="Prediction" note={found.wishes}>
      <table class="list" id="prediction">
        <tbody>
          <tr><th scope="row">measured</th><td class="num">{seconds(found.measured_s)}</td>
            <td class="bars"><Bar share={found.measured_s / longest} /></td><td class="path" /></tr>
          {alters && (
            <tr><th scope="row">predicted</th><td class="num">{seconds(found.predicted_s)}</td>
              <td class="bars"><Bar share={found.predicted_s / longest} /></td>
              <td class="path">{`${percent(part)} % ${gain < 0 ? 'more' : 'less'}`}</td></tr>)}
          {found.transfer_efficiency !== undefined && (
            <tr><th scope="row">transfer efficiency</th><td class="num">{percent(found.transfer_efficiency)} %</td><td /><td class="path" /></tr>)}
          {found.serialisation_efficiency !== undefined && (
            <tr><th scope="row">serialisation efficiency</th><td class="num">{percent(found.serialisation_efficiency)} %</td><td /><td class="path" /></tr>)}
        </tbody>
      </table>
    </Card>
  );
}

function WayRow({ name, way }: { name: string; way: Way }) {
  const rate = way.bytes_per_s === undefined ? '' : `${(way.bytes_per_s / 1e9).toPrecision(3)} GB/s`;
  return <tr><th scope="row">{name}</th><td class="num">{seconds(way.latency_s)}</td><td class="num">{rate}</td>
    <td class="path">{way.messages > 0 ? `by ${count(way.messages)} messages of the trace` : 'as given'}</td></tr>;
}

function Hosts({ placement }: { placement: Placement }) {
  return (
    <Card title="Hosts" note={`${placement.hosts} instead of ${placement.hosts_measured}; ${count(placement.changed_pairs)} of ${count(placement.pairs)} pairs of ranks change`}>
      <table class="list" id="placement">
        <thead><tr><th>Messages</th><th class="num">Latency</th><th class="num">Rate</th><th /></tr></thead>
        <tbody>
          {placement.same_host && <WayRow name="within a host" way={placement.same_host} />}
          {placement.other_host && <WayRow name="between hosts" way={placement.other_host} />}
        </tbody>
      </table>
    </Card>
  );
}

function Ranking({ rows, each }: { rows: Gain[]; each: number }) {
  const [order, setOrder] = useState<GainOrder>('gain');
  const [shown, long, toggle] = useRows(sortedGains(rows, order));
  const gain = Math.max(1e-12, ...rows.map((row) => row.gain_s));
  const own = Math.max(1e-12, ...rows.map((row) => row.own_s));
  const Head = ({ by, text, num = false }: { by: GainOrder; text: string; num?: boolean }) => (
    <th class={num ? 'num' : ''} aria-sort={order === by ? (by === 'name' ? 'ascending' : 'descending') : 'none'}>
      <button class="quiet sort" onClick={() => setOrder(by)} title="Sort by this column">{text}{order === by ? ' ▾' : ''}</button>
    </th>
  );
  return (
    <Card title="What the run would gain" note={`when the code of one call path takes ${percent(each)} % of its time`}
      csv={() => [['callpath', 'region', 'gain_s', 'gain_percent', 'own_s'],
        ...rows.map((row) => [row.callpath, row.region, row.gain_s, row.gain_percent, row.own_s])]}>
      <table class="list" id="ranking">
        <thead><tr><Head by="gain" text="Gain" num /><th class="num">Of the run</th><th /><Head by="own" text="Own time" num /><th />
          <Head by="name" text="Call path" /></tr></thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.callpath}><td class="num">{seconds(Math.max(0, row.gain_s))}</td>
              <td class="num">{percent(Math.max(0, row.gain_percent) / 100)} %</td>
              <td class="bars"><Bar share={row.gain_s / gain} /></td>
              <td class="num">{seconds(row.own_s)}</td><td class="bars"><Bar share={row.own_s / own} kind="faint" /></td>
              <td class="path"><CallPath path={row.callpath} /></td></tr>
          ))}
        </tbody>
      </table>
      {long && <More shown={shown.length} of={rows.length} toggle={toggle} />}
    </Card>
  );
}

function Locations({ found }: { found: Found }) {
  const [shown, long, toggle] = useRows(found.locations);
  const most = Math.max(1e-12, longestLocation(found.locations));
  return (
    <Card title="Threads" note="from their first to their last event"
      csv={() => [['rank', 'thread', 'measured_s', 'predicted_s'],
        ...found.locations.map((row) => [row.rank, row.thread, row.measured_s, row.predicted_s])]}>
      <table class="list" id="predicted-locations">
        <thead><tr><th class="num">Rank:thread</th><th class="num">Measured</th><th /><th class="num">Predicted</th><th /><th class="path" /></tr></thead>
        <tbody>
          {shown.map((row) => (
            <tr key={`${row.rank}:${row.thread}`}><td class="num">{`${row.rank}:${row.thread}`}</td>
              <td class="num">{seconds(row.measured_s)}</td><td class="bars"><Bar share={row.measured_s / most} kind="faint" /></td>
              <td class="num">{seconds(row.predicted_s)}</td><td class="bars"><Bar share={row.predicted_s / most} /></td>
              <td class="path" /></tr>
          ))}
        </tbody>
      </table>
      {long && <More shown={shown.length} of={found.locations.length} toggle={toggle} />}
    </Card>
  );
}

function Critical({ found }: { found: Found }) {
  const [shown, long, toggle] = useRows(found.critical_path);
  const most = Math.max(1e-12, ...found.critical_path.map((row) => row.seconds));
  const alters = altersRun(found);
  const run = alters ? 'predicted' : 'measured';
  return (
    <Card title={alters ? 'Critical path then' : 'Critical path'} note={`what the ${seconds(found.predicted_s)} of the ${run} run depend on`}
      csv={() => [['callpath', 'seconds'], ...found.critical_path.map((row) => [row.callpath, row.seconds])]}>
      <table class="list" id="predicted-critical">
        <thead><tr><th class="num">Time</th><th class="num">Of the run</th><th /><th>Call path</th></tr></thead>
        <tbody>
          {shown.map((row, at) => (
            <tr key={at}><td class="num">{seconds(row.seconds)}</td>
              <td class="num">{percent(found.predicted_s > 0 ? row.seconds / found.predicted_s : 0)} %</td>
              <td class="bars"><Bar share={row.seconds / most} /></td><td class="path"><CallPath path={row.callpath} /></td></tr>
          ))}
        </tbody>
      </table>
      {long && <More shown={shown.length} of={found.critical_path.length} toggle={toggle} />}
    </Card>
  );
}

export function Prediction() {
  const { prediction } = useShared();
  if (!prediction) return null;
  return (
    <>
      <Summary found={prediction} />
      {prediction.placement && <Hosts placement={prediction.placement} />}
      {prediction.ranking && <Ranking rows={prediction.ranking} each={prediction.each ?? 0.5} />}
      <Locations found={prediction} />
      <Critical found={prediction} />
    </>
  );
}
