// The last hour of a metric as one line: what the small charts of a list show. Of a metric that has
// no point in it, the day before its last point. A screen of charts is one request.

import { Kept } from '../api/kept';
import { lastsOf, sizeOf } from '../api/names';
import { runQuery } from '../api/query';
import type { Answer } from '../api/stream';
import { inParts, together, type Answers } from '../api/together';
import { emptyQuery, type Filter } from '../query/model';
import { printQuery } from '../query/print';

export type Points = [number, number][];

export interface Recent {
  series: number;
  from: number;
  to: number;
  points: Points;
  last: number; // the time of the last point; 0 = not known
}

const HOUR = 3600e3;
const DAY = 24 * HOUR;
const QUARTER = HOUR / 4;
// To look at the last point of each of more series would take long.
const SERIES_MAX = 2000;
const ASKED_AT_ONCE = 60;

function run(metrics: string[], groups: Filter[], from: number, to: number, signal: AbortSignal): Promise<Answer[]> {
  const interval = to - from > 2 * HOUR ? '15m' : '1m';
  const ms = metrics.map((metric) =>
    printQuery({ ...emptyQuery(metric), downsample: { interval, fn: 'avg', fill: '' }, groups }));
  return runQuery({ start: from, end: to, ms, tz: '', notes: false, background: true }, signal, () => {});
}

const pointsOf = ({ dps }: Answer) => dps.map(([ms, v]): Points[number] => [ms, Number(v)])
  .filter(([, v]) => Number.isFinite(v));

const linesOf = (metrics: string[], from: number, to: number, signal: AbortSignal): Promise<Answers<Points>> =>
  inParts(metrics, async (part) => {
    const answers = await run(part, [], from, to, signal);
    return new Map([...part.map((metric): [string, Points] => [metric, []]),
      ...answers.map((answer): [string, Points] => [answer.metric, pointsOf(answer)])]);
  });

const kept = new Kept<Recent>(30e3);
const ask = together(ASKED_AT_ONCE, findRecent);

export const recentOf = (metric: string, signal: AbortSignal): Promise<Recent> =>
  kept.get(metric, () => ask(metric, signal));

async function findRecent(metrics: string[], signal: AbortSignal): Promise<Answers<Recent>> {
  const now = Date.now();
  const sizes = new Map(await Promise.all(metrics.map(async (metric): Promise<[string, number]> =>
    [metric, await sizeOf(metric).catch(() => 0)])));
  const found = new Map<string, Recent>();
  const keep = (metric: string, to: number, span: number, points: Points, last: number) =>
    found.set(metric, { series: sizes.get(metric)!, from: to - span, to, points, last });
  const silent: string[] = [];
  for (const [metric, points] of await linesOf(metrics, now - HOUR, now, signal)) {
    keep(metric, now, HOUR, points, points[points.length - 1]?.[0] ?? 0);
    const series = sizes.get(metric)!;
    if (!points.length && series > 0 && series <= SERIES_MAX) silent.push(metric);
  }
  // Those that ended at the same time are asked together.
  const lasts = silent.length ? await inParts(silent, (part) => lastsOf(part, signal)) : new Map<string, number>();
  const byEnd = new Map<number, string[]>();
  for (const [metric, last] of lasts) {
    const end = Math.ceil((last + 1) / QUARTER) * QUARTER;
    byEnd.set(end, [...(byEnd.get(end) ?? []), metric]);
  }
  await Promise.all([...byEnd].map(async ([end, ended]) => {
    for (const [metric, points] of await linesOf(ended, end - DAY, end, signal)) {
      keep(metric, end, DAY, points, lasts.get(metric)!);
    }
  }));
  return found;
}

export const isStale = (recent: Recent) => Date.now() - recent.last > HOUR;

// The range in which a click on a card should open its graph.
export function rangeFor(recent: Recent | null): { start: string; end: string } {
  if (!recent || !recent.last || !isStale(recent)) return { start: '1h-ago', end: '' };
  const seconds = (ms: number) => String(Math.ceil(ms / 1e3));
  return { start: seconds(recent.from), end: seconds(recent.to) };
}

// One line for each value of a tag.
export interface Slice { tagv: string; points: Points }

export async function breakDown(metric: string, tagk: string, from: number, to: number,
                                signal: AbortSignal): Promise<Slice[]> {
  const answers = await run([metric], [{ tagk, type: 'wildcard', text: '*' }], from, to, signal);
  return answers.map((answer) => ({ tagv: answer.tags[tagk] ?? '', points: pointsOf(answer) }));
}
