// SPDX-License-Identifier: BSD-3-Clause
// Shows how much each rank sent to each other rank.
import { useMemo, useState } from 'preact/hooks';
import { parseCommunication } from '../communication';
import { useShared } from '../context';
import { bytes, count, plural } from '../format';
import { HeatMap, useWidth } from './heatmap';
import { Card, Segments } from './parts';

export function Communication() {
  const { profile } = useShared();
  const traffic = useMemo(() => parseCommunication(profile.header.communication, profile.header.processes.length), [profile]);
  const [what, setWhat] = useState<'bytes' | 'messages'>('bytes');
  const [ref, width] = useWidth(700);
  if (!traffic) return <p class="empty">communication.csv of the archive has no messages.</p>;
  const values = traffic[what];
  const n = traffic.ranks;
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const least = values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), most);
  const text = what === 'bytes' ? bytes : count;
  // The scale is logarithmic if values differ by orders of magnitude.
  const share = (value: number) => most / least > 100 ? 0.1 + 0.9 * Math.log(value / least) / Math.log(most / least) : value / most;
  const pairs = Array.from(values.keys()).filter((i) => values[i] > 0).sort((a, b) => values[b] - values[a]);
  const sum = values.reduce((a, b) => a + b, 0);
  const rows = pairs.slice(0, 20);
  return (
    <div class="communication">
      <div class="toolbar">
        <Segments label="Values" value={what} onPick={setWhat} options={[['bytes', 'Bytes'], ['messages', 'Messages']]} />
        <span class="note">{text(sum)} in {plural(pairs.length, 'pair')} of ranks</span>
      </div>
      <div class="columns">
        <Card title="Communication matrix" note={`senders down, receivers across${most / least > 100 ? ' · logarithmic' : ''}`}>
          <div ref={ref}>
            <HeatMap label="Traffic between ranks" rows={n} columns={n} width={width} cell={Math.max(Math.min(32, 640 / n), 3)}
              widest={Math.max(Math.min(32, 640 / n), 3)}
              rowName={String} columnName={String} share={(r, c) => (values[r * n + c] > 0 ? share(values[r * n + c]) : NaN)}
              say={(r, c) => `rank ${r} to rank ${c}: ${bytes(traffic.bytes[r * n + c])} in ${plural(traffic.messages[r * n + c], 'message')}`} />
          </div>
        </Card>
        <Card title="Most traffic" csv={() => [['from', 'to', 'messages', 'bytes'],
          ...pairs.map((i) => [Math.floor(i / n), i % n, traffic.messages[i], traffic.bytes[i]])]}>
          <table class="list" id="traffic">
            <thead><tr><th class="num">From</th><th class="num">To</th><th class="num">Bytes</th><th class="num">Messages</th>
              <th class="num">Mean size</th></tr></thead>
            <tbody>
              {rows.map((i) => (
                <tr key={i}><td class="num">{Math.floor(i / n)}</td><td class="num">{i % n}</td>
                  <td class="num">{bytes(traffic.bytes[i])}</td><td class="num">{count(traffic.messages[i])}</td>
                  <td class="num">{bytes(traffic.bytes[i] / traffic.messages[i])}</td></tr>
              ))}
            </tbody>
          </table>
        </Card>
      </div>
    </div>
  );
}
