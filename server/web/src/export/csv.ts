// What is shown, as CSV (RFC 4180): one row for each time, one column for each series.

import { onAxis, unionOf } from '../plot/align';
import type { PlotSeries } from '../plot/series';

// A text that a spreadsheet would take for a formula is quoted as one, so that it is none.
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function toCsv(series: PlotSeries[]): string {
  const axis = unionOf(series.map((one) => one.xs));
  const columns = series.map((one) => onAxis(axis, one.xs, one.texts));
  const rows = axis.map((ms, i) =>
    [new Date(ms).toISOString(), ...columns.map((column) => column[i] ?? '')].join(','));
  return [['time', ...series.map((one) => cell(one.label))].join(','), ...rows, ''].join('\r\n');
}
