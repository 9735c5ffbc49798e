// SPDX-License-Identifier: BSD-3-Clause
// Shows all locations over time: kinds of time when zoomed out, call stacks when zoomed in, messages and waiting.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useShared } from '../context';
import { bytes, percent, plural, seconds, shortName } from '../format';
import { chainOf, type Drawing, kindOfPath, regionOf } from '../timeline/drawing';
import { type Look, paint } from '../timeline/paint';
import { kCallHeight, kRowHeight, labelOf, layout, type Line, lineAt } from '../timeline/rows';
import { histogram, nextCall, summarize } from '../timeline/summary';
import { clamp, pan, ticks, timeText, toNs, toX, type Window, zoom } from '../timeline/window';
import { matcher } from '../tree';
import { Card, CopyCsv } from './parts';

const kAskDelay = 40; // milliseconds: not every step of a wheel asks the server
const kMapHeight = 46;
const kAxisHeight = 20;

interface Chosen {
  row: number;
  enter: number;
  leave: number;
  depth: number;
  path: number;
}

function lookOf(drawing: Drawing): Look {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim() || '#888';
  return {
    colours: drawing.kinds.map(({ key }) => colour(`--tl-${key}`)), ink: colour('--ink'), soft: colour('--soft'),
    line: colour('--line'), back: colour('--card'), waiting: colour('--tl-waiting'), critical: colour('--tl-critical'),
    message: colour('--ink'), dim: colour('--faint'),
  };
}

// The size of an element, as it changes.
function useSize(): [(element: HTMLElement | null) => void, number, number] {
  const [size, setSize] = useState([0, 0]);
  const observer = useRef<ResizeObserver>();
  const attach = useCallback((element: HTMLElement | null) => {
    observer.current?.disconnect();
    if (!element) return;
    observer.current = new ResizeObserver(() => setSize([element.clientWidth, element.clientHeight]));
    observer.current.observe(element);
    setSize([element.clientWidth, element.clientHeight]);
  }, []);
  return [attach, size[0], size[1]];
}

// The answer for the window on screen. The previous answer stays until the new one comes.
function useDrawing(whole: Drawing, window: Window, bins: number): [Drawing, string] {
  const { timeline } = useShared();
  const [drawing, setDrawing] = useState(whole);
  const [wrong, setWrong] = useState('');
  useEffect(() => {
    if (bins <= 0) return undefined;
    let stale = false;
    const timer = setTimeout(() => {
      timeline!.ask({ from: window.from, to: window.to, bins }).then(
        (answer) => { if (!stale) { setDrawing(answer); setWrong(''); } },
        (error: unknown) => { if (!stale) setWrong(error instanceof Error ? error.message : String(error)); });
    }, kAskDelay);
    return () => { stale = true; clearTimeout(timer); };
  }, [timeline, window.from, window.to, bins]);
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
  const { state, set, show, dark } = useShared();
  const all: Window = { from: whole.whole_ns[0], to: Math.max(whole.whole_ns[1], whole.whole_ns[0] + 1) };
  const window = state.to > state.from ? clamp({ from: state.from, to: state.to }, all) : all;
  const setWindow = (next: Window) => set({ from: Math.round(next.from), to: Math.round(next.to) });
  const [attach, width, height] = useSize();
  const [drawing, wrong] = useDrawing(whole, window, Math.min(Math.max(Math.floor(width), 0), 2000));
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [showCalls, setShowCalls] = useState(true);
  const [scroll, setScroll] = useState(0);
  const [cursor, setCursor] = useState<{ x: number; y: number }>();
  const [mark, setMark] = useState<number>();
  const [chosen, setChosen] = useState<Chosen>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { lines, height: inAll } = useMemo(() => layout(drawing, closed, showCalls), [drawing, closed, showCalls]);
  const look = useMemo(() => lookOf(drawing), [drawing, dark]);
  const matches = useMemo(() => (state.query === '' ? undefined : matcher(state.query)), [state.query]);
  const top = Math.min(scroll, Math.max(0, inAll - height));
  const there = useMemo(() => new Set(summarize(whole).kinds.map(({ key }) => key)), [whole]);

  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    if (!pen || width === 0) return;
    const ratio = devicePixelRatio || 1;
    canvas.current!.width = width * ratio;
    canvas.current!.height = height * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(pen, { drawing, window, lines, scroll: top, width, height, look, matches, chosen });
    // Tests read what is drawn from here.
    (canvas.current as HTMLCanvasElement & { epik?: unknown }).epik = { drawing, window };
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
    return at && { row: line.row, enter: at[0], leave: at[1], depth: at[2], path: at[3] };
  };
  const jump = (back: boolean) => {
    if (!matches) return;
    const found = nextCall(drawing, matches, chosen?.enter ?? (back ? window.to : window.from - 1), back);
    if (!found) return;
    const [enter, leave, depth, path] = found.call;
    setChosen({ row: found.row, enter, leave, depth, path });
  };
  const key = (event: KeyboardEvent) => {
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
  const now = cursor && toNs(cursor.x, window, width);
  const hovered = cursor && callAt(cursor.x, cursor.y);
  const said = chosen ?? hovered;
  return (
    <div class="timeline" onKeyDown={key}>
      <div class="toolbar">
        <input type="search" aria-label="Search a region" placeholder="Search a region" value={state.query}
          onInput={(event) => set({ query: event.currentTarget.value })}
          onKeyDown={(event) => { event.stopPropagation(); if (event.key === 'Enter') jump(event.shiftKey); }} />
        <button class="quiet" disabled={!matches} onClick={() => jump(true)}>Previous</button>
        <button class="quiet" disabled={!matches} onClick={() => jump(false)}>Next</button>
        <button class="quiet" onClick={() => set({ from: -1, to: -1 })}>Whole run</button>
        <label class="field"><input type="checkbox" checked={showCalls}
          onChange={(event) => setShowCalls(event.currentTarget.checked)} /> Calls</label>
        <span class="kinds grow">{drawing.kinds.filter(({ key }) => there.has(key)).map((kind) => (
          <span key={kind.key}><i class="kind" data-kind={kind.key} />{kind.name}</span>
        ))}</span>
      </div>
      <p class="status" role="status">
        {said ? <><b>{shortName(regionOf(drawing, said.path), 80)}</b> {seconds((said.leave - said.enter) / 1e9)} on{' '}
          {labelOf(drawing, said.row)}, from {timeText(said.enter, window)}</>
          : <>{timeText(window.from, window)} to {timeText(window.to, window)} ({seconds((window.to - window.from) / 1e9)}).
            Ctrl and wheel, or W and S, zoom; drag, or A and D, move; shift and drag selects; M measures.</>}
        {now !== undefined && <span class="note"> · cursor {timeText(now, window)}</span>}
        {mark !== undefined && now !== undefined && <span class="note"> · {seconds(Math.abs(now - mark) / 1e9)} from the mark</span>}
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
            }} />
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
        <Aside drawing={drawing} chosen={chosen} matches={matches} onShow={show} />
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

function Minimap({ whole, window, all, look, onPick }:
  { whole: Drawing; window: Window; all: Window; look: Look; onPick: (window: Window) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [attach, width] = useSize();
  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    if (!pen || width === 0) return;
    canvas.current!.width = width;
    canvas.current!.height = kMapHeight;
    pen.clearRect(0, 0, width, kMapHeight);
    const sums = new Float64Array(whole.kinds.length);
    const members = whole.rows.reduce((sum, row) => sum + row.members.length, 0);
    for (let bin = 0; bin < whole.bins; bin++) {
      sums.fill(0);
      for (const row of whole.rows) {
        const shares = row.shares[bin];
        for (let i = 0; i + 1 < shares.length; i += 2) sums[shares[i]] += (shares[i + 1] * row.members.length) / members;
      }
      const x = toX(whole.from_ns + bin * whole.bin_ns, all, width);
      const step = (whole.bin_ns / (all.to - all.from)) * width;
      let y = kMapHeight;
      sums.forEach((share, kind) => {
        y -= share * kMapHeight;
        pen.fillStyle = look.colours[kind] ?? look.soft;
        pen.fillRect(x, y, step + 0.5, share * kMapHeight);
      });
    }
  }, [whole, width, look]);
  const pick = (event: PointerEvent) => {
    if (event.buttons === 0 && event.type !== 'pointerdown') return;
    const half = (window.to - window.from) / 2;
    const at = toNs(event.offsetX, all, width);
    onPick(clamp({ from: at - half, to: at + half }, all));
  };
  return (
    <div class="minimap" ref={attach}>
      <canvas ref={canvas} aria-hidden="true" style={{ width: `${width}px`, height: `${kMapHeight}px` }} onPointerDown={pick} onPointerMove={pick} />
      <span class="lens" style={{ left: `${toX(window.from, all, 100)}%`, width: `${Math.max(((window.to - window.from) / (all.to - all.from)) * 100, 0.2)}%` }} />
    </div>
  );
}

function Axis({ window, width }: { window: Window; width: number }) {
  return (
    <div class="axis-time" style={{ height: `${kAxisHeight}px` }} aria-hidden="true">
      {ticks(window, width).map((at) => (
        <span key={at} style={{ left: `${toX(at, window, width)}px` }}>{timeText(at, window)}</span>
      ))}
    </div>
  );
}

function Labels({ drawing, lines, top, closed, onToggle }:
  { drawing: Drawing; lines: Line[]; top: number; closed: ReadonlySet<string>; onToggle: (host: string) => void }) {
  return (
    <ul class="timeline-labels">
      {lines.map((line) => (
        <li key={`${line.row}${line.host}`} style={{ top: `${line.top - top}px`, height: `${line.height}px` }}>
          {line.row < 0
            ? <button class="quiet" aria-expanded={!closed.has(line.host)} onClick={() => onToggle(line.host)}>
              {closed.has(line.host) ? '▸' : '▾'} {line.host}</button>
            : <span title={drawing.rows[line.row].host}>{labelOf(drawing, line.row)}</span>}
        </li>
      ))}
    </ul>
  );
}

function Aside({ drawing, chosen, matches, onShow }:
  { drawing: Drawing; chosen: Chosen | undefined; matches: ((name: string) => boolean) | undefined; onShow: (path: number) => void }) {
  const summary = useMemo(() => summarize(drawing), [drawing]);
  const bars = useMemo(() => (matches ? histogram(drawing, matches) : []), [drawing, matches]);
  const most = bars.reduce((sum, bar) => Math.max(sum, bar.count), 0);
  return (
    <aside class="timeline-aside" aria-label="On screen">
      {chosen && (
        <Card title="Call">
          <dl class="pairs">
            <dt>region</dt><dd>{shortName(regionOf(drawing, chosen.path), 60)}</dd>
            <dt>took</dt><dd>{seconds((chosen.leave - chosen.enter) / 1e9)}</dd>
            <dt>kind</dt><dd>{drawing.kinds[kindOfPath(drawing, chosen.path)]?.name}</dd>
            <dt>on</dt><dd>{labelOf(drawing, chosen.row)}</dd>
          </dl>
          <p class="note">{chainOf(drawing, chosen.path).map((name) => shortName(name, 30)).join(' › ')}</p>
          {drawing.paths[chosen.path][2] >= 0 &&
            <button class="link" onClick={() => onShow(drawing.paths[chosen.path][2])}>Show in the call tree</button>}
        </Card>
      )}
      <Card title="Time on screen" csv={() => [['kind', 'seconds'], ...summary.kinds.map((k) => [k.name, k.seconds])]}>
        <table class="list"><tbody>{summary.kinds.map((kind) => (
          <tr key={kind.key}><td><i class="kind" data-kind={kind.key} />{kind.name}</td>
            <td class="num">{seconds(kind.seconds)}</td><td class="num">{percent(kind.share)} %</td></tr>
        ))}</tbody></table>
      </Card>
      {summary.waits.length > 0 && (
        <Card title="Waiting on screen" csv={() => [['pattern', 'seconds', 'instances'], ...summary.waits.map((w) => [w.pattern, w.seconds, w.count])]}>
          <table class="list"><tbody>{summary.waits.map((wait) => (
            <tr key={wait.pattern}><td>{wait.pattern}</td><td class="num">{seconds(wait.seconds)}</td><td class="num">{wait.count} ×</td></tr>
          ))}</tbody></table>
        </Card>
      )}
      <Card title="Call paths on screen" csv={() => [['callpath', 'seconds'], ...summary.paths.map((p) => [p.chain, p.seconds])]}>
        <table class="list"><tbody>{summary.paths.map((path) => (
          <tr key={path.path}><td class="path" title={path.chain}>{shortName(path.name, 40)}</td><td class="num">{seconds(path.seconds)}</td></tr>
        ))}</tbody></table>
      </Card>
      {summary.messages > 0 && <p class="note">{plural(summary.messages, 'message')}, {bytes(summary.bytes)}
        {drawing.messages.one_of > 1 ? ` (1 of ${drawing.messages.one_of} drawn)` : ''}</p>}
      {bars.length > 0 && (
        <Card title="Durations of what is searched">
          <ul class="bars-list">{bars.map((bar) => (
            <li key={bar.from}><span>{seconds(bar.from / 1e9)}</span><i style={{ width: `${(bar.count / most) * 100}%` }} /><b>{bar.count}</b></li>
          ))}</ul>
        </Card>
      )}
      <CopyCsv rows={() => [['row', 'enter_ns', 'leave_ns', 'depth', 'callpath'],
        ...drawing.rows.flatMap((row) => (row.calls ?? []).map((call) => [row.name, call[0], call[1], call[2], chainOf(drawing, call[3]).join(' > ')]))]} />
    </aside>
  );
}
