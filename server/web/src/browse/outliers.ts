// The order of the lines of a breakdown by their distance from the others.

import type { Slice } from './recent';

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

// By the mean distance from the median of all lines at the same times, the largest first.
export function byDistance(slices: Slice[]): Slice[] {
  const at = new Map<number, number[]>();
  for (const { points } of slices) {
    for (const [ms, v] of points) {
      const values = at.get(ms);
      if (values) values.push(v);
      else at.set(ms, [v]);
    }
  }
  const middles = new Map([...at].map(([ms, values]) => [ms, median(values)]));
  const distances = new Map(slices.map((slice) => [slice,
    slice.points.reduce((sum, [ms, v]) => sum + Math.abs(v - middles.get(ms)!), 0) / (slice.points.length || 1)]));
  return [...slices].sort((a, b) => distances.get(b)! - distances.get(a)!);
}
