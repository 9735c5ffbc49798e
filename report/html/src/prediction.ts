// SPDX-License-Identifier: BSD-3-Clause
// The results of `epk predict --html` in their packed form: the object of `epk predict --format json`, with the wishes
// in words and the own time of each call path in the ranking. Texts come from the measured program, so they are shown
// as text.
import { clean } from './waits';

export interface PredictedLocation { rank: number; thread: number; measured_s: number; predicted_s: number }
export interface OnPath { callpath: string; seconds: number }
export interface Gain { callpath: string; region: string; gain_s: number; gain_percent: number; own_s: number }
export interface Way { latency_s: number; bytes_per_s?: number; messages: number }
export interface Placement {
  hosts_measured: number; hosts: number; pairs: number; changed_pairs: number; same_host?: Way; other_host?: Way;
}

export interface Prediction {
  wishes: string;
  each?: number; // in the ranking, the share to which each call path's own time changes
  measured_s: number;
  predicted_s: number;
  locations: PredictedLocation[];
  critical_path: OnPath[];
  ranking?: Gain[];
  placement?: Placement;
  transfer_efficiency?: number;
  serialisation_efficiency?: number;
}

export function predictionOf(text: string): Prediction {
  return clean(JSON.parse(text)) as Prediction;
}

// False when there is only a ranking: the predicted run is the measured one.
export function altersRun(found: Prediction): boolean {
  const gain = Math.abs(found.measured_s - found.predicted_s);
  return found.ranking === undefined || gain > 1e-4 * found.measured_s;
}

export type GainOrder = 'gain' | 'own' | 'name';

// Returns a copy in that order. Equal rows keep the order of the ranking.
export function sortedGains(rows: Gain[], order: GainOrder): Gain[] {
  const by: Record<GainOrder, (a: Gain, b: Gain) => number> = {
    gain: (a, b) => b.gain_s - a.gain_s, own: (a, b) => b.own_s - a.own_s, name: (a, b) => (a.callpath < b.callpath ? -1 : a.callpath > b.callpath ? 1 : 0),
  };
  return [...rows].sort(by[order]);
}

// The location with most time, and the first one of several.
export function longestLocation(rows: PredictedLocation[]): number {
  return Math.max(0, ...rows.map((row) => Math.max(row.measured_s, row.predicted_s)));
}
