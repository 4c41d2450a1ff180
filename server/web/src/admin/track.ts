// The server's counters as they were each time they were read.

import { sumOf, type Points, type Sample } from './own';

export type Track = { at: number; samples: Sample[] }[];

const KEPT = 240;

export function addSample(track: Track, samples: Sample[], at: number): Track {
  return [...track, { at, samples }].slice(-KEPT);
}

export function pointsOf(track: Track, metric: string, tags: Record<string, string>,
                         rate: boolean): Points {
  const points: Points = track.map(({ at, samples }) => [at, sumOf(samples, metric, tags)]);
  if (!rate) return points;
  // A counter that went down began anew.
  return points.slice(1).map(([at, v], i) =>
    [at, Math.max(0, v - points[i]![1]) / Math.max(0.001, (at - points[i]![0]) / 1e3)]);
}

// The share of hits among hits and misses, in percent, of each step in which there was one.
export function shareOf(track: Track, hits: string, misses: string): Points {
  const [found, missed] = [pointsOf(track, hits, {}, true), pointsOf(track, misses, {}, true)];
  return found.map(([at, v], i): [number, number] => [at, (100 * v) / (v + missed[i]![1])])
    .filter(([, v]) => Number.isFinite(v));
}
