// SPDX-License-Identifier: BSD-3-Clause
// A wait state has the colour of the thing that it waits for: --tl-wait-FAMILY.

import type { Drawing } from './drawing';

export const families = ['message', 'collective', 'openmp', 'lock'] as const;
export type Family = (typeof families)[number];

export function labelOfWait(drawing: Drawing, pattern: string): string {
  return drawing.patterns.find(([metric]) => metric === pattern)?.[1] ?? pattern;
}

export function familyOf(pattern: string): Family {
  if (pattern.includes('lock')) return 'lock';
  if (pattern.startsWith('omp_')) return 'openmp';
  return /^mpi_late(sender|receiver|progress)/.test(pattern) ? 'message' : 'collective';
}
