// SPDX-License-Identifier: BSD-3-Clause
// Shows the values of one call path on the grid of a Cartesian topology.
import { useMemo, useState } from 'preact/hooks';
import { useShared } from '../context';
import { inUnit, plural } from '../format';
import type { Choice } from '../model';
import { largestOf } from '../stats';
import { gridOf, nameOfDimension, shapeOf, valuesOf } from '../topology';
import { HeatMap, useWidth } from './heatmap';
import { Card } from './parts';

export function GridCard({ choice, path }: { choice: Choice; path: number }) {
  const { profile, state } = useShared();
  const topologies = profile.header.topologies ?? [];
  const [chosen, setChosen] = useState(0);
  const [ref, width] = useWidth(700);
  const topology = topologies[Math.min(chosen, topologies.length - 1)];
  const grid = useMemo(() => topology && gridOf(topology), [topology]);
  const values = useMemo(() => {
    if (!grid) return new Float64Array();
    const { type } = profile.metrics[choice.metric];
    const join = type === 'min' ? Math.min : type === 'max' ? Math.max : (a: number, b: number) => a + b;
    return valuesOf(grid, profile.perLocation(choice, path, !state.own), profile.locations.map((l) => l.process), join);
  }, [profile, choice.metric, path, state.own, grid]);
  if (!topology) return null;
  const unit = profile.metrics[choice.metric].unit;
  const members = grid ? [...grid.coordinates.keys()] : [];
  const most = largestOf(members.map((l) => values[l]), 0);
  const rows = grid?.rows ?? 0;
  const cell = rows > 40 ? 8 : rows > 8 ? 20 : 28;
  const n = topology.dimensions.length;
  const axes = n > 1 ? `${nameOfDimension(topology, n - 2)} downwards, ${nameOfDimension(topology, n - 1)} to the right` : '';
  return (
    <Card title="On the grid of the program" class="grid" note={`${shapeOf(topology)}, ${plural(members.length, 'process', 'processes')}`}
      csv={() => [[...topology.dimensions.map((_, d) => nameOfDimension(topology, d)), 'rank', 'thread', 'callpath', state.metric],
        ...members.map((l) => [...grid!.coordinates.get(l)!, profile.locations[l].rank, profile.locations[l].thread,
          profile.fullName(path), values[l]])]}>
      {topologies.length > 1 && <label class="field">Topology{' '}
        <select value={String(chosen)} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
          {topologies.map((one, i) => <option key={i} value={String(i)}>{one.name || shapeOf(one)}</option>)}
        </select></label>}
      {grid && <p class="note">{axes && `${axes}. `}Colour: share of the largest, {inUnit(most, unit)}.</p>}
      {!grid && <p class="empty">This topology has too many places to draw.</p>}
      <div ref={ref} class="planes">
        {grid?.planes.map(({ title, at }) => {
          const location = (row: number, column: number) => at[row * grid.columns + column];
          return (
            <figure key={title}>
              {title && <figcaption>{title}</figcaption>}
              <HeatMap label={`Values on the grid ${title}`} rows={grid.rows} columns={grid.columns} cell={cell} widest={2 * cell}
                width={grid.planes.length > 1 ? Math.min(width, 40 + 2 * cell * grid.columns) : width} rowName={String} columnName={String}
                share={(row, column) => (location(row, column) < 0 || !(most > 0) ? NaN : Math.max(values[location(row, column)], 0) / most)}
                say={(row, column) => {
                  const l = location(row, column);
                  if (l < 0) return 'nobody is here';
                  return `rank ${profile.locations[l].rank} at ${grid.coordinates.get(l)!.join(', ')}: ${inUnit(values[l], unit)}`;
                }} />
            </figure>
          );
        })}
      </div>
    </Card>
  );
}
