// SPDX-License-Identifier: BSD-3-Clause
// The data of a timeline: the answer of `epk view` to one question, or the whole data in a report file. docs/formats.md
// has the format. Times are nanoseconds since the job began.

export interface Kind {
  name: string;
  key: string; // colour: --tl-KEY
}

export interface Row {
  name: string;
  rank: number;
  thread: number;
  host: string;
  members: number[]; // locations with similar behaviour, which share this row
  apart: number; // the location whose row this one would share otherwise; -1: none
  shares: number[][]; // for each bin: kind, share, kind, share …
  path: number[]; // for each bin: the call path with most time, or -1
  waiting: number[]; // for each bin: 0 … 1
  calls: Call[] | null; // null: too many for this stretch
  cut?: Cut[]; // the times of calls that reach out of the stretch; uncut() puts them in their place
}

export type Call = [enter: number, leave: number, depth: number, path: number];
export type Cut = [call: number, enter: number, leave: number];
export type Message = [from: number, sent: number, to: number, received: number, bytes: number, tag: number, comm: string];
// The longest waits have their call path.
export type Wait = [row: number, from: number, to: number, pattern: string, cause: number, caused: number, path?: number];
export type PatternSum = [pattern: string, ns: number, waits: number];
export type Collective = [name: string, firstIn: number, lastIn: number, lastOut: number, comm: string];
export type Segment = [row: number, from: number, to: number];
export type Marker = [row: number, from: number, to: number, what: string];
export interface Curve {
  row: number;
  name: string;
  unit: string;
  points: [at: number, least: number, most: number, last: number][];
}

export interface Drawing {
  format: string;
  version: number;
  from_ns: number;
  to_ns: number;
  bin_ns: number;
  bins: number;
  whole_ns: [number, number];
  rows_in_all: number;
  kinds: Kind[];
  patterns: [metric: string, label: string][]; // wait states
  regions: [name: string, kind: number][];
  paths: [region: number, parent: number, callpath: number][];
  rows: Row[];
  messages: { one_of: number; list: Message[] };
  // A call that waits for several others is several of the list: all but its first one are `further` ones.
  waits: { one_of: number; list: Wait[]; further?: number[] };
  waiting?: { one_of: number; list: PatternSum[] } | undefined; // all waits of the stretch; one_of > 1: from a sample
  longest: Wait[]; // the longest waits of the stretch
  collectives: Collective[];
  critical: Segment[];
  markers: Marker[];
  curves: Curve[];
  left_out: string[]; // sentences
}

// Gives each call the times at which it began and ended. An answer has calls cut at the ends of its stretch.
export function uncut(drawing: Drawing): Drawing {
  const rows = drawing.rows.map(({ cut, ...row }) => {
    if (!row.calls || !cut || cut.length === 0) return row;
    const calls = [...row.calls];
    for (const [call, enter, leave] of cut) if (calls[call]) calls[call] = [enter, leave, calls[call][2], calls[call][3]];
    return { ...row, calls };
  });
  return { ...drawing, rows };
}

export function regionOf(drawing: Drawing, path: number): string {
  return path < 0 || path >= drawing.paths.length ? '' : drawing.regions[drawing.paths[path][0]][0];
}

export function kindOfPath(drawing: Drawing, path: number): number {
  return path < 0 || path >= drawing.paths.length ? 0 : drawing.regions[drawing.paths[path][0]][1];
}

export function chainOf(drawing: Drawing, path: number): string[] {
  const names: string[] = [];
  for (let at = path; at >= 0 && at < drawing.paths.length && names.length < 1000; at = drawing.paths[at][1]) {
    names.unshift(regionOf(drawing, at));
  }
  return names;
}
