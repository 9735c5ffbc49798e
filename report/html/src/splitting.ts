// SPDX-License-Identifier: BSD-3-Clause
// How panes beside each other share the room, as parts of 1. A splitter gives to one neighbour what it takes from the
// other.

export const least = 0.1; // the least part of a pane

// The shares after the splitter behind pane `index` has moved by a part of the room.
export function moved(shares: number[], index: number, by: number): number[] {
  const [before, after] = [shares[index], shares[index + 1]];
  const room = before + after;
  const first = room < 2 * least ? room / 2 : Math.min(Math.max(before + by, least), room - least);
  return shares.map((share, i) => (i === index ? first : i === index + 1 ? room - first : share));
}

// The effect of a key on a splitter: a part of the room, or undefined when the key does nothing.
export function stepOf(key: string, fast: boolean): number | undefined {
  const step = fast ? 0.1 : 0.02;
  if (key === 'ArrowLeft') return -step;
  if (key === 'ArrowRight') return step;
  if (key === 'Home') return -1;
  return key === 'End' ? 1 : undefined;
}
