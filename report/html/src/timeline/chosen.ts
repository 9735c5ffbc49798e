// SPDX-License-Identifier: BSD-3-Clause
// The call that the user chose. It keeps what it is when another stretch comes on screen: numbers of rows and call paths
// are those of one answer.
import { type Call, chainOf, type Drawing, kindOfPath, regionOf } from './drawing';
import { labelOf } from './rows';
import type { Found } from './source';

export interface Chosen {
  column: number; // of the location
  label: string;
  enter: number;
  leave: number;
  region: string;
  kind: number;
  chain: string[];
  callpath: number; // of the profile; -1: none
}

export function chosenOf(drawing: Drawing, row: number, [enter, leave, , path]: Call): Chosen {
  return {
    column: drawing.rows[row].members[0], label: labelOf(drawing, row), enter, leave, region: regionOf(drawing, path),
    kind: kindOfPath(drawing, path), chain: chainOf(drawing, path), callpath: drawing.paths[path]?.[2] ?? -1,
  };
}

export function chosenOfFound({ column, name, enter, leave, region, kind, chain, callpath }: Found): Chosen {
  return { column, label: name, enter, leave, region, kind, chain, callpath };
}

// Times of a search and of a drawing are rounded separately.
const kRounding = 2;

export function isChosen(chosen: Chosen, drawing: Drawing, row: number, [enter, leave, , path]: Call): boolean {
  return drawing.rows[row].members[0] === chosen.column && Math.abs(enter - chosen.enter) <= kRounding
    && Math.abs(leave - chosen.leave) <= kRounding && regionOf(drawing, path) === chosen.region;
}

// Whether the drawing has every call of the run around the answer of nextCall(), so that no other call is nearer.
export function isNearest(drawing: Drawing, enter: number, after: number): boolean {
  const within = (ns: number) => ns >= drawing.from_ns - 1 && ns <= drawing.to_ns + 1;
  return within(enter) && within(after) && drawing.rows.every(({ calls, members }) => calls && members.length === 1);
}
