// SPDX-License-Identifier: BSD-3-Clause
// The stretch of time on screen: zooming, panning, and the place of a time.

export interface Window {
  from: number; // nanoseconds
  to: number;
}

export const kLeast = 10; // nanoseconds on a screen at least

// The window stays within the whole run, and never shows less than kLeast.
export function clamp(window: Window, whole: Window): Window {
  const all = Math.max(whole.to - whole.from, kLeast);
  const width = Math.min(Math.max(window.to - window.from, kLeast), all);
  let from = window.from + (window.to - window.from - width) / 2;
  from = Math.min(Math.max(from, whole.from), whole.from + all - width);
  return { from, to: from + width };
}

// `factor` below 1 zooms in; the time at `at` (0 … 1 of the window) stays in its place.
export function zoom(window: Window, factor: number, at: number, whole: Window): Window {
  const fixed = window.from + (window.to - window.from) * at;
  const width = Math.max((window.to - window.from) * factor, kLeast);
  return clamp({ from: fixed - width * at, to: fixed + width * (1 - at) }, whole);
}

export function pan(window: Window, share: number, whole: Window): Window {
  const by = (window.to - window.from) * share;
  return clamp({ from: window.from + by, to: window.to + by }, whole);
}

export function toX(ns: number, window: Window, width: number): number {
  return ((ns - window.from) / (window.to - window.from)) * width;
}

export function toNs(x: number, window: Window, width: number): number {
  return window.from + (x / width) * (window.to - window.from);
}

// Round times for the axis, some 100 pixels apart: 1, 2 or 5 times a power of ten.
export function ticks(window: Window, width: number): number[] {
  const wanted = ((window.to - window.from) / Math.max(width, 1)) * 110;
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= wanted) ?? 10 * power;
  const out: number[] = [];
  for (let at = Math.ceil(window.from / step) * step; at <= window.to && out.length < 200; at += step) out.push(at);
  return out;
}

// A time since the begin, with as many digits as the window can tell apart.
export function timeText(ns: number, window: Window): string {
  const width = window.to - window.from;
  const places = Math.min(9, Math.max(0, 3 - Math.floor(Math.log10(Math.max(width, 1) / 1e9))));
  return `${(ns / 1e9).toFixed(places)} s`;
}
