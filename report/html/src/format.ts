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

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  if (most < 2) return '…'.slice(0, most);
  const tail = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - tail)}…${tail > 0 ? text.slice(-tail) : ''}`;
}

const hollowAll = (name: string) => hollow(hollow(name, '(', ')'), '<', '>');

// Parameter lists go first, then template arguments, then the middle.
function shortAlone(name: string, most: number): string {
  let text = printable(name === '' ? '(unnamed)' : name);
  if (text.length > most) text = hollow(text, '(', ')');
  if (text.length > most) text = hollow(text, '<', '>');
  return cut(text, most);
}

// The part in which `name` differs from all of `others`: begin and end.
function difference(name: string, others: readonly string[]): [number, number] {
  let front = name.length;
  let back = name.length;
  for (const other of others) {
    const most = Math.min(name.length, other.length);
    let same = 0;
    while (same < most && name[same] === other[same]) same++;
    front = Math.min(front, same);
    let end = 0;
    while (end < most && name[name.length - 1 - end] === other[other.length - 1 - end]) end++;
    back = Math.min(back, end);
  }
  return [front, Math.max(name.length - back, front)];
}

// The text within the outermost brackets around the place; the whole name if no brackets are around it.
function inside(name: string, place: number): [number, number] {
  let open = 0;
  let depth = 0;
  for (let i = 0; i < name.length; i++) {
    if (i === place && depth === 0) break;
    if (/operator[(<-]?$/.test(name.slice(Math.max(0, i - 9), i))) continue;
    if ((name[i] === '<' || name[i] === '(') && depth++ === 0) open = i + 1;
    if ((name[i] === '>' || name[i] === ')') && depth > 0 && --depth === 0 && i >= place) return [open, i];
  }
  return [0, name.length];
}

// Shows the part in which `name` differs from `others`, as view/name.cc does: "Sum<double>(…)", "Sum<…float…>(…)".
function tellApart(name: string, others: readonly string[], most: number): string {
  const partOfWord = (at: number) => /[A-Za-z0-9_:]/.test(name[at]);
  let part = difference(name, others);
  const within = inside(name, part[0]);
  part[1] = Math.min(part[1], within[1]);
  const inBrackets = within[0] > 0;
  const words: [number, number] = [...part];
  while (words[0] > within[0] && partOfWord(words[0] - 1)) words[0]--;
  while (words[1] < within[1] && partOfWord(words[1])) words[1]++;
  const half = Math.floor(most / 2);
  let different = printable(name.slice(...words));
  if (different.length > half) different = hollowAll(different);
  if (inBrackets || different.length <= half) part = words;
  else different = printable(name.slice(...part));
  let left = hollowAll(printable(name.slice(0, inBrackets ? within[0] - 1 : part[0])));
  let right = hollowAll(printable(name.slice(inBrackets ? within[1] + 1 : part[1])));
  if (inBrackets) {
    left += name[within[0] - 1] + (part[0] > within[0] ? '…' : '');
    right = (part[1] < within[1] ? '…' : '') + name[within[1]] + right;
  }
  const quarter = Math.floor(most / 4);
  if (right.length > quarter) right = `${right.slice(0, Math.max(quarter - 1, 0))}${quarter > 0 ? '…' : ''}`;
  const rest = most - right.length;
  different = cut(different, Math.max(Math.floor(rest / 2), rest - Math.min(rest, left.length)));
  return different === '' ? '' : cut(left, rest - different.length) + different + right;
}

// The names of the run, by what is left of them in the least room in which they are told apart.
const kLeastRoom = 16;
const alike = new Map<string, string[]>();
const keyOf = (name: string) => cut(hollowAll(printable(name)), kLeastRoom);

// From now on, shortName shows where these names differ.
export function tellNamesApart(names: Iterable<string>) {
  alike.clear();
  for (const name of new Set(names)) {
    const key = keyOf(name);
    const others = alike.get(key);
    if (others) others.push(name);
    else alike.set(key, [name]);
  }
}

// Shortens to `most` characters. Names that would look alike show the part in which they differ.
export function shortName(name: string, most = 80): string {
  const short = shortAlone(name, most);
  if (alike.size === 0 || short === name) return short;
  const kMost = 200; // a page stays quick when a program has thousands of names that are nearly the same
  const others = (alike.get(keyOf(name)) ?? []).slice(0, kMost)
    .filter((other) => other !== name && shortAlone(other, most) === short);
  return (others.length > 0 && tellApart(name, others, most)) || short;
}

// Shortens to the room of so many letters, of which each ellipsis takes two.
export function fittedName(name: string, letters: number): string {
  const room = (text: string) => text.length + text.split('…').length - 1;
  let short = shortName(name, letters);
  for (let most = letters - 1; most > 1 && room(short) > letters; most--) short = shortName(name, most);
  return short;
}
