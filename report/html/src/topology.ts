// SPDX-License-Identifier: BSD-3-Clause
// Lays out a Cartesian topology: the last two dimensions are rows and columns, each place in the others is a plane.

export interface Topology {
  name: string;
  dimensions: [string, number, number][]; // name, size, 1: periodic
  places: number[]; // for each member: its location, and one coordinate a dimension
}

export interface Plane {
  title: string; // "z = 1, t = 0"; empty: it is the only one
  at: Int32Array; // by row and column: the location, or -1
}

export interface Grid {
  rows: number;
  columns: number;
  planes: Plane[];
  coordinates: Map<number, number[]>; // by location
}

const kMostCells = 1 << 20;
const kMostPlanes = 256;
const kLetters = ['x', 'y', 'z', 't'];

export function nameOfDimension({ dimensions }: Topology, d: number): string {
  return dimensions[d][0] || (dimensions.length <= kLetters.length ? kLetters[d] : `dimension ${d}`);
}

// "x 4 (periodic) × y 3"
export function shapeOf(topology: Topology): string {
  return topology.dimensions.map(([, size, periodic], d) =>
    `${nameOfDimension(topology, d)} ${size}${periodic ? ' (periodic)' : ''}`).join(' × ');
}

// Undefined: there are too many places to draw.
export function gridOf(topology: Topology): Grid | undefined {
  const sizes = topology.dimensions.map(([, size]) => size);
  const n = sizes.length;
  const columns = sizes[n - 1];
  const rows = n > 1 ? sizes[n - 2] : 1;
  const outer = sizes.slice(0, Math.max(n - 2, 0));
  const count = outer.reduce((product, size) => product * size, 1);
  if (!(columns >= 1 && rows >= 1 && count >= 1 && count <= kMostPlanes && rows * columns * count <= kMostCells)) return undefined;
  const planes = Array.from({ length: count }, (_, plane): Plane => {
    let rest = plane;
    const place = [...outer].reverse().map((size) => {
      const at = rest % size;
      rest = (rest - at) / size;
      return at;
    }).reverse();
    return {
      title: place.map((at, d) => `${nameOfDimension(topology, d)} = ${at}`).join(', '), at: new Int32Array(rows * columns).fill(-1),
    };
  });
  const coordinates = new Map<number, number[]>();
  for (let i = 0; i + n < topology.places.length; i += n + 1) {
    const [location, ...at] = topology.places.slice(i, i + n + 1);
    if (at.some((c, d) => !(c >= 0 && c < sizes[d]))) continue;
    const plane = outer.reduce((number, size, d) => number * size + at[d], 0);
    planes[plane].at[(n > 1 ? at[n - 2] : 0) * columns + at[n - 1]] = location;
    coordinates.set(location, at);
  }
  return { rows, columns, planes, coordinates };
}

// Members are the first threads of processes: each stands for all threads of its process. A topology of threads has
// several members in a process, which stand for themselves.
export function valuesOf(grid: Grid, values: ArrayLike<number>, processes: ArrayLike<number>, join: (a: number, b: number) => number): Float64Array {
  const members = new Map<number, number>(); // by process: their number
  for (const location of grid.coordinates.keys()) {
    members.set(processes[location], (members.get(processes[location]) ?? 0) + 1);
  }
  const byProcess = new Map<number, number>();
  for (let l = 0; l < values.length; l++) {
    const before = byProcess.get(processes[l]);
    byProcess.set(processes[l], before === undefined ? values[l] : join(before, values[l]));
  }
  return Float64Array.from(values, (value, l) => (members.get(processes[l]) === 1 ? byProcess.get(processes[l])! : value));
}
