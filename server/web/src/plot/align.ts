// Brings series to one time axis. Where a series has no point of its own, it has `undefined`: the
// line goes on; null is a gap.

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

export function onAxis(axis: number[], xs: number[], ys: Column): Column {
  if (axis.length === xs.length) return ys;
  const column: Column = new Array(axis.length).fill(undefined);
  let at = 0;
  for (let i = 0; i < xs.length; ++i) {
    while (axis[at] !== xs[i]) ++at;
    column[at] = ys[i];
  }
  return column;
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
