// SPDX-License-Identifier: BSD-3-Clause
// POP's efficiencies of the whole program, their factors, and the same by phase.
import { useShared } from '../context';
import type { Efficiencies } from '../data';
import { seconds, shortName } from '../format';
import { phaseAround } from '../phases';
import { Card } from './parts';

const kGood = 0.9; // POP's own limits
const kFair = 0.8;

function level(value: number): string {
  return value >= kGood ? 'good' : value >= kFair ? 'fair' : 'poor';
}

function words(value: number): string {
  return value >= kGood ? 'good' : value >= kFair ? 'acceptable' : 'needs work';
}

type Entry = [keyof Efficiencies, string, number];

function entries(mpi: boolean, omp: boolean): Entry[] {
  const out: Entry[] = [['parallel', 'Parallel efficiency', 0]];
  if (mpi) {
    out.push(['mpi_parallel', 'MPI', 1], ['mpi_load_balance', 'Balance of the ranks', 2],
      ['mpi_communication', 'Communication', 2]);
  }
  if (omp) {
    out.push(['omp_parallel', 'OpenMP', 1], ['omp_load_balance', 'Balance of the threads', 2],
      ['omp_region', 'Threads active', 2]);
  }
  if (!mpi && !omp) out.push(['load_balance', 'Load balance', 1], ['communication', 'Activity', 1]);
  return out;
}

export function Efficiency() {
  const { profile, show } = useShared();
  const pop = profile.header.pop;
  const list = entries(pop.mpi && pop.whole.processes > 1, pop.omp && pop.whole.threads > pop.whole.processes);
  const one = pop.whole.threads < 2 || !(pop.whole.runtime > 0);
  // A phase that the first threads hardly execute has no run time to compare with.
  const phases = pop.phases.filter((e) => e.parallel <= 1).slice(0, 6);
  const around = (path: number) => phaseAround(profile, path).map((at) => shortName(profile.name(at), 24)).join(' › ');
  const share = (e: Efficiencies, key: keyof Efficiencies) => `${(100 * e[key]).toFixed(0)} %`;
  return (
    <Card title="Parallel efficiency" note="POP: computation / thread time"
      csv={() => [['callpath', ...list.map(([key]) => key)],
        ...[pop.whole, ...phases].map((e) => [e.path < 0 ? '' : profile.fullName(e.path), ...list.map(([key]) => e[key])])]}>
      <div class="verdict">{pop.verdict.map((line) => <p key={line}>{line}</p>)}</div>
      {!one && <table class="pop">
        <tbody>
          {list.map(([key, label, depth]) => {
            const value = pop.whole[key];
            return (
              <tr key={key} class={`depth-${depth}`}>
                <th scope="row">{label}</th>
                <td class="gauge"><span class={level(value)} style={{ width: `${Math.min(value, 1) * 100}%` }} /></td>
                <td class="num">{share(pop.whole, key)}</td>
                <td class={`word ${level(value)}`}>{words(value)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>}
      {!one && phases.length > 0 && <table class="list phases">
        <thead><tr><th>Phase</th><th class="num">Run time</th><th class="num">Parallel</th><th class="num">Balance</th></tr></thead>
        <tbody>
          {phases.map((e) => (
            <tr key={e.path}>
              <td class="path"><button class="row-link" title={profile.fullName(e.path)} onClick={() => show(e.path)}>
                {shortName(profile.name(e.path), 34)}</button>{around(e.path) !== '' && <span class="callers">{around(e.path)}</span>}</td>
              <td class="num">{seconds(e.runtime)}</td>
              <td class={`num ${level(e.parallel)}`}>{share(e, 'parallel')}</td>
              <td class={`num ${level(e.load_balance)}`}>{share(e, 'load_balance')}</td>
            </tr>
          ))}
        </tbody>
      </table>}
    </Card>
  );
}
