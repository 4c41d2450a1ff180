// Names of metrics, and the tags of a metric: what is typed is completed from them.

import { aggregators } from '../query/aggregators';
import { printName } from '../query/print';
import { getJson } from './client';
import { Kept } from './kept';
import { can } from './roles';

export interface Series { tsuid: string; metric: string; tags: Record<string, string> }
interface Lookup { results: Series[]; totalResults: number }

export const NAMES_MAX = 5000;
const SERIES_MAX = 5000;

export function suggest(type: string, q: string, max: number,
                        signal?: AbortSignal): Promise<string[]> {
  return getJson('api/suggest', {
    params: [['type', type], ['q', q], ['max', String(max)]], background: true, ...(signal && { signal }),
  });
}

export async function findAggregators(): Promise<void> {
  const { read, write } = can.get();
  if (read || write) aggregators.set(await getJson<string[]>('api/aggregators'));
}

export function lookup(metric: string, limit: number, signal?: AbortSignal): Promise<Lookup> {
  return getJson('api/search/lookup', {
    params: [['m', printName(metric)], ['limit', String(limit)]], background: true, ...(signal && { signal }),
  });
}

export interface Ranked { metric: string; uid: string; series: number }
export interface Ranking { total: number; series?: number; metrics: Ranked[] }

// Counts grow: they are asked for again after a while.
const counts = new Kept<number>(60e3);

// Finds metrics by a part of their name: the first of an order, and the total.
export async function rankMetrics(find: string, order: 'name' | 'series' | 'newest', limit: number,
                                  signal?: AbortSignal): Promise<Ranking> {
  const ranking = await getJson<Ranking>('api/metrics', {
    params: [['find', find], ['order', order], ['limit', String(limit)]], background: true, ...(signal && { signal }),
  });
  for (const { metric, series } of ranking.metrics) counts.keep(metric, Promise.resolve(series));
  return ranking;
}

// The number of series of a metric.
export const sizeOf = (metric: string): Promise<number> =>
  counts.get(metric, async () => (await lookup(metric, 1)).totalResults);

export interface Tags {
  total: number; // series of the metric
  listed: number; // of which so many were looked at
  keys: Map<string, Map<string, number>>; // value -> series that have it
}

const tags = new Kept<Tags>(60e3);

export const tagsOf = (metric: string): Promise<Tags> =>
  tags.get(metric, async () => countTags(await lookup(metric, SERIES_MAX)));

export function countTags({ results, totalResults }: Lookup): Tags {
  const keys = new Map<string, Map<string, number>>();
  for (const series of results) {
    for (const [tagk, tagv] of Object.entries(series.tags)) {
      if (!keys.has(tagk)) keys.set(tagk, new Map());
      const values = keys.get(tagk)!;
      values.set(tagv, (values.get(tagv) ?? 0) + 1);
    }
  }
  return { total: totalResults, listed: results.length, keys };
}

export function forgetNames(): void {
  counts.clear();
  tags.clear();
}

// The times of the last points of metrics that have one.
export async function lastsOf(metrics: string[], signal: AbortSignal): Promise<Map<string, number>> {
  const found = await getJson<{ metric: string; timestamp: number }[]>('api/query/last', {
    method: 'POST', json: { queries: metrics.map((metric) => ({ metric })), resolveNames: true }, background: true, signal,
  });
  const lasts = new Map<string, number>();
  for (const { metric, timestamp } of found) lasts.set(metric, Math.max(timestamp, lasts.get(metric) ?? 0));
  return lasts;
}

// The series of a metric that started or ended in a range, as the server finds them. Times are the
// starts of steps.
export interface Churned {
  tags: Record<string, string>; tsuid: string; change: 'started' | 'ended'; first: number; last: number;
}
export interface Churn { step: number; series: number; started: number; ended: number; list: Churned[] }

export function churnOf(metric: string, start: string, signal: AbortSignal): Promise<Churn> {
  return getJson('api/query/churn', { params: [['metric', metric], ['start', start]], background: true, signal });
}
