// What the server says of itself: its counters now (/api/stats), and the stored ones of the last
// hour where it stores them (tsd.stats.self_interval).

import { getJson } from '../api/client';
import { suggest } from '../api/names';
import { runQuery } from '../api/query';

export interface Sample { metric: string; timestamp: number; value: string; tags: Record<string, string> }

export function readStats(signal?: AbortSignal): Promise<Sample[]> {
  return getJson('api/stats', signal ? { signal } : {});
}

export type Points = [number, number][];

const HOUR = 3600e3;

// The last hour of `m`, a query of `metric`; null if it is not stored. Asked for by its name first:
// a query of a name that there is not is an error.
export async function storedHour(m: string, metric: string, signal: AbortSignal) {
  const names = await suggest('metrics', metric, 1, signal);
  if (names[0] !== metric) return null;
  const to = Date.now();
  const answers = await runQuery({ start: to - HOUR, end: to, ms: [m], tz: '', notes: false }, signal,
                                 () => {});
  const points: Points = (answers[0]?.dps ?? []).map(([ms, v]) => [ms, Number(v)] as [number, number])
    .filter(([, v]) => Number.isFinite(v));
  return { points, from: to - HOUR, to };
}

export async function createdPerMinute(signal: AbortSignal) {
  const found = await storedHour('sum:rate{dropcounter}:1m-max:tsd.series.created',
                                 'tsd.series.created', signal);
  return found && { ...found, points: found.points.map(([ms, v]) => [ms, v * 60] as [number, number]) };
}

// The sum of a counter over those of its samples that have these tags.
export function sumOf(samples: Sample[], metric: string, tags: Record<string, string> = {}): number {
  return samples.filter((sample) => sample.metric === metric &&
    Object.entries(tags).every(([tagk, tagv]) => sample.tags[tagk] === tagv))
    .reduce((sum, sample) => sum + Number(sample.value), 0);
}
