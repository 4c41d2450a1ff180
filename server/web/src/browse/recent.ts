// The last hour of a metric as one line: what the small charts of a list show. Of a metric that has
// no point in it, the day before its last point.

import { lastOf, sizeOf } from '../api/names';
import { runQuery } from '../api/query';
import { emptyQuery } from '../query/model';
import { printQuery } from '../query/print';

export interface Recent {
  series: number;
  from: number;
  to: number;
  points: [number, number][];
  last: number; // the time of the last point; 0 = not known
}

const HOUR = 3600e3;
const DAY = 24 * HOUR;
// To look at the last point of each of more series would take long.
const SERIES_MAX = 2000;

async function pointsOf(metric: string, from: number, to: number, step: string,
                        signal: AbortSignal): Promise<[number, number][]> {
  const m = printQuery({ ...emptyQuery(metric), downsample: { interval: step, fn: 'avg', fill: '' } });
  const ask = { start: from, end: to, ms: [m], tz: '', notes: false, background: true };
  const [answer] = await runQuery(ask, signal, () => {});
  return (answer?.dps ?? []).map(([ms, v]) => [ms, Number(v)] as [number, number])
    .filter(([, v]) => Number.isFinite(v));
}

const kept = new Map<string, { at: number; value: Recent }>();

export async function recentOf(metric: string, signal: AbortSignal): Promise<Recent> {
  const old = kept.get(metric);
  if (old && Date.now() - old.at < 30e3) return old.value;
  const value = await findRecent(metric, signal);
  kept.set(metric, { at: Date.now(), value });
  return value;
}

async function findRecent(metric: string, signal: AbortSignal): Promise<Recent> {
  const now = Date.now();
  const series = await sizeOf(metric);
  const hour = await pointsOf(metric, now - HOUR, now, '1m', signal);
  if (hour.length) {
    return { series, from: now - HOUR, to: now, points: hour, last: hour[hour.length - 1]![0] };
  }
  if (series === 0 || series > SERIES_MAX) {
    return { series, from: now - HOUR, to: now, points: [], last: 0 };
  }
  const lasts = await lastOf(metric, signal);
  const last = lasts.reduce((max, one) => Math.max(max, one.timestamp), 0);
  if (!last) return { series, from: now - HOUR, to: now, points: [], last: 0 };
  const points = await pointsOf(metric, last - DAY, last + 1, '15m', signal);
  return { series, from: last - DAY, to: last, points, last };
}

export const isStale = (recent: Recent) => Date.now() - recent.last > HOUR;

// The range in which a click on a card should open its graph.
export function rangeFor(recent: Recent | null): { start: string; end: string } {
  if (!recent || !recent.last || !isStale(recent)) return { start: '1h-ago', end: '' };
  const seconds = (ms: number) => String(Math.ceil(ms / 1e3));
  return { start: seconds(recent.from), end: seconds(recent.to) };
}

// One line for each value of a tag.
export interface Slice { tagv: string; points: [number, number][] }

export async function breakDown(metric: string, tagk: string, from: number, to: number,
                                signal: AbortSignal): Promise<Slice[]> {
  const step = to - from > 2 * HOUR ? '15m' : '1m';
  const m = printQuery({
    ...emptyQuery(metric), downsample: { interval: step, fn: 'avg', fill: '' },
    groups: [{ tagk, type: 'wildcard', text: '*' }],
  });
  const answers = await runQuery({ start: from, end: to, ms: [m], tz: '', notes: false, background: true }, signal,
                                 () => {});
  return answers.map((answer) => ({
    tagv: answer.tags[tagk] ?? '',
    points: answer.dps.map(([ms, v]) => [ms, Number(v)] as [number, number])
      .filter(([, v]) => Number.isFinite(v)),
  }));
}

