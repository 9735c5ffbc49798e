// SPDX-License-Identifier: BSD-3-Clause
// communication.csv of the archive: from,to,messages,bytes.

export interface Traffic {
  ranks: number;
  messages: Float64Array; // from × ranks + to
  bytes: Float64Array;
}

const kMostRanks = 4096;

export function parseCommunication(text: string, ranks: number): Traffic | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length < 2) return undefined;
  const head = lines[0].split(',').map((word) => word.trim());
  const [from, to, messages, bytes] = ['from', 'to', 'messages', 'bytes'].map((name) => head.indexOf(name));
  if (from < 0 || to < 0) return undefined;
  const rows = lines.slice(1).map((line) => line.split(',').map(Number));
  const valid = rows.filter((row) =>
    [row[from], row[to]].every((rank) => Number.isInteger(rank) && rank >= 0 && rank < kMostRanks));
  const n = valid.reduce((most, row) => Math.max(most, row[from] + 1, row[to] + 1), Math.min(ranks, kMostRanks));
  const traffic = { ranks: n, messages: new Float64Array(n * n), bytes: new Float64Array(n * n) };
  for (const row of valid) {
    const at = row[from] * n + row[to];
    if (messages >= 0) traffic.messages[at] += row[messages] || 0;
    if (bytes >= 0) traffic.bytes[at] += row[bytes] || 0;
  }
  return traffic;
}
