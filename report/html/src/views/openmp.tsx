// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions: how often they ran, how long, and how much of that was work.
import { useMemo } from 'preact/hooks';
import { useShared } from '../context';
import { count, percent, seconds } from '../format';
import { ompRegions } from '../openmp';
import { Bar, Card, Region } from './parts';

export function OpenMp() {
  const { profile, show } = useShared();
  const rows = useMemo(() => ompRegions(profile), [profile]);
  if (rows.length === 0) return <p class="empty">OpenMP was used, but no parallel region was seen.</p>;
  return (
    <Card title="Parallel regions" note="time of all threads between fork and join"
      csv={() => [['region', 'file', 'line', 'visits', 'time_s', 'work_s', 'barrier_s', 'other_s', 'balance'],
        ...rows.map((r) => {
          const region = profile.regions[r.region];
          return [region.name, region.file, region.line, r.visits, r.time, r.work, r.barrier, r.other, r.balance];
        })]}>
      <table class="list" id="openmp">
        <thead><tr><th class="num">Time</th><th class="num">Visits</th><th class="num">Work %</th><th /><th class="num">Barrier</th>
          <th class="num">Locks, management</th><th class="num">Balance %</th><th>Region</th></tr></thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.region}>
              <td class="num">{seconds(r.time)}</td><td class="num">{count(r.visits)}</td>
              <td class="num">{percent(r.work / r.time)}</td><td class="bars"><Bar share={r.work / r.time} kind="kind-USR" /></td>
              <td class="num">{seconds(r.barrier)}</td><td class="num">{seconds(r.other)}</td>
              <td class="num">{percent(r.balance)}</td>
              <td class="path"><button class="row-link" onClick={() => show(r.path)}><Region profile={profile} path={r.path} />
              </button></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
