// Names of metrics, and the tags of a metric: what is typed is completed from them.

import { aggregators } from '../query/aggregators';
import { printName } from '../query/print';
import { getJson } from './client';
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

// Finds metrics by a part of their name: the first of an order, and the total.
export function rankMetrics(find: string, order: 'name' | 'series' | 'newest', limit: number,
                            signal?: AbortSignal): Promise<Ranking> {
  return getJson('api/metrics', {
    params: [['find', find], ['order', order], ['limit', String(limit)]], background: true, ...(signal && { signal }),
  });
}

const counts = new Map<string, Promise<number>>();

// The number of series of a metric.
export function sizeOf(metric: string): Promise<number> {
  let found = counts.get(metric);
  if (!found) {
    found = lookup(metric, 1).then(({ totalResults }) => totalResults);
    counts.set(metric, found);
    // Counts grow: they are asked for again after a while, and at once after an error.
    found.then(() => setTimeout(() => counts.delete(metric), 60e3), () => counts.delete(metric));
  }
  return found;
}

export interface Tags {
  total: number; // series of the metric
  listed: number; // of which so many were looked at
  keys: Map<string, Map<string, number>>; // value -> series that have it
}

const tags = new Map<string, Promise<Tags>>();

export function tagsOf(metric: string): Promise<Tags> {
  let found = tags.get(metric);
  if (!found) {
    found = lookup(metric, SERIES_MAX).then(countTags);
    tags.set(metric, found);
    found.then(() => setTimeout(() => tags.delete(metric), 60e3), () => tags.delete(metric));
  }
  return found;
}

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

export interface Last { timestamp: number; value: string; tags: Record<string, string> }

export function lastOf(metric: string, signal?: AbortSignal): Promise<Last[]> {
  return getJson('api/query/last', {
    params: [['timeseries', metric], ['resolve', 'true']], background: true, ...(signal && { signal }),
  });
}

// Runs tasks, a few at a time: thousands at once would fill the server's queue.
export async function fewAtATime<T>(items: T[], work: (item: T) => Promise<void>, few = 4,
                                    signal?: AbortSignal): Promise<void> {
  const queue = items.slice();
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      if (signal?.aborted) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: few }, worker));
}
