// Queries in PromQL. Their answers become those of /api/query, so that views draw both alike.

import type { Sent } from '../query/auto';
import { getJson } from './client';
import type { Answer } from './stream';

interface Range {
  data: { result: { metric: Record<string, string>; values: [number, string][] }[] };
}

// Steps are multiples of the interval: each later answer has the same ones.
export function promqlParams(query: string, stepMs: number, from: number, to: number): [string, string][] {
  const first = Math.ceil(from / stepMs) * stepMs;
  const seconds = (ms: number) => String(ms / 1e3);
  return [['query', query], ['start', seconds(first > to ? from : first)], ['end', seconds(to)], ['step', seconds(stepMs)]];
}

export async function runPromql({ m, stepMs = 0, index }: Sent, from: number, to: number, signal: AbortSignal,
                                background = false): Promise<Answer[]> {
  const { data } = await getJson<Range>('api/v1/query_range',
    { params: promqlParams(m, stepMs, from, to), signal, background });
  return data.result.map(({ metric: { __name__: name, ...tags }, values }) => ({
    metric: name ?? (Object.keys(tags).length ? '' : m), tags, aggregateTags: [], query: { index },
    dps: values.map(([s, value]) => [Math.round(s * 1e3), exact(value)]),
  }));
}

// Texts of numbers that JSON cannot hold stay texts.
function exact(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}
