// SPDX-License-Identifier: BSD-3-Clause
// Shows all locations over time: kinds of time when zoomed out, call stacks when zoomed in, messages and waiting.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useShared } from '../context';
import { percent, plural, seconds, shortName } from '../format';
import { type Chosen, chosenOf, chosenOfFound, isNearest } from '../timeline/chosen';
import type { Drawing, Wait } from '../timeline/drawing';
import { type Look, paint } from '../timeline/paint';
import { kCallHeight, kRowHeight, layout, lineAt } from '../timeline/rows';
import { nextCall, summarize } from '../timeline/summary';
import { hasTwo } from '../timeline/sides';
import { families } from '../timeline/waiting';
import { clamp, pan, timeText, toNs, toX, type Window, zoom } from '../timeline/window';
import { matcher } from '../tree';
import { Aside, Axis, Labels, Minimap, useSize } from './timeline_parts';

const kAskDelay = 40; // milliseconds: not every step of a wheel asks the server

function lookOf(drawing: Drawing): Look {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim() || '#888';
  return {
    colours: drawing.kinds.map(({ key }) => colour(`--tl-${key}`)), ink: colour('--ink'), soft: colour('--soft'),
    line: colour('--line'), back: colour('--card'), waiting: colour('--tl-waiting'),
    waits: Object.fromEntries(families.map((family) => [family, colour(`--tl-wait-${family}`)])) as Look['waits'], critical: colour('--tl-critical'),
    message: colour('--ink'), dim: colour('--faint'), line2: colour('--accent'),
  };
}

// The answer for the window on screen. The previous answer stays until the new one comes.
function useDrawing(whole: Drawing, window: Window, bins: number, apart: number[]): [Drawing, string] {
  const { timeline } = useShared();
  const [drawing, setDrawing] = useState(whole);
  const [wrong, setWrong] = useState('');
  useEffect(() => {
    if (bins <= 0) return undefined;
    let stale = false;
    const timer = setTimeout(() => {
      timeline!.ask({ from: window.from, to: window.to, bins, apart }).then(
        (answer) => { if (!stale) { setDrawing(answer); setWrong(''); } },
        (error: unknown) => { if (!stale) setWrong(error instanceof Error ? error.message : String(error)); });
    }, kAskDelay);
    return () => { stale = true; clearTimeout(timer); };
  }, [timeline, window.from, window.to, bins, apart]);
  return [drawing, wrong];
}

export function Timeline() {
  const { timeline } = useShared();
  const [whole, setWhole] = useState<Drawing>();
  const [wrong, setWrong] = useState('');
  useEffect(() => {
    timeline!.whole().then(setWhole, (error: unknown) => setWrong(error instanceof Error ? error.message : String(error)));
  }, [timeline]);
  if (wrong !== '') return <p class="wait" role="alert">The timeline cannot be shown: {wrong}</p>;
  return whole ? <Shown whole={whole} /> : <p class="wait" role="status">Reading the trace …</p>;
}

function Shown({ whole }: { whole: Drawing }) {
  const { profile, state, set, show, dark, timeline } = useShared();
  const all: Window = { from: whole.whole_ns[0], to: Math.max(whole.whole_ns[1], whole.whole_ns[0] + 1) };
  const window = state.to > state.from ? clamp({ from: state.from, to: state.to }, all) : all;
  const setWindow = (next: Window) => set({ from: Math.round(next.from), to: Math.round(next.to) });
  const [attach, width, height] = useSize();
  const [apart, setApart] = useState<number[]>([]);
  const [drawing, wrong] = useDrawing(whole, window, Math.min(Math.max(Math.floor(width), 0), 2000), apart);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [showCalls, setShowCalls] = useState(true);
  const [showCurves, setShowCurves] = useState(true);
  const [showCritical, setShowCritical] = useState(true);
  const [awaited, setAwaited] = useState<Chosen>();
  const [told, setTold] = useState('');
  const [scroll, setScroll] = useState(0);
  const [cursor, setCursor] = useState<{ x: number; y: number }>();
  const [mark, setMark] = useState<number>();
  const [chosen, setChosen] = useState<Chosen>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { lines, height: inAll } = useMemo(() => layout(drawing, closed, showCalls, showCurves),
    [drawing, closed, showCalls, showCurves]);
  const look = useMemo(() => lookOf(drawing), [drawing, dark]);
  const matches = useMemo(() => (state.query === '' ? undefined : matcher(state.query)), [state.query]);
  // The profile has all regions of the first archive.
  const unknown = useMemo(() => matches !== undefined && !hasTwo(whole) && !profile.regions.some(({ name }) => matches(name))
    && !whole.regions.some(([name]) => matches(name)), [matches, profile, whole]);
  const top = Math.min(scroll, Math.max(0, inAll - height));
  const there = useMemo(() => new Set(summarize(whole).kinds.map(({ key }) => key)), [whole]);

  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    if (!pen || width === 0) return;
    const ratio = devicePixelRatio || 1;
    canvas.current!.width = width * ratio;
    canvas.current!.height = height * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(pen, { drawing, window, lines, scroll: top, width, height, look, matches, chosen, showCritical });
    // Tests read the drawing from here.
    (canvas.current as HTMLCanvasElement & { epik?: unknown }).epik = { drawing, window, awaited };
  });

  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) setWindow(zoom(window, Math.exp(event.deltaY * 0.004), event.offsetX / width, all));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      setWindow(pan(window, (event.deltaX || event.deltaY) / Math.max(width, 1), all));
    } else setScroll(Math.min(Math.max(0, top + event.deltaY), Math.max(0, inAll - height)));
  };
  // Preact's listeners are passive for wheels in some browsers; this one must stop the page.
  useEffect(() => {
    const element = canvas.current;
    element?.addEventListener('wheel', wheel, { passive: false });
    return () => element?.removeEventListener('wheel', wheel);
  });

  const drag = useRef<{ x: number; y: number; window: Window; top: number; selects: boolean; moved: boolean }>();
  const [selection, setSelection] = useState<[number, number]>();
  const down = (event: PointerEvent) => {
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    drag.current = { x: event.offsetX, y: event.offsetY, window, top, selects: event.shiftKey, moved: false };
  };
  const move = (event: PointerEvent) => {
    setCursor({ x: event.offsetX, y: event.offsetY });
    const from = drag.current;
    if (!from) return;
    const far = Math.abs(event.offsetX - from.x) + Math.abs(event.offsetY - from.y) > 4;
    from.moved = from.moved || far;
    if (!from.moved) return;
    if (from.selects) setSelection([Math.min(from.x, event.offsetX), Math.max(from.x, event.offsetX)]);
    else {
      setWindow(pan(from.window, (from.x - event.offsetX) / Math.max(width, 1), all));
      setScroll(Math.min(Math.max(0, from.top + from.y - event.offsetY), Math.max(0, inAll - height)));
    }
  };
  const up = (event: PointerEvent) => {
    const from = drag.current;
    drag.current = undefined;
    if (selection && from?.selects) {
      setWindow(clamp({ from: toNs(selection[0], window, width), to: toNs(selection[1], window, width) }, all));
      setSelection(undefined);
    } else if (from && !from.moved) setChosen(callAt(event.offsetX, event.offsetY));
  };
  const callAt = (x: number, y: number): Chosen | undefined => {
    const line = lineAt(lines, y + top);
    if (!line || line.row < 0) return undefined;
    const ns = toNs(x, window, width);
    const level = Math.floor((y + top - line.top - kRowHeight) / kCallHeight);
    const calls = (drawing.rows[line.row].calls ?? []).filter((call) => call[0] <= ns && ns < call[1]);
    const at = level >= 0 ? calls.find((call) => call[2] === level) : calls.sort((a, b) => b[2] - a[2])[0];
    return at && chosenOf(drawing, line.row, at);
  };
  // The answer to a search may be anywhere in the run: the window goes there.
  const jump = (back: boolean) => {
    if (!matches || unknown) return;
    const after = chosen?.enter ?? (back ? window.to : window.from - 1);
    const near = nextCall(drawing, matches, after, back);
    if (near && (!timeline!.find || isNearest(drawing, near.call[0], after))) return setChosen(chosenOf(drawing, near.row, near.call));
    if (!timeline!.find) return setTold('No more calls of it on screen');
    setTold('Searching …');
    timeline!.find(state.query, after, back).then((found) => {
      if (found.column < 0) {
        const done = back ? found.until <= all.from : found.until >= all.to;
        return setTold(done ? `No more calls of ${state.query}` : `None until ${timeText(found.until, all)}: search again to go on`);
      }
      setTold('');
      setChosen(chosenOfFound(found));
      setAwaited(chosenOfFound(found));
      const visible = found.enter >= window.from && found.enter <= window.to;
      if (!visible) setWindow(clamp({ from: found.enter - (window.to - window.from) / 3, to: found.enter + (window.to - window.from) * 2 / 3 }, all));
    }, (error: unknown) => setTold(error instanceof Error ? error.message : String(error)));
  };
  useEffect(() => {
    if (!awaited) return;
    const row = drawing.rows.findIndex(({ members }) => members.includes(awaited.column));
    if (awaited.enter < drawing.from_ns || awaited.enter > drawing.to_ns) return;
    // The stretch may have too many calls to draw each of them: go closer.
    const goes = row >= 0 && !drawing.rows[row].calls && window.to - window.from >= 1000;
    if (goes) setWindow(clamp(zoom(window, 0.25, (awaited.enter - window.from) / (window.to - window.from), all), all));
    else setAwaited(undefined);
  }, [awaited, drawing]);
  // Keys work without a click on the canvas before. Keys that scroll pages do so unless the timeline has the pointer or the focus.
  const body = useRef<HTMLDivElement>(null);
  const key = (event: KeyboardEvent) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches('input[type="search"], select, textarea')) return;
    const scrolls = /^(Arrow|Page|Home|End)/.test(event.key);
    if (scrolls && !cursor && !body.current?.contains(target)) return;
    const at = cursor ? cursor.x / Math.max(width, 1) : 0.5;
    const k = event.key.toLowerCase();
    if (k === 'w' || k === 'arrowup' || k === '+') setWindow(zoom(window, 0.7, at, all));
    else if (k === 's' || k === 'arrowdown' || k === '-') setWindow(zoom(window, 1 / 0.7, at, all));
    else if (k === 'a' || k === 'arrowleft') setWindow(pan(window, -0.2, all));
    else if (k === 'd' || k === 'arrowright') setWindow(pan(window, 0.2, all));
    else if (k === '0' || k === 'home') set({ from: -1, to: -1 });
    else if (k === 'pagedown') setScroll(Math.min(top + height * 0.8, Math.max(0, inAll - height)));
    else if (k === 'pageup') setScroll(Math.max(0, top - height * 0.8));
    else if (k === 'm') setMark(mark === undefined && cursor ? toNs(cursor.x, window, width) : undefined);
    else if (k === 'n' || k === 'p') jump(k === 'p');
    else if (k === 'f' && chosen) setWindow(clamp(around(chosen), all));
    else if (k === 'escape') { setChosen(undefined); setMark(undefined); }
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    document.addEventListener('keydown', key);
    return () => document.removeEventListener('keydown', key);
  });
  const toWait = ([, from, to]: Wait) => setWindow(clamp({ from: from - (to - from), to: to + (to - from) }, all));
  const now = cursor && toNs(cursor.x, window, width);
  const hovered = cursor && callAt(cursor.x, cursor.y);
  const said = chosen ?? hovered;
  return (
    <div class="timeline" ref={body}>
      <div class="toolbar">
        <input type="search" aria-label="Search a region" placeholder="Search a region" value={state.query}
          onInput={(event) => set({ query: event.currentTarget.value })}
          onKeyDown={(event) => { if (event.key === 'Enter') jump(event.shiftKey); }} />
        <button class="quiet" disabled={!matches || unknown} onClick={() => jump(true)}>Previous</button>
        <button class="quiet" disabled={!matches || unknown} onClick={() => jump(false)}>Next</button>
        <button class="quiet" onClick={() => set({ from: -1, to: -1 })}>Whole run</button>
        <label class="field"><input type="checkbox" checked={showCalls}
          onChange={(event) => setShowCalls(event.currentTarget.checked)} /> Calls</label>
        {whole.critical.length > 0 && <label class="field"><input type="checkbox" checked={showCritical}
          onChange={(event) => setShowCritical(event.currentTarget.checked)} /> Critical path</label>}
        {whole.curves.length > 0 && <label class="field"><input type="checkbox" checked={showCurves}
          onChange={(event) => setShowCurves(event.currentTarget.checked)} /> Metrics</label>}
        <span class="kinds grow">{drawing.kinds.filter(({ key }) => there.has(key)).map((kind) => (
          <span key={kind.key}><i class="kind" data-kind={kind.key} />{kind.name}</span>
        ))}</span>
      </div>
      <p class="status" role="status">
        {said ? <><b>{shortName(said.region, 80)}</b> {seconds((said.leave - said.enter) / 1e9)} on{' '}
          {said.label}, from {timeText(said.enter, window)}</>
          : <>{timeText(window.from, window)} to {timeText(window.to, window)} ({seconds((window.to - window.from) / 1e9)}).
            Ctrl and wheel, or W and S, zoom; drag, or A and D, move; shift and drag selects; M measures.</>}
        {now !== undefined && <span class="note"> · cursor {timeText(now, window)}</span>}
        {mark !== undefined && now !== undefined && <span class="note"> · {seconds(Math.abs(now - mark) / 1e9)} from the mark</span>}
        {unknown ? <span class="note" role="alert"> · No region of this run has such a name: {shortName(state.query, 40)}</span>
          : told !== '' && <span class="note"> · {told}</span>}
        {wrong !== '' && <span class="note" role="alert"> · {wrong}</span>}
      </p>
      <div class="timeline-body">
        <div class="timeline-chart">
          <Minimap whole={whole} window={window} all={all} look={look} onPick={setWindow} />
          <Axis window={window} width={width} />
          <div class="timeline-rows">
            <Labels drawing={drawing} lines={lines} top={top} closed={closed} onToggle={(host) => {
              const next = new Set(closed);
              if (!next.delete(host)) next.add(host);
              setClosed(next);
            }} onApart={(column, fold) => setApart(fold ? apart.filter((each) => each !== column) : [...apart, column])} />
            <div class="timeline-canvas" ref={attach}>
              <canvas ref={canvas} tabIndex={0} role="img" aria-label={describe(drawing, window)}
                style={{ width: `${width}px`, height: `${height}px` }} onPointerDown={down} onPointerMove={move} onPointerUp={up}
                onPointerLeave={() => setCursor(undefined)}
                onDblClick={() => { if (chosen) setWindow(clamp(around(chosen), all)); }} />
              {cursor && <span class="cursor" style={{ left: `${cursor.x}px` }} />}
              {mark !== undefined && <span class="cursor mark" style={{ left: `${toX(mark, window, width)}px` }} />}
              {selection && <span class="selection" style={{ left: `${selection[0]}px`, width: `${selection[1] - selection[0]}px` }} />}
            </div>
          </div>
        </div>
        <Aside drawing={drawing} chosen={chosen} matches={matches} onShow={show} onWait={toWait} />
      </div>
      {drawing.left_out.map((sentence) => <p key={sentence} class="note">{sentence}</p>)}
    </div>
  );
}

function around(call: Chosen): Window {
  const margin = Math.max((call.leave - call.enter) * 0.1, 5);
  return { from: call.enter - margin, to: call.leave + margin };
}

// A description for people who cannot see the canvas.
function describe(drawing: Drawing, window: Window): string {
  const { kinds } = summarize(drawing);
  const shares = kinds.slice(0, 4).map(({ name, share }) => `${name} ${percent(share)} %`).join(', ');
  return `Timeline of ${plural(drawing.rows_in_all, 'location')} from ${timeText(window.from, window)} to ${timeText(window.to, window)}: ${shares}`;
}
