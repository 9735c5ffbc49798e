// SPDX-License-Identifier: BSD-3-Clause
// The functions of MPI: the number of their calls, their time, and the data that they moved. The same figures as in
// report/views/mpi.cc.
import type { Profile } from './model';

export interface MpiRow {
  region: number;
  path: number; // the call path with most time
  calls: number;
  time: number;
  bytes: number; // sent, received, put, got, read and written
  sent: number; // messages
  received: number;
  least: number; // of a rank
  mean: number;
  most: number;
  rank: number; // the rank that has most
}

// In each row, the first metric that exists is used.
const kBytes = [
  ['bytes_sent_p2p', 'bytes_sent'], ['bytes_received_p2p', 'bytes_received', 'bytes_rcvd'], ['bytes_sent_coll', 'bytes_cout'],
  ['bytes_received_coll', 'bytes_cin'], ['bytes_put'], ['bytes_get'], ['mpi_file_bytes_read'], ['mpi_file_bytes_written'],
];
const kSent = [['msgs_sent', 'comms_send']];
const kReceived = [['msgs_received', 'comms_recv']];

export function mpiRows(p: Profile): MpiRow[] {
  const time = p.find('time');
  if (time < 0) return [];
  const known = (names: string[][]) => names.map((row) => row.map((name) => p.find(name)).find((m) => m >= 0) ?? -1)
    .filter((metric) => metric >= 0).map((metric) => p.exclusive({ metric, own: false }));
  const sum = (values: Float64Array[], path: number) => values.reduce((total, one) => total + one[path], 0);
  const visits = known([['visits']]);
  const bytes = known(kBytes);
  const sent = known(kSent);
  const received = known(kReceived);
  const seconds = p.exclusive({ metric: time, own: false });
  const rows = new Map<number, MpiRow>();
  const perLocation = new Map<number, Float64Array>();
  for (let path = 0; path < p.paths; path++) {
    const region = p.region[path];
    if (p.regions[region].kind !== 'MPI') continue;
    let row = rows.get(region);
    if (!row) {
      row = { region, path, calls: 0, time: 0, bytes: 0, sent: 0, received: 0, least: NaN, mean: NaN, most: NaN, rank: -1 };
      rows.set(region, row);
      perLocation.set(region, new Float64Array(p.locations.length));
    }
    if (seconds[path] > seconds[row.path]) row.path = path;
    row.calls += sum(visits, path);
    row.time += seconds[path];
    row.bytes += sum(bytes, path);
    row.sent += sum(sent, path);
    row.received += sum(received, path);
    p.addRow(time, path, 1, perLocation.get(region)!);
  }
  for (const [region, row] of rows) {
    const byRank = new Map<number, number>();
    perLocation.get(region)!.forEach((value, l) => byRank.set(p.locations[l].rank, (byRank.get(p.locations[l].rank) ?? 0) + value));
    row.mean = row.time / Math.max(byRank.size, 1);
    for (const [rank, value] of byRank) {
      if (!(row.least <= value)) row.least = value;
      if (!(row.most >= value)) {
        row.most = value;
        row.rank = rank;
      }
    }
  }
  return [...rows.values()].sort((a, b) => b.time - a.time);
}
