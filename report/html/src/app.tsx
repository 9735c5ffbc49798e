// SPDX-License-Identifier: BSD-3-Clause
import type { ComponentType } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Context } from './context';
import { plural, seconds } from './format';
import { hasLoops } from './iterations';
import type { Profile } from './model';
import { decodeSet, encodeSet, fromHash, initial, type State, toHash, type View } from './state';
import { Compare } from './views/compare';
import { Communication } from './views/communication';
import { Counters } from './views/counters';
import { FlameView } from './views/flame';
import { Iterations } from './views/iterations';
import { Locations } from './views/locations';
import { Mpi } from './views/mpi';
import { OpenMp } from './views/openmp';
import { Overview } from './views/overview';
import { Panes } from './views/panes';
import { Prediction as PredictionView } from './views/prediction';
import { Timeline } from './views/timeline';
import { Waits } from './views/waits';
import type { Source } from './timeline/source';
import type { Analysis } from './waits';
import type { Prediction } from './prediction';

interface Given {
  profile: Profile; base: Profile | undefined; timeline: Source | undefined; analysis: Analysis | undefined; prediction: Prediction | undefined;
}

const pages: [View, string, ComponentType, (given: Given) => boolean][] = [
  ['overview', 'Overview', Overview, () => true],
  ['tree', 'Call tree', Panes, () => true],
  ['flame', 'Flame graph', FlameView, () => true],
  ['locations', 'Locations', Locations, () => true],
  ['mpi', 'MPI', Mpi, ({ profile }) => profile.regions.some((region) => region.kind === 'MPI')],
  ['communication', 'Communication', Communication, ({ profile }) => profile.header.communication !== ''],
  ['openmp', 'OpenMP', OpenMp, ({ profile }) => profile.header.pop.omp],
  ['iterations', 'Iterations', Iterations, ({ profile }) => hasLoops(profile)],
  ['counters', 'Counters', Counters, ({ profile }) => profile.header.counters.length > 0],
  ['waits', 'Waiting', Waits, ({ analysis }) => analysis !== undefined],
  ['prediction', 'Prediction', PredictionView, ({ prediction }) => prediction !== undefined],
  ['compare', 'Comparison', Compare, ({ base }) => base !== undefined],
  ['timeline', 'Timeline', Timeline, ({ timeline }) => timeline !== undefined],
];

const kAddressDelay = 150; // milliseconds

type Theme = 'auto' | 'light' | 'dark';

// A browser may refuse storage to a page from disk.
function stored(): Theme {
  try {
    const theme = localStorage.getItem('epik-theme');
    return theme === 'light' || theme === 'dark' ? theme : 'auto';
  } catch {
    return 'auto';
  }
}

function useTheme(): [boolean, () => void] {
  const query = useMemo(() => matchMedia('(prefers-color-scheme: dark)'), []);
  const [theme, setTheme] = useState<Theme>(stored);
  const [system, setSystem] = useState(query.matches);
  useEffect(() => {
    const listen = () => setSystem(query.matches);
    query.addEventListener('change', listen);
    return () => query.removeEventListener('change', listen);
  }, [query]);
  const dark = theme === 'auto' ? system : theme === 'dark';
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
  const toggle = () => {
    const next = dark ? 'light' : 'dark';
    setTheme(next);
    try {
      localStorage.setItem('epik-theme', next);
    } catch {
      // Without storage, the choice lasts as long as the page.
    }
  };
  return [dark, toggle];
}

function useAddress(profile: Profile): [State, (change: Partial<State>) => void] {
  const read = useCallback(() => {
    const state = fromHash(location.hash);
    if (profile.find(state.metric) < 0) state.metric = profile.metrics[0]?.name ?? '';
    const isIn = (at: number, size: number) => Number.isInteger(at) && at >= 0 && at < size;
    if (!isIn(state.path, profile.paths)) state.path = -1;
    if (!isIn(state.zoom, profile.paths)) state.zoom = -1;
    if (!isIn(state.place, profile.system.size)) state.place = 0;
    return state;
  }, [profile]);
  const [state, setState] = useState(read);
  useEffect(() => {
    const listen = () => setState(read());
    addEventListener('popstate', listen);
    addEventListener('hashchange', listen);
    return () => {
      removeEventListener('popstate', listen);
      removeEventListener('hashchange', listen);
    };
  }, [read]);
  const set = useCallback((change: Partial<State>) => setState((before) => ({ ...before, ...change })), []);
  // A change of view is a step of the browser's history. Everything else only changes the address, and not with every key,
  // because browsers refuse too many changes.
  useEffect(() => {
    const hash = toHash(state);
    if (hash === toHash(read())) return undefined;
    if (fromHash(location.hash).view !== state.view) {
      history.pushState(null, '', hash);
      return undefined;
    }
    const timer = setTimeout(() => history.replaceState(null, '', hash), kAddressDelay);
    return () => clearTimeout(timer);
  }, [state, read]);
  return [state, set];
}

function title(profile: Profile): string {
  const m = profile.header.manifest;
  const size = `${plural(m.ranks ?? 1, 'rank')} × ${plural(m.threads ?? 1, 'thread')}`;
  return `${m.program || 'profile'} · ${size}${m.wall_seconds ? ` · ${seconds(m.wall_seconds)}` : ''}`;
}

export function App(given: Given) {
  const { profile } = given;
  const [state, set] = useAddress(profile);
  const [dark, toggle] = useTheme();
  useEffect(() => {
    document.title = `${title(profile)} · EPIK`;
  }, [profile]);
  const show = (path: number) => {
    const [metrics = '', , system = ''] = state.open.split(';');
    const calls = decodeSet(state.open.split(';')[1] ?? '', profile.paths);
    for (const at of profile.callTree.ancestors(path)) calls.add(at);
    const open = `${metrics};${encodeSet(calls)};${system}`;
    set({ ...initial, view: 'tree', path, open, metric: state.metric, unit: state.unit });
  };
  const shown = useMemo(() => pages.filter(([, , , has]) => has(given)), [given]);
  const [view, , Page] = shown.find(([name]) => name === state.view) ?? shown[0];
  // Where not all views fit, the one that is shown must be among those that do.
  const nav = useRef<HTMLElement>(null);
  useEffect(() => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' }), [view]);
  return (
    <Context.Provider value={{ ...given, state, set, show, dark }}>
      <header class="top">
        <span class="brand" aria-hidden="true">EPIK</span>
        <h1 title={title(profile)}>{title(profile)}</h1>
        <nav aria-label="Views" ref={nav}>
          {shown.map(([name, label]) => (
            <a key={name} href={toHash({ ...state, view: name })} aria-current={name === view ? 'page' : undefined}
              onClick={(event) => { event.preventDefault(); set({ view: name }); }}>{label}</a>
          ))}
        </nav>
        <button class="quiet theme" onClick={toggle} aria-label={dark ? 'Light colours' : 'Dark colours'}
          title={dark ? 'Light colours' : 'Dark colours'}>{dark ? '☀' : '☾'}</button>
      </header>
      <main class={`view-${view}`}><Page /></main>
    </Context.Provider>
  );
}
