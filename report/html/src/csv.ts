// SPDX-License-Identifier: BSD-3-Clause
// Tables for spreadsheets: the figures on screen, with all their digits.
export type Cell = string | number;

export function csvOf(rows: readonly (readonly Cell[])[]): string {
  const field = (cell: Cell) => {
    if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
    const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell; // a spreadsheet would take it for a formula: view/csv.h
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

// A page from disk may lack the new interface of the clipboard, so the old one is tried, too.
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'offscreen';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
