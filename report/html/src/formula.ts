// SPDX-License-Identifier: BSD-3-Clause
// Ratios and rates of counters: numbers and names with + - * / and parentheses, as in analysis/derived.h.

// The value of a name, or NaN when it has no value.
export type ValueOf = (name: string) => number;

// Returns NaN when a value is missing, when the formula divides by zero, or when the text is no formula.
export function evaluate(formula: string, value: ValueOf): number {
  // A name may contain a -, which then has no blanks around it.
  const words = formula.match(/[+*/()]|-(?=\s)|[^\s+*/()]+/g) ?? [];
  let at = 0;
  const term = (): number => {
    const word = words[at++] ?? '';
    if (word === '(') {
      const inner = sum();
      return words[at++] === ')' ? inner : NaN;
    }
    return /^[\d.]/.test(word) ? Number(word) : value(word);
  };
  const product = (): number => {
    let left = term();
    while (words[at] === '*' || words[at] === '/') {
      if (words[at++] === '*') left *= term();
      else {
        const right = term();
        left = right === 0 ? NaN : left / right;
      }
    }
    return left;
  };
  const sum = (): number => {
    let left = product();
    while (words[at] === '+' || words[at] === '-') left = words[at++] === '+' ? left + product() : left - product();
    return left;
  };
  const result = sum();
  return at === words.length ? result : NaN;
}
