// SPDX-License-Identifier: BSD-3-Clause
import type { Profile } from './model';

// The callers of an instance of a parameter ("size=0") up to the region that has it: alone, the instance says nothing. Other
// call paths have none.
export function phaseAround(profile: Pick<Profile, 'chain' | 'regions' | 'region'>, path: number): number[] {
  const isInstance = (at: number) => profile.regions[profile.region[at]].role === 'dynamic';
  const chain = profile.chain(path);
  let first = chain.length - 1;
  while (first > 0 && isInstance(chain[first])) first--;
  return chain.slice(first, -1);
}
