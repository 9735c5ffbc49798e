// SPDX-License-Identifier: BSD-3-Clause
// The parts around the canvas of the timeline: the map of the whole run, the axis, the names of rows, and the statistics.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useShared } from '../context';
import { bytes, count, percent, plural, seconds, shortName } from '../format';
import type { Chosen } from '../timeline/chosen';
import { chainOf, type Drawing, type Wait } from '../timeline/drawing';
import { type Look } from '../timeline/paint';
import { labelOf, type Line } from '../timeline/rows';
import { archiveOf, hasTwo } from '../timeline/sides';
import { histogram, summarize } from '../timeline/summary';
import { familyOf, labelOfWait, waitInWords } from '../timeline/waiting';
import { clamp, ticks, timeText, toNs, toX, type Window } from '../timeline/window';
import { Card } from './parts';

const kMapHeight = 46;
const kAxisHeight = 20;

// The size of an element, as it changes.
export function useSize(): [(element: HTMLElement | null) => void, number, number] {
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

// The meaning of the marks on the rows.
function markersInWords(drawing: Drawing): string[] {
  const words: Record<string, string> = {
    flush: 'times a full buffer was written', off: 'stretches were switched off', gap: 'gaps: events are missing',
    died: 'locations end here because the run did not end by itself',
  };
  return Object.keys(words).flatMap((what) => {
    const found = drawing.markers.filter((marker) => marker[3] === what);
    const spent = found.reduce((sum, [, from, to]) => sum + to - from, 0);
    return found.length === 0 ? [] : [`${found.length} ${words[what]}${spent > 0 ? `, ${seconds(spent / 1e9)} in all` : ''}`];
  });
}

export function Minimap({ whole, window, all, look, onPick }:
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

export function Axis({ window, width }: { window: Window; width: number }) {
  return (
    <div class="axis-time" style={{ height: `${kAxisHeight}px` }} aria-hidden="true">
      {ticks(window, width).map((at) => (
        <span key={at} style={{ left: `${toX(at, window, width)}px` }}>{timeText(at, window)}</span>
      ))}
    </div>
  );
}

export function Labels({ drawing, lines, top, closed, onToggle, onApart }:
  { drawing: Drawing; lines: Line[]; top: number; closed: ReadonlySet<string>; onToggle: (host: string) => void;
    onApart: (column: number, fold: boolean) => void }) {
  const { timeline } = useShared();
  return (
    <ul class="timeline-labels">
      {lines.map((line) => (
        <li key={`${line.row}${line.host}`} class={line.row < 0 ? 'host' : ''} style={{ top: `${line.top - top}px`, height: `${line.height}px` }}>
          {line.row < 0
            ? <button class="quiet" title={line.host} aria-expanded={!closed.has(line.host)} onClick={() => onToggle(line.host)}>
              {closed.has(line.host) ? '▸' : '▾'} {line.host}</button>
            : line.first || (drawing.rows[line.row].members.length > 1 && drawing.rows[line.row].apart < 0 && timeline!.find)
              ? <button class="quiet" aria-expanded={line.first} title={line.first ? 'Fold the rows that behave alike' : 'A row for each'}
                onClick={() => onApart(line.first ? drawing.rows[line.row].apart : drawing.rows[line.row].members[0], line.first)}>
                {line.first ? '▾' : '▸'} {labelOf(drawing, line.row)}</button>
              : <span title={drawing.rows[line.row].host}>{labelOf(drawing, line.row)}</span>}
        </li>
      ))}
    </ul>
  );
}

export function Aside({ drawing, chosen, matches, onShow, onWait }:
  { drawing: Drawing; chosen: Chosen | undefined; matches: ((name: string) => boolean) | undefined;
    onShow: (path: number) => void; onWait: (wait: Wait) => void }) {
  const summary = useMemo(() => summarize(drawing), [drawing]);
  const bars = useMemo(() => (matches ? histogram(drawing, matches) : []), [drawing, matches]);
  const most = bars.reduce((sum, bar) => Math.max(sum, bar.count), 0);
  const calls = drawing.rows.reduce((sum, row) => sum + (row.calls?.length ?? 0), 0);
  return (
    <aside class="timeline-aside" aria-label="On screen">
      {chosen && (
        <Card title="Call">
          <dl class="pairs">
            <dt>region</dt><dd>{shortName(chosen.region, 60)}</dd>
            <dt>took</dt><dd>{seconds((chosen.leave - chosen.enter) / 1e9)}</dd>
            <dt>kind</dt><dd>{drawing.kinds[chosen.kind]?.name}</dd>
            <dt>on</dt><dd>{chosen.label}</dd>
          </dl>
          <p class="note">{chosen.chain.map((name) => shortName(name, 30)).join(' › ')}</p>
          {chosen.callpath >= 0 &&
            <button class="link" onClick={() => onShow(chosen.callpath)}>Show in the call tree</button>}
        </Card>
      )}
      {hasTwo(drawing) && <p class="note">The tables are about both archives together.</p>}
      <Card title="Time on screen" csv={() => [['kind', 'seconds'], ...summary.kinds.map((k) => [k.name, k.seconds])]}>
        <table class="list"><tbody>{summary.kinds.map((kind) => (
          <tr key={kind.key}><td><i class="kind" data-kind={kind.key} />{kind.name}</td>
            <td class="num">{seconds(kind.seconds)}</td><td class="num">{percent(kind.share)} %</td></tr>
        ))}</tbody></table>
      </Card>
      {summary.waits.length > 0 && (
        <Card title="Waiting on screen" csv={() => [['pattern', 'seconds', 'instances'], ...summary.waits.map((w) => [w.pattern, w.seconds, w.count])]}>
          <table class="list"><tbody>{summary.waits.map((wait) => (
            <tr key={wait.pattern}><td><i class="kind" style={{ background: `var(--tl-wait-${familyOf(wait.pattern)})` }} />{labelOfWait(drawing, wait.pattern)}</td><td class="num">{seconds(wait.seconds)}</td><td class="num">{summary.waits_one_of > 1 ? 'some ' : ''}{count(wait.count)} ×</td></tr>
          ))}</tbody></table>
          {drawing.waits.one_of > 1 && <p class="note">Boxes: 1 of {drawing.waits.one_of}, and the longest.</p>}
        </Card>
      )}
      {drawing.longest.length > 0 && (
        <Card title="Longest waits on screen" csv={() => [['row', 'from_ns', 'to_ns', 'pattern', 'cause', 'callpath'],
          ...drawing.longest.map((w) => [labelOf(drawing, w[0]), w[1], w[2], w[3], w[4] < 0 ? '' : labelOf(drawing, w[4]), chainOf(drawing, w[6] ?? -1).join(' > ')])]}>
          <table class="list"><tbody>{drawing.longest.slice(0, 6).map((wait) => (
            <tr key={`${wait[0]} ${wait[1]}`}><td class="num">{seconds((wait[2] - wait[1]) / 1e9)}</td>
              <td><button class="link" onClick={() => onWait(wait)}>{labelOf(drawing, wait[0])}</button>
                {hasTwo(drawing) && <span class="note"> of {archiveOf(drawing, wait[0])}</span>}
                {wait[4] >= 0 && <span class="note"> waits for {labelOf(drawing, wait[4])}</span>}
                <div class="note">{waitInWords(drawing, wait)}</div></td></tr>
          ))}</tbody></table>
        </Card>
      )}
      {drawing.markers.length > 0 && (
        <Card title="The measurement itself" csv={() => [['row', 'from_ns', 'to_ns', 'what'],
          ...drawing.markers.map((m) => [labelOf(drawing, m[0]), m[1], m[2], m[3]])]}>
          <ul class="plain">{markersInWords(drawing).map((sentence) => <li key={sentence}>{sentence}</li>)}</ul>
        </Card>
      )}
      <Card title="Call paths on screen" csv={() => [['callpath', 'seconds'], ...summary.paths.map((p) => [p.chain, p.seconds])]}>
        <table class="list"><tbody>{summary.paths.map((path) => (
          <tr key={path.path}><td class="path" title={path.chain}>{shortName(path.name, 40)}{path.callers !== '' && <span class="callers">{path.callers}</span>}</td><td class="num">{seconds(path.seconds)}</td></tr>
        ))}</tbody></table>
      </Card>
      {summary.messages > 0 && <p class="note">{plural(summary.messages, 'message')}, {bytes(summary.bytes)}
        {drawing.messages.one_of > 1 ? ` (1 of ${drawing.messages.one_of} drawn)` : ''}</p>}
      {bars.length > 0 && (
        <Card title="Durations of what is searched">
          <ul class="bars-list">{bars.map((bar) => (
            <li key={bar.from}><span>{seconds(bar.from / 1e9)} to {seconds((2 * bar.from) / 1e9)}</span><i style={{ width: `${(bar.count / most) * 100}%` }} /><b>{bar.count}</b></li>
          ))}</ul>
        </Card>
      )}
      {calls > 0 && (
        <Card title="Calls on screen" csv={() => [['row', 'enter_ns', 'leave_ns', 'depth', 'callpath'],
          ...drawing.rows.flatMap((row) => (row.calls ?? []).map((call) => [row.name, call[0], call[1], call[2], chainOf(drawing, call[3]).join(' > ')]))]}>
          <p class="note">{plural(calls, 'call')}</p>
        </Card>
      )}
    </aside>
  );
}
