// SPDX-License-Identifier: BSD-3-Clause
// Lays out the boxes of a flame graph. The profile has merged the calls of one region by one caller into one call path.
import type { Forest } from './tree';

export interface Box {
  path: number;
  depth: number;
  left: number; // 0 … 1
  width: number;
  value: number;
}

export interface Flame {
  boxes: Box[];
  depth: number;
  left_out: number; // boxes too narrow to draw
}

// zoom: the call path that has the whole width, with its callers above it; -1: all roots.
export function layout(forest: Forest, value: ArrayLike<number>, zoom: number, least: number, deepest = 200): Flame {
  const flame: Flame = { boxes: [], depth: 0, left_out: 0 };
  const roots = zoom >= 0 ? [zoom] : forest.roots;
  const total = roots.reduce((sum, root) => sum + Math.max(value[root], 0), 0);
  if (!(total > 0)) return flame;
  const callers = zoom >= 0 ? forest.ancestors(zoom).reverse() : [];
  callers.forEach((path, depth) => flame.boxes.push({ path, depth, left: 0, width: 1, value: value[path] }));
  const stack: Box[] = [];
  const place = (nodes: ArrayLike<number>, depth: number, from: number) => {
    let left = from;
    const sorted = Array.from(nodes).filter((node) => value[node] > 0).sort((a, b) => value[b] - value[a]);
    for (const path of sorted) {
      const width = value[path] / total;
      if (width >= least && depth < deepest) stack.push({ path, depth, left, width, value: value[path] });
      else flame.left_out++;
      left += width;
    }
  };
  place(roots, callers.length, 0);
  for (let box = stack.pop(); box; box = stack.pop()) {
    flame.boxes.push(box);
    flame.depth = Math.max(flame.depth, box.depth + 1);
    place(forest.children(box.path), box.depth + 1, box.left);
  }
  return flame;
}
