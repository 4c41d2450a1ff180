// The choice of a tag for the search of changes, and the texts of its answer.

import type { Change, ChangeReport } from '../api/changes';
import { emptyQuery } from '../query/model';
import { printName, printQuery, printValue } from '../query/print';
import { guessUnit, plural, showCount, showNumber } from '../time/units';

// Metrics of one machine or process have tags of these keys in common.
const PLACES = /^(host|hostname|instance|node|pod|server|device|vm)$/i;
const PAIRS_MAX = 100;

// The tags of series as texts, ordered by the number of series, then with those of a place first.
export function pairsOf(series: { tags: Record<string, string> }[]): string[] {
  const counts = new Map<string, { count: number; place: number }>();
  for (const { tags } of series) {
    for (const [tagk, tagv] of Object.entries(tags)) {
      const pair = `${printName(tagk)}=${printValue(tagv)}`;
      const { count } = counts.get(pair) ?? { count: 0 };
      counts.set(pair, { count: count + 1, place: PLACES.test(tagk) ? 1 : 0 });
    }
  }
  return [...counts].sort(([, a], [, b]) => b.count - a.count || b.place - a.place)
    .slice(0, PAIRS_MAX).map(([pair]) => pair);
}

// The query of the series that moved.
export function queryOf({ metric, tags, rate }: Change): string {
  return printQuery({
    ...emptyQuery(metric), rate: rate ? { counter: true, drop: true, max: '', reset: '' } : null,
    groups: Object.entries(tags).map(([tagk, tagv]) => ({ tagk, type: 'literal_or', text: printValue(tagv) })),
  });
}

// Its other tags.
export function othersOf({ tags }: Change, asked: string[]): string[] {
  return Object.entries(tags).map(([tagk, tagv]) => `${printName(tagk)}=${printValue(tagv)}`)
    .filter((pair) => !asked.includes(pair));
}

// "2 → 40"; "started at 5".
export function moveOf({ metric, change, rate, before, now }: Change): string {
  const show = (value: number | undefined) => showNumber(value, guessUnit(metric, rate), 3);
  if (change === 'started') return `started at ${show(now.mean)}`;
  if (change === 'ended') return `ended at ${show(now.mean ?? before.mean)}`;
  return `${show(before.mean)} → ${show(now.mean)}`;
}

// The scope of the answer: metrics and series.
export function scopeOf({ changes, metrics, compared, series, timedOut }: ChangeReport): string {
  const shown = `${showCount(changes.length)} of ${plural(metrics, 'metric')}`;
  if (compared === series) return `${shown}, ${plural(series, 'series', 'series')} compared`;
  return `${shown}; ${showCount(compared)} of ${showCount(series)} series compared${timedOut ? ' in the time allowed' : ''}`;
}
