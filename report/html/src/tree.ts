// SPDX-License-Identifier: BSD-3-Clause
// Trees in the form of panes: the visible nodes and their order, and searches. There is no recursion, because trees may
// be very deep.

export class Forest {
  readonly parent: Int32Array;
  readonly roots: number[] = [];
  private readonly first: Int32Array; // children of i are list[first[i] .. first[i + 1])
  private readonly list: Int32Array;

  constructor(parents: ArrayLike<number>) {
    const n = parents.length;
    this.parent = Int32Array.from(parents);
    this.first = new Int32Array(n + 2);
    for (let i = 0; i < n; i++) {
      if (parents[i] >= 0) this.first[parents[i] + 2]++;
      else this.roots.push(i);
    }
    for (let i = 2; i < n + 2; i++) this.first[i] += this.first[i - 1];
    this.list = new Int32Array(n);
    for (let i = 0; i < n; i++) if (parents[i] >= 0) this.list[this.first[parents[i] + 1]++] = i;
  }

  get size(): number {
    return this.parent.length;
  }

  children(node: number): Int32Array {
    return this.list.subarray(this.first[node], this.first[node + 1]);
  }

  hasChildren(node: number): boolean {
    return this.first[node + 1] > this.first[node];
  }

  ancestors(node: number): number[] {
    const out = [];
    for (let at = this.parent[node]; at >= 0; at = this.parent[at]) out.push(at);
    return out;
  }
}

export type Sort = 'order' | 'value' | 'name';

export interface Row {
  node: number;
  depth: number;
  open: boolean;
  branch: boolean; // has children, hidden or not
  hidden: number; // number of children that are too small to show, if the node is open
}

export interface Shape {
  open: ReadonlySet<number>;
  sort: Sort;
  value: (node: number) => number; // value with children
  name: (node: number) => string;
  least: number; // nodes below this are hidden
  keep?: (node: number) => boolean; // nodes that stay, whatever their value
}

export function visibleRows(forest: Forest, shape: Shape): Row[] {
  const rows: Row[] = [];
  const ordered = (nodes: ArrayLike<number>) => {
    const out = Array.from(nodes);
    if (shape.sort === 'value') out.sort((a, b) => shape.value(b) - shape.value(a));
    if (shape.sort === 'name') out.sort((a, b) => (shape.name(a) < shape.name(b) ? -1 : 1));
    return out;
  };
  const shown = (node: number) =>
    shape.least <= 0 || Math.abs(shape.value(node)) >= shape.least || shape.keep?.(node) === true;
  const stack: { node: number; depth: number }[] = [];
  const push = (nodes: number[], depth: number) => {
    for (let i = nodes.length - 1; i >= 0; i--) stack.push({ node: nodes[i], depth });
  };
  push(ordered(forest.roots), 0);
  for (let top = stack.pop(); top; top = stack.pop()) {
    const branch = forest.hasChildren(top.node);
    const open = branch && shape.open.has(top.node);
    const row = { node: top.node, depth: top.depth, open, branch, hidden: 0 };
    rows.push(row);
    if (!open) continue;
    const all = forest.children(top.node);
    const children = ordered(all).filter(shown);
    row.hidden = all.length - children.length;
    push(children, top.depth + 1);
  }
  return rows;
}

// Matches * and ? as in file names, or otherwise any part of the name, in any case.
export function matcher(query: string): (name: string) => boolean {
  const text = query.trim().toLowerCase();
  if (text === '') return () => false;
  if (!/[*?]/.test(text)) return (name) => name.toLowerCase().includes(text);
  const pattern = text.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.');
  const expression = new RegExp(`^${pattern}$`);
  return (name) => expression.test(name.toLowerCase());
}

export function search(forest: Forest, name: (node: number) => string, query: string): number[] {
  const matches = matcher(query);
  const found = [];
  for (let node = 0; node < forest.size; node++) if (matches(name(node))) found.push(node);
  return found;
}

// Follows the largest value downwards, so that a tree opens where the time is.
export function hotPath(forest: Forest, value: (node: number) => number, share: number): number[] {
  const open: number[] = [];
  let nodes: ArrayLike<number> = forest.roots;
  let least = -1;
  for (;;) {
    let best = -1;
    for (let i = 0; i < nodes.length; i++) if (best < 0 || value(nodes[i]) > value(best)) best = nodes[i];
    if (best < 0) return open;
    if (least < 0) least = value(best) * share;
    if (value(best) < least || open.length > 60) return open;
    if (forest.hasChildren(best)) open.push(best);
    nodes = forest.children(best);
  }
}
