// SPDX-License-Identifier: BSD-3-Clause
// Draws many values as colours on a canvas. Arrow keys walk over the cells, and a screen reader speaks each.
import { useEffect, useRef, useState } from 'preact/hooks';
import { placeNames } from '../axis';
import { severity } from '../color';
import { useShared } from '../context';

export interface HeatMapProps {
  label: string;
  rows: number;
  columns: number;
  share: (row: number, column: number) => number; // 0 … 1; NaN: no value
  say: (row: number, column: number) => string;
  pick?: (row: number, column: number) => void;
  cell?: number; // wanted height of a cell in pixels
  widest?: number; // largest width of a cell in pixels
  width: number; // pixels of the whole
  rowName?: (row: number) => string;
  columnName?: (column: number) => string;
}

const kAxis = 16; // pixels for the names of columns

interface Frame {
  left: number;
  top: number;
  wide: number;
  high: number;
  ink: string;
}

// Draws as many names as fit.
function drawAxes(context: CanvasRenderingContext2D, props: HeatMapProps, { left, top, wide, high, ink }: Frame): void {
  context.fillStyle = ink;
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  const every = (pixels: number, room: number) => [1, 2, 4, 8, 16, 32, 64, 128, 256].find((n) => n * pixels >= room) ?? 512;
  const { columnName } = props;
  if (columnName) {
    for (const { column, middle } of placeNames(props.columns, wide, (c) => context.measureText(columnName(c)).width)) {
      context.fillText(columnName(column), left + middle, top / 2);
    }
  }
  context.textAlign = 'right';
  const rows = every(high, 12);
  for (let r = 0; props.rowName && r < props.rows; r += rows) {
    context.fillText(props.rowName(r), left - 6, top + (r + 0.5) * high);
  }
}

export function HeatMap(props: HeatMapProps) {
  const { dark } = useShared();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState<[number, number] | undefined>(undefined);
  const high = props.cell ?? 18;
  const left = props.rowName ? 40 : 0;
  const top = props.columnName ? kAxis : 0;
  const wide = Math.max(Math.min(props.widest ?? 44, (props.width - left) / Math.max(props.columns, 1)), 1);
  const width = Math.max(Math.round(wide * props.columns), 1) + left;
  const height = high * props.rows + top;
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || !canvas.current) return;
    const scale = devicePixelRatio || 1;
    canvas.current.width = width * scale;
    canvas.current.height = height * scale;
    context.scale(scale, scale);
    drawAxes(context, props, { left, top, wide, high, ink: dark ? '#98a2b0' : '#5b6472' });
    context.translate(left, top);
    const gap = wide >= 6 ? 1 : 0;
    for (let r = 0; r < props.rows; r++) {
      for (let c = 0; c < props.columns; c++) {
        const share = props.share(r, c);
        if (!Number.isFinite(share)) continue;
        context.fillStyle = severity(share, dark);
        context.fillRect(c * wide, r * high, wide - gap, high - 1);
      }
    }
    if (at) {
      context.strokeStyle = dark ? '#fff' : '#000';
      context.lineWidth = 2;
      context.strokeRect(at[1] * wide + 1, at[0] * high + 1, Math.max(wide - 2, 1), high - 3);
    }
  });
  const find = (event: MouseEvent): [number, number] | undefined => {
    const row = Math.floor((event.offsetY - top) / high);
    const column = Math.floor((event.offsetX - left) / wide);
    return row >= 0 && row < props.rows && column >= 0 && column < props.columns ? [row, column] : undefined;
  };
  const key = (event: KeyboardEvent) => {
    const steps: Record<string, [number, number]> = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
    };
    const [row, column] = at ?? [0, 0];
    if (steps[event.key]) {
      const [dr, dc] = steps[event.key];
      setAt([Math.min(Math.max(row + dr, 0), props.rows - 1), Math.min(Math.max(column + dc, 0), props.columns - 1)]);
    } else if (event.key === 'Enter' && at) props.pick?.(row, column);
    else return;
    event.preventDefault();
  };
  return (
    <div class="heat">
      <canvas ref={canvas} style={{ width: `${width}px`, height: `${height}px` }} role="application" tabIndex={0}
        aria-label={`${props.label}. Arrow keys walk over the cells.`} onMouseMove={(event) => setAt(find(event))}
        onMouseLeave={() => setAt(undefined)} onKeyDown={key} title={at ? props.say(...at) : ''}
        onClick={(event) => { const cell = find(event); if (cell) props.pick?.(...cell); }} />
      <p class="say" role="status">{at ? props.say(...at) : '\u00a0'}</p>
    </div>
  );
}

// The width of an element, updated when it changes.
export function useWidth(otherwise: number) {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(otherwise);
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    setWidth(element.clientWidth);
    const watch = new ResizeObserver(() => setWidth(element.clientWidth));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return [ref, width] as const;
}
