// The order of the legend's rows.

import type { PlotSeries, Stats } from '../plot/series';

const COLUMNS = ['last', 'min', 'max', 'avg', 'points'] as const;
const COMPARED = ['before', 'change'] as const;
export type Key = keyof Stats;

export function columnsFor(series: PlotSeries[]): Key[] {
  return series.some((one) => one.past) ? [...COLUMNS, ...COMPARED] : [...COLUMNS];
}

export function sortSeries(series: PlotSeries[], sort: string): { one: PlotSeries; at: number }[] {
  const rows = series.map((one, at) => ({ one, at }));
  const key = sort.replace(/^-/, '');
  const sign = sort.startsWith('-') ? -1 : 1;
  if (key === 'name') {
    rows.sort((a, b) => sign * a.one.label.localeCompare(b.one.label, 'en', { numeric: true }));
  } else if ([...COLUMNS, ...COMPARED].some((one) => one === key)) {
    const value = (row: { one: PlotSeries }) => row.one.stats[key as Key] ?? NaN;
    // Series without a number come last, in either order.
    rows.sort((a, b) => Number(Number.isNaN(value(a))) - Number(Number.isNaN(value(b))) ||
      sign * (value(a) - value(b)) || 0);
  }
  return rows;
}
