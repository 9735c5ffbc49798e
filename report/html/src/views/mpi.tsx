// SPDX-License-Identifier: BSD-3-Clause
// The functions of MPI, with most time first.
import { useMemo } from 'preact/hooks';
import { useShared } from '../context';
import { bytes, count, percent, seconds } from '../format';
import { mpiRows } from '../mpi';
import { Card, Region } from './parts';

export function Mpi() {
  const { profile, show } = useShared();
  const rows = useMemo(() => mpiRows(profile), [profile]);
  const total = profile.total({ metric: profile.find('time'), own: false });
  if (rows.length === 0) return <p class="empty">No function of MPI was called.</p>;
  return (
    <Card title="Functions of MPI" note="time of all ranks; least, mean and most of a rank"
      csv={() => [['function', 'calls', 'time_s', 'bytes', 'messages_sent', 'messages_received', 'rank_min_s', 'rank_mean_s',
        'rank_max_s', 'rank_max'],
        ...rows.map((r) => [profile.regions[r.region].name, r.calls, r.time, r.bytes, r.sent, r.received, r.least, r.mean, r.most,
          r.rank])]}>
      <table class="list" id="mpi">
        <thead><tr><th>Function</th><th class="num">Time</th><th class="num">%</th><th class="num">Calls</th><th class="num">Bytes</th>
          <th class="num">Messages sent</th><th class="num">received</th><th class="num">Least</th><th class="num">Mean</th>
          <th class="num">Most</th><th class="num">Rank</th></tr></thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.region}>
              <td class="path"><button class="row-link" onClick={() => show(r.path)}><Region profile={profile} path={r.path} />
              </button></td>
              <td class="num">{seconds(r.time)}</td><td class="num">{percent(r.time / total)}</td>
              <td class="num">{count(r.calls)}</td><td class="num">{r.bytes > 0 ? bytes(r.bytes) : ''}</td>
              <td class="num">{r.sent > 0 ? count(r.sent) : ''}</td><td class="num">{r.received > 0 ? count(r.received) : ''}</td>
              <td class="num">{seconds(r.least)}</td><td class="num">{seconds(r.mean)}</td><td class="num">{seconds(r.most)}</td>
              <td class="num">{r.rank}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
