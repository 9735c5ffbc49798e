// SPDX-License-Identifier: BSD-3-Clause
// Distributions over locations.

export interface Summary {
  count: number;
  sum: number;
  mean: number;
  min: number;
  q1: number;
  median: number;
  q3: number;
  max: number;
  outliers: number[]; // indices into the values: beyond 1.5 × the distance of the quartiles
}

// Interpolates between the two nearest values, as R and NumPy do by default.
export function quantile(sorted: ArrayLike<number>, q: number): number {
  if (sorted.length === 0) return NaN;
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

// Summarizes values that are numbers; if `wanted` is given, only those.
export function summarize(values: ArrayLike<number>, wanted?: boolean[]): Summary {
  const indices: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i]) && (!wanted || wanted[i])) indices.push(i);
  }
  const sorted = Float64Array.from(indices, (i) => values[i]).sort();
  const sum = sorted.reduce((a, b) => a + b, 0);
  const q1 = quantile(sorted, 0.25);
  const q3 = quantile(sorted, 0.75);
  const reach = 1.5 * (q3 - q1);
  return {
    count: sorted.length, sum, mean: sorted.length > 0 ? sum / sorted.length : NaN,
    min: sorted.length > 0 ? sorted[0] : NaN, q1, median: quantile(sorted, 0.5), q3,
    max: sorted.length > 0 ? sorted[sorted.length - 1] : NaN,
    outliers: indices.filter((i) => values[i] < q1 - reach || values[i] > q3 + reach),
  };
}

export function largestIndex(values: ArrayLike<number>): number {
  let best = -1;
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i]) && (best < 0 || values[i] > values[best])) best = i;
  }
  return best;
}

// The largest of finite values; `least` when none is larger. Math.max(...values) has no room for those of a large job.
export function largestOf(values: ArrayLike<number>, least = -Infinity): number {
  let most = least;
  for (let i = 0; i < values.length; i++) if (Number.isFinite(values[i]) && values[i] > most) most = values[i];
  return most;
}
