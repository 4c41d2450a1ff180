// Series of an earlier range on the axis of the present one.

import type { PlotSeries } from './series';

// The address has the duration; people choose it by its words.
export const EARLIER: [string, string][] = [['', 'no comparison'], ['1d', 'a day before'],
  ['1w', 'a week before'], ['4w', '4 weeks before'], ['52w', '52 weeks before']];

// Gives each series of `now` its equal in `past`, and the difference of their averages. Appends the
// series of `past` that ended before.
export function withPast(now: PlotSeries[], past: PlotSeries[], ago: string, ms: number): PlotSeries[] {
  if (past.length === 0) return now;
  const keyOf = (one: PlotSeries) => `${one.line} ${one.label}`;
  const known = new Map(past.map((one) => [keyOf(one), shifted(one, ago, ms)]));
  const compared = now.map((one): PlotSeries => {
    const then = known.get(keyOf(one));
    if (!then) return one;
    known.delete(keyOf(one));
    const before = then.stats.avg;
    return { ...one, past: then, stats: { ...one.stats, before, change: one.stats.avg - before } };
  });
  return [...compared, ...known.values()];
}

function shifted(one: PlotSeries, ago: string, ms: number): PlotSeries {
  return { ...one, label: `${one.label} ${ago} before`, xs: one.xs.map((x) => x + ms), low: [], high: [], isPast: true };
}
