// SPDX-License-Identifier: BSD-3-Clause
// One tree with values. It draws only the rows in sight, and has the usual keys of desktop trees.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { severity } from '../color';
import { useShared } from '../context';
import type { Cell } from '../csv';
import { shortName } from '../format';
import { type Forest, type Row, search, type Sort, visibleRows } from '../tree';
import { CopyCsv } from './parts';

const kRow = 22; // pixels, as in style.css
const kPrinted = 3000; // rows at most
const kIndent = 14; // pixels a level
const kBeforeName = 150; // pixels: the value and its colour

// As many letters as fit, but at least as many as make a readable name.
function lettersIn(pixels: number): number {
  const [kLetter, kLeast] = [7.5, 32];
  return Math.max(Math.floor(pixels / kLetter), kLeast);
}

export interface TreePaneProps {
  id: string;
  title: string;
  forest: Forest;
  name: (node: number) => string;
  hint: (node: number) => string;
  after?: (node: number) => string; // in small print: file and line
  kind?: (node: number) => string;
  value: (node: number, open: boolean) => number; // the value in the row
  deep: (node: number) => number; // with children, for the order and for hiding
  text: (value: number, node: number) => string;
  share: (value: number, node: number) => number; // 0 … 1: the colour
  open: Set<number>;
  setOpen: (open: Set<number>) => void;
  selected: number;
  select: (node: number) => void;
  sort: Sort;
  least: number;
  query: string;
  setQuery: (query: string) => void;
  label: string; // of the value column
}

export function TreePane(props: TreePaneProps) {
  const { dark } = useShared();
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [width, setWidth] = useState(Infinity);
  const printing = usePrinting();
  const { forest, open, selected } = props;
  const found = useMemo(() => search(forest, props.name, props.query), [forest, props.query]);
  const isFound = useMemo(() => new Set(found), [found]);
  const rows = useMemo(
    () => visibleRows(forest, {
      open, sort: props.sort, value: props.deep, name: props.name, least: props.least,
      keep: (node) => node === selected || isFound.has(node),
    }),
    [forest, open, props.sort, props.deep, props.least, selected, isFound]);
  const at = rows.findIndex((row) => row.node === selected);

  useEffect(() => {
    const pane = box.current;
    if (!pane) return undefined;
    const observer = new ResizeObserver(() => {
      setHeight(pane.clientHeight);
      setWidth(pane.clientWidth);
    });
    observer.observe(pane);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const pane = box.current;
    if (!pane || at < 0) return;
    if (at * kRow < pane.scrollTop) pane.scrollTop = at * kRow;
    if ((at + 1) * kRow > pane.scrollTop + pane.clientHeight) pane.scrollTop = (at + 1) * kRow - pane.clientHeight / 2;
  }, [at]);

  const setFold = (node: number, fold: boolean, all = false) => {
    const next = new Set(open);
    const stack = [node];
    for (let n = stack.pop(); n !== undefined; n = stack.pop()) {
      if (fold) next.delete(n);
      else if (forest.hasChildren(n)) next.add(n);
      if (all && next.size < 20_000) stack.push(...forest.children(n));
    }
    props.setOpen(next);
  };
  const reveal = (node: number) => {
    const next = new Set(open);
    for (const n of forest.ancestors(node)) next.add(n);
    props.setOpen(next);
    props.select(node);
  };
  const nextFound = (back: boolean) => {
    if (found.length === 0) return;
    const later = back ? [...found].reverse().find((n) => n < selected) : found.find((n) => n > selected);
    reveal(later ?? (back ? found[found.length - 1] : found[0]));
  };
  const move = (to: number) => {
    const row = rows[Math.min(Math.max(to, 0), rows.length - 1)];
    if (row) props.select(row.node);
  };
  const key = (event: KeyboardEvent) => {
    const row = rows[at];
    const page = Math.max(Math.floor(height / kRow) - 1, 1);
    const act: Record<string, () => void> = {
      ArrowDown: () => move(at + 1), ArrowUp: () => move(at - 1), Home: () => move(0), End: () => move(rows.length - 1),
      PageDown: () => move(at + page), PageUp: () => move(at - page),
      ArrowRight: () => { if (row?.branch && !row.open) setFold(row.node, false); else move(at + 1); },
      ArrowLeft: () => {
        if (row?.open) setFold(row.node, true);
        else if (row && forest.parent[row.node] >= 0) props.select(forest.parent[row.node]);
      },
      Enter: () => { if (row?.branch) setFold(row.node, row.open); },
      '*': () => { if (row) setFold(row.node, false, true); },
    };
    if (!act[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act[event.key]();
  };
  const csv = (): Cell[][] => [
    ['level', props.title.toLowerCase(), props.label],
    ...rows.map((row): Cell[] => [row.depth, props.name(row.node), props.value(row.node, row.open)])];
  const first = printing ? 0 : Math.max(Math.floor(top / kRow) - 8, 0);
  const last = Math.min(printing ? kPrinted : Math.ceil((top + height) / kRow) + 8, rows.length);
  return (
    <section class="pane" aria-label={props.title}>
      <div class="pane-head">
        <h2>{props.title}</h2>
        <input type="search" aria-label={`Search ${props.title.toLowerCase()}`} placeholder="Search" value={props.query}
          onInput={(event) => props.setQuery(event.currentTarget.value)}
          onKeyDown={(event) => { if (event.key === 'Enter') nextFound(event.shiftKey); }} />
        {props.query !== '' && <span class="note" role="status">{found.length} found</span>}
        <CopyCsv rows={csv} />
      </div>
      <div class="tree" id={props.id} ref={box} role="tree" tabIndex={0} aria-label={props.title} onKeyDown={key}
        aria-activedescendant={at >= 0 ? `${props.id}-${selected}` : undefined}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
        <div class="rows" style={{ height: `${rows.length * kRow}px` }}>
          {rows.slice(first, last).map((row, i) => <TreeRow key={row.node} row={row} top={(first + i) * kRow} props={props}
            match={isFound.has(row.node)} dark={dark} width={printing ? Infinity : width} fold={(all) => setFold(row.node, row.open, all)} />)}
        </div>
      </div>
    </section>
  );
}

// Paper does not scroll, so all rows must be drawn.
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => setPrinting(true); // rendered when this returns: before the page is laid out for paper
    const end = () => setPrinting(false);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return printing;
}

function TreeRow({ row, top, props, match, dark, width, fold }: {
  row: Row; top: number; props: TreePaneProps; match: boolean; dark: boolean; width: number; fold: (all: boolean) => void;
}) {
  const { node } = row;
  const value = props.value(node, row.open);
  const kind = props.kind?.(node);
  const after = props.after?.(node);
  const text = props.text(value, node);
  const chosen = node === props.selected;
  const indent = Math.min(row.depth, 40) * kIndent;
  return (
    <div id={`${props.id}-${node}`} role="treeitem" class={`row${chosen ? ' chosen' : ''}${match ? ' match' : ''}`}
      aria-level={row.depth + 1} aria-selected={chosen} aria-expanded={row.branch ? row.open : undefined}
      aria-label={`${props.name(node)}, ${text}`} style={{ top: `${top}px` }} title={props.hint(node)} data-node={node}
      onClick={() => props.select(node)} onDblClick={() => { if (row.branch) fold(false); }}>
      <span class={`value${value === 0 || !Number.isFinite(value) ? ' none' : ''}`}>{text}</span>
      <span class="box" style={{ background: value ? severity(props.share(value, node), dark) : 'transparent' }} />
      <span class="indent" style={{ width: `${indent}px` }} />
      <span class={`twist${row.branch ? '' : ' leaf'}`} aria-hidden="true"
        onClick={(event) => { event.stopPropagation(); if (row.branch) fold(event.shiftKey); }}>
        {row.branch ? (row.open ? '▾' : '▸') : ''}</span>
      {kind && <span class={`kind kind-${kind}`} />}
      <span class="name">{shortName(props.name(node), lettersIn(width - kBeforeName - indent))}</span>
      {after && <span class="file">{after}</span>}
      {row.hidden > 0 && <span class="file">+{row.hidden} small</span>}
    </div>
  );
}
