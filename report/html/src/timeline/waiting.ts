// SPDX-License-Identifier: BSD-3-Clause
// A wait state has the colour of the thing that it waits for: --tl-wait-FAMILY.

import { shortName } from '../format';
import { type Drawing, regionOf, type Wait } from './drawing';

export const families = ['message', 'collective', 'openmp', 'lock'] as const;
export type Family = (typeof families)[number];

export function labelOfWait(drawing: Drawing, pattern: string): string {
  return drawing.patterns.find(([metric]) => metric === pattern)?.[1] ?? pattern;
}

// "Late Sender in MPI_Recv". Drawings of older versions lack the call.
export function waitInWords(drawing: Drawing, [, , , pattern, , , path = -1]: Wait): string {
  const call = regionOf(drawing, path);
  return labelOfWait(drawing, pattern) + (call === '' ? '' : ` in ${shortName(call, 30)}`);
}

export function familyOf(pattern: string): Family {
  if (pattern.includes('lock')) return 'lock';
  if (pattern.startsWith('omp_')) return 'openmp';
  return /^mpi_late(sender|receiver|progress)/.test(pattern) ? 'message' : 'collective';
}
