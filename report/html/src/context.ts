// SPDX-License-Identifier: BSD-3-Clause
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Profile } from './model';
import type { State } from './state';
import type { Source } from './timeline/source';
import type { Analysis } from './waits';
import type { Prediction } from './prediction';

export interface Shared {
  profile: Profile;
  base?: Profile | undefined; // the run to compare with
  timeline?: Source | undefined;
  analysis?: Analysis | undefined; // the results of `epk analyze`
  prediction?: Prediction | undefined; // the results of `epk predict`
  state: State;
  set: (change: Partial<State>) => void; // adds a step to the browser's history
  show: (path: number) => void; // shows the call path in the tree
  dark: boolean;
}

export const Context = createContext<Shared | undefined>(undefined);

export function useShared(): Shared {
  const shared = useContext(Context);
  if (!shared) throw new Error('outside of the report');
  return shared;
}
