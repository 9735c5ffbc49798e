// SPDX-License-Identifier: BSD-3-Clause
// Severity as colour. Lightness alone gives the order, so it survives colour blindness and grey printers.

type Rgb = readonly [number, number, number];

const light: Rgb[] = [[246, 246, 240], [253, 224, 160], [250, 168, 86], [228, 98, 56], [186, 40, 44], [128, 14, 46]];
const dark: Rgb[] = [[38, 41, 48], [72, 36, 84], [150, 44, 90], [222, 82, 66], [250, 158, 58], [252, 236, 150]];

export function severity(share: number, isDark: boolean): string {
  const stops = isDark ? dark : light;
  const at = Math.min(Math.max(Number.isFinite(share) ? share : 0, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  const mix = stops[low].map((c, i) => Math.round(c + (stops[low + 1][i] - c) * (at - low)));
  return `rgb(${mix.join(',')})`;
}
