// A chart's model as uPlot's options and data.

import uPlot from 'uplot';
import { shiftedDate } from '../time/time';
import { showTicks } from '../time/units';
import { fade } from './palette';
import { DRAWN_MAX, type ChartModel, type Drawn } from './model';
import { lonelyIn, type Column } from './align';

export interface Theme { text: string; grid: string; font: string }

type Limits = [number | null, number | null];

export function dataOf(model: ChartModel): uPlot.AlignedData {
  const columns: Column[] = [];
  for (const one of model.drawn) {
    columns.push(positive(one.column, one, model));
    if (one.low && one.high) {
      columns.push(positive(one.low, one, model), positive(one.high, one, model));
    }
  }
  return [model.axis, ...columns] as uPlot.AlignedData;
}

// A logarithmic axis has no place for zero and less.
function positive(column: Column, one: Drawn, model: ChartModel): Column {
  if (!model.log[one.right ? 1 : 0]) return column;
  return column.map((y) => (typeof y === 'number' && y <= 0 ? null : y));
}

export function optionsOf(model: ChartModel, theme: Theme, width: number,
                          height: number): uPlot.Options {
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const one of model.drawn) {
    const at = series.length;
    series.push(seriesOf(one, model));
    if (one.low && one.high) {
      series.push(edgeOf(one), edgeOf(one));
      bands.push({ series: [at + 2, at + 1], fill: fade(one.color, 0.16) });
    }
  }
  if (model.style === 'stacked') bands.push(...stackBands(model));
  return {
    width, height, ms: 1, series, bands,
    tzDate: (ms) => shiftedDate(ms, model.tz),
    scales: {
      x: { time: true, range: () => [model.from, model.to] },
      y: scaleOf(model.log[0], model.limits[0], model.style, model.threshold),
      y2: scaleOf(model.log[1], model.limits[1], model.style),
    },
    axes: axesOf(model, theme),
    legend: { show: false },
    cursor: {
      drag: { x: true, y: false, setScale: false },
      focus: { prox: drawsSlowly(model) ? -1 : 24 },
      points: { size: 7 },
      dataIdx: (u, seriesIdx, hovered) => nearest(u.data[seriesIdx]!, hovered),
    },
    focus: { alpha: 0.25 },
    padding: [12, model.drawn.some((one) => one.right) ? 0 : 26, 0, 0],
  };
}

// To bring one series to the front, uPlot draws all anew: with more points than these the crosshair
// would not follow the pointer.
const FOCUS_MAX = 60_000;

// A band is two columns more.
function drawsSlowly({ axis, drawn }: ChartModel): boolean {
  const columns = drawn.reduce((sum, one) => sum + (one.low && one.high ? 3 : 1), 0);
  return drawn.length > DRAWN_MAX || axis.length * columns > FOCUS_MAX;
}

// A browser draws lines of one pixel many times as fast as wider ones, and among so many none is seen
// by its width. They are not smoothed either.
const widthOf = (model: ChartModel) => (drawsSlowly(model) ? 1 / (devicePixelRatio || 1) : 1.6);

const NEAR = 200;

// The index of the point that is nearest to the pointer, as series have points of their own; none
// beyond a hole.
export function nearest(column: ArrayLike<number | null | undefined>, at: number): number {
  let [left, right] = [true, true];
  for (let off = 0; off < NEAR && (left || right); ++off) {
    const [before, after] = [column[at - off], column[at + off]];
    if (left && typeof before === 'number') return at - off;
    if (right && typeof after === 'number') return at + off;
    left &&= before !== null;
    right &&= after !== null;
  }
  return at;
}

function seriesOf({ color, right, series, column, dashed }: Drawn, model: ChartModel): uPlot.Series {
  const scale = right ? 'y2' : 'y';
  const lonely = lonelyIn(column);
  const points = { size: 6, fill: color, filter: (_u: uPlot, _i: number, show: boolean) => (show ? null : lonely) };
  const base = { label: series.label, scale, stroke: color, width: widthOf(model), spanGaps: false };
  if (dashed) return { ...base, dash: [6, 4], points: { ...points, show: false } };
  switch (model.style) {
    case 'points':
      return { ...base, paths: () => null, points: { show: true, size: 4, fill: color } };
    case 'bars':
      return { ...base, width: 0, fill: fade(color, 0.75), points: { show: false },
               paths: uPlot.paths.bars!({ size: [0.8, 40] }) };
    case 'area':
      return { ...base, fill: fade(color, 0.14), points: { ...points, show: false } };
    case 'stacked':
      return { ...base, width: 1, fill: fade(color, 0.45), points: { ...points, show: false } };
    default:
      // uPlot draws points where they are far enough apart.
      return lonely.length ? { ...base, points } : base;
  }
}

function edgeOf({ color, right }: Drawn): uPlot.Series {
  return { scale: right ? 'y2' : 'y', stroke: fade(color, 0.18), width: 1, points: { show: false } };
}

function stackBands(model: ChartModel): uPlot.Band[] {
  return model.drawn.filter((one) => !one.dashed).slice(1).map((one, i) => ({
    series: [i + 2, i + 1] as [number, number], fill: fade(one.color, 0.45),
  }));
}

function scaleOf(log: boolean, [low, high]: Limits, style: string, threshold: number | null = null): uPlot.Scale {
  const also = threshold === null ? [] : [threshold];
  if (log) return { distr: 3, range: (_u, min, max) => logRange(low ?? min, high ?? max) };
  const fromZero = style === 'stacked' || style === 'bars' || style === 'area';
  return {
    range: (_u, min, max) => {
      if (min === null || max === null) return [low ?? 0, high ?? 10];
      const ends = [min, max, ...also, ...(fromZero ? [0] : [])];
      const wide = uPlot.rangeNum(Math.min(...ends), Math.max(...ends), 0.08, true);
      return [low ?? wide[0]!, high ?? wide[1]!];
    },
  };
}

function logRange(min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null || !(min > 0) || !(max > 0)) return [0.1, 10];
  return uPlot.rangeLog(min, max, 10, false);
}

// [shortest step, text, text where a year, -, day, -, minute changes, ...] as uPlot wants them; the
// hour of a day has 24.
const DAY = '\n{YYYY}-{MM}-{DD}';
const TIMES: uPlot.Axis.Values = [
  [365 * 864e5, '{YYYY}', null, null, null, null, null, null, 1],
  [28 * 864e5, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [864e5, '{MMM} {D}', '\n{YYYY}', null, null, null, null, null, 1],
  [6e4, '{HH}:{mm}', DAY, null, DAY, null, null, null, 1],
  [1e3, '{HH}:{mm}:{ss}', DAY, null, DAY, null, null, null, 1],
  [1, ':{ss}.{fff}', `${DAY} {HH}:{mm}`, null, `${DAY} {HH}:{mm}`, null, '\n{HH}:{mm}', null, 1],
];

// uPlot has no steps for ranges beyond 1e16, and would draw no number.
const isHuge = (model: ChartModel) => model.drawn.some(({ series: { stats } }) =>
  Math.max(Math.abs(stats.min), Math.abs(stats.max)) > 1e15);

export function hugeSteps(range: number): number[] {
  const power = 10 ** Math.floor(Math.log10(range));
  return [0.1, 0.2, 0.5, 1, 2, 5].map((part) => part * power);
}

function axesOf(model: ChartModel, theme: Theme): uPlot.Axis[] {
  const common: uPlot.Axis = {
    stroke: theme.text, grid: { stroke: theme.grid, width: 1 }, font: theme.font,
    ticks: { show: false }, labelFont: theme.font,
  };
  const axis = (scale: string, side: number, label: string): uPlot.Axis => ({
    ...common, scale, side, size: sizeOfAxis, gap: 8,
    values: (_u, values) => showTicks(values, model.units[side === 1 ? 1 : 0]),
    ...(isHuge(model) && !model.log[side === 1 ? 1 : 0] && { incrs: (_u, _at, min, max) => hugeSteps(max - min) }),
    ...(label && { label, labelSize: 22 }),
  });
  const axes: uPlot.Axis[] = [{ ...common, space: 80, values: TIMES }, axis('y', 3, model.labels[0])];
  if (model.drawn.some((one) => one.right)) {
    axes.push({ ...axis('y2', 1, model.labels[1]), grid: { show: false } });
  }
  return axes;
}

// As wide as its longest number.
function sizeOfAxis(_u: uPlot, values: string[] | null): number {
  const longest = (values ?? []).reduce((max, text) => Math.max(max, text.length), 0);
  return Math.max(44, longest * 7 + 20);
}
