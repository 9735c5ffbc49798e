// SPDX-License-Identifier: BSD-3-Clause
// Flame graph and icicle of any metric that adds up.
import { useMemo, useState } from 'preact/hooks';
import { useShared } from '../context';
import { type Box, layout } from '../flame';
import { fittedName, inUnit, percent, shortName } from '../format';
import { matcher } from '../tree';
import { useWidth } from './heatmap';
import { choiceOf, CopyCsv, MetricSelect, Segments } from './parts';

const kRow = 20;
const kLeast = 0.0012; // of the width: a pixel or two

export function FlameView() {
  const { profile, state, set, show } = useShared();
  const choice = choiceOf(profile, state.metric);
  const additive = choice && profile.additive(choice.metric);
  const values = useMemo(() => (choice && additive ? profile.inclusive(choice) : new Float64Array(profile.paths)),
    [profile, state.metric]);
  const flame = useMemo(() => layout(profile.callTree, values, state.zoom, kLeast), [values, state.zoom]);
  const [hover, setHover] = useState(-1);
  const [ref, width] = useWidth(1000);
  const matches = useMemo(() => matcher(state.query), [state.query]);
  const total = choice && additive ? profile.total(choice) : 0;
  const unit = choice ? profile.metrics[choice.metric].unit : '';
  const said = hover >= 0 ? hover : state.zoom;
  const height = flame.depth * kRow;
  const none = values.some((value) => value < 0) ? 'A flame graph has no place for values below 0: see the call tree.' : 'Nothing of this metric was recorded.';
  const focusBox = (path: number) => document.getElementById(`flame-${path}`)?.focus();
  const key = (event: KeyboardEvent, box: Box) => {
    const row = flame.boxes.filter((other) => other.depth === box.depth).sort((a, b) => a.left - b.left);
    const at = row.indexOf(box);
    const child = flame.boxes.filter((other) => profile.callTree.parent[other.path] === box.path)
      .sort((a, b) => b.width - a.width)[0];
    const parent = profile.callTree.parent[box.path];
    const [inward, outward] = state.up ? ['ArrowUp', 'ArrowDown'] : ['ArrowDown', 'ArrowUp'];
    if (event.key === inward && child) focusBox(child.path);
    else if (event.key === outward && parent >= 0) focusBox(parent);
    else if (event.key === 'ArrowRight' && row[at + 1]) focusBox(row[at + 1].path);
    else if (event.key === 'ArrowLeft' && row[at - 1]) focusBox(row[at - 1].path);
    else if (event.key === 'Escape') set({ zoom: -1 });
    else return;
    event.preventDefault();
  };
  return (
    <div class="flame-view">
      <div class="toolbar">
        <MetricSelect />
        <Segments label="Direction" value={state.up ? 'up' : 'down'} onPick={(way) => set({ up: way === 'up' })}
          options={[['down', 'Icicle'], ['up', 'Flame graph']]} />
        <input type="search" aria-label="Search" placeholder="Search" value={state.query}
          onInput={(event) => set({ query: event.currentTarget.value })} />
        <button class="quiet" disabled={state.zoom < 0} onClick={() => set({ zoom: -1 })}>Whole program</button>
        {state.zoom >= 0 && <button class="quiet" onClick={() => show(state.zoom)}>Show in the call tree</button>}
        <CopyCsv rows={() => [['callpath', `inclusive_${state.metric}`],
          ...flame.boxes.map((box) => [profile.fullName(box.path), box.value])]} />
        <Legend />
      </div>
      <p class="status" role="status">{said >= 0
        ? <><b>{shortName(profile.name(said), 100)}</b> {inUnit(values[said], unit)} · {percent(values[said] / total)} % of all
          {state.zoom >= 0 && said !== state.zoom ? ` · ${percent(values[said] / values[state.zoom])} % of ${shortName(profile.name(state.zoom), 40)}` : ''}</>
        : <>Width is {profile.metrics[choice?.metric ?? 0]?.display.toLowerCase()} with everything below, over all locations. Click or
          Enter to zoom, arrow keys to walk.</>}
      {flame.left_out > 0 ? <span class="note"> · {flame.left_out} too narrow to draw</span> : null}</p>
      {flame.boxes.length === 0 && <p class="empty">{none}</p>}
      <div ref={ref} class="flame" style={{ height: `${height}px` }} role="group" aria-label="Flame graph"
        onMouseLeave={() => setHover(-1)}>
        {flame.boxes.map((box, i) => {
          const region = profile.regions[profile.region[box.path]];
          const text = inUnit(box.value, unit);
          const y = state.up ? height - (box.depth + 1) * kRow : box.depth * kRow;
          const found = state.query !== '' && matches(region.name);
          return (
            <button key={box.path} id={`flame-${box.path}`} tabIndex={i === 0 ? 0 : -1} data-path={box.path}
              class={`box back-${region.kind}${state.query !== '' && !found ? ' dim' : ''}`}
              style={{ left: `${box.left * 100}%`, width: `${box.width * 100}%`, top: `${y}px` }}
              aria-label={`${region.name}, ${text}`} title={`${region.name}\n${text}`}
              onMouseEnter={() => setHover(box.path)} onFocus={() => setHover(box.path)}
              onKeyDown={(event) => key(event, box)}
              onClick={() => set({ zoom: box.path === profile.callTree.roots[0] ? -1 : box.path })}>
              {label(region.name, text, box.width * width)}
            </button>
          );
        })}
      </div>
    </div>
  );
}

// Returns as much of the name as fits, and the figure if all of it fits.
function label(name: string, figure: string, pixels: number) {
  const kLetter = 6.6, kEdges = 10;
  const letters = Math.floor((pixels - kEdges) / kLetter);
  if (letters < 3) return '';
  const short = fittedName(name, letters);
  return short.length + 1 + figure.length <= letters ? <>{short} <small>{figure}</small></> : short;
}

function Legend() {
  const { profile } = useShared();
  const words: Record<string, string> = {
    USR: 'computation', COM: 'calls MPI or OpenMP', MPI: 'MPI', OMP: 'OpenMP', THR: 'threads', EPIK: 'measurement',
  };
  const there = new Set(Array.from(profile.region, (r) => profile.regions[r].kind));
  return (
    <span class="kinds grow">{Object.keys(words).filter((kind) => there.has(kind)).map((kind) => (
      <span key={kind}><i class={`kind kind-${kind}`} />{words[kind]}</span>
    ))}</span>
  );
}
