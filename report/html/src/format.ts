// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them: three significant digits, and the usual units.

function digits(value: number, unit: string): string {
  const size = Math.abs(value);
  const places = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return `${value.toFixed(places)} ${unit}`;
}

export function seconds(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return '–';
  if (size === 0) return '0';
  if (size < 1e-9) return `${digits(value * 1e12, 'ps')}`;
  if (size < 0.9995e-6) return digits(value * 1e9, 'ns');
  if (size < 0.9995e-3) return digits(value * 1e6, 'µs');
  if (size < 0.9995) return digits(value * 1e3, 'ms');
  if (size < 99_999) return digits(value, 's');
  return digits(value / 3600, 'h');
}

export function count(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) < 1e9) {
    const rounded = Number.isInteger(value) ? value : Number(value.toPrecision(4));
    return rounded.toLocaleString('en-US', { maximumFractionDigits: 3 });
  }
  const [size, letter] = Math.abs(value) < 1e12 ? [1e9, 'G'] : Math.abs(value) < 1e15 ? [1e12, 'T'] : [1e15, 'P'];
  return Math.abs(value) < 1e18 ? digits(value / Number(size), String(letter)) : value.toExponential(2);
}

export function bytes(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size < 1024) return `${count(value)} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let at = -1;
  let left = value;
  while (Math.abs(left) >= 1023.5 && at < units.length - 1) {
    left /= 1024;
    at++;
  }
  return digits(left, units[at]);
}

export function inUnit(value: number, unit: string): string {
  if (unit === 'sec') return seconds(value);
  if (unit === 'bytes') return bytes(value);
  return count(value);
}

// 0 … 1 as percent.
export function percent(share: number): string {
  if (!Number.isFinite(share)) return '–';
  const value = share * 100;
  if (value !== 0 && Math.abs(value) < 0.05) return value > 0 ? '< 0.1' : '> -0.1';
  return value.toFixed(1);
}

export function ratio(value: number): string {
  return Number.isFinite(value) ? value.toFixed(2) : '–';
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

// Shortens a long C++ name: leaves out its arguments and template arguments.
export function shortName(name: string, most = 80): string {
  if (name.length <= most) return name;
  let depth = 0;
  let out = '';
  for (const c of name) {
    if (c === '>' || c === ')') depth--;
    if (depth === 0) out += c;
    if (c === '<' || c === '(') {
      if (depth === 0) out += '…';
      depth++;
    }
  }
  if (depth !== 0 || out.length === 0) out = name;
  return out.length <= most ? out : `${out.slice(0, most / 2 - 1)}…${out.slice(-most / 2)}`;
}
