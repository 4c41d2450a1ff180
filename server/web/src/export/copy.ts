// The queries of the page in other words: for a shell, a script, another tool.

import { promqlParams } from '../api/promql';
import type { Sent } from '../query/auto';
import type { SubQuery } from '../query/model';
import { parseQuery } from '../query/parse';
import { printDownsample } from '../query/print';
import { printUnix } from '../time/time';

// The moments of a range: they are the same wherever they are read.
export const fixedRange = (from: number, to: number) => ({
  start: printUnix(Math.floor(from)), end: printUnix(Math.ceil(to)) });

export interface CopyAsk { start: string; end: string; tz: string; ms: string[] }

// For sh: nothing inside single quotes means anything.
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

export function asCurl(base: string, ask: CopyAsk): string {
  const words = ['curl', '-G', quote(`${base}api/query`)];
  const put = (key: string, value: string) => words.push('--data-urlencode', quote(`${key}=${value}`));
  put('start', ask.start);
  if (ask.end) put('end', ask.end);
  if (ask.tz) put('tz', ask.tz);
  for (const m of ask.ms) put('m', m);
  return words.join(' ');
}

export function asPromqlCurl(base: string, { m, stepMs = 0 }: Sent, from: number, to: number): string {
  return ['curl', '-G', quote(`${base}api/v1/query_range`), ...promqlParams(m, stepMs, from, to)
    .flatMap(([key, value]) => ['--data-urlencode', quote(`${key}=${value}`)])].join(' ');
}

export function asCli(ask: CopyAsk): string {
  return ['hourcell', 'query', ask.start, ...(ask.end ? [ask.end] : []),
    ...ask.ms.flatMap((m) => ['-m', m])].map(quote).join(' ');
}

export function asJson(ask: CopyAsk): string {
  return JSON.stringify({
    start: ask.start, ...(ask.end && { end: ask.end }), ...(ask.tz && { timezone: ask.tz }),
    queries: ask.ms.map((m) => jsonOf(parseQuery(m))),
  }, null, 2);
}

// A body of POST /api/query.
function jsonOf(query: SubQuery): Record<string, unknown> {
  const { rate } = query;
  return {
    aggregator: query.aggregator,
    metric: query.metric,
    ...(query.downsample && { downsample: printDownsample(query.downsample) }),
    ...(rate && { rate: true }),
    ...(rate && (rate.counter || rate.max || rate.reset) && { rateOptions: {
      counter: rate.counter, ...(rate.drop && { dropResets: true }),
      ...(rate.max && { counterMax: Number(rate.max) }),
      ...(rate.reset && { resetValue: Number(rate.reset) }) } }),
    ...(query.explicitTags && { explicitTags: true }),
    ...(query.percentiles.length && { percentiles: query.percentiles }),
    ...(query.buckets && { showHistogramBuckets: true }),
    filters: [...query.groups.map((one) => ({ one, groupBy: true })),
      ...query.only.map((one) => ({ one, groupBy: false }))].map(({ one, groupBy }) => ({
      type: one.type, tagk: one.tagk, filter: one.text, groupBy,
    })),
  };
}
