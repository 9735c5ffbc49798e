// SPDX-License-Identifier: BSD-3-Clause
// Draws the canvas of the timeline. This file makes no decisions.
import { type Curve, type Drawing, kindOfPath, regionOf } from './drawing';
import { type Chosen, isChosen } from './chosen';
import { linesOf } from './critical';
import { kCallHeight, kCurveHeight, kRowHeight, type Line } from './rows';
import { rgbOf, stripOf } from './strips';
import { type Family, familyOf, labelOfWait } from './waiting';
import { toNs, toX, type Window } from './window';

export interface Look {
  colours: string[]; // by kind
  ink: string;
  soft: string;
  line: string;
  back: string;
  waiting: string;
  waits: Record<Family, string>;
  critical: string;
  message: string;
  dim: string;
  line2: string; // of curves
}

export interface Scene {
  drawing: Drawing;
  window: Window;
  lines: Line[];
  scroll: number;
  width: number;
  height: number;
  look: Look;
  matches: ((name: string) => boolean) | undefined;
  chosen: Chosen | undefined;
  showCritical: boolean;
}

type Pen = CanvasRenderingContext2D;

export function paint(pen: Pen, scene: Scene): void {
  pen.clearRect(0, 0, scene.width, scene.height);
  pen.font = '11px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  for (const line of scene.lines) {
    const top = line.top - scene.scroll;
    if (top + line.height < 0 || top > scene.height) continue;
    if (line.row < 0) continue;
    paintShares(pen, scene, line, top);
    if (line.levels > 0) paintCalls(pen, scene, line, top + kRowHeight);
    line.curves.forEach((curve, n) =>
      paintCurve(pen, scene, scene.drawing.curves[curve], top + line.height - (line.curves.length - n) * kCurveHeight));
    pen.fillStyle = scene.look.line;
    pen.fillRect(0, top + line.height - 1, scene.width, 1);
  }
  paintCollectives(pen, scene);
  paintMarkers(pen, scene);
  paintWaits(pen, scene);
  paintMessages(pen, scene);
  paintCritical(pen, scene);
}

// Draws the bins that are on screen.
function paintShares(pen: Pen, scene: Scene, line: Line, top: number): void {
  const { drawing, window, look } = scene;
  const kFoot = 2, kAbove = kRowHeight - 5;
  const fine = Math.max(1, Math.round(devicePixelRatio || 1)); // fine lines, of one pixel
  const strip = stripOf(drawing, line.row, kAbove * fine, kFoot * fine, look.colours, look.soft, look.waiting, scene.matches);
  const first = Math.max(0, Math.floor((window.from - drawing.from_ns) / drawing.bin_ns));
  const last = Math.min(drawing.bins, Math.ceil((window.to - drawing.from_ns) / drawing.bin_ns));
  if (last <= first) return;
  const x = toX(drawing.from_ns + first * drawing.bin_ns, window, scene.width);
  const right = toX(drawing.from_ns + last * drawing.bin_ns, window, scene.width);
  pen.imageSmoothingEnabled = right - x < last - first;
  pen.drawImage(strip, first, 0, last - first, strip.height, x, top + 2, Math.max(right - x, 0.5), kAbove + kFoot);
}

// Draws frames: the width of a frame is its time, and its name is shown if it fits.
function paintCalls(pen: Pen, scene: Scene, line: Line, top: number): void {
  const { drawing, window, look, chosen } = scene;
  for (const [enter, leave, depth, path] of drawing.rows[line.row].calls ?? []) {
    if (depth >= line.levels) continue;
    const x = Math.max(toX(enter, window, scene.width), -1);
    const right = Math.min(toX(leave, window, scene.width), scene.width + 1);
    if (right < 0 || x > scene.width) continue;
    const width = Math.max(right - x, 0.6);
    const name = regionOf(drawing, path);
    const dim = scene.matches !== undefined && !scene.matches(name);
    pen.globalAlpha = dim ? 0.25 : 1;
    const colour = look.colours[kindOfPath(drawing, path)] ?? look.soft;
    pen.fillStyle = colour;
    const y = top + depth * kCallHeight;
    pen.fillRect(x, y, width - (width > 3 ? 0.7 : 0), kCallHeight - 1);
    pen.globalAlpha = 1;
    if (chosen && isChosen(chosen, drawing, line.row, [enter, leave, depth, path])) {
      pen.strokeStyle = look.ink;
      pen.lineWidth = 2;
      pen.strokeRect(x + 1, y + 1, Math.max(width - 2, 1), kCallHeight - 3);
    }
    if (width > 24) paintName(pen, name, x + 3, y + kCallHeight / 2, width - 6, dim ? look.ink : inkOn(colour));
  }
}

function paintName(pen: Pen, name: string, x: number, y: number, width: number, colour: string): void {
  const kLetter = 6; // pixels, roughly: measuring each name would cost more than drawing it
  const fits = Math.floor(width / kLetter);
  if (fits < 2) return;
  pen.fillStyle = colour;
  pen.fillText(name.length <= fits ? name : `${name.slice(0, fits - 1)}…`, x, y, width);
}

// Names must be readable on light and on dark kinds.
function inkOn(colour: string): string {
  const [r, g, b] = rgbOf(colour);
  return 0.299 * r + 0.587 * g + 0.114 * b < 125 ? '#ffffff' : '#10151d';
}

// The colour of the kind with most time in the bin.
function colourAt(scene: Scene, row: number, x: number): string {
  const { drawing, look } = scene;
  const shares = drawing.rows[row].shares[Math.floor((toNs(x, scene.window, scene.width) - drawing.from_ns) / drawing.bin_ns)] ?? [];
  let [kind, most] = [-1, 0];
  for (let i = 0; i + 1 < shares.length; i += 2) if (shares[i + 1] > most) [kind, most] = [shares[i], shares[i + 1]];
  return look.colours[kind] ?? look.soft;
}

function middleOf(scene: Scene, row: number): number | undefined {
  const line = scene.lines.find((each) => each.row === row);
  return line && line.top - scene.scroll + kRowHeight / 2;
}

function paintMessages(pen: Pen, scene: Scene): void {
  const kMostDrawn = 3000;
  pen.strokeStyle = scene.look.message;
  pen.lineWidth = 1;
  pen.globalAlpha = 0.75;
  pen.beginPath();
  let drawn = 0;
  for (const [from, sent, to, received] of scene.drawing.messages.list) {
    if (received < scene.window.from || sent > scene.window.to) continue;
    const y = middleOf(scene, from);
    const end = middleOf(scene, to);
    if (y === undefined || end === undefined || ++drawn > kMostDrawn) continue;
    pen.moveTo(toX(sent, scene.window, scene.width), y);
    pen.lineTo(toX(received, scene.window, scene.width), end);
  }
  pen.stroke();
  pen.globalAlpha = 1;
}

// Draws a stretch of waiting, and an arrow to the thread that caused it.
function paintWaits(pen: Pen, scene: Scene): void {
  const { look, window } = scene;
  // The longest ones may not be in the sample.
  const { waits, longest } = scene.drawing;
  const sampled = new Set(waits.list.map(([row, from]) => `${row} ${from}`));
  const all = [...waits.list, ...longest.filter(([row, from]) => !sampled.has(`${row} ${from}`))];
  for (const [row, from, to, pattern, cause, caused] of all) {
    if (to < window.from || from > window.to) continue;
    const y = middleOf(scene, row);
    if (y === undefined) continue;
    const x = toX(from, window, scene.width);
    const right = toX(to, window, scene.width);
    pen.strokeStyle = look.waits[familyOf(pattern)];
    pen.lineWidth = 1.5;
    pen.strokeRect(x, y - kRowHeight / 2 + 2, Math.max(right - x, 1), kRowHeight - 5);
    const [shownFrom, shownTo] = [Math.max(x, 0), Math.min(right, scene.width)];
    const kLeastNamed = 60;
    if (shownTo - shownFrom > kLeastNamed) paintName(pen, labelOfWait(scene.drawing, pattern), shownFrom + 5, y, shownTo - shownFrom - 10, inkOn(colourAt(scene, row, (shownFrom + shownTo) / 2)));
    const end = cause >= 0 ? middleOf(scene, cause) : undefined;
    if (end === undefined || right - x < 3) continue;
    pen.setLineDash([3, 3]);
    pen.beginPath();
    pen.moveTo(right, y);
    pen.lineTo(toX(caused, window, scene.width), end);
    pen.stroke();
    pen.setLineDash([]);
  }
}

// Draws a band from the first process that came to the last one, which shows how late the last one came.
function paintCollectives(pen: Pen, scene: Scene): void {
  pen.fillStyle = scene.look.waiting;
  for (const [, firstIn, lastIn] of scene.drawing.collectives) {
    if (lastIn < scene.window.from || firstIn > scene.window.to) continue;
    const x = toX(firstIn, scene.window, scene.width);
    const width = toX(lastIn, scene.window, scene.width) - x;
    if (width < 2) continue;
    pen.globalAlpha = 0.07;
    pen.fillRect(x, 0, width, scene.height);
    pen.globalAlpha = 1;
  }
}

// Markers are on the top edge of a row: a bar in the colour of their kind, and a cross where a run died.
function paintMarkers(pen: Pen, scene: Scene): void {
  const { look, window } = scene;
  for (const [row, from, to, what] of scene.drawing.markers) {
    const y = middleOf(scene, row);
    if (y === undefined || to < window.from || from > window.to) continue;
    const x = toX(from, window, scene.width);
    const width = Math.max(toX(to, window, scene.width) - x, 3);
    if (what === 'died') {
      pen.strokeStyle = look.waiting;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.moveTo(x - 5, y - 5);
      pen.lineTo(x + 5, y + 5);
      pen.moveTo(x + 5, y - 5);
      pen.lineTo(x - 5, y + 5);
      pen.stroke();
      continue;
    }
    pen.fillStyle = what === 'gap' ? look.waiting : look.soft;
    pen.fillRect(x, y - kRowHeight / 2 + 1, width, 3);
    if (what === 'flush') continue;
    // This time is unknown, so it is hatched.
    pen.globalAlpha = 0.35;
    for (let at = Math.max(x, 0); at < Math.min(x + width, scene.width); at += 6) pen.fillRect(at, y - kRowHeight / 2 + 4, 1, kRowHeight - 8);
    pen.globalAlpha = 1;
  }
}

// A curve goes through the last values. The band around it shows the least and the largest values.
function paintCurve(pen: Pen, scene: Scene, curve: Curve, top: number): void {
  const { look, window } = scene;
  const least = curve.points.reduce((low, point) => Math.min(low, point[1]), 0);
  const most = curve.points.reduce((high, point) => Math.max(high, point[2]), least);
  const y = (value: number) => top + kCurveHeight - 4 - ((value - least) / (most - least || 1)) * (kCurveHeight - 8);
  pen.fillStyle = look.dim;
  pen.beginPath();
  curve.points.forEach(([at, low, high], n) => {
    const x = toX(at, window, scene.width);
    const right = n + 1 < curve.points.length ? toX(curve.points[n + 1][0], window, scene.width) : x + 1;
    pen.rect(x, y(high), Math.max(right - x, 1), Math.max(y(low) - y(high), 0.5));
  });
  pen.fill();
  pen.strokeStyle = look.line2;
  pen.lineWidth = 1.5;
  pen.beginPath();
  curve.points.forEach(([at, , , last], n) => {
    const x = toX(at, window, scene.width);
    if (n === 0) pen.moveTo(x, y(last));
    else {
      pen.lineTo(x, y(curve.points[n - 1][3]));
      pen.lineTo(x, y(last));
    }
  });
  const end = curve.points[curve.points.length - 1];
  if (end) pen.lineTo(scene.width, y(end[3]));
  pen.stroke();
  // The name stands on a plate, because the curve may go anywhere.
  const label = labelOfCurve(curve, most);
  pen.fillStyle = look.back;
  pen.globalAlpha = 0.85;
  pen.fillRect(2, top + 1, pen.measureText(label).width + 4, 14);
  pen.globalAlpha = 1;
  pen.fillStyle = look.soft;
  pen.fillText(label, 4, top + 8);
}

// "1" is the unit of numbers without one.
export function labelOfCurve({ name, unit }: Curve, most: number): string {
  return `${name}: up to ${shortNumber(most)}${unit === '' || unit === '1' ? '' : ` ${unit}`}`;
}

const shortNumber = (value: number) => (Number.isInteger(value) && Math.abs(value) < 1e6 ? String(value) : value.toPrecision(3));

function paintCritical(pen: Pen, scene: Scene): void {
  if (!scene.showCritical) return;
  const { along, across } = linesOf(scene.drawing.critical, (ns) => toX(ns, scene.window, scene.width), (row) => middleOf(scene, row), scene.width);
  pen.strokeStyle = scene.look.critical;
  pen.lineWidth = 2.5;
  pen.beginPath();
  for (const [y, from, to] of along) {
    pen.moveTo(from, y);
    pen.lineTo(Math.max(to, from + 1), y);
  }
  pen.stroke();
  pen.lineWidth = 1;
  pen.beginPath();
  for (const [x, from, to] of across) {
    pen.moveTo(x, from);
    pen.lineTo(x, to);
  }
  pen.stroke();
}
