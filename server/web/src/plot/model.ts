// What a chart draws: columns on one axis, and how.

import type { State, Style } from '../state/state';
import { breakHoles, onAxis, parseLimits, stack, unionOf, withHoles, type Broken, type Column } from './align';
import { colorOf } from './palette';
import type { PlotSeries } from './series';

export interface Drawn {
  series: PlotSeries;
  color: string;
  right: boolean;
  column: Column; // as drawn: stacked, say
  low: Column | null;
  high: Column | null;
  unit: string;
  dashed: boolean; // of an earlier range
}

export interface ChartModel {
  from: number;
  to: number;
  axis: number[];
  drawn: Drawn[];
  style: Style;
  log: [boolean, boolean]; // left, right
  limits: [[number | null, number | null], [number | null, number | null]];
  labels: [string, string];
  units: [string, string]; // of the axes: those of their lines, if these agree
  tz: string;
  threshold: number | null;
  left: number; // number of series that are not drawn
}

export const DRAWN_MAX = 100;

// The series with the highest maxima, in the order in which they came.
function highest<T extends { series: PlotSeries }>(all: T[]): T[] {
  if (all.length <= DRAWN_MAX) return all;
  const max = ({ series: { stats } }: T) => (Number.isNaN(stats.max) ? -Infinity : stats.max);
  const kept = new Set([...all].sort((a, b) => max(b) - max(a)).slice(0, DRAWN_MAX));
  return all.filter((one) => kept.has(one));
}

function commonOf(drawn: Drawn[]): string {
  const units = new Set(drawn.map((one) => one.unit));
  return units.size === 1 ? [...units][0]! : '';
}

export function chartModel(state: State, all: PlotSeries[], from: number, to: number,
                           unitOf: (line: number) => string): ChartModel {
  const wanted = all.map((series, i) => ({ series, color: colorOf(i) })).filter(({ series }) =>
    !state.lines[series.line]?.hidden &&
    (state.solo.length === 0 || state.solo.includes(series.label)));
  const shown = state.every ? wanted : highest(wanted);
  const left = wanted.length - shown.length;
  // Last, because stacked series are neighbours.
  shown.push(...shown.flatMap(({ series, color }) => (series.past ? [{ series: series.past, color }] : [])));
  const times = shown.map(({ series: { xs } }): Broken => (state.connect ? { xs, after: [] } : breakHoles(xs)));
  const axis = unionOf(times.map(({ xs }) => xs));
  const placed = (ys: Column, i: number) => onAxis(axis, times[i]!.xs, withHoles(ys, times[i]!));
  let columns = shown.map(({ series }, i) => placed(series.ys, i));
  if (state.style === 'stacked') {
    const count = shown.filter(({ series }) => !series.isPast).length;
    columns = [...stack(axis, columns.slice(0, count)), ...columns.slice(count)];
  }
  const hasBand = state.style === 'line' || state.style === 'points';
  const drawn = shown.map(({ series, color }, i): Drawn => ({
    series, color, column: columns[i]!, unit: unitOf(series.line), right: state.lines[series.line]?.right ?? false,
    dashed: series.isPast ?? false,
    low: hasBand && series.low.length ? placed(series.low, i) : null,
    high: hasBand && series.high.length ? placed(series.high, i) : null,
  }));
  return {
    from, to, axis, drawn, style: state.style, log: [state.ylog, state.y2log], tz: state.tz,
    units: [false, true].map((right) => commonOf(drawn.filter((one) => one.right === right))) as [string, string],
    limits: [parseLimits(state.yrange), parseLimits(state.y2range)],
    labels: [state.ylabel, state.y2label],
    left,
    threshold: state.threshold.trim() && Number.isFinite(Number(state.threshold)) ? Number(state.threshold) : null,
  };
}
