// SPDX-License-Identifier: BSD-3-Clause
// How the time of a phase or parameter changes from value to value, and which values are slow.
import { useMemo } from 'preact/hooks';
import { useShared } from '../context';
import { percent, ratio, seconds, shortName } from '../format';
import { type Group, groupsOf, kUses, type Loop, loopsOf, type Value } from '../iterations';
import { Card } from './parts';

const kNameLetters = 60;
const kMostLoops = 8;
const kMostBars = 160;
const kSlowest = 5;
const kHeight = 120;
const kColors = ['--usr', '--mpi', '--omp', '--epik'];

interface BarsProps { groups: Group[]; most: number; parameter: string; choose: (value: Value) => void }

function Bars({ groups, most, parameter, choose }: BarsProps) {
  const width = 100 / groups.length;
  return (
    <svg class="iteration-bars" height={kHeight} role="img" aria-label={`Time by ${parameter}`}>
      {groups.map((group, at) => {
        const name = group.first === group.last ? group.first.text : `${group.first.text} to ${group.last.text}`;
        let top = kHeight;
        return (
          <g key={name} onClick={() => choose(group.first)}>
            <title>{`${parameter} ${name}: ${seconds(group.mean)} (${kUses
              .map((use, u) => `${use} ${percent(group.uses[u])} %`).join(', ')})`}</title>
            <rect class="back" x={`${at * width}%`} y={0} width={`${width}%`} height={kHeight} />
            {group.uses.map((share, use) => {
              const height = most > 0 ? (kHeight - 2) * (group.mean / most) * share : 0;
              top -= height;
              return <rect key={kUses[use]} x={`${(at + 0.08) * width}%`} y={top} width={`${width * 0.84}%`} height={height}
                style={{ fill: `var(${kColors[use]})` }} />;
            })}
          </g>
        );
      })}
    </svg>
  );
}

function OneLoop({ loop }: { loop: Loop }) {
  const { profile, show } = useShared();
  const groups = groupsOf(loop.values, kMostBars);
  const most = groups.reduce((top, group) => Math.max(top, group.mean), 0);
  const first = loop.values[0];
  const last = loop.values[loop.values.length - 1];
  const slowest = [...loop.values].sort((a, b) => b.longest - a.longest).slice(0, kSlowest);
  const around = loop.around < 0 ? '' : ` in ${shortName(profile.name(loop.around), kNameLetters)}`;
  const used = kUses.map((use, u) => [use, u] as const).filter(([, u]) => loop.values.some((value) => value.uses[u] > 0));
  return (
    <Card title={`Time by ${loop.parameter}`} note={`${loop.values.length} values${around}; ${seconds(loop.time)} in all threads`}
      csv={() => [['value', 'longest_s', 'thread', 'time_s', ...kUses.map((use) => `${use}_s`)],
        ...loop.values.map((value) =>
          [value.text, value.longest, profile.locations[value.location].short, value.time, ...value.uses])]}>
      <p class="iteration-top">{seconds(most)}</p>
      <Bars groups={groups} most={most} parameter={loop.parameter} choose={(value) => show(value.path)} />
      <p class="iteration-ends"><span>{first.text}</span>
        <span>{used.map(([use, u]) => <span key={use} class="iteration-use"><i style={{ background: `var(${kColors[u]})` }} />{use}</span>)}
        </span><span>{last.text}</span></p>
      <table class="list" id={`iterations-${loop.parameter}`}>
        <thead><tr><th>{`Slowest ${loop.parameter}`}</th><th class="num">Longest</th><th class="num">× median</th><th>Thread</th><th class="num">All threads</th>
          {used.map(([use]) => <th key={use} class="num">{`${use} %`}</th>)}</tr></thead>
        <tbody>
          {slowest.map((value) => (
            <tr key={value.text}>
              <td><button class="row-link" onClick={() => show(value.path)}>{value.text}</button></td>
              <td class="num">{seconds(value.longest)}</td>
              <td class="num">{loop.median > 0 ? ratio(value.longest / loop.median) : '-'}</td>
              <td>{profile.locations[value.location].short}</td><td class="num">{seconds(value.time)}</td>
              {used.map(([use, u]) => <td key={use} class="num">{percent(value.time > 0 ? value.uses[u] / value.time : NaN)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

export function Iterations() {
  const { profile } = useShared();
  const loops = useMemo(() => loopsOf(profile), [profile]);
  return (
    <>
      <p class="empty">A bar is the thread that took longest, with the shares of the time of all threads. Many values share a bar: it
        is their mean.</p>
      {loops.slice(0, kMostLoops).map((loop) => <OneLoop key={`${loop.around} ${loop.parameter}`} loop={loop} />)}
      {loops.length > kMostLoops && <p class="empty">{`and ${loops.length - kMostLoops} shorter loops`}</p>}
    </>
  );
}
