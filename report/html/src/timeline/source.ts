// SPDX-License-Identifier: BSD-3-Clause
// Where a timeline gets its data: from the page itself, or from `epk view`.
import { type Drawing, uncut } from './drawing';
import { columnOf, columnsOf, joined, type Side } from './sides';

export interface Question {
  from: number;
  to: number;
  bins: number;
  apart?: number[]; // locations whose rows are drawn location by location
}

export interface Found {
  column: number; // -1: none
  until: number; // where the search ended
  enter: number;
  leave: number;
  name: string; // of the location
  region: string;
  kind: number;
  chain: string[]; // regions of the call path, outermost first
  callpath: number; // of the profile; -1: of another archive
}

export interface Source {
  whole(): Promise<Drawing>;
  ask(question: Question): Promise<Drawing>;
  find?(region: string, from: number, back: boolean): Promise<Found>; // searches the whole run; the page of a report cannot
  close(): void;
}

// Divides the same stretch into other bins. Shares are weighted by the part of an old bin that is in a new one.
export function rebin(drawing: Drawing, question: Question): Drawing {
  const width = (question.to - question.from) / question.bins;
  const rows = drawing.rows.map((row) => {
    const shares: number[][] = [];
    const path: number[] = [];
    const waiting: number[] = [];
    for (let bin = 0; bin < question.bins; bin++) {
      const from = question.from + bin * width;
      const parts = overlaps(drawing, from, from + width);
      const sums = new Map<number, number>();
      const byPath = new Map<number, number>();
      let waited = 0;
      for (const [old, weight] of parts) {
        const list = row.shares[old] ?? [];
        for (let i = 0; i + 1 < list.length; i += 2) sums.set(list[i], (sums.get(list[i]) ?? 0) + list[i + 1] * weight);
        byPath.set(row.path[old] ?? -1, (byPath.get(row.path[old] ?? -1) ?? 0) + weight);
        waited += (row.waiting[old] ?? 0) * weight;
      }
      shares.push([...sums].flat());
      path.push([...byPath].sort((a, b) => b[1] - a[1])[0]?.[0] ?? -1);
      waiting.push(waited);
    }
    const calls = row.calls?.filter(([enter, leave]) => leave > question.from && enter < question.to) ?? null;
    return { ...row, shares, path, waiting, calls };
  });
  // The sums are those of the whole stretch.
  const same = question.from <= drawing.from_ns && question.to >= drawing.to_ns;
  const waiting = same ? drawing.waiting : undefined;
  return { ...drawing, waiting, from_ns: question.from, to_ns: question.to, bins: question.bins, bin_ns: width, rows };
}

// The old bins that overlap a stretch, and the part of the stretch that each covers.
function overlaps(drawing: Drawing, from: number, to: number): [number, number][] {
  const parts: [number, number][] = [];
  const first = Math.max(0, Math.floor((from - drawing.from_ns) / drawing.bin_ns));
  for (let old = first; old < drawing.bins; old++) {
    const begin = drawing.from_ns + old * drawing.bin_ns;
    if (begin >= to) break;
    const part = Math.min(to, begin + drawing.bin_ns) - Math.max(from, begin);
    if (part > 0) parts.push([old, part / (to - from)]);
  }
  return parts;
}

// Serves questions from the data in the page (`epk report --html --timeline`).
export function embedded(packed: Drawing): Source {
  const drawing = uncut(packed);
  return {
    whole: () => Promise.resolve(drawing),
    ask: (question) => Promise.resolve(rebin(drawing, question)),
    close: () => undefined,
  };
}

// Sends questions to `epk view`, which answers from the archive. The page keeps a stream open; the server may end after the
// page has closed it.
export function served(): Source {
  const token = new URLSearchParams(location.search).get('token') ?? '';
  const alive = new EventSource(`/alive?token=${token}`);
  const kept = new Map<string, Promise<unknown>>();
  const get = <T>(address: string): Promise<T> => {
    let answer = kept.get(address) as Promise<T> | undefined;
    if (!answer) {
      answer = fetch(`${address}${address.includes('?') ? '&' : '?'}token=${token}`).then((response) => {
        if (!response.ok) throw new Error(`epk view answers ${response.status}`);
        return response.json() as Promise<T>;
      });
      kept.set(address, answer);
      answer.catch(() => kept.delete(address));
      const kMost = 64;
      if (kept.size > kMost) kept.delete(kept.keys().next().value!);
    }
    return answer;
  };
  const sides = get<Side[]>('/sides');
  const askSide = (side: Side, n: number, { from, to, bins, apart }: Question) => get<Drawing>(
    `/tiles?side=${n}&from_ns=${Math.floor(from - side.shift_ns)}&to_ns=${Math.ceil(to - side.shift_ns)}&bins=${bins}`
    + ((apart ?? []).length > 0 ? `&apart=${columnsOf(apart!, n).join(',')}` : ''));
  const ask = async (question: Question) => {
    const all = await sides;
    return joined((await Promise.all(all.map((side, n) => askSide(side, n, question)))).map(uncut), all);
  };
  return {
    whole: async () => {
      const all = await sides;
      const ends = (await Promise.all(all.map((_, n) => get<Drawing>(`/tiles?side=${n}&bins=1`)))).map((one) => one.whole_ns);
      const from = Math.min(...ends.map((one, n) => one[0] + all[n].shift_ns));
      return ask({ from, to: Math.max(...ends.map((one, n) => one[1] + all[n].shift_ns)), bins: 1000 });
    },
    ask,
    find: async (region, from, back) => {
      const all = await sides;
      const found = await Promise.all(all.map(async (side, n) => {
        const one = await get<Answer>(`/find?side=${n}&region=${encodeURIComponent(region)}`
          + `&from_ns=${Math.round(from - side.shift_ns)}&back=${back ? 1 : 0}`);
        return { column: one.column < 0 ? -1 : columnOf(one.column, n), until: one.until_ns + side.shift_ns,
          enter: (one.enter ?? 0) + side.shift_ns, leave: (one.leave ?? 0) + side.shift_ns, region: one.region ?? '',
          name: one.name ?? '', kind: one.kind ?? 0, chain: one.chain ?? [], callpath: n === 0 ? one.callpath ?? -1 : -1 };
      }));
      const there = found.filter(({ column }) => column >= 0).sort((a, b) => (back ? b.enter - a.enter : a.enter - b.enter));
      return there[0] ?? found[0];
    },
    close: () => alive.close(),
  };
}

interface Answer {
  column: number;
  until_ns: number;
  enter?: number;
  leave?: number;
  name?: string;
  region?: string;
  kind?: number;
  chain?: string[];
  callpath?: number;
}
