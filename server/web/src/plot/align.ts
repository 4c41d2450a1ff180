// Brings series to one time axis. Where a series has no point of its own, it has `undefined`, and the
// line goes on. Null is a hole.

export type Column = (number | null | undefined)[];

export function unionOf(all: number[][]): number[] {
  const axes = distinctOf(all);
  if (axes.length < 2) return axes[0] ?? [];
  const times = new Float64Array(axes.reduce((sum, axis) => sum + axis.length, 0));
  let at = 0;
  for (const axis of axes) {
    times.set(axis, at);
    at += axis.length;
  }
  times.sort();
  const union: number[] = [];
  for (const x of times) if (x !== union[union.length - 1]) union.push(x);
  return union;
}

const RECENT = 4;

// Mostly all series have the same times, or all but the one that still arrives: only what differs is
// merged. An axis is compared with the last few others.
function distinctOf(axes: number[][]): number[][] {
  const distinct: number[][] = [];
  for (const axis of axes) {
    if (!distinct.slice(-RECENT).some((one) => isSame(one, axis))) distinct.push(axis);
  }
  return distinct;
}

function isSame(a: number[], b: number[]): boolean {
  return a === b || (a.length === b.length && a.every((x, i) => x === b[i]));
}

export function onAxis<T>(axis: number[], xs: number[], ys: (T | null | undefined)[]): (T | null | undefined)[] {
  if (axis.length === xs.length) return ys;
  const column: (T | null | undefined)[] = new Array(axis.length).fill(undefined);
  let at = 0;
  for (let i = 0; i < xs.length; ++i) {
    const before = at;
    while (axis[at] !== xs[i]) ++at;
    if (i > 0 && (ys[i] === null || ys[i - 1] === null)) column.fill(null, before + 1, at);
    column[at] = ys[i];
  }
  return column;
}

// A distance of more than this many usual ones is a hole.
const HOLE = 3;

export interface Broken {
  xs: number[]; // with two more times in each hole, near its ends
  after: number[]; // the points before the holes
}

const broken = new WeakMap<number[], Broken>();

// The times of a series with those at which its line ends and begins anew.
export function breakHoles(xs: number[]): Broken {
  let found = broken.get(xs);
  if (!found) broken.set(xs, (found = findHoles(xs)));
  return found;
}

function findHoles(xs: number[]): Broken {
  let low = Infinity;
  let high = 0;
  for (let i = 1; i < xs.length; ++i) {
    low = Math.min(low, xs[i]! - xs[i - 1]!);
    high = Math.max(high, xs[i]! - xs[i - 1]!);
  }
  // Mostly points are regular, and this is all.
  if (!(high > HOLE * low)) return { xs, after: [] };
  const steps = Float64Array.from(xs.slice(1), (x, i) => x - xs[i]!).sort();
  const usual = steps[(steps.length - 1) >> 1]!;
  const after: number[] = [];
  const times = xs.slice(0, 1);
  for (let i = 1; i < xs.length; ++i) {
    if (xs[i]! - xs[i - 1]! > HOLE * usual) {
      after.push(i - 1);
      times.push(xs[i - 1]! + usual, xs[i]! - usual);
    }
    times.push(xs[i]!);
  }
  return { xs: times, after };
}

// The values at the times of `breakHoles`.
export function withHoles(ys: Column, { after }: Broken): Column {
  if (after.length === 0) return ys;
  let begin = 0;
  const out: Column = [];
  for (const i of [...after, ys.length - 1]) {
    for (; begin <= i; ++begin) out.push(ys[begin]);
    if (begin < ys.length) out.push(null, null);
  }
  return out;
}

// The points between two holes, which no line would show.
export function lonelyIn(column: Column): number[] {
  const lonely: number[] = [];
  let isAfterHole = true;
  let last = -1;
  column.forEach((y, i) => {
    if (y === undefined) return;
    if (y === null) {
      if (last >= 0 && isAfterHole) lonely.push(last);
      isAfterHole = true;
      last = -1;
    } else {
      if (last >= 0) isAfterHole = false;
      last = i;
    }
  });
  if (last >= 0 && isAfterHole) lonely.push(last);
  return lonely;
}

// Each column on top of those before it. Between two points of a series its value is on the line
// between them; before the first and after the last it adds nothing.
export function stack(axis: number[], columns: Column[]): Column[] {
  const below = new Array<number>(axis.length).fill(0);
  return columns.map((column) => {
    const filled = filledOf(axis, column);
    return filled.map((y, i) => {
      if (y === undefined) return undefined;
      below[i]! += y ?? 0;
      return y === null ? null : below[i]!;
    });
  });
}

function filledOf(axis: number[], column: Column): Column {
  const out = column.slice();
  let last = -1;
  for (let i = 0; i < column.length; ++i) {
    if (column[i] === undefined) continue;
    const from = column[last];
    const to = column[i];
    if (last >= 0 && typeof from === 'number' && typeof to === 'number') {
      for (let k = last + 1; k < i; ++k) {
        out[k] = from + ((to - from) * (axis[k]! - axis[last]!)) / (axis[i]! - axis[last]!);
      }
    }
    last = i;
  }
  return out;
}

// "[0:100]" as limits; what is missing is null.
export function parseLimits(text: string): [number | null, number | null] {
  const match = /^\[?([^:\]]*):([^:\]]*)\]?$/.exec(text.trim());
  if (!match) return [null, null];
  return [limitOf(match[1]!), limitOf(match[2]!)];
}

function limitOf(text: string): number | null {
  const value = text.trim() === '' ? NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}
