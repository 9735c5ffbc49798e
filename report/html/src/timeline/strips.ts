// SPDX-License-Identifier: BSD-3-Clause
// The bins of a row as a picture, one pixel wide each: kinds on top of each other by their shares, and the share of
// waiting at the foot. It is made once for each answer, because drawing all of its rectangles again in each frame would
// take too long.
import { type Drawing, regionOf, type Row } from './drawing';

export type Rgb = readonly [number, number, number];

export interface Paints {
  kinds: Rgb[];
  other: Rgb; // of kinds without a colour
  waiting: Rgb;
}

const kDim = 0.25; // for bins that the search did not find

// Returns RGBA, line by line from the top. `above`: the number of lines for shares; below them are `foot` lines for
// waiting. A line that contains the edge between two kinds gets a mix of both colours.
export function pixelsOf(row: Row, above: number, foot: number, paints: Paints, dim: (bin: number) => boolean): Uint8ClampedArray<ArrayBuffer> {
  const bins = row.shares.length;
  const pixels = new Uint8ClampedArray(bins * (above + foot) * 4);
  const sums = new Float64Array(above * 4);
  for (let bin = 0; bin < bins; bin++) {
    const shares = row.shares[bin];
    sums.fill(0);
    let y = 0;
    for (let i = 0; i + 1 < shares.length; i += 2) {
      const [r, g, b] = paints.kinds[shares[i]] ?? paints.other;
      const end = Math.min(y + shares[i + 1] * above, above);
      for (let line = Math.floor(y); line < end; line++) {
        const part = Math.min(end, line + 1) - Math.max(y, line);
        const at = (above - 1 - line) * 4;
        sums[at] += part * r;
        sums[at + 1] += part * g;
        sums[at + 2] += part * b;
        sums[at + 3] += part;
      }
      y = end;
    }
    const alpha = dim(bin) ? 255 * kDim : 255;
    for (let line = 0; line < above; line++) {
      const covered = sums[line * 4 + 3];
      if (covered <= 0) continue;
      const at = (line * bins + bin) * 4;
      for (let c = 0; c < 3; c++) pixels[at + c] = sums[line * 4 + c] / covered;
      pixels[at + 3] = Math.min(covered, 1) * alpha;
    }
    for (let line = above; row.waiting[bin] > 0 && line < above + foot; line++) {
      pixels.set([...paints.waiting, 255 * Math.min(1, 0.25 + row.waiting[bin])], (line * bins + bin) * 4);
    }
  }
  return pixels;
}

const rgbs = new Map<string, Rgb>();

// Converts any colour that a style sheet may name.
export function rgbOf(colour: string): Rgb {
  let known = rgbs.get(colour);
  if (known === undefined) {
    const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = pen.getImageData(0, 0, 1, 1).data;
    rgbs.set(colour, known = [r, g, b]);
  }
  return known;
}

interface Kept { look: string; matches: unknown; strips: Map<number, OffscreenCanvas> }
const kept = new WeakMap<Drawing, Kept>();

export function stripOf(drawing: Drawing, row: number, above: number, foot: number, colours: string[], other: string,
  waiting: string, matches: ((name: string) => boolean) | undefined): OffscreenCanvas {
  const look = `${colours.join()} ${other} ${waiting} ${above}`;
  let mine = kept.get(drawing);
  if (mine === undefined || mine.look !== look || mine.matches !== matches) {
    kept.set(drawing, mine = { look, matches, strips: new Map() });
  }
  let strip = mine.strips.get(row);
  if (strip === undefined) {
    const of = drawing.rows[row];
    const paints = { kinds: colours.map(rgbOf), other: rgbOf(other), waiting: rgbOf(waiting) };
    const pixels = pixelsOf(of, above, foot, paints, (bin) => matches !== undefined && !matches(regionOf(drawing, of.path[bin])));
    strip = new OffscreenCanvas(Math.max(of.shares.length, 1), above + foot);
    if (of.shares.length > 0) strip.getContext('2d')!.putImageData(new ImageData(pixels, of.shares.length), 0, 0);
    mine.strips.set(row, strip);
  }
  return strip;
}
