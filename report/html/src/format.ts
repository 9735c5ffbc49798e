// SPDX-License-Identifier: BSD-3-Clause
// Figures and names as people read them, the same as in the text reports: view/number.h, view/name.h. Both are tested by
// view/cases.json.

const NONE = '-';
const NO_COUNT = 1e15; // doubles from here on are no exact counts
const DECIMALS_SHOW = 999.5;

// At these limits, rounding would make a fourth digit.
function threeDigits(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

// As "%.3g" of C.
function huge(value: number): string {
  const [digits, exponent] = value.toExponential(2).split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 3) return String(Number(value.toPrecision(3)));
  return `${Number(digits)}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

export function count(value: number): string {
  if (!Number.isFinite(value)) return NONE;
  const digits = Math.round(Math.abs(value)).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return value < 0 ? `-${digits}` : digits;
}

export function seconds(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return NONE;
  if (size === 0) return '0 s';
  if (size >= 999.5) return `${size < NO_COUNT ? count(value) : huge(value)} s`;
  if (size >= 0.9995) return `${threeDigits(value)} s`;
  if (size >= 0.9995e-3) return `${threeDigits(value * 1e3)} ms`;
  if (size >= 0.9995e-6) return `${threeDigits(value * 1e6)} µs`;
  return `${threeDigits(value * 1e9)} ns`;
}

export function bytes(value: number): string {
  if (!Number.isFinite(value)) return NONE;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let unit = 0;
  let left = value;
  for (; Math.abs(left) >= 1023.5 && unit + 1 < units.length; unit++) left /= 1024;
  return `${unit === 0 ? left.toFixed(0) : threeDigits(left)} ${units[unit]}`;
}

// A value of a metric.
export function inUnit(value: number, unit: string): string {
  if (!Number.isFinite(value)) return NONE;
  if (unit === 'sec') return seconds(value);
  if (unit === 'bytes') return bytes(value);
  if (unit === 'bytes/sec') return `${bytes(value)}/s`;
  if (Math.abs(value) >= NO_COUNT) return huge(value);
  return Number.isInteger(value) || Math.abs(value) >= DECIMALS_SHOW ? count(value) : huge(value);
}

// 0 … 1 as percent, without the sign.
export function percent(share: number): string {
  const value = share * 100;
  if (!Number.isFinite(value) || Math.abs(value) >= 1e9) return NONE;
  if (value === 0) return '0.0';
  if (Math.abs(value) < 0.05) return value > 0 ? '<0.1' : '>-0.1';
  return value.toFixed(1);
}

export function ratio(value: number): string {
  return Number.isFinite(value) && Math.abs(value) < 1e9 ? value.toFixed(2) : NONE;
}

// A factor. A small one is not shown as zero.
export function factor(value: number): string {
  return value > 0 && value < 0.005 ? '<0.01' : ratio(value);
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

// Control characters, separators of lines, and format characters (Unicode's category Cf). The last are invisible, but
// change how other characters are read: a name could look like another one. The same list as in view/text.cc.
const UNSAFE = new RegExp(
  '[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u180e\\u200b-\\u200f\\u2028-\\u202e' +
  '\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{110bd}\\u{110cd}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e007f}]',
  'gu');

export function printable(text: string): string {
  return text.replace(UNSAFE, '?');
}

// Puts an ellipsis between the outermost pair of `open` and `close`, but not into operator() and operator<.
function hollow(name: string, open: string, close: string): string {
  let out = '';
  let depth = 0;
  for (let i = 0; i < name.length; i++) {
    const partOfOperator = /operator[(<-]?$/.test(name.slice(Math.max(0, i - 9), i));
    if (name[i] === open && !partOfOperator && depth++ === 0) {
      out += open;
      if (i + 1 < name.length && name[i + 1] !== close) out += '…';
      continue;
    }
    if (name[i] === close && !partOfOperator && depth > 0) depth--;
    if (depth === 0) out += name[i];
  }
  return depth === 0 ? out : name;
}

// Shortens to `most` characters: parameter lists go first, then template arguments, then the middle.
export function shortName(name: string, most = 80): string {
  let text = printable(name === '' ? '(unnamed)' : name);
  if (text.length > most) text = hollow(text, '(', ')');
  if (text.length > most) text = hollow(text, '<', '>');
  if (text.length <= most) return text;
  const room = most - 1;
  const tail = Math.floor(room / 2);
  return `${text.slice(0, room - tail)}…${tail > 0 ? text.slice(-tail) : ''}`;
}

// Shortens to the room of so many letters, of which each ellipsis takes two.
export function fittedName(name: string, letters: number): string {
  const room = (text: string) => text.length + text.split('…').length - 1;
  let short = shortName(name, letters);
  for (let most = letters - 1; most > 1 && room(short) > letters; most--) short = shortName(name, most);
  return short;
}
