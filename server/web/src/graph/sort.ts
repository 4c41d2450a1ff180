// The order of the legend's rows.

import type { PlotSeries, Stats } from '../plot/series';

export const COLUMNS: (keyof Stats)[] = ['last', 'min', 'max', 'avg', 'points'];

export function sortSeries(series: PlotSeries[], sort: string): { one: PlotSeries; at: number }[] {
  const rows = series.map((one, at) => ({ one, at }));
  const key = sort.replace(/^-/, '');
  const sign = sort.startsWith('-') ? -1 : 1;
  if (key === 'name') {
    rows.sort((a, b) => sign * a.one.label.localeCompare(b.one.label, 'en', { numeric: true }));
  } else if (COLUMNS.includes(key as keyof Stats)) {
    const value = (row: { one: PlotSeries }) => row.one.stats[key as keyof Stats];
    // Series without a number come last, in either order.
    rows.sort((a, b) => Number(Number.isNaN(value(a))) - Number(Number.isNaN(value(b))) ||
      sign * (value(a) - value(b)) || 0);
  }
  return rows;
}
