// SPDX-License-Identifier: BSD-3-Clause
// The results of `epk analyze`, as report/html/analysis.cc packs them: the tables of --waits, --causes, --critical and
// --instances. Texts come from the measured program, so they are shown as text, never as markup.
import { printable } from './format';

export interface WaitPlace { seconds: number; instances: number; most_s: number; who: string; pattern: string; callpath: string }
export interface WaitPattern { pattern: string; seconds: number; instances: number; median_s: number; p99_s: number; max_s: number }
// Pages of older versions have no wait state.
export interface Chain { seconds: number; instances: number; text: string; wait_state?: string }
export interface SlowLink { seconds: number; text: string }
export interface CausePlace { seconds: number; direct_s: number; longterm_s: number; who: string; callpath: string }
export interface Pair { seconds: number; waiter: string; waited_for: string }
export interface CriticalPlace { seconds: number; share: number; callpath: string }
export interface Stretch { from_s: number; to_s: number; seconds: number; who: string; callpath: string }
export interface Instance { seconds: number; from_s: number; to_s: number; who: string; waited_for: string; wait_state: string; callpath: string }
export interface Series { pattern: string; seconds: number[] }
export interface Iterations {
  callpath: string; parameter: string; first: string[]; last: string[]; time_s: number[]; patterns: Series[];
}

export interface Analysis {
  waits?: { places: WaitPlace[]; patterns: WaitPattern[] };
  causes?: { totals: { waited_s: number; waits: number; unknown_s: number }; places: CausePlace[]; pairs: Pair[]; chains: Chain[] };
  critical?: { totals: { begin_s: number; end_s: number }; places: CriticalPlace[]; stretches: Stretch[] };
  instances?: { instances: Instance[] };
  over_time: { bin_s: number; patterns: Series[] };
  iterations: Iterations[];
  slow_links?: SlowLink[];  // pages of older versions have none
}

// Names may contain any character: control characters and changes of the writing direction are shown, not obeyed.
export function clean(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(clean);
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clean(inner)]));
  }
  return value;
}

export function analysisOf(text: string): Analysis {
  return clean(JSON.parse(text)) as Analysis;
}

// The rows of the heat map: patterns with most waiting first, and the largest of all cells.
export function heatOf(series: Series[], most: number): { rows: Series[]; top: number } {
  const sum = (one: Series) => one.seconds.reduce((all, value) => all + value, 0);
  const rows = series.filter((one) => sum(one) > 0).sort((a, b) => sum(b) - sum(a)).slice(0, most);
  return { rows, top: Math.max(0, ...rows.map((row) => Math.max(0, ...row.seconds))) };
}

// The causes of the first screen, as in the text report: those of at least 1 % of all waiting, and the largest in any case.
export function chainsThatMatter(causes: NonNullable<Analysis['causes']>, most: number): Chain[] {
  const least = 0.01 * causes.totals.waited_s;
  return causes.chains.slice(0, most).filter((chain, at) => at === 0 || chain.seconds >= least);
}

// A cause with its wait state: a thread may wait in several ways in one call. For copying as CSV.
export function chainRows(chains: Chain[]): (string | number)[][] {
  return [['seconds', 'instances', 'text', 'wait_state'], ...chains.map((row) => [row.seconds, row.instances, row.text, row.wait_state ?? ''])];
}

// The innermost name of a call path, and the names around it.
export function splitPath(path: string): { name: string; around: string } {
  const at = path.lastIndexOf(' > ');
  return at < 0 ? { name: path, around: '' } : { name: path.slice(at + 3), around: path.slice(0, at).split(' > ').join(' › ') };
}
