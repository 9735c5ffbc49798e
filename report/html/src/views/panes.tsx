// SPDX-License-Identifier: BSD-3-Clause
// The three coupled panes of CUBE: metric · place in the program · place on the machine. A folded node shows its value
// with its children, an unfolded node its own value. Each pane shows the selection in the panes to its left.
import { useMemo, useState } from 'preact/hooks';
import { useShared } from '../context';
import { inUnit, percent, shortName } from '../format';
import type { Choice, Profile } from '../model';
import { decodeSet, encodeSet, type State, type Unit } from '../state';
import { largestOf } from '../stats';
import { hotPath } from '../tree';
import { placeOf, Segments } from './parts';
import { Splitter } from './splitter';
import { TreePane } from './tree_pane';

const usualShares = innerWidth < 1100 ? [0.33, 0.39, 0.28] : [0.24, 0.54, 0.22];
let lastShares = usualShares; // while the page is open, whatever view is shown

type Opens = [Set<number>, Set<number>, Set<number>];

function opens(profile: Profile, state: State): Opens {
  const [metrics = '', calls = '', system = ''] = state.open.split(';');
  const time = profile.find('time');
  const open = { metric: Math.max(time, 0), own: false };
  const automatic = () => {
    const deep = profile.metrics.length > 0 ? profile.inclusive(open) : new Float64Array(profile.paths);
    return new Set(hotPath(profile.callTree, (node) => deep[node], 0.05));
  };
  const places = () => {
    const all = new Set([0]);
    for (const node of profile.system.children(0)) {
      all.add(node);
      if (profile.locations.length <= 64) profile.system.children(node).forEach((process) => all.add(process));
    }
    return all;
  };
  // Until the user folds or unfolds a node, the selected node is in sight.
  const chosen = () => new Set(state.open ? [] : profile.metricTree.ancestors(Math.max(profile.find(state.metric), 0)));
  return [
    metrics ? decodeSet(metrics, profile.metrics.length) : chosen(), calls ? decodeSet(calls, profile.paths) : automatic(),
    system ? decodeSet(system, profile.system.size) : places(),
  ];
}

function usePanes() {
  const { profile, state, set } = useShared();
  const [open0, open1, open2] = useMemo(() => opens(profile, state), [profile, state.open, state.open ? '' : state.metric]);
  const metric = Math.max(profile.find(state.metric), 0);
  const choice: Choice = useMemo(
    () => ({ metric, own: open0.has(metric) && profile.metricTree.hasChildren(metric) }), [metric, open0]);
  const setOpen = (which: number) => (next: Set<number>) => {
    const all: Opens = [open0, open1, open2];
    all[which] = next;
    set({ open: all.map((one) => encodeSet(one)).join(';') });
  };
  return { profile, state, set, open: [open0, open1, open2] as Opens, setOpen, metric, choice };
}

export function Panes() {
  const { profile, state, set, open, setOpen, metric, choice } = usePanes();
  const [queries, setQueries] = useState(['', '']);
  const [shares, setShares] = useState(lastShares);
  const split = { shares, usual: usualShares, setShares: (next: number[]) => setShares((lastShares = next)) };
  const additive = profile.additive(metric);
  const unit: Unit = additive ? state.unit : 'absolute';
  const unitOf = profile.metrics[metric].unit;
  let rootMetric = metric;
  while (profile.metrics[rootMetric].parent >= 0) rootMetric = profile.metrics[rootMetric].parent;
  const rootTotal = profile.total({ metric: rootMetric, own: false });
  const metricTotal = profile.total(choice);
  const deep = profile.inclusive(choice);
  const own = profile.exclusive(choice);
  const callOpen = state.path >= 0 && open[1].has(state.path) && profile.callTree.hasChildren(state.path);
  const callTotal = state.path < 0 ? metricTotal : callOpen ? own[state.path] : deep[state.path];
  const perLocation = useMemo(() => {
    if (state.path >= 0) return profile.perLocation(choice, state.path, !callOpen);
    const sum = new Float64Array(profile.locations.length);
    for (const root of additive ? profile.callTree.roots : []) {
      profile.perLocation(choice, root, true).forEach((value, l) => (sum[l] += value));
    }
    return sum;
  }, [profile, choice, state.path, callOpen]);
  const most = largestOf(perLocation, 0);
  const place = (node: number) => profile.systemLocations[node].reduce((sum, l) => sum + perLocation[l], 0);
  const isAbsent = (node: number) => profile.systemLocations[node].every((l) => profile.isAbsent(metric, l));
  const extreme = (node: number) => profile.systemLocations[node].length === 1 ? place(node) : NaN;
  const text = (unitName: string, all: number, selection: number) => (value: number) => {
    if (!Number.isFinite(value)) return '–';
    if (unit === 'absolute') return inUnit(value, unitName);
    return percent(value / (unit === 'percent' ? all : selection));
  };
  const metricValue = (m: number, isOpen: boolean) => profile.total({ metric: m, own: isOpen });
  const metricRoot = (m: number) => {
    let at = m;
    while (profile.metrics[at].parent >= 0) at = profile.metrics[at].parent;
    return profile.total({ metric: at, own: false });
  };
  // Counters that no process could read, and computed ones, of which only sums are shown.
  const withoutValues = (m: number) => /^(n\/a|computed): /.test(profile.metrics[m].description);
  const metricText = (value: number, m: number) => withoutValues(m) ? 'n/a' : unit === 'absolute' || !profile.additive(m)
    ? inUnit(value, profile.metrics[m].unit) : percent(value / metricRoot(m));
  const region = (p: number) => profile.regions[profile.region[p]];
  const file = (p: number) => placeOf(region(p));
  const common = { sort: state.sort, label: unit === 'absolute' ? unitOf : 'percent' };
  return (
    <div class="panes-view">
      <Toolbar additive={additive} />
      <div class="panes" style={Object.fromEntries(shares.map((share, i) => [`--share-${i}`, `${share}fr`]))}>
        <TreePane {...common} id="metrics" title="Metric" forest={profile.metricTree} sort="order" least={0}
          name={(m) => profile.metrics[m].display}
          hint={(m) => `${profile.metrics[m].description || profile.metrics[m].display} (${profile.metrics[m].name})`}
          value={metricValue} deep={(m) => profile.total({ metric: m, own: false })}
          text={metricText}
          share={(value, m) => (profile.additive(m) ? value / metricRoot(m) : 0)} open={open[0]} setOpen={setOpen(0)}
          selected={metric} select={(m) => set({ metric: profile.metrics[m].name })} query={queries[0]}
          setQuery={(query) => setQueries([query, queries[1]])} />
        <Splitter label="Border of metrics and call tree" index={0} {...split} />
        <TreePane {...common} id="calls" title="Call tree" forest={profile.callTree}
          name={(p) => shortName(region(p).name, Infinity)} hint={(p) => `${profile.fullName(p)}\n${region(p).file}`}
          after={file} kind={(p) => region(p).kind} value={(p, isOpen) => (isOpen ? own[p] : deep[p])}
          deep={(p) => deep[p]} text={text(unitOf, rootTotal, metricTotal)}
          share={(value) => (additive ? value / metricTotal : 0.5)} open={open[1]} setOpen={setOpen(1)}
          selected={state.path} select={(path) => set({ path })} query={state.query}
          setQuery={(query) => set({ query })} least={additive ? metricTotal * state.hide / 100 : 0} />
        <Splitter label="Border of call tree and system" index={1} {...split} />
        <TreePane {...common} id="system" title="System" forest={profile.system} name={(node) => profile.systemNames[node]}
          hint={(node) => profile.systemNames[node]} sort={state.sort}
          value={(node, isOpen) => (isOpen ? NaN : additive ? place(node) : extreme(node))}
          deep={additive ? place : () => 0}
          text={(value, node) => (!Number.isFinite(value) ? '' : isAbsent(node) ? 'n/a' : text(unitOf, rootTotal, callTotal)(value))}
          share={(value, node) => value / (most * profile.systemLocations[node].length)} open={open[2]}
          setOpen={setOpen(2)} selected={state.place} select={(node) => set({ place: node })} query={queries[1]}
          setQuery={(query) => setQueries([queries[0], query])} least={0} />
      </div>
      <p class="status" role="status">
        <b>{profile.metrics[metric].display}</b>{choice.own ? ' (without its parts)' : ''}
        {state.path >= 0 ? <> in <b>{shortName(profile.name(state.path), 60)}</b>{callOpen ? ' alone' : ' with all it calls'}
        </> : ' of the whole program'}: {withoutValues(metric) ? profile.metrics[metric].description : inUnit(callTotal, unitOf)}
        {profile.header.bits < 52 && <span class="note"> · single locations to {profile.header.bits} bits, sums exact</span>}
      </p>
    </div>
  );
}

function Toolbar({ additive }: { additive: boolean }) {
  const { profile, state, set } = useShared();
  return (
    <div class="toolbar">
      <Segments label="Values" value={additive ? state.unit : 'absolute'} onPick={(unit) => set({ unit })}
        options={[['absolute', 'Absolute'], ['percent', '% of all'], ['selection', '% of selection']]} />
      <label class="field">Sort{' '}
        <select value={state.sort} onChange={(event) => set({ sort: event.currentTarget.value as State['sort'] })}>
          <option value="order">as called</option><option value="value">by value</option>
          <option value="name">by name</option>
        </select></label>
      <label class="field">Hide below{' '}
        <select value={String(state.hide)} onChange={(event) => set({ hide: Number(event.currentTarget.value) })}>
          {[0, 0.1, 1, 5].map((n) => <option key={n} value={String(n)}>{n === 0 ? 'nothing' : `${n} %`}</option>)}
        </select></label>
      <button class="quiet" onClick={() => set({ open: '', path: -1, query: '' })}>Hottest path</button>
      {state.path >= 0 && <button class="quiet" onClick={() => set({ view: 'flame', zoom: state.path })}>Flame graph of it</button>}
      {state.path >= 0 && profile.locations.length > 1 &&
        <button class="quiet" onClick={() => set({ view: 'locations' })}>Its locations</button>}
      <span class="note grow">Folded: with everything below. Unfolded: alone.</span>
    </div>
  );
}
